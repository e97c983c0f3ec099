import { Buffer } from 'node:buffer';
import type { ServerResponse } from 'node:http';
import type { Exchange } from '../../gateway/exchange.js';

/** An answer, and the record that counts its bytes. */
interface Answer {
  readonly exchange: Exchange;
  readonly response: ServerResponse;
}

/**
 * Writes a part of an answer. False where the next one must wait for `drain`. Text is written as
 * bytes: Node 24.22 counts its bytes in the answer and its characters at the socket, and may never
 * emit `drain` for what lies between.
 */
export function writePart({ exchange, response }: Answer, part: string | Buffer): boolean {
  const bytes = typeof part === 'string' ? Buffer.from(part) : part;
  exchange.bytesOut += bytes.length;
  return response.write(bytes);
}
