import { classKey } from './client-class.js';
import { HTTP_URL } from './formats.js';
import { array, closed, flag, integer, oneOf, optional, string } from './key-types.js';

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

/** Keys about clients that are known by a token: the part of the table of keys for it. */
export const JWT = closed(
  {
    issuer: string({ description: 'Its `iss`.', minLength: 1 }),
    audience: string({ description: 'The value that its `aud` must be or hold.', minLength: 1 }),
    jwks: optional(
      string({
        description: 'The keys of the issuer as a JSON Web Key Set: `{ file: jwks.json }`. Instead of `jwksUrl`.',
        minLength: 1,
      }),
    ),
    jwksUrl: optional(
      string({
        description:
          'Where the issuer shows its keys. Asked when the first token comes, every 10 minutes, and for a key that is not known, twice a minute at most.',
        ...HTTP_URL,
      }),
    ),
    algorithms: array(oneOf(JWT_ALGORITHMS), {
      description: 'Signatures that are accepted, of public keys only.',
      minItems: 1,
      uniqueItems: true,
      default: ['RS256', 'ES256'],
    }),
    toleranceMillis: integer({
      description: 'How much the clocks of issuer and gateway may differ.',
      unit: 'millis',
      minimum: 0,
      maximum: 600_000,
      default: 60_000,
    }),
    requireNotBefore: flag('Whether a token without `nbf` is refused; one without `exp` always is.', false),
    forward: flag(
      'Whether the token goes on to backends of SOAP callers and plain routes: a backend that has it can call as its client.',
      false,
    ),
    clientClaim: string({ description: 'The claim that names the client.', minLength: 1, default: 'sub' }),
    scopesClaim: string({
      description: 'The claim with the scopes of the client: a text with blanks between them, or a list.',
      minLength: 1,
      default: 'scope',
    }),
    classClaim: optional(string({ description: 'The claim whose text names the class of the client.', minLength: 1 })),
    class: optional(
      classKey({
        description: 'The class of clients whose token names none of `classes`; without it they are refused.',
      }),
    ),
  },
  { description: 'Clients that send a signed token: `Authorization: Bearer ...`.' },
);
