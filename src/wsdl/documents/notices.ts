import type { Problem } from '../../base/problem.js';

/** The notices of one import, bounded, each told once. */
export interface Notices {
  add(...problems: readonly Problem[]): void;
  /** For what may stand in very many places: it is told at the first one. */
  addFirst(problem: Problem): void;
  list(): readonly Problem[];
}

const MOST = 1000;

export function collectNotices(): Notices {
  const told = new Set<string>();
  const kept: Problem[] = [];
  let more = 0;
  const first = new Set<string>();
  return {
    addFirst(problem) {
      if (!first.has(problem.what)) this.add(problem);
      first.add(problem.what);
    },
    add(...problems) {
      for (const problem of problems) {
        const key = `${problem.file}\n${problem.line}\n${problem.column}\n${problem.what}`;
        if (told.has(key)) continue;
        if (kept.length >= MOST) {
          more++;
          continue;
        }
        told.add(key);
        kept.push(problem);
      }
    },
    list() {
      if (more === 0) return [...kept];
      return [...kept, { file: null, line: null, column: null, what: `And ${more} more notices.`, remedy: null }];
    },
  };
}
