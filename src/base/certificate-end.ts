import { X509Certificate } from 'node:crypto';

import { setAndEvictOldest } from './evict-oldest.js';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/** Texts whose ends are remembered: metrics ask again and again, and the authorities of a system take 70 ms to read. */
const TEXTS_MAX = 32;
const known = new Map<string, number | null>();

/** When the first certificate of a PEM text ends; null where it has none that can be read. */
export function certificateEndMillis(pem: string): number | null {
  const before = known.get(pem);
  if (before !== undefined) return before;
  const end = earliest((pem.match(CERTIFICATE) ?? []).map(endOf));
  setAndEvictOldest(known, pem, end, TEXTS_MAX);
  return end;
}

/** The first of these times; null without one. */
export const earliest = (times: readonly (number | null)[]): number | null =>
  times.reduce((first, time) => (first === null || (time !== null && time < first) ? time : first), null);

function endOf(certificate: string): number | null {
  try {
    return Date.parse(new X509Certificate(certificate).validTo);
  } catch {
    return null;
  }
}
