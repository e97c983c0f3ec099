import t from 'tap';
import { WebSocket } from 'ws';
import { answerWith } from '../kit/backend.js';
import { envelope } from '../kit/envelope.js';
import { areAnswering, type GatewayProcess, startProcess } from '../kit/gateway-process.js';
import { until } from '../kit/until.js';
import { useBackend } from '../kit/use.js';
import { edit, reload } from './process-kit.js';

interface Client {
  readonly messages: Record<string, unknown>[];
  /** Null while it is open. */
  code: number | null;
  readonly socket: WebSocket;
}

/** A WebSocket that is acknowledged, and has had the first event of a subscription. */
async function subscribed({ url }: GatewayProcess, key: string): Promise<Client> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
  const client: Client = { messages: [], code: null, socket };
  socket.on('message', (data) => client.messages.push(JSON.parse(String(data))));
  socket.on('close', (code) => {
    client.code = code;
  });
  await new Promise((resolve) => socket.once('open', resolve));
  socket.send(
    JSON.stringify({ type: 'connection_init', payload: { headers: { 'X-Api-Key': key } } }),
  );
  await until(() => client.messages.length === 1);
  const payload = { query: 'subscription { watched(id: 1) { id } }' };
  socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload }));
  await until(() => client.messages.length === 2);
  return client;
}

t.test('a key that a reload removes ends the WebSockets of all workers', async (t) => {
  const backend = await useBackend(
    t,
    answerWith(envelope('<GetResponse xmlns="urn:x"><id>1</id></GetResponse>')),
  );
  const gone = 'gone: { class: all, keys: [the-key-of-the-gone-client] }';
  const gateway = await startProcess(
    t,
    `workers: 2
reload: { watch: false }
services:
  x:
    url: ${backend.url}/x
    namespace: urn:x
    types: |
      type Query { one(id: Int!): One }
      type One { id: Int }
    operations: { Get: { field: Query.one } }
subscriptions: { watched: { poll: { operation: x.Get, everyMillis: 24h } } }
clients:
  apiKeys: { header: x-api-key, clients: { stays: { class: all, keys: [the-key-of-the-staying] }, \
${gone} } }
  classes: { all: {} }
`,
  );
  await areAnswering(gateway, 2);
  const ended: Client[] = [];
  for (let n = 0; n < 8; n++) ended.push(await subscribed(gateway, 'the-key-of-the-gone-client'));
  const stays: Client[] = [];
  for (let n = 0; n < 4; n++) stays.push(await subscribed(gateway, 'the-key-of-the-staying'));
  t.teardown(() => {
    for (const { socket } of [...ended, ...stays]) socket.terminate();
  });
  await edit(gateway, (yaml) => yaml.replace(`, ${gone}`, ''));
  t.equal((await reload(gateway)).status, 200);
  await until(() => ended.every(({ code }) => code !== null));
  t.same(new Set(ended.map(({ code }) => code)), new Set([4403]));
  const refusals = 'soapstone_refusals_total{route="graphql",code="UNAUTHENTICATED"}';
  await until(async () => (await gateway.metric(refusals.replace(/[{}]/g, '\\$&'))) === 8);
  t.same(
    stays.map(({ code }) => code),
    [null, null, null, null],
  );
  for (const { socket } of stays)
    socket.send(
      JSON.stringify({ id: '2', type: 'subscribe', payload: { query: '{ one(id: 1) { id } }' } }),
    );
  await until(() =>
    stays.every(({ messages }) => messages.some(({ id, type }) => id === '2' && type === 'next')),
  );
});
