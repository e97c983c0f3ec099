import { resolve } from 'node:path';
import t, { type Test } from 'tap';

import { answerWith } from '../kit/backend.js';
import { postSoap } from '../kit/envelope.js';
import { askGraphql } from '../kit/graphql-client.js';
import { useBackend, useGateway } from '../kit/use.js';
import { schemaWith, wsdlWith } from '../wsdl/written.js';

const ENVELOPES: Readonly<Record<string, string>> = {
  '1.1': 'http://schemas.xmlsoap.org/soap/envelope/',
  '1.2': 'http://www.w3.org/2003/05/soap-envelope',
};

const envelope = (content: string, version: string): string =>
  `<E:Envelope xmlns:E="${ENVELOPES[version]}" xmlns:d="http://legacy.example.com/desk"><E:Body>${content}</E:Body></E:Envelope>`;

const FAULT =
  '<d:OrderFault><d:code>404</d:code><d:field>id</d:field><d:reason>No &lt;such&gt; order</d:reason></d:OrderFault>';

const faultWith = (detail: string, version: string): string =>
  version === '1.1'
    ? `<E:Fault><faultcode>E:Server</faultcode><faultstring>no</faultstring><detail>${detail}</detail></E:Fault>`
    : '<E:Fault><E:Code><E:Value>E:Sender</E:Value><E:Subcode><E:Value>d:Gone</E:Value><E:Subcode><E:Value>d:Sold</E:Value>' +
      '</E:Subcode></E:Subcode></E:Code><E:Reason><E:Text xml:lang="en">no</E:Text><E:Text xml:lang="de">nein</E:Text></E:Reason>' +
      `<E:Node>urn:n</E:Node><E:Role>urn:r</E:Role><E:Detail>${detail}</E:Detail></E:Fault>`;

const OPERATIONS = `
      GetOrder: { field: Query.order, faults: union }
      CancelOrder: { field: Mutation.cancelOrder, faults: union }
      GetInventory: { field: Query.inventory, faults: union }
      PlaceOrder: { field: Mutation.placeOrder }
      ListOrders: { field: Query.orders }
`;

const DEMO = { wsdl: resolve('config/demo/legacy.wsdl'), operations: OPERATIONS, more: '' };

async function startDesk(t: Test, version: string, about: Partial<typeof DEMO> = {}) {
  const { wsdl, operations, more } = { ...DEMO, ...about };
  const backend = await useBackend(t, answerWith(''));
  const gateway = await useGateway(
    t,
    `services:
  desk:
    wsdl: ${wsdl}
    url: ${backend.url}/desk
    versions: ["${version}"]
    operations: ${operations}
${more}`,
  );
  return {
    backend,
    gateway,
    async ask(query: string): Promise<Record<string, unknown>> {
      return askGraphql<Record<string, unknown>>(gateway.url, query);
    },
  };
}

const QUERY =
  '{ order(id: 1) { __typename ... on GetOrderOutcome { t: __typename } ... on Order { id lines { sku } } ... on OrderFault { code why: reason } } }';

for (const version of ['1.1', '1.2']) {
  t.test(`a declared Fault is data where the mapping says so, whatever the status (${version})`, async (t) => {
    const { backend, gateway, ask } = await startDesk(t, version);
    for (const [index, status] of [500, 200, 400].entries()) {
      const type = version === '1.1' ? 'text/xml' : 'application/soap+xml';
      backend.answer = answerWith(envelope(faultWith(FAULT, version), version), type, status);
      t.same(await ask(QUERY), {
        data: { order: { __typename: 'OrderFault', t: 'OrderFault', code: 404, why: 'No <such> order' } },
      });
      t.match(await gateway.accessLine(index + 1), { outcome: 'ok', upstreamCalls: 1 });
    }
    backend.answer = answerWith(
      envelope(
        '<d:GetOrderResponse xmlns:y="http://legacy.example.com/desk/types"><d:order><y:id>7</y:id></d:order></d:GetOrderResponse>',
        version,
      ),
    );
    t.match(await ask('{ order(id: 1) { __typename ... on Order { id } } }'), {
      data: { order: { __typename: 'Order', id: '7' } },
    });
  });

  t.test(`a Fault that is not declared, or is not what its type says, is an error (${version})`, async (t) => {
    const { backend, ask } = await startDesk(t, version);
    backend.answer = answerWith(envelope(faultWith('<d:Other>x</d:Other>', version), version), 'text/xml', 500);
    t.match(await ask(QUERY), {
      data: { order: null },
      errors: [{ path: ['order'], extensions: { code: 'SOAP_FAULT' } }],
    });
    backend.answer = answerWith(
      envelope(faultWith('<d:OrderFault>x</d:OrderFault>', version), version),
      'text/xml',
      500,
    );
    t.match(await ask(QUERY), {
      data: { order: null },
      errors: [{ extensions: { code: 'SOAP_FAULT', soap: { detail: { OrderFault: 'x' } } } }],
    });
    backend.answer = answerWith(envelope('<d:ResetDeskResponse/>', version));
    t.match(await ask(QUERY), { data: { order: null }, errors: [{ extensions: { code: 'UPSTREAM_DESYNC' } }] });
  });

  t.test(`as an error a Fault tells its detail by its type (${version})`, async (t) => {
    const { backend, ask } = await startDesk(t, version);
    const two = `${FAULT}<d:Other>y</d:Other>`;
    backend.answer = answerWith(envelope(faultWith(two, version), version), 'text/xml', 500);
    const { errors } = await ask('mutation { placeOrder(order: { customerCode: "C", lines: [] }) { orderId } }');
    const [error] = Array.isArray(errors) ? errors : [];
    const { id, ...extensions } = error?.extensions ?? {};
    t.type(id, 'string', 'the id of the log line');
    t.same(extensions, {
      code: 'SOAP_FAULT',
      soap: {
        ...(version === '1.1'
          ? { code: 'Server', string: 'no', actor: null }
          : {
              code: 'Sender',
              subcode: 'Gone',
              subcodes: ['Gone', 'Sold'],
              string: 'no',
              reasons: [
                { lang: 'en', text: 'no' },
                { lang: 'de', text: 'nein' },
              ],
              role: 'urn:r',
              node: 'urn:n',
              actor: 'urn:r',
            }),
        detail: { OrderFault: { code: 404, field: 'id', reason: 'No <such> order' } },
      },
    });
  });
}

/** Faults and answers that are no objects by themselves. */
const ODD = `<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:d="http://legacy.example.com/desk"
  xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="http://legacy.example.com/desk"><types><xs:schema targetNamespace="http://legacy.example.com/desk" elementFormDefault="qualified">
  <xs:complexType name="Failure" abstract="true"><xs:sequence><xs:element name="why" type="xs:string" minOccurs="0"/></xs:sequence></xs:complexType>
  <xs:complexType name="Broken"><xs:complexContent><xs:extension base="d:Failure"><xs:sequence><xs:element name="part" type="xs:int"/></xs:sequence></xs:extension></xs:complexContent></xs:complexType>
  <xs:complexType name="Late"><xs:complexContent><xs:extension base="d:Failure"><xs:sequence><xs:element name="days" type="xs:int"/></xs:sequence></xs:extension></xs:complexContent></xs:complexType>
  <xs:element name="trace"><xs:complexType><xs:sequence><xs:element name="stackTrace" type="xs:string"/><xs:element name="n" type="xs:int" maxOccurs="unbounded"/></xs:sequence></xs:complexType></xs:element>
  <xs:element name="failure" type="d:Failure"/><xs:element name="text" type="xs:string"/>
  <xs:element name="empty"><xs:complexType/></xs:element>
  <xs:element name="any"><xs:complexType mixed="true"><xs:sequence><xs:any minOccurs="0" processContents="skip"/></xs:sequence></xs:complexType></xs:element>
  <xs:element name="List"><xs:complexType/></xs:element>
  <xs:element name="ListResponse"><xs:complexType><xs:sequence><xs:element name="sku" type="xs:string" minOccurs="0" maxOccurs="unbounded"/></xs:sequence></xs:complexType></xs:element>
  <xs:element name="Reset"><xs:complexType/></xs:element><xs:element name="ResetResponse"><xs:complexType/></xs:element>
  </xs:schema></types>
  ${['List', 'ListResponse', 'Reset', 'ResetResponse', 'failure', 'text', 'empty', 'any', 'trace'].map((name) => `<message name="${name}"><part name="p" element="d:${name}"/></message>`).join('')}
  <portType name="Desk">${['List', 'Reset']
    .map(
      (name) =>
        `<operation name="${name}"><input message="d:${name}"/><output message="d:${name}Response"/>${['failure', 'text', 'empty', 'any', 'trace'].map((fault) => `<fault name="${fault}" message="d:${fault}"/>`).join('')}</operation>`,
    )
    .join('')}</portType>
  <binding name="Desk" type="d:Desk"><soap:binding transport="http://schemas.xmlsoap.org/soap/http"/>${['List', 'Reset']
    .map(
      (name) =>
        `<operation name="${name}"><soap:operation soapAction=""/><input><soap:body use="literal"/></input><output><soap:body use="literal"/></output></operation>`,
    )
    .join('')}</binding>
  <service name="Desk"><port name="Desk" binding="d:Desk"><soap:address location="http://h/"/></port></service></definitions>`;

t.test('answers and Faults that are no objects are the value of one', async (t) => {
  const directory = t.testdir({ 'odd.wsdl': ODD });
  const operations = '{ List: { field: Query.list, faults: union }, Reset: { field: Mutation.reset, faults: union } }';
  const { backend, ask } = await startDesk(t, '1.1', { wsdl: `${directory}/odd.wsdl`, operations });
  const faults =
    '__typename ... on Broken { why part } ... on Late { days } ... on Failure { w: why } ... on Text { value } ... on Empty { there: value } ... on Any { xml }';
  const list = `{ list { ${faults} ... on ListPayload { skus: value } } }`;
  const told = async (content: string, query = list): Promise<unknown> => {
    backend.answer = answerWith(envelope(content, '1.1'));
    return ask(query);
  };
  const fault = (detail: string): string => faultWith(detail, '1.1');
  const xsi = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"';
  t.same(await told('<d:ListResponse><d:sku>a</d:sku></d:ListResponse>'), {
    data: { list: { __typename: 'ListPayload', skus: ['a'] } },
  });
  t.same(await told('<d:ListResponse/>'), { data: { list: { __typename: 'ListPayload', skus: [] } } });
  t.same(await told(fault(`<d:failure ${xsi} xsi:type="d:Broken"><d:why>w</d:why><d:part>3</d:part></d:failure>`)), {
    data: { list: { __typename: 'Broken', why: 'w', part: 3, w: 'w' } },
  });
  t.same(await told(fault('<d:text>t</d:text><d:failure/>')), { data: { list: { __typename: 'Text', value: 't' } } });
  t.same(await told(fault('<d:empty/>')), { data: { list: { __typename: 'Empty', there: true } } });
  t.same(await told(fault('<d:any>a<b>c</b></d:any>')), {
    data: { list: { __typename: 'Any', xml: '<any xmlns="http://legacy.example.com/desk">a<b xmlns="">c</b></any>' } },
  });
  t.match(await told(fault('<d:failure/>')), {
    data: { list: null },
    errors: [{ extensions: { code: 'SOAP_FAULT' } }],
  });
  const reset = 'mutation { reset { __typename ... on ResetPayload { value } ... on Text { t: value } } }';
  t.same(await told('<d:ResetResponse/>', reset), { data: { reset: { __typename: 'ResetPayload', value: true } } });
  t.same(await told(fault('<d:text>t</d:text>'), reset), { data: { reset: { __typename: 'Text', t: 't' } } });
});

t.test('details that callers may not see are no data either', async (t) => {
  const { backend, ask } = await startDesk(t, '1.1', { more: '    faultDetail: none\n' });
  backend.answer = answerWith(envelope(faultWith(FAULT, '1.1'), '1.1'));
  t.match(await ask(QUERY), { data: { order: null }, errors: [{ extensions: { soap: { detail: null } } }] });
});

t.test('typed details keep to the policy, and to what an error may tell', async (t) => {
  const directory = t.testdir({ 'odd.wsdl': ODD });
  const operations = '{ List: { field: Query.list }, Reset: { field: Mutation.reset, faults: union } }';
  const { backend, ask } = await startDesk(t, '1.1', { wsdl: `${directory}/odd.wsdl`, operations });
  const detailOf = async (detail: string): Promise<unknown> => {
    backend.answer = answerWith(envelope(faultWith(detail, '1.1'), '1.1'));
    const { errors } = await ask('{ list }');
    return Array.isArray(errors) ? errors[0]?.extensions.soap.detail : null;
  };
  const trace = '<d:stackTrace>at x.y.Z</d:stackTrace>';
  t.same(await detailOf(`<d:trace>${trace}<d:n>1</d:n><d:n> 2</d:n></d:trace>`), {
    trace: { stackTrace: null, n: [1, 2] },
  });
  t.same(await detailOf('<d:trace>only text</d:trace>'), { trace: 'only text' });
  t.same(await detailOf('<d:text>7</d:text><d:text>8</d:text><d:empty/>'), { text: ['7', '8'], empty: '' });
  t.same(await detailOf('<trace xmlns=""><n>3</n></trace>'), { trace: { stackTrace: null, n: [3] } });
  t.same(await detailOf('<a.b.trace xmlns=""><n>3</n></a.b.trace>'), { 'a.b.trace': { stackTrace: null, n: [3] } });
  const many = await detailOf(`<d:trace>${'<d:n>1</d:n>'.repeat(5000)}</d:trace>`);
  t.ok(JSON.stringify(many).length < 6000, 'elements of an error are bounded');
  t.match(many, { trace: { n: ['1', '1'] } });
  const long = await detailOf(`<d:text>${'x'.repeat(1e6)}</d:text>`);
  t.ok((JSON.stringify(long) ?? '').length < 70_000, 'as is its text');
  backend.answer = answerWith(envelope(faultWith(`<d:trace>${trace}<d:n>1</d:n></d:trace>`, '1.1'), '1.1'));
  const query = (fields: string): string => `mutation { reset { ... on Trace { ${fields} } } }`;
  t.same(await ask(query('n')), { data: { reset: { n: [1] } } });
  t.match(await ask(query('n stackTrace')), {
    data: { reset: null },
    errors: [{ extensions: { code: 'SOAP_FAULT' } }],
  });
});

t.test('a declared Fault of a recursive type, from which others derive, is reported whole', async (t) => {
  const derived = Array.from(
    { length: 40 },
    (_, n) =>
      `<xs:complexType name="Kind${n}"><xs:complexContent><xs:extension base="t:Problem"><xs:sequence><xs:element name="kind${n}" type="xs:int"/><xs:element name="also" type="t:Problem" minOccurs="0" maxOccurs="unbounded"/></xs:sequence></xs:extension></xs:complexContent></xs:complexType>`,
  );
  const wsdl = wsdlWith({
    types:
      schemaWith(`<xs:complexType name="Problem"><xs:sequence><xs:element name="code" type="xs:int"/><xs:element name="cause" type="t:Problem" minOccurs="0"/></xs:sequence></xs:complexType>
      ${derived.join('')}<xs:element name="Failed" type="t:Problem"/>`),
    messages: `<message name="In"><part name="p" element="t:Get"/></message><message name="Out"><part name="p" element="t:GetResponse"/></message><message name="F"><part name="f" element="t:Failed"/></message>`,
    portType:
      '<portType name="P"><operation name="Get"><input message="t:In"/><output message="t:Out"/><fault name="Failed" message="t:F"/></operation></portType>',
    binding: `<binding name="B" type="t:P"><soap:binding transport="http://schemas.xmlsoap.org/soap/http"/><operation name="Get"><soap:operation soapAction=""/><input><soap:body use="literal"/></input><output><soap:body use="literal"/></output><fault name="Failed"><soap:fault name="Failed" use="literal"/></fault></operation></binding>`,
  });
  const directory = t.testdir({ 'a.wsdl': wsdl });
  const { backend, ask } = await startDesk(t, '1.1', {
    wsdl: `${directory}/a.wsdl`,
    operations: '{ Get: { field: Query.get } }',
  });
  const XSI = 'xmlns:x="http://www.w3.org/2001/XMLSchema-instance" xmlns:t="urn:t"';
  const depth = 12;
  const nested = `${'<t:code>1</t:code><t:cause>'.repeat(depth)}<t:code>2</t:code>${'</t:cause>'.repeat(depth)}`;
  const entry = `<t:Failed ${XSI} x:type="t:Kind39">${nested}<t:kind39>39</t:kind39><t:also x:type="t:Kind7"><t:code>3</t:code><t:kind7>7</t:kind7></t:also></t:Failed>`;
  backend.answer = answerWith(envelope(faultWith(entry, '1.1'), '1.1'), 'text/xml', 500);
  const answer = await ask('{ get(id: 1) }');
  t.match(answer, {
    errors: [{ extensions: { soap: { detail: { Failed: { code: 1, kind39: 39, also: [{ code: 3, kind7: 7 }] } } } } }],
  });
  t.equal(JSON.stringify(answer).match(/"cause":{/g)?.length, depth, 'however deep it is');
  backend.answer = answerWith(
    envelope(faultWith('<t:Failed xmlns:t="urn:t"><t:code>1</t:code></t:Failed>', '1.1'), '1.1'),
    'text/xml',
    500,
  );
  t.match(await ask('{ get(id: 1) }'), { errors: [{ extensions: { soap: { detail: { Failed: { code: 1 } } } } }] });
});

t.test('an ExceptionDetail of .NET that the WSDL declares is passed on, without its stack trace', async (t) => {
  const [from, to] = ['<xs:complexType name="Detail">', '</xs:complexType>'];
  const detail = `${from}<xs:sequence>${['Message', 'StackTrace', 'Type'].map((name) => `<xs:element name="${name}" type="xs:string" minOccurs="0" nillable="true"/>`).join('')}<xs:element name="InnerException" type="t:Detail" minOccurs="0"/></xs:sequence>${to}`;
  const wsdl = (fault: string): string =>
    wsdlWith({
      types: schemaWith(`${detail}${fault}`),
      messages: `<message name="In"><part name="p" element="t:Get"/></message><message name="Out"><part name="p" element="t:GetResponse"/></message><message name="F"><part name="f" element="t:${/<xs:element name="(\w+)"/.exec(fault)?.[1]}"/></message>`,
      portType:
        '<portType name="P"><operation name="Get"><input message="t:In"/><output message="t:Out"/><fault name="F" message="t:F"/></operation></portType>',
      binding: `<binding name="B" type="t:P"><soap:binding transport="http://schemas.xmlsoap.org/soap/http"/><operation name="Get"><soap:operation soapAction=""/><input><soap:body use="literal"/></input><output><soap:body use="literal"/></output><fault name="F"><soap:fault name="F" use="literal"/></fault></operation></binding>`,
    });
  const trace = '<d:StackTrace>at Secret.Db()</d:StackTrace>';
  const own = (inner: string): string =>
    `<d:ExceptionDetail xmlns:d="urn:t"><d:Message>no stock</d:Message>${trace}<d:Type>E</d:Type>${inner}</d:ExceptionDetail>`;
  const exception = own(`<d:InnerException><d:Message>deep</d:Message>${trace}</d:InnerException>`);
  const inside = (element: string): string =>
    `<xs:element name="Failed"><xs:complexType><xs:sequence><xs:element name="no" type="xs:int"/>${element}</xs:sequence></xs:complexType></xs:element>`;
  const failed = `<d:Failed xmlns:d="urn:t"><d:no>7</d:no>${exception}</d:Failed>`;
  for (const [fault, sent, isDeclared] of [
    ['<xs:element name="ExceptionDetail" type="t:Detail"/>', exception, true],
    [inside('<xs:element name="ExceptionDetail" type="t:Detail" minOccurs="0"/>'), failed, true],
    [inside('<xs:any minOccurs="0"/>'), failed, false],
    ['<xs:element name="Other" type="t:Detail"/>', exception, false],
  ] as const) {
    const directory = t.testdir({ 'a.wsdl': wsdl(fault) });
    const operations = '{ Get: { field: Query.get } }';
    const { backend, gateway, ask } = await startDesk(t, '1.1', { wsdl: `${directory}/a.wsdl`, operations });
    backend.answer = answerWith(envelope(faultWith(sent, '1.1'), '1.1'), undefined, 500);
    const call = await postSoap(
      `${gateway.url}/soap/desk`,
      envelope('<t:Get xmlns:t="urn:t"><t:id>1</t:id></t:Get>', '1.1'),
    );
    for (const text of [await call.text(), JSON.stringify(await ask('{ get(id: 1) }'))]) {
      t.equal(text.includes('no stock'), isDeclared, `${fault}: ${text}`);
      t.equal(text.includes('deep'), isDeclared);
      t.notMatch(text, 'Secret.Db');
    }
  }
});
