import t from 'tap';
import type { Payload } from '../../../src/wsdl/model.js';
import { reportRows } from '../../../src/wsdl/report.js';
import {
  modelOf,
  operationOf,
  printContent,
  schemaWith,
  warningsOf,
  wsdlWith,
} from '../written.js';

const read = (parts: Parameters<typeof wsdlWith>[0]) => modelOf(wsdlWith(parts));

const soapBinding = (operations: string, style = 'document', prefix = 'soap') =>
  `<binding name="B" type="t:P"><${prefix}:binding style="${style}" ` +
  `transport="http://schemas.xmlsoap.org/soap/http"/>${operations}</binding>`;
const bound = (name: string, input: string, output: string | null = '<soap:body use="literal"/>') =>
  `<operation name="${name}"><soap:operation soapAction=""/><input>${input}</input>` +
  `${output === null ? '' : `<output>${output}</output>`}</operation>`;

t.test('a plain operation of document/literal is read whole', async (t) => {
  const model = await read({});
  t.equal(model.services.length, 1);
  t.match(model.services[0], { name: { uri: 'urn:t', local: 'S' } });
  t.match(model.services[0]?.ports[0], {
    name: 'Soap',
    dialect: '1.1',
    address: 'http://internal.example/get',
  });
  t.match(operationOf(model, 'Get'), {
    status: 'ok',
    reasons: [],
    soapAction: 'urn:get',
    documentation: null,
    input: { body: { name: { uri: 'urn:t', local: 'Get' } }, headers: [] },
    output: { body: { name: { uri: 'urn:t', local: 'GetResponse' } }, headers: [] },
    faults: [],
  });
  t.strictSame(reportRows(model), [
    { operation: 'Get', port: 'Soap', status: 'ok', reason: null, location: null },
  ]);
});

t.test('the version of a port follows the namespace of its binding, not the prefix', async (t) => {
  const binding = (name: string, attributes: string) =>
    `<binding name="${name}" type="t:P" ${attributes}><soap:binding style="document" \
transport="http://schemas.xmlsoap.org/soap/http"/>
     <operation name="Get"><soap12:operation soapAction="x"/><input><soap12:body use="literal"/>\
</input><output><soap:body use="literal"/></output></operation></binding>`;
  const model = await read({
    binding: `${binding('B', 'xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap12/"')}\
${binding('C', '')}
      <binding name="D" type="t:P"><http:binding verb="GET"/></binding>
      <binding name="E" type="t:P"><soap:binding transport="http://schemas.xmlsoap.org/soap/jms"/>\
</binding>`,
    service: `<service name="S"><port name="Twelve" binding="t:B"><soap12:address location=" \
http://b/ "/></port>
      <port name="Eleven" binding="C"/><port name="Plain" binding="t:D"/>\
<port name="Queue" binding="t:E"/><port name="Lost" binding="t:Z"/></service>`,
  });
  t.strictSame(
    model.services[0]?.ports.map(({ name, dialect, address }) => [name, dialect, address]),
    [
      ['Twelve', '1.2', 'http://b/'],
      ['Eleven', '1.1', null],
    ],
  );
  t.match(
    model.warnings.map(({ what }) => what),
    [
      /Plain is left out: its binding is for plain HTTP/,
      /Queue.*not HTTP/,
      /Lost.*t:Z is not defined/,
    ],
  );
  t.equal(
    model.services[0]?.ports[1]?.operations[0]?.soapAction,
    'x',
    'extensions of the other version are read',
  );
});

t.test('ports of the same name in two services can both be chosen', async (t) => {
  const service = (name: string) =>
    `<service name="${name}"><port name="Soap" binding="t:B">` +
    `<soap:address location="http://${name}/"/></port></service>`;
  const model = await read({ service: service('One') + service('Two') });
  t.strictSame(
    model.services.flatMap(({ ports }) => ports).map(({ name, address }) => [name, address]),
    [
      ['Soap', 'http://One/'],
      ['Two.Soap', 'http://Two/'],
    ],
  );
});

t.test(
  'header parts go to the Header, from the same or another message, and faults are declared',
  async (t) => {
    const model = await read({
      types: schemaWith(
        '<xs:element name="Auth" type="xs:string"/><xs:element name="Trace" type="xs:string"/>' +
          '<xs:element name="Broken" type="xs:string"/>',
      ),
      messages: `<message name="In"><part name="p" element="t:Get"/>\
<part name="h" element="t:Trace"/></message>
      <message name="Out"><part name="p" element="t:GetResponse"/></message><message name="Auth">\
<part name="a" element="t:Auth"/></message>
      <message name="Broken"><part name="f" element="t:Broken"/></message><message name="Typed">\
<part name="f" type="xs:int"/></message>`,
      portType: `<portType name="P"><operation name="Get"><documentation>Gets it.</documentation>\
<input message="t:In"/><output message="t:Out"/>
      <fault name="Broken" message="t:Broken"/></operation><operation name="Odd">\
<input message="t:In"/><output message="t:Out"/><fault name="Typed" message="t:Typed"/>\
</operation></portType>`,
      binding: soapBinding(
        bound(
          'Get',
          '<soap:header message="t:Auth" part="a" use="literal"/><soap:body use="literal"/>' +
            '<soap:header message="t:In" part="h" use="literal"/>',
          '<soap:body use="literal"/><soap:header message="t:Auth" part="a" use="literal"/>',
        ) +
          bound(
            'Odd',
            '<soap:header message="t:Auth" part="nope" use="literal"/>' +
              '<soap:body parts="p" use="literal"/>',
          ),
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
    t.match(warningsOf(model), 'The header block Auth of replies is not in GraphQL.');
    t.match(get.faults, [{ name: 'Broken', element: { name: { uri: 'urn:t', local: 'Broken' } } }]);
    t.match(operationOf(model, 'Odd'), {
      status: 'partial',
      reasons: [{ what: /header part nope is not defined/ }],
    });
    t.match(operationOf(model, 'Odd').faults, [
      { name: 'Typed', element: { name: { uri: '', local: 'f' } } },
    ]);
  },
);

t.test('a message without parts has an empty Body, one-way operations have no reply', async (t) => {
  const model = await read({
    messages: '<message name="In"/><message name="Out"/>',
    portType:
      '<portType name="P"><operation name="Ping"><input message="t:In"/></operation>' +
      '<operation name="Both"><input message="In"/><output message="Out"/>' +
      '</operation></portType>',
    binding: soapBinding(
      bound('Ping', '<soap:body use="literal"/>', null).replace('""', '"urn:ping"') +
        bound('Both', '<soap:body use="literal"/>'),
    ),
  });
  t.match(operationOf(model, 'Ping'), { status: 'ok', input: { body: null }, output: null });
  t.match(operationOf(model, 'Both'), {
    status: 'ok',
    input: { body: null },
    output: { body: null, headers: [] },
  });
});

t.test(
  'several parts in document style are several children of Body, in the order that ' +
    'the binding gives them',
  async (t) => {
    const model = await read({
      types: schemaWith(
        '<xs:element name="Page" type="xs:int"/><xs:element name="Auth" type="xs:string"/>' +
          '<xs:complexType name="Nothing"/><xs:complexType name="One"><xs:sequence>' +
          '<xs:element ref="t:Page"/></xs:sequence></xs:complexType>',
      ),
      messages: `<message name="In"><part name="a" element="t:Get"/>\
<part name="h" element="t:Auth"/><part name="b" element="t:Page"/><part name="c" element="t:Get"/>\
</message>
      <message name="Typed"><part name="n" type="t:Nothing"/><part name="one" type="t:One"/>\
<part name="two" type="xs:string"/></message>
      <message name="Alone"><part name="n" type="t:Nothing"/>\
<part name="p" element="t:Page"/></message>`,
      portType: `<portType name="P"><operation name="Get"><input message="t:In"/>\
<output message="t:In"/></operation>
      <operation name="Typed"><input message="t:Typed"/><output message="t:Alone"/>\
</operation></portType>`,
      binding: soapBinding(
        bound(
          'Get',
          '<soap:body use="literal"/><soap:header message="t:In" part="h" use="literal"/>',
          '<soap:body use="literal" parts="b  nowhere a b"/>',
        ) + bound('Typed', '<soap:body use="literal"/>'),
      ),
    });
    const printed = (payload: Payload | null): unknown => {
      const whole = payload?.several?.whole.type;
      return {
        body: payload?.body?.name.local,
        parts: payload?.several?.parts.map(({ name, element }) => `${name}: ${element.name.local}`),
        whole: whole?.kind === 'complex' ? printContent(whole) : null,
      };
    };
    const get = operationOf(model, 'Get');
    t.strictSame([get.status, get.reasons], ['ok', []]);
    t.strictSame(printed(get.input), {
      body: 'Get',
      parts: ['a: Get', 'b: Page', 'c: Get'],
      whole: 'sequence({urn:t}Get:~, {urn:t}Page:int, {urn:t}Get:~)',
    });
    t.strictSame(
      get.input.headers.map(({ element }) => element.name.local),
      ['Auth'],
    );
    t.match(printed(get.output), { body: 'Page', parts: ['b: Page', 'a: Get'] });
    t.ok(Object.isFrozen(get.input.several?.parts));
    const typed = operationOf(model, 'Typed');
    t.match(printed(typed.input), { body: 'Page', parts: ['one: Page', 'two: two'] });
    t.match(typed, {
      status: 'partial',
      reasons: [{ what: /part two names a type in document style/ }],
    });
    t.strictSame(
      printed(typed.output),
      { body: 'Page', parts: undefined, whole: null },
      'a part of nothing is none',
    );
  },
);

t.test('rpc/literal makes a wrapper of the parts', async (t) => {
  const model = await read({
    types: schemaWith(
      '<xs:complexType name="A"><xs:sequence><xs:element name="x" type="xs:int"/>' +
        '</xs:sequence></xs:complexType>',
    ),
    messages:
      '<message name="In"><part name="a" type="t:A"/><part name="n" type="xs:int"/></message>' +
      '<message name="Out"><part name="result" type="t:Gone"/></message><message name="None"/>',
    portType:
      '<portType name="P"><operation name="Add"><input message="t:In"/>' +
      '<output message="t:None"/></operation><operation name="Lose"><input message="t:In"/>' +
      '<output message="t:Out"/></operation></portType>',
    binding: soapBinding(
      bound(
        'Add',
        '<soap:body use="literal" namespace="urn:rpc"/>',
        '<soap:body use="literal" namespace="urn:rpc"/>',
      ) + bound('Lose', '<soap:body use="literal" parts="n"/>'),
      'rpc',
    ),
  });
  const add = operationOf(model, 'Add');
  t.match(add, { status: 'ok', input: { body: { name: { uri: 'urn:rpc', local: 'Add' } } } });
  t.match(add.output?.body, {
    name: { uri: 'urn:rpc', local: 'AddResponse' },
    type: { content: { kind: 'empty' } },
  });
  const type = add.input.body?.type;
  t.equal(type?.kind === 'complex' && printContent(type), 'sequence(a:A, n:int)');
  const lose = operationOf(model, 'Lose');
  t.match(lose, {
    status: 'partial',
    reasons: [{ what: 'The type t:Gone is not declared; it is kept as XML.' }],
  });
  const only = lose.input.body?.type;
  t.equal(only?.kind === 'complex' && printContent(only), 'sequence(n:int)');
  t.equal(lose.input.body?.name.uri, 'urn:t', 'without a namespace that of the WSDL');
});

t.test(
  'what is not offered is disabled alone, with a reason, a line, and the name it passes under',
  async (t) => {
    const model = await read({
      messages: `<message name="In"><part name="p" element="t:Get"/></message><message name="Out">\
<part name="p" element="t:GetResponse"/></message>
      <message name="Two"><part name="p" element="t:Get"/><part name="q" element="t:Get"/>\
</message><message name="Typed"><part name="p" type="xs:int"/></message>
      <message name="Missing"><part name="p" element="t:Gone"/></message>`,
      portType: `<portType name="P"><operation name="Get"><input message="t:In"/>\
<output message="t:Out"/></operation>
      <operation name="Two"><input message="t:Two"/></operation>
      <operation name="Missing"><input message="t:Missing"/></operation><operation name="Encoded">\
<input message="t:Typed"/><output message="t:Typed"/></operation>
      <operation name="Mixed"><input message="t:Typed"/><output message="t:Typed"/></operation>
      <operation name="Told"><output message="t:Out"/></operation><operation name="Asked">\
<output message="t:Out"/><input message="t:In"/></operation>
      <operation name="Mime"><input message="t:In"/></operation><operation name="NoMessage">\
<input message="t:Absent"/></operation></portType>`,
      binding: soapBinding(
        [
          bound('Get', '<soap:body use="literal"/>'),
          bound('Get', '<soap:body use="literal"/>'),
          bound('Two', '<soap:body use="literal"/>', null),
          bound('Missing', '<soap:body use="literal"/>', null),
          bound('Encoded', '<soap:body use="encoded"/>', '<soap:body use="encoded"/>'),
          '<operation name="Mixed"><soap:operation style="rpc"/><input>' +
            '<soap:body use="Encoded" namespace="urn:rpc"/></input><output>' +
            '<soap:body use="literal"/></output></operation>',
          '<operation name="Told"><output><soap:body use="literal"/></output></operation>',
          bound('Asked', '<soap:body use="literal"/>'),
          bound('Mime', '<mime:content part="p" type="text/xml"/>', null),
          bound('NoMessage', '<soap:body use="literal"/>', null),
          bound('Nowhere', '<soap:body use="literal"/>', null),
        ].join('\n'),
      ),
    });
    t.strictSame(
      reportRows(model).map(({ operation, status, reason }) => [operation, status, reason]),
      [
        ['Get', 'ok', null],
        ['Get2', 'disabled', 'The operation Get stands in the binding already.'],
        ['Two', 'ok', null],
        ['Missing', 'disabled', 'The element t:Gone is not declared.'],
        [
          'Encoded',
          'disabled',
          'The message is document/encoded; only rpc style is offered in an encoding.',
        ],
        ['Mixed', 'disabled', 'The operation Mixed is literal one way and encoded the other.'],
        ['Told', 'disabled', 'The operation Told is started by the server: it cannot be called.'],
        ['Asked', 'disabled', 'The operation Asked is started by the server: it cannot be called.'],
        ['Mime', 'disabled', 'The message is MIME content of its own, without an envelope.'],
        ['NoMessage', 'disabled', 'The message t:Absent is not defined.'],
        ['Nowhere', 'disabled', 'The port type has no operation Nowhere.'],
      ],
    );
    for (const { reason, location } of reportRows(model))
      t.ok(reason === null || /a\.wsdl:\d+$/.test(location ?? ''), reason ?? 'ok');
    t.match(operationOf(model, 'Mixed').input.body?.name, { uri: 'urn:rpc', local: 'Mixed' });
    t.match(operationOf(model, 'Mixed').output?.body?.name, { local: 'MixedResponse' });
    t.match(operationOf(model, 'Missing').input.body?.name, { uri: 'urn:t', local: 'Gone' });
    t.equal(operationOf(model, 'Encoded').input.body, null);
  },
);

t.test(
  'rpc/encoded: unqualified parts that may be nil, unless no language had a null for their type',
  async (t) => {
    const encoded =
      '<soap:body use="encoded" namespace="urn:rpc" ' +
      'encodingStyle="http://schemas.xmlsoap.org/soap/encoding/"/>';
    const model = await read({
      types: schemaWith(
        '<xs:complexType name="A"><xs:sequence><xs:element name="x" type="xs:int"/>' +
          '</xs:sequence></xs:complexType>',
      ),
      messages: `<message name="In"><part name="a" type="t:A"/><part name="s" type="xs:string"/>\
<part name="n" type="xs:int"/><part name="m" type="soapenc:int"/></message>
      <message name="Out"/><message name="H"><part name="token" type="xs:string"/></message>\
<message name="F"><part name="fault" type="t:A"/></message>`,
      portType:
        '<portType name="P"><operation name="Add"><input message="t:In"/>' +
        '<output message="t:Out"/><fault name="F" message="t:F"/></operation></portType>',
      binding: soapBinding(
        `<operation name="Add"><soap:operation soapAction=""/><input>${encoded}\
<soap:header message="t:H" part="token" use="encoded" namespace="urn:h"/></input>
       <output>${encoded}</output><fault name="F"><soap:fault name="F" use="encoded" \
namespace="urn:f"/></fault></operation>`,
        'rpc',
      ),
    });
    const add = operationOf(model, 'Add');
    t.match(add, {
      status: 'ok',
      use: 'encoded',
      style: 'rpc',
      input: { body: { name: { uri: 'urn:rpc', local: 'Add' } } },
    });
    const type = add.input.body?.type;
    t.equal(
      type?.kind === 'complex' && printContent(type),
      'sequence(a:A?, s:string?, n:int, m:int?)',
    );
    t.match(add.input.headers, [{ element: { name: { uri: 'urn:h', local: 'token' } } }]);
    t.match(add.output, {
      body: {
        name: { uri: 'urn:rpc', local: 'AddResponse' },
        type: { content: { kind: 'empty' } },
      },
    });
    t.match(add.faults, [{ name: 'F', element: { name: { uri: 'urn:f', local: 'fault' } } }]);
  },
);

t.test('overloaded operations are all offered, each under a name of its own', async (t) => {
  const operation = (name: string, input: string) =>
    `<operation name="${name}"><input name="${input}" message="t:${input}"/>` +
    '<output message="t:Out"/></operation>';
  const binding = (name: string, input: string) =>
    `<operation name="${name}"><soap:operation soapAction="${input}"/><input name="${input}">` +
    '<soap:body use="literal"/></input><output><soap:body use="literal"/></output></operation>';
  const model = await read({
    messages: `<message name="One"><part name="a" type="xs:int"/></message><message name="Two">\
<part name="b" type="xs:int"/></message>
      <message name="Three"><part name="c" type="xs:int"/></message><message name="Out"/>`,
    portType:
      `<portType name="P">${operation('Add', 'One')}${operation('Add', 'Two')}` +
      `${operation('Add2', 'One')}${operation('Add', 'Three')}</portType>`,
    // In another order than in the port type: the names of the inputs tell which is which.
    binding: soapBinding(
      binding('Add', 'Three') +
        binding('Add', 'One') +
        binding('Add2', 'One') +
        binding('Add', 'Two'),
      'rpc',
    ),
  });
  const parts = (operation: string) => {
    const type = operationOf(model, operation).input.body?.type;
    return type?.kind === 'complex' ? printContent(type) : null;
  };
  t.strictSame(
    reportRows(model).map(({ operation, status }) => [operation, status, parts(operation)]),
    [
      ['Add', 'ok', 'sequence(c:int)'],
      ['Add3', 'ok', 'sequence(a:int)'],
      ['Add2', 'ok', 'sequence(a:int)'],
      ['Add4', 'ok', 'sequence(b:int)'],
    ],
  );
  t.match(operationOf(model, 'Add4'), {
    soapAction: 'Two',
    input: { body: { name: { local: 'Add' } } },
  });
  t.match(operationOf(model, 'Add4').output?.body, { name: { local: 'AddResponse' } });
});

t.test('parts that name a type in document style, and elements in rpc style', async (t) => {
  const model = await read({
    types: schemaWith(`<xs:complexType name="Single"><xs:sequence>\
<xs:element name="only" type="xs:int"/></xs:sequence></xs:complexType>
      <xs:complexType name="Double"><xs:sequence><xs:element name="a" type="xs:int"/>\
<xs:element name="b" type="xs:int"/></xs:sequence></xs:complexType>
      <xs:complexType name="Nothing"/>`),
    messages: ['Single', 'Double', 'Nothing']
      .map((type) => `<message name="${type}"><part name="p" type="t:${type}"/></message>`)
      .concat(
        '<message name="El"><part name="p" element="t:Get"/>' +
          '<part name="q" element="t:Gone"/></message>',
      )
      .join(''),
    portType:
      `<portType name="P">${['Single', 'Double', 'Nothing', 'El']
        .map(
          (name) => `<operation \
name="${name}"><input message="t:${name}"/></operation>`,
        )
        .join('')}` + '</portType>',
    binding: soapBinding(
      ['Single', 'Double', 'Nothing']
        .map((name) => bound(name, '<soap:body use="literal"/>', null))
        .join('') +
        '<operation name="El"><soap:operation style="RPC"/><input>' +
        '<soap:body use="literal"/></input></operation>',
    ),
  });
  t.match(operationOf(model, 'Single'), {
    status: 'ok',
    input: { body: { name: { uri: 'urn:t', local: 'only' } } },
  });
  t.match(operationOf(model, 'Double'), {
    status: 'partial',
    reasons: [{ what: /names a type in document style \(WS-I R2204\): it is taken as an element/ }],
    input: { body: { name: { uri: '', local: 'p' }, type: { name: { local: 'Double' } } } },
  });
  t.match(operationOf(model, 'Nothing'), { status: 'ok', input: { body: null } });
  const rpc = operationOf(model, 'El');
  t.match(rpc, {
    status: 'partial',
    reasons: [{ what: 'The element t:Gone is not declared. It is kept as XML.' }],
  });
  const type = rpc.input.body?.type;
  t.equal(type?.kind === 'complex' && printContent(type), 'sequence({urn:t}Get:~, q:~)');
  t.match(model.warnings, [{ what: /The part p names an element in rpc style/ }]);
});

t.test('the envelope within a MIME package is read, and its attachments', async (t) => {
  const multipart = (inner: string, content: string) =>
    `<mime:multipartRelated><mime:part>${inner}</mime:part><mime:part>` +
    `<mime:content part="${content}" type="image/png"/></mime:part></mime:multipartRelated>`;
  const model = await read({
    messages: `<message name="In"><part name="p" element="t:Get"/>\
<part name="h" element="t:GetResponse"/><part name="photo" type="xs:base64Binary"/></message>
      <message name="Out"><part name="p" element="t:GetResponse"/></message>`,
    portType:
      '<portType name="P"><operation name="Up"><input message="t:In"/>' +
      '<output message="t:Out"/></operation><operation name="Just"><input message="t:Out"/>' +
      '</operation></portType>',
    binding: soapBinding(
      bound(
        'Up',
        multipart(
          '<soap:body use="literal"/><soap:header message="t:In" part="h" use="literal"/>',
          'photo',
        ),
      ) +
        bound(
          'Just',
          '<mime:multipartRelated><mime:part><soap:body use="literal"/></mime:part>' +
            '</mime:multipartRelated>',
          null,
        ),
    ),
  });
  t.match(operationOf(model, 'Up'), {
    status: 'ok',
    input: {
      attachments: [{ name: 'photo', mediaTypes: ['image/png'] }],
      body: { name: { local: 'Get' } },
      headers: [{ element: { name: { local: 'GetResponse' } } }],
    },
  });
  t.equal(operationOf(model, 'Just').status, 'ok', 'a package of the envelope alone');
});

t.test('headers without a message, parts that are not there and required extensions', async (t) => {
  const model = await read({
    head:
      '<p:Policy xmlns:p="urn:policy" xmlns:w="http://schemas.xmlsoap.org/wsdl/" ' +
      'w:required="true"/>',
    types: schemaWith('<xs:element name="Auth" type="xs:string"/>'),
    messages:
      '<message name="In"><part name="head" element="t:Auth"/><part name="p" element="t:Get"/>' +
      '</message><message name="Out"><part name="p" element="t:GetResponse"/></message>',
    binding: soapBinding(
      bound(
        'Get',
        '<soap:header part="head" use="literal"><soap:headerfault message="t:Out" part="p" ' +
          'use="literal"/></soap:header><soap:body parts="body" use="literal"/>',
      ),
    ),
  });
  t.match(operationOf(model, 'Get'), {
    status: 'ok',
    input: {
      body: { name: { local: 'Get' } },
      headers: [{ element: { name: { local: 'Auth' } } }],
    },
  });
  t.match(
    model.warnings.map(({ what }) => what),
    [
      /body parts body are not in the message/,
      /header fault p passes as SOAP/,
      /The extension Policy is required by the WSDL and not understood/,
    ],
  );
});

t.test('a WSDL without a SOAP port says what it can', async (t) => {
  const portsOf = async (parts: Parameters<typeof wsdlWith>[0]) => {
    const model = await read(parts);
    const ports = model.services.flatMap((service) => service.ports);
    t.ok(model.warnings.every(({ line }) => line !== null));
    return {
      ports: ports.map(({ name, dialect, address, operations }) => [
        name,
        dialect,
        address,
        operations.map((operation) => `${operation.name} ${operation.status}`).join(),
      ]),
      reasons: ports
        .flatMap(({ operations }) => operations)
        .flatMap(({ reasons }) => reasons.map(({ what }) => what)),
      warnings: model.warnings.map(({ what }) => what),
    };
  };
  t.match(await portsOf({ service: '' }), {
    ports: [['B', '1.1', null, 'Get ok']],
    warnings: [/No service has a SOAP port for the binding B/],
  });
  t.match(await portsOf({ service: '', binding: '' }), {
    ports: [['P', '1.1', null, 'Get ok']],
    warnings: [/The port type P has no binding: it is taken as literal SOAP 1\.1/],
  });
  t.match(
    await portsOf({
      binding:
        '<binding name="B" type="t:P"><http:binding verb="GET"/><operation name="Get"/></binding>',
    }),
    {
      ports: [['Soap', '1.1', 'http://internal.example/get', 'Get disabled']],
      reasons: ['The operation cannot be called: its binding is for plain HTTP.'],
      warnings: [],
    },
  );
  t.match(await portsOf({ portType: '', service: '' }), {
    ports: [['B', '1.1', null, 'Get disabled']],
    reasons: ['The port type t:P is not defined.'],
  });
  t.match(await portsOf({ service: '', binding: '', portType: '', messages: '' }), {
    ports: [['none', '1.1', null, '']],
    warnings: ['The WSDL describes no operations.'],
  });
  const untyped =
    '<binding name="B"><soap:binding/><operation name="Get"><soap:operation soapAction=""/>' +
    '</operation></binding>';
  t.match(await portsOf({ binding: untyped }), {
    ports: [['Soap', '1.1', 'http://internal.example/get', 'Get ok']],
    warnings: [/The binding names no port type; P, which has its operations, is taken/],
  });
});

t.test('an operation name is only ever data', async (t) => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the string tries to be one.
  const name = '#{`touch /tmp/x`}${process.exit()}&quot;);';
  const model = await read({
    portType:
      `<portType name="P"><operation name="${name}"><input message="t:In"/>` +
      '</operation></portType>',
    binding: soapBinding(bound(name, '<soap:body use="literal"/>', null)),
  });
  t.equal(model.services[0]?.ports[0]?.operations[0]?.name, name.replace('&quot;', '"'));
});

t.test('a WSDL whose parts multiply each other is read in bounded time', async (t) => {
  const many = (count: number, print: (at: number) => string) =>
    Array.from({ length: count }, (_, at) => print(at)).join('');
  const operation = (name: string, more = '') =>
    `<operation name="${name}"><input message="t:In"/>${more}</operation>`;
  const soap = '<soap:binding style="rpc"/>';
  const hostile: Readonly<Record<string, Parameters<typeof wsdlWith>[0]>> = {
    'parts and operations': {
      messages:
        `<message name="In">${many(10_000, (at) => `<part name="p${at}" type="xs:int"/>`)}` +
        '</message>',
      portType: `<portType name="P">${many(10_000, (at) => operation(`O${at}`))}</portType>`,
      binding:
        `<binding name="B" type="t:P">${soap}` +
        `${many(10_000, (at) => `<operation name="O${at}"/>`)}</binding>`,
    },
    'parts and headers': {
      messages:
        `<message name="In">${many(10_000, (at) => `<part name="p${at}" type="xs:int"/>`)}` +
        '</message>',
      portType: `<portType name="P">${operation(
        'O',
        many(10_000, () => '<fault name="f" message="t:In"/>'),
      )}</portType>`,
      binding:
        `<binding name="B" type="t:P">${soap}<operation name="O"><input>` +
        `${many(10_000, (at) => `<soap:header message="t:In" part="p${at}"/>`)}</input>` +
        '</operation></binding>',
    },
    'parts and attachments': {
      messages:
        `<message name="In">${many(10_000, (at) => `<part name="p${at}" type="xs:int"/>`)}` +
        '<part name="a" type="xs:string"/></message>',
      portType: `<portType name="P">${operation('O')}</portType>`,
      binding:
        `<binding name="B" type="t:P">${soap}<operation name="O"><input><mime:multipartRelated>` +
        `<mime:part><soap:body parts="${many(10_000, (at) => `p${at} `)}" use="literal"/>` +
        `</mime:part><mime:part>${many(
          200_000,
          (at) => `<mime:content \
part="${at < 50_000 ? 'p9999' : 'a'}" type="image/t${at}"/>`,
        )}` +
        '</mime:part></mime:multipartRelated></input></operation></binding>',
    },
    'bindings and operations': {
      portType: `<portType name="P">${many(10_000, (at) => operation(`O${at}`))}</portType>`,
      binding: many(
        10_000,
        (at) => `<binding name="B${at}" type="t:P">${soap}<operation name="O${at}"/></binding>`,
      ),
      service: '',
    },
    'bindings without a type': {
      portType: `<portType name="P">${many(10_000, (at) => operation(`O${at}`))}</portType>`,
      binding: many(
        10_000,
        (at) => `<binding name="B${at}">${soap}<operation name="O${at}"/></binding>`,
      ),
      service: '',
    },
    'ports and operations': {
      portType: `<portType name="P">${many(5000, (at) => operation(`O${at}`))}</portType>`,
      binding:
        `<binding name="B" type="t:P">${soap}` +
        `${many(5000, (at) => `<operation name="O${at}"/>`)}</binding>`,
      service:
        `<service name="S">${many(10_000, (at) => `<port name="P${at}" binding="t:B"/>`)}` +
        '</service>',
    },
    overloads: {
      portType: `<portType name="P">${many(10_000, () => operation('O'))}</portType>`,
      binding:
        `<binding name="B" type="t:P">${soap}` +
        `${many(10_000, () => '<operation name="O"/>')}</binding>`,
    },
  };
  for (const [name, parts] of Object.entries(hostile)) {
    const before = process.cpuUsage();
    const rows = reportRows(await read(parts));
    const { user, system } = process.cpuUsage(before);
    t.comment(
      `${name}: ${rows.length} operations, ${Math.round((user + system) / 1000)} ms of ` +
        'processor time',
    );
    t.ok(rows.length > 0 && rows.length <= 200_000, name);
    t.ok(user + system < 20e6, `${name}: seconds, not minutes`);
  }
});

t.test('a large WSDL is read in seconds', async (t) => {
  const fields = ['string', 'int', 'decimal', 'dateTime', 'boolean', 'long'].map(
    (type, at) => `<xs:element name="f${at}" type="xs:${type}" minOccurs="0"/>`,
  );
  const types = Array.from(
    { length: 5000 },
    (_, at) =>
      `<xs:complexType name="T${at}"><xs:sequence>${fields.join('')}` +
      `<xs:element name="a" type="t:T${(at * 7 + 1) % 5000}" minOccurs="0"/>` +
      '</xs:sequence></xs:complexType>',
  );
  const count = Array.from({ length: 3000 }, (_, at) => at);
  const elements = count.map(
    (at) =>
      `<xs:element name="I${at}" type="t:T${at}"/><xs:element name="O${at}" type="t:T${at + 1}"/>`,
  );
  const text = wsdlWith({
    types: schemaWith(
      [...types, ...elements, '<xs:complexType name="M" mixed="true"/>'].join('\n'),
    ),
    messages: count
      .map(
        (at) =>
          `<message name="I${at}"><part name="p" element="t:I${at}"/></message>` +
          `<message name="O${at}"><part name="p" element="t:O${at}"/></message>`,
      )
      .join('\n'),
    portType:
      `<portType name="P">${count
        .map(
          (at) => `<operation name="Op${at}">\
<input message="t:I${at}"/><output message="t:O${at}"/></operation>`,
        )
        .join('\n')}` + '</portType>',
    binding: soapBinding(
      count.map((at) => bound(`Op${at}`, '<soap:body use="literal"/>')).join('\n'),
    ),
  });
  const started = performance.now();
  const model = await modelOf(text);
  const millis = Math.round(performance.now() - started);
  t.comment(`${text.length} characters, 5001 types, 3000 operations in ${millis} ms`);
  t.equal(model.types.size, 5001);
  t.equal(reportRows(model).filter(({ status }) => status === 'ok').length, 3000);
});

const ADDRESSING_10 = 'http://www.w3.org/2005/08/addressing';
const SUBMISSION = 'http://schemas.xmlsoap.org/ws/2004/08/addressing';
const POLICY_15 = 'http://www.w3.org/ns/ws-policy';
const POLICY_12 = 'http://schemas.xmlsoap.org/ws/2004/09/policy';

/** A binding and a port with these children, and policies in the root. */
const addressed = (inBinding: string, policies = '', inPort = '', uri = POLICY_15) => ({
  head: policies.replaceAll(/<p:Policy(?=[ >])/g, `<p:Policy xmlns:p="${uri}"`),
  binding: soapBinding(`${inBinding}${bound('Get', '<soap:body use="literal"/>')}`).replace(
    '<binding ',
    `<binding xmlns:p="${uri}" `,
  ),
  service:
    `<service name="S"><port name="Soap" binding="t:B" xmlns:p="${uri}">${inPort}` +
    '<soap:address location="http://a/"/></port></service>',
});

const USING = '<w:UsingAddressing xmlns:w="http://www.w3.org/2006/05/addressing/wsdl"';
const ASSERTION = '<m:Addressing xmlns:m="http://www.w3.org/2007/05/addressing/metadata"';
const ID =
  'xmlns:u="http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd" u:Id="a"';

t.test(
  'WS-Addressing is required by the extension or by a policy of the port, ' +
    'its binding or its port type',
  async (t) => {
    const useOf = async (parts: Parameters<typeof wsdlWith>[0]) =>
      operationOf(await read(parts), 'Get').addressing;
    const required = { uri: ADDRESSING_10, isRequired: true };
    const optional = { uri: ADDRESSING_10, isRequired: false };
    t.equal(await useOf({}), undefined);
    t.same(await useOf(addressed(`${USING}/>`)), optional, 'an extension is optional');
    t.same(
      await useOf(
        addressed(`${USING} xmlns:d="http://schemas.xmlsoap.org/wsdl/" d:required=" 1 "/>`),
      ),
      required,
    );
    t.same(
      await useOf(
        addressed(
          '',
          '',
          `${USING} xmlns:d="http://schemas.xmlsoap.org/wsdl/" d:required="true"/>`,
        ),
      ),
      required,
    );
    t.same(await useOf(addressed(`<p:Policy>${ASSERTION}/></p:Policy>`)), required, 'inline');
    t.same(
      await useOf(addressed(`<p:Policy>${USING}/></p:Policy>`)),
      required,
      'as WCF asserts it',
    );
    t.same(
      await useOf(addressed(`<p:Policy>${ASSERTION} p:Optional="true"/></p:Policy>`)),
      optional,
    );
    const referred =
      `<p:Policy ${ID}><p:ExactlyOne><p:All>${ASSERTION}><p:Policy/></m:Addressing>` +
      '<x xmlns="urn:x"/></p:All></p:ExactlyOne></p:Policy>';
    t.same(
      await useOf(addressed('<p:PolicyReference URI="#a"/>', referred)),
      required,
      'by reference',
    );
    t.same(
      await useOf(addressed('<p:PolicyReference URI="#a"/>', referred, '', POLICY_12)),
      required,
      'of 2004',
    );
    t.same(
      await useOf(addressed('', referred, '<p:PolicyReference URI="#a"/>')),
      required,
      'of the port',
    );
    t.same(
      await useOf(addressed('<p:PolicyReference URI="#other"/>', referred)),
      undefined,
      'of another id',
    );
    const choice =
      `<p:Policy ${ID}><p:ExactlyOne><p:All>${ASSERTION}/></p:All><p:All/>` +
      '</p:ExactlyOne></p:Policy>';
    t.same(
      await useOf(addressed('<p:PolicyReference URI="#a"/>', choice)),
      optional,
      'one alternative goes without',
    );
    const nested = `<p:Policy><q xmlns="urn:security"><p:Policy>${ASSERTION}/></p:Policy></q></p:Policy>`;
    t.same(
      await useOf(addressed(nested)),
      undefined,
      'assertions inside other assertions are theirs',
    );
    const submission = `<p:Policy><w:UsingAddressing xmlns:w="${SUBMISSION}/policy"/></p:Policy>`;
    t.same(await useOf(addressed(submission)), { uri: SUBMISSION, isRequired: true });
    const attribute = addressed('', referred);
    const byAttribute = {
      ...attribute,
      binding: attribute.binding.replace('<binding ', '<binding p:PolicyURIs="#b #a" '),
    };
    t.same(await useOf(byAttribute), required, 'PolicyURIs');
  },
);

t.test('policies that refer to each other or multiply are read within bounds', async (t) => {
  const cycle = `<p:Policy ${ID}><p:PolicyReference URI="#a"/>${ASSERTION}/></p:Policy>`;
  const model = await read(addressed('<p:PolicyReference URI="#a"/>', cycle));
  t.same(operationOf(model, 'Get').addressing, { uri: ADDRESSING_10, isRequired: true });
  const doubling = Array.from({ length: 60 }, (_, index) => {
    const next = `<p:PolicyReference URI="n${index + 1}"/>`;
    return `<p:Policy Name="n${index}">${next}${next}</p:Policy>`;
  });
  const begun = process.cpuUsage();
  const large = await read(addressed('<p:PolicyReference URI="n0"/>', doubling.join('')));
  t.equal(operationOf(large, 'Get').addressing, undefined);
  t.ok(process.cpuUsage(begun).user < 2_000_000);
  const noted = large.warnings.filter(({ what }) =>
    /WS-Addressing that they demand is not known/.test(what),
  );
  t.match(noted, [
    {
      file: /wsdl$/,
      line: Number,
      what: /^Policies of more than 10000/,
      remedy: /addressing\.calls/,
    },
  ]);

  const long = `<p:Policy ${ID}>${`${ASSERTION}/>`.repeat(9000)}</p:Policy>`;
  const ports = Array.from(
    { length: 5000 },
    (_, at) => `<port name="P${at}" binding="t:B" p:PolicyURIs="#a"/>`,
  );
  const service = `<service name="S" xmlns:p="${POLICY_15}">${ports.join('')}</service>`;
  const shared = process.cpuUsage();
  const { warnings } = await read({ ...addressed('', long), service });
  t.ok(process.cpuUsage(shared).user < 10_000_000, 'a long policy of thousands of ports');
  const kept = warnings.filter(({ what }) =>
    /WS-Addressing that they demand is not known/.test(what),
  );
  t.match(kept, [{ line: Number, what: /more than 1000000 elements/ }], 'one warning for all');
});
