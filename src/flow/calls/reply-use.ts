import type { Exchange } from '../../gateway/exchange.js';
import type { EnvelopeValidator } from '../../soap/index.js';
import type { ReplyHead } from '../../upstream/index.js';
import type { ReplyUse } from './declared-call.js';

/**
 * The permitted use of a reply. Only a valid, whole reply (`isWhole`: one envelope, no decoding
 * error) is stored. Header blocks may be for one caller only, so such a reply is private, unless
 * they are those of WS-Addressing and the gateway itself addressed the request (`isAddressed`).
 */
export function replyUse(
  envelope: EnvelopeValidator | null,
  head: ReplyHead | null,
  { violations }: Exchange,
  isWhole: boolean,
  isAddressed = false,
): ReplyUse {
  if (envelope === null || envelope.fault !== null) return 'share';
  if (envelope.header !== null && !(isAddressed && envelope.header.isAddressingOnly)) {
    return 'private';
  }
  const isInvalid =
    violations?.some(({ direction, rule }) => direction === 'reply' && rule !== 'unvalidated') ===
    true;
  return isWhole && head?.status === 200 && !isInvalid ? 'store' : 'share';
}
