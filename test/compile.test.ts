import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { printSchema } from 'graphql';
import t, { type Test } from 'tap';
import { type Compiled, compile } from '../src/compile.js';
import { loadConfig } from '../src/config/load.js';
import { Refusal } from '../src/core/refusals/refusal.js';
import { compileText, diagnosticsOf } from './kit/configuration.js';
import { useFolder } from './kit/use.js';

/** A WSDL with one operation for each port: `Get<Port>`. */
const wsdl = (...ports: readonly (readonly [name: string, binding: 'soap' | 'soap12'])[]): string =>
  `<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" \
xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" \
xmlns:soap12="http://schemas.xmlsoap.org/wsdl/soap12/" xmlns:t="urn:t" targetNamespace="urn:t">
<types><xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:t">
${ports
  .map(
    ([name]) => `<xs:element name="Get${name}"><xs:complexType/></xs:element>\
<xs:element name="Get${name}Response"><xs:complexType><xs:sequence>\
<xs:element name="value" type="xs:int"/></xs:sequence></xs:complexType></xs:element>`,
  )
  .join('\n')}
</xs:schema></types>
${ports
  .map(
    ([
      name,
      binding,
    ]) => `<message name="${name}In"><part name="p" element="t:Get${name}"/></message>
<message name="${name}Out"><part name="p" element="t:Get${name}Response"/></message>
<portType name="${name}T"><operation name="Get${name}"><input message="t:${name}In"/>\
<output message="t:${name}Out"/></operation></portType>
<binding name="${name}B" type="t:${name}T">\
<${binding}:binding transport="http://schemas.xmlsoap.org/soap/http"/><operation name="Get${name}">\
<input><${binding}:body use="literal"/></input><output><${binding}:body use="literal"/></output>\
</operation></binding>`,
  )
  .join('\n')}
<service name="S">${ports
    .map(
      ([name, binding]) => `<port name="${name}" binding="t:${name}B">\
<${binding}:address location="http://a.example/${name}"/></port>`,
    )
    .join('')}</service>
</definitions>`;

/** A folder of files that are compiled, and compiled anew as a reload does. */
async function useGenerations(t: Test, yaml: string, files: Readonly<Record<string, string>> = {}) {
  const folder = await useFolder(t, { ...files, 'soapstone.yaml': yaml });
  const next = async (earlier?: Compiled): Promise<Compiled> => {
    const loaded = await loadConfig(join(folder, 'soapstone.yaml'), {});
    const compiled = await compile(loaded, earlier);
    t.teardown(() => compiled.close());
    return compiled;
  };
  const write = (name: string, text: string) => writeFile(join(folder, name), text);
  return { first: await next(), next, write };
}

/** What is wrong, without the folder. */
const problemsIn = async (
  t: Test,
  yaml: string,
  files: Readonly<Record<string, string>>,
): Promise<readonly string[]> =>
  (await diagnosticsOf(compileText(t, yaml, files))).map(
    ({ file, line, what }) => `${file?.split('/').at(-1)}:${line} ${what}`,
  );

const TWO = wsdl(['Old', 'soap'], ['New', 'soap12']);

t.test(
  'the port used is the one named, else the first of the dialect used for calls',
  async (t) => {
    const fieldsWith = async (more: string): Promise<string> => {
      const yaml = `services:\n  s:\n    wsdl: a.wsdl\n    url: http://127.0.0.1:1/\n${more}`;
      return printSchema((await compileText(t, yaml, { 'a.wsdl': TWO })).graph.schema);
    };
    t.match(await fieldsWith(''), 'getOld: Int');
    t.match(await fieldsWith('    versions: ["1.2"]\n'), 'getNew: Int');
    t.match(await fieldsWith('    port: New\n'), 'getNew: Int');
    t.notMatch(await fieldsWith('    port: New\n'), 'getOld');
  },
);

t.test('everything that is wrong in all services comes out at once, with its place', async (t) => {
  const yaml = `services:
  a:
    wsdl: missing.wsdl
    url: http://127.0.0.1:1/
  b:
    wsdl: a.wsdl
    url: http://127.0.0.1:1/
    port: Newer
  c:
    wsdl: html.wsdl
    url: http://127.0.0.1:1/
  d:
    url: http://127.0.0.1:1/
    types: |
      type Query { a: Int
  e:
    wsdl: a.wsdl
    url: http://127.0.0.1:1/
    operations: { GetNobody: { field: Query.nobody } }
`;
  const found = await problemsIn(t, yaml, {
    'a.wsdl': TWO,
    'html.wsdl': '<html><body>Please log in</body></html>',
  });
  t.ok(
    found.some(
      (problem) => problem.startsWith('soapstone.yaml:3 ') && problem.includes('missing.wsdl'),
    ),
    'at the line that names the file',
  );
  t.ok(
    found.some(
      (problem) => problem === 'soapstone.yaml:8 The WSDL of service `b` has no SOAP port `Newer`.',
    ),
  );
  t.ok(
    found.some((problem) => problem.includes('has no operation `GetNobody`')),
    'the mappings of services that can be read',
  );
  t.ok(
    found.some((problem) =>
      /^soapstone\.yaml:10 .*html\.wsdl: The answer is an HTML page/.test(problem),
    ),
  );
  t.ok(
    found.some((problem) => problem.startsWith('soapstone.yaml:') && problem.includes('Syntax')),
  );
});

t.test('a mapping for an operation the WSDL does not have is a error', async (t) => {
  const yaml = `services:
  s:
    wsdl: a.wsdl
    url: http://127.0.0.1:1/
    operations:
      GetOld: { field: Query.old }
      GetOlder: { field: Query.older }
`;
  t.same(await problemsIn(t, yaml, { 'a.wsdl': TWO }), [
    'soapstone.yaml:7 The WSDL of service `s` has no operation `GetOlder` at the port in use.',
  ]);
});

t.test('only selected operations are offered; without a selection all are', async (t) => {
  const both = wsdl(['One', 'soap']).replace('</definitions>', '</definitions>');
  const service = (operations: string): string =>
    `services:\n  s:\n    wsdl: a.wsdl\n    url: http://127.0.0.1:1/\n${operations}`;
  const all = await compileText(t, service(''), { 'a.wsdl': both });
  t.same([...all.graph.fields.keys()], ['Query.getOne']);
  const renamed = await compileText(
    t,
    service('    operations: { GetOne: { field: Mutation.one } }\n'),
    {
      'a.wsdl': both,
    },
  );
  t.same([...renamed.graph.fields.keys()], ['Mutation.one']);
  const hidden = await compileText(t, service('    operations: { GetOne: false }\n'), {
    'a.wsdl': both,
  });
  t.same([...hidden.graph.fields.keys()], []);
});

t.test(
  'a service with neither a WSDL nor types is a perimeter for SOAP and nothing else',
  async (t) => {
    const compiled = await compileText(t, 'services:\n  s:\n    url: http://127.0.0.1:1/\n');
    t.equal(compiled.byPath.get('/soap/s')?.operations.length, 0);
    t.same([...compiled.graph.fields.keys()], []);
  },
);

t.test(
  'an error in types written by hand has its place in the file, however the text is written',
  async (t) => {
    const placesOf = async (
      types: string,
      files: Readonly<Record<string, string>> = {},
    ): Promise<readonly string[]> => {
      const yaml =
        `services:\n  s:\n    url: http://127.0.0.1:1/\n${types}\n    operations: { A: ` +
        '{ field: Query.a } }\n';
      return (await diagnosticsOf(compileText(t, yaml, files))).map(
        ({ file, line, column }) => `${file?.split('/').at(-1)}:${line}:${column}`,
      );
    };
    const wrong = ['type Query {', '  a(id: ID!: Int', '}'];
    const block = (header: string, indent: string) =>
      `    types: ${header}\n${wrong.map((line) => `${indent}${line}`).join('\n')}`;
    t.same(await placesOf(block('|', '      ')), ['soapstone.yaml:6:18']);
    t.same(
      await placesOf(block('|-\n\n', '          ')),
      ['soapstone.yaml:8:22'],
      'blank lines count',
    );
    t.same(
      await placesOf(block('|4 # here', '        ')),
      ['soapstone.yaml:6:20'],
      'the header gives the indentation',
    );
    t.same(await placesOf(`    types: type Query { a(id ID!) Int }`), ['soapstone.yaml:4:30']);
    t.same(await placesOf(`    types: "type Query { a(id ID!) Int }"`), ['soapstone.yaml:4:31']);
    t.same(
      await placesOf(block('>', '      ')),
      ['soapstone.yaml:4:12'],
      'of joined lines the start of the text',
    );
    t.same(
      await placesOf('    types: { file: more/a.graphql }', { 'more/a.graphql': wrong.join('\n') }),
      ['a.graphql:2:12'],
    );
  },
);

t.test('connections and nonces of a service survive a reload', async (t) => {
  const yaml = (more = '') => `services:
  same: { url: "http://127.0.0.1:1/", security: { nonces: true } }
  other: { url: "http://127.0.0.1:2/"${more} }
`;
  const { first, next, write } = await useGenerations(t, yaml());
  await write('soapstone.yaml', yaml(', timeoutMillis: 1000'));
  const second = await next(first);
  const [[same, other], [sameLater, otherLater]] = [first.services, second.services];
  t.equal(sameLater?.upstream, same?.upstream);
  t.ok(same?.upstream.isShared);
  t.not(otherLater?.upstream, other?.upstream, 'its configuration changed');
  const now = Date.now();
  const created = new Date(now).toISOString();
  const claims = [
    { kind: 'UsernameToken', created, expires: null, nonce: 'bm9uY2Utb2YtMTYtYnl0ZXM=' },
  ] as const;
  t.equal(same?.freshness?.check(claims, now).length, 1);
  t.throws(() => sameLater?.freshness?.check(claims, now), Refusal, 'it came before');
  await first.close();
  t.notOk(sameLater?.upstream.isShared, 'the second generation alone has it');
});

const MANY = Array.from({ length: 200 }, (_, at) => [`P${at}`, 'soap'] as const);

t.test('a reload keeps what was made of files and keys that are the same', async (t) => {
  const yaml = (more = ''): string =>
    `services:\n  a: { wsdl: a.wsdl, url: "http://127.0.0.1:1/"${more} }\n` +
    '  b: { wsdl: b.wsdl, url: "http://127.0.0.1:2/" }\n';
  const importing = wsdl(['B', 'soap']).replace(
    '<types>',
    '<import namespace="urn:c" location="c.wsdl"/><types>',
  );
  const other = '<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" targetNamespace="urn:c"/>';
  const files = { 'a.wsdl': TWO, 'b.wsdl': importing, 'c.wsdl': other };
  const { first, next, write } = await useGenerations(t, yaml(), files);
  const same = await next(first);
  t.equal(same.graph.schema, first.graph.schema);
  t.same(
    same.services.map(({ wsdl: model }, at) => model === first.services[at]?.wsdl),
    [true, true],
  );
  await write('soapstone.yaml', yaml(', limits: { xml: { depth: 30 } }'));
  const limited = await next(same);
  t.equal(limited.services[0]?.wsdl, first.services[0]?.wsdl, 'keys changed, the WSDL did not');
  t.equal(limited.services[0]?.xmlLimits.depth, 30);
  await write('c.wsdl', `${other}\n`);
  const imported = await next(limited);
  t.same(
    imported.services.map(({ wsdl: model }, at) => model === first.services[at]?.wsdl),
    [true, false],
    'an import changed',
  );
  await write('a.wsdl', wsdl(['More', 'soap']));
  const changed = await next(imported);
  t.match(printSchema(changed.graph.schema), /getMore: Int/);
  t.notMatch(printSchema(changed.graph.schema), /getOld/);
});

t.test('a reload lets the event loop turn while it compiles', async (t) => {
  const { first, next, write } = await useGenerations(
    t,
    'services: { a: { wsdl: a.wsdl, url: "http://127.0.0.1:1/" } }',
    { 'a.wsdl': TWO },
  );
  let turns = 0;
  const turn = setInterval(() => turns++, 0);
  const all =
    `services: { a: { wsdl: a.wsdl, ports: [${MANY.map(([name]) => name).join(', ')}], url: ` +
    '"http://127.0.0.1:1/" } }';
  await write('a.wsdl', `${wsdl(...MANY)}\n`);
  await write('soapstone.yaml', all);
  turns = 0;
  const large = await next(first);
  clearInterval(turn);
  t.equal(large.graph.fields.size, MANY.length);
  t.ok(turns > 5, `${turns} turns`);
  const atOnce = await next();
  t.equal(
    printSchema(large.graph.schema),
    printSchema(atOnce.graph.schema),
    'with the same result',
  );
});

t.test('services tell their backends of callers by one table of trusted proxies', async (t) => {
  const { services, trustedProxies } = await compileText(
    t,
    `clients: { trustedProxies: [10.0.0.0/8], address: { class: all }, classes: { all: {} } }
services:
  a: { url: "http://127.0.0.1:1/" }
  b: { url: "http://127.0.0.1:1/", bufferRequests: true }
  c: { url: "http://127.0.0.1:1/", forwarded: false }
`,
  );
  const [a, b, c] = services.map(({ callerFields }) => callerFields.forwarding);
  t.not(a, null);
  t.equal(a, b);
  t.equal(c, null);
  t.ok(trustedProxies.has('10.1.2.3'));
});
