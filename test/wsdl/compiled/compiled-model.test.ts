import { Buffer } from 'node:buffer';
import { readdirSync, readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import t, { type Test } from 'tap';
import { AT_ONCE, type Steps } from '../../../src/core/time-slices.js';
import {
  compiledKey,
  readCompiled,
  writeCompiled,
} from '../../../src/wsdl/compiled/compiled-model.js';
import { packing } from '../../../src/wsdl/compiled/pack.js';
import { linesOf, packedLines, packedOf } from '../../../src/wsdl/compiled/packed-lines.js';
import { digestOfReader, readerDigest } from '../../../src/wsdl/compiled/reader-digest.js';
import type { Packed } from '../../../src/wsdl/compiled/rows.js';
import { unpacking } from '../../../src/wsdl/compiled/unpack.js';
import type { WsdlModel } from '../../../src/wsdl/model.js';
import { readWsdl } from '../../../src/wsdl/read.js';
import { ANY_TYPE, builtInSimple, INCLUDED } from '../../../src/wsdl/xsd/builtin.js';
import { corpusModels, WITH_CORPUS, wsdlsIn } from '../corpus-models.js';
import { FILES, schemaWith, wsdlWith } from '../written.js';

/** Models as files: what is read back is the same model. */

const KEY = compiledKey('/a.wsdl', new Uint8Array(1));
const XSD = 'http://www.w3.org/2001/XMLSchema';

function written(model: WsdlModel): Buffer {
  const parts = AT_ONCE.finish(writeCompiled(KEY, { model, reads: [] }));
  if (parts === null) throw new Error('not written');
  return Buffer.concat(parts);
}

const readBack = (bytes: Buffer): WsdlModel | null =>
  AT_ONCE.finish(readCompiled(KEY, bytes))?.model ?? null;

/** Whether all objects that can be reached are frozen, as those of a model are. */
function areFrozen(root: unknown): boolean {
  const seen = new Set<unknown>([root]);
  for (const value of seen) {
    if (typeof value !== 'object' || value === null) continue;
    if (!(value instanceof Map) && !Object.isFrozen(value)) return false;
    for (const inner of value instanceof Map ? value.values() : Object.values(value)) {
      seen.add(inner);
    }
  }
  return true;
}

function checkSame(t: Test, model: WsdlModel, name: string): void {
  const found = readBack(written(model));
  t.ok(isDeepStrictEqual(found, model), `${name}: equal`);
  t.ok(areFrozen(found), `${name}: frozen`);
}

t.test('models of the fixtures are the same when they are read back', async (t) => {
  for (const file of wsdlsIn('test/wsdl/fixtures')) {
    const model = await readWsdl(file, FILES).catch(() => null);
    if (model !== null) {
      checkSame(t, model, file);
    }
  }
});

t.test('models of the corpus are the same when they are read back', WITH_CORPUS, async (t) => {
  for await (const { file, model } of corpusModels()) {
    checkSame(t, model, file);
  }
});

t.test('built-in components are the same objects', async (t) => {
  const types = schemaWith(
    `<xs:complexType name="A"><xs:sequence><xs:element name="any"/>
<xs:element name="day" type="xs:date"/></xs:sequence></xs:complexType>`,
  );
  const file = `${t.testdir({ 'a.wsdl': wsdlWith({ types }) })}/a.wsdl`;
  const found = readBack(written(await readWsdl(file, FILES)));
  const type = found?.types.get('{urn:t}A');
  const content = type?.kind === 'complex' ? type.content : null;
  const particle = content?.kind === 'elements' ? content.particle : null;
  const [any, day] = particle !== null && 'particles' in particle ? particle.particles : [];
  t.equal(any?.kind === 'one' && any.element.type, ANY_TYPE);
  t.equal(day?.kind === 'one' && day.element.type, builtInSimple({ uri: XSD, local: 'date' }));
  const packed = AT_ONCE.finish(packing({ type: INCLUDED, content: ANY_TYPE.content }));
  t.not(packed, null);
  if (packed === null) return;
  const back = AT_ONCE.finish(unpacking(packed));
  t.strictSame(back, { type: INCLUDED, content: ANY_TYPE.content });
  t.ok(typeof back === 'object' && back !== null && Object.values(back)[0] === INCLUDED);
  t.ok(typeof back === 'object' && back !== null && Object.values(back)[1] === ANY_TYPE.content);
});

t.test('plain data with cycles and shared objects is the same when it is read back', async (t) => {
  const { node } = fc.letrec<{ node: unknown }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(null, true, false, undefined, Number.POSITIVE_INFINITY, 0, 7, 2 ** 40),
      fc.string(),
      fc.array(tie('node'), { maxLength: 3 }),
      fc.dictionary(fc.string(), tie('node'), { maxKeys: 3, noNullPrototype: true }),
      fc.array(fc.tuple(fc.string(), tie('node')), { maxLength: 3 }).map((each) => new Map(each)),
    ),
  }));
  fc.assert(
    fc.property(node, (value) => {
      const root: Record<string, unknown> = { value, again: value };
      root['self'] = root;
      const packed = AT_ONCE.finish(packing(root));
      if (packed === null) return JSON.stringify(value).includes('__proto__');
      const lines = Buffer.concat(AT_ONCE.finish(packedLines(packed)));
      const again = AT_ONCE.finish(packedOf(linesOf(lines)));
      const back = again === null ? null : AT_ONCE.finish(unpacking(again));
      const isShared =
        typeof back === 'object' && back !== null && 'self' in back && back.self === back;
      return isShared && isDeepStrictEqual(back, root);
    }),
  );
  t.pass();
});

t.test('a graph that holds something else than plain data is not packed', async (t) => {
  for (const value of [() => 1, new Date(), Symbol('a'), 1.5, -1, 2 ** 51, Number.NaN, 1n]) {
    t.equal(AT_ONCE.finish(packing({ value })), null, String(value));
  }
  const named: unknown = JSON.parse('{ "__proto__": 1 }');
  t.equal(AT_ONCE.finish(packing({ named })), null, 'a key that is a prototype');
});

t.test('rows that refer to nothing, or are cut, are no graph', async (t) => {
  const packed: Packed = { shapes: [['a']], texts: ['x'], builtIns: [], cells: [2, 1] };
  t.strictSame(AT_ONCE.finish(unpacking(packed)), { a: 'x' });
  const broken: readonly Partial<Packed>[] = [
    { cells: [2, 5] },
    { cells: [2, 4] },
    { cells: [2] },
    { cells: [3, 1] },
    { cells: [0, 9, 1] },
    { cells: [0, 2 ** 52, 1] },
    { cells: [2, 4 * 7 + 3] },
    { builtIns: ['no such component'] },
    { cells: [] },
  ];
  for (const part of broken) {
    t.equal(AT_ONCE.finish(unpacking({ ...packed, ...part })), null, JSON.stringify(part));
  }
});

t.test('bytes that are cut, altered or of another key are no model', async (t) => {
  const file = `${t.testdir({ 'a.wsdl': wsdlWith({}) })}/a.wsdl`;
  const bytes = written(await readWsdl(file, FILES));
  t.not(readBack(bytes), null);
  for (let at = 0; at < bytes.length; at += 97) {
    t.equal(readBack(bytes.subarray(0, at)), null, `cut at ${at}`);
    const altered = Buffer.from(bytes);
    altered[at] = (altered[at] ?? 0) ^ 1;
    const found = readBack(altered);
    // What is written about the files is compared with the files.
    t.ok(found === null || at < bytes.indexOf('\n'), `altered at ${at}`);
  }
  t.equal(AT_ONCE.finish(readCompiled(KEY.replace(/^./, 'x'), bytes)), null, 'another key');
});

/** The steps of work, and its result. */
function stepped<T>(steps: Steps<T>): { readonly count: number; readonly result: T } {
  for (let count = 0; ; count++) {
    const { done, value } = steps.next();
    if (done === true) return { count, result: value };
  }
}

t.test('a large model is written and read in small steps', async (t) => {
  const elements = Array.from({ length: 5000 }, (_, at) => `<xs:element name="Element${at}"/>`);
  const wsdl = wsdlWith({ types: schemaWith(elements.join('')) });
  const file = `${t.testdir({ 'a.wsdl': wsdl })}/a.wsdl`;
  const model = await readWsdl(file, FILES);
  const written = stepped(writeCompiled(KEY, { model, reads: [] }));
  const [, ...lines] = written.result ?? [];
  const longest = Math.max(...lines.map((line) => line.length));
  const longestText = Math.max(
    ...model.documents.flatMap(({ segments }) =>
      segments.map((each) => (typeof each === 'string' ? each.length : 0)),
    ),
  );
  t.ok(lines.length > 5);
  t.ok(longest < 2 ** 18 + 2 * longestText, `a line of ${longest} bytes`);
  t.ok(written.count >= 2 * lines.length, 'a step for each line, and one to hash it');
  const read = stepped(readCompiled(KEY, Buffer.concat(written.result ?? [])));
  t.ok(isDeepStrictEqual(read.result?.model, model));
  t.ok(read.count > lines.length, 'a step for each line');
});

t.test('lines that hold something else than lists of packed data are none', async (t) => {
  const read = (text: string) => AT_ONCE.finish(packedOf(linesOf(Buffer.from(text))));
  t.strictSame(read('{"cells":[1]}\n{"texts":["a"],"cells":[2]}'), {
    shapes: [],
    texts: ['a'],
    builtIns: [],
    cells: [1, 2],
  });
  for (const line of ['[]', '{', '{"cells":1}', '{"cells":[-1]}', '{"texts":[1]}', '']) {
    t.equal(read(`{"cells":[1]}\n${line}\n`), null, line);
  }
  t.equal(read('{"shapes":["a"]}'), null);
});

t.test('a model belongs to a home directory and a working directory', (t) => {
  const key = (): string => compiledKey('/a', Buffer.from('a'));
  const before = key();
  const folder = process.cwd();
  process.chdir(t.testdir({}));
  t.not(key(), before, 'another working directory');
  process.chdir(folder);
  const home = process.env['HOME'];
  process.env['HOME'] = t.testdirName;
  t.not(key(), before, 'another home directory');
  process.env['HOME'] = home;
  t.equal(key(), before);
  t.end();
});

/** The folders of `dist/src` in which the files lie that `entry` imports, and those import. */
function importedFolders(entry: URL): ReadonlySet<string> {
  const seen = new Set([entry.href]);
  for (const href of seen) {
    const text = readFileSync(new URL(href), 'utf8');
    for (const [, path = ''] of text.matchAll(/\b(?:from|import)\s*\(?'(\.[^']*\.js)'/g)) {
      seen.add(new URL(path, href).href);
    }
  }
  const root = new URL('../../../src/', import.meta.url).href;
  return new Set([...seen].map((href) => href.slice(root.length).split('/')[0] ?? ''));
}

t.test('the digest of the reader is that of all code by which a model is read', (t) => {
  const entry = new URL('../../../src/wsdl/read.js', import.meta.url);
  t.strictSame([...importedFolders(entry)].sort(), ['core', 'soap', 'wsdl', 'xml']);
  t.equal(readerDigest(), digestOfReader());
  t.end();
});

t.test('a program that is bundled has the digest of the reader that was bundled', (t) => {
  const folder = new URL('../../../bin/', import.meta.url);
  const files = readdirSync(folder).filter((name) => name.endsWith('.js'));
  const holds = (name: string): boolean =>
    readFileSync(new URL(name, folder), 'utf8').includes(digestOfReader());
  t.ok(files.some(holds), 'run `node bundle.js`');
  t.end();
});

t.test('the key of a model is that of the version, the place and the content', async (t) => {
  const bytes = Buffer.from('a');
  t.match(KEY, /^[0-9a-f]{64}$/);
  t.not(compiledKey('/a', bytes), compiledKey('/b', bytes));
  t.not(compiledKey('/a', bytes), compiledKey('/a', Buffer.from('b')));
});
