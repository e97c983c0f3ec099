import { ITEM_FIELD } from '../otlp/envelope.js';
import type { ProtoWriter } from '../otlp/proto-writer.js';
import type { MetricHead, MetricRow } from './metric-table.js';

/** Fields of `Metric` (opentelemetry/proto/metrics/v1/metrics.proto). */
const NAME = 1;
const DESCRIPTION = 2;
const UNIT = 3;
const GAUGE = 5;
const SUM = 7;
const HISTOGRAM = 9;
/** Fields of `Gauge`, `Sum` and `Histogram`. */
const DATA_POINTS = 1;
const TEMPORALITY = 2;
const IS_MONOTONIC = 3;
const CUMULATIVE = 2;
/** Fields of `NumberDataPoint` and `HistogramDataPoint`: times are the same in both. */
const START_TIME = 2;
const TIME = 3;
const VALUE = 4;
const COUNT = 4;
const TOTAL = 5;
const BUCKETS = 6;
const NUMBER_ATTRIBUTES = 7;
const BOUNDS = 7;
const HISTOGRAM_ATTRIBUTES = 9;

/** Bytes of the head of a metric, and of one point, at most: of five labels of 256 units. */
export const POINT_BYTES_MAX = 16 * 1024;

/** The units of OpenTelemetry by the last word of names; others have none. */
const UNITS: Readonly<Record<string, string>> = { seconds: 's', duration: 's', bytes: 'By' };

/** Labels that the semantic conventions have as numbers. */
const NUMBERS: ReadonlySet<string> = new Set(['http.response.status_code', 'server.port']);

/** The beginnings of the parts of a metric that is being written. */
export interface OpenMetric {
  readonly metric: number;
  readonly data: number;
}

/** Begins a metric; its points follow, and `endMetric`. */
export function beginMetric(writer: ProtoWriter, { name, help, type }: MetricHead): OpenMetric {
  const metric = writer.begin(ITEM_FIELD);
  writer.text(NAME, name);
  writer.text(DESCRIPTION, help);
  const last =
    name
      .replace(/_total$/, '')
      .split(/[._]/)
      .at(-1) ?? '';
  writer.text(UNIT, UNITS[last] ?? '');
  const data = writer.begin(type === 'gauge' ? GAUGE : type === 'counter' ? SUM : HISTOGRAM);
  if (type !== 'gauge') {
    writer.number(TEMPORALITY, CUMULATIVE);
  }
  if (type === 'counter') {
    writer.number(IS_MONOTONIC, 1);
  }
  return { metric, data };
}

export function endMetric(writer: ProtoWriter, { metric, data }: OpenMetric): void {
  writer.end(data);
  writer.end(metric);
}

/** The times of all points of one export, in milliseconds since 1970. */
export interface PointTimes {
  readonly startMillis: number;
  readonly nowMillis: number;
}

/** The number that a label is; the text where it is none, as in the row of too many (`_other`). */
function numberOr(value: string): number | string {
  const number = Number(value);
  return Number.isNaN(number) ? value : number;
}

/** Writes a point of the metric that was begun last. */
export function writePoint(
  writer: ProtoWriter,
  head: MetricHead,
  { values, numbers }: MetricRow,
  { startMillis, nowMillis }: PointTimes,
): void {
  const point = writer.begin(DATA_POINTS);
  const isHistogram = head.type === 'histogram';
  writer.time(START_TIME, startMillis);
  writer.time(TIME, nowMillis);
  if (isHistogram) {
    const counts = numbers.slice(0, head.bounds.length + 1);
    writer.count(
      COUNT,
      counts.reduce((sum, count) => sum + count, 0),
    );
    writer.float(TOTAL, numbers[head.bounds.length + 1] ?? 0);
    writer.counts(BUCKETS, counts);
    writer.floats(BOUNDS, head.bounds);
  } else {
    writer.float(VALUE, numbers[0] ?? 0);
  }
  for (const [index, label] of head.labels.entries()) {
    const value = values[index] ?? '';
    if (value === '') continue;
    writer.attribute(
      isHistogram ? HISTOGRAM_ATTRIBUTES : NUMBER_ATTRIBUTES,
      label,
      NUMBERS.has(label) ? numberOr(value) : value,
    );
  }
  writer.end(point);
}
