import { Refusal } from '../base/refusal.js';

/**
 * The body of a request as text. Throws `HTTP_TOO_LARGE` as soon as it is longer than allowed, before it is read if it
 * says so itself, and `BAD_REQUEST` if it is not UTF-8. `declaredBytes` is its Content-Length, or null.
 */
export async function readText(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
  declaredBytes: number | null,
): Promise<string> {
  if (declaredBytes !== null && declaredBytes > maxBytes) throw new Refusal('HTTP_TOO_LARGE');
  const held: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new Refusal('HTTP_TOO_LARGE');
    held.push(chunk);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(held, bytes));
  } catch {
    throw new Refusal('BAD_REQUEST', 'It is not in UTF-8.');
  }
}
