import {
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseDocument,
  stringify,
  visit,
  type YAMLError,
  YAMLMap,
} from 'yaml';
import {
  AT_ONCE,
  ConfigurationError,
  collections,
  type Diagnostic,
  type Steps,
} from '../../core/index.js';
import type { ConfigPath } from '../keys/config-path.js';
import { type ParsedYaml, parseYaml, plainData } from './yaml-document.js';
import { slipOf } from './yaml-slips.js';

/** A place in a text file; both count from 1. */
export interface SourcePosition {
  readonly line: number;
  readonly column: number;
}

/** A YAML file as plain data, and where in the file each part of it stands. */
export interface YamlSource {
  readonly value: unknown;
  /**
   * Returns the position of a key or its value. Without `part`: the value when it is a scalar, else
   * the key. For a path that is not in the file (a default): the nearest part around it that is;
   * null when there is none.
   */
  positionOf(path: ConfigPath, part?: 'key' | 'value'): SourcePosition | null;
  /**
   * Returns the position in the file of `at`, which counts from the first character of the value at
   * `path`. In text with joined or escaped lines it is the start of the value; null when it is not
   * in the file.
   */
  placeIn(path: ConfigPath, at: SourcePosition): SourcePosition | null;
}

/** Prints data as YAML, without folding of long lines. */
export const printYaml = (value: unknown): string =>
  stringify(value, { lineWidth: 0, aliasDuplicateObjects: false });

type Fail = (what: string, offset: number, remedy: string | null) => Diagnostic;

/** Reads YAML 1.2 (core schema) in steps. Throws `ConfigurationError` with every syntax error. */
export function* readYaml(text: string, file: string): Steps<YamlSource> {
  const lines = new LineCounter();
  const at = (offset: number): SourcePosition => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  const fail: Fail = (what, offset, remedy) => ({ file, ...at(offset), what, remedy });

  const parsed = yield* attempt(parseYaml(text, lines), () => [
    { file, line: 1, column: 1, what: 'The file is nested too deeply.', remedy: null },
  ]);
  const { document } = parsed;
  const repeated = yield* repeatedKeys(document.contents);
  const broken = [
    ...[...document.errors, ...document.warnings].map(
      ({ code, message, pos: [offset] }): SyntaxProblem => ({ code, message, offset }),
    ),
    ...[...repeated.keys()].map(
      (offset): SyntaxProblem => ({ code: 'DUPLICATE_KEY', message: 'A key stands twice', offset }),
    ),
  ].sort((one, other) => one.offset - other.offset);
  if (broken.length > 0) {
    throw new ConfigurationError(syntaxDiagnostics(broken, repeated, text, lines, fail));
  }

  const value = yield* attempt(plainData(parsed), (message) => [
    message.startsWith('Unresolved alias')
      ? fail(
          'The alias here has no anchor before it.',
          firstAlias(document, true),
          'Write the value out, or in quotes if it begins with `*`.',
        )
      : fail(
          'The aliases of this file expand to too much.',
          firstAlias(document),
          'Write the values out.',
        ),
  ]);

  const resolve = (node: unknown): unknown => (isAlias(node) ? node.resolve(document) : node);
  const start = (node: unknown): SourcePosition | null => {
    const range = isNodeWithRange(node) ? node.range : null;
    return range === null || range === undefined ? null : at(range[0]);
  };

  const positionOf: YamlSource['positionOf'] = (path, part) => {
    let node: unknown = document.contents;
    let found: SourcePosition | null = null;
    for (const [index, step] of path.entries()) {
      const owner = resolve(node);
      const pair = isMap(owner) ? (pairsByKey(owner).get(String(step)) ?? null) : null;
      const child = isSeq(owner) && typeof step === 'number' ? owner.items[step] : pair?.value;
      if (child === undefined || child === null) {
        return pair === null ? found : (start(pair.key) ?? found);
      }
      const key = start(pair === null ? child : pair.key);
      const wantsValue =
        index === path.length - 1 && (part === 'value' || (part === undefined && isScalar(child)));
      found = (wantsValue ? start(child) : key) ?? found;
      node = child;
    }
    return found;
  };

  return {
    value,
    positionOf,
    placeIn(path, { line, column }) {
      const node = path.reduce((owner: unknown, step) => {
        const known = resolve(owner);
        if (isMap(known)) return pairsByKey(known).get(String(step))?.value;
        return isSeq(known) && typeof step === 'number' ? known.items[step] : null;
      }, document.contents);
      const value = resolve(node);
      const begin = start(value);
      if (!isScalar(value) || begin === null) return positionOf(path, 'value');
      if (value.type === 'BLOCK_LITERAL') {
        const key = positionOf(path, 'key')?.column ?? 1;
        return {
          line: begin.line + line,
          column: column + indentation(text, value.range?.[0] ?? 0, key - 1),
        };
      }
      const quote = value.type === 'PLAIN' ? 0 : 1;
      const isOneLine =
        value.type !== 'BLOCK_FOLDED' && line === 1 && !value.source?.includes('\n');
      return isOneLine ? { line: begin.line, column: begin.column + quote + column - 1 } : begin;
    },
  };
}

/**
 * The text of a YAML file with further entries of a map at its top level; all else in it stays, to
 * the byte. `entries` are lines of block style without indentation. Throws `ConfigurationError` for
 * a text that has no place for them.
 */
export function withEntries(
  text: string,
  file: string,
  key: string,
  entries: readonly string[],
): string {
  AT_ONCE.finish(readYaml(text, file));
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  const indented = (margin: number): string =>
    entries.map((line) => (line === '' ? '' : ' '.repeat(margin) + line) + newline).join('');
  const document = parseDocument(text, { version: '1.2', schema: 'core' });
  const { contents } = document;
  const pair = isMap(contents) ? pairsByKey(contents).get(key) : undefined;
  const isBlock = contents === null || (isMap(contents) && contents.flow !== true);
  if (isBlock && pair === undefined) {
    return `${ended(text, newline)}${newline}${key}:${newline}${indented(2)}`;
  }
  const map = pair?.value;
  const last = isMap(map) && map.flow !== true ? map.items.at(-1) : undefined;
  if (isMap(map) && last !== undefined) {
    const { key: name } = last;
    const begin = isScalar(name) ? (name.range?.[0] ?? 0) : 0;
    const margin = begin - (text.lastIndexOf('\n', begin - 1) + 1);
    const end = endOfEntry(text, endOfLast(last), margin);
    return `${ended(text.slice(0, end), newline)}${newline}${indented(margin)}${text.slice(end)}`;
  }
  const { contents: added } = parseDocument(entries.join('\n'));
  if (isAlias(map) || !isMap(added) || !isMap(contents)) {
    const { line, column } = AT_ONCE.finish(readYaml(text, file)).positionOf([key], 'key') ?? {
      line: 1,
      column: 1,
    };
    const what = `Nothing can be added to \`${key}\` of this file.`;
    throw new ConfigurationError([
      { file, line, column, what, remedy: `Write \`${key}\` as a map of its own.` },
    ]);
  }
  const target = isMap(map) ? map : new YAMLMap();
  for (const item of added.items) {
    target.add(item);
  }
  target.flow = false;
  if (map !== target) {
    document.setIn([key], target);
  }
  return document.toString({ lineWidth: 0 });
}

/**
 * Returns the end of the last scalar within an entry: the range of a map extends over comments
 * below it.
 */
function endOfLast(entry: Pair): number {
  let end = 0;
  let node: unknown = entry;
  while (node !== null && node !== undefined) {
    if (isPair(node)) {
      if (isScalar(node.key)) {
        end = node.key.range?.[1] ?? end;
      }
      node = node.value;
    } else if ((isMap(node) || isSeq(node)) && node.flow !== true && node.items.length > 0) {
      node = node.items.at(-1);
    } else {
      return isNodeWithRange(node) ? (node.range?.[1] ?? end) : end;
    }
  }
  return end;
}

/**
 * The end of the line at `offset`, and of the lines of comment below it that are indented as far as
 * `margin`.
 */
function endOfEntry(text: string, offset: number, margin: number): number {
  const lineEnd = (at: number): number => (text.indexOf('\n', at) + 1 || text.length + 1) - 1;
  let end = text[offset - 1] === '\n' ? offset - 1 : lineEnd(offset);
  for (let at = end + 1; at < text.length; at = lineEnd(at) + 1) {
    const line = text.slice(at, lineEnd(at)).trimEnd();
    const content = line.trimStart();
    if (content === '') continue;
    if (!content.startsWith('#') || line.length - content.length < margin) break;
    end = lineEnd(at);
  }
  return Math.min(end + 1, text.length);
}

const ended = (text: string, newline: string): string =>
  text === '' || text.endsWith('\n') ? text : text + newline;

/**
 * Returns the indentation of the lines of a block (YAML 1.2 section 8.1.1.1). Its header has it, or
 * else its first line that is not blank.
 */
function indentation(text: string, header: number, parent: number): number {
  const end = text.indexOf('\n', header);
  const digits = /^[|>][+-]?([1-9])/.exec(text.slice(header, end))?.[1];
  if (digits !== undefined) return parent + Number(digits);
  let line = end + 1;
  let at = line;
  for (; at < text.length && ' \r\n'.includes(text[at] ?? ''); at++) {
    if (text[at] === '\n') {
      line = at + 1;
    }
  }
  return at - line;
}

/** The pairs of a map by their keys: of two with one key the first. */
const pairsByKey = collections.makeOncePer((map: YAMLMap): ReadonlyMap<string, Pair> => {
  const pairs = new Map<string, Pair>();
  for (const pair of map.items) {
    const key = isScalar(pair.key) ? String(pair.key.value) : null;
    if (key !== null && !pairs.has(key)) {
      pairs.set(key, pair);
    }
  }
  return pairs;
});

function isNodeWithRange(node: unknown): node is Node {
  return isScalar(node) || isMap(node) || isSeq(node) || isAlias(node);
}

/** The offset of the first alias; of those without an anchor, if `isUnresolved`. */
function firstAlias(document: ParsedYaml['document'], isUnresolved = false): number {
  let offset = 0;
  visit(document, {
    Alias(_, node) {
      if (isUnresolved && node.resolve(document) !== undefined) return;
      offset = node.range?.[0] ?? 0;
      return visit.BREAK;
    },
  });
  return offset;
}

/**
 * The library reports exhaustion (of the stack, of aliases) with exceptions of the language itself.
 */
function* attempt<T>(work: Steps<T>, diagnostics: (message: string) => Diagnostic[]): Steps<T> {
  try {
    return yield* work;
  } catch (error) {
    if (error instanceof RangeError || error instanceof ReferenceError) {
      throw new ConfigurationError(diagnostics(error.message));
    }
    throw error;
  }
}

interface SyntaxProblem {
  readonly code: YAMLError['code'];
  readonly message: string;
  readonly offset: number;
}

/**
 * One slip makes the parser complain again and again: its first complaint at each place is worth
 * reading.
 */
function syntaxDiagnostics(
  problems: readonly SyntaxProblem[],
  repeated: ReadonlyMap<number, RepeatedKey>,
  text: string,
  lines: LineCounter,
  fail: Fail,
): readonly Diagnostic[] {
  const firsts = new Map<number, string>();
  for (const { code, message, offset } of problems) {
    const key = code === 'DUPLICATE_KEY' ? repeated.get(offset) : undefined;
    if (key !== undefined) {
      const line = lines.linePos(key.first).line;
      firsts.set(
        offset,
        `The key \`${key.path}\` stands twice, first in line ${line}. Keep one, or rename one.`,
      );
    }
    if (text[offset] === '{' && text[offset - 1] === '$') {
      return [
        fail(
          'A variable within braces or brackets ends the text there.',
          offset - 1,
          'Put the value in quotes.',
        ),
      ];
    }
    if (code === 'MULTIPLE_DOCS') {
      return [
        fail(
          'The file has several YAML documents.',
          offset,
          'Divide it with `include`, and remove `---`.',
        ),
      ];
    }
    const tooDeep = message.includes('call stack');
    if (!firsts.has(offset)) {
      firsts.set(offset, tooDeep ? 'The file is nested too deeply.' : sentence(message));
    }
  }
  return [...firsts].slice(0, 10).map(([offset, what]) => {
    const slip = slipOf(what, text, offset);
    return slip === null ? fail(what, offset, null) : fail(slip.what, slip.offset, slip.remedy);
  });
}

interface RepeatedKey {
  readonly path: string;
  /** Offset of the first key of that name. */
  readonly first: number;
}

/** Finds the keys that their map has already, by their offset. */
function* repeatedKeys(contents: unknown): Steps<ReadonlyMap<number, RepeatedKey>> {
  const found = new Map<number, RepeatedKey>();
  const stack: { readonly node: unknown; readonly path: string }[] = [{ node: contents, path: '' }];
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    const { node, path } = top;
    if (isSeq(node)) {
      node.items.forEach((item, at) => void stack.push({ node: item, path: `${path}[${at}]` }));
    }
    if (!isMap(node)) continue;
    const firsts = new Map<string, number>();
    for (const { key, value } of node.items) {
      if (!isScalar(key)) continue;
      const name = String(key.value);
      const offset = key.range?.[0] ?? 0;
      const here = path === '' ? name : `${path}.${name}`;
      const first = firsts.get(name);
      if (first === undefined) {
        firsts.set(name, offset);
      } else {
        found.set(offset, { path: here, first });
      }
      if (!isScalar(value)) {
        stack.push({ node: value, path: here });
      }
    }
    yield;
  }
  return found;
}

/** The first line of a message, as a sentence. */
function sentence(message: string): string {
  const line = message.split('\n')[0] ?? '';
  return /[.!?]$/.test(line) ? line : `${line}.`;
}
