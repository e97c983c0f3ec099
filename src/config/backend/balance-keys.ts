import { HEADER_NAME, HTTP_URL } from '../keys/formats.js';
import { array, boolean, closed, integer, optional, type StaticOf, string, unsafe } from '../keys/key-types.js';

/** Keys of a service about its addresses. */

const ZONE = { pattern: '^[A-Za-z0-9._-]{1,64}$', hint: 'Write letters, digits, dots, `-` and `_`.' };

const ADDRESS_KEYS = closed({
  url: string({ description: 'The address, http or https.', ...HTTP_URL }),
  weight: integer({
    description: 'Its share of the calls, against those of the others; 0 for none.',
    unit: 'count',
    minimum: 0,
    maximum: 1_000,
    default: 1,
  }),
  backup: boolean({ description: 'Called only while no other address is ready.', default: false }),
  zone: optional(string({ description: 'Where it is; see `zone` of the service.', ...ZONE })),
});

export type AddressConfig = StaticOf<typeof ADDRESS_KEYS>;

/** Several addresses of one backend. */
export const urls = (description: string) =>
  optional(
    // Unsafe because a union would report an error inside the object as "matches none".
    array(
      unsafe<string | StaticOf<typeof ADDRESS_KEYS>>({
        ...ADDRESS_KEYS,
        ...HTTP_URL,
        type: ['string', 'object'],
        description: 'An address, or its URL and how much it is called.',
      }),
      { description, minItems: 1, maxItems: 64 },
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
        hash: string({
          description:
            'Calls with the same value go to the same address: `client`, `header:NAME` of the caller, `claim:NAME` of its token, or `path:order/id`, the text of an element of the SOAP request.',
          ...HASH,
        }),
      }),
      type: ['string', 'object'],
      pattern: '^(leastRequests|roundRobin)$',
      hint: 'Write leastRequests, roundRobin or { hash: client }.',
      description:
        'With several addresses: `leastRequests` (default) calls the one with the fewest calls in flight for its weight, `roundRobin` all in turn, `{ hash }` by a value of the caller.',
    }),
  ),
  zone: optional(
    string({ description: 'Where the gateway is: of several addresses those in this `zone` are preferred.', ...ZONE }),
  ),
};

export const STICKY = closed(
  {
    cookie: string({
      description: 'The name of the cookie. It holds a short hash of the address.',
      ...HEADER_NAME,
      hint: 'Write the name of a cookie.',
    }),
  },
  {
    description:
      'With several addresses: a SOAP caller gets a cookie with its first answer, and callers that send it stay at that address while it is ready.',
  },
);
