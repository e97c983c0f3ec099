import type { ServerResponse } from 'node:http';
import t from 'tap';
import { envelope, postSoap } from '../kit/envelope.js';
import { useBackend, useGateway } from '../kit/use.js';
import { MISSING, useRedis } from './kit.js';

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
  t.match(await send(0, 'away', '1'), /OVERLOADED|503|<faultcode>/);
  t.equal(backend.complete.length, 2, 'without Redis nothing is sent under a key');
});
