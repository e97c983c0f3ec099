import { createServer, type Server } from 'node:http';
import t, { type Test } from 'tap';
import { type AddressEvent, AddressStates } from '../../src/observe/address-states.js';
import { postSoap } from '../kit/envelope.js';
import { freePort } from '../kit/free-port.js';
import { GET_STOCK, STOCK_REPLY, stockShop } from '../kit/stock-shop.js';
import { until } from '../kit/until.js';
import { useGateway } from '../kit/use.js';

/** A backend that can be stopped and started again at the same port. */
class Backend {
  readonly port: number;
  #server: Server | null = null;

  constructor(port: number) {
    this.port = port;
  }

  start(): Promise<void> {
    const server = createServer((request, response) => {
      request
        .resume()
        .on('end', () => response.writeHead(200, { 'content-type': 'text/xml' }).end(STOCK_REPLY));
    });
    this.#server = server;
    return new Promise((resolve) => server.listen(this.port, '127.0.0.1', resolve));
  }

  stop(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    server?.closeAllConnections();
    return new Promise((resolve) => (server === null ? resolve() : server.close(() => resolve())));
  }
}

type Setting = Awaited<ReturnType<typeof startOne>>;

async function startOne(t: Test, keys: string) {
  const backend = new Backend(await freePort());
  await backend.start();
  t.teardown(() => backend.stop());
  const gateway = await useGateway(
    t,
    stockShop(`http://127.0.0.1:${backend.port}/shop?token=secret`, keys),
  );
  return {
    gateway,
    backend,
    /** The status of a call. */
    async call() {
      const reply = await postSoap(`${gateway.url}/soap/shop`, GET_STOCK);
      await reply.arrayBuffer();
      return reply.status;
    },
    /** The lines about addresses, in short. */
    lines: (): string[] =>
      gateway
        .logLines()
        .filter(({ msg }) => msg === 'address down' || msg === 'address up')
        .map(({ level, msg, service, address, reason, code = '' }) =>
          [level, msg, service, address, reason, code].join(' ').trim(),
        ),
  };
}

/** The value of a gauge of the service. */
const gaugeOf = async ({ gateway }: Setting, name: string): Promise<string | undefined> =>
  new RegExp(`^soapstone_upstream_${name}\\{service="shop"[^}]*\\} (\\d+)$`, 'm').exec(
    await gateway.metrics(),
  )?.[1];

t.test(
  'the log says once when an address goes down and when it is back, and which one a call failed at',
  async (t) => {
    const setting = await startOne(t, '    limits: { upstream: { breakerMillis: 1s } }');
    const { backend, gateway, call, lines } = setting;
    const address = `127.0.0.1:${backend.port}/shop`;
    t.equal(await call(), 200);
    await backend.stop();
    for (let count = 0; count < 6; count++) t.equal(await call(), 500);
    t.same(lines(), [`warn address down shop ${address} failures UPSTREAM_UNREACHABLE`]);
    const failed = gateway
      .logLines()
      .filter(({ code }) => code === 'UPSTREAM_UNREACHABLE' || code === 'UPSTREAM_RESET');
    t.ok(failed.some(({ msg }) => msg === 'request'));
    for (const line of failed) t.equal(line['address'], address);
    t.notMatch(JSON.stringify(gateway.logLines()), 'secret');
    // A call that tries it in vain is no further line.
    const tried = async () => /attempts_total\{[^}]*\} (\d+)/.exec(await gateway.metrics())?.[1];
    const before = Number(await tried());
    await until(async () => (await call()) === 500 && Number(await tried()) > before);
    t.equal(lines().length, 1);
    await backend.start();
    await until(async () => (await call()) === 200 && lines().length > 1);
    t.same(lines().slice(1), [`info address up shop ${address} answers`]);
    t.equal(await gaugeOf(setting, 'address_up'), '1');
    t.equal(await gaugeOf(setting, 'breakers_open'), '0');
    t.equal(await gaugeOf(setting, 'breakers_half_open'), '0');
  },
);

t.test('an address without calls is not down for ever, though no metrics are read', async (t) => {
  const setting = await startOne(
    t,
    '    limits: { upstream: { breakerFailures: 1, breakerMillis: 300 } }',
  );
  const { backend, call, lines } = setting;
  await backend.stop();
  t.equal(await call(), 500);
  t.equal(await gaugeOf(setting, 'address_up'), '0');
  t.equal(await gaugeOf(setting, 'breakers_open'), '1');
  await until(() => lines().length === 2);
  t.match(lines()[1], /^info address up shop \S+ time$/);
  t.equal(await gaugeOf(setting, 'address_up'), '1');
});

t.test(
  'with health checks an address is called again within one interval, however ' +
    'many checks that takes',
  async (t) => {
    const health =
      '    health: { everyMillis: 1000, tcp: true, up: 4, down: 1 }\n    limits: { upstream: ' +
      '{ breakerMillis: 600s } }';
    const setting = await startOne(t, health);
    const { backend, call, lines } = setting;
    await backend.stop();
    for (let count = 0; count < 5; count++) await call();
    await until(async () => (await gaugeOf(setting, 'address_up')) === '0');
    // An outage that health checks have seen.
    await until(
      () => setting.gateway.compiled().services[0]?.upstream.addresses.all[0]?.isHealthy === false,
    );
    await backend.start();
    const startedMillis = performance.now();
    await until(async () => (await gaugeOf(setting, 'address_up')) === '1');
    const tookMillis = performance.now() - startedMillis;
    t.ok(tookMillis < 2000, `${tookMillis} ms`);
    t.equal(await gaugeOf(setting, 'breakers_open'), '0');
    t.match(lines().at(-1), /^info address up shop \S+ health$/);
    t.equal(lines().length, 2);
    t.equal(await call(), 200);
  },
);

t.test(
  'a reload that replaces the connections of an address that is down ends its state',
  async (t) => {
    const { backend, gateway, call, lines } = await startOne(
      t,
      '    limits: { upstream: { breakerFailures: 1 } }',
    );
    await backend.stop();
    t.equal(await call(), 500);
    await gateway.reload((yaml) => yaml.replace('/shop?token=secret', '/other'));
    await until(() => lines().length === 2);
    t.match(lines()[1], /^info address up shop \S+\/shop removed$/);
  },
);

t.test(
  'of several processes the first that finds an address down counts, and the last that finds it up',
  (t) => {
    const events: string[] = [];
    const states = new AddressStates(({ address, isUp, reason }) =>
      events.push(`${address} ${isUp} ${reason}`),
    );
    const event = (isUp: boolean, reason: string, address = 'a:1/'): AddressEvent => ({
      ...{ service: 'shop', address, ip: null, isUp, reason, code: null },
    });
    const [first, second, third] = [{}, {}, {}];
    states.take(first, event(true, 'answers'));
    states.take(first, event(false, 'failures'));
    states.take(second, event(false, 'health'));
    states.take(third, event(false, 'latency', 'b:1/'));
    states.take(first, event(true, 'answers'));
    states.take(first, event(true, 'answers'));
    t.same(events, ['a:1/ false failures', 'b:1/ false latency']);
    states.take(second, event(true, 'time'));
    states.retire(third);
    t.same(events.slice(2), ['a:1/ true time', 'b:1/ true removed']);
    states.take(first, event(false, 'failures'));
    states.close();
    states.retire(first);
    t.same(events.slice(4), ['a:1/ false failures']);
    t.end();
  },
);
