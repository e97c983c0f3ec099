import t from 'tap';
import { answerStatus, answerWith } from '../kit/backend.js';
import { envelope, postSoap } from '../kit/envelope.js';
import type { TestGateway } from '../kit/gateway.js';
import { GET_STOCK, stockShop } from '../kit/stock-shop.js';
import { until } from '../kit/until.js';
import { useBackend, useGateway } from '../kit/use.js';
import { MISSING, useRedis } from './kit.js';

/** The shares of canaries that replicas have in common. */

const reply = (stock: number) =>
  answerWith(
    envelope(`<GetStockResponse xmlns="urn:shop"><stock>${stock}</stock></GetStockResponse>`),
    'text/xml',
  );

t.test(
  'a share that one replica moves is that of all, and of later ones',
  { skip: MISSING },
  async (t) => {
    const redis = await useRedis(t);
    const stable = await useBackend(t, reply(1));
    const fresh = await useBackend(t, reply(2));
    const config =
      `redis: { url: "${redis.url}", operationMillis: 500 }\n` +
      stockShop(
        `${stable.url}/shop`,
        `    canary: { url: "${fresh.url}/shop", share: 0 }`,
        'idempotent: true',
      );
    const answeredBy = async ({ url }: TestGateway): Promise<number> => {
      const answer = await postSoap(`${url}/soap/shop`, GET_STOCK);
      return Number(/<stock>(\d)/.exec(await answer.text())?.[1] ?? 0);
    };
    const isUp = async (gateway: TestGateway): Promise<boolean> =>
      /^soapstone_redis_up 1$/m.test(await gateway.metrics());
    const one = await useGateway(t, config);
    const two = await useGateway(t, config);
    await until(async () => (await isUp(one)) && (await isUp(two)));
    t.equal(await answeredBy(two), 1);
    const moved = await fetch(`${one.adminUrl}/canary/shop`, {
      method: 'POST',
      body: '{"share":1}',
    });
    t.equal(moved.status, 200);
    await until(async () => (await answeredBy(two)) === 2);
    const followed = { service: 'shop', share: 1, cause: 'moved' };
    t.match(await two.logLine('canary follows another process'), followed);
    const three = await useGateway(t, config);
    await until(async () => (await answeredBy(three)) === 2);
    const other = await useGateway(t, config.replace('share: 0 }', 'share: 0, sticky: true }'));
    await until(async () => isUp(other));
    t.equal(await answeredBy(other), 1, 'it is that of one configuration');
  },
);

t.test(
  'a replica that leaves a bad new backend takes the others with it',
  { skip: MISSING },
  async (t) => {
    const redis = await useRedis(t);
    const stable = await useBackend(t, reply(1));
    const fresh = await useBackend(t, answerStatus(500, { 'content-type': 'text/html' }, '<html>'));
    const config =
      `redis: { url: "${redis.url}", operationMillis: 500 }\n` +
      stockShop(
        `${stable.url}/shop`,
        `    canary: { url: "${fresh.url}/shop", share: 1 }`,
        'idempotent: true',
      );
    const one = await useGateway(t, config);
    const two = await useGateway(t, config);
    for (const each of [one, two])
      await until(async () => /^soapstone_redis_up 1$/m.test(await each.metrics()));
    const isLeft = async (): Promise<boolean> =>
      /canary_share\{service="shop"\} 0$/m.test(await two.metrics());
    await until(async () => {
      await postSoap(`${one.url}/soap/shop`, GET_STOCK);
      return isLeft();
    });
    t.match(await one.logLine('canary went back'), { service: 'shop', cause: 'failures' });
    const followed = { service: 'shop', share: 0, cause: 'failures' };
    t.match(await two.logLine('canary follows another process'), followed);
    const asked = fresh.begun;
    t.match(await (await postSoap(`${two.url}/soap/shop`, GET_STOCK)).text(), '<stock>1');
    t.equal(fresh.begun, asked);
  },
);
