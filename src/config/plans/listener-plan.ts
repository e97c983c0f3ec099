import type { RotatingText } from '../../gateway/rotating-text.js';
import type { RotatingIdentity, ServerTlsOptions } from '../../listen/server-tls.js';
import type { ConfigPath } from '../keys/config-path.js';
import {
  type AdminListenerConfig,
  type ListenerConfig,
  type ListenerTlsConfig,
  listenersOf,
} from '../listen/listen-keys.js';
import type { Config } from '../schema.js';
import type { ConfigSection } from '../section.js';

/** An address of `listen` or `admin`, as it is configured. */
export interface ListenerPlan<T extends ListenerConfig = ListenerConfig> {
  /** The key that has it, which messages about it name. */
  readonly key: ConfigPath;
  readonly config: T | ListenerConfig;
  readonly tls: ServerTlsOptions | null;
}

export const readListeners = (
  root: ConfigSection<Pick<Config, 'listen'>>,
): readonly ListenerPlan[] => listenersOf(root.value.listen).map(readerOf(root, 'listen'));

export const readAdmin = (
  root: ConfigSection<Pick<Config, 'admin'>>,
): readonly ListenerPlan<AdminListenerConfig>[] =>
  listenersOf<AdminListenerConfig>(root.value.admin).map(readerOf(root, 'admin'));

const readerOf =
  <T extends ListenerConfig>(root: ConfigSection<unknown>, name: 'listen' | 'admin') =>
  ({
    listener,
    path,
  }: {
    readonly listener: T | ListenerConfig;
    readonly path: ConfigPath;
  }): ListenerPlan<T> => {
    const key = [name, ...path];
    const { tls } = listener;
    return {
      key,
      config: listener,
      tls: tls === undefined ? null : readServerTls(root.at(tls, ...key, 'tls')),
    };
  };

function readServerTls(section: ConfigSection<ListenerTlsConfig>): ServerTlsOptions {
  const textAt = (text: string, ...path: ConfigPath): RotatingText => section.textAt(path, text);
  const identity = (
    { cert, key }: { readonly cert: string; readonly key: string },
    ...path: ConfigPath
  ): RotatingIdentity => ({
    cert: textAt(cert, ...path, 'cert'),
    key: textAt(key, ...path, 'key'),
  });
  const tls = section.value;
  const { names, minVersion, ciphers = null, clientCertificate, clientCa, clientCrl } = tls;
  const entries = Object.entries(names).map(([name, of]): [string, RotatingIdentity] => [
    name.toLowerCase(),
    identity(of, 'names', name),
  ]);
  return {
    ...identity(tls),
    names: new Map(entries),
    minVersion,
    ciphers,
    clientCertificate,
    clientCa: clientCa === undefined ? null : textAt(clientCa, 'clientCa'),
    clientCrl: clientCrl === undefined ? null : textAt(clientCrl, 'clientCrl'),
  };
}
