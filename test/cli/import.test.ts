import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isObjectType } from 'graphql';
import t from 'tap';
import { parse } from 'yaml';
import { groupByCause } from '../../src/cli/import/causes.js';
import { type ImportOptions, importWsdl } from '../../src/cli/import/import.js';
import {
  type Imported,
  type ImportedService,
  printImportedConfig,
} from '../../src/cli/import/imported-config.js';
import { compile } from '../../src/compile.js';
import { loadConfig } from '../../src/config/load.js';
import { printDiagnostic } from '../../src/core/diagnostic.js';
import { desk } from '../acceptance/desk.js';
import { recordedTerminal } from '../kit/command.js';
import { diagnosticsOf, useConfigFolder } from '../kit/configuration.js';
import { useBackend, useFolder } from '../kit/use.js';
import { wsdlOf } from '../kit/wsdl.js';
import { importing, schemaWith, wsdlWith } from '../wsdl/written.js';

const DEMO = 'config/demo/legacy.wsdl';

async function run(location: string, options: Partial<ImportOptions> = {}) {
  const directory = options.directory ?? join(await useFolder(t), 'new');
  const { printed, ...terminal } = recordedTerminal();
  const all = { directory, name: null, ports: [], json: false, force: false, ...options };
  const code = await importWsdl(location, all, terminal);
  const file = join(directory, 'soapstone.yaml');
  return {
    code,
    directory,
    file,
    output: printed.lines.join('\n'),
    yaml: await readFile(file, 'utf8'),
  };
}

/** Imports a WSDL from its text. */
const runOn = async (wsdl: string) => run(join(await useFolder(t, { 'a.wsdl': wsdl }), 'a.wsdl'));

const refusal = async (location: string, options: Partial<ImportOptions>): Promise<string> =>
  (await diagnosticsOf(run(location, options))).map(printDiagnostic).join('\n');

t.test('a WSDL becomes a folder with a configuration that loads', async (t) => {
  const { code, directory, file, output, yaml } = await run(DEMO);
  t.equal(code, 0);
  t.match(
    output,
    /^12 operations: 12 offered \(6 reading, 6 writing\)\.\n\noperation +status +field +reason\nGetOrder +ok +Query\.getOrder\n/,
  );
  t.match(output, 'port OrderDeskSoap12: 12 operations, as at port OrderDeskSoap11.');
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
    operations: {
      GetOrder: { field: 'Query.getOrder' },
      PlaceOrder: { field: 'Mutation.placeOrder' },
    },
  });
  const report: unknown = JSON.parse(await readFile(join(directory, 'import-report.json'), 'utf8'));
  t.match(report, {
    location: DEMO,
    services: [{ name: 'orderDesk', ports: ['OrderDeskSoap11'] }],
    summary: { offered: 12, partial: 0, disabled: 0, otherPorts: 12 },
    operations: [
      { operation: 'GetOrder', status: 'ok', field: 'Query.getOrder', reason: null, place: null },
    ],
    ports: [
      {
        service: 'orderDesk',
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
  const other =
    '<binding name="B" type="t:P"><http:binding verb="GET"/><operation name="Get"/></binding>';
  const cases = {
    'no-service': { wsdl: wsdlWith({ service: '' }), said: /^Get +ok +Query\.get$/m, port: 'B' },
    'no-binding': {
      wsdl: wsdlWith({ service: '', binding: '' }),
      said: /^Get +ok +Query\.get$/m,
      port: 'P',
    },
    'no-soap': {
      wsdl: wsdlWith({ binding: other }),
      said: /^Get +disabled +- +.*for plain HTTP/m,
      port: 'Soap',
    },
    nothing: {
      wsdl: wsdlWith({ service: '', binding: '', portType: '' }),
      said: /describes no operations/,
      port: 'none',
    },
  };
  for (const [name, { wsdl, said, port }] of Object.entries(cases)) {
    const { output, file } = await runOn(wsdl);
    t.match(output, said, name);
    const loaded = await loadConfig(file, {});
    await (await compile(loaded)).close();
    t.equal(Object.values(loaded.config.services)[0]?.port, port, `${name}: it starts`);
  }
});

t.test('every port type is offered, its operations by one port', async (t) => {
  const binding = (name: string, portType: string, operation: string) =>
    `<binding name="${name}" type="t:${portType}"><soap:binding/>` +
    `<operation name="${operation}"/></binding>`;
  const wsdl = wsdlWith({
    portType: `<portType name="P"><operation name="Told"><output message="t:Out"/></operation>\
</portType>
      <portType name="Q"><operation name="Get"><input message="t:In"/></operation></portType>
      <portType name="R"><operation name="List"><input message="t:In"/></operation></portType>`,
    binding: binding('B', 'P', 'Told') + binding('C', 'Q', 'Get') + binding('D', 'R', 'List'),
    service:
      '<service name="S"><port name="One" binding="t:B"/><port name="Two" binding="t:C"/>' +
      '<port name="Three" binding="t:D"/></service>',
  });
  const { output, yaml } = await runOn(wsdl);
  t.match(yaml, '    ports:\n      - Two\n      - Three\n');
  t.match(output, /^3 operations: 2 offered \(0 reading, 2 writing\), 1 not callable\.\n/);
  t.match(output, /^Told +disabled +- +The operation Told is started by the server/m);
});

const TRAVEL = 'test/wsdl/fixtures/travel/travel.wsdl';

t.test(
  'services that call every operation alike become one configuration that speaks of all of them',
  async (t) => {
    const { code, output, file, directory } = await run(TRAVEL);
    t.equal(code, 0);
    t.equal(
      output.slice(0, output.indexOf('\n\nWritten')),
      `5 operations: 3 offered (2 reading, 1 writing), 2 not callable.
     1 disabled: It cannot be called: its binding is for plain HTTP.
     1 disabled: It cannot be called: no binding describes it.
service airService: AirSearchPort, AirBookPort
service hotelService: HotelSearchSecurePort

operation         service             status    field                reason
Quote             port QuoteGetPort   disabled  -                    It cannot be called: \
its binding is for plain HTTP. (${TRAVEL}:67)
Notify            port type Callback  disabled  -                    It cannot be called: \
no binding describes it. (${TRAVEL}:31)
LowFareSearchReq  airService          ok        Query.lowFareSearch
AirBookReq        airService          ok        Mutation.airBook
service           hotelService        ok        Query.hotelSearch

port HotelSearchPort: service, as at port HotelSearchSecurePort.
port HotelSearchPort12: service, as at port HotelSearchSecurePort.`,
    );
    const { config } = await loadConfig(file, {});
    t.match(config.services, {
      airService: { ports: ['AirSearchPort', 'AirBookPort'], urls: ['http://127.0.0.1:1/air'] },
      hotelService: { port: 'HotelSearchSecurePort', urls: ['https://127.0.0.1:1/hotel'] },
    });
    const compiled = await compile(await loadConfig(file, {}));
    t.teardown(() => compiled.close());
    t.same([...compiled.graph.fields.keys()].sort(), [
      'Mutation.airBook',
      'Query.hotelSearch',
      'Query.lowFareSearch',
    ]);
    t.ok(compiled.graph.schema.getType('Traveller'));
    t.notOk(compiled.graph.schema.getType('HotelServiceTraveller'), 'one set of types');
    const report: unknown = JSON.parse(
      await readFile(join(directory, 'import-report.json'), 'utf8'),
    );
    t.match(report, {
      operations: { length: 7 },
      summary: { offered: 3, otherPorts: 2, disabled: 2 },
    });
  },
);

t.test('overloads of one port are fields named after their request elements', async (t) => {
  const bound = (name: string) =>
    `<operation name="Get"><input name="${name}"><soap:body use="literal"/></input></operation>`;
  const wsdl = wsdlWith({
    types: schemaWith(
      '<xs:element name="GetByName"><xs:complexType><xs:sequence>' +
        '<xs:element name="name" type="xs:string"/></xs:sequence></xs:complexType></xs:element>',
    ),
    messages:
      '<message name="In"><part name="p" element="t:Get"/></message><message name="ByName">' +
      '<part name="p" element="t:GetByName"/></message><message name="Out">' +
      '<part name="p" element="t:GetResponse"/></message>',
    portType: `<portType name="P"><operation name="Get"><input name="a" message="t:In"/>\
<output message="t:Out"/></operation>
      <operation name="Get"><input name="b" message="t:ByName"/><output message="t:Out"/>\
</operation></portType>`,
    binding: `<binding name="B" type="t:P"><soap:binding/>${bound('a')}${bound('b')}</binding>`,
  });
  const { file } = await runOn(wsdl);
  const { config } = await loadConfig(file, {});
  t.match(config.services['s']?.operations, {
    Get: { field: 'Query.get' },
    Get2: { field: 'Query.getByName' },
  });
});

t.test(
  '--json prints the report and nothing else; --port takes some ports and says so of the others',
  async (t) => {
    const { output, directory } = await run(TRAVEL, {
      json: true,
      ports: ['HotelSearchPort12'],
      name: 'hotels',
    });
    t.equal(`${output}\n`, await readFile(join(directory, 'import-report.json'), 'utf8'));
    t.match(JSON.parse(output), {
      services: [{ name: 'hotels', ports: ['HotelSearchPort12'] }],
      operations: [
        {
          at: 'port AirSearchPort',
          status: 'disabled',
          reason: 'Its port is not among those named with --port.',
        },
        { at: 'port AirBookPort', status: 'disabled' },
        { at: 'port HotelSearchPort', status: 'otherPort', sameAs: 'HotelSearchPort12' },
        { at: 'port HotelSearchPort12', status: 'ok', service: 'hotels' },
      ],
    });
  },
);

t.test('several services under the name that was asked for', async (t) => {
  const { file } = await run(TRAVEL, { name: 'travel' });
  t.same(Object.keys((await loadConfig(file, {})).config.services), [
    'travel',
    'travel-hotelSearchSecurePort',
  ]);
});

t.test('a terminal shows which document is being read', async (t) => {
  const shown: (string | null)[] = [];
  const options = {
    directory: await useFolder(t),
    name: null,
    ports: [],
    json: false,
    force: false,
  };
  await importWsdl(TRAVEL, options, { out() {}, error() {}, progress: (text) => shown.push(text) });
  t.match(shown, [
    /^Reading document 1: .*travel\.wsdl$/,
    /^Reading document 2: .*travel\.xsd$/,
    null,
  ]);
});

t.test('warnings with one cause are printed once, with their number', async (t) => {
  const imports = ['a', 'b', 'c'].map(
    (name) => `<xs:import namespace="urn:${name}" schemaLocation="http://x/${name}.xsd"/>`,
  );
  const { output } = await runOn(importing(...imports));
  t.match(
    output,
    /^warning: .*leaves the folder of the WSDL: it names a URL\. This is so in 3 places/m,
  );
  t.equal(output.match(/^warning: /gm)?.length, 1);
  const of = (what: string) => ({ what, remedy: null });
  const texts = [
    'The type tns:A is odd.',
    'The group tns:A is odd.',
    'The type C_7 is odd.',
    'The type is odd. Text X.',
  ];
  t.same(groupByCause(texts.map(of)), [
    { first: of('The type tns:A is odd.'), count: 2 },
    { first: of('The group tns:A is odd.'), count: 1 },
    { first: of('The type is odd. Text X.'), count: 1 },
  ]);
});

t.test('name and port as asked', async (t) => {
  const { file } = await run(DEMO, { name: 'orders', ports: ['OrderDeskSoap12'] });
  const { config } = await loadConfig(file, {});
  t.match(config.services['orders'], {
    port: 'OrderDeskSoap12',
    versions: ['1.2', '1.1'],
    path: '/soap/orders',
  });
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
    await refusal(DEMO, { ports: ['Nope'] }),
    `${DEMO}: The WSDL has no SOAP port Nope. Its SOAP ports: OrderDeskSoap11, OrderDeskSoap12.`,
  );
  t.match(await refusal(DEMO, { name: '9 lives' }), /^The name of --name cannot be used\./);
  t.match(await refusal('/none/absent.wsdl', {}), /absent\.wsdl/);
  t.match(await refusal('config/soapstone.yaml', {}), /^config\/soapstone\.yaml:/);
});

t.test('a WSDL at an address, with a port elsewhere', async (t) => {
  const files: Record<string, Buffer> = {
    '/orders?wsdl': await readFile(DEMO),
    '/legacy.xsd': await readFile('config/demo/legacy.xsd'),
  };
  const { url } = await useBackend(t, ({ target }, response) => {
    const file = files[target];
    if (file === undefined) response.writeHead(404).end();
    else response.writeHead(200, { 'content-type': 'text/xml' }).end(file);
  });
  const { file, yaml } = await run(`${url}/orders?wsdl`);
  t.match(yaml, 'url: "http://127.0.0.1:8081/orders" # from the WSDL, which is on another host');
  t.equal(
    (await loadConfig(file, {})).config.services['orderDesk']?.urls[0],
    'http://127.0.0.1:8081/orders',
  );
  t.match(await refusal(`${url}/nothing`, {}), /404/);
});

t.test('the written file says what the WSDL says, whatever names it uses', async (t) => {
  const operation = (name: string) =>
    ({ operation: name, status: 'ok', field: 'Query.x', reason: null, place: null }) as const;
  const names = ['null', 'true', 'Get-Order', 'Größe', '__proto__', 'a.b', '-x', 'no', 'x#y'];
  const service: ImportedService = {
    name: 'a',
    address: 'jms:queue',
    versions: ['1.2', '1.1'],
    ports: ['Port: "1" # $' + '{Y}'],
    operations: [
      ...names.map(operation),
      {
        operation: 'Lost',
        status: 'disabled',
        field: null,
        reason: 'It is\nencoded.',
        place: 'a.wsdl:7',
      },
      {
        operation: 'Half',
        status: 'partial',
        field: 'Mutation.half',
        reason: 'A part is opaque.',
        place: null,
      },
    ],
  };
  const imported: Imported = {
    location: 'a\nlistening: there # $' + '{X}',
    wsdl: 'strange $' + '{name}: x.wsdl',
    addresses: { listen: '127.0.0.1:4000', admin: '127.0.0.1:4001', more: [] },
    schema: '../schema.json',
    keys: null,
    services: [service],
  };
  const yaml = printImportedConfig(imported);
  t.match(yaml, /^# yaml-language-server: \$schema=\.\.\/schema\.json\n/);
  t.match(yaml, '      Lost: false # disabled: It is encoded. (a.wsdl:7)\n');
  t.match(yaml, '      Half: { field: Mutation.half } # partial: A part is opaque.\n');
  t.match(yaml, 'url: "http://127.0.0.1:8080/" # put the address of the backend here');
  const loaded = (await (await useConfigFolder(t)).load(yaml)).config.services['a'];
  t.equal(loaded?.wsdl, imported.wsdl);
  t.equal(loaded?.port, service.ports[0]);
  t.same(Object.keys(loaded?.operations ?? {}), [...names, 'Lost', 'Half']);
  t.same(Object.keys(parse(yaml)), ['listen', 'admin', 'services']);
  const empty = printImportedConfig({ ...imported, services: [{ ...service, operations: [] }] });
  t.same(parse(empty).services.a.operations, {});
});

t.test('mixed content is imported; a port that is left out is reported once', async (t) => {
  const wsdl = desk({
    reply: '<xs:element name="result" type="t:Rich"/>',
    types:
      '<xs:complexType name="Rich" mixed="true"><xs:sequence><xs:any processContents="skip" ' +
      'minOccurs="0"/></xs:sequence></xs:complexType>',
  }).replace(
    '<service name="Desk">',
    '<binding name="H" type="t:P"><http:binding ' +
      'xmlns:http="http://schemas.xmlsoap.org/wsdl/http/" verb="POST"/><operation name="Get"/>' +
      '</binding><service name="Desk"><port name="Plain" binding="t:H"/>',
  );
  const { output, directory } = await runOn(wsdl);
  t.match(output, /1 offered \(1 reading, 0 writing\)/);
  t.notMatch(output, /partial|XML text/);
  t.equal(output.match(/plain HTTP/g)?.length, 1, output);
  const report: unknown = JSON.parse(await readFile(join(directory, 'import-report.json'), 'utf8'));
  t.match(report, { ports: [{ ok: 1, partial: 0, disabled: 0 }] });
});

t.test('values in wrappers are proposed as comments that can be used as they are', async (t) => {
  const one = (name: string, content: string, more = ''): string =>
    `<xs:element name="${name}" ${more}><xs:complexType><xs:sequence>` +
    `${content}</xs:sequence></xs:complexType></xs:element>`;
  const text = (name: string, more = ''): string =>
    `<xs:element name="${name}" type="xs:string" ${more}/>`;
  const schema = `<xs:complexType name="Order"><xs:sequence>${text('id')}
${one('address', text('cityName'))}
${one('orderLines', one('lineData', text('line', 'maxOccurs="unbounded"')))}
${one('tags', text('tag', 'maxOccurs="unbounded"'))}
${one('both', text('a') + text('b'))}
${one('ids', text('id'))}</xs:sequence></xs:complexType>
${one('Get', text('id'))}${one('GetResponse', '<xs:element name="order" type="t:Order"/>')}`;
  const folder = await useFolder(t, { 'a.wsdl': wsdlOf('urn:orders', schema, ['Get']) });
  const { yaml, file } = await run(join(folder, 'a.wsdl'));
  t.match(yaml, '    #     Order:\n    #       fields:\n');
  t.match(yaml, '    #         cityName: { path: "address/cityName" }'.replaceAll('"', ''));
  t.match(yaml, '    #         line: { path: orderLines/lineData/line }');
  for (const other of ['tags/tag', 'both/', 'ids/id']) t.notMatch(yaml, other);
  const proposed = yaml.replaceAll(/^ {4}# (schema:| {2})/gm, '    $1');
  t.match(proposed, '\n    schema:\n      types:\n        Order:');
  await writeFile(file, proposed);
  const compiled = await compile(await loadConfig(file, {}));
  t.teardown(() => compiled.close());
  const type = compiled.graph.schema.getType('Order');
  t.same(isObjectType(type) ? Object.keys(type.getFields()) : null, [
    'id',
    'tags',
    'both',
    'ids',
    'cityName',
    'line',
  ]);
});

t.test('types that lose the order of a repeated choice are named beside the key', async (t) => {
  const one = (name: string, content: string): string =>
    `<xs:element name="${name}"><xs:complexType>${content}</xs:complexType></xs:element>`;
  const text = (name: string): string => `<xs:element name="${name}" type="xs:string"/>`;
  const choice = (content: string, max: string): string =>
    `<xs:choice maxOccurs="${max}">${content}</xs:choice>`;
  const type = (name: string, content: string): string =>
    `<xs:complexType name="${name}">${content}</xs:complexType>`;
  const both = text('a') + text('b');
  const schema = `${type('Mixed', choice(both, 'unbounded'))}
${type('Rows', `<xs:sequence maxOccurs="9">${text('row')}${choice(both, '1')}</xs:sequence>`)}
${type('Once', `<xs:sequence>${choice(both, '1')}</xs:sequence>`)}
${type('Alone', choice(text('a'), 'unbounded'))}
${one('Get', `<xs:sequence>${text('id')}</xs:sequence>`)}
${one(
  'GetResponse',
  `<xs:sequence>${['Mixed', 'Rows', 'Once', 'Alone']
    .map((name) => `<xs:element name="${name}" type="t:${name}"/>`)
    .join('')}</xs:sequence>`,
)}`;
  const folder = await useFolder(t, { 'a.wsdl': wsdlOf('urn:a', schema, ['Get']) });
  const { yaml, file } = await run(join(folder, 'a.wsdl'));
  t.match(yaml, '    # Types: Mixed, Rows. A list of a union keeps it.\n');
  await writeFile(file, yaml.replaceAll(/^ {4}# (schema:| {2})/gm, '    $1'));
  const compiled = await compile(await loadConfig(file, {}));
  t.teardown(() => compiled.close());
  const fieldsOf = (name: string): unknown => {
    const type = compiled.graph.schema.getType(name);
    return isObjectType(type) ? Object.keys(type.getFields()) : null;
  };
  t.same([fieldsOf('Mixed'), fieldsOf('Once')], [['choice'], ['choice']]);
});

t.test('keys are proposed where a policy demands encrypted parts', async (t) => {
  const policy =
    '<wsp:Policy xmlns:wsp="http://www.w3.org/ns/ws-policy"><sp:EncryptedParts ' +
    'xmlns:sp="http://docs.oasis-open.org/ws-sx/ws-securitypolicy/200702"><sp:Body/>' +
    '</sp:EncryptedParts></wsp:Policy>';
  const plain = await runOn(wsdlWith({}));
  t.notMatch(plain.yaml, 'security:');
  const { yaml, output } = await runOn(
    wsdlWith({}).replace(/<binding [^>]*>/, (tag) => `${tag}${policy}`),
  );
  t.match(yaml, /# A policy demands encrypted parts \([^)]*a\.wsdl:\d+\)/);
  t.match(output, 'The backend demands encrypted parts by a policy of its WSDL', 'check says so');
  const proposed = yaml.replace(/^( {4})# (?=security:| )/gm, '$1');
  const [service] = Object.values<Record<string, unknown>>(parse(proposed).services);
  const keys = [{ key: { file: 'gateway.key' }, cert: { file: 'gateway.pem' } }];
  t.same(service?.['security'], {
    verify: { decrypt: { keys } },
    make: { encrypt: { cert: { file: 'backend.pem' } } },
    verifyReplies: { decrypt: { keys } },
  });
});
