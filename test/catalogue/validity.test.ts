import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { compile } from '../../src/compile.js';
import { loadConfig } from '../../src/config/load.js';
import { ConfigurationError, type Diagnostic } from '../../src/core/diagnostic.js';
import { DIALECT_NAMES } from '../../src/soap/dialect.js';
import { readWsdl } from '../../src/wsdl/read.js';
import { answerWith } from '../kit/backend.js';
import { postGraphql } from '../kit/graphql-client.js';
import { chunked, post, type RawReply, sendRaw } from '../kit/raw-client.js';
import { useBackend, useFolder, useGateway } from '../kit/use.js';
import { fill } from '../perimeter/case-file.js';
import { FILES } from '../wsdl/written.js';
import { expectAnswer } from './expect.js';
import { contentTypeOf, type Perimeter, runMessages, startPerimeter } from './messages.js';
import { Rows } from './rows.js';
import { security, signature, withBody, withHeader } from './soap-parts.js';
import { FEW_VALUES, INVALID, MANY_VALUES, ping } from './validity-vectors.js';

const rows = new Rows('validity');
const FIXTURE = `${process.cwd()}/test/catalogue/fixtures/validity.wsdl`;
const serviceWith = (validate: string, more = ''): string =>
  `    wsdl: ${FIXTURE}\n    validate: { ${validate} }\n${more}`;

t.test('requests that break the schema', async (t) => {
  const perimeter = await startPerimeter(t, serviceWith('requests: enforce'));
  for (const id of new Set(INVALID.map(({ row }) => row))) {
    const own = INVALID.filter(({ row }) => row === id);
    await t.test(id, (t) => runMessages(t, perimeter, rows, own));
  }
  rows.answer('X26', 'Object.prototype');
  t.same(
    Reflect.ownKeys(Object.prototype).filter((key) => !BUILT_IN.has(key)),
    [],
    'Object.prototype is unchanged',
  );
});

t.test('X32: IDs and keys', async (t) => {
  await runMessages(
    t,
    await startPerimeter(t, serviceWith('requests: enforce')),
    rows,
    MANY_VALUES,
  );
  const limits = 'limits: { validity: { identityValues: 10 } }\n';
  await runMessages(
    t,
    await startPerimeter(t, serviceWith('requests: enforce'), limits),
    rows,
    FEW_VALUES,
  );
});

const BUILT_IN = new Set(Reflect.ownKeys(Object.prototype));

const ask = (perimeter: Perimeter, message: string): Promise<RawReply> =>
  sendRaw(perimeter.gateway.url, post('/soap/s11', contentTypeOf('1.1'), fill(message, '1.1')));

const SECRET = 'jane.doe@example.com';
const WRONG = ping(
  '<m:free/><m:line><m:sku>A</m:sku><m:quantity>2</m:quantity></m:line><m:line><m:sku>' +
    `${SECRET}</m:sku><m:quantity>${SECRET}</m:quantity></m:line>`,
);
const TOLD = { rule: 'must be a 32-bit integer', path: '/Ping/line[2]/quantity' };

t.test('S17, K04: where it is wrong, and nothing of what was sent', async (t) => {
  const perimeter = await startPerimeter(t, serviceWith('requests: enforce'));
  const names = [
    ping(`<m:${SECRET.replace('@', '-')}/>`),
    ping(`<m:free ${SECRET.replace('@', '-')}="1"/>`),
    ping(`<m:part xsi:type="${SECRET.replace('@', '-')}"/>`),
    ping(
      `<m:items><m:item id="${SECRET.replace('@', '-')}"/>` +
        `<m:item id="${SECRET.replace('@', '-')}"/></m:items>`,
    ),
  ];
  for (const message of [WRONG, ...names]) {
    const reply = await ask(perimeter, message);
    expectAnswer(t, reply, 'F:Client/SCHEMA_INVALID', '1.1', 'refused');
    t.match(reply.body, / rule="[^"]+" path="\/Ping/);
    t.notMatch(reply.body, /jane/, rows.answer('K04', 'in the Fault'));
  }
  rows.answer('S17', 'where');
  const { body } = await ask(perimeter, WRONG);
  t.match(body, `path="${TOLD.path}"`);
  t.notMatch(
    JSON.stringify(perimeter.gateway.logLines()),
    /jane/,
    rows.answer('K04', 'in the log'),
  );
  const metrics = await perimeter.gateway.metrics();
  t.match(
    metrics,
    'soapstone_schema_violations_total{service="s11",operation="Ping",' +
      'direction="request",rule="value"} 2',
  );
  t.notMatch(metrics, /jane/, rows.answer('K04', 'in the metrics'));
});

t.test('S17: reported, and in monitor mode', async (t) => {
  for (const [name, lines] of [
    ['reported', serviceWith('requests: report')],
    ['monitor mode', serviceWith('requests: enforce', '    mode: monitor\n')],
  ] as const) {
    const perimeter = await startPerimeter(t, lines);
    rows.answer('S17', name);
    const reply = await ask(perimeter, WRONG);
    t.equal(reply.status, 200, `${name}: passes`);
    t.ok(
      perimeter.backend.complete[0]?.body.equals(Buffer.from(fill(WRONG, '1.1'))),
      `${name}: byte for byte`,
    );
    await perimeter.gateway.accessLine();
    const lines2 = perimeter.gateway
      .logLines()
      .filter(({ msg }) => msg === 'content breaks the schema');
    t.equal(lines2.length, 1, `${name}: logged once`);
    t.match(lines2[0], {
      service: 's11',
      operation: 'Ping',
      direction: 'request',
      rule: 'value',
      path: TOLD.path,
    });
    t.match(
      await perimeter.gateway.metrics(),
      'soapstone_schema_violations_total{service="s11",operation="Ping",' +
        'direction="request",rule="value"} 1',
      `${name}: counted`,
    );
  }
});

const reply = (content: string): string =>
  fill(withBody(`<m:PingResponse xmlns:m="urn:m">${content}</m:PingResponse>`), '1.1');
const WRONG_REPLY = reply(`<m:total>${SECRET}</m:total>`);
/** Longer than what is held: its beginning is out when its end is read. */
const LONG_REPLY = reply(`<m:short>${'x'.repeat(500_000)}</m:short><m:total/>`);

t.test('U16: replies that break the schema', async (t) => {
  for (const [name, validate, answer, more] of [
    ['report, the default', '', WRONG_REPLY, ''],
    ['enforce', 'replies: enforce', WRONG_REPLY, ''],
    ['enforce, long', 'replies: enforce', LONG_REPLY, ''],
    ['enforce, monitor mode', 'replies: enforce', WRONG_REPLY, '    mode: monitor\n'],
    ['off', 'replies: off', WRONG_REPLY, ''],
    ['as it should be', 'replies: enforce', reply('<m:total>7</m:total>'), ''],
  ] as const) {
    const perimeter = await startPerimeter(t, serviceWith(validate, more));
    perimeter.backend.answer = answerWith(answer);
    const got = await ask(perimeter, ping(''));
    expectAnswer(t, got, rows.answer('U16', name), '1.1', `U16 ${name}`);
    if (rows.answer('U16', name) === 'pass') t.equal(got.body, answer, `${name}: byte for byte`);
    else t.notMatch(got.body, SECRET, `${name}: nothing of it`);
    const isCounted = !['off', 'as it should be'].includes(name);
    t.equal(
      (await perimeter.gateway.metrics()).includes('direction="reply"'),
      isCounted,
      `${name}: counted`,
    );
  }
});

t.test('U16: replies that GraphQL reads', async (t) => {
  for (const [name, validate, more] of [
    ['GraphQL, enforce', 'replies: enforce', ''],
    ['GraphQL, report', 'replies: report', ''],
    ['GraphQL, enforce, monitor mode', 'replies: enforce', '    mode: monitor\n'],
  ] as const) {
    const operations = '    operations: { Ping: { field: Query.ping } }\n';
    const backend = await useBackend(t, answerWith(reply('<m:total>7</m:total><m:other/>')));
    const gateway = await useGateway(
      t,
      `services:\n  desk:\n    url: ${backend.url}\n${serviceWith(validate, more)}${operations}`,
    );
    const response = await postGraphql(gateway.url, { query: '{ ping { total } }' });
    const { data, errors }: { data: unknown; errors?: { extensions: { code: string } }[] } =
      JSON.parse(await response.text());
    const code = errors?.[0]?.extensions.code;
    t.equal(code === undefined ? 'pass' : `G:${code}`, rows.answer('U16', name), `U16 ${name}`);
    if (code === undefined) t.same(data, { ping: { total: 7 } }, name);
  }
});

t.test('X17: a long reply that is only reported', async (t) => {
  const perimeter = await startPerimeter(t, serviceWith('replies: report'));
  const long = reply(`<m:short>${'x'.repeat(1024 * 1024 + 1)}</m:short>`);
  perimeter.backend.answer = answerWith(long);
  const got = await ask(perimeter, ping(''));
  expectAnswer(t, got, rows.answer('X17', 'in a reply, reported only'), '1.1', 'X17 in a reply');
  t.equal(got.body.length, long.length);
});

t.test('X29: a pattern takes linear time', async (t) => {
  const perimeter = await startPerimeter(t, serviceWith('requests: enforce'));
  const nearly = INVALID.find(({ case: name }) => name === '64 KiB that nearly match');
  const message = typeof nearly?.message === 'string' ? nearly.message : '';
  rows.answer('X29', 'how long');
  const millis: number[] = [];
  for (let round = 0; round < 10; round++) {
    const start = process.cpuUsage();
    await ask(perimeter, message);
    const { user, system } = process.cpuUsage(start);
    millis.push((user + system) / 1000);
  }
  t.ok(Math.min(...millis) < 50, `${Math.min(...millis)} ms`);
});

/** Thirty groups, each twice the one before: a thousand million elements. */
const GROUPS = Array.from(
  { length: 30 },
  (_, i) =>
    `<xs:group name="g${i + 1}"><xs:sequence><xs:group ref="m:g${i}"/>` +
    `<xs:group ref="m:g${i}"/></xs:sequence></xs:group>`,
).join('');
const GROUPED =
  '<xs:element name="grouped"><xs:complexType><xs:sequence><xs:group ref="m:g30"/>' +
  '</xs:sequence></xs:complexType></xs:element>';

/** The path of the fixture with each text replaced. */
async function changedFixture(t: Test, changes: Readonly<Record<string, string>>): Promise<string> {
  let wsdl = await readFile(FIXTURE, 'utf8');
  for (const [text, replacement] of Object.entries(changes))
    wsdl = wsdl.replaceAll(text, replacement);
  return join(await useFolder(t, { 'changed.wsdl': wsdl }), 'changed.wsdl');
}

const UNVALIDATED =
  'soapstone_schema_violations_total{service="s11",operation="Ping",' +
  'direction="request",rule="unvalidated"} 1';

t.test('C06: groups that stand for more than can be counted', async (t: Test) => {
  const file = await changedFixture(t, { '<!-- groups -->': GROUPS, '<!-- grouped -->': GROUPED });
  const grouped = ping('<m:grouped><m:g/><m:other/></m:grouped>');
  const start = process.cpuUsage();
  const enforced = await startPerimeter(
    t,
    `    wsdl: ${file}\n    validate: { requests: enforce }\n`,
  );
  const { user, system } = process.cpuUsage(start);
  t.ok(user + system < 5_000_000, `${(user + system) / 1000} ms to start three services`);
  rows.answer('C06', 'groups of groups');
  expectAnswer(t, await ask(enforced, grouped), 'F:Client/SCHEMA_INVALID', '1.1', 'enforced');
  const reported = await startPerimeter(
    t,
    `    wsdl: ${file}\n    validate: { requests: report }\n`,
  );
  t.equal((await ask(reported, grouped)).status, 200, 'reported: passes unvalidated');
  t.ok((await reported.gateway.metrics()).includes(UNVALIDATED), 'and is counted');
  const { warnings } = await readWsdl(file, FILES);
  t.match(JSON.stringify(warnings), /larger than allowed/, 'a notice');
});

t.test('elements whose schema is not imported are refused where content is enforced', async (t) => {
  const file = await changedFixture(t, {
    '<!-- grouped -->':
      '<xs:element name="foreign" type="m:Elsewhere"/><xs:element name="free2">' +
      '<xs:complexType><xs:complexContent><xs:extension base="xs:anyType"/>' +
      '</xs:complexContent></xs:complexType></xs:element>',
  });
  const perimeter = await startPerimeter(
    t,
    `    wsdl: ${file}\n    validate: { requests: enforce }\n`,
  );
  const got = await ask(perimeter, ping('<m:foreign><m:any/></m:foreign>'));
  expectAnswer(t, got, 'F:Client/SCHEMA_INVALID', '1.1', 'unknown type');
  t.match(got.body, /path="\/Ping\/foreign\[1\]"/);
  t.equal(
    (await ask(perimeter, ping('<m:free2><m:any/></m:free2>'))).status,
    200,
    'declared to be anything',
  );
});

/** What keeps a service with these lines from starting. */
async function problemsOf(t: Test, lines: string): Promise<readonly Diagnostic[]> {
  const yaml = `services:\n  s11:\n    url: http://127.0.0.1:9/\n${lines}`;
  const directory = await useFolder(t, { 'soapstone.yaml': yaml });
  try {
    const compiled = await compile(await loadConfig(join(directory, 'soapstone.yaml'), {}));
    await compiled.close();
    return [];
  } catch (error) {
    if (error instanceof ConfigurationError) return error.diagnostics;
    throw error;
  }
}

const bound = (soap: string): string =>
  `<operation name="Old"><${soap}:operation soapAction=""/><input>` +
  `<${soap}:body use="literal"/></input><output>` +
  `<${soap}:body use="literal"/></output></operation>`;

/** One operation more, which names an element that no schema declares. */
const MORE = {
  '<message name="In">':
    '<message name="OldIn"><part name="parameters" element="m:Old"/></message><message name="In">',
  '</portType>':
    '<operation name="Old"><input message="m:OldIn"/><output message="m:Out"/>' +
    '</operation></portType>',
  '  </binding>\n  <binding': `${bound('soap')}</binding><binding`,
  '  </binding>\n  <service': `${bound('soap12')}</binding><service`,
};

t.test('`enforce` does not start with operations that cannot be validated', async (t) => {
  const file = await changedFixture(t, MORE);
  const encoded = `${process.cwd()}/test/real/stacks/php/legacy.wsdl`;
  const of = (wsdl: string, rest: string) =>
    problemsOf(t, `    wsdl: ${wsdl}\n    validate: { ${rest} }\n`);
  t.match(await of(file, 'requests: enforce'), [
    {
      line: 5,
      what:
        '`requests: enforce` is not possible: these operations cannot be validated: ' +
        '`Old` (The element m:Old is not declared).',
      remedy:
        /^Import the schema that is missing, set the operation to `false` .*, or set `report`\.$/,
    },
  ]);
  const ofEncoded = await of(encoded, 'replies: enforce');
  t.match(ofEncoded, [
    { what: /validated: `echo`, `getItem`, .* \(encoded messages have no schema\)\.$/ },
  ]);
  t.match(await problemsOf(t, '    validate: { requests: enforce }\n'), [
    { what: '`requests: enforce` is not possible: there is no WSDL.' },
  ]);
  t.same(await of(encoded, 'requests: report, replies: report'), []);
  const monitored = `    wsdl: ${encoded}\n    validate: { requests: enforce }\n    mode: monitor\n`;
  t.same(await problemsOf(t, monitored), [], 'monitor mode reports');

  const withheld = '    operations: { Old: false }\n';
  for (const validate of ['requests: enforce', 'replies: enforce']) {
    const perimeter = await startPerimeter(
      t,
      `    wsdl: ${file}\n    validate: { ${validate} }\n${withheld}`,
    );
    const old = withBody('<m:Old xmlns:m="urn:m"/>');
    expectAnswer(
      t,
      await ask(perimeter, old),
      'F:Client/SCHEMA_INVALID',
      '1.1',
      `${validate}: an operation set to false`,
    );
    expectAnswer(t, await ask(perimeter, ping('')), 'pass', '1.1', `${validate}: the others`);
    t.equal(perimeter.backend.complete.length, 1, 'nothing of it is sent');
  }
});

t.test(
  'an operation that is unknown is refused where content is enforced, ' +
    'and counted where it is reported',
  async (t) => {
    const unknown = withBody('<m:Unknown xmlns:m="urn:m"/>');
    const start = (level: string) =>
      startPerimeter(t, serviceWith(`requests: ${level}`, '    unknownOperations: pass\n'));
    expectAnswer(
      t,
      await ask(await start('enforce'), unknown),
      'F:Client/SCHEMA_INVALID',
      '1.1',
      'enforced',
    );
    const reported = await start('report');
    t.equal((await ask(reported, unknown)).status, 200);
    t.match(
      await reported.gateway.metrics(),
      /operation="_other",direction="request",rule="unvalidated"\} 1/,
    );
  },
);

t.test('SOAP and WS-Security put attributes on any element', async (t) => {
  const perimeter = await startPerimeter(t, serviceWith('requests: enforce'));
  const wsu =
    'xmlns:u="http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd"';
  for (const dialect of DIALECT_NAMES) {
    const message = fill(
      withBody(
        `<m:Ping xmlns:m="urn:m" ${wsu} u:Id="a"><m:free E:encodingStyle="{enc}"/></m:Ping>`,
      ),
      dialect,
    );
    const target = `/soap/s${dialect.replaceAll(/[^0-9]/g, '')}`;
    const got = await sendRaw(perimeter.gateway.url, post(target, contentTypeOf(dialect), message));
    t.equal(got.status, 200, dialect);
  }
});

t.test('what is not validated is validated all the same', async (t) => {
  const perimeter = await startPerimeter(t, serviceWith('requests: enforce'));
  const wsu =
    'xmlns:u="http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd"';
  const content = (second: string): string =>
    `<m:Ping xmlns:m="urn:m" ${wsu}><m:competing><x u:Id="b"><y><z u:Id="${second}"/></y></x>` +
    '<m:a/></m:competing></m:Ping>';
  const signed = (second: string): string =>
    withHeader(security(signature('b')), `<E:Body>${content(second)}</E:Body>`);
  expectAnswer(
    t,
    await ask(perimeter, signed('b')),
    'F:Client/WSSE_DUPLICATE_ID',
    '1.1',
    'an Id twice',
  );
  expectAnswer(t, await ask(perimeter, signed('c')), 'pass', '1.1', 'two Ids');
});

t.test('a request that turns out wrong when most of it is on its way never arrives', async (t) => {
  const perimeter = await startPerimeter(t, serviceWith('requests: enforce'));
  const message = Buffer.from(
    fill(ping(`<m:free>${'x'.repeat(300_000)}</m:free><m:long>two</m:long>`), '1.1'),
  );
  const head = { 'Content-Length': null, 'Transfer-Encoding': 'chunked' };
  const request = post('/soap/s11', contentTypeOf('1.1'), '', head);
  const got = await sendRaw(perimeter.gateway.url, Buffer.concat([request, chunked(message)]));
  expectAnswer(t, got, 'F:Client/SCHEMA_INVALID', '1.1', 'refused');
  t.equal(perimeter.backend.complete.length, 0, 'no complete message');
});

t.test('the part is complete', async (t) => rows.assertComplete(t));
