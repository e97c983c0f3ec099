import { type GraphQLSchema, printSchema, printType, validateSchema } from 'graphql';
import t, { type Test } from 'tap';
import { retyped } from '../../../src/graphql/schema/types/retype.js';
import { NO_FACETS } from '../../../src/wsdl/model.js';
import { plainSimpleType } from '../../../src/wsdl/plain.js';
import { desk, startDesk } from '../../acceptance/desk.js';
import { compileText, diagnosticsOf } from '../../kit/configuration.js';

const TYPES = `
<xs:complexType name="Customer"><xs:sequence>
  <xs:element name="CustId" type="xs:int"/>
  <xs:element name="Secret" type="xs:string" minOccurs="0"/>
  <xs:element name="Fax" type="xs:string" minOccurs="0"><xs:annotation>\
<xs:documentation>Nobody faxes.</xs:documentation></xs:annotation></xs:element>
  <xs:element name="Since" type="xs:string"/>
  <xs:element name="Level" type="t:Level"/>
  <xs:element name="Home" minOccurs="0"><xs:complexType><xs:sequence>\
<xs:element name="Zip" type="xs:string"/></xs:sequence></xs:complexType></xs:element>
  <xs:element name="Log" type="t:Audit" minOccurs="0"/>
</xs:sequence><xs:attribute name="Version" type="xs:long"/></xs:complexType>
<xs:complexType name="Vip"><xs:complexContent><xs:extension base="t:Customer"><xs:sequence>\
<xs:element name="Desk" type="xs:string"/></xs:sequence></xs:extension></xs:complexContent>\
</xs:complexType>
<xs:complexType name="Audit"><xs:sequence><xs:element name="By" type="xs:string"/></xs:sequence>\
</xs:complexType>
<xs:simpleType name="Level"><xs:restriction base="xs:string"><xs:enumeration value="A"/>\
<xs:enumeration value="B"/></xs:restriction></xs:simpleType>`;

const WSDL = desk({
  types: TYPES,
  request: '<xs:element name="who" type="t:Customer" minOccurs="0"/>',
  reply: '<xs:element name="who" type="t:Customer"/>',
});

const MAPPING = `    operations:
      Get: { field: Query.client, description: "One client.", deprecated: "Ask for clients." }
    schema:
      types:
        Customer:
          name: Client
          description: Who buys.
          fields:
            CustId: { name: id, type: ID, description: The number. }
            Secret: { hide: true }
            Fax: { deprecated: No fax any more. }
            Since: { type: Date }
            Version: { name: revision, type: String }
        Home: { name: Address, fields: { Zip: { name: postcode } } }
        Audit: { hide: true }
        "{urn:t}Level": { name: Rank }
`;

async function schemaOf(t: Test, more: string, wsdl = WSDL): Promise<GraphQLSchema> {
  const yaml = `services:\n  desk:\n    wsdl: desk.wsdl\n    url: http://127.0.0.1:1/\n${more}`;
  return (await compileText(t, yaml, { 'desk.wsdl': wsdl })).graph.schema;
}

async function problemsOf(t: Test, more: string, wsdl = WSDL): Promise<readonly string[]> {
  const found = await diagnosticsOf(schemaOf(t, more, wsdl));
  return found.map(({ line, what, remedy }) => `${line} ${what} ${remedy ?? ''}`.trim());
}

t.test(
  'types and fields are renamed, hidden, retyped, deprecated and described as the mapping says',
  async (t) => {
    const schema = await schemaOf(t, MAPPING);
    const shop = await startDesk(t, { 'desk.wsdl': WSDL }, MAPPING);
    t.same(validateSchema(schema), []);
    const printed = (name: string): string => printType(schema.getType(name) as never);
    t.match(
      printSchema(schema),
      '"""One client."""\n  client(who: ClientOneOfInput): ' +
        'Client @deprecated(reason: "Ask for clients.")',
    );
    t.equal(
      printed('Client'),
      `"""Who buys."""
interface Client {
  """The number."""
  id: ID!

  """Nobody faxes."""
  fax: String @deprecated(reason: "No fax any more.")
  since: Date!
  level: Rank!
  home: Address
  revision: String
}`,
    );
    t.match(
      printed('Vip'),
      /^type Vip implements Client \{[\s\S]*id: ID![\s\S]*desk: String!\n\}$/,
    );
    t.match(printed('Address'), 'type Address {\n  postcode: String!\n}');
    t.notOk(schema.getType('Audit'));
    t.notOk(schema.getType('AuditInput'));
    t.match(printed('ClientInput'), /id: ID![\s\S]*since: Date![\s\S]*revision: String\n/);
    const reply =
      '<t:GetResponse><t:who Version="12"><t:CustId>7</t:CustId><t:Secret>x</t:Secret>' +
      '<t:Since>2020-02-29</t:Since><t:Level>A</t:Level><t:Home><t:Zip>01</t:Zip></t:Home>' +
      '</t:who></t:GetResponse>';
    const { data, errors } = await shop.ask(
      '{ client { id since level revision home { postcode } } }',
      reply,
    );
    t.same(errors, undefined);
    t.same(data, {
      client: {
        id: '7',
        since: '2020-02-29',
        level: 'A',
        revision: '12',
        home: { postcode: '01' },
      },
    });
  },
);

t.test('what is renamed and retyped is written under its name in XML', async (t) => {
  const shop = await startDesk(t, { 'desk.wsdl': WSDL }, MAPPING);
  const query = 'query($who: ClientOneOfInput) { client(who: $who) { __typename } }';
  const reply = '<t:GetResponse/>';
  const client = {
    id: '12',
    since: '2020-02-29',
    level: 'B',
    revision: '9007199254740993',
    home: { postcode: '01' },
  };
  await shop.ask(query, reply, { who: { client } });
  const sent = shop
    .sent()
    .replaceAll(/ xmlns(:\w+)?="[^"]*"/g, '')
    .replaceAll(/<(\/?)\w+:/g, '<$1');
  t.match(
    sent,
    '<who Version="9007199254740993"><CustId>12</CustId><Since>2020-02-29</Since>' +
      '<Level>B</Level><Home><Zip>01</Zip></Home></who>',
  );
  for (const wrong of [
    { id: 'x' },
    { id: '99999999999' },
    { since: 'soon' },
    { level: 'C' },
    { fax: 1 },
  ]) {
    const { errors } = await shop.ask(query, reply, { who: { client: { ...client, ...wrong } } });
    t.ok(errors !== undefined && errors.length > 0, JSON.stringify(wrong));
    t.equal(shop.backend.complete.length, 1, 'nothing was sent');
  }
});

t.test('the field of a choice can be renamed, which names its union', async (t) => {
  const types =
    '<xs:complexType name="Payment"><xs:choice><xs:element name="Card" type="xs:string"/>' +
    '<xs:element name="Iban" type="xs:string"/></xs:choice></xs:complexType>';
  const wsdl = desk({ types, reply: '<xs:element name="payment" type="t:Payment"/>' });
  const mapping =
    '{ Payment: { fields: { choice: { name: method, description: How. }, Card: ' +
    '{ name: number } } } }';
  const schema = await schemaOf(
    t,
    `    schema:\n      choices: union\n      types: ${mapping}\n`,
    wsdl,
  );
  t.match(printSchema(schema), 'type Payment {\n  """How."""\n  method: PaymentMethod!\n}');
  t.match(printSchema(schema), 'union PaymentMethod = PaymentNumber | PaymentIban');
  const found = await problemsOf(t, `    schema:\n      types: ${mapping}\n`, wsdl);
  t.match(found, [/^6 Service `desk`: Type Payment has no element or attribute choice of its own/]);
});

t.test('an element and an attribute of one name are distinguished', async (t) => {
  const types = `<xs:complexType name="Both"><xs:sequence><xs:element name="id" type="xs:int"/>\
</xs:sequence><xs:attribute name="id" type="xs:int"/><xs:attribute name="lang" type="xs:string"/>\
</xs:complexType>
    <xs:complexType name="Text"><xs:simpleContent><xs:extension base="xs:string">\
<xs:attribute name="value" type="xs:int"/></xs:extension></xs:simpleContent></xs:complexType>`;
  const reply = '<xs:element name="both" type="t:Both"/><xs:element name="text" type="t:Text"/>';
  const print = async (mapping: string): Promise<string> =>
    printSchema(
      await schemaOf(t, `    schema:\n      types: ${mapping}\n`, desk({ types, reply })),
    );
  const bare = await print(
    '{ Both: { fields: { id: { name: a }, lang: { name: l } } }, Text: { fields: ' +
      '{ value: { name: t } } } }',
  );
  t.match(bare, 'type Both {\n  a: Int!\n  id: Int\n  l: String\n}');
  t.match(bare, 'type Text {\n  t: String!\n  value: Int\n}');
  const marked = await print(
    '{ Both: { fields: { "@id": { name: b } } }, Text: { fields: { "@value": { name: n } } } }',
  );
  t.match(marked, 'type Both {\n  id: Int!\n  b: Int\n  lang: String\n}');
  t.match(marked, 'type Text {\n  value: String!\n  n: Int\n}');
});

t.test(
  'every error in the mapping is a problem at its line, all at once, with the nearest name',
  async (t) => {
    const found = await problemsOf(
      t,
      `    operations:
      Gett: { field: Query.x }
    schema:
      types:
        Custmer: { name: Client }
        Customer:
          name: String
          fields:
            CustID: { name: id }
            Since: { name: level }
            Level: { name: level }
            Home: { type: ID }
            Fax: { type: Int }
        Vip:
          fields: { CustId: { name: id } }
        "{urn:other}Audit": { hide: true }
`,
    );
    t.same(found, [
      '6 The WSDL of service `desk` has no operation `Gett` at the port in ' +
        'use. Did you mean `Get`?',
      '9 Service `desk`: There is no type Custmer. Did you mean `Customer`?',
      '11 Service `desk`: The name String is taken already. Give each type a name of its own.',
      '13 Service `desk`: Type Customer has no element or attribute CustID of its own. ' +
        'Did you mean `CustId`?',
      '15 Service `desk`: Two fields of one type are called level.',
      '19 Service `desk`: Type Vip has no element or attribute CustId of its own. ' +
        'Inherited members are mapped at the type they come from.',
      '20 Service `desk`: There is no type {urn:other}Audit. Did you mean `{urn:t}Audit`?',
    ]);
    const retyped = await problemsOf(
      t,
      `    schema:
      types:
        Customer:
          fields:
            CustId: { type: Date }
            Level: { type: Int }
            Home: { type: ID }
            Version: { type: Int }
`,
    );
    t.same(retyped, [
      '9 Service `desk`: Values of type Int would not survive as Date. It can be String, ID, ' +
        'Long, BigInt, Decimal, Float.',
      '10 Service `desk`: Values of type String would not survive as Int. It can be ID, Long, ' +
        'BigInt, Decimal, Date, DateTime, Time, Duration, URI.',
      '11 Service `desk`: Only a simple value can be another scalar.',
      '12 Service `desk`: Values of type Long would not survive as Int. ' +
        'It can be String, ID, BigInt, Decimal.',
    ]);
  },
);

t.test('two operations of one field are a problem at both places', async (t) => {
  const found = await problemsOf(
    t,
    `    operations: { Get: { field: Query.order } }
  other:
    wsdl: desk.wsdl
    url: http://127.0.0.1:1/
    operations: { Get: { field: Query.order } }
`,
  );
  t.same(found, [
    '5 Service `desk`: Query.order is also the field of operation Get of service other. ' +
      'Give each a field of its own.',
    '9 Service `other`: Query.order is also the field of operation Get of service desk. ' +
      'Give each a field of its own.',
  ]);
});

t.test('a number that is shown as a text is the text that is written', async (t) => {
  const text = retyped(plainSimpleType(null, 'int'), 'String');
  t.equal(text?.decode(' 007 '), '007');
  t.equal(text?.encode('007'), '007');
  for (const bad of ['x', '99999999999']) t.throws(() => text?.encode(bad));
  const bounded = {
    ...plainSimpleType(null, 'double'),
    facets: { ...NO_FACETS, maxInclusive: '10' },
  };
  t.throws(() => retyped(bounded, 'String')?.encode('11'), 'it is held to its type all the same');
});

t.test('a date that is shown as a text is read as it stands, and written as a date', async (t) => {
  const dates = ['date', 'dateTime', 'time', 'duration'];
  const wsdl = desk({
    types:
      '<xs:complexType name="Item"><xs:sequence>' +
      `${dates.map((kind) => `<xs:element name="${kind}" type="xs:${kind}"/>`).join('')}` +
      '<xs:element name="days" type="xs:date" maxOccurs="unbounded"/></xs:sequence>' +
      '<xs:attribute name="at" type="xs:date"/></xs:complexType>',
    request: '<xs:element name="item" type="t:Item" minOccurs="0"/>',
    reply: '<xs:element name="item" type="t:Item"/>',
  });
  const fields = [...dates, 'days', 'at'].map((name) => `${name}: { type: String }`).join(', ');
  const shop = await startDesk(
    t,
    { 'desk.wsdl': wsdl },
    `    schema: { types: { Item: { fields: { ${fields} } } } }\n`,
  );
  const reply =
    '<t:GetResponse><t:item at="00000000"><t:date> 0000-00-00 </t:date>' +
    '<t:dateTime>0000-00-00T00:00:00</t:dateTime><t:time>24:00</t:time><t:duration/>' +
    '<t:days>0000-00-00</t:days><t:days>2024-02-29</t:days></t:item></t:GetResponse>';
  const query =
    'query($item: ItemInput) { get(item: $item) { date dateTime time duration days at } }';
  const { data, errors } = await shop.ask(query, reply);
  t.same(errors, undefined);
  t.same(data, {
    get: {
      date: '0000-00-00',
      dateTime: '0000-00-00T00:00:00',
      time: '24:00',
      duration: '',
      days: ['0000-00-00', '2024-02-29'],
      at: '00000000',
    },
  });
  const item = {
    date: '2024-02-29',
    dateTime: '2024-02-29T00:00:00',
    time: '00:00:00',
    duration: 'P1D',
    days: [],
  };
  const refused = await shop.ask(query, reply, { item: { ...item, date: '0000-00-00' } });
  t.match(refused.errors, [{ message: /must be a valid xs:date/ }]);
});

t.test(
  'fields that the WSDL requires may be null where the mapping of field, type or service says so',
  async (t) => {
    const printed = async (t: Test, mapping: string): Promise<string> =>
      printType(
        (await schemaOf(t, `    schema: ${mapping}\n`)).getType('Customer') as never,
      ).replaceAll(/"""[^"]*"""\s*/g, '');
    const shown = (text: string): readonly string[] =>
      text
        .split('\n')
        .slice(1, -1)
        .map((line) => line.trim())
        .filter((line) => line !== '');
    const byRule = [
      'custId: Int!',
      'secret: String',
      'fax: String',
      'since: String!',
      'level: Level!',
      'home: CustomerHome',
      'log: Audit',
      'version: Long',
    ];
    const loose = byRule.map((line) => line.replace('!', ''));
    await t.test('none', async (t) => t.same(shown(await printed(t, '{}')), byRule));
    await t.test('service', async (t) =>
      t.same(shown(await printed(t, '{ nullable: true }')), loose),
    );
    await t.test('type', async (t) =>
      t.same(shown(await printed(t, '{ types: { Customer: { nullable: true } } }')), loose),
    );
    await t.test('field', async (t) => {
      const lines = shown(
        await printed(
          t,
          '{ types: { Customer: { nullable: true, fields: { CustId: { nullable: false } } } } }',
        ),
      );
      t.same(lines, ['custId: Int!', ...loose.slice(1)]);
    });
  },
);
