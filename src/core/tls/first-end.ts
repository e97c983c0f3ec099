import { X509Certificate } from 'node:crypto';
import { BoundedCache } from '../collections/bounded-cache.js';

/**
 * Characters of texts whose ends are remembered, of each kind of block. A larger text is remembered
 * alone: its owner holds it anyway.
 */
const CHARS_MAX = 16 * 1024 * 1024;

/**
 * Makes a function that returns when the first of the blocks of a kind in a PEM text ends; null
 * where none says so. `label` is the kind, `read` gets a block with its lines BEGIN and END. Ends
 * are remembered by text: metrics ask again and again, while the authorities of a system take 70 ms
 * to read, and a large revocation list 50 ms.
 */
export function firstEnd(
  label: string,
  read: (block: string) => number | null,
): (pem: string) => number | null {
  const blocks = new RegExp(`-----BEGIN ${label}-----[^-]*-----END ${label}-----`, 'g');
  const known = new BoundedCache<{ readonly millis: number | null }>({
    size: CHARS_MAX,
    sizeOf: (_end, pem) => Math.min(CHARS_MAX, 1 + pem.length),
  });
  return (pem) => {
    const before = known.get(pem);
    if (before !== undefined) return before.millis;
    const millis = earliest((pem.match(blocks) ?? []).map(read));
    known.set(pem, { millis });
    return millis;
  };
}

/** The first of these times; null without one. */
export const earliest = (times: readonly (number | null)[]): number | null =>
  times.reduce(
    (first, time) => (first === null || (time !== null && time < first) ? time : first),
    null,
  );

/** When the first certificate of a PEM text ends; null where it has none that can be read. */
export const certificateEndMillis = firstEnd('CERTIFICATE', (certificate) => {
  try {
    return Date.parse(new X509Certificate(certificate).validTo);
  } catch {
    return null;
  }
});
