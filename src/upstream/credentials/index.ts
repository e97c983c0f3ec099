/** Credentials of calls: one file for each kind. */

export { bearerFields, RotatingBearer } from './bearer.js';
export {
  type CallToAuthorize,
  type Credentials,
  type Fields,
  lend,
  withFields,
} from './credentials.js';
export { Digest } from './digest.js';
export { DpopCredentials } from './dpop-credentials.js';
export { DpopKey } from './dpop-key.js';
export { ExchangedTokens } from './exchanged-tokens.js';
export { LoginSession } from './login-session.js';
export { loadKerberos, Negotiate } from './negotiate.js';
export { Ntlm } from './ntlm.js';
export { type ClientIdentity, introspectToken, type OAuthAnswer } from './oauth-requests.js';
export { OAuth2, type OAuth2Options } from './oauth2.js';
export { TokenCredentials } from './token-credentials.js';
export type { TokenSource } from './token-source.js';
