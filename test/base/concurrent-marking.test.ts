import { spawnSync } from 'node:child_process';
import t from 'tap';

const MARKING = new URL('../../src/base/concurrent-marking.js', import.meta.url).href;

/** Makes old garbage, a little in each turn of the event loop, until it was collected a few times. */
const GARBAGE = `
  import { PerformanceObserver } from 'node:perf_hooks';
  let collections = 0;
  new PerformanceObserver((list) => {
    for (const { detail } of list.getEntries()) if (detail.kind === 4) collections++;
  }).observe({ entryTypes: ['gc'] });
  const kept = [];
  const make = () => {
    for (let n = 0; n < 2000; n++) kept[Math.floor(Math.random() * 200_000)] = { text: 'x'.repeat(40) + n, list: [n] };
    if (collections < 3) setImmediate(make);
    else console.log('collected');
  };
  make();
`;

const run = (first: string): string =>
  spawnSync(process.execPath, ['--trace-concurrent-marking', '--input-type=module', '-e', first + GARBAGE], {
    encoding: 'utf8',
    timeout: 60_000,
    env: {},
  }).stdout;

/** Kilobytes marked by other threads. In the pause that ends a collection they help with any flags. */
const markedKilobytes = (trace: string): number =>
  [...trace.matchAll(/\bmarked (\d+)KB/g)].reduce((sum, [, kilobytes]) => sum + Number(kilobytes), 0);

t.test('concurrent marking is off before Node 24: other threads mark next to nothing', async (t) => {
  const byOthers = markedKilobytes(run(''));
  t.ok(byOthers > 10_000, `V8 would have them mark ${byOthers} KB`);
  const trace = run(`import { disableConcurrentMarking } from '${MARKING}'; disableConcurrentMarking();`);
  t.match(trace, /collected/);
  const isAlone = markedKilobytes(trace) < byOthers / 3;
  t.equal(isAlone, Number.parseInt(process.versions.v8, 10) < 13, `${markedKilobytes(trace)} KB`);
});
