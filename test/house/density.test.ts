import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import t from 'tap';

import { lineAt, readSources, type SourceFile } from '../kit/source.js';
import { countTokens } from '../kit/tokens.js';

/**
 * Lines measure nothing where they are dense: the code is measured by tokens a line beside undici,
 * its functions by statements, and its lines by their width. There is no bar on the total.
 */

/** Tokens a line of ours, as a multiple of undici's. */
const DENSITY_MAX = 1.4;

const STATEMENTS_MAX = 40;

/** Functions that may have more statements, each with the reason. */
const LONG_FUNCTIONS: ReadonlyMap<string, string> = new Map([
  ['src/xml/assembly/skim.ts', 'A loop over bytes in WebAssembly: its state is in local variables'],
  ['src/xml/assembly/skim-model.ts', 'The same, with the states of content models'],
  ['src/xml/text.ts', 'A loop over bytes: each call within it would be one for each character'],
]);

/** Lines of a file, without comments and imports. */
const FILE_LINES_MAX = 430;

const WIDTH = 100;
const WIDE_LINES_MAX = 204;

const sources = readSources('src');

interface Count {
  readonly tokens: number;
  readonly lines: number;
}

function densityOf(counts: readonly Count[]): number {
  const tokens = counts.reduce((sum, count) => sum + count.tokens, 0);
  return tokens / counts.reduce((sum, count) => sum + count.lines, 0);
}

/** Undici's own sources, without the parser that is compiled from C. */
function peerSources(): readonly string[] {
  const root = join(dirname(createRequire(import.meta.url).resolve('undici')), 'lib');
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.js') && !name.includes('llhttp'))
    .map((name) => readFileSync(join(root, name), 'utf8'));
}

t.test('tokens are counted without comments and imports', async (t) => {
  const counted = (text: string): readonly number[] => Object.values(countTokens(text));
  t.same(counted("import { a } from 'a'; // b\nimport 'c';\n\n/** d */\nf(1);\n"), [5, 1]);
  t.same(counted("const { a } = require('a')\nconst b = require('b')(1)\n"), [3, 1]);
  // biome-ignore lint/suspicious/noTemplateCurlyInString: code as it stands in a file
  t.same(counted('f(`a${b}\nc`, /[/;]/g);\n'), [9, 2], 'a template on two lines');
});

t.test('a line of the source has at most 1.4 times the tokens of a line of undici', async (t) => {
  const ours = densityOf(sources.map(({ text }) => countTokens(text)));
  const theirs = densityOf(peerSources().map(countTokens));
  t.comment(`tokens a line: ${ours.toFixed(2)}, of undici ${theirs.toFixed(2)}`);
  t.ok(theirs > 4, 'the sources of undici are found');
  t.ok(ours / theirs <= DENSITY_MAX, `${(ours / theirs).toFixed(3)} times undici's`);
});

t.test('a file is read in one go', async (t) => {
  const long = sources
    .map(({ path, text }) => ({ path, lines: countTokens(text).lines }))
    .filter(({ lines }) => lines > FILE_LINES_MAX);
  t.same(long, [], `files with more than ${FILE_LINES_MAX} lines of code`);
});

/** The kinds of lines that are wider: neither the formatter nor an author breaks them. */
const WIDE_KINDS: readonly (readonly [kind: string, pattern: RegExp])[] = [
  ['regular expressions', /(?:^|[ (,[!])\/(?:[^/\\\n]|\\.)+\/[a-z]*(?:[,;.)\]]| \?|$)/],
  ['templates with code', /\$\{/],
  ['texts', /['"`]/],
  ['names in comments for the linter', /biome-ignore/],
];

t.test('at most 204 lines are wider than 100 characters', async (t) => {
  const wide = [...sources, ...readSources('test')].flatMap(({ path, text }) =>
    text
      .split('\n')
      .map((line, index) => ({ line, at: `${path}:${index + 1}` }))
      .filter(({ line }) => line.length > WIDTH),
  );
  const kindOf = (line: string): string | undefined =>
    WIDE_KINDS.find(([, pattern]) => pattern.test(line))?.[0];
  for (const [kind] of WIDE_KINDS) {
    t.comment(`${kind}: ${wide.filter(({ line }) => kindOf(line) === kind).length}`);
  }
  t.same(
    wide.filter(({ line }) => kindOf(line) === undefined).map(({ at }) => at),
    [],
    'wide lines that are of no kind',
  );
  t.ok(wide.length <= WIDE_LINES_MAX, `${wide.length}: ${wide.map(({ at }) => at).join(', ')}`);
});

/** The brace of a body: behind an arrow, or behind parameters and the type of the result. */
const HEAD = /(?:=>|\)(?:: [^;{}()]*(?:\([^()]*\)[^;{}()]*)?)?)\s*\{/g;
const NO_FUNCTION = /(?:^|[^\w$.])(?:if|for|while|switch|catch|with)\s*(?:await\s*)?$/;

/** Where the parenthesis opens that closes at `end`. */
function openingOf(code: string, end: number): number {
  let depth = 0;
  for (let at = end; at >= 0; at--) {
    if (code[at] === ')') {
      depth++;
    }
    if (code[at] === '(' && --depth === 0) return at;
  }
  return 0;
}

/** Where the brace closes that opens at `start`. */
function closingOf(code: string, start: number): number {
  let depth = 0;
  for (let at = start; at < code.length; at++) {
    if (code[at] === '{') {
      depth++;
    }
    if (code[at] === '}' && --depth === 0) return at;
  }
  return code.length;
}

interface Body {
  readonly start: number;
  readonly end: number;
}

function bodiesOf(code: string): readonly Body[] {
  return [...code.matchAll(HEAD)].flatMap((match): Body[] => {
    const start = match.index + match[0].length - 1;
    const isArrow = match[0].startsWith('=>');
    const before = isArrow ? '' : code.slice(0, openingOf(code, match.index));
    if (NO_FUNCTION.test(before.slice(-20))) return [];
    return [{ start, end: closingOf(code, start) }];
  });
}

/** Statements: those that end with a semicolon, and those with a block. */
function statementsIn(code: string): number {
  const heads = code.replace(/\bfor\s*(?:await\s*)?\([^;()]*;[^;]*;[^{;]*?\)\s/g, 'for () ');
  const simple = heads.match(/;/g)?.length ?? 0;
  const blocks = heads.match(/\b(?:if|for|while|do|switch|try)\b(?=[\s({])/g)?.length ?? 0;
  return simple + blocks;
}

interface CountedFunction {
  readonly path: string;
  readonly line: number;
  readonly statements: number;
}

/** The functions of a file with their statements, without those of functions within them. */
function functionsOf({ path, text, code }: SourceFile): readonly CountedFunction[] {
  const bodies = bodiesOf(code);
  return bodies.map(({ start, end }) => {
    let own = code.slice(start, end);
    for (const inner of bodies) {
      if (inner.start <= start || inner.end > end) continue;
      const blank = ' '.repeat(inner.end - inner.start);
      own = own.slice(0, inner.start - start) + blank + own.slice(inner.end - start);
    }
    return { path, line: lineAt(text, start), statements: statementsIn(own) };
  });
}

t.test('a function has at most 40 statements', async (t) => {
  const all = sources.flatMap(functionsOf);
  t.ok(all.length > 5_000, `${all.length} functions are found`);
  const long = all.filter(({ statements }) => statements > STATEMENTS_MAX);
  t.same(
    long.filter(({ path }) => !LONG_FUNCTIONS.has(path)),
    [],
    'functions with more statements',
  );
  t.same(
    new Set(long.map(({ path }) => path)),
    new Set(LONG_FUNCTIONS.keys()),
    'each exception is one',
  );
});
