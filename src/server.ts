import type { Server } from 'node:http';
import { performance } from 'node:perf_hooks';

import { Networks } from './access/networks.js';
import { printDiagnostic } from './base/diagnostic.js';
import { Exchange, nextExchangeId } from './base/exchange.js';
import { wireStatus } from './base/wire-status.js';
import type { BudgetEvents } from './budget/budget.js';
import { MemoryBudgets } from './budget/memory.js';
import type { Compiled } from './compile.js';
import { parseAddress } from './config/address.js';
import { Observers } from './flow/calls/observation.js';
import { DriftWatch } from './flow/drift/drift.js';
import { makeGraphqlEndpoint } from './flow/graphql/endpoint.js';
import { PenaltyBox } from './flow/http/penalty-box.js';
import { SubscriptionsEndpoint } from './flow/subscriptions/endpoint.js';
import { adminHosts, makeAdminServer } from './observe/admin.js';
import { makeFinish } from './observe/finish.js';
import type { Log } from './observe/log.js';
import { Metrics } from './observe/metrics.js';
import { Overload } from './observe/overload.js';
import type { MetricList } from './observe/prometheus.js';
import { MemoryTransport } from './pubsub/memory-transport.js';
import { OrderedBus } from './pubsub/ordered-bus.js';
import { SharedState } from './redis/shared-state.js';
import { makeRequestHandler } from './request.js';
import { TrafficServer } from './traffic.js';

/** A gateway that runs. */
export interface Gateway {
  /** `http://host:port` of callers. */
  readonly url: string;
  /** `http://host:port` of operators; '' where another process serves them. */
  readonly adminUrl: string;
  /** The metrics of this process. */
  readonly listMetrics: () => Promise<MetricList>;
  /**
   * Stops: readiness off, requests in flight finish, connections close, backends are left. Resolves to the number of
   * connections that had to be cut when `limits.http.drainMillis` was over. Where
   * the parent accepts connections, `turn` waits for a turn of its event loop.
   */
  drain(turn?: () => Promise<void>): Promise<number>;
}

/**
 * Starts the gateway. With operators `elsewhere` this is a worker: the process that forked it serves metrics and health.
 * Rejects with the system's error when an address cannot be had.
 */
export async function startGateway(
  compiled: Compiled,
  log: Log,
  operators: 'here' | 'elsewhere' = 'here',
): Promise<Gateway> {
  const { config, services, graphqlUpstreams } = compiled;
  const overload = new Overload(config.limits.overload, {
    inFlight: () => traffic.inFlight,
    hasLongQueue() {
      const nowMillis = performance.now();
      return [...services, ...graphqlUpstreams].some(({ upstream }) => upstream.hasLongQueue(nowMillis));
    },
  });
  const metrics = new Metrics(
    [...services, ...graphqlUpstreams].map(({ name, upstream, reach }) => ({
      service: name,
      active: () => upstream.active,
      waiting: () => upstream.waiting,
      resting: () => upstream.resting + (subscriptions.feeds.isResting(name) ? 1 : 0),
      certificateEndMillis: () => reach.tls?.expiresMillis ?? null,
      subscriptions: () => subscriptions.feeds.active(name),
    })),
    {
      connections: () => traffic.connections,
      droppedConnections: () => traffic.droppedConnections,
      heldRefusals: () => penaltyBox.delayed,
      droppedLogLines: () => log.droppedLines,
      isShedding: () => overload.isShedding,
      eventLoopDelayMillis: () => overload.delayMillis,
      drift: () => drift.counts,
      cache: compiled.cache,
      callSharers: () => graphql.calls.waiting,
      webSockets: () => subscriptions.sockets.count,
      subscriptions: () => subscriptions.manager.active,
      subscriptionPollers: () => subscriptions.manager.pollers,
      ...(config.redis === undefined ? {} : { isRedisUp: () => shared?.isUp === true }),
    },
  );
  const drift = new DriftWatch(services, {
    looked: (service, outcome) => metrics.looked(service, outcome),
    changed: (service, message, reading) => log.event('warn', message, { service, ...reading }),
  });
  compiled.lateWarnings.listen((warning) =>
    log.event('warn', 'configuration warning', { note: printDiagnostic(warning) }),
  );
  const finish = makeFinish(log, metrics);
  const clientsMax = config.clients?.remembered ?? 0;
  const spending: BudgetEvents = {
    spent: (className, points) => metrics.budget(className, 'spent', points),
    denied: (className, points) => metrics.budget(className, 'denied', points),
    refunded: (className, points) => metrics.budget(className, 'refunded', points),
  };
  const shared =
    config.redis === undefined
      ? null
      : new SharedState(config.redis, clientsMax, {
          budget: spending,
          operation: (operation, outcome) => metrics.redis(operation, outcome),
          event: (level, message, fields) => log.event(level, message, fields),
        });
  const budgets = shared?.budgets ?? new MemoryBudgets({ clientsMax, events: spending });
  const { subscriptions: live, codec, persisted } = config.limits;
  const { topics } = compiled.graph.subscriptions;
  const transport = topics.length === 0 ? null : (shared?.makeEventTransport(live.historyEvents) ?? null);
  const bus = new OrderedBus(transport ?? new MemoryTransport(live.historyEvents));
  const observers = new Observers(topics, 'on', bus, { codec, eventBytes: live.eventBytes });
  const penaltyBox = new PenaltyBox(
    config.limits.http,
    new Networks(config.clients?.trustedProxies ?? []),
    (client) => {
      const limit = config.limits.http.refusalsPerSecond;
      log.event('warn', 'refusals of an address are delayed', { client, limit, key: 'limits.http.refusalsPerSecond' });
    },
  );
  const graphql = makeGraphqlEndpoint(
    compiled,
    penaltyBox,
    topics.length === 0 ? null : observers,
    (local) => shared?.makePersistedStore(local, persisted) ?? local,
  );
  const isShedding = (): boolean => overload.shedsNext();
  const subscriptions = new SubscriptionsEndpoint(compiled, graphql, bus, {
    finish,
    budgets,
    isShedding,
    began: (field, { transport, exchange }) => {
      const { id, client, caller } = exchange;
      log.event('info', 'subscription began', { id, client, caller, field, transport });
    },
    ended: (field, { transport, exchange }, why, events) => {
      const { id, client, caller } = exchange;
      log.event('info', 'subscription ended', { id, client, caller, field, transport, why, events });
    },
    report: (field, outcome) => metrics.subscriptionEvent(field, outcome),
  });
  const endpoints = { graphql, live: subscriptions };
  const handler = makeRequestHandler(compiled, endpoints, {
    finish,
    budgets,
    nonces: shared?.nonces ?? null,
    penaltyBox,
    isShedding,
    onViolation: (exchange) => (refusal) => {
      metrics.violation(exchange.route, refusal.code);
      log.violation(exchange, refusal);
    },
  });
  const traffic = new TrafficServer(
    handler,
    config.limits.http,
    {
      refused(client, method, refusal) {
        const exchange = new Exchange(nextExchangeId(), client, method);
        exchange.status = wireStatus(refusal, 'http');
        exchange.refuse(refusal);
        finish(exchange);
        return exchange.id;
      },
    },
    penaltyBox,
    subscriptions,
  );
  let ready = true;
  const admin = makeAdminServer({
    metrics: () => metrics.registry.metrics(),
    metricsType: metrics.registry.contentType,
    ...adminHosts(config, log),
    isReady: () => ready,
  });
  const url = await listen(traffic.server, config.listen);
  const adminUrl = operators === 'here' ? await listen(admin, config.admin) : '';
  shared?.start();
  return {
    url,
    adminUrl,
    listMetrics: () => metrics.registry.getMetricsAsJSON(),
    async drain(turn) {
      ready = false;
      overload.close();
      await drift.close();
      const closing = subscriptions.close();
      const forced = await traffic.drain(config.limits.http.drainMillis, turn);
      await closing;
      await bus.close();
      await shared?.close();
      await compiled.close();
      await closeServer(admin);
      return forced;
    },
  };
}

/** Listens on `host:port`; returns the address as a URL, with the port the system gave for 0. */
export function listen(server: Server, address: string): Promise<string> {
  const parsed = parseAddress(address);
  if (parsed === null) throw new Error('the configuration let an address pass that is none');
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(parsed.port, parsed.host, () => {
      server.off('error', reject);
      const bound = server.address();
      const port = typeof bound === 'object' && bound !== null ? bound.port : parsed.port;
      resolve(`http://${parsed.host.includes(':') ? `[${parsed.host}]` : parsed.host}:${port}`);
    });
  });
}

/** Closes a server with all its connections; one that never listened is closed already. */
export function closeServer(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}
