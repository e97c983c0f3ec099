import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

import './without-domains.js';
import t, { type Test } from 'tap';

/**
 * The members of the imported `t` that test files use at their top level, and in helpers that are
 * not given another.
 */
const MEMBERS = ['test', 'teardown', 'setTimeout', 'ok', 'equal', 'same', 'match'] as const;

/** The file that runs. */
let running: Test = t;

/** An error that no code caught fails the file that runs, and the others run on. */
for (const event of ['uncaughtException', 'unhandledRejection'] as const)
  process.on(event, (error: unknown) => running.threw(error));

/**
 * Runs test files in this process, one after the other: what they import is loaded once. Each file
 * is a subtest whose name is its path, so that a failure names it and `npx tap <path>` runs it
 * alone.
 */
export function runGroup(paths: readonly string[]): void {
  // tap's limit of time is for one file: a subtest has it here, and the process somewhat more than
  // all of them.
  const timeout = Number(process.env['TAP_TIMEOUT'] ?? 300) * 1000;
  t.setTimeout(timeout * (paths.length + 1));
  const subtest = t.test.bind(t);
  for (const path of paths) {
    subtest(path, { timeout }, async (test) => {
      running = test;
      for (const member of MEMBERS) {
        const value: unknown = Reflect.get(test, member);
        if (typeof value === 'function')
          Object.defineProperty(t, member, { value: value.bind(test), configurable: true });
      }
      await import(pathToFileURL(resolve(path)).href);
    });
  }
}
