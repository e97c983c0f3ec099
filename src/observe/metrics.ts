import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

import type { Exchange } from '../base/exchange.js';

/** Seconds. From a small call on the same machine to the default total timeout of an upstream. */
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** What is read from elsewhere whenever somebody asks for the metrics. */
export interface UpstreamGauges {
  readonly service: string;
  readonly active: () => number;
  readonly waiting: () => number;
}

/**
 * The metrics of one process. Label values are names of the configuration, the WSDL, the schema or the closed tables;
 * anything else is `_other`.
 */
export class Metrics {
  readonly registry = new Registry();
  readonly #requests: Counter<'route' | 'operation' | 'dialect' | 'outcome'>;
  readonly #seconds: Histogram<'route'>;
  readonly #upstreamSeconds: Histogram<'route'>;
  readonly #refusals: Counter<'route' | 'code'>;
  readonly #violations: Counter<'service' | 'code'>;
  readonly #faults: Counter<'route' | 'origin' | 'code'>;
  readonly #bytes: Counter<'route' | 'direction'>;
  readonly #cost: Histogram<string>;
  readonly #reloads: Counter<'result'>;

  constructor(gauges: readonly UpstreamGauges[]) {
    const registers = [this.registry];
    this.#requests = new Counter({
      name: 'soapstone_requests_total',
      help: 'Requests finished, by route, operation, dialect and outcome (ok, fault, refused, failed, aborted).',
      labelNames: ['route', 'operation', 'dialect', 'outcome'],
      registers,
    });
    this.#seconds = new Histogram({
      name: 'soapstone_request_duration_seconds',
      help: 'Time from the first line of a request to the last byte of its answer.',
      labelNames: ['route'],
      buckets: SECONDS,
      registers,
    });
    this.#upstreamSeconds = new Histogram({
      name: 'soapstone_upstream_duration_seconds',
      help: 'Time of one request spent waiting for upstream calls, added up.',
      labelNames: ['route'],
      buckets: SECONDS,
      registers,
    });
    this.#refusals = new Counter({
      name: 'soapstone_refusals_total',
      help: 'Requests that ended in a refusal or a failure, by its code.',
      labelNames: ['route', 'code'],
      registers,
    });
    this.#violations = new Counter({
      name: 'soapstone_monitored_violations_total',
      help: 'Messages of services in monitor mode that would have been refused, by rule.',
      labelNames: ['service', 'code'],
      registers,
    });
    this.#faults = new Counter({
      name: 'soapstone_faults_total',
      help: 'Faults answered, by origin (backend, gateway) and fault code.',
      labelNames: ['route', 'origin', 'code'],
      registers,
    });
    this.#bytes = new Counter({
      name: 'soapstone_bytes_total',
      help: 'Bytes of message bodies, by direction (in, out) and read past unselected (skipped).',
      labelNames: ['route', 'direction'],
      registers,
    });
    this.#cost = new Histogram({
      name: 'soapstone_graphql_cost',
      help: 'Static cost of admitted GraphQL operations.',
      buckets: [1, 5, 10, 25, 50, 100, 250, 500, 1000, 5000],
      registers,
    });
    this.#reloads = new Counter({
      name: 'soapstone_config_loads_total',
      help: 'Configurations compiled, by result.',
      labelNames: ['result'],
      registers,
    });
    this.#reloads.inc({ result: 'ok' });
    addUpstreamGauges(gauges, registers);
    collectDefaultMetrics({ register: this.registry, prefix: 'soapstone_' });
  }

  /** Called once for each request, by `finish` alone. */
  observe(exchange: Exchange, seconds: number): void {
    const { route, refusal } = exchange;
    this.#requests.labels(route, exchange.operation, exchange.dialect, exchange.outcome).inc();
    this.#seconds.labels(route).observe(seconds);
    if (exchange.upstreamCalls > 0) this.#upstreamSeconds.labels(route).observe(exchange.upstreamMillis / 1000);
    if (exchange.bytesIn > 0) this.#bytes.labels(route, 'in').inc(exchange.bytesIn);
    if (exchange.bytesOut > 0) this.#bytes.labels(route, 'out').inc(exchange.bytesOut);
    if (exchange.bytesSkipped > 0) this.#bytes.labels(route, 'skipped').inc(exchange.bytesSkipped);
    if (exchange.cost !== null) this.#cost.observe(exchange.cost);
    if (refusal !== null && refusal.code !== 'SOAP_FAULT') this.#refusals.labels(route, refusal.code).inc();
    if (exchange.faultCode !== null) {
      const origin = refusal === null || refusal.code === 'SOAP_FAULT' ? 'backend' : 'gateway';
      this.#faults.labels(route, origin, faultLabel(exchange.faultCode)).inc();
    }
  }

  violation(service: string, code: string): void {
    this.#violations.labels(service, code).inc();
  }
}

/** Lets the process that forked this one read these metrics, with those of its other workers. */
export function offerMetrics(registry: Registry): void {
  AggregatorRegistry.setRegistries(registry);
  gatherMetrics();
}

/** The metrics of all processes that this one forked, added up. */
export function gatherMetrics(): { readonly metrics: () => Promise<string>; readonly metricsType: string } {
  const registry = new AggregatorRegistry();
  return { metrics: () => registry.clusterMetrics(), metricsType: registry.contentType };
}

function addUpstreamGauges(upstreams: readonly UpstreamGauges[], registers: Registry[]): void {
  const read = (name: string, help: string, value: (gauges: UpstreamGauges) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ['service'],
      registers,
      collect() {
        for (const upstream of upstreams) this.labels(upstream.service).set(value(upstream));
      },
    });
  read('soapstone_upstream_calls_active', 'Upstream calls in flight.', (upstream) => upstream.active());
  read('soapstone_upstream_calls_waiting', 'Upstream calls that wait for a connection.', (upstream) =>
    upstream.waiting(),
  );
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
  return FAULT_CODES.has(base) ? base : '_other';
}
