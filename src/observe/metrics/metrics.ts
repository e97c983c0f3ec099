import type { Pace } from '../../core/index.js';
import type { Exchange } from '../../gateway/exchange.js';
import {
  addLoadMetrics,
  addProcessGauges,
  addWorkerGauges,
  type ConfigLoads,
  FIRST_LOAD,
  type ProcessGauges,
} from './gauges.js';
import { counter, histogram, MetricBook } from './metric-book.js';
import type { MetricList } from './metric-table.js';
import { ReplySizes } from './reply-sizes.js';
import { type LabelNames, retiredLabels } from './retired-labels.js';
import { OTHER } from './tally.js';
import { addUpstreamGauges, type UpstreamGauges } from './upstream-gauges.js';
import { UpstreamTotals } from './upstream-totals.js';

/**
 * Upper bounds of the times of requests, in seconds: from a small call on the same machine to the
 * default total timeout of an upstream.
 */
export const REQUEST_SECONDS = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
];
const COSTS = [1, 5, 10, 25, 50, 100, 250, 500, 1000, 5000];

/** Metrics of requests, in the order in which they are printed. */
const REQUEST_METRICS = {
  requests: counter(
    'soapstone_requests_total',
    ['route', 'operation', 'dialect', 'outcome'],
    'Requests finished, by route, operation, dialect and outcome (ok, fault, ' +
      'refused, failed, aborted).',
  ),
  responses: counter(
    'soapstone_responses_total',
    ['route', 'operation', 'status'],
    'Answers sent, by route, operation and HTTP status.',
  ),
  seconds: histogram(
    'soapstone_request_duration_seconds',
    ['route', 'operation'],
    REQUEST_SECONDS,
    'Time from the first line of a request to the last byte of its answer.',
  ),
  upstreamSeconds: histogram(
    'soapstone_upstream_duration_seconds',
    ['route'],
    REQUEST_SECONDS,
    'Time of one request spent waiting for upstream calls, added up.',
  ),
  heldSeconds: histogram(
    'soapstone_held_head_duration_seconds',
    ['route'],
    REQUEST_SECONDS,
    'Time from the first line of a SOAP request until its head was validated and the ' +
      'rest could be forwarded.',
  ),
  refusals: counter(
    'soapstone_refusals_total',
    ['route', 'code'],
    'Requests that ended in a refusal or a failure, by its code.',
  ),
  violations: counter(
    'soapstone_monitored_violations_total',
    ['service', 'code'],
    'Messages of services in monitor mode that would have been refused, by rule.',
  ),
  looks: counter(
    'soapstone_wsdl_looks_total',
    ['service', 'outcome'],
    'Looks at the WSDLs that backends show, by outcome (same, changed, failed).',
  ),
  shadows: counter(
    'soapstone_shadow_total',
    ['service', 'operation', 'outcome'],
    'Reads that a second backend gets as well (`shadow`), by outcome: `same` or `different` ' +
      'replies, `failed` there, `skipped` beyond the bounds or without a reply to compare with.',
  ),
  invalid: counter(
    'soapstone_schema_violations_total',
    ['service', 'operation', 'direction', 'rule'],
    'Messages whose content broke the schema or could not be validated (rule `unvalidated`), ' +
      'by direction (request, reply) and class of the rule.',
  ),
  bridged: counter(
    'soapstone_bridged_total',
    ['route', 'from', 'to'],
    'SOAP requests that were put into the version of the backend, by the version of the caller ' +
      'and that of the backend.',
  ),
  recordings: counter(
    'soapstone_recorded_total',
    ['service', 'outcome'],
    'Exchanges with backends that were to be recorded, by outcome (taken, skipped beyond a ' +
      'limit, failed where files cannot be written).',
  ),
  tolerated: counter(
    'soapstone_tolerated_total',
    ['service', 'operation', 'deviation'],
    'Replies with a deviation that `tolerate` lets pass, by its name.',
  ),
  tolerable: counter(
    'soapstone_tolerable_total',
    ['service', 'operation', 'deviation'],
    'Replies with a deviation that `tolerate` would let pass and does not name.',
  ),
  limits: counter(
    'soapstone_graphql_limit_refusals_total',
    ['limit'],
    'GraphQL requests that were refused because they were beyond a limit.',
  ),
  measured: counter(
    'soapstone_graphql_would_refuse_total',
    ['limit'],
    'GraphQL requests that were beyond a limit that is only measured.',
  ),
  faults: counter(
    'soapstone_faults_total',
    ['route', 'origin', 'code'],
    'Faults answered, by origin (backend, gateway) and fault code.',
  ),
  bytes: counter(
    'soapstone_bytes_total',
    ['route', 'operation', 'direction'],
    'Bytes of message bodies, by direction (in, out) and read past unselected (skipped).',
  ),
  policy: counter(
    'soapstone_authorization_decisions_total',
    ['result'],
    'Answers of the decision point of `clients.authorize`, by result ' +
      '(allowed, denied, failed).',
  ),
  cacheUses: counter(
    'soapstone_cache_requests_total',
    ['service', 'operation', 'outcome'],
    'Calls of operations declared to read, and of requests with an idempotency key, ' +
      'by outcome (hit, coalesced, miss, stale, bypass, kept).',
  ),
  cost: histogram(
    'soapstone_graphql_cost',
    [],
    COSTS,
    'Static cost of admitted GraphQL operations.',
  ),
  actualCost: histogram(
    'soapstone_graphql_cost_actual',
    [],
    COSTS,
    'Actual cost of GraphQL operations after they had run, in points.',
  ),
};

/** Metrics of what is no request, after the sizes of replies. */
const PROCESS_METRICS = {
  redis: counter(
    'soapstone_redis_operations_total',
    ['operation', 'outcome'],
    'Operations of Redis, by outcome (ok, error, timeout, down: not tried; ' +
      'poisoned, forged: dropped).',
  ),
  points: counter(
    'soapstone_budget_points_total',
    ['class', 'outcome'],
    'Points of budgets by class of the client and outcome (spent, denied, refunded).',
  ),
  subscriptionEvents: counter(
    'soapstone_subscription_events_total',
    ['field', 'outcome'],
    'Events of subscriptions, by field and outcome (sent, failed, filtered, gap, overflow).',
  ),
  spans: counter(
    'soapstone_trace_spans_total',
    ['outcome'],
    'Spans of traces, by outcome (sent; dropped: too many were waiting; failed: ' +
      'the receiver refused them or was away).',
  ),
  metricPoints: counter(
    'soapstone_metric_points_total',
    ['outcome'],
    'Numbers of metrics that were sent by OTLP, by outcome (sent; failed: the receiver refused ' +
      'them or was away).',
  ),
  handshakes: counter(
    'soapstone_tls_handshakes_failed_total',
    ['reason'],
    'TLS handshakes of clients that failed, by reason (certificate_missing, ' +
      'certificate_refused, clear_text, protocol, alert: the client refused, timeout, ended: ' +
      'the client left, other).',
  ),
};

/**
 * The metrics of one process. Label values are names of the configuration, the WSDL, the schema or
 * the closed tables; anything else is `_other`.
 */
export class Metrics {
  readonly #book = new MetricBook();
  readonly upstreamTotals = new UpstreamTotals();
  readonly #requests = this.#book.add(REQUEST_METRICS);
  readonly #sizes = new ReplySizes(this.#book);
  readonly #process = this.#book.add(PROCESS_METRICS);

  /** `loads` is null where the parent process counts them. */
  constructor(
    upstreams: () => readonly UpstreamGauges[],
    process: ProcessGauges = {},
    loads: ConfigLoads | null = FIRST_LOAD,
  ) {
    const book = this.#book;
    addUpstreamGauges(book, upstreams, this.upstreamTotals);
    addProcessGauges(book, process);
    addWorkerGauges(book, 1, 1);
    if (loads !== null) {
      addLoadMetrics(book, loads);
    }
    book.addProcess('soapstone_');
  }

  /** Collects the values of all metrics. */
  list(pace: Pace): Promise<MetricList> {
    return this.#book.list(pace);
  }

  /** Called once for each request, by `finish` alone. */
  observe(exchange: Exchange, seconds: number): void {
    const { route, operation, status, refusal } = exchange;
    this.#requests.requests.add(1, route, operation, exchange.dialect, exchange.outcome);
    if (status > 0) {
      this.#requests.responses.add(1, route, operation, statusText(status));
    }
    this.#requests.seconds.add(seconds, route, operation, exchange.exemplar);
    if (exchange.upstream.calls > 0) {
      this.#requests.upstreamSeconds.add(exchange.upstream.millis / 1000, route);
    }
    if (exchange.heldMillis !== null) {
      this.#requests.heldSeconds.add(exchange.heldMillis / 1000, route);
    }
    if (exchange.bytesIn > 0) {
      this.#requests.bytes.add(exchange.bytesIn, route, operation, 'in');
    }
    if (exchange.bytesOut > 0) {
      this.#requests.bytes.add(exchange.bytesOut, route, operation, 'out');
    }
    if (exchange.upstream.bytesSkipped > 0) {
      this.#requests.bytes.add(exchange.upstream.bytesSkipped, route, operation, 'skipped');
    }
    this.#observeGraphql(exchange);
    for (const size of exchange.upstream.replySizes ?? NONE) {
      this.#sizes.record(size);
    }
    if (refusal !== null && refusal.code !== 'SOAP_FAULT') {
      this.#requests.refusals.add(1, route, refusal.code);
    }
    for (const { service, outcome } of exchange.upstream.recordings ?? NONE) {
      this.#requests.recordings.add(1, service, outcome);
    }
    if (exchange.bridgedTo !== '') {
      this.#requests.bridged.add(1, route, exchange.dialect, exchange.bridgedTo);
    }
    this.#observeDeviations(exchange);
    for (const result of exchange.policyResults ?? NONE) {
      this.#requests.policy.add(1, result);
    }
    for (const use of exchange.upstream.cacheUses ?? NONE) {
      this.#requests.cacheUses.add(1, use.service, use.operation, use.outcome);
    }
    if (exchange.faultCode !== null) {
      const origin = refusal === null || refusal.code === 'SOAP_FAULT' ? 'backend' : 'gateway';
      this.#requests.faults.add(1, route, origin, faultLabel(exchange.faultCode));
    }
  }

  #observeGraphql({ graphql, measuredLimits }: Exchange): void {
    if (graphql.exceededLimit !== null) {
      this.#requests.limits.add(1, graphql.exceededLimit);
    }
    for (const limit of measuredLimits ?? NONE) {
      this.#requests.measured.add(1, limit);
    }
    if (graphql.cost !== null) {
      this.#requests.cost.add(graphql.cost);
    }
    if (graphql.actualCost !== null) {
      this.#requests.actualCost.add(graphql.actualCost);
    }
  }

  #observeDeviations({ violations, tolerated, tolerable }: Exchange): void {
    for (const { service, operation: name, direction, rule } of violations ?? NONE) {
      this.#requests.invalid.add(1, service, name, direction, rule);
    }
    for (const { service, operation: name, deviation } of tolerated ?? NONE) {
      this.#requests.tolerated.add(1, service, name, deviation);
    }
    for (const { service, operation: name, deviation } of tolerable ?? NONE) {
      this.#requests.tolerable.add(1, service, name, deviation);
    }
  }

  /**
   * Drops what is counted under names of a configuration that has ended, unless others have them
   * too.
   */
  retire(ended: LabelNames, live: readonly LabelNames[]): void {
    const isRetired = retiredLabels(ended, live);
    this.#book.retire(isRetired);
    this.#sizes.retire(isRetired);
    this.upstreamTotals.retire(isRetired);
  }

  violation(service: string, code: string): void {
    this.#requests.violations.add(1, service, code);
  }

  /** `outcome` is spent, denied or refunded. */
  budget(className: string, outcome: string, points: number): void {
    this.#process.points.add(points, className, outcome);
  }

  redis(operation: string, outcome: string): void {
    this.#process.redis.add(1, operation, outcome);
  }

  subscriptionEvent(field: string, outcome: string): void {
    this.#process.subscriptionEvents.add(1, field, outcome);
  }

  /** `outcome` is sent, dropped or failed. */
  spans(outcome: string, amount: number): void {
    this.#process.spans.add(amount, outcome);
  }

  metricPoints(outcome: string, amount: number): void {
    this.#process.metricPoints.add(amount, outcome);
  }

  handshakeFailed(reason: string): void {
    this.#process.handshakes.add(1, reason);
  }

  looked(service: string, outcome: string): void {
    this.#requests.looks.add(1, service, outcome);
  }

  /** How a call of a second backend compares with that of the service. */
  shadow(service: string, operation: string, outcome: string): void {
    this.#requests.shadows.add(1, service, operation, outcome);
  }
}

const NONE: readonly never[] = [];

const STATUSES = new Map<number, string>();

/** A status as text. Each is printed once: there are a few dozen. */
function statusText(status: number): string {
  let text = STATUSES.get(status);
  if (text === undefined) {
    text = String(status);
    STATUSES.set(status, text);
  }
  return text;
}

/** The standard codes of all dialects; a backend may write anything. */
const FAULT_CODES: ReadonlySet<string> = new Set([
  'VersionMismatch',
  'MustUnderstand',
  'DataEncodingUnknown',
  'Client',
  'Server',
  'Sender',
  'Receiver',
]);

function faultLabel(code: string): string {
  const dot = code.indexOf('.');
  const base = dot < 0 ? code : code.slice(0, dot);
  return FAULT_CODES.has(base) ? base : OTHER;
}
