/** A boundary's line so far; `closed`: two dashes, so that it was the last. */
export type BoundaryLine = 'empty' | 'dash' | 'padding' | 'return' | 'closed' | 'closed return';

/** White space behind a boundary: transports of mail added some (RFC 2046 section 5.1.1), none of HTTP does. */
export const PADDING_MAX = 128;

/** One more byte of the line of a boundary; null for what cannot stand there. */
export function afterBoundary(
  line: BoundaryLine,
  byte: number | undefined,
): BoundaryLine | 'next part' | 'after the last' | null {
  const isBlank = byte === 32 || byte === 9;
  switch (line) {
    case 'empty':
      if (byte === DASH) return 'dash';
      return isBlank ? 'padding' : byte === CR ? 'return' : null;
    case 'dash':
      return byte === DASH ? 'closed' : null;
    case 'padding':
      return isBlank ? 'padding' : byte === CR ? 'return' : null;
    case 'return':
      return byte === LF ? 'next part' : null;
    case 'closed':
      return isBlank ? 'closed' : byte === CR ? 'closed return' : null;
    case 'closed return':
      return byte === LF ? 'after the last' : null;
  }
}

const DASH = 45;

const CR = 13;
const LF = 10;
