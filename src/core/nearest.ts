import leven from 'leven';

/**
 * The remedy for a mistyped name that stands behind `prefix`, or null when no candidate is near.
 */
export function didYouMean(
  word: string,
  candidates: readonly string[],
  prefix = '',
): string | null {
  const near = nearest(word, candidates) ?? longer(word, candidates);
  return near === null ? null : `Did you mean \`${prefix}${near}\`?`;
}

/** The single candidate that begins or ends with a word; null for none and for several. */
function longer(word: string, candidates: readonly string[]): string | null {
  const typed = word.toLowerCase();
  if (typed.length < LONGER_MIN) return null;
  const [only = null, ...others] = candidates.filter((candidate) => {
    const known = candidate.toLowerCase();
    return known.startsWith(typed) || known.endsWith(typed);
  });
  return others.length === 0 ? only : null;
}

/** Shorter words begin too many others. */
const LONGER_MIN = 4;

/** The candidate nearest to a mistyped word, or null when none is near. */
export function nearest(word: string, candidates: readonly string[]): string | null {
  const typed = word.slice(0, 64).toLowerCase();
  let best: string | null = null;
  let least = Math.max(2, Math.floor(typed.length / 3)) + 1;
  for (const candidate of candidates) {
    const distance = leven(typed, candidate.toLowerCase(), { maxDistance: least });
    if (distance < least) {
      best = candidate;
      least = distance;
    }
  }
  return best;
}
