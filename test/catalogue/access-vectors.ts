import { exportJWK, exportSPKI, generateKeyPair } from 'jose';
import type { TestIssuer } from '../kit/token-issuer.js';

/** A token, and the row and case of the table it is for. */
interface TokenVector {
  readonly row: string;
  readonly case: string;
  readonly token: string;
}

/** What must not get in, and what just may. */
export async function tokenVectors({
  keySet,
  rsa,
  claims: own,
  sign,
}: TestIssuer): Promise<readonly TokenVector[]> {
  const kid = 'one';
  const stranger = await generateKeyPair('ES256');
  const now = Math.floor(Date.now() / 1000);
  const hmac = (secret: string): Promise<string> =>
    sign({}, { alg: 'HS256', kid: 'rsa' }, Buffer.from(secret.padEnd(32, '0')));
  const good = await sign();
  const [head = '', payload = '', signature = ''] = good.split('.');
  const withHead = (header: unknown): string => `${encoded(header)}.${payload}.${signature}`;
  const forged: Record<string, string> = {
    'alg none': `${encoded({ alg: 'none' })}.${payload}.`,
    'alg none with a signature': withHead({ alg: 'none', kid }),
    'alg in another case': withHead({ alg: 'None', kid }),
    'HS256 with the public key': await hmac(await exportSPKI(rsa.publicKey)),
    'HS256 with the set of keys': await hmac(keySet),
    'HS256 with a JSON Web Key': await hmac(JSON.stringify(JSON.parse(keySet).keys[1])),
    'another key': await sign({}, {}, stranger.privateKey),
    'a key of its own': await sign(
      {},
      { jwk: await exportJWK(stranger.publicKey) },
      stranger.privateKey,
    ),
    jku: await sign({}, { jku: 'http://127.0.0.1:9/keys' }, stranger.privateKey),
    'kid as a path': await sign({}, { kid: '../../../../dev/null' }, stranger.privateKey),
    'kid as SQL': await sign({}, { kid: "x' UNION SELECT 'secret" }, stranger.privateKey),
    'crit that is not known': withHead({ alg: 'ES256', kid, crit: ['x'], x: 1 }),
    'other claims': `${head}.${encoded({ ...own, sub: 'bob' })}.${signature}`,
    'no signature': `${head}.${payload}.`,
    'a key of another algorithm': withHead({ alg: 'RS256', kid }),
    'two parts': `${head}.${payload}`,
    'four parts': `${good}.x`,
    'white space': `${head} .${payload}.${signature}`,
    huge: await sign({ more: 'x'.repeat(8192) }),
    empty: '',
  };
  const claims: Record<string, Record<string, unknown>> = {
    ...Object.fromEntries(
      ['iss', 'aud', 'exp', 'nbf', 'sub'].map((name) => [`no ${name}`, { [name]: undefined }]),
    ),
    'another issuer': { iss: `${own['iss']}/` },
    'another audience': { aud: 'other' },
    'expired 70 s ago': { exp: now - 70 },
    'expired 50 s ago': { exp: now - 50 },
    'not before 70 s from now': { nbf: now + 70 },
    'not before 50 s from now': { nbf: now + 50 },
    'exp as text': { exp: '9999999999' },
    'a client that is no text': { sub: { name: 'alice' } },
  };
  const signed = await Promise.all(
    Object.entries(claims).map(async ([name, each]) => [name, await sign(each)] as const),
  );
  return [
    ...Object.entries(forged).map(([name, token]) => ({ row: 'K06', case: name, token })),
    ...signed.map(([name, token]) => ({ row: 'K07', case: name, token })),
  ];
}

const encoded = (value: unknown): string =>
  Buffer.from(JSON.stringify(value)).toString('base64url');
