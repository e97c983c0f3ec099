import { fieldRights } from '../../graphql/index.js';
import { NAME_FORMAT } from './formats.js';
import { closed, mapOf, oneOf, optional, type StaticOf, unsafe, wordOr } from './key-types.js';

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
    'Scopes of the token that callers must have: all of a list `[a, b]`; ' +
    'of a list of lists `[[a, b], [c]]`, all of one of them.',
  hint:
    'Write scopes as the token has them: [orders:read], or [[orders:read, ' +
    'orders:list], [admin]].',
});

/** Keys about the callers of an operation, or the readers of a field. */
export const SCOPE_KEYS = {
  scopes: optional(SCOPES),
  authenticated: optional(
    unsafe<boolean>({
      type: 'boolean',
      description:
        'Callers must be identified by credentials: an address or a network alone is not enough.',
    }),
  ),
};

/** The key of `mask` for all classes that it does not name. */
export const OTHER_CLASSES = 'default';

/** What a class gets of a value: `none` is the value itself. */
const MASK_CHOICES = ['none', ...fieldRights.MASKS] as const;

export const FIELD_RIGHTS_KEYS = {
  ...SCOPE_KEYS,
  mask: optional({
    ...wordOr(
      MASK_CHOICES,
      mapOf(NAME_FORMAT, oneOf(MASK_CHOICES), undefined, {
        names: 'Use the name of a class, or `default` for all others.',
        minProperties: 1,
      }),
    ),
    description:
      'What clients get of the value: for all classes (`mask: last4`), or by class of ' +
      '`clients`, with `default` for those that are not named. `last4`: ' +
      'the last four characters behind `****`; `hash`: its HMAC-SHA256 by `clients.maskKey`; ' +
      '`null`; `remove`: the field is left out of answers; `none`: the value. ' +
      'Without `default`, classes that are not named get the value.',
  }),
};

export const FIELD_RIGHTS = closed(FIELD_RIGHTS_KEYS);
const OPERATION_RIGHTS = closed(SCOPE_KEYS);

export type FieldRightsKeys = StaticOf<typeof FIELD_RIGHTS>;
export type ScopeKeys = StaticOf<typeof OPERATION_RIGHTS>;
