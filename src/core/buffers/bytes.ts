import { Buffer } from 'node:buffer';

/**
 * The bytes of both as one buffer, without a copy; null where they do not lie in one memory, one
 * behind the other.
 */
export function joinAdjacent(first: Buffer, next: Buffer): Buffer | null {
  const isAdjacent =
    first.buffer === next.buffer && first.byteOffset + first.length === next.byteOffset;
  return isAdjacent
    ? Buffer.from(first.buffer, first.byteOffset, first.length + next.length)
    : null;
}

/** All bytes as one buffer; a copy only where they do not lie one behind the other. */
export function joinBuffers(buffers: readonly Buffer[]): Buffer {
  let joined: Buffer | null = null;
  for (const next of buffers) {
    const both: Buffer | null = joined === null ? next : joinAdjacent(joined, next);
    if (both === null) return Buffer.concat(buffers);
    joined = both;
  }
  return joined ?? Buffer.alloc(0);
}

/**
 * Messages up to this length are read as they come; longer ones in time slices, on every endpoint.
 */
export const SHORT_MESSAGE_BYTES = 16 * 1024;
