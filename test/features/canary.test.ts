import t, { type Test } from 'tap';
import { answerStatus, answerWith, type RecordingBackend } from '../kit/backend.js';
import { envelope, faultOf, postSoap } from '../kit/envelope.js';
import { askText } from '../kit/graphql-client.js';
import { GET_STOCK, stockShop } from '../kit/stock-shop.js';
import { until } from '../kit/until.js';
import { useBackend, useGateway } from '../kit/use.js';

/** A new backend gets a share of the calls of a service, and gives it back when it fails. */

const reply = (stock: number): string =>
  envelope(`<GetStockResponse xmlns="urn:shop"><stock>${stock}</stock></GetStockResponse>`);
const OLD = answerWith(reply(1), 'text/xml');
const NEW = answerWith(reply(2), 'text/xml');
const FAULT = answerWith(envelope(faultOf('s:Server')), 'text/xml', 500);

interface Options {
  readonly answer?: RecordingBackend['answer'];
  readonly operation?: string;
  readonly more?: string;
  readonly service?: string;
}

/** A service with two backends; `keys` are those of its canary. */
async function useTwo(t: Test, keys: string, options: Options = {}) {
  const { answer = NEW, operation = 'idempotent: true', more = '', service = '' } = options;
  const stable = await useBackend(t, OLD);
  const fresh = await useBackend(t, answer);
  const yaml = stockShop(
    `${stable.url}/shop`,
    `    canary: { url: "${fresh.url}/shop", ${keys} }\n${service}\n${more}`,
    operation,
  );
  const gateway = await useGateway(t, yaml);
  const send = (headers: Record<string, string> = {}) =>
    postSoap(`${gateway.url}/soap/shop`, GET_STOCK, headers);
  return {
    stable,
    fresh,
    gateway,
    send,
    ask: (headers: Record<string, string> = {}) =>
      askText(gateway.url, '{ stock(sku: "1") }', headers),
    /** The backend that has answered: 1 or 2. */
    answeredBy: async (headers: Record<string, string> = {}) =>
      Number(/<stock>(\d)/.exec(await (await send(headers)).text())?.[1] ?? 0),
    share: async () =>
      Number(/soapstone_canary_share\{service="shop"\} (\S+)/.exec(await gateway.metrics())?.[1]),
    move: (share: unknown, name = 'shop') =>
      fetch(`${gateway.adminUrl}/canary/${name}`, {
        method: 'POST',
        body: JSON.stringify({ share }),
      }),
  };
}

const KEYED = `clients:
  classes: { any: {} }
  apiKeys:
    clients:
${Array.from({ length: 20 }, (_, at) => `      c${at}: { class: any, keys: [key-of-client-${1000 + at}] }`).join('\n')}`;

t.test(
  'calls are shared in SOAP and GraphQL, and a header field asks for the new one',
  async (t) => {
    const { stable, fresh, send, ask, answeredBy, gateway, share } = await useTwo(
      t,
      'share: 0.25, header: "x-canary: yes"',
    );
    for (let count = 0; count < 40; count++) {
      await (count % 2 === 0 ? send() : ask());
    }
    t.equal(stable.complete.length + fresh.complete.length, 40);
    t.ok(fresh.complete.length >= 8 && fresh.complete.length <= 12, `${fresh.complete.length}`);
    for (let count = 0; count < 5; count++) {
      t.equal(await answeredBy({ 'x-canary': 'yes' }), 2);
      t.match(await ask({ 'x-canary': 'yes' }), '"stock":2');
    }
    t.match(await gateway.accessLine(42), { backend: 'canary' });
    t.equal(await share(), 0.25);
  },
);

t.test(
  'a sticky caller stays at its backend, and a larger share moves no caller back',
  async (t) => {
    const { answeredBy, ask, move } = await useTwo(t, 'share: 0.3, sticky: true', { more: KEYED });
    const places = async (): Promise<readonly number[]> => {
      const found: number[] = [];
      for (let at = 0; at < 20; at++) {
        const headers = { 'x-api-key': `key-of-client-${1000 + at}` };
        const place = await answeredBy(headers);
        t.equal(await answeredBy(headers), place);
        t.match(await ask(headers), `"stock":${place}`);
        found.push(place);
      }
      return found;
    };
    const before = await places();
    t.ok(before.includes(1) && before.includes(2), 'both have callers');
    t.equal((await move(0.6)).status, 200);
    const after = await places();
    t.ok(
      before.every((place, at) => place === 1 || after[at] === 2),
      'those of the new one stay there',
    );
    t.ok(
      after.filter((place) => place === 2).length > before.filter((place) => place === 2).length,
    );
  },
);

t.test('a bad new backend loses its calls after few failures', async (t) => {
  const answers: Readonly<Record<string, RecordingBackend['answer']>> = {
    'a page of HTML': answerStatus(500, { 'content-type': 'text/html' }, '<html>'),
    'an invalid reply': answerWith(envelope('<Other xmlns="urn:other"/>'), 'text/xml'),
    'a Fault for each call': FAULT,
    'a cut answer': (_message, response) => {
      response.writeHead(200, { 'content-type': 'text/xml', 'content-length': 999 });
      response.write('<');
      response.destroy();
    },
  };
  for (const [name, answer] of Object.entries(answers)) {
    const { gateway, answeredBy, share } = await useTwo(t, 'share: 0.2', { answer });
    let failed = 0;
    for (let round = 0; round < 5; round++) {
      const found = await Promise.all(Array.from({ length: 25 }, () => answeredBy()));
      failed += found.filter((place) => place !== 1).length;
    }
    t.ok(failed > 0 && failed <= 20, `${name}: ${failed} failed`);
    t.equal(await share(), 0, name);
    const line = await gateway.logLine('canary went back');
    t.match(line, { level: 'warn', service: 'shop', cause: /failures|faults/ }, name);
  }
});

t.test('a new backend that hangs gets no more calls than it may fail', async (t) => {
  for (const sticky of [false, true]) {
    const { gateway, send, share, fresh } = await useTwo(
      t,
      `share: 0.5, sticky: ${sticky}, timeoutMillis: 700`,
      { answer: () => {}, more: `${KEYED}\n  address: { class: any }` },
    );
    const statuses = await Promise.all(
      Array.from({ length: 100 }, async (_, at) => {
        const headers = { 'x-api-key': `key-of-client-${1000 + (at % 20)}` };
        return (await send(headers)).status;
      }),
    );
    const failed = statuses.filter((status) => status !== 200).length;
    t.ok(failed > 0 && failed <= 20, `${failed} failed`);
    t.ok(fresh.begun <= 20, `${fresh.begun} calls`);
    t.equal(await share(), 0);
    t.match(await gateway.logLine('canary went back'), { cause: 'failures' });
  }
});

t.test('a slow new backend loses its calls by `p99Millis`', async (t) => {
  const slow: RecordingBackend['answer'] = (message, response) => {
    setTimeout(() => NEW(message, response), 60);
  };
  const keys = 'share: 0.5, back: { p99Millis: 20 }';
  const { gateway, answeredBy, share } = await useTwo(t, keys, { answer: slow });
  await until(async () => {
    await answeredBy();
    return (await share()) === 0;
  });
  t.match(await gateway.logLine('canary went back'), { cause: 'latency' });
});

t.test('Faults of some calls, and callers that leave, move nothing', async (t) => {
  let count = 0;
  const { send, share, gateway } = await useTwo(t, 'share: 1', {
    answer: (message, response) => (count++ % 3 === 0 ? FAULT : NEW)(message, response),
  });
  for (let at = 0; at < 30; at++) await send();
  t.equal(await share(), 1);
  for (let at = 0; at < 8; at++) {
    const controller = new AbortController();
    const left = fetch(`${gateway.url}/soap/shop`, { signal: controller.signal }).catch(() => {});
    controller.abort();
    await left;
  }
  t.equal(await share(), 1);
});

t.test('a share that an operator moves stays until `canary` changes', async (t) => {
  const { gateway, move, share, answeredBy } = await useTwo(t, 'share: 0');
  t.equal(await answeredBy(), 1);
  const moved = await move(1);
  t.equal(moved.status, 200);
  t.same(await moved.json(), { service: 'shop', share: 1 });
  t.equal(await answeredBy(), 2);
  t.match(await gateway.logLine('canary was moved'), { service: 'shop', share: 1 });
  await gateway.reload((yaml) => `${yaml}\nroles: ["urn:other"]`);
  t.equal(await answeredBy(), 2);
  t.equal(await share(), 1);
  await gateway.reload((yaml) => yaml.replace('share: 0 }', 'share: 0, header: "x-new: yes" }'));
  t.equal(await answeredBy(), 1);
  t.equal(await share(), 0);
  t.equal((await move(0.5, 'other')).status, 404);
  for (const wrong of [-1, 2, 'x', null]) t.equal((await move(wrong)).status, 400);
  const got = await fetch(`${gateway.adminUrl}/canary/shop`);
  t.same(await got.json(), { service: 'shop', share: 0 });
});

t.test('the connections of the service stay when its canary changes', async (t) => {
  const { gateway } = await useTwo(t, 'share: 0.5');
  const upstreamOf = () => gateway.compiled().services[0]?.upstream;
  const before = upstreamOf();
  await gateway.reload((yaml) => yaml.replace('share: 0.5', 'share: 0.1'));
  t.equal(upstreamOf(), before);
  await gateway.reload((yaml) => yaml.replace(/ +canary: .*\n/, ''));
  t.equal(upstreamOf(), before);
});

t.test('an answer of one backend is never kept or joined for a caller of the other', async (t) => {
  const operation = 'read: { cacheMillis: 60000, scope: shared }';
  const { answeredBy, ask, stable, fresh } = await useTwo(t, 'share: 0, header: "x-canary: yes"', {
    operation,
  });
  for (let round = 0; round < 3; round++) {
    const all = await Promise.all([answeredBy(), answeredBy({ 'x-canary': 'yes' })]);
    t.same(all, [1, 2]);
    t.match(await ask(), '"stock":1');
    t.match(await ask({ 'x-canary': 'yes' }), '"stock":2');
  }
  t.equal(stable.complete.length, 1, 'each is asked once');
  t.equal(fresh.complete.length, 1);
});

t.test('an idempotency key has the answer of the backend that it was used at', async (t) => {
  const operation = 'idempotency: {}, read: false';
  const { answeredBy, move, send, stable, fresh } = await useTwo(
    t,
    'share: 1, header: "x-canary: yes"',
    { operation: operation.replace(', read: false', '') },
  );
  const key = { 'idempotency-key': 'one' };
  t.equal(await answeredBy(key), 2);
  await move(0);
  t.equal(await answeredBy(key), 2, 'the kept answer: nothing is done twice');
  t.equal(stable.complete.length + fresh.complete.length, 1);
  t.equal(await answeredBy({ 'idempotency-key': 'two' }), 1);
  const asked = await send({ 'idempotency-key': 'two', 'x-canary': 'yes' });
  t.match(
    await asked.text(),
    'idempotency',
    'a caller that asks for another backend asks for more',
  );
  t.equal(fresh.complete.length, 1);
});

t.test('credentials of the service go to its own server alone', async (t) => {
  const service = [
    '    auth: { basic: { username: gate, password: secret } }',
    '    headers: { x-plain: seen, x-api-key: secret }',
  ].join('\n');
  const { answeredBy, fresh, stable } = await useTwo(t, 'share: 1', { service });
  t.equal(await answeredBy(), 2);
  const { headers = {} } = fresh.complete[0] ?? {};
  t.match(headers, { 'x-plain': 'seen' });
  t.equal(headers['authorization'], undefined);
  t.equal(headers['x-api-key'], undefined);

  const own = 'share: 1, auth: { basic: { username: new, password: other } }';
  const second = await useTwo(t, own, { service });
  t.equal(await second.answeredBy(), 2);
  t.equal(
    second.fresh.complete[0]?.headers['authorization'],
    `Basic ${Buffer.from('new:other').toString('base64')}`,
  );

  const path = await useGateway(
    t,
    stockShop(
      `${stable.url}/shop`,
      `    canary: { url: "${stable.url}/new", share: 1 }\n${service}`,
      'idempotent: true',
    ),
  );
  await postSoap(`${path.url}/soap/shop`, GET_STOCK);
  t.match(stable.complete.at(-1), { target: '/new', headers: { authorization: /^Basic / } });
});

t.test('a caller with the cookie of a backend stays there while the share moves', async (t) => {
  const service = '    sticky: { cookie: shop }';
  const { send, answeredBy, move } = await useTwo(t, 'share: 0.5', { service });
  const cookieOf = async (place: number): Promise<string> => {
    for (;;) {
      const response = await send();
      const cookie = response.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
      if ((await response.text()).includes(`<stock>${place}`)) return cookie;
    }
  };
  const [one, two] = [await cookieOf(1), await cookieOf(2)];
  t.not(one, two);
  for (const share of [0.1, 0.9]) {
    await move(share);
    for (let count = 0; count < 10; count++) {
      t.equal(await answeredBy({ cookie: one }), 1);
      t.equal(await answeredBy({ cookie: two }), 2);
    }
  }
  await move(0);
  t.equal(await answeredBy({ cookie: two }), 1, 'nothing stays at a backend that is left');
});

t.test(
  'a cursor goes on at the backend that it came from, as long as that gets calls',
  async (t) => {
    const rowsFrom =
      (base: number): RecordingBackend['answer'] =>
      (message, response) => {
        const at = Number(/page[^>]*>(\d+)</.exec(String(message.body))?.[1] ?? 0);
        const rows = [at, at + 1]
          .filter((row) => row < 6)
          .map((row) => `<row><id>${base + row}</id></row>`)
          .join('');
        const body = envelope(`<ListResponse xmlns="urn:list">${rows}</ListResponse>`);
        answerWith(body, 'text/xml')(message, response);
      };
    const stable = await useBackend(t, rowsFrom(0));
    const fresh = await useBackend(t, rowsFrom(100));
    const gateway = await useGateway(
      t,
      `services:
  list:
    url: ${stable.url}/list
    namespace: urn:list
    types: |
      type Query { rows(page: Int!, size: Int!): RowPage }
      type RowPage { row: [Row!] }
      type Row { id: Int! }
    operations:
      List: { field: Query.rows, pages: { offset: page, size: { size: 2 }, items: row } }
    canary: { url: "${fresh.url}/list", share: 0.5, header: "x-canary: yes" }
`,
    );
    const page = async (after: string | null, headers: Record<string, string> = {}) => {
      const cursor = after === null ? '' : `, after: "${after}"`;
      const query = `{ rows(first: 2${cursor}) { nodes { id } pageInfo { endCursor } } }`;
      const text = await askText(gateway.url, query, headers);
      return {
        text,
        first: Number(/"id":(\d+)/.exec(text)?.[1] ?? -1),
        cursor: /"endCursor":"([^"]+)"/.exec(text)?.[1] ?? '',
      };
    };
    const asked = await page(null, { 'x-canary': 'yes' });
    t.equal(asked.first, 100, asked.text);
    for (let round = 0; round < 4; round++) {
      const begun = await page(null);
      for (let behind = await page(begun.cursor), at = 2; at < 6; at += 2) {
        t.equal(behind.first, (begun.first >= 100 ? 100 : 0) + at, behind.text);
        behind = await page(behind.cursor);
      }
    }
    await fetch(`${gateway.adminUrl}/canary/list`, { method: 'POST', body: '{"share":0}' });
    t.match((await page(asked.cursor)).text, 'is no cursor of these rows');
  },
);
