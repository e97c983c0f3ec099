import { join } from 'node:path';
import t, { type Test } from 'tap';
import { readWsdl } from '../../src/wsdl/read.js';
import { reportRows } from '../../src/wsdl/report.js';
import { FILES, operationOf, printContent, problemsOf, schemaWith, wsdlWith } from './written.js';

const read = (test: Test, parts: Parameters<typeof wsdlWith>[0]) =>
  readWsdl(join(test.testdir({ 'a.wsdl': wsdlWith(parts) }), 'a.wsdl'), FILES);

const soapBinding = (operations: string, style = 'document', prefix = 'soap') =>
  `<binding name="B" type="t:P"><${prefix}:binding style="${style}" transport="http://schemas.xmlsoap.org/soap/http"/>${operations}</binding>`;
const bound = (name: string, input: string, output: string | null = '<soap:body use="literal"/>') =>
  `<operation name="${name}"><soap:operation soapAction=""/><input>${input}</input>${output === null ? '' : `<output>${output}</output>`}</operation>`;

t.test('a plain operation of document/literal is read whole', async (t) => {
  const model = await read(t, {});
  t.equal(model.services.length, 1);
  t.match(model.services[0], { name: { uri: 'urn:t', local: 'S' } });
  t.match(model.services[0]?.ports[0], { name: 'Soap', dialect: '1.1', address: 'http://internal.example/get' });
  t.match(operationOf(model, 'Get'), {
    status: 'ok',
    reasons: [],
    soapAction: 'urn:get',
    documentation: null,
    input: { body: { name: { uri: 'urn:t', local: 'Get' } }, headers: [] },
    output: { body: { name: { uri: 'urn:t', local: 'GetResponse' } }, headers: [] },
    faults: [],
  });
  t.strictSame(reportRows(model), [{ operation: 'Get', port: 'Soap', status: 'ok', reason: null, place: null }]);
});

t.test('the version of a port follows the namespace of its binding, not the prefix', async (t) => {
  const binding = (name: string, attributes: string) =>
    `<binding name="${name}" type="t:P" ${attributes}><soap:binding style="document" transport="http://schemas.xmlsoap.org/soap/http"/>
     <operation name="Get"><soap12:operation soapAction="x"/><input><soap12:body use="literal"/></input><output><soap:body use="literal"/></output></operation></binding>`;
  const model = await read(t, {
    binding: `${binding('B', 'xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap12/"')}${binding('C', '')}
      <binding name="D" type="t:P"><http:binding verb="GET"/></binding>
      <binding name="E" type="t:P"><soap:binding transport="http://schemas.xmlsoap.org/soap/jms"/></binding>`,
    service: `<service name="S"><port name="Twelve" binding="t:B"><soap12:address location=" http://b/ "/></port>
      <port name="Eleven" binding="C"/><port name="Plain" binding="t:D"/><port name="Queue" binding="t:E"/><port name="Lost" binding="t:Z"/></service>`,
  });
  t.strictSame(
    model.services[0]?.ports.map(({ name, dialect, address }) => [name, dialect, address]),
    [
      ['Twelve', '1.2', 'http://b/'],
      ['Eleven', '1.1', null],
    ],
  );
  t.match(
    model.notices.map(({ what }) => what),
    [/Plain is left out: its binding is for plain HTTP/, /Queue.*not HTTP/, /Lost.*t:Z is not defined/],
  );
  t.equal(model.services[0]?.ports[1]?.operations[0]?.soapAction, 'x', 'extensions of the other version are read');
});

t.test('header parts go to the Header, from the same or another message, and faults are declared', async (t) => {
  const model = await read(t, {
    types: schemaWith(
      '<xs:element name="Auth" type="xs:string"/><xs:element name="Trace" type="xs:string"/><xs:element name="Broken" type="xs:string"/>',
    ),
    messages: `<message name="In"><part name="p" element="t:Get"/><part name="h" element="t:Trace"/></message>
      <message name="Out"><part name="p" element="t:GetResponse"/></message><message name="Auth"><part name="a" element="t:Auth"/></message>
      <message name="Broken"><part name="f" element="t:Broken"/></message><message name="Typed"><part name="f" type="xs:int"/></message>`,
    portType: `<portType name="P"><operation name="Get"><documentation>Gets it.</documentation><input message="t:In"/><output message="t:Out"/>
      <fault name="Broken" message="t:Broken"/></operation><operation name="Odd"><input message="t:In"/><output message="t:Out"/><fault name="Typed" message="t:Typed"/></operation></portType>`,
    binding: soapBinding(
      bound(
        'Get',
        '<soap:header message="t:Auth" part="a" use="literal"/><soap:body use="literal"/><soap:header message="t:In" part="h" use="literal"/>',
        '<soap:body use="literal"/><soap:header message="t:Auth" part="a" use="literal"/>',
      ) + bound('Odd', '<soap:header message="t:Auth" part="nope" use="literal"/><soap:body parts="p" use="literal"/>'),
    ),
  });
  const get = operationOf(model, 'Get');
  t.equal(get.status, 'ok');
  t.equal(get.documentation, 'Gets it.');
  t.equal(get.soapAction, '');
  t.strictSame(
    get.input.headers.map(({ element }) => element.name.local),
    ['Auth', 'Trace'],
  );
  t.strictSame(
    get.output?.headers.map(({ element }) => element.name.local),
    ['Auth'],
  );
  t.match(get.faults, [{ name: 'Broken', element: { name: { uri: 'urn:t', local: 'Broken' } } }]);
  t.match(operationOf(model, 'Odd'), {
    status: 'partial',
    reasons: [{ what: /header part nope is not defined/ }, { what: /names a type.*The fault is left out/ }],
  });
});

t.test('a message without parts has an empty Body, one-way operations have no reply', async (t) => {
  const model = await read(t, {
    messages: '<message name="In"/><message name="Out"/>',
    portType:
      '<portType name="P"><operation name="Ping"><input message="t:In"/></operation><operation name="Both"><input message="In"/><output message="Out"/></operation></portType>',
    binding: soapBinding(
      bound('Ping', '<soap:body use="literal"/>', null) + bound('Both', '<soap:body use="literal"/>'),
    ),
  });
  t.match(operationOf(model, 'Ping'), { status: 'ok', input: { body: null }, output: null });
  t.match(operationOf(model, 'Both'), { status: 'ok', input: { body: null }, output: { body: null, headers: [] } });
});

t.test('rpc/literal makes a wrapper of the parts', async (t) => {
  const model = await read(t, {
    types: schemaWith(
      '<xs:complexType name="A"><xs:sequence><xs:element name="x" type="xs:int"/></xs:sequence></xs:complexType>',
    ),
    messages:
      '<message name="In"><part name="a" type="t:A"/><part name="n" type="xs:int"/></message><message name="Out"><part name="result" type="t:Gone"/></message><message name="None"/>',
    portType:
      '<portType name="P"><operation name="Add"><input message="t:In"/><output message="t:None"/></operation><operation name="Lose"><input message="t:In"/><output message="t:Out"/></operation></portType>',
    binding: soapBinding(
      bound('Add', '<soap:body use="literal" namespace="urn:rpc"/>', '<soap:body use="literal" namespace="urn:rpc"/>') +
        bound('Lose', '<soap:body use="literal" parts="n"/>'),
      'rpc',
    ),
  });
  const add = operationOf(model, 'Add');
  t.match(add, { status: 'ok', input: { body: { name: { uri: 'urn:rpc', local: 'Add' } } } });
  t.match(add.output?.body, { name: { uri: 'urn:rpc', local: 'AddResponse' }, type: { content: { kind: 'empty' } } });
  const type = add.input.body?.type;
  t.equal(type?.kind === 'complex' && printContent(type), 'sequence(a:A, n:int)');
  const lose = operationOf(model, 'Lose');
  t.match(lose, { status: 'partial', reasons: [{ what: 'The type t:Gone is not declared; it is kept as XML.' }] });
  const only = lose.input.body?.type;
  t.equal(only?.kind === 'complex' && printContent(only), 'sequence(n:int)');
  t.equal(lose.input.body?.name.uri, 'urn:t', 'without a namespace that of the WSDL');
});

t.test('what is not offered is disabled alone, with a reason, a line, and the name it passes under', async (t) => {
  const model = await read(t, {
    messages: `<message name="In"><part name="p" element="t:Get"/></message><message name="Out"><part name="p" element="t:GetResponse"/></message>
      <message name="Two"><part name="p" element="t:Get"/><part name="q" element="t:Get"/></message><message name="Typed"><part name="p" type="xs:int"/></message>
      <message name="Missing"><part name="p" element="t:Gone"/></message>`,
    portType: `<portType name="P"><operation name="Get"><input name="one" message="t:In"/><output message="t:Out"/></operation>
      <operation name="Get"><input name="two" message="t:Two"/><output message="t:Out"/></operation>
      <operation name="Two"><input message="t:Two"/></operation><operation name="Typed"><input message="t:Typed"/></operation>
      <operation name="Missing"><input message="t:Missing"/></operation><operation name="Encoded"><input message="t:Typed"/><output message="t:Typed"/></operation>
      <operation name="Told"><output message="t:Out"/></operation><operation name="Asked"><output message="t:Out"/><input message="t:In"/></operation>
      <operation name="Mime"><input message="t:In"/></operation><operation name="NoMessage"><input message="t:Absent"/></operation>
      <operation name="NoPart"><input message="t:In"/></operation></portType>`,
    binding: soapBinding(
      [
        '<operation name="Get"><input name="one"><soap:body use="literal"/></input><output><soap:body use="literal"/></output></operation>',
        '<operation name="Get"><input name="two"><soap:body use="literal"/></input><output><soap:body use="literal"/></output></operation>',
        bound('Two', '<soap:body use="literal"/>', null),
        bound('Typed', '<soap:body use="literal"/>', null),
        bound('Missing', '<soap:body use="literal"/>', null),
        '<operation name="Encoded"><soap:operation style="rpc"/><input><soap:body use="encoded" namespace="urn:rpc"/></input><output><soap:body use="encoded"/></output></operation>',
        '<operation name="Told"><output><soap:body use="literal"/></output></operation>',
        bound('Asked', '<soap:body use="literal"/>'),
        bound(
          'Mime',
          '<mime:multipartRelated><mime:part><soap:body use="literal"/></mime:part></mime:multipartRelated>',
          null,
        ),
        bound('NoMessage', '<soap:body use="literal"/>', null),
        bound('NoPart', '<soap:body parts="other" use="literal"/>', null),
        bound('Nowhere', '<soap:body use="literal"/>', null),
      ].join('\n'),
    ),
  });
  t.strictSame(
    reportRows(model).map(({ operation, status, reason }) => [operation, status, reason]),
    [
      ['Get', 'ok', null],
      ['Get', 'disabled', 'The operation Get is overloaded; only the first one is offered.'],
      ['Two', 'disabled', 'The message has several body parts in document style.'],
      ['Typed', 'disabled', 'The part p names a type, not an element, in document style.'],
      ['Missing', 'disabled', 'The element t:Gone is not declared.'],
      ['Encoded', 'disabled', 'The message is rpc/encoded; only literal messages are offered.'],
      ['Told', 'disabled', 'The operation Told is started by the server: it cannot be called.'],
      ['Asked', 'disabled', 'The operation Asked is started by the server: it cannot be called.'],
      ['Mime', 'disabled', 'The message is a MIME multipart.'],
      ['NoMessage', 'disabled', 'The message t:Absent is not defined.'],
      ['NoPart', 'disabled', 'The body parts other are not in the message.'],
      ['Nowhere', 'disabled', 'The port type has no operation Nowhere.'],
    ],
  );
  for (const { reason, place } of reportRows(model))
    t.ok(reason === null || /a\.wsdl:\d+$/.test(place ?? ''), reason ?? 'ok');
  t.match(operationOf(model, 'Encoded').input.body?.name, { uri: 'urn:rpc', local: 'Encoded' });
  t.match(operationOf(model, 'Encoded').output?.body?.name, { local: 'EncodedResponse' });
  t.match(operationOf(model, 'Missing').input.body?.name, { uri: 'urn:t', local: 'Gone' });
  t.equal(operationOf(model, 'Typed').input.body, null);
});

t.test('a WSDL without any SOAP port is refused, with what was left out', async (t) => {
  const directory = t.testdir({
    'none.wsdl': wsdlWith({ service: '' }),
    'plain.wsdl': wsdlWith({
      binding: '<binding name="B" type="t:P"><http:binding verb="GET"/></binding>',
    }),
  });
  t.match(await problemsOf(join(directory, 'none.wsdl')), [
    { file: /none\.wsdl$/, line: 2, column: 1, what: 'The WSDL has no service with a SOAP port.' },
  ]);
  t.match(await problemsOf(join(directory, 'plain.wsdl')), [{ line: 2 }, { what: /for plain HTTP/ }]);
});

t.test('an operation name is only ever data', async (t) => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the string tries to be one.
  const name = '#{`touch /tmp/x`}${process.exit()}&quot;);';
  const model = await read(t, {
    portType: `<portType name="P"><operation name="${name}"><input message="t:In"/></operation></portType>`,
    binding: soapBinding(bound(name, '<soap:body use="literal"/>', null)),
  });
  t.equal(model.services[0]?.ports[0]?.operations[0]?.name, name.replace('&quot;', '"'));
});

t.test('a large WSDL is read in seconds', async (t) => {
  const fields = ['string', 'int', 'decimal', 'dateTime', 'boolean', 'long'].map(
    (type, at) => `<xs:element name="f${at}" type="xs:${type}" minOccurs="0"/>`,
  );
  const types = Array.from(
    { length: 5000 },
    (_, at) =>
      `<xs:complexType name="T${at}"><xs:sequence>${fields.join('')}<xs:element name="a" type="t:T${(at * 7 + 1) % 5000}" minOccurs="0"/></xs:sequence></xs:complexType>`,
  );
  const count = Array.from({ length: 3000 }, (_, at) => at);
  const elements = count.map(
    (at) => `<xs:element name="I${at}" type="t:T${at}"/><xs:element name="O${at}" type="t:T${at + 1}"/>`,
  );
  const text = wsdlWith({
    types: schemaWith([...types, ...elements, '<xs:complexType name="M" mixed="true"/>'].join('\n')),
    messages: count
      .map(
        (at) =>
          `<message name="I${at}"><part name="p" element="t:I${at}"/></message><message name="O${at}"><part name="p" element="t:O${at}"/></message>`,
      )
      .join('\n'),
    portType: `<portType name="P">${count.map((at) => `<operation name="Op${at}"><input message="t:I${at}"/><output message="t:O${at}"/></operation>`).join('\n')}</portType>`,
    binding: soapBinding(count.map((at) => bound(`Op${at}`, '<soap:body use="literal"/>')).join('\n')),
  });
  const file = join(t.testdir({ 'big.wsdl': text }), 'big.wsdl');
  const started = performance.now();
  const model = await readWsdl(file, FILES);
  const millis = Math.round(performance.now() - started);
  t.comment(`${text.length} characters, 5001 types, 3000 operations in ${millis} ms`);
  t.equal(model.types.size, 5001);
  t.equal(reportRows(model).filter(({ status }) => status === 'ok').length, 3000);
});
