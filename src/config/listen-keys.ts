import { hostOf } from './address.js';
import { array, closed, mapOf, oneOf, optional, type StaticOf, string, unsafe } from './key-types.js';

/** Keys of the addresses on which the gateway listens: the part of the table of keys for them. */

const LISTEN_ADDRESS = {
  format: 'listen-address',
  hint: 'Write host:port, such as 127.0.0.1:4000 or [::1]:4000, or unix:/run/soapstone.sock; port 0 is any free one.',
};

const pem = (description: string) => string({ description, minLength: 1, maxLength: 262_144 });

const IDENTITY = {
  cert: pem('The certificate with its chain, as PEM.'),
  key: pem('Its private key, as PEM.'),
};

/** TLS of a listener. Its files may rotate. */
const TLS_KEYS = closed(
  {
    ...IDENTITY,
    names: mapOf('^(?:\\*\\.)?[A-Za-z0-9]([A-Za-z0-9._-]{0,251}[A-Za-z0-9])?$', closed(IDENTITY), {
      description: 'Certificates of other server names (SNI), such as b.example or *.b.example.',
      names: 'Write a host name without a port; `*.` stands for one label.',
      maxProperties: 1000,
      default: {},
    }),
    minVersion: oneOf(['1.2', '1.3'], { description: 'The least version of TLS.', default: '1.2' }),
    ciphers: optional(
      string({
        description: 'Cipher suites in the notation of OpenSSL; by default those with forward secrecy and AEAD.',
        pattern: '^[A-Za-z0-9_:+!@=-]{1,4096}$',
        hint: 'Write names of OpenSSL with a colon between them.',
      }),
    ),
    clientCertificate: oneOf(['none', 'optional', 'required'], {
      description:
        'Whether clients are asked for a certificate. One that `clientCa` does not verify ends the connection, with `optional` too.',
      default: 'none',
    }),
    clientCa: optional(pem('The authorities that sign the certificates of clients, as PEM.')),
  },
  { description: 'TLS. A file that changes is used by the next handshakes.' },
);

const LISTENER = closed({
  address: string({ description: 'The address, as host:port, or unix:/path.', ...LISTEN_ADDRESS }),
  tls: optional(TLS_KEYS),
  proxyProtocol: array(
    string({ format: 'network', hint: 'Write an IP address, or a network: 10.0.0.0/8, fd00::/8.' }),
    {
      description:
        'Addresses and networks of proxies that begin each connection with a PROXY header (version 1 or 2): it gives the address of the client. Of other peers the header is not read.',
      maxItems: 64,
      uniqueItems: true,
      default: [],
    },
  ),
});

export type ListenerConfig = StaticOf<typeof LISTENER>;
export type ListenerTlsConfig = NonNullable<ListenerConfig['tls']>;
export type ListenConfig = string | readonly (string | ListenerConfig)[];

/**
 * One address, or a list. Unsafe because a union would report an error inside an entry as "matches none"; one schema with
 * two types reports it where it is.
 */
export const listenKey = (description: string, initial: string, like?: string) =>
  unsafe<ListenConfig>({
    type: ['string', 'array'],
    ...LISTEN_ADDRESS,
    items: { ...LISTENER, type: ['string', 'object'], ...LISTEN_ADDRESS },
    minItems: 1,
    maxItems: 32,
    description,
    default: initial,
    ...(like !== undefined && { like }),
  });

/** The hosts that a key names. */
export const listenHosts = (listen: ListenConfig): readonly string[] =>
  listenersOf(listen).map(({ listener }) => hostOf(listener.address));

/** The listeners of a key, each with its path below it: none where it is a text by itself. */
export const listenersOf = (
  listen: ListenConfig,
): readonly { readonly listener: ListenerConfig; readonly path: readonly number[] }[] =>
  (typeof listen === 'string' ? [listen] : listen).map((entry, index) => ({
    listener: typeof entry === 'string' ? { address: entry, proxyProtocol: [] } : entry,
    path: typeof listen === 'string' ? [] : [index],
  }));
