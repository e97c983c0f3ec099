import { ConfigurationError } from '../base/diagnostic.js';
import { errorCode } from '../base/error-code.js';
import { diagnosticAt } from '../compile/diagnostic-at.js';
import { parseListenAddress } from '../config/address.js';
import { listenersOf } from '../config/listen-keys.js';
import type { LoadedConfig } from '../config/load.js';
import { printPath } from '../config/validate.js';
import type { ConfigPath } from '../config/yaml-source.js';

const LISTEN_ERRORS: ReadonlyMap<string, string> = new Map([
  ['EADDRINUSE', 'is in use by another program'],
  ['EADDRNOTAVAIL', 'does not belong to this machine'],
  ['EACCES', 'may not be used by this user'],
  ['ENOTFOUND', 'has a host that is not known'],
  ['ENOSOCKET', 'is none of the sockets that systemd passes (LISTEN_FDNAMES)'],
]);

/** Reports an address that cannot be bound as a configuration error; other errors are thrown as they are. */
export function refuseAddress(loaded: LoadedConfig, keys: readonly AddressKey[]): (error: unknown) => never {
  return (error) => {
    const why = LISTEN_ERRORS.get(errorCode(error) ?? '');
    if (why === undefined) throw error;
    const candidates = keys.flatMap((key) => addressesAt(loaded.config, key));
    const { address = '', path = [] } = candidates.find((each) => isOf(error, each.address)) ?? candidates[0] ?? {};
    const what = `The address ${address} of ${printPath(path)} ${why}.`;
    throw new ConfigurationError([diagnosticAt(loaded, path, what, 'Choose another.')]);
  };
}

type AddressKey = 'listen' | 'admin' | 'demo';

interface AddressAt {
  readonly address: string;
  readonly path: ConfigPath;
}

function addressesAt(config: LoadedConfig['config'], key: AddressKey): readonly AddressAt[] {
  if (key === 'demo') return [{ address: config.demo?.listen ?? '', path: ['demo', 'listen'] }];
  return listenersOf(config[key]).map(({ listener, path }) => ({ address: listener.address, path: [key, ...path] }));
}

/** Whether an error of the system is about an address: it names the port, or the path of a Unix socket. */
function isOf(error: unknown, text: string): boolean {
  const address = parseListenAddress(text);
  if (!(error instanceof Error) || address === null) return false;
  if ('socketName' in address) return 'address' in error && error.address === address.socketName;
  if ('path' in address) return 'address' in error && error.address === address.path;
  return 'port' in error && Number(error.port) === address.port;
}
