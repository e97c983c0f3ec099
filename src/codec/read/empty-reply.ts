import { plainTag } from '../../xml/plain-tag.js';
import type { Decoded, ReplyPlan } from '../plan/plan.js';
import { type DecodeLimits, ReplyDecoder } from './decode.js';

/** What a reply comes to that has no element: the same as one whose element holds nothing. */
export function emptyReply(plan: ReplyPlan, limits: DecodeLimits): Decoded {
  const decoder = new ReplyDecoder(plan, limits);
  decoder.open(plainTag({ uri: '', local: '' }, 1));
  decoder.close();
  return decoder.finish();
}
