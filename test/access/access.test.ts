import { exportJWK, generateKeyPair } from 'jose';
import t from 'tap';
import { ByAddress, OrderedAccess, openAccess, UNRESTRICTED } from '../../src/access/access.js';
import { ApiKeys } from '../../src/access/api-keys.js';
import { Certificates } from '../../src/access/certificates.js';
import type { CallerIdentity, Client, ClientClass } from '../../src/access/client.js';
import { clientAddress, subscriberOf } from '../../src/access/network/address.js';
import { Forwarding } from '../../src/access/network/forwarding.js';
import { isNetwork, Networks } from '../../src/access/network/networks.js';
import { IssuerKeys, KEYS_LIFE_MILLIS } from '../../src/access/tokens/issuer-keys.js';
import { TokenIssuer, type TokenRules, Tokens } from '../../src/access/tokens/tokens.js';
import { Refusal } from '../../src/core/refusals/refusal.js';
import { bindingBy } from '../kit/proofs.js';
import { AUDIENCE, ISSUER, makeIssuer } from '../kit/token-issuer.js';

const classNamed = (name: string): ClientClass => ({ ...UNRESTRICTED, name });
const [GOLD, PLAIN] = [classNamed('gold'), classNamed('plain')];
const from = (headers: CallerIdentity['headers'], address = '192.0.2.1'): CallerIdentity => ({
  headers,
  address,
});

/** The refusal of what must not get in. */
async function refusal(identify: () => Client | Promise<Client | null> | null): Promise<Refusal> {
  try {
    const client = await identify();
    throw new Error(`let in as ${client?.id}`);
  } catch (caught) {
    if (caught instanceof Refusal) return caught;
    throw caught;
  }
}

t.test('networks: addresses in and out of them, of both families', async (t) => {
  for (const text of ['10.0.0.1', '10.0.0.0/8', '::1', 'fd00::/8', '0.0.0.0/0', '2001:db8::/128'])
    t.ok(isNetwork(text), text);
  for (const text of [
    '',
    '10.0.0',
    '10.0.0.0/33',
    '::/129',
    'localhost',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '::1%lo',
    '1.2.3.4/-1',
  ]) {
    t.notOk(isNetwork(text), text);
  }
  const networks = new Networks(['10.0.0.0/8', '192.0.2.7', 'fd00::/8']);
  for (const address of ['10.255.0.1', '192.0.2.7', 'fd12::1'])
    t.ok(networks.has(address), address);
  for (const address of ['11.0.0.1', '192.0.2.8', 'fe00::1', '', 'unknown', '10.0.0.1.evil'])
    t.notOk(networks.has(address), address);
  t.notOk(new Networks([]).has('10.0.0.1'));
});

t.test(
  'the certificate field of a trusted proxy is forwarded as it came, that of a client never',
  async (t) => {
    const access = new OrderedAccess([
      new Certificates('X-Cert', [], PLAIN, new Networks(['10.0.0.0/8'])),
    ]);
    for (const [address, expected] of [
      ['10.0.0.1', 'CN=bank'],
      ['192.0.2.1', undefined],
      ['', undefined],
    ] as const) {
      const headers: Record<string, string> = { 'x-cert': 'CN=bank', 'x-other': 'stays' };
      access.withhold({ headers, address });
      t.same(
        headers,
        { 'x-other': 'stays', ...(expected === undefined ? {} : { 'x-cert': expected }) },
        address,
      );
    }
  },
);

t.test(
  'the address of the client: what trusted proxies added last, and nothing of what stands before',
  async (t) => {
    const proxies = new Networks(['10.0.0.0/8', 'fd00::/8']);
    const cases: readonly [string, string | readonly string[] | undefined, string, string][] = [
      ['192.0.2.1', '203.0.113.9', '192.0.2.1', 'of a stranger the field means nothing'],
      ['10.0.0.1', undefined, '10.0.0.1', 'a proxy that says nothing'],
      ['10.0.0.1', '203.0.113.9', '203.0.113.9', 'one hop'],
      [
        '10.0.0.1',
        '198.51.100.1, 203.0.113.9',
        '203.0.113.9',
        'what the client wrote itself is not believed',
      ],
      ['10.0.0.1', '198.51.100.1, 203.0.113.9, 10.0.0.2', '203.0.113.9', 'two hops'],
      ['10.0.0.1', ['198.51.100.1', '203.0.113.9'], '203.0.113.9', 'two fields'],
      ['10.0.0.1', '203.0.113.9, 10.0.0.3,10.0.0.2', '203.0.113.9', 'three hops'],
      ['10.0.0.1', '10.0.0.9', '10.0.0.9', 'only proxies: the first of them'],
      ['10.0.0.1', '203.0.113.9, rubbish', '10.0.0.1', 'what is no address ends the search'],
      ['10.0.0.1', '203.0.113.9, ', '10.0.0.1', 'and so does nothing'],
      ['10.0.0.1', '203.0.113.9:4711', '203.0.113.9', 'with a port'],
      ['10.0.0.1', '[2001:db8::1]:4711', '2001:db8::1', 'IPv6 with a port'],
      ['10.0.0.1', '::ffff:203.0.113.9', '203.0.113.9', 'IPv4 in IPv6'],
      ['10.0.0.1', '::ffff:c633:6407', '198.51.100.7', 'in hexadecimal'],
      ['10.0.0.1', '::FFFF:0:1', '0.0.0.1', 'with zeros left out'],
      ['10.0.0.1', '0:0:0:0:0:ffff:c633:6408', '198.51.100.8', 'written out'],
      ['10.0.0.1', '0:0:0:0:0:ffff:198.51.100.9', '198.51.100.9', 'written out with dots'],
      ['10.0.0.1', '2001:db8::ffff:c633:6407', '2001:db8::ffff:c633:6407', 'no IPv4'],
      ['10.0.0.1', '::1:ffff:c633:6407', '::1:ffff:c633:6407', 'nor this'],
      ['fd00::1', '2001:db8::1', '2001:db8::1', 'IPv6'],
      ['', '203.0.113.9', '', 'a connection that is gone'],
    ];
    for (const [address, field, expected, name] of cases) {
      t.equal(
        clientAddress({ address, headers: { 'x-forwarded-for': field } }, proxies),
        expected,
        name,
      );
    }
    const long = `203.0.113.9${', 10.0.0.2'.repeat(100_000)}`;
    t.equal(
      clientAddress({ address: '10.0.0.1', headers: { 'x-forwarded-for': long } }, proxies),
      '10.0.0.2',
      'bounded',
    );
  },
);

t.test('of IPv6 one subscriber is one client, however it writes its address', async (t) => {
  const one = subscriberOf('2001:db8:0:7::1');
  for (const same of [
    '2001:db8:0:7:ffff:ffff:ffff:ffff',
    '2001:0DB8:0000:0007::',
    '2001:db8:0:7:0:0:192.0.2.1',
  ]) {
    t.equal(subscriberOf(same), one, same);
  }
  for (const other of ['2001:db8:0:8::1', '2001:db8::7:0:0:1', '::1', '2001:db8:0:70::1'])
    t.not(subscriberOf(other), one, other);
  t.equal(subscriberOf('192.0.2.1'), '192.0.2.1');
  t.equal(subscriberOf('::'), '0:0:0:0::/64');
});

t.test('API keys: exactly the one that was given out', async (t) => {
  const keys = new ApiKeys('X-Api-Key', [
    { name: 'erp', rights: GOLD, keys: ['a-key-of-the-erp-0001', 'a-key-of-the-erp-0002'] },
    { name: 'web', rights: PLAIN, keys: ['a-key-of-the-web-0001'] },
  ]);
  t.equal(keys.identify(from({})), null, 'none');
  t.match(keys.identify(from({ 'x-api-key': 'a-key-of-the-erp-0002' })), {
    name: 'erp',
    className: 'gold',
    id: 'apiKey:erp',
  });
  t.equal(keys.identify(from({ 'x-api-key': 'a-key-of-the-web-0001' }))?.className, 'plain');
  const wrong = [
    '',
    ' ',
    'a-key-of-the-erp-000',
    'a-key-of-the-erp-00011',
    ' a-key-of-the-erp-0001',
    'A-KEY-OF-THE-ERP-0001',
    '__proto__',
    'x'.repeat(1e6),
  ];
  for (const key of wrong) {
    t.equal(
      (await refusal(() => keys.identify(from({ 'x-api-key': key })))).code,
      'UNAUTHENTICATED',
      key.slice(0, 30),
    );
  }
  t.equal(
    (await refusal(() => keys.identify(from({ 'x-api-key': ['a', 'b'] })))).code,
    'UNAUTHENTICATED',
    'twice',
  );
});

t.test('certificates: believed of trusted proxies only', async (t) => {
  const proxies = new Networks(['10.0.0.1']);
  const listed = [{ name: 'erp', rights: GOLD, subject: 'CN=erp,O=Example' }];
  const closed = new Certificates('x-client-certificate', listed, null, proxies);
  const subject = (text: string): CallerIdentity['headers'] => ({ 'x-client-certificate': text });
  t.match(closed.identify(from(subject('CN=erp,O=Example'), '10.0.0.1')), {
    name: 'erp',
    className: 'gold',
  });
  t.equal(
    closed.identify(from(subject('CN=erp,O=Example'), '10.0.0.2')),
    null,
    'of anybody else it is nothing',
  );
  t.equal(closed.identify(from(subject(''), '10.0.0.1')), null, 'no certificate');
  t.equal(
    (await refusal(() => closed.identify(from(subject('CN=other'), '10.0.0.1')))).code,
    'UNAUTHENTICATED',
  );
  const open = new Certificates('x-client-certificate', listed, PLAIN, proxies);
  const other = open.identify(from(subject('CN=other'), '10.0.0.1'));
  t.match(other, { name: null, className: 'plain', id: 'subject:CN=other' });
  t.notMatch(other?.label, 'other', 'the log does not tell who');
  const [stranger, erp] = [subject('erp'), subject('CN=erp,O=Example')].map((headers) =>
    open.identify(from(headers, '10.0.0.1')),
  );
  t.not(stranger?.id, erp?.id, 'whoever calls itself by a name that is listed is another');
});

t.test('the first credentials a request has decide, for better or worse', async (t) => {
  const keys = new ApiKeys('x-api-key', [
    { name: 'erp', rights: GOLD, keys: ['a-key-of-the-erp-0001'] },
  ]);
  const anybody = new ByAddress(PLAIN, new Networks([]));
  const access = new OrderedAccess([keys, anybody]);
  t.match(access.identify(from({ 'x-api-key': 'a-key-of-the-erp-0001' })), { className: 'gold' });
  t.match(access.identify(from({})), { className: 'plain', id: 'address:192.0.2.1' });
  t.equal(
    (await refusal(() => access.identify(from({ 'x-api-key': 'wrong' })))).code,
    'UNAUTHENTICATED',
    'no way around',
  );
  t.equal(
    (await refusal(() => new OrderedAccess([keys]).identify(from({})))).code,
    'UNAUTHENTICATED',
    'none at all',
  );
  t.match(openAccess(new Networks([])).identify(from({})), { className: 'default', budget: null });
});

t.test('tokens', async (t) => {
  const issuer = await makeIssuer();
  const other = await generateKeyPair('ES256');
  const rules: TokenRules = {
    issuer: ISSUER,
    audience: AUDIENCE,
    algorithms: ['ES256', 'RS256'],
    toleranceMillis: 60_000,
    requireNotBefore: true,
    forward: false,
    binding: bindingBy('none'),
    clientClaim: 'sub',
    logAs: 'digest',
    scopesClaim: 'scope',
    classClaim: 'tier',
    classes: new Map([['gold', GOLD]]),
    otherwise: PLAIN,
  };
  let fetched = 0;
  const tokens = new Tokens([
    new TokenIssuer(rules, async () => {
      fetched++;
      return issuer.keySet;
    }),
  ]);
  const { claims: CLAIMS, sign } = issuer;
  const bearer = (token: string): CallerIdentity => from({ authorization: `Bearer ${token}` });

  await t.test(
    'a good one tells client, class and claims, and is known at once the next time',
    async (t) => {
      const token = await sign({ tier: 'gold' });
      const client = await tokens.identify(bearer(token));
      t.match(client, {
        id: 'jwt:https://login.example alice@example',
        className: 'gold',
        claims: { tier: 'gold' },
        expiresMillis: (Number(CLAIMS['exp']) + 60) * 1000,
      });
      t.notMatch(client?.label, 'alice', 'the log does not tell who');
      t.equal(tokens.identify(bearer(token)), client, 'without waiting');
      t.match(
        await tokens.identify(from({ authorization: `bearer ${await sign()}` })),
        { className: 'plain' },
        'no class named',
      );
      t.match(await tokens.identify(bearer(await sign({ tier: '__proto__' }))), {
        className: 'plain',
      });
      t.match(
        await tokens.identify(
          bearer(
            await sign(
              { aud: ['x', AUDIENCE] },
              { alg: 'RS256', kid: 'rsa' },
              issuer.rsa.privateKey,
            ),
          ),
        ),
        {
          className: 'plain',
        },
      );
      t.equal(fetched, 1, 'keys are asked for once');
    },
  );

  await t.test('scopes come as a text or as a list', async (t) => {
    for (const [scope, expected] of [
      ['orders:read  bank', ['orders:read', 'bank']],
      [
        ['orders:read', 'bank', 7, ''],
        ['orders:read', 'bank'],
      ],
      [undefined, []],
      [7, []],
      [{ bank: true }, []],
    ] as const) {
      const client = await tokens.identify(bearer(await sign({ scope })));
      t.same([...(client?.scopes ?? [])], expected, JSON.stringify(scope));
    }
  });

  await t.test('no token, or another scheme, is no matter of ours', async (t) => {
    t.equal(tokens.identify(from({})), null);
    t.equal(tokens.identify(from({ authorization: 'Basic YTpi' })), null);
  });

  await t.test('claims that are missing, wrong or out of time', async (t) => {
    // Others are vectors of the catalogue (K07).
    const bad: Record<string, Record<string, unknown>> = {
      'another issuer': { iss: `${ISSUER}/` },
      'another audience': { aud: 'other' },
      'a client that is no text': { sub: { a: 1 } },
      'a client that is a novel': { sub: 'x'.repeat(2000) },
      'exp as text': { exp: '9999999999' },
    };
    for (const [name, claims] of Object.entries(bad)) {
      const { code, detail } = await refusal(async () =>
        tokens.identify(bearer(await sign(claims))),
      );
      t.equal(code, 'UNAUTHENTICATED', name);
      t.notMatch(detail, /alice|9999999999|other|xxx/, `${name}: nothing of it in the log`);
    }
    t.ok(
      await tokens.identify(bearer(await sign({ exp: Date.now() / 1000 - 30 }))),
      'clocks may differ by a minute',
    );
    const lax = new Tokens([
      new TokenIssuer(
        { ...rules, requireNotBefore: false, otherwise: null },
        async () => issuer.keySet,
      ),
    ]);
    t.ok(
      await lax.identify(bearer(await sign({ nbf: undefined, tier: 'gold' }))),
      'nbf may be waived',
    );
    t.equal(
      (await refusal(async () => lax.identify(bearer(await sign())))).code,
      'UNAUTHENTICATED',
      'no class',
    );
  });

  await t.test('the issuer that a token names chooses its rules', async (t) => {
    const otherKeys = JSON.stringify({
      keys: [{ ...(await exportJWK(other.publicKey)), kid: 'one', use: 'sig' }],
    });
    const partner = {
      ...rules,
      issuer: 'https://partner.example',
      audience: 'partners',
      otherwise: GOLD,
    };
    const issuers = [
      new TokenIssuer(rules, async () => issuer.keySet),
      new TokenIssuer(partner, async () => otherKeys),
    ];
    const both = new Tokens(issuers);
    const OF_PARTNER = { iss: 'https://partner.example', aud: 'partners' };
    const own = await both.identify(bearer(await sign()));
    const its = await both.identify(bearer(await sign(OF_PARTNER, {}, other.privateKey)));
    t.match([own?.className, its?.className], ['plain', 'gold']);
    t.not(own?.id, its?.id, 'subjects of different issuers are different clients');
    const bad: Record<string, string> = {
      'of one issuer by the key of the other': await sign({}, {}, other.privateKey),
      'for the audience of the other': await sign({ aud: 'partners' }),
      'of an unknown issuer': await sign({ iss: `${ISSUER}/` }),
      'of several issuers': await sign({ iss: [ISSUER, 'https://partner.example'] }),
      'of no issuer': await sign({ iss: '' }),
      'of an issuer like a property': await sign({ iss: '__proto__' }),
    };
    for (const [name, token] of Object.entries(bad))
      t.equal((await refusal(() => both.identify(bearer(token)))).code, 'UNAUTHENTICATED', name);
    const first = new Tokens(issuers, true);
    t.equal(
      first.identify(bearer(bad['of an unknown issuer'] ?? '')),
      null,
      'left to the next way',
    );
    t.equal(first.identify(bearer('opaque')), null);
    t.equal(
      (await refusal(() => first.identify(bearer(bad['for the audience of the other'] ?? ''))))
        .code,
      'UNAUTHENTICATED',
    );
    const headers: Record<string, string> = { authorization: `Bearer ${await sign(OF_PARTNER)}` };
    both.withhold({ headers, address: '192.0.2.1' });
    t.same(headers, {}, 'a token for the gateway goes no further, whoever it names as its issuer');
  });

  await t.test('a token that is bound to a certificate comes with it', async (t) => {
    const certificate = { subject: 'CN=erp', names: [], fingerprint: 'AB:CD', endMillis: 9e15 };
    const bound = await sign({
      cnf: { 'x5t#S256': Buffer.from('abcd', 'hex').toString('base64url') },
    });
    for (let time = 0; time < 2; time++) {
      t.ok(await tokens.identify({ ...bearer(bound), certificate }), 'known or not');
      for (const other of [null, { ...certificate, fingerprint: 'AB:CE' }])
        t.equal(
          (await refusal(() => tokens.identify({ ...bearer(bound), certificate: other }))).code,
          'UNAUTHENTICATED',
        );
    }
    for (const cnf of [{ jkt: 'x' }, 'x', null]) {
      const token = await sign({ cnf });
      t.equal(
        (await refusal(() => tokens.identify({ ...bearer(token), certificate }))).code,
        'UNAUTHENTICATED',
      );
    }
  });

  // Forged ones are vectors of the catalogue (K06).
  await t.test('two of them', async (t) => {
    t.equal(
      (await refusal(() => tokens.identify(from({ authorization: ['Bearer x', 'Bearer y'] }))))
        .code,
      'UNAUTHENTICATED',
    );
    t.ok(fetched <= 2, `keys were asked for ${fetched} times`);
  });
});

t.test(
  'keys of an issuer: asked for seldom, kept while it is away, replaced when it has others',
  async (t) => {
    const clock = { millis: 0 };
    let asked = 0;
    let answer: string | Error = new Error('down');
    const keys = new IssuerKeys({
      fetch: async () => {
        asked++;
        if (answer instanceof Error) throw answer;
        return answer;
      },
      read: (text) => ({ text }),
      clock: () => clock.millis,
    });
    t.equal(await keys.current(), null, 'there are none: closed');
    for (let time = 0; time < 100; time++) await keys.current();
    t.equal(asked, 1, 'and nobody asks all the time');
    clock.millis += 30_000;
    answer = 'first';
    const same = await Promise.all([keys.current(), keys.current(), keys.current()]);
    t.equal(asked, 2, 'those who come together ask once');
    t.equal(new Set(same).size, 1);
    const first = same[0] ?? null;
    if (first === null) throw new Error('no keys');
    t.equal(await keys.newer(first), first, 'just asked');
    clock.millis += 30_000;
    answer = 'second';
    const second = await keys.newer(first);
    t.same(second, { text: 'second' });
    t.equal(await keys.newer(first), second, 'who comes with the old ones gets those there are');
    answer = new Error('down');
    clock.millis += 3_600_000;
    t.equal(await keys.current(), second, 'old ones are good while the issuer is away');
    t.equal(asked, 4);
  },
);

t.test(
  'keys of an issuer that cannot be reached are good for a day, and asked for again after a reload',
  async (t) => {
    const clock = { millis: 0 };
    let asked = 0;
    let answer: string | Error = 'first';
    const make = (): IssuerKeys<{ readonly text: string }> =>
      new IssuerKeys({
        fetch: async () => {
          asked++;
          if (answer instanceof Error) throw answer;
          return answer;
        },
        read: (text) => ({ text }),
        clock: () => clock.millis,
      });
    const keys = make();
    const first = await keys.current();
    answer = new Error('down');
    for (clock.millis = 3_600_000; clock.millis <= KEYS_LIFE_MILLIS; clock.millis += 3_600_000)
      t.equal(await keys.current(), first);
    clock.millis = KEYS_LIFE_MILLIS + 1;
    t.equal(await keys.current(), null, 'closed');
    answer = 'second';
    clock.millis += 30_000;
    const second = await keys.current();
    t.same(second, { text: 'second' });

    answer = 'third';
    const afterReload = make();
    afterReload.keep(keys);
    asked = 0;
    const got = await Promise.all([afterReload.current(), afterReload.current()]);
    t.same(got, [{ text: 'third' }, { text: 'third' }], 'the first tokens wait for the answer');
    t.equal(asked, 1);
    await afterReload.current();
    t.equal(asked, 1);

    answer = new Error('down');
    const away = make();
    away.keep(afterReload);
    t.same(
      await away.current(),
      { text: 'third' },
      'what was there stays while the issuer is away',
    );
    await away.current();
    t.equal(asked, 2, 'and it is not asked all the time');
    answer = 'fourth';
    clock.millis += 30_000;
    await away.current();
    await new Promise((resolve) => setImmediate(resolve));
    t.same(await away.current(), { text: 'fourth' }, 'but soon');
  },
);

t.test('pipelined requests are logged with their own connection and host', async (t) => {
  const forwarding = new Forwarding(new Networks([]));
  const callers = [
    { address: '198.51.100.7', host: 'a.example', isTls: false },
    { address: '198.51.100.8', host: 'a.example', isTls: false },
    { address: '198.51.100.8', host: 'b.example', isTls: false },
    { address: '198.51.100.8', host: 'b.example', isTls: true },
  ];
  for (const { address, host, isTls } of [...callers, ...callers.toReversed(), ...callers]) {
    const fields = forwarding.fields({ address, headers: { host }, isTls });
    t.equal(fields.at(-1), `for=${address};host="${host}";proto=${isTls ? 'https' : 'http'}`);
  }
});
