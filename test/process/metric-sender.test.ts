import t from 'tap';

import { AT_ONCE } from '../../src/core/time-slices.js';
import { addUp, type MetricList, metricParts } from '../../src/observe/metrics/metric-table.js';
import { MetricSender } from '../../src/process/metric-sender.js';

const head = (name: string) =>
  ({ name, help: 'a', type: 'counter', labels: ['at'], aggregator: 'sum', bounds: [] }) as const;

const tableOf = (name: string, rows: number): MetricList[number] => ({
  ...head(name),
  rows: Array.from({ length: rows }, (_, at) => ({
    values: [`${at}`],
    numbers: [at],
    exemplars: null,
  })),
});

const LIST: MetricList = [tableOf('none', 0), tableOf('a', 1700), tableOf('b', 3), tableOf('c', 0)];

t.test('parts of a list of metrics are short, and add up to the list', async (t) => {
  const parts = [...metricParts(LIST)];
  for (const part of parts)
    t.ok(part.reduce((sum, { rows }) => sum + rows.length, 0) <= 500, 'at most 500 rows');
  t.strictSame(AT_ONCE.finish(addUp([parts.flat()])), AT_ONCE.finish(addUp([LIST])));
});

t.test('the parts of two lists do not mix', async (t) => {
  const sent: unknown[] = [];
  const parent = {
    tell: async (_call: string, part: unknown): Promise<void> => {
      sent.push(part);
    },
  };
  const sender = new MetricSender(parent, async () => LIST);
  await Promise.all([sender.send(), sender.send()]);
  const once = [...metricParts(LIST)];
  t.strictSame(sent, [...once, ...once]);
});
