import { createHash } from 'node:crypto';
import type { Client } from '../../access/client.js';
import type { KeyClaim } from '../../base/outcome-store.js';
import { Refusal } from '../../base/refusals/refusal.js';
import type { SoapService } from '../../compile/soap/service.js';
import type { Operation } from '../../wsdl/model.js';
import { subjectOf } from '../calls/subject.js';

/** Characters of a key. */
const KEY_CHARS_MAX = 255;

/** Header fields by their names in lower case. */
type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** What makes two requests under one key the same. */
export interface KeyedContent {
  /** The arguments, as the message has them. */
  readonly content: string;
  /** Tells fields of one request apart; '' for a SOAP message. */
  readonly field: string;
  /** The id of the message; null for none. */
  readonly messageId: string | null;
}

/** The key of a request in the field that an operation names; null where the operation or the request has none. */
export function keyIn(
  service: SoapService,
  operation: Operation | null,
  headers: RequestHeaders,
): string | null {
  const rule = operation === null ? undefined : service.idempotency.get(operation.name);
  return rule === undefined ? null : keyOf(headers[rule.header]);
}

/** The bytes up to which a message is collected that may have a key, since it is compared whole; null without a key. */
export const keyedBytes = (
  { idempotency }: SoapService,
  headers: RequestHeaders,
): number | null => {
  for (const { header, bufferBytes } of idempotency.values())
    if (headers[header] !== undefined) return bufferBytes;
  return null;
};

/** Throws `HTTP_BAD_REQUEST` for what is no key (draft-ietf-httpapi-idempotency-key-header: one string). */
function keyOf(value: string | readonly string[] | undefined): string | null {
  if (value === undefined) return null;
  if (typeof value !== 'string' || value.length > KEY_CHARS_MAX || !/^[\x21-\x7e]+$/.test(value))
    throw new Refusal(
      'HTTP_BAD_REQUEST',
      'the idempotency key is no single word of at most 255 characters',
    );
  return value;
}

/**
 * The claim of a call: keys belong to a client, and a key stands for one operation with its arguments. Where the backend
 * sees the user they belong to the user, whatever the scopes: a token that is renewed may have others.
 */
export function keyClaim(
  service: SoapService,
  operation: Operation,
  key: string,
  client: Client,
  { content, field, messageId }: KeyedContent,
  callMillis: number,
): KeyClaim {
  const digest = (parts: readonly string[]): string =>
    createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
  const user = subjectOf(service, client)?.user;
  return {
    key: digest([client.id, ...(user === undefined ? [] : [user]), key, field]),
    fingerprint: digest([service.name, operation.name, content]),
    keepMillis: service.idempotency.get(operation.name)?.keepMillis ?? 0,
    callMillis,
    messageId,
  };
}
