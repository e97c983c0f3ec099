// biome-ignore-all lint/suspicious/noExplicitAny: answers are what they are
import { createClient as createEventClient } from 'graphql-sse';
import { createClient as createSocketClient } from 'graphql-ws';
import t, { type Test } from 'tap';
import { WebSocket } from 'ws';

import { startTestGateway, type TestGateway } from '../../kit/gateway.js';
import { running } from '../../kit/live-desk.js';
import { type SubscriptionServer, startSubscriptionServer } from '../../kit/subscription-server.js';

const SDL = `
  type Query { customer(id: ID!): Customer }
  type Subscription {
    customerChanged(id: ID!): Customer
    tick: Int!
    texts: [String!]
    internal: String
  }
  interface Node { id: ID! }
  type Customer implements Node { id: ID!, name: String!, age: Int, orderId: String, ssn: String, text: String }
`;

interface Setting {
  readonly remote: SubscriptionServer;
  readonly gateway: TestGateway;
  readonly url: string;
  /** What a client is told, over a transport. */
  events(transport: Transport, query: string, more?: More): AsyncIterableIterator<any>;
}

interface More {
  readonly variables?: Record<string, unknown>;
  readonly headers?: Record<string, string>;
}

type Transport = 'sse' | 'websocket';
type Protocol = 'sse' | 'graphql-transport-ws';

const BOTH = ['sse', 'websocket'] as const;
const PROTOCOLS = ['sse', 'graphql-transport-ws'] as const;

async function start(t: Test, protocol: Protocol, more = '', top = '', services = ''): Promise<Setting> {
  const remote = await startSubscriptionServer(SDL);
  const schema = SDL.replaceAll('\n', '\n      ');
  const directory = t.testdir({ 'crm.graphql': schema });
  const gateway = await startTestGateway(
    `services:\n  crm:\n    kind: graphql\n    url: ${remote.url}\n    schema: crm.graphql\n` +
      `    subscriptions: { protocol: ${protocol} }\n${more}${services}\n${top}`,
    directory,
  );
  const url = `${gateway.url}/graphql`;
  const ends: (() => unknown)[] = [];
  t.teardown(async () => {
    for (const end of ends) await end();
    await gateway.close();
    await remote.close();
  });
  return {
    remote,
    gateway,
    url,
    events(transport, query, { variables = {}, headers = {} } = {}) {
      if (transport === 'sse') {
        const client = createEventClient({ url, retryAttempts: 0, headers });
        ends.push(() => client.dispose());
        return client.iterate({ query, variables });
      }
      class WithHeaders extends WebSocket {
        constructor(address: string, protocols: string) {
          super(address, protocols, { headers });
        }
      }
      const client = createSocketClient({
        url: url.replace('http', 'ws'),
        webSocketImpl: WithHeaders,
        retryAttempts: 0,
      });
      ends.push(() => client.dispose());
      return client.iterate({ query, variables });
    },
  };
}

const toldBy = async (events: AsyncIterableIterator<any>): Promise<any> => (await events.next()).value;

for (const protocol of PROTOCOLS) {
  for (const transport of BOTH) {
    t.test(`events pass through, from ${protocol} to ${transport}`, async (t) => {
      const { remote, gateway, events } = await start(t, protocol);
      const query =
        'subscription S($id: ID!) { c: customerChanged(id: $id) { __typename ...P } } fragment P on Node { id ... on Customer { n: name } }';
      const told = events(transport, query, { variables: { id: '7' } });
      const first = told.next();
      await remote.runs(1);
      await running(gateway, 'customerChanged', 1);
      const [asked] = remote.subscribed;
      t.match(asked?.query, /subscription.*customerChanged\(id: \$/s);
      t.same(Object.values(asked?.variables ?? {}), ['7']);
      t.equal(asked?.transport, protocol === 'sse' ? 'sse' : 'websocket');
      remote.tell('customerChanged', { id: '7', name: 'Ada' });
      remote.tell('customerChanged', null);
      t.match((await first).value, { data: { c: { __typename: 'Customer', id: '7', n: 'Ada' } } });
      t.match(await toldBy(told), { data: { c: null } });
      remote.tell('customerChanged', {
        id: '7',
        name: () => {
          throw new Error('no name today');
        },
      });
      t.match(await toldBy(told), {
        data: { c: null },
        errors: [{ message: 'no name today', path: ['c', 'n'], extensions: { code: 'GRAPHQL_UPSTREAM_ERROR' } }],
      });
      remote.complete('customerChanged');
      t.same(await told.next(), { done: true, value: undefined }, 'the end of it is the end of it here');
      await running(gateway, 'customerChanged', 0);
      t.match(await gateway.logLine('subscription ended'), { field: 'customerChanged', why: 'completed', events: 3 });
      t.match(await gateway.metrics(), 'soapstone_upstream_subscriptions{service="crm"} 0\n');
    });
  }

  t.test(`who leaves leaves there, ${protocol}`, async (t) => {
    const { remote, gateway, events } = await start(t, protocol);
    const told = [events('sse', 'subscription { tick }'), events('websocket', 'subscription { tick }')];
    const firsts = told.map((each) => each.next());
    await remote.runs(2);
    t.match(await gateway.metrics(), 'soapstone_upstream_subscriptions{service="crm"} 2\n');
    remote.tell('tick', 1);
    for (const first of firsts) t.match((await first).value, { data: { tick: 1 } });
    for (const each of told) await each.return?.();
    await remote.runs(0);
    await running(gateway, 'tick', 0);
  });

  t.test(`what dies in the middle is told, after what came before, ${protocol}`, async (t) => {
    for (const transport of BOTH) {
      const { remote, gateway, events } = await start(t, protocol);
      const told = events(transport, 'subscription { tick }');
      const first = told.next();
      await remote.runs(1);
      remote.tell('tick', 1);
      t.match((await first).value, { data: { tick: 1 } });
      remote.cut();
      t.match(await toldBy(told), { errors: [{ extensions: { code: 'UPSTREAM_TRUNCATED' } }] });
      t.same(await told.next(), { done: true, value: undefined });
      t.match(await gateway.logLine('subscription ended'), { why: 'failed', events: 1 });
      t.match(await gateway.metrics(), /soapstone_refusals_total\{route="graphql",code="UPSTREAM_TRUNCATED"\} 1/);
    }
  });
}
