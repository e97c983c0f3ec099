import { posix } from 'node:path';
import t from 'tap';

import { lineAt, maskTypeScript, readSources } from '../kit/source.js';

/**
 * Names and comments that a reader can search for: each name once, each file called after what it
 * holds.
 */

const sources = readSources('src');

/**
 * Files that are called after a protocol, a library or a table, whose name their exports do not
 * repeat.
 */
const CALLED_OTHERWISE: ReadonlySet<string> = new Set([
  // After the specification, library or protocol that they adapt.
  'src/flow/subscriptions/wire/graphql-sse.ts',
  'src/flow/subscriptions/wire/graphql-ws.ts',
  'src/graphql/run/operations/http.ts',
  'src/upstream/credentials/oauth2.ts',
  'src/upstream/undici.ts',
  // Scripts that Redis runs, and tables of words: their names are those of the entries.
  'src/config/protection/operators.ts',
  'src/config/protection/rights.ts',
  'src/config/protection/table.ts',
  'src/graphql/schema/fields/operation-verbs.ts',
  'src/redis/documents/persisted-scripts.ts',
  'src/redis/events/event-scripts.ts',
  'src/redis/lease/lease-scripts.ts',
  // Small functions on values of one type.
  'src/core/collections/maps.ts',
  // Entries of a folder: named after their part in it.
  'src/console/answers.ts',
  'src/console/description.ts',
  'src/console/page/client.ts',
]);

/** Files that wait for a better name; the list only gets shorter. */
const TO_BE_RENAMED: ReadonlySet<string> = new Set([
  'src/process/collector-flags.ts',
  'src/codec/validity/derivation.ts',
  'src/codec/validity/element-value.ts',
  'src/config/keys/key-types.ts',
  'src/config/protection/callers.ts',
  'src/console/try-out.ts',
  'src/flow/graphql/http.ts',
  'src/flow/soap/passthrough.ts',
  'src/flow/subscriptions/transports/socket-operation.ts',
  'src/soap/content.ts',
  'src/upstream/dial/dial.ts',
  'src/xml/assembly/layout.ts',
  'src/xml/events.ts',
]);

/** `file-validator.d.ts` declares what `write-validator.ts` generates from `validate`. */
const GENERATED = 'src/config/check/file-validator.d.ts';

/** Comments that begin without a subject. The bound may only fall. */
const WITHOUT_SUBJECT_MAX = 12;

const DECLARATION =
  /^export (?:declare )?(?:async )?(?:function\*?|const|let|abstract class|class|interface|type|enum)\s+(\w+)/gm;

const exportsOf = new Map(
  sources.map(({ path, code }) => [
    path,
    [...code.matchAll(DECLARATION)].map(([, name = '']) => name),
  ]),
);

const wordsOf = (name: string): readonly string[] =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word.length > 1)
    .map(stemOf);

/** A word without its ending: `caching` is of `cache`, `leaves` of `leaf`. */
const stemOf = (word: string): string =>
  word
    .replace(/ves$/, 'f')
    .replace(/ies$/, 'y')
    .replace(/(?<=...)(?:es|s|ed|ing|er|or|ion)$/, '')
    .replace(/e$/, '')
    .replace(/(.)\1$/, '$1');

const isSameWord = (one: string, other: string): boolean =>
  one === other ||
  (one.length > 2 && other.startsWith(one)) ||
  (other.length > 2 && one.startsWith(other));

function isCalledAfter(path: string, names: readonly string[]): boolean {
  const file = wordsOf(posix.basename(path).replace(/(?:\.d)?\.tsx?$/, ''));
  return names.some((name) =>
    wordsOf(name).some((word) => file.some((other) => isSameWord(word, other))),
  );
}

t.test('an exported name is declared in one file', async (t) => {
  const files = new Map<string, string[]>();
  for (const [path, names] of exportsOf) {
    if (path === GENERATED) continue;
    for (const name of new Set(names)) files.set(name, [...(files.get(name) ?? []), path]);
  }
  t.same(
    [...files].filter(([, paths]) => paths.length > 1),
    [],
  );
  t.ok(files.size > 1000, 'names are found at all');
});

t.test('a file shares a word with what it exports', async (t) => {
  const strangers = [...exportsOf]
    .filter(([path, names]) => names.length > 0 && !isCalledAfter(path, names))
    .map(([path]) => path);
  t.same(
    strangers.filter((path) => !CALLED_OTHERWISE.has(path) && !TO_BE_RENAMED.has(path)),
    [],
  );
  t.same(
    [...CALLED_OTHERWISE, ...TO_BE_RENAMED].filter((path) => !strangers.includes(path)),
    [],
    'an exception that is none any more leaves the list',
  );
  t.ok(isCalledAfter('src/xml/leaves.ts', ['LeafEncoder']));
  t.notOk(isCalledAfter('src/xml/opaque.ts', ['WholeReader']));
});

t.test('a comment begins with its subject', async (t) => {
  const found = sources.flatMap(({ path, text }) => {
    const code = maskTypeScript(text);
    return [
      ...text.matchAll(
        /\/\*\*?\s*(?:\n\s*\*\s*)?(?:Of|By|Its|Where|The same)\b|(?<=\n)( *)\/\/ (?:Of|By|Its|Where|The same)\b/g,
      ),
    ]
      .filter(({ index }) => code.slice(index, index + 2).trim() === '')
      .filter(({ index }) => !/(?:^|\n) *\/\/[^\n]*\n$/.test(text.slice(0, index)))
      .map(({ index }) => `${path}:${lineAt(text, index)}`);
  });
  t.comment(`${found.length} comments begin with Of, By, Its, Where or The same`);
  t.ok(
    found.length <= WITHOUT_SUBJECT_MAX,
    `${found.length} comments begin without a subject, for example ${found[0]}`,
  );
});

t.test('titles of tests name the thing: not who, nobody, whoever or told', async (t) => {
  const titles = readSources('test').flatMap(({ path, text, code }) =>
    [...code.matchAll(/\btest\(\s*(['"`])/g)].flatMap((match) => {
      const start = match.index + match[0].length;
      const title = text.slice(start, text.indexOf(match[1] ?? "'", start));
      return /\b(?:who|nobody|whoever|told)\b/i.test(title)
        ? [`${path}:${lineAt(text, match.index)}: ${title}`]
        : [];
    }),
  );
  t.ok(titles.length <= 30, titles.join('\n'));
});
