import { join } from 'node:path';
import { createClient } from 'graphql-sse';
import t, { type Test } from 'tap';

import { errorWith } from '../kit/answers.js';
import { answerBy, answerWith, type RecordingBackend } from '../kit/backend.js';
import { runCommand } from '../kit/command.js';
import { envelope, faultOf, postSoap, SOAP_11, SOAP_12 } from '../kit/envelope.js';
import { running } from '../kit/live-desk.js';
import { RawClient } from '../kit/raw-client.js';
import { useFolder, useGateway, useService } from '../kit/use.js';
import { schemaWith, wsdlWith } from '../wsdl/written.js';

// Document style of several parts (WS-I R2201 forbids it): two elements of one name among them, a
// header part left out.
const TYPES = schemaWith(`
  <xs:element name="Search"><xs:complexType><xs:sequence><xs:element name="text" type="xs:string"/>\
</xs:sequence></xs:complexType></xs:element>
  <xs:element name="Page"><xs:complexType><xs:attribute name="size" type="xs:int"/>\
</xs:complexType></xs:element>
  <xs:element name="Tag" type="xs:string"/><xs:element name="Auth" type="xs:string"/>
  <xs:element name="Hits" nillable="true"><xs:complexType><xs:sequence>\
<xs:element name="hit" type="xs:string" minOccurs="0" maxOccurs="unbounded"/></xs:sequence>\
</xs:complexType></xs:element>
  <xs:element name="Count" type="xs:int"/>
  <xs:element name="Broken"><xs:complexType><xs:sequence><xs:element name="why" type="xs:string"/>\
</xs:sequence></xs:complexType></xs:element>`);
const bound = (name: string, input: string, output: string | null, more = '') =>
  `<operation name="${name}"><soap:operation soapAction="urn:${name}"/><input>${input}</input>` +
  `${output === null ? '' : `<output>${output}</output>`}${more}</operation>`;
const BODY = '<soap:body use="literal"/>';
const WSDL = wsdlWith({
  types: TYPES,
  messages: `<message name="In"><part name="p" element="t:Get"/></message><message name="Out">\
<part name="p" element="t:GetResponse"/></message>
    <message name="SearchIn"><part name="query" element="t:Search"/>\
<part name="key" element="t:Auth"/><part name="page" element="t:Page"/>\
<part name="with" element="t:Tag"/><part name="without" element="t:Tag"/></message>
    <message name="SearchOut"><part name="hits" element="t:Hits"/>\
<part name="first" element="t:Tag"/><part name="second" element="t:Tag"/>\
<part name="total" element="t:Count"/></message>
    <message name="Broken"><part name="f" element="t:Broken"/></message>`,
  portType:
    `<portType name="P"><operation name="Get"><input message="t:In"/><output message="t:Out"/>\
</operation>
    <operation name="Search"><input message="t:SearchIn"/><output message="t:SearchOut"/>\
<fault name="Broken" message="t:Broken"/></operation>
    <operation name="Note"><input message="t:NoteIn"/></operation></portType>`.replace(
      't:NoteIn',
      't:SearchOut',
    ),
  binding: `<binding name="B" type="t:P"><soap:binding style="document" \
transport="http://schemas.xmlsoap.org/soap/http"/>
    ${bound('Get', BODY, BODY)}
    ${bound('Search', '<soap:header message="t:SearchIn" part="key" use="literal"/><soap:body use="literal"/>', BODY, '<fault name="Broken"><soap:fault name="Broken" use="literal"/></fault>')}
    ${bound('Note', '<soap:body use="literal" parts="total hits"/>', null)}</binding>`,
});

const SEARCH = '<Search xmlns="urn:t"><text>a&amp;b</text></Search>';
const PAGE = '<t:Page xmlns:t="urn:t" size="3"/>';
const tag = (text: string): string => `<t:Tag xmlns:t="urn:t">${text}</t:Tag>`;
const WHOLE = `${SEARCH}\n  ${PAGE}<!-- between -->${tag('x')}${tag('y')}`;
const HITS = '<Hits xmlns="urn:t"><hit>one</hit><hit><![CDATA[<two>]]></hit></Hits>';
const COUNT = '<Count xmlns="urn:t">2</Count>';
const FOUND = `${HITS} ${tag('1st')}${tag('2nd')}\n${COUNT}`;
const BROKEN = faultOf('s:Server', 'no', '<Broken xmlns="urn:t"><why>old</why></Broken>');
const QUERY =
  '{ found: search(query: { text: "a&b" }, page: { size: 3 }, with: "x", without: ' +
  '"y") { again: second total hits first } }';

async function startDesk(t: Test, keys = '', operations = 'Search: {}, Note: {}', more = '') {
  const yaml = (url: string): string =>
    `services: { desk: { wsdl: a.wsdl, url: "${url}/d", ${keys} operations: ` +
    `{ ${operations} } } }\n${more}`;
  const folder = await useFolder(t, { 'a.wsdl': WSDL });
  const service = await useService(t, answerWith(envelope(FOUND)), yaml, folder);
  return {
    ...service,
    ask: (query: string, headers: Record<string, string> = {}) => service.ask(query, {}, headers),
    async send(message: string, soapaction = '""', type: string = 'text/xml') {
      const response = await service.send(message, { 'content-type': type, soapaction });
      return { status: response.status, text: await response.text() };
    },
  };
}

const FIELDS = {
  again: '2nd',
  total: 2,
  hits: ['one', '<two>'],
  first: '1st',
};

t.test('GraphQL gives one argument for each part and gets an object of the parts', async (t) => {
  const { ask, backend, gateway } = await startDesk(t);
  t.strictSame(await ask(QUERY), { data: { found: FIELDS } });
  const [sent] = backend.complete;
  t.equal(sent?.headers['soapaction'], '"urn:Search"');
  t.match(
    sent?.body.toString(),
    /<s:Body><n1:Search><n1:text>a&amp;b<\/n1:text><\/n1:Search><n1:Page size="3"\/><n1:Tag>x<\/n1:Tag><n1:Tag>y<\/n1:Tag><\/s:Body>/,
  );
  t.match(await gateway.accessLine(), { outcome: 'ok', upstreamCalls: 1 });
  t.match(await ask('{ search(query: { text: "" }) { total } }'), {
    errors: [{ message: /"page"/ }, { message: /"with"/ }, { message: /"without"/ }],
  });
  t.strictSame(
    await ask('{ __type(name: "SearchResult") { fields { name type { kind ofType { name } } } } }'),
    {
      data: {
        __type: {
          fields: [
            { name: 'hits', type: { kind: 'LIST', ofType: { name: null } } },
            { name: 'first', type: { kind: 'NON_NULL', ofType: { name: 'String' } } },
            { name: 'second', type: { kind: 'NON_NULL', ofType: { name: 'String' } } },
            { name: 'total', type: { kind: 'NON_NULL', ofType: { name: 'Int' } } },
          ],
        },
      },
    },
  );
  // The parts that `soap:body` names, in its order; nobody waits for an answer.
  backend.answer = (_message, response) => response.writeHead(202).end();
  t.strictSame(await ask('mutation { note(total: 3, hits: null) }'), { data: { note: true } });
  t.match(
    backend.complete.at(-1)?.body.toString(),
    /<s:Body><n1:Count>3<\/n1:Count><n1:Hits xsi:nil="true"\/><\/s:Body>/,
  );
});

t.test('replies that are not what was promised', async (t) => {
  const { ask, backend } = await startDesk(t);
  const reply = async (content: string, query = QUERY): Promise<unknown> => {
    backend.answer = answerWith(envelope(content));
    return ask(query);
  };
  const NIL =
    '<Hits xmlns="urn:t" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:nil="true"/>';
  t.match(await reply(`${NIL}${tag('1')}${tag('2')}${COUNT}`), {
    data: { found: { hits: null, first: '1' } },
  });
  t.match(
    await reply(
      `${HITS}${COUNT}`,
      '{ search(query: { text: "" }, page: {}, with: "", without: "") { hits total } }',
    ),
    {
      data: { search: { hits: ['one', '<two>'], total: 2 } },
    },
  );
  t.match(await reply(`${HITS}${tag('1')}${COUNT}`), {
    data: { found: null },
    errors: [{ path: ['found', 'again'], extensions: { code: 'UPSTREAM_SCHEMA_INVALID' } }],
  });
  for (const content of [
    `${HITS}${tag('1')}${tag('2')}${tag('3')}${COUNT}`,
    `${HITS}${tag('1')}${tag('2')}${COUNT}${COUNT}`,
    `${HITS}${COUNT}${tag('1')}${tag('2')}`,
    `${HITS}${tag('1')}${tag('2')}${COUNT}<GetResponse xmlns="urn:t">x</GetResponse>`,
    `${HITS}${tag('1')}${tag('2')}<Count>2</Count>`,
    `${HITS}${tag('1')}${tag('2')}<Count xmlns="urn:t" id="1">2</Count><m id="1"/>`,
    `${HITS}${tag('1')}${tag('2')}${COUNT}<s:Fault><faultcode>s:Server</faultcode>` +
      '<faultstring>x</faultstring></s:Fault>',
  ]) {
    t.match(await reply(content), errorWith('UPSTREAM_INVALID_RESPONSE'), content);
  }
  t.match(await reply(`${tag('1')}${tag('2')}${COUNT}`), errorWith('UPSTREAM_SCHEMA_INVALID'));
  t.match(await reply(BROKEN), {
    errors: [{ extensions: { code: 'SOAP_FAULT', soap: { detail: { Broken: { why: 'old' } } } } }],
  });
});

t.test('SOAP passes byte for byte, with exactly the parts of its operation', async (t) => {
  const { send, backend, gateway } = await startDesk(t);
  const { status, text } = await send(envelope(WHOLE), '"urn:Search"');
  t.equal(status, 200);
  t.equal(text, envelope(FOUND));
  t.equal(backend.complete[0]?.body.toString(), envelope(WHOLE));
  t.match(await gateway.accessLine(), { operation: 'Search', outcome: 'ok' });
  t.match((await send(envelope(WHOLE), '"urn:Get"')).text, 'ACTION_MISMATCH');
  const GET = '<Get xmlns="urn:t"><id>1</id></Get>';
  for (const content of [
    SEARCH,
    `${SEARCH}${PAGE}${tag('x')}`,
    `${SEARCH}${tag('x')}${tag('y')}`,
    `${SEARCH}${tag('x')}${PAGE}${tag('y')}`,
    `${WHOLE}${tag('z')}`,
    `${WHOLE}${GET}`,
    `${WHOLE}<m id="1"/>`,
    `${SEARCH}${GET}`,
    `${GET}${PAGE}`,
    `${GET}${GET}`,
    `${SEARCH}<Page size="3"/>${tag('x')}${tag('y')}`,
  ]) {
    const refused = await send(envelope(content));
    t.match(refused, { status: 500, text: 'SOAP_MULTI_BODY' }, content);
  }
  t.match(await send(envelope(`${PAGE}${SEARCH}`)), { status: 500, text: 'UNKNOWN_OPERATION' });
  t.match(await send(envelope(WHOLE.replace('<t:Page', 'oops<t:Page'))), {
    status: 500,
    text: 'SOAP_STRUCTURE',
  });
  t.equal(backend.complete.length, 1);
  backend.answer = answerWith(envelope(`${FOUND}${COUNT}`));
  t.match(await send(envelope(WHOLE)), { status: 500, text: 'UPSTREAM_INVALID_RESPONSE' });
});

t.test('long messages flow, and never end where a part is wrong', async (t) => {
  const { send, backend } = await startDesk(
    t,
    'validate: { requests: enforce, replies: enforce },',
  );
  const long = WHOLE.replace('a&amp;b', 'x'.repeat(300_000));
  const answer = `${FOUND.replace('<hit>one</hit>', `<hit>${'y'.repeat(300_000)}</hit>`)}`;
  backend.answer = answerWith(envelope(answer));
  t.strictSame(await send(envelope(long)), { status: 200, text: envelope(answer) });
  t.equal(backend.complete[0]?.body.toString(), envelope(long));
  for (const content of [`${long}${COUNT}`, long.replace(PAGE, ''), long.replace(tag('y'), '')]) {
    const refused = await send(envelope(content));
    t.match(refused, { status: 500, text: /SOAP_MULTI_BODY|SCHEMA_INVALID/ });
  }
  t.equal(backend.complete.length, 1);
  const type =
    'multipart/related; type="application/xop+xml"; start="<e>"; start-info="text/xml"; boundary=b';
  const part = (head: string, content: string): string => `--b\r\n${head}\r\n\r\n${content}\r\n`;
  const inside = part(
    'content-type: application/xop+xml; type="text/xml"; charset=utf-8\r\ncontent-id: <e>',
    envelope(WHOLE),
  );
  t.equal((await send(`${inside}--b--\r\n`, undefined, type)).status, 200);
  t.match(
    await send(`${inside.replace(tag('y'), `${tag('y')}${COUNT}`)}--b--\r\n`, undefined, type),
    {
      text: 'SOAP_MULTI_BODY',
    },
  );
  t.equal(backend.complete.length, 2);
});

t.test('the same byte by byte, both ways', async (t) => {
  const { backend, gateway, ask } = await startDesk(
    t,
    'validate: { requests: enforce, replies: enforce },',
  );
  backend.answer = (_message, response) => {
    response.writeHead(200, { 'content-type': 'text/xml' });
    const bytes = Buffer.from(envelope(FOUND));
    let at = 0;
    const step = (): void => {
      if (at < bytes.length) response.write(bytes.subarray(at, ++at), step);
      else response.end();
    };
    step();
  };
  t.strictSame(await ask(QUERY), { data: { found: FIELDS } });
  const client = await RawClient.connect(gateway.url);
  const body = Buffer.from(envelope(WHOLE));
  await client.send(
    'POST /soap/desk HTTP/1.1\r\nhost: a\r\ncontent-type: text/xml\r\n' +
      `content-length: ${body.length}\r\n\r\n`,
  );
  for (const byte of body) await client.send(Uint8Array.of(byte));
  const reply = await client.reply();
  client.socket.destroy();
  t.equal(reply.status, 200);
  t.equal(reply.body, envelope(FOUND));
  t.equal(backend.complete.at(-1)?.body.toString(), envelope(WHOLE));
});

t.test(
  'each part is held to its own element, and all of them to their number and order',
  async (t) => {
    const { send, backend, ask } = await startDesk(
      t,
      'validate: { requests: enforce, replies: enforce },',
    );
    t.equal((await send(envelope(WHOLE))).status, 200);
    for (const [content, path] of [
      [WHOLE.replace('size="3"', 'size="three"'), '/Body/Page/@size'],
      [WHOLE.replace('<text>', '<txt>').replace('</text>', '</txt>'), '/Body/Search'],
      [`${SEARCH}${PAGE}${tag('x')}`, '/Body'],
      [WHOLE.replace('>y<', '><z/><'), '/Body/Tag[2]'],
    ] as const) {
      const refused = await send(envelope(content));
      t.match(refused, { status: 500, text: 'SCHEMA_INVALID' }, content);
      t.match(refused.text, path, refused.text);
    }
    t.equal(backend.complete.length, 1);
    // Declared outside of the parts, names let WebAssembly pass over their content.
    const outside = (content: string): string =>
      envelope(content).replace('xmlns:s', 'xmlns:t="urn:t" xmlns:s');
    const search = `<t:Search><t:text>${'long '.repeat(30)}</t:text></t:Search>`;
    const others = '<t:Page size="3"/><t:Tag>x</t:Tag><t:Tag>y</t:Tag>';
    t.equal((await send(outside(`${search}${others}`))).status, 200);
    t.match((await send(outside(`${search}${others}${COUNT}`))).text, 'SOAP_MULTI_BODY');
    t.equal(backend.complete.length, 2);
    backend.answer = answerWith(envelope(`${HITS}${tag('1')}${tag('2')}`));
    t.match((await send(envelope(WHOLE))).text, 'UPSTREAM_SCHEMA_INVALID');
    t.match(
      await ask('{ search(query: { text: "" }, page: {}, with: "", without: "") { hits } }'),
      errorWith('UPSTREAM_SCHEMA_INVALID'),
    );
  },
);

t.test('what breaks the schema is reported where that is asked for', async (t) => {
  const { send, backend, gateway } = await startDesk(t);
  backend.answer = answerWith(envelope(`${HITS}${tag('1')}${tag('2')}`));
  t.equal((await send(envelope(WHOLE))).status, 200);
  t.match(await gateway.logLine('content breaks the schema'), {
    direction: 'reply',
    operation: 'Search',
    path: '/Body',
  });
});

t.test('calls are distinguished by all of their parts', async (t) => {
  const read =
    'Search: { field: Query.search, read: { cacheMillis: 60000, scope: shared } }, Note: {}';
  const { ask, send, backend } = await startDesk(t, '', read);
  t.strictSame(await ask(QUERY), { data: { found: FIELDS } });
  t.strictSame(await ask(QUERY), { data: { found: FIELDS } });
  t.equal(backend.complete.length, 1);
  t.match(await send(envelope(WHOLE), '"urn:Search"'), { status: 200 });
  t.equal(backend.complete.length, 1, 'what SOAP asks for is the same');
  await ask(QUERY.replace('without: "y"', 'without: "z"'));
  t.equal(backend.complete.length, 2);
  await ask(QUERY.replace('with: "x"', 'with: "y"').replace('without: "y"', 'without: "x"'));
  t.equal(backend.complete.length, 3, 'the same parts in another order are another call');
});

t.test('events are read from any of the parts', async (t) => {
  const subscriptions = `subscriptions:
  searched: { on: { operation: desk.Search, fields: { size: request.page.size, with: \
request.with, without: request.without, second: reply.second, total: reply.total } } }
`;
  const { gateway, send, ask } = await startDesk(
    t,
    '',
    'Search: { field: Query.search }, Note: {}',
    subscriptions,
  );
  const client = createClient({ url: `${gateway.url}/graphql`, retryAttempts: 0 });
  const events = client.iterate({
    query: 'subscription { searched { size with without second total } }',
  });
  const next = events.next();
  await running(gateway, 'searched', 1);
  await send(envelope(WHOLE));
  const expected = {
    data: { searched: { size: 3, with: 'x', without: 'y', second: '2nd', total: 2 } },
  };
  t.match((await next).value, expected, 'of what passes as SOAP');
  const another = events.next();
  await ask(QUERY);
  t.match((await another).value, expected, 'of what GraphQL calls');
  await events.return?.();
  client.dispose();
});

t.test('monitor mode tells of it, `explain` shows what would be sent', async (t) => {
  const { gateway, send, backend } = await startDesk(t, 'mode: monitor,');
  const message = envelope(`${SEARCH}${tag('x')}`);
  t.equal((await send(message)).status, 200);
  t.equal(backend.complete[0]?.body.toString(), message);
  t.match(await gateway.metrics(), /monitored_violations_total\{[^}]*SOAP_MULTI_BODY[^}]*\} 1/);
  const yaml = 'services: { desk: { wsdl: a.wsdl, url: "http://127.0.0.1:9/" } }';
  const folder = await useFolder(t, { 'a.wsdl': WSDL, 'a.yaml': yaml });
  const { code, all: out } = await runCommand('explain', '-c', join(folder, 'a.yaml'), QUERY);
  t.equal(code, 0);
  t.match(out, /<n1:Page size="3"\/>\s*<n1:Tag>x<\/n1:Tag>\s*<n1:Tag>y<\/n1:Tag>\s*<\/s:Body>/);
});

t.test('the mapping calls the arguments of the parts by their names', async (t) => {
  const { ask, backend } = await startDesk(
    t,
    'callerHeaders: [X-Without],',
    'Search: { field: Query.search, arguments: { query/text: { value: all }, page: { name: ' +
      'window }, without: { header: X-Without } } }',
  );
  const query = '{ search(window: { size: 1 }, with: "w") { total } }';
  t.match(await ask(query), { errors: [{ message: /x-without/ }] });
  t.equal(backend.complete.length, 0);
  t.strictSame(await ask(query, { 'x-without': 'none' }), { data: { search: { total: 2 } } });
  t.match(backend.complete[0]?.body.toString(), />all<.*size="1".*>w<.*>none</);
});

t.test(
  'operations that begin alike differ later, and are one for a client without a right to either',
  async (t) => {
    const messages = `<message name="A"><part name="key" element="t:Auth"/>\
<part name="q" element="t:Search"/></message>
    <message name="B"><part name="key" element="t:Auth"/><part name="q" element="t:Page"/></message>
    <message name="C"><part name="key" element="t:Auth"/></message>
    <message name="Out"><part name="p" element="t:Count"/></message>`;
    const operation = (name: string) =>
      `<operation name="${name}"><input message="t:${name}"/><output message="t:Out"/></operation>`;
    const wsdl = wsdlWith({
      types: TYPES,
      messages,
      portType: `<portType name="P">${['A', 'B', 'C'].map(operation).join('')}</portType>`,
      binding:
        '<binding name="B" type="t:P"><soap:binding style="document" ' +
        'transport="http://schemas.xmlsoap.org/soap/http"/>' +
        `${['A', 'B', 'C'].map((name) => bound(name, BODY, BODY)).join('')}</binding>`,
    });
    const folder = await useFolder(t, { 'a.wsdl': wsdl });
    const validate = 'validate: { requests: report, replies: enforce }';
    const services = (url: string): string =>
      `services: { desk: { wsdl: a.wsdl, url: "${url}/d", ${validate} } }\n`;
    const clients = 'clients: { address: { class: few }, classes: { few: { deny: [desk.B] } } }\n';
    const { backend, gateway } = await useService(t, answerWith(envelope(COUNT)), services, folder);
    const narrow = await useGateway(t, services(backend.url) + clients, folder);
    const send = async (content: string, { url } = gateway) =>
      (await postSoap(`${url}/soap/desk`, envelope(content))).text();
    const AUTH = '<Auth xmlns="urn:t">me</Auth>';
    for (const content of [AUTH, `${AUTH}${SEARCH}`, `${AUTH}${PAGE}`])
      t.match(await send(content), 'Count', content);
    for (const content of [`${AUTH}${AUTH}`, `${AUTH}${SEARCH}${PAGE}`])
      t.match(await send(content), 'SOAP_MULTI_BODY');
    const sent = backend.complete.length;
    for (const content of [AUTH, `${AUTH}${SEARCH}`, `${AUTH}${PAGE}`])
      t.match(await send(content, narrow), 'FORBIDDEN');
    t.equal(backend.complete.length, sent);
  },
);

t.test('parts of every kind, in both directions', async (t) => {
  const types = schemaWith(`
    <xs:element name="Any" type="xs:anyType"/><xs:element name="Empty"><xs:complexType/>\
</xs:element>
    <xs:complexType name="ArrayOfLine"><xs:sequence><xs:element name="Line" type="xs:string" \
minOccurs="0" maxOccurs="unbounded" nillable="true"/></xs:sequence></xs:complexType>
    <xs:element name="Lines" type="t:ArrayOfLine" nillable="true"/>\
<xs:element name="Maybe" type="xs:int" nillable="true"/>
    <xs:element name="Fixed" type="xs:string" fixed="always"/>
    <xs:complexType name="Shape" abstract="true"><xs:sequence/></xs:complexType>
    <xs:complexType name="Circle"><xs:complexContent><xs:extension base="t:Shape"><xs:sequence>\
<xs:element name="r" type="xs:int"/></xs:sequence></xs:extension></xs:complexContent>\
</xs:complexType>
    <xs:complexType name="Square"><xs:complexContent><xs:extension base="t:Shape">\
<xs:attribute name="a" type="xs:int"/></xs:extension></xs:complexContent></xs:complexType>
    <xs:element name="Shape" type="t:Shape"/>
    <xs:element name="Broken"><xs:complexType><xs:sequence>\
<xs:element name="why" type="xs:string"/></xs:sequence></xs:complexType></xs:element>`);
  const parts = ['Maybe', 'Any', 'Empty', 'Lines', 'Lines', 'Fixed', 'Shape']
    .map(
      (name, at) =>
        `<part name="${['maybe', 'an-y', 'anY', 'headers', 'more', 'fixed', 'shape'][at]}" ` +
        `element="t:${name}"/>`,
    )
    .join('');
  const wsdl = wsdlWith({
    types,
    messages:
      `<message name="In">${parts}</message><message name="Broken">` +
      '<part name="f" element="t:Broken"/></message>',
    portType:
      '<portType name="P"><operation name="Echo"><input message="t:In"/>' +
      '<output message="t:In"/><fault name="Broken" message="t:Broken"/>' +
      '</operation></portType>',
    binding:
      '<binding name="B" type="t:P"><soap:binding style="document" ' +
      'transport="http://schemas.xmlsoap.org/soap/http"/>' +
      `${bound('Echo', BODY, BODY, '<fault name="Broken"><soap:fault name="Broken" use="literal"/></fault>')}` +
      '</binding>',
  });
  const echo: RecordingBackend['answer'] = (message, response) =>
    answerWith(message.body)(message, response);
  const keys =
    'validate: { replies: enforce }, operations: { Echo: { field: Query.echo, faults: union } }';
  const yaml = (url: string): string =>
    `services: { desk: { wsdl: a.wsdl, url: "${url}/d", ${keys} } }\n`;
  const { ask, backend } = await useService(t, echo, yaml, await useFolder(t, { 'a.wsdl': wsdl }));
  const given =
    'anY: { xml: "<t:Any xmlns:t=\\"urn:t\\"><b>x</b></t:Any>" }, headers: ["1", null], more: ' +
    '[], shape: { circle: { r: 2 } }';
  const selected =
    '__typename ... on EchoResult { maybe anY { xml } anY2 headers more fixed shape { ' +
    '__typename ... on Circle { r } } } ... on Broken { why }';
  t.strictSame(await ask(`{ echo(${given}) { ${selected} } }`), {
    data: {
      echo: {
        __typename: 'EchoResult',
        maybe: null,
        anY: { xml: '<Any xmlns="urn:t"><b xmlns="">x</b></Any>' },
        anY2: true,
        headers: ['1', null],
        more: [],
        fixed: 'always',
        shape: { __typename: 'Circle', r: 2 },
      },
    },
  });
  backend.answer = answerBy(() => BROKEN);
  t.strictSame(await ask(`{ echo(${given}) { ${selected} } }`), {
    data: { echo: { __typename: 'Broken', why: 'old' } },
  });
});

t.test('long messages of several parts keep the meaning of names over a bridge', async (t) => {
  const bridge = 'versions: ["1.1"], bridge: ["1.2"],';
  const { send, backend } = await startDesk(t, bridge);
  const long = tag(`s:x ${'x'.repeat(100_000)}`);
  const hits = `<Hits xmlns="urn:t"><hit>${'x'.repeat(100_000)}</hit></Hits>`;
  const found = `${hits}${tag('s:1st')}${tag('s:2nd')}${COUNT}`;
  backend.answer = answerWith(envelope(found));
  const request = envelope(`${SEARCH}${PAGE}${long}${long}`, '', SOAP_12);
  const { status, text } = await send(request, '', 'application/soap+xml');
  t.equal(status, 200);
  const sent = String(backend.complete.at(-1)?.body);
  t.equal(sent.match(new RegExp(`<t:Tag xmlns:s="${SOAP_12}" `, 'g'))?.length, 2);
  t.match(sent.slice(0, 200), `<s:Envelope xmlns:s="${SOAP_11}"><s:Body><Search xmlns="urn:t">`);
  t.equal(text.match(new RegExp(`<t:Tag xmlns:s="${SOAP_11}" `, 'g'))?.length, 2);
  t.match(text.slice(0, 200), `<s:Envelope xmlns:s="${SOAP_12}"><s:Body><Hits xmlns="urn:t">`);
  t.ok(text.endsWith(`${COUNT}</s:Body></s:Envelope>`));
});
