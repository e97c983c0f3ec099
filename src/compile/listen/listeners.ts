import { Networks } from '../../access/network/networks.js';
import { ConfigurationError, type Diagnostic } from '../../base/diagnostic.js';
import { invariant } from '../../base/invariant.js';
import { RotatingFile } from '../../base/rotating-file.js';
import { diagnosticAt } from '../../config/diagnostic-at.js';
import { parseListenAddress } from '../../config/keys/address.js';
import type { ConfigPath } from '../../config/keys/config-path.js';
import { type ListenerTlsConfig, listenersOf } from '../../config/listen/listen-keys.js';
import type { LoadedConfig } from '../../config/load.js';
import type { Listener } from '../../listen/listeners.js';
import { type RotatingIdentity, type RotatingText, ServerTls } from '../../listen/server-tls.js';
import { firstEnds } from '../../listen/tls-ends.js';
import { reasonOf } from '../../upstream/dial/tls.js';

/** Compiles the addresses of `listen` or `admin`. Throws `ConfigurationError` for certificates that cannot be used. */
export const compileListeners = (loaded: LoadedConfig, key: 'listen' | 'admin'): readonly Listener[] =>
  listenersOf(loaded.config[key]).map(({ listener: { address: text, tls, proxyProtocol }, path }) => {
    const address = parseListenAddress(text);
    invariant(address !== null, 'the schema has checked addresses');
    return {
      address,
      text,
      tls: tls === undefined ? null : compileTls(loaded, [key, ...path, 'tls'], tls),
      proxies: new Networks(proxyProtocol),
    };
  });

/** How long before its end a certificate or a revocation list is warned of. */
const EXPIRY_WARNING_MILLIS = 30 * 86_400_000;

/** Warns of certificates and revocation lists of listeners that end soon, or have ended. Lists are short-lived: they may end within a day. */
export const warningsOfListeners = (
  loaded: LoadedConfig,
  key: 'listen' | 'admin',
  listeners: readonly Listener[],
): readonly Diagnostic[] =>
  listenersOf(loaded.config[key]).flatMap(({ listener: { address }, path }, index): readonly Diagnostic[] => {
    const { certificateMillis, listMillis } = firstEnds(listeners[index]?.tls?.ends ?? []);
    const at = [key, ...path, 'tls'];
    const soon = (millis: number | null, withinMillis: number): string | null =>
      millis === null || millis - Date.now() > withinMillis ? null : new Date(millis).toISOString().slice(0, 16);
    const certificate = soon(certificateMillis, EXPIRY_WARNING_MILLIS);
    const list = soon(listMillis, LIST_WARNING_MILLIS);
    return [
      ...(certificate === null
        ? []
        : [diagnosticAt(loaded, at, `A certificate of ${address} ends on ${certificate}Z.`, RENEW)]),
      ...(list === null
        ? []
        : [
            diagnosticAt(
              loaded,
              [...at, 'clientCrl'],
              `A revocation list of ${address} ends on ${list}Z: then all certificates of its authority are refused.`,
              RENEW,
            ),
          ]),
    ];
  });

/** Authorities renew lists every few days. */
const LIST_WARNING_MILLIS = 86_400_000;

const RENEW = 'Renew it: files are read again while the gateway runs.';

function compileTls(loaded: LoadedConfig, path: ConfigPath, tls: ListenerTlsConfig): ServerTls {
  const rotating = (text: string, at: ConfigPath): RotatingText => {
    const file = loaded.fileAt(at);
    return { text, file: file === null ? null : new RotatingFile(file, text) };
  };
  const identity = (
    { cert, key }: { readonly cert: string; readonly key: string },
    at: ConfigPath,
  ): RotatingIdentity => ({
    cert: rotating(cert, [...at, 'cert']),
    key: rotating(key, [...at, 'key']),
  });
  const { names, minVersion, ciphers = null, clientCertificate, clientCa, clientCrl } = tls;
  const entries = Object.entries(names).map(([name, of]): [string, RotatingIdentity] => [
    name.toLowerCase(),
    identity(of, [...path, 'names', name]),
  ]);
  try {
    return new ServerTls({
      ...identity(tls, path),
      names: new Map(entries),
      minVersion,
      ciphers,
      clientCertificate,
      clientCa: clientCa === undefined ? null : rotating(clientCa, [...path, 'clientCa']),
      clientCrl: clientCrl === undefined ? null : rotating(clientCrl, [...path, 'clientCrl']),
    });
  } catch (error) {
    const what = `A certificate, key, authority, revocation list or cipher list of \`tls\` cannot be used (${reasonOf(error)}).`;
    const remedy = 'Check that they are PEM, and that each key belongs to its certificate.';
    throw new ConfigurationError([diagnosticAt(loaded, path, what, remedy)]);
  }
}
