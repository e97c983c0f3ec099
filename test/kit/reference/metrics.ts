import type { Metrics } from '../../../src/observe/metrics/metrics.js';

/** The default metrics of a Node process, which prom-client documents. */
const DEFAULTS = /^soapstone_(?:process|nodejs)_/;

/** The metrics of our own as Markdown: name, type, labels and help. */
export async function printMetrics({ registry }: Metrics): Promise<string> {
  const labels = new Map(
    registry.getMetricsAsArray().map((metric) => [metric.name, labelNamesOf(metric)]),
  );
  const rows = (await registry.getMetricsAsJSON())
    .filter(({ name }) => !DEFAULTS.test(name))
    .map(({ name, type, help }) => {
      const named = (labels.get(name) ?? []).map((label) => `\`${label}\``).join(', ');
      return `| \`${name}\` | ${type} | ${named} | ${help} |`;
    });
  return ['| metric | type | labels | what |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

/** The package has the names on every metric and in its types on none. */
function labelNamesOf(metric: object): readonly string[] {
  const names: unknown = 'labelNames' in metric ? metric.labelNames : [];
  return Array.isArray(names) ? names.map(String) : [];
}
