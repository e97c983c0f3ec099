import type { collections } from '../../core/index.js';
import type { MetricBook } from './metric-book.js';
import type { UpstreamTotals } from './upstream-totals.js';

/** Gauges of one upstream, read when the metrics are collected. */
export interface UpstreamGauges {
  readonly service: string;
  readonly active: () => number;
  readonly waiting: () => number;
  readonly paced: () => number;
  /** Addresses whose circuit breaker is in this state. */
  readonly breakers: (state: 'open' | 'half-open') => number;
  readonly addresses?: () => readonly AddressGauges[];
  /** When the first certificate of its TLS ends; null without one. */
  readonly certificateEndMillis?: () => number | null;
  /** Connections for subscriptions; absent where there are none. */
  readonly subscriptions?: () => number;
}

/** One address of an upstream. */
export interface AddressGauges {
  /** Host, port and path as configured. */
  readonly address: string;
  readonly isUp: boolean;
  /** Each call gets a connection of its own. */
  readonly isReuseSuspended: boolean;
  /** IP addresses that are called. */
  readonly records: number;
}

/** Adds the gauges of upstreams. */
export function addUpstreamGauges(
  book: MetricBook,
  upstreams: () => readonly UpstreamGauges[],
  totals: UpstreamTotals,
): void {
  const read = (name: string, help: string, value: (upstream: UpstreamGauges) => number): void =>
    book.addSampled('gauge', { name, help, labels: ['service'] }, function* () {
      for (const upstream of upstreams()) {
        yield { labels: [upstream.service], value: value(upstream) };
      }
    });
  read('soapstone_upstream_calls_active', 'Upstream calls in flight.', (upstream) =>
    upstream.active(),
  );
  read(
    'soapstone_upstream_calls_waiting',
    'Upstream calls that wait for a connection.',
    (upstream) => upstream.waiting(),
  );
  read(
    'soapstone_upstream_calls_paced',
    'Upstream calls that wait for the rate of the service.',
    (upstream) => upstream.paced(),
  );
  const open = 'Addresses of the upstream whose circuit breaker is open: they are not called.';
  read('soapstone_upstream_breakers_open', open, (upstream) => upstream.breakers('open'));
  const halfOpen =
    'Addresses of the upstream whose circuit breaker is half open: a few calls try them.';
  read('soapstone_upstream_breakers_half_open', halfOpen, (upstream) =>
    upstream.breakers('half-open'),
  );
  const expiry = {
    name: 'soapstone_upstream_certificate_expiry_timestamp_seconds',
    help: 'When the certificate of the gateway at the upstream, or one of its authorities, ends.',
    labels: ['service'],
    // The value is the same in all workers.
    aggregator: 'max',
  } as const;
  book.addSampled('gauge', expiry, function* () {
    for (const { service, certificateEndMillis } of upstreams()) {
      const endMillis = certificateEndMillis?.() ?? null;
      if (endMillis !== null) {
        yield { labels: [service], value: endMillis / 1000 };
      }
    }
  });
  addAddressGauges(book, upstreams);
  addAddressCounters(book, totals);
  const subscriptions = 'Connections for subscriptions at the upstream, which speaks GraphQL.';
  read(
    'soapstone_upstream_subscriptions',
    subscriptions,
    (upstream) => upstream.subscriptions?.() ?? 0,
  );
}

const LABELS = ['service', 'address'];

/** Adds the state of each address of the upstreams. */
function addAddressGauges(book: MetricBook, upstreams: () => readonly UpstreamGauges[]): void {
  const add = (
    name: string,
    help: string,
    read: (address: AddressGauges) => number,
    aggregator?: 'max',
  ): void =>
    book.addSampled('gauge', { name, help, labels: LABELS, aggregator }, function* () {
      for (const { service, addresses } of upstreams()) {
        for (const address of addresses?.() ?? []) {
          yield { labels: [service, address.address], value: read(address) };
        }
      }
    });
  const up = 'Processes that call the address, if only to try it: its circuit breaker is not open.';
  add('soapstone_upstream_address_up', up, ({ isUp }) => (isUp ? 1 : 0));
  const reuse =
    'Processes that make a connection for each call: the address answered out of turn lately ' +
    '(ten minutes, more after a relapse).';
  add('soapstone_upstream_reuse_suspended', reuse, ({ isReuseSuspended }) =>
    isReuseSuspended ? 1 : 0,
  );
  const records = 'IP addresses at which the address is called; of several processes the most.';
  add('soapstone_upstream_records', records, (address) => address.records, 'max');
}

/** Adds what is counted of each address since the start of the process. */
function addAddressCounters(book: MetricBook, upstreamTotals: UpstreamTotals): void {
  const add = (
    name: string,
    help: string,
    read: (totals: collections.AddressTotals) => number,
  ): void =>
    book.addSampled('counter', { name, help, labels: LABELS }, function* () {
      for (const { labels, totals } of upstreamTotals.list()) {
        yield { labels, value: read(totals) };
      }
    });
  const lookups = 'Times the name of the address could not be resolved.';
  add('soapstone_upstream_lookups_failed_total', lookups, ({ failedLookups }) => failedLookups);
  add(
    'soapstone_upstream_attempts_total',
    'Calls sent to the address, retries too.',
    ({ calls }) => calls,
  );
  const byReason = (
    name: string,
    help: string,
    read: (totals: collections.AddressTotals) => ReadonlyMap<string, number>,
  ): void =>
    book.addSampled('counter', { name, help, labels: [...LABELS, 'reason'] }, function* () {
      for (const { labels, totals } of upstreamTotals.list()) {
        for (const [reason, value] of read(totals)) {
          yield { labels: [...labels, reason], value };
        }
      }
    });
  const failures = 'Of these, those that failed, by the code of the refusal. A Fault is an answer.';
  byReason('soapstone_upstream_attempts_failed_total', failures, (totals) => totals.failures);
  const ejections =
    'Times the address was no longer called: failures in a row, errors or latency against the ' +
    'others, health checks.';
  byReason('soapstone_upstream_ejections_total', ejections, (totals) => totals.ejections);
}
