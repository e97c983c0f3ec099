import type { IncomingMessage } from 'node:http';
import { performance } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { LiveClients } from './access/live-clients.js';
import { beginExchange } from './access/network/address.js';
import { type ClaimOfWorkers, UsedProofs } from './access/tokens/used-proofs.js';
import type { BudgetEvents, Budgets } from './budget/budget.js';
import { MemoryBudgets } from './budget/memory.js';
import { countedEvents, NearlyEmpty } from './budget/nearly-empty.js';
import { CacheSweeper } from './cache/cache-sweeper.js';
import { Invalidator } from './cache/invalidator.js';
import type { AdminListener } from './compile/listen/admin.js';
import type { Compiled } from './compile.js';
import { listenHosts } from './config/listen/listen-keys.js';
import type { Config } from './config/schema.js';
import { clearTextOf, makeConsole } from './console/console.js';
import { ConsoleFacts } from './console/facts.js';
import { type Pace, Refusal, refusals, sharedState, TimeSlices } from './core/index.js';
import { Canaries } from './flow/canary/canaries.js';
import { canaryPages } from './flow/canary/canary-page.js';
import { ReloadLimiter } from './flow/drift/reload-limiter.js';
import type { GraphqlEndpoint } from './flow/graphql/endpoint.js';
import { ConcurrencyLimits } from './flow/http/concurrency.js';
import type { RefusedRequest } from './flow/http/connection.js';
import { PenaltyBox } from './flow/http/penalty-box.js';
import { KeyedCalls } from './flow/idempotency/keyed-calls.js';
import { MemoryOutcomes } from './flow/idempotency/memory-outcomes.js';
import { inspectPages } from './flow/inspect/inspect-pages.js';
import { Inspection } from './flow/inspect/inspection.js';
import { lookReporter } from './flow/inspect/report-look.js';
import { PendingConfirmations } from './flow/mcp/pending-confirmations.js';
import type { CanaryChannel, CanaryState } from './gateway/canary/canary-channel.js';
import type { ConfirmationChannel } from './gateway/shared/confirmation-channel.js';
import type { InvalidationChannel } from './gateway/shared/invalidation.js';
import { type BackendReports, BackendRole, Generation, type ProcessState } from './generation.js';
import { Generations } from './generations.js';
import { admission } from './graphql/index.js';
import { type Served, serve } from './listen/serve.js';
import { TicketKeys } from './listen/ticket-keys.js';
import { listenerEnds } from './listen/tls-ends.js';
import {
  type AdminSources,
  adminHosts,
  makeAdminServer,
  type Operator,
  operatorFields,
  type Reload,
} from './observe/admin.js';
import { type Audit, openAudit } from './observe/audit/audit.js';
import { type AuditCheckpoints, ownCheckpoints } from './observe/audit/audit-checkpoints.js';
import type { ChainHead } from './observe/audit/chain-writer.js';
import { type Finish, makeFinish } from './observe/finish.js';
import { reportHandshakes, reportWithdrawn } from './observe/handshakes.js';
import type { Log } from './observe/log/log.js';
import { type ConfigLoads, FIRST_LOAD, type ProcessGauges } from './observe/metrics/gauges.js';
import { MetricExport } from './observe/metrics/metric-export.js';
import type { MetricList } from './observe/metrics/metric-table.js';
import { Metrics } from './observe/metrics/metrics.js';
import { Overload } from './observe/overload.js';
import { ShadowReports } from './observe/shadow-reports.js';
import { Tracing } from './observe/trace/tracing.js';
import { Usage, usagePages } from './observe/usage.js';
import { EventBuses } from './pubsub/event-buses.js';
import type { SharedState } from './redis/shared-state.js';
import { TrafficServer } from './traffic.js';
import type { healthChecks } from './upstream/index.js';

/** How operators reach a gateway. */
export interface GatewayOptions extends BackendReports {
  /** `elsewhere`: this is a worker, and the process that forked it serves metrics and health. */
  readonly operators?: 'here' | 'elsewhere';
  readonly loads?: ConfigLoads;
  /** Carries invalidations to the other workers; absent: there are none. */
  readonly invalidations?: InvalidationChannel;
  /** Carries news of confirmations to the other workers; absent: there are none. */
  readonly confirmations?: ConfirmationChannel;
  /** Remembers a proof of a caller for all workers; absent: this process does. */
  readonly claimProof?: ClaimOfWorkers;
  /**
   * What is sealed with that callers keep for a while, the same in all workers; absent: this
   * process makes one.
   */
  readonly stateSecret?: string;
  /** Carries suspicions to the other workers; absent: there are none. */
  readonly suspicions?: sharedState.SuspicionChannel;
  /** Carries the shares of canaries to the other workers; absent: there are none. */
  readonly canaries?: CanaryChannel;
  /** The times of calls that several processes share; absent: this process has its own. */
  readonly slots?: sharedState.SlotSupply;
  /** Reloads the configuration; absent where that cannot be asked for. */
  readonly reload?: Reload;
  /** The keys of TLS sessions, which all workers share. */
  readonly tickets?: TicketKeys;
  /**
   * The name of the process among the replicas of budgets, which no other ever had; absent: it
   * chooses one.
   */
  readonly replica?: string;
}

/** Starts the gateway. Rejects with the system's error when an address cannot be had. */
export async function serveGateway(
  compiled: Compiled,
  log: Log,
  options: GatewayOptions = {},
): Promise<Gateway> {
  // Without Redis its client is not even loaded.
  const redis = compiled.redis === null ? null : await import('./redis/shared-state.js');
  const gateway = new Gateway(compiled, log, options, redis?.SharedState ?? null);
  try {
    await gateway.listen(compiled);
  } catch (error) {
    // What it has opened besides would stay, where the process goes on.
    await gateway.drain();
    throw error;
  }
  return gateway;
}

/** What runs operations of GraphQL in this process, without HTTP. */
export interface OperationParts
  extends Pick<ProcessState, 'budgets' | 'checkAdmission' | 'finish' | 'observer'> {
  readonly endpoint: GraphqlEndpoint;
}

/** A gateway that runs. */
export class Gateway {
  /** All addresses of callers as URLs; that of a Unix socket is `unix:/path`. */
  readonly urls: string[] = [];
  readonly console: ConsoleFacts;
  readonly usage = new Usage();
  readonly inspection: Inspection;
  readonly #log: Log;
  readonly #options: GatewayOptions;
  readonly #overload: Overload;
  /** All work on the metrics takes turns. */
  readonly #metricsPace: Pace = new TimeSlices();
  readonly #metrics: Metrics;
  readonly #tracing: Tracing;
  readonly #metricExport: MetricExport;
  readonly #audit: Audit | null;
  readonly #refusesUnrecorded: boolean;
  readonly #checkpoints: AuditCheckpoints | null;
  readonly #nearlyEmpty = new NearlyEmpty();
  readonly #shared: SharedState | null;
  readonly #suspicions = new sharedState.Suspicions();
  readonly #canaries: Canaries;
  readonly #budgets: Budgets;
  readonly #buses: EventBuses;
  readonly #state: ProcessState;
  readonly #generations: Generations;
  readonly #sweeper: CacheSweeper;
  readonly #traffic: TrafficServer;
  #served: Served | null = null;
  #isReady = true;
  #lostRecords = 0;
  #drained: Promise<number> | null = null;
  #whole: Promise<void> = Promise.resolve();

  constructor(
    compiled: Compiled,
    log: Log,
    options: GatewayOptions,
    redis: typeof SharedState | null,
  ) {
    const { config } = compiled;
    const { operators = 'here', replica } = options;
    this.#log = log;
    this.#options = options;
    this.#overload = new Overload(config.limits.overload, {
      inFlight: () => this.#traffic.inFlight,
      hasLongQueue: () => this.#generations.current.hasLongQueue(performance.now()),
    });
    this.#audit = openAudit(compiled.audit, log, replica);
    this.#refusesUnrecorded = config.audit?.onFailure === 'refuse';
    const loads = operators === 'elsewhere' ? null : options.loads;
    this.#metrics = new Metrics(() => this.#generations.gauges, this.#gauges(compiled), loads);
    this.#tracing = new Tracing({
      count: (outcome, spans) => this.#metrics.spans(outcome, spans),
      failed: (reason) => log.event('warn', 'spans could not be sent', { reason }),
    });
    this.#tracing.configure(config.traces ?? null);
    this.#metricExport = new MetricExport(
      {
        metrics: () => this.#metrics.list(this.#metricsPace),
        pace: this.#metricsPace,
        listen: (listener) => this.#metrics.upstreamTotals.listen(listener),
      },
      {
        count: (outcome, points) => this.#metrics.metricPoints(outcome, points),
        failed: (reason) => log.event('warn', 'metrics could not be sent', { reason }),
      },
    );
    this.#metricExport.configure(config.metrics ?? null);
    this.console = new ConsoleFacts(this.compiled);
    this.inspection = new Inspection(this.compiled, lookReporter(log, this.#audit));
    this.#checkpoints =
      operators === 'here' ? ownCheckpoints(compiled.audit, log, this.auditHead) : null;
    const events = countedEvents((...points) => this.#metrics.budget(...points), this.#nearlyEmpty);
    this.#shared = redis === null ? null : this.#makeSharedState(redis, compiled, events);
    this.#budgets =
      this.#shared?.budgets ?? new MemoryBudgets({ clientsMax: clientsMaxOf(config), events });
    const { subscriptions } = config.limits;
    this.#buses = new EventBuses(
      subscriptions,
      () => this.#shared?.makeEventTransport(subscriptions) ?? null,
    );
    this.#canaries = new Canaries(
      [options.canaries, this.#shared?.canaries].flatMap((channel) => channel ?? []),
      log,
    );
    const finish = makeFinish([
      // First: it decides whether the trace is kept, which the metrics name.
      (exchange, millis) => this.#tracing.finish(exchange, millis),
      (exchange, millis) => this.#metrics.observe(exchange, millis / 1000),
      (exchange, millis) => this.#metricExport.finish(exchange, millis),
      (exchange, millis) => log.access(exchange, millis),
      (exchange, millis) => this.console.add(exchange, millis),
      (exchange) => this.#audit?.record(exchange),
      (exchange) => this.usage.add(exchange),
      (exchange) => log.findings(exchange),
    ]);
    this.#state = this.#makeState(compiled, finish);
    this.#generations = new Generations(new Generation(compiled, this.#state), this.#metrics);
    this.#canaries.use(compiled.services);
    for (const channel of this.#suspicionChannels) {
      channel.receive(
        (suspicion) => this.takeSuspicion(suspicion),
        () => this.#suspicions.list(),
      );
    }
    this.#sweeper = new CacheSweeper(() => this.compiled().cache);
    this.#traffic = this.#makeTraffic(compiled);
  }

  /** `http://host:port` of callers: the first of their addresses. */
  get url(): string {
    return this.urls[0] ?? '';
  }

  /** `http://host:port` of operators; '' where another process serves them. */
  get adminUrl(): string {
    return this.#served?.url ?? '';
  }

  /**
   * Listens on the addresses of a configuration, and connects to Redis. Rejects with the error of
   * the system.
   */
  async listen({ listeners }: Compiled): Promise<void> {
    for (const listener of listeners.traffic) {
      this.urls.push(await this.#traffic.listen(listener));
    }
    if (this.#options.operators !== 'elsewhere') {
      this.#served = await this.#serveOperators(listeners.admin);
    }
    await this.#shared?.start();
  }

  /** The configuration in which requests begin. */
  readonly compiled = (): Compiled => this.#generations.current.compiled;

  /** The parts that operations of GraphQL need which no listener brings. */
  get operationParts(): OperationParts {
    return { ...this.#state, endpoint: this.#generations.current.graphql };
  }

  /** The metrics of this process. */
  listMetrics(): Promise<MetricList> {
    return this.#metrics.list(this.#metricsPace);
  }

  /** The last line of its audit; null without one. */
  readonly auditHead = (): ChainHead | null => this.#audit?.head ?? null;

  /**
   * Lines of its audit that could not be written until its end: decisions that are on no record.
   */
  get lostRecords(): number {
    return this.#lostRecords;
  }

  /** Generations that are not released: the current one, and earlier ones that are still in use. */
  generations(): number {
    return this.#generations.all.length;
  }

  /** Checks the health of backends, and compares their WSDLs, from now on. */
  checkBackends(): void {
    this.#state.backends.isChecking = true;
    this.#generations.current.checkBackends();
  }

  /** Takes over the result of a check that another process has made. */
  takeHealth(result: healthChecks.HealthResult): void {
    this.#generations.current.takeHealth(result);
  }

  /** Takes over a sign that another process has found: answers of an address are mixed up. */
  takeSuspicion(suspicion: sharedState.Suspicion): void {
    this.#suspicions.add(suspicion);
    for (const generation of this.#generations.all) {
      generation.learn(suspicion);
    }
  }

  get #suspicionChannels(): readonly sharedState.SuspicionChannel[] {
    return [this.#options.suspicions, this.#shared?.suspicions].flatMap((channel) => channel ?? []);
  }

  /** Takes a sign that this process has found. */
  #suspect(suspicion: sharedState.Suspicion): void {
    if (!this.#suspicions.add(suspicion)) return;
    for (const generation of this.#generations.all) {
      generation.learn(suspicion);
    }
    for (const channel of this.#suspicionChannels) {
      channel.publish(suspicion);
    }
  }

  /** The share of the canary of a service; null where it has none. */
  canaryOf(service: string): Pick<CanaryState, 'service' | 'share'> | null {
    return this.#canaries.find(service);
  }

  /** Moves the share of the canary of a service, in all processes; null where it has none. */
  moveCanary(service: string, share: number, by: Operator): CanaryState | null {
    const moved = this.#canaries.move(service, share);
    if (moved !== null) {
      this.#log.event('info', 'canary was moved', { service, share, ...operatorFields(by) });
      this.#audit?.recordMove(service, share, by);
    }
    return moved;
  }

  /**
   * Removes a replica of budgets that has ended without leaving: its share of the refill goes to
   * the others.
   */
  removeReplica(replica: string): void {
    this.#shared?.removeReplica(replica);
  }

  /** Resolves once what `complete` was given is in use; rejects with its error. */
  get whole(): Promise<void> {
    return this.#whole;
  }

  /**
   * Takes the first configuration with its schema, where the gateway has begun without. Where that
   * cannot be compiled, all requests but those for SOAP are refused, until a reload.
   */
  complete(compiling: Promise<Compiled>): void {
    const { current } = this.#generations;
    this.#whole = compiling.then((compiled) => {
      this.#use(compiled);
      this.#log.event('info', 'GraphQL takes requests', {});
    });
    this.#whole.catch(() => current.stayForSoap());
  }

  /**
   * Requests begin in this configuration from now on, unless a drain has begun: it ends what was
   * there then.
   */
  replace(next: Compiled): void {
    if (!this.#isReady) return void next.close();
    this.#use(next);
  }

  #use(next: Compiled): void {
    const { limits, log: logging } = next.config;
    this.#generations.replace(new Generation(next, this.#state));
    this.#canaries.use(next.services);
    this.#state.liveClients.replace(next);
    this.#log.configure(logging);
    this.#metricExport.configure(next.config.metrics ?? null);
    this.#tracing.configure(next.config.traces ?? null);
    this.#budgets.resize(clientsMaxOf(next.config));
    this.#state.penaltyBox.configure(limits.http, next.trustedProxies);
    this.#traffic.configure(limits.http, next.config.headerCase);
  }

  /**
   * Stops: readiness off, requests in flight finish, connections close, backends are left. Resolves
   * to the number of connections that `limits.http.drainMillis` cut. A second call gives what the
   * first one does. Where the parent accepts, `turn` waits for a turn of its event loop. For
   * `delayMillis`, requests are taken as before, without readiness.
   */
  drain(turn?: () => Promise<void>, delayMillis = 0): Promise<number> {
    this.#drained ??= this.#drain(turn, delayMillis);
    return this.#drained;
  }

  async #drain(turn: (() => Promise<void>) | undefined, delayMillis: number): Promise<number> {
    this.#isReady = false;
    if (delayMillis > 0) {
      await wait(delayMillis);
    }
    // Requests wait for it.
    await this.#whole.catch(() => {});
    this.#overload.close();
    const closing = Promise.all([
      this.#generations.current.retire(),
      this.#generations.endSubscriptions(),
    ]);
    const forced = await this.#traffic.drain(this.compiled().config.limits.http.drainMillis, turn);
    await closing;
    await this.#buses.close();
    await this.#shared?.close();
    this.#state.backends.addresses.close();
    await this.#generations.close();
    await Promise.all([this.#tracing.close(), this.#metricExport.close()]);
    await this.#served?.close();
    const lost = [await this.#audit?.close(), await this.#checkpoints?.close()];
    for (const lines of lost) {
      this.#lostRecords += lines ?? 0;
    }
    this.#sweeper.close();
    return forced;
  }

  /**
   * A request that is refused for want of a record is on none: it was not the fault of its caller.
   */
  #checkAdmission(): void {
    if (this.#overload.shedsNext()) throw new Refusal('OVERLOADED');
    if (this.#refusesUnrecorded && this.#audit?.isUp === false) {
      throw new Refusal('AUDIT_UNAVAILABLE');
    }
  }

  #gauges({ config }: Compiled): ProcessGauges {
    const audit = this.#audit;
    const sum = (read: (generation: Generation) => number) => () => this.#generations.sum(read);
    return {
      connections: () => this.#traffic.connections,
      droppedConnections: () => this.#traffic.droppedConnections,
      heldRefusals: () => this.#state.penaltyBox.delayed,
      droppedLogLines: () => this.#log.droppedLines,
      exportedLogLines: () => this.#log.exported,
      droppedAuditLines: () => this.#audit?.droppedLines ?? 0,
      log: () => this.#log.state,
      ...(audit === null ? {} : { audit: () => audit.state }),
      listeners: () => listenerEnds(this.compiled().listeners),
      isShedding: () => this.#overload.isShedding,
      eventLoopDelayMillis: () => this.#overload.delayMillis,
      drift: () => this.#generations.current.drift.counts,
      canaries: () => this.#canaries.shares,
      takenWsdls: () => this.#generations.current.takenWsdls,
      cache: () => this.compiled().cache,
      callSharers: sum(({ graphql }) => graphql.calls.waiting),
      webSockets: sum(({ live }) => live.sockets.count),
      subscriptions: () => this.#generations.subscriptions,
      subscriptionPollers: sum(({ live }) => live.manager.pollers),
      nearlyEmptyBudgets: () => this.#nearlyEmpty.count((account) => this.#budgets.status(account)),
      ...(config.redis === undefined ? {} : { isRedisUp: () => this.#shared?.isUp === true }),
    };
  }

  #makeSharedState(
    Shared: typeof SharedState,
    { redis, config }: Compiled,
    budget: BudgetEvents,
  ): SharedState | null {
    if (redis === null) return null;
    const { replica } = this.#options;
    return new Shared(replica === undefined ? redis : { ...redis, replica }, clientsMaxOf(config), {
      budget,
      operation: (operation, outcome) => this.#metrics.redis(operation, outcome),
      event: (level, message, fields) => this.#log.event(level, message, fields),
    });
  }

  #makeState(compiled: Compiled, finish: Finish): ProcessState {
    const { limits } = compiled.config;
    const shared = this.#shared;
    const local = new admission.MemoryPersistedStore(limits.persisted);
    return {
      log: this.#log,
      metrics: this.#metrics,
      finish,
      observer: this.#tracing,
      budgets: this.#budgets,
      nonces: shared?.nonces ?? null,
      proofs: new UsedProofs(
        this.#options.stateSecret ?? null,
        this.#options.claimProof ?? null,
        shared?.nonces ?? null,
      ),
      confirmations: new PendingConfirmations(
        this.#options.stateSecret ?? null,
        this.#options.confirmations ?? null,
      ),
      penaltyBox: new PenaltyBox(limits.http, compiled.trustedProxies, (client) => {
        const limit = this.compiled().config.limits.http.refusalsPerSecond;
        const key = 'limits.http.refusalsPerSecond';
        this.#log.event('warn', 'refusals of an address are delayed', { client, limit, key });
      }),
      concurrency: new ConcurrencyLimits(),
      persisted: shared?.makePersistedStore(local, limits.persisted) ?? local,
      invalidator: new Invalidator(
        [this.#options.invalidations, shared?.invalidations].flatMap((channel) => channel ?? []),
        () => this.compiled().caching.invalidations,
      ),
      keyed: new KeyedCalls(shared?.outcomes ?? new MemoryOutcomes(), this.#suspicions),
      pollSharing: shared?.makePollSharing(limits.cache.replyBytes) ?? null,
      checkAdmission: () => this.#checkAdmission(),
      backends: new BackendRole(this.#options, this.#log),
      liveClients: new LiveClients(compiled),
      present: () => this.#generations.current,
      reloadLimiter: new ReloadLimiter(),
      shadows: new ShadowReports(this.#log, this.#metrics),
      suspicions: this.#suspicions,
      suspect: (suspicion) => this.#suspect(suspicion),
      slots: this.#shared?.slots ?? this.#options.slots ?? new sharedState.SlotClock(),
      busFor: ({ graph }) => this.#buses.busFor(graph.subscriptions.topics.length > 0),
    };
  }

  #makeTraffic({ config }: Compiled): TrafficServer {
    const { http } = config.limits;
    const generations = this.#generations;
    return new TrafficServer(
      (request, response, ending) => generations.current.handle(request, response, ending),
      http,
      {
        refused: (...refused) => this.#refused(...refused),
        handshakeFailed: reportHandshakes(this.#log, this.#metrics),
        certificatesWithdrawn: (connections, client) => {
          reportWithdrawn(this.#log, connections, client);
          this.#state.liveClients.recheck();
        },
        tickets: this.#options.tickets ?? new TicketKeys(null, http.ticketKeyMillis),
      },
      this.#state.penaltyBox,
      {
        wants: (request) => generations.current.live.wants(request),
        take: (request, socket, head) => generations.current.upgrade(request, socket, head),
      },
      config.headerCase,
    );
  }

  /** Reports a request that no handler sees. */
  #refused(address: string, request: IncomingMessage | null, refusal: Refusal): RefusedRequest {
    const { trustedProxies, explainsHeads } = this.compiled();
    const exchange = beginExchange(
      { headers: request?.headers ?? {}, address },
      request?.method ?? '',
      trustedProxies,
    );
    exchange.status = refusals.wireStatus(refusal, 'http');
    this.#tracing.begin(exchange, {});
    exchange.refuse(refusal);
    this.#state.finish(exchange);
    return { id: exchange.id, isExplained: explainsHeads };
  }

  #serveOperators(listeners: readonly AdminListener[]): Promise<Served> {
    const { config } = this.compiled();
    const { loads = FIRST_LOAD, reload = null } = this.#options;
    const metrics: AdminSources['metrics'] = () => this.listMetrics();
    const sources: AdminSources = {
      metrics,
      pace: this.#metricsPace,
      ...adminHosts(listenHosts(config.admin), config.adminHosts, this.#log),
      unready: () => (this.#isReady ? this.#generations.current.missing : 'draining'),
      reload,
      pages: [
        usagePages(() => this.usage.report()),
        canaryPages({
          find: (service) => this.canaryOf(service),
          move: (service, share, by) => this.moveCanary(service, share, by),
        }),
        inspectPages({
          list: async (...of) => this.inspection.list(...of),
          show: async (...asked) => this.inspection.show(...asked),
        }),
        makeConsole(
          this.console.sources(metrics, this.#metricsPace, loads, () => clearTextOf(this.urls)),
        ),
      ],
    };
    return serve(
      ({ access }, index) =>
        makeAdminServer(sources, () => this.compiled().listeners.admin[index]?.access ?? access),
      listeners,
      config.limits.http,
      reportHandshakes(this.#log, this.#metrics),
    );
  }
}

const clientsMaxOf = ({ clients }: Config): number => clients?.remembered ?? 0;
