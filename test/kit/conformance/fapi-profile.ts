import { held, left, type Profile } from './conformance.js';

/** FAPI 2.0 Security Profile: what it asks of resource servers. */
export const FAPI: Profile = {
  name: 'FAPI 2.0 Security Profile, resource servers',
  source: 'https://openid.net/specs/fapi-security-profile-2_0-final.html',
  rows: [
    held('5.2.1', 'TLS 1.2 or later, with current ciphers.', 'tls'),
    held('5.3.3-1', 'Tokens come in the Authorization field.', 'boundTokens'),
    held('5.3.3-2', 'Tokens in the query are not accepted.', 'queryTokens'),
    held(
      '5.3.3-3',
      'Validity, integrity, expiration and revocation of tokens are verified.',
      'tokens',
      'inactiveTokens',
    ),
    held('5.3.3-4', 'The token permits the access, or the request is refused.', 'rights'),
    held(
      '5.3.3-5',
      'Tokens are bound to their sender, by a certificate or by proofs (`proof`).',
      'bindings',
      'proofs',
      'replays',
    ),
    held('5.3.3-6', 'A proof may be up to 10 s in the future, and not 60 s.', 'proofs'),
    left(
      '5.4.1',
      'PS256, ES256 and EdDSA alone sign.',
      'The default is RS256 and ES256: write `algorithms: [PS256, ES256, EdDSA]`.',
    ),
    held('5.4.1-none', 'The algorithm none is not accepted.', 'proofs', 'forgedTokens'),
    held('5.4.1-keys', 'RSA keys have 2048 bits at least.', 'shortKeys'),
  ],
};
