import type { JwtClaims } from '../../access/tokens/jwt.js';
import { readSigningKey, type SigningKey } from '../../access/tokens/signing-key.js';
import { invalid } from '../../config/keys/finding.js';
import type { BackendPlan, OAuthKeys, OAuthPlan } from '../../config/plans/backend-plan.js';
import { currentText, type RotatingText } from '../../gateway/rotating-text.js';
import { authentication, type dial, limitsWithin, Upstream } from '../../upstream/index.js';
import { madeAnew } from '../made-anew.js';
import { postForm } from './post-form.js';

/** How long the assertion of a client about itself is good. */
const CLIENT_ASSERTION_MILLIS = 180_000;

/** RFC 7523 section 2.1. */
const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

/** How tokens of `auth.oauth2` of a service are asked for. Throws `FindingsError`. */
export function compileOAuth2(
  { name, config }: Pick<BackendPlan, 'name' | 'config'>,
  plan: OAuthPlan,
  routeTo: (url: URL) => dial.Route,
): authentication.OAuth2Options {
  const { tokenUrl: url, clientId, scopes, audience, assertion } = plan.keys;
  const signingKey = plan.key === null ? null : compileKey(name, plan.key);
  const sign = async (about: JwtClaims): Promise<string> => {
    if (signingKey === null) {
      throw new Error('the configuration let an assertion pass that nothing signs');
    }
    const { signJwt } = await import('../../access/tokens/jwt.js');
    return signJwt(about, signingKey());
  };
  const { upstream } = config.limits;
  const limits = limitsWithin(upstream, config.timeoutMillis ?? upstream.totalMillis);
  const endpoint = new Upstream([url], limits, { routeTo });
  return {
    service: name,
    url,
    clientId,
    clientAuth: clientIdentity(plan, sign),
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
    dpop: plan.keys.dpop ? new authentication.DpopKey() : null,
    scopes,
    audience: audience ?? null,
    post: (headers, form, observer) => postForm(endpoint, headers, form, observer),
    close: () => endpoint.close(),
  };
}

function clientIdentity(
  { keys, clientSecret }: OAuthPlan,
  sign: (about: JwtClaims) => Promise<string>,
): authentication.ClientIdentity {
  const { clientId, clientAuth, tokenUrl } = keys;
  if (clientAuth === 'tls') return { kind: 'tls' };
  if (clientAuth === 'privateKeyJwt') {
    const lifetimeMillis = CLIENT_ASSERTION_MILLIS;
    return {
      kind: 'privateKeyJwt',
      sign: () => sign({ issuer: clientId, subject: clientId, audience: tokenUrl, lifetimeMillis }),
    };
  }
  if (clientSecret === null) return { kind: 'none' };
  return { kind: clientAuth ?? 'basic', secret: () => currentText(clientSecret) };
}

/**
 * The key as it is now: a file may rotate, and one that is no key leaves the one before. Throws
 * `FindingsError`.
 */
function compileKey(service: string, pem: RotatingText): () => SigningKey {
  return madeAnew([pem], ([text = '']) => {
    const key = readSigningKey(text);
    if (key !== null) return key;
    const what = `Service \`${service}\`: \`auth.oauth2.key\` is no private key that can sign.`;
    throw invalid(['auth', 'oauth2', 'key'], what, KINDS);
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
}: Pick<OAuthKeys, 'grant' | 'place' | 'renewOn'>): boolean =>
  grant === 'tokenExchange' || place?.startsWith('header:') === true || renewOn.length > 0;

/** The field of HTTP that carries the token; null for a header block. */
export function tokenField({ place = 'http:authorization' }: Pick<OAuthKeys, 'place'>): {
  readonly field: string;
  readonly prefix: string;
} | null {
  if (!place.startsWith('http:')) return null;
  const field = place.slice('http:'.length).toLowerCase();
  return { field, prefix: field === 'authorization' ? 'Bearer ' : '' };
}
