import type { SoapService } from '../../compile/soap/service.js';
import { Refusal } from '../../core/index.js';
import type { Operation } from '../../wsdl/index.js';

/** Characters of a key. */
const KEY_CHARS_MAX = 255;

/** Header fields by their names in lower case. */
type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * The key of a request in the field that an operation names; null where the operation or the
 * request has none.
 */
export function keyIn(
  service: SoapService,
  operation: Operation | null,
  headers: RequestHeaders,
): string | null {
  const rule = operation === null ? undefined : service.idempotency.get(operation.name);
  return rule === undefined ? null : keyOf(headers[rule.header]);
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
  if (typeof value !== 'string' || value.length > KEY_CHARS_MAX || !/^[\x21-\x7e]+$/.test(value))
    throw new Refusal(
      'HTTP_BAD_REQUEST',
      'the idempotency key is no single word of at most 255 characters',
    );
  return value;
}
