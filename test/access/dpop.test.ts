import { createHash, createSign, generateKeyPairSync } from 'node:crypto';
import { calculateJwkThumbprint, SignJWT } from 'jose';
import t from 'tap';
import { UNRESTRICTED } from '../../src/access/access.js';
import type { CallerIdentity, Client } from '../../src/access/client.js';
import { Networks } from '../../src/access/network/networks.js';
import { type ReachedBy, TargetUris } from '../../src/access/network/target-uri.js';
import type { ProofRules } from '../../src/access/tokens/dpop-proofs.js';
import { ProofNonces } from '../../src/access/tokens/proof-nonces.js';
import type { ProofDemand } from '../../src/access/tokens/token-binding.js';
import { TokenIssuer, Tokens } from '../../src/access/tokens/tokens.js';
import { UsedProofs } from '../../src/access/tokens/used-proofs.js';
import { Refusal } from '../../src/core/refusals/refusal.js';
import { bindingBy, makeProver } from '../kit/proofs.js';
import { AUDIENCE, ISSUER, makeIssuer } from '../kit/token-issuer.js';

/** Tokens that are bound to a key (RFC 9449) or to a certificate (RFC 8705). */

const URL_OF_CALL = 'https://api.example/graphql';
const CERTIFICATE = { subject: 'CN=erp', names: [], fingerprint: 'AB:CD', endMillis: 9e15 };

const issuer = await makeIssuer();
const prover = await makeProver();
const token = await issuer.sign({ cnf: { jkt: prover.thumbprint } });
const call = { url: URL_OF_CALL, token };

const tokensBy = (demand: ProofDemand, rules: Partial<ProofRules> = {}): Tokens =>
  new Tokens([
    new TokenIssuer(
      {
        issuer: ISSUER,
        audience: AUDIENCE,
        algorithms: ['ES256'],
        toleranceMillis: 60_000,
        requireNotBefore: false,
        forward: false,
        binding: bindingBy(demand, rules),
        clientClaim: 'sub',
        logAs: 'digest',
        scopesClaim: 'scope',
        classClaim: null,
        classes: new Map(),
        otherwise: UNRESTRICTED,
      },
      async () => issuer.keySet,
    ),
  ]);

const aloneProofs = (): UsedProofs => new UsedProofs(null, null, null);

const caller = (
  headers: CallerIdentity['headers'],
  more: Partial<CallerIdentity> = {},
  proofs = aloneProofs(),
): CallerIdentity => ({
  headers,
  address: '192.0.2.1',
  proven: { method: 'POST', path: '/graphql', proofs, answer: null },
  ...more,
});

/** The challenge of a refusal by its error; `identified` for a request that is not refused. */
async function outcomeOf(identify: () => Client | Promise<Client> | null): Promise<string> {
  try {
    return (await identify()) === null ? 'no token' : 'identified';
  } catch (caught) {
    if (!(caught instanceof Refusal)) throw caught;
    const error = /error="(\w+)"/.exec(caught.tokenChallenges?.join() ?? '')?.[1];
    return error ?? caught.code;
  }
}

t.test('each check of a proof (RFC 9449 section 4.3)', async (t) => {
  const tokens = tokensBy('dpop');
  const other = await makeProver();
  const now = Math.floor(Date.now() / 1000);
  const outcome = (dpop: string | readonly string[] | undefined): Promise<string> =>
    outcomeOf(() => tokens.identify(caller({ authorization: `DPoP ${token}`, dpop })));
  const good = await prover.proof(call);
  const [head = '', body = '', signature = ''] = good.split('.');
  t.equal(await outcome(good), 'identified', 'a proof in order');
  t.equal(await outcome(await prover.proof(call, { iat: now + 8 })), 'identified', 'clocks differ');

  const malformed: Readonly<Record<string, string | readonly string[] | undefined>> = {
    'no field': undefined,
    'two fields': `${good}, ${await prover.proof(call)}`,
    'two fields in a list': [good, good],
    'an empty field': '',
    'not a JWT': 'proof',
    'without a signature': `${head}.${body}.`,
    'with more parts': `${good}.x`,
    'a header that is no JSON': `${Buffer.from('{').toString('base64url')}.${body}.${signature}`,
    'another signature': `${head}.${body}.${'A'.repeat(86)}`,
    'another body': `${head}.${Buffer.from('{}').toString('base64url')}.${signature}`,
    'too long': await prover.proof(call, { more: 'x'.repeat(8192) }),
  };
  for (const [name, field] of Object.entries(malformed)) {
    t.equal(await outcome(field), 'invalid_dpop_proof', name);
  }

  const { privateJwk } = prover;
  const secret = new TextEncoder().encode('s'.repeat(32));
  const headers: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
    'no typ': { typ: undefined },
    'typ JWT': { typ: 'JWT' },
    'typ in capitals': { typ: 'DPOP+JWT' },
    'no jwk': { jwk: undefined },
    'a jwk that is a text': { jwk: 'x' },
    'a private jwk': { jwk: privateJwk },
    'a jwk of a secret': { jwk: { kty: 'oct', k: 'AAAA' } },
    'a jwk of a name of prototypes': { jwk: { kty: 'constructor' } },
    'a jwk without a member': { jwk: { ...prover.jwk, y: undefined } },
    'a jwk that is no point of its curve': { jwk: { ...prover.jwk, y: prover.jwk['x'] } },
    'a long RSA key': { jwk: { kty: 'RSA', n: 'A'.repeat(2_000), e: 'AQAB' } },
    'a long RSA exponent': { jwk: { kty: 'RSA', n: 'A'.repeat(342), e: 'A'.repeat(20) } },
  };
  for (const [name, header] of Object.entries(headers)) {
    const proof = await prover.proof(call, {}, header).catch(() => null);
    if (proof === null) {
      t.fail(`${name}: the vector cannot be made`);
    } else {
      t.equal(await outcome(proof), 'invalid_dpop_proof', name);
    }
  }
  const signed = await new SignJWT({ jti: 'x' })
    .setProtectedHeader({ typ: 'dpop+jwt', alg: 'HS256', jwk: prover.jwk })
    .sign(secret);
  t.equal(await outcome(signed), 'invalid_dpop_proof', 'alg of a secret');
  const none = Buffer.from(JSON.stringify({ typ: 'dpop+jwt', alg: 'none', jwk: prover.jwk }));
  t.equal(
    await outcome(`${none.toString('base64url')}.${body}.${signature}`),
    'invalid_dpop_proof',
  );

  const claims: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
    'no jti': { jti: undefined },
    'an empty jti': { jti: '' },
    'a long jti': { jti: 'x'.repeat(257) },
    'a jti that is a number': { jti: 7 },
    'no htm': { htm: undefined },
    'another method': { htm: 'GET' },
    'the method in small letters': { htm: 'post' },
    'no htu': { htu: undefined },
    'another path': { htu: 'https://api.example/other' },
    'another host': { htu: 'https://other.example/graphql' },
    'another scheme': { htu: 'http://api.example/graphql' },
    'another port': { htu: 'https://api.example:8443/graphql' },
    'a path alone': { htu: '/graphql' },
    'user information': { htu: 'https://user@api.example/graphql' },
    'no iat': { iat: undefined },
    'an iat that is a text': { iat: String(now) },
    'an iat long ago': { iat: now - 62 },
    'an iat in the future': { iat: now + 12 },
    'no ath': { ath: undefined },
    'ath of another token': { ath: createHash('sha256').update('other').digest('base64url') },
    'ath in another form': { ath: createHash('sha256').update(token).digest('hex') },
    'an end in the past': { exp: now - 60 },
    'a beginning in the future': { nbf: now + 60 },
  };
  for (const [name, each] of Object.entries(claims)) {
    t.equal(await outcome(await prover.proof(call, each)), 'invalid_dpop_proof', name);
  }
  t.equal(await outcome(await other.proof(call)), 'invalid_token', 'the key of another client');
});

t.test('keys of all kinds sign proofs', async (t) => {
  for (const alg of ['ES256', 'ES384', 'PS256', 'RS256', 'EdDSA', 'Ed25519']) {
    const client = await makeProver(alg);
    const own = await issuer.sign({ cnf: { jkt: client.thumbprint } });
    const fields = await client.fields({ url: URL_OF_CALL, token: own });
    t.equal(await outcomeOf(() => tokensBy('dpop').identify(caller(fields))), 'identified', alg);
  }
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
  const jwk = publicKey.export({ format: 'jwk' });
  const own = await issuer.sign({ cnf: { jkt: await calculateJwkThumbprint(jwk) } });
  const header = Buffer.from(JSON.stringify({ typ: 'dpop+jwt', alg: 'RS256', jwk }));
  const ath = createHash('sha256').update(own).digest('base64url');
  const iat = Math.floor(Date.now() / 1000);
  const claims = Buffer.from(JSON.stringify({ jti: 'a', htm: 'POST', htu: URL_OF_CALL, iat, ath }));
  const signed = `${header.toString('base64url')}.${claims.toString('base64url')}`;
  const signature = createSign('sha256').update(signed).sign(privateKey, 'base64url');
  const fields = { authorization: `DPoP ${own}`, dpop: `${signed}.${signature}` };
  t.equal(
    await outcomeOf(() => tokensBy('dpop').identify(caller(fields))),
    'invalid_dpop_proof',
    'RSA of 1024 bits',
  );
});

t.test('a proof is taken once, by its client', async (t) => {
  const tokens = tokensBy('dpop');
  const proofs = aloneProofs();
  const fields = await prover.fields(call, { jti: 'one' });
  const outcome = (headers: CallerIdentity['headers']): Promise<string> =>
    outcomeOf(() => tokens.identify(caller(headers, {}, proofs)));
  const both = await Promise.all([outcome(fields), outcome(fields)]);
  t.same(both.sort(), ['identified', 'invalid_dpop_proof'], 'also of two at the same time');
  t.equal(await outcome(fields), 'invalid_dpop_proof');
  t.equal(await outcome(await prover.fields(call, { jti: 'one' })), 'invalid_dpop_proof');
  t.equal(await outcome(await prover.fields(call, { jti: 'two' })), 'identified');
  const other = await makeProver();
  const own = await issuer.sign({ cnf: { jkt: other.thumbprint } });
  const same = await other.fields({ url: URL_OF_CALL, token: own }, { jti: 'one' });
  t.equal(await outcome(same), 'identified', 'the name is that of another client');
});

t.test('a proof is remembered for longer than it is fresh', async (t) => {
  const kept: number[] = [];
  const claim = async (_service: string, _nonce: unknown, keptMillis: number): Promise<'new'> => {
    kept.push(keptMillis);
    return 'new';
  };
  const proofs = new UsedProofs(null, null, { claim });
  const iat = Math.floor(Date.now() / 1000);
  const fields = await prover.fields(call, { iat });
  const later = await prover.fields(call, { iat });
  const outcome = (headers: CallerIdentity['headers']): Promise<string> =>
    outcomeOf(() => tokensBy('dpop').identify(caller(headers, {}, proofs)));
  t.equal(await outcome(fields), 'identified');
  t.ok((kept[0] ?? 0) > 60_000, 'replicas whose clocks are late');
  const now = Date.now;
  t.teardown(() => {
    Date.now = now;
  });
  Date.now = () => iat * 1000 + 60_000;
  t.equal(await outcome(later), 'identified', 'at its last moment');
  t.equal(await outcome(fields), 'invalid_dpop_proof', 'no second time');
});

t.test('a proof that is refused takes no place among those that were used', async (t) => {
  const tokens = tokensBy('dpop', { proofsMax: 1 });
  const proofs = aloneProofs();
  const outcome = async (claims: Readonly<Record<string, unknown>>): Promise<string> => {
    const fields = await prover.fields(call, claims);
    return outcomeOf(() => tokens.identify(caller(fields, {}, proofs)));
  };
  t.equal(await outcome({ htm: 'GET' }), 'invalid_dpop_proof');
  t.equal(await outcome({}), 'identified', 'at the limit');
  t.equal(await outcome({}), 'OVERLOADED', 'beyond it');
});

t.test('proofs of other processes are asked about', async (t) => {
  const answers = { workers: 'new' as 'new' | 'seen' | 'full' | null, replicas: 'new' as const };
  const proofs = new UsedProofs(
    'secret',
    async () => {
      if (answers.workers === null) throw new Error('no answer');
      return answers.workers;
    },
    { claim: async () => answers.replicas },
  );
  const outcome = async (): Promise<string> => {
    const fields = await prover.fields(call);
    return outcomeOf(() => tokensBy('dpop').identify(caller(fields, {}, proofs)));
  };
  t.equal(await outcome(), 'identified');
  answers.workers = 'seen';
  t.equal(await outcome(), 'invalid_dpop_proof');
  answers.workers = 'full';
  t.equal(await outcome(), 'OVERLOADED');
  answers.workers = null;
  t.equal(await outcome(), 'CREDENTIALS_UNVERIFIED', 'closed where they cannot be asked');
});

t.test('the binding of a token by what is demanded', async (t) => {
  const x5t = Buffer.from('abcd', 'hex').toString('base64url');
  const signed = {
    unbound: await issuer.sign(),
    key: token,
    certificate: await issuer.sign({ cnf: { 'x5t#S256': x5t } }),
    both: await issuer.sign({ cnf: { jkt: prover.thumbprint, 'x5t#S256': x5t } }),
    other: await issuer.sign({ cnf: { kid: 'x' } }),
    nothing: await issuer.sign({ cnf: {} }),
    number: await issuer.sign({ cnf: { jkt: 7 } }),
  };
  type Kind = keyof typeof signed;
  const outcome = async (demand: ProofDemand, kind: Kind, how: string): Promise<string> => {
    const own = signed[kind];
    const fields = await prover.fields({ url: URL_OF_CALL, token: own });
    const headers = how.includes('dpop') ? fields : { authorization: `Bearer ${own}` };
    const more = how.includes('certificate') ? { certificate: CERTIFICATE } : {};
    return outcomeOf(() => tokensBy(demand).identify(caller(headers, more)));
  };
  const table: readonly (readonly [Kind, string, string])[] = [
    ['unbound', 'bearer', 'none'],
    ['unbound', 'bearer certificate', 'none'],
    ['unbound', 'dpop', ''],
    ['key', 'bearer', ''],
    ['key', 'bearer certificate', ''],
    ['key', 'dpop', 'none dpop either'],
    ['certificate', 'bearer', ''],
    ['certificate', 'bearer certificate', 'none mtls either'],
    ['certificate', 'dpop certificate', ''],
    ['both', 'dpop', ''],
    ['both', 'bearer certificate', ''],
    ['both', 'dpop certificate', 'none dpop mtls either'],
    ['other', 'dpop certificate', ''],
    ['nothing', 'bearer', ''],
    ['number', 'dpop', ''],
  ];
  for (const [kind, how, taking] of table) {
    for (const demand of ['none', 'dpop', 'mtls', 'either'] as const) {
      const isTaken = taking.split(' ').includes(demand);
      const found = await outcome(demand, kind, how);
      t.equal(found === 'identified', isTaken, `proof: ${demand}, bound: ${kind}, sent: ${how}`);
    }
  }
});

t.test('the URI of a request as its callers reach the gateway', async (t) => {
  const proxy = '10.0.0.1';
  const reached = (more: Partial<ReachedBy>): TargetUris =>
    new TargetUris({
      publicUrl: null,
      hosts: [],
      listenHosts: ['127.0.0.1'],
      proxies: new Networks([proxy]),
      ...more,
    });
  const isTarget = (
    targets: TargetUris,
    uri: string,
    headers: CallerIdentity['headers'],
    address = '192.0.2.1',
    path = '/a/b',
  ): boolean => targets.isTarget(uri, { headers, address, isTls: false }, path);

  const open = reached({});
  const host = { host: 'gw.example:8080' };
  for (const same of [
    'http://gw.example:8080/a/b',
    'HTTP://GW.example:8080/a/b',
    'http://gw.example:8080/a/./x/../b?query=1#part',
    'http://gw.example:8080/%61/b',
    'ws://gw.example:8080/a/b',
  ]) {
    t.ok(isTarget(open, same, host), same);
  }
  for (const other of ['http://gw.example/a/b', 'http://gw.example:8080/a/b/', 'x', '']) {
    t.notOk(isTarget(open, other, host), other);
  }
  t.ok(isTarget(open, 'http://gw.example:80/a/b', { host: 'gw.example' }), 'the usual port');
  t.ok(isTarget(open, 'http://h/%2f', { host: 'h' }, '', '/%2F'), 'escapes in either case');
  t.notOk(isTarget(open, 'http://h//', { host: 'h' }, '', '/%2F'));
  t.notOk(isTarget(open, 'http://a b/a/b', { host: 'a b' }), 'no host');
  t.notOk(isTarget(open, 'http://gw/a/b', {}), 'no Host');

  const published = reached({ publicUrl: 'https://api.example/gateway/' });
  t.ok(isTarget(published, 'https://api.example/gateway/a/b', host), 'whatever the Host');
  t.notOk(isTarget(published, 'http://gw.example:8080/a/b', host), 'a Host of another server');
  t.ok(isTarget(published, 'http://127.0.0.1:4/a/b', { host: '127.0.0.1:4' }), 'directly');

  const named = reached({ hosts: ['gw.example'] });
  t.ok(isTarget(named, 'http://gw.example:8080/a/b', host));
  t.notOk(isTarget(named, 'http://evil.example/a/b', { host: 'evil.example' }));
  t.notOk(isTarget(named, 'http://192.0.2.9/a/b', { host: '192.0.2.9' }));
  const forwarded = { host: '10.0.0.7', 'x-forwarded-proto': 'https' };
  const behind = { ...forwarded, 'x-forwarded-host': 'gw.example' };
  t.ok(isTarget(named, 'https://gw.example/a/b', behind, proxy), 'a proxy names scheme and host');
  t.notOk(isTarget(named, 'https://gw.example/a/b', behind), 'another peer does not');
  t.notOk(
    isTarget(
      named,
      'https://evil.example/a/b',
      { ...behind, 'x-forwarded-host': 'evil.example' },
      proxy,
    ),
    'nor a host that is not of the gateway',
  );
});

t.test('a nonce of the gateway', async (t) => {
  let now = Date.now();
  const nonces = new ProofNonces([], 60_000, () => now);
  const tokens = tokensBy('dpop', { nonces });
  const proofs = aloneProofs();
  const offered: string[] = [];
  const answer = {
    setHeader(name: string, value: string) {
      t.equal(name, 'dpop-nonce');
      offered.push(value);
    },
  };
  const outcome = async (claims: Readonly<Record<string, unknown>>): Promise<string> => {
    const headers = await prover.fields(call, claims);
    const proven = { method: 'POST', path: '/graphql', proofs, answer };
    return outcomeOf(() => tokens.identify({ ...caller(headers), proven }));
  };
  t.equal(await outcome({}), 'use_dpop_nonce', 'is asked for');
  const [nonce = ''] = offered;
  t.match(nonce, /^[\w-]{40,}$/);
  t.equal(await outcome({ nonce: 7 }), 'use_dpop_nonce', 'a number');
  t.equal(await outcome({ nonce: `${nonce}x` }), 'use_dpop_nonce', 'another text');
  t.equal(await outcome({ nonce, iat: 1 }), 'invalid_dpop_proof', 'does not replace the time');
  offered.length = 0;
  t.equal(await outcome({ nonce }), 'identified');
  t.same(offered, [], 'while it is good for long');
  now += 40_000;
  t.equal(await outcome({ nonce }), 'identified');
  t.equal(offered.length, 1, 'the next one comes with an answer');
  now += 20_001;
  t.equal(await outcome({ nonce }), 'use_dpop_nonce', 'it ends');
  t.equal(await outcome({ nonce: offered.at(-1) }), 'identified');

  const [worker, stranger] = [new ProofNonces([], 60_000), new ProofNonces([], 60_000)];
  t.equal(worker.state(stranger.make('secret'), 'secret'), 'good', 'workers have one secret');
  t.equal(worker.state(stranger.make('secret'), 'other'), 'bad');
  const [before, after] = ['a', 'b'].map((each) => each.repeat(32));
  const turned = new ProofNonces([after ?? '', before ?? ''], 60_000);
  const replica = new ProofNonces([before ?? ''], 60_000);
  t.equal(turned.state(replica.make('one'), 'two'), 'good', 'replicas have keys, which rotate');
});

t.test('the credentials of an open connection are looked at again, not as new ones', async (t) => {
  const tokens = tokensBy('dpop', { nonces: new ProofNonces([], 60_000) });
  const long = { iat: Math.floor(Date.now() / 1000) - 3600 };
  const outcome = async (
    claims: Readonly<Record<string, unknown>>,
    isRepeated: boolean,
  ): Promise<string> => {
    const fields = await prover.fields(call, claims);
    return outcomeOf(() => tokens.identify(caller(fields, { isRepeated })));
  };
  t.equal(await outcome(long, true), 'identified');
  t.equal(await outcome(long, false), 'invalid_dpop_proof');
  t.equal(await outcome({ ...long, ath: 'x' }, true), 'invalid_dpop_proof', 'of the same token');
});
