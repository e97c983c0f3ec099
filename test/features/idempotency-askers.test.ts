import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { WebSocket } from 'ws';
import { WSSE } from '../../src/wss/wsse-names.js';
import { answerBy } from '../kit/backend.js';
import { type Identity, makeKeys, RSA_KEY, WITH_OPENSSL } from '../kit/certificates.js';
import { useConfigFolder } from '../kit/configuration.js';
import { envelope, postSoap, WSA } from '../kit/envelope.js';
import { askText, postJson } from '../kit/graphql-client.js';
import { INIT, PROTOCOL, subscribe } from '../kit/live-desk.js';
import { payingBank } from '../kit/paying-bank.js';
import { securityOf, signedMessage, userToken } from '../kit/signed-message.js';
import { until } from '../kit/until.js';
import { useService } from '../kit/use.js';
import { MISSING, useRedis } from '../redis/kit.js';

/** Under one idempotency key a request of another asker is refused, and nothing of it is sent. */

type Fields = Readonly<Record<string, string>>;

interface Asked {
  readonly fields?: Fields;
  readonly blocks?: string;
  readonly query?: string;
  /** Attributes of Envelope. */
  readonly attributes?: string;
}

const PAY = '<Pay xmlns="urn:bank"><sum>1</sum></Pay>';

async function useBank(t: Test, keys = '', rest = '') {
  let paid = 0;
  const { backend, gateway } = await useService(
    t,
    answerBy(() => `<PayResponse xmlns="urn:bank"><receipt>R${++paid}</receipt></PayResponse>`),
    (url) => `services:
${payingBank(url)}    rest: true
    versions: ["1.1", "1.2"]
${keys}
${rest}`,
  );
  return {
    backend,
    gateway,
    async soap({ fields = {}, blocks = '', query = '', attributes = '' }: Asked, key = 'k') {
      const message = envelope(PAY, blocks).replace('Envelope ', `Envelope ${attributes} `);
      const address = `${gateway.url}/soap/bank${query}`;
      const answer = await postSoap(address, message, { 'idempotency-key': key, ...fields });
      return answer.text();
    },
    async graphql(
      { fields = {} }: Asked,
      key = 'k',
      query = 'mutation { pay(sum: 1) { receipt } }',
    ) {
      const text = await askText(gateway.url, query, { 'idempotency-key': key, ...fields });
      // The cost is that of this request.
      return text.replace(/,"extensions":\{"cost".*$/, '');
    },
    async rest({ fields = {} }: Asked, key = 'k') {
      const headers = { 'idempotency-key': key, ...fields };
      return (await postJson(`${gateway.url}/rest/bank/Pay`, { sum: 1 }, headers)).text();
    },
  };
}

const user = (name: string, more = ''): string =>
  `<o:Security xmlns:o="${WSSE}"><o:UsernameToken><o:Username>${name}</o:Username>` +
  `${more}</o:UsernameToken></o:Security>`;
const own = (text: string): string => `<a:Account xmlns:a="urn:a">${text}</a:Account>`;
const FORWARD =
  '    forwardHeaders: [x-tenant, authorization, x-request-id, x-correlation-id, baggage]\n';
const FORWARDED = `${FORWARD}    forwarded: true\n    cookies: forward`;

/** Two requests of different askers: of SOAP callers, then of all callers. */
const OF_SOAP: Readonly<Record<string, readonly [Asked, Asked]>> = {
  'Authorization of a SOAP caller': [
    { fields: { authorization: 'Basic YTph' } },
    { fields: { authorization: 'Basic YjpI' } },
  ],
  'Authorization that is left out': [{ fields: { authorization: 'Basic YTph' } }, {}],
  'a language': [{ fields: { 'accept-language': 'de' } }, { fields: { 'accept-language': 'fr' } }],
  'a Security block': [{ blocks: user('ann') }, { blocks: user('bob') }],
  'a Security block with another nonce': [
    { blocks: user('ann', '<o:Nonce>YQ==</o:Nonce>') },
    { blocks: user('ann', '<o:Nonce>Yg==</o:Nonce>') },
  ],
  'a Security block for another receiver': [
    { blocks: user('ann').replace('Security ', 'Security s:actor="urn:x" ') },
    { blocks: user('ann').replace('Security ', 'Security s:actor="urn:y" ') },
  ],
  'a comment in a name': [{ blocks: user('ann') }, { blocks: user('a<!-- -->nn') }],
  'a block of the backend': [{ blocks: own('1') }, { blocks: own('2') }],
  'a block of the backend in another namespace': [
    { blocks: own('1') },
    { blocks: own('1').replace('urn:a', 'urn:b') },
  ],
  'an address of WS-Addressing': [
    { blocks: `<w:From xmlns:w="${WSA}"><w:Address>urn:a</w:Address></w:From>` },
    { blocks: `<w:From xmlns:w="${WSA}"><w:Address>urn:b</w:Address></w:From>` },
  ],
  'a query': [{ query: '?tenant=1' }, { query: '?tenant=2' }],
  'an attribute of the envelope': [
    { attributes: 'xmlns:q="urn:q" q:tenant="1"' },
    { attributes: 'xmlns:q="urn:q" q:tenant="2"' },
  ],
};
const OF_ALL: Readonly<Record<string, readonly [Asked, Asked]>> = {
  'a forwarded field': [{ fields: { 'x-tenant': '1' } }, { fields: { 'x-tenant': '2' } }],
  'a forwarded field that is left out': [{ fields: { 'x-tenant': '1' } }, {}],
  'a forwarded token': [
    { fields: { authorization: 'Bearer a' } },
    { fields: { authorization: 'Bearer b' } },
  ],
  'a cookie': [{ fields: { cookie: 'session=1' } }, { fields: { cookie: 'session=2' } }],
};

for (const protocol of ['soap', 'graphql', 'rest'] as const)
  t.test(`a request with another asker under its key is refused: ${protocol}`, async (t) => {
    const bank = await useBank(t, FORWARDED);
    const cases = protocol === 'soap' ? { ...OF_SOAP, ...OF_ALL } : OF_ALL;
    for (const [at, [name, [first, second]]] of Object.entries(cases).entries()) {
      const key = `${protocol}-${at}`;
      const before = bank.backend.complete.length;
      const answer = await bank[protocol](first, key);
      t.match(answer, /R\d/, name);
      t.match(await bank[protocol](second, key), 'IDEMPOTENCY_KEY_REUSED', `${name}: another`);
      t.equal(await bank[protocol](first, key), answer, `${name}: the same`);
      t.equal(bank.backend.complete.length, before + 1, `${name}: nothing further is sent`);
    }
  });

/** Fields that name one request, or its way. */
const OF_ONE_REQUEST = [
  'x-request-id',
  'x-correlation-id',
  'traceparent',
  'tracestate',
  'baggage',
  'forwarded',
  'x-forwarded-proto',
  'x-forwarded-host',
];
const VALUES: Readonly<Record<string, readonly [string, string]>> = {
  traceparent: [
    '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    '00-1af7651916cd43dd8448eb211c80319c-b7ad6b7169203332-01',
  ],
  'x-forwarded-proto': ['https', 'http'],
};

for (const protocol of ['soap', 'graphql', 'rest'] as const)
  t.test(`fields that name the request alone tell no askers apart: ${protocol}`, async (t) => {
    const bank = await useBank(t, FORWARDED);
    for (const name of OF_ONE_REQUEST) {
      const [one, other] = VALUES[name] ?? ['a=1', 'b=2'];
      const answer = await bank[protocol]({ fields: { [name]: one } }, name);
      t.match(answer, /R\d/, name);
      t.equal(await bank[protocol]({ fields: { [name]: other } }, name), answer, name);
      t.equal(await bank[protocol]({}, name), answer, `${name}: left out`);
    }
    t.equal(bank.backend.complete.length, OF_ONE_REQUEST.length);
  });

t.test('a message with another id, and written in another way, is the same', async (t) => {
  const bank = await useBank(t);
  const id = (text: string) => `<w:MessageID xmlns:w="${WSA}">${text}</w:MessageID>`;
  const answer = await bank.soap({ blocks: id('urn:1') + own('1') });
  t.match(answer, 'R1');
  const written = own('1').replaceAll('a:', 'b:').replace('xmlns:a', 'xmlns:b');
  t.equal(await bank.soap({ blocks: own('1').replace('xmlns:a', ' xmlns:a') }), answer);
  t.equal(await bank.soap({ blocks: id('urn:2') + written }), answer);
});

t.test('a value of a request that names it alone tells no askers apart in a block', async (t) => {
  const bank = await useBank(
    t,
    `    callerHeaders: [x-request-id, x-tenant]
    soapHeaders: { "{urn:a}Call": { xml: "<Call xmlns='urn:a'><id>{id}</id><of>{of}</of>\
</Call>", values: { id: { header: x-request-id }, of: { header: x-tenant } } } }`,
  );
  const fields = { 'x-request-id': '1', 'x-tenant': 'a' };
  const answer = await bank.graphql({ fields });
  t.match(answer, 'R1');
  t.equal(await bank.graphql({ fields: { ...fields, 'x-request-id': '2' } }), answer);
  t.match(await bank.graphql({ fields: { ...fields, 'x-tenant': 'b' } }), 'IDEMPOTENCY_KEY_REUSED');
  t.equal(bank.backend.complete.length, 1);
});

t.test('one key and another response key are no second payment', async (t) => {
  const bank = await useBank(t);
  const ask = (fields: string, key: string) => bank.graphql({}, key, `mutation { ${fields} }`);
  const pay = 'pay(sum: 1) { receipt }';
  t.match(await ask(pay, 'a'), '"pay":{"receipt":"R1"}');
  t.match(await ask(`x: ${pay}`, 'a'), '"x":{"receipt":"R1"}', 'the answer that is kept');
  t.match(await bank.rest({}, 'a'), 'R1', 'by REST as well');
  t.match(await bank.soap({}, 'a'), 'IDEMPOTENCY_KEY_REUSED', 'a message is another request');
  for (const fields of [`x: ${pay} pay: ${pay}`, `pay: ${pay} x: ${pay}`, `x: ${pay} y: ${pay}`])
    t.match(await ask(fields, 'a'), /REUSED.*REUSED/, fields);
  t.equal(bank.backend.complete.length, 1);
  const both = await ask(`x: ${pay} y: ${pay}`, 'b');
  t.match(both, '"x":{"receipt":"R2"},"y":{"receipt":"R3"}');
  t.match(
    await ask(`y: ${pay} x: ${pay}`, 'b'),
    '"y":{"receipt":"R3"},"x":{"receipt":"R2"}',
    'in another order',
  );
  for (const fields of [
    `x: ${pay}`,
    `z: ${pay}`,
    `x: ${pay} z: ${pay}`,
    `x: ${pay} y: ${pay} z: ${pay}`,
  ])
    t.match(await ask(fields, 'b'), 'IDEMPOTENCY_KEY_REUSED', fields);
  t.equal(bank.backend.complete.length, 3);
});

t.test('a field with a meaning of its own is no idempotency key', async (t) => {
  const { problems } = await useConfigFolder(t);
  const withHeader = (header: string, rest = ''): Promise<readonly string[]> =>
    problems(
      "services: { a: { url: http://a, namespace: urn:a, types: 'type Query { a: " +
        "Int } type Mutation { pay: Int }', operations: { A: { field: Query.a }, Pay: { field: " +
        `Mutation.pay, idempotency: { header: "${header}" } } } } }\n${rest}`,
    );
  for (const header of [
    ...['content-length', 'Content-Type', 'transfer-encoding', 'SOAPAction', 'connection', 'te'],
    ...['Authorization', 'cookie', 'host', 'x-request-id', 'traceparent', 'x-correlation-id'],
    ...[
      'baggage',
      'x-forwarded-for',
      'forwarded',
      'accept',
      'user-agent',
      'date',
      'sec-fetch-site',
    ],
    ...[
      'proxy-authorization',
      'x-api-key',
      'my_key',
      'if-none-match',
      'origin',
      'graphql-client-name',
    ],
  ])
    t.match(
      await withHeader(header),
      [/idempotency\.header` is `.*cannot be a key\. Write a field of its own/],
      header,
    );
  const clients = (ways: string) =>
    `clients: { trustedProxies: [10.0.0.0/8], ${ways}, classes: { c: {} } }\n`;
  const keys = 'clients: { erp: { class: c, keys: [0123456789abcdef] } }';
  t.match(await withHeader('x-id', clients(`apiKeys: { header: X-Id, ${keys} }`)), [
    /holds credentials/,
  ]);
  t.match(await withHeader('X-Id', clients('certificate: { header: x-id, class: c }')), [
    /holds credentials/,
  ]);
  for (const header of ['idempotency-key', 'x-payment-id', 'Request-Key'])
    t.same(await withHeader(header), [], header);
});

t.test(
  'a verified sender is known by its name, and what it has not proven by its bytes',
  WITH_OPENSSL,
  async (t) => {
    const { folder, authority, identity: erp } = makeKeys(t, '/O=Bank/CN=erp');
    const crm = authority.sign('crm', 30, '/O=Bank/CN=crm', 'DNS:a', RSA_KEY);
    const renewed = authority.sign('erp2', 30, '/O=Bank/CN=erp', 'DNS:a', RSA_KEY);
    const bank = await useBank(
      t,
      '    security: { verify: { once: false, signature: { authorities: { file: ' +
        `${join(folder, 'ca.pem')} }, required: [Body, Timestamp] } } }`,
    );
    let nowMillis = Date.now();
    const ask = async (identity: Identity, more = ''): Promise<string> => {
      nowMillis -= 1000;
      const { message } = signedMessage(identity, PAY, { nowMillis });
      const written = message.replace('</wsse:Security>', `${more}</wsse:Security>`);
      return (
        await postSoap(`${bank.gateway.url}/soap/bank`, written, { 'idempotency-key': 'k' })
      ).text();
    };
    const answer = await ask(erp);
    t.match(answer, 'R1');
    t.equal(await ask(erp), answer, 'another Timestamp and signature');
    t.equal(await ask(renewed), answer, 'a renewed certificate of the same name');
    t.match(await ask(crm), 'IDEMPOTENCY_KEY_REUSED', 'another signer');
    for (const name of ['ann', 'bob'])
      t.match(await ask(erp, userToken(name, 'x')), 'IDEMPOTENCY_KEY_REUSED', `unproven ${name}`);
    t.equal(bank.backend.complete.length, 1);
  },
);

t.test('a verified user is known by its name, whatever the nonce', async (t) => {
  const bank = await useBank(
    t,
    '    security: { verify: { usernameToken: { users: { ann: { password: one }, bob: ' +
      '{ password: two } } } } }',
  );
  const ask = async (name: string, password: string, nonce: string, more = ''): Promise<string> => {
    const token = userToken(name, password).replace(
      '</wsse:Password>',
      `</wsse:Password><wsse:Nonce>${Buffer.from(nonce.repeat(16)).toString('base64')}` +
        '</wsse:Nonce>',
    );
    return bank.soap({ blocks: securityOf([token]) + more });
  };
  const answer = await ask('ann', 'one', 'a');
  t.match(answer, 'R1');
  t.equal(await ask('ann', 'one', 'b'), answer);
  t.match(await ask('bob', 'two', 'c'), 'IDEMPOTENCY_KEY_REUSED');
  t.match(await ask('ann', 'one', 'd', own('1')), 'IDEMPOTENCY_KEY_REUSED', 'a further block');
  t.equal(bank.backend.complete.length, 1);
});

for (const store of ['memory', 'Redis'] as const)
  t.test(
    `a reload that forwards another field tells askers apart: ${store}`,
    { skip: store === 'Redis' ? MISSING : false },
    async (t) => {
      const redis = store === 'Redis' ? await useRedis(t) : null;
      const bank = await useBank(
        t,
        '',
        redis === null ? '' : `redis: { url: "${redis.url}", operationMillis: 1s }\n`,
      );
      const asked = (tenant: string): Asked => ({ fields: { 'x-tenant': tenant } });
      const answer = await bank.soap(asked('1'));
      t.match(answer, 'R1');
      t.equal(await bank.soap(asked('2')), answer, 'the backend does not see the tenant');
      await bank.gateway.reload((yaml) =>
        yaml.replace('rest: true', 'rest: true\n    forwardHeaders: [x-tenant]'),
      );
      t.match(await bank.soap(asked('2')), 'IDEMPOTENCY_KEY_REUSED');
      t.match(await bank.soap(asked('1'), 'other'), 'R2');
      t.match(await bank.soap(asked('2'), 'other'), 'IDEMPOTENCY_KEY_REUSED');
      const pay = 'pay(sum: 1) { receipt }';
      const ask = (fields: string) => bank.graphql({}, 'g', `mutation { ${fields} }`);
      t.match(await ask(`x: ${pay} y: ${pay}`), '"x":{"receipt":"R3"},"y":{"receipt":"R4"}');
      t.match(await ask(`y: ${pay} x: ${pay}`), '"y":{"receipt":"R4"},"x":{"receipt":"R3"}');
      t.match(await ask(`z: ${pay}`), 'IDEMPOTENCY_KEY_REUSED');
      t.match(await ask(`x: ${pay} z: ${pay}`), 'IDEMPOTENCY_KEY_REUSED');
      t.equal(bank.backend.complete.length, 4);
    },
  );

const BATCHES = 'graphql: { batch: 5 }\n';
const PAID = 'pay(sum: 1) { receipt }';
const batchOf = (...items: readonly string[]): readonly object[] =>
  items.map((fields) => ({ query: `mutation { ${fields} }` }));

for (const store of ['memory', 'Redis'] as const)
  t.test(
    `requests of a batch are distinguished under one key: ${store}`,
    { skip: store === 'Redis' ? MISSING : false },
    async (t) => {
      const redis =
        store === 'Redis'
          ? `redis: { url: "${(await useRedis(t)).url}", operationMillis: 1s }\n`
          : '';
      const bank = await useBank(t, '', BATCHES + redis);
      const ask = async (items: readonly object[], key: string): Promise<string> => {
        const answer = await postJson(`${bank.gateway.url}/graphql`, items, {
          'idempotency-key': key,
        });
        return (await answer.text()).replaceAll(/,"extensions":\{"cost"[^[]*?\}\}(?=[,\]])/g, '');
      };
      const batch = batchOf(`a: ${PAID}`, `b: ${PAID} c: ${PAID}`);
      const both = await ask(batch, 'k');
      t.match(both, '"a":{"receipt":"R1"}');
      t.match(both, '"b":{"receipt":"R2"},"c":{"receipt":"R3"}');
      for (let times = 0; times < 2; times++) t.equal(await ask(batch, 'k'), both, 'kept answers');
      const others: Readonly<Record<string, readonly object[]>> = {
        'another order': [...batch].reverse(),
        'one less': batch.slice(0, 1),
        'one more': [...batch, ...batchOf(`d: ${PAID}`)],
        'one twice': [...batch, ...batch],
        'another field': batchOf(`a: ${PAID}`, `b: ${PAID} c: ${PAID} d: ${PAID}`),
        'another sum': batchOf(`a: ${PAID}`, `b: ${PAID} c: ${PAID.replace('1', '2')}`),
        'other variables': batch.map((item) => ({ ...item, variables: { x: 1 } })),
      };
      for (const [name, items] of Object.entries(others)) {
        const answer = await ask(items, 'k');
        t.match(answer, 'IDEMPOTENCY_KEY_REUSED', name);
        t.notMatch(answer, '"receipt"', name);
      }
      t.match(await bank.graphql({}, 'k'), 'IDEMPOTENCY_KEY_REUSED', 'one request alone');
      t.equal(bank.backend.complete.length, 3);
      const same = batchOf(PAID, PAID);
      const twice = await ask(same, 'same');
      t.match(twice, /R4.*R5/s, 'two requests that are alike are two payments');
      t.equal(await ask(same, 'same'), twice);
      const single = await ask(batchOf(PAID), 'single');
      t.match(single, 'R6');
      t.match(await bank.graphql({}, 'single'), 'R6', 'a batch of one is one request');
      t.equal(await ask(batchOf(PAID), 'single'), single);
      t.equal(bank.backend.complete.length, 6);
    },
  );

t.test('a conditional field of a batch that changes places is no further payment', async (t) => {
  const bank = await useBank(t, '', BATCHES);
  const query = `mutation ($x: Boolean!) { __typename pay(sum: 1) @include(if: $x) { receipt } }`;
  const items = [
    { query, variables: { x: true } },
    { query, variables: { x: false } },
  ];
  const headers = { 'idempotency-key': 'k' };
  const ask = async (sent: readonly object[]): Promise<string> =>
    (await postJson(`${bank.gateway.url}/graphql`, sent, headers)).text();
  t.match(await ask(items), 'R1');
  t.match(await ask([...items].reverse()), 'IDEMPOTENCY_KEY_REUSED');
  t.match(await ask(items), 'R1');
  t.equal(bank.backend.complete.length, 1);
});

t.test('a document that is named by its hash is the same request of a batch', async (t) => {
  const bank = await useBank(t, '', 'graphql: { batch: 5, persisted: { automatic: true } }\n');
  const named = ['a', 'b'].map((name) => {
    const query = `mutation { ${name}: ${PAID} }`;
    const sha256Hash = createHash('sha256').update(query).digest('hex');
    return { query, extensions: { persistedQuery: { version: 1, sha256Hash } } };
  });
  const ask = async (sent: readonly object[], key: string): Promise<string> =>
    (await postJson(`${bank.gateway.url}/graphql`, sent, { 'idempotency-key': key })).text();
  t.match(await ask(named, 'k'), /R1.*R2/s);
  t.match(
    await ask(
      named.map(({ extensions }) => ({ extensions })),
      'k',
    ),
    /R1.*R2/s,
  );
  t.equal(bank.backend.complete.length, 2);
});

t.test('the key of a WebSocket handshake is the key of no operation', async (t) => {
  const bank = await useBank(
    t,
    '',
    'subscriptions: { paid: { on: { operation: bank.Pay, fields: { sum: request.sum } } } }\n',
  );
  const socket = new WebSocket(`${bank.gateway.url.replace('http', 'ws')}/graphql`, PROTOCOL, {
    headers: { 'idempotency-key': 'k' },
  });
  t.teardown(() => socket.terminate());
  const answers: string[] = [];
  socket.on('message', (data) => {
    const text = String(data);
    if (text.includes('"next"')) answers.push(text);
  });
  await once(socket, 'open');
  socket.send(JSON.stringify({ ...INIT, payload: { 'idempotency-key': 'k' } }));
  await once(socket, 'message');
  for (const [at, sum] of [1, 1, 2].entries()) {
    socket.send(JSON.stringify(subscribe(String(at), `mutation { pay(sum: ${sum}) { receipt } }`)));
    await until(() => answers.length > at);
    t.match(answers.at(-1), `R${at + 1}`, 'each operation is a payment');
  }
  t.equal(bank.backend.complete.length, 3);
  t.match(await bank.graphql({}, 'k'), 'R4', 'and the key is free');
});

t.test(
  'the cookie of the gateway itself goes no further, and is no part of an asker',
  async (t) => {
    const { gateway, backend } = await useService(
      t,
      answerBy(() => '<PayResponse xmlns="urn:bank"><pay>1</pay></PayResponse>'),
      (url) => `services:
  bank:
    urls: ["${url}/one", "${url}/two"]
    namespace: urn:bank
    cookies: forward
    sticky: { cookie: route }
    types: "type Query { a: Int } type Mutation { pay(sum: Int!): Int }"
    operations: { Get: { field: Query.a }, Pay: { field: Mutation.pay, response: PayResponse, \
idempotency: {} } }
`,
    );
    const message = envelope('<Pay xmlns="urn:bank"><sum>1</sum></Pay>');
    const send = (cookie: string): Promise<Response> =>
      postSoap(`${gateway.url}/soap/bank`, message, { 'idempotency-key': 'one', cookie });
    const first = await send('session=1');
    const [route = ''] = (first.headers.get('set-cookie') ?? '').split(';');
    t.match(route, /^route=/);
    t.equal((await send(`session=1; ${route}`)).status, 200, 'the same asker');
    t.not((await send(`session=2; ${route}`)).status, 200, 'another one');
    t.equal(backend.complete.length, 1);
    await postSoap(`${gateway.url}/soap/bank`, message, { cookie: `${route}; session=1` });
    await postSoap(`${gateway.url}/soap/bank`, message, { cookie: route });
    t.same(
      backend.complete.map(({ headers }) => headers['cookie']),
      ['session=1', 'session=1', undefined],
    );
  },
);
