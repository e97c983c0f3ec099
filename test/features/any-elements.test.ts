import t from 'tap';
import { desk, startDesk } from '../acceptance/desk.js';

/**
 * Elements that a WSDL lets in without a declaration: rows of Salesforce, messages of ONVIF,
 * criteria of SharePoint.
 */

const TYPES = `<xs:complexType name="Point"><xs:sequence><xs:element name="x" type="xs:int"/>\
<xs:element name="far" type="xs:long" minOccurs="0"/></xs:sequence></xs:complexType>
<xs:complexType name="Record"><xs:sequence><xs:element name="type" type="xs:string"/>\
<xs:any namespace="##any" processContents="lax" minOccurs="0" maxOccurs="unbounded"/></xs:sequence>\
</xs:complexType>
<xs:complexType name="Bag"><xs:sequence><xs:any processContents="lax" minOccurs="0" \
maxOccurs="unbounded"/></xs:sequence></xs:complexType>
<xs:element name="Count" type="xs:long"/><xs:element name="Place" type="t:Point"/>`;
const CONTENT =
  '<xs:element name="record" type="t:Record" minOccurs="0"/>' +
  '<xs:element name="bag" type="t:Bag" minOccurs="0"/>';
const WSDL = desk({ types: TYPES, request: CONTENT, reply: CONTENT });
const reply = (content: string): string => `<t:GetResponse>${content}</t:GetResponse>`;

t.test(
  'elements of any name are values by their declaration, their xsi:type or their structure',
  async (t) => {
    const { ask } = await startDesk(t, WSDL);
    const { data, errors } = await ask(
      '{ get { record { type any { name type value } } bag { any { name value } } } }',
      reply(
        '<t:record><t:type>Account</t:type><t:Count>9007199254740993</t:Count><t:Place>' +
          '<t:x>1</t:x></t:Place><s:Name xmlns:s="urn:s">A &amp; B</s:Name>' +
          '<s:At xmlns:s="urn:s" xsi:type="xs:int">7</s:At><s:Owner xmlns:s="urn:s">' +
          '<s:Id>5</s:Id></s:Owner></t:record><t:bag><e/></t:bag>',
      ),
    );
    t.equal(errors, undefined);
    t.same(JSON.parse(JSON.stringify(data)), {
      get: {
        record: {
          type: 'Account',
          any: [
            { name: '{urn:t}Count', type: null, value: '9007199254740993' },
            { name: '{urn:t}Place', type: null, value: { x: 1 } },
            { name: '{urn:s}Name', type: null, value: 'A & B' },
            { name: '{urn:s}At', type: '{http://www.w3.org/2001/XMLSchema}int', value: 7 },
            { name: '{urn:s}Owner', type: null, value: { Id: '5' } },
          ],
        },
        bag: { any: [{ name: '{}e', value: '' }] },
      },
    });
  },
);

t.test('arguments of any name are written by their declaration, else as JSON tells', async (t) => {
  const { ask, sent } = await startDesk(t, WSDL);
  const send = async (any: unknown): Promise<string> => {
    const query = 'query ($any: [AnyValueInput!]) { get(bag: { any: $any }) { record { type } } }';
    const { errors } = await ask(query, reply(''), { any });
    return errors === undefined
      ? sent().replace(/.*?<\w+:bag>|<\/\w+:bag>.*/gs, '')
      : (errors[0]?.message ?? '');
  };
  t.match(
    await send([{ name: '{urn:t}Count', value: '9007199254740993' }]),
    /^<(\w+):Count>9007199254740993<\/\1:Count>$/,
  );
  t.match(
    await send([{ name: '{urn:t}Place', value: { x: 1 } }]),
    /^<(\w+):Place><\1:x>1<\/\1:x><\/\1:Place>$/,
  );
  t.match(
    await send([
      {
        name: '{urn:caml}Where',
        value: {
          Eq: { FieldRef: { '@Name': 'Title' }, Value: { '@Type': 'Text', '#text': 'x' } },
          '{urn:o}Other': 5,
        },
      },
    ]),
    /^<(n\d):Where><\1:Eq><\1:FieldRef Name="Title"\/><\1:Value Type="Text">x<\/\1:Value><\/\1:Eq><(n\d):Other>5<\/\2:Other><\/\1:Where>$/,
  );
  t.match(await send([{ name: 'plain', value: 'x' }]), /^<plain>x<\/plain>$/);
  t.match(
    await send([{ name: 'typed', type: 'int', value: 5 }]),
    /^<typed xmlns:xsd="[^"]+" xsi:type="xsd:int">5<\/typed>$/,
  );
  t.match(await send([{ name: 'nil', value: null }]), /^<nil xsi:nil="true"\/>$/);
  t.match(await send([{ xml: '<a xmlns="urn:a"><b/></a>' }]), /^<(n\d):a><\1:b\/><\/\1:a>$/);
  t.match(
    await send([{ name: '{urn:a}a', value: { b: 'x' }, xml: '<a xmlns="urn:a"><b>x</b></a>' }]),
    /:b>x</,
    'as it came',
  );
  t.match(
    await send([{ name: '{urn:b}a', xml: '<a xmlns="urn:a"/>' }]),
    /any\[0\]: must not have a name or a value/,
  );
  t.match(await send([{ value: 1 }]), /any\[0\]\.name: a value is required/);
  t.match(await send([{ name: '<evil/>', value: 1 }]), /any\[0\]\.name: must be \{namespace\}name/);
  t.match(await send([{ name: '{urn:t}Count' }]), /any\[0\]\.value: a value is required/);
  t.match(await send([{ name: '{urn:t}Count', value: 'many' }]), /any\[0\]\.value/);
  t.match(
    await send([{ name: '{urn:t}Place', value: { y: 1 } }]),
    /a member that its type does not have/,
  );
  t.match(await send([{ name: 'a', value: { '<b/>': 1 } }]), /name of an element/);
  for (const uri of [
    'http://schemas.xmlsoap.org/soap/envelope/',
    'http://www.w3.org/2003/05/soap-envelope',
  ])
    for (const value of [
      { name: `{${uri}}Body`, value: 'x' },
      { name: 'a', value: { [`{${uri}}Body`]: 'x' } },
    ])
      t.match(await send([value]), /must not hold names of SOAP itself/, JSON.stringify(value));
  t.match(
    await send([{ name: '{http://www.w3.org/2001/XInclude}include', value: '' }]),
    /must not include/,
  );
  t.match(
    await send([{ name: 'a', value: JSON.parse(`${'{"a":'.repeat(200)}1${'}'.repeat(200)}`) }]),
    /deep/,
  );
  t.match(
    await send(Array.from({ length: 17 }, (_, at) => ({ name: `{urn:${at}}a`, value: '' }))),
    /more namespaces than allowed/,
  );
});

t.test('where the schema says strict, an argument of any name is declared or typed', async (t) => {
  const typesWith = (process: string): string => TYPES.replaceAll('processContents="lax"', process);
  const WRONG = /must be an element that the schema declares/;
  for (const [process, isRefused] of [
    ['processContents="strict"', true],
    ['processContents="lax"', false],
    // The default of XSD: SharePoint writes what nothing declares.
    ['', false],
  ] as const) {
    const wsdl = desk({ types: typesWith(process), request: CONTENT, reply: CONTENT });
    const { ask, sent } = await startDesk(t, wsdl);
    const send = async (any: object): Promise<string> => {
      const query =
        'query ($any: [AnyValueInput!]) { get(bag: { any: $any }) { record { type } } }';
      const { errors } = await ask(query, reply(''), { any: [any] });
      return errors?.[0]?.message ?? 'sent';
    };
    for (const declared of [
      { name: '{urn:t}Count', value: '1' },
      { name: '{urn:o}Other', type: '{urn:t}Point', value: { x: 1 } },
      { xml: '<Count xmlns="urn:t">1</Count>' },
      {
        xml:
          '<Other xmlns="urn:o" xmlns:t="urn:t" xsi:type="t:Point" xmlns:xsi="http://www.w3.org/' +
          '2001/XMLSchema-instance"><t:x>1</t:x></Other>',
      },
    ]) {
      t.equal(await send(declared), 'sent', `${process} ${JSON.stringify(declared)}`);
    }
    const before = sent();
    for (const undeclared of [
      { name: '{urn:o}Other', value: 5 },
      { name: 'Other', value: { a: 1 } },
      { xml: '<Other xmlns="urn:o">5</Other>' },
    ]) {
      const answer = await send(undeclared);
      t.match(answer, isRefused ? WRONG : 'sent', `${process} ${JSON.stringify(undeclared)}`);
    }
    if (isRefused) t.equal(sent(), before, 'nothing is sent');
  }
});

t.test('what a reply gave out of xs:any goes back as it was', async (t) => {
  const { ask, sent } = await startDesk(t, WSDL);
  const element = '<t:Place><t:x>1</t:x><t:far>9007199254740993</t:far></t:Place>';
  const { data } = await ask(
    '{ get { bag { any { name type value xml } } } }',
    reply(`<t:bag>${element}</t:bag>`),
  );
  const { any } = (data as { readonly get: { readonly bag: { readonly any: readonly object[] } } })
    .get.bag;
  const query = 'query ($any: [AnyValueInput!]) { get(bag: { any: $any }) { record { type } } }';
  t.equal((await ask(query, reply(''), { any })).errors, undefined, 'with its value and its XML');
  const values = any.map((each) => ({ ...each, xml: undefined }));
  t.equal((await ask(query, reply(''), { any: values })).errors, undefined);
  t.match(sent(), /:Place><(\w+):x>1<\/\1:x><\1:far>9007199254740993</);
});

t.test('an element of any name that is longer than allowed is null with an error', async (t) => {
  const { ask } = await startDesk(t, WSDL);
  const long = (chars: number): string => reply(`<t:bag><e>${'x'.repeat(chars)}</e></t:bag>`);
  const query = '{ get { bag { any { value } } } }';
  t.equal((await ask(query, long(65_536 - 6))).errors, undefined);
  const { data, errors } = await ask(query, long(65_536));
  t.match(errors, [{ extensions: { code: 'UPSTREAM_RESPONSE_LIMIT' } }]);
  t.same(data, { get: { bag: { any: [{ value: null }] } } });
});
