import { Buffer } from 'node:buffer';
import { mock } from 'node:test';
import t from 'tap';

import { ConfigurationError } from '../../src/core/diagnostic.js';
import { emptySnapshot, type InputSnapshot, replayInputs } from '../../src/core/files/inputs.js';
import type { ParentChannel, StepAnswer, WorkerChannel } from '../../src/process/calls.js';
import { Channel } from '../../src/process/channel.js';
import type { Worker } from '../../src/process/parent/worker.js';
import { reloadWorkers, replaceInputs } from '../../src/process/parent/worker-reload.js';
import {
  type CompiledFacts,
  noReads,
  type ReloadSource,
} from '../../src/process/reload/reload-source.js';

/** Which worker does what in a reload. The workers answer as a test says. */

const FACTS: CompiledFacts = {
  names: { routes: new Map(), fields: new Set(), classes: new Set() },
  wsdls: new Map(),
  warnings: [],
};
const DONE: StepAnswer = { isDone: true, reads: null, facts: null, problems: [] };
const BROKEN = { file: 'a.yaml', line: 7, column: 1, what: 'Broken.', remedy: null };

type Step = 'compile' | 'compileSame' | 'commit';
type Answer = StepAnswer | 'ends' | 'is silent';
type Decide = (worker: string, step: Step, inputs: InputSnapshot | null) => Answer;

interface NamedWorker extends Worker {
  readonly name: string;
  readonly hasEnded: () => boolean;
}

/** A worker at the end of a channel. */
function workerOf(name: string, told: string[], decide: Decide): NamedWorker {
  let hasEnded = false;
  const channel: WorkerChannel = new Channel(
    async (message) => void setImmediate(() => worker.receive(message)),
  );
  const worker: ParentChannel = new Channel(
    async (message) => void setImmediate(() => channel.receive(message)),
  );
  const kill = (): void => {
    hasEnded = true;
    channel.close();
  };
  const answer = async (step: Step, inputs: InputSnapshot | null): Promise<StepAnswer> => {
    told.push(`${name} ${step}`);
    const result = decide(name, step, inputs);
    if (typeof result === 'object') return result;
    if (result === 'ends') kill();
    return new Promise(() => {});
  };
  worker.answer(
    {
      compile: ({ inputs }) => answer('compile', inputs),
      compileSame: ({ inputs }) => answer('compileSame', inputs),
      commit: () => answer('commit', null),
      discard: () => void told.push(`${name} discard`),
    },
    (error) => t.fail(String(error)),
  );
  const ended = new Promise<never>(() => {});
  return { name, hasEnded: () => hasEnded, pid: 1, channel, ended, stop: () => {}, kill };
}

/** Workers of these names; `decide` says what becomes of each step. */
function workersOf(names: readonly string[], decide: Decide) {
  const told: string[] = [];
  const workers = names.map((name) => workerOf(name, told, decide));
  const used: (readonly string[])[] = [];
  const here: string[] = [];
  const reload = (source: ReloadSource): Promise<CompiledFacts> =>
    reloadWorkers(
      () => workers.filter(({ hasEnded }) => !hasEnded()),
      source,
      async () => {
        here.push('compiled');
        return FACTS;
      },
      (_facts, all) =>
        used.push(workers.filter((worker) => all.includes(worker)).map(({ name }) => name)),
    );
  return { workers, reload, told, used, here };
}

/** Resolves when what was told has come. */
const delivered = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

function sourceOf(): ReloadSource {
  const reads = noReads();
  return { occasion: 'asked', inputs: replayInputs(reads.snapshot), reads };
}

const compiled = (step: Step): StepAnswer =>
  step === 'compile' ? { ...DONE, facts: FACTS } : DONE;

t.test('one worker compiles first, and what it has read is what the others compile', async (t) => {
  const read: InputSnapshot = {
    contents: new Map([['/a.wsdl', Buffer.from('a')]]),
    realPaths: new Map([['/a.wsdl', '/b.wsdl']]),
    matches: new Map([['*.yaml', ['/c.yaml']]]),
  };
  const given: InputSnapshot[] = [];
  const { reload, told, used, here } = workersOf(
    ['one', 'two', 'three'],
    (_worker, step, inputs) => {
      if (step === 'compileSame' && inputs !== null) given.push(inputs);
      if (step !== 'compile') return DONE;
      return {
        ...DONE,
        facts: FACTS,
        reads: { snapshot: read, files: new Map([['/a.wsdl', 'before']]) },
      };
    },
  );
  const source = sourceOf();
  t.equal(await reload(source), FACTS);
  t.same(told, [
    'one compile',
    'two compileSame',
    'three compileSame',
    'one commit',
    'two commit',
    'three commit',
  ]);
  t.same(given, [read, read]);
  t.same(source.reads.snapshot, read);
  t.same([...source.reads.files], [['/a.wsdl', 'before']], 'the file is watched from now on');
  t.same(used, [['one', 'two', 'three']]);
  t.same(here, []);
});

t.test(
  'what the first worker cannot compile reaches no other, and its files are watched',
  async (t) => {
    const { reload, told, used } = workersOf(['one', 'two'], () => {
      const reads = { snapshot: emptySnapshot(), files: new Map([['/a.wsdl', 'before']]) };
      return { isDone: false, reads, facts: null, problems: [BROKEN] };
    });
    const source = sourceOf();
    await t.rejects(reload(source), new ConfigurationError([BROKEN]));
    t.same(told, ['one compile']);
    t.same(used, []);
    t.same([...source.reads.files.keys()], ['/a.wsdl']);
  },
);

t.test('what another worker cannot compile is used by none', async (t) => {
  const { reload, told, used } = workersOf(['one', 'two'], (worker, step) =>
    worker === 'two' ? { ...DONE, isDone: false, problems: [BROKEN] } : compiled(step),
  );
  await t.rejects(reload(sourceOf()), new ConfigurationError([BROKEN]));
  await delivered();
  t.same(told, ['one compile', 'two compileSame', 'one discard', 'two discard']);
  t.same(used, []);
});

t.test(
  'a worker that ends while it compiles is not waited for; a second one is the last',
  async (t) => {
    const once = workersOf(['one', 'two', 'three'], (worker, step) =>
      worker === 'one' ? 'ends' : compiled(step),
    );
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
  },
);

t.test('a worker that compiles for more than a minute keeps nothing of it', async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] });
  t.teardown(() => mock.timers.reset());
  const { reload, told, used } = workersOf(['one', 'two'], () => 'is silent');
  const refused = t.rejects(reload(sourceOf()), /not within a minute/);
  mock.timers.tick(60_000);
  await refused;
  await delivered();
  t.same(told, ['one compile', 'one discard']);
  t.same(used, []);
});

t.test('without a worker the parent compiles: those that start next use it', async (t) => {
  const { reload, told, used, here } = workersOf([], () => DONE);
  t.equal(await reload(sourceOf()), FACTS);
  t.same([told, used, here], [[], [[]], ['compiled']]);
});

t.test('a worker that cannot use what it has compiled is ended', async (t) => {
  const { reload, workers } = workersOf(['one', 'two'], (worker, step) =>
    worker === 'two' && step === 'commit' ? { ...DONE, isDone: false } : compiled(step),
  );
  await reload(sourceOf());
  t.same(
    workers.map(({ hasEnded }) => hasEnded()),
    [false, true],
  );
});

t.test(
  'a worker that ends while it compiles what others use is replaced, and counts for none',
  async (t) => {
    const { workers, told } = workersOf(['one', 'two'], (worker) =>
      worker === 'one' ? 'ends' : DONE,
    );
    let isUsed = false;
    await replaceInputs(workers, emptySnapshot(), () => {
      isUsed = true;
    });
    t.ok(isUsed);
    t.same(told, ['one compileSame', 'two compileSame', 'two commit']);
  },
);
