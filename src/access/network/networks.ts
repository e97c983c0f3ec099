import { BlockList, isIP } from 'node:net';

import { memoize } from './memoize.js';

/** A set of addresses and networks. */
export class Networks {
  readonly #list = new BlockList();
  readonly isEmpty: boolean;

  /** Texts that `isNetwork` has found to be some. */
  constructor(texts: readonly string[]) {
    this.isEmpty = texts.length === 0;
    for (const text of texts) {
      const [address = '', bits] = text.split('/');
      const family = familyOf(address);
      if (family === null) throw new Error('the configuration let a network pass that is none');
      if (bits === undefined) {
        this.#list.addAddress(address, family);
      } else {
        this.#list.addSubnet(address, Number(bits), family);
      }
    }
  }

  has(address: string): boolean {
    return !this.isEmpty && this.#find(address);
  }

  readonly #find = memoize((address) => {
    const family = familyOf(address);
    return family !== null && this.#list.check(address, family);
  });
}

/** An IP address, or a network in the notation of RFC 4632. */
export function isNetwork(text: string): boolean {
  const [, address = '', bits] = /^([0-9A-Fa-f:.]{2,45})(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const family = isIP(address);
  if (family === 0) return false;
  return bits === undefined || Number(bits) <= (family === 4 ? 32 : 128);
}

function familyOf(address: string): 'ipv4' | 'ipv6' | null {
  const family = isIP(address);
  return family === 0 ? null : family === 4 ? 'ipv4' : 'ipv6';
}
