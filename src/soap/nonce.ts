import { Buffer } from 'node:buffer';
import type { Nonce } from '../base/nonce-store.js';

/**
 * Reads a nonce (UsernameToken profile 1.1 section 3.1), which is compared by its bytes. What has not the form of base64
 * is compared by its text, for clients that take another text, and with whatever bytes a decoder may see in it: most are
 * content with less than base64, so that any nonce could be written anew.
 */
export function readNonce(text: string): Nonce {
  const written = text.replaceAll(/[ \t\r\n]/g, '');
  const encoded = encodedAnew(written);
  const unpadded = encoded.replace(/=+$/, '');
  const isLong = unpadded.length >= LETTERS_MIN;
  const isPadded = written.length % 4 === 0 && PADDED.test(written);
  if (isPadded || (written === unpadded && isLong)) {
    return { key: encoded, likenesses: isLong || unpadded === encoded ? [] : [unpadded] };
  }
  const likenesses = new Set<string>();
  // Decoders differ in whether padding ends it, and what they make of the letters for addresses (RFC 4648 section 5).
  for (const part of [written, written.split('=', 1)[0] ?? '']) {
    for (const letters of [part, part.replaceAll('-', '+').replaceAll('_', '/')]) {
      likenesses.add(encodedAnew(letters.replaceAll(/[^A-Za-z0-9+/]/g, '')));
    }
  }
  likenesses.delete('');
  return { key: written, likenesses: [...likenesses] };
}

/** Base64 by its form, where the length is right. */
const PADDED = /^[A-Za-z0-9+/]*={0,2}$/;

/** A shorter text without padding, such as `n10`, may be no base64: then `n11` would be the same. */
const LETTERS_MIN = 16;

/** The bytes in the one way to write them: with padding, and no bits that mean nothing. */
const encodedAnew = (letters: string): string => Buffer.from(letters, 'base64').toString('base64');
