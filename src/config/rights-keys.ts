import { MASKS } from '../graphql/rights/field-rule.js';
import { NAME } from './formats.js';
import { closed, mapOf, oneOf, optional, type StaticOf, unsafe } from './key-types.js';

/** A scope as RFC 6749 section 3.3 has it. */
export const SCOPE = { type: 'string', pattern: '^[\\x21\\x23-\\x5b\\x5d-\\x7e]{1,256}$' } as const;
const LIST = { type: 'array', items: SCOPE, minItems: 1, maxItems: 64 } as const;

/** Unsafe because a union of TypeBox would report each error twice. */
const SCOPES = unsafe<(string | string[])[]>({
  type: 'array',
  minItems: 1,
  maxItems: 64,
  items: { ...LIST, ...SCOPE, type: ['string', 'array'] },
  description:
    'Scopes of the token that callers must have: all of a list `[a, b]`; of a list of lists `[[a, b], [c]]`, all of one of them.',
  hint: 'Write scopes as the token has them: [orders:read], or [[orders:read, orders:list], [admin]].',
});

/** Keys about the callers of an operation, or the readers of a field. */
export const SCOPE_KEYS = {
  scopes: optional(SCOPES),
  authenticated: optional(
    unsafe<boolean>({
      type: 'boolean',
      description: 'Callers must be identified by credentials: an address or a network alone is not enough.',
    }),
  ),
};

export const FIELD_RIGHTS_KEYS = {
  ...SCOPE_KEYS,
  mask: optional(
    mapOf(NAME, oneOf(MASKS), {
      description:
        'By class of `clients`, what its clients get of the value: `last4`, the last four characters behind `****`; `hash`, its HMAC-SHA256 by `clients.maskKey`; `null`; `remove`: the field is left out of answers.',
      names: 'Use the name of a class.',
    }),
  ),
};

export const FIELD_RIGHTS = closed(FIELD_RIGHTS_KEYS);
const OPERATION_RIGHTS = closed(SCOPE_KEYS);

export type FieldRightsKeys = StaticOf<typeof FIELD_RIGHTS>;
export type ScopeKeys = StaticOf<typeof OPERATION_RIGHTS>;
