import type { Operation } from '../../wsdl/model.js';
import { syntheticTag } from '../../xml/synthetic-tag.js';
import type { Decoded, ReplyPlan } from '../plan/plan.js';
import { type DecodeLimits, ReplyDecoder } from './decode.js';

/**
 * The answer of a reply without an envelope and with a status of success, as stacks reply to one-way operations and some
 * to operations without a result. Null where the operation has a result: the reply lacks it.
 */
export function noContentReply(
  plan: ReplyPlan,
  { output, isDoneWithoutContent = false }: Pick<Operation, 'output' | 'isDoneWithoutContent'>,
  limits: DecodeLimits,
): Decoded | null {
  if (isDoneWithoutContent) return DONE;
  const hasNoResult = output === null || output.body === null || plan.shape === 'done';
  return hasNoResult ? emptyReply(plan, limits) : null;
}

const DONE: Decoded = { value: true, errors: [], furtherErrors: 0 };

/** Decodes a reply that has no element like one whose element is empty. */
export function emptyReply(plan: ReplyPlan, limits: DecodeLimits): Decoded {
  const decoder = new ReplyDecoder(plan, limits);
  decoder.open(syntheticTag({ uri: '', local: '' }, 1));
  decoder.close();
  return decoder.finish();
}
