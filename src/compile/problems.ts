import { FindingsError, type Problem, problemsOf } from '../config/keys/finding.js';
import type { ConfigSection } from '../config/section.js';
import { ConfigurationError, type Diagnostic, type Steps } from '../core/index.js';

/**
 * The problems of one compilation, with their positions in the files. The steps of a compilation
 * know keys alone.
 */
export class Problems {
  readonly #root: ConfigSection<unknown>;
  readonly #errors = new Set<unknown>();
  readonly #found: Diagnostic[] = [];

  constructor(root: ConfigSection<unknown>) {
    this.#root = root;
  }

  /** The result of a step, or null where it failed: steps after it may find more. */
  async settle<T>(step: Promise<T>): Promise<T | null> {
    try {
      return await step;
    } catch (error) {
      this.add(error);
      return null;
    }
  }

  attempt<T>(step: () => T): T | null {
    try {
      return step();
    } catch (error) {
      this.add(error);
      return null;
    }
  }

  /** Adds the problems of an error, once. An error of the gateway itself is thrown. */
  add(error: unknown): void {
    if (this.#errors.has(error)) return;
    this.#errors.add(error);
    const problems = this.#root.locateAll(problemsOf(error));
    this.#found.push(
      ...(error instanceof FindingsError && error.isInFileOrder ? inFileOrder(problems) : problems),
    );
  }

  get areNone(): boolean {
    return this.#found.length === 0;
  }

  /** All that was found. */
  error(): ConfigurationError {
    return new ConfigurationError(this.#found);
  }

  /** Warnings with their positions. */
  *located(warnings: readonly Problem[]): Steps<readonly Diagnostic[]> {
    const located: Diagnostic[] = [];
    for (const warning of warnings) {
      located.push(...this.#root.locateAll([warning]));
      yield;
    }
    return located;
  }
}

const inFileOrder = (diagnostics: readonly Diagnostic[]): readonly Diagnostic[] =>
  diagnostics.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0));
