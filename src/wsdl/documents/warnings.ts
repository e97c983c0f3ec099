import type { Diagnostic } from '../../base/diagnostic.js';

/** The warnings of one import, bounded, each reported once. */
export interface Warnings {
  add(...diagnostics: readonly Diagnostic[]): void;
  /** Adds a warning only for its first location. */
  addOnce(diagnostic: Diagnostic): void;
  list(): readonly Diagnostic[];
}

const MOST = 1000;

export function collectWarnings(): Warnings {
  const reported = new Set<string>();
  const kept: Diagnostic[] = [];
  let more = 0;
  const first = new Set<string>();
  return {
    addOnce(diagnostic) {
      if (!first.has(diagnostic.what)) this.add(diagnostic);
      first.add(diagnostic.what);
    },
    add(...diagnostics) {
      for (const diagnostic of diagnostics) {
        const key = `${diagnostic.file}\n${diagnostic.line}\n${diagnostic.column}\n${diagnostic.what}`;
        if (reported.has(key)) continue;
        if (kept.length >= MOST) {
          more++;
          continue;
        }
        reported.add(key);
        kept.push(diagnostic);
      }
    },
    list() {
      if (more === 0) return [...kept];
      return [...kept, { file: null, line: null, column: null, what: `And ${more} more warnings.`, remedy: null }];
    },
  };
}
