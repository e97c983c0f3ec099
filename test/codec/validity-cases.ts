/**
 * Documents that are valid against a schema of `urn:t` (elements qualified), and documents that are
 * not, with the class of the rule and the place that must be told. `doc` is the document element;
 * namespaces are added to it.
 */
export interface ValiditySuite {
  readonly name: string;
  /** The content of `xs:schema`. */
  readonly schema: string;
  readonly valid: readonly string[];
  readonly invalid: readonly (readonly [document: string, rule: string, path: string])[];
  /** Documents of which xmllint says otherwise, and why it is not followed. */
  readonly differs?: ReadonlyMap<string, string>;
}

const doc = (content: string, more = ''): string =>
  `<xs:element name="doc"><xs:complexType>${content}${more}</xs:complexType></xs:element>`;
const sequence = (content: string, occurs = ''): string =>
  `<xs:sequence ${occurs}>${content}</xs:sequence>`;
const choice = (content: string, occurs = ''): string =>
  `<xs:choice ${occurs}>${content}</xs:choice>`;
const s = (name: string, occurs = '', type = 'xs:string'): string =>
  `<xs:element name="${name}" type="${type}" ${occurs}/>`;
const occurs = (min: number, max: number | 'unbounded'): string =>
  `minOccurs="${min}" maxOccurs="${max}"`;
const XOP = '<xop:Include xmlns:xop="http://www.w3.org/2004/08/xop/include" href="cid:a"/>';
const d = (content: string): string => `<doc>${content}</doc>`;

export const SUITES: readonly ValiditySuite[] = [
  {
    name: 'a sequence',
    schema: doc(
      sequence(
        s('a') +
          s('b', occurs(0, 1)) +
          s('c', occurs(0, 'unbounded')) +
          s('e', occurs(1, 'unbounded')),
      ),
    ),
    valid: [
      d('<a/><e/>'),
      d('<a/><b/><e/>'),
      d('<a/><b/><c/><c/><c/><e/><e/>'),
      d('\n <a>x</a>\n <e>y</e>\n'),
      d('<!-- first --><a/><!-- second --><e/>'),
    ],
    invalid: [
      ['<doc/>', 'missing', '/doc'],
      [d('<a/>'), 'missing', '/doc'],
      [d('<e/>'), 'element', '/doc/e[1]'],
      [d('<a/><a/><e/>'), 'element', '/doc/a'],
      [d('<a/><c/><b/><e/>'), 'element', '/doc/b'],
      [d('<a/><e/><e/><c/>'), 'element', '/doc/c[1]'],
      [d('<a/><x/><e/>'), 'element', '/doc/*[2]'],
      [d('<a/><e/>text'), 'text', '/doc'],
      [d('text<a/><e/>'), 'text', '/doc'],
      [d('<a/><![CDATA[x]]><e/>'), 'text', '/doc'],
      [d('<a><b/></a><e/>'), 'element', '/doc/a'],
      [d('<a xmlns="urn:other"/><e/>'), 'element', '/doc/*[1]'],
      [d('<a xmlns=""/><e/>'), 'element', '/doc/*[1]'],
    ],
  },
  {
    name: 'counted elements',
    schema: doc(
      sequence(s('a', occurs(2, 3)) + s('b', occurs(0, 2)) + s('c', occurs(3, 'unbounded'))),
    ),
    valid: [
      d('<a/><a/><c/><c/><c/>'),
      d('<a/><a/><a/><c/><c/><c/>'),
      d('<a/><a/><b/><b/><c/><c/><c/><c/><c/>'),
    ],
    invalid: [
      [d('<a/><c/><c/><c/>'), 'element', '/doc/c[1]'],
      [d('<a/><a/><a/><a/><c/><c/><c/>'), 'element', '/doc/a[4]'],
      [d('<a/><a/><b/><b/><b/><c/><c/><c/>'), 'element', '/doc/b[3]'],
      [d('<a/><a/><c/><c/>'), 'missing', '/doc'],
    ],
  },
  {
    name: 'more than can be counted',
    schema: doc(sequence(s('a', occurs(0, 1_000_000_000)) + s('b', occurs(0, 1)))),
    valid: ['<doc/>', d('<a/>'.repeat(40)), d('<a/><b/>')],
    invalid: [[d('<b/><a/>'), 'element', '/doc/a[1]']],
  },
  {
    name: 'counted groups',
    schema: doc(sequence(s('a') + s('b', occurs(0, 1)), occurs(2, 3))),
    valid: [d('<a/><a/>'), d('<a/><b/><a/>'), d('<a/><a/><b/><a/><b/>')],
    invalid: [
      [d('<a/><b/>'), 'missing', '/doc'],
      [d('<a/><a/><a/><a/>'), 'element', '/doc/a[4]'],
      [d('<a/><b/><b/><a/>'), 'element', '/doc/b[2]'],
    ],
  },
  {
    name: 'a counter within a counter, where it is open which of them counts',
    schema: doc(sequence(s('a', occurs(2, 3)), occurs(2, 2))),
    valid: [d('<a/>'.repeat(4)), d('<a/>'.repeat(5)), d('<a/>'.repeat(6))],
    invalid: [
      [d('<a/>'.repeat(3)), 'missing', '/doc'],
      [d('<a/>'.repeat(7)), 'element', '/doc/a[7]'],
    ],
  },
  {
    name: 'groups that may be empty',
    schema: doc(
      sequence(sequence(s('a', occurs(0, 1)) + s('b', occurs(0, 1)), occurs(3, 5)) + s('c')),
    ),
    valid: [d('<c/>'), d('<b/><c/>'), d('<a/><b/><a/><b/><c/>'), d('<b/><b/><b/><b/><b/><c/>')],
    invalid: [
      [d('<b/><b/><b/><b/><b/><b/><c/>'), 'element', '/doc/b[6]'],
      [d('<a/>'), 'missing', '/doc'],
    ],
  },
  {
    name: 'a choice',
    schema: doc(choice(s('a') + sequence(s('b') + s('c')) + s('e', occurs(0, 2)))),
    valid: [d('<a/>'), d('<b/><c/>'), '<doc/>', d('<e/><e/>')],
    invalid: [
      [d('<a/><b/>'), 'element', '/doc/b'],
      [d('<b/>'), 'missing', '/doc'],
      [d('<c/>'), 'element', '/doc/c'],
      [d('<e/><e/><e/>'), 'element', '/doc/e[3]'],
    ],
  },
  {
    name: 'a repeated choice',
    schema: doc(choice(s('a') + s('b', '', 'xs:int'), occurs(1, 'unbounded'))),
    valid: [d('<a/>'), d('<b>1</b><a/><b>2</b>')],
    invalid: [
      ['<doc/>', 'missing', '/doc'],
      [d('<b>1</b><a/><b>2</b><a/><b>x</b>'), 'value', '/doc/b[3]'],
      [d('<a/><c/>'), 'element', '/doc/*[2]'],
    ],
  },
  {
    name: 'choices within sequences within choices',
    schema: doc(
      choice(
        sequence(choice(s('a') + s('b')) + s('c', occurs(0, 1)), occurs(1, 2)) +
          s('z', occurs(2, 2)),
        occurs(1, 2),
      ),
    ),
    valid: [d('<a/>'), d('<a/><c/><b/>'), d('<z/><z/><b/><c/>'), d('<a/><b/><a/><b/>')],
    invalid: [
      [d('<a/><b/><a/><b/><a/>'), 'element', '/doc/a[3]'],
      [d('<z/>'), 'missing', '/doc'],
      [d('<a/><z/>'), 'missing', '/doc'],
      [d('<c/>'), 'element', '/doc/c[1]'],
    ],
  },
  {
    name: 'all',
    schema: doc(`<xs:all>${s('a')}${s('b', occurs(0, 1))}${s('c')}</xs:all>`),
    valid: [d('<a/><b/><c/>'), d('<c/><a/>'), d('<b/><c/><a/>')],
    invalid: [
      [d('<a/><b/>'), 'missing', '/doc'],
      [d('<a/><c/><a/>'), 'element', '/doc/a'],
      [d('<a/><c/><x/>'), 'element', '/doc/*[3]'],
      ['<doc/>', 'missing', '/doc'],
    ],
  },
  {
    name: 'all, or nothing',
    schema: doc(`<xs:all minOccurs="0">${s('a')}${s('b')}</xs:all>`),
    valid: ['<doc/>', d('<b/><a/>')],
    invalid: [[d('<a/>'), 'missing', '/doc']],
  },
  {
    name: 'one name in two places',
    schema: doc(sequence(s('a') + choice(s('b') + s('c')) + s('a', occurs(0, 1)))),
    valid: [d('<a/><b/>'), d('<a/><c/><a/>')],
    invalid: [
      [d('<a/><a/>'), 'element', '/doc/a[2]'],
      [d('<a/><b/><a/><a/>'), 'element', '/doc/a[3]'],
    ],
  },
  {
    name: 'an empty type',
    schema: doc(''),
    valid: ['<doc/>', '<doc></doc>', d('<!-- nothing -->')],
    invalid: [
      [d('x'), 'text', '/doc'],
      [d('<a/>'), 'element', '/doc'],
    ],
  },
  {
    name: 'attributes',
    schema: doc(
      sequence(s('a', occurs(0, 1))),
      '<xs:attribute name="no" type="xs:int" use="required"/><xs:attribute name="note"/>' +
        '<xs:attribute name="unit" fixed="kg"/>' +
        '<xs:attribute name="size" type="xs:decimal" fixed="1.0"/>',
    ),
    valid: [
      '<doc no="1"/>',
      '<doc no=" 7 " note="x"/>',
      '<doc no="1" unit="kg"/>',
      '<doc no="1" size="1.00"/>',
      '<doc no="1" xsi:schemaLocation="urn:t nowhere.xsd"/>',
    ],
    invalid: [
      ['<doc/>', 'attribute', '/doc/@no'],
      ['<doc note="x"/>', 'attribute', '/doc/@no'],
      ['<doc no="x"/>', 'value', '/doc/@no'],
      ['<doc no=""/>', 'value', '/doc/@no'],
      ['<doc no="1" other="2"/>', 'attribute', '/doc/@*'],
      ['<doc t:no="1"/>', 'attribute', '/doc/@*'],
      ['<doc no="1" unit="lb"/>', 'value', '/doc/@unit'],
      ['<doc no="1" size="1.01"/>', 'value', '/doc/@size'],
      ['<doc no="1" xsi:what="1"/>', 'attribute', '/doc/@*'],
      ['<doc no="1"><a b="1"/></doc>', 'attribute', '/doc/a/@*'],
    ],
    differs: new Map([
      ['<doc no=" 7 " note="x"/>', 'it does not collapse white space around integers'],
    ]),
  },
  {
    name: 'attributes of any namespace but one',
    schema: doc('', '<xs:anyAttribute namespace="##other" processContents="skip"/>'),
    valid: ['<doc/>', '<doc o:x="1"/>'],
    invalid: [
      ['<doc x="1"/>', 'attribute', '/doc/@*'],
      ['<doc t:x="1"/>', 'attribute', '/doc/@*'],
    ],
  },
  {
    name: 'attributes that a strict wildcard lets in',
    schema: `<xs:attribute name="no" type="xs:int"/><xs:attribute name="fix" type="xs:decimal" \
fixed="1.0"/><xs:attribute name="key" type="xs:ID"/>
      <xs:element name="b"><xs:complexType><xs:anyAttribute processContents="lax"/>\
</xs:complexType></xs:element>
      ${doc(
        sequence(`<xs:element ref="t:b" \
${occurs(0, 'unbounded')}/>`),
        '<xs:attribute ref="t:fix" use="required"/><xs:anyAttribute/>',
      )}`,
    valid: [
      '<doc t:fix="1"/>',
      '<doc t:fix="1.00" t:no=" 5 "/>',
      '<doc t:fix="1" t:key="a"><b t:key="b"/></doc>',
    ],
    invalid: [
      ['<doc/>', 'attribute', '/doc/@fix'],
      ['<doc t:no="5"/>', 'attribute', '/doc/@fix'],
      ['<doc t:fix="1" t:no="five"/>', 'value', '/doc/@no'],
      ['<doc t:fix="1" t:other="1"/>', 'attribute', '/doc/@*'],
      ['<doc t:fix="1" o:x="1"/>', 'attribute', '/doc/@*'],
      ['<doc t:fix="1" x="1"/>', 'attribute', '/doc/@*'],
      ['<doc t:fix="1" no="1"/>', 'attribute', '/doc/@*'],
      ['<doc t:fix="1" t:key="a"><b t:key="a"/></doc>', 'identity', '/doc/b[1]'],
    ],
    differs: new Map([
      ['<doc t:fix="1.00" t:no=" 5 "/>', 'it does not collapse white space around integers'],
    ]),
  },
  {
    name: 'attributes that a lax wildcard lets in',
    schema:
      '<xs:attribute name="no" type="xs:int"/><xs:attribute name="fix" type="xs:decimal" ' +
      `fixed="1.0"/>${doc('', '<xs:anyAttribute processContents="lax"/>')}`,
    valid: ['<doc t:no="5" o:x="1" x="y" t:other=""/>', '<doc t:fix="1.000"/>'],
    invalid: [
      ['<doc t:no="x"/>', 'value', '/doc/@no'],
      ['<doc t:fix="2"/>', 'value', '/doc/@fix'],
    ],
  },
  {
    name: 'attributes of content that may be anything',
    schema: `<xs:attribute name="no" type="xs:int"/><xs:element name="doc"/>`,
    valid: ['<doc t:no="5" x="y"><z t:no="6"/></doc>'],
    invalid: [
      ['<doc t:no="x"/>', 'value', '/doc/@no'],
      ['<doc><z t:no="x"/></doc>', 'value', '/doc/*[1]/@no'],
    ],
  },
  {
    name: 'simple types',
    schema: `<xs:simpleType name="Code"><xs:restriction base="xs:string">\
<xs:pattern value="[A-Z]{2}[0-9]+"/><xs:maxLength value="5"/></xs:restriction></xs:simpleType>
<xs:simpleType name="State"><xs:restriction base="xs:token"><xs:enumeration value="new"/>\
<xs:enumeration value="on hold"/></xs:restriction></xs:simpleType>
<xs:simpleType name="Few"><xs:restriction base="xs:int"><xs:minInclusive value="1"/>\
<xs:maxExclusive value="10"/></xs:restriction></xs:simpleType>
<xs:simpleType name="Ints"><xs:list itemType="xs:int"/></xs:simpleType>
<xs:simpleType name="IntOrState"><xs:union memberTypes="xs:int t:State"/></xs:simpleType>
${doc(
  choice(
    s('code', '', 't:Code') +
      s('state', '', 't:State') +
      s('few', '', 't:Few') +
      s('ints', '', 't:Ints') +
      s('either', '', 't:IntOrState') +
      s('int', '', 'xs:int') +
      s('long', '', 'xs:long') +
      s('decimal', '', 'xs:decimal') +
      s('float', '', 'xs:float') +
      s('boolean', '', 'xs:boolean') +
      s('dateTime', '', 'xs:dateTime') +
      s('date', '', 'xs:date') +
      s('base64', '', 'xs:base64Binary') +
      s('hex', '', 'xs:hexBinary') +
      s('string', '', 'xs:string'),
  ),
)}`,
    valid: [
      d('<code>AB1</code>'),
      d('<state>new</state>'),
      d('<state> on  hold </state>'),
      d('<few>9</few>'),
      d('<ints/>'),
      d('<ints>1 2\n3</ints>'),
      d('<either>12</either>'),
      d('<either>on hold</either>'),
      d('<int> -2147483648\n</int>'),
      d('<int>+7</int>'),
      d('<int>1<!-- --><![CDATA[2]]></int>'),
      d('<int>&#49;2</int>'),
      d('<long>9223372036854775807</long>'),
      d('<decimal>-.5</decimal>'),
      d('<float>INF</float>'),
      d('<float>1e5</float>'),
      d('<boolean>1</boolean>'),
      d('<dateTime>2024-02-29T23:59:59.999+14:00</dateTime>'),
      d('<date>2024-02-29Z</date>'),
      d('<base64>QUJD</base64>'),
      d('<base64>QU\nJD QQ==</base64>'),
      d('<base64/>'),
      d('<hex>0aFF</hex>'),
      d('<string>anything\n at all</string>'),
      d('<string/>'),
    ],
    invalid: [
      [d('<code>ab1</code>'), 'value', '/doc/code'],
      [d('<code>AB12345</code>'), 'value', '/doc/code'],
      [d('<state>old</state>'), 'value', '/doc/state'],
      [d('<state/>'), 'value', '/doc/state'],
      [d('<few>10</few>'), 'value', '/doc/few'],
      [d('<few>0</few>'), 'value', '/doc/few'],
      [d('<ints>1 x</ints>'), 'value', '/doc/ints'],
      [d('<either>old</either>'), 'value', '/doc/either'],
      [d('<int>2147483648</int>'), 'value', '/doc/int'],
      [d('<int>1.0</int>'), 'value', '/doc/int'],
      [d('<int/>'), 'value', '/doc/int'],
      [d('<int>1<string/></int>'), 'element', '/doc/int'],
      [d('<long>9223372036854775808</long>'), 'value', '/doc/long'],
      [d('<decimal>NaN</decimal>'), 'value', '/doc/decimal'],
      [d('<decimal>1e5</decimal>'), 'value', '/doc/decimal'],
      [d('<float>inf</float>'), 'value', '/doc/float'],
      [d('<boolean>TRUE</boolean>'), 'value', '/doc/boolean'],
      [d('<dateTime>2023-02-29T00:00:00</dateTime>'), 'value', '/doc/dateTime'],
      [d('<dateTime>2024-01-01T00:00:00+14:01</dateTime>'), 'value', '/doc/dateTime'],
      [d('<dateTime>2024-01-01 00:00:00</dateTime>'), 'value', '/doc/dateTime'],
      [d('<date>2024-13-01</date>'), 'value', '/doc/date'],
      [d('<base64>QUJ</base64>'), 'value', '/doc/base64'],
      [d('<base64>QU=D</base64>'), 'value', '/doc/base64'],
      [d('<base64>Q!JD</base64>'), 'value', '/doc/base64'],
      [d('<base64>QQ==QUJD</base64>'), 'value', '/doc/base64'],
      [d('<hex>0aF</hex>'), 'value', '/doc/hex'],
    ],
    differs: new Map([
      [d('<int> -2147483648\n</int>'), 'it does not collapse white space around integers'],
    ]),
  },
  {
    name: 'simple content',
    schema: doc(
      '<xs:simpleContent><xs:extension base="xs:decimal"><xs:attribute name="currency" ' +
        'use="required"/></xs:extension></xs:simpleContent>',
    ),
    valid: ['<doc currency="CHF">19.90</doc>'],
    invalid: [
      ['<doc>19.90</doc>', 'attribute', '/doc/@currency'],
      ['<doc currency="CHF"/>', 'value', '/doc'],
      ['<doc currency="CHF">x</doc>', 'value', '/doc'],
      ['<doc currency="CHF">1<a/></doc>', 'element', '/doc'],
    ],
  },
  {
    name: 'defaults and fixed values of elements',
    schema: doc(
      sequence(
        s('a', `${occurs(0, 1)} default="7"`, 'xs:int') +
          s('b', `${occurs(0, 1)} fixed="1.50"`, 'xs:decimal') +
          s('c', `${occurs(0, 1)} fixed="x"`),
      ),
    ),
    valid: [d('<a/>'), d('<a>8</a>'), d('<b/>'), d('<b>1.5</b>'), d('<c/>'), d('<c>x</c>')],
    invalid: [
      [d('<a>x</a>'), 'value', '/doc/a'],
      [d('<b>1.51</b>'), 'value', '/doc/b'],
      [d('<c>y</c>'), 'value', '/doc/c'],
    ],
    differs: new Map([[d('<b>1.5</b>'), 'fixed values are compared as values']]),
  },
  {
    name: 'nil',
    schema: doc(
      sequence(
        s('a', `${occurs(0, 1)} nillable="true"`, 'xs:int') +
          s('b', occurs(0, 1), 'xs:int') +
          '<xs:element name="c" minOccurs="0" nillable="true"><xs:complexType>' +
          `${sequence(s('e'))}<xs:attribute name="x" type="xs:int" use="required"/>` +
          '</xs:complexType></xs:element>',
      ),
    ),
    valid: [
      d('<a xsi:nil="true"/>'),
      d('<a xsi:nil="1"></a>'),
      d('<a xsi:nil="false">1</a>'),
      d('<a xsi:nil=" true "/>'),
      d('<c xsi:nil="true" x="1"/>'),
    ],
    invalid: [
      [d('<a/>'), 'value', '/doc/a'],
      [d('<a xsi:nil="true">1</a>'), 'nil', '/doc/a'],
      [d('<a xsi:nil="yes"/>'), 'value', '/doc/a/@xsi:nil'],
      [d('<b xsi:nil="true"/>'), 'nil', '/doc/b/@xsi:nil'],
      [d('<b xsi:nil="false">1</b>'), 'nil', '/doc/b/@xsi:nil'],
      [d('<c xsi:nil="true"/>'), 'attribute', '/doc/c/@x'],
      [d('<c xsi:nil="true" x="1"><e/></c>'), 'nil', '/doc/c'],
    ],
  },
  {
    name: 'xsi:type',
    schema: `<xs:complexType name="Part" abstract="true">${sequence(s('sku'))}</xs:complexType>
<xs:complexType name="Engine"><xs:complexContent><xs:extension base="t:Part">\
${sequence(s('power', '', 'xs:int'))}</xs:extension></xs:complexContent></xs:complexType>
<xs:complexType name="Turbo"><xs:complexContent><xs:extension base="t:Engine">\
${sequence(s('boost', occurs(0, 1)))}</xs:extension></xs:complexContent></xs:complexType>
<xs:complexType name="Other">${sequence(s('sku'))}</xs:complexType>
<xs:simpleType name="Small"><xs:restriction base="xs:int"><xs:maxInclusive value="9"/>\
</xs:restriction></xs:simpleType>
<xs:complexType name="Price"><xs:simpleContent><xs:extension base="xs:int">\
<xs:attribute name="currency"/></xs:extension></xs:simpleContent></xs:complexType>
${doc(sequence(s('part', occurs(0, 'unbounded'), 't:Part') + s('n', occurs(0, 1), 'xs:int') + s('v', occurs(0, 1), 'xs:anySimpleType') + s('w', occurs(0, 1), 'xs:decimal')))}`,
    valid: [
      d('<part xsi:type="t:Engine"><sku/><power>1</power></part>'),
      d('<part xsi:type="t:Turbo"><sku/><power>1</power><boost/></part>'),
      d('<part xmlns:q="urn:t" xsi:type=" q:Turbo "><sku/><power>1</power></part>'),
      d('<part xsi:type="Engine"><sku/><power>1</power></part>'),
      d('<n xsi:type="t:Small">9</n>'),
      d('<n xsi:type="xs:short">9</n>'),
      d('<n xsi:type="t:Price" currency="CHF">9</n>'),
      d('<v xsi:type="xs:date">2024-01-01</v>'),
      d('<v>anything</v>'),
      d('<w xsi:type="xs:unsignedByte">200</w>'),
    ],
    invalid: [
      [d('<part><sku/></part>'), 'type', '/doc/part[1]'],
      [d('<part xsi:type="t:Part"><sku/></part>'), 'type', '/doc/part[1]'],
      [d('<part xsi:type="t:Other"><sku/></part>'), 'type', '/doc/part[1]/@xsi:type'],
      [d('<part xsi:type="t:Nothing"><sku/></part>'), 'type', '/doc/part[1]/@xsi:type'],
      [
        d('<part xsi:type="x:Engine"><sku/><power>1</power></part>'),
        'type',
        '/doc/part[1]/@xsi:type',
      ],
      [d('<part xsi:type=""><sku/></part>'), 'type', '/doc/part[1]/@xsi:type'],
      [d('<part xsi:type="t:Engine"><sku/></part>'), 'missing', '/doc/part[1]'],
      [
        d('<part xsi:type="t:Engine"><sku/><power>1</power><boost/></part>'),
        'element',
        '/doc/part[1]/*[3]',
      ],
      [d('<n xsi:type="t:Small">10</n>'), 'value', '/doc/n'],
      [d('<n xsi:type="xs:long">9</n>'), 'type', '/doc/n/@xsi:type'],
      [d('<n xsi:type="xs:string">9</n>'), 'type', '/doc/n/@xsi:type'],
      [d('<n xsi:type="t:Engine"><sku/></n>'), 'type', '/doc/n/@xsi:type'],
      [d('<v xsi:type="xs:date">9</v>'), 'value', '/doc/v'],
      [d('<w xsi:type="xs:unsignedByte">256</w>'), 'value', '/doc/w'],
    ],
    differs: new Map([
      [
        d('<part xmlns:q="urn:t" xsi:type=" q:Turbo "><sku/><power>1</power></part>'),
        'it does not collapse white space around QNames',
      ],
    ]),
  },
  {
    name: 'xsi:type, where it is blocked',
    schema: `<xs:complexType name="Base">${sequence(s('v', occurs(0, 1)))}</xs:complexType>
<xs:complexType name="Sealed" block="extension">${sequence(s('v', occurs(0, 1)))}</xs:complexType>
${['Base', 'Sealed']
  .map(
    (base) =>
      `<xs:complexType name="More${base}"><xs:complexContent><xs:extension base="t:${base}">\
${sequence(s('w', occurs(0, 1)))}</xs:extension></xs:complexContent></xs:complexType>\
<xs:complexType name="Less${base}"><xs:complexContent><xs:restriction base="t:${base}"/>\
</xs:complexContent></xs:complexType>`,
  )
  .join('')}
${doc(
  sequence(
    s('open', occurs(0, 1), 't:Base') +
      s('none', `${occurs(0, 1)} block="#all"`, 't:Base') +
      s('less', `${occurs(0, 1)} block="extension"`, 't:Base') +
      s('sealed', occurs(0, 1), 't:Sealed') +
      s('int', `${occurs(0, 1)} block="restriction"`, 'xs:int'),
  ),
)}`,
    valid: [
      d('<open xsi:type="t:MoreBase"><w/></open>'),
      d('<none xsi:type="t:Base"/>'),
      d('<less xsi:type="t:LessBase"/>'),
      d('<sealed xsi:type="t:LessSealed"/>'),
      d('<int xsi:type="xs:int">1</int>'),
    ],
    invalid: [
      [d('<none xsi:type="t:LessBase"/>'), 'type', '/doc/none/@xsi:type'],
      [d('<none xsi:type="t:MoreBase"/>'), 'type', '/doc/none/@xsi:type'],
      [d('<less xsi:type="t:MoreBase"/>'), 'type', '/doc/less/@xsi:type'],
      [d('<sealed xsi:type="t:MoreSealed"/>'), 'type', '/doc/sealed/@xsi:type'],
      [d('<int xsi:type="xs:short">1</int>'), 'type', '/doc/int/@xsi:type'],
    ],
  },
  {
    name: 'wildcards',
    schema: `${s('known', '', 'xs:int')}
${doc(
  sequence(
    `${s('a')}<xs:any namespace="##other" processContents="skip" minOccurs="0"/>${s('b')}\
<xs:any namespace="##any" processContents="lax" minOccurs="0" maxOccurs="2"/>`,
  ),
)}`,
    valid: [
      d('<a/><b/>'),
      d('<a/><o:x><o:y z="1">text</o:y></o:x><b/>'),
      d('<a/><b/><o:x><o:y/></o:x><known>7</known>'),
      d('<a/><b/><unknown xmlns=""><known xmlns="urn:t">7</known></unknown>'),
    ],
    invalid: [
      [d('<a/><known>1</known><b/>'), 'element', '/doc/*[2]'],
      [d('<a/><o:x/><o:x/><b/>'), 'element', '/doc/*[3]'],
      [d('<a/><unknown xmlns=""/><b/>'), 'element', '/doc/*[2]'],
      [d('<a/><b/><known>x</known>'), 'value', '/doc/known[3]'],
      [d('<a/><b/><o:x><known>x</known></o:x>'), 'value', '/doc/*[3]/known[1]'],
      [d('<a/><b/><o:x/><o:x/><o:x/>'), 'element', '/doc/*[5]'],
    ],
  },
  {
    name: 'strict wildcards',
    schema: `${s('known', '', 'xs:int')}${doc(
      sequence(`${s('a')}\
<xs:any namespace="##targetNamespace ##local" maxOccurs="2"/>`),
    )}`,
    valid: [d('<a/><known>1</known>'), d('<a/><known>1</known><known>2</known>')],
    invalid: [
      [d('<a/>'), 'missing', '/doc'],
      [d('<a/><known>x</known>'), 'value', '/doc/known[2]'],
      [d('<a/><unknown/>'), 'element', '/doc/*[2]'],
      [d('<a/><unknown xmlns=""/>'), 'element', '/doc/*[2]'],
      [d('<a/><o:x/>'), 'element', '/doc/*[2]'],
    ],
  },
  {
    name: 'a data set of .NET',
    schema: doc(sequence('<xs:any minOccurs="2" maxOccurs="2"/>')),
    valid: [
      d(
        '<xs:schema id="set"><xs:element name="a"/></xs:schema>' +
          '<g:diffgram xmlns:g="urn:schemas-microsoft-com:xml-diffgram-v1">' +
          '<set xmlns=""/></g:diffgram>',
      ),
    ],
    invalid: [[d('<xs:schema/><o:diffgram/>'), 'element', '/doc/*[2]']],
    differs: new Map([
      [
        d(
          '<xs:schema id="set"><xs:element name="a"/></xs:schema>' +
            '<g:diffgram xmlns:g="urn:schemas-microsoft-com:xml-diffgram-v1">' +
            '<set xmlns=""/></g:diffgram>',
        ),
        'it has no schema of schemas',
      ],
    ]),
  },
  {
    name: 'a wildcard that takes what an element takes, which no schema should have',
    schema: doc(
      sequence(
        `<xs:any processContents="skip" minOccurs="0" maxOccurs="2"/>${s('a', '', 'xs:int')}`,
      ),
    ),
    valid: [d('<a>1</a>'), d('<a>1</a><a>2</a>'), d('<a>1</a><a>2</a><a>3</a>'), d('<x/><a>1</a>')],
    invalid: [
      [d('<x/>'), 'missing', '/doc'],
      [d('<a>1</a><a>1</a><a>1</a><a>1</a>'), 'element', '/doc/a'],
    ],
  },
  {
    name: 'anyType',
    schema: `${s('known', '', 'xs:int')}<xs:element name="doc"/>`,
    valid: [
      '<doc/>',
      d('text <known>1</known> and <o:x a="b">more</o:x>'),
      '<doc any="thing" o:else="2"/>',
    ],
    invalid: [[d('<o:x><known>x</known></o:x>'), 'value', '/doc/*[1]/known[1]']],
  },
  {
    name: 'mixed content',
    schema:
      '<xs:element name="doc"><xs:complexType mixed="true">' +
      `${sequence(s('b', occurs(0, 2)) + s('i', occurs(0, 1), 'xs:int'))}</xs:complexType>` +
      '</xs:element>',
    valid: ['<doc/>', d('one <b>two</b> three <b/> four <i>5</i> six')],
    invalid: [
      [d('one <i>5</i><b/>'), 'element', '/doc/b[1]'],
      [d('one <i>x</i>'), 'value', '/doc/i'],
      [d('<u/>'), 'element', '/doc/*[1]'],
    ],
  },
  {
    name: 'binary content in a part of its own',
    schema: doc(
      sequence(
        s('data', occurs(0, 1), 'xs:base64Binary') +
          s('n', occurs(0, 1), 'xs:int') +
          '<xs:element name="few" minOccurs="0"><xs:simpleType>' +
          '<xs:restriction base="xs:base64Binary"><xs:length value="2"/></xs:restriction>' +
          '</xs:simpleType></xs:element>',
      ),
    ),
    valid: [d(`<data>${XOP}</data>`), d(`<few>${XOP}</few>`)],
    invalid: [
      [d(`<n>${XOP}</n>`), 'element', '/doc/n'],
      [d(XOP), 'element', '/doc/*[1]'],
    ],
    differs: new Map([
      [d(`<data>${XOP}</data>`), 'XOP is something between it and the document'],
      [d(`<few>${XOP}</few>`), 'XOP is something between it and the document'],
    ]),
  },
  {
    name: 'substitution groups',
    schema: `<xs:element name="pet" type="xs:string" abstract="true"/>\
<xs:element name="cat" type="xs:string" substitutionGroup="t:pet"/>\
<xs:element name="dog" substitutionGroup="t:pet"><xs:simpleType><xs:restriction base="xs:string">\
<xs:maxLength value="3"/></xs:restriction></xs:simpleType></xs:element>
${doc(sequence('<xs:element ref="t:pet" maxOccurs="3"/>'))}`,
    valid: [d('<cat>Tom</cat>'), d('<dog>Rex</dog><cat/><dog/>')],
    invalid: [
      [d('<pet>x</pet>'), 'element', '/doc/*[1]'],
      [d('<dog>Rexy</dog>'), 'value', '/doc/dog[1]'],
      ['<doc/>', 'missing', '/doc'],
    ],
  },
  {
    name: 'extension, restriction and recursion',
    schema: `<xs:complexType name="Node">\
${sequence(s('v', '', 'xs:int') + s('n', occurs(0, 2), 't:Node'))}</xs:complexType>
<xs:complexType name="Base">${sequence(s('a', occurs(0, 1)) + s('b', occurs(0, 1)))}\
<xs:attribute name="x"/></xs:complexType>
<xs:complexType name="Narrow"><xs:complexContent><xs:restriction base="t:Base">${sequence(s('a'))}\
<xs:attribute name="x" use="prohibited"/></xs:restriction></xs:complexContent></xs:complexType>
${doc(sequence(s('node', occurs(0, 1), 't:Node') + s('narrow', occurs(0, 1), 't:Narrow')))}`,
    valid: [
      d('<node><v>1</v><n><v>2</v></n><n><v>3</v><n><v>4</v></n></n></node>'),
      d('<narrow><a/></narrow>'),
    ],
    invalid: [
      [d('<node><v>1</v><n><v>2</v><n><v>x</v></n></n></node>'), 'value', '/doc/node/n[1]/n[1]/v'],
      [
        d('<node><v>1</v><n><v>2</v></n><n><v>2</v></n><n><v>2</v></n></node>'),
        'element',
        '/doc/node/n[3]',
      ],
      [d('<narrow/>'), 'missing', '/doc/narrow'],
      [d('<narrow><a/><b/></narrow>'), 'element', '/doc/narrow/*[2]'],
      [d('<narrow x="1"><a/></narrow>'), 'attribute', '/doc/narrow/@*'],
    ],
  },
  {
    name: 'IDs and references to them',
    schema: doc(
      sequence(
        '<xs:element name="a" maxOccurs="unbounded"><xs:complexType>' +
          '<xs:attribute name="id" type="xs:ID"/><xs:attribute name="ref" type="xs:IDREF"/>' +
          '<xs:attribute name="refs" type="xs:IDREFS"/></xs:complexType></xs:element>',
      ),
    ),
    valid: [
      d('<a id="x"/><a id="y"/>'),
      d('<a ref="x"/><a id="x"/>'),
      d('<a id="x"/><a id="y" refs="x  y"/>'),
    ],
    invalid: [
      [d('<a id="x"/><a id="x"/>'), 'identity', '/doc/a[2]'],
      [d('<a id="1"/>'), 'value', '/doc/a[1]/@id'],
      [d('<a ref="x"/>'), 'identity', ''],
      [d('<a id="x" refs="x y"/>'), 'identity', ''],
    ],
    differs: new Map([
      [d('<a ref="x"/>'), 'it follows no references without a DTD'],
      [d('<a id="x" refs="x y"/>'), 'it follows no references without a DTD'],
    ]),
  },
  {
    name: 'keys, references and what is unique',
    schema: `<xs:element name="doc"><xs:complexType>${sequence(
      `<xs:element name="k" minOccurs="0" maxOccurs="unbounded"><xs:complexType>\
${sequence(s('part', occurs(0, 'unbounded'), 'xs:decimal'))}\
<xs:attribute name="no" type="xs:decimal"/></xs:complexType></xs:element>\
<xs:element name="r" minOccurs="0" maxOccurs="unbounded" type="xs:decimal"/>\
<xs:element name="u" minOccurs="0" maxOccurs="unbounded"><xs:complexType><xs:attribute name="x"/>\
<xs:attribute name="y"/></xs:complexType></xs:element>`,
    )}</xs:complexType>
<xs:key name="K"><xs:selector xpath="t:k"/><xs:field xpath="@no"/></xs:key>
<xs:keyref name="R" refer="t:K"><xs:selector xpath="t:r"/><xs:field xpath="."/></xs:keyref>
<xs:unique name="U"><xs:selector xpath=".//t:u"/><xs:field xpath="@x"/><xs:field xpath="@y"/>\
</xs:unique>
<xs:unique name="P"><xs:selector xpath="t:k/t:part"/><xs:field xpath="."/>\
</xs:unique></xs:element>`,
    valid: [
      '<doc/>',
      d('<k no="1"/><k no="2"/><r>1</r><r>2.0</r>'),
      d('<u x="a" y="b"/><u x="ab" y=""/><u x="a"/><u x="a"/>'),
      d('<k no="1"><part>1</part><part>2</part></k><k no="2"><part>3</part></k>'),
    ],
    invalid: [
      [d('<k no="1"/><k no="1.0"/>'), 'identity', '/doc'],
      [d('<k/>'), 'identity', '/doc'],
      [d('<k no="1"/><r>2</r>'), 'identity', ''],
      [d('<u x="a" y="b"/><u x="a" y="b"/>'), 'identity', '/doc'],
      [d('<k no="1"><part>1</part></k><k no="2"><part>1.0</part></k>'), 'identity', '/doc/k[2]'],
    ],
  },
  {
    name: 'white space where nothing may be',
    schema: `${doc(sequence('<xs:element name="n" type="xs:int" nillable="true" minOccurs="0"/><xs:element name="e" minOccurs="0"><xs:complexType/></xs:element>'))}`,
    valid: [d('<n xsi:nil="true"/><e/>'), d('<n xsi:nil="true"></n><e><!-- nothing --></e>')],
    invalid: [
      [d('<n xsi:nil="true"> </n>'), 'nil', '/doc/n'],
      [d('<e>\n</e>'), 'text', '/doc/e'],
    ],
  },
  {
    name: 'attributes that the type gives, and those it does not know, as fields',
    schema: doc(
      sequence(
        '<xs:element name="i" maxOccurs="9"><xs:complexType><xs:attribute name="a"/>' +
          '<xs:attribute name="b" default="bb"/></xs:complexType></xs:element>',
      ),
      '',
    ).replace(
      /<\/xs:element>$/,
      '<xs:unique name="u"><xs:selector xpath="t:i"/><xs:field xpath="@b"/>' +
        '</xs:unique></xs:element>',
    ),
    valid: [d('<i/><i b="x"/>'), d('<i b="x"/><i b="y"/>')],
    invalid: [
      [d('<i/><i/>'), 'identity', '/doc'],
      [d('<i/><i b="bb"/>'), 'identity', '/doc'],
    ],
  },
  {
    name: 'keys of two children',
    schema:
      '<xs:element name="doc"><xs:complexType>' +
      `${sequence(
        `<xs:element name="g" maxOccurs="9"><xs:complexType>${sequence(s('k', occurs(0, 9)))}\
</xs:complexType><xs:key name="K"><xs:selector xpath="t:k"/><xs:field xpath="."/></xs:key>\
</xs:element>${s('r', occurs(0, 9))}`,
      )}` +
      '</xs:complexType><xs:keyref name="R" refer="t:K"><xs:selector xpath="t:r"/>' +
      '<xs:field xpath="."/></xs:keyref></xs:element>',
    valid: [
      d('<g><k>1</k></g><g><k>2</k></g><r>1</r><r>2</r>'),
      d('<g><k>1</k></g><g><k>1</k></g>'),
    ],
    invalid: [
      [d('<g><k>1</k></g><g><k>1</k></g><r>1</r>'), 'identity', ''],
      [d('<g><k>1</k></g><g><k>1</k></g><g><k>1</k></g><r>1</r>'), 'identity', ''],
    ],
  },
  {
    name: 'heads that nothing may stand for',
    schema:
      '<xs:element name="h" type="xs:string" block="substitution"/>' +
      '<xs:element name="m" substitutionGroup="t:h"/><xs:element name="o" type="xs:string" ' +
      'block=""/><xs:element name="p" substitutionGroup="t:o"/>' +
      `${doc(sequence('<xs:element ref="t:h"/><xs:element ref="t:o"/>'))}`,
    valid: [d('<h/><o/>'), d('<h/><p/>')],
    invalid: [[d('<m/><o/>'), 'element', '/doc/*[1]']],
  },
  {
    name: 'a fixed value of mixed content',
    schema:
      `<xs:complexType name="M" mixed="true">${sequence(s('b', occurs(0, 1)))}</xs:complexType>` +
      `${doc(sequence(s('m', 'fixed="a b"', 't:M')))}`,
    valid: [d('<m>a b</m>'), d('<m/>'), d('<m>a <!-- and -->b</m>')],
    invalid: [
      [d('<m>c</m>'), 'value', '/doc/m'],
      [d('<m> a b</m>'), 'value', '/doc/m'],
      [d('<m>a b<b/></m>'), 'value', '/doc/m'],
    ],
    differs: new Map([[d('<m>a b<b/></m>'), 'cvc-elt.5.2.2.1: no elements beside a fixed value']]),
  },
  {
    name: 'heads for which no derived type may stand',
    schema: `<xs:complexType name="B">${sequence(s('a', occurs(0, 1)))}</xs:complexType>
<xs:complexType name="X"><xs:complexContent><xs:extension base="t:B">\
${sequence(s('b', occurs(0, 1)))}</xs:extension></xs:complexContent></xs:complexType>
<xs:complexType name="XR"><xs:complexContent><xs:restriction base="t:X">\
${sequence(s('a', occurs(0, 1)))}</xs:restriction></xs:complexContent></xs:complexType>
<xs:complexType name="R"><xs:complexContent><xs:restriction base="t:B">\
${sequence('')}</xs:restriction></xs:complexContent></xs:complexType>
<xs:complexType name="P" block="extension">${sequence(s('a', occurs(0, 1)))}</xs:complexType>
<xs:complexType name="PX"><xs:complexContent><xs:extension base="t:P"/></xs:complexContent>\
</xs:complexType>
<xs:element name="h" type="t:B" block="extension"/><xs:element name="hx" type="t:X" \
substitutionGroup="t:h"/>
<xs:element name="hxr" type="t:XR" substitutionGroup="t:h"/><xs:element name="hr" type="t:R" \
substitutionGroup="t:h"/>
<xs:element name="hs" substitutionGroup="t:h"/><xs:element name="hi" substitutionGroup="t:h">\
<xs:complexType><xs:complexContent><xs:extension base="t:B"/></xs:complexContent></xs:complexType>\
</xs:element>
<xs:element name="p" type="t:P"/><xs:element name="px" type="t:PX" substitutionGroup="t:p"/>
<xs:element name="w" type="xs:string" block="restriction"/><xs:element name="wt" type="xs:token" \
substitutionGroup="t:w"/><xs:element name="ws" type="xs:string" substitutionGroup="t:w"/>
${doc(choice('<xs:element ref="t:h"/><xs:element ref="t:p"/><xs:element ref="t:w"/>', occurs(1, 9)))}`,
    valid: [d('<h/>'), d('<hr/>'), d('<hs><a/></hs>'), d('<p/>'), d('<w/>'), d('<ws/>')],
    invalid: [
      [d('<hx/>'), 'element', '/doc/*[1]'],
      [d('<hxr/>'), 'element', '/doc/*[1]'],
      [d('<hi/>'), 'element', '/doc/*[1]'],
      [d('<px/>'), 'element', '/doc/*[1]'],
      [d('<wt/>'), 'element', '/doc/*[1]'],
    ],
    differs: new Map([
      [d('<hxr/>'), 'section 3.3.6: every derivation between the two types counts'],
      [d('<wt/>'), 'section 3.3.6: simple types are derived by restriction'],
    ]),
  },
  {
    name: 'default and fixed values of another type than the declared one',
    schema: `<xs:simpleType name="Short"><xs:restriction base="xs:string"><xs:maxLength value="2"/>\
</xs:restriction></xs:simpleType>
<xs:complexType name="Only">${sequence(s('b', occurs(0, 1)))}</xs:complexType>\
<xs:complexType name="Empty"/>
<xs:complexType name="Mixed" mixed="true">${sequence(s('b', occurs(0, 1)))}</xs:complexType>
${doc(choice(`${s('e', 'fixed="abc"')}${s('f', 'default="abc"')}${s('n', 'fixed="1.5"', 'xs:decimal')}${s('x', 'fixed="abc"', 'xs:anyType')}${s('y', 'default="abc"', 'xs:anyType')}`))}`,
    valid: [
      d('<e xsi:type="xs:token">abc</e>'),
      d('<e xsi:type="xs:token"/>'),
      d('<f xsi:type="t:Short">ab</f>'),
      d('<n xsi:type="xs:decimal">1.50</n>'),
      d('<x>abc</x>'),
      d('<x xsi:type="t:Mixed">abc</x>'),
      d('<y xsi:type="t:Only"><b/></y>'),
    ],
    invalid: [
      [d('<e xsi:type="t:Short"/>'), 'value', '/doc/e'],
      [d('<e xsi:type="t:Short">ab</e>'), 'value', '/doc/e'],
      [d('<f xsi:type="t:Short"/>'), 'value', '/doc/f'],
      [d('<n xsi:type="xs:integer"/>'), 'value', '/doc/n'],
      [d('<n xsi:type="xs:integer">1</n>'), 'value', '/doc/n'],
      [d('<x xsi:type="t:Only"><b/></x>'), 'value', '/doc/x'],
      [d('<x xsi:type="t:Only"/>'), 'value', '/doc/x'],
      [d('<x xsi:type="t:Empty"/>'), 'value', '/doc/x'],
      [d('<y xsi:type="t:Only"/>'), 'value', '/doc/y'],
      [d('<x xsi:type="t:Mixed">abd</x>'), 'value', '/doc/x'],
      [d('<x>abd</x>'), 'value', '/doc/x'],
    ],
    differs: new Map([
      [d('<n xsi:type="xs:decimal">1.50</n>'), 'fixed values are compared as values'],
      [d('<x xsi:type="t:Only"><b/></x>'), 'cvc-elt.5.2.2.1: no elements beside a fixed value'],
      [d('<x xsi:type="t:Only"/>'), 'cvc-elt.5.1 and cos-valid-default.2.1'],
      [d('<y xsi:type="t:Only"/>'), 'cvc-elt.5.1 and cos-valid-default.2.1'],
    ]),
  },
  {
    name: 'fields that are no simple values, and fields that name one node twice',
    schema: `<xs:element name="doc"><xs:complexType>${sequence(
      `<xs:element name="i" ${occurs(0, 9)}><xs:complexType>${sequence(
        `<xs:element name="c" ${occurs(0, 1)}><xs:complexType>${sequence(s('d', occurs(0, 1)))}\
</xs:complexType></xs:element>${s('n', `${occurs(0, 1)} nillable="true"`)}${s('a', occurs(0, 2))}`,
      )}<xs:attribute name="x"/></xs:complexType></xs:element>`,
    )}</xs:complexType>
<xs:unique name="C"><xs:selector xpath="t:i"/><xs:field xpath="t:c"/></xs:unique>
<xs:unique name="N"><xs:selector xpath="t:i"/><xs:field xpath="t:n"/></xs:unique>
<xs:unique name="A"><xs:selector xpath="t:i|t:i"/><xs:field xpath="t:a|.//t:a|t:a"/></xs:unique>
<xs:unique name="X"><xs:selector xpath="t:i"/><xs:field xpath="@x|@x"/></xs:unique></xs:element>`,
    valid: [
      d('<i/><i/>'),
      d('<i><n xsi:nil="true"/></i><i><n xsi:nil="true"/></i>'),
      d('<i><a>1</a></i><i><a>2</a></i>'),
      d('<i x="1"/><i x="2"/>'),
    ],
    invalid: [
      [d('<i><c/></i>'), 'identity', '/doc/i[1]'],
      [d('<i><a>1</a><a>2</a></i>'), 'identity', '/doc'],
      [d('<i><a>1</a></i><i><a>1</a></i>'), 'identity', '/doc'],
      [d('<i x="1"/><i x="1"/>'), 'identity', '/doc'],
    ],
    differs: new Map([
      [d('<i><n xsi:nil="true"/></i><i><n xsi:nil="true"/></i>'), 'what is nil has no value'],
    ]),
  },
  {
    name: 'white space in the attributes of a schema',
    schema: `<xs:simpleType name="L"><xs:restriction base="xs:string"><xs:enumeration value="a\r\n\
b"/><xs:enumeration value="c&#10;d"/><xs:enumeration
 value='e&#xD;&#xA;f &amp; "\tg'/><xs:enumeration value="h\n\ni"/></xs:restriction></xs:simpleType>
${doc(sequence(s('l', '', 't:L')))}`,
    valid: [d('<l>a b</l>'), d('<l>c\nd</l>'), d('<l>e&#xD;\nf &amp; " g</l>'), d('<l>h  i</l>')],
    invalid: [
      [d('<l>a  b</l>'), 'value', '/doc/l'],
      [d('<l>a\nb</l>'), 'value', '/doc/l'],
      [d('<l>c d</l>'), 'value', '/doc/l'],
      [d('<l>e  f &amp; " g</l>'), 'value', '/doc/l'],
      [d('<l>h i</l>'), 'value', '/doc/l'],
    ],
  },
];
