import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Caller, Client } from './access/client.js';
import { beginExchange } from './access/network/address.js';
import type { Exchange } from './base/exchange.js';
import type { NonceStore } from './base/nonce-store.js';
import { asRefusal, Refusal } from './base/refusals/refusal.js';
import { dropInvalidContext } from './base/trace-headers.js';
import type { Budgets } from './budget/budget.js';
import type { SoapService } from './compile/soap/service.js';
import type { Compiled } from './compile.js';
import { authorizeAndChargeOther } from './flow/calls/authorize.js';
import { consultAboutPath } from './flow/calls/consult-policy.js';
import type { HttpExchange } from './flow/calls/http-exchange.js';
import type { GraphqlEndpoint } from './flow/graphql/endpoint.js';
import { answerGraphql } from './flow/graphql/http.js';
import { makePageEndpoint, type PageEndpoint } from './flow/graphql/page.js';
import { refuseGraphql } from './flow/graphql/refuse.js';
import type { Ending } from './flow/http/ending.js';
import { checkHead } from './flow/http/head.js';
import { type HostCheck, makeHostCheck } from './flow/http/host-check.js';
import type { PenaltyBox } from './flow/http/penalty-box.js';
import { refusalCost } from './flow/http/refusal-cost.js';
import { refuseHttp } from './flow/http/refuse.js';
import { readTarget } from './flow/http/target.js';
import { makePlainEndpoint, type PlainEndpoint } from './flow/routes/plain.js';
import { answerSoap, type SoapEndpoint } from './flow/soap/answer-soap.js';
import { refuseSoap } from './flow/soap/refuse.js';
import { callsNothing, serveServicePage } from './flow/soap/service-page.js';
import { makeWsdlEndpoint, serveWsdl, type WsdlEndpoint } from './flow/soap/wsdl.js';
import type { SubscriptionsEndpoint } from './flow/subscriptions/endpoint.js';
import { callbackService, takeNotification } from './flow/subscriptions/transports/callback.js';
import { takesEvents } from './flow/subscriptions/transports/event-stream.js';
import { certificateOf, isEncrypted } from './listen/peer.js';
import type { ExchangeObserver } from './observe/exchange-observer.js';
import type { Finish } from './observe/finish.js';

/**
 * The life of a request. Refusals leave to the left, with their status; every way ends in `finish`.
 *
 *                            request
 *                               |
 *           4xx, 505 <-- route by exact path
 *                               |
 *            401, Fault <-- identify the client ----------------+------------------------+
 *                               |                              |                        |
 *                             SOAP                          GraphQL                   plain
 *                               |                              |                        |
 *     405, 411, 413, 415 <-- head policy           4xx <-- parameters               http-proxy
 *                               |                              |                        |
 *         Fault, or 400 <-- gate in: hold, validate   400 <-- admit: parse, rules, cost    |
 *                               |                              |                        |
 *                 Fault <-- permit, budget    403, 429 <-- permit, budget               |
 *                               |                              |                        |
 *          Fault, or cut <-- forward; gate out    errors <-- [encode, call, decode]*    |
 *                               |                              |                        |
 *                               +------------ finish: log line, metrics ----------------+
 */
export function makeRequestHandler(compiled: Compiled, endpoints: Endpoints, hooks: RequestHooks): RequestHandler {
  const { calls, observers } = endpoints.graphql;
  const { nonces, onViolation } = hooks;
  const isGuarded =
    compiled.config.clients !== undefined ||
    compiled.closedReplies.size > 0 ||
    compiled.services.some(({ requirements }) => requirements.size > 0);
  const gateway: Gateway = {
    compiled,
    hooks,
    checkHost: makeHostCheck(compiled),
    graphql: endpoints.graphql,
    live: endpoints.live,
    page: makePageEndpoint(compiled),
    plain: makePlainEndpoint(compiled),
    wsdl: makeWsdlEndpoint(compiled),
    soap: {
      calls,
      observers,
      nonces,
      decisionPoint: compiled.policy,
      closedReplies: compiled.closedReplies,
      isGuarded,
      onViolation,
    },
  };
  return (request, response, ending) => handle(gateway, request, response, ending);
}

export type RequestHandler = (request: IncomingMessage, response: ServerResponse, ending: Ending) => Promise<void>;

/** Endpoints that do more than answer requests. */
export interface Endpoints {
  readonly graphql: GraphqlEndpoint;
  readonly live: SubscriptionsEndpoint;
}

export interface RequestHooks {
  readonly finish: Finish;
  readonly observer: ExchangeObserver;
  /** The balances of clients, whatever the generation. */
  readonly budgets: Budgets;
  /** The nonces that processes share; null where each is alone. */
  readonly nonces: NonceStore | null;
  /** Delays refusals to clients that get too many. */
  readonly penaltyBox: PenaltyBox;
  /** Whether new requests are refused because there is more to do than can be done. */
  readonly isShedding: () => boolean;
  readonly usage: Usage;
  /** A service in monitor mode let through what it would have refused. */
  readonly onViolation: (exchange: Exchange) => (refusal: Refusal) => void;
}

/** The requests of a handler that are in progress. */
export interface Usage {
  requests: number;
}

/** The parts of a request handler besides the compiled tables: pools and endpoints, made once a generation. */
interface Gateway {
  readonly compiled: Compiled;
  readonly hooks: RequestHooks;
  readonly checkHost: HostCheck;
  readonly graphql: GraphqlEndpoint;
  readonly live: SubscriptionsEndpoint;
  readonly page: PageEndpoint | null;
  readonly plain: PlainEndpoint;
  readonly wsdl: WsdlEndpoint;
  readonly soap: SoapEndpoint;
}

async function handle(
  gateway: Gateway,
  request: IncomingMessage,
  response: ServerResponse,
  ending: Ending,
): Promise<void> {
  const { compiled, hooks } = gateway;
  hooks.usage.requests++;
  const address = request.socket.remoteAddress ?? '';
  const exchange = beginExchange({ headers: request.headers, address }, request.method ?? '', compiled.trustedProxies);
  exchange.isTls = isEncrypted(request.socket);
  exchange.explainsRefusals = compiled.config.faults.explain;
  dropInvalidContext(request.headers);
  hooks.observer.begin(exchange, request.headers);
  let service: SoapService | null = null;
  let isGraphql = false;
  let asksForText = false;
  let release: (() => void) | null = null;
  try {
    checkHead(request, compiled.config.limits.http);
    const { path, query } = readTarget(request);
    service = compiled.byPath.get(path) ?? null;
    const notified = callbackService(path, gateway.graphql.services, gateway.live.callbacks);
    service ??= notified;
    asksForText = service !== null && notified === null && callsNothing(request, service, query);
    if (service !== null) {
      exchange.route = service.name;
      exchange.path = path;
    } else if (path === compiled.graph.path) {
      isGraphql = true;
      exchange.path = path;
      exchange.route = 'graphql';
    }
    gateway.checkHost(path, request);
    const cors = isGraphql ? gateway.graphql.cors : null;
    cors?.prepare(request, response);
    // Before the body is read, which takes time.
    if (hooks.isShedding()) throw new Refusal('OVERLOADED');
    // Browsers send preflights without credentials. GraphiQL is served without authentication, so that a user can enter
    // a token in it.
    if (cors?.isPreflight(request) === true) cors.answerPreflight(exchange, request, response);
    else if (service === null && gateway.page?.isFor(path, request) === true) {
      await gateway.page.answer(exchange, path, request, response);
    } else {
      const certificate = exchange.isTls ? certificateOf(request.socket) : null;
      const { observer } = exchange;
      const head = { headers: request.headers, address, certificate, observer };
      const found = compiled.access.identify(head);
      const client = found instanceof Promise ? await found : found;
      // Credentials that are for the gateway go no further, whatever passes them on.
      const credentials = isGraphql && takesEvents(request) !== 'no' ? credentialsOf(request, address) : null;
      compiled.access.withhold(head);
      if (gateway.soap.isGuarded) note(exchange, client);
      release = gateway.graphql.concurrency.acquire(client);
      const caller = { client, budgets: hooks.budgets };
      const asked: HttpExchange = { caller, exchange, request, response, ending };
      if (notified !== null && service === notified) {
        await takeNotification(asked, notified, gateway.live.callbacks, hooks.nonces, compiled.policy);
      } else if (service !== null && asksForText) {
        authorizeAndChargeOther(caller, client.rights.permitsSome(service.name));
        await consultAboutPath(compiled.policy, asked, service.name, path);
        if (query === '') serveServicePage(exchange, response, service, gateway.wsdl.documents.has(service));
        else await serveWsdl(gateway.wsdl, asked, service, query);
      } else if (service !== null) await answerSoap(gateway.soap, asked, service, query);
      else if (isGraphql) {
        if (credentials === null) await answerGraphql(gateway.graphql, asked);
        else await gateway.live.answerEvents(asked, credentials, () => release?.());
      } else await gateway.plain(asked, path);
    }
  } catch (caught) {
    const refusal = asRefusal(caught);
    // A head may be refused before its target is read: how it is refused depends on the service all the same.
    service ??= compiled.byPath.get(request.url?.split('?', 1)[0] ?? '') ?? null;
    if (refusal.isOfCaller) {
      // A delayed refusal is no work: it holds no permit.
      release?.();
      release = null;
      const held = hooks.penaltyBox.penalise(request.socket, refusalCost(request, exchange, refusal));
      if (held !== null) await held;
    }
    if (service !== null && !asksForText) refuseSoap(exchange, response, service, refusal);
    else if (isGraphql) refuseGraphql(exchange, response, refusal);
    else refuseHttp(exchange, response, refusal);
  }
  // A request is over when its answer is out, or will never be: a time measured before that is not the caller's.
  ending.onOver((isComplete) => {
    release?.();
    // A refusal stays one, however much of it its caller read.
    if (!isComplete && exchange.refusal === null) exchange.outcome = 'aborted';
    if (isComplete && exchange.refusal === null) hooks.penaltyBox.forgive(request.socket);
    hooks.finish(exchange);
    hooks.usage.requests--;
  });
}

/** The credentials of a request whose answer may go on for long: they are looked at again. */
function credentialsOf({ headers: { ...headers }, socket }: IncomingMessage, address: string): () => Caller {
  const isTls = isEncrypted(socket);
  return () => ({ headers, address, isTls, certificate: isTls ? certificateOf(socket) : null });
}

function note(exchange: Exchange, client: Client): void {
  exchange.clientClass = client.className;
  exchange.caller = client.label;
  exchange.callerName = client.name ?? '';
}
