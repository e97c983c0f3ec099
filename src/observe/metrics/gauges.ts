import { version as nodeVersion } from 'node:process';

import { inputFiles } from '../../core/index.js';
import type { SinkState } from '../log/log-sink.js';
import type { MetricBook, Sample } from './metric-book.js';

/** When the first certificate and the first revocation list of a listener end; null without one. */
interface ListenerGauges {
  readonly address: string;
  readonly certificateMillis: number | null;
  readonly listMillis: number | null;
}

/** Gauges of the rest of the process, read when the metrics are collected. */
export interface ProcessGauges {
  /** Connections of clients that are open. */
  readonly connections?: () => number;
  /** Connections of clients that were closed at once because there were too many. */
  readonly droppedConnections?: () => number;
  /** Refused requests whose answer waits because their address has too many of them. */
  readonly heldRefusals?: () => number;
  readonly droppedLogLines?: () => number;
  /** Log lines that were sent by OTLP, by outcome. */
  readonly exportedLogLines?: () => Readonly<Record<string, number>>;
  readonly droppedAuditLines?: () => number;
  readonly log?: () => SinkState;
  /** Absent where there is no audit. */
  readonly audit?: () => SinkState;
  /** The addresses that speak TLS. */
  readonly listeners?: () => readonly ListenerGauges[];
  readonly isShedding?: () => boolean;
  readonly eventLoopDelayMillis?: () => number;
  /** The cached replies. */
  readonly cache?: () => { readonly bytes: number; readonly entries: number };
  /** Callers that wait for a call of another caller. */
  readonly callSharers?: () => number;
  readonly drift?: () => readonly DriftGauge[];
  /** The services whose WSDL was taken from the backend. */
  readonly takenWsdls?: () => readonly { readonly service: string; readonly takenMillis: number }[];
  /** The share of each new backend that gets calls of a service. */
  readonly canaries?: () => readonly { readonly service: string; readonly share: number }[];
  readonly webSockets?: () => number;
  /** That run, by field. */
  readonly subscriptions?: () => ReadonlyMap<string, number>;
  readonly subscriptionPollers?: () => number;
  /** Clients whose budget is nearly spent, by class. */
  readonly nearlyEmptyBudgets?: () => ReadonlyMap<string, number>;
  /** Absent where there is no Redis. */
  readonly isRedisUp?: () => boolean;
}

/** How the WSDL a backend shows differs from the one that is served. */
interface DriftGauge {
  readonly service: string;
  readonly severity: string;
  readonly count: number;
}

/** The configurations that this process has loaded. */
export interface ConfigLoads {
  ok: number;
  refused: number;
  /** The files are those that run, as far as they have been read. */
  isCurrent: boolean;
  /** 1 at the start; each reload adds one. */
  generation: number;
  /** Reloads that took protection away, and those that were refused because they would have. */
  weakerTaken: number;
  weakerRefused: number;
}

/** The loads of a process that does not reload. */
export const FIRST_LOAD: ConfigLoads = {
  ok: 1,
  refused: 0,
  isCurrent: true,
  generation: 1,
  weakerTaken: 0,
  weakerRefused: 0,
};

/** Adds the metrics of loads: one process of several counts for all. */
export function addLoadMetrics(book: MetricBook, loads: ConfigLoads): void {
  const addResults = (
    name: string,
    help: string,
    read: () => Readonly<Record<string, number>>,
  ): void =>
    book.addSampled('counter', { name, help, labels: ['result'] }, () =>
      Object.entries(read()).map(([result, value]) => ({ labels: [result], value })),
    );
  const results = 'Configurations loaded at the start and by reloads, by result (ok, refused).';
  addResults('soapstone_config_loads_total', results, () => ({
    ok: loads.ok,
    refused: loads.refused,
  }));
  const weaker =
    'Reloads of a configuration that takes protection away, by result: ' +
    '`taken` where an operator asked for it or `reload.weaker` is `take`, else `refused`.';
  addResults('soapstone_config_weaker_total', weaker, () => ({
    taken: loads.weakerTaken,
    refused: loads.weakerRefused,
  }));
  const current = {
    name: 'soapstone_config_current',
    help:
      'Whether the files of the configuration are what runs: 0 from a reload that was refused ' +
      'until one is taken.',
    aggregator: 'min',
  } as const;
  book.addSampled('gauge', current, () => [{ labels: [], value: loads.isCurrent ? 1 : 0 }]);
  const generation = {
    name: 'soapstone_generation',
    help:
      'Number of the configuration that new requests use: 1 at the start, ' +
      'one more with each reload.',
    aggregator: 'max',
  } as const;
  book.addSampled('gauge', generation, () => [{ labels: [], value: loads.generation }]);
}

/**
 * How many processes there should be, and how many have answered; each process of several answers
 * for itself.
 */
export function addWorkerGauges(book: MetricBook, workers: number, answered: number): void {
  const one = (value: number) => (): readonly Sample[] => [{ labels: [], value }];
  const wanted = 'Processes that should take requests.';
  book.addSampled(
    'gauge',
    { name: 'soapstone_workers', help: wanted, aggregator: 'max' },
    one(workers),
  );
  const help =
    'Processes whose metrics are in this answer. Of others, which start, hang or have ' +
    'ended, the last counts are.';
  book.addSampled('gauge', { name: 'soapstone_workers_answered', help }, one(answered));
}

/** Adds when certificates and revocation lists of listeners end: the same in all workers. */
function addListenerGauges(book: MetricBook, listeners: () => readonly ListenerGauges[]): void {
  const add = (
    name: string,
    help: string,
    millisOf: (listener: ListenerGauges) => number | null,
  ): void =>
    book.addSampled('gauge', { name, help, labels: ['listener'], aggregator: 'max' }, () =>
      listeners().flatMap((listener): Sample[] => {
        const millis = millisOf(listener);
        return millis === null ? [] : [{ labels: [listener.address], value: millis / 1000 }];
      }),
    );
  const certificate =
    'When the first certificate of the listener, or of its authorities for clients, ends.';
  add(
    'soapstone_listener_certificate_expiry_timestamp_seconds',
    certificate,
    (each) => each.certificateMillis,
  );
  const list =
    'When the first revocation list of the listener ends: then all certificates of its ' +
    'authority are refused.';
  add('soapstone_listener_crl_expiry_timestamp_seconds', list, (each) => each.listMillis);
}

/** Adds the gauges of the rest of the process. */
export function addProcessGauges(book: MetricBook, process: ProcessGauges): void {
  const one = (value: number): readonly Sample[] => [{ labels: [], value }];
  const build = {
    name: 'soapstone_build_info',
    help:
      'Always 1: the versions of Soapstone and of Node. Workers that are being ' +
      'replaced may have another one.',
    labels: ['version', 'node'],
    aggregator: 'max',
  } as const;
  const versions = [{ labels: [inputFiles.packageVersion(), nodeVersion], value: 1 }];
  book.addSampled('gauge', build, () => versions);
  const addNumber = (
    kind: 'gauge' | 'counter',
    name: string,
    help: string,
    read: (() => number) | undefined,
  ): void => book.addSampled(kind, { name, help }, () => one(read?.() ?? 0));
  const addFlag = (name: string, help: string, read: (() => boolean) | undefined): void =>
    addNumber('gauge', name, help, () => (read?.() === true ? 1 : 0));
  const addBy = (
    label: string,
    name: string,
    help: string,
    read: (() => ReadonlyMap<string, number>) | undefined,
  ): void =>
    book.addSampled('gauge', { name, help, labels: [label] }, () =>
      [...(read?.() ?? [])].map(([of, value]) => ({ labels: [of], value })),
    );
  addNumber(
    'gauge',
    'soapstone_client_connections',
    'Connections of clients that are open.',
    process.connections,
  );
  const dropped = 'Connections of clients that were closed at once because there were too many.';
  addNumber(
    'counter',
    'soapstone_client_connections_dropped_total',
    dropped,
    process.droppedConnections,
  );
  const held = 'Refused requests whose answer waits because their address has too many of them.';
  addNumber('gauge', 'soapstone_refusals_held', held, process.heldRefusals);
  addRecordMetrics(book, process);
  const shedding = 'Processes that refuse new requests because they are overloaded.';
  addFlag('soapstone_shedding', shedding, process.isShedding);
  addListenerGauges(book, process.listeners ?? (() => []));
  const { isRedisUp } = process;
  if (isRedisUp !== undefined) {
    addFlag('soapstone_redis_up', 'Processes that are connected to Redis.', isRedisUp);
  }
  addNumber('gauge', 'soapstone_websockets', 'WebSockets that are open.', process.webSockets);
  const nearlyEmpty =
    'Clients that have less than a tenth of their budget left, by class; ' +
    '1,000 of a process are counted.';
  addBy('class', 'soapstone_budget_clients_nearly_empty', nearlyEmpty, process.nearlyEmptyBudgets);
  addBy(
    'field',
    'soapstone_subscriptions_active',
    'Subscriptions that run, by field.',
    process.subscriptions,
  );
  const pollers = 'Calls that are repeated for subscriptions.';
  addNumber('gauge', 'soapstone_subscription_pollers', pollers, process.subscriptionPollers);
  const { cache } = process;
  addNumber(
    'gauge',
    'soapstone_cache_bytes',
    'Bytes of replies that are remembered.',
    () => cache?.().bytes ?? 0,
  );
  addNumber(
    'gauge',
    'soapstone_cache_entries',
    'Replies that are remembered.',
    () => cache?.().entries ?? 0,
  );
  const sharers = 'Callers that wait for the reply to a call that another made.';
  addNumber('gauge', 'soapstone_call_sharers', sharers, process.callSharers);
  addWsdlGauges(book, process);
  const share = {
    name: 'soapstone_canary_share',
    help: 'The share of calls, or of callers, that the new backend of `canary` gets.',
    labels: ['service'],
    aggregator: 'max',
    isOptional: process.canaries !== undefined,
  } as const;
  book.addSampled('gauge', share, () =>
    (process.canaries?.() ?? []).map(({ service, share: value }) => ({ labels: [service], value })),
  );
  const delay = {
    name: 'soapstone_event_loop_delay_seconds',
    help:
      'How late the event loop came to its work in the last second, 99th percentile; ' +
      'of several processes the worst.',
    aggregator: 'max',
  } as const;
  book.addSampled('gauge', delay, () => one((process.eventLoopDelayMillis?.() ?? 0) / 1000));
}

/** Adds the lines of the log and of the audit: whether they are written, wait, or were dropped. */
function addRecordMetrics(book: MetricBook, process: ProcessGauges): void {
  const addDropped = (name: string, help: string, read: (() => number) | undefined): void =>
    book.addSampled('counter', { name, help }, () => [{ labels: [], value: read?.() ?? 0 }]);
  const logLines = 'Log lines that were dropped because earlier ones were not read.';
  addDropped('soapstone_log_lines_dropped_total', logLines, process.droppedLogLines);
  book.addSampled(
    'counter',
    {
      name: 'soapstone_log_lines_exported_total',
      help:
        'Log lines that were sent by OTLP, by outcome (sent; dropped: too many were waiting; ' +
        'failed: the receiver refused them or was away).',
      labels: ['outcome'],
    },
    () =>
      Object.entries(process.exportedLogLines?.() ?? {}).map(([outcome, value]) => ({
        labels: [outcome],
        value,
      })),
  );
  const auditLines =
    'Lines of `audit` that were dropped because earlier ones could not be written.';
  addDropped('soapstone_audit_lines_dropped_total', auditLines, process.droppedAuditLines);
  addSinkGauges(book, 'log', 'the log', process.log);
  addSinkGauges(book, 'audit', '`audit`', process.audit);
}

/**
 * Adds whether lines of the log or the audit are written: of several processes those of the worst.
 */
function addSinkGauges(
  book: MetricBook,
  name: 'log' | 'audit',
  of: string,
  stateOf: (() => SinkState) | undefined,
): void {
  const add = (
    suffix: string,
    help: string,
    read: (state: SinkState) => number,
    aggregator?: 'min' | 'max',
  ): void =>
    book.addSampled('gauge', { name: `soapstone_${name}_${suffix}`, help, aggregator }, () => {
      const state = stateOf?.();
      return state === undefined ? [] : [{ labels: [], value: read(state) }];
    });
  const up =
    `Whether lines of ${of} are written: 0 from a failed write on until a line is written ` +
    'again; of several processes 0 where one is.';
  add('up', up, ({ isUp }) => (isUp ? 1 : 0), 'min');
  add('lines_waiting', `Lines of ${of} that are not written yet.`, (each) => each.waitingLines);
  const age = `Time since a process has last written a line of ${of}; of several processes the longest.`;
  add('last_write_age_seconds', age, ({ ageMillis }) => ageMillis / 1000, 'max');
}

/** Adds the gauges of WSDLs that backends show. */
function addWsdlGauges(book: MetricBook, process: ProcessGauges): void {
  const drift = {
    name: 'soapstone_wsdl_drift',
    help:
      'Differences of the WSDL the backend shows from the one that is served, by severity ' +
      '(breaking, dangerous, safe).',
    labels: ['service', 'severity'],
    aggregator: 'max',
  } as const;
  book.addSampled('gauge', drift, () =>
    (process.drift?.() ?? []).map(({ service, severity, count }) => ({
      labels: [service, severity],
      value: count,
    })),
  );
  const taken = {
    name: 'soapstone_wsdl_taken_timestamp_seconds',
    help:
      'When the WSDL that is served was taken from the backend; ' +
      'absent where it is that of the configuration.',
    labels: ['service'],
    aggregator: 'max',
  } as const;
  book.addSampled('gauge', taken, () =>
    (process.takenWsdls?.() ?? []).map(({ service, takenMillis }) => ({
      labels: [service],
      value: takenMillis / 1000,
    })),
  );
}
