import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ExecutionResult } from 'graphql';
import type { LiveClient } from '../../../access/live-client.js';
import { asRefusal, type Cancellation, Refusal } from '../../../core/index.js';

import { lifecycle } from '../../../graphql/index.js';
import type { HttpExchange } from '../../calls/http-exchange.js';
import type { GraphqlEndpoint } from '../../graphql/endpoint.js';
import type { CallerHost } from '../../graphql/host.js';
import { answerGraphql } from '../../graphql/http.js';
import { recordOf } from '../../http/connection-record.js';
import { waitForTimeSlice } from '../../http/fair-scheduler.js';
import { REQUEST_ID } from '../../http/linger.js';
import { refusalCost } from '../../http/refusal-cost.js';
import { writePart } from '../../http/write-part.js';
import type { SubscriptionManager } from '../sources/subscription-manager.js';
import { COMPLETE_EVENT, idLine, nextEvent, PING } from '../wire/graphql-sse.js';

/** Whether a client takes server-sent events, and whether it takes nothing else. */
export function takesEvents({ headers }: IncomingMessage): 'only' | 'too' | 'no' {
  const { accept = '' } = headers;
  if (!MAY_TAKE_EVENTS.test(accept)) return 'no';
  const types = accept.split(',').map((type) => type.split(';')[0]?.trim().toLowerCase());
  if (!types.includes('text/event-stream')) return 'no';
  return types.length === 1 ? 'only' : 'too';
}

const MAY_TAKE_EVENTS = /text\/event-stream/i;

/**
 * GraphQL over server-sent events, one request for each operation ("distinct connections" of
 * graphql-sse). A client that takes JSON too gets it for all but subscriptions.
 */
export function answerEvents(
  endpoint: GraphqlEndpoint,
  manager: SubscriptionManager,
  asked: HttpExchange,
  hooks: EventStreamHooks,
): Promise<void> {
  return answerGraphql(endpoint, asked, (host, departure) => {
    return new EventStream({ endpoint, manager, asked, ...hooks, host, departure });
  });
}

export interface EventStreamHooks {
  /** Watches the credentials of the client from now on. */
  readonly watch: () => LiveClient;
  /** Called when the request holds no permit any more. */
  readonly subscribed: () => void;
}

interface EventStreamParts extends EventStreamHooks {
  readonly endpoint: GraphqlEndpoint;
  readonly manager: SubscriptionManager;
  readonly asked: HttpExchange;
  readonly host: CallerHost;
  readonly departure: Cancellation;
}

/** Comments go out so often, so that proxies do not take a quiet stream for a dead one. */
const PING_MILLIS = 12_000;

/** Carries the results of one operation as events. */
class EventStream implements lifecycle.StreamCarrier {
  readonly isOnly: boolean;
  readonly #parts: EventStreamParts;
  /** The id after which the client can resume; null without one. */
  #position: () => string | null = () => null;
  /** The last id that was sent. */
  #sentId: string | null = null;

  constructor(parts: EventStreamParts) {
    this.#parts = parts;
    this.isOnly = takesEvents(parts.asked.request) === 'only';
  }

  carry(operation: lifecycle.AdmittedOperation | Refusal): Promise<void> | null {
    const isSubscription = !(operation instanceof Refusal) && operation.type === 'subscription';
    return this.isOnly || isSubscription ? this.#carry(operation) : null;
  }

  async #carry(operation: lifecycle.AdmittedOperation | Refusal): Promise<void> {
    const { asked, departure } = this.#parts;
    // The client may have left while its operation was admitted.
    asked.ending.throwIfGone();
    const results = this.#results(operation);
    asked.ending.onGone(() => {
      departure.abort();
      void results.return(undefined);
    });
    asked.exchange.status = 200;
    asked.response.writeHead(200, { ...HEADERS, [REQUEST_ID]: asked.exchange.id });
    await this.#send(results);
    if (departure.aborted) throw new Refusal('CLIENT_GONE');
    asked.response.end();
  }

  /** Throws `HTTP_METHOD`, which is answered before the stream begins. */
  #results(
    operation: lifecycle.AdmittedOperation | Refusal,
  ): AsyncGenerator<ExecutionResult, void, undefined> {
    const { manager, asked, subscribed, host } = this.#parts;
    const { caller, exchange, request } = asked;
    try {
      if (operation instanceof Refusal) throw operation;
      if (operation.type === 'mutation' && request.method === 'GET') {
        throw new Refusal('HTTP_METHOD');
      }
      if (operation.type !== 'subscription') {
        return this.#single(operation.authorizeAndCharge(host));
      }
      const { headers } = request;
      // Callers without credentials have one id: their addresses tell them apart.
      const client = `${caller.client.id} ${exchange.client}`;
      const pace = { client, turn: () => waitForTimeSlice(recordOf(request.socket)) };
      const resumption = { after: lastEventId(headers), pace, begun: () => this.#ping() };
      const live = this.#parts.watch();
      asked.response.once('close', () => live.close());
      live.addEndListener((_end, refusal) => exchange.refuse(refusal));
      const subscriber = {
        caller: host.caller,
        live,
        headers,
        exchange,
        transport: 'sse',
        resumption,
        disconnect: null,
      } as const;
      const stream = manager.begin(operation, subscriber);
      this.#position = () => stream.position;
      subscribed();
      return stream;
    } catch (caught) {
      const refusal = asRefusal(caught);
      if (refusal.code === 'HTTP_METHOD') throw refusal;
      return this.#refused(refusal);
    }
  }

  async *#single(
    operation: lifecycle.ChargedOperation,
  ): AsyncGenerator<ExecutionResult, void, undefined> {
    const result = await operation.run();
    await this.#delayed();
    yield result;
  }

  async *#refused(refusal: Refusal): AsyncGenerator<ExecutionResult, void, undefined> {
    const { result } = lifecycle.refuseOperation(refusal, this.#parts.host);
    await this.#delayed();
    yield result;
  }

  /** Delays a refusal like that of a POST, without a permit. */
  async #delayed(): Promise<void> {
    const { endpoint, asked, subscribed, host } = this.#parts;
    const { exchange, request } = asked;
    const { refusal } = exchange;
    if (refusal?.isOfCaller !== true) return;
    const held = endpoint.penaltyBox.penalise(
      request.socket,
      refusalCost(request, exchange, refusal, host.workMillis),
    );
    if (held === null) return;
    subscribed();
    await held;
  }

  /** Sends the results as fast as the client takes them. */
  async #send(results: AsyncGenerator<ExecutionResult, void, undefined>): Promise<void> {
    const { response } = this.#parts.asked;
    // Some browsers emit nothing before the first byte of a stream.
    this.#write(PING);
    const pings = setInterval(() => this.#ping(), PING_MILLIS);
    try {
      for await (const result of results) {
        if (!this.#write(this.#idLine() + nextEvent(result))) {
          await drained(response);
        }
      }
      this.#write(COMPLETE_EVENT);
    } finally {
      clearInterval(pings);
    }
  }

  /** Takes the position along: the client may not be interested in the newest events. */
  #ping(): void {
    const { response } = this.#parts.asked;
    if (!response.writableNeedDrain) {
      this.#write(this.#idLine() + PING);
    }
  }

  /** Empty where the client knows the position. */
  #idLine(): string {
    const id = this.#position();
    if (id === null || id === this.#sentId) return '';
    this.#sentId = id;
    return idLine(id);
  }

  #write(event: string): boolean {
    return writePart(this.#parts.asked, event);
  }
}

/** As the client sent it; null without one. The header field is empty before the first id. */
const lastEventId = ({ 'last-event-id': id = '' }: IncomingMessage['headers']): string | null =>
  id === '' ? null : String(id);

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
  'x-content-type-options': 'nosniff',
} as const;

/** Resolves when more may be written, or never will be. */
const drained = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    if (response.destroyed) return resolve();
    const done = (): void => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
