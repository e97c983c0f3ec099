import { Buffer } from 'node:buffer';
import { join } from 'node:path';
import { NO_FOLDER } from '../config/process/compiled-keys.js';
import type { Config } from '../config/schema.js';
import { ConfigurationError, diagnosis, type inputFiles, isRecord } from '../core/index.js';

/** Deeper objects are none that a configuration has. */
const DEPTH_MAX = 100;

/** The name under which the errors of an object are reported. */
const NAME = '(configuration)';

/** The file that a configuration given as an object counts as: paths in it begin at `folder`. */
export const objectFile = (folder: string): string => join(folder, NAME);

/**
 * Reads as `inputs` does, and the text of the object in place of its file. `text` is called at each
 * read.
 */
export function withObject(
  inputs: inputFiles.Inputs,
  file: string,
  text: () => string,
): inputFiles.Inputs {
  const read = (): Buffer => Buffer.from(text());
  return {
    ...inputs,
    readFile: async (path) => (path === file ? read() : inputs.readFile(path)),
    realpath: async (path) => (path === file ? file : inputs.realpath(path)),
    stat: async (path) =>
      path === file ? { size: read().length, isFile: () => true } : inputs.stat(path),
  };
}

/** In the working directory of a program no forms are kept that it has not asked for. */
const withoutForms = (configuration: object): object => ({
  ...configuration,
  compiled: ('compiled' in configuration ? configuration.compiled : undefined) ?? NO_FOLDER,
});

/**
 * The text of a configuration as JSON, which is YAML too. `compiled` is `none` unless it names a
 * folder. Throws `ConfigurationError` for a value that no file can hold, with its key.
 */
export function objectText(configuration: unknown): string {
  const problems: string[] = [];
  find(configuration, [], (path, found) => {
    problems.push(`\`${path.join('.')}\` is ${found}.`);
  });
  if (problems.length > 0) {
    const remedy = 'Write texts, numbers, booleans, lists and objects, as in a file.';
    throw new ConfigurationError(problems.map((what) => diagnosis.unplaced(what, remedy)));
  }
  return JSON.stringify(
    isRecord(configuration) ? withoutForms(configuration) : configuration,
    null,
    2,
  );
}

/** Reports each value that JSON drops or changes. */
function find(
  value: unknown,
  path: readonly string[],
  report: (path: readonly string[], found: string) => void,
): void {
  const found = unwritable(value);
  if (found !== null) {
    report(path, found);
  } else if (path.length > DEPTH_MAX) {
    report(path.slice(0, 3), 'an object without an end');
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      find(item ?? null, [...path, String(index)], report);
    }
  } else if (isRecord(value)) {
    for (const [name, item] of Object.entries(value)) {
      // An absent key, as in a spread of options.
      if (item !== undefined) {
        find(item, [...path, name], report);
      }
    }
  }
}

/** The kind of a value that JSON has not; null for one that it has. */
function unwritable(value: unknown): string | null {
  if (typeof value === 'number') return Number.isFinite(value) ? null : `the number ${value}`;
  if (typeof value === 'object' && value !== null) {
    if (Array.isArray(value)) return null;
    const prototype: unknown = Object.getPrototypeOf(value);
    const isPlain = prototype === null || prototype === Object.prototype;
    return isPlain ? null : 'an object of a class';
  }
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return null;
  return `of the type ${typeof value}`;
}

/**
 * Throws `ConfigurationError` for what would write to standard output: that is the program's, and
 * not the gateway's.
 */
export function checkOutputs({ audit }: Config): void {
  if (audit === undefined || audit.file !== undefined) return;
  throw diagnosis.unplacedError(
    '`audit` has no `file`, and would be written to the standard output of this program.',
    'Write `audit: { file: audit.jsonl }`.',
  );
}
