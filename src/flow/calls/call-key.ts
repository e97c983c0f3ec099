import { createHash } from 'node:crypto';
import type { ReadRule } from '../../cache/rules.js';
import type { SoapService } from '../../compile/soap/service.js';
import type { KeyClaim } from '../../gateway/shared/outcome-store.js';
import type { ReplyHead } from '../../upstream/index.js';
import { CALL_PARTS, isComparedField, viewOf } from './call-parts.js';
import { subjectOf } from './caller-parts.js';
import type { CallKey, CallParts, KeyedRequest } from './declared-call.js';

/**
 * The key of a call by all that goes into it: calls with one key are the same to the backend,
 * whichever caller they are for. With the scope `client` each client has keys of its own. Null
 * where calls cannot be compared.
 */
export function callKey(rule: ReadRule, call: CallParts): CallKey | null {
  const { message, upstream = null, service } = call;
  // A reply to a call with cookies may set some.
  if (message === null || upstream !== null || service.callerFields.passesCookies) return null;
  const client = rule.isShared ? null : message.client.id;
  return {
    text: digest([client, ...viewOf('reply', CALL_PARTS, call, call)]),
    mayJoin: !message.content.isNumbered,
  };
}

/**
 * The claim of a call under the idempotency key of its request. Keys belong to a client, and where
 * the backend sees the user to the user, whatever the scopes: a token that is renewed may have
 * others. A key stands for one operation with its arguments, asked for by one asker.
 */
export function callClaim(call: CallParts, keyed: KeyedRequest): KeyClaim {
  const { service, operation, request } = call;
  const owner = [keyed.client.id, subjectOf(service, keyed.client)?.user ?? null, keyed.key];
  const about = {
    keepMillis: service.idempotency.get(operation?.name ?? '')?.keepMillis ?? 0,
    callMillis: service.upstream.rulesOf(request).totalMillis,
  };
  const own = {
    ...about,
    fingerprint: digest(viewOf('asker', CALL_PARTS, call, call)),
    messageId: keyed.messageId,
  };
  const { group } = keyed;
  if (group === null) return { ...own, key: digest(owner) };
  return {
    ...own,
    key: digest([...owner, group.member]),
    group: {
      ...about,
      // It outlasts the answers of its members, which come later.
      keepMillis: about.keepMillis + group.callsMax * about.callMillis,
      key: digest(owner),
      fingerprint: digest(['group', ...group.request]),
    },
  };
}

const digest = (parts: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('base64url');

/** Whether a reply depends on what calls are not compared by (RFC 9111 section 4.1). */
export function variesBeyondKey(head: ReplyHead, service: SoapService): boolean {
  const field = head.header('vary');
  if (field === null) return false;
  const names = field.split(',').map((name) => name.trim().toLowerCase());
  return names.some((name) => name === '*' || !isComparedField(name, service));
}
