import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { objectText } from '../../src/library/configuration-object.js';
import { startGateway } from '../../src/library/gateway.js';
import { printedSchema } from '../../src/library/schema.js';
import { wsdlWith } from '../wsdl/written.js';

/** Compiled forms of WSDLs for programs: none that a program has not asked for. */

/** A WSDL that is large enough for a form beside a configuration. */
const MESSAGES = Array.from({ length: 2 ** 13 }, (_, at) => `<message name="Unused${at}"/>`);
const WSDL = wsdlWith({}).replace('<message ', `${MESSAGES.join('\n')}<message `);
const SERVICES = { a: { wsdl: 'a.wsdl', url: 'http://127.0.0.1:1/' } };

const formsIn = (folder: string): number =>
  existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.compiled')).length : 0;

/** A folder that is the working directory of the test. */
function workingFolder(t: Test): string {
  const before = process.cwd();
  const folder = t.testdir({ 'a.wsdl': WSDL });
  process.chdir(folder);
  t.teardown(() => process.chdir(before));
  return folder;
}

t.test('a gateway of an object keeps forms in the folder that it names alone', async (t) => {
  const folder = workingFolder(t);
  const plain = { listen: '127.0.0.1:0', services: SERVICES };
  for (const configuration of [plain, { ...plain, compiled: undefined }]) {
    await (await startGateway(configuration)).close();
    t.strictSame(readdirSync(folder), ['a.wsdl']);
  }
  await (await startGateway({ ...plain, compiled: 'kept' })).close();
  t.equal(formsIn(join(folder, 'kept')), 1);
});

t.test('a gateway of a file keeps forms beside it', async (t) => {
  const folder = workingFolder(t);
  const file = join(folder, 'soapstone.yaml');
  const listen = { listen: '127.0.0.1:0', admin: '127.0.0.1:0' };
  writeFileSync(file, JSON.stringify({ ...listen, services: SERVICES }));
  await (await startGateway(file)).close();
  t.equal(formsIn(join(folder, '.soapstone-compiled')), 1);
});

t.test('a schema of a file keeps forms in the folder that it names alone', async (t) => {
  const folder = workingFolder(t);
  const printed = await printedSchema('a.wsdl');
  t.strictSame(readdirSync(folder), ['a.wsdl']);
  t.equal(await printedSchema('a.wsdl', { configuration: { compiled: 'kept' } }), printed);
  t.equal(formsIn(join(folder, 'kept')), 1);
});

t.test('a schema of a URL keeps no form: its copy has another path each time', async (t) => {
  const folder = workingFolder(t);
  const server = createServer((_request, response) => response.end(WSDL));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const address = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${address.port}/a.wsdl`;
  await printedSchema(url);
  await printedSchema(url, { configuration: { compiled: 'kept' } });
  t.strictSame(readdirSync(folder), ['a.wsdl']);
});

t.test('lines of an object stay those of its own text', (t) => {
  const text = objectText({ a: 1, compiled: 'kept', b: 2 });
  t.strictSame(JSON.parse(text), { a: 1, compiled: 'kept', b: 2 });
  t.equal(
    text.split('\n').findIndex((line) => line.includes('"b"')),
    3,
  );
  t.strictSame(Object.keys(JSON.parse(objectText({ a: 1 }))), ['a', 'compiled']);
  t.equal(objectText([1]), JSON.stringify([1], null, 2));
  t.end();
});
