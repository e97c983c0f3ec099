import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import t, { type Test } from 'tap';
import { Readings } from '../../src/console/page/readings.js';
import { Refusal } from '../../src/core/refusals/refusal.js';
import { Exchange } from '../../src/gateway/exchange.js';
import { RECENT_MAX, RecentRequests } from '../../src/observe/recent.js';
import { answerWith } from '../kit/backend.js';
import { missingBrowser, startBrowser } from '../kit/browser.js';
import { Authority, WITH_OPENSSL } from '../kit/certificates.js';
import { envelope, postSoap } from '../kit/envelope.js';
import type { TestGateway } from '../kit/gateway.js';
import { postGraphql } from '../kit/graphql-client.js';
import { until } from '../kit/until.js';
import { useBackend, useFolder, useGateway } from '../kit/use.js';
import { element, wrapper, wsdlOf } from '../kit/wsdl.js';

/** The page for operators, and the answers it is made of. */

const SHOP = (url: string): string => `services:
  shop:
    url: ${url}/shop?key=canary
    namespace: urn:shop
    types: |
      type Query { price(sku: String!): Int, parts(of: Part!): Int }
      input Part { inner: Part! }
    operations:
      GetPrice: { field: Query.price }
      GetParts: { field: Query.parts }
`;

const REPLY = envelope('<GetPriceResponse xmlns="urn:shop"><price>7</price></GetPriceResponse>');

async function startShop(t: Test, more = ''): Promise<TestGateway> {
  const backend = await useBackend(t, answerWith(REPLY));
  return useGateway(t, `${SHOP(backend.url)}${more}`);
}

/** The JSON of an answer. */
const read = async (gateway: TestGateway, path: string) =>
  JSON.parse(await (await ask(gateway, path)).text());

const ask = async (gateway: TestGateway, path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(`${gateway.adminUrl}/${path}`, init);

t.test(
  'the console describes services and operations, without queries of their addresses',
  async (t) => {
    const gateway = await startShop(t);
    const text = await (await ask(gateway, 'console/description')).text();
    t.notMatch(text, /canary/);
    const { services, graphqlPath, tryOut, codes } = JSON.parse(text);
    t.match(services, [
      {
        name: 'shop',
        kind: 'soap',
        mode: 'enforce',
        dialects: ['1.1'],
        message: { mediaType: 'text/xml', hasActionField: true },
        path: '/soap/shop',
        addresses: [/^127.*\/shop$/],
      },
    ]);
    t.match(services[0].operations, [
      { name: 'GetPrice', status: 'ok', field: 'Query.price' },
      { name: 'GetParts' },
    ]);
    t.match({ graphqlPath, tryOut }, { graphqlPath: '/graphql', tryOut: false });
    t.match(codes.XML_DTD_FORBIDDEN, {
      text: 'A message must not contain a DTD.',
      why: String,
      change: String,
    });

    const price = await read(gateway, 'console/operation?service=shop&name=GetPrice');
    const [field, ...types] = price.docs;
    t.match(field, { name: String, blocks: [{ kind: 'text' }] }, 'what `docs` writes of it');
    t.ok(
      field.blocks.some(({ kind }: { kind: string }) => kind === 'code'),
      'an example with its answer',
    );
    t.ok(Array.isArray(types));
    t.equal(price.query, 'query {\n  price(sku: "A")\n}\n');
    t.match(price.envelope, /<n1:GetPrice><n1:sku>A<\/n1:sku><\/n1:GetPrice>/);
    const parts = await read(gateway, 'console/operation?service=shop&name=GetParts');
    t.equal(parts.query, 'query {\n  parts(of: {})\n}\n');
    for (const path of [
      'operation?service=shop&name=Other',
      'operation?service=__proto__&name=GetPrice',
      'other',
    ])
      t.equal((await ask(gateway, `console/${path}`)).status, 404, path);
  },
);

/** Listeners whose certificates end on these days from now. */
function withTls(t: Test): { readonly yaml: string; rotate(): void } {
  const directory = t.testdir();
  const authority = new Authority(directory);
  const put = (name: string, days: number): string => {
    const { cert, key } = authority.sign(name, days);
    writeFileSync(join(directory, `served-${name}.crt`), cert);
    writeFileSync(join(directory, `served-${name}.key`), key);
    return (
      `cert: { file: ${directory}/served-${name}.crt }, key: { file: ` +
      `${directory}/served-${name}.key }`
    );
  };
  const own = put('a.example', 100);
  const names = `names: { b.example: { ${put('b.example', 10)} } }`;
  writeFileSync(join(directory, 'lists.pem'), authority.revoke([], 3_600));
  writeFileSync(join(directory, 'clients.pem'), authority.ca.cert);
  const clients =
    `clientCertificate: optional, clientCa: { file: ${directory}/clients.pem }, clientCrl: ` +
    `{ file: ${directory}/lists.pem }`;
  return {
    yaml: `listen: [127.0.0.1:0, { address: "127.0.0.1:0", tls: { ${own}, ${names}, ${clients} } }]
`,
    rotate: () => void put('b.example', 200),
  };
}

t.test('the console lists when certificates of listeners end', WITH_OPENSSL, async (t) => {
  const { yaml, rotate } = withTls(t);
  const gateway = await startShop(t, yaml);
  const daysOf = async (): Promise<unknown> => {
    const { listenerEnds } = await read(gateway, 'console/description');
    return listenerEnds.map(({ millis, ...rest }: { readonly millis: number }) => ({
      ...rest,
      days: Math.round((millis - Date.now()) / 86_400_000),
    }));
  };
  const of = { key: 'listen', address: '127.0.0.1:0', name: null };
  const ends = (days: number) => [
    { ...of, kind: 'certificate', days: 100 },
    { ...of, kind: 'certificate', name: 'b.example', days },
    { ...of, kind: 'clientCa', days: 3650 },
    { ...of, kind: 'clientCrl', days: 0 },
  ];
  t.strictSame(await daysOf(), ends(10));
  rotate();
  await until(async () => isDeepStrictEqual(await daysOf(), ends(200)));
});

t.test('every operation of a WSDL has a sample, whether GraphQL offers it or not', async (t) => {
  const gateway = await useGateway(
    t,
    `services:
  desk:
    wsdl: ${resolve('config/demo/legacy.wsdl')}
    url: http://127.0.0.1:9/
    operations: { PlaceOrder: { field: Mutation.place } }
`,
  );
  const { services } = await read(gateway, 'console/description');
  t.equal(services[0].operations.length, 12);
  for (const { name, field } of services[0].operations) {
    const { query, envelope } = await read(gateway, `console/operation?service=desk&name=${name}`);
    t.equal(query !== null, field !== null, name);
    t.match(envelope, new RegExp(`<(?:\\w+:)?${name}\\b`), name);
  }
});

t.test('a refused request is found by the id in its Fault, and a slow one is listed', async (t) => {
  const gateway = await startShop(t, 'console: { slowMillis: 1 }\n');
  const body = '<!DOCTYPE canary []><canary/>';
  const fault = await (await postSoap(`${gateway.url}/soap/shop`, body)).text();
  const [, id] = /id="([^"]+)"/.exec(fault) ?? [];
  const answer = await postGraphql(gateway.url, { query: '{ price(sku: "canary") }' });
  t.match(await answer.json(), { data: { price: 7 } });
  await gateway.accessLine(2);
  const text = await (await ask(gateway, 'console/state')).text();
  t.notMatch(text, /canary/, 'no values');
  const { recent, metrics, loads } = JSON.parse(text);
  t.match(recent.refused, [
    { id, code: 'XML_DTD_FORBIDDEN', route: 'shop', status: 500, detail: 'DTD at byte 0' },
  ]);
  t.match(recent.refused, [{ address: '127.0.0.1', caller: '', operationName: '' }]);
  t.match(recent.slow, [{ route: 'graphql', code: null }]);
  t.equal(loads.generation, 1);
  t.match(metrics.soapstone_requests_total, [
    { labels: { route: 'shop', outcome: 'refused' }, value: 1 },
  ]);
});

t.test('lists of requests are bounded, the latest first', (t) => {
  const recent = new RecentRequests(() => 10);
  for (let index = 0; index <= RECENT_MAX; index++) {
    const exchange = new Exchange(String(index), '127.0.0.1', 'POST');
    exchange.refuse(new Refusal(index % 2 === 0 ? 'SOAP_FAULT' : 'XML_DTD_FORBIDDEN'));
    recent.add(exchange, 10);
  }
  const subscription = new Exchange('lasts', '127.0.0.1', 'GET');
  subscription.operation = 'subscription';
  recent.add(subscription, 1000);
  const named = new Exchange('named', '192.0.2.7', 'POST');
  named.identify({ className: 'internal', label: 'apiKey:erp', name: null });
  named.graphql.operationName = 'N'.repeat(1000);
  named.refuse(new Refusal('FORBIDDEN'));
  recent.add(named, 1);
  const [latest] = recent.lists.refused;
  t.match(latest, { caller: 'apiKey:erp', address: '192.0.2.7', operationName: 'N'.repeat(128) });
  const { refused, faults, slow } = recent.lists;
  t.equal(slow.length, RECENT_MAX);
  t.equal(slow[0]?.id, String(RECENT_MAX));
  t.equal(slow.at(-1)?.id, '1');
  t.equal(refused.length, RECENT_MAX / 2 + 1);
  t.equal(faults.length, RECENT_MAX / 2 + 1);
  t.end();
});

t.test('rates and quantiles are those of the last minute, also after a counter began anew', (t) => {
  const NAME = 'soapstone_requests_total';
  const BUCKET = 'soapstone_request_duration_seconds_bucket';
  const state = (second: number, requests: number, buckets: readonly number[]) => ({
    atMillis: second * 1000,
    loads: { ok: 1, refused: 0, generation: 1 },
    recent: { refused: [], faults: [], slow: [] },
    metrics: {
      [NAME]: [{ labels: { route: 'a' }, value: requests }],
      [BUCKET]: ['0.1', '1', '+Inf'].map((le, index) => ({
        labels: { le, route: 'a' },
        value: buckets[index] ?? 0,
      })),
    },
  });
  const states = [
    state(0, 1000, [0, 0, 0]),
    state(40, 0, [10, 10, 10]),
    state(100, 120, [60, 110, 110]),
  ];
  const readings = new Readings(states);
  t.equal(readings.rate(NAME), 2, 'the first state is too old');
  t.equal(readings.rate(NAME, { route: 'b' }), 0);
  t.equal(readings.quantile(0.25), 0.05);
  t.equal(readings.quantile(0.75), 0.55);
  t.equal(new Readings(states.slice(0, 1)).quantile(0.5), null);
  t.equal(new Readings([state(0, 100, []), state(10, 50, [])]).rate(NAME), 5, 'began anew');
  t.end();
});

t.test(
  'messages are sent from the page only where that is allowed, and from no other page',
  async (t) => {
    const post = (
      gateway: TestGateway,
      message: unknown,
      headers: Record<string, string> = {},
    ): Promise<Response> =>
      ask(gateway, 'console/try', { method: 'POST', body: JSON.stringify(message), headers });
    const message = {
      path: '/graphql',
      headers: { 'content-type': 'application/json', cookie: 'a=b' },
      body: '{"query":"{ price(sku: 1) }"}',
    };
    t.equal((await post(await startShop(t), message)).status, 403, 'not by default');
    const gateway = await startShop(t, 'console: { tryOut: true }\n');
    t.equal(
      (await post(gateway, message, { origin: 'https://other.example' })).status,
      403,
      'another site',
    );
    const answer = await (await post(gateway, message, { origin: gateway.adminUrl })).json();
    t.match(answer, { status: 200, isCut: false, body: /Expected a value of type/ }, 'as a caller');
    for (const wrong of [
      { ...message, path: '/graphql/../metrics' },
      { ...message, path: 'http://other.example/' },
      { ...message, body: 7 },
      { path: '/graphql', body: '' },
      7,
    ])
      t.equal((await post(gateway, wrong)).status, 400, JSON.stringify(wrong));
    const filler = 'x'.repeat(262_144 - JSON.stringify({ ...message, body: '' }).length);
    t.equal((await post(gateway, { ...message, body: filler })).status, 200, 'as long as may be');
    t.equal((await post(gateway, { ...message, body: `${filler}x` })).status, 413);
    t.equal((await ask(gateway, 'console/try')).status, 405);
    t.equal((await ask(gateway, 'console/state', { method: 'POST' })).status, 405);
  },
);

t.test(
  'the console works in a browser',
  { skip: missingBrowser() || WITH_OPENSSL.skip },
  async (t) => {
    const gateway = await startShop(
      t,
      `${withTls(t).yaml}console: { tryOut: true, slowMillis: 1, inspect: {} }\n`,
    );
    t.match(await (await ask(gateway, '')).text(), /\/metrics/, 'programs get a list');
    const browser = await startBrowser();
    t.teardown(() => browser.close());
    const page = await browser.open(`${gateway.adminUrl}/`);
    await page.until("document.querySelector('canvas') !== null");
    await postSoap(`${gateway.url}/soap/shop`, '<!DOCTYPE a []><a/>');
    await page.evaluate("location.hash = '#refusals'");
    await page.until("document.body.innerText.includes('XML_DTD_FORBIDDEN')");
    const row = "[...document.querySelectorAll('td')].map(({ innerText }) => innerText)";
    const cells = await page.evaluate(row);
    t.ok(Array.isArray(cells) && cells.includes('127.0.0.1'), 'the address of the client');
    t.ok(
      Array.isArray(cells) &&
        cells.some((cell) => /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(String(cell))),
      'date and time',
    );
    t.match(
      await page.evaluate("document.querySelector('h1').innerText"),
      /^Soapstone \d+\.\d+\.\d+$/,
    );
    const search = (text: string): string => `{
    const input = document.querySelector('input[type=search]');
    input.value = '${text}';
    input.dispatchEvent(new Event('input', { bubbles: true }));
  }`;
    await page.evaluate(search('no such id'));
    await page.until("document.body.innerText.includes('None of the latest 200 has this id')");
    await page.evaluate(search('-'));
    await page.until(
      "document.querySelector('td details summary')?.innerText === 'A message " +
        "must not contain a DTD.'",
    );
    await page.evaluate("location.hash = '#services'");
    await page.until("document.body.innerText.includes('SOAP 1.1')");
    await page.until("document.querySelector('svg.sparkline polyline.failed') !== null");
    const dates =
      "[...document.querySelectorAll('td')].every(({ innerText }) => " +
      '!/\\d+[/.]\\d+[/.]\\d{4}/.test(innerText))';
    t.equal(await page.evaluate(dates), true, 'dates have one form');
    await page.until("document.body.innerText.includes('certificate of b.example')");
    const soon =
      "[...document.querySelectorAll('td .bad')].map((each) => " +
      "each.closest('tr').cells[1].innerText)";
    t.strictSame(await page.evaluate(soon), ['certificate of b.example', 'revocation lists']);
    await page.evaluate("location.hash = '#explorer/shop/GetPrice'");
    await page.until("document.querySelector('form button') !== null");
    await page.evaluate("document.querySelector('form button').click()");
    await page.until(`document.body.innerText.includes('"price": 7')`);
    const press = (text: string): string =>
      "[...document.querySelectorAll('button')].find(({ innerText }) => " +
      `innerText === '${text}').click()`;
    await page.evaluate(press('Read again'));
    await page.until(
      `[...document.querySelectorAll('td')].some((each) => each.innerText === 'Show')`,
    );
    await page.evaluate(press('Show'));
    await page.until("document.body.innerText.includes('Reply, status 200')");
    t.match(await page.evaluate('document.body.innerText'), /<price>\d<\/price>/);
    await page.evaluate(press('Show values'));
    await page.until("document.body.innerText.includes('asks for no credentials')");

    for (const width of [400, 800, 1300])
      for (const part of [
        'overview',
        'services',
        'refusals',
        'clients',
        'streams',
        'contracts',
        'explorer/shop/GetPrice',
      ]) {
        await page.show(width, width === 800 ? 'dark' : 'light');
        await page.evaluate(`location.hash = '#${part}'`);
        await page.until(
          `document.querySelector('nav [aria-current]').hash === '#${part.split('/')[0]}'`,
        );
        const isWithin = await page.evaluate('document.documentElement.scrollWidth <= innerWidth');
        t.ok(isWithin, `${part} is no wider than a window of ${width} pixels`);
      }
    const others = page.complaints.filter((each) => !/status of 403/.test(each));
    t.same(others, [], 'but for values that are refused');
    t.same(
      page.loaded.filter(
        ({ url, status }) =>
          !/values=kept/.test(url) &&
          (!/^(data:|http:)/.test(url) ||
            (url.startsWith('http') && !url.startsWith(gateway.adminUrl)) ||
            status !== 200),
      ),
      [],
    );

    await page.evaluate("location.hash = '#overview'; document.querySelector('nav a').focus()");
    await page.press('Tab');
    await page.press('Enter');
    await page.until("location.hash === '#services'");
    await page.evaluate("document.querySelector('header button').focus()");
    await page.press('Enter');
    await page.until("document.activeElement.closest('dialog[open]') !== null");
    await page.press('Escape');
    await page.until("document.querySelector('dialog[open]') === null");
  },
);

t.test(
  'the state has the log and the audit: whether they are written, and lost lines',
  async (t) => {
    const gateway = await startShop(t, `audit: { file: ${join(t.testdir(), 'audit.log')} }\n`);
    const { metrics } = await read(gateway, 'console/state');
    for (const of of ['log', 'audit']) {
      t.match(metrics[`soapstone_${of}_up`], [{ value: 1 }], of);
      t.match(metrics[`soapstone_${of}_lines_waiting`], [{ value: Number }], of);
      t.match(metrics[`soapstone_${of}_lines_dropped_total`], [{ value: 0 }], of);
    }
  },
);

const CONVERTED_WSDL = wsdlOf(
  'urn:t',
  wrapper('GetOrder', element('since', 'xs:string')) +
    wrapper(
      'GetOrderResponse',
      element('at', 'xs:string') + element('id', 'xs:string') + element('total', 'xs:decimal'),
    ),
  ['GetOrder'],
);

t.test('the console lists what is tolerated, converted and open', async (t) => {
  const folder = await useFolder(t, { 'a.wsdl': CONVERTED_WSDL });
  const gateway = await useGateway(
    t,
    `services:
  a:
    wsdl: a.wsdl
    url: http://127.0.0.1:9/
    tolerate: [wrapper]
    schema: { types: { GetOrderResponse: { fields: { at: { convert: { date: yyyyMMdd } } } } } }
    operations:
      GetOrder:
        field: Query.order
        tolerate: [missing, empty-body]
        arguments: { since: { convert: { boolean: { true: J, false: N } } } }
`,
    folder,
  );
  const { contracts } = await read(gateway, 'console/description');
  t.strictSame(contracts.tolerated, [
    { service: 'a', operation: '', deviations: ['wrapper'] },
    { service: 'a', operation: 'GetOrder', deviations: ['missing', 'empty-body'] },
  ]);
  t.strictSame(contracts.converted, [
    { service: 'a', field: 'GetOrderResponse.at', as: 'date: yyyyMMdd' },
    { service: 'a', field: 'GetOrder(since)', as: 'boolean: {"true":"J","false":"N"}' },
  ]);
  t.equal(contracts.convertedCount, 2);
  t.ok(contracts.open.length > 0, 'no clients are configured');
});

t.test('a call that failed for a GraphQL field is listed with its operation', async (t) => {
  const gateway = await useGateway(t, SHOP('http://127.0.0.1:9'));
  await postGraphql(gateway.url, { query: '{ price(sku: "1") }' });
  await gateway.accessLine(1);
  const { recent } = await read(gateway, 'console/state');
  t.match(recent.refused, [{ failedCall: 'shop.GetPrice', route: 'graphql' }]);
});
