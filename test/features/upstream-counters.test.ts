import t, { type Test } from 'tap';
import { AddressTotals } from '../../src/core/collections/address-totals.js';
import { UpstreamTotals } from '../../src/observe/metrics/upstream-totals.js';
import type { TestGateway } from '../kit/gateway.js';
import { answerStock, useStockShop } from '../kit/stock-shop.js';
import { until } from '../kit/until.js';

async function startShop(t: Test) {
  const { backend, gateway, send } = await useStockShop(t);
  const call = async (): Promise<number> => {
    const reply = await send();
    await reply.arrayBuffer();
    return reply.status;
  };
  return { backend, gateway, call };
}

/** The sum of a counter over all labels. */
async function sumOf(gateway: TestGateway, name: string): Promise<number> {
  const found = (await gateway.metrics()).matchAll(
    new RegExp(`^soapstone_upstream_${name}_total\\{.*\\} (\\S+)$`, 'gm'),
  );
  return [...found].reduce((sum, [, value]) => sum + Number(value), 0);
}

t.test(
  'counters of an address go on over a reload that changes how its service is reached',
  async (t) => {
    const { backend, gateway, call } = await startShop(t);
    for (let count = 0; count < 3; count++) t.equal(await call(), 200);
    backend.answer = (_message, response) => void response.destroy();
    for (let count = 0; count < 5; count++) t.equal(await call(), 500);
    const figures = async () =>
      Promise.all(['attempts', 'attempts_failed', 'ejections'].map((name) => sumOf(gateway, name)));
    t.same(await figures(), [8, 5, 1]);
    await gateway.reload((yaml) =>
      yaml.replace('    namespace:', '    timeoutMillis: 9s\n    namespace:'),
    );
    t.same(await figures(), [8, 5, 1]);
    backend.answer = answerStock;
    t.equal(await call(), 200, 'its new connections have a breaker of their own');
    t.same(await figures(), [9, 5, 1]);
  },
);

t.test('calls that began before a reload are counted when they end after it', async (t) => {
  const { backend, gateway, call } = await startShop(t);
  const held: (() => void)[] = [];
  backend.answer = (...asked) => void held.push(() => answerStock(...asked));
  const late = [call(), call()];
  await until(() => held.length === 2);
  await gateway.reload((yaml) =>
    yaml.replace('    namespace:', '    timeoutMillis: 9s\n    namespace:'),
  );
  for (const answer of held) answer();
  t.same(await Promise.all(late), [200, 200]);
  await until(async () => (await sumOf(gateway, 'attempts')) === 2);
  await until(() => gateway.generations() === 1);
  t.equal(await sumOf(gateway, 'attempts'), 2, 'after the earlier generation has ended as well');
});

t.test(
  'an address that a reload takes away keeps its counters, which go on when it is back',
  async (t) => {
    const { gateway, call } = await startShop(t);
    t.equal(await call(), 200);
    await gateway.reload((yaml) => yaml.replace('/shop\n', '/other\n'));
    t.equal(await call(), 200);
    await until(() => gateway.generations() === 1);
    t.equal(await sumOf(gateway, 'attempts'), 2);
    await gateway.reload((yaml) => yaml.replace('/other\n', '/shop\n'));
    t.equal(await call(), 200);
    t.match(await gateway.metrics(), /attempts_total\{service="shop",address="[^"]+\/shop"\} 2\n/);
    await gateway.reload((yaml) => yaml.replace('  shop:', '  store:'));
    await until(() => gateway.generations() === 1);
    t.notMatch(await gateway.metrics(), 'service="shop"', 'a service that is gone has none');
  },
);

t.test('a thousand addresses of a service are remembered', (t) => {
  const totals = new UpstreamTotals();
  for (let count = 0; count < 1001; count++) totals.of('shop', `a${count}`).calls++;
  totals.of('shop', 'a1').calls++;
  t.equal(totals.list().length, 1000);
  t.equal(totals.of('shop', 'a1').calls, 2);
  totals.of('shop', 'more');
  t.equal(totals.of('shop', 'a2').calls, 0, 'the one that was in use longest ago is forgotten');
  const sum = new AddressTotals();
  sum.add(totals.of('shop', 'a1'));
  sum.add(totals.of('shop', 'a1'));
  t.equal(sum.calls, 4);
  t.end();
});
