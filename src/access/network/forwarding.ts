import { isIP } from 'node:net';
import type { CallerIdentity } from '../client.js';
import { memoize } from './memoize.js';
import type { Networks } from './networks.js';

/** The fields that tell a backend where a request came from, in lower case. */
export const FORWARDING_FIELDS = [
  'x-forwarded-for',
  'x-forwarded-proto',
  'x-forwarded-host',
  'forwarded',
] as const;

const NONE: readonly string[] = [];
/** Characters of `X-Forwarded-For` and `Forwarded` that are taken over from a trusted proxy. */
const CHAIN_CHARS_MAX = 2_048;

/**
 * Tells a backend where a request came from: `X-Forwarded-For`, `-Proto`, `-Host`, and `Forwarded`
 * (RFC 7239), from the connection itself. The values of a client for these fields count only on the
 * connection of a trusted proxy.
 */
export class Forwarding {
  readonly #proxies: Networks;
  #last: Connection = { address: '', host: '', isTls: false, fields: NONE };

  constructor(proxies: Networks) {
    this.#proxies = proxies;
  }

  /** Header fields, names and values in turn. None where the connection is gone. */
  fields(caller: CallerIdentity): readonly string[] {
    const { address, headers, isTls = false } = caller;
    if (address === '') return NONE;
    const host = textOf(headers['host']);
    if (this.#proxies.isEmpty || !this.#proxies.has(address)) {
      const last = this.#last;
      // Most requests are like the one before; a key for the others has to be put together first.
      if (last.address === address && last.host === host && last.isTls === isTls) {
        return last.fields;
      }
      const fields = (isTls ? this.#ofTls : this.#ofClear)(`${address} ${host}`);
      this.#last = { address, host, isTls, fields };
      return fields;
    }
    const chain = textOf(headers['x-forwarded-for']);
    const elements = textOf(headers['forwarded']);
    const proto = textOf(headers['x-forwarded-proto']).toLowerCase();
    return fieldsOf({
      address,
      host: textOf(headers['x-forwarded-host']) || host,
      proto: proto === 'https' || (proto === '' && isTls) ? 'https' : 'http',
      chain: CHAIN.test(chain) && chain.length <= CHAIN_CHARS_MAX ? chain : '',
      elements: PRINTABLE.test(elements) && elements.length <= CHAIN_CHARS_MAX ? elements : '',
    });
  }

  /** Addresses and hosts come again with every request. */
  readonly #ofClear = memoize((text) => ofConnection(text, 'http'));
  readonly #ofTls = memoize((text) => ofConnection(text, 'https'));
}

function ofConnection(text: string, proto: Origin['proto']): readonly string[] {
  const [address = '', host = ''] = text.split(' ');
  return fieldsOf({ address, host, proto, chain: '', elements: '' });
}

interface Connection {
  readonly address: string;
  readonly host: string;
  readonly isTls: boolean;
  readonly fields: readonly string[];
}

interface Origin {
  readonly address: string;
  readonly host: string;
  readonly proto: 'http' | 'https';
  /** `X-Forwarded-For` and `Forwarded` so far; '' for none. */
  readonly chain: string;
  readonly elements: string;
}

function fieldsOf({ address, host, proto, chain, elements }: Origin): readonly string[] {
  const isHost = HOST.test(host);
  const element = `for=${nodeOf(address)}${isHost ? `;host="${host}"` : ''};proto=${proto}`;
  return [
    ...['x-forwarded-for', chain === '' ? address : `${chain}, ${address}`],
    ...['x-forwarded-proto', proto],
    ...(isHost ? ['x-forwarded-host', host] : []),
    ...['forwarded', elements === '' ? element : `${elements}, ${element}`],
  ];
}

/** RFC 7239 section 6: an IPv6 address stands in brackets, and is quoted for its colons. */
const nodeOf = (address: string): string => (isIP(address) === 6 ? `"[${address}]"` : address);

const textOf = (field: string | readonly string[] | undefined): string =>
  typeof field === 'string' ? field : (field?.join(', ') ?? '');

/** RFC 9110 section 7.2, without characters that would have to be escaped in a quoted string. */
const HOST = /^[A-Za-z0-9._~:[\]-]{1,255}$/;
const CHAIN = /^[0-9A-Za-z.:, %[\]_-]+$/;
const PRINTABLE = /^[\t\x20-\x7e]+$/;
