import { XmlDocument, type XmlElement } from 'libxml2-wasm';
import t, { type Test } from 'tap';
import { desk, startDesk } from '../acceptance/desk.js';
import { answerWith } from '../kit/backend.js';
import { useFolder, useService } from '../kit/use.js';

const XSD = 'http://www.w3.org/2001/XMLSchema';
const TYPES = `<xs:complexType name="Point"><xs:sequence><xs:element name="x" type="xs:int"/>\
<xs:element name="at" type="xs:dateTime" minOccurs="0"/><xs:element name="tag" type="xs:string" \
minOccurs="0" maxOccurs="unbounded"/><xs:element name="more" type="xs:anyType" minOccurs="0"/>\
</xs:sequence><xs:attribute name="unit" type="xs:string"/></xs:complexType>
<xs:complexType name="Point3"><xs:complexContent><xs:extension base="t:Point"><xs:sequence>\
<xs:element name="z" type="xs:long"/></xs:sequence></xs:extension></xs:complexContent>\
</xs:complexType>
<xs:complexType name="ArrayOfLong"><xs:sequence><xs:element name="long" type="xs:long" \
minOccurs="0" maxOccurs="unbounded"/></xs:sequence></xs:complexType>
<xs:complexType name="Shape" abstract="true"><xs:sequence><xs:element name="id" type="xs:int"/>\
</xs:sequence></xs:complexType>
<xs:complexType name="Dot"><xs:complexContent><xs:extension base="t:Shape"/></xs:complexContent>\
</xs:complexType>
<xs:complexType name="Drawing"><xs:sequence><xs:element name="shape" type="t:Shape"/></xs:sequence>\
</xs:complexType>
<xs:simpleType name="Colour"><xs:restriction base="xs:string"><xs:enumeration value="red"/>\
</xs:restriction></xs:simpleType>`;
const WSDL = desk({
  types: TYPES,
  request:
    '<xs:element name="v" type="xs:anyType" minOccurs="0"/>' +
    '<xs:element name="s" type="xs:anySimpleType" minOccurs="0"/>' +
    '<xs:element name="list" type="xs:anyType" minOccurs="0" ' +
    'maxOccurs="unbounded" nillable="true"/>',
  reply:
    '<xs:element name="v" type="xs:anyType" minOccurs="0" nillable="true"/>' +
    '<xs:element name="s" type="xs:anySimpleType" minOccurs="0"/>' +
    '<xs:element name="list" type="xs:anyType" minOccurs="0" ' +
    'maxOccurs="unbounded" nillable="true"/>',
});
const reply = (content: string): string => `<t:GetResponse>${content}</t:GetResponse>`;

/** The envelope without the declarations that values repeat. */
const withoutOwn = (text: string): string =>
  text.replace(/(<(?!s:Envelope)[\w:]+)((?: xmlns:\w+="[^"]*")+)/g, '$1');

t.test('a value of any type is JSON with its type', async (t) => {
  const { ask } = await startDesk(t, WSDL);
  const read = async (element: string): Promise<unknown> => {
    const answer = await ask('{ get { v { type value } } }', reply(element));
    t.equal(answer.errors, undefined, element);
    return (answer.data as { readonly get: { readonly v: unknown } }).get.v;
  };
  const typed = (name: string, text: string, more = ''): string =>
    `<t:v xsi:type="${name}"${more}>${text}</t:v>`;
  const cases: readonly (readonly [string, string | null, unknown])[] = [
    [typed('xs:string', ' a &amp; b '), `{${XSD}}string`, ' a & b '],
    [typed('xs:int', ' 7 '), `{${XSD}}int`, 7],
    [typed('xs:boolean', '1'), `{${XSD}}boolean`, true],
    [typed('xs:double', '1.50'), `{${XSD}}double`, 1.5],
    [typed('xs:double', 'INF'), `{${XSD}}double`, 'INF'],
    [typed('xs:long', '9007199254740993'), `{${XSD}}long`, '9007199254740993'],
    [typed('xs:dateTime', '2024-02-29T01:02:03Z'), `{${XSD}}dateTime`, '2024-02-29T01:02:03Z'],
    [typed('xs:int', 'many'), `{${XSD}}int`, 'many'],
    [typed('t:Colour', 'red'), '{urn:t}Colour', 'red'],
    [typed('t:Unknown', 'x'), '{urn:t}Unknown', 'x'],
    ['<t:v>plain</t:v>', null, 'plain'],
    ['<t:v/>', null, ''],
    ['<t:v><b>1</b><c/><b>2</b></t:v>', null, { b: ['1', '2'], c: '' }],
    ['<t:v k="1">text</t:v>', null, { '@k': '1', '#text': 'text' }],
    [
      '<t:v><__proto__>1</__proto__><toString>2</toString></t:v>',
      null,
      JSON.parse('{"__proto__":"1","toString":"2"}'),
    ],
    [
      typed(
        't:Point',
        '<t:x>1</t:x><t:at>2024-01-01T00:00:00</t:at><t:tag>a</t:tag>',
        ' unit="mm"',
      ),
      '{urn:t}Point',
      { '@unit': 'mm', x: 1, at: '2024-01-01T00:00:00', tag: ['a'] },
    ],
    [
      typed('t:Point', '<t:x>1</t:x><t:more xsi:type="t:Point3"><t:x>2</t:x><t:z>3</t:z></t:more>'),
      '{urn:t}Point',
      { x: 1, more: { $type: '{urn:t}Point3', x: 2, z: '3' } },
    ],
    [typed('t:ArrayOfLong', '<t:long>1</t:long>'), '{urn:t}ArrayOfLong', ['1']],
    [
      '<t:v><a xsi:type="xs:date">2024-01-01</a><n xsi:nil="true"/></t:v>',
      null,
      { a: { $type: `{${XSD}}date`, $value: '2024-01-01' }, n: null },
    ],
  ];
  for (const [element, type, value] of cases)
    t.strictSame(JSON.parse(JSON.stringify(await read(element))), { type, value }, element);
  t.equal(await read('<t:v xsi:nil="true"/>'), null);
  t.equal(await read('<t:v xsi:type="xs:string" xsi:nil="true"/>'), null, 'whatever its type');
  const list =
    '<t:list xsi:type="xs:int" xsi:nil="1"/><t:list xsi:type="t:Point" xsi:nil="true" unit="mm"/>';
  t.match((await ask('{ get { list { type value xml } } }', reply(list))).data, {
    get: { list: [null, null] },
  });
});

t.test('what a reply gave out is taken back as it was', async (t) => {
  const { ask, sent } = await startDesk(t, WSDL);
  const echo = async (element: string): Promise<string> => {
    const { data } = await ask('{ get { v { type value } } }', reply(element));
    const { v } = (data as { readonly get: { readonly v: unknown } }).get;
    const query = 'query ($v: AnyValueInput) { get(v: $v) { v { xml } } }';
    t.equal((await ask(query, reply('<t:v/>'), { v })).errors, undefined, element);
    return withoutOwn(sent())
      .replace(/.*?<(\w+):v\b/s, '<v')
      .replace(/<\/\w+:v>.*/s, '</v>');
  };
  t.match(
    await echo('<t:v xsi:type="xs:long">9007199254740993</t:v>'),
    '<v xsi:type="xsd:long">9007199254740993</v>',
  );
  t.match(await echo('<t:v>text</t:v>'), '<v xsi:type="xsd:string">text</v>');
  t.match(await echo('<t:v xsi:type="t:Colour">red</t:v>'), /<v xsi:type="n\d:Colour">red<\/v>/);
  t.match(
    await echo(
      '<t:v xsi:type="t:Point" unit="mm"><t:x>1</t:x><t:tag>a</t:tag><t:tag>b</t:tag>' +
        '<t:more xsi:type="t:Point3"><t:x>2</t:x><t:z>3</t:z></t:more></t:v>',
    ),
    /<v xsi:type="(n\d):Point" unit="mm"><\1:x>1<\/\1:x><\1:tag>a<\/\1:tag><\1:tag>b<\/\1:tag><\1:more xsi:type="\1:Point3"><\1:x>2<\/\1:x><\1:z>3<\/\1:z><\/\1:more><\/v>/,
  );
  t.match(
    await echo('<t:v xsi:type="t:ArrayOfLong"><t:long>1</t:long><t:long>2</t:long></t:v>'),
    /<v xsi:type="(n\d):ArrayOfLong"><\1:long>1<\/\1:long><\1:long>2<\/\1:long><\/v>/,
  );
  t.match(
    await echo(
      '<t:v><a xsi:type="xs:date">2024-01-01</a><b xsi:type="xs:int">1</b>' +
        '<n xsi:nil="true"/></t:v>',
    ),
    '<v><a xsi:type="xsd:date">2024-01-01</a><b xsi:type="xsd:int">1</b><n xsi:nil="true"/></v>',
  );
});

t.test('what a reply gave out goes back with its value and its XML', async (t) => {
  const { ask, sent } = await startDesk(t, WSDL);
  const argument = 'query ($v: AnyValueInput) { get(v: $v) { s { xml } } }';
  const anyOf = async (element: string): Promise<Record<string, unknown>> => {
    const { data } = await ask('{ get { v { type value xml } } }', reply(element));
    return (data as { readonly get: { readonly v: Record<string, unknown> } }).get.v;
  };
  const echo = async (element: string): Promise<string> => {
    const v = await anyOf(element);
    t.same((await ask(argument, reply(''), { v })).errors, undefined, element);
    return withoutOwn(sent())
      .replace(/.*?<(\w+):v\b/s, '<v')
      .replace(/<\/\w+:v>.*/s, '</v>');
  };
  t.match(
    await echo('<t:v xsi:type="xs:long">9007199254740993</t:v>'),
    /^<v.* xsi:type="xsd:long">9007199254740993<\/v>/,
  );
  t.match(await echo('<t:v>text</t:v>'), '<v xsi:type="xsd:string">text</v>', 'as without XML');
  t.match(
    await echo('<t:v xsi:type="xs:double">1.50</t:v>'),
    'xsi:type="xsd:double">1.50</v>',
    'as it was written',
  );
  t.match(await echo('<t:v><a>1</a><a>2</a><b k="1"/></t:v>'), '<v><a>1</a><a>2</a><b k="1"/></v>');
  t.match(await echo('<t:v xsi:type="t:Point"><t:x>1</t:x></t:v>'), /:x>1</);
  const point = await anyOf('<t:v xsi:type="t:Point" unit="mm"><t:x>1</t:x><t:tag>a</t:tag></t:v>');
  const { value, ...typeAndXml } = point;
  t.notOk((await ask(argument, reply(''), { v: typeAndXml })).errors, 'the type alone');
  t.notOk(
    (await ask(argument, reply(''), { v: { xml: point['xml'], value } })).errors,
    'the value alone',
  );
  const xml =
    '<v xmlns="urn:t" xmlns:i="http://www.w3.org/2001/XMLSchema-instance" ' +
    `xmlns:x="${XSD}" i:type="x:int">1</v>`;
  t.notOk(
    (await ask(argument, reply(''), { v: { type: 'int', value: 1, xml } })).errors,
    'a type by its name alone',
  );
  for (const other of [
    { ...point, value: { x: 2 } },
    { ...point, type: '{urn:t}Point3' },
    { ...point, type: null, value: 'text' },
    { type: 'string', value: 'text', xml: '<v xmlns="urn:t">text</v>' },
  ]) {
    t.match((await ask(argument, reply(''), { v: other })).errors, [
      { message: /must not have a value and XML/ },
    ]);
  }
});

t.test('arguments of any type: literals, types by name, XML, and what is refused', async (t) => {
  const { ask, sent } = await startDesk(t, WSDL);
  const send = async (args: string, variables = {}): Promise<string> => {
    const head = Object.keys(variables).length === 0 ? '' : 'query ($j: JSON) ';
    const { errors } = await ask(
      `${head}{ get(${args}) { v { value } } }`,
      reply('<t:v/>'),
      variables,
    );
    return errors === undefined
      ? withoutOwn(sent()).replace(/.*?<\w+:Get[^>]*>|<\/\w+:Get>.*/gs, '')
      : (errors[0]?.message ?? '');
  };
  t.match(await send('v: { value: 5 }'), 'xsi:type="xsd:int">5<');
  t.match(await send('v: { value: 5000000000 }'), 'xsi:type="xsd:long">5000000000<');
  t.match(await send('v: { value: -1.5e3 }'), 'xsi:type="xsd:int">-1500<');
  t.match(await send('v: { value: true }'), 'xsi:type="xsd:boolean">true<');
  t.match(await send('list: [{ value: null }]'), 'xsi:nil="true"/>');
  t.match(await send('v: { value: null }'), 'must not be null', 'its element is not nillable');
  t.match(
    await send('v: { type: "date", value: "2024-02-29" }'),
    'xsi:type="xsd:date">2024-02-29<',
  );
  t.match(await send('v: { type: "xs:QName", value: "{urn:q}n" }'), /xsi:type="xsd:QName">n\d:n</);
  t.match(
    await send('v: { value: { a: [1, $j], b: "x" } }', { j: { c: null } }),
    /<a xsi:type="xsd:int">1<\/a><a><c xsi:nil="true"\/><\/a><b xsi:type="xsd:string">x<\/b>/,
  );
  t.match(await send(`v: { xml: "<v xmlns='urn:t'><k/></v>" }`), /<\w+:v><\w+:k\/><\/\w+:v>/);
  t.match(
    await send('s: { type: "decimal", value: "1.50" }'),
    /<\w+:s xsi:type="xsd:decimal">1.50</,
  );
  t.match(
    await send('list: [{ value: 1 }, null, { value: "a" }]'),
    /:list xsi:type="xsd:int">1<\/\w+:list><\w+:list xsi:nil="true"\/><\w+:list xsi:type="xsd:string">a</,
  );
  t.match(await send('v: { type: "int", value: "x" }'), /v\.value/);
  t.match(await send('v: { type: "date", value: "2024-02-30" }'), /v\.value/);
  t.match(await send('v: { type: "nothing", value: "x" }'), /v\.value: must be of a type/);
  t.match(await send('v: { type: "{urn:t}Colour", value: "blue" }'), /v\.value/);
  t.match(await send('v: { type: "{urn:t}Point", value: { y: 1 } }'), /does not have/);
  t.match(
    await send('v: { type: "{urn:t}Point", value: { tag: [] } }'),
    /v\.value\.x: a value is required/,
  );
  t.match(
    await send('v: { type: "{urn:t}Shape", value: { id: 1 } }'),
    /v\.value: must be of a type that is not abstract/,
  );
  t.match(
    await send('v: { type: "{urn:t}Drawing", value: { shape: { id: 1 } } }'),
    /v\.value\.shape: must be of/,
  );
  t.match(
    await send('v: { type: "{urn:t}Drawing", value: $j }', {
      j: JSON.parse('{ "shape": { "$type": "{urn:t}Dot", "id": 1 } }'),
    }),
    /:shape xsi:type="\w+:Dot"><\w+:id>1</,
  );
  t.match(await send('v: { value: [1] }'), /list needs a type/);
  t.match(await send('s: { value: { a: 1 } }'), /simple type/);
  t.match(await send('v: { type: "int" }'), /v\.value: a value is required/);
  t.match(await send('v: { value: 1, xml: "<v/>" }'), /must not have a value and XML/);
  t.match(await send('v: { value: 9007199254740993 }'), /string of digits/);
  t.match(
    await send('v: { value: { a: $j } }', { j: JSON.parse('{"<evil/>": 1}') }),
    /name of an element/,
  );
  t.notMatch(await send('v: { value: { a: $j } }', { j: JSON.parse('{"<evil/>": 1}') }), /evil/);
  t.match(await send('v: { value: $j }', { j: 'a\u0001' }), /XML does not allow/);
  const deep = `${'{"a":'.repeat(200)}1${'}'.repeat(200)}`;
  t.match(await send('v: { value: $j }', { j: JSON.parse(deep) }), /deep/);
});

const ENCODED = `<definitions targetNamespace="urn:e" xmlns="http://schemas.xmlsoap.org/wsdl/" \
xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:xs="${XSD}" xmlns:e="urn:e">
<message name="In"><part name="v" type="xs:anyType"/></message><message name="Out">\
<part name="return" type="xs:anyType"/></message>
<portType name="P"><operation name="echo"><input message="e:In"/><output message="e:Out"/>\
</operation></portType>
<binding name="B" type="e:P"><soap:binding style="rpc" \
transport="http://schemas.xmlsoap.org/soap/http"/>
<operation name="echo"><soap:operation soapAction=""/><input>\
<soap:body use="encoded" namespace="urn:e" \
encodingStyle="http://schemas.xmlsoap.org/soap/encoding/"/></input><output>\
<soap:body use="encoded" namespace="urn:e" \
encodingStyle="http://schemas.xmlsoap.org/soap/encoding/"/></output></operation></binding>
<service name="S"><port name="p" binding="e:B"><soap:address location="http://x/"/></port>\
</service></definitions>`;

const BODY = (content: string): string =>
  '<SOAP-ENV:Envelope xmlns:SOAP-ENV="http://schemas.xmlsoap.org/soap/envelope/" ' +
  `xmlns:ns1="urn:e" xmlns:xsd="${XSD}" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" ` +
  'xmlns:SOAP-ENC="http://schemas.xmlsoap.org/soap/encoding/" ' +
  'xmlns:ns2="http://xml.apache.org/xml-soap" ' +
  'SOAP-ENV:encodingStyle="http://schemas.xmlsoap.org/soap/encoding/"><SOAP-ENV:Body>' +
  `<ns1:echoResponse>${content}</ns1:echoResponse>`;

const EMPTY = `${BODY('')}</SOAP-ENV:Body></SOAP-ENV:Envelope>`;

/** A service by the SOAP encoding, which answers an empty reply. */
async function useEncoded(t: Test, wsdl = ENCODED, more = '') {
  const folder = await useFolder(t, { 'e.wsdl': wsdl });
  const yaml = (url: string): string =>
    `services: { e: { wsdl: e.wsdl, url: "${url}/e" } }\n${more}`;
  const service = await useService(t, answerWith(EMPTY, 'text/xml'), yaml, folder);
  return {
    ...service,
    sendValue: (v: unknown) =>
      service.ask('query ($v: AnyValueInput) { echo(v: $v) { value } }', { v }),
  };
}

t.test(
  'encoded values of PHP, Axis and SOAP::Lite: maps, arrays, structs and references',
  async (t) => {
    const { ask, backend, sendValue, sent } = await useEncoded(t);
    const read = async (content: string, after = ''): Promise<unknown> => {
      backend.answer = answerWith(
        `${BODY(content)}${after}</SOAP-ENV:Body></SOAP-ENV:Envelope>`,
        'text/xml',
      );
      return ask('{ echo { type value } }');
    };
    const php =
      '<return xsi:type="ns2:Map"><item><key xsi:type="xsd:string">color</key>' +
      '<value xsi:type="xsd:string">red</value></item><item>' +
      '<key xsi:type="xsd:string">weight</key><value xsi:type="xsd:float">1.5</value></item>' +
      '<item><key xsi:type="xsd:string">parent</key><value xsi:nil="true"/></item><item>' +
      '<key xsi:type="xsd:string">sizes</key><value SOAP-ENC:arrayType="xsd:string[2]" ' +
      'xsi:type="SOAP-ENC:Array"><item xsi:type="xsd:string">S</item>' +
      '<item xsi:type="xsd:string">M</item></value></item></return>';
    const map = {
      color: 'red',
      weight: { $type: `{${XSD}}float`, $value: 1.5 },
      parent: null,
      sizes: ['S', 'M'],
    };
    t.match(await read(php), {
      data: { echo: { type: '{http://xml.apache.org/xml-soap}Map', value: map } },
    });
    const lite =
      '<return xsi:type="SOAP-ENC:Array" SOAP-ENC:arrayType="xsd:anyType[2]"><item>' +
      '<a xsi:type="xsd:int">1</a></item><item href="#i"/></return>';
    t.match(await read(lite, '<multiRef id="i" xsi:type="SOAP-ENC:string">shared</multiRef>'), {
      data: {
        echo: {
          type: '{http://schemas.xmlsoap.org/soap/encoding/}Array',
          value: [{ a: 1 }, 'shared'],
        },
      },
    });
    t.match(
      await read(
        '<return xsi:type="SOAP-ENC:Array" SOAP-ENC:arrayType="xsd:long[2]">' +
          '<i>1</i><i>2</i></return>',
      ),
      {
        data: { echo: { value: [{ $value: '1' }, { $value: '2' }] } },
      },
    );
    const send = async (v: unknown): Promise<string> => {
      t.equal((await sendValue(v)).errors, undefined);
      return withoutOwn(sent());
    };
    t.match(
      await send({ value: map }),
      /<v xsi:type="(n\d):Map"><item><key xsi:type="xsd:string">color<\/key><value xsi:type="xsd:string">red<\/value><\/item><item><key xsi:type="xsd:string">weight<\/key><value xsi:type="xsd:float">1.5<\/value><\/item><item><key xsi:type="xsd:string">parent<\/key><value xsi:nil="true"\/><\/item><item><key xsi:type="xsd:string">sizes<\/key><value xsi:type="enc:Array" enc:arrayType="xsd:anyType\[2\]"><item xsi:type="xsd:string">S</,
    );
    const struct = { $type: '{http://schemas.xmlsoap.org/soap/encoding/}Struct', a: 1 };
    t.match(
      await send({ value: [struct] }),
      '<item xsi:type="enc:Struct"><a xsi:type="xsd:int">1</a></item>',
    );
    t.match(
      await send({ type: '{http://schemas.xmlsoap.org/soap/encoding/}Array', value: [1, 'a'] }),
      /<v xsi:type="enc:Array" enc:arrayType="xsd:anyType\[2\]"><item xsi:type="xsd:int">1</,
    );
  },
);

const ARRAY = '{http://schemas.xmlsoap.org/soap/encoding/}Array';

const LISTS =
  '<types><xs:schema targetNamespace="urn:e"><xs:complexType name="List"><xs:sequence>' +
  '<xs:element name="l" type="e:List" minOccurs="0" maxOccurs="unbounded"/></xs:sequence>' +
  '</xs:complexType></xs:schema></types>';

t.test('each array is a level, also one of a single item', async (t) => {
  const wsdl = ENCODED.replace('<message', `${LISTS}<message`);
  const { sendValue } = await useEncoded(t, wsdl, 'limits: { codec: { inputDepth: 6 } }\n');
  const send = (value: unknown): Promise<unknown> => sendValue({ value });
  t.match(await send([[[[1]]]]), { errors: undefined });
  t.match(await send([[[[[1]]]]]), {
    errors: [{ message: /v\.value\[0\]\[0\]\[0\]\[0\]: nested deeper than allowed/ }],
  });
  t.match(await send([[[[[1, 2], 2], 2], 2], 2]), {
    errors: [{ message: /nested deeper than allowed/ }],
  });
  const list = { $type: '{urn:e}List', $value: [[[[[]]]]] };
  t.match(await send([list]), { errors: [{ message: /nested deeper than allowed/ }] });
});

t.test('a value of any simple type is no array', async (t) => {
  const { ask } = await startDesk(t, WSDL);
  const { errors } = await ask(
    `{ get(s: { type: "${ARRAY}", value: [1] }) { v { value } } }`,
    reply('<t:v/>'),
  );
  t.match(errors, [{ message: /simple type/ }]);
  const { sendValue: send } = await useEncoded(
    t,
    ENCODED.replace('xs:anyType', 'xs:anySimpleType'),
  );
  t.match(await send({ value: [1] }), { errors: [{ message: /simple type/ }] });
  t.match(await send({ type: ARRAY, value: [1] }), { errors: [{ message: /simple type/ }] });
  t.match(await send({ value: 1 }), { errors: undefined });
});

t.test('a value taken out of the message keeps the prefixes of its types', async (t) => {
  const { ask, sent } = await startDesk(t, WSDL);
  const v = { value: { a: 1, b: { $type: '{urn:t}Point', x: 2 }, c: 'text' } };
  const query = 'query ($v: AnyValueInput) { get(v: $v) { s { xml } } }';
  t.equal((await ask(query, reply(''), { v })).errors, undefined);
  const document = XmlDocument.fromString(sent());
  const value = document.get('/*/*/*/*') as XmlElement;
  t.match(Object.values(value.nsDeclarations), [XSD, 'urn:t']);
  document.dispose();
  t.equal([...sent().matchAll(/xmlns:xsd=/g)].length, 2, 'on the Envelope and on the value');
});
