import { ConfigurationError, type Diagnostic, isRecord } from '../../core/index.js';
import type { ConfigPath } from './config-path.js';

/** An error or a warning at a path, before the place in the file is looked up. */
export interface Finding {
  readonly path: ConfigPath;
  /** The key or its value; absent: the value where it is a scalar, else the key. */
  readonly part?: 'key' | 'value' | undefined;
  /** The position within the text at the path. */
  readonly at?: { readonly line: number; readonly column: number };
  readonly what: string;
  readonly remedy: string | null;
  /** The key is one that its section has, misspelt: the section may lack it for that alone. */
  readonly isMisspelt?: boolean;
}

/** A finding about the configuration, or a diagnostic of another file. */
export type Problem = Finding | Diagnostic;

/** Whether a value that was read from bytes is a problem. */
export const isProblem = (value: unknown): value is Problem =>
  isRecord(value) &&
  typeof value['what'] === 'string' &&
  (value['remedy'] === null || typeof value['remedy'] === 'string') &&
  (Array.isArray(value['path']) || value['file'] === null || typeof value['file'] === 'string');

export const finding = (
  path: ConfigPath,
  what: string,
  remedy: string | null,
  part?: Finding['part'],
): Finding => ({ path, part, what, remedy });

/**
 * Values of the configuration cannot be used. Paths begin at the value that a step was given.
 * `ConfigSection.placed` makes diagnostics of it.
 */
export class FindingsError extends Error {
  readonly problems: readonly Problem[];
  /** They are reported by their lines: steps found them in another order. */
  readonly isInFileOrder: boolean;

  constructor(problems: readonly Problem[], { isInFileOrder = false } = {}) {
    super(problems.map(({ what }) => what).join('\n'));
    this.name = 'FindingsError';
    this.problems = problems;
    this.isInFileOrder = isInFileOrder;
  }
}

/** The error of one finding. */
export const invalid = (...parts: Parameters<typeof finding>): FindingsError =>
  new FindingsError([finding(...parts)]);

/** The problems of an error that is one of the configuration. Throws any other error. */
export function problemsOf(error: unknown): readonly Problem[] {
  if (error instanceof FindingsError) return error.problems;
  if (error instanceof ConfigurationError) return error.diagnostics;
  throw error;
}

/** Findings about the value at `path`, as findings about the value around it. */
export const findingsBelow = (path: ConfigPath, problems: readonly Problem[]): readonly Problem[] =>
  problems.map((each) => ('path' in each ? { ...each, path: [...path, ...each.path] } : each));

/** An error about the value at `path`, as one about the value around it. */
export const errorBelow = (path: ConfigPath, error: unknown): unknown =>
  error instanceof FindingsError ? new FindingsError(findingsBelow(path, error.problems)) : error;

/** Runs a step on the value at `path`. */
export function within<T>(path: ConfigPath, step: () => T): T {
  try {
    return step();
  } catch (error) {
    throw errorBelow(path, error);
  }
}
