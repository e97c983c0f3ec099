import { Buffer } from 'node:buffer';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { printSchema } from 'graphql';
import t, { type Test } from 'tap';
import { CompiledWsdls } from '../../src/compile/soap/documents/compiled-wsdls.js';
import { type Compiled, compile } from '../../src/compile.js';
import { loadConfig } from '../../src/config/load.js';
import { LIVE_INPUTS } from '../../src/core/files/inputs.js';
import { AT_ONCE, diagnosis } from '../../src/core/index.js';
import { readWsdl } from '../../src/wsdl/read.js';
import { MAIN } from '../kit/gateway-process.js';
import { FILES, wsdlWith } from '../wsdl/written.js';

/** Compiled forms of WSDLs beside the configuration, and when they are not used. */

const run = promisify(execFile);

const IMPORTED =
  '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:t" ' +
  'elementFormDefault="qualified"><xs:element name="Get"><xs:complexType><xs:sequence>' +
  '<xs:element name="id" type="xs:int"><xs:annotation><xs:documentation>As written' +
  '</xs:documentation></xs:annotation></xs:element></xs:sequence></xs:complexType></xs:element>' +
  '<xs:element name="GetResponse" type="xs:string"/></xs:schema>';
const WSDL = wsdlWith({
  types: '<xs:schema targetNamespace="urn:t"><xs:include schemaLocation="types.xsd"/></xs:schema>',
});

function prepare(t: Test, more = 'compiled: kept') {
  const yaml = `services: { a: { wsdl: a.wsdl, url: "http://127.0.0.1:1/" } }\n${more}\n`;
  const files = { 'a.wsdl': WSDL, 'types.xsd': IMPORTED, 'soapstone.yaml': yaml };
  const folder = t.testdir(files);
  const kept = join(folder, 'kept');
  return { folder, kept, only: (): string => join(kept, onlyIn(kept)) };
}

const compiledIn = (folder: string): readonly string[] =>
  readdirSync(folder).filter((name) => name.endsWith('.compiled'));

function onlyIn(folder: string): string {
  const [name, ...others] = compiledIn(folder);
  if (name === undefined || others.length > 0) throw new Error(`${readdirSync(folder)}`);
  return name;
}

async function compiled(folder: string, earlier: Compiled | null = null): Promise<Compiled> {
  const made = await compile(await loadConfig(join(folder, 'soapstone.yaml'), {}), earlier);
  await made.close();
  return made;
}

/** The documentation of an argument: as the files have it, or as `mark` has changed it. */
async function documentation(folder: string): Promise<string | null> {
  const { graph } = await compiled(folder);
  const field = graph.schema.getQueryType()?.getFields()['get'];
  return field?.args[0]?.description ?? null;
}

/** Changes the documentation in a compiled form, so that its use can be seen. */
function mark(file: string): void {
  const text = readFileSync(file, 'utf8');
  const end = text.indexOf('\n');
  const content = text.slice(end + 1).replace('"As written"', '"As compiled"');
  const digest = createHash('sha256').update(content).digest('base64url');
  const head = JSON.stringify({ ...JSON.parse(text.slice(0, end)), digest });
  writeFileSync(file, `${head}\n${content}`);
}

t.test('a start uses what an earlier one has compiled, and makes the same of it', async (t) => {
  const { folder, only } = prepare(t);
  const first = await compiled(folder);
  const second = await compiled(folder);
  t.equal(printSchema(second.graph.schema), printSchema(first.graph.schema));
  t.strictSame(second.warnings, first.warnings);
  t.strictSame(
    [...second.wsdls.values()].map(({ reads }) => reads.list),
    [...first.wsdls.values()].map(({ reads }) => reads.list),
  );
  t.equal(await documentation(folder), 'As written');
  mark(only());
  t.equal(await documentation(folder), 'As compiled');
});

t.test('commands use it too, and a reload does not where a file has changed', async (t) => {
  const { folder, only } = prepare(t);
  const args = [MAIN, 'schema', '-c', join(folder, 'soapstone.yaml')];
  t.match((await run(process.execPath, args)).stdout, /As written/);
  mark(only());
  t.match((await run(process.execPath, args)).stdout, /As compiled/);
  const made = await compile(await loadConfig(join(folder, 'soapstone.yaml'), {}));
  writeFileSync(join(folder, 'types.xsd'), IMPORTED.replace('As written', 'As changed'));
  const next = await compiled(folder, made);
  await made.close();
  t.match(printSchema(next.graph.schema), /As changed/);
});

t.test('a form counts while all files are as they were', async (t) => {
  const changes: Readonly<Record<string, (folder: string) => unknown>> = {
    'the WSDL': (folder) => writeFileSync(join(folder, 'a.wsdl'), `${WSDL}\n`),
    'an included schema': (folder) => writeFileSync(join(folder, 'types.xsd'), `${IMPORTED}\n`),
  };
  for (const [name, change] of Object.entries(changes)) {
    const { folder, only } = prepare(t);
    await compiled(folder);
    mark(only());
    t.equal(await documentation(folder), 'As compiled', name);
    change(folder);
    t.equal(await documentation(folder), 'As written', name);
  }
});

t.test('a schema that is missing later is missed', async (t) => {
  const { folder } = prepare(t);
  const before = await compiled(folder);
  renameSync(join(folder, 'types.xsd'), join(folder, 'other.xsd'));
  const after = await compiled(folder);
  t.ok(after.warnings.length > before.warnings.length);
});

t.test('a form that is not as it was written is made anew', async (t) => {
  const damages: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
    empty: () => Buffer.alloc(0),
    'cut in its head': (bytes) => bytes.subarray(0, 20),
    'cut in its content': (bytes) => bytes.subarray(0, bytes.length - 1),
    longer: (bytes) => Buffer.concat([bytes, Buffer.from(' ')]),
    'no JSON': () => Buffer.from('{"key"\n{}'),
    'of another key': (bytes) => Buffer.from(bytes.toString().replace(/"key":"./, '"key":"x')),
  };
  for (const [name, damage] of Object.entries(damages)) {
    const { folder, only } = prepare(t);
    await compiled(folder);
    const whole = readFileSync(only());
    mark(only());
    writeFileSync(only(), damage(readFileSync(only())));
    t.equal(await documentation(folder), 'As written', name);
    t.strictSame(readFileSync(only()), whole, `${name}: whole again`);
  }
});

t.test('a form that others can write is not used', async (t) => {
  const { folder, kept, only } = prepare(t);
  await compiled(folder);
  mark(only());
  chmodSync(only(), 0o666);
  t.equal(await documentation(folder), 'As written', 'the file, which is made anew');
  mark(only());
  t.equal(await documentation(folder), 'As compiled');
  chmodSync(kept, 0o777);
  t.equal(await documentation(folder), 'As written', 'the folder');
});

t.test('a form is written once all is compiled, and to close waits for it', async (t) => {
  const { folder, kept, only } = prepare(t);
  const made = await compile(await loadConfig(join(folder, 'soapstone.yaml'), {}));
  t.strictSame(existsSync(kept) ? compiledIn(kept) : [], [], 'nothing waits for it');
  await made.close();
  t.ok(existsSync(only()));
});

t.test('a form is written by the first process alone', async (t) => {
  const { folder, only } = prepare(t);
  const load = () => loadConfig(join(folder, 'soapstone.yaml'), {});
  const made = await Promise.all([1, 2, 3].map(async () => compile(await load())));
  await Promise.all(made.map((each) => each.close()));
  const before = statSync(only());
  const late = await compile(await load());
  await late.close();
  t.equal(statSync(only()).ino, before.ino);
});

t.test('a configuration that cannot be used keeps what was read for it', async (t) => {
  const { folder, only } = prepare(t);
  const yaml = 'services: { a: { wsdl: a.wsdl, url: "http://127.0.0.1:1/", port: None } }';
  writeFileSync(join(folder, 'soapstone.yaml'), `${yaml}\ncompiled: kept\n`);
  await t.rejects(compiled(folder), /None/);
  t.ok(existsSync(only()));
});

t.test('a model that cannot be written is left out', async (t) => {
  const { folder, kept } = prepare(t);
  const location = join(folder, 'a.wsdl');
  const forms = new CompiledWsdls({ folder: kept, isNamed: true }, LIVE_INPUTS, AT_ONCE);
  t.equal(await forms.find(location), null);
  const model = await readWsdl(location, FILES);
  const services = new Proxy(model.services, {
    get() {
      throw new RangeError('Invalid string length');
    },
  });
  forms.keep(location, { model: { ...model, services }, reads: [] });
  await forms.write();
  t.strictSame(readdirSync(kept), ['.gitignore']);
});

t.test('a folder that is named and cannot be used is warned of', async (t) => {
  const warned = async (folder: string): Promise<readonly string[]> =>
    (await compiled(folder)).warnings
      .map(diagnosis.printDiagnostic)
      .filter((text) => text.includes('`compiled`'));
  const cases: Readonly<Record<string, (kept: string) => unknown>> = {
    'is no folder': (kept) => writeFileSync(kept, ''),
    'by other users': (kept) => {
      mkdirSync(kept);
      chmodSync(kept, 0o777);
    },
  };
  for (const [problem, prepareFolder] of Object.entries(cases)) {
    const { folder, kept } = prepare(t);
    prepareFolder(kept);
    const [text, ...others] = await warned(folder);
    t.match(text, problem);
    t.match(text, `${kept} `);
    t.match(text, 'soapstone.yaml:2:');
    t.strictSame(others, []);
  }
  const { folder } = prepare(t, 'compiled: no/such');
  t.match((await warned(folder))[0], 'is missing, with the one above it');
  const args = [MAIN, 'check', '-c', join(folder, 'soapstone.yaml')];
  t.match((await run(process.execPath, args)).stdout, /warning: .*`compiled` has no effect/);
});

t.test('the folder that is not named has no warnings', async (t) => {
  const { folder } = prepare(t, '');
  writeFileSync(join(folder, '.soapstone-compiled'), 'a file in its place');
  const { warnings } = await compiled(folder);
  t.notOk(warnings.some(({ what }) => what.includes('`compiled`')));
});

t.test('where the folder cannot be written all works without', async (t) => {
  const { folder, kept } = prepare(t);
  writeFileSync(kept, 'a file in its place');
  t.equal(await documentation(folder), 'As written');
  t.equal(readFileSync(kept, 'utf8'), 'a file in its place');
});

t.test('processes at the same time leave one whole form', async (t) => {
  const { folder, kept } = prepare(t);
  const args = [MAIN, 'check', '-c', join(folder, 'soapstone.yaml')];
  const ended = await Promise.all([1, 2, 3].map(() => run(process.execPath, args)));
  for (const { stdout } of ended) {
    t.match(stdout, /is fine/);
  }
  const [ignored, ...files] = readdirSync(kept).sort();
  t.equal(ignored, '.gitignore');
  t.strictSame(
    files.map((name) => name.replace(/^[0-9a-f]{64}/, '')).sort(),
    ['.compiled', '.schema'],
    'nothing unfinished',
  );
  t.equal(await documentation(folder), 'As written');
});

t.test('`none` keeps nothing, nor does a small WSDL without the key', async (t) => {
  const messages = Array.from({ length: 2 ** 13 }, (_, at) => `<message name="Unused${at}"/>`);
  const large = WSDL.replace('<message ', `${messages.join('\n')}<message `);
  for (const [more, wsdl, kept] of [
    ['compiled: none', large, 0],
    ['', WSDL, 0],
    ['', large, 1],
  ] as const) {
    const { folder } = prepare(t, more);
    writeFileSync(join(folder, 'a.wsdl'), wsdl);
    await compiled(folder);
    const beside = join(folder, '.soapstone-compiled');
    const found = existsSync(beside) ? compiledIn(beside) : [];
    t.equal(found.length, kept, `${more} ${wsdl.length}`);
    t.equal(existsSync(join(folder, 'none')), false);
  }
});
