import type { Buffer } from 'node:buffer';
import { pipeline } from 'node:stream';
import { constants, createGzip, gzip, gzipSync } from 'node:zlib';

import { KIB, MIB } from '../core/index.js';

/** Shorter answers go out as they are: what gzip saves there fits into the same packets. */
export const COMPRESS_BYTES_MIN = KIB;
/** Longer answers go out as they are: the compressed copy is memory besides the answer. */
export const COMPRESS_BYTES_MAX = 16 * MIB;
/**
 * Up to here (0.2 ms) a thread costs more than it spares the event loop: 150 us of processor time.
 */
const INLINE_BYTES_MAX = 32 * KIB;
/** Half of the threads of Node's pool, because files and names need the others. */
export const COMPRESSIONS_AT_ONCE = 2;

/**
 * The level nginx has by default: 0.2 of the size of JSON for a quarter of the time of level 6,
 * which gives 0.16.
 */
const OPTIONS = { level: constants.Z_BEST_SPEED };

let running = 0;

/**
 * Also a client that sends no Accept-Encoding could read gzip (RFC 9110 section 12.5.3), but many
 * do not.
 */
export function takesGzip(accepted = ''): boolean {
  return accepted.split(',').some((entry) => {
    const [coding = '', quality = ''] = entry.toLowerCase().split(';');
    return coding.trim() === 'gzip' && !/^\s*q=0(?:\.0{0,3})?\s*$/.test(quality);
  });
}

/**
 * Whether a Content-Encoding is gzip and nothing else; `x-gzip` is its old name (RFC 9110 section
 * 8.4.1.3).
 */
export const isGzip = (coding: string | null): boolean =>
  coding !== null && /^\s*(?:x-)?gzip\s*$/i.test(coding);

/**
 * Whether an answer of this length is compressed for clients that take it: such an answer varies by
 * Accept-Encoding.
 */
export const isCompressible = (bytes: number): boolean =>
  bytes >= COMPRESS_BYTES_MIN && bytes <= COMPRESS_BYTES_MAX;

/**
 * The gzip form of a whole answer; null where the answer goes out as it is: it is too short or too
 * long, or as many answers are being compressed as may be. An answer does not wait for others.
 */
export function compress(body: Buffer): Buffer | Promise<Buffer | null> | null {
  if (!isCompressible(body.length)) return null;
  if (body.length <= INLINE_BYTES_MAX) return gzipSync(body, OPTIONS);
  if (running >= COMPRESSIONS_AT_ONCE) return null;
  running++;
  return new Promise((resolve) => {
    gzip(body, OPTIONS, (error, compressed) => {
      running--;
      resolve(error === null ? compressed : null);
    });
  });
}

/**
 * The gzip form of an answer that is made while it is read; null where as many are being compressed
 * as may be.
 */
export function compressStream(body: AsyncIterable<string | Buffer>): AsyncIterable<Buffer> | null {
  if (running >= COMPRESSIONS_AT_ONCE) return null;
  return {
    async *[Symbol.asyncIterator]() {
      running++;
      try {
        // An error of the body destroys the stream that is read.
        yield* pipeline(body, createGzip(OPTIONS), () => {});
      } finally {
        running--;
      }
    },
  };
}

type Fields = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Whether a request carries what a browser adds by itself, so that a page of another site can make
 * it send requests as its user: cookies, and credentials of every scheme but Bearer, which scripts
 * alone send. With what such a page chooses and a secret in one compressed answer, its length tells
 * the secret (BREACH).
 */
export function hasAmbientCredentials({ cookie, authorization }: Fields): boolean {
  if (cookie !== undefined) return true;
  return authorization !== undefined && !/^bearer /i.test(String(authorization));
}
