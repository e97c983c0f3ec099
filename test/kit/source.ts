import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/** A source file as the checks of the house read it. */
export interface SourceFile {
  /** From the root of the repository, with slashes. */
  readonly path: string;
  readonly text: string;
  /**
   * The same length as `text`: comments and the insides of strings, templates and regular
   * expressions are blanks.
   */
  readonly code: string;
}

/** A source that is written by `npm run generate`. */
const GENERATED = 'library/configuration-keys.ts';

/** Every TypeScript file below a folder that has an author, in order of path. */
export function readSources(folder: string): readonly SourceFile[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && name.replaceAll('\\', '/') !== GENERATED)
    .sort()
    .map((name) => {
      const text = readFileSync(join(folder, name), 'utf8');
      return { path: join(folder, name).replaceAll('\\', '/'), text, code: maskTypeScript(text) };
    });
}

/** The line, from 1, of an offset. */
export const lineAt = (text: string, offset: number): number =>
  text.slice(0, offset).split('\n').length;

/** An import of a source file, also one of types or a re-export. */
export interface Import {
  readonly file: string;
  readonly line: number;
  /** As written. */
  readonly specifier: string;
  /** Of the repository's root when it is a file of ours, else null. */
  readonly target: string | null;
  /**
   * The names that it takes: none of an import without a list of names. A name of a house is
   * `house.name`.
   */
  readonly names: readonly string[];
  /** The face of a package that it comes through: `target` is the file that declares the names. */
  readonly face: string | null;
  readonly isReExport: boolean;
  /** With the file itself: neither of types only, nor when the program asks for it. */
  readonly isLoaded: boolean;
}

/** The imports of a file, in their order. */
export function importsIn(source: SourceFile): readonly Import[] {
  const found: Import[] = [];
  // Static, side effect only, re-export; dynamic and in types. The mask leaves the quotes where
  // they are.
  for (const match of source.code.matchAll(
    /^(import|export)\b(?:[^;'"(=]*?\bfrom)?\s*(['"])|\bimport\s*\(\s*(['"])/gm,
  )) {
    const start = match.index + match[0].length;
    const end = source.text.indexOf(match[2] ?? match[3] ?? "'", start);
    const specifier = source.text.slice(start, end);
    const target = specifier.startsWith('.')
      ? posix.join(posix.dirname(source.path), specifier).replace(/\.js$/, '.ts')
      : null;
    const isValue = match[1] !== undefined && !/^(?:import|export) type\b/.test(match[0]);
    const taken = namesIn(match[0]);
    const whole: Import = {
      file: source.path,
      line: lineAt(source.text, match.index),
      specifier,
      target,
      names: taken.map(({ name }) => name),
      face: target !== null && isFace(target) ? target : null,
      isReExport: match[1] === 'export',
      isLoaded: isValue,
    };
    if (whole.face === null || taken.length === 0) found.push(whole);
    else
      for (const [file, names] of declaredBy(whole.face, membersOf(whole.face, taken, source))) {
        const isLoaded = isValue && names.some(({ isType }) => !isType);
        found.push({ ...whole, target: file, names: names.map(({ name }) => name), isLoaded });
      }
  }
  return found;
}

/** Whether a file is the face of a package: all that others import from it. */
export const isFace = (path: string): boolean => /^src\/\w+\/index\.ts$/.test(path);

/** Whether a file is the face of a house: a folder that its package offers as one namespace. */
export const isHouse = (path: string): boolean => /^src\/\w+\/[\w/]+\/index\.ts$/.test(path);

interface TakenName {
  readonly name: string;
  readonly isType: boolean;
}

interface Declared {
  /** The file that declares the name. */
  readonly file: string;
  readonly isType: boolean;
}

/** The names between the braces of an import or a re-export. */
function namesIn(statement: string): readonly TakenName[] {
  const list = /\{([^}]*)\}/.exec(statement)?.[1] ?? '';
  return [...list.matchAll(/(type\s+)?(\w+)(?:\s+as\s+\w+)?/g)].map(([, type, name = '']) => ({
    name,
    isType: type !== undefined,
  }));
}

const faces = new Map<string, ReadonlyMap<string, Declared>>();

/** The names of a face; those of its houses as `house.name`. */
export function declarationsOf(face: string): ReadonlyMap<string, Declared> {
  const known = faces.get(face);
  if (known !== undefined) return known;
  const text = readFileSync(face, 'utf8');
  const code = maskTypeScript(text);
  const made = new Map<string, Declared>();
  for (const match of code.matchAll(/^export\b([^;'"(=]*?)\bfrom\s*'/gm)) {
    const start = match.index + match[0].length;
    const specifier = text.slice(start, text.indexOf("'", start));
    const file = posix.join(posix.dirname(face), specifier).replace(/\.js$/, '.ts');
    const house = /^\s*\*\s*as\s+(\w+)/.exec(match[1] ?? '')?.[1];
    if (house === undefined)
      for (const { name, isType } of namesIn(match[0])) made.set(name, { file, isType });
    else for (const [name, declared] of exportsOf(file)) made.set(`${house}.${name}`, declared);
  }
  faces.set(face, made);
  return made;
}

/** The names that a house offers: its index lists them, any other file declares them. */
function exportsOf(file: string): ReadonlyMap<string, Declared> {
  if (isHouse(file)) return declarationsOf(file);
  const code = maskTypeScript(readFileSync(file, 'utf8'));
  const declared =
    /^export\s+(?:declare\s+|async\s+|abstract\s+)*(const|let|function\*?|class|interface|type)\s*(\w+)/gm;
  return new Map(
    [...code.matchAll(declared)].map(([, kind = '', name = '']): [string, Declared] => [
      name,
      { file, isType: kind === 'interface' || kind === 'type' },
    ]),
  );
}

/** Names that a file takes: for a house those of its members that the file uses. */
function membersOf(
  face: string,
  taken: readonly TakenName[],
  { code }: SourceFile,
): readonly TakenName[] {
  const declared = declarationsOf(face);
  return taken.flatMap((each) => {
    if (declared.has(each.name)) return [each];
    const used = code.matchAll(
      new RegExp(`(?<![\\w$]|(?<!\\.\\.)\\.)${each.name}\\s*\\.\\s*(\\w+)`, 'g'),
    );
    return [...new Set([...used].map(([, name]) => `${each.name}.${name}`))].map((name) => ({
      name,
      isType: each.isType || declared.get(name)?.isType === true,
    }));
  });
}

/** Names of a face by the files that declare them. */
function declaredBy(
  face: string,
  taken: readonly TakenName[],
): ReadonlyMap<string, readonly TakenName[]> {
  const files = new Map<string, TakenName[]>();
  for (const each of taken) {
    const file = declarationsOf(face).get(each.name)?.file ?? face;
    files.set(file, [...(files.get(file) ?? []), each]);
  }
  return files;
}

/** Words after which a slash begins a regular expression. */
const BEFORE_REGEXP =
  /(?:^|[^\w$.])(?:return|typeof|case|in|of|do|else|void|yield|await|throw|new|delete)$/;

/**
 * Blanks out what is no code: comments, and what strings, templates and regular expressions hold.
 */
export function maskTypeScript(text: string): string {
  let code = '';
  let at = 0;
  /** Braces open inside each `${` that is open. */
  const templates: number[] = [];
  const blank = (end: number): void => {
    code += text.slice(at, end).replaceAll(/[^\n]/g, ' ');
    at = end;
  };
  const keep = (): void => {
    code += text[at++];
  };
  /** To the end of a template's literal part, its `${` or backtick included. */
  const template = (): void => {
    let end = at;
    while (end < text.length && text[end] !== '`' && !text.startsWith('${', end))
      end += text[end] === '\\' ? 2 : 1;
    blank(end);
    if (text[at] === '$') {
      keep();
      templates.push(0);
    }
    keep();
  };
  while (at < text.length) {
    const char = text[at] ?? '';
    const open = templates.length - 1;
    if (text.startsWith('//', at)) blank(endOf(text, '\n', at));
    else if (text.startsWith('/*', at)) blank(endOf(text, '*/', at) + 2);
    else if (char === "'" || char === '"') {
      keep();
      let end = at;
      while (end < text.length && text[end] !== char) end += text[end] === '\\' ? 2 : 1;
      blank(end);
      keep();
    } else if (char === '`') {
      keep();
      template();
    } else if (char === '/' && beginsRegExp(code)) {
      keep();
      blank(endOfRegExp(text, at));
      keep();
    } else if (char === '{' && open >= 0) {
      templates[open] = (templates[open] ?? 0) + 1;
      keep();
    } else if (char === '}' && open >= 0) {
      keep();
      if (templates[open] === 0) {
        templates.pop();
        template();
      } else templates[open] = (templates[open] ?? 0) - 1;
    } else keep();
  }
  return code;
}

function endOf(text: string, what: string, from: number): number {
  const found = text.indexOf(what, from);
  return found < 0 ? text.length : found;
}

function beginsRegExp(before: string): boolean {
  const code = before.trimEnd();
  return code === '' || /[-(,=:[!&|?{};+*%<>~^]$/.test(code) || BEFORE_REGEXP.test(code.slice(-12));
}

function endOfRegExp(text: string, start: number): number {
  let inClass = false;
  let at = start;
  for (; at < text.length && text[at] !== '\n'; at++) {
    const char = text[at];
    if (char === '\\') at++;
    else if (char === '[') inClass = true;
    else if (char === ']') inClass = false;
    else if (char === '/' && !inClass) return at;
  }
  return at;
}
