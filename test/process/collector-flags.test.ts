import { spawnSync } from 'node:child_process';
import t from 'tap';

const FLAGS = new URL('../../src/process/collector-flags.js', import.meta.url).href;

/**
 * Makes old garbage, a little in each turn of the event loop, until it was collected a few times.
 */
const GARBAGE = `
  import { PerformanceObserver } from 'node:perf_hooks';
  let collections = 0;
  new PerformanceObserver((list) => {
    for (const { detail } of list.getEntries()) if (detail.kind === 4) collections++;
  }).observe({ entryTypes: ['gc'] });
  const kept = [];
  const make = () => {
    for (let n = 0; n < 2000; n++) kept[Math.floor(Math.random() * 200_000)] = { text: \
'x'.repeat(40) + n, list: [n] };
    if (collections < 3) setImmediate(make);
    else console.log('collected');
  };
  make();
`;

const run = (program: string, ...flags: readonly string[]): string =>
  spawnSync(process.execPath, [...flags, '--input-type=module', '-e', program], {
    encoding: 'utf8',
    timeout: 60_000,
    env: {},
  }).stdout;

const runMarking = (first: string): string => run(first + GARBAGE, '--trace-concurrent-marking');

/**
 * Kilobytes marked by other threads. In the pause that ends a collection they help with any flags.
 */
const markedKilobytes = (trace: string): number =>
  [...trace.matchAll(/\bmarked (\d+)KB/g)].reduce(
    (sum, [, kilobytes]) => sum + Number(kilobytes),
    0,
  );

t.test(
  'concurrent marking is off before Node 24: other threads mark next to nothing',
  async (t) => {
    const byOthers = markedKilobytes(runMarking(''));
    t.ok(byOthers > 10_000, `V8 would have them mark ${byOthers} KB`);
    const trace = runMarking(
      `import { disableConcurrentMarking } from '${FLAGS}'; disableConcurrentMarking();`,
    );
    t.match(trace, /collected/);
    const isAlone = markedKilobytes(trace) < byOthers / 3;
    t.equal(isAlone, Number.parseInt(process.versions.v8, 10) < 13, `${markedKilobytes(trace)} KB`);
  },
);

/** Makes objects that all survive. */
const SURVIVORS = `
  const kept = [];
  const make = (n) => ({ list: [n], inner: { n } });
  for (let n = 0; n < 300_000; n++) kept.push(make(n));
  console.log('kept', kept.length);
`;

const runSurvivors = (first: string): string =>
  run(first + SURVIVORS, '--trace-pretenuring-statistics', '--max-semi-space-size=1');

t.test(
  'no object is allocated in the old generation because others of its kind survived',
  async (t) => {
    t.match(runSurvivors(''), /=> tenure/, 'V8 would');
    const trace = runSurvivors(
      `import { disablePretenuring } from '${FLAGS}'; disablePretenuring();`,
    );
    t.match(trace, /kept/);
    t.notMatch(trace, /=> tenure/);
  },
);

/** Makes objects that all survive, and prints how many MiB the young generation has then. */
const YOUNG = `
  import { getHeapSpaceStatistics } from 'node:v8';
  const kept = [];
  const make = () => {
    for (let n = 0; n < 500_000; n++) kept.push({ list: [n] });
    const space = getHeapSpaceStatistics().find((each) => each.space_name === 'new_space');
    return space.space_size / 2 ** 20;
  };
`;

const runYoung = (program: string): readonly number[] =>
  run(`import { enlargeYoungGeneration, holdYoungGeneration } from '${FLAGS}'; ${YOUNG} ${program}`)
    .trim()
    .split(' ')
    .map(Number);

t.test('the young generation stays small while it is held, and grows again after it', async (t) => {
  const [free = 0] = runYoung('console.log(make())');
  t.ok(free >= 8, `V8 would give it ${free} MiB`);
  const [held = 0, enlarged = 0] = runYoung(
    'holdYoungGeneration(); const held = make(); enlargeYoungGeneration(); ' +
      'console.log(held, make())',
  );
  t.ok(held <= 4, `${held} MiB while it is held`);
  t.ok(enlarged >= 8, `${enlarged} MiB then`);
});
