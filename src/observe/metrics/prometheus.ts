import {
  AggregatorRegistry,
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  Registry,
} from 'prom-client';
import { addToGroup } from '../../base/groups.js';
import { TimeSlices } from '../../base/time-slices.js';

import type { Labels } from './retired-labels.js';
import { Buckets, makeSum, type Sum, TallyTable } from './tally.js';

/** The name, the labels and the meaning of a metric. */
export interface MetricText {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly string[];
}

/** The text of a metric that is read when the metrics are collected. */
export interface SampledText extends MetricText {
  /** The greatest value of several processes counts, not their sum. */
  readonly aggregator?: 'min' | 'max' | undefined;
}

/** A number read when the metrics are collected, with the values of its labels. */
export interface Sample {
  readonly labels: readonly string[];
  readonly value: number;
}

type Values = Awaited<ReturnType<Histogram['get']>>['values'];

const labelsOf = (names: readonly string[], values: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.map((name, index): [string, string] => [name, values[index] ?? '']));

/** Prints one metric after the other: of 500 services all of them take 150 ms. */
async function printInSlices(registry: Registry): Promise<string> {
  const slices = new TimeSlices();
  const texts: string[] = [];
  for (const { name } of registry.getMetricsAsArray()) {
    texts.push(await registry.getSingleMetricAsString(name));
    await slices.pause();
  }
  return `${texts.join('\n\n')}\n`;
}

class SlicedRegistry extends Registry {
  override metrics(): Promise<string> {
    return printInSlices(this);
  }
}

/** The metrics of one process, in the text format of Prometheus. The package behind it is known to this file alone. */
export class MetricBook {
  readonly registry = new SlicedRegistry();
  readonly #tallied: (TalliedCounter | TalliedHistogram)[] = [];

  counter(text: MetricText): TalliedCounter {
    const counter = new TalliedCounter(this.registry, text);
    this.#tallied.push(counter);
    return counter;
  }

  histogram(text: MetricText, bounds: readonly number[]): TalliedHistogram {
    const histogram = new TalliedHistogram(this.registry, text, bounds);
    this.#tallied.push(histogram);
    return histogram;
  }

  /** Drops what is counted under labels that are retired. */
  retire(isRetired: (labels: Labels) => boolean): void {
    for (const metric of this.#tallied) metric.retire(isRetired);
  }

  /** A gauge, or with `counter` something that only grows, that is read when asked for. */
  addSampled(kind: 'gauge' | 'counter', text: SampledText, read: () => readonly Sample[]): void {
    const { name, help, labels: names = [], aggregator } = text;
    const labelNames = [...names];
    const shared = { name, help, labelNames, registers: [this.registry] };
    const configuration = aggregator === undefined ? shared : { ...shared, aggregator };
    if (kind === 'gauge') {
      new Gauge({
        ...configuration,
        collect() {
          this.reset();
          for (const { labels, value } of read()) this.set(labelsOf(labelNames, labels), value);
        },
      });
      return;
    }
    new Counter({
      ...configuration,
      collect() {
        this.reset();
        for (const { labels, value } of read()) this.inc(labelsOf(labelNames, labels), value);
      },
    });
  }

  /** The default metrics of a Node process. */
  addProcess(prefix: string): void {
    // Each of its measurements of the event loop wakes an idle process.
    collectDefaultMetrics({ register: this.registry, prefix, eventLoopMonitoringPrecision: 50 });
  }
}

/**
 * A counter whose values lie in a table of ours. The package would look up each combination of labels by a text made
 * for it, several times a request.
 */
class TalliedCounter extends Counter {
  readonly #labels: readonly string[];
  readonly #table: TallyTable<Sum>;

  constructor(registry: Registry, { name, help, labels = [] }: MetricText) {
    super({ name, help, labelNames: [...labels], registers: [registry] });
    this.#labels = labels;
    this.#table = new TallyTable(labels.length, makeSum);
  }

  add(amount: number, first?: string, second?: string, third?: string, fourth?: string): void {
    this.#table.find(first, second, third, fourth).value += amount;
  }

  retire(isRetired: (labels: Labels) => boolean): void {
    this.#table.drop((values) => isRetired(labelsOf(this.#labels, values)));
  }

  override async get(): ReturnType<Counter['get']> {
    const values = this.#table.rows.map(({ values, tally }) => ({
      labels: labelsOf(this.#labels, values),
      value: tally.value,
    }));
    return { ...(await super.get()), values };
  }
}

/** A histogram whose buckets lie in a table of ours. */
class TalliedHistogram extends Histogram {
  readonly #text: MetricText;
  readonly #bounds: readonly number[];
  readonly #table: TallyTable<Buckets>;
  /** Never filled and in no registry: gives the package what it needs besides the values. */
  readonly #empty: Histogram;

  constructor(registry: Registry, text: MetricText, bounds: readonly number[]) {
    const configuration = {
      name: text.name,
      help: text.help,
      labelNames: [...(text.labels ?? [])],
    };
    super({ ...configuration, registers: [registry] });
    this.#text = text;
    this.#bounds = bounds;
    this.#empty = new Histogram({ ...configuration, registers: [] });
    this.#table = new TallyTable(configuration.labelNames.length, () => new Buckets(bounds));
  }

  /** `exemplar` names the request that the value is of; null for none. */
  add(value: number, first?: string, second?: string, exemplar: string | null = null): void {
    this.#table.find(first, second).observe(value, exemplar);
  }

  retire(isRetired: (labels: Labels) => boolean): void {
    this.#table.drop((values) => isRetired(labelsOf(this.#text.labels ?? [], values)));
  }

  override async get(): ReturnType<Histogram['get']> {
    const values = this.#table.rows.flatMap(({ values, tally }) => this.#series(values, tally));
    return { ...(await this.#empty.get()), values };
  }

  /** Called by the registry before `get`, which would return the package's own values. */
  getForPromString(): ReturnType<Histogram['get']> {
    return this.get();
  }

  #series(names: readonly string[], { counts, sum, exemplars }: Buckets): Values {
    const { name, labels: labelNames = [] } = this.#text;
    const labels = labelsOf(labelNames, names);
    const series: Values = [];
    let count = 0;
    for (let index = 0; index <= this.#bounds.length; index++) {
      count += counts[index] ?? 0;
      const le = this.#bounds[index] ?? '+Inf';
      const bucket = { metricName: `${name}_bucket`, labels: { le, ...labels }, value: count };
      const exemplar = exemplars?.[index] ?? null;
      series.push(exemplar === null ? bucket : Object.assign(bucket, { exemplar }));
    }
    series.push({ metricName: `${name}_sum`, labels, value: sum });
    series.push({ metricName: `${name}_count`, labels, value: count });
    return series;
  }
}

/** The media type of what is printed here. */
export const METRICS_TYPE: string = Registry.PROMETHEUS_CONTENT_TYPE;

/** One number of a metric. */
export interface MetricPoint {
  readonly labels: Readonly<Record<string, string | number | undefined>>;
  readonly value: number;
}

/** The numbers of a list that have one of these names, by name; those of histograms by the name of their series. */
export function pointsOf(
  list: MetricList,
  names: ReadonlySet<string>,
): ReadonlyMap<string, readonly MetricPoint[]> {
  const found = new Map<string, MetricPoint[]>();
  for (const metric of list) {
    if (!names.has(metric.name)) continue;
    for (const each of metric.values) {
      const name =
        'metricName' in each && typeof each.metricName === 'string' ? each.metricName : metric.name;
      addToGroup(found, name, { labels: { ...each.labels }, value: each.value });
    }
  }
  return found;
}

/** All metrics of a process with their values; another process can add it to its own. */
export type MetricList = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

const SUMS: ReadonlySet<string> = new Set(['counter', 'histogram']);

/** Those that only grow. */
export const sumsOf = (list: MetricList): MetricList =>
  list.filter(({ type }) => SUMS.has(String(type)));

/** A list without what is counted under labels that are retired. */
export const withoutLabels = (
  list: MetricList,
  isRetired: (labels: Labels) => boolean,
): MetricList =>
  list.map((metric) =>
    Object.assign({}, metric, { values: metric.values.filter(({ labels }) => !isRetired(labels)) }),
  );

/** The metrics of several processes as those of one. */
export const addUp = (lists: readonly MetricList[]): Promise<MetricList> =>
  AggregatorRegistry.aggregate([...lists]).getMetricsAsJSON();

/** Prints the metrics of several processes as those of one, in the text format of Prometheus. */
export const printMetricLists = (lists: readonly MetricList[]): Promise<string> =>
  printInSlices(AggregatorRegistry.aggregate([...lists]));
