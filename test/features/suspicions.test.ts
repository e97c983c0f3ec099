import type { Socket } from 'node:net';
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
  return `HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
};

/** A backend that answers with the text that `next` returns; `last` is the connection of the last request. */
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
    `services:\n  desk:\n    url: ${desk.url}/${DESK}  other:\n    url: ${desk.url}/elsewhere\n    path: /soap/other${DESK.replace('Query.get', 'Query.get2').replace('get(id', 'get2(id').replace('Mutation.pay', 'Mutation.pay2').replace('pay(id', 'pay2(id')}`,
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
