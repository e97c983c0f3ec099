import { isIP } from 'node:net';

import { Exchange, nextExchangeId } from '../../gateway/exchange.js';
import type { CallerIdentity } from '../client.js';
import { memoize } from './memoize.js';
import type { Networks } from './networks.js';

type Sender = Pick<CallerIdentity, 'headers' | 'address'>;

/** Trusted proxies in a row, at most. */
const HOPS_MAX = 16;

/** The record of what a sender asks for, with the client that trusted proxies name. */
export const beginExchange = (sender: Sender, method: string, proxies: Networks): Exchange =>
  new Exchange(nextExchangeId(), sender.address, method, clientAddress(sender, proxies));

/**
 * The address of the client: that of the connection, or of X-Forwarded-For behind trusted proxies,
 * both in their plain form. Each proxy appends the address of its peer, so the last one that is no
 * trusted proxy is the client; earlier ones are not verified (catalogue H34).
 */
export function clientAddress(caller: Sender, proxies: Networks): string {
  let { address } = caller;
  const field = caller.headers['x-forwarded-for'];
  if (field === undefined || !proxies.has(address)) return address;
  const text = typeof field === 'string' ? field : field.join(',');
  let end = text.length;
  for (let hop = 0; hop < HOPS_MAX && end > 0; hop++) {
    const comma = text.lastIndexOf(',', end - 1);
    const named = withoutPort(text.slice(comma + 1, end).trim());
    if (isIP(named) === 0) break;
    address = plainAddress(named);
    if (!proxies.has(address)) break;
    end = comma;
  }
  return address;
}

/**
 * The part of an address that identifies a client: of IPv6 the first 64 bits, as one subscriber has
 * all others.
 */
export function subscriberOf(address: string): string {
  return address.includes(':') ? prefixOf(address) : address;
}

const prefixOf = memoize((address) => {
  const groups = expand(address);
  return groups === null ? address : `${groups.slice(0, 4).join(':')}::/64`;
});

/** An address without its zone, and IPv4 in IPv6 as IPv4, however it is written. */
export function plainAddress(address: string): string {
  if (!address.includes(':')) return address;
  const zone = address.indexOf('%');
  const bare = zone < 0 ? address : address.slice(0, zone);
  return mappedIn(bare) ?? bare;
}

/** The IPv4 address in `::ffff:198.51.100.7` and `::ffff:c633:6407`; null where there is none. */
function mappedIn(address: string): string | null {
  if (!/:ffff:/i.test(address)) return null;
  const groups = expand(address);
  const [high = '', low = ''] = groups?.slice(6) ?? [];
  if (
    groups === null ||
    groups[5] !== 'ffff' ||
    groups.slice(0, 5).some((group) => group !== '0')
  ) {
    return null;
  }
  if (high.includes('.')) return high;
  const bytes = [high, low].flatMap((group) => [
    Number.parseInt(group, 16) >> 8,
    Number.parseInt(group, 16) & 0xff,
  ]);
  return bytes.join('.');
}

/** `192.0.2.1:4711` and `[2001:db8::1]:4711` without their ports, as some proxies write them. */
function withoutPort(text: string): string {
  const bracketed = /^\[([0-9A-Fa-f:.]{2,45})\](?::\d{1,5})?$/.exec(text)?.[1];
  if (bracketed !== undefined) return bracketed;
  return /^(\d{1,3}(?:\.\d{1,3}){3}):\d{1,5}$/.exec(text)?.[1] ?? text;
}

/**
 * The eight groups of an IPv6 address without leading zeros, in lower case; null for what is none.
 */
function expand(address: string): readonly string[] | null {
  if (isIP(address) !== 6) return null;
  const [head = '', tail] = address.toLowerCase().split('::');
  const front = groupsOf(head);
  const back = tail === undefined ? [] : groupsOf(tail);
  const missing = Math.max(0, 8 - front.length - back.length);
  return [...front, ...Array<string>(tail === undefined ? 0 : missing).fill('0'), ...back];
}

/** An IPv4 address at the end takes the place of two groups; which ones does not matter here. */
const groupsOf = (text: string): readonly string[] =>
  text === ''
    ? []
    : text
        .split(':')
        .flatMap((group) => (group.includes('.') ? [group, ''] : [group.replace(/^0+(?=.)/, '')]));
