import type { Socket } from 'node:net';
import type { ExecutionArgs, ExecutionResult, GraphQLError } from 'graphql';
import { beginExchange } from '../../access/address.js';
import type { Networks } from '../../access/networks.js';
import { Cancellation, type CancelSignal } from '../../base/cancellation.js';

import type { Exchange } from '../../base/exchange.js';
import { Refusal, refuseByLimit } from '../../base/refusal.js';
import { parseStrictJson } from '../../base/strict-json.js';
import type { RequestContext } from '../../codec/write/source.js';
import { type AdmittedOperation, admitOperation, refuseOperation } from '../../graphql/operation.js';
import { isEncrypted } from '../../listen/peer.js';
import type { Tracing } from '../../observe/trace/tracing.js';
import type { SubscriptionLimits } from '../../pubsub/limits.js';
import type { Caller } from '../calls/authorize.js';
import type { GraphqlEndpoint } from '../graphql/endpoint.js';
import { CallerHost } from '../graphql/host.js';
import type { Release } from '../http/concurrency.js';
import { recordOf } from '../http/connection-record.js';
import { expiry } from '../http/expiry.js';
import { DelayedRefusals } from './delayed-refusals.js';
import { Incoming } from './received-messages.js';
import { OneResult } from './single-result.js';
import type { SubscriptionManager } from './subscription-manager.js';
import { type Connection, errorMessage, makeProtocolServer, type Subscribe } from './wire/graphql-ws.js';

/** One WebSocket, as the protocol wants it. */
export interface ProtocolSocket {
  readonly protocol: string;
  /** Resolves when the system has taken it, so that a slow reader is sent events slowly. Never rejects. */
  send(data: string): Promise<void>;
  close(code: number, reason: string): void;
  /** Nothing more is to come until `resume`, but what is on its way. */
  pause(): void;
  resume(): void;
}

/** The client that opened the WebSocket. */
export interface WebSocketClient {
  /** Of the connection. */
  readonly address: string;
  readonly connection: Socket;
  readonly headers: RequestContext['headers'];
  /** Aborted when it is gone. */
  readonly signal: CancelSignal;
}

export interface ProtocolParts {
  readonly endpoint: GraphqlEndpoint;
  readonly manager: SubscriptionManager;
  readonly limits: SubscriptionLimits;
  /** Names of connection parameters, in lower case, that stand for the header fields a page cannot send. */
  readonly credentials: ReadonlySet<string>;
  readonly trustedProxies: Networks;
  identifyCaller(client: WebSocketClient, headers: RequestContext['headers']): Promise<Caller>;
  note(exchange: Exchange, caller: Caller): void;
  finish(exchange: Exchange): void;
  readonly tracing: Tracing;
  isShedding(): boolean;
}

/** Handles the messages of a WebSocket, and its end. */
export interface ProtocolSession {
  /** Not twice in one turn of the event loop: an id may be used again at once, and what was ended by it must be over. */
  message(data: string): Promise<void>;
  closed(code: number): Promise<void>;
}

export type Protocol = (socket: ProtocolSocket, client: WebSocketClient) => ProtocolSession;

interface ConnectionState {
  readonly client: WebSocketClient;
  readonly socket: ProtocolSocket;
  caller: Caller | null;
  headers: RequestContext['headers'];
  stopWatching: () => void;
  readonly late: DelayedRefusals;
  /** Of the message that is taken. */
  bytes: number;
}

/** The work for one message, decided when it was admitted. */
interface Job {
  run(): AsyncGenerator<ExecutionResult, void, undefined>;
}

const isJob = (value: unknown): value is Job => typeof value === 'object' && value !== null && 'run' in value;

/**
 * `graphql-transport-ws`: `graphql-ws` keeps to its rules; operations are admitted and run by the code for HTTP.
 */
export function makeProtocol(parts: ProtocolParts): Protocol {
  const server = makeProtocolServer<Record<string, unknown> | undefined, ConnectionState>({
    connectionInitWaitTimeout: parts.limits.initMillis,
    onConnect: async (connection) => {
      const { extra } = connection;
      const headers = withCredentials(extra.client.headers, connection.connectionParams, parts.credentials);
      try {
        extra.caller = await parts.identifyCaller(extra.client, headers);
      } catch {
        return false;
      }
      if (extra.client.signal.aborted) return false;
      extra.headers = headers;
      const { expiresMillis } = extra.caller.client;
      extra.stopWatching = expiry(expiresMillis, () => extra.socket.close(4403, 'Forbidden'));
      return true;
    },
    onSubscribe: (connection, id, payload) => admitMessage(connection, id, payload, parts),
    execute: perform,
    subscribe: perform,
  });
  return (socket, client) => {
    let take: ((data: string) => Promise<void>) | null = null;
    const { limits, endpoint } = parts;
    const late = new DelayedRefusals(endpoint.penaltyBox, client, limits.perConnection, () => void incoming.release());
    const { headers } = client;
    const state: ConnectionState = { client, socket, caller: null, headers, stopWatching: () => {}, late, bytes: 0 };
    const incoming = new Incoming({
      isFull: () => late.isFull,
      charsMax: limits.messageBytes + ON_ITS_WAY_CHARS,
      take: (data) => takeMessage(data).catch(() => socket.close(4500, 'Unexpected error')),
      pause: () => socket.pause(),
      resume: () => socket.resume(),
      overflow: () => socket.close(4429, 'Too many messages'),
    });
    const closed = server.opened(
      {
        protocol: socket.protocol,
        send: (data) => socket.send(data),
        close: (code = 1000, reason = '') => socket.close(code, reason),
        onMessage: (listener) => {
          take = listener;
        },
      },
      state,
    );
    const takeMessage = async (data: string): Promise<void> => {
      let parsed: unknown;
      try {
        parsed = parseStrictJson(data);
      } catch {
        socket.close(4400, 'Invalid message received');
        return;
      }
      const ended = idOf(parsed, 'complete');
      if (ended !== null) late.forget(ended);
      if (late.has(idOf(parsed, 'subscribe') ?? '')) {
        socket.close(4409, 'Subscriber already exists');
        return;
      }
      state.bytes = data.length;
      await take?.(data);
    };
    return {
      message: (data) => incoming.message(data),
      async closed(code) {
        state.stopWatching();
        incoming.close();
        await closed(code);
      },
    };
  };
}

/** Characters that may have been read when reading stops, small messages with their overhead. */
const ON_ITS_WAY_CHARS = 1024 * 1024;

/** Which operation a message of this type is about. */
const idOf = (message: unknown, type: 'subscribe' | 'complete'): string | null =>
  typeof message === 'object' &&
  message !== null &&
  'type' in message &&
  message.type === type &&
  'id' in message &&
  typeof message.id === 'string'
    ? message.id
    : null;

/** Browsers cannot give a WebSocket header fields: credentials may come in the first message instead. */
function withCredentials(
  headers: RequestContext['headers'],
  params: Readonly<Record<string, unknown>> | undefined,
  credentials: ReadonlySet<string>,
): RequestContext['headers'] {
  const entries = Object.entries(params ?? {}).flatMap(([name, value]): [string, string][] =>
    typeof value === 'string' && credentials.has(name.toLowerCase()) ? [[name.toLowerCase(), value]] : [],
  );
  return entries.length === 0 ? headers : { ...headers, ...Object.fromEntries(entries) };
}

async function admitMessage(
  { extra, subscriptions }: Connection<ConnectionState>,
  id: string,
  payload: Subscribe,
  parts: ProtocolParts,
): Promise<ExecutionArgs | readonly GraphQLError[]> {
  const { endpoint, limits } = parts;
  const { client, caller, headers, late, bytes, socket } = extra;
  const exchange = beginExchange(client, 'WS', parts.trustedProxies);
  exchange.isTls = isEncrypted(client.connection);
  exchange.route = 'graphql';
  parts.tracing.begin(exchange, { ...client.headers });
  if (caller === null) throw new Error('a message of a connection that was not acknowledged');
  const departure = new Cancellation();
  const host = new CallerHost(endpoint, caller, exchange, {
    signal: departure,
    headers,
    connection: recordOf(client.connection),
  });
  let operation: AdmittedOperation | null = null;
  try {
    parts.note(exchange, caller);
    if (parts.isShedding()) throw new Refusal('OVERLOADED');
    // This one is among them already.
    if (Object.keys(subscriptions).length > limits.perConnection) {
      throw refuseByLimit('RATE_LIMITED', 'limits.subscriptions.perConnection', limits.perConnection);
    }
    host.startWork();
    operation = await admitOperation(payload, endpoint.operations, host);
    // The client may have left while its operation was admitted.
    if (client.signal.aborted) throw new Refusal('CLIENT_GONE');
    const job = jobOf(operation, { caller, connection: client.connection, headers, exchange, host, departure }, parts);
    const { document, operation: definition } = operation.admitted;
    return {
      schema: endpoint.operations.built.schema,
      document: document.document,
      operationName: definition.name?.value ?? null,
      contextValue: job,
      rootValue: null,
    };
  } catch (caught) {
    const { refusal, result } = refuseOperation(caught, host, operation);
    const errors = result.errors ?? [];
    const held = refusal.isOfCaller ? late.hold(id, bytes, host.workMillis) : null;
    if (held === null) {
      parts.finish(exchange);
      return errors;
    }
    // To the protocol it is over: its id is free, and later messages with the id are not for it.
    delete subscriptions[id];
    void held.then((isWanted) => {
      if (isWanted) void socket.send(errorMessage(id, errors));
      parts.finish(exchange);
    });
    return errors;
  }
}

interface Asking {
  readonly caller: Caller;
  readonly connection: Socket;
  readonly headers: RequestContext['headers'];
  readonly exchange: Exchange;
  readonly host: CallerHost;
  readonly departure: Cancellation;
}

/** Throws where the operation may not run. */
function jobOf(
  operation: AdmittedOperation,
  { caller, connection, headers, exchange, host, departure }: Asking,
  parts: ProtocolParts,
): Job {
  const { endpoint, manager } = parts;
  if (operation.type === 'subscription') {
    const stream = manager.begin(operation, { caller, headers, exchange, transport: 'websocket', resumption: null });
    return { run: () => stream };
  }
  const release = endpoint.concurrency.acquire(caller.client);
  const charged = attempt(() => operation.authorizeAndCharge(host), release);
  const run = async (signal: CancelSignal): Promise<ExecutionResult> => {
    signal.addEventListener('abort', () => departure.abort(), { once: true });
    try {
      return await charged.run();
    } catch (caught) {
      return refuseOperation(caught, host).result;
    } finally {
      release?.();
      if (exchange.refusal === null) endpoint.penaltyBox.forgive(connection);
      parts.finish(exchange);
    }
  };
  return { run: () => new OneResult(run) };
}

/** The answer of `work`; the permit is returned where it throws. */
function attempt<T>(work: () => T, release: Release | null): T {
  try {
    return work();
  } catch (caught) {
    release?.();
    throw caught;
  }
}

const perform = ({ contextValue }: ExecutionArgs): ReturnType<Job['run']> => {
  if (!isJob(contextValue)) throw new Error('a message that was not admitted');
  return contextValue.run();
};
