import type { Steps } from '../../core/index.js';
import type { Labels } from './retired-labels.js';
import type { Exemplar } from './tally.js';

/**
 * How the values of several processes become one; `omit`: a metric that has no value for all of
 * them.
 */
const AGGREGATORS = ['sum', 'max', 'min', 'average', 'first', 'omit'] as const;
export type Aggregator = (typeof AGGREGATORS)[number];

export const aggregatorOf = (name: string): Aggregator =>
  AGGREGATORS.find((each) => each === name) ?? 'sum';

/** The name, the labels and the kind of a metric. */
export interface MetricHead {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly labels: readonly string[];
  readonly aggregator: Aggregator;
  /** The upper bounds of the buckets of a histogram; empty for the other types. */
  readonly bounds: readonly number[];
}

/** A metric with its values. It crosses to other processes. */
export interface MetricTable extends MetricHead {
  readonly rows: readonly MetricRow[];
}

export interface MetricRow {
  /** The values of the labels. */
  readonly values: readonly string[];
  /**
   * One number. Of histograms the counts of the buckets, not cumulative, the last beyond all
   * bounds; then the sum.
   */
  readonly numbers: readonly number[];
  /** The latest traced value of each bucket; null for none. */
  readonly exemplars: readonly (Exemplar | null)[] | null;
}

/** All metrics of a process with their values. */
export type MetricList = readonly MetricTable[];

/** One number of a metric. */
export interface MetricPoint {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export const labelsOf = (
  names: readonly string[],
  values: readonly string[],
): Record<string, string> =>
  Object.fromEntries(names.map((name, index): [string, string] => [name, values[index] ?? '']));

/** A number of a row, with the part of its name and the bound that histograms have. */
export interface RowSample {
  readonly suffix: '' | '_bucket' | '_sum' | '_count';
  readonly le: string | null;
  readonly value: number;
  readonly exemplar: Exemplar | null;
}

/** The numbers of a row as they are printed: those of histograms cumulative. */
export function samplesOf({ type, bounds }: MetricHead, row: MetricRow): readonly RowSample[] {
  const { numbers, exemplars } = row;
  if (type !== 'histogram') {
    return [{ suffix: '', le: null, value: numbers[0] ?? 0, exemplar: null }];
  }
  const samples: RowSample[] = [];
  let count = 0;
  for (let index = 0; index <= bounds.length; index++) {
    count += numbers[index] ?? 0;
    const le = String(bounds[index] ?? '+Inf');
    const exemplar = exemplars?.[index] ?? null;
    samples.push({ suffix: '_bucket', le, value: count, exemplar });
  }
  const sum = numbers[bounds.length + 1] ?? 0;
  samples.push({ suffix: '_sum', le: null, value: sum, exemplar: null });
  samples.push({ suffix: '_count', le: null, value: count, exemplar: null });
  return samples;
}

/**
 * The numbers of the metrics that have one of these names, by name; those of histograms by the name
 * of their series.
 */
export function* pointsOf(
  list: MetricList,
  names: ReadonlySet<string>,
): Steps<ReadonlyMap<string, readonly MetricPoint[]>> {
  const found = new Map<string, MetricPoint[]>();
  for (const table of list) {
    if (!names.has(table.name)) continue;
    for (const row of table.rows) {
      const labels = labelsOf(table.labels, row.values);
      for (const { suffix, le, value } of samplesOf(table, row)) {
        const name = `${table.name}${suffix}`;
        const points = found.get(name) ?? [];
        found.set(name, points);
        points.push({ labels: le === null ? labels : { le, ...labels }, value });
      }
      yield;
    }
  }
  return found;
}

/** Rows of one part of a list: those of histograms have some twenty numbers. */
const PART_ROWS = 500;

/** Cuts a list into parts, which are lists. Tables of one name in several parts are one table. */
export function* metricParts(list: MetricList): Generator<MetricList> {
  let part: MetricTable[] = [];
  let left = PART_ROWS;
  for (const table of list) {
    let from = 0;
    do {
      const rows = table.rows.slice(from, from + left);
      part.push({ ...table, rows });
      from += rows.length;
      left -= rows.length;
      if (left > 0) continue;
      yield part;
      part = [];
      left = PART_ROWS;
    } while (from < table.rows.length);
  }
  yield part;
}

/** Those that only grow. */
export const sumsOf = (list: MetricList): MetricList => list.filter(({ type }) => type !== 'gauge');

/** A list without what is counted under labels that are retired. */
export function* withoutLabels(
  list: MetricList,
  isRetired: (labels: Labels) => boolean,
): Steps<MetricList> {
  const kept: MetricTable[] = [];
  for (const table of list) {
    const rows: MetricRow[] = [];
    for (const row of table.rows) {
      if (!isRetired(labelsOf(table.labels, row.values))) {
        rows.push(row);
      }
      yield;
    }
    kept.push({ ...table, rows });
  }
  return kept;
}

interface MergedRow {
  readonly values: readonly string[];
  readonly numbers: number[];
  exemplars: MetricRow['exemplars'];
  /** How many rows are in it. */
  merged: number;
}

/** Adds the metrics of several processes up to those of one. */
export function* addUp(lists: readonly MetricList[]): Steps<MetricList> {
  const merged = new Map<string, { head: MetricHead; rows: Map<string, MergedRow> }>();
  for (const table of lists.flat()) {
    if (table.aggregator === 'omit') continue;
    const { rows: _, ...head } = table;
    const into = merged.get(head.name) ?? { head, rows: new Map<string, MergedRow>() };
    merged.set(head.name, into);
    // The labels of a metric of the process are known from its first row.
    if (head.labels.length > into.head.labels.length) {
      into.head = head;
    }
    for (const row of table.rows) {
      mergeRow(into.rows, row, head.aggregator);
      yield;
    }
  }
  return [...merged.values()].map(({ head, rows }) => ({ ...head, rows: [...rows.values()] }));
}

function mergeRow(
  rows: Map<string, MergedRow>,
  { values, numbers, exemplars }: MetricRow,
  aggregator: Aggregator,
): void {
  const key = values.join('\0');
  const into = rows.get(key);
  if (into === undefined) {
    rows.set(key, { values, numbers: [...numbers], exemplars, merged: 1 });
    return;
  }
  into.merged++;
  for (const [index, number] of numbers.entries()) {
    into.numbers[index] = combine(aggregator, into.numbers[index] ?? 0, number, into.merged);
  }
  into.exemplars = latestExemplars(into.exemplars, exemplars);
}

function combine(aggregator: Aggregator, before: number, number: number, merged: number): number {
  switch (aggregator) {
    case 'max':
      return Math.max(before, number);
    case 'min':
      return Math.min(before, number);
    case 'average':
      return before + (number - before) / merged;
    case 'first':
      return before;
    default:
      return before + number;
  }
}

function latestExemplars(
  first: MetricRow['exemplars'],
  second: MetricRow['exemplars'],
): MetricRow['exemplars'] {
  if (first === null || second === null) return first ?? second;
  return first.map((one, index) => {
    const other = second[index] ?? null;
    if (one === null || other === null) return one ?? other;
    return one.unixSeconds >= other.unixSeconds ? one : other;
  });
}
