import { HEADER_NAME, HTTP_URL } from '../keys/formats.js';
import {
  closed,
  count,
  flag,
  list,
  optional,
  type StaticOf,
  text,
  unsafe,
} from '../keys/key-types.js';

/** Keys of a service about its addresses. */

const ZONE = {
  pattern: '^[A-Za-z0-9._-]{1,64}$',
  hint: 'Write letters, digits, dots, `-` and `_`.',
};

const ADDRESS_KEYS = closed({
  url: text('The address, http or https.', HTTP_URL),
  weight: count('Its share of the calls, against those of the others; 0 for none.', [0, 1_000], 1),
  backup: flag('Called only while no other address is ready.', false),
  zone: optional(text('Where it is; see `zone` of the service.', ZONE)),
});

export type AddressConfig = StaticOf<typeof ADDRESS_KEYS>;

/** Several addresses of one backend. */
export const urls = (description: string) =>
  optional(
    // Unsafe because a union would report an error inside the object as "matches none".
    list(
      unsafe<string | StaticOf<typeof ADDRESS_KEYS>>({
        ...ADDRESS_KEYS,
        ...HTTP_URL,
        type: ['string', 'object'],
        description: 'An address, or its URL and how much it is called.',
      }),
      description,
      { minItems: 1, maxItems: 64 },
    ),
  );

const HASH = {
  pattern:
    "^(client|header:[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}|claim:\\S{1,128}|path:[^\\s/@{}:]{1,256}(/[^\\s/@{}:]{1,256}){0,15})$",
  hint: 'Write client, header:NAME, claim:NAME or path:order/id.',
};

/** How calls are spread over several addresses, of both kinds of services. */
export const BALANCE_KEYS = {
  balance: optional(
    // Unsafe for the reason of `urls`.
    unsafe<'leastRequests' | 'roundRobin' | { readonly hash: string }>({
      ...closed({
        hash: text(
          'Calls with the same value go to the same address: `client`, `header:NAME` of the ' +
            'caller, `claim:NAME` of its token, or `path:order/id`, the text of an ' +
            'element of the SOAP request.',
          HASH,
        ),
      }),
      type: ['string', 'object'],
      pattern: '^(leastRequests|roundRobin)$',
      hint: 'Write leastRequests, roundRobin or { hash: client }.',
      description:
        'With several addresses: `leastRequests` (default) calls the one with the fewest ' +
        'calls in flight for its weight, `roundRobin` all in turn, `{ hash }` by ' +
        'a value of the caller.',
    }),
  ),
  zone: optional(
    text('Where the gateway is: of several addresses those in this `zone` are preferred.', ZONE),
  ),
};

export const STICKY = closed(
  {
    cookie: text('The name of the cookie. It holds a short hash of the address.', {
      ...HEADER_NAME,
      hint: 'Write the name of a cookie.',
    }),
  },
  'With several addresses: a SOAP caller gets a cookie with its first answer, and callers ' +
    'that send it stay at that address while it is ready.',
);
