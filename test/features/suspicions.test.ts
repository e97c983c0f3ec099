import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import t, { type Test } from 'tap';

import { startScriptedBackend } from '../kit/backend.js';
import { envelope, operationIn, postSoap } from '../kit/envelope.js';
import { startProcess } from '../kit/gateway-process.js';
import { until } from '../kit/until.js';
import { useGateway } from '../kit/use.js';

/** What came from an address that answers other requests is given to no further caller. */

const DESK = `
    versions: ["1.1"]
    namespace: urn:desk
    types: |
      type Query { get(id: String!): String }
      type Mutation { pay(id: String!): String }
    operations:
      Get: { field: Query.get, read: { cacheMillis: 600000, scope: shared } }
      Pay: { field: Mutation.pay, response: PayResponse, idempotency: {} }
`;

const http = (operation: string, text: string): string => {
  const body = envelope(
    `<${operation}Response xmlns="urn:desk"><value>${text}</value></${operation}Response>`,
  );
  return (
    'HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\n' +
    `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  );
};

/**
 * A backend that answers with the text that `next` returns; `last` is the connection of the last
 * request.
 */
async function startDesk(t: Test, next: () => string) {
  const desk = { asked: 0, last: null as Socket | null, url: '' };
  const backend = await startScriptedBackend((socket, request) => {
    desk.asked++;
    desk.last = socket;
    socket.setNoDelay(true);
    socket.write(http(operationIn(request), next()));
  });
  t.teardown(() => backend.close());
  desk.url = backend.url;
  return desk;
}

const message = (operation: string): string =>
  envelope(`<${operation} xmlns="urn:desk"><id>1</id></${operation}>`);

async function useDesk(t: Test) {
  let text = 'of another';
  const desk = await startDesk(t, () => text);
  const gateway = await useGateway(
    t,
    `services:\n  desk:\n    url: ${desk.url}/${DESK}  other:\n` +
      `    url: ${desk.url}/elsewhere\n` +
      `    path: /soap/other${DESK.replace('Query.get', 'Query.get2').replace('get(id', 'get2(id').replace('Mutation.pay', 'Mutation.pay2').replace('pay(id', 'pay2(id')}`,
  );
  const send = async (
    operation: string,
    { key = '', service = 'desk' }: { readonly key?: string; readonly service?: string } = {},
  ): Promise<string> =>
    (
      await postSoap(
        `${gateway.url}/soap/${service}`,
        message(operation),
        key === '' ? {} : { 'idempotency-key': key },
      )
    ).text();
  return {
    desk,
    send,
    /** The backend answers with this from now on. */
    answer: (next: string) => {
      text = next;
    },
    /** The second answer comes while the connection of the last call is idle. */
    sign: async () => {
      desk.last?.write(http('Get', 'own'));
      await until(async () =>
        /^soapstone_upstream_reuse_suspended\{service="desk"[^}]*\} 1$/m.test(
          await gateway.metrics(),
        ),
      );
    },
  };
}

t.test('a cached reply is dropped when its address answers another request', async (t) => {
  const { desk, send, answer, sign } = await useDesk(t);
  t.match(await send('Get'), 'of another');
  t.match(await send('Get', { service: 'other' }), 'of another');
  answer('own');
  t.match(await send('Get'), 'of another', 'cached');
  const { asked } = desk;
  // The connection of the last call is that of the other service.
  desk.last = null;
  t.match(await send('Pay'), 'own');
  await sign();
  t.match(await send('Get'), 'own');
  t.match(await send('Get'), 'own', 'what comes later is cached');
  t.match(await send('Get', { service: 'other' }), 'of another', 'replies of others stay');
  t.equal(desk.asked, asked + 2);
});

t.test('the outcome under an idempotency key is not known any more', async (t) => {
  const { desk, send, answer, sign } = await useDesk(t);
  t.match(await send('Pay', { key: 'a' }), 'of another');
  answer('own');
  t.match(await send('Pay', { key: 'a' }), 'of another', 'kept');
  await sign();
  t.match(await send('Pay', { key: 'a' }), 'IDEMPOTENCY_OUTCOME_UNKNOWN');
  t.match(await send('Pay', { key: 'b' }), 'own', 'other keys are taken');
  t.match(await send('Pay', { key: 'b' }), 'own');
  t.equal(desk.asked, 2);
});

t.test('siblings and successors of a worker know which address is suspected', async (t) => {
  const desk = await startDesk(t, () => 'own');
  const gateway = await startProcess(
    t,
    `workers: 2\nservices:\n  desk:\n    url: ${desk.url}/${DESK.replace(', idempotency: {}', '')}`,
  );
  const { host } = new URL(desk.url);
  const suspended = (): Promise<number> =>
    gateway.metric(`soapstone_upstream_reuse_suspended{service="desk",address="${host}/"}`);
  await postSoap(`${gateway.url}/soap/desk`, message('Pay'));
  t.equal(await suspended(), 0);
  desk.last?.write(http('Get', 'of another'));
  await until(async () => (await suspended()) === 2);
  gateway.child.kill('SIGUSR2');
  await gateway.line('workers were replaced');
  await until(async () => (await suspended()) === 2);
});

const ADDRESSING = 'http://www.w3.org/2005/08/addressing';

/** A reply that relates to another message than that of its request. */
const related = (operation: string, text: string): string => {
  const body = envelope(
    `<${operation}Response xmlns="urn:desk"><value>${text}</value></${operation}Response>`,
  ).replace(
    /<(\w+):Body>/,
    `<$1:Header><a:RelatesTo xmlns:a="${ADDRESSING}">urn:other</a:RelatesTo></$1:Header><$1:Body>`,
  );
  return body;
};

const withId = (operation: string): string =>
  message(operation).replace(
    /<(\w+):Body>/,
    `<$1:Header><a:MessageID xmlns:a="${ADDRESSING}">urn:own</a:MessageID></$1:Header><$1:Body>`,
  );

/** A backend whose replies relate to another message. */
async function useMisdelivered(
  t: Test,
  keys: string,
  pack: (body: string) => { readonly bytes: Buffer; readonly fields: string } = (body) => ({
    bytes: Buffer.from(body),
    fields: '',
  }),
) {
  const backend = await startScriptedBackend((socket, request) => {
    const { bytes, fields } = pack(related(operationIn(request), 'of another'));
    socket.write(
      `HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\n${fields}Content-Length: ` +
        `${bytes.length}\r\n\r\n`,
    );
    socket.write(bytes);
  });
  t.teardown(() => backend.close());
  const gateway = await useGateway(t, `services:\n  desk:\n    url: ${backend.url}/${DESK}${keys}`);
  const metric = async (name: string): Promise<number> =>
    Number(new RegExp(`^${name}\\{[^}]*\\} (\\d+)$`, 'm').exec(await gateway.metrics())?.[1] ?? 0);
  return {
    gateway,
    isSuspended: async () => (await metric('soapstone_upstream_reuse_suspended')) === 1,
    post: async (headers: Record<string, string> = {}) =>
      (await postSoap(`${gateway.url}/soap/desk`, withId('Pay'), headers)).text(),
  };
}

t.test(
  'in monitor mode a reply to another message passes, and its address is suspected',
  async (t) => {
    const { gateway, post, isSuspended } = await useMisdelivered(t, '    mode: monitor\n');
    t.match(await post(), 'of another');
    await until(isSuspended);
    t.match(
      await gateway.metrics(),
      /^soapstone_upstream_attempts_failed_total\{service="desk"[^}]*reason="UPSTREAM_DESYNC"[^}]*\} 1$/m,
    );
    for (let count = 0; count < 10; count++) t.match(await post(), 'of another');
    t.notMatch(await gateway.metrics(), /^soapstone_upstream_breakers_open\S* [^0]$/m);
  },
);

t.test('so it is where the reply is read when its call is over', async (t) => {
  for (const [name, headers, pack] of [
    ['kept under a key', { 'idempotency-key': 'a' }, undefined],
    [
      'gzip',
      {},
      (body: string) => ({ bytes: gzipSync(body), fields: 'Content-Encoding: gzip\r\n' }),
    ],
  ] as const) {
    const { post, isSuspended } = await useMisdelivered(t, '', pack);
    t.match(await post(headers), 'UPSTREAM_DESYNC', name);
    await until(isSuspended);
  }
});

t.test(
  'each waiter of a shared call, and of a key, learns of a sign before its turn',
  async (t) => {
    const waiting: Socket[] = [];
    const backend = await startScriptedBackend((socket) => void waiting.push(socket));
    t.teardown(() => backend.close());
    const gateway = await useGateway(t, `services:\n  desk:\n    url: ${backend.url}/${DESK}`);
    for (const [operation, headers, refusal] of [
      ['Get', {}, 'UPSTREAM_DESYNC'],
      ['Pay', { 'idempotency-key': 'a' }, 'IDEMPOTENCY_OUTCOME_UNKNOWN'],
    ] as const) {
      const answers = Array.from({ length: 20 }, async () =>
        (await postSoap(`${gateway.url}/soap/desk`, message(operation), headers)).text(),
      );
      await until(() => waiting.length === 1);
      await delay(300);
      // The second answer is read when the first waiter has got the first one.
      const [socket] = waiting.splice(0);
      socket?.setNoDelay(true);
      socket?.write(http(operation, 'own'));
      setImmediate(() => socket?.write(http(operation, 'of another')));
      const texts = await Promise.all(answers);
      t.equal(texts.filter((text) => text.includes('of another')).length, 0);
      const refused = texts.filter((text) => text.includes(refusal)).length;
      const own = texts.filter((text) => text.includes('>own<')).length;
      t.equal(own + refused, 20, `${operation}: ${own} and ${refused}`);
    }
  },
);

t.test('a stale reply of a suspected address stands for no failed call', async (t) => {
  let answer = (): string | null => http('Get', 'of another');
  let last: Socket | null = null;
  const backend = await startScriptedBackend((socket) => {
    last = socket;
    const text = answer();
    if (text === null) socket.destroy();
    else socket.write(text);
  });
  t.teardown(() => backend.close());
  const gateway = await useGateway(
    t,
    `services:\n  desk:\n    url: \
${backend.url}/${DESK.replace('cacheMillis: 600000', 'cacheMillis: 50, staleMillis: 600000')}`,
  );
  const get = async () => (await postSoap(`${gateway.url}/soap/desk`, message('Get'))).text();
  t.match(await get(), 'of another');
  await delay(100);
  answer = () => null;
  t.match(await get(), 'of another', 'stale, before any sign');
  answer = () => http('Pay', 'of another');
  const pay = async () => (await postSoap(`${gateway.url}/soap/desk`, message('Pay'))).text();
  await pay();
  // The second answer of the last call.
  (last as Socket | null)?.write(http('Pay', 'of another'));
  await until(async () =>
    /^soapstone_upstream_reuse_suspended\{service="desk"[^}]*\} 1$/m.test(await gateway.metrics()),
  );
  answer = () => null;
  t.notMatch(await get(), 'of another');
});

t.test('the breaker counts an answer that the reader of a key refuses', async (t) => {
  const backend = await startScriptedBackend(
    (socket) =>
      void socket.write(
        'HTTP/1.1 502 Bad Gateway\r\nContent-Type: text/html\r\nContent-Length: 2\r\n\r\nno',
      ),
  );
  t.teardown(() => backend.close());
  const gateway = await useGateway(
    t,
    'limits: { upstream: { breakerFailures: 3 } }\nservices:\n  desk:\n' +
      `    url: ${backend.url}/${DESK}`,
  );
  const texts: string[] = [];
  for (let count = 0; count < 6; count++)
    texts.push(
      await (
        await postSoap(`${gateway.url}/soap/desk`, message('Pay'), {
          'idempotency-key': `k${count}`,
        })
      ).text(),
    );
  t.notMatch(texts[0], 'CIRCUIT_OPEN');
  t.match(texts.at(-1), 'CIRCUIT_OPEN');
});
