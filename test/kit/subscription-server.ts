import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { buildSchema, type ExecutionArgs, subscribe } from 'graphql';
import { createHandler } from 'graphql-sse/lib/use/http';
import { useServer } from 'graphql-ws/use/ws';
import { WebSocketServer } from 'ws';

/** What a service was asked to subscribe to, over whatever transport. */
export interface Subscribed {
  readonly transport: 'sse' | 'websocket';
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly headers: IncomingMessage['headers'];
  readonly connectionParams: unknown;
}

/**
 * A service over real sockets whose subscriptions the test drives: `graphql-sse` and `graphql-ws`
 * at one address.
 */
export interface SubscriptionServer {
  readonly url: string;
  readonly subscribed: Subscribed[];
  /** Subscriptions that run there. */
  readonly running: number;
  /** Sends an event to every subscription of a field. */
  tell(field: string, value: unknown): void;
  /** Ends them. */
  complete(field: string): void;
  /** Resolves when so many subscriptions run. */
  runs(count: number): Promise<void>;
  /** Cuts every connection. */
  cut(): void;
  /** Answers a request instead of the packages, until it is null again. */
  instead: ((request: IncomingMessage, response: ServerResponse) => void) | null;
  /** Does something with an upgrade instead of them. */
  insteadOfUpgrade: ((request: IncomingMessage, socket: Socket) => void) | null;
  close(): Promise<void>;
}

class Channel {
  readonly #waiting: { value?: unknown; isEnd: boolean }[] = [];
  #wake: () => void = () => {};

  push(entry: { value?: unknown; isEnd: boolean }): void {
    this.#waiting.push(entry);
    this.#wake();
  }

  async next(): Promise<{ value?: unknown; isEnd: boolean }> {
    for (;;) {
      const entry = this.#waiting.shift();
      if (entry !== undefined) return entry;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

export async function startSubscriptionServer(sdl: string): Promise<SubscriptionServer> {
  const schema = buildSchema(sdl);
  const channels = new Map<string, Set<Channel>>();
  const subscribed: Subscribed[] = [];
  const sockets = new Set<Socket>();
  let running = 0;
  let wake = (): void => {};
  const changed = (by: number): void => {
    running += by;
    wake();
  };
  const source = (field: string): AsyncGenerator<unknown, void, undefined> => {
    const channel = new Channel();
    const all = channels.get(field) ?? new Set();
    channels.set(field, all.add(channel));
    changed(1);
    let isOver = false;
    const over = async (): Promise<IteratorResult<unknown, void>> => {
      if (!isOver) changed(-1);
      isOver = true;
      all.delete(channel);
      return { done: true, value: undefined };
    };
    return {
      async next() {
        const { value, isEnd } = await channel.next();
        return isEnd ? over() : { done: false, value: { [field]: value } };
      },
      async return() {
        channel.push({ isEnd: true });
        return over();
      },
      throw: over,
      [Symbol.asyncIterator]() {
        return this;
      },
    };
  };
  const rootValue = Object.fromEntries(
    Object.keys(schema.getSubscriptionType()?.getFields() ?? {}).map((field) => [
      field,
      () => source(field),
    ]),
  );
  const handler = createHandler({
    schema,
    onSubscribe: (request, { query, variables }) => {
      const { headers } = request.raw;
      subscribed.push({
        transport: 'sse',
        query,
        variables: { ...variables },
        headers,
        connectionParams: null,
      });
    },
    subscribe: (args: ExecutionArgs) => subscribe({ ...args, rootValue }),
  });
  const server: Server = createServer((request, response) => {
    if (kit.instead !== null) kit.instead(request, response);
    // A client that leaves fails what is written to it.
    else handler(request, response).catch(() => {});
  });
  const webSockets = new WebSocketServer({ noServer: true });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
  });
  server.on('upgrade', (request, socket, head) => {
    if (kit.insteadOfUpgrade !== null) kit.insteadOfUpgrade(request, socket as Socket);
    else
      webSockets.handleUpgrade(request, socket, head, (made) =>
        webSockets.emit('connection', made, request),
      );
  });
  const stopped = useServer(
    {
      schema,
      roots: { subscription: rootValue },
      onSubscribe: ({ extra, connectionParams }, _id, { query, variables }) => {
        const { headers } = extra.request;
        subscribed.push({
          transport: 'websocket',
          query,
          variables: { ...variables },
          headers,
          connectionParams,
        });
      },
    },
    webSockets,
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const kit: SubscriptionServer = {
    url: `http://127.0.0.1:${port}/graphql`,
    subscribed,
    get running() {
      return running;
    },
    tell(field, value) {
      for (const channel of channels.get(field) ?? []) channel.push({ value, isEnd: false });
    },
    complete(field) {
      for (const channel of channels.get(field) ?? []) channel.push({ isEnd: true });
    },
    async runs(count) {
      while (running !== count) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    cut() {
      for (const socket of sockets) socket.destroy();
    },
    instead: null,
    insteadOfUpgrade: null,
    async close() {
      for (const socket of sockets) socket.destroy();
      await stopped.dispose();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
  return kit;
}
