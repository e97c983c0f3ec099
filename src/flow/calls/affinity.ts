import type { Caller, Client } from '../../access/client.js';
import type { Reach } from '../../compile/reach.js';
import type { Affinity } from '../../upstream/balancer.js';

/** Of a value that calls are spread by; longer ones are cut. */
const KEY_CHARS = 1024;

/** Which address of a backend a caller's calls should go to; null where all are alike. */
export function affinityOf(
  { affinity }: Reach,
  headers: Caller['headers'],
  client: Pick<Client, 'id' | 'claims'> | null,
): Affinity | null {
  if (affinity === null) return null;
  const { by, name, cookie } = affinity;
  const value =
    by === 'client'
      ? client?.id
      : by === 'header'
        ? headers[name]
        : by === 'claim' && client?.claims && Object.hasOwn(client.claims, name)
          ? client.claims[name]
          : null;
  const key = value === null || value === undefined ? null : String(value).slice(0, KEY_CHARS);
  return { key, addressId: cookie === null ? null : cookieOf(headers['cookie'], cookie) };
}

/** The value of a cookie (RFC 6265 section 4.2); null where it is not sent. */
function cookieOf(field: Caller['headers'][string], name: string): string | null {
  const text = typeof field === 'string' ? field : (field ?? []).join('; ');
  for (const pair of text.split(';')) {
    const equals = pair.indexOf('=');
    if (equals > 0 && pair.slice(0, equals).trim() === name) return pair.slice(equals + 1).trim();
  }
  return null;
}
