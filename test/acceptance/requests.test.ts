import t, { type Test } from 'tap';
import { problemsOf } from '../kit/configuration.js';
import { askGraphql, askText } from '../kit/graphql-client.js';
import { element as el } from '../kit/wsdl.js';
import { HAS_XMLLINT, lint } from '../kit/xmllint.js';
import { type Desk, desk, startDesk, unstartedDesk } from './desk.js';

/**
 * Cases 7, 12, 15, 16, 17: what is written into requests, validated by xmllint where it is there.
 */

const many = 'minOccurs="0" maxOccurs="unbounded"';
const maybe = 'minOccurs="0"';

const schemaOf = (types: string, request: string): string =>
  `<xs:schema targetNamespace="urn:t" elementFormDefault="qualified" \
xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:t="urn:t">
<xs:element name="Get"><xs:complexType><xs:sequence>${request}</xs:sequence></xs:complexType>\
</xs:element>
<xs:element name="GetResponse"><xs:complexType><xs:sequence>\
<xs:element name="result" type="xs:string" minOccurs="0"/></xs:sequence></xs:complexType>\
</xs:element>
${types}</xs:schema>`;

async function startWriter(t: Test, types: string, request: string) {
  const schema = schemaOf(types, request);
  const started = await startDesk(t, desk({ schemas: schema }));
  const ask = (args: string, variables = {}, declared = '') =>
    started.ask(
      `query ${declared} { get(${args}) }`,
      '<t:GetResponse><t:result>ok</t:result></t:GetResponse>',
      variables,
    );
  return {
    desk: started,
    /**
     * What stands in the request's element, with `t` for its namespace; valid, or the test fails.
     */
    async written(args: string, variables?: Readonly<Record<string, unknown>>, declared?: string) {
      const answer = await ask(args, variables, declared);
      t.same(answer, { data: { get: 'ok' } });
      const body = bodyOf(started.backend.complete.at(-1)?.body.toString() ?? '');
      if (HAS_XMLLINT) t.same(lint(schema, [body]), [null], body);
      return /^<t:Get[^>]*?(?:\/>|>(.*)<\/t:Get>)$/s.exec(body)?.[1] ?? '';
    },
    /** The first error's message. */
    async refused(args: string, variables?: Readonly<Record<string, unknown>>, declared?: string) {
      const before = started.backend.complete.length;
      const { errors } = await ask(args, variables, declared);
      t.equal(started.backend.complete.length, before, 'nothing was sent');
      t.equal(errors?.[0]?.extensions['code'], 'BAD_USER_INPUT');
      return errors?.[0]?.message ?? '';
    },
  };
}

/** The child of Body as a document of its own, the usual prefix in place of ours. */
function bodyOf(text: string): string {
  const [, declared = '', name = '', rest = ''] =
    /<s:Envelope([^>]*)>.*<s:Body><([^\s>/]+)(.*)<\/s:Body>/s.exec(text) ?? [];
  const prefix = /xmlns:(\w+)="urn:t"/.exec(declared)?.[1] ?? '';
  const document = `<${name}${declared.replace(/ xmlns:s="[^"]*"/, '')}${rest}`;
  return document.replace(new RegExp(`(</?|xmlns:|xsi:type="|>)${prefix}([:=])`, 'g'), '$1t$2');
}

t.test('case 12: requests distinguish absent, null, empty and nil', async (t) => {
  const { written, refused } = await startWriter(
    t,
    `<xs:complexType name="Tags"><xs:sequence>${el('tag', 'xs:string', `${many} nillable="true"`)}\
</xs:sequence></xs:complexType>
<xs:complexType name="Nothing"/>`,
    el('s', 'xs:string', maybe) +
      el('n', 'xs:int', 'minOccurs="0" nillable="true"') +
      el('r', 'xs:string', 'nillable="true"') +
      el('tags', 't:Tags', maybe) +
      el('flag', 't:Nothing', maybe) +
      el('sure', 't:Nothing'),
  );
  const end = '<t:sure/>';
  t.equal(await written('r: "x"'), `<t:r>x</t:r>${end}`, 'what is absent is not written');
  t.equal(await written('r: "", s: ""'), `<t:s/><t:r/>${end}`, 'an empty text is an empty element');
  t.equal(
    await written('s: null, n: null, r: null'),
    `<t:n xsi:nil="true"/><t:r xsi:nil="true"/>${end}`,
  );
  t.equal(
    await written('tags: []'),
    `<t:r xsi:nil="true"/><t:tags/>${end}`,
    'a list that is there and empty',
  );
  t.equal(
    await written('r: "x", tags: ["a", null, ""]'),
    `<t:r>x</t:r><t:tags><t:tag>a</t:tag><t:tag xsi:nil="true"/><t:tag/></t:tags>${end}`,
  );
  t.equal(await written('r: "x", tags: null, flag: true'), `<t:r>x</t:r><t:flag/>${end}`);
  t.match(await refused('flag: false'), 'flag: must be true or left out');
});

t.test('case 15: attributes and simple content are written in one stable shape', async (t) => {
  const { written, refused } = await startWriter(
    t,
    `<xs:complexType name="Price"><xs:simpleContent><xs:extension base="xs:decimal">
<xs:attribute name="currency" type="xs:string" use="required"/>\
<xs:attribute name="kind" type="xs:string" fixed="net" use="required"/>
<xs:attribute name="note" type="xs:string"/><xs:attribute name="scheme" type="xs:string" \
fixed="x"/></xs:extension></xs:simpleContent></xs:complexType>
<xs:complexType name="Free"><xs:simpleContent><xs:restriction base="t:Price">\
<xs:attribute name="note" use="prohibited"/></xs:restriction></xs:simpleContent></xs:complexType>`,
    el('price', 't:Price') + el('free', 't:Free', maybe),
  );
  t.equal(
    await written('price: { price: { value: "1.50", currency: "EUR", note: "a\\"<" } }'),
    '<t:price currency="EUR" kind="net" note="a&quot;&lt;">1.50</t:price>',
  );
  t.match(
    await refused('price: { price: { value: "x", currency: "EUR" } }'),
    'price.price.value: must be',
  );
});

const SHAPES = `
<xs:complexType name="Part"><xs:sequence>${el('sku', 'xs:string')}</xs:sequence>\
<xs:attribute name="no" type="xs:int"/></xs:complexType>
<xs:complexType name="Engine"><xs:complexContent><xs:extension base="t:Part"><xs:sequence>\
${el('power', 'xs:int')}${el('parts', 't:Part', many)}</xs:sequence></xs:extension>\
</xs:complexContent></xs:complexType>
<xs:complexType name="Turbo"><xs:complexContent><xs:extension base="t:Engine"><xs:sequence>\
${el('boost', 'xs:int', maybe)}</xs:sequence></xs:extension></xs:complexContent></xs:complexType>
<xs:complexType name="Shape" abstract="true"/>
<xs:complexType name="Circle"><xs:complexContent><xs:extension base="t:Shape"><xs:sequence>\
${el('radius', 'xs:int')}</xs:sequence></xs:extension></xs:complexContent></xs:complexType>
<xs:complexType name="Dot"><xs:complexContent><xs:extension base="t:Shape"/>\
</xs:complexContent></xs:complexType>`;

t.test(
  'case 16: elements follow the schema through the whole chain of extension, base first',
  async (t) => {
    const { written } = await startWriter(t, SHAPES, el('part', 't:Part'));
    t.equal(
      await written('part: { turbo: { boost: 3, power: 2, no: 7, sku: "a" } }'),
      '<t:part xsi:type="t:Turbo" no="7"><t:sku>a</t:sku><t:power>2</t:power>' +
        '<t:boost>3</t:boost></t:part>',
    );
  },
);

t.test('case 16: a repeated choice keeps the order of the caller', async (t) => {
  const { written, refused } = await startWriter(
    t,
    `<xs:complexType name="Journal"><xs:choice maxOccurs="unbounded">${el('debit', 'xs:int')}\
${el('credit', 'xs:int')}<xs:sequence>${el('from', 'xs:int')}${el('to', 'xs:int')}</xs:sequence>\
</xs:choice></xs:complexType>
<xs:complexType name="Pairs"><xs:sequence minOccurs="2" maxOccurs="3">${el('k', 'xs:string')}\
${el('v', 'xs:string', maybe)}</xs:sequence></xs:complexType>
<xs:element name="pet" type="xs:string" abstract="true"/><xs:element name="cat" type="xs:string" \
substitutionGroup="t:pet"/><xs:element name="dog" type="xs:string" substitutionGroup="t:pet"/>`,
    `${el('journal', 't:Journal', maybe) + el('pairs', 't:Pairs', maybe)}` +
      `<xs:element ref="t:pet" ${many}/>`,
  );
  t.equal(
    await written(
      'journal: { items: [{ debit: 1 }, { credit: 2 }, { from: 3, to: 4 }, { debit: 5 }] }',
    ),
    '<t:journal><t:debit>1</t:debit><t:credit>2</t:credit><t:from>3</t:from><t:to>4</t:to>' +
      '<t:debit>5</t:debit></t:journal>',
  );
  t.equal(
    await written('pairs: { items: [{ k: "a" }, { k: "b", v: "c" }] }'),
    '<t:pairs><t:k>a</t:k><t:k>b</t:k><t:v>c</t:v></t:pairs>',
  );
  t.equal(
    await written('items: [{ dog: "a" }, { cat: "b" }, { dog: "c" }]'),
    '<t:dog>a</t:dog><t:cat>b</t:cat><t:dog>c</t:dog>',
    'members of a substitution group too',
  );
  t.match(
    await refused('journal: { items: [{ debit: 1 }, { from: 3 }] }'),
    'journal.items[1]: to must be provided with from',
  );
  t.match(
    await refused('journal: { items: [{ debit: 1, credit: 3 }] }'),
    'only one may be provided of debit, credit, (from, to)',
  );
  t.match(
    await refused('pairs: { items: [{ k: "a" }] }'),
    'pairs.items: must have at least 2 items',
  );
  t.match(await refused('journal: { items: [] }'), 'journal.items: must have at least one item');
});

t.test(
  'case 17: derived types are named by xsi:type, and an abstract one is never written',
  async (t) => {
    const { written, desk: started } = await startWriter(
      t,
      SHAPES,
      el('part', 't:Part', maybe) + el('shape', 't:Shape', maybe),
    );
    t.equal(
      await written('part: { part: { sku: "a" } }'),
      '<t:part><t:sku>a</t:sku></t:part>',
      'the declared one needs no name',
    );
    t.equal(
      await written(
        'part: { engine: { sku: "a", power: 1, parts: [{ part: { sku: "b" } }, { engine: ' +
          '{ sku: "c", power: 2 } }] } }',
      ),
      '<t:part xsi:type="t:Engine"><t:sku>a</t:sku><t:power>1</t:power><t:parts>' +
        '<t:sku>b</t:sku></t:parts>' +
        '<t:parts xsi:type="t:Engine"><t:sku>c</t:sku><t:power>2</t:power></t:parts></t:part>',
    );
    t.equal(
      await written('shape: { circle: { radius: 1 } }'),
      '<t:shape xsi:type="t:Circle"><t:radius>1</t:radius></t:shape>',
    );
    t.equal(
      await written('shape: { dot: true }'),
      '<t:shape xsi:type="t:Dot"/>',
      'a type without content',
    );
    const invalid = await started.ask('{ get(shape: { shape: { } }) }', '');
    t.equal(invalid.errors?.[0]?.extensions['code'], 'GRAPHQL_VALIDATION_FAILED');
    const both = await started.ask('query ($s: ShapeOneOfInput) { get(shape: $s) }', '', {
      s: { circle: { radius: 1 }, dot: true },
    });
    t.equal(both.errors?.[0]?.extensions['code'], 'BAD_USER_INPUT');
    t.match(both.errors?.[0]?.message, 'must have exactly one');
  },
);

t.test(
  'a type that is a choice takes exactly one; a choice inside a sequence is checked',
  async (t) => {
    const {
      written,
      refused,
      desk: started,
    } = await startWriter(
      t,
      `<xs:complexType name="Contact"><xs:choice>${el('mail', 'xs:string')}` +
        `${el('phone', 'xs:string', 'maxOccurs="2"')}</xs:choice></xs:complexType>`,
      el('contact', 't:Contact', maybe) +
        `<xs:choice>${el('card', 'xs:string')}<xs:sequence>${el('iban', 'xs:string')}\
${el('bic', 'xs:string', maybe)}</xs:sequence></xs:choice>
<xs:choice minOccurs="0">${el('a', 'xs:int')}${el('b', 'xs:int')}</xs:choice>
<xs:sequence minOccurs="0">${el('lat', 'xs:int')}${el('long', 'xs:int')}</xs:sequence>`,
    );
    t.match(await sdlOf(started, 'ContactInput'), { isOneOf: true });
    const args = '{ __schema { queryType { fields { args { name description } } } } }';
    const { data } = await started.ask(args, '');
    t.match(
      JSON.stringify(data),
      '{"name":"iban","description":"Exactly one of card, (iban, bic)."}',
    );
    t.match(JSON.stringify(data), '{"name":"b","description":"At most one of a, b."}');
    t.equal(
      await written('card: "1", contact: { phone: ["1", "2"] }'),
      '<t:contact><t:phone>1</t:phone><t:phone>2</t:phone></t:contact><t:card>1</t:card>',
    );
    t.equal(
      await written('bic: "x", iban: "y", b: 2'),
      '<t:iban>y</t:iban><t:bic>x</t:bic><t:b>2</t:b>',
    );
    t.match(
      await refused('a: 1'),
      'An argument has no valid value. Of the arguments one must be provided of card, (iban, bic)',
    );
    t.match(await refused('card: "1", bic: "x"'), 'only one may be provided of card, (iban, bic)');
    t.match(await refused('bic: "x"'), 'iban must be provided with bic');
    t.match(await refused('card: "1", a: 1, b: 2'), 'only one may be provided of a, b');
    t.match(await refused('card: "1", lat: 1'), 'long must be provided with lat');
    t.match(
      await refused('card: "1", contact: { phone: ["1", "2", "3"] }'),
      'contact.phone: must have at most 2 items',
    );
  },
);

async function sdlOf({ gateway }: Desk, type: string): Promise<unknown> {
  const { data } = await askGraphql(
    gateway.url,
    `{ __type(name: "${type}") { isOneOf inputFields { name } } }`,
  );
  return data?.['__type'];
}

t.test('content that is not modelled is written from XML, which is data and no more', async (t) => {
  const { written, refused } = await startWriter(
    t,
    '<xs:complexType name="Rich" mixed="true"><xs:sequence><xs:any processContents="skip" ' +
      `${many}/></xs:sequence></xs:complexType>`,
    el('rich', 't:Rich', maybe) +
      el('thing', 'xs:anyType', maybe) +
      `<xs:any processContents="skip" namespace="##other" ${many}/>`,
  );
  const xml = (text: string) => written('rich: { xml: $x }', { x: text }, '($x: XML)');
  const not = (text: string) => refused('rich: { xml: $x }', { x: text }, '($x: XML)');
  t.equal(await xml('a < b & c'), '<t:rich>a &lt; b &amp; c</t:rich>', 'text');
  t.equal(
    await xml('<q:rich xmlns:q="urn:t">a <b c="&lt;">&#x41;<![CDATA[<]]></b><!-- x --></q:rich>'),
    '<t:rich>a <b c="&lt;">A&lt;</b></t:rich>',
    'an element, whatever its prefixes',
  );
  t.equal(
    await written(
      'thing: { xml: $x }',
      {
        x:
          '<thing xmlns="urn:t" xmlns:i="http://www.w3.org/2001/XMLSchema-instance" ' +
          'xmlns:x="http://www.w3.org/2001/XMLSchema" i:type="x:int">5</thing>',
      },
      '($x: XML)',
    ),
    '<t:thing xmlns:xsd="http://www.w3.org/2001/XMLSchema" xsi:type="xsd:int">5</t:thing>',
  );
  const any = await written(
    'any: $x',
    { x: [{ xml: '<e xmlns="urn:e"/>' }, { xml: '<f xmlns="urn:f" g="1"><h xmlns=""/></f>' }] },
    '($x: [AnyValueInput!])',
  );
  t.match(any, /^<n\d:e\/><n\d:f g="1"><h\/><\/n\d:f>$/);
  const fields = await written(
    'rich: { text: "a < b", any: [{ name: "i", value: "c" }, { name: "{urn:e}e", value: "" }] }',
  );
  t.match(fields, /^<t:rich>a &lt; b<i>c<\/i><n\d:e\/><\/t:rich>$/, 'by its fields');
  t.match(
    await refused('rich: { xml: "<rich xmlns=\'urn:t\'/>", text: "x" }'),
    'must have nothing beside xml',
  );
  t.match(await not('<b>bold</b>'), 'rich.xml: must be an element rich in the namespace urn:t');
  t.match(await not('<rich xmlns="urn:t"></rich><more/>'), 'must be one well-formed XML element');
  t.match(await not('<rich xmlns="urn:t"><a></rich>'), 'must be one well-formed XML element');
  t.match(
    await not(
      '<!DOCTYPE rich [<!ENTITY e SYSTEM "file:///etc/passwd">]><rich xmlns="urn:t">&e;</rich>',
    ),
    'must be one well-formed',
  );
  t.match(await not('<rich xmlns="urn:t"><?php x?></rich>'), 'must be one well-formed');
  t.match(
    await not(`<rich xmlns="urn:t">${'<a>'.repeat(200)}${'</a>'.repeat(200)}</rich>`),
    'longer or deeper than allowed',
  );
  t.match(
    await not(
      '<rich xmlns="urn:t"><x:Body xmlns:x="http://schemas.xmlsoap.org/soap/envelope/"/></rich>',
    ),
    'must not hold names of SOAP',
  );
  t.match(
    await not(
      '<rich xmlns="urn:t">' +
        `${Array.from({ length: 20 }, (_, n) => `<a xmlns="urn:${n}"/>`).join('')}` +
        '</rich>',
    ),
    'more namespaces than allowed',
  );
  t.match(
    await refused('any: $x', { x: [{ xml: 'text' }] }, '($x: [AnyValueInput!])'),
    'any[0].xml: must be one well-formed',
  );
});

t.test('a QName has a prefix that is declared; lists of simple values are lists', async (t) => {
  const { written } = await startWriter(
    t,
    '<xs:simpleType name="Numbers"><xs:list itemType="xs:int"/></xs:simpleType>' +
      '<xs:simpleType name="Names"><xs:list itemType="xs:QName"/></xs:simpleType>' +
      '<xs:complexType name="Named"><xs:attribute name="of" type="t:Names"/></xs:complexType>',
    el('name', 'xs:QName', maybe) +
      el('numbers', 't:Numbers', maybe) +
      el('names', 't:Names', maybe) +
      el('named', 't:Named', maybe),
  );
  t.equal(
    await written('name: "{urn:t}x", numbers: [1, 2, 3]'),
    '<t:name>t:x</t:name><t:numbers>1 2 3</t:numbers>',
  );
  t.equal(await written('name: "x"'), '<t:name>x</t:name>');
  t.match(await written('name: "{urn:other}x"'), /^<t:name>n\d:x<\/t:name>$/);
  t.match(
    await written('names: ["{urn:t}a", "{urn:other}b", "c"]'),
    /^<t:names>t:a n\d:b c<\/t:names>$/,
  );
  t.match(await written('named: { of: ["c", "{urn:other}b"] }'), /^<t:named of="c n\d:b"\/>$/);
});

t.test(
  'values come from constants, secrets and listed header fields, and callers do not see them',
  async (t) => {
    process.env['TEST_SECRET'] = 's3cr3t<&';
    const started = await startDesk(
      t,
      {
        'desk.wsdl': desk({
          schemas: schemaOf(
            `<xs:element name="Auth"><xs:complexType><xs:sequence>${el('user', 'xs:string', maybe)}\
${el('password', 'xs:string')}</xs:sequence><xs:attribute name="tenant" type="xs:string"/>\
</xs:complexType></xs:element>
<xs:element name="Trace" type="xs:string"/>
<xs:complexType name="Order"><xs:sequence>${el('sku', 'xs:string')}${el('channel', 'xs:string')}\
</xs:sequence><xs:attribute name="version" type="xs:int"/></xs:complexType>`,
            el('order', 't:Order') +
              el('tenant', 'xs:int', maybe) +
              el('oldName', 'xs:string', maybe),
          ),
          messages:
            '<message name="A"><part name="a" element="t:Auth"/></message><message name="T">' +
            '<part name="a" element="t:Trace"/></message>',
          input:
            '<soap:header message="t:A" part="a" use="literal"/><soap:header message="t:T" ' +
            'part="a" use="literal"/>',
        }),
        secret: 'file-s3cr3t\n',
      },
      `    callerHeaders: [X-Tenant, x-trace]
    operations:
      Get:
        arguments:
          order/channel: { value: web }
          order/@version: { value: "3" }
          tenant: { header: x-tenant }
          oldName: { name: newName }
        headers:
          Auth/password: { value: "\${TEST_SECRET}" }
          Auth/@tenant: { value: { file: secret } }
          Trace: { header: X-Trace }
`,
    );
    const send = (query: string, headers: Readonly<Record<string, string>> = {}): Promise<string> =>
      askText(started.gateway.url, query, headers);
    await started.ask('{ __typename }', '<t:GetResponse><t:result>ok</t:result></t:GetResponse>');
    const query = '{ get(order: { sku: "a" }, newName: "n") }';
    t.equal(
      await send(query, { 'x-tenant': '7', 'x-trace': '</a>' }),
      '{"data":{"get":"ok"},"extensions":{"cost":{"requestedQueryCost":10,"actualQueryCost":10}}}',
    );
    t.match(
      started.sent(),
      '<s:Header><n1:Auth tenant="file-s3cr3t"><n1:password>s3cr3t&lt;&amp;</n1:password>' +
        '</n1:Auth><n1:Trace>&lt;/a&gt;</n1:Trace></s:Header>' +
        '<s:Body><n1:Get><n1:order version="3"><n1:sku>a</n1:sku><n1:channel>web</n1:channel>' +
        '</n1:order><n1:tenant>7</n1:tenant><n1:oldName>n</n1:oldName></n1:Get></s:Body>',
    );
    await send('{ get(order: { sku: "a" }, headers: { auth: { user: "u" } }) }');
    t.match(
      started.sent(),
      '<n1:Auth tenant="file-s3cr3t"><n1:user>u</n1:user>' +
        '<n1:password>s3cr3t&lt;&amp;</n1:password></n1:Auth></s:Header>',
    );
    t.notMatch(started.sent(), 'tenant>', 'a header field that is not there is not written');
    for (const tenant of ['x', '7\t7', 'a'.repeat(9000)]) {
      const refused = await send(query, { 'x-tenant': tenant });
      t.match(refused, 'tenant: the request header x-tenant ');
      t.notMatch(refused, /s3cr3t/);
    }
    const schema = await send(
      '{ __schema { types { name inputFields { name } fields { name args { name } } } } }',
    );
    t.notMatch(schema, /password|"tenant"|channel|version|s3cr3t|oldName/);
    t.notMatch(JSON.stringify(started.gateway.logLines()), /s3cr3t/);
  },
);

t.test(
  'errors in sources of values are reported with their position and the nearest name',
  async (t) => {
    const mistakes: readonly (readonly [string, RegExp])[] = [
      ['arguments: { ordr/sku: { value: x } }', /no `ordr` to map.*Did you mean `order`/],
      ['arguments: { order/skew: { value: x } }', /no `skew` to map.*Did you mean `sku`/],
      ['arguments: { order: { value: x } }', /Only a single simple value/],
      ['arguments: { count: { value: secret-text } }', /The value cannot be written/],
      [
        'arguments: { count: { header: x-tenan } }',
        /none of `callerHeaders`.*Did you mean `x-tenant`/,
      ],
      ['arguments: { count: { header: x-tenant, value: a } }', /both `value` and `header`/],
      ['arguments: { count: { claim: sub, value: a } }', /both `value` and `claim`/],
      ['arguments: { count: { claim: sub } }', /callers have no claims.*`clients.jwt`/],
      ['arguments: { count: { } }', /has no effect/],
      ['arguments: { count: { name: order } }', /another argument order/],
      ['arguments: { "a b": { value: x } }', /cannot be a name/],
      ['headers: { Auth: { value: x } }', /declares no header block `Auth`/],
    ];
    const wsdl = desk({
      schemas: schemaOf(
        '<xs:complexType name="Order"><xs:sequence>' +
          `${el('sku', 'xs:string')}</xs:sequence></xs:complexType>`,
        el('order', 't:Order') + el('count', 'xs:int', maybe),
      ),
    });
    for (const [keys, expected] of mistakes) {
      const mapping = `    callerHeaders: [x-tenant]\n    operations:\n      Get:\n        ${keys}\n`;
      const problem = await problemsOf(t, unstartedDesk() + mapping, { 'desk.wsdl': wsdl });
      t.match(problem, expected, keys);
      t.match(problem, /yaml:\d+:\d+/, 'with its place');
      t.notMatch(problem, 'secret-text');
    }
  },
);

t.test(
  'case 7: whatever the WSDL calls its action, it goes out quoted, in letters that ' +
    'every server reads alike',
  async (t) => {
    const actions = {
      'urn:t/Get': 'urn:t/Get',
      'urn:名': 'urn:%E5%90%8D',
      'a&quot;b\\c d': 'a%22b%5Cc d',
      '': '',
    };
    for (const [action, expected] of Object.entries(actions)) {
      for (const version of ['1.1', '1.2'] as const) {
        const started = await startDesk(t, desk({ action, version }), '', version);
        const answer = await started.ask(
          '{ get }',
          '<t:GetResponse><t:result>ok</t:result></t:GetResponse>',
        );
        t.same(answer, { data: { get: 'ok' } });
        const headers = started.backend.complete.at(-1)?.headers ?? {};
        t.equal(headers['soapaction'], version === '1.1' ? `"${expected}"` : undefined);
        const parameter = expected === '' ? '' : `; action="${expected}"`;
        const type =
          version === '1.1'
            ? 'text/xml; charset=utf-8'
            : `application/soap+xml; charset=utf-8${parameter}`;
        t.equal(headers['content-type'], type);
      }
    }
  },
);

t.test(
  'literals of decimals have exponents as numbers of variables do; others are refused',
  async (t) => {
    const wsdl = desk({ schemas: schemaOf('', el('price', 'xs:decimal', maybe)) });
    const started = await startDesk(t, wsdl);
    const reply = '<t:GetResponse><t:result>ok</t:result></t:GetResponse>';
    for (const [literal, sent] of [
      ['1e-7', '0.0000001'],
      ['-1.50E2', '-150'],
      ['12345678901234567890.5', '12345678901234567890.5'],
    ] as const) {
      t.same(await started.ask(`{ get(price: ${literal}) }`, reply), { data: { get: 'ok' } });
      t.match(started.sent(), `<n1:price>${sent}</n1:price>`);
    }
    for (const literal of ['FOO', '{ a: 1 }', '[1, 2]']) {
      const { errors } = await started.ask(`{ get(price: ${literal}) }`, reply);
      const [error] = errors ?? [];
      t.equal(error?.message, 'Expected a value of type "Decimal".', literal);
      t.same(Object(error)['locations'], [{ line: 1, column: 14 }]);
    }
    const { errors } = await started.ask('{ get(price: 1e999) }', reply);
    t.match(JSON.stringify(errors), /arguments\.price|price: must be/);
  },
);

t.test('elements that a wildcard does not let in are not sent', async (t) => {
  const any = '<xs:any namespace="##other" processContents="lax" minOccurs="0" maxOccurs="3"/>';
  const wsdl = desk({ schemas: schemaOf('', `${el('a', 'xs:string', maybe)}${any}`) });
  const started = await startDesk(t, wsdl);
  const reply = '<t:GetResponse><t:result>ok</t:result></t:GetResponse>';
  const sent = async (xml: string): Promise<unknown> =>
    started.ask(`{ get(any: [{ xml: ${JSON.stringify(xml)} }]) }`, reply);
  t.same(await sent('<x xmlns="urn:x"/>'), { data: { get: 'ok' } });
  for (const bad of ['<x/>', '<x xmlns="urn:t"/>']) {
    t.match(
      JSON.stringify(await sent(bad)),
      'any[0]: must not be an element of this namespace',
      bad,
    );
  }
});

t.test('values of enumerations are found by their meaning, however they are written', async (t) => {
  const of = (name: string, base: string, ...values: readonly string[]): string =>
    `<xs:simpleType name="${name}"><xs:restriction base="xs:${base}">` +
    `${values.map((value) => `<xs:enumeration value="${value}"/>`).join('')}</xs:restriction>` +
    '</xs:simpleType>';
  const types =
    of('Day', 'date', '2024-01-02Z') +
    of('Exact', 'decimal', '12345678901234567.5', '1') +
    of('One', 'int', '1') +
    of('Word', 'string', 'a') +
    '<xs:simpleType name="Either"><xs:union memberTypes="t:Word t:One"/></xs:simpleType>';
  const leaf = (name: string, type: string): string =>
    `<xs:element name="${name}" type="t:${type}" minOccurs="0"/>`;
  const fields = leaf('day', 'Day') + leaf('exact', 'Exact') + leaf('either', 'Either');
  const wsdl = desk({
    schemas: schemaOf(
      `${types}<xs:complexType name="All"><xs:sequence>${fields}</xs:sequence></xs:complexType>`,
      el('all', 't:All', maybe),
    ).replace(/(<xs:element name="GetResponse">.*?)type="xs:string"/s, '$1type="t:All"'),
  });
  const started = await startDesk(t, wsdl);
  const ask = async (day: string, exact: string, either: string): Promise<unknown> =>
    started.ask(
      '{ get { day exact either } }',
      `<t:GetResponse><t:result><t:day>${day}</t:day><t:exact>${exact}</t:exact><t:either>` +
        `${either}</t:either></t:result></t:GetResponse>`,
    );
  const expected = await ask('2024-01-02Z', '12345678901234567.5', '1');
  t.notMatch(JSON.stringify(expected), 'errors');
  t.same(await ask('2024-01-02+00:00', '012345678901234567.50', '01'), expected);
  t.match(
    JSON.stringify(await ask('2024-01-02', '12345678901234567.4', '2')),
    /"day":null,"exact":null,"either":null/,
  );
});

t.test(
  'every argument that breaks a rule is named, and no mutation is sent beside one that cannot be',
  async (t) => {
    const types =
      '<xs:simpleType name="Few"><xs:restriction base="xs:int"><xs:maxInclusive value="9"/>' +
      '</xs:restriction></xs:simpleType>';
    const request =
      el('a', 't:Few', maybe) + el('b', 't:Few', 'minOccurs="0" maxOccurs="unbounded"');
    const more = '    operations: { Get: { field: Mutation.set } }\n';
    const { ask, backend } = await startDesk(t, desk({ types, request }), more);
    const reply = '<t:GetResponse><t:result>x</t:result></t:GetResponse>';
    const { data, errors } = await ask(
      'mutation { one: set(a: 1) two: set(a: 10, b: [1, 11, 12]) }',
      reply,
    );
    t.same(data, { one: null, two: null });
    t.same(
      errors?.map(({ path, message }) => [path, message]),
      [
        [['one'], 'Nothing was sent: an argument of another field has no valid value.'],
        [
          ['two'],
          'An argument has no valid value. a: must be at most 9. b[1]: must be at most 9. ' +
            'b[2]: must be at most 9.',
        ],
      ],
    );
    t.match(errors?.[1]?.extensions, {
      argument: ['a'],
      further: [
        ['b', 1],
        ['b', 2],
      ],
    });
    t.equal(backend.complete.length, 0);
    const many = await ask(`mutation { set(b: [${Array(50).fill(11)}]) }`, reply);
    t.match(many.errors?.[0]?.extensions['further'], { length: 9 });
    t.same(await ask('mutation { one: set(a: 1) two: set(a: 2) }', reply), {
      data: { one: 'x', two: 'x' },
    });
    t.equal(backend.complete.length, 2);
  },
);

t.test(
  'the error of a wrong enumeration value names the nearest one, never the value itself',
  async (t) => {
    const types =
      '<xs:simpleType name="State"><xs:restriction base="xs:string">' +
      '<xs:enumeration value="IN_STOCK"/><xs:enumeration value="Sold out"/>' +
      '</xs:restriction></xs:simpleType>';
    const { ask } = await startDesk(t, desk({ types, request: el('state', 't:State', maybe) }));
    const message = async (query: string, variables = {}): Promise<string | undefined> =>
      (await ask(query, '', variables)).errors?.[0]?.message;
    t.equal(
      await message('{ get(state: IN_STOK) }'),
      'Expected a value of type "State"; did you mean IN_STOCK?',
    );
    t.equal(
      await message('{ get(state: "in stock") }'),
      'Expected a value of type "State"; did you mean IN_STOCK?',
    );
    t.equal(await message('{ get(state: SECRET) }'), 'Expected a value of type "State".');
    const query = 'query ($s: State) { get(state: $s) }';
    t.equal(
      await message(query, { s: 'IN_STOCKS' }),
      'Variable "$s" must be a value of type "State"; did you mean IN_STOCK?',
    );
  },
);

t.test('an element that the schema fixes whole is written without an argument', async (t) => {
  const fixed = (name: string, value: string, more = ''): string =>
    `<xs:element name="${name}" type="xs:string" fixed="${value}" ${more}/>`;
  const { written, desk: started } = await startWriter(
    t,
    `<xs:complexType name="Version"><xs:sequence>${fixed('Service', 'crs')}${fixed('Major', '26')}\
</xs:sequence></xs:complexType>
     <xs:complexType name="Loose"><xs:sequence>${fixed('Service', 'crs')}\
${fixed('Major', '26', maybe)}</xs:sequence></xs:complexType>`,
    el('version', 't:Version') + el('loose', 't:Loose') + el('a', 'xs:int', maybe),
  );
  t.equal(
    await written('loose: {}'),
    '<t:version><t:Service>crs</t:Service><t:Major>26</t:Major></t:version><t:loose>' +
      '<t:Service>crs</t:Service></t:loose>',
  );
  const query =
    '{ __type(name: "VersionInput") { name } __schema { queryType { fields { args { name } } } } }';
  const { data } = await started.ask(query, '');
  t.same(data?.['__type'], null);
  t.same(data?.['__schema'], {
    queryType: { fields: [{ args: [{ name: 'loose' }, { name: 'a' }] }] },
  });
});
