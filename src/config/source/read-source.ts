import type { Buffer } from 'node:buffer';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import {
  AT_ONCE,
  ConfigurationError,
  type Diagnostic,
  diagnosis,
  errorCode,
  type inputFiles,
  isRecord,
  MIB,
  type Pace,
} from '../../core/index.js';
import { configSchema } from '../check/schema-node.js';
import { INCLUDED_FILES_MAX, includeOf } from '../process/include-keys.js';
import { type ConfigFile, ConfigSource } from './config-source.js';
import { substitute } from './substitute.js';
import { readYaml } from './yaml-source.js';

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads a configuration file and those that it includes. Throws `ConfigurationError` for what
 * cannot be read at all.
 */
export async function readSource(
  file: string,
  environment: Environment,
  inputs: inputFiles.Inputs,
  pace: Pace = AT_ONCE,
): Promise<ConfigSource> {
  const main = { file, yaml: await pace.run(readYaml(await readMain(file, inputs), file)) };
  const diagnostics: Diagnostic[] = [];
  const report = (index: number, what: string, remedy: string | null): void => {
    const { line, column } = main.yaml.positionOf(['include', index], 'value') ?? {
      line: 1,
      column: 1,
    };
    diagnostics.push({ file, line, column, what, remedy });
  };
  const included: ConfigFile[] = [];
  for (const [name, { index, isOptional }] of await includedFiles(
    main,
    environment,
    inputs,
    report,
  )) {
    const text = await readText(name, inputs).catch((error: unknown) => {
      if (isOptional && codeOf(error) === 'ENOENT') return null;
      report(index, `The included file ${name} cannot be read (${codeOf(error)}).`, null);
      return null;
    });
    if (text === null) continue;
    await pace.pause();
    // A file that is being written is empty for a moment.
    if (text.trim() === '') {
      const what = 'The included file is empty.';
      diagnostics.push({
        file: name,
        line: 1,
        column: 1,
        what,
        remedy: 'Remove it, or write a comment into it.',
      });
      continue;
    }
    try {
      included.push({ file: name, yaml: await pace.run(readYaml(text, name)) });
    } catch (error) {
      diagnostics.push(...diagnosis.errorDiagnostics(error));
    }
  }
  if (diagnostics.length > 0) throw new ConfigurationError(diagnostics);
  return new ConfigSource(main, included);
}

type Report = (index: number, what: string, remedy: string | null) => void;

/** The pattern that matches an included file first. */
interface Included {
  readonly index: number;
  readonly isOptional: boolean;
}

/** The names of the files that are included. */
async function includedFiles(
  { file, yaml }: ConfigFile,
  environment: Environment,
  inputs: inputFiles.Inputs,
  report: Report,
): Promise<ReadonlyMap<string, Included>> {
  const found = new Map<string, Included>();
  const node = configSchema().properties?.['include'];
  const patterns = isRecord(yaml.value) ? yaml.value['include'] : null;
  if (!Array.isArray(patterns) || node === undefined) return found;
  const directory = dirname(file);
  // What cannot be replaced is reported with all other values.
  const around = {
    directoryOf: () => resolve(directory),
    environment,
    inputs,
    pace: AT_ONCE,
    report: () => {},
  };
  const { value } = await substitute(patterns, node, around);
  for (const [index, entry] of (Array.isArray(value) ? value : []).entries()) {
    const include = includeOf(entry);
    if (include === null) continue;
    const { pattern, isOptional } = include;
    const path = isAbsolute(pattern) ? pattern : join(directory, pattern);
    const names = await inputs.glob(path).catch((error: unknown) => {
      report(index, `The files of ${pattern} cannot be listed (${codeOf(error)}).`, null);
      return null;
    });
    if (names === null) continue;
    if (names.length === 0 && !isOptional) {
      const remedy =
        'Check the name; where there may be none, write { files: ' +
        `${JSON.stringify(pattern)}, optional: true }.`;
      report(index, `No file matches ${pattern}.`, remedy);
    }
    for (const name of names) {
      if (resolve(name) !== resolve(file) && !found.has(name)) {
        found.set(name, { index, isOptional });
      }
    }
    if (found.size <= INCLUDED_FILES_MAX) continue;
    report(
      index,
      `More than ${INCLUDED_FILES_MAX} files are included.`,
      'Put several services into one file.',
    );
    return new Map();
  }
  return found;
}

const UNREADABLE: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'The configuration does not exist.'],
  ['EISDIR', 'The configuration is a folder.'],
  ['EACCES', 'The configuration may not be read by this user.'],
]);

async function readMain(file: string, inputs: inputFiles.Inputs): Promise<string> {
  const text = await readText(file, inputs).catch((error: unknown) => {
    if (error instanceof ConfigurationError) throw error;
    const code = codeOf(error);
    const what = UNREADABLE.get(code) ?? `The configuration cannot be read (${code}).`;
    throw diagnosis.unplacedError(
      what,
      'Name a file with -c FILE; `soapstone init FILE` writes one.',
      file,
    );
  });
  if (text === '') {
    throw diagnosis.unplacedError(
      'The configuration is empty.',
      'Write `services:` into it, or use `import`.',
      file,
    );
  }
  return text;
}

async function readText(file: string, inputs: inputFiles.Inputs): Promise<string> {
  const bytes: Buffer = await inputs.readFile(file);
  if (bytes.length <= MIB) return bytes.toString('utf8');
  const remedy = 'Divide it into several files with `include`.';
  throw diagnosis.unplacedError('The configuration is longer than 1 MiB.', remedy, file);
}

const codeOf = (error: unknown): string => errorCode(error) ?? 'unknown error';
