import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from 'jose';

type Claims = Readonly<Record<string, unknown>>;

/** An issuer of tokens with keys of its own. */
export interface TestIssuer {
  /** The keys, as the issuer shows them: that of `sign`, and one for RSA of the name `rsa`. */
  readonly keySet: string;
  readonly publicKey: CryptoKey;
  readonly rsa: { readonly publicKey: CryptoKey; readonly privateKey: CryptoKey };
  /**
   * What is in each token unless other claims replace it: 10 minutes for the client
   * `alice@example`.
   */
  readonly claims: Claims;
  /** A token with these claims besides; undefined leaves one away. */
  sign(claims?: Claims, header?: Claims, key?: CryptoKey | Uint8Array): Promise<string>;
  /** The header field of a client with a token of these claims. */
  bearer(claims?: Claims): Promise<{ authorization: string }>;
  /** The key `clients.jwt`, where the keys are at this address or in the configuration. */
  yaml(more: string, url?: string | null): string;
}

export const ISSUER = 'https://login.example';
export const AUDIENCE = 'soapstone';

/** `kid` is the name of its key. */
export async function makeIssuer(kid = 'one'): Promise<TestIssuer> {
  const own = await generateKeyPair('ES256');
  const rsa = await generateKeyPair('RS256');
  const jwks = [
    { ...(await exportJWK(own.publicKey)), kid, use: 'sig' },
    { ...(await exportJWK(rsa.publicKey)), kid: 'rsa', use: 'sig' },
  ];
  const keySet = JSON.stringify({ keys: jwks });
  const now = Math.floor(Date.now() / 1000);
  const claims = {
    iss: ISSUER,
    aud: AUDIENCE,
    sub: 'alice@example',
    exp: now + 600,
    nbf: now - 10,
  };
  // What is undefined is not in the JSON of the token.
  const sign: TestIssuer['sign'] = (more = {}, header = {}, key = own.privateKey) =>
    new SignJWT({ ...claims, ...more })
      .setProtectedHeader({ alg: 'ES256', kid, ...header })
      .sign(key);
  return {
    keySet,
    publicKey: own.publicKey,
    rsa,
    claims,
    sign,
    bearer: async (more) => ({ authorization: `Bearer ${await sign(more)}` }),
    yaml: (more, url = null) =>
      `jwt: { issuer: "${ISSUER}", audience: ${AUDIENCE}, algorithms: ` +
      `[ES256], ${url === null ? `jwks: '${keySet}'` : `jwksUrl: "${url}"`}, ${more} }`,
  };
}
