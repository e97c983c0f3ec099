import type { Buffer } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { SecondBackend } from './compile/backend/second-backend.js';
import type { Compiled } from './compile.js';
import { type eventBus, Refusal, type sharedState } from './core/index.js';
import { Observers } from './flow/calls/observation.js';
import { type DriftListener, DriftWatch } from './flow/drift/drift.js';
import type { ReloadLimiter } from './flow/drift/reload-limiter.js';
import type { WsdlOffer } from './flow/drift/safe-changes.js';
import {
  type GraphqlEndpoint,
  makeGraphqlEndpoint,
  type SharedParts,
} from './flow/graphql/endpoint.js';
import type { Ending } from './flow/http/ending.js';
import { SubscriptionsEndpoint, type SubscriptionsHooks } from './flow/subscriptions/endpoint.js';
import type { Exchange } from './gateway/exchange.js';
import { type AddressEvent, AddressStates, loggedStates } from './observe/address-states.js';
import type { Log } from './observe/log/log.js';
import type { Metrics } from './observe/metrics/metrics.js';
import type { AddressGauges, UpstreamGauges } from './observe/metrics/upstream-gauges.js';
import type { ShadowReports } from './observe/shadow-reports.js';
import {
  makeRequestHandler,
  type RequestHandler,
  type RequestHooks,
  type RequestsInProgress,
} from './request.js';
import type { healthChecks, NamedAddress } from './upstream/index.js';

/** What is learnt of backends, and who gets it. */
export interface BackendReports {
  /**
   * Gets the results of health checks. All checks of backends begin with `checkBackends` then;
   * absent: at once.
   */
  readonly reportHealth?: (result: healthChecks.HealthResult) => void;
  /** Gets each address that goes down or up; absent: the log does. */
  readonly reportAddress?: (event: AddressEvent) => void;
  /** Gets the changed WSDLs of backends that are to be taken. */
  readonly offer?: (offer: WsdlOffer) => void;
}

/**
 * Whether this process looks after backends, their health and their WSDLs, and which processes are
 * told the results.
 */
export class BackendRole {
  isChecking: boolean;
  readonly report: (result: healthChecks.HealthResult) => void;
  readonly addresses: AddressStates;
  readonly offer: (offer: WsdlOffer) => void;

  constructor({ reportHealth, reportAddress, offer = () => {} }: BackendReports, log: Log) {
    this.isChecking = reportHealth === undefined;
    this.report = reportHealth ?? (() => {});
    this.addresses =
      reportAddress === undefined ? loggedStates(log) : new AddressStates(reportAddress);
    this.offer = offer;
  }
}

/** The state of the process, which survives a reload. */
export interface ProcessState
  extends Omit<RequestHooks, 'usage' | 'onViolation'>,
    Omit<SharedParts, 'observers'>,
    Pick<SubscriptionsHooks, 'liveClients' | 'pollSharing'> {
  readonly log: Log;
  readonly metrics: Metrics;
  /** The times of calls to services that have a rate. */
  readonly slots: sharedState.SlotSupply;
  /** The generation in which requests begin. */
  readonly present: () => Generation;
  readonly backends: BackendRole;
  readonly reloadLimiter: ReloadLimiter;
  /** Takes how calls of second backends compare. */
  readonly shadows: ShadowReports;
  /** Takes a sign that answers of an address are mixed up, which this process has found. */
  readonly suspect: (suspicion: sharedState.Suspicion) => void;
  /**
   * The bus between requests that cause events and subscriptions; both may be of different
   * generations.
   */
  busFor(compiled: Compiled): eventBus.EventBus;
}

const gaugesOf = ({ name, reuse, records }: NamedAddress): AddressGauges => ({
  address: name,
  isUp: records.some(({ state }) => state !== 'open'),
  isReuseSuspended: reuse.isSuspended(),
  records: records.length,
});

/** A service of either kind, or the second backend of one. */
type AnyUpstream = (Compiled['services'] | Compiled['graphqlUpstreams'])[number] | SecondBackend;

/**
 * Counts what a backend does, and logs what is learnt of its addresses, their connections and its
 * name.
 */
function reportUpstream(
  { name: service, upstream }: AnyUpstream,
  { log, metrics, backends, slots, suspicions, suspect }: ProcessState,
): void {
  upstream.addresses.countIn((address) => metrics.upstreamTotals.of(service, address));
  upstream.addresses.report((address, { isUp, reason }, code) => {
    const { name, ip } = address;
    backends.addresses.take(address, { service, address: name, ip, isUp, reason, code });
  });
  for (const { name: address, reuse } of upstream.addresses.named) {
    const known = suspicions.of(reuse.address);
    if (known !== null) {
      reuse.learn(known);
    }
    reuse.listenSigns(suspect);
    reuse.listen((isSuspended) => {
      if (isSuspended) {
        log.event('warn', 'connections are not reused', { service, address });
      } else {
        log.event('info', 'connections are reused', { service, address });
      }
    });
  }
  upstream.useSlots(slots);
  upstream.watchNames({
    resolved: (host, records) =>
      log.event('info', 'records of a backend changed', { service, host, records }),
    failed: (host, code) =>
      log.event('warn', 'name of a backend cannot be resolved', { service, host, code }),
  });
}

const driftListener = ({ log, metrics, backends }: ProcessState): DriftListener => ({
  looked: (service, outcome) => metrics.looked(service, outcome),
  changed: (service, message, reading) => log.event('warn', message, { service, ...reading }),
  offered: (offer) => backends.offer(offer),
  limited: (service, limit) =>
    log.event('warn', 'safe changes of a WSDL are not taken', {
      service,
      limit,
      key: 'drift.reloadsPerHour',
    }),
});

/**
 * One compiled configuration with its endpoints. Requests and subscriptions end in the generation
 * they began in.
 */
export class Generation {
  readonly compiled: Compiled;
  readonly graphql: GraphqlEndpoint;
  readonly live: SubscriptionsEndpoint;
  readonly drift: DriftWatch;
  readonly #backends: BackendRole;
  readonly #usage: RequestsInProgress = { requests: 0 };
  readonly #handler: RequestHandler;

  /** Resolves to the generation after this one; to itself where its schema cannot be compiled. */
  readonly #next: Promise<Generation>;
  #succeed: (next: Generation) => void = () => {};
  #staysForSoap = false;

  constructor(compiled: Compiled, state: ProcessState) {
    this.#next = new Promise((resolve) => {
      this.#succeed = resolve;
    });
    const { log, metrics } = state;
    const { subscriptions: limits, codec } = compiled.config.limits;
    const { topics } = compiled.graph.subscriptions;
    const bus = state.busFor(compiled);
    const observers = new Observers(topics, 'on', bus, { codec, eventBytes: limits.eventBytes });
    this.compiled = compiled;
    compiled.lateWarnings.listen((warning) => log.configurationWarnings([warning]));
    this.drift = new DriftWatch(compiled.services, driftListener(state), state.reloadLimiter);
    this.#backends = state.backends;
    if (state.backends.isChecking) {
      this.checkBackends();
    }
    for (const each of this.upstreams) {
      reportUpstream(each, state);
    }
    for (const { name, shadow } of compiled.services) {
      shadow?.traffic.listen((report) => state.shadows.add(name, report));
    }
    this.graphql = makeGraphqlEndpoint(compiled, {
      ...state,
      observers: topics.length === 0 ? null : observers,
    });
    this.live = new SubscriptionsEndpoint(compiled, this.graphql, bus, {
      ...state,
      present: () => state.present().live,
      began: (field, { transport, exchange }) => {
        log.event('info', 'subscription began', {
          ...subscriberFields(exchange),
          field,
          transport,
        });
      },
      ended: (field, { transport, exchange }, why, events) => {
        log.event('info', 'subscription ended', {
          ...subscriberFields(exchange),
          field,
          transport,
          why,
          events,
        });
      },
      report: (field, outcome) => metrics.subscriptionEvent(field, outcome),
    });
    const endpoints = { graphql: this.graphql, live: this.live };
    this.#handler = makeRequestHandler(compiled, endpoints, {
      ...state,
      usage: this.#usage,
      onViolation: (exchange: Exchange) => (refusal: Refusal) => {
        metrics.violation(exchange.route, refusal.code);
        log.violation(exchange, refusal);
      },
    });
  }

  /** Requests that are not for SOAP wait for the next generation where this one has no schema. */
  handle(request: IncomingMessage, response: ServerResponse, ending: Ending): Promise<void> {
    if (this.compiled.isForSoap && !this.#isForSoap(request)) {
      return this.#next.then((next) => next.#take(request, response, ending));
    }
    return this.#handler(request, response, ending);
  }

  #take(request: IncomingMessage, response: ServerResponse, ending: Ending): Promise<void> {
    return this.#staysForSoap
      ? this.#handler(request, response, ending)
      : this.handle(request, response, ending);
  }

  #isForSoap({ url = '' }: IncomingMessage): boolean {
    const [path = ''] = url.split('?', 1);
    return this.compiled.byPath.has(path);
  }

  /**
   * Opens a WebSocket; or returns the refusal. Without a schema the next generation opens it, which
   * closes the connection where it would refuse.
   */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Refusal | null {
    if (this.#staysForSoap) return new Refusal('SCHEMA_UNAVAILABLE');
    if (!this.compiled.isForSoap) return this.live.take(request, socket, head);
    void this.#next.then((next) => {
      if (next.upgrade(request, socket, head) !== null) {
        socket.destroy();
      }
    });
    return null;
  }

  /** Its schema cannot be compiled: what waits for that is refused. */
  stayForSoap(): void {
    this.#staysForSoap = true;
    this.#succeed(this);
  }

  /** What it cannot answer, as the address for operators says it; null where it answers all. */
  get missing(): string | null {
    return this.#staysForSoap ? 'no GraphQL schema' : null;
  }

  /** The generation that takes requests from now on. */
  succeed(next: Generation): void {
    this.#succeed(next);
  }

  /** Begins to check the health of backends, and to compare their WSDLs. */
  checkBackends(): void {
    this.drift.start();
    for (const { name: service, health } of this.upstreams) {
      health?.start((address, isUp) => this.#backends.report({ service, address, isUp }));
    }
  }

  /** When the WSDLs were taken that backends have shown, by service. */
  get takenWsdls(): readonly { readonly service: string; readonly takenMillis: number }[] {
    return this.compiled.services.flatMap(({ name: service, source }) =>
      source === null || source.taken === null
        ? []
        : [{ service, takenMillis: source.taken.takenMillis }],
    );
  }

  /** Takes over the result of a check that another process has made. */
  takeHealth({ service, address, isUp }: healthChecks.HealthResult): void {
    this.upstreams.find(({ name }) => name === service)?.health?.take(address, isUp);
  }

  /**
   * Uses no connection to an address twice for as long as another process does, or another service.
   */
  learn(suspicion: sharedState.Suspicion): void {
    for (const { upstream } of this.upstreams) {
      for (const { reuse } of upstream.addresses.named) {
        if (reuse.address === suspicion.address) {
          reuse.learn(suspicion);
        }
      }
    }
  }

  /** Services of both kinds, and their second backends. */
  get upstreams(): readonly AnyUpstream[] {
    const shadows = this.compiled.services.flatMap(({ second }) => second.shadow ?? []);
    return [...this.#awaited, ...shadows];
  }

  /** Those whose calls callers wait for. */
  get #awaited(): readonly AnyUpstream[] {
    const { services, graphqlUpstreams } = this.compiled;
    const canaries = services.flatMap(({ second }) => second.canary ?? []);
    return [...services, ...graphqlUpstreams, ...canaries];
  }

  /** Upstreams in `seen` count for another generation; those of this one are added. */
  gauges(seen: Set<object> = new Set()): readonly UpstreamGauges[] {
    const { feeds } = this.live;
    return this.upstreams.map(({ name, upstream, reach }) => {
      const isOwn = !seen.has(upstream);
      seen.add(upstream);
      return {
        service: name,
        active: () => (isOwn ? upstream.active : 0),
        waiting: () => (isOwn ? upstream.waiting : 0),
        paced: () => (isOwn ? upstream.paced : 0),
        breakers: (state) => upstream.count(state) + (feeds.breakerState(name) === state ? 1 : 0),
        addresses: () => upstream.addresses.named.map(gaugesOf),
        certificateEndMillis: () => reach.tls?.expiresMillis ?? null,
        subscriptions: () => feeds.active(name),
      };
    });
  }

  hasLongQueue(nowMillis: number): boolean {
    return this.#awaited.some(({ upstream }) => upstream.hasLongQueue(nowMillis));
  }

  /**
   * Whether a request, a WebSocket, a subscription or a call of a backend that began here goes on.
   */
  get isInUse(): boolean {
    const { manager, sockets } = this.live;
    return (
      this.#usage.requests > 0 ||
      sockets.count > 0 ||
      [...manager.active.values()].some((count) => count > 0) ||
      this.upstreams.some(
        ({ upstream }) => !upstream.isShared && upstream.active + upstream.waiting > 0,
      )
    );
  }

  /** Ends its subscriptions and WebSockets; their clients can connect again. */
  async endSubscriptions(): Promise<void> {
    await this.live.close();
  }

  /**
   * Begins nothing new by itself: its backends are no longer checked, nor compared with their
   * WSDLs.
   */
  async retire(): Promise<void> {
    await Promise.all([this.drift.close(), ...this.upstreams.map(({ health }) => health?.close())]);
  }

  /** Closes the connections to backends. Calls that go on are cut. */
  async release(): Promise<void> {
    await this.retire();
    await this.live.close();
    await this.compiled.close();
  }
}

const subscriberFields = ({ id, client, caller }: Exchange) => ({
  id,
  client,
  caller: caller.label,
});
