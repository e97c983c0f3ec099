import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { parse } from 'yaml';
import { ConfigurationError } from '../../src/base/diagnostic.js';
import { type ImportOptions, importWsdl } from '../../src/cli/import.js';
import { type Imported, printImportedConfig } from '../../src/cli/imported-config.js';
import { compile } from '../../src/compile.js';
import { loadConfig } from '../../src/config/load.js';
import { wsdlWith } from '../wsdl/written.js';

const DEMO = 'config/demo/legacy.wsdl';

const root = await mkdtemp(join(tmpdir(), 'soapstone-import-'));
t.teardown(() => rm(root, { recursive: true }));

let folders = 0;

async function run(location: string, options: Partial<ImportOptions> = {}) {
  folders += 1;
  const directory = options.directory ?? join(root, `new/${folders}`);
  const lines: string[] = [];
  const all = { directory, name: null, port: null, force: false, ...options };
  const code = await importWsdl(location, all, { out: (text) => lines.push(text), error: (text) => lines.push(text) });
  const file = join(directory, 'soapstone.yaml');
  return { code, directory, file, output: lines.join('\n'), yaml: await readFile(file, 'utf8') };
}

async function refusal(location: string, options: Partial<ImportOptions>): Promise<string> {
  const error = await run(location, options).catch((caught: unknown) => caught);
  return error instanceof ConfigurationError ? error.message : `no problem but ${String(error)}`;
}

t.test('a WSDL becomes a folder with a configuration that loads', async (t) => {
  const { code, directory, file, output, yaml } = await run(DEMO);
  t.equal(code, 0);
  t.match(output, /^operation +status +field +reason\nGetOrder +ok +Query\.getOrder\n/);
  t.match(output, `Written: ${file}.`);
  t.ok((await stat(join(directory, 'legacy.wsdl'))).isFile());
  t.ok((await stat(join(directory, 'legacy.xsd'))).isFile(), 'and what it imports');
  t.notMatch(yaml, 'yaml-language-server', 'no path to a schema that may move away');

  const { config } = await loadConfig(file, {});
  t.match(config.services['orderDesk'], {
    wsdl: 'legacy.wsdl',
    urls: ['http://127.0.0.1:8081/orders'],
    path: '/soap/orderDesk',
    port: 'OrderDeskSoap11',
    versions: ['1.1', '1.2'],
    operations: { GetOrder: { field: 'Query.getOrder' }, PlaceOrder: { field: 'Mutation.placeOrder' } },
  });
  const report: unknown = JSON.parse(await readFile(join(directory, 'import-report.json'), 'utf8'));
  t.match(report, {
    location: DEMO,
    service: 'orderDesk',
    port: 'OrderDeskSoap11',
    operations: [{ operation: 'GetOrder', status: 'ok', field: 'Query.getOrder', reason: null, place: null }],
    ports: [
      {
        service: 'OrderDesk',
        port: 'OrderDeskSoap11',
        version: '1.1',
        address: 'http://127.0.0.1:8081/orders',
        disabled: 0,
      },
      { port: 'OrderDeskSoap12', version: '1.2' },
    ],
  });
});

t.test('a WSDL of which little can be said becomes a configuration all the same', async (t) => {
  const directory = await mkdtemp(join(root, 'little-'));
  const other = '<binding name="B" type="t:P"><http:binding verb="GET"/><operation name="Get"/></binding>';
  const cases = {
    'no-service': { wsdl: wsdlWith({ service: '' }), said: /^Get +ok +Query\.get$/m, port: 'B' },
    'no-binding': { wsdl: wsdlWith({ service: '', binding: '' }), said: /^Get +ok +Query\.get$/m, port: 'P' },
    'no-soap': { wsdl: wsdlWith({ binding: other }), said: /^Get +disabled +- +.*for plain HTTP/m, port: 'Soap' },
    nothing: {
      wsdl: wsdlWith({ service: '', binding: '', portType: '' }),
      said: /describes no operations/,
      port: 'none',
    },
  };
  for (const [name, { wsdl, said, port }] of Object.entries(cases)) {
    await writeFile(join(directory, `${name}.wsdl`), wsdl);
    const { output, file } = await run(join(directory, `${name}.wsdl`));
    t.match(output, said, name);
    const loaded = await loadConfig(file, {});
    const compiled = await compile(loaded);
    await compiled.close();
    t.equal(Object.values(loaded.config.services)[0]?.port, port, `${name}: it starts`);
  }
});

t.test('the port is the first of use, and others with other operations are told', async (t) => {
  const directory = await mkdtemp(join(root, 'ports-'));
  const binding = (name: string, portType: string, operation: string) =>
    `<binding name="${name}" type="t:${portType}"><soap:binding/><operation name="${operation}"/></binding>`;
  const wsdl = wsdlWith({
    portType: `<portType name="P"><operation name="Told"><output message="t:Out"/></operation></portType>
      <portType name="Q"><operation name="Get"><input message="t:In"/></operation></portType>
      <portType name="R"><operation name="List"><input message="t:In"/></operation></portType>`,
    binding: binding('B', 'P', 'Told') + binding('C', 'Q', 'Get') + binding('D', 'R', 'List'),
    service:
      '<service name="S"><port name="One" binding="t:B"/><port name="Two" binding="t:C"/><port name="Three" binding="t:D"/></service>',
  });
  await writeFile(join(directory, 'a.wsdl'), wsdl);
  const { output, yaml } = await run(join(directory, 'a.wsdl'));
  t.match(yaml, 'port: Two');
  t.match(output, 'further ports have other operations; import them with --port into other folders: Three (1)');
});

t.test('name and port as asked', async (t) => {
  const { file } = await run(DEMO, { name: 'orders', port: 'OrderDeskSoap12' });
  const { config } = await loadConfig(file, {});
  t.match(config.services['orders'], { port: 'OrderDeskSoap12', versions: ['1.2', '1.1'], path: '/soap/orders' });
});

t.test('a configuration that is there is not overwritten, unless asked', async (t) => {
  const { directory, file } = await run(DEMO);
  await writeFile(file, 'mine');
  t.equal(
    await refusal(DEMO, { directory }),
    `${file}: There is a configuration already. Give another folder, or --force to replace it.`,
  );
  t.equal(await readFile(file, 'utf8'), 'mine');
  t.match((await run(DEMO, { directory, force: true })).yaml, /^# Imported/);
});

t.test('a WSDL that lies in the folder already stays untouched', async (t) => {
  const { directory } = await run(DEMO);
  const before = await stat(join(directory, 'legacy.wsdl'));
  const again = await run(join(directory, 'legacy.wsdl'), { directory, force: true });
  t.equal((await stat(join(directory, 'legacy.wsdl'))).mtimeMs, before.mtimeMs);
  t.equal((await loadConfig(again.file, {})).config.services['orderDesk']?.wsdl, 'legacy.wsdl');
});

t.test('wrong input is named', async (t) => {
  t.equal(
    await refusal(DEMO, { port: 'Nope' }),
    `${DEMO}: The WSDL has no SOAP port Nope. Its SOAP ports: OrderDeskSoap11, OrderDeskSoap12.`,
  );
  t.match(await refusal(DEMO, { name: '9 lives' }), /^The name of --name cannot be used\./);
  t.match(await refusal(join(root, 'absent.wsdl'), {}), /absent\.wsdl/);
  t.match(await refusal('config/soapstone.yaml', {}), /^config\/soapstone\.yaml:/);
});

t.test('a WSDL at an address, with a port elsewhere', async (t) => {
  const files: Record<string, Buffer> = {
    '/orders?wsdl': await readFile(DEMO),
    '/legacy.xsd': await readFile('config/demo/legacy.xsd'),
  };
  const server = createServer((request, response) => {
    const file = files[request.url ?? ''];
    if (file === undefined) response.writeHead(404).end();
    else response.writeHead(200, { 'content-type': 'text/xml' }).end(file);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  const { file, yaml } = await run(`http://127.0.0.1:${port}/orders?wsdl`);
  t.match(yaml, 'url: "http://127.0.0.1:8081/orders" # from the WSDL, which is on another host');
  t.equal((await loadConfig(file, {})).config.services['orderDesk']?.urls[0], 'http://127.0.0.1:8081/orders');
  t.match(await refusal(`http://127.0.0.1:${port}/nothing`, {}), /404/);
});

t.test('the written file says what the WSDL says, whatever names it uses', async (t) => {
  const operation = (name: string) =>
    ({ operation: name, status: 'ok', field: 'Query.x', reason: null, place: null }) as const;
  const names = ['null', 'true', 'Get-Order', 'Größe', '__proto__', 'a.b', '-x', 'no', 'x#y'];
  const imported: Imported = {
    location: 'a\nlistening: there # $' + '{X}',
    service: 'a',
    wsdl: 'strange $' + '{name}: x.wsdl',
    address: 'jms:queue',
    versions: ['1.2', '1.1'],
    port: 'Port: "1" # $' + '{Y}',
    schema: '../schema.json',
    operations: [
      ...names.map(operation),
      { operation: 'Lost', status: 'disabled', field: null, reason: 'It is\nencoded.', place: 'a.wsdl:7' },
      { operation: 'Half', status: 'partial', field: 'Mutation.half', reason: 'A part is opaque.', place: null },
    ],
  };
  const yaml = printImportedConfig(imported);
  t.match(yaml, /^# yaml-language-server: \$schema=\.\.\/schema\.json\n/);
  t.match(yaml, '      Lost: false # disabled: It is encoded. (a.wsdl:7)\n');
  t.match(yaml, '      Half: { field: Mutation.half } # partial: A part is opaque.\n');
  t.match(yaml, 'url: "http://127.0.0.1:8080/" # put the address of the backend here');
  const file = join(root, 'strange.yaml');
  await writeFile(file, yaml);
  const service = (await loadConfig(file, {})).config.services['a'];
  t.equal(service?.wsdl, imported.wsdl);
  t.equal(service?.port, imported.port);
  t.same(Object.keys(service?.operations ?? {}), [...names, 'Lost', 'Half']);
  t.same(Object.keys(parse(yaml)), ['listen', 'admin', 'services']);
  const empty = printImportedConfig({ ...imported, operations: [] });
  t.same(parse(empty).services.a.operations, {});
});
