/** A server of Redis: host and port, or the path of a Unix socket. */
export type ServerAddress =
  | { readonly host: string; readonly port: number }
  | { readonly path: string };

/** What the URL of a server says. */
export interface RedisUrl {
  readonly address: ServerAddress;
  readonly isSecure: boolean;
  readonly username: string | null;
  readonly password: string | null;
  readonly database: number | null;
}

const PORT = 6379;

/** Reads `redis://`, `rediss://` or `unix:/path`. Null when it is something else. */
export function parseRedisUrl(text: string): RedisUrl | null {
  const path = /^unix:(\/[^\s?#]{1,200})$/.exec(text)?.[1];
  if (path !== undefined) {
    return { address: { path }, isSecure: false, username: null, password: null, database: null };
  }
  if (!/^rediss?:\/\//.test(text) || !URL.canParse(text)) return null;
  const { protocol, hostname, port, username, password, pathname, search, hash } = new URL(text);
  const database = /^\/?(\d{0,5})$/.exec(pathname)?.[1];
  const [name, secret] = [decode(username), decode(password)];
  if (hostname === '' || database === undefined || search !== '' || hash !== '') return null;
  if (name === null || secret === null) return null;
  return {
    address: {
      host: hostname.replace(/^\[(.*)\]$/, '$1'),
      port: port === '' ? PORT : Number(port),
    },
    isSecure: protocol === 'rediss:',
    username: name === '' ? null : name,
    password: secret === '' ? null : secret,
    database: database === '' ? null : Number(database),
  };
}

/** An address in a log line. */
export const printAddress = (address: ServerAddress): string =>
  'path' in address ? `unix:${address.path}` : `${printHost(address.host)}:${address.port}`;

const printHost = (host: string): string => (host.includes(':') ? `[${host}]` : host);

/** Null where a percent sign is followed by something else than an octet. */
function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
