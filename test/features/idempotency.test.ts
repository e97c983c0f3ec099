import type { ServerResponse } from 'node:http';
import t, { type Test } from 'tap';
import { WSSE } from '../../src/wss/wsse-names.js';
import { errorWith } from '../kit/answers.js';
import { answerBy, answerJson, answerWith } from '../kit/backend.js';
import { envelope, faultOf, postSoap, SOAP_12, textIn, WSA } from '../kit/envelope.js';
import { askText, postJson } from '../kit/graphql-client.js';
import { until } from '../kit/until.js';
import { useBackend, useService } from '../kit/use.js';

/** Idempotency keys: requests of one client under one key are one call. */

const DONE = envelope('<PayResponse xmlns="urn:bank"><receipt>R1</receipt></PayResponse>');
const PAY = 'mutation { pay(sum: 1) { receipt } }';
const pay = (sum: string): string => envelope(`<Pay xmlns="urn:bank"><sum>${sum}</sum></Pay>`);

async function useBank(t: Test, more = '', rest = '') {
  let paid = 0;
  const { backend, gateway } = await useService(
    t,
    answerBy(() => `<PayResponse xmlns="urn:bank"><receipt>R${++paid}</receipt></PayResponse>`),
    (url) => `services:
  bank:
    url: ${url}/bank
    namespace: urn:bank
    rest: true
    versions: ["1.1", "1.2"]
    types: |
      type Query { balance: Int }
      type Mutation { pay(sum: Int!): Receipt, refund(sum: Int!): Receipt }
      type Receipt { receipt: String }
    operations:
      GetBalance: { field: Query.balance, soapAction: "urn:bank:get" }
      Pay: { field: Mutation.pay, soapAction: "urn:bank:pay", response: PayResponse, idempotency: \
{} }
      Refund: { field: Mutation.refund, soapAction: "urn:bank:refund", response: \
PayResponse, idempotency: {} }
${more}
${rest}`,
  );
  const keyHeaders = (key: string | null, headers: Record<string, string> = {}) => ({
    ...(key === null ? {} : { 'idempotency-key': key }),
    ...headers,
  });
  return {
    backend,
    gateway,
    soap: async (key: string | null, sum: string, headers: Record<string, string> = {}) => {
      const answer = await postSoap(`${gateway.url}/soap/bank`, pay(sum), keyHeaders(key, headers));
      return { status: answer.status, text: await answer.text() };
    },
    graphql: (key: string | null, query: string) => askText(gateway.url, query, keyHeaders(key)),
    rest: async (key: string, sum: number) => {
      const answer = await postJson(`${gateway.url}/rest/bank/Pay`, { sum }, keyHeaders(key));
      return { status: answer.status, text: await answer.text() };
    },
  };
}

t.test(
  'the same request under a key gets the answer that is kept, by SOAP, GraphQL and REST',
  async (t) => {
    const { soap, graphql, rest, backend, gateway } = await useBank(t);
    for (let times = 0; times < 3; times++) t.match((await soap('a', '1')).text, 'R1');
    for (let times = 0; times < 3; times++) t.match(await graphql('b', PAY), '"receipt":"R2"');
    t.match(
      await graphql('b', 'mutation { pay(sum: 1) { r: receipt __typename } }'),
      '"r":"R2"',
      'another selection',
    );
    for (let times = 0; times < 3; times++) t.match((await rest('c', 1)).text, 'R3');
    t.equal(backend.complete.length, 3);
    t.match(await graphql(null, PAY), 'R4', 'without a key each request is a call');
    t.match(await graphql(null, PAY), 'R5');
    const words = await Promise.all(
      [1, 2, 3].map(async (line) => (await gateway.accessLine(line))['cache']),
    );
    t.same(words, ['miss', 'kept', 'kept'], 'the log tells which answers are kept ones');
    t.match(
      await gateway.metrics(),
      /soapstone_cache_requests_total\{[^}]*operation="Pay",outcome="kept"\} 7/,
    );
  },
);

t.test('another request under a key is refused in the form of its protocol', async (t) => {
  const { soap, graphql, rest, backend, gateway } = await useBank(t);
  await soap('a', '1');
  const fault = await soap('a', '2');
  t.equal(fault.status, 500);
  t.match(fault.text, /<faultcode>[^<]*Client<.*IDEMPOTENCY_KEY_REUSED/s);
  await graphql('b', PAY);
  const other = 'mutation { pay(sum: 2) { receipt } }';
  t.match(JSON.parse(await graphql('b', other)), errorWith('IDEMPOTENCY_KEY_REUSED'));
  t.match(
    await graphql('b', 'mutation { pay: refund(sum: 1) { receipt } }'),
    'IDEMPOTENCY_KEY_REUSED',
  );
  await rest('c', 1);
  t.match(await rest('c', 2), { status: 422, text: /IDEMPOTENCY_KEY_REUSED/ });
  const inSoap12 = envelope('<Pay xmlns="urn:bank"><sum>1</sum></Pay>', '', SOAP_12);
  const answer = await postSoap(`${gateway.url}/soap/bank`, inSoap12, { 'idempotency-key': 'a' });
  t.match(
    await answer.text(),
    /soap-envelope.*IDEMPOTENCY_KEY_REUSED/s,
    'the answer kept is of the other version',
  );
  t.equal(backend.complete.length, 3);
});

t.test('fields of one request are distinguished by their response keys', async (t) => {
  const { graphql, backend } = await useBank(t);
  const both = 'mutation { a: pay(sum: 1) { receipt } b: pay(sum: 1) { receipt } }';
  const [first, second] = [await graphql('k', both), await graphql('k', both)];
  for (const answer of [first, second])
    t.match(answer, '{"data":{"a":{"receipt":"R1"},"b":{"receipt":"R2"}}');
  t.equal(backend.complete.length, 2);
});

t.test('two requests at once are one call, and one that comes again waits for it', async (t) => {
  const { soap, backend } = await useBank(t);
  const waiting: ServerResponse[] = [];
  backend.answer = (_message, response) => void waiting.push(response);
  const answers = Array.from({ length: 5 }, () => soap('k', '1'));
  await until(() => waiting.length > 0);
  waiting[0]?.writeHead(200, { 'content-type': 'text/xml' }).end(DONE);
  for (const { text } of await Promise.all(answers)) t.match(text, 'R1');
  t.equal(backend.complete.length, 1);
});

t.test('keys belong to a client', async (t) => {
  const { soap, backend } = await useBank(
    t,
    '',
    'clients: { apiKeys: { clients: { a: { class: all, keys: [aaaaaaaaaaaaaaaa] }, b: ' +
      '{ class: all, keys: [bbbbbbbbbbbbbbbb] } } }, classes: { all: {} } }\n',
  );
  t.match((await soap('k', '1', { 'x-api-key': 'aaaaaaaaaaaaaaaa' })).text, 'R1');
  t.match((await soap('k', '2', { 'x-api-key': 'bbbbbbbbbbbbbbbb' })).text, 'R2');
  t.match((await soap('k', '1', { 'x-api-key': 'aaaaaaaaaaaaaaaa' })).text, 'R1');
  t.equal(backend.complete.length, 2);
});

t.test('a call without an answer is reported as such, and never made again', async (t) => {
  const { soap, graphql, rest, backend } = await useBank(
    t,
    '    timeoutMillis: 150\n    limits: { upstream: { breakerFailures: 0 } }',
  );
  backend.answer = () => {};
  const codes = async (): Promise<ReadonlySet<string | undefined>> => {
    const sums = Array.from({ length: 200 }, (_, at) => String(at));
    const answers = await Promise.all(sums.map((sum) => soap(`k${sum}`, sum)));
    return new Set(answers.map(({ text }) => /code="([^"]*)"/.exec(text)?.[1]));
  };
  t.same(await codes(), new Set(['UPSTREAM_TIMEOUT']));
  // Requests that waited for a connection in vain were not sent: they may be sent later.
  while ((await codes()).has('UPSTREAM_TIMEOUT'));
  t.same(await codes(), new Set(['IDEMPOTENCY_OUTCOME_UNKNOWN']));
  const sums = backend.complete.map(({ body }) => /<sum>(\d+)</.exec(String(body))?.[1]);
  // A request may time out while the backend still reads it.
  t.ok(sums.length > 0 && sums.length <= 200);
  t.equal(new Set(sums).size, sums.length, 'no second call');
  backend.answer = (_message, response) => response.destroy();
  const cut = 'mutation { pay(sum: 777) { receipt } }';
  t.match(await graphql('cut', cut), 'UPSTREAM_RESET');
  t.match(await graphql('cut', cut), 'IDEMPOTENCY_OUTCOME_UNKNOWN');
  t.equal((await rest('rest', 777)).status, 502);
  t.match(await rest('rest', 777), { status: 409, text: /IDEMPOTENCY_OUTCOME_UNKNOWN/ });
  t.equal(backend.complete.filter(({ body }) => /<(?:\w+:)?sum>777</.test(String(body))).length, 2);
});

t.test(
  'a call that did not reach the backend may be made again; a Fault is an answer',
  async (t) => {
    const { soap, backend } = await useBank(t);
    backend.answer = answerWith('later', 'text/plain', 429);
    t.equal((await soap('k', '1')).status, 500);
    backend.answer = answerBy(() => faultOf('s:Server', 'no money'));
    for (let times = 0; times < 2; times++) t.match((await soap('k', '1')).text, 'no money');
    t.equal(backend.complete.length, 2);
  },
);

const addressed = (message: string, id: string): string =>
  message.replace(
    '<s:Body>',
    `<s:Header><a:MessageID xmlns:a="${WSA}">${id}</a:MessageID></s:Header><s:Body>`,
  );

t.test('a kept answer relates to the message that asks for it again', async (t) => {
  const { gateway, graphql, backend } = await useBank(t, '    addressing: { calls: send }');
  let content = '<PayResponse xmlns="urn:bank"><receipt>R1</receipt></PayResponse>';
  let more = '';
  let type = 'text/xml';
  let other: string | null = null;
  backend.answer = ({ body }, response) => {
    const relates = `<a:RelatesTo xmlns:a="${WSA}">${other ?? textIn(body, 'MessageID') ?? ''}\
</a:RelatesTo>`;
    const message = envelope(content, relates + more);
    answerWith(
      type === 'text/xml'
        ? message
        : `--B\r\nContent-Type: text/xml\r\n\r\n${message}\r\n--B--\r\n`,
      type,
      content.includes('Fault>') ? 500 : 200,
    )({ method: '', target: '', headers: {}, body }, response);
  };
  const soap = async (key: string, id: string): Promise<string> => {
    const answer = await postSoap(`${gateway.url}/soap/bank`, addressed(pay('1'), id), {
      'idempotency-key': key,
    });
    return answer.text();
  };
  const first = await soap('a', 'urn:uuid:1');
  t.match(first, '>urn:uuid:1</a:RelatesTo>');
  for (const [id, written] of [
    ['urn:uuid:22', 'urn:uuid:22'],
    ['urn:a&amp;b\u00e9', 'urn:a&amp;b&#233;'],
    ['urn:uuid:1', 'urn:uuid:1'],
  ] as const)
    t.equal(await soap('a', id), first.replace('urn:uuid:1', written), id);
  content = faultOf('s:Server', 'no', '<secret/>');
  t.match(await soap('fault', 'urn:uuid:1'), '>urn:uuid:1</a:RelatesTo>');
  t.match(await soap('fault', 'urn:uuid:333'), '>urn:uuid:333</a:RelatesTo>');
  content = '<PayResponse xmlns="urn:bank"><receipt>R3</receipt></PayResponse>';
  for (let times = 0; times < 2; times++) t.match(await graphql('b', PAY), '"receipt":"R3"');
  const both = await Promise.all(['urn:x', 'urn:y'].map((id) => soap('c', id)));
  t.match(both[0], '>urn:x</a:RelatesTo>');
  t.match(both[1], '>urn:y</a:RelatesTo>', 'also where it waited for the call of the other');
  type = 'multipart/related; boundary=B; type="text/xml"';
  const packed = await soap('p', 'urn:x');
  t.match(packed, 'R3');
  t.equal(await soap('p', 'urn:longer'), packed.replace('urn:x', 'urn:longer'), 'in a package too');
  content = faultOf('s:Server');
  const fault = await soap('q', 'urn:x');
  t.equal(await soap('q', 'urn:longer'), fault, 'but for a Fault there');
  type = 'text/xml';
  more = `<w:Security xmlns:w="${WSSE}"/>`;
  const signed = await soap('d', 'urn:x');
  t.equal(await soap('d', 'urn:y'), signed, 'what may be signed stays as it is');
  other = 'urn:other';
  t.match(
    await soap('e', 'urn:x'),
    'UPSTREAM_DESYNC',
    'an answer to another message is given to no request',
  );
  for (const id of ['urn:x', 'urn:other'])
    t.match(await soap('e', id), 'IDEMPOTENCY_OUTCOME_UNKNOWN', 'nor is it kept');
  other = null;
  content = `<PayResponse xmlns="urn:bank"><receipt>${'R'.repeat(400_000)}</receipt></PayResponse>`;
  t.match(await soap('long', 'urn:x'), '>urn:x</a:RelatesTo>');
  t.equal(backend.complete.length, 9);
});

t.test('a caller that leaves does not undo its call', async (t) => {
  const { gateway, soap, backend } = await useBank(t);
  const waiting: ServerResponse[] = [];
  const answer = backend.answer;
  backend.answer = (_message, response) => void waiting.push(response);
  const leaving = new AbortController();
  const key = { 'idempotency-key': 'k' };
  const left = postSoap(`${gateway.url}/soap/bank`, pay('1'), key, leaving.signal).catch(
    () => null,
  );
  await until(() => waiting.length > 0);
  leaving.abort();
  await left;
  await gateway.accessLine();
  waiting[0]?.writeHead(200, { 'content-type': 'text/xml' }).end(DONE);
  backend.answer = answer;
  t.match((await soap('k', '1')).text, 'R1');
  t.equal(backend.complete.length, 1);
});

t.test('long messages are compared whole, and long answers are not kept', async (t) => {
  const { soap, backend } = await useBank(t);
  const long = '1'.repeat(200_000);
  t.match((await soap('k', long)).text, 'R1');
  t.match((await soap('k', long)).text, 'R1');
  t.match((await soap('k', `${long}2`)).text, 'IDEMPOTENCY_KEY_REUSED');
  backend.answer = answerWith(DONE.replace('R1', 'R'.repeat(400_000)));
  t.match((await soap('long', '1')).text, 'RRRR');
  t.match((await soap('long', '1')).text, 'IDEMPOTENCY_OUTCOME_UNKNOWN');
  t.equal(backend.complete.length, 2);
});

t.test('a key outlives a reload', async (t) => {
  const { gateway, soap, backend } = await useBank(t);
  t.match((await soap('k', '1')).text, 'R1');
  await gateway.reload((yaml) => yaml.replace('rest: true', 'rest: true\n    callCost: 7'));
  t.match((await soap('k', '1')).text, 'R1');
  t.equal(backend.complete.length, 1);
});

t.test('what is no key is refused, and several workers need Redis', async (t) => {
  const { soap, backend } = await useBank(t);
  t.equal((await soap('two words', '1')).status, 400);
  t.equal((await soap('k'.repeat(256), '1')).status, 400);
  t.equal(backend.complete.length, 0);
  await t.rejects(useBank(t, '', 'workers: 2\n'), /idempotency` needs `redis`/);
});

for (const [auth, kind] of [
  ['basic: { username: a, password: b }', 'credentials'],
  ['oauth2: { tokenUrl: TOKEN, clientId: c, clientSecret: s }', 'a token in a field'],
  [
    'oauth2: { tokenUrl: TOKEN, clientId: c, clientSecret: s, renewOn: [INVALID] }',
    'a token that a Fault renews',
  ],
  [
    'oauth2: { tokenUrl: TOKEN, clientId: c, clientSecret: s, place: "header:{urn:s}S/id" }',
    'a token in a block',
  ],
])
  t.test(`requests under a key are answered where calls carry ${kind}`, async (t) => {
    const token = { access_token: 'x', token_type: 'Bearer', expires_in: 3600 };
    const server = await useBackend(t, answerJson(token));
    const bank = await useBank(
      t,
      `    auth: { ${auth?.replace('TOKEN', `"${server.url}/token"`)} }`,
    );
    const answers = await Promise.all(['k', 'k'].map((key) => bank.graphql(key, PAY)));
    for (const answer of [...answers, await bank.graphql('k', PAY)])
      t.match(answer, '"receipt":"R1"');
    const { text } = await bank.soap('other', '2');
    t.match(text, 'R2');
    t.equal((await bank.soap('other', '2')).text, text);
    t.equal(bank.backend.begun, 2);
  });
