import { createServer, type Server } from 'node:http';
import t from 'tap';
import { freePort } from '../kit/free-port.js';
import {
  areAnswering,
  childrenOf,
  type GatewayProcess,
  startProcess,
} from '../kit/gateway-process.js';
import { GET_STOCK, STOCK_REPLY, stockShop } from '../kit/stock-shop.js';
import { until } from '../kit/until.js';
import { edit, reload } from './process-kit.js';

/** What an operator sees of backends where several workers call them. */

const shop = (port: number, keys: string): string =>
  `workers: 2\n${stockShop(`http://127.0.0.1:${port}/shop`, keys)}`;

const listen = (port: number): Promise<Server> =>
  new Promise((resolve) => {
    const server = createServer((request, response) => {
      request
        .resume()
        .on('end', () => response.writeHead(200, { 'content-type': 'text/xml' }).end(STOCK_REPLY));
    });
    server.listen(port, '127.0.0.1', () => resolve(server));
  });

/**
 * Makes calls on connections of their own, which go to all workers. Returns how many were answered.
 */
async function call({ url }: GatewayProcess, count: number): Promise<number> {
  const headers = { 'content-type': 'text/xml', soapaction: '""', connection: 'close' };
  let answered = 0;
  for (let left = count; left > 0; left--) {
    const reply = await fetch(`${url}/soap/shop`, { method: 'POST', headers, body: GET_STOCK });
    await reply.arrayBuffer();
    if (reply.ok) answered++;
  }
  return answered;
}

const attempts = (gateway: GatewayProcess, port: number): Promise<number> =>
  gateway.metric(
    `soapstone_upstream_attempts_total\\{service="shop",address="127.0.0.1:${port}/shop"\\}`,
  );

t.test(
  'counters of addresses never fall, though workers die and reloads replace connections',
  async (t) => {
    const port = await freePort();
    const server = await listen(port);
    t.teardown(() => server.close());
    const gateway = await startProcess(t, shop(port, '    timeoutMillis: 9000'));
    await areAnswering(gateway, 2);
    let answered = 0;
    for (let round = 1; round <= 3; round++) {
      answered += await call(gateway, 20);
      t.equal(await attempts(gateway, port), answered);
      const [victim = 0] = childrenOf(gateway.child);
      process.kill(victim, 'SIGKILL');
      await until(
        () => !childrenOf(gateway.child).includes(victim) && childrenOf(gateway.child).length === 2,
      );
      await areAnswering(gateway, 2);
      t.equal(await attempts(gateway, port), answered, 'a worker has ended');
      await edit(gateway, (yaml) =>
        yaml.replace(/timeoutMillis: \d+/, `timeoutMillis: ${9000 + round}`),
      );
      t.equal((await reload(gateway)).status, 200);
      t.equal(await attempts(gateway, port), answered, 'connections are new');
    }
    t.equal(answered, 60);
  },
);

t.test(
  'of two workers the first that finds an address down logs it, and the last that finds it up',
  async (t) => {
    const port = await freePort();
    const gateway = await startProcess(
      t,
      shop(port, '    limits: { upstream: { breakerFailures: 1, breakerMillis: 2s } }'),
    );
    await areAnswering(gateway, 2);
    const lines = (): unknown[] =>
      gateway.lines.flatMap(({ msg, level, reason }) =>
        msg === 'address down' || msg === 'address up' ? [`${level} ${msg} ${reason}`] : [],
      );
    const down = (): Promise<number> =>
      gateway.metric('soapstone_upstream_breakers_open\\{service="shop"\\}');
    await until(async () => (await call(gateway, 2)) === 0 && (await down()) === 2);
    await until(() => lines().length > 0);
    t.same(lines(), ['warn address down failures']);
    await until(() => lines().length === 2);
    t.same(lines(), ['warn address down failures', 'info address up time']);
    t.equal(await down(), 0);
    t.equal(
      await gateway.metric(
        `soapstone_upstream_address_up\\{service="shop",address="127.0.0.1:${port}/shop"\\}`,
      ),
      2,
    );
  },
);
