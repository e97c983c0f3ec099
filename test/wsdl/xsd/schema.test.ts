import t from 'tap';
import {
  complexOf,
  modelOf,
  operationOf,
  printContent,
  schemaWith,
  simpleOf,
  warningsOf,
  wsdlWith,
} from '../written.js';

/** The model of a schema's content. */
const read = (content: string, attributes?: string) =>
  modelOf(wsdlWith({ types: schemaWith(content, attributes) }));

t.test('local elements stand in the namespace that form and elementFormDefault say', async (t) => {
  const locals = `<xs:complexType name="A"><xs:sequence><xs:element name="plain" type="xs:int"/>
    <xs:element name="in" form="qualified" type="xs:int"/>\
<xs:element name="out" form="unqualified" type="xs:int"/>
    <xs:element ref="t:GetResponse"/></xs:sequence></xs:complexType>`;
  const unqualified = await read(locals, '');
  t.equal(
    printContent(complexOf(unqualified, 'A')),
    'sequence(plain:int, {urn:t}in:int, out:int, {urn:t}GetResponse:string)',
  );
  const qualified = await read(locals);
  t.equal(
    printContent(complexOf(qualified, 'A')),
    'sequence({urn:t}plain:int, {urn:t}in:int, out:int, {urn:t}GetResponse:string)',
  );
});

t.test(
  'a global element stands in the namespace of the schema that declares it, with several schemas',
  async (t) => {
    const types = `${schemaWith('<xs:complexType name="A"><xs:sequence><xs:element name="a" type="xs:int"/></xs:sequence></xs:complexType>')}
    <xs:schema targetNamespace="urn:u" xmlns:u="urn:u"><xs:import namespace="urn:t"/>
      <xs:complexType name="A"><xs:complexContent><xs:extension base="t:A"><xs:sequence>
        <xs:element name="b" type="xs:int"/><xs:element ref="u:C"/></xs:sequence></xs:extension>\
</xs:complexContent></xs:complexType>
      <xs:element name="C" type="q7:A" xmlns:q7="urn:u"/></xs:schema>`;
    const model = await modelOf(wsdlWith({ types }));
    t.equal(printContent(complexOf(model, 'A')), 'sequence({urn:t}a:int)');
    t.equal(
      printContent(complexOf(model, 'A', 'urn:u')),
      'sequence({urn:t}a:int, b:int, {urn:u}C:A)',
      'recursive as well',
    );
    t.equal(
      complexOf(model, 'A', 'urn:u').base,
      complexOf(model, 'A'),
      'two types of one name are told apart',
    );
    t.equal(model.elements.get('{urn:u}C')?.type, complexOf(model, 'A', 'urn:u'));
    t.strictSame(model.warnings, []);
  },
);

t.test('occurrence, nillable, default, fixed and documentation are kept', async (t) => {
  const model = await read(
    `<xs:complexType name="A"><xs:annotation><xs:documentation> What <b>it</b> is. \
</xs:documentation></xs:annotation>
      <xs:sequence minOccurs="0" maxOccurs="3">
      <xs:element name="a" type="xs:int" minOccurs="0" maxOccurs="unbounded" nillable="true"/>
      <xs:element name="b" type="xs:int" maxOccurs="1000000000" default="1"/>\
<xs:element name="c" type="xs:int" maxOccurs="99999999999999999999"/>\
<xs:element name="gone" type="xs:int" minOccurs="0" maxOccurs="0"/>
      <xs:any minOccurs="0" processContents="lax"/></xs:sequence></xs:complexType>
      <xs:element name="F" type="xs:string" fixed="x" nillable="1"><xs:annotation>\
<xs:documentation>F.</xs:documentation></xs:annotation></xs:element>`,
  );
  const type = complexOf(model, 'A');
  t.equal(
    printContent(type),
    'sequence({urn:t}a:int?[0..*], {urn:t}b:int[1..1000000000], ' +
      '{urn:t}c:int[1..*], any[0..1])[0..3]',
  );
  t.equal(type.documentation, 'What it is.');
  t.match(model.elements.get('{urn:t}F'), {
    fixed: 'x',
    nillable: true,
    documentation: 'F.',
    default: null,
  });
});

t.test('sequence, choice, all, any and groups nest', async (t) => {
  const model = await read(
    `<xs:group name="G"><xs:choice><xs:element name="x" type="xs:int"/>\
<xs:element name="y" type="xs:int"/></xs:choice></xs:group>
     <xs:group name="S"><xs:sequence><xs:element name="p" type="xs:int"/><xs:group ref="t:G"/>\
</xs:sequence></xs:group>
     <xs:complexType name="A"><xs:sequence><xs:group ref="t:S"/><xs:group ref="t:G" minOccurs="0" \
maxOccurs="2"/>
       <xs:sequence><xs:element name="q" type="xs:int"/></xs:sequence></xs:sequence>\
</xs:complexType>
     <xs:complexType name="B"><xs:all><xs:element name="a" type="xs:int"/>\
<xs:element name="b" type="xs:int" minOccurs="0"/></xs:all></xs:complexType>
     <xs:complexType name="C"><xs:group ref="t:G"/></xs:complexType><xs:complexType name="D">\
<xs:sequence/></xs:complexType>
     <xs:complexType name="E"/><xs:complexType name="F"><xs:choice><xs:sequence/>\
<xs:element name="f" type="xs:int"/></xs:choice></xs:complexType>
     <xs:complexType name="H"><xs:choice><xs:sequence maxOccurs="0" minOccurs="0"/>\
<xs:element name="h" type="xs:int"/></xs:choice></xs:complexType>`,
    '',
  );
  t.equal(
    printContent(complexOf(model, 'A')),
    'sequence(p:int, choice(x:int, y:int), choice(x:int, y:int)[0..2], q:int)',
  );
  t.equal(printContent(complexOf(model, 'B')), 'all(a:int, b:int[0..1])');
  t.equal(printContent(complexOf(model, 'C')), 'choice(x:int, y:int)');
  t.equal(printContent(complexOf(model, 'D')), 'empty');
  t.equal(
    printContent(complexOf(model, 'F')),
    'choice(f:int)[0..1]',
    'a branch that is empty may be taken',
  );
  t.equal(printContent(complexOf(model, 'H')), 'choice(h:int)', 'one that is not there may not');
  t.equal(printContent(complexOf(model, 'E')), 'empty', 'an empty complex type is fine');
});

t.test(
  'extension and restriction: inherited content and attributes come first, derived types are known',
  async (t) => {
    const model = await read(
      `<xs:complexType name="C"><xs:complexContent><xs:extension base="t:B"><xs:choice>\
<xs:element name="c" type="xs:int"/>
       <xs:element name="d" type="xs:int"/></xs:choice></xs:extension></xs:complexContent>\
</xs:complexType>
     <xs:complexType name="A" abstract="true"><xs:sequence><xs:element name="a" type="xs:int"/>\
</xs:sequence><xs:attribute name="one" type="xs:int"/></xs:complexType>
     <xs:complexType name="B"><xs:complexContent><xs:extension base="t:A"><xs:sequence>\
<xs:element name="b" type="xs:int"/></xs:sequence>
       <xs:attribute name="two" use="required" type="xs:token"/></xs:extension></xs:complexContent>\
</xs:complexType>
     <xs:complexType name="R"><xs:complexContent><xs:restriction base="t:B"><xs:sequence>\
<xs:element name="a" type="xs:byte"/></xs:sequence>
       <xs:attribute name="one" use="prohibited"/></xs:restriction></xs:complexContent>\
</xs:complexType>
     <xs:complexType name="Any"><xs:complexContent><xs:restriction base="xs:anyType"><xs:sequence>\
<xs:element name="z" type="xs:int"/></xs:sequence></xs:restriction></xs:complexContent>\
</xs:complexType>
     <xs:complexType name="Q"><xs:complexContent><xs:extension base="t:A"/>\
</xs:complexContent></xs:complexType>`,
      '',
    );
    const [a, b, c, r] = ['A', 'B', 'C', 'R'].map((name) => complexOf(model, name));
    t.equal(c && printContent(c), 'sequence(a:int, b:int, choice(c:int, d:int))');
    t.equal(r && printContent(r), 'sequence(a:byte)');
    t.strictSame(
      c?.attributes.map(({ name, required }) => [name.local, required]),
      [
        ['one', false],
        ['two', true],
      ],
    );
    t.strictSame(
      r?.attributes.map(({ name }) => name.local),
      ['two'],
    );
    t.equal(a?.abstract, true);
    t.equal(c?.base, b);
    t.strictSame([b?.derivation, r?.derivation], ['extension', 'restriction']);
    t.strictSame(
      a?.derived.map(({ name }) => name?.local),
      ['B', 'Q'],
    );
    t.strictSame(
      b?.derived.map(({ name }) => name?.local),
      ['C', 'R'],
    );
    t.equal(printContent(complexOf(model, 'Any')), 'sequence(z:int)');
    t.equal(complexOf(model, 'Any').base, null);
  },
);

t.test('simple content keeps its text type and attributes through derivation', async (t) => {
  const model = await read(
    `<xs:complexType name="Money"><xs:simpleContent><xs:extension base="xs:decimal">\
<xs:attribute name="currency" type="xs:string" default="EUR"/>
       </xs:extension></xs:simpleContent></xs:complexType>
     <xs:complexType name="Price"><xs:simpleContent><xs:restriction base="t:Money">\
<xs:maxInclusive value="10"/></xs:restriction></xs:simpleContent></xs:complexType>`,
  );
  t.equal(printContent(complexOf(model, 'Money')), 'text decimal');
  const price = complexOf(model, 'Price');
  t.match(price, { derivation: 'restriction', base: complexOf(model, 'Money') });
  t.match(price.content, {
    kind: 'text',
    type: { builtIn: 'decimal', facets: { maxInclusive: '10' } },
  });
  t.match(price.attributes, [
    { name: { uri: '', local: 'currency' }, default: 'EUR', required: false },
  ]);
});

t.test(
  'attributes: references, groups, form, prohibited, fixed, xml:lang and SOAP encoding',
  async (t) => {
    const model = await read(
      `<xs:attribute name="version" type="xs:int" default="1"/>
     <xs:attributeGroup name="Common"><xs:attribute name="id" type="xs:ID"/>\
<xs:attributeGroup ref="t:More"/></xs:attributeGroup>
     <xs:attributeGroup name="More"><xs:attribute name="more"/><xs:anyAttribute/>\
</xs:attributeGroup>
     <xs:complexType name="A"><xs:attributeGroup ref="t:Common"/><xs:attribute ref="t:version" \
use="required" fixed="2"/>
       <xs:attribute name="q" form="qualified"><xs:simpleType><xs:restriction base="xs:string">\
<xs:enumeration value="y"/></xs:restriction></xs:simpleType></xs:attribute>
       <xs:attribute ref="xml:lang"/><xs:attribute ref="soapenc:arrayType"/></xs:complexType>`,
    );
    const { attributes } = complexOf(model, 'A');
    t.strictSame(
      attributes.map(({ name, type }) => `{${name.uri}}${name.local} ${type.builtIn}`),
      [
        '{}id ID',
        '{}more string',
        '{urn:t}version int',
        '{urn:t}q string',
        '{http://www.w3.org/XML/1998/namespace}lang language',
      ],
    );
    t.match(attributes[2], { required: true, fixed: '2', default: '1' });
    t.equal(attributes[3]?.type.enumeration?.[0]?.value, 'y');
    t.match(warningsOf(model), /^Attributes that xs:anyAttribute lets in pass as SOAP[^\n]*$/);
  },
);

t.test(
  'anyType, untyped elements and mixed content are kept as XML, which is the whole of ' +
    'them: operations stay ok',
  async (t) => {
    const model = await read(
      `<xs:complexType name="Note" mixed="true"><xs:sequence>\
<xs:element name="b" type="xs:string"/></xs:sequence></xs:complexType>
     <xs:complexType name="Deep"><xs:sequence><xs:element name="note" type="t:Note"/>\
<xs:element name="x" type="xs:anyType"/><xs:element name="y"/></xs:sequence></xs:complexType>`,
    );
    t.equal(printContent(complexOf(model, 'Note')), 'opaque');
    t.equal(
      printContent(complexOf(model, 'Deep')),
      'sequence({urn:t}note:Note, {urn:t}x:anyType, {urn:t}y:anyType)',
    );
    t.equal(
      operationOf(model, 'Get').status,
      'ok',
      'an operation that does not reach it is not touched',
    );
    const reaching = await modelOf(
      wsdlWith({
        types: schemaWith(
          `<xs:complexType name="Note" mixed="true"/><xs:complexType name="Deep"><xs:sequence>\
<xs:element name="note" type="t:Note"/></xs:sequence></xs:complexType>
             <xs:element name="In"><xs:complexType><xs:sequence>\
<xs:element name="deep" type="t:Deep"/></xs:sequence></xs:complexType></xs:element>`,
        ),
        messages:
          '<message name="In"><part name="p" element="t:In"/></message><message name="Out">' +
          '<part name="p" element="t:GetResponse"/></message>',
      }),
    );
    t.equal(operationOf(reaching, 'Get').status, 'ok');
  },
);

t.test(
  'substitution groups: a reference to the head takes the members, an abstract head is left out',
  async (t) => {
    const model = await read(
      `<xs:element name="Shape" abstract="true" type="t:ShapeType"/>\
<xs:complexType name="ShapeType"/>
     <xs:element name="Circle" substitutionGroup="t:Shape"/>\
<xs:element name="Square" type="t:ShapeType" substitutionGroup="t:Shape"/>
     <xs:complexType name="A"><xs:sequence><xs:element ref="t:Shape" maxOccurs="unbounded"/>\
</xs:sequence></xs:complexType>`,
    );
    t.equal(
      printContent(complexOf(model, 'A')),
      'sequence(choice({urn:t}Circle:ShapeType, {urn:t}Square:ShapeType)[1..*])',
    );
  },
);

t.test('what is missing or circular is a warning with its position, never a failure', async (t) => {
  const model = await read(
    `<xs:complexType name="Lost"><xs:sequence><xs:element name="a" type="t:Nowhere"/>\
<xs:element ref="t:Neither"/><xs:element name="b" type="no:Prefix"/></xs:sequence></xs:complexType>
     <xs:complexType name="Snake"><xs:complexContent><xs:extension base="t:Tail"/>\
</xs:complexContent></xs:complexType>
     <xs:complexType name="Tail"><xs:complexContent><xs:extension base="t:Snake"/>\
</xs:complexContent></xs:complexType>
     <xs:group name="Loop"><xs:sequence><xs:group ref="t:Loop"/></xs:sequence></xs:group>
     <xs:complexType name="Looped"><xs:group ref="t:Loop"/></xs:complexType>
     <xs:attributeGroup name="Ring"><xs:attributeGroup ref="t:Ring"/></xs:attributeGroup>
     <xs:complexType name="Ringed"><xs:attributeGroup ref="t:Ring"/></xs:complexType>
     <xs:simpleType name="Self"><xs:restriction base="t:Self"/></xs:simpleType>
     <xs:complexType name="Nodes"><xs:sequence><xs:element name="node" type="t:Nodes" \
minOccurs="0"/></xs:sequence></xs:complexType>
     <xs:complexType name="Lost"/>`,
  );
  t.equal(
    printContent(complexOf(model, 'Lost')),
    'sequence({urn:t}a:~, {urn:t}Neither:~?, {urn:t}b:~)',
  );
  t.equal(printContent(complexOf(model, 'Looped')), 'opaque');
  t.equal(printContent(complexOf(model, 'Nodes')), 'sequence({urn:t}node:Nodes[0..1])');
  t.equal(simpleOf(model, 'Self').builtIn, 'string');
  const told = model.warnings.map(({ what }) => what).join('\n');
  for (const what of [
    't:Nowhere is not declared',
    't:Neither is not declared',
    'no:Prefix uses a prefix',
    'derived from itself',
    'contains itself',
    'declared twice',
  ]) {
    t.match(told, what);
  }
  for (const { file, line, column } of model.warnings)
    t.ok(file !== null && line !== null && column !== null);
});

t.test('groups that multiply and chains that go deep stay bounded', async (t) => {
  const doubling = Array.from(
    { length: 40 },
    (_, at) =>
      `<xs:group name="G${at + 1}"><xs:sequence><xs:choice><xs:group ref="t:G${at}"/>` +
      `<xs:group ref="t:G${at}"/></xs:choice></xs:sequence></xs:group>`,
  );
  const chain = Array.from(
    { length: 5000 },
    (_, at) =>
      `<xs:complexType name="C${at}"><xs:complexContent><xs:extension base="t:C${at + 1}"/>` +
      `</xs:complexContent></xs:complexType><xs:simpleType name="S${at}">` +
      `<xs:restriction base="t:S${at + 1}"/></xs:simpleType>`,
  );
  const started = performance.now();
  const model = await read(
    `<xs:group name="G0"><xs:choice><xs:element name="a" type="xs:int"/>\
<xs:element name="b" type="xs:int"/></xs:choice></xs:group>
     ${doubling.join('')}<xs:complexType name="Bomb"><xs:group ref="t:G40"/>\
</xs:complexType>${chain.join('')}`,
  );
  t.comment(`read in ${Math.round(performance.now() - started)} ms`);
  t.equal(printContent(complexOf(model, 'Bomb')), 'opaque');
  t.match(model.warnings.map(({ what }) => what).join('\n'), 'too deeply');
});

t.test('names of JavaScript objects are names like any other', async (t) => {
  const model = await read(
    `<xs:complexType name="constructor"><xs:sequence><xs:element name="__proto__" \
type="t:toString"/></xs:sequence><xs:attribute name="prototype" type="xs:int"/></xs:complexType>
     <xs:complexType name="toString"/><xs:simpleType name="__proto__">\
<xs:restriction base="xs:int"/></xs:simpleType>`,
  );
  t.equal(printContent(complexOf(model, 'constructor')), 'sequence({urn:t}__proto__:toString)');
  t.equal(simpleOf(model, '__proto__').builtIn, 'int');
  t.equal(Object.getOwnPropertyNames(Object.prototype).includes('urn:t'), false);
});

t.test('the model is frozen', async (t) => {
  const model = await read('<xs:complexType name="A"/>');
  t.ok(
    Object.isFrozen(model) &&
      Object.isFrozen(complexOf(model, 'A')) &&
      Object.isFrozen(complexOf(model, 'A').derived),
  );
  t.ok(Object.isFrozen(operationOf(model, 'Get').input.headers));
});
