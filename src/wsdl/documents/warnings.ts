import type { Problem } from '../../base/problem.js';

/** The warnings of one import, bounded, each reported once. */
export interface Warnings {
  add(...problems: readonly Problem[]): void;
  /** Adds a warning only for its first location. */
  addOnce(problem: Problem): void;
  list(): readonly Problem[];
}

const MOST = 1000;

export function collectWarnings(): Warnings {
  const reported = new Set<string>();
  const kept: Problem[] = [];
  let more = 0;
  const first = new Set<string>();
  return {
    addOnce(problem) {
      if (!first.has(problem.what)) this.add(problem);
      first.add(problem.what);
    },
    add(...problems) {
      for (const problem of problems) {
        const key = `${problem.file}\n${problem.line}\n${problem.column}\n${problem.what}`;
        if (reported.has(key)) continue;
        if (kept.length >= MOST) {
          more++;
          continue;
        }
        reported.add(key);
        kept.push(problem);
      }
    },
    list() {
      if (more === 0) return [...kept];
      return [...kept, { file: null, line: null, column: null, what: `And ${more} more warnings.`, remedy: null }];
    },
  };
}
