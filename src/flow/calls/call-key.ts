import type { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

import type { Caller, Client } from '../../access/client.js';
import type { ReadRule } from '../../cache/rules.js';
import { CanonicalHash } from '../../codec/values/canonical-hash.js';
import type { SoapService } from '../../compile/service.js';
import { isAnonymous } from '../../soap/addressing.js';
import { EnvelopeValidator } from '../../soap/envelope.js';
import { varyingValues } from './caller-fields.js';
import type { CallKey } from './declared-call.js';

/** An envelope that was read, as far as keys need it. */
export interface Asked {
  readonly envelope: EnvelopeValidator;
  /** Null where the Body is empty. */
  readonly content: CanonicalHash | null;
  /** There are elements beside those that belong to the operation. */
  readonly hasFurther: boolean;
  /** The requested action, in the head of HTTP. */
  readonly action: string | null;
}

/** By whom, and what goes on of the head of HTTP that may make a difference. */
export interface Asker {
  readonly client: Client;
  /** Of a SOAP caller; null for GraphQL, of which `varying` alone goes on. */
  readonly headers: IncomingHttpHeaders | null;
  /** Values of other forwarded fields, which may change the reply; null for none. */
  readonly varying: readonly unknown[] | null;
}

/**
 * The key of a call by its meaning: two calls with one key are the same to the backend, whichever client wrote them,
 * unless it distinguishes clients (`scope`). Null where the message holds more than keys cover.
 */
export function callKey(rule: ReadRule, asked: Asked, asker: Asker): CallKey | null {
  const { envelope, content, hasFurther, action } = asked;
  if (!envelope.isBare || hasFurther) return null;
  const digest = content === null ? '' : content.digest();
  if (digest === null || (content === null && envelope.operation !== null)) return null;
  return keyOf(rule, envelope, action, digest, asker);
}

/** `content`: stands for the whole request. */
function keyOf(
  rule: ReadRule,
  { dialect, addressing }: EnvelopeValidator,
  action: string | null,
  content: string,
  { client, headers, varying }: Asker,
): CallKey | null {
  if (dialect === null) return null;
  const to = addressing?.to ?? null;
  const parts = [
    rule.invalidation.name,
    dialect.name,
    action ?? '',
    content,
    rule.isShared ? '' : client.id,
    headers?.authorization ?? '',
    languageOf(headers),
    varying,
    // A reply may name the MessageID of its request, so such a call is not joined.
    addressing === null ? null : [to === null || isAnonymous(to) ? '' : to, addressing.action],
  ];
  const text = createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
  return { text, mayJoin: addressing === null };
}

/** Many libraries send `*`, which means the same as no field (RFC 9110 section 12.5.4). */
function languageOf(headers: IncomingHttpHeaders | null): string {
  const language = headers?.['accept-language'] ?? '';
  return language === '*' ? '' : language;
}

/** How a GraphQL field is called, and for which caller. */
interface CalledBy {
  readonly client: Client;
  readonly headers: Caller['headers'];
  readonly action: string | null;
  /** The gateway writes the WS-Addressing of the message. */
  readonly isAddressed: boolean;
}

/**
 * The key of a call for a GraphQL field, by the envelope that was written for it. With header blocks, as a mapping
 * writes them, its bytes are the key: the same values are always written the same way. `message` is
 * without the WS-Addressing of the gateway.
 */
export function envelopeKey(
  rule: ReadRule,
  service: SoapService,
  message: Buffer,
  { action, isAddressed, ...caller }: CalledBy,
): CallKey | null {
  if (!isAddressed) return keyOfEnvelope(rule, service, message, action, caller);
  // Replies to addressed calls have blocks that other callers do not expect, and name their own request.
  const key = keyOfEnvelope(rule, service, message, `addressed ${action ?? ''}`, caller);
  return key === null ? null : { ...key, mayJoin: false };
}

function keyOfEnvelope(
  rule: ReadRule,
  service: SoapService,
  message: Buffer,
  action: string | null,
  { client, headers }: Pick<CalledBy, 'client' | 'headers'>,
): CallKey | null {
  if (service.callerFields.passesCookies) return null;
  const content = new CanonicalHash(rule);
  let hasFurther = false;
  const envelope = new EnvelopeValidator(service.replyRules, null, 'no detail', {
    onHeadValid: (seen) => seen.expectParts(service.requests.find(seen.operation)?.parts ?? null),
    openBody: () => content,
    openMultiRef: () => {
      hasFurther = true;
      return null;
    },
  });
  const reader = service.readers.take(envelope, null);
  try {
    reader.write(message);
    reader.end();
  } catch {
    // The backend will refuse it.
    return null;
  } finally {
    service.readers.give(reader);
  }
  const asker = { client, headers: null, varying: varyingValues(service, headers) };
  if (!envelope.isBare)
    return keyOf(rule, envelope, action, createHash('sha256').update(message).digest('base64url'), asker);
  const asked = { envelope, content: envelope.operation === null ? null : content, hasFurther, action };
  return callKey(rule, asked, asker);
}
