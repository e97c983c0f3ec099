import type { Exchange } from '../../base/exchange.js';
import type { EnvelopeJudge } from '../../soap/envelope.js';
import type { ReplyHead } from '../../upstream/reply.js';
import type { Verdict } from './declared-call.js';

/**
 * What becomes of a reply that was read: only what is in order, all there (`isWhole`: in one envelope, and nothing was
 * amiss) and says nothing to one caller alone is worth remembering. Header blocks are for who asked.
 */
export function verdictOf(
  judge: EnvelopeJudge | null,
  head: ReplyHead | null,
  { violations }: Exchange,
  isWhole: boolean,
): Verdict {
  if (judge === null || judge.fault !== null) return 'share';
  if (judge.header !== null) return 'own';
  const isInvalid = violations?.some(({ direction }) => direction === 'reply') === true;
  return isWhole && head?.status === 200 && !isInvalid ? 'keep' : 'share';
}
