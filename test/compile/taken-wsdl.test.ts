import { Buffer } from 'node:buffer';
import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { type Compiled, compile } from '../../src/compile.js';
import { loadConfig } from '../../src/config/load.js';
import { printDiagnostic } from '../../src/core/diagnostic.js';
import { LIVE_INPUTS } from '../../src/core/files/inputs.js';
import { RememberedReads } from '../../src/core/files/remembered-reads.js';
import { readWsdl } from '../../src/wsdl/read.js';
import { packTaken } from '../../src/wsdl/taken-wsdl.js';
import { answerWith } from '../kit/backend.js';
import { diagnosticsOf } from '../kit/configuration.js';
import { MAIN, startProcess } from '../kit/gateway-process.js';
import { useBackend } from '../kit/use.js';
import { FILES, wsdlWith } from '../wsdl/written.js';

/** Documents of a backend that stand for the WSDL in a file, and cannot be used any more. */

const FILE = wsdlWith({});
const URL = 'http://127.0.0.1:1/a?wsdl';
/** A caller of `FILE` goes on. */
const WIDER = FILE.replace(
  'type="xs:int"/></xs:sequence>',
  'type="xs:int"/><xs:element name="lang" type="xs:string" minOccurs="0"/></xs:sequence>',
);
/** Has no operation `Get`. */
const OTHER = FILE.replaceAll('Get', 'Find');
const BROKEN = '<definitions xmlns="http://schemas.xmlsoap.org/wsdl/"><types>';

const run = promisify(execFile);

/** The content of a `.taken` file for the WSDL in `file`. */
async function taken(file: string, text: string, url = URL): Promise<Buffer> {
  const reads = new RememberedReads();
  await readWsdl(file, { ...FILES, inputs: reads.track(LIVE_INPUTS) });
  const documents = new Map([[url, { url, contentType: 'text/xml', body: Buffer.from(text) }]]);
  return packTaken({ url, takenMillis: 1, replaces: reads.list, documents }).content;
}

const service = (name: string, more = ''): string =>
  `  ${name}: { wsdl: ${name}.wsdl, url: "http://127.0.0.1:1/", operations: { Get: { field: ` +
  `Query.${name} } }, drift: { url: "${URL}", everyMillis: 86400000, apply: ` +
  `safe, folder: taken }${more} }\n`;

/** Services `a` and `b`, each with its own WSDL. */
async function prepare(t: Test) {
  const yaml = `services:\n${service('a')}${service('b')}`;
  const folder = t.testdir({ 'a.wsdl': FILE, 'b.wsdl': FILE, 'soapstone.yaml': yaml, taken: {} });
  return { folder, yaml, taken: (name: string) => join(folder, 'taken', `${name}.taken`) };
}

async function compiledIn(
  t: Test,
  folder: string,
  earlier: Compiled | null = null,
): Promise<Compiled> {
  const compiled = await compile(await loadConfig(join(folder, 'soapstone.yaml'), {}), earlier);
  t.teardown(() => compiled.close());
  return compiled;
}

const namesOf = ({ services }: Compiled): readonly string[] =>
  services.map(({ source }) => (source?.taken === null ? 'file' : 'taken'));

const notesOf = ({ warnings }: Compiled): readonly string[] => warnings.map(printDiagnostic);

t.test(
  'a taken WSDL that cannot be read is not used, and those of other services are',
  async (t) => {
    const { folder, taken: at } = await prepare(t);
    const file = join(folder, 'a.wsdl');
    await writeFile(at('b'), await taken(join(folder, 'b.wsdl'), WIDER));
    const whole = await taken(file, WIDER);
    const contents: readonly (readonly [string, Buffer | string, RegExp])[] = [
      [
        'an incomplete document',
        await taken(file, BROKEN),
        /cannot be read: .*Remove .*a\.taken.*soapstone diff/,
      ],
      ['no XML', await taken(file, 'Not Found'), /cannot be read: /],
      ['a URL that is none', await taken(file, WIDER, 'nothing'), /cannot be read: /],
      [
        'an incomplete file',
        whole.subarray(0, whole.length - 1),
        /its file is broken. Remove .*a\.taken/,
      ],
      ['another form', 'broken', /its file is broken/],
      ['an empty file', '', /its file is broken/],
    ];
    for (const [what, content, note] of contents) {
      await writeFile(at('a'), content);
      const compiled = await compiledIn(t, folder);
      t.same(namesOf(compiled), ['file', 'taken'], what);
      t.match(notesOf(compiled)[0], /soapstone\.yaml:2:.*taken from the backend is not used/, what);
      t.match(notesOf(compiled)[0], note, what);
    }
    await rm(at('a'));
    await mkdir(at('a'));
    const compiled = await compiledIn(t, folder);
    t.same(namesOf(compiled), ['file', 'taken'], 'a folder');
    t.match(notesOf(compiled)[0], /cannot be read \(EISDIR\)/);
  },
);

t.test('a configuration that fails with the taken WSDLs is used without them', async (t) => {
  const { folder, yaml, taken: at } = await prepare(t);
  await writeFile(at('a'), await taken(join(folder, 'a.wsdl'), OTHER));
  const compiled = await compiledIn(t, folder);
  t.same(namesOf(compiled), ['file', 'file']);
  t.match(
    notesOf(compiled)[0],
    /configuration fails with what was taken: .*Get.*Remove .*a\.taken.*soapstone diff/,
  );

  await writeFile(at('a'), await taken(join(folder, 'a.wsdl'), WIDER));
  const wider = await compiledIn(t, folder);
  t.same(namesOf(wider), ['taken', 'file']);
  await writeFile(at('a'), await taken(join(folder, 'a.wsdl'), OTHER));
  t.same(namesOf(await compiledIn(t, folder, wider)), ['file', 'file'], 'a reload too');

  await writeFile(join(folder, 'soapstone.yaml'), yaml.replace('Query.b', 'Query.a'));
  const problems = (await diagnosticsOf(compiledIn(t, folder))).map(printDiagnostic);
  t.match(problems, [/Query\.a/], 'what is wrong without them');
  t.notMatch(problems.join(), /taken from the backend/);
});

for (const workers of [1, 2]) {
  t.test(
    `a gateway with ${workers} workers starts without taken WSDLs that cannot be used`,
    async (t) => {
      const { folder, yaml, taken: at } = await prepare(t);
      const backend = await useBackend(t, answerWith(WIDER));
      const absolute = yaml
        .replaceAll('wsdl: ', `wsdl: ${folder}/`)
        .replaceAll('folder: ', `folder: ${folder}/`)
        .replace(/(?<=b\.wsdl.*):1\/a/, `:${backend.url.split(':').at(-1)}/b`);
      await writeFile(at('a'), await taken(join(folder, 'a.wsdl'), OTHER));
      await writeFile(at('b'), await taken(join(folder, 'b.wsdl'), BROKEN));
      const gateway = await startProcess(
        t,
        `workers: ${workers}\nreload: { watch: false }\n${absolute}`,
      );
      const servedBy = async (name: string): Promise<string> =>
        (await fetch(`${gateway.url}/soap/${name}?wsdl`)).text();
      const noteOf = ({ msg, note }: Readonly<Record<string, unknown>>): string =>
        msg === 'configuration warning' ? String(note) : '';
      t.match(await servedBy('a'), 'name="Get"');
      const note = await gateway.line((line) => noteOf(line).includes('a.taken'));
      t.match(note, { note: /is not used: the configuration fails/ });
      t.match(await gateway.line((line) => noteOf(line).includes('b.taken')), {
        note: /is not used: it cannot be read/,
      });

      t.match(
        await gateway.line('the WSDL of the backend is in use'),
        { service: 'b' },
        'it is taken anew',
      );
      t.match(await servedBy('b'), 'name="lang"');
      await writeFile(at('a'), await taken(join(folder, 'a.wsdl'), WIDER));
      t.equal((await fetch(`${gateway.adminUrl}/reload`, { method: 'POST' })).status, 200);
      for (let n = 0; n < 2 * workers; n++)
        t.match(await servedBy('a'), 'name="lang"', 'a reload reads the file again');

      await writeFile(at('b'), await taken(join(folder, 'b.wsdl'), BROKEN));
      t.equal((await fetch(`${gateway.adminUrl}/reload`, { method: 'POST' })).status, 200);
      for (let n = 0; n < 2 * workers; n++) t.notMatch(await servedBy('b'), 'name="lang"');
      const { stdout } = await run(process.execPath, [MAIN, 'check', '-c', gateway.file]);
      t.match(stdout, /warning: .*is not used: it cannot be read: .*Remove .*b\.taken/);
    },
  );
}

/** With an operation `Drop` that `FILE` has not, and another address. */
const LARGER = FILE.replace(
  '</xs:schema>',
  '<xs:element name="Drop" type="xs:string"/></xs:schema>',
)
  .replace(
    '<portType',
    '<message name="DropIn"><part name="p" element="t:Drop"/></message><portType',
  )
  .replace(
    '</portType>',
    '<operation name="Drop"><input message="t:DropIn"/></operation></portType>',
  )
  .replace(
    '</binding>',
    '<operation name="Drop"><soap:operation soapAction="urn:drop"/><input>' +
      '<soap:body use="literal"/></input></operation></binding>',
  )
  .replace('internal.example', 'evil.example');

const RIGHTS: readonly (readonly [what: string, more: string, isOpen: boolean])[] = [
  ['no rights', '', true],
  [
    'rights of another service',
    'clients: { address: { class: a }, classes: { a: { deny: [b] } } }\n',
    true,
  ],
  [
    'denied operations',
    'clients: { address: { class: a }, classes: { a: { deny: [a.Get] } } }\n',
    false,
  ],
  [
    'an allowed service',
    'clients: { address: { class: a }, classes: { a: { allow: [a] } } }\n',
    false,
  ],
];

t.test(
  'an operation that only the backend has is closed where a service has rights, until it is named',
  async (t) => {
    const { folder, yaml, taken: at } = await prepare(t);
    await writeFile(at('a'), await taken(join(folder, 'a.wsdl'), LARGER));
    const config = join(folder, 'soapstone.yaml');
    const expectOpen = async (what: string, text: string, isOpen: boolean): Promise<void> => {
      await writeFile(config, text);
      const compiled = await compiledIn(t, folder);
      const [a] = compiled.services;
      t.same(namesOf(compiled), ['taken', 'file'], what);
      t.same(
        a?.operations.map(({ name }) => name),
        isOpen ? ['Get', 'Drop'] : ['Get'],
        what,
      );
      const body = { uri: 'urn:t', local: 'Drop' };
      t.equal(a?.requests.find(body) !== null, isOpen, `${what}: by SOAP`);
      t.equal(
        notesOf(compiled).some((note) => /closed.*`Drop`.*operations/.test(note)),
        !isOpen,
        `${what}: warning`,
      );
      const again = await compiledIn(t, folder, compiled);
      t.equal(again.services[0]?.wsdl, a?.wsdl, 'kept by a reload');
    };
    for (const [what, more, isOpen] of RIGHTS) await expectOpen(what, yaml + more, isOpen);
    const scoped = yaml.replace('Query.a }', 'Query.a, scopes: [x] }');
    await expectOpen('scopes', scoped, false);
    await expectOpen('named', scoped.replace('scopes: [x] }', 'scopes: [x] }, Drop: true'), true);
    const complex = (text: string): string =>
      text.replace(
        'name="GetResponse" type="xs:string"/>',
        'name="GetResponse" type="t:R"/><xs:complexType name="R"><xs:sequence>' +
          '<xs:element name="a" type="xs:string"/></xs:sequence></xs:complexType>',
      );
    await writeFile(join(folder, 'a.wsdl'), complex(FILE));
    await writeFile(at('a'), await taken(join(folder, 'a.wsdl'), complex(LARGER)));
    const ruled =
      'schema: { types: { R: { fields: { a: { authenticated: true } } } } }, operations: ' +
      '{ Get: { field: Query.a }';
    await expectOpen(
      'rights to fields',
      yaml.replace('operations: { Get: { field: Query.a }', ruled),
      false,
    );
  },
);

t.test(
  'the addresses that a client may name come from the file, not from the backend',
  async (t) => {
    const { folder, taken: at } = await prepare(t);
    await writeFile(at('a'), await taken(join(folder, 'a.wsdl'), LARGER));
    const { services } = await compiledIn(t, folder);
    t.equal(services[0]?.destinations.permits('http://internal.example/get'), true);
    t.equal(services[0]?.destinations.permits('http://evil.example/get'), false);
  },
);
