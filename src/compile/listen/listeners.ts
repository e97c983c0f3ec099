import { Networks } from '../../access/network/networks.js';
import { parseListenAddress } from '../../config/keys/address.js';
import type { ConfigPath } from '../../config/keys/config-path.js';
import { type ListenerTlsConfig, listenersOf } from '../../config/listen/listen-keys.js';
import type { Config } from '../../config/schema.js';
import type { ConfigSection } from '../../config/section.js';
import { type Diagnostic, invariant } from '../../core/index.js';
import type { Listener } from '../../listen/listeners.js';
import { type RotatingIdentity, type RotatingText, ServerTls } from '../../listen/server-tls.js';
import { firstEnds } from '../../listen/tls-ends.js';
import { tlsReason } from '../../upstream/index.js';

/**
 * Compiles the addresses of `listen` or `admin`. Throws `ConfigurationError` for certificates that
 * cannot be used.
 */
export const compileListeners = (
  root: ListenSection,
  key: 'listen' | 'admin',
): readonly Listener[] =>
  listenersOf(root.value[key]).map(({ listener: { address: text, tls, proxyProtocol }, path }) => {
    const address = parseListenAddress(text);
    invariant(address !== null, 'the schema has checked addresses');
    return {
      address,
      text,
      tls: tls === undefined ? null : compileTls(root.at(tls, key, ...path, 'tls')),
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
  root: ListenSection,
  key: 'listen' | 'admin',
  listeners: readonly Listener[],
): readonly Diagnostic[] =>
  listenersOf(root.value[key]).flatMap(
    ({ listener: { address }, path }, index): readonly Diagnostic[] => {
      const { certificateMillis, listMillis } = firstEnds(listeners[index]?.tls?.ends ?? []);
      const at = [key, ...path, 'tls'];
      const soon = (millis: number | null, withinMillis: number): string | null =>
        millis === null || millis - Date.now() > withinMillis
          ? null
          : new Date(millis).toISOString().slice(0, 16);
      const certificate = soon(certificateMillis, EXPIRY_WARNING_MILLIS);
      const list = soon(listMillis, LIST_WARNING_MILLIS);
      return [
        ...(certificate === null
          ? []
          : [root.diagnostic(at, `A certificate of ${address} ends on ${certificate}Z.`, RENEW)]),
        ...(list === null
          ? []
          : [root.diagnostic([...at, 'clientCrl'], listEnds(address, list), RENEW)]),
      ];
    },
  );

/** Authorities renew lists every few days. */
const LIST_WARNING_MILLIS = 86_400_000;

const listEnds = (address: string, end: string): string =>
  `A revocation list of ${address} ends on ${end}Z: then all certificates of its ` +
  'authority are refused.';

const RENEW = 'Renew it: files are read again while the gateway runs.';

type ListenSection = ConfigSection<Pick<Config, 'listen' | 'admin'>>;

function compileTls(section: ConfigSection<ListenerTlsConfig>): ServerTls {
  const rotating = (text: string, ...path: ConfigPath): RotatingText => ({
    text,
    file: section.rotating(path, text),
  });
  const identity = (
    { cert, key }: { readonly cert: string; readonly key: string },
    ...path: ConfigPath
  ): RotatingIdentity => ({
    cert: rotating(cert, ...path, 'cert'),
    key: rotating(key, ...path, 'key'),
  });
  const tls = section.value;
  const { names, minVersion, ciphers = null, clientCertificate, clientCa, clientCrl } = tls;
  const entries = Object.entries(names).map(([name, of]): [string, RotatingIdentity] => [
    name.toLowerCase(),
    identity(of, 'names', name),
  ]);
  try {
    return new ServerTls({
      ...identity(tls),
      names: new Map(entries),
      minVersion,
      ciphers,
      clientCertificate,
      clientCa: clientCa === undefined ? null : rotating(clientCa, 'clientCa'),
      clientCrl: clientCrl === undefined ? null : rotating(clientCrl, 'clientCrl'),
    });
  } catch (error) {
    const what =
      'A certificate, key, authority, revocation list or cipher list of `tls` cannot be used ' +
      `(${tlsReason(error)}).`;
    const remedy = 'Check that they are PEM, and that each key belongs to its certificate.';
    throw section.error([], what, remedy);
  }
}
