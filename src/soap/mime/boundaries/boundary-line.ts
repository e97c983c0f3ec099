/** A boundary's line so far; `closed`: two dashes, so that it was the last. */
export type BoundaryLine = 'empty' | 'dash' | 'padding' | 'return' | 'closed' | 'closed return';

/**
 * White space behind a boundary: transports of mail added some (RFC 2046 section 5.1.1), none of
 * HTTP does.
 */
export const PADDING_MAX = 128;

/** How the lines around the parts of a package end; `unknown` before the first of them. */
export type LineEnd = 'unknown' | 'CR LF' | 'LF';

/**
 * One more byte of the line of a boundary, in a package with such line ends; null for what cannot
 * stand there.
 */
export function afterBoundary(
  line: BoundaryLine,
  byte: number | undefined,
  lineEnd: LineEnd = 'CR LF',
): BoundaryLine | 'next part' | 'after the last' | null {
  const isBlank = byte === 32 || byte === 9;
  if (byte === LF && lineEnd !== 'CR LF' && AFTER_LINE_FEED[line] !== undefined) {
    return AFTER_LINE_FEED[line] ?? null;
  }
  if (byte === CR && lineEnd === 'LF') return null;
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

/** What a line feed alone ends. */
const AFTER_LINE_FEED: Readonly<Partial<Record<BoundaryLine, 'next part' | 'after the last'>>> = {
  empty: 'next part',
  padding: 'next part',
  closed: 'after the last',
};

const DASH = 45;

const CR = 13;
const LF = 10;
