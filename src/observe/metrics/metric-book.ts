import type { Pace, Steps } from '../../core/index.js';
import {
  type Aggregator,
  labelsOf,
  type MetricHead,
  type MetricList,
  type MetricRow,
  type MetricTable,
} from './metric-table.js';
import { ProcessMetrics } from './process-metrics.js';
import type { Labels } from './retired-labels.js';
import { Buckets, makeSum, type Sum, TallyTable } from './tally.js';

/** The name, the labels and the meaning of a metric. */
interface MetricText {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly string[];
}

/** A row of a table of metrics: a counter, or a histogram by the upper bounds of its buckets. */
interface TalliedRow extends MetricText {
  readonly bounds: readonly number[] | null;
}

type MetricRows = Readonly<Record<string, TalliedRow>>;

/** The metrics of a table, by the names of its rows. */
type Tallied<T extends MetricRows> = {
  readonly [name in keyof T]: T[name]['bounds'] extends null ? TalliedCounter : TalliedHistogram;
};

/** A row of a counter. */
export const counter = (name: string, labels: readonly string[], help: string) => ({
  name,
  labels,
  help,
  bounds: null,
});

/** A row of a histogram. */
export const histogram = (
  name: string,
  labels: readonly string[],
  bounds: readonly number[],
  help: string,
) => ({ name, labels, help, bounds });

/** The text of a metric that is read when the metrics are collected. */
export interface SampledText extends MetricText {
  /** The least or the greatest value of several processes counts, not their sum. */
  readonly aggregator?: 'min' | 'max' | undefined;
  /** The metric is left out while it has no numbers. Absent: it stands without them. */
  readonly isOptional?: boolean;
}

/** A number read when the metrics are collected, with the values of its labels. */
export interface Sample {
  readonly labels: readonly string[];
  readonly value: number;
}

/** A metric of a book, whose rows are made when the metrics are collected. */
interface MetricSource {
  readonly head: MetricHead;
  readonly isOptional?: boolean | undefined;
  rows(): Iterable<MetricRow>;
}

const headOf = (
  type: MetricHead['type'],
  { name, help, labels = [] }: MetricText,
  aggregator: Aggregator = 'sum',
  bounds: readonly number[] = [],
): MetricHead => ({ name, help, type, labels, aggregator, bounds });

/** The metrics of one process. */
export class MetricBook {
  readonly #sources: MetricSource[] = [];
  readonly #tallied: (TalliedCounter | TalliedHistogram)[] = [];
  #process: ProcessMetrics | null = null;

  /** Makes the metrics of a table, in its order. */
  add<const T extends MetricRows>(table: T): Tallied<T> {
    const made = Object.entries(table).map(([name, row]) => {
      const metric =
        row.bounds === null ? new TalliedCounter(row) : new TalliedHistogram(row, row.bounds);
      this.#sources.push(metric);
      this.#tallied.push(metric);
      return [name, metric] as const;
    });
    return Object.fromEntries(made) as Tallied<T>;
  }

  /** Drops what is counted under labels that are retired. */
  retire(isRetired: (labels: Labels) => boolean): void {
    for (const metric of this.#tallied) {
      metric.retire(isRetired);
    }
  }

  /**
   * A gauge, or with `counter` something that only grows, that is read when asked for: of many
   * services one by one, in time slices.
   */
  addSampled(kind: 'gauge' | 'counter', text: SampledText, read: () => Iterable<Sample>): void {
    this.#sources.push({
      head: headOf(kind, text, text.aggregator),
      isOptional: text.isOptional,
      *rows() {
        for (const { labels, value } of read()) {
          yield { values: labels, numbers: [value], exemplars: null };
        }
      },
    });
  }

  /** The default metrics of a Node process. */
  addProcess(prefix: string): void {
    this.#process = new ProcessMetrics(prefix);
  }

  /** Collects the values of all metrics. */
  async list(pace: Pace): Promise<MetricList> {
    const own = await pace.run(this.#collect());
    return [...own, ...((await this.#process?.list()) ?? [])];
  }

  *#collect(): Steps<MetricTable[]> {
    const tables: MetricTable[] = [];
    for (const source of this.#sources) {
      const rows: MetricRow[] = [];
      for (const row of source.rows()) {
        rows.push(row);
        yield;
      }
      if (rows.length > 0 || source.isOptional !== true) {
        tables.push({ ...source.head, rows });
      }
    }
    return tables;
  }
}

/** A counter whose values lie in a table. */
class TalliedCounter implements MetricSource {
  readonly head: MetricHead;
  readonly #table: TallyTable<Sum>;

  constructor(text: MetricText) {
    this.head = headOf('counter', text);
    this.#table = new TallyTable(this.head.labels.length, makeSum);
  }

  add(amount: number, first?: string, second?: string, third?: string, fourth?: string): void {
    this.#table.find(first, second, third, fourth).value += amount;
  }

  retire(isRetired: (labels: Labels) => boolean): void {
    this.#table.drop((values) => isRetired(labelsOf(this.head.labels, values)));
  }

  *rows(): Iterable<MetricRow> {
    // Rows may be dropped meanwhile.
    for (const { values, tally } of [...this.#table.rows]) {
      yield { values, numbers: [tally.value], exemplars: null };
    }
  }
}

/** A histogram whose buckets lie in a table. */
class TalliedHistogram implements MetricSource {
  readonly head: MetricHead;
  readonly #table: TallyTable<Buckets>;

  constructor(text: MetricText, bounds: readonly number[]) {
    this.head = headOf('histogram', text, 'sum', bounds);
    this.#table = new TallyTable(this.head.labels.length, () => new Buckets(bounds));
  }

  /** `exemplar` names the request that the value is of; null for none. */
  add(value: number, first?: string, second?: string, exemplar: string | null = null): void {
    this.#table.find(first, second).observe(value, exemplar);
  }

  retire(isRetired: (labels: Labels) => boolean): void {
    this.#table.drop((values) => isRetired(labelsOf(this.head.labels, values)));
  }

  *rows(): Iterable<MetricRow> {
    for (const { values, tally } of [...this.#table.rows]) {
      const { counts, sum, exemplars } = tally;
      yield { values, numbers: [...counts, sum], exemplars: exemplars && [...exemplars] };
    }
  }
}
