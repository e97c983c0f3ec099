import { Buffer } from 'node:buffer';
import type { sharedState } from '../../core/index.js';

/**
 * Parses a nonce (UsernameToken profile 1.1 section 3.1), which is compared by its bytes. A nonce
 * without the form of base64 is compared by its text, and by the bytes that lenient decoders see in
 * it: else a nonce could be replayed in another spelling.
 */
export function parseNonce(text: string): sharedState.Nonce {
  const written = text.replaceAll(/[ \t\r\n]/g, '');
  const encoded = canonical(written);
  const unpadded = encoded.replace(/=+$/, '');
  const isLong = unpadded.length >= LETTERS_MIN;
  const isPadded = written.length % 4 === 0 && PADDED.test(written);
  if (isPadded || (written === unpadded && isLong)) {
    return { key: encoded, equivalentKeys: isLong || unpadded === encoded ? [] : [unpadded] };
  }
  const equivalentKeys = new Set<string>();
  // Decoders differ in whether padding ends it, and in how they read the URL-safe alphabet (RFC
  // 4648 section 5).
  for (const part of [written, written.split('=', 1)[0] ?? '']) {
    for (const letters of [part, part.replaceAll('-', '+').replaceAll('_', '/')]) {
      equivalentKeys.add(canonical(letters.replaceAll(/[^A-Za-z0-9+/]/g, '')));
    }
  }
  equivalentKeys.delete('');
  return { key: written, equivalentKeys: [...equivalentKeys] };
}

/** Base64 by its form, where the length is right. */
const PADDED = /^[A-Za-z0-9+/]*={0,2}$/;

/**
 * A shorter text without padding, such as `n10`, may be no base64: then `n11` would be the same.
 */
const LETTERS_MIN = 16;

/** Encodes the bytes in their one canonical way: with padding, and without unused bits. */
const canonical = (letters: string): string => Buffer.from(letters, 'base64').toString('base64');
