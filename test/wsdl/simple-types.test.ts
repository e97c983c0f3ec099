import t from 'tap';
import type { SimpleType } from '../../src/wsdl/model.js';
import {
  complexOf,
  modelOf,
  operationOf,
  readSchemaWith,
  simpleOf,
  warningsOf,
  wsdlWith,
} from './written.js';

const names = (types: readonly SimpleType[]) =>
  types.map(({ name, builtIn }) => name?.local ?? `~${builtIn}`);

t.test(
  'simple types: facets add up, enumerations are documented, lists and unions have their variety',
  async (t) => {
    const model = await readSchemaWith(
      t,
      `<xs:simpleType name="Code"><xs:restriction base="t:Short"><xs:pattern value="A.*"/>\
<xs:pattern value="B.*"/></xs:restriction></xs:simpleType>
     <xs:simpleType name="Short"><xs:restriction base="xs:token"><xs:maxLength value="5"/>\
<xs:pattern value=".+"/></xs:restriction></xs:simpleType>
     <xs:simpleType name="Colour"><xs:restriction base="xs:string"><xs:enumeration value="ON HOLD">\
<xs:annotation><xs:documentation>Wait.</xs:documentation></xs:annotation></xs:enumeration>
       <xs:enumeration value=" x"/><xs:enumeration value=" x"/></xs:restriction></xs:simpleType>
     <xs:simpleType name="Warm"><xs:restriction base="t:Colour"/></xs:simpleType>
     <xs:simpleType name="Ints"><xs:list itemType="xs:int"/></xs:simpleType>\
<xs:simpleType name="Codes"><xs:list><xs:simpleType><xs:restriction base="t:Code"/></xs:simpleType>\
</xs:list></xs:simpleType>
     <xs:simpleType name="Either"><xs:union memberTypes="xs:int xs:date"/></xs:simpleType>
     <xs:simpleType name="Any"><xs:restriction base="xs:anySimpleType"/></xs:simpleType>
     <xs:simpleType name="Odd"><xs:restriction base="xs:decimal"><xs:totalDigits value="12"/>\
<xs:fractionDigits value="2"/><xs:minExclusive value="0"/><xs:length value="x"/></xs:restriction>\
</xs:simpleType>
     <xs:simpleType name="Tokens"><xs:restriction base="xs:NMTOKENS"/></xs:simpleType>`,
    );
    t.match(simpleOf(model, 'Code'), {
      builtIn: 'token',
      facets: { maxLength: 5, patterns: ['.+', 'A.*|B.*'] },
    });
    t.strictSame(simpleOf(model, 'Colour').enumeration, [
      { value: 'ON HOLD', documentation: 'Wait.' },
      { value: ' x', documentation: null },
    ]);
    t.equal(simpleOf(model, 'Warm').enumeration?.length, 2);
    t.match(simpleOf(model, 'Ints'), { variety: 'list', builtIn: 'int' });
    t.match(simpleOf(model, 'Codes'), { variety: 'list', builtIn: 'token' });
    t.match(simpleOf(model, 'Tokens'), { variety: 'list', builtIn: 'NMTOKEN' });
    t.match(simpleOf(model, 'Either'), { variety: 'union', builtIn: 'string' });
    t.match(simpleOf(model, 'Any'), { variety: 'atomic', builtIn: 'string' });
    t.match(simpleOf(model, 'Odd').facets, {
      totalDigits: 12,
      fractionDigits: 2,
      minExclusive: '0',
      length: null,
    });
    t.match(model.warnings, [
      { what: 'The facet length is not a number in reach; it is left out.' },
    ]);
  },
);

t.test(
  'a union has its members in order: named ones, then inline ones, unions within it dissolved',
  async (t) => {
    const model = await readSchemaWith(
      t,
      `<xs:simpleType name="U"><xs:union memberTypes="t:Size xs:int
        t:Inner"><xs:simpleType><xs:restriction base="xs:date"/></xs:simpleType></xs:union>\
</xs:simpleType>
     <xs:simpleType name="Size"><xs:restriction base="xs:token"><xs:enumeration value="small"/>\
</xs:restriction></xs:simpleType>
     <xs:simpleType name="Inner"><xs:union memberTypes="xs:boolean xs:int"/></xs:simpleType>
     <xs:simpleType name="Few"><xs:restriction base="t:U"><xs:enumeration value=" 1  2 "/>\
<xs:pattern value="[0-9 ]+"/></xs:restriction></xs:simpleType>
     <xs:simpleType name="Kept"><xs:union memberTypes="t:Few xs:byte"/></xs:simpleType>
     <xs:simpleType name="Ints"><xs:union memberTypes="xs:int t:MyInt"/></xs:simpleType>
     <xs:simpleType name="MyInt"><xs:restriction base="xs:int"><xs:minInclusive value="1"/>\
</xs:restriction></xs:simpleType>
     <xs:simpleType name="Texts"><xs:restriction><xs:simpleType><xs:union memberTypes="xs:string \
xs:int"/></xs:simpleType><xs:enumeration value=" a  b"/></xs:restriction></xs:simpleType>`,
    );
    const u = simpleOf(model, 'U');
    t.match(u, { variety: 'union', builtIn: 'string', base: null, item: null });
    t.strictSame(names(u.members), ['Size', 'int', 'boolean', '~date']);
    const few = simpleOf(model, 'Few');
    t.equal(few.base, u);
    t.equal(few.members, u.members, 'a restriction keeps the members');
    t.match(
      few,
      { enumeration: [{ value: '1 2' }], facets: { patterns: ['[0-9 ]+'] } },
      'every member collapses',
    );
    t.strictSame(
      names(simpleOf(model, 'Kept').members),
      ['Few', 'byte'],
      'a restricted union stays a member',
    );
    t.equal(simpleOf(model, 'Ints').builtIn, 'int', 'all members share it');
    t.equal(
      simpleOf(model, 'Texts').enumeration?.[0]?.value,
      ' a  b',
      'a string among the members keeps white space',
    );
    t.strictSame(model.warnings, []);
  },
);

t.test('a list has its item type, and keeps it when it is restricted', async (t) => {
  const model = await readSchemaWith(
    t,
    `<xs:simpleType name="Codes"><xs:list itemType="t:Code"/></xs:simpleType>
     <xs:simpleType name="Code"><xs:union memberTypes="xs:int xs:boolean"/></xs:simpleType>
     <xs:simpleType name="Two"><xs:restriction base="t:Codes"><xs:length value="2"/>\
<xs:enumeration value="1
       true"/></xs:restriction></xs:simpleType>
     <xs:simpleType name="Lists"><xs:list itemType="t:Codes"/></xs:simpleType>
     <xs:simpleType name="Either"><xs:union memberTypes="t:Codes xs:date"/></xs:simpleType>
     <xs:simpleType name="Own"><xs:restriction base="xs:NMTOKENS"><xs:maxLength value="3"/>\
</xs:restriction></xs:simpleType>`,
  );
  t.equal(simpleOf(model, 'Codes').item, simpleOf(model, 'Code'));
  const two = simpleOf(model, 'Two');
  t.match(two, { variety: 'list', facets: { length: 2 }, enumeration: [{ value: '1 true' }] });
  t.equal(two.item, simpleOf(model, 'Code'));
  t.equal(two.base, simpleOf(model, 'Codes'));
  t.match(simpleOf(model, 'Own'), {
    variety: 'list',
    builtIn: 'NMTOKEN',
    item: { builtIn: 'NMTOKEN' },
  });
  t.strictSame(
    names(simpleOf(model, 'Either').members),
    ['Codes', 'date'],
    'a union may have a list',
  );
  t.match(simpleOf(model, 'Lists'), {
    variety: 'list',
    item: { variety: 'atomic', builtIn: 'string' },
  });
  t.equal(warningsOf(model), 'The list is one of lists; its items are taken as strings.');
});

t.test(
  'white space is kept, replaced or collapsed as the type says, in enumerations too',
  async (t) => {
    const model = await readSchemaWith(
      t,
      `<xs:simpleType name="Line"><xs:restriction base="xs:string"><xs:whiteSpace value="replace"/>\
</xs:restriction></xs:simpleType>
     <xs:simpleType name="Word"><xs:restriction base="t:Line"><xs:whiteSpace value="collapse"/>\
<xs:enumeration value="  a   b "/></xs:restriction></xs:simpleType>
     <xs:simpleType name="Kept"><xs:restriction base="t:Line"><xs:enumeration value="&#9; a"/>\
</xs:restriction></xs:simpleType>
     <xs:simpleType name="Odd"><xs:restriction base="t:Line"><xs:whiteSpace value="fold"/>\
</xs:restriction></xs:simpleType>`,
    );
    t.equal(simpleOf(model, 'Line').facets.whiteSpace, 'replace');
    t.match(simpleOf(model, 'Word'), {
      facets: { whiteSpace: 'collapse' },
      enumeration: [{ value: 'a b' }],
    });
    t.match(simpleOf(model, 'Kept'), {
      facets: { whiteSpace: 'replace' },
      enumeration: [{ value: '  a' }],
    });
    t.equal(simpleOf(model, 'Odd').facets.whiteSpace, 'replace');
    t.equal(warningsOf(model), 'The facet whiteSpace has no such value; it is left out.');
  },
);

t.test(
  'an enumeration of QNames is left to the backend: prefixes mean something else in each message',
  async (t) => {
    const model = await readSchemaWith(
      t,
      '<xs:simpleType name="Codes"><xs:restriction base="xs:QName">' +
        '<xs:enumeration value="t:A"/></xs:restriction></xs:simpleType>',
    );
    t.match(simpleOf(model, 'Codes'), { builtIn: 'QName', enumeration: null });
    t.equal(warningsOf(model), 'The enumeration of qualified names is not checked.');
  },
);

t.test(
  'a simple type that is missing makes what is made of it partial, wherever it stands',
  async (t) => {
    const uses = {
      member:
        '<xs:sequence><xs:element name="a"><xs:simpleType><xs:union memberTypes="xs:int ' +
        't:No"/></xs:simpleType></xs:element></xs:sequence>',
      item:
        '<xs:sequence><xs:element name="a"><xs:simpleType><xs:list itemType="t:No"/>' +
        '</xs:simpleType></xs:element></xs:sequence>',
      base:
        '<xs:attribute name="a"><xs:simpleType><xs:restriction base="t:No"/>' +
        '</xs:simpleType></xs:attribute>',
      mixed:
        '<xs:sequence><xs:element name="b"><xs:complexType mixed="true"><xs:sequence>' +
        '<xs:element name="c" type="t:No"/></xs:sequence></xs:complexType>' +
        '</xs:element></xs:sequence>',
    };
    for (const [use, content] of Object.entries(uses)) {
      const messages =
        '<message name="In"><part name="p" element="t:In"/></message><message name="Out">' +
        '<part name="p" element="t:In"/></message>';
      const types =
        '<xs:schema targetNamespace="urn:t"><xs:element name="In"><xs:complexType>' +
        `${content}</xs:complexType></xs:element></xs:schema>`;
      const model = await modelOf(wsdlWith({ types, messages }));
      t.match(
        operationOf(model, 'Get'),
        { status: 'partial', reasons: [{ what: /type t:No is not declared/ }] },
        use,
      );
    }
  },
);

t.test(
  'chains of any order and length are read; circles and what multiplies are ' +
    'strings, with a warning',
  async (t) => {
    const chain = Array.from(
      { length: 900 },
      (_, at) =>
        `<xs:simpleType name="S${at}"><xs:restriction base="t:S${at + 1}"/></xs:simpleType>`,
    );
    const doubling = Array.from(
      { length: 40 },
      (_, at) => `<xs:simpleType name="D${at + 1}"><xs:union><xs:simpleType>\
<xs:restriction base="t:D${at}"><xs:pattern value="a"/></xs:restriction></xs:simpleType>
      <xs:simpleType><xs:restriction base="t:D${at}"><xs:pattern value="b"/></xs:restriction>\
</xs:simpleType></xs:union></xs:simpleType>`,
    );
    const model = await readSchemaWith(
      t,
      `${chain.join('')}<xs:simpleType name="S900"><xs:restriction base="xs:int"/></xs:simpleType>
     ${doubling.join('')}<xs:simpleType name="D0"><xs:union memberTypes="xs:int xs:date"/>\
</xs:simpleType>
     <xs:simpleType name="Ring"><xs:union memberTypes="xs:int t:Ring2"/></xs:simpleType>\
<xs:simpleType name="Ring2"><xs:list itemType="t:Ring"/></xs:simpleType>`,
    );
    t.equal(simpleOf(model, 'S0').builtIn, 'int', 'forward references are followed to their end');
    t.match(simpleOf(model, 'D40'), { builtIn: 'string' });
    t.match(warningsOf(model), /made of too many/);
    t.match(warningsOf(model), /derived from itself/);
  },
);

t.test('swaRef, soapenc types and types of XML Schema 1.1 are known by name', async (t) => {
  const model = await readSchemaWith(
    t,
    `<xs:complexType name="A"><xs:sequence><xs:element name="a" type="r:swaRef" \
xmlns:r="http://ws-i.org/profiles/basic/1.1/xsd"/>
       <xs:element name="b" type="e:string" xmlns:e="http://www.w3.org/2003/05/soap-encoding"/>\
<xs:element name="c" type="xs:dayTimeDuration"/></xs:sequence></xs:complexType>`,
  );
  const { content } = complexOf(model, 'A');
  t.match(content, {
    particle: {
      particles: [
        { element: { type: { builtIn: 'anyURI' } } },
        { element: { type: { builtIn: 'string' } } },
        { element: { type: { builtIn: 'duration' } } },
      ],
    },
  });
  t.strictSame(model.warnings, []);
});
