import type { ReplyHead } from '../../upstream/index.js';
import { challengesOf } from '../reply/challenges.js';
import type { CallContext } from './call-context.js';

/** Whether a call had credentials of the caller; null: none of callers are sent. */
export function hasSentCredentials({
  service,
  headers,
}: Pick<CallContext, 'service' | 'headers'>): boolean | null {
  const isPassed =
    service.passesCredentials && service.callerFields.ofGraphql.includes('authorization');
  return isPassed ? headers['authorization'] !== undefined : null;
}

/**
 * The challenge of a backend that wants other credentials of the caller, which it has got; null for
 * any other reply.
 */
export function challengeTo(context: CallContext, head: ReplyHead): string | null {
  const hasSent = head.status === 401 ? hasSentCredentials(context) : null;
  if (hasSent === null) return null;
  // Without them the caller has none, or they are those for the gateway, which knows its clients.
  if (!hasSent && context.exchange.caller.className !== '') return null;
  const challenges = challengesOf(head, context.service);
  return challenges === null ? null : challenges.join(', ');
}
