import type { StartTag } from '../../xml/events.js';
import type { Decoded, ReplyPlan } from '../plan/plan.js';
import { type DecodeLimits, ReplyDecoder } from './decode.js';

/** What a reply comes to that has no element: the same as one whose element holds nothing. */
export function emptyReply(plan: ReplyPlan, limits: DecodeLimits): Decoded {
  const decoder = new ReplyDecoder(plan, limits);
  decoder.open(NOTHING);
  decoder.close();
  return decoder.finish();
}

const NOTHING: StartTag = {
  uri: '',
  local: '',
  prefix: '',
  depth: 1,
  offsetBytes: 0,
  contentBytes: 0,
  attributeCount: 0,
  attributeUri: () => '',
  attributeLocal: () => '',
  attributeValue: () => '',
  attribute: () => null,
  namespace: () => null,
  declares: () => false,
};
