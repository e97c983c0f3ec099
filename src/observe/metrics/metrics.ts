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
import { MetricBook } from './metric-book.js';
import type { MetricList } from './metric-table.js';
import { ReplySizes } from './reply-sizes.js';
import { type LabelNames, retiredLabels } from './retired-labels.js';
import { OTHER } from './tally.js';
import { addUpstreamGauges, type UpstreamGauges } from './upstream-gauges.js';
import { UpstreamTotals } from './upstream-totals.js';

/** Seconds. From a small call on the same machine to the default total timeout of an upstream. */
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const COSTS = [1, 5, 10, 25, 50, 100, 250, 500, 1000, 5000];

const seconds = (
  book: MetricBook,
  name: string,
  help: string,
  labels: readonly string[] = ['route'],
) => book.histogram({ name, help, labels }, SECONDS);

/**
 * The metrics of one process. Label values are names of the configuration, the WSDL, the schema or
 * the closed tables; anything else is `_other`.
 */
export class Metrics {
  readonly #book = new MetricBook();
  readonly upstreamTotals = new UpstreamTotals();
  readonly #requests = this.#book.counter({
    name: 'soapstone_requests_total',
    help:
      'Requests finished, by route, operation, dialect and outcome (ok, fault, ' +
      'refused, failed, aborted).',
    labels: ['route', 'operation', 'dialect', 'outcome'],
  });
  readonly #responses = this.#book.counter({
    name: 'soapstone_responses_total',
    help: 'Answers sent, by route, operation and HTTP status.',
    labels: ['route', 'operation', 'status'],
  });
  readonly #seconds = seconds(
    this.#book,
    'soapstone_request_duration_seconds',
    'Time from the first line of a request to the last byte of its answer.',
    ['route', 'operation'],
  );
  readonly #upstreamSeconds = seconds(
    this.#book,
    'soapstone_upstream_duration_seconds',
    'Time of one request spent waiting for upstream calls, added up.',
  );
  readonly #heldSeconds = seconds(
    this.#book,
    'soapstone_held_head_duration_seconds',
    'Time from the first line of a SOAP request until its head was validated and the ' +
      'rest could be forwarded.',
  );
  readonly #refusals = this.#book.counter({
    name: 'soapstone_refusals_total',
    help: 'Requests that ended in a refusal or a failure, by its code.',
    labels: ['route', 'code'],
  });
  readonly #violations = this.#book.counter({
    name: 'soapstone_monitored_violations_total',
    help: 'Messages of services in monitor mode that would have been refused, by rule.',
    labels: ['service', 'code'],
  });
  readonly #looks = this.#book.counter({
    name: 'soapstone_wsdl_looks_total',
    help: 'Looks at the WSDLs that backends show, by outcome (same, changed, failed).',
    labels: ['service', 'outcome'],
  });
  readonly #invalid = this.#book.counter({
    name: 'soapstone_schema_violations_total',
    help:
      'Messages whose content broke the schema or could not be validated (rule `unvalidated`), ' +
      'by direction (request, reply) and class of the rule.',
    labels: ['service', 'operation', 'direction', 'rule'],
  });
  readonly #tolerated = this.#book.counter({
    name: 'soapstone_tolerated_total',
    help: 'Replies with a deviation that `tolerate` lets pass, by its name.',
    labels: ['service', 'operation', 'deviation'],
  });
  readonly #tolerable = this.#book.counter({
    name: 'soapstone_tolerable_total',
    help: 'Replies with a deviation that `tolerate` would let pass and does not name.',
    labels: ['service', 'operation', 'deviation'],
  });
  readonly #limits = this.#book.counter({
    name: 'soapstone_graphql_limit_refusals_total',
    help: 'GraphQL requests that were refused because they were beyond a limit.',
    labels: ['limit'],
  });
  readonly #measured = this.#book.counter({
    name: 'soapstone_graphql_would_refuse_total',
    help: 'GraphQL requests that were beyond a limit that is only measured.',
    labels: ['limit'],
  });
  readonly #faults = this.#book.counter({
    name: 'soapstone_faults_total',
    help: 'Faults answered, by origin (backend, gateway) and fault code.',
    labels: ['route', 'origin', 'code'],
  });
  readonly #bytes = this.#book.counter({
    name: 'soapstone_bytes_total',
    help: 'Bytes of message bodies, by direction (in, out) and read past unselected (skipped).',
    labels: ['route', 'operation', 'direction'],
  });
  readonly #policy = this.#book.counter({
    name: 'soapstone_authorization_decisions_total',
    help:
      'Answers of the decision point of `clients.authorize`, by result ' +
      '(allowed, denied, failed).',
    labels: ['result'],
  });
  readonly #cacheUses = this.#book.counter({
    name: 'soapstone_cache_requests_total',
    help:
      'Calls of operations declared to read, and of requests with an idempotency key, ' +
      'by outcome (hit, coalesced, miss, stale, bypass, kept).',
    labels: ['service', 'operation', 'outcome'],
  });
  readonly #cost = this.#book.histogram(
    { name: 'soapstone_graphql_cost', help: 'Static cost of admitted GraphQL operations.' },
    COSTS,
  );
  readonly #actualCost = this.#book.histogram(
    {
      name: 'soapstone_graphql_cost_actual',
      help: 'Actual cost of GraphQL operations after they had run, in points.',
    },
    COSTS,
  );
  readonly #sizes = new ReplySizes(this.#book);
  readonly #redis = this.#book.counter({
    name: 'soapstone_redis_operations_total',
    help:
      'Operations of Redis, by outcome (ok, error, timeout, down: not tried; ' +
      'poisoned, forged: dropped).',
    labels: ['operation', 'outcome'],
  });
  readonly #points = this.#book.counter({
    name: 'soapstone_budget_points_total',
    help: 'Points of budgets by class of the client and outcome (spent, denied, refunded).',
    labels: ['class', 'outcome'],
  });
  readonly #subscriptionEvents = this.#book.counter({
    name: 'soapstone_subscription_events_total',
    help: 'Events of subscriptions, by field and outcome (sent, failed, filtered, gap, overflow).',
    labels: ['field', 'outcome'],
  });
  readonly #spans = this.#book.counter({
    name: 'soapstone_trace_spans_total',
    help:
      'Spans of traces, by outcome (sent; dropped: too many were waiting; failed: ' +
      'the receiver refused them or was away).',
    labels: ['outcome'],
  });
  readonly #handshakes = this.#book.counter({
    name: 'soapstone_tls_handshakes_failed_total',
    help:
      'TLS handshakes of clients that failed, by reason (certificate_missing, ' +
      'certificate_refused, clear_text, protocol, alert: the client refused, timeout, ended: ' +
      'the client left, other).',
    labels: ['reason'],
  });

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
    this.#requests.add(1, route, operation, exchange.dialect, exchange.outcome);
    if (status > 0) {
      this.#responses.add(1, route, operation, statusText(status));
    }
    this.#seconds.add(seconds, route, operation, exchange.exemplar);
    if (exchange.upstream.calls > 0) {
      this.#upstreamSeconds.add(exchange.upstream.millis / 1000, route);
    }
    if (exchange.heldMillis !== null) {
      this.#heldSeconds.add(exchange.heldMillis / 1000, route);
    }
    if (exchange.bytesIn > 0) {
      this.#bytes.add(exchange.bytesIn, route, operation, 'in');
    }
    if (exchange.bytesOut > 0) {
      this.#bytes.add(exchange.bytesOut, route, operation, 'out');
    }
    if (exchange.upstream.bytesSkipped > 0) {
      this.#bytes.add(exchange.upstream.bytesSkipped, route, operation, 'skipped');
    }
    this.#observeGraphql(exchange);
    for (const size of exchange.upstream.replySizes ?? NONE) {
      this.#sizes.record(size);
    }
    if (refusal !== null && refusal.code !== 'SOAP_FAULT') {
      this.#refusals.add(1, route, refusal.code);
    }
    this.#observeDeviations(exchange);
    for (const result of exchange.policyResults ?? NONE) {
      this.#policy.add(1, result);
    }
    for (const use of exchange.upstream.cacheUses ?? NONE) {
      this.#cacheUses.add(1, use.service, use.operation, use.outcome);
    }
    if (exchange.faultCode !== null) {
      const origin = refusal === null || refusal.code === 'SOAP_FAULT' ? 'backend' : 'gateway';
      this.#faults.add(1, route, origin, faultLabel(exchange.faultCode));
    }
  }

  #observeGraphql({ graphql, measuredLimits }: Exchange): void {
    if (graphql.exceededLimit !== null) {
      this.#limits.add(1, graphql.exceededLimit);
    }
    for (const limit of measuredLimits ?? NONE) {
      this.#measured.add(1, limit);
    }
    if (graphql.cost !== null) {
      this.#cost.add(graphql.cost);
    }
    if (graphql.actualCost !== null) {
      this.#actualCost.add(graphql.actualCost);
    }
  }

  #observeDeviations({ violations, tolerated, tolerable }: Exchange): void {
    for (const { service, operation: name, direction, rule } of violations ?? NONE) {
      this.#invalid.add(1, service, name, direction, rule);
    }
    for (const { service, operation: name, deviation } of tolerated ?? NONE) {
      this.#tolerated.add(1, service, name, deviation);
    }
    for (const { service, operation: name, deviation } of tolerable ?? NONE) {
      this.#tolerable.add(1, service, name, deviation);
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
    this.#violations.add(1, service, code);
  }

  /** `outcome` is spent, denied or refunded. */
  budget(className: string, outcome: string, points: number): void {
    this.#points.add(points, className, outcome);
  }

  redis(operation: string, outcome: string): void {
    this.#redis.add(1, operation, outcome);
  }

  subscriptionEvent(field: string, outcome: string): void {
    this.#subscriptionEvents.add(1, field, outcome);
  }

  /** `outcome` is sent, dropped or failed. */
  spans(outcome: string, amount: number): void {
    this.#spans.add(amount, outcome);
  }

  handshakeFailed(reason: string): void {
    this.#handshakes.add(1, reason);
  }

  looked(service: string, outcome: string): void {
    this.#looks.add(1, service, outcome);
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
