import { resolve } from 'node:path';
import { errorCode, inputFiles, isRecord, MIB, type Pace } from '../../core/index.js';
import { escapeQuoted } from '../../xml/index.js';
import { branchOf, childNode, type SchemaNode, typesOf } from '../check/schema-node.js';
import type { ConfigPath } from '../keys/config-path.js';
import { parseAmount } from '../keys/units.js';

/** The number of keys in the path of a service. */
const SERVICE_DEPTH = 2;

/** Maps that are read without a pause. */
const RECORDS_TOGETHER = 64;

/** The sources of values that are not in the file. */
export interface Surroundings {
  /** The folder that the path of `{ file: ... }` at `path` is relative to. */
  directoryOf(path: ConfigPath): string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly inputs: inputFiles.Inputs;
  readonly pace: Pace;
  /**
   * Takes a diagnostic with the value at a path. Never gets a value of the environment or of a
   * file.
   */
  report(path: ConfigPath, what: string, remedy: string | null): void;
}

/** The data with its references resolved. Paths are written as JSON. */
export interface Substituted {
  readonly value: unknown;
  /** The paths whose values came from outside. */
  readonly foreign: ReadonlySet<string>;
  /** The absolute path of the file that has the value at a path. */
  readonly files: ReadonlyMap<string, string>;
}

/**
 * Puts in what the environment and other files give, and turns text into what the key wants: `"8"`
 * into 8, `10MiB` into bytes, `1.1` into the name of a dialect. Keys the schema does not know stay
 * as they are; the check refuses them.
 */
export async function substitute(
  value: unknown,
  schema: SchemaNode,
  around: Surroundings,
): Promise<Substituted> {
  const foreign = new Set<string>();
  const files = new Map<string, string>();
  let records = 0;
  const visit = async (data: unknown, either: SchemaNode, path: ConfigPath): Promise<unknown> => {
    const node = branchOf(either, data);
    if (Array.isArray(data)) {
      const items: unknown[] = [];
      for (const [index, item] of data.entries()) {
        items.push(
          node.items === undefined ? item : await visit(item, node.items, [...path, index]),
        );
      }
      return items;
    }
    if (isRecord(data)) {
      if (isFileReference(data) && !typesOf(node).includes('object')) {
        foreign.add(JSON.stringify(path));
        const file = fromEnvironment(data.file, path, around, false);
        if (file === null) return undefined;
        files.set(JSON.stringify(path), resolve(around.directoryOf(path), file));
        return convert(await fromFile(file, path, around, node.binary === true), node);
      }
      if (path.length === SERVICE_DEPTH || ++records % RECORDS_TOGETHER === 0) {
        await around.pace.pause();
      }
      const copy: Record<string, unknown> = Object.create(null);
      for (const [key, child] of Object.entries(data)) {
        const known = childNode(node, key);
        copy[key] = known === null ? child : await visit(child, known, [...path, key]);
      }
      return copy;
    }
    if (typeof data !== 'string') return nameOf(data, node);
    const text = fromEnvironment(data, path, around, node.markup === true);
    if (text !== data) {
      foreign.add(JSON.stringify(path));
    }
    return text === null ? undefined : convert(text, node);
  };
  return { value: await visit(value, schema, []), foreign, files };
}

function isFileReference(data: Record<string, unknown>): data is { file: string } {
  return typeof data['file'] === 'string' && Object.keys(data).length === 1;
}

/** The content of a secret's file without its last line break, or null after a report. */
async function fromFile(
  file: string,
  path: ConfigPath,
  around: Surroundings,
  isBinary: boolean,
): Promise<string | null> {
  try {
    const bytes = await around.inputs.readFile(resolve(around.directoryOf(path), file));
    if (bytes.length > MIB) {
      around.report(path, `The file ${file} is longer than 1 MiB.`, null);
      return null;
    }
    const text = inputFiles.fileText(bytes, isBinary ? 'base64' : 'utf8');
    if (text === null) {
      around.report(
        path,
        `The file ${file} is not UTF-8 text.`,
        'Save it as UTF-8; a certificate or key must be PEM.',
      );
    }
    return text;
  } catch (error) {
    const code = errorCode(error) ?? 'unknown error';
    const where = 'Paths are relative to the configuration file.';
    around.report(path, `The file ${file} cannot be read (${code}).`, where);
    return null;
  }
}

/**
 * A text with each `${NAME}` replaced (`$${` is a literal `${`; in XML the values are escaped), or
 * null after a report.
 */
function fromEnvironment(
  text: string,
  path: ConfigPath,
  around: Surroundings,
  isMarkup: boolean,
): string | null {
  if (!text.includes('${')) return text;
  let complete = true;
  const refuse = (what: string, remedy: string): string => {
    complete = false;
    around.report(path, what, remedy);
    return '';
  };
  const filled = text.replaceAll(
    /\$?\$\{(?:([A-Za-z_][A-Za-z0-9_]{0,127})\})?/g,
    (match, name: string | undefined) => {
      if (match.startsWith('$$')) return match.slice(1);
      if (name === undefined) {
        return refuse(
          '`${` must be followed by the name of an environment variable and a closing brace.',
          'Write `$${` for the text `${`.',
        );
      }
      const value = Object.hasOwn(around.environment, name) ? around.environment[name] : undefined;
      if (value === undefined) {
        return refuse(`The environment variable ${name} is not set.`, 'Set it before the start.');
      }
      return isMarkup ? escapeQuoted(value) : value;
    },
  );
  return complete ? filled : null;
}

function convert(text: string | null, node: SchemaNode): unknown {
  if (text === null) return undefined;
  const types = typesOf(node);
  if (types.includes('integer')) {
    const amount = parseAmount(text, node.unit ?? 'count');
    if (amount !== null) return amount;
  }
  if (types.includes('number') && /^\d{1,9}(?:\.\d{1,9})?$/.test(text)) return Number(text);
  if (types.includes('boolean') && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

/** A number where one of several names is wanted: YAML reads `1.1` without quotes as a number. */
function nameOf(data: unknown, node: SchemaNode): unknown {
  return typeof data === 'number' && node.enum !== undefined ? String(data) : data;
}
