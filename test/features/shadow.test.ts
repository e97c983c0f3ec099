import t, { type Test } from 'tap';
import { answerStatus, answerWith, type RecordingBackend } from '../kit/backend.js';
import { envelope, postSoap } from '../kit/envelope.js';
import { askText } from '../kit/graphql-client.js';
import { GET_STOCK, stockShop } from '../kit/stock-shop.js';
import { until } from '../kit/until.js';
import { useBackend, useGateway } from '../kit/use.js';

/** A second backend gets the reads of a service as well, and its replies are compared. */

const reply = (stock: string | number, prefix = ''): string => {
  const name = prefix === '' ? '' : `${prefix}:`;
  const declared = prefix === '' ? 'xmlns' : `xmlns:${prefix}`;
  return envelope(
    `<${name}GetStockResponse ${declared}="urn:shop"><${name}stock>${stock}</${name}stock>` +
      `</${name}GetStockResponse>`,
  );
};
const OLD = answerWith(reply(7), 'text/xml');

interface Options {
  readonly own?: RecordingBackend['answer'];
  readonly operation?: string;
  readonly service?: string;
}

/** A service with a second backend that answers `answer`; `keys` are those of `shadow`. */
async function useShadow(
  t: Test,
  answer: RecordingBackend['answer'],
  keys = '',
  { own = OLD, operation = 'read: {}', service = '' }: Options = {},
) {
  const stable = await useBackend(t, own);
  const second = await useBackend(t, answer);
  const gateway = await useGateway(
    t,
    stockShop(
      `${stable.url}/shop`,
      `    shadow: { url: "${second.url}/shop"${keys} }\n${service}`,
      operation,
    ),
  );
  const count = async (outcome: string): Promise<number> => {
    const labels = `service="shop",operation="GetStock",outcome="${outcome}"`;
    const pattern = new RegExp(`soapstone_shadow_total\\{${labels}\\} (\\d+)`);
    return Number(pattern.exec(await gateway.metrics())?.[1] ?? 0);
  };
  return {
    stable,
    second,
    gateway,
    count,
    counted: (outcome: string, times: number) =>
      until(async () => (await count(outcome)) === times),
    send: async (sku = '1') =>
      (
        await postSoap(`${gateway.url}/soap/shop`, GET_STOCK.replace('<sku>1', `<sku>${sku}`))
      ).text(),
    ask: (sku = '1') => askText(gateway.url, `{ stock(sku: "${sku}") }`),
  };
}

t.test('replies that mean the same are the same, over SOAP and GraphQL', async (t) => {
  const { send, ask, counted, second, stable } = await useShadow(
    t,
    answerWith(reply('07', 'x'), 'text/xml'),
  );
  t.match(await send(), '<stock>7');
  t.match(await ask(), '"stock":7');
  await counted('same', 2);
  t.same(
    second.complete.map(({ body }) => String(body)),
    stable.complete.map(({ body }) => String(body)),
    'the same bytes',
  );
});

t.test('replies of the same bytes need not be read, however they are cut', async (t) => {
  // More different paths than are compared, in less than waits unread.
  const letters = [...'abcdefghijklmnopqrstuvwxyz'];
  const names = letters.flatMap((one) =>
    letters.flatMap((two) => letters.map((x) => one + two + x)),
  );
  const items = `<${names.slice(0, 10_001).join('/><')}/>`;
  const wide = (prefix: string): string => reply(`7${items}`, prefix);
  const halves =
    (text: string): RecordingBackend['answer'] =>
    (_message, response) => {
      response.writeHead(200, { 'content-type': 'text/xml' });
      response.write(text.slice(0, 30_001));
      setImmediate(() => response.end(text.slice(30_001)));
    };
  const options = { own: answerWith(wide(''), 'text/xml') };
  for (const [second, outcome] of [
    [halves(wide('')), 'same'],
    [halves(wide('x')), 'skipped'],
    [answerWith(wide(''), 'text/xml;charset=utf-8'), 'skipped'],
  ] as const) {
    const { send, counted } = await useShadow(t, second, '', options);
    await send();
    await counted(outcome, 1);
  }
});

t.test(
  'one difference among many replies is found, with its path and without values',
  async (t) => {
    const { send, counted, gateway } = await useShadow(
      t,
      (message, response) => {
        const isOdd = String(message.body).includes('<sku>17<');
        answerWith(reply(isOdd ? 8 : 7), 'text/xml')(message, response);
      },
      ', callsAtOnce: 100',
    );
    for (let at = 0; at < 40; at += 8) {
      await Promise.all(Array.from({ length: 8 }, (_, index) => send(String(at + index))));
    }
    await counted('same', 39);
    await counted('different', 1);
    const line = await gateway.logLine('shadow differs');
    t.match(line, {
      level: 'warn',
      service: 'shop',
      operation: 'GetStock',
      paths: ['GetStockResponse/stock'],
    });
    t.notMatch(JSON.stringify(line), /"8"|>8</);
  },
);

t.test('a path that may differ is left out', async (t) => {
  const keys = ', ignore: [GetStockResponse/stock]';
  const { send, counted } = await useShadow(t, answerWith(reply(8), 'text/xml'), keys);
  await send();
  await counted('same', 1);
});

t.test('a dead, silent or wrong second backend changes no answer', async (t) => {
  const answers: Readonly<Record<string, readonly [string, RecordingBackend['answer']]>> = {
    'a page of HTML': ['failed', answerStatus(200, { 'content-type': 'text/html' }, '<html>')],
    'no XML': ['failed', answerWith('<a', 'text/xml')],
    'a cut answer': ['failed', (_message, response) => void response.destroy()],
    silence: ['failed', () => {}],
  };
  for (const [name, [outcome, answer]] of Object.entries(answers)) {
    const { send, ask, counted } = await useShadow(
      t,
      answer,
      ', timeoutMillis: 300, callsAtOnce: 4',
    );
    t.match(await send(), '<stock>7', name);
    t.match(await ask(), '"stock":7', name);
    await counted(outcome, 2);
  }
  const { send, second, counted } = await useShadow(t, OLD);
  await second.close();
  t.match(await send(), '<stock>7');
  await counted('failed', 1);
});

t.test('calls beyond the bound, and replies that are too long, are skipped', async (t) => {
  const waiting: (() => void)[] = [];
  const { ask, send, counted, second } = await useShadow(
    t,
    (message, response) => void waiting.push(() => OLD(message, response)),
    ', callsAtOnce: 1',
  );
  await send('1');
  await until(() => waiting.length === 1);
  t.match(await ask('2'), '"stock":7');
  await counted('skipped', 1);
  for (const answer of waiting) answer();
  await counted('same', 1);
  t.equal(second.begun, 1);
});

t.test('a write is not sent twice, and a share of reads is', async (t) => {
  const write = await useShadow(t, OLD, ', share: 0.25');
  for (let at = 0; at < 20; at++) await write.send(String(at));
  await until(() => write.second.complete.length >= 4);
  t.ok(write.second.complete.length <= 6);
  t.equal(write.stable.complete.length, 20);
});

t.test('`check` names what cannot be sent twice, and an address of the service', async (t) => {
  const problems = async (keys: string, operation: string): Promise<string> => {
    try {
      await useGateway(t, stockShop('http://127.0.0.1:9/shop', `    shadow: ${keys}`, operation));
      return '';
    } catch (error) {
      return String(error);
    }
  };
  const url = 'url: "http://127.0.0.1:10/shop"';
  t.match(await problems(`{ ${url} }`, ''), 'no operation is declared to read');
  t.match(
    await problems(`{ ${url}, operations: [GetStock] }`, 'idempotent: true'),
    'which is not declared to read',
  );
  t.match(
    await problems('{ url: "http://127.0.0.1:9/shop" }', 'read: {}'),
    'an address of the service itself',
  );
});

t.test('credentials of the service go to its own server alone', async (t) => {
  const service = '    auth: { basic: { username: gate, password: secret } }';
  const { send, second, counted } = await useShadow(t, OLD, '', { service });
  await send();
  await counted('same', 1);
  t.equal(second.complete[0]?.headers['authorization'], undefined);
});

t.test('a caller has its answer before the second backend is asked', async (t) => {
  const waiting: (() => void)[] = [];
  const own: RecordingBackend['answer'] = (message, response) =>
    void waiting.push(() => OLD(message, response));
  const { send, second, counted } = await useShadow(t, OLD, '', { own });
  const answers = ['1', '2'].map((sku) => send(sku));
  await until(() => waiting.length === 2);
  t.equal(second.begun, 0, 'while the service has not answered');
  for (const answer of waiting.splice(0)) answer();
  for (const answer of await Promise.all(answers)) t.match(answer, '<stock>7');
  await counted('same', 2);
  t.equal(second.begun, 2);
});

t.test(
  'where the service fails, or its caller leaves, the second backend is not asked',
  async (t) => {
    const own: RecordingBackend['answer'] = (message, response) => {
      if (String(message.body).includes('<sku>9<')) response.destroy();
      else if (!String(message.body).includes('<sku>8<')) OLD(message, response);
    };
    const keys = ', callsAtOnce: 1';
    const { send, second, stable, gateway, counted } = await useShadow(t, OLD, keys, { own });
    t.match(await send('9'), 'Fault');
    await counted('skipped', 1);
    for (let left = 1; left <= 3; left++) {
      const leaving = new AbortController();
      const { begun } = stable;
      const message = GET_STOCK.replace('<sku>1', '<sku>8');
      const asked = postSoap(`${gateway.url}/soap/shop`, message, {}, leaving.signal);
      const ended = asked.catch(() => null);
      await until(() => stable.begun === begun + 1);
      leaving.abort();
      await ended;
      await counted('skipped', 1 + left);
    }
    await send('1');
    await counted('same', 1);
    t.equal(second.begun, 1);
  },
);
