import { parseListenAddress } from '../config/keys/address.js';
import { type ConfigPath, printPath } from '../config/keys/config-path.js';
import { listenersOf } from '../config/listen/listen-keys.js';
import type { Config } from '../config/schema.js';
import type { ConfigSection } from '../config/section.js';
import { errorCode } from '../core/index.js';
import { retryCommand } from './retry-command.js';

const LISTEN_ERRORS: ReadonlyMap<string, string> = new Map([
  ['EADDRINUSE', 'is in use by another program'],
  ['EADDRNOTAVAIL', 'does not belong to this machine'],
  // A Unix socket whose folder is not there fails with this code too.
  ['EACCES', 'may not be used by this user, or its folder is not there'],
  ['ENOTFOUND', 'has a host that is not known'],
  ['ENOSOCKET', 'is none of the sockets that systemd passes (LISTEN_FDNAMES)'],
]);

/**
 * Reports an address that cannot be bound, and a file of `audit` that cannot be opened, as a
 * configuration error; other errors are thrown as they are.
 */
export function refuseAddress(
  root: ConfigSection<Pick<Config, AddressKey>>,
  keys: readonly AddressKey[],
): (error: unknown) => never {
  return (error) => {
    const code = errorCode(error) ?? '';
    if (error instanceof Error && 'syscall' in error && error.syscall === 'open') {
      const what = `The file of \`audit\` cannot be opened (${code}).`;
      const remedy = 'Its folder must be there, and the gateway may write in it.';
      throw root.error(['audit', 'file'], what, remedy);
    }
    const why = LISTEN_ERRORS.get(code);
    if (why === undefined) throw error;
    const candidates = keys.flatMap((key) => addressesAt(root.value, key));
    const { address = '', path = [] } =
      candidates.find((each) => isOf(error, each.address)) ?? candidates[0] ?? {};
    const what = `The address ${address} of ${printPath(path)} ${why}.`;
    const command = code === 'EADDRINUSE' ? retryOf(root.value, keys, path) : null;
    const remedy =
      command === null ? 'Choose another.' : `Stop that program, or type \`${command}\`.`;
    throw root.error(path, what, remedy);
  };
}

type AddressKey = 'listen' | 'admin' | 'demo';

interface AddressAt {
  readonly address: string;
  readonly path: ConfigPath;
}

/** The command line that does without the address at `path`. */
function retryOf(
  config: Pick<Config, AddressKey>,
  keys: readonly AddressKey[],
  path: ConfigPath,
): string | null {
  const taken = keys.find((key) => key === path[0]);
  return taken === undefined ? null : retryCommand(config, taken);
}

function addressesAt(config: Pick<Config, AddressKey>, key: AddressKey): readonly AddressAt[] {
  if (key === 'demo') return [{ address: config.demo?.listen ?? '', path: ['demo', 'listen'] }];
  return listenersOf(config[key]).map(({ listener, path }) => ({
    address: listener.address,
    path: [key, ...path],
  }));
}

/**
 * Whether an error of the system is about an address: it names the port, or the path of a Unix
 * socket.
 */
function isOf(error: unknown, text: string): boolean {
  const address = parseListenAddress(text);
  if (!(error instanceof Error) || address === null) return false;
  if ('socketName' in address) return 'address' in error && error.address === address.socketName;
  if ('path' in address) return 'address' in error && error.address === address.path;
  return 'port' in error && Number(error.port) === address.port;
}
