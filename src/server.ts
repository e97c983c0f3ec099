import { performance } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { LiveClients } from './access/live-clients.js';
import { beginExchange } from './access/network/address.js';
import type { InvalidationChannel } from './base/invalidation.js';
import { wireStatus } from './base/refusals/wire-status.js';
import type { BudgetEvents } from './budget/budget.js';
import { MemoryBudgets } from './budget/memory.js';
import { countedEvents, NearlyEmpty } from './budget/nearly-empty.js';
import { CacheSweeper } from './cache/cache-sweeper.js';
import { Invalidator } from './cache/invalidator.js';
import type { AdminListener } from './compile/listen/admin.js';
import type { Compiled } from './compile.js';
import { listenHosts } from './config/listen/listen-keys.js';
import type { Config } from './config/schema.js';
import { clearTextOf, makeConsole } from './console/console.js';
import { type ConsoleFacts, factsOf } from './console/facts.js';
import { stateOf } from './console/state.js';
import { ReloadLimiter } from './flow/drift/reload-limiter.js';
import { ConcurrencyLimits } from './flow/http/concurrency.js';
import { PenaltyBox } from './flow/http/penalty-box.js';
import { type BackendReports, BackendRole, Generation, type ProcessState } from './generation.js';
import { Generations } from './generations.js';
import { MemoryPersistedStore } from './graphql/admission/document-cache.js';
import { serve } from './listen/serve.js';
import { TicketKeys } from './listen/ticket-keys.js';
import { listenerEnds } from './listen/tls-ends.js';
import { type AdminSources, adminHosts, makeAdminServer, type Reload } from './observe/admin.js';
import { openAudit } from './observe/audit/audit.js';
import { ownCheckpoints } from './observe/audit/audit-checkpoints.js';
import type { ChainHead } from './observe/audit/chain-writer.js';
import { makeFinish } from './observe/finish.js';
import { reportHandshakes } from './observe/handshakes.js';
import type { Log } from './observe/log/log.js';
import { type ConfigLoads, FIRST_LOAD } from './observe/metrics/gauges.js';
import { Metrics } from './observe/metrics/metrics.js';
import { printOpenMetrics } from './observe/metrics/open-metrics.js';
import type { MetricList } from './observe/metrics/prometheus.js';
import { Overload } from './observe/overload.js';
import { RecentRequests } from './observe/recent.js';
import { Tracing } from './observe/trace/tracing.js';
import { Usage } from './observe/usage.js';
import { EventBuses } from './pubsub/event-buses.js';
import type { SharedState } from './redis/shared-state.js';
import { TrafficServer } from './traffic.js';
import type { HealthResult } from './upstream/health.js';

/** A gateway that runs. */
export interface Gateway {
  /** `http://host:port` of callers: the first of their addresses. */
  readonly url: string;
  /** All of their addresses; that of a Unix socket is `unix:/path`. */
  readonly urls: readonly string[];
  /** `http://host:port` of operators; '' where another process serves them. */
  readonly adminUrl: string;
  /** The metrics of this process. */
  readonly listMetrics: () => Promise<MetricList>;
  /** What the console shows of this process. */
  readonly facts: ConsoleFacts;
  /** Generations that are not released: the current one, and earlier ones that are still in use. */
  readonly generations: () => number;
  /** The last line of its audit; null without one. */
  readonly auditHead: () => ChainHead | null;
  /** The configuration in which requests begin. */
  readonly compiled: () => Compiled;
  /** Checks the health of backends, and compares their WSDLs, from now on. */
  checkBackends(): void;
  /** Takes over the result of a check that another process has made. */
  takeHealth(result: HealthResult): void;
  /** Removes a replica of budgets that has ended without leaving: its share of the refill goes to the others. */
  removeReplica(replica: string): void;
  /** Requests begin in this configuration from now on, unless a drain has begun: it ends what was there then. */
  replace(compiled: Compiled): void;
  /**
   * Stops: readiness off, requests in flight finish, connections close, backends are left. Resolves to the number of
   * connections that `limits.http.drainMillis` cut. Where the parent accepts, `turn` waits for a turn of its event loop.
   * For `delayMillis`, requests are taken as before, without readiness.
   */
  drain(turn?: () => Promise<void>, delayMillis?: number): Promise<number>;
}

/** How operators reach a gateway. */
export interface GatewayOptions extends BackendReports {
  /** `elsewhere`: this is a worker, and the process that forked it serves metrics and health. */
  readonly operators?: 'here' | 'elsewhere';
  readonly loads?: ConfigLoads;
  /** Carries invalidations to the other workers; absent: there are none. */
  readonly invalidations?: InvalidationChannel;
  /** Reloads the configuration; absent where that cannot be asked for. */
  readonly reload?: Reload;
  /** The keys of TLS sessions, which all workers share. */
  readonly tickets?: TicketKeys;
  /** Its name among the replicas of budgets, which no other process ever had; absent: it chooses one. */
  readonly replica?: string;
}

/** Starts the gateway. Rejects with the system's error when an address cannot be had. */
export async function startGateway(
  compiled: Compiled,
  log: Log,
  { operators = 'here', loads, reload, tickets, ...workers }: GatewayOptions = {},
): Promise<Gateway> {
  const { config } = compiled;
  const overload = new Overload(config.limits.overload, {
    inFlight: () => traffic.inFlight,
    hasLongQueue: () => generations.current.hasLongQueue(performance.now()),
  });
  const sum = (read: (generation: Generation) => number) => () => generations.sum(read);
  const metrics = new Metrics(
    () => generations.gauges,
    {
      connections: () => traffic.connections,
      droppedConnections: () => traffic.droppedConnections,
      heldRefusals: () => penaltyBox.delayed,
      droppedLogLines: () => log.droppedLines,
      droppedAuditLines: () => audit?.droppedLines ?? 0,
      listeners: () => listenerEnds(generations.current.compiled.listeners),
      isShedding: () => overload.isShedding,
      eventLoopDelayMillis: () => overload.delayMillis,
      drift: () => generations.current.drift.counts,
      takenWsdls: () => generations.current.takenWsdls,
      cache: () => generations.current.compiled.cache,
      callSharers: sum(({ graphql }) => graphql.calls.waiting),
      webSockets: sum(({ live }) => live.sockets.count),
      subscriptions: () => generations.subscriptions,
      subscriptionPollers: sum(({ live }) => live.manager.pollers),
      nearlyEmptyBudgets: () => nearlyEmpty.count((account) => budgets.status(account)),
      ...(config.redis === undefined ? {} : { isRedisUp: () => shared?.isUp === true }),
    },
    operators === 'elsewhere' ? null : loads,
  );
  const tracing = new Tracing({
    count: (outcome, spans) => metrics.spans(outcome, spans),
    failed: (reason) => log.event('warn', 'spans could not be sent', { reason }),
  });
  tracing.configure(config.traces ?? null);
  const usage = new Usage();
  const recent = new RecentRequests(() => generations.current.compiled.config.console.slowMillis);
  const facts = factsOf(() => generations.current.compiled, recent, usage);
  const audit = openAudit(compiled.audit, log, workers.replica);
  const ownHead = (): ChainHead | null => audit?.head ?? null;
  const checkpoints = operators === 'here' ? ownCheckpoints(compiled.audit, log, ownHead) : null;
  const finish = makeFinish([
    // First: it decides whether the trace is kept, which the metrics name.
    (exchange, millis) => tracing.finish(exchange, millis),
    (exchange, millis) => metrics.observe(exchange, millis / 1000),
    (exchange, millis) => log.access(exchange, millis),
    (exchange, millis) => recent.add(exchange, millis),
    (exchange) => audit?.record(exchange),
    (exchange) => usage.add(exchange),
    (exchange) => log.findings(exchange),
  ]);
  const nearlyEmpty = new NearlyEmpty();
  const events = countedEvents((...points) => metrics.budget(...points), nearlyEmpty);
  const shared = await makeSharedState(compiled, metrics, events, log, workers.replica);
  const budgets = shared?.budgets ?? new MemoryBudgets({ clientsMax: clientsMaxOf(config), events });
  const penaltyBox = new PenaltyBox(config.limits.http, compiled.trustedProxies, (client) => {
    const limit = generations.current.compiled.config.limits.http.refusalsPerSecond;
    log.event('warn', 'refusals of an address are delayed', { client, limit, key: 'limits.http.refusalsPerSecond' });
  });
  const local = new MemoryPersistedStore(config.limits.persisted);
  const { subscriptions } = config.limits;
  const buses = new EventBuses(subscriptions, () => shared?.makeEventTransport(subscriptions) ?? null);
  const state: ProcessState = {
    log,
    metrics,
    finish,
    observer: tracing,
    budgets,
    nonces: shared?.nonces ?? null,
    penaltyBox,
    concurrency: new ConcurrencyLimits(),
    persisted: shared?.makePersistedStore(local, config.limits.persisted) ?? local,
    invalidator: new Invalidator(
      [workers.invalidations, shared?.invalidations].flatMap((channel) => channel ?? []),
      () => generations.current.compiled.caching.invalidations,
    ),
    pollSharing: shared?.makePollSharing(config.limits.cache.replyBytes) ?? null,
    isShedding: () => overload.shedsNext(),
    backends: new BackendRole(workers, log),
    liveClients: new LiveClients(compiled),
    present: () => generations.current,
    reloadLimiter: new ReloadLimiter(),
    busFor: ({ graph }) => buses.busFor(graph.subscriptions.topics.length > 0),
  };
  const generations = new Generations(new Generation(compiled, state), metrics);
  const sweeper = new CacheSweeper(() => generations.current.compiled.cache);
  const traffic = new TrafficServer(
    (request, response, ending) => generations.current.handle(request, response, ending),
    config.limits.http,
    {
      refused(address, request, refusal) {
        const { trustedProxies, explainsHeads } = generations.current.compiled;
        const sender = { headers: request?.headers ?? {}, address };
        const exchange = beginExchange(sender, request?.method ?? '', trustedProxies);
        exchange.status = wireStatus(refusal, 'http');
        tracing.begin(exchange, {});
        exchange.refuse(refusal);
        finish(exchange);
        return { id: exchange.id, isExplained: explainsHeads };
      },
      handshakeFailed: reportHandshakes(log, metrics),
      certificatesWithdrawn(connections, client) {
        log.event('warn', 'certificates of open connections are no longer accepted', { connections, client });
        state.liveClients.recheck();
      },
      tickets: tickets ?? new TicketKeys(null, config.limits.http.ticketKeyMillis),
    },
    penaltyBox,
    {
      wants: (request) => generations.current.live.wants(request),
      take: (request, socket, head) => generations.current.live.take(request, socket, head),
    },
  );
  let ready = true;
  const admin: AdminSources = {
    metrics: () => metrics.registry.metrics(),
    metricsType: metrics.registry.contentType,
    openMetrics: async () => printOpenMetrics(await metrics.registry.getMetricsAsJSON()),
    ...adminHosts(listenHosts(config.admin), config.adminHosts, log),
    isReady: () => ready,
    reload: reload ?? null,
    pages: makeConsole({
      state: async () => stateOf(await metrics.registry.getMetricsAsJSON(), loads ?? FIRST_LOAD, facts.recent()),
      description: async () => facts.description(),
      operation: async (service, name) => facts.operation(service, name),
      usage: async () => facts.usage(),
      trafficUrl: () => clearTextOf(urls),
    }),
  };
  const urls: string[] = [];
  for (const listener of compiled.listeners.traffic) urls.push(await traffic.listen(listener));
  const makeAdmin = ({ access }: AdminListener, index: number) =>
    makeAdminServer(admin, () => generations.current.compiled.listeners.admin[index]?.access ?? access);
  const served =
    operators === 'here'
      ? await serve(makeAdmin, compiled.listeners.admin, config.limits.http, reportHandshakes(log, metrics))
      : null;
  shared?.start();
  return {
    url: urls[0] ?? '',
    urls,
    adminUrl: served?.url ?? '',
    listMetrics: () => metrics.registry.getMetricsAsJSON(),
    facts,
    generations: () => generations.all.length,
    compiled: () => generations.current.compiled,
    auditHead: ownHead,
    checkBackends() {
      state.backends.isChecking = true;
      generations.current.checkBackends();
    },
    takeHealth: (result) => generations.current.takeHealth(result),
    removeReplica: (ended) => shared?.removeReplica(ended),
    replace(next) {
      if (!ready) return void next.close();
      const { limits, log: logging } = next.config;
      generations.replace(new Generation(next, state));
      state.liveClients.replace(next);
      log.setLevel(logging.level);
      tracing.configure(next.config.traces ?? null);
      budgets.resize(clientsMaxOf(next.config));
      penaltyBox.configure(limits.http, next.trustedProxies);
      traffic.configure(limits.http);
    },
    async drain(turn, delayMillis = 0) {
      ready = false;
      if (delayMillis > 0) await wait(delayMillis);
      overload.close();
      const closing = Promise.all([generations.current.retire(), generations.endSubscriptions()]);
      const forced = await traffic.drain(generations.current.compiled.config.limits.http.drainMillis, turn);
      await closing;
      await buses.close();
      await shared?.close();
      state.backends.addresses.close();
      await generations.close();
      await tracing.close();
      await served?.close();
      await audit?.close();
      await checkpoints?.close();
      sweeper.close();
      return forced;
    },
  };
}

const clientsMaxOf = ({ clients }: Config): number => clients?.remembered ?? 0;

/** Null without Redis, whose client is not even loaded then. */
async function makeSharedState(
  { redis, config }: Compiled,
  metrics: Metrics,
  budget: BudgetEvents,
  log: Log,
  replica?: string,
): Promise<SharedState | null> {
  if (redis === null) return null;
  const { SharedState } = await import('./redis/shared-state.js');
  return new SharedState(replica === undefined ? redis : { ...redis, replica }, clientsMaxOf(config), {
    budget,
    operation: (operation, outcome) => metrics.redis(operation, outcome),
    event: (level, message, fields) => log.event(level, message, fields),
  });
}
