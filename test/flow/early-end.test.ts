import { resolve } from 'node:path';
import t, { type Test } from 'tap';

import { type RecordingBackend, startRecordingBackend } from '../kit/backend.js';
import { startTestGateway, type TestGateway } from '../kit/gateway.js';

const HEAD =
  '<E:Envelope xmlns:E="http://schemas.xmlsoap.org/soap/envelope/" xmlns:d="http://legacy.example.com/desk" ' +
  'xmlns:y="http://legacy.example.com/desk/types"><E:Body><d:GetOrderResponse><d:order><y:id>7</y:id>';
const TAIL = '</d:order></d:GetOrderResponse></E:Body></E:Envelope>';

/** A backend that sends the beginning of a reply, and goes on only when it is told to. */
async function startDesk(
  t: Test,
  more: string,
): Promise<{
  backend: RecordingBackend;
  gateway: TestGateway;
  ask(): Promise<unknown>;
  goOn(text: string): void;
  over: Promise<void>;
}> {
  let goOn = (_text: string): void => {};
  let isOver = (): void => {};
  const over = new Promise<void>((done) => {
    isOver = done;
  });
  const backend = await startRecordingBackend((_message, response) => {
    response.writeHead(200, { 'content-type': 'text/xml' });
    response.write(HEAD);
    response.once('close', isOver);
    goOn = (text) => void response.write(text);
    const timer = setInterval(() => response.write('<y:note>x</y:note>'), 5);
    response.once('close', () => clearInterval(timer));
    if (more === '') {
      clearInterval(timer);
      response.end(`<y:note>x</y:note>${TAIL}</broken>`);
    }
  });
  const gateway = await startTestGateway(
    `services: { desk: { wsdl: ${resolve('config/demo/legacy.wsdl')}, url: "${backend.url}/d", ${more} operations: { GetOrder: { field: Query.order } } } }\n`,
  );
  t.teardown(async () => {
    await gateway.close();
    await backend.close();
  });
  return {
    backend,
    gateway,
    over,
    goOn: (text) => goOn(text),
    async ask() {
      const headers = { 'content-type': 'application/json' };
      const body = JSON.stringify({ query: '{ order(id: 7) { id } }' });
      return (await fetch(`${gateway.url}/graphql`, { method: 'POST', headers, body })).json();
    },
  };
}

t.test('a reply that has no end is answered as soon as it can be, where the service says so', async (t) => {
  const { gateway, ask, over } = await startDesk(t, 'earlyEnd: true,');
  t.same(await ask(), { data: { order: { id: '7' } } });
  await over;
  t.match(await gateway.accessLine(), { outcome: 'ok', status: 200, upstreamCalls: 1 });
});

t.test('by default the whole message is judged', async (t) => {
  const { ask } = await startDesk(t, '');
  t.match(await ask(), { data: { order: null }, errors: [{ extensions: { code: 'UPSTREAM_INVALID_RESPONSE' } }] });
});
