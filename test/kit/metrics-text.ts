import { AT_ONCE } from '../../src/core/time-slices.js';
import type { MetricBook } from '../../src/observe/metrics/metric-book.js';
import type { MetricList } from '../../src/observe/metrics/metric-table.js';
import { type MetricsFormat, printMetrics } from '../../src/observe/metrics/metric-text.js';

/** The whole text of metrics. */
export async function textOf(list: MetricList, format: MetricsFormat): Promise<string> {
  let text = '';
  for await (const part of printMetrics(list, format, AT_ONCE)) text += part;
  return text;
}

/** What a scrape of a process gets. */
export const metricsText = async (
  book: Pick<MetricBook, 'list'>,
  format: MetricsFormat = 'prometheus',
): Promise<string> => textOf(await book.list(AT_ONCE), format);
