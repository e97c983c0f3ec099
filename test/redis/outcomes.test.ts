import type { ServerResponse } from 'node:http';
import t, { type Test } from 'tap';
import { answerBy } from '../kit/backend.js';
import { envelope, postSoap } from '../kit/envelope.js';
import { postJson } from '../kit/graphql-client.js';
import { useBackend, useGateway } from '../kit/use.js';
import { MISSING, until, useProxy, useRedis } from './kit.js';

/** Idempotency keys that two gateways share. */

t.test('two gateways make one call for one key', { skip: MISSING }, async (t) => {
  const redis = await useRedis(t);
  const waiting: ServerResponse[] = [];
  const backend = await useBackend(t, (_message, response) => void waiting.push(response));
  const config = `redis: { url: "${redis.url}", operationMillis: 500 }
services:
  bank:
    url: ${backend.url}/bank
    namespace: urn:bank
    timeoutMillis: 5000
    types: |
      type Query { balance: Int }
      type Mutation { pay(sum: Int!): String }
    operations:
      GetBalance: { field: Query.balance }
      Pay: { field: Mutation.pay, idempotency: {} }
`;
  const gateways = [await useGateway(t, config), await useGateway(t, config)] as const;
  const send = async (of: 0 | 1, key: string, sum: string): Promise<string> => {
    const message = envelope(`<Pay xmlns="urn:bank"><sum>${sum}</sum></Pay>`);
    const answer = await postSoap(`${gateways[of].url}/soap/bank`, message, {
      'idempotency-key': key,
    });
    return answer.text();
  };
  const reply = (text: string): string =>
    envelope(`<PayResponse xmlns="urn:bank"><r>${text}</r></PayResponse>`);
  const one = send(0, 'k', '1');
  while (waiting.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  const other = send(1, 'k', '1');
  t.match(
    await send(1, 'k', '2'),
    'IDEMPOTENCY_KEY_REUSED',
    'while the first is in progress elsewhere',
  );
  waiting[0]?.writeHead(200, { 'content-type': 'text/xml' }).end(reply('R1'));
  t.match(await one, 'R1');
  t.match(await other, 'R1', 'the other gateway has waited');
  t.match(await send(1, 'k', '1'), 'R1');
  t.equal(backend.complete.length, 1);
  backend.answer = (_message, response) => response.destroy();
  t.match(await send(0, 'cut', '1'), 'UPSTREAM_RESET');
  t.match(await send(1, 'cut', '1'), 'IDEMPOTENCY_OUTCOME_UNKNOWN');
  t.equal(backend.complete.length, 2);
  await redis.kill();
  t.match(await send(0, 'away', '1'), 'IDEMPOTENCY_UNAVAILABLE');
  t.equal(backend.complete.length, 2, 'without Redis nothing is sent under a key');
});

const PAY = 'mutation { pay(sum: 1) { receipt } }';
const KEY = { 'idempotency-key': 'k' };

/** A bank whose keys are in Redis, behind a proxy. */
async function useSharedBank(t: Test) {
  const redis = await useRedis(t);
  const proxy = await useProxy(t, redis.port);
  const backend = await useBackend(
    t,
    answerBy(() => '<PayResponse xmlns="urn:bank"><receipt>R1</receipt></PayResponse>'),
  );
  const gateway = await useGateway(
    t,
    `redis: { url: "${proxy.url}", operationMillis: 100 }
graphql: { batch: 5 }
mcp: { operations: [bank.GetBalance], write: [bank.Pay] }
services:
  bank:
    url: ${backend.url}/bank
    namespace: urn:bank
    rest: true
    types: |
      type Query { balance: Int }
      type Mutation { pay(sum: Int!): Receipt }
      type Receipt { receipt: String }
    operations:
      GetBalance: { field: Query.balance }
      Pay: { field: Mutation.pay, response: PayResponse, idempotency: {} }
`,
  );
  const { url } = gateway;
  const soap = () =>
    postSoap(`${url}/soap/bank`, envelope('<Pay xmlns="urn:bank"><sum>1</sum></Pay>'), KEY);
  await until(async () => (await soap()).status === 200, 'Redis is there');
  return { proxy, backend, gateway, soap };
}

t.test(
  'a key that cannot be looked up is refused at every endpoint, and nothing is sent',
  {
    skip: MISSING,
  },
  async (t) => {
    const { proxy, backend, gateway, soap } = await useSharedBank(t);
    const { url } = gateway;
    const sent = backend.complete.length;
    proxy.cut();
    const call = { name: 'pay', arguments: { sum: 1 } };
    const agent = { accept: 'application/json, text/event-stream' };
    const answers: readonly [string, number, Promise<Response>][] = [
      ['SOAP', 500, soap()],
      ['REST', 503, postJson(`${url}/rest/bank/Pay`, { sum: 1 }, KEY)],
      ['GraphQL', 200, postJson(`${url}/graphql`, { query: PAY }, KEY)],
      [
        'batch',
        200,
        postJson(`${url}/graphql`, [{ query: '{ __typename }' }, { query: PAY }], KEY),
      ],
      [
        'MCP',
        200,
        postJson(
          `${url}/mcp`,
          { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call },
          { ...KEY, ...agent, 'mcp-protocol-version': '2025-11-25' },
        ),
      ],
    ];
    for (const [endpoint, status, asked] of answers) {
      const answer = await asked;
      t.equal(answer.status, status, endpoint);
      t.equal(answer.headers.get('retry-after'), '1', endpoint);
      const text = await answer.text();
      t.match(text, endpoint === 'MCP' ? 'nothing was sent' : 'IDEMPOTENCY_UNAVAILABLE', endpoint);
    }
    t.equal(backend.complete.length, sent);
  },
);

t.test(
  'a write whose claim timed out is made once, when its request comes again',
  {
    skip: MISSING,
  },
  async (t) => {
    const { proxy, backend, gateway } = await useSharedBank(t);
    const sent = backend.complete.length;
    const pay = async (): Promise<string> => {
      const headers = { 'idempotency-key': 'late' };
      return (await postJson(`${gateway.url}/graphql`, { query: PAY }, headers)).text();
    };
    proxy.delayMillis = 400;
    t.match(await pay(), 'IDEMPOTENCY_UNAVAILABLE');
    proxy.delayMillis = 0;
    await until(async () => (await pay()).includes('R1'), 'paid');
    for (let times = 0; times < 3; times++) t.match(await pay(), 'R1');
    t.equal(backend.complete.length, sent + 1);
  },
);
