import { Buffer } from 'node:buffer';
import { mock } from 'node:test';
import t from 'tap';

import { ConfigurationError } from '../../src/base/diagnostic.js';
import { emptySnapshot, type InputSnapshot, replayInputs } from '../../src/base/inputs.js';
import type { StepAnswer, ToWorker } from '../../src/process/parent/worker-messages.js';
import { type ReloadedWorker, WorkerReload } from '../../src/process/parent/worker-reload.js';
import { type CompiledFacts, noReads, type ReloadSource } from '../../src/process/reload/reload-source.js';
import { until } from '../kit/until.js';

/** Which worker does what in a reload. The workers answer as a test says. */

const FACTS: CompiledFacts = {
  names: { routes: new Map(), fields: new Set(), classes: new Set() },
  wsdls: new Map(),
  warnings: [],
};
const DONE: StepAnswer = { isDone: true, reads: null, facts: null, problems: [] };
const BROKEN = { file: 'a.yaml', line: 7, column: 1, what: 'Broken.', remedy: null };

interface Worker extends ReloadedWorker {
  readonly name: string;
}

type Told = Extract<ToWorker, { readonly number: number }>;
type Answer = StepAnswer | 'ends' | 'is silent';

/** Workers of these names; `answer` decides what becomes of each step. */
function workersOf(names: readonly string[], answer: (worker: string, message: Told) => Answer) {
  const told: string[] = [];
  const ended = new Set<string>();
  const workers = names.map((name): Worker => {
    const end = (): boolean => {
      ended.add(name);
      return true;
    };
    return { name, isConnected: () => !ended.has(name), process: { kill: end } };
  });
  const reloading = new WorkerReload<Worker>((worker, message) => {
    told.push(`${worker.name} ${message.kind}`);
    if (!('number' in message) || !('inputs' in message || message.kind === 'commit')) return;
    const result = answer(worker.name, message);
    if (result === 'is silent') return;
    setImmediate(() => {
      if (result === 'ends') {
        worker.process.kill('SIGKILL');
        reloading.retire(worker);
      } else reloading.take({ kind: 'step', number: message.number, ...result });
    });
  });
  const used: (readonly string[])[] = [];
  const here: string[] = [];
  const reload = (source: ReloadSource): Promise<CompiledFacts> =>
    reloading.reload(
      () => workers.filter((worker) => worker.isConnected()),
      source,
      async () => {
        here.push('compiled');
        return FACTS;
      },
      (_facts, all) => used.push(all.map(({ name }) => name)),
    );
  return { reloading, workers, reload, told, used, here };
}

function sourceOf(): ReloadSource {
  const reads = noReads();
  return { occasion: 'asked', inputs: replayInputs(reads.snapshot), reads };
}

const compiled = (message: Told): StepAnswer => (message.kind === 'compile' ? { ...DONE, facts: FACTS } : DONE);

t.test('one worker compiles first, and what it has read is what the others compile', async (t) => {
  const read: InputSnapshot = {
    contents: new Map([['/a.wsdl', Buffer.from('a')]]),
    realPaths: new Map([['/a.wsdl', '/b.wsdl']]),
    matches: new Map([['*.yaml', ['/c.yaml']]]),
  };
  const given: InputSnapshot[] = [];
  const { reload, told, used, here } = workersOf(['one', 'two', 'three'], (_worker, message) => {
    if (message.kind === 'compileSame') given.push(message.inputs);
    if (message.kind !== 'compile') return DONE;
    return { ...DONE, facts: FACTS, reads: { snapshot: read, files: new Map([['/a.wsdl', 'before']]) } };
  });
  const source = sourceOf();
  t.equal(await reload(source), FACTS);
  t.same(told, ['one compile', 'two compileSame', 'three compileSame', 'one commit', 'two commit', 'three commit']);
  t.same(given, [read, read]);
  t.same(source.reads.snapshot, read);
  t.same([...source.reads.files], [['/a.wsdl', 'before']], 'the file is watched from now on');
  t.same(used, [['one', 'two', 'three']]);
  t.same(here, []);
});

t.test('what the first worker cannot compile reaches no other, and its files are watched', async (t) => {
  const { reload, told, used } = workersOf(['one', 'two'], () => {
    const reads = { snapshot: emptySnapshot(), files: new Map([['/a.wsdl', 'before']]) };
    return { isDone: false, reads, facts: null, problems: [BROKEN] };
  });
  const source = sourceOf();
  await t.rejects(reload(source), new ConfigurationError([BROKEN]));
  t.same(told, ['one compile']);
  t.same(used, []);
  t.same([...source.reads.files.keys()], ['/a.wsdl']);
});

t.test('what another worker cannot compile is used by none', async (t) => {
  const { reload, told, used } = workersOf(['one', 'two'], (worker, message) =>
    worker === 'two' ? { ...DONE, isDone: false, problems: [BROKEN] } : compiled(message),
  );
  await t.rejects(reload(sourceOf()), new ConfigurationError([BROKEN]));
  t.same(told, ['one compile', 'two compileSame', 'one discard', 'two discard']);
  t.same(used, []);
});

t.test('a worker that ends while it compiles is not waited for; a second one is the last', async (t) => {
  const once = workersOf(['one', 'two', 'three'], (worker, message) => (worker === 'one' ? 'ends' : compiled(message)));
  t.equal(await once.reload(sourceOf()), FACTS);
  t.same(once.used, [['two', 'three']]);
  t.same(once.told.slice(0, 3), ['one compile', 'two compile', 'three compileSame']);

  const twice = workersOf(['one', 'two', 'three'], () => 'ends');
  await t.rejects(twice.reload(sourceOf()), /See the log/);
  t.same(twice.told, ['one compile', 'two compile'], 'the third goes on');
  t.same([twice.used, twice.here], [[], []]);

  const only = workersOf(['one'], () => 'ends');
  await t.rejects(only.reload(sourceOf()), ConfigurationError);
  t.same(only.here, [], 'nor does the parent try');
});

t.test('a worker that compiles for more than a minute keeps nothing of it', async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] });
  t.teardown(() => mock.timers.reset());
  const { reload, told, used } = workersOf(['one', 'two'], () => 'is silent');
  const refused = t.rejects(reload(sourceOf()), /not within a minute/);
  mock.timers.tick(60_000);
  await refused;
  t.same(told, ['one compile', 'one discard']);
  t.same(used, []);
});

t.test('without a worker the parent compiles: those that start next use it', async (t) => {
  const { reload, told, used, here } = workersOf([], () => DONE);
  t.equal(await reload(sourceOf()), FACTS);
  t.same([told, used, here], [[], [[]], ['compiled']]);
});

t.test('a worker that cannot use what it has compiled is ended', async (t) => {
  const { reload, workers } = workersOf(['one', 'two'], (worker, message) =>
    worker === 'two' && message.kind === 'commit' ? { ...DONE, isDone: false } : compiled(message),
  );
  await reload(sourceOf());
  t.same(
    workers.map((worker) => worker.isConnected()),
    [true, false],
  );
});

t.test('the answer to a step of an earlier reload counts for none', async (t) => {
  const numbers: number[] = [];
  const { reloading, workers } = workersOf(['one'], (_worker, { number }) => {
    numbers.push(number);
    return 'is silent';
  });
  const done: string[] = [];
  const replace = (name: string): Promise<void> => reloading.replace(workers, emptySnapshot(), () => done.push(name));
  const one = t.rejects(replace('one'));
  const other = replace('other');
  const [first = 0, second = 0] = numbers;
  reloading.take({ kind: 'step', ...DONE, number: first, isDone: false });
  await one;
  reloading.take({ kind: 'step', ...DONE, number: first });
  await new Promise((resolve) => setImmediate(resolve));
  t.same(done, []);
  reloading.take({ kind: 'step', ...DONE, number: second });
  await until(() => numbers.length === 3);
  for (const worker of workers) reloading.retire(worker);
  await other;
  t.same(done, ['other']);
});
