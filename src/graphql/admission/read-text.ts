import { Buffer, isAscii, isUtf8, transcode } from 'node:buffer';
import type { Readable } from 'node:stream';
import { byteBuffers, Refusal, refuseByLimit } from '../../core/index.js';

/**
 * The body of a request as text. Rejects with `HTTP_TOO_LARGE` as soon as it is longer than
 * allowed, before it is read if its Content-Length is, with `BAD_REQUEST` if it is not UTF-8, and
 * with the refusal it broke off with. By events: a loop over the chunks would destroy the request,
 * and its connection, before the refusal is sent. `declaredBytes` is its Content-Length, or null.
 * Of a long body the next chunk is read when `turn` resolves.
 */
export function readText(
  source: Readable,
  maxBytes: number,
  declaredBytes: number | null,
  turn: () => Promise<void>,
): Promise<string> {
  if (declaredBytes !== null && declaredBytes > maxBytes) {
    return Promise.reject(tooLarge(maxBytes, declaredBytes));
  }
  return new Promise((resolve, reject) => {
    const held: Uint8Array[] = [];
    let bytes = 0;
    let state: 'reading' | 'ended' | 'stopped' = 'reading';
    let waits = false;
    const leave = (): void => {
      source.off('data', onData).off('end', onEnd).off('error', onError);
    };
    const stop = (refusal: Refusal): void => {
      state = 'stopped';
      leave();
      source.pause();
      reject(refusal);
    };
    const decode = (): void => {
      try {
        resolve(decodeText(Buffer.concat(held, bytes)));
      } catch (caught) {
        reject(caught);
      }
    };
    const goOn = (): void => {
      waits = false;
      if (state === 'ended') {
        decode();
      } else if (state === 'reading') {
        source.resume();
      }
    };
    const wait = (): void => {
      if (waits) return;
      waits = true;
      void turn().then(goOn);
    };
    const onData = (chunk: Uint8Array): void => {
      bytes += chunk.length;
      if (bytes > maxBytes) {
        stop(tooLarge(maxBytes, null));
        return;
      }
      held.push(chunk);
      if (bytes <= byteBuffers.SHORT_MESSAGE_BYTES) return;
      source.pause();
      wait();
    };
    const onError = (error: Error): void =>
      stop(error instanceof Refusal ? error : new Refusal('CLIENT_GONE'));
    const onEnd = (): void => {
      state = 'ended';
      leave();
      if (bytes <= byteBuffers.SHORT_MESSAGE_BYTES) {
        decode();
      } else {
        wait();
      }
    };
    source.on('data', onData).once('end', onEnd).once('error', onError);
  });
}

const tooLarge = (maxBytes: number, found: number | null): Refusal =>
  refuseByLimit('HTTP_TOO_LARGE', 'limits.graphql.bodyBytes', maxBytes, found);

/**
 * Bytes as text. Throws `BAD_REQUEST` if they are not UTF-8. A `TextDecoder` takes ten times as
 * long on other than US-ASCII.
 */
export function decodeText(bytes: Buffer): string {
  if (isAscii(bytes)) return bytes.toString('latin1');
  if (!isUtf8(bytes)) throw new Refusal('BAD_REQUEST', 'It is not in UTF-8.');
  const text = transcode(bytes, 'utf8', 'utf16le').toString('utf16le');
  return text.startsWith('\u{feff}') ? text.slice(1) : text;
}
