import { type CryptoKey, exportJWK, exportSPKI, generateKeyPair, SignJWT } from 'jose';

/** A token, and the row and case of the table it is for. */
interface TokenVector {
  readonly row: string;
  readonly case: string;
  readonly token: string;
}

/** An issuer of tokens with keys of its own. */
export interface Issuer {
  /** The keys, as the issuer shows them. */
  readonly keySet: string;
  sign(
    claims?: Record<string, unknown>,
    header?: Record<string, unknown>,
    key?: CryptoKey | Uint8Array,
  ): Promise<string>;
  /** What must not get in, and what just may. */
  vectors(): Promise<readonly TokenVector[]>;
}

export const ISSUER = 'https://login.example';
export const AUDIENCE = 'soapstone';

/** `kid` is the name of its key. */
export async function makeIssuer(kid = 'one'): Promise<Issuer> {
  const own = await generateKeyPair('ES256');
  const rsa = await generateKeyPair('RS256');
  const stranger = await generateKeyPair('ES256');
  const jwks = [
    { ...(await exportJWK(own.publicKey)), kid, use: 'sig' },
    { ...(await exportJWK(rsa.publicKey)), kid: 'rsa', use: 'sig' },
  ];
  const keySet = JSON.stringify({ keys: jwks });
  const now = Math.floor(Date.now() / 1000);
  const CLAIMS = { iss: ISSUER, aud: AUDIENCE, sub: 'alice@example', exp: now + 600, nbf: now - 10 };
  const sign: Issuer['sign'] = (claims = {}, header = {}, key = own.privateKey) =>
    new SignJWT(given({ ...CLAIMS, ...claims })).setProtectedHeader({ alg: 'ES256', kid, ...header }).sign(key);
  const hmac = (secret: string): Promise<string> =>
    sign({}, { alg: 'HS256', kid: 'rsa' }, Buffer.from(secret.padEnd(32, '0')));

  return {
    keySet,
    sign,
    async vectors() {
      const good = await sign();
      const [head = '', payload = '', signature = ''] = good.split('.');
      const withHead = (header: unknown): string => `${encoded(header)}.${payload}.${signature}`;
      const forged: Record<string, string> = {
        'alg none': `${encoded({ alg: 'none' })}.${payload}.`,
        'alg none with a signature': withHead({ alg: 'none', kid }),
        'alg in another case': withHead({ alg: 'None', kid }),
        'HS256 with the public key': await hmac(await exportSPKI(rsa.publicKey)),
        'HS256 with the set of keys': await hmac(keySet),
        'HS256 with a JSON Web Key': await hmac(JSON.stringify(jwks[1])),
        'another key': await sign({}, {}, stranger.privateKey),
        'a key of its own': await sign({}, { jwk: await exportJWK(stranger.publicKey) }, stranger.privateKey),
        jku: await sign({}, { jku: 'http://127.0.0.1:9/keys' }, stranger.privateKey),
        'kid as a path': await sign({}, { kid: '../../../../dev/null' }, stranger.privateKey),
        'kid as SQL': await sign({}, { kid: "x' UNION SELECT 'secret" }, stranger.privateKey),
        'crit that is not known': withHead({ alg: 'ES256', kid, crit: ['x'], x: 1 }),
        'other claims': `${head}.${encoded({ ...CLAIMS, sub: 'bob' })}.${signature}`,
        'no signature': `${head}.${payload}.`,
        'a key of another algorithm': withHead({ alg: 'RS256', kid }),
        'two parts': `${head}.${payload}`,
        'four parts': `${good}.x`,
        'white space': `${head} .${payload}.${signature}`,
        huge: await sign({ more: 'x'.repeat(8192) }),
        empty: '',
      };
      const claims: Record<string, Record<string, unknown>> = {
        ...Object.fromEntries(['iss', 'aud', 'exp', 'nbf', 'sub'].map((name) => [`no ${name}`, { [name]: undefined }])),
        'another issuer': { iss: `${ISSUER}/` },
        'another audience': { aud: 'other' },
        'expired 70 s ago': { exp: now - 70 },
        'expired 50 s ago': { exp: now - 50 },
        'not before 70 s from now': { nbf: now + 70 },
        'not before 50 s from now': { nbf: now + 50 },
        'exp as text': { exp: '9999999999' },
        'a client that is no text': { sub: { name: 'alice' } },
      };
      const signed = await Promise.all(
        Object.entries(claims).map(async ([name, own]) => [name, await sign(own)] as const),
      );
      return [
        ...Object.entries(forged).map(([name, token]) => ({ row: 'K06', case: name, token })),
        ...signed.map(([name, token]) => ({ row: 'K07', case: name, token })),
      ];
    },
  };
}

const given = (claims: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined));

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
