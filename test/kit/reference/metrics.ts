import { AT_ONCE } from '../../../src/core/time-slices.js';
import type { Metrics } from '../../../src/observe/metrics/metrics.js';

/** The default metrics of a Node process, which prom-client documents. */
const DEFAULTS = /^soapstone_(?:process|nodejs)_/;

/** The metrics of our own as Markdown: name, type, labels and help. */
export async function printMetrics(metrics: Metrics): Promise<string> {
  const rows = (await metrics.list(AT_ONCE))
    .filter(({ name }) => !DEFAULTS.test(name))
    .map(({ name, type, labels, help }) => {
      const named = labels.map((label) => `\`${label}\``).join(', ');
      return `| \`${name}\` | ${type} | ${named} | ${help} |`;
    });
  return ['| metric | type | labels | what |', '| --- | --- | --- | --- |', ...rows].join('\n');
}
