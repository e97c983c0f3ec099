import { Buffer } from 'node:buffer';
import type { IncomingMessage } from 'node:http';

/**
 * The body of a request; null for one that is too long, which is not read on, and may be answered.
 */
export async function wholeBody(
  request: IncomingMessage,
  bytesMax: number,
): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    if (!Buffer.isBuffer(chunk)) continue;
    bytes += chunk.length;
    if (bytes > bytesMax) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
