import { collectDefaultMetrics, Registry } from 'prom-client';
import { getOrMake } from '../../core/index.js';
import {
  aggregatorOf,
  type MetricHead,
  type MetricList,
  type MetricRow,
  type MetricTable,
} from './metric-table.js';

/** A metric as prom-client gives it. */
type PackageMetric = Awaited<ReturnType<Registry['getMetricsAsJSON']>>[number];

/** The default metrics of a Node process. The package behind them is known to this file alone. */
export class ProcessMetrics {
  readonly #registry = new Registry();

  constructor(prefix: string) {
    // Each of its measurements of the event loop wakes an idle process.
    collectDefaultMetrics({ register: this.#registry, prefix, eventLoopMonitoringPrecision: 50 });
  }

  async list(): Promise<MetricList> {
    return (await this.#registry.getMetricsAsJSON()).map(tableOfPackage);
  }
}

/** Converts a metric of prom-client. */
function tableOfPackage(metric: PackageMetric): MetricTable {
  const type = typeOf(String(metric.type));
  const labels = [...new Set(metric.values.flatMap((each) => Object.keys(each.labels)))].filter(
    (name) => name !== 'le',
  );
  const valuesOf = (of: object): string[] => {
    const found = new Map<string, unknown>(Object.entries(of));
    return labels.map((label) => String(found.get(label) ?? ''));
  };
  const head = { name: metric.name, help: metric.help, type, labels };
  const aggregator = aggregatorOf(String(metric.aggregator));
  if (type === 'histogram') return { ...head, aggregator, ...bucketsOf(metric, valuesOf) };
  const rows = metric.values.map(
    ({ labels: of, value }): MetricRow => ({
      values: valuesOf(of),
      numbers: [value],
      exemplars: null,
    }),
  );
  return { ...head, aggregator, bounds: [], rows };
}

const typeOf = (name: string): MetricHead['type'] =>
  name === 'counter' || name === 'histogram' ? name : 'gauge';

/** The buckets of a histogram, which prom-client gives cumulative. */
function bucketsOf(
  metric: PackageMetric,
  valuesOf: (labels: object) => string[],
): Pick<MetricTable, 'bounds' | 'rows'> {
  const bounds = new Set<number>();
  const rows = new Map<
    string,
    { values: string[]; counts: number[]; count: number; sum: number }
  >();
  for (const each of metric.values) {
    const values = valuesOf(each.labels);
    const row = getOrMake(rows, values.join('\0'), () => ({
      values,
      counts: [],
      count: 0,
      sum: 0,
    }));
    const { le } = { le: undefined, ...each.labels };
    if (le !== undefined) {
      if (le !== '+Inf') {
        bounds.add(Number(le));
      }
      row.counts.push(each.value - row.count);
      row.count = each.value;
    } else if ('metricName' in each && String(each.metricName).endsWith('_sum')) {
      row.sum = each.value;
    }
  }
  return {
    bounds: [...bounds],
    rows: [...rows.values()].map(({ values, counts, sum }) => ({
      values,
      numbers: [...counts, sum],
      exemplars: null,
    })),
  };
}
