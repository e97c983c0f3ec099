import leven from 'leven';

/** The candidate a mistyped word most likely meant, or null when none is near. */
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
