import t, { type Test } from 'tap';
import { answerStatus, type RecordingBackend } from '../kit/backend.js';
import { postSoap } from '../kit/envelope.js';
import { askText } from '../kit/graphql-client.js';
import { answerStock, GET_STOCK, STOCK_REPLY, stockShop } from '../kit/stock-shop.js';
import { until } from '../kit/until.js';
import { useBackend, useGateway } from '../kit/use.js';

/** Three backends behind one service. `urls` writes the entry of each. */
async function startThree(
  t: Test,
  keys: string,
  urls = (url: string, _index: number): string => url,
  more = '',
  operation = 'idempotent: true',
) {
  const backends = [
    await useBackend(t, answerStock),
    await useBackend(t, answerStock),
    await useBackend(t, answerStock),
  ];
  const addresses = backends.map(({ url }, index) => urls(`${url}/shop`, index)).join(', ');
  const gateway = await useGateway(t, stockShop(`[ ${addresses} ]`, `${keys}\n${more}`, operation));
  return {
    gateway,
    backends,
    /** The calls that each has got. */
    counts: () => backends.map(({ complete }) => complete.length),
    send: (headers: Record<string, string> = {}, message = GET_STOCK) =>
      postSoap(`${gateway.url}/soap/shop`, message, headers),
    ask: (headers: Record<string, string> = {}, sku = '1') =>
      askText(gateway.url, `{ stock(sku: "${sku}") }`, headers),
  };
}

t.test('weights, backups and the zone of the gateway', async (t) => {
  const weighted = await startThree(
    t,
    '',
    (url, index) => `{ url: "${url}", weight: ${[2, 1, 0][index]} }`,
  );
  for (let count = 0; count < 6; count++) t.match(await weighted.ask(), '"stock":7');
  t.same(weighted.counts(), [4, 2, 0]);

  const backup = await startThree(
    t,
    '',
    (url, index) => `{ url: "${url}", backup: ${index !== 2} }`,
  );
  for (let count = 0; count < 3; count++) t.match(await backup.ask(), '"stock":7');
  t.same(backup.counts(), [0, 0, 3]);
  await backup.backends[2]?.close();
  t.match(await backup.ask(), '"stock":7', 'a request that could not be sent goes to a backup');

  const zones = ['east', 'west', 'east'];
  const near = await startThree(
    t,
    '    zone: west',
    (url, index) => `{ url: "${url}", zone: ${zones[index]} }`,
  );
  for (let count = 0; count < 3; count++) t.match(await near.ask(), '"stock":7');
  t.same(near.counts(), [0, 3, 0]);
  await near.backends[1]?.close();
  t.match(await near.ask(), '"stock":7', 'other zones stand in');
});

t.test('calls with the same header field go to the same address, in both protocols', async (t) => {
  const { ask, send, counts } = await startThree(t, '    balance: { hash: "header:X-Tenant" }');
  const used = new Set<string>();
  for (let tenant = 0; tenant < 12; tenant++) {
    const before = counts();
    const headers = { 'x-tenant': `tenant ${tenant}` };
    t.match(await ask(headers), '"stock":7');
    t.equal((await send(headers)).status, 200);
    const grown = counts().map((count, index) => count - (before[index] ?? 0));
    t.ok(grown.includes(2), `both calls at one address: ${grown}`);
    used.add(String(grown));
  }
  t.equal(used.size, 3, 'and all are used');
});

t.test(
  'calls with the same text at a path of the request go to the same address, in both protocols',
  async (t) => {
    const { ask, send, counts } = await startThree(t, '    balance: { hash: "path:sku" }');
    const call = async (content: string): Promise<void> => {
      t.equal((await send({}, GET_STOCK.replace('<sku>1</sku>', content))).status, 200);
    };
    const used = new Set<string>();
    const long = `<note>${'x'.repeat(100_000)}</note>`;
    for (let sku = 0; sku < 12; sku++) {
      const before = counts();
      const element = `<sku>\n ${sku}\u00e9 </sku>`;
      await call(element);
      await call(`<other><sku>0</sku></other>${element}<sku>0</sku>`);
      await call(element + long);
      t.match(await ask({}, `${sku}\u00e9`), '"stock":7');
      const grown = counts().map((count, index) => count - (before[index] ?? 0));
      t.same([...grown].sort(), [0, 0, 4], `all at one address: ${grown}`);
      used.add(String(grown));
    }
    t.equal(used.size, 3, 'and all are used');
    await call('');
    await call(`${long}<sku>1</sku>`);
    const sum = counts().reduce((before, count) => before + count, 0);
    t.equal(sum, 50, 'a request without it, or with it too late, goes anywhere');
  },
);

t.test('calls of one client go to the same address', async (t) => {
  const clients = `clients:
  classes: { internal: {} }
  apiKeys:
    clients:
      erp: { class: internal, keys: [0123456789abcdef0123456789abcdef] }`;
  const { ask, counts } = await startThree(t, '    balance: { hash: client }', undefined, clients);
  for (let count = 0; count < 6; count++) {
    t.match(await ask({ 'x-api-key': '0123456789abcdef0123456789abcdef' }), '"stock":7');
  }
  t.same([...counts()].sort(), [0, 0, 6]);
});

t.test('a caller that sends its cookie stays at one address', async (t) => {
  const { send, counts, backends } = await startThree(t, '    sticky: { cookie: route }');
  const first = await send();
  const [cookie = ''] = (first.headers.get('set-cookie') ?? '').split(';');
  t.match(cookie, /^route=[\w-]{6}$/);
  t.match(first.headers.get('set-cookie'), /; Path=\/soap\/shop; HttpOnly; SameSite=Lax$/);
  const at = counts().indexOf(1);
  for (let count = 0; count < 4; count++) {
    const answer = await send({ cookie: `other=1; ${cookie}` });
    t.equal(answer.headers.get('set-cookie'), null, 'it gets the cookie once');
  }
  t.equal(counts()[at], 5);
  await backends[at]?.close();
  const moved = await send({ cookie });
  t.equal(moved.status, 200);
  t.not(
    moved.headers.get('set-cookie')?.split(';')[0],
    cookie,
    'and another one when its address is gone',
  );
  t.equal((await send({ cookie: 'route=nothing' })).status, 200);
});

const hang = (): void => {};
const status = (code: number, type = 'text/html') =>
  answerStatus(code, { 'content-type': type }, '<p>sorry</p>');

t.test(
  'an idempotent call is made again at another address, also where its answer ' +
    'does not begin in time',
  async (t) => {
    const retry = '    retry: { times: 2, on: [refused, reset, "503"], perTryMillis: 100 }';
    const { ask, send, backends, counts } = await startThree(t, retry);
    const [first, second] = backends;
    if (first === undefined || second === undefined) throw new Error('three');
    // Retries are a fifth of the calls.
    for (let count = 0; count < 15; count++) await ask();
    first.answer = status(503);
    second.answer = hang;
    t.match(await ask(), '"stock":7');
    t.same(counts(), [6, 6, 6]);
    t.equal((await send()).status, 200, 'of a SOAP caller');
    first.answer = status(503, 'text/xml');
    second.answer = status(502);
    const codes: string[] = [];
    for (let count = 0; count < 3; count++)
      codes.push(/"code":"(\w+)"/.exec(await ask())?.[1] ?? 'fine');
    t.same(
      codes.sort(),
      ['UPSTREAM_INVALID_RESPONSE', 'UPSTREAM_INVALID_RESPONSE', 'fine'],
      'an envelope, another status',
    );
  },
);

t.test('a call that is not idempotent is made once', async (t) => {
  const retry = '    retry: { times: 2, on: [refused, reset, "503"], perTryMillis: 5000 }';
  const { ask, backends, counts } = await startThree(t, retry, undefined, '', '');
  for (const backend of backends) backend.answer = status(503);
  t.match(await ask(), 'UPSTREAM_OVERLOADED');
  t.same([...counts()].sort(), [0, 0, 1]);
});

t.test('retries at one address are so many, and a part of the calls', async (t) => {
  const { ask, backends, counts } = await startThree(
    t,
    '    retry: { times: 3, on: ["503"] }\n    limits: { upstream: { breakerFailures: 0 } }',
    (url, index) => `{ url: "${url}", weight: ${index === 0 ? 1 : 0} }`,
  );
  for (const backend of backends) backend.answer = status(503);
  for (let count = 0; count < 10; count++) t.match(await ask(), 'UPSTREAM_OVERLOADED');
  t.ok((counts()[0] ?? 0) <= 13, `${counts()[0]} attempts for 10 calls`);
});

t.test('time and number of calls are limited by operation', async (t) => {
  const own = 'timeoutMillis: 100, requestsAtOnce: 1';
  const { ask, send, backends } = await startThree(t, '', undefined, '', own);
  for (const backend of backends) backend.answer = hang;
  const first = ask();
  await until(() => backends.some(({ begun }) => begun === 1));
  const refused = await send();
  t.equal(refused.headers.get('retry-after'), '1');
  t.match(await refused.text(), 'POOL_EXHAUSTED');
  t.match(await first, 'UPSTREAM_TIMEOUT');
  const second = ask();
  t.match(await second, 'UPSTREAM_TIMEOUT', 'there is room again');
});

t.test(
  'an address whose health check fails is not called until it succeeds again, and metrics show it',
  async (t) => {
    let isFine = true;
    const healthy: RecordingBackend['answer'] = (message, response) => {
      if (message.target === '/health?deep') response.writeHead(isFine ? 204 : 500).end();
      else response.writeHead(200, { 'content-type': 'text/xml' }).end(STOCK_REPLY);
    };
    const check = '    health: { everyMillis: 100, path: "/health?deep", up: 1, down: 2 }';
    const { ask, backends, gateway } = await startThree(t, check);
    const [first, ...others] = backends;
    if (first === undefined) throw new Error('three');
    first.answer = healthy;
    const calls = (): number => first.complete.filter(({ method }) => method === 'POST').length;
    const up = async (): Promise<string | undefined> =>
      /address_up\{service="shop",address="([^"]+)"[^}]*\} 0/.exec(await gateway.metrics())?.[1];
    t.equal(await up(), undefined);
    isFine = false;
    while ((await up()) === undefined);
    t.equal(`http://${await up()}`, `${first.url}/shop`);
    const before = calls();
    for (let count = 0; count < 6; count++) t.match(await ask(), '"stock":7');
    t.equal(calls(), before);
    t.match(await gateway.metrics(), /ejections_total\{[^}]*reason="health"[^}]*\} 1/);
    isFine = true;
    while (calls() === before) t.match(await ask(), '"stock":7');
    t.ok(
      others.every(({ complete }) => complete.some(({ method }) => method === 'GET')),
      'all are checked',
    );
  },
);

t.test('an address that no connection can be made to is seen before it is called', async (t) => {
  const { backends, gateway } = await startThree(
    t,
    '    health: { everyMillis: 100, tcp: true, down: 1 }',
  );
  const [first] = backends;
  if (first === undefined) throw new Error('three');
  await first.close();
  while (!/address_up\{[^}]*\} 0/.test(await gateway.metrics()));
  t.equal(first.complete.length, 0);
});
