import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import t from 'tap';
import { parse } from 'yaml';

import { AT_ONCE } from '../../src/core/time-slices.js';
import { Metrics } from '../../src/observe/metrics/metrics.js';

/** The files for operators: what they name is there. */

const RULES = readFileSync('deploy/prometheus-rules.yaml', 'utf8');
const DASHBOARD = readFileSync('deploy/grafana-dashboard.json', 'utf8');

interface Rules {
  readonly groups: readonly {
    readonly rules: readonly { readonly alert?: string; readonly expr: string }[];
  }[];
}

const alertsOf = ({ groups }: Rules): readonly string[] =>
  groups.flatMap(({ rules }) => rules.flatMap(({ alert = null }) => alert ?? []));

t.test('each metric that the rules and the dashboard name is one of ours', async (t) => {
  const metrics = await new Metrics(() => [], {
    isRedisUp: () => true,
  }).list(AT_ONCE);
  const known = new Set(
    metrics.flatMap(({ name, type }) =>
      String(type) === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
    ),
  );
  for (const [file, text] of Object.entries({ RULES, DASHBOARD })) {
    const named = new Set(text.match(/\bsoapstone_\w+/g));
    t.ok(named.size > 10, file);
    for (const name of named)
      t.ok(known.has(name) || known.has(`${name}_bucket`), `${file}: ${name}`);
  }
});

t.test('each alert has a sentence in deploy/README.md and a test', async (t) => {
  const alerts = alertsOf(parse(RULES));
  t.ok(alerts.length > 10);
  const readme = readFileSync('deploy/README.md', 'utf8');
  const tests = readFileSync('deploy/prometheus-rules.test.yaml', 'utf8');
  for (const alert of alerts) {
    t.match(
      readme,
      new RegExp(`^\\| \`${alert}\` \\| (?:critical|warning|info) \\| [A-Z\`].{20,}\\. \\|$`, 'm'),
      alert,
    );
    t.ok(
      tests.includes(`alertname: ${alert}\n`) && tests.includes(`alertname: ${alert},`),
      `${alert} fires, and is quiet`,
    );
  }
});

t.test('the panels of the dashboard do not overlap', async (t) => {
  const {
    panels,
  }: { panels: { id: number; gridPos: { x: number; y: number; w: number; h: number } }[] } =
    JSON.parse(DASHBOARD);
  t.equal(new Set(panels.map(({ id }) => id)).size, panels.length);
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, at) => `${x + (at % w)},${y + Math.floor(at / w)}`),
  );
  t.equal(new Set(cells).size, cells.length);
});

const HAS_PROMTOOL = spawnSync('promtool', ['--version']).status === 0;

t.test(
  'the rules of Prometheus pass its own tests',
  { skip: HAS_PROMTOOL ? false : 'promtool is not installed: apt-get install prometheus' },
  async (t) => {
    const { status, stdout, stderr } = spawnSync(
      'promtool',
      ['test', 'rules', 'deploy/prometheus-rules.test.yaml'],
      {
        encoding: 'utf8',
      },
    );
    t.equal(status, 0, stdout + stderr);
  },
);
