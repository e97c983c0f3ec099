import { syntheticTag } from '../../xml/synthetic-tag.js';
import type { Decoded, ReplyPlan } from '../plan/plan.js';
import { type DecodeLimits, ReplyDecoder } from './decode.js';

/** Decodes a reply that has no element like one whose element is empty. */
export function emptyReply(plan: ReplyPlan, limits: DecodeLimits): Decoded {
  const decoder = new ReplyDecoder(plan, limits);
  decoder.open(syntheticTag({ uri: '', local: '' }, 1));
  decoder.close();
  return decoder.finish();
}
