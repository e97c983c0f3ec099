import type { ExecutionArgs, ExecutionResult, GraphQLError } from 'graphql';
import {
  asRefusal,
  Cancellation,
  type CancelSignal,
  Refusal,
  refuseByLimit,
} from '../../../core/index.js';
import { lifecycle } from '../../../graphql/index.js';
import type { Caller } from '../../calls/authorize.js';
import { CallerHost } from '../../graphql/host.js';
import type { Release } from '../../http/concurrency.js';
import { recordOf } from '../../http/connection-record.js';
import type { Subscriber } from '../sources/source.js';
import { errorMessage, type ProtocolConnection, type Subscribe } from '../wire/graphql-ws.js';
import { OneResult } from './single-result.js';
import { passedHeaders } from './socket-client.js';
import type { PresentParts, ProtocolParts, SocketState } from './socket-parts.js';
import { socketExchange } from './socket-refusal.js';

/** The work for one message, decided when it was admitted. */
interface Job {
  run(): AsyncGenerator<ExecutionResult, void, undefined>;
}

const isJob = (value: unknown): value is Job =>
  typeof value === 'object' && value !== null && 'run' in value;

/** Admits an operation by the configuration of now, whichever the WebSocket was opened in. */
export async function admitMessage(
  { extra, subscriptions }: ProtocolConnection<SocketState>,
  id: string,
  payload: Subscribe,
  present: PresentParts,
): Promise<ExecutionArgs | readonly GraphQLError[]> {
  const { client, live, late, bytes, socket } = extra;
  if (live === null) throw new Error('a message of a connection that was not acknowledged');
  try {
    const confirming = live.confirm();
    if (confirming !== null) {
      await confirming;
    }
  } catch (caught) {
    // The refusal is recorded, and the WebSocket about to close.
    return lifecycle.refusalErrors(asRefusal(caught));
  }
  const parts = present();
  const { endpoint, limits, budgets } = parts;
  const caller: Caller = { client: live.client, budgets };
  const headers = passedHeaders(extra, present);
  const exchange = socketExchange(extra, parts);
  parts.observer.begin(exchange, { ...client.headers });
  const departure = new Cancellation();
  const host = new CallerHost(endpoint, caller, exchange, {
    signal: departure,
    headers,
    connection: recordOf(client.connection),
  });
  let operation: lifecycle.AdmittedOperation | null = null;
  try {
    parts.note(exchange, caller);
    parts.checkAdmission();
    // This one is among them already.
    if (Object.keys(subscriptions).length > limits.perConnection) {
      throw refuseByLimit(
        'RATE_LIMITED',
        'limits.subscriptions.perConnection',
        limits.perConnection,
      );
    }
    host.startWork();
    operation = await lifecycle.admitOperation(payload, endpoint.operations, host);
    // The client may have left while its operation was admitted.
    if (client.signal.aborted) throw new Refusal('CLIENT_GONE');
    const job = jobOf(
      operation,
      { state: extra, live, caller, headers, exchange, host, departure },
      parts,
    );
    const { document, operation: definition } = operation.admitted;
    return {
      schema: endpoint.operations.built.schema,
      document: document.document,
      operationName: definition.name?.value ?? null,
      contextValue: job,
      rootValue: null,
    };
  } catch (caught) {
    const { refusal, result } = lifecycle.refuseOperation(caught, host, operation);
    const errors = result.errors ?? [];
    const held = refusal.isOfCaller ? late.hold(id, bytes, host.workMillis) : null;
    if (held === null) {
      parts.finish(exchange);
      return errors;
    }
    // To the protocol it is over: its id is free, and later messages with the id are not for it.
    delete subscriptions[id];
    void held.then((isWanted) => {
      if (isWanted) {
        void socket.send(errorMessage(id, errors));
      }
      parts.finish(exchange);
    });
    return errors;
  }
}

interface Asking extends Pick<Subscriber, 'live' | 'caller' | 'headers' | 'exchange'> {
  readonly state: SocketState;
  readonly host: CallerHost;
  readonly departure: Cancellation;
}

/** Throws where the operation may not run. */
function jobOf(
  operation: lifecycle.AdmittedOperation,
  { state, live, caller, headers, exchange, host, departure }: Asking,
  parts: ProtocolParts,
): Job {
  const { endpoint, manager } = parts;
  const { client, socket } = state;
  if (operation.type === 'subscription') {
    const disconnect = (): void => socket.close(1001, 'Going away');
    const subscriber = {
      caller: host.caller,
      live,
      headers,
      exchange,
      transport: 'websocket',
      resumption: null,
      disconnect,
    } as const;
    const stream = manager.begin(operation, subscriber);
    return { run: () => stream };
  }
  const release = endpoint.concurrency.acquire(caller.client);
  const charged = attempt(() => operation.authorizeAndCharge(host), release);
  const run = async (signal: CancelSignal): Promise<ExecutionResult> => {
    signal.addEventListener('abort', () => departure.abort(), { once: true });
    try {
      return await charged.run();
    } catch (caught) {
      return lifecycle.refuseOperation(caught, host).result;
    } finally {
      release?.();
      if (exchange.refusal === null) {
        endpoint.penaltyBox.forgive(client.connection);
      }
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

/** Runs an admitted operation. */
export const perform = ({ contextValue }: ExecutionArgs): ReturnType<Job['run']> => {
  if (!isJob(contextValue)) throw new Error('a message that was not admitted');
  return contextValue.run();
};
