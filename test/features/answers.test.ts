import t from 'tap';
import { desk, envelope, FIELDS, graphql, startDesk } from '../acceptance/desk.js';
import { errorWith } from '../kit/answers.js';
import { answerWith } from '../kit/backend.js';
import { MEDIA, postSoap, type Version } from '../kit/envelope.js';
import { useService } from '../kit/use.js';

const FAULTS: Readonly<Record<Version, string>> = {
  '1.1': '<S:Fault><faultcode>S:Server</faultcode><faultstring>no</faultstring></S:Fault>',
  '1.2':
    '<S:Fault><S:Code><S:Value>S:Receiver</S:Value></S:Code><S:Reason>' +
    '<S:Text xml:lang="en">no</S:Text></S:Reason></S:Fault>',
};

const INVALID = errorWith('UPSTREAM_INVALID_RESPONSE');

/** A desk with an operation whose output message has no parts, and a one-way operation. */
const parted = (version: Version): string => {
  const soap = version === '1.1' ? 'soap' : 'soap12';
  const bound = (name: string, output: string): string =>
    `<operation name="${name}"><${soap}:operation soapAction="urn:${name}"/><input>` +
    `<${soap}:body use="literal"/></input>${output}</operation>`;
  return desk({
    version,
    types:
      '<xs:element name="Broken"><xs:complexType><xs:sequence>' +
      '<xs:element name="code" type="xs:int"/></xs:sequence></xs:complexType></xs:element>',
    messages:
      '<message name="Nothing"/><message name="Broken">' +
      '<part name="p" element="t:Broken"/></message>',
  })
    .replace(
      '</portType>',
      `<operation name="Reset"><input message="t:In"/><output message="t:Nothing"/>\
<fault name="Broken" message="t:Broken"/></operation>
       <operation name="Clear"><input message="t:In"/><output message="t:Nothing"/></operation>
       <operation name="Notify"><input message="t:In"/></operation></portType>`,
    )
    .replace(
      '</binding>',
      `${bound(
        'Reset',
        `<output><${soap}:body use="literal"/></output><fault name="Broken">\
<${soap}:fault name="Broken" use="literal"/></fault>`,
      )}
       ${bound('Clear', `<output><${soap}:body use="literal"/></output>`)}\
${bound('Notify', '')}</binding>`,
    );
};

const OPERATIONS =
  '    operations: { Get: { field: Query.get }, Reset: { field: Mutation.reset, faults: ' +
  'union }, Clear: { field: Mutation.clear }, Notify: { field: Mutation.notify } }\n';

for (const version of ['1.1', '1.2'] as const) {
  t.test(`a message without parts is an empty Body (${version})`, async (t) => {
    const { ask } = await startDesk(t, parted(version), OPERATIONS, version);
    t.same(await ask('mutation { clear(id: 1) }', ''), { data: { clear: true } });
    const union =
      'mutation { reset(id: 1) { __typename ... on ResetPayload { value } ... ' +
      'on Broken { code } } }';
    t.same(await ask(union, ''), { data: { reset: { __typename: 'ResetPayload', value: true } } });
    t.match(await ask('{ get(id: 1) }', ''), INVALID);
  });

  t.test(`a one-way operation has not been done because 200 was said (${version})`, async (t) => {
    const { backend, gateway, ask } = await startDesk(t, parted(version), OPERATIONS, version);
    const notify = 'mutation { notify(id: 1) }';
    const done = { data: { notify: true } };
    t.match(await ask(notify, FAULTS[version]), {
      data: null,
      errors: [{ message: 'no', extensions: { code: 'SOAP_FAULT' } }],
    });
    t.same(await ask(notify, ''), done);
    t.same(await ask(notify, '<t:GetResponse/>'), done);
    backend.answer = answerWith('<html>log in</html>', 'text/html');
    t.match(await graphql(gateway, notify), INVALID);
    backend.answer = answerWith('<html>log in</html>', MEDIA[version]);
    t.match(await graphql(gateway, notify), INVALID);
    backend.answer = answerWith(envelope('<t:GetResponse>', version), MEDIA[version]);
    t.match(await graphql(gateway, notify), INVALID);
    backend.answer = answerWith('<html>accepted</html>', 'text/html', 202);
    t.same(await graphql(gateway, notify), done);
    backend.answer = answerWith('', 'text/html', 200);
    t.same(await graphql(gateway, notify), done);
  });
}

t.test(
  'an operation without a result is done once a status of success comes without content',
  async (t) => {
    const operations =
      '    operations: { Get: { field: Query.get }, Clear: { field: Mutation.clear }, Reset: ' +
      '{ field: Mutation.reset, oneWay: true } }\n';
    const { backend, gateway } = await startDesk(t, parted('1.1'), operations);
    for (const status of [200, 202, 204]) {
      backend.answer = answerWith('', 'text/xml', status);
      t.same(
        await graphql(gateway, 'mutation { clear(id: 1) }'),
        { data: { clear: true } },
        `${status}`,
      );
      t.same(
        await graphql(gateway, 'mutation { reset(id: 1) }'),
        { data: { reset: true } },
        `one-way, ${status}`,
      );
      t.match(await graphql(gateway, '{ get(id: 1) }'), INVALID);
    }
    backend.answer = answerWith('', 'text/xml', 500);
    t.match(await graphql(gateway, 'mutation { clear(id: 1) }'), INVALID);
  },
);

t.test(
  'a one-way operation without a WSDL is done once a status of success comes without content',
  async (t) => {
    const { ask, backend } = await useService(
      t,
      answerWith(''),
      (url) => `services:
  desk:
    url: ${url}
    namespace: urn:t
    types: |
      type Query { isOpen(no: Int!): Boolean }
      type Mutation { notify(no: Int!): Boolean, send(no: Int!): Boolean!, place(no: Int!): String }
    operations:
      IsOpen: { field: Query.isOpen }
      Notify: { field: Mutation.notify }
      Send: { field: Mutation.send, oneWay: true }
      Place: { field: Mutation.place }
`,
    );
    for (const status of [200, 202, 204]) {
      backend.answer = answerWith('', 'text/xml', status);
      t.same(await ask('mutation { notify(no: 1) send(no: 1) }'), {
        data: { notify: true, send: true },
      });
      t.match(await ask('mutation { place(no: 1) }'), INVALID, 'a result is missing');
      t.match(await ask('{ isOpen(no: 1) }'), INVALID, 'of a query the Boolean is the result');
    }
    backend.answer = answerWith('<html>accepted</html>', 'text/html', 202);
    t.same(await ask('mutation { send(no: 1) }'), { data: { send: true } });
  },
);

const OPEN = `
<xs:complexType name="Record"><xs:sequence><xs:element name="type" type="xs:string"/>
  <xs:element name="gone" type="xs:string" nillable="true" minOccurs="0" maxOccurs="unbounded"/>
  <xs:element name="Id" type="xs:string" nillable="true"/><xs:element name="tags" type="t:Tags" \
minOccurs="0"/>
  <xs:any namespace="##targetNamespace" minOccurs="0" maxOccurs="unbounded" processContents="lax"/>\
</xs:sequence></xs:complexType>
<xs:complexType name="Tags"><xs:sequence><xs:element name="tag" type="xs:string" \
maxOccurs="unbounded"/></xs:sequence></xs:complexType>
<xs:complexType name="Local"><xs:sequence><xs:element name="id" type="xs:int"/>
  <xs:any namespace="##local" processContents="lax" minOccurs="0" maxOccurs="unbounded"/>\
</xs:sequence></xs:complexType>
<xs:complexType name="Unqualified"><xs:sequence><xs:element name="id" form="unqualified" \
type="xs:int" minOccurs="0"/>
  <xs:any namespace="##targetNamespace" processContents="lax" minOccurs="0" maxOccurs="unbounded"/>\
</xs:sequence></xs:complexType>
<xs:complexType name="Other"><xs:sequence><xs:element name="id" type="xs:int"/>
  <xs:any namespace="##other" processContents="lax" minOccurs="0" maxOccurs="unbounded"/>\
</xs:sequence></xs:complexType>`;

t.test(
  'what xs:any lets in is its own, even under a name that an element beside it has',
  async (t) => {
    const reply = ['Record', 'Local', 'Unqualified', 'Other']
      .map((type) => `<xs:element name="${type.toLowerCase()}" type="t:${type}" minOccurs="0"/>`)
      .join('');
    const { ask } = await startDesk(t, desk({ types: OPEN, reply }), FIELDS);
    const t1 = 'xmlns="urn:t"';
    const read = async (query: string, body: string): Promise<unknown> => {
      const selection = query.replace(/\bany\b/g, 'any { xml }');
      const { data, errors } = await ask(
        `{ get { ${selection} } }`,
        `<t:GetResponse>${body}</t:GetResponse>`,
      );
      return errors === undefined
        ? data?.['get']
        : errors.map(({ path, message }) => `${path?.join('.')}: ${message}`);
    };
    // Replies of Salesforce have the Id of a record twice.
    const twice =
      '<t:record><t:type>A</t:type><t:Id>1</t:Id><t:Id>2</t:Id><t:type>B</t:type><t:tags/>' +
      '<t:tags>x</t:tags><t:Name>n</t:Name></t:record>';
    const rest = [
      `<Id ${t1}>2</Id>`,
      `<type ${t1}>B</type>`,
      `<tags ${t1}>x</tags>`,
      `<Name ${t1}>n</Name>`,
    ].map((xml) => ({ xml }));
    t.same(await read('record { type id tags any }', twice), {
      record: { type: 'A', id: '1', tags: [], any: rest },
    });
    t.same(
      await read('record { any }', twice),
      { record: { any: rest } },
      'whatever is asked for besides',
    );
    t.same(await read('record { a: any b: any again: id id }', twice), {
      record: { a: rest, b: rest, again: '1', id: '1' },
    });
    t.same(await read('record { type id gone tags }', twice), {
      record: { type: 'A', id: '1', gone: [], tags: [] },
    });
    const nil =
      '<t:record><t:type>A</t:type><t:gone>x</t:gone><t:gone/><t:Id xsi:nil="true"/>' +
      '<t:Id>1</t:Id></t:record>';
    t.same(await read('record { id any gone }', nil), {
      record: { id: null, any: [{ xml: `<Id ${t1}>1</Id>` }], gone: ['x', ''] },
    });

    const local = '<t:local><t:id>1</t:id><id>zz</id><other/></t:local>';
    t.same(await read('local { id any }', local), {
      local: { id: 1, any: [{ xml: '<id>zz</id>' }, { xml: '<other/>' }] },
    });
    t.same(await read('local { any }', local), {
      local: { any: [{ xml: '<id>zz</id>' }, { xml: '<other/>' }] },
    });
    const qualified = '<t:unqualified><t:id>zz</t:id></t:unqualified>';
    t.same(await read('unqualified { id any }', qualified), {
      unqualified: { id: null, any: [{ xml: `<id ${t1}>zz</id>` }] },
    });
    t.same(await read('unqualified { id }', qualified), { unqualified: { id: null } });
    // Stacks that disagree about qualification are read where nothing else can be meant.
    t.same(await read('other { id any }', '<t:other><id>1</id></t:other>'), {
      other: { id: 1, any: [] },
    });
    t.match(await read('other { id any }', '<t:other><t:id>1</t:id><t:id>2</t:id></t:other>'), [
      /^get.other.id: .*more than once/,
    ]);
  },
);

t.test('a mixed type derived from one that is not is read by its fields and as XML', async (t) => {
  const types = `<xs:complexType name="Line" abstract="true"><xs:sequence/></xs:complexType>
    <xs:complexType name="Rich" mixed="true"><xs:complexContent><xs:extension base="t:Line">\
<xs:sequence><xs:element name="b" type="xs:string" minOccurs="0"/></xs:sequence>
      <xs:attribute name="q"/><xs:attribute name="xml" type="xs:int"/></xs:extension>\
</xs:complexContent></xs:complexType>
    <xs:complexType name="Flat"><xs:complexContent><xs:extension base="t:Line"><xs:sequence>\
<xs:element name="n" type="xs:int"/></xs:sequence></xs:extension>\
</xs:complexContent></xs:complexType>`;
  const lines = '<xs:element name="line" type="t:Line" minOccurs="0" maxOccurs="4"/>';
  const wsdl = desk({ types, reply: lines, request: lines });
  const { ask, sent } = await startDesk(t, wsdl, FIELDS);
  const body =
    '<t:line xsi:type="t:Rich" q="1">x<t:b>bold</t:b>y</t:line>' +
    '<t:line xsi:type="t:Flat"><t:n>1</t:n></t:line>';
  const query =
    '{ get(line: []) { __typename ... on Rich { q b text xml xmlElement } ... on Flat { n } } }';
  const { data, errors } = await ask(query, `<t:GetResponse>${body}</t:GetResponse>`);
  t.same(errors, undefined);
  const { get } = data as { get: Record<string, unknown>[] };
  const [rich, flat] = get;
  t.match(rich, {
    __typename: 'Rich',
    q: '1',
    b: 'bold',
    text: 'xy',
    xml: null,
    xmlElement: /^<line xmlns="urn:t"[^>]*>x<b>bold<\/b>y<\/line>$/,
  });
  t.same(flat, { __typename: 'Flat', n: 1 });
  const back = 'query($xml: XML!) { get(line: [{ rich: { xmlElement: $xml } }]) { __typename } }';
  const again = await ask(back, '<t:GetResponse/>', { xml: rich?.['xmlElement'] });
  t.same(again.errors, undefined);
  t.match(sent(), /q="1"[^>]*>x<(\w+:)?b>bold<\/(\w+:)?b>y</);
});

/** A desk in rpc style whose Fault has a part with a type. */
const rpcDesk = (use: 'literal' | 'encoded'): string => {
  const body = (kind: string, namespace: string): string =>
    `<soap:${kind} use="${use}" namespace="${namespace}" ` +
    'encodingStyle="http://schemas.xmlsoap.org/soap/encoding/"/>';
  return `<definitions targetNamespace="urn:t" xmlns="http://schemas.xmlsoap.org/wsdl/" \
xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/"
 xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:t="urn:t"><types>\
<xs:schema targetNamespace="urn:t">
<xs:complexType name="Problem"><xs:sequence><xs:element name="code" type="xs:long"/></xs:sequence>\
</xs:complexType></xs:schema></types>
<message name="In"><part name="n" type="xs:int"/></message><message name="Out">\
<part name="r" type="xs:int"/></message>
<message name="Broken"><part name="problem" type="t:Problem"/></message>
<portType name="P"><operation name="Get"><input message="t:In"/><output message="t:Out"/>\
<fault name="BrokenFault" message="t:Broken"/></operation></portType>
<binding name="B" type="t:P"><soap:binding style="rpc" \
transport="http://schemas.xmlsoap.org/soap/http"/><operation name="Get">\
<soap:operation soapAction="urn:Get"/>
<input>${body('body', 'urn:r')}</input><output>${body('body', 'urn:r')}</output>\
<fault name="BrokenFault">${body('fault name="BrokenFault"', 'urn:f')}</fault></operation></binding>
<service name="S"><port name="Soap" binding="t:B">\
<soap:address location="http://internal.example/desk"/></port></service></definitions>`;
};

for (const use of ['literal', 'encoded'] as const) {
  t.test(`Faults of rpc are read by their type, as stacks write them (${use})`, async (t) => {
    const asData = await startDesk(
      t,
      rpcDesk(use),
      '    operations: { Get: { field: Query.get, faults: union } }\n',
    );
    const asErrors = await startDesk(t, rpcDesk(use), FIELDS);
    const told = async (entry: string, beside = ''): Promise<unknown> => {
      const body =
        '<S:Fault><faultcode>S:Server</faultcode><faultstring>no</faultstring>' +
        `<detail xmlns:f="urn:f">${entry}</detail></S:Fault>${beside}`;
      const union = await asData.ask('{ get(n: 1) { __typename ... on Problem { code } } }', body);
      const error = await asErrors.ask('{ get(n: 1) }', body);
      const soap = error.errors?.[0]?.extensions['soap'] as { detail?: unknown } | undefined;
      return [union.data?.['get'] ?? union.errors?.[0]?.extensions['code'], soap?.detail];
    };
    const is = (code: string, name: string): unknown => [
      { __typename: 'Problem', code },
      { [name]: { code } },
    ];
    t.same(
      await told('<problem><code>9007199254740993</code></problem>'),
      is('9007199254740993', 'problem'),
    );
    t.same(
      await told('<BrokenFault xsi:type="t:Problem"><code>4</code></BrokenFault>'),
      is('4', 'BrokenFault'),
    );
    t.same(
      await told('<f:BrokenFault> <problem><code>3</code></problem><x/> </f:BrokenFault>'),
      is('3', 'BrokenFault'),
    );
    t.same(await told('<f:BrokenFault><x><problem><code>3</code></problem></x></f:BrokenFault>'), [
      // Members of encoded structs may be absent, so that any content is a Problem.
      use === 'literal' ? 'SOAP_FAULT' : { __typename: 'Problem', code: null },
      { BrokenFault: { x: { problem: { code: '3' } } } },
    ]);
    if (use === 'literal') return;
    const other =
      '<multiRef id="1" xsi:type="t:Problem"><code href="#2"/></multiRef>' +
      '<multiRef id="2">7</multiRef>';
    t.same(await told('<problem href="#1"/>', other), is('7', 'problem'));
    t.same(
      await told('<f:BrokenFault><problem href="#1"/></f:BrokenFault>', other),
      is('7', 'BrokenFault'),
    );
    t.match(await told('<problem href="#9"/>', other), ['SOAP_FAULT']);
    // Whose detail it is nobody knows, so that callers of SOAP are not told it.
    const { backend, gateway } = asErrors;
    const fault =
      '<S:Fault><faultcode>S:Server</faultcode><faultstring>no</faultstring><detail>' +
      '<problem href="#1"/></detail></S:Fault>';
    backend.answer = answerWith(
      envelope(`${fault}<multiRef id="1"><secret/></multiRef>`),
      MEDIA['1.1'],
      500,
    );
    const response = await postSoap(
      `${gateway.url}/soap/desk`,
      envelope('<r:Get xmlns:r="urn:r"><n>1</n></r:Get>'),
      {
        soapaction: 'urn:Get',
      },
    );
    const text = await response.text();
    t.match(
      text,
      /<faultstring>no<\/faultstring><detail><problem href="#1"\/><\/detail><\/S:Fault><\/S:Body>/,
    );
    t.equal(response.status, 500);
  });
}
