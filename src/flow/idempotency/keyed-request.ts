import type { SoapService } from '../../compile/soap/service.js';
import { Refusal } from '../../core/index.js';
import type { Operation } from '../../wsdl/index.js';

/** Characters of a key. */
const KEY_CHARS_MAX = 255;

/** Header fields by their names in lower case. */
type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * The key of a request in the field that an operation names; null where the operation or the
 * request has none. `ownKey`: what came in place of the field; null for nothing.
 */
export function keyIn(
  service: SoapService,
  operation: Operation | null,
  headers: RequestHeaders,
  ownKey: string | null,
): string | null {
  const rule = operation === null ? undefined : service.idempotency.get(operation.name);
  return rule === undefined ? null : keyOf(ownKey ?? headers[rule.header]);
}

/**
 * The bytes up to which a message is collected that may have a key, since it is compared whole;
 * null without a key.
 */
export const keyedBytes = (
  { idempotency }: SoapService,
  headers: RequestHeaders,
): number | null => {
  for (const { header, bufferBytes } of idempotency.values()) {
    if (headers[header] !== undefined) return bufferBytes;
  }
  return null;
};

/**
 * Throws `HTTP_BAD_REQUEST` for what is no key (draft-ietf-httpapi-idempotency-key-header: one
 * string).
 */
function keyOf(value: string | readonly string[] | undefined): string | null {
  if (value === undefined) return null;
  if (!isKey(value)) throw new Refusal('HTTP_BAD_REQUEST', `the idempotency key is no ${KEY_FORM}`);
  return value;
}

/** What a key is, in words. */
export const KEY_FORM = `single word of at most ${KEY_CHARS_MAX} characters`;

export const isKey = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= KEY_CHARS_MAX && /^[\x21-\x7e]+$/.test(value);
