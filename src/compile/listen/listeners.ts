import { Networks } from '../../access/network/networks.js';
import { parseListenAddress } from '../../config/keys/address.js';
import { type Finding, finding, invalid, within } from '../../config/keys/finding.js';
import type { ListenerPlan } from '../../config/plans/listener-plan.js';
import { invariant } from '../../core/index.js';
import type { Listener } from '../../listen/listeners.js';
import { ServerTls, type ServerTlsOptions } from '../../listen/server-tls.js';
import { firstEnds } from '../../listen/tls-ends.js';
import { dial } from '../../upstream/index.js';

/**
 * Compiles the addresses of `listen` or `admin`. Throws `FindingsError` for certificates that
 * cannot be used.
 */
export const compileListeners = (plans: readonly ListenerPlan[]): readonly Listener[] =>
  plans.map(({ key, config: { address: text, proxyProtocol }, tls }) => {
    const address = parseListenAddress(text);
    invariant(address !== null, 'the schema has checked addresses');
    return {
      address,
      text,
      tls: tls === null ? null : within(key, () => compileTls(tls)),
      proxies: new Networks(proxyProtocol),
    };
  });

/** How long before its end a certificate or a revocation list is warned of. */
const EXPIRY_WARNING_MILLIS = 30 * 86_400_000;

/**
 * Warns of certificates and revocation lists of listeners that end soon, or have ended. Lists are
 * short-lived: they may end within a day.
 */
export const warningsOfListeners = (
  plans: readonly ListenerPlan[],
  listeners: readonly Listener[],
): readonly Finding[] =>
  plans.flatMap(({ key, config: { address } }, index): readonly Finding[] => {
    const { certificateMillis, listMillis } = firstEnds(listeners[index]?.tls?.ends ?? []);
    const at = [...key, 'tls'];
    const soon = (millis: number | null, withinMillis: number): string | null =>
      millis === null || millis - Date.now() > withinMillis
        ? null
        : new Date(millis).toISOString().slice(0, 16);
    const certificate = soon(certificateMillis, EXPIRY_WARNING_MILLIS);
    const list = soon(listMillis, LIST_WARNING_MILLIS);
    return [
      ...(certificate === null
        ? []
        : [finding(at, `A certificate of ${address} ends on ${certificate}Z.`, RENEW)]),
      ...(list === null ? [] : [finding([...at, 'clientCrl'], listEnds(address, list), RENEW)]),
    ];
  });

/** Authorities renew lists every few days. */
const LIST_WARNING_MILLIS = 86_400_000;

const listEnds = (address: string, end: string): string =>
  `A revocation list of ${address} ends on ${end}Z: then all certificates of its ` +
  'authority are refused.';

const RENEW = 'Renew it: files are read again while the gateway runs.';

function compileTls(options: ServerTlsOptions): ServerTls {
  try {
    return new ServerTls(options);
  } catch (error) {
    const what =
      'A certificate, key, authority, revocation list or cipher list of `tls` cannot be used ' +
      `(${dial.tlsReason(error)}).`;
    const remedy = 'Check that they are PEM, and that each key belongs to its certificate.';
    throw invalid(['tls'], what, remedy);
  }
}
