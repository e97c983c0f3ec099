import { TLS_KEYS } from '../backend/upstream-keys.js';
import { HTTP_URL, NAME_FORMAT } from '../keys/formats.js';
import {
  closed,
  flag,
  list,
  millis,
  oneOf,
  optional,
  type StaticOf,
  section,
  string,
  text,
  unsafe,
} from '../keys/key-types.js';

/** The key that names the class of a client. */
export const classKey = (description = 'Its class, one of `classes`.') =>
  text(description, { pattern: NAME_FORMAT });

/** Signatures of public keys only: a verifier cannot make them. */
export const JWT_ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
] as const;

/** How the claims of a token name its client. */
const CLAIM_KEYS = {
  forward: flag(
    'Whether the token goes on to backends of SOAP callers and plain routes: ' +
      'a backend that has it can call as its client.',
    false,
  ),
  clientClaim: text('The claim that names the client.', { minLength: 1, default: 'sub' }),
  logAs: oneOf(
    ['digest', 'claim'],
    'How log and audit name the client: by the first 12 digits of the SHA-256 of issuer, ' +
      'blank and claim, or by issuer and the text of `clientClaim`, which may be personal data.',
    'digest',
  ),
  scopesClaim: text(
    'The claim with the scopes of the client: a text with blanks between them, or a list.',
    { minLength: 1, default: 'scope' },
  ),
  classClaim: optional(
    text('The claim whose text names the class of the client.', { minLength: 1 }),
  ),
  class: optional(
    classKey(
      'The class of clients whose token names none of `classes`; without it they are refused.',
    ),
  ),
};

/** How tokens are bound to the clients that send them. */
const PROOF_KEYS = {
  proof: oneOf(
    ['none', 'dpop', 'mtls', 'either'],
    'How tokens must be bound to their client: by a key that it proves to have with each ' +
      'request (`dpop`, RFC 9449), by the certificate of its connection, which `listen` verifies ' +
      '(`mtls`, RFC 8705), or by one of them. A token that is bound is held to it with `none` too.',
    'none',
  ),
  dpop: section('Proofs that a client has the key of its token.', {
    nonce: flag(
      'Whether proofs need a nonce of the gateway, which ends with `maxAgeMillis`: proofs ' +
        'cannot be made in advance. Clients get it by the field DPoP-Nonce.',
      false,
    ),
    maxAgeMillis: millis(
      'How long ago a proof may have been made. Until then it is remembered, and not taken ' +
        'twice.',
      [1_000, 3_600_000],
      60_000,
    ),
    keys: optional(
      list(
        string({ minLength: 32, maxLength: 4096 }),
        'The secrets that nonces are sealed with, the same in all replicas. The first seals, ' +
          'all others are still read. Absent: each start of the gateway makes one, which its ' +
          'workers share.',
        { minItems: 1, maxItems: 8, uniqueItems: true },
      ),
    ),
  }),
};

/** One issuer of tokens. */
const JWT_KEYS = closed(
  {
    issuer: text('Its `iss`.', {
      pattern: '^\\S{1,1024}$',
      hint: 'Write the `iss` of its tokens, such as https://login.example.',
    }),
    audience: text('The value that its `aud` must be or hold.', { minLength: 1 }),
    jwks: optional(
      text(
        'The keys of the issuer as a JSON Web Key Set: `{ file: ' +
          'jwks.json }`. Instead of `jwksUrl`.',
        { minLength: 1 },
      ),
    ),
    jwksUrl: optional(
      text(
        'Where the issuer shows its keys. Asked when the first token comes, every 10 minutes, ' +
          'and for a key that is not known, twice a minute at most.',
        HTTP_URL,
      ),
    ),
    algorithms: list(oneOf(JWT_ALGORITHMS), 'Signatures that are accepted, of public keys only.', {
      minItems: 1,
      uniqueItems: true,
      default: ['RS256', 'ES256'],
    }),
    toleranceMillis: millis(
      'How much the clocks of issuer and gateway may differ.',
      [0, 600_000],
      60_000,
    ),
    requireNotBefore: flag(
      'Whether a token without `nbf` is refused; one without `exp` always is.',
      false,
    ),
    ...PROOF_KEYS,
    ...CLAIM_KEYS,
  },
  'Clients that send a signed token: `Authorization: Bearer ...`. One issuer, or a list of them.',
);

export type JwtConfig = StaticOf<typeof JWT_KEYS>;

/**
 * One issuer, or a list. Unsafe because a union would report an error inside an issuer as "matches
 * none".
 */
export const JWT_ISSUERS_KEYS = unsafe<JwtConfig | readonly JwtConfig[]>({
  ...JWT_KEYS,
  type: ['object', 'array'],
  items: { ...JWT_KEYS, like: 'clients.jwt' },
  minItems: 1,
  maxItems: 64,
});

/** The issuers of a key, each with its path below it: none where it is one by itself. */
export const jwtIssuers = (
  jwt: JwtConfig | readonly JwtConfig[] | undefined,
): readonly { readonly issuer: JwtConfig; readonly path: readonly number[] }[] =>
  isList(jwt)
    ? jwt.map((issuer, index) => ({ issuer, path: [index] }))
    : jwt === undefined
      ? []
      : [{ issuer: jwt, path: [] }];

/** How the tokens of all issuers, and those of introspection, must be bound to their clients. */
export const proofDemands = (clients: ClientsWithTokens | undefined): readonly ProofKey[] => [
  ...jwtIssuers(clients?.jwt).map(({ issuer }) => issuer.proof),
  ...(clients?.introspection === undefined ? [] : [clients.introspection.proof]),
];

type ProofKey = JwtConfig['proof'];

interface ClientsWithTokens {
  readonly jwt?: JwtConfig | readonly JwtConfig[] | undefined;
  readonly introspection?: { readonly proof: ProofKey } | undefined;
}

const isList = (jwt: JwtConfig | readonly JwtConfig[] | undefined): jwt is readonly JwtConfig[] =>
  Array.isArray(jwt);

/** Clients with tokens that only their authorization server can read. */
export const INTROSPECTION = closed(
  {
    url: text('The introspection endpoint.', HTTP_URL),
    issuer: optional(
      text(
        'The issuer of its tokens, which clients of MCP are told. It needs `audience`.',
        HTTP_URL,
      ),
    ),
    clientId: text('The gateway, as the server knows it.', { minLength: 1, maxLength: 1024 }),
    clientSecret: text('Its secret; a file may rotate.', { minLength: 1, maxLength: 8192 }),
    clientAuth: oneOf(
      ['basic', 'post'],
      'How the gateway identifies itself: by HTTP Basic, or in the form (RFC 6749 section 2.3.1).',
      'basic',
    ),
    tls: optional({
      ...TLS_KEYS,
      description: 'TLS to the endpoint, with the keys of `tls` of a service.',
      like: 'services.tls',
    }),
    audience: optional(
      text('The value that `aud` must be or hold; by default the server decides.', {
        minLength: 1,
      }),
    ),
    ...PROOF_KEYS,
    ...CLAIM_KEYS,
    timeoutMillis: millis(
      'Time for an answer. Without one, requests are refused.',
      [10, 60_000],
      2_000,
    ),
    activeMillis: millis(
      'How long an active token is not asked about again; never beyond its `exp`.',
      [0, 3_600_000],
      60_000,
    ),
    inactiveMillis: millis(
      'How long a token that is not active is not asked about again.',
      [0, 600_000],
      5_000,
    ),
  },
  'Clients that send a token which the authorization server is asked about (RFC 7662): ' +
    '`Authorization: Bearer ...`. With `jwt`, tokens of other issuers.',
);
