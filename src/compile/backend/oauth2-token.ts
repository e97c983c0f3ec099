import type { JwtClaims } from '../../access/tokens/jwt.js';
import { readSigningKey, type SigningKey } from '../../access/tokens/signing-key.js';
import type { AnyService, ServiceConfig } from '../../config/schema.js';
import type { ConfigSection } from '../../config/section.js';
import {
  type ClientIdentity,
  limitsWithin,
  type OAuth2Options,
  type Route,
  Upstream,
} from '../../upstream/index.js';
import { madeAnew } from '../made-anew.js';
import { postForm } from './post-form.js';

export type OAuthConfig = NonNullable<NonNullable<ServiceConfig['auth']>['oauth2']>;

/** How long the assertion of a client about itself is good. */
const CLIENT_ASSERTION_MILLIS = 180_000;

/** RFC 7523 section 2.1. */
const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

/** How tokens of `auth.oauth2` of a service are asked for. Throws `ConfigurationError`. */
export function compileOAuth2(
  service: ConfigSection<AnyService>,
  oauth: OAuthConfig,
  routeTo: (url: URL) => Route,
): OAuth2Options {
  const { tokenUrl: url, clientId, scopes, audience, assertion, key } = oauth;
  const section = service.at(oauth, 'auth', 'oauth2');
  const signingKey = key === undefined ? null : compileKey(section, key);
  const sign = async (about: JwtClaims): Promise<string> => {
    if (signingKey === null) {
      throw new Error('the configuration let an assertion pass that nothing signs');
    }
    const { signJwt } = await import('../../access/tokens/jwt.js');
    return signJwt(about, signingKey());
  };
  const { upstream } = service.value.limits;
  const limits = limitsWithin(upstream, service.value.timeoutMillis ?? upstream.totalMillis);
  const endpoint = new Upstream([url], limits, { routeTo });
  return {
    service: service.name,
    url,
    clientId,
    clientAuth: clientIdentity(section, sign),
    grant:
      assertion === undefined
        ? null
        : {
            type: JWT_BEARER,
            parameters: async () => ({
              assertion: await sign({
                issuer: assertion.issuer ?? clientId,
                subject: assertion.subject,
                audience: assertion.audience ?? url,
                lifetimeMillis: assertion.lifetimeMillis,
              }),
            }),
          },
    scopes,
    audience: audience ?? null,
    post: (headers, form, observer) => postForm(endpoint, headers, form, observer),
    close: () => endpoint.close(),
  };
}

function clientIdentity(
  section: ConfigSection<OAuthConfig>,
  sign: (about: JwtClaims) => Promise<string>,
): ClientIdentity {
  const { clientId, clientAuth, clientSecret, tokenUrl } = section.value;
  if (clientAuth === 'tls') return { kind: 'tls' };
  if (clientAuth === 'privateKeyJwt') {
    const lifetimeMillis = CLIENT_ASSERTION_MILLIS;
    return {
      kind: 'privateKeyJwt',
      sign: () => sign({ issuer: clientId, subject: clientId, audience: tokenUrl, lifetimeMillis }),
    };
  }
  if (clientSecret === undefined) return { kind: 'none' };
  return { kind: clientAuth ?? 'basic', secret: section.text(['clientSecret'], clientSecret) };
}

/**
 * The key as it is now: a file may rotate, and one that is no key leaves the one before. Throws
 * `ConfigurationError`.
 */
function compileKey(section: ConfigSection<OAuthConfig>, pem: string): () => SigningKey {
  return madeAnew([section.text(['key'], pem)], ([text = '']) => {
    const key = readSigningKey(text);
    if (key !== null) return key;
    const what = `Service \`${section.name}\`: \`auth.oauth2.key\` is no private key that can sign.`;
    throw section.error(['key'], what, KINDS);
  });
}

const KINDS =
  'Give it a private key of RSA, P-256, P-384, P-521 or Ed25519, as PEM without a passphrase.';

/**
 * Whether calls carry the token as those of a login session do: in a header block, renewed after a
 * Fault, or by caller.
 */
export const isSessionToken = ({
  grant,
  place,
  renewOn,
}: Pick<OAuthConfig, 'grant' | 'place' | 'renewOn'>): boolean =>
  grant === 'tokenExchange' || place?.startsWith('header:') === true || renewOn.length > 0;

/** The field of HTTP that carries the token; null for a header block. */
export function tokenField({ place = 'http:authorization' }: Pick<OAuthConfig, 'place'>): {
  readonly field: string;
  readonly prefix: string;
} | null {
  if (!place.startsWith('http:')) return null;
  const field = place.slice('http:'.length).toLowerCase();
  return { field, prefix: field === 'authorization' ? 'Bearer ' : '' };
}
