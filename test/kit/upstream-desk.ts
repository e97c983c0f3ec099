// biome-ignore-all lint/suspicious/noExplicitAny: answers are what they are
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { createClient as createEventClient } from 'graphql-sse';
import { createClient as createSocketClient } from 'graphql-ws';
import type { Test } from 'tap';
import { WebSocket } from 'ws';

import type { TestGateway } from './gateway.js';
import { type SubscriptionServer, startSubscriptionServer } from './subscription-server.js';
import { useGateway } from './use.js';

export const SDL = `
  type Query { customer(id: ID!): Customer }
  type Subscription {
    customerChanged(id: ID!): Customer
    tick: Int!
    texts: [String!]
    numbers: [Int]
    internal: String
  }
  interface Node { id: ID! }
  type Customer implements Node { id: ID!, name: String!, age: Int, orderId: String, ssn: \
String, text: String }
`;

export interface Setting {
  readonly remote: SubscriptionServer;
  readonly gateway: TestGateway;
  readonly url: string;
  /** What a client is told, over a transport. */
  events(transport: Transport, query: string, more?: More): AsyncIterableIterator<any>;
}

export interface More {
  readonly variables?: Record<string, unknown>;
  readonly headers?: Record<string, string>;
}

export type Transport = 'sse' | 'websocket';
export type Protocol = 'sse' | 'graphql-transport-ws';

export const BOTH = ['sse', 'websocket'] as const;
export const PROTOCOLS = ['sse', 'graphql-transport-ws'] as const;

export async function startUpstreamDesk(
  t: Test,
  protocol: Protocol,
  more = '',
  top = '',
  services = '',
): Promise<Setting> {
  const remote = await startSubscriptionServer(SDL);
  const schema = SDL.replaceAll('\n', '\n      ');
  const directory = t.testdir({ 'crm.graphql': schema });
  const gateway = await useGateway(
    t,
    `services:\n  crm:\n    kind: graphql\n    url: ${remote.url}\n    schema: crm.graphql\n` +
      `    subscriptions: { protocol: ${protocol} }\n${more}${services}\n${top}`,
    directory,
  );
  const url = `${gateway.url}/graphql`;
  const ends: (() => unknown)[] = [];
  t.teardown(async () => {
    for (const end of ends) await end();
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

export const toldBy = async (events: AsyncIterableIterator<any>): Promise<any> =>
  (await events.next()).value;

/** What a client is told in all, and that it ends. */
export async function allOf(events: AsyncIterableIterator<any>): Promise<any[]> {
  const told: any[] = [];
  for (let event = await events.next(); event.done !== true; event = await events.next())
    told.push(event.value);
  return told;
}

export const codesOf = (told: readonly any[]): readonly string[] =>
  told.map(({ errors }) => errors?.[0]?.extensions?.code ?? 'sent');

export type Reply = (response: ServerResponse) => void;

export const reply =
  (status: number, headers: OutgoingHttpHeaders, body: string): Reply =>
  (response) => {
    response.writeHead(status, headers);
    response.end(body);
  };

export const EVENTS = { 'content-type': 'text/event-stream' };
