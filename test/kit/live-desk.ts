import { Socket } from 'node:net';
import { type Client, createClient } from 'graphql-ws';
import type { Test } from 'tap';
import { WebSocket } from 'ws';

import type { RecordedMessage, RecordingBackend } from './backend.js';
import { postSoap } from './envelope.js';
import type { TestGateway } from './gateway.js';
import { useBackend, useGateway } from './use.js';

const ENVELOPE = 'http://schemas.xmlsoap.org/soap/envelope/';

export const envelope = (content: string): string =>
  `<E:Envelope xmlns:E="${ENVELOPE}"><E:Body>${content}</E:Body></E:Envelope>`;

const services = (url: string): string => `services:
  orders:
    url: ${url}/orders
    namespace: urn:orders
    callerHeaders: [x-user]
    types: |
      type Query { order(id: Int!): Order, own(id: Int!, user: String): Order }
      type Mutation {
        place(customer: String!, lines: [LineInput!]): Receipt
        notify(sku: String!, left: Int): Boolean
      }
      type Order { id: Int!, status: String, total: Float, customer: String, front: Base64, back: \
Base64 }
      type Receipt { orderId: Int!, status: String }
      input LineInput { sku: String! }
    operations:
      GetOrder: { field: Query.order }
      GetOwn: { field: Query.own, arguments: { user: { header: x-user } } }
      PlaceOrder: { field: Mutation.place }
      Notify: { field: Mutation.notify }
`;

const SUBSCRIPTIONS = `subscriptions:
  orderChanged: { poll: { operation: orders.GetOrder, everyMillis: 50, changed: status } }
  orderWatched: { poll: { operation: orders.GetOrder, everyMillis: 50 } }
  orderDaily: { poll: { operation: orders.GetOrder, everyMillis: 24h } }
  ownWatched: { poll: { operation: orders.GetOwn, everyMillis: 50 } }
  ownPlaced: { on: { operation: orders.PlaceOrder, answer: orders.GetOwn, arguments: { id: \
reply.orderId } } }
  orderPlaced:
    description: An order, as soon as it is placed.
    on:
      operation: orders.PlaceOrder
      filter: { customer: request.customer }
      answer: orders.GetOrder
      arguments: { id: reply.orderId }
  receipts:
    on:
      operation: orders.PlaceOrder
      where: { reply.status: OK }
      fields: { id: reply.orderId, by: request.customer }
  stockAlert:
    callback: { operation: orders.Notify, fields: { sku: request.sku, left: request.left } }
links:
  ReceiptsEvent.order: { operation: orders.GetOrder, arguments: { id: id } }
`;

export interface Desk {
  readonly backend: RecordingBackend;
  readonly gateway: TestGateway;
  /** The state of the one order. */
  readonly order: { status: string; total: number };
  readonly url: string;
  socket(more?: Partial<Parameters<typeof createClient>[0]>): Client;
}

export async function startDesk(t: Test, more = ''): Promise<Desk> {
  const order = { status: 'NEW', total: 1 };
  let orderId = 100;
  const backend = await useBackend(t, ({ body }: RecordedMessage, response) => {
    const text = body.toString();
    const id = /<(?:\w+:)?id>(\d+)</.exec(text)?.[1] ?? '0';
    const user = /<(?:\w+:)?user>(\w+)</.exec(text)?.[1] ?? 'Ann';
    const operation = /Body><(?:\w+:)?(\w+)/.exec(text)?.[1] ?? '';
    const content = operation.startsWith('Get')
      ? `<id>${id}</id><status>${order.status}</status><total>${order.total}</total>` +
        `<customer>${user}</customer>`
      : `<orderId>${++orderId}</orderId><status>OK</status>`;
    const answer = envelope(
      `<${operation}Response xmlns="urn:orders">${content}</${operation}Response>`,
    );
    response.writeHead(200, {
      'content-type': 'text/xml; charset=utf-8',
      'content-length': Buffer.byteLength(answer),
    });
    response.end(answer);
  });
  const gateway = await useGateway(t, services(backend.url) + SUBSCRIPTIONS + more);
  const clients: Client[] = [];
  t.teardown(async () => {
    for (const client of clients) await client.dispose();
  });
  const url = `${gateway.url}/graphql`;
  return {
    backend,
    gateway,
    order,
    url,
    socket(options = {}) {
      const client = createClient({
        url: url.replace('http', 'ws'),
        webSocketImpl: WebSocket,
        retryAttempts: 0,
        ...options,
      });
      clients.push(client);
      return client;
    },
  };
}

/** Calls of the backend wait until they are let go. */
export function holdAnswers({ backend }: Pick<Desk, 'backend'>): {
  held: (() => void)[];
  arrived(count: number): Promise<void>;
} {
  const { answer } = backend;
  const held: (() => void)[] = [];
  backend.answer = (message, response) => held.push(() => answer(message, response));
  const arrived = async (count: number): Promise<void> => {
    while (held.length < count) await new Promise((resolve) => setImmediate(resolve));
  };
  return { held, arrived };
}

export const place = (gateway: TestGateway, customer: string): Promise<Response> =>
  placeAs(gateway, customer, {});

/** The same with these header fields. */
export const placeAs = (
  gateway: TestGateway,
  customer: string,
  headers: Readonly<Record<string, string>>,
): Promise<Response> =>
  postSoap(
    `${gateway.url}/soap/orders`,
    envelope(`<PlaceOrder xmlns="urn:orders"><customer>${customer}</customer></PlaceOrder>`),
    headers,
  );

/** Waits until so many subscriptions to a field run. */
export async function running(gateway: TestGateway, field: string, count: number): Promise<void> {
  while (
    !(await gateway.metrics()).includes(
      `soapstone_subscriptions_active{field="${field}"} ${count}\n`,
    )
  );
}

/**
 * Subscribes to a field over a WebSocket: the events, the first of which is asked for already, once
 * it runs.
 */
export async function subscribed(
  { gateway, socket }: Pick<Desk, 'gateway' | 'socket'>,
  field: string,
  query: string,
) {
  const events = socket().iterate({ query });
  const first = events.next();
  await running(gateway, field, 1);
  return { events, first };
}

/** A WebSocket without a client of the protocol: what it was told, and how it ended. */
export async function rawSocket(
  desk: Desk,
  protocol: string[],
  options: object = {},
): Promise<Raw> {
  const socket = new WebSocket(desk.url.replace('http', 'ws'), protocol, options);
  const messages: Record<string, unknown>[] = [];
  let wake = (): void => {};
  socket.on('message', (data) => {
    messages.push(JSON.parse(String(data)));
    wake();
  });
  const closed = new Promise<number>((resolve) => {
    socket.on('close', (code) => resolve(code));
  });
  await new Promise((resolve, reject) => socket.on('open', resolve).on('error', reject));
  socket.on('error', () => {});
  return {
    socket,
    messages,
    closed,
    say: (message) => socket.send(JSON.stringify(message)),
    write(bytes) {
      const inner: unknown = Reflect.get(socket, '_socket');
      if (inner instanceof Socket) inner.write(bytes);
    },
    async heard(count) {
      while (messages.length < count) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}

/**
 * The same with its first message, of this content, which is acknowledged. `options` are those of
 * the WebSocket.
 */
export async function acknowledged(
  desk: Desk,
  payload: object = {},
  options: object = {},
): Promise<Raw> {
  const raw = await rawSocket(desk, PROTOCOL, options);
  raw.say({ ...INIT, payload });
  await raw.heard(1);
  return raw;
}

export interface Raw {
  readonly socket: WebSocket;
  readonly messages: readonly Record<string, unknown>[];
  readonly closed: Promise<number>;
  say(message: unknown): void;
  /** Bytes that are no frame of the client's. */
  write(bytes: Buffer): void;
  heard(count: number): Promise<void>;
}

export const PROTOCOL = ['graphql-transport-ws'];
export const INIT = { type: 'connection_init' };
export const subscribe = (id: string, query: string): unknown => ({
  id,
  type: 'subscribe',
  payload: { query },
});
