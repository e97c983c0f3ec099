import { resolve } from 'node:path';
import t, { type Test } from 'tap';

import { startRecordingBackend } from '../kit/backend.js';
import { startTestGateway, type TestGateway } from '../kit/gateway.js';
import { askGraphql } from '../kit/graphql-client.js';

const HEAD =
  '<E:Envelope xmlns:E="http://schemas.xmlsoap.org/soap/envelope/" xmlns:d="http://legacy.example.com/desk" ' +
  'xmlns:y="http://legacy.example.com/desk/types"><E:Body><d:GetOrderResponse><d:order><y:id>7</y:id>';
const MORE = '<y:note>x</y:note>';
const BROKEN = '</d:order></d:GetOrderResponse></E:Body></E:Envelope></broken>';

interface Desk {
  readonly gateway: TestGateway;
  /** The backend's answer is over, one way or another. */
  readonly over: Promise<void>;
  ask(): Promise<unknown>;
}

/** A backend that sends what is asked for, and then more without an end, or `end`. */
async function startDesk(t: Test, keys: string, end: string | null): Promise<Desk> {
  let isOver = (): void => {};
  const over = new Promise<void>((done) => {
    isOver = done;
  });
  const backend = await startRecordingBackend((_message, response) => {
    response.writeHead(200, { 'content-type': 'text/xml' });
    response.write(HEAD);
    const timer = end === null ? setInterval(() => response.write(MORE), 5) : undefined;
    response.once('close', () => {
      clearInterval(timer);
      isOver();
    });
    if (end !== null) response.end(MORE + end);
  });
  const wsdl = resolve('config/demo/legacy.wsdl');
  const gateway = await startTestGateway(
    `services: { desk: { wsdl: ${wsdl}, url: "${backend.url}/d", ${keys} operations: { GetOrder: { field: Query.order } } } }\n`,
  );
  t.teardown(async () => {
    await gateway.close();
    await backend.close();
  });
  return {
    gateway,
    over,
    async ask() {
      return askGraphql(gateway.url, '{ order(id: 7) { id } }');
    },
  };
}

t.test('a reply that has no end is answered as soon as it can be, where the service says so', async (t) => {
  const { gateway, ask, over } = await startDesk(t, 'earlyEnd: true,', null);
  t.same(await ask(), { data: { order: { id: '7' } } });
  await over;
  t.match(await gateway.accessLine(), { outcome: 'ok', status: 200, upstreamCalls: 1 });
});

t.test('what must be valid is read to its end all the same', async (t) => {
  const { ask } = await startDesk(t, 'earlyEnd: true, validate: { replies: enforce },', BROKEN);
  t.match(await ask(), { data: { order: null }, errors: [{ path: ['order'] }] });
});

t.test('by default the whole message is judged', async (t) => {
  const { ask } = await startDesk(t, '', BROKEN);
  t.match(await ask(), { data: { order: null }, errors: [{ extensions: { code: 'UPSTREAM_INVALID_RESPONSE' } }] });
});
