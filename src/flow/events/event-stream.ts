import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';
import type { ExecutionResult } from 'graphql';

import type { Exchange } from '../../base/exchange.js';
import { asRefusal, Refusal } from '../../base/refusal.js';
import { refusalErrors } from '../../graphql/document/errors.js';
import { runAdmitted } from '../../graphql/http.js';
import { readRequest } from '../../graphql/run/params.js';
import type { Purse } from '../charge.js';
import type { Ending } from '../ending.js';
import { answerGraphql, contextOf, type GraphqlDoor } from '../graphql.js';
import { readBody } from '../graphql-body.js';
import { type EventsRequest, makeEventHandler } from '../wire/graphql-sse.js';
import { admitFound, findGiven, type GivenOperation } from './given.js';
import type { SubscriptionDesk } from './subscriptions.js';

/** One request of a client that takes server-sent events. */
interface Asked {
  readonly purse: Purse;
  readonly exchange: Exchange;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly ending: Ending;
  /** Nothing is done for it any more but for events. */
  readonly subscribed: () => void;
}

/** Whether a client takes server-sent events, and whether it takes nothing else. */
export function takesEvents({ headers }: IncomingMessage): 'only' | 'too' | 'no' {
  const types = (headers.accept ?? '').split(',').map((type) => type.split(';')[0]?.trim().toLowerCase());
  if (!types.includes('text/event-stream')) return 'no';
  return types.length === 1 ? 'only' : 'too';
}

/** How it is told what is wrong with a request. */
const ERRORS = 'application/graphql-response+json';

/**
 * GraphQL over server-sent events, one request for each operation ("distinct connections"): `graphql-sse` writes the
 * events, what they tell is decided where it is for HTTP. A client that takes JSON too gets it for all but subscriptions.
 */
export async function answerEvents(door: GraphqlDoor, desk: SubscriptionDesk, asked: Asked): Promise<void> {
  const { purse, exchange, request, response, ending } = asked;
  const { method = '', url = '', headers } = request;
  exchange.route = 'graphql';
  let text: Promise<string> | null = null;
  const body = (): Promise<string> => {
    text ??= readBody(door.bodyBytesMax, exchange, request, response);
    return text;
  };
  const isOnly = takesEvents(request) === 'only';
  let admission: Admission;
  try {
    const given = await readRequest({ method, url, headers, body });
    admission = await admissionOf(given, door, exchange.client);
  } catch {
    // It is no request for GraphQL: over HTTP that has an answer, also for those who asked for events only.
    const asked = { headers: isOnly ? { ...headers, accept: ERRORS } : headers, body };
    return answerGraphql(door, purse, exchange, request, response, ending, asked);
  }
  if (!isOnly && !(admission.kind === 'admitted' && isSubscription(admission.operation))) {
    return answerGraphql(door, purse, exchange, request, response, ending, { headers, body });
  }
  // It may have left meanwhile, and nobody is told so twice.
  if (response.closed) throw new Refusal('CLIENT_GONE');
  const departure = new AbortController();
  const outcome = begin(door, desk, asked, admission, departure.signal);
  const drained = async (): Promise<void> => {
    if (response.writableNeedDrain && !response.destroyed) await once(response, 'drain', { signal: departure.signal });
  };
  const handler = makeEventHandler({
    // Streams that several requests share are not kept: a stranger could end them.
    authenticate: () => null,
    onSubscribe: () => outcome,
    onNext: drained,
  });
  ending.onGone(() => {
    departure.abort();
    if (Symbol.asyncIterator in outcome) void outcome[Symbol.asyncIterator]().return?.();
  });
  const [stream, init] = await handler(eventsRequest());
  if (stream === null || typeof stream === 'string') throw new Error('events without a stream');
  exchange.status = init.status;
  response.writeHead(init.status, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
    'x-accel-buffering': 'no',
    'x-content-type-options': 'nosniff',
  });
  try {
    for await (const piece of stream) {
      exchange.bytesOut += Buffer.byteLength(piece);
      if (!response.write(piece)) await once(response, 'drain', { signal: departure.signal });
    }
    response.end();
  } catch {
    // The client has left.
    await stream.return(undefined);
    throw new Refusal('CLIENT_GONE');
  }
}

type Admission = { readonly workMillis: number } & (
  | { readonly kind: 'admitted'; readonly operation: GivenOperation }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
);

const isSubscription = ({ admitted }: GivenOperation): boolean => admitted.operation.operation === 'subscription';

async function admissionOf(given: unknown, door: GraphqlDoor, address: string): Promise<Admission> {
  let foundMillis = performance.now();
  const work = (): { workMillis: number } => ({ workMillis: performance.now() - foundMillis });
  try {
    const found = await findGiven(door, given, address);
    foundMillis = performance.now();
    const operation = admitFound(door, found);
    return { kind: 'admitted', operation, ...work() };
  } catch (caught) {
    return { kind: 'refused', refusal: asRefusal(caught), ...work() };
  }
}

/** What is told: the results of the operation, or why there are none. */
function begin(
  door: GraphqlDoor,
  desk: SubscriptionDesk,
  asked: Asked,
  admission: Admission,
  signal: AbortSignal,
): AsyncIterable<ExecutionResult> {
  const { purse, exchange, request, subscribed } = asked;
  const { headers, method } = request;
  const only = (result: Promise<ExecutionResult>): AsyncIterable<ExecutionResult> =>
    onlyOne(result, () => holdRefused(door, asked, admission.workMillis));
  try {
    if (admission.kind === 'refused') throw admission.refusal;
    const { operation } = admission;
    const { admitted } = operation;
    if (admitted.operation.operation === 'mutation' && method === 'GET') throw new Refusal('HTTP_METHOD');
    if (isSubscription(operation)) {
      const stream = desk.begin(operation, { purse, headers, exchange, transport: 'sse' });
      subscribed();
      return stream;
    }
    const context = contextOf(door, purse, exchange, { signal, headers });
    operation.enter(context);
    return only(runAdmitted(admitted, context, { built: door.built, limits: door.admission.limits }));
  } catch (caught) {
    const refusal = asRefusal(caught);
    if (refusal.code === 'HTTP_METHOD') throw refusal;
    exchange.refuse(refusal);
    return only(Promise.resolve({ errors: refusalErrors(refusal) }));
  }
}

/** What is refused waits as it does where JSON is the answer. Null: it may be told at once. */
function holdRefused(
  door: GraphqlDoor,
  { exchange, request, subscribed }: Asked,
  workMillis: number,
): Promise<void> | null {
  if (exchange.refusal?.isOfCaller !== true) return null;
  const held = door.tarpit.hold(request.socket, exchange.bytesIn, workMillis);
  // Nothing is done for it meanwhile, so it takes nobody's place.
  if (held !== null) subscribed();
  return held;
}

async function* onlyOne(
  result: Promise<ExecutionResult>,
  hold: () => Promise<void> | null,
): AsyncGenerator<ExecutionResult, void, undefined> {
  const told = await result;
  const held = hold();
  if (held !== null) await held;
  yield told;
}

/** All has been read and admitted: the handler only needs to know that it is to stream. */
const eventsRequest = (): EventsRequest => ({
  method: 'POST',
  url: '/',
  headers: { get: (name) => ({ accept: 'text/event-stream', 'content-type': 'application/json' })[name] ?? null },
  body: { query: '' },
  raw: null,
  context: null,
});
