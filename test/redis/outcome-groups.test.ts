import t, { type Test } from 'tap';
import { answerBy } from '../kit/backend.js';
import { areAnswering, startProcess } from '../kit/gateway-process.js';
import { postJson } from '../kit/graphql-client.js';
import { payingBank } from '../kit/paying-bank.js';
import { useBackend, useGateway } from '../kit/use.js';
import { MISSING, useRedis } from './kit.js';

/**
 * Several calls of one request under an idempotency key, at processes that share Redis: none is
 * made twice.
 */

const PAY = 'pay(sum: 1) { receipt }';
const mutation = (...names: readonly string[]): object => ({
  query: `mutation { ${names.map((name) => `${name}: ${PAY}`).join(' ')} }`,
});

const FIELDS = mutation('a', 'b', 'c');
const BATCH: readonly object[] = [mutation('a'), mutation('a', 'b')];

async function useBank(t: Test) {
  const redis = await useRedis(t);
  let paid = 0;
  const backend = await useBackend(t, (message, response) => {
    const reply = `<PayResponse xmlns="urn:bank"><receipt>R${++paid}</receipt></PayResponse>`;
    // The calls of one gateway are under way while the other one asks for them.
    setTimeout(() => answerBy(() => reply)(message, response), 5 + (paid % 7) * 5);
  });
  const yaml = `redis: { url: "${redis.url}", operationMillis: 1s }
graphql: { batch: 5 }
services:
${payingBank(backend.url)}`;
  return { backend, yaml };
}

const ask = async (url: string, body: unknown, key: string): Promise<string> => {
  // A connection of its own may go to any worker.
  const headers = { 'idempotency-key': key, connection: 'close' };
  return (await postJson(`${url}/graphql`, body, headers)).text();
};

/** The receipts of an answer, in its order. */
const receiptsIn = (answer: string): readonly string[] =>
  [...answer.matchAll(/"receipt":"(R\d+)"/g)].map(([, receipt = '']) => receipt);

/** Sends requests at once, to each address in turn, and asserts that each call was made once. */
async function payOnce(
  t: Test,
  { backend }: Awaited<ReturnType<typeof useBank>>,
  urls: readonly string[],
): Promise<void> {
  const address = (at: number): string => urls[at % urls.length] ?? '';
  for (let round = 0; round < 5; round++) {
    for (const [name, body, calls] of [
      ['fields', FIELDS, 3],
      ['batch', BATCH, 3],
    ] as const) {
      const key = `${name}-${round}`;
      const before = backend.complete.length;
      const copies = Array.from({ length: 6 }, (_, at) => ask(address(at), body, key));
      const answers = await Promise.all(copies);
      const [first = ''] = answers;
      const receipts = receiptsIn(first);
      t.equal(new Set(receipts).size, calls, `${key}: ${first}`);
      for (const answer of [...answers, await ask(address(round), body, key)])
        t.same(receiptsIn(answer), receipts, key);
      t.equal(backend.complete.length, before + calls, `${key}: each call is made once`);
    }
    // Another order of the fields is the same request; another order of the batch is not.
    const turned = await Promise.all([
      ask(address(round), mutation('c', 'b', 'a'), `fields-${round}`),
      ask(address(round), [...BATCH].reverse(), `batch-${round}`),
      ask(address(round), mutation('d'), `fields-${round}`),
    ]);
    t.equal(receiptsIn(turned[0]).length, 3);
    for (const answer of turned.slice(1)) t.match(answer, 'IDEMPOTENCY_KEY_REUSED');
    const before = backend.complete.length;
    const rivals = [mutation('a', 'b'), mutation('b', 'c'), [mutation('a'), mutation('b')]];
    const answers = await Promise.all(
      rivals.map((body, at) => ask(address(at), body, `rivals-${round}`)),
    );
    t.equal(answers.filter((answer) => receiptsIn(answer).length === 2).length, 1);
    t.equal(backend.complete.length, before + 2, 'only the calls of one of the requests');
  }
}

t.test('two gateways make each call of a request once', { skip: MISSING }, async (t) => {
  const bank = await useBank(t);
  const gateways = [await useGateway(t, bank.yaml), await useGateway(t, bank.yaml)];
  await payOnce(
    t,
    bank,
    gateways.map(({ url }) => url),
  );
});

t.test('two workers make each call of a request once', { skip: MISSING }, async (t) => {
  const bank = await useBank(t);
  const gateway = await startProcess(t, `workers: 2\n${bank.yaml}`);
  await areAnswering(gateway, 2);
  await payOnce(t, bank, [gateway.url]);
});
