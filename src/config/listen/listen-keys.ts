import { hostOf } from '../keys/address.js';
import { NAME_FORMAT, PASSWORD, PEM } from '../keys/formats.js';
import {
  closed,
  list,
  mapOf,
  oneOf,
  optional,
  type StaticOf,
  string,
  text,
  unsafe,
} from '../keys/key-types.js';

/** Keys of the addresses on which the gateway listens: the part of the table of keys for them. */

const LISTEN_ADDRESS = {
  format: 'listen-address',
  hint:
    'Write host:port, such as 127.0.0.1:4000 or [::1]:4000, unix:/run/soapstone.sock, ' +
    'or systemd:name; port 0 is any free one.',
};

const pem = (description: string) =>
  text(description, { minLength: 1, maxLength: 262_144, ...PEM });

const IDENTITY = {
  cert: pem('The certificate with its chain, as PEM.'),
  key: pem('Its private key, as PEM.'),
};

/** TLS of a listener. Its files may rotate. */
const TLS_KEYS = closed(
  {
    ...IDENTITY,
    names: mapOf(
      '^(?:\\*\\.)?[A-Za-z0-9]([A-Za-z0-9._-]{0,251}[A-Za-z0-9])?$',
      closed(IDENTITY),
      'Certificates of other server names (SNI), such as b.example or *.b.example.',
      {
        names: 'Write a host name without a port; `*.` stands for one label.',
        maxProperties: 1000,
        default: {},
      },
    ),
    minVersion: oneOf(['1.2', '1.3'], 'The least version of TLS.', '1.2'),
    ciphers: optional(
      text(
        'Cipher suites in the notation of OpenSSL; by default those with forward secrecy and AEAD.',
        {
          pattern: '^[A-Za-z0-9_:+!@=-]{1,4096}$',
          hint: 'Write names of OpenSSL with a colon between them.',
        },
      ),
    ),
    clientCertificate: oneOf(
      ['none', 'optional', 'required'],
      'Whether clients are asked for a certificate. One that `clientCa` does not verify ends ' +
        'the connection, with `optional` too.',
      'none',
    ),
    clientCa: optional(pem('The authorities that sign the certificates of clients, as PEM.')),
    clientCrl: optional(
      text(
        'Revocation lists, as PEM, one of each authority in the chains of clients. ' +
          'A list that has expired refuses all certificates of its authority.',
        { minLength: 1, maxLength: 8_388_608, ...PEM },
      ),
    ),
  },
  'TLS. A file that changes is used by the next handshakes.',
);

const LISTENER_KEYS = {
  address: text(
    'The address, as host:port or unix:/path; or `systemd:` ' +
      'and the name of a socket that systemd passes.',
    LISTEN_ADDRESS,
  ),
  tls: optional(TLS_KEYS),
  proxyProtocol: list(
    string({ format: 'network', hint: 'Write an IP address, or a network: 10.0.0.0/8, fd00::/8.' }),
    'Addresses and networks of proxies that begin each connection with a PROXY header ' +
      '(version 1 or 2): it gives the address of the client. ' +
      'Of other peers the header is not read.',
    { maxItems: 64, uniqueItems: true, default: [] },
  ),
};
const LISTENER = closed(LISTENER_KEYS);

/** An address for operators, and their credentials there. */
const ADMIN_LISTENER = closed({
  ...LISTENER_KEYS,
  tls: optional({
    ...TLS_KEYS,
    description: 'TLS, with the keys of `listen.tls`.',
    like: 'listen.tls',
  }),
  basic: optional(
    closed(
      {
        users: mapOf(NAME_FORMAT, closed({ password: string(PASSWORD) }), 'By name.', {
          names:
            'Begin it with a letter; then letters, digits, `-` and `_`, 64 characters at most.',
          minProperties: 1,
        }),
      },
      'Operators with a password, by HTTP Basic. `/live` and `/ready` need no credentials.',
    ),
  ),
  bearer: optional(
    closed(
      {
        tokens: list(
          string({
            pattern: '^[\\w.~+/-]{16,500}={0,2}$',
            hint: 'A token has 16 to 500 letters, digits and -._~+/',
          }),
          'From the environment or a file; several while one replaces the other.',
          { minItems: 1, maxItems: 16 },
        ),
      },
      'Tools with a fixed token: `Authorization: Bearer ...`. ' +
        '`/live` and `/ready` need no credentials.',
    ),
  ),
});

export type ListenerConfig = StaticOf<typeof LISTENER>;
export type ListenerTlsConfig = NonNullable<ListenerConfig['tls']>;
export type AdminListenerConfig = StaticOf<typeof ADMIN_LISTENER>;
type OneOrMore<T> = string | T | readonly (string | T)[];
export type ListenConfig = OneOrMore<ListenerConfig>;

/**
 * One address, or a list. Unsafe because a union would report an error inside an entry as "matches
 * none"; one schema with several types reports it where it is.
 */
const oneOrMore = <T>(
  listener: Parameters<typeof unsafe>[0],
  description: string,
  initial: string,
) =>
  unsafe<OneOrMore<T>>({
    ...listener,
    type: ['string', 'object', 'array'],
    ...LISTEN_ADDRESS,
    items: { ...listener, type: ['string', 'object'], ...LISTEN_ADDRESS },
    minItems: 1,
    maxItems: 32,
    description,
    default: initial,
  });

export const LISTEN = oneOrMore<ListenerConfig>(
  LISTENER,
  'Address for callers, SOAP and GraphQL, as host:port, unix:/path or `{ address, tls, ' +
    'proxyProtocol }`; or a list of these.',
  '127.0.0.1:4000',
);

export const ADMIN = oneOrMore<AdminListenerConfig>(
  ADMIN_LISTENER,
  'Address for operators, metrics and health; same form, and credentials. ' +
    'Without them keep it off the public network.',
  '127.0.0.1:4001',
);

/** The hosts that a key names. */
export const listenHosts = (listen: ListenConfig): readonly string[] =>
  listenersOf(listen).map(({ listener }) => hostOf(listener.address));

/** The listeners of a key, each with its path below it: none where it is one by itself. */
export function listenersOf<T extends ListenerConfig>(
  listen: OneOrMore<T>,
): readonly { readonly listener: T | ListenerConfig; readonly path: readonly number[] }[] {
  const asListener = (entry: string | T): T | ListenerConfig =>
    typeof entry === 'string' ? { address: entry, proxyProtocol: [] } : entry;
  if (!isList(listen)) return [{ listener: asListener(listen), path: [] }];
  return listen.map((entry, index) => ({ listener: asListener(entry), path: [index] }));
}

const isList = <T>(listen: OneOrMore<T>): listen is readonly (string | T)[] =>
  Array.isArray(listen);
