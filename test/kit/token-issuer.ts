import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';

export const ISSUER = 'https://login.example';

/** An issuer of tokens for the audience `soapstone`, with its key set. */
export async function makeIssuer() {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const jwks = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256', use: 'sig' }] });
  const sign = (claims: JWTPayload): Promise<string> =>
    new SignJWT({ iss: ISSUER, aud: 'soapstone', ...claims })
      .setProtectedHeader({ alg: 'ES256', kid: 'one' })
      .setNotBefore('0s')
      .setExpirationTime('1h')
      .sign(privateKey);
  return {
    publicKey,
    jwks,
    /** The key `clients.jwt`, where the keys are at this address or in the configuration. */
    yaml: (more: string, url: string | null = null): string =>
      `jwt: { issuer: "${ISSUER}", audience: soapstone, algorithms: [ES256], ${url === null ? `jwks: '${jwks}'` : `jwksUrl: "${url}"`}, ${more} }`,
    sign,
    /** The header field of a client with a token of these claims. */
    bearer: async (claims: JWTPayload) => ({ authorization: `Bearer ${await sign(claims)}` }),
  };
}
