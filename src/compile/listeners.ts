import { Networks } from '../access/networks.js';
import { ConfigurationError } from '../base/diagnostic.js';
import { invariant } from '../base/invariant.js';
import { RotatingFile } from '../base/rotating-file.js';
import { parseListenAddress } from '../config/address.js';
import { type ListenerTlsConfig, listenersOf } from '../config/listen-keys.js';
import type { LoadedConfig } from '../config/load.js';
import type { ConfigPath } from '../config/yaml-source.js';
import type { Listener } from '../listen/listeners.js';
import { type RotatingIdentity, type RotatingText, ServerTls } from '../listen/server-tls.js';
import { reasonOf } from '../upstream/dial/tls.js';
import { diagnosticAt } from './diagnostic-at.js';

/** Compiles the addresses of `listen` or `admin`. Throws `ConfigurationError` for certificates that cannot be used. */
export const compileListeners = (loaded: LoadedConfig, key: 'listen' | 'admin'): readonly Listener[] =>
  listenersOf(loaded.config[key]).map(({ listener: { address: text, tls, proxyProtocol }, path }) => {
    const address = parseListenAddress(text);
    invariant(address !== null, 'the schema has checked addresses');
    return {
      address,
      tls: tls === undefined ? null : compileTls(loaded, [key, ...path, 'tls'], tls),
      proxies: new Networks(proxyProtocol),
    };
  });

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
