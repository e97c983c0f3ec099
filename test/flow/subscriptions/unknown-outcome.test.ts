import type { ServerResponse } from 'node:http';
import t, { type Test } from 'tap';
import { postSoap } from '../../kit/envelope.js';
import { postGraphql } from '../../kit/graphql-client.js';
import { type Desk, envelope, place, running, startDesk } from '../../kit/live-desk.js';

const PATIENT = 'limits: { upstream: { breakerFailures: 0 } }\n';

const RECEIPT = envelope(
  '<PlaceOrderResponse xmlns="urn:orders"><orderId>1</orderId>' +
    '<status>OK</status></PlaceOrderResponse>',
);
const FAULT = envelope(
  '<E:Fault><faultcode>E:Client</faultcode><faultstring>No.</faultstring></E:Fault>',
);

const say =
  (status: number, body: string, promised = Buffer.byteLength(body)) =>
  (response: ServerResponse): void => {
    response.writeHead(status, { 'content-type': 'text/xml', 'content-length': promised });
    if (promised === Buffer.byteLength(body)) response.end(body);
    else response.write(body, () => response.destroy());
  };

/** What becomes of a write at the backend. */
const UNKNOWN: Readonly<Record<string, (response: ServerResponse) => void>> = {
  'the connection is closed': (response) => response.destroy(),
  'the answer is cut': say(200, RECEIPT, RECEIPT.length + 10),
  'the answer ends too early': say(200, RECEIPT.slice(0, -20)),
  'the answer is that of another operation': say(
    200,
    envelope('<GetOrderResponse xmlns="urn:orders"/>'),
  ),
  'something between waits no longer': say(504, 'no'),
};

const KNOWN: Readonly<Record<string, (response: ServerResponse) => void>> = {
  'a Fault': say(500, FAULT),
  'a Fault with 200': say(200, FAULT),
  'a Fault of something between': say(502, FAULT),
  'an error': say(500, 'no'),
  'an error that is cut': say(503, 'no', 10),
};

const mutate = async ({ gateway }: Desk, signal: AbortSignal | null = null): Promise<void> => {
  const answer = await postGraphql(
    gateway.url,
    { query: 'mutation { place(customer: "Cleo") { status } }' },
    {},
    signal,
  );
  await answer.text();
};

const post = async ({ gateway }: Desk, signal: AbortSignal | null = null): Promise<void> => {
  const answer = await postSoap(
    `${gateway.url}/soap/orders`,
    envelope('<PlaceOrder xmlns="urn:orders"><customer>Cleo</customer></PlaceOrder>'),
    {},
    signal,
  );
  await answer.text();
};

const ENDPOINTS = { SOAP: post, GraphQL: mutate };

/** A desk with one subscriber: what it is told next, in a word. */
async function startHeard(t: Test): Promise<{ desk: Desk; next(): Promise<unknown> }> {
  const desk = await startDesk(t, PATIENT);
  const events = desk.socket().iterate({ query: 'subscription { receipts { id } }' });
  let first: Promise<IteratorResult<unknown>> | null = events.next();
  await running(desk.gateway, 'receipts', 1);
  return {
    desk,
    async next() {
      const { value } = await (first ?? events.next());
      first = null;
      return value.errors?.[0]?.extensions.code ?? value.data.receipts.id;
    },
  };
}

for (const [endpoint, write] of Object.entries(ENDPOINTS)) {
  t.test(`a write with an unknown outcome is reported as a gap, over ${endpoint}`, async (t) => {
    const { desk, next } = await startHeard(t);
    const { backend, gateway } = desk;
    const { answer } = backend;
    let id = 100;
    for (const [what, becomes] of Object.entries(UNKNOWN)) {
      backend.answer = (_message, response) => becomes(response);
      await write(desk);
      backend.answer = answer;
      await place(gateway, 'Ann');
      t.equal(await next(), 'SUBSCRIPTION_GAP', what);
      t.equal(await next(), ++id, 'and then it goes on');
    }
  });

  t.test(`so is one whose caller did not wait for the answer, over ${endpoint}`, async (t) => {
    const { desk, next } = await startHeard(t);
    const { backend, gateway } = desk;
    const { answer } = backend;
    const leave = new AbortController();
    backend.answer = () => leave.abort();
    await write(desk, leave.signal).catch(() => {});
    t.equal(await next(), 'SUBSCRIPTION_GAP');
    backend.answer = answer;
    await place(gateway, 'Ann');
    t.equal(await next(), 101);
  });

  t.test(
    `what failed, says the backend, or never got there is none, over ${endpoint}`,
    async (t) => {
      const { desk, next } = await startHeard(t);
      const { backend, gateway } = desk;
      const { answer } = backend;
      let id = 100;
      for (const [what, becomes] of Object.entries(KNOWN)) {
        backend.answer = (_message, response) => becomes(response);
        await write(desk);
        backend.answer = answer;
        await place(gateway, 'Ann');
        t.equal(await next(), ++id, what);
      }
    },
  );
}

t.test('what was not sent to its end is no gap', async (t) => {
  const { desk, next } = await startHeard(t);
  const { gateway } = desk;
  const leave = new AbortController();
  const half = new ReadableStream({
    start(controller) {
      controller.enqueue(
        Buffer.from(`<E:Envelope xmlns:E="http://schemas.xmlsoap.org/soap/envelope/"><E:Body>`),
      );
      controller.enqueue(
        Buffer.from(`<PlaceOrder xmlns="urn:orders"><customer>${'x'.repeat(100_000)}`),
      );
    },
  });
  const sent = fetch(`${gateway.url}/soap/orders`, {
    method: 'POST',
    headers: { 'content-type': 'text/xml' },
    body: half,
    duplex: 'half',
    signal: leave.signal,
  } as RequestInit).catch(() => {});
  while (desk.backend.begun === 0) await new Promise((resolve) => setImmediate(resolve));
  leave.abort();
  await sent;
  while (desk.backend.aborted === 0) await new Promise((resolve) => setImmediate(resolve));
  await place(gateway, 'Ann');
  t.equal(await next(), 101);
});
