import type { Operation } from '../../wsdl/index.js';
import { syntheticTag } from '../../xml/index.js';
import type { Decoded, ReplyPlan } from '../plan/reply/reply-plan.js';
import { type DecodeLimits, ReplyDecoder } from './decode.js';

/**
 * The answer of a reply with an empty Body, or without content and with a status of success, as
 * stacks reply to one-way operations and some to operations whose output may be empty
 * (`mayBeEmpty`). Null where a result is lacking.
 */
export function noContentReply(
  plan: ReplyPlan,
  { isDoneWithoutContent = false }: Pick<Operation, 'isDoneWithoutContent'>,
  mayBeEmpty: boolean,
  limits: DecodeLimits,
): Decoded | null {
  if (isDoneWithoutContent) return DONE;
  return mayBeEmpty || plan.shape === 'done' ? emptyReply(plan, limits) : null;
}

const DONE: Decoded = { value: true, errors: [], furtherErrors: 0 };

/** Decodes a reply that has no element like one whose element is empty. */
function emptyReply(plan: ReplyPlan, limits: DecodeLimits): Decoded {
  const decoder = new ReplyDecoder(plan, limits);
  decoder.open(syntheticTag({ uri: '', local: '' }, 1));
  decoder.close();
  return decoder.finish();
}
