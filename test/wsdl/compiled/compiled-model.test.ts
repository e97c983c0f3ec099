import { Buffer } from 'node:buffer';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import t, { type Test } from 'tap';
import { AT_ONCE } from '../../../src/core/time-slices.js';
import {
  compiledKey,
  readCompiled,
  writeCompiled,
} from '../../../src/wsdl/compiled/compiled-model.js';
import { packing } from '../../../src/wsdl/compiled/pack.js';
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
  const bytes = AT_ONCE.finish(writeCompiled(KEY, { model, reads: [] }));
  if (bytes === null) throw new Error('not written');
  return bytes;
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
      const back = AT_ONCE.finish(unpacking(JSON.parse(JSON.stringify(packed))));
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

t.test('the key of a model is that of the version, the place and the content', async (t) => {
  const bytes = Buffer.from('a');
  t.match(KEY, /^[0-9a-f]{64}$/);
  t.not(compiledKey('/a', bytes), compiledKey('/b', bytes));
  t.not(compiledKey('/a', bytes), compiledKey('/a', Buffer.from('b')));
});
