import { Buffer } from 'node:buffer';
import { isRecord } from '../core/index.js';
import type { DecidedClaims } from './client.js';

/** Bounds of what a decision point says about a caller. */
const CLAIMS_MAX = 64;
const NAME_CHARS_MAX = 128;
/** Names and values together: decisions are kept by thousands. */
const CLAIMS_CHARS_MAX = 8192;

const REASON_CHARS_MAX = 256;
/** What is read of a longer one. */
const REASON_CHARS_READ = 4096;

/**
 * The claims in the answer of a decision point: texts, finite numbers, true and false; null is no
 * claim. Null for anything else, and beyond the bounds.
 */
export function readClaims(value: unknown): DecidedClaims | null {
  if (!isRecord(value)) return null;
  const entries = Object.entries(value).filter(([, claim]) => claim !== null);
  if (entries.length > CLAIMS_MAX) return null;
  const claims: Record<string, string | number | boolean> = Object.create(null);
  let chars = 0;
  for (const [name, claim] of entries) {
    if (typeof claim !== 'string' && typeof claim !== 'number' && typeof claim !== 'boolean') {
      return null;
    }
    chars += name.length + String(claim).length;
    if (name.length > NAME_CHARS_MAX || chars > CLAIMS_CHARS_MAX) return null;
    claims[name] = claim;
  }
  return Object.freeze(claims);
}

/** The reason of a denial as callers may read it: one line of bounded length; null for none. */
export function publicReason(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  // UTF-8 has no half of a surrogate pair.
  const line = Buffer.from(value.slice(0, REASON_CHARS_READ))
    .toString()
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim();
  const cut = [...line].slice(0, REASON_CHARS_MAX).join('');
  return cut === '' ? null : cut;
}
