import type { IncomingMessage, ServerResponse } from 'node:http';
import type {
  CallerIdentity,
  Client,
  DecidedClaims,
  MessageSender,
  ProofState,
} from './access/client.js';
import { beginExchange } from './access/network/address.js';
import type { Budgets } from './budget/budget.js';
import type { SoapService } from './compile/soap/service.js';
import type { Compiled } from './compile.js';
import { asRefusal, Refusal, type sharedState } from './core/index.js';
import { authorizeAndChargeOther, type MessageCaller } from './flow/calls/authorize.js';
import { consultAboutPath } from './flow/calls/consult-policy.js';
import type { HttpExchange, OpenEndpoint } from './flow/calls/http-exchange.js';
import type { OperationEndpoint } from './flow/calls/operation-endpoint.js';
import { makeDownloadEndpoint } from './flow/downloads/endpoint.js';
import type { GraphqlEndpoint } from './flow/graphql/endpoint.js';
import { answerGraphql } from './flow/graphql/http.js';
import { makePageEndpoint } from './flow/graphql/page.js';
import { refuseGraphql } from './flow/graphql/refuse.js';
import { makeHomeEndpoint } from './flow/home/endpoint.js';
import type { Release } from './flow/http/concurrency.js';
import type { Ending } from './flow/http/ending.js';
import { checkHead } from './flow/http/head.js';
import { type HostCheck, makeHostCheck } from './flow/http/host-check.js';
import type { PenaltyBox } from './flow/http/penalty-box.js';
import { refusalCost } from './flow/http/refusal-cost.js';
import { refuseHttp } from './flow/http/refuse.js';
import { readTarget } from './flow/http/target.js';
import { makeMcpEndpoint } from './flow/mcp/endpoint.js';
import type { PendingConfirmations } from './flow/mcp/pending-confirmations.js';
import { makeRestEndpoint } from './flow/rest/endpoint.js';
import { makePlainEndpoint, type PlainEndpoint } from './flow/routes/plain.js';
import { answerSoap, type SoapEndpoint } from './flow/soap/answer-soap.js';
import { refuseSoap } from './flow/soap/refuse.js';
import { callsNothing, serveServicePage } from './flow/soap/service-page.js';
import { makeWsdlEndpoint, serveWsdl, type WsdlEndpoint } from './flow/soap/wsdl.js';
import type { SubscriptionsEndpoint } from './flow/subscriptions/endpoint.js';
import { callbackService, takeNotification } from './flow/subscriptions/transports/callback.js';
import { takesEvents } from './flow/subscriptions/transports/event-stream.js';
import type { Exchange } from './gateway/exchange.js';
import { dropInvalidContext } from './gateway/trace-headers.js';
import { certificateOf, isEncrypted } from './listen/peer-certificate.js';
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
export function makeRequestHandler(
  compiled: Compiled,
  endpoints: Endpoints,
  hooks: RequestHooks,
): RequestHandler {
  const { calls, observers } = endpoints.graphql;
  const { nonces, onViolation } = hooks;
  const wsdl = makeWsdlEndpoint(compiled);
  const isGuarded =
    compiled.identifiesClients ||
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
    offered: [
      makeRestEndpoint(compiled, endpoints.graphql),
      makeMcpEndpoint(compiled, endpoints.graphql, hooks),
      makeDownloadEndpoint(endpoints.graphql),
      makeHomeEndpoint(compiled, endpoints.graphql, wsdl),
    ].filter((endpoint) => endpoint !== null),
    wsdl,
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
  return (request, response, ending) =>
    new RequestInProgress(gateway, request, response, ending).handle();
}

export type RequestHandler = (
  request: IncomingMessage,
  response: ServerResponse,
  ending: Ending,
) => Promise<void>;

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
  readonly nonces: sharedState.NonceStore | null;
  /** The proofs of callers that were used. */
  readonly proofs: ProofState;
  /** Calls of agents that wait for a person. */
  readonly confirmations: PendingConfirmations;
  /** Delays refusals to clients that get too many. */
  readonly penaltyBox: PenaltyBox;
  /** Throws `OVERLOADED` where there is more to do than can be done, and `AUDIT_UNAVAILABLE`. */
  readonly checkAdmission: () => void;
  readonly usage: RequestsInProgress;
  /** A service in monitor mode let through what it would have refused. */
  readonly onViolation: (exchange: Exchange) => (refusal: Refusal) => void;
}

/** The requests of a handler that are in progress. */
export interface RequestsInProgress {
  requests: number;
}

/**
 * The parts of a request handler besides the compiled tables: pools and endpoints, made once a
 * generation.
 */
interface Gateway {
  readonly compiled: Compiled;
  readonly hooks: RequestHooks;
  readonly checkHost: HostCheck;
  readonly graphql: GraphqlEndpoint;
  readonly live: SubscriptionsEndpoint;
  readonly page: OpenEndpoint | null;
  readonly plain: PlainEndpoint;
  /** Endpoints that run operations of GraphQL in another form. */
  readonly offered: readonly OperationEndpoint[];
  readonly wsdl: WsdlEndpoint;
  readonly soap: SoapEndpoint;
}

/** The endpoint of a request: decides how it is answered, and how it is refused. */
type RequestTarget = { readonly path: string; readonly query: string } & (
  | { readonly kind: 'soap' | 'text' | 'callback'; readonly service: SoapService }
  | { readonly kind: 'graphql' | 'plain'; readonly service: null }
  | { readonly kind: 'operations'; readonly service: null; readonly endpoint: OperationEndpoint }
);

/** One request until its answer is out. It owns the permit of its client. */
class RequestInProgress {
  readonly #gateway: Gateway;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #ending: Ending;
  readonly #address: string;
  readonly #exchange: Exchange;
  #target: RequestTarget | null = null;
  #permit: Release | null = null;

  constructor(
    gateway: Gateway,
    request: IncomingMessage,
    response: ServerResponse,
    ending: Ending,
  ) {
    const { headers, socket, method = '' } = request;
    const { compiled } = gateway;
    this.#gateway = gateway;
    this.#request = request;
    this.#response = response;
    this.#ending = ending;
    this.#address = socket.remoteAddress ?? '';
    this.#exchange = beginExchange(
      { headers, address: this.#address },
      method,
      compiled.trustedProxies,
    );
    this.#exchange.isTls = isEncrypted(socket);
    this.#exchange.explainsRefusals = compiled.explainsRefusals;
  }

  async handle(): Promise<void> {
    const { hooks } = this.#gateway;
    hooks.usage.requests++;
    dropInvalidContext(this.#request.headers);
    hooks.observer.begin(this.#exchange, this.#request.headers);
    try {
      this.#target = this.#readTarget();
      await this.#answer(this.#target);
    } catch (caught) {
      await this.#refuse(this.#target ?? this.#targetOfRefusedHead(), asRefusal(caught));
    }
    // A request is over when its answer is out, or will never be: a time measured before that is
    // not the caller's.
    this.#ending.onOver((isComplete) => this.#end(isComplete));
  }

  #readTarget(): RequestTarget {
    const { compiled, graphql, live, offered } = this.#gateway;
    checkHead(this.#request, compiled.limits.http);
    compiled.via.check(this.#request.headers.via);
    const { path, query } = readTarget(this.#request);
    const notified = callbackService(path, graphql.services, live.callbacks);
    const service = compiled.byPath.get(path) ?? notified;
    if (service === null) {
      if (path === compiled.graph.path) return { kind: 'graphql', service, path, query };
      const endpoint = offered.find((each) => each.isFor(path, this.#request));
      if (endpoint !== undefined) return { kind: 'operations', service, path, query, endpoint };
      return { kind: 'plain', service, path, query };
    }
    if (service === notified) return { kind: 'callback', service, path, query };
    const isText = notified === null && callsNothing(this.#request, service, query);
    return { kind: isText ? 'text' : 'soap', service, path, query };
  }

  /**
   * A head may be refused before its target is read: how it is refused depends on the service all
   * the same.
   */
  #targetOfRefusedHead(): RequestTarget {
    const [path = ''] = this.#request.url?.split('?', 1) ?? [];
    const service = this.#gateway.compiled.byPath.get(path);
    const query = '';
    return service === undefined
      ? { kind: 'plain', service: null, path, query }
      : { kind: 'soap', service, path, query };
  }

  #answer(target: RequestTarget): Promise<void> | void {
    const { checkHost, compiled, graphql, hooks, page } = this.#gateway;
    const request = this.#request;
    const response = this.#response;
    if (target.kind !== 'plain') {
      this.#exchange.route =
        target.service?.name ?? (target.kind === 'operations' ? target.endpoint.route : 'graphql');
      this.#exchange.path = target.path;
    }
    checkHost(target.path, request);
    const fields = target.kind === 'operations' ? target.endpoint.pageFields : undefined;
    const cors = fields !== undefined || target.kind === 'graphql' ? graphql.cors : null;
    cors?.prepare(request, response, fields?.answers);
    if (target.kind === 'operations') {
      target.endpoint.checkOrigin?.(request);
    }
    // Before the body is read, which takes time.
    hooks.checkAdmission();
    if (compiled.isForSoap && target.service === null) throw new Refusal('SCHEMA_UNAVAILABLE');
    // Browsers send preflights without credentials. GraphiQL is served without authentication, so
    // that a user can enter a token in it.
    if (cors?.isPreflight(request) === true) {
      return cors.answerPreflight(this.#exchange, request, response, fields?.requests);
    }
    const open = target.kind === 'operations' ? target.endpoint.open : page;
    if (target.service === null && open?.isFor(target.path, request) === true) {
      return open.answer(this.#exchange, target.path, request, response);
    }
    return this.#identify(target);
  }

  #identify(target: RequestTarget): Promise<void> {
    const { access } = this.#gateway.compiled;
    const { headers, socket } = this.#request;
    const { isTls, observer } = this.#exchange;
    const certificate = isTls ? certificateOf(socket) : null;
    const isMessageVerified = target.kind === 'soap' && target.service.verification !== null;
    const caller: CallerIdentity = {
      headers,
      address: this.#address,
      certificate,
      isTls,
      isMessageVerified,
      observer,
      proven: {
        method: this.#exchange.method,
        path: target.path,
        proofs: this.#gateway.hooks.proofs,
        answer: this.#response,
      },
    };
    const found = access.identify(caller);
    if (found instanceof Promise) {
      return found.then((client) => this.#answerClient(target, caller, client));
    }
    return this.#answerClient(target, caller, found);
  }

  #answerClient(target: RequestTarget, head: CallerIdentity, client: Client): Promise<void> {
    const { compiled, graphql, hooks, live, plain, soap } = this.#gateway;
    const request = this.#request;
    const exchange = this.#exchange;
    // Credentials that are for the gateway go no further, whatever passes them on.
    const isForEvents = target.kind === 'graphql' && takesEvents(request) !== 'no';
    const credentials = isForEvents ? credentialsOf(request, head) : null;
    compiled.access.withhold(head);
    if (soap.isGuarded) {
      exchange.identify(client);
    }
    this.#permit = graphql.concurrency.acquire(client);
    const caller = new RequestCaller(client, hooks.budgets, (sender) => {
      exchange.identify(sender);
      this.#permit = graphql.concurrency.acquire(sender);
    });
    const asked: HttpExchange = {
      caller,
      exchange,
      request,
      response: this.#response,
      ending: this.#ending,
    };
    switch (target.kind) {
      case 'soap':
        return answerSoap(soap, asked, target.service, target.query);
      case 'callback':
        return takeNotification(
          asked,
          target.service,
          live.callbacks,
          hooks.nonces,
          compiled.policy,
        );
      case 'text':
        return this.#answerText(asked, target.service, target);
      case 'graphql':
        if (credentials === null) return answerGraphql(graphql, asked);
        return live.answerEvents(asked, credentials, () => this.#release());
      case 'operations':
        return target.endpoint.answer(asked, target.path, target.query);
      case 'plain':
        return plain(asked, target.path);
    }
  }

  async #answerText(
    asked: HttpExchange,
    service: SoapService,
    { path, query }: RequestTarget,
  ): Promise<void> {
    const { compiled, wsdl } = this.#gateway;
    authorizeAndChargeOther(asked.caller, asked.caller.client.rights.permitsSome(service.name));
    await consultAboutPath(compiled.policy, asked, service.name, path);
    if (query !== '') {
      await serveWsdl(wsdl, asked, service, query);
    } else {
      serveServicePage(asked.exchange, asked.response, service, wsdl.otherPorts.has(service));
    }
  }

  async #refuse(target: RequestTarget, refusal: Refusal): Promise<void> {
    const { kind, service } = target;
    const exchange = this.#exchange;
    const response = this.#response;
    if (refusal.isOfCaller) {
      // A delayed refusal is no work: it holds no permit.
      this.#release();
      const { penaltyBox } = this.#gateway.hooks;
      const held = penaltyBox.penalise(
        this.#request.socket,
        refusalCost(this.#request, exchange, refusal),
      );
      if (held !== null) {
        await held;
      }
    }
    if (service !== null && kind !== 'text') {
      refuseSoap(exchange, response, service, refusal);
    } else if (kind === 'operations') {
      target.endpoint.refuse(exchange, response, refusal);
    } else if (kind === 'graphql') {
      refuseGraphql(exchange, response, refusal);
    } else {
      refuseHttp(exchange, response, refusal);
    }
  }

  /** The answer is out, or will never be. */
  #end(isComplete: boolean): void {
    const { finish, penaltyBox, usage } = this.#gateway.hooks;
    this.#release();
    if (!isComplete) {
      this.#left();
    } else if (this.#exchange.refusal === null) {
      penaltyBox.forgive(this.#request.socket);
    }
    finish(this.#exchange);
    usage.requests--;
  }

  /**
   * The caller did not take all of its answer. A refusal stays one, however much of it was read.
   */
  #left(): void {
    const { refusal } = this.#exchange;
    if (refusal !== null && refusal.code !== 'CLIENT_GONE') return;
    const { errored } = this.#response;
    if (errored instanceof Refusal) {
      this.#exchange.refuse(errored);
    } else if (refusal === null) {
      this.#exchange.refuse(new Refusal('CLIENT_GONE'));
    }
  }

  #release(): void {
    this.#permit?.();
    this.#permit = null;
  }
}

/** The client of one request, which may be known by its head, or not before its message. */
class RequestCaller implements MessageCaller {
  readonly budgets: Budgets;
  readonly #identified: (client: Client) => void;
  #client: Client;

  constructor(client: Client, budgets: Budgets, identified: (client: Client) => void) {
    this.#client = client;
    this.budgets = budgets;
    this.#identified = identified;
  }

  get client(): Client {
    return this.#client;
  }

  takeClaims(decided: DecidedClaims | null): void {
    if (decided !== null) {
      this.#client = { ...this.#client, decided };
    }
  }

  becomeSender(sender: MessageSender): void {
    const client = this.#client.clientOfSender?.(sender) ?? null;
    if (client === null) return;
    this.#client = client;
    this.#identified(client);
  }
}

/** The credentials of a request whose answer may go on for long: they are looked at again. */
function credentialsOf(
  { headers: { ...headers }, socket }: IncomingMessage,
  { address, proven }: CallerIdentity,
): () => CallerIdentity {
  const isTls = isEncrypted(socket);
  return () => ({
    headers,
    address,
    isTls,
    certificate: isTls ? certificateOf(socket) : null,
    ...(proven === undefined ? {} : { proven: { ...proven, answer: null } }),
  });
}
