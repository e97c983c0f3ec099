import t, { type Test } from 'tap';
import { answerStatus, answerWith, type RecordingBackend } from '../kit/backend.js';
import { envelope, postSoap } from '../kit/envelope.js';
import { GET_STOCK, stockShop } from '../kit/stock-shop.js';
import { until } from '../kit/until.js';
import { useBackend } from '../kit/use.js';
import { edit, reload, start } from './process-kit.js';

/** The share of a canary is one over all workers, those that begin later among them. */

const reply = (stock: number): RecordingBackend['answer'] =>
  answerWith(
    envelope(`<GetStockResponse xmlns="urn:shop"><stock>${stock}</stock></GetStockResponse>`),
    'text/xml',
  );

async function useWorkers(t: Test, keys: string, answer = reply(2)) {
  const stable = await useBackend(t, reply(1));
  const fresh = await useBackend(t, answer);
  const services = stockShop(
    `${stable.url}/shop`,
    `    canary: { url: "${fresh.url}/shop", ${keys} }`,
    'idempotent: true',
  );
  const gateway = await start(t, 'workers: 2\n', services);
  /** On a connection of its own, which the workers get in turn. */
  const answeredBy = async (): Promise<number> => {
    const headers = { connection: 'close' };
    const answer = await postSoap(`${gateway.url}/soap/shop`, GET_STOCK, headers);
    return Number(/<stock>(\d)/.exec(await answer.text())?.[1] ?? 0);
  };
  const share = async (): Promise<number> => {
    const text = await (await fetch(`${gateway.adminUrl}/metrics`)).text();
    return Number(/soapstone_canary_share\{service="shop"\} (\S+)/.exec(text)?.[1]);
  };
  return { gateway, fresh, answeredBy, share };
}

t.test('failures of all workers count together, and all leave the new backend', async (t) => {
  const bad = answerStatus(500, { 'content-type': 'text/html' }, '<html>');
  const { answeredBy, share, gateway, fresh } = await useWorkers(t, 'share: 0.5', bad);
  let failed = 0;
  for (let round = 0; round < 20; round++) {
    const found = await Promise.all(Array.from({ length: 4 }, answeredBy));
    failed += found.filter((place) => place !== 1).length;
  }
  t.ok(failed >= 5 && failed <= 20, `${failed} failed`);
  await until(async () => (await share()) === 0);
  const before = fresh.complete.length;
  for (let count = 0; count < 10; count++) t.equal(await answeredBy(), 1);
  t.equal(fresh.complete.length, before);
  gateway.child.kill('SIGUSR2');
  await gateway.line('workers were replaced');
  for (let count = 0; count < 6; count++) t.equal(await answeredBy(), 1, 'successors know');
});

t.test('an operator moves the share of all workers, and a reload keeps it', async (t) => {
  const { answeredBy, share, gateway } = await useWorkers(t, 'share: 0');
  const move = (value: number): Promise<Response> =>
    fetch(`${gateway.adminUrl}/canary/shop`, {
      method: 'POST',
      body: JSON.stringify({ share: value }),
    });
  t.same(await (await move(1)).json(), { service: 'shop', share: 1 });
  await until(async () => {
    const found = await Promise.all(Array.from({ length: 6 }, answeredBy));
    return found.every((place) => place === 2);
  });
  await edit(gateway, (yaml) => `${yaml}\nroles: ["urn:other"]\n`);
  t.equal((await reload(gateway)).status, 200);
  for (let count = 0; count < 6; count++) t.equal(await answeredBy(), 2);
  t.equal(await share(), 1);
  await edit(gateway, (yaml) => yaml.replace('share: 0 }', 'share: 0, sticky: true }'));
  t.equal((await reload(gateway)).status, 200);
  for (let count = 0; count < 6; count++) t.equal(await answeredBy(), 1);
});
