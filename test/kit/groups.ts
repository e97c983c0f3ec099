import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';

/** Test files that have a process of their own, and why. */
const ALONE: ReadonlyMap<string, string> = new Map([
  ['acceptance/values', 'measures resident memory'],
  ['cli/fed-back', 'takes long: it starts a gateway for each WSDL'],
  ['core/packet-memory', 'measures memory of buffers and sets flags of V8'],
  ['process/tick-object', 'needs a process in which no gateway has started'],
  ['catalogue/http', 'takes long: it waits for deadlines'],
  ['catalogue/load', 'measures resident memory'],
  ['catalogue/overload', 'holds up the event loop and reads its delay'],
  ['catalogue/redis', 'takes long: it waits for leases to end'],
  ['catalogue/validity', 'takes long'],
  ['catalogue/xml', 'takes long'],
  ['flow/subscriptions/web-socket', 'measures the heap and sets a flag of V8'],
  ['generations', 'sets a flag of V8'],
  ['observe/log-sink', 'measures the heap'],
  ['process/event-loop', 'takes long: it has hundreds of calls answered oddly'],
  ['process/lifecycle', 'takes long: it waits for drains'],
  ['process/reload', 'takes long: it waits for changes of files to be noticed'],
]);

/** Folders of small tests by the process they share. `.` is `test` itself. */
const SHARED: ReadonlyMap<string, readonly string[]> = new Map([
  [
    'quick',
    [
      '.',
      'access',
      'budget',
      'cache',
      'core',
      'gateway',
      'observe',
      'perimeter',
      'pubsub',
      'soap',
      'upstream',
      'wss',
    ],
  ],
  // What does not depend on the version of Node.
  ['configuration', ['compile', 'config', 'house']],
]);

/**
 * Folders within another one whose tests share a process of their own: together they would be the
 * last to end.
 */
const OWN_GROUPS: ReadonlySet<string> = new Set(['flow/http', 'flow/subscriptions']);

/**
 * Groups of which a run begins with: one that takes a minute and begins last lets a processor wait
 * for it.
 */
const LONG: ReadonlySet<string> = new Set([
  'catalogue',
  'catalogue-redis',
  'cli',
  'cli-fed-back',
  'configuration',
  'features',
  'flow',
  'flow-subscriptions',
  'graphql',
  'process',
  'process-lifecycle',
  'process-reload',
  'quick',
  'redis',
]);

/** The group that takes longest by far, and waits more than it computes: it begins first. */
const LONGEST = 'real';

/** A folder that would take longer than all others, in so many processes. */
const PARTS: ReadonlyMap<string, number> = new Map([['features', 3]]);

/** What only a file with a process of its own may use. */
const NEEDS_PROCESS = /\bmemoryUsage\(|\bsetFlagsFromString\b/;

/**
 * What a file's group is called: its own path, one of `SHARED` or `OWN_GROUPS`, or its folder below
 * `test`.
 */
function groupOf(file: string): string {
  if (ALONE.has(file)) return file.replaceAll('/', '-');
  if (NEEDS_PROCESS.test(readFileSync(`test/${file}.test.ts`, 'utf8'))) {
    throw new Error(
      `test/${file}.test.ts needs a process of its own: list it in test/kit/groups.ts`,
    );
  }
  const [folder = '', inner = ''] = posix.dirname(file).split('/');
  if (OWN_GROUPS.has(`${folder}/${inner}`)) return `${folder}-${inner}`;
  for (const [group, folders] of SHARED) if (folders.includes(folder)) return group;
  return folder;
}

/**
 * The compiled test files of each process of `npm test`. Most share a process with those of their
 * folder, because loading what they import takes about two seconds of processor time. The names of
 * long groups begin with 0 or 1, others with 2: tap runs them in this order. Works from the root of
 * the repository.
 */
export function groupFiles(): ReadonlyMap<string, readonly string[]> {
  const files = readdirSync('test', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => file.slice(0, -'.test.ts'.length).replaceAll('\\', '/'))
    .sort();
  for (const file of ALONE.keys()) {
    if (!files.includes(file))
      throw new Error(`test/${file}.test.ts is not there: mend the list in test/kit/groups.ts`);
  }
  const groups = new Map<string, string[]>();
  for (const [n, file] of files.entries()) {
    const group = groupOf(file);
    const parts = PARTS.get(group) ?? 1;
    const order = group === LONGEST ? 0 : LONG.has(group) ? 1 : 2;
    const name = `${order}-${group}${parts === 1 ? '' : `-${(n % parts) + 1}`}`;
    groups.set(name, [...(groups.get(name) ?? []), `dist/test/${file}.test.js`]);
  }
  return groups;
}
