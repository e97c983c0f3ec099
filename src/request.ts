import type { IncomingMessage, ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';

import type { Client } from './access/client.js';
import { Exchange, nextExchangeId } from './base/exchange.js';
import type { NonceStore } from './base/nonce-store.js';
import { asRefusal, Refusal } from './base/refusal.js';
import type { Budgets } from './budget/budget.js';
import type { SoapService } from './compile/service.js';
import type { Compiled } from './compile.js';
import { authorizeAndChargeOther, type Caller, CallGuard } from './flow/calls/authorize.js';
import { takeReaders } from './flow/calls/readers.js';
import type { GraphqlEndpoint } from './flow/graphql/endpoint.js';
import { answerGraphql } from './flow/graphql/http.js';
import { makePageEndpoint, type PageEndpoint } from './flow/graphql/page.js';
import { refuseGraphql } from './flow/graphql/refuse.js';
import { invite } from './flow/http/continue.js';
import type { Ending } from './flow/http/ending.js';
import { checkHead } from './flow/http/head.js';
import { type HostCheck, makeHostCheck } from './flow/http/host-check.js';
import type { PenaltyBox } from './flow/http/penalty-box.js';
import { type Received, receive } from './flow/http/receive.js';
import { refusalCost } from './flow/http/refusal-cost.js';
import { refuseHttp } from './flow/http/refuse.js';
import { readTarget } from './flow/http/target.js';
import { makePlainEndpoint, type PlainEndpoint } from './flow/routes/plain.js';
import { SoapAnswer } from './flow/soap/answer.js';
import { claimNonces } from './flow/soap/claim-nonces.js';
import { forward } from './flow/soap/forward.js';
import { refuseSoap } from './flow/soap/refuse.js';
import { readSoapRequestHead, upstreamHeaders } from './flow/soap/request-head.js';
import { RequestPolicy } from './flow/soap/request-policy.js';
import { callsNothing, serveServicePage } from './flow/soap/service-page.js';
import { contentFieldsOf } from './flow/soap/upstream-head.js';
import { makeWsdlEndpoint, serveWsdl, type WsdlEndpoint } from './flow/soap/wsdl.js';
import { callbackService, takeNotification } from './flow/subscriptions/callback.js';
import type { SubscriptionsEndpoint } from './flow/subscriptions/endpoint.js';
import { takesEvents } from './flow/subscriptions/event-stream.js';
import type { Finish } from './observe/finish.js';
import { EnvelopeValidator } from './soap/envelope.js';
import { Gate } from './soap/gate.js';
import type { UpstreamRequest } from './upstream/reply.js';

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
  const gateway: Gateway = {
    compiled,
    hooks,
    checkHost: makeHostCheck(compiled),
    graphql: endpoints.graphql,
    live: endpoints.live,
    page: makePageEndpoint(compiled),
    plain: makePlainEndpoint(compiled),
    wsdl: makeWsdlEndpoint(compiled),
    isGuarded: compiled.config.clients !== undefined,
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
  /** The balances of clients, whatever the generation. */
  readonly budgets: Budgets;
  /** The nonces that processes share; null where each is alone. */
  readonly nonces: NonceStore | null;
  /** Delays refusals to clients that get too many. */
  readonly penaltyBox: PenaltyBox;
  /** Whether new requests are refused because there is more to do than can be done. */
  readonly isShedding: () => boolean;
  /** A service in monitor mode let through what it would have refused. */
  readonly onViolation: (exchange: Exchange) => (refusal: Refusal) => void;
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
  /** Clients are configured, so there are rights and budgets to check. */
  readonly isGuarded: boolean;
}

async function handle(
  gateway: Gateway,
  request: IncomingMessage,
  response: ServerResponse,
  ending: Ending,
): Promise<void> {
  const { compiled } = gateway;
  const exchange = new Exchange(nextExchangeId(), request.socket.remoteAddress ?? '', request.method ?? '');
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
    if (service !== null) exchange.route = service.name;
    else if (path === compiled.graph.path) {
      isGraphql = true;
      exchange.route = 'graphql';
    }
    gateway.checkHost(path, request);
    // Before the body is read, which takes time.
    if (gateway.hooks.isShedding()) throw new Refusal('OVERLOADED');
    // GraphiQL is served without authentication, so that a user can enter a token in it.
    if (service === null && gateway.page?.isFor(path, request) === true) {
      await gateway.page.answer(exchange, path, request, response);
    } else {
      const head = { headers: request.headers, address: exchange.client };
      const found = compiled.access.identify(head);
      const client = found instanceof Promise ? await found : found;
      // A mapping of GraphQL names the fields that go on.
      if (!isGraphql) compiled.access.withhold(head);
      if (gateway.isGuarded) note(exchange, client);
      release = gateway.graphql.concurrency.acquire(client);
      const caller = { client, budgets: gateway.hooks.budgets };
      if (notified !== null && service === notified) {
        const { nonces } = gateway.hooks;
        const notification = { exchange, caller, nonces, request, response, ending };
        await takeNotification(notification, notified, gateway.live.callbacks);
      } else if (service !== null && asksForText) {
        authorizeAndChargeOther(caller, client.rights.permitsSome(service.name));
        if (query === '') serveServicePage(exchange, response, service, gateway.wsdl.documents.has(service));
        else serveWsdl(gateway.wsdl, exchange, request, response, service, query);
      } else if (service !== null) await soap(gateway, service, query, caller, exchange, request, response, ending);
      else if (isGraphql) {
        const asked = { caller, exchange, request, response, ending };
        if (takesEvents(request) === 'no') await answerGraphql(gateway.graphql, asked);
        else await gateway.live.answerEvents(asked, () => release?.());
      } else await gateway.plain(caller, exchange, path, request, response);
    }
  } catch (caught) {
    const refusal = asRefusal(caught);
    if (refusal.isOfCaller) {
      // A delayed refusal is no work: it holds no permit.
      release?.();
      release = null;
      const held = gateway.hooks.penaltyBox.penalise(request.socket, refusalCost(request, exchange, refusal));
      if (held !== null) await held;
    }
    if (service !== null && !asksForText) refuseSoap(exchange, request, response, service, refusal);
    else if (isGraphql) refuseGraphql(exchange, request, response, refusal);
    else refuseHttp(exchange, request, response, refusal);
  }
  // A request is over when its answer is out, or will never be: a time measured before that is not the caller's.
  ending.onOver((isComplete) => {
    release?.();
    // A refusal stays one, however much of it its caller read.
    if (!isComplete && exchange.refusal === null) exchange.outcome = 'aborted';
    if (isComplete && exchange.refusal === null) gateway.hooks.penaltyBox.forgive(request.socket);
    gateway.hooks.finish(exchange);
  });
}

function note(exchange: Exchange, client: Client): void {
  exchange.clientClass = client.className;
  exchange.caller = client.label;
}

async function soap(
  gateway: Gateway,
  service: SoapService,
  query: string,
  caller: Caller,
  exchange: Exchange,
  request: IncomingMessage,
  response: ServerResponse,
  ending: Ending,
): Promise<void> {
  // The backend may read an invalid message as another operation: only clients with all rights may send one.
  const isEnforced = service.mode === 'enforce' || !caller.client.rights.permits(service.name, null);
  const { calls } = gateway.graphql;
  const gate = isEnforced ? service.gate : { ...service.gate, onViolation: gateway.hooks.onViolation(exchange) };
  const answer = new SoapAnswer(response, exchange, ending);

  const guard = gateway.isGuarded ? new CallGuard(caller, service) : null;

  const head = readSoapRequestHead(request, service, gate.onViolation);
  if (head.method === 'GET') {
    guard?.authorizeAndCharge(null);
    const headers = upstreamHeaders(request, null, null);
    const context = { exchange, service, gate, answer, calls, observation: null };
    return forward(context, { method: head.method, query, headers, body: null }, null);
  }

  invite(request, response);
  const policy = new RequestPolicy(
    service,
    exchange,
    head,
    request.headers.host ?? '',
    // Monitor mode is about messages: violations do not stop them, so the guard is asked when all is read.
    gate.onViolation === null ? guard : null,
    gateway.graphql.observers,
    calls,
  );
  const envelope = new EnvelopeValidator(service.requestRules, head.mediaType.name, 'no detail', policy);
  const { xml, reader, package: parts } = takeReaders(service, envelope, head.mediaType.charset, head.package);
  const intake = {
    inflate: head.isCompressed ? service.inflateLimits : null,
    bufferBytes: head.bodyBytes === null ? service.bufferBytes : null,
  };
  let received: Received;
  try {
    received = await receive(request, intake, exchange, (output) => {
      const entrance = new Gate(reader, envelope, gate, output);
      if (head.isUnread) entrance.passUnread();
      return entrance;
    });
  } finally {
    exchange.dialect = envelope.dialect?.name ?? '';
    exchange.bytesIn = (parts ?? xml).bytes;
  }
  exchange.heldMillis = performance.now() - exchange.startedMillis;
  if (envelope.dialect?.needsContentLength === true && !head.hasLength) {
    const refusal = new Refusal('HTTP_LENGTH_REQUIRED');
    if (gate.onViolation === null) throw refusal;
    gate.onViolation(refusal);
  }
  // In monitor mode a message may get here without validation.
  const { known } = policy;
  exchange.operation = known?.label ?? '_other';
  try {
    guard?.authorizeAndCharge(known);
    if (policy.nonces.length > 0) {
      await claimNonces(gateway.hooks.nonces, service, policy.nonces, gate.onViolation);
    }
  } catch (caught) {
    if (received.kind === 'flowing') received.body.destroy();
    throw caught;
  }

  const fields = contentFieldsOf(
    request,
    isEnforced,
    policy,
    envelope.dialect,
    head.package === null ? head.mediaType : null,
    xml.encoding,
  );
  let body: UpstreamRequest['body'];
  let bodyBytes = head.bodyBytes;
  if (received.kind === 'whole') {
    service.readers.give(xml);
    body = received.message;
    bodyBytes = received.message.length;
  } else {
    body = received.body;
    if (bodyBytes !== null) bodyBytes += received.growthBytes;
  }
  const headers = upstreamHeaders(request, fields, bodyBytes);
  const coding = head.isUnread ? request.headers['content-encoding'] : undefined;
  if (coding !== undefined) headers.push('content-encoding', coding);
  const context = { exchange, service, gate, answer, calls, observation: policy.observation };
  const isComparable = received.kind === 'whole' && head.package === null && query === '' && gate.onViolation === null;
  const key = isComparable ? policy.key(envelope, { client: caller.client, headers: request.headers }) : null;
  const messageId = envelope.addressing?.messageId ?? null;
  const isIdempotent = known?.candidates.every(service.isIdempotent) === true;
  const sent = { method: 'POST', query, headers, body, isIdempotent } as const;
  await forward(context, sent, known?.operation ?? null, messageId, key);
  if (received.kind === 'flowing') exchange.bytesIn = (parts ?? xml).bytes;
}
