import t from 'tap';
import type { ComplexType, Particle } from '../../src/wsdl/model.js';
import {
  complexOf,
  operationOf,
  printContent,
  printParticle,
  readSchemaWith,
  warningsOf,
} from './written.js';

/** The particle of mixed content, printed; null where it has none. */
function mixedIn({ content }: ComplexType): string | null {
  if (content.kind !== 'opaque' || content.mixed === null) throw new Error('no mixed content');
  return content.mixed.particle === null ? null : printParticle(content.mixed.particle);
}

const extending = (base: string, content: string, mixed = '') =>
  `<xs:complexContent${mixed}><xs:extension base="${base}">` +
  `${content}</xs:extension></xs:complexContent>`;
const restricting = (base: string, content: string, mixed = '') =>
  `<xs:complexContent${mixed}><xs:restriction base="${base}">` +
  `${content}</xs:restriction></xs:complexContent>`;
const one = (name: string) =>
  `<xs:sequence><xs:element name="${name}" type="xs:int" form="unqualified"/></xs:sequence>`;

t.test('mixed content has the elements it may hold, inherited ones first', async (t) => {
  const model = await readSchemaWith(
    t,
    `<xs:complexType name="M" mixed="true">${one('a')}</xs:complexType>\
<xs:complexType name="Text" mixed="true"/>
     <xs:complexType name="More">${extending('t:M', one('b'), ' mixed="true"')}</xs:complexType>
     <xs:complexType name="Same">${extending('t:M', '<xs:attribute name="x"/>')}</xs:complexType>
     <xs:complexType name="FromText" mixed="1">${extending('t:Text', one('b'))}</xs:complexType>
     <xs:complexType name="Less">${restricting('t:M', one('a'))}</xs:complexType>
     <xs:complexType name="Still" mixed="true">${restricting('t:M', one('a'))}</xs:complexType>
     <xs:complexType name="Not" mixed="true">${restricting('t:M', one('a'), ' mixed="false"')}\
</xs:complexType>
     <xs:complexType name="Simple"><xs:simpleContent><xs:restriction base="t:Text"><xs:simpleType>\
<xs:restriction base="xs:int"/></xs:simpleType>
       <xs:maxInclusive value="3"/></xs:restriction></xs:simpleContent></xs:complexType>`,
  );
  const mixed = (name: string) => mixedIn(complexOf(model, name));
  t.equal(mixed('M'), 'sequence(a:int)');
  t.equal(mixed('Text'), null);
  t.equal(mixed('More'), 'sequence(a:int, b:int)');
  t.equal(mixed('Same'), 'sequence(a:int)');
  t.equal(mixed('FromText'), 'sequence(b:int)');
  t.equal(mixed('Still'), 'sequence(a:int)');
  t.equal(
    printContent(complexOf(model, 'Less')),
    'sequence(a:int)',
    'a restriction may drop the text',
  );
  t.equal(printContent(complexOf(model, 'Not')), 'sequence(a:int)');
  t.match(complexOf(model, 'Simple').content, {
    kind: 'text',
    type: { builtIn: 'int', facets: { maxInclusive: '3' } },
  });
  t.strictSame(model.warnings, []);
});

t.test(
  'derivation from anyType: a restriction is what it says, an extension what it adds, or anything',
  async (t) => {
    const model = await readSchemaWith(
      t,
      `<xs:complexType name="R">${restricting('xs:anyType', one('a'))}</xs:complexType>
     <xs:complexType name="Empty">${restricting('xs:anyType', '')}</xs:complexType>
     <xs:complexType name="E">${extending('xs:anyType', one('a'))}</xs:complexType>
     <xs:complexType name="Open">${extending('xs:anyType', '<xs:attribute name="x"/>')}\
</xs:complexType>
     <xs:complexType name="OnOpen">${extending('t:Open', one('b'))}</xs:complexType>`,
    );
    t.equal(printContent(complexOf(model, 'R')), 'sequence(a:int)');
    t.equal(printContent(complexOf(model, 'Empty')), 'empty');
    t.equal(printContent(complexOf(model, 'E')), 'sequence(a:int)');
    t.strictSame(complexOf(model, 'Open').content, { kind: 'opaque', mixed: null });
    t.strictSame(complexOf(model, 'OnOpen').content, { kind: 'opaque', mixed: null });
    t.strictSame(model.warnings, []);
  },
);

t.test(
  'simple content: through several steps, with a type written inside, and where the base has none',
  async (t) => {
    const model = await readSchemaWith(
      t,
      `<xs:complexType name="A"><xs:simpleContent><xs:extension base="xs:string">\
<xs:attribute name="a"/></xs:extension></xs:simpleContent></xs:complexType>
     <xs:complexType name="B"><xs:simpleContent><xs:restriction base="t:A"><xs:simpleType>\
<xs:restriction base="xs:token"><xs:maxLength value="9"/></xs:restriction></xs:simpleType>
       <xs:enumeration value=" x "/><xs:attribute name="a" use="required"/></xs:restriction>\
</xs:simpleContent></xs:complexType>
     <xs:complexType name="C"><xs:simpleContent><xs:extension base="t:B"><xs:attribute name="c"/>\
</xs:extension></xs:simpleContent></xs:complexType>
     <xs:complexType name="D">${extending('t:A', '<xs:attribute name="d"/>')}</xs:complexType>
     <xs:complexType name="Wrong"><xs:simpleContent><xs:extension base="t:Elements"/>\
</xs:simpleContent></xs:complexType><xs:complexType name="Elements">${one('e')}</xs:complexType>
     <xs:complexType name="Lost"><xs:simpleContent><xs:extension base="t:No"/>\
</xs:simpleContent></xs:complexType>`,
    );
    const b = complexOf(model, 'B');
    t.match(b.content, {
      type: { builtIn: 'token', facets: { maxLength: 9 }, enumeration: [{ value: 'x' }] },
    });
    t.match(b.attributes, [{ required: true }]);
    t.equal(complexOf(model, 'C').content.kind === 'text', true);
    t.match(complexOf(model, 'C'), {
      content: b.content,
      base: b,
      attributes: [{ name: { local: 'a' } }, { name: { local: 'c' } }],
    });
    t.equal(
      printContent(complexOf(model, 'D')),
      'text string',
      'complexContent that only adds attributes',
    );
    t.equal(printContent(complexOf(model, 'Wrong')), 'text string');
    t.equal(printContent(complexOf(model, 'Lost')), 'text string');
    t.match(
      warningsOf(model),
      'The type Wrong has simple content but its base has not; its text is taken as a string.',
    );
  },
);

t.test(
  'what extends a type that is not understood is not understood, with the same reason',
  async (t) => {
    const model = await readSchemaWith(
      t,
      `<xs:complexType name="Middle">${extending('t:Missing', one('a'))}</xs:complexType>
     <xs:complexType name="Last">${extending('t:Middle', one('b'))}</xs:complexType>
     <xs:complexType name="Own">${restricting('t:Middle', one('c'))}</xs:complexType>`,
    );
    for (const name of ['Middle', 'Last']) t.equal(printContent(complexOf(model, name)), 'opaque');
    t.equal(complexOf(model, 'Middle').base, null);
    t.equal(printContent(complexOf(model, 'Own')), 'sequence(c:int)');
    t.equal(warningsOf(model), 'The type t:Missing is not declared; it is kept as XML.');
  },
);

t.test(
  'types that are derived a thousand times, in any order, are read to their end',
  async (t) => {
    const chain = Array.from(
      { length: 900 },
      (_, at) =>
        `<xs:complexType name="C${at}">` +
        `${extending(`t:C${at + 1}`, one(`e${at}`))}</xs:complexType>`,
    );
    const model = await readSchemaWith(
      t,
      `${chain.join('')}<xs:complexType name="C900">${one('first')}</xs:complexType>`,
    );
    const elements: string[] = [];
    const { content } = complexOf(model, 'C0');
    const particles: Particle[] = content.kind === 'elements' ? [content.particle] : [];
    for (let particle = particles.pop(); particle !== undefined; particle = particles.pop()) {
      if (particle.kind === 'one') elements.push(particle.element.name.local);
      else if (particle.kind !== 'any') particles.push(...[...particle.particles].reverse());
    }
    t.equal(elements.length, 901);
    t.strictSame(
      [elements[0], elements[1], elements.at(-1)],
      ['first', 'e899', 'e0'],
      'the innermost base comes first',
    );
    t.strictSame(model.warnings, []);
  },
);

t.test(
  'arrays of the SOAP encoding have the type of their items and their dimensions',
  async (t) => {
    const array = (name: string, content: string) =>
      `<xs:complexType name="${name}">${restricting('soapenc:Array', content)}</xs:complexType>`;
    const typed = (type: string) =>
      `<xs:attribute ref="soapenc:arrayType" wsdl:arrayType="${type}" ` +
      'xmlns:wsdl="http://schemas.xmlsoap.org/wsdl/"/>';
    const model = await readSchemaWith(
      t,
      `${array('Strings', typed('xs:string[]'))}${array('Fixed', typed(' xs:int[5] '))}\
${array('Grid', typed('xs:int[,]'))}
     ${array('Arrays', typed('t:Item[][]'))}${array('Deep', typed('xs:int[,,][][3]'))}\
${array('Bare', '')}
     ${array('Sequence', '<xs:sequence><xs:element name="item" type="t:Item" minOccurs="0" maxOccurs="unbounded"/></xs:sequence>')}
     ${array(
       'Both',
       `<xs:sequence><xs:element name="item" type="xs:anyType" \
maxOccurs="unbounded"/></xs:sequence>${typed('t:Item[]')}`,
     )}
     <xs:complexType name="Item">${one('i')}</xs:complexType><xs:complexType name="Again">\
${restricting('t:Strings', '')}</xs:complexType>
     <xs:complexType name="Extended">${extending('soapenc:Array', typed('xs:int[]'))}\
</xs:complexType>
     <xs:complexType name="Lost">${restricting('soapenc:Array', typed('t:No[]'))}</xs:complexType>
     <xs:complexType name="Twelve" xmlns:e="http://www.w3.org/2003/05/soap-encoding">\
${restricting('e:Array', '<xs:attribute ref="e:itemType" fixed="t:Item"/><xs:attribute ref="e:arraySize" default="* 2"/>')}</xs:complexType>
     <xs:complexType name="Struct">${restricting('soapenc:Struct', one('s'))}</xs:complexType>
     <xs:element name="Direct" type="soapenc:Array"/>`,
    );
    const item = complexOf(model, 'Item');
    const of = (name: string) => complexOf(model, name).content;
    const named = (local: string) => ({ name: { local } });
    t.match(of('Strings'), { kind: 'array', item: named('string'), dimensions: 1 });
    t.match(of('Fixed'), { kind: 'array', item: named('int'), dimensions: 1 });
    t.match(of('Grid'), { kind: 'array', item: named('int'), dimensions: 2 });
    t.match(of('Arrays'), {
      dimensions: 1,
      item: { name: null, content: { kind: 'array', item, dimensions: 1 } },
    });
    t.match(of('Deep'), {
      dimensions: 1,
      item: {
        content: { dimensions: 1, item: { content: { dimensions: 3, item: named('int') } } },
      },
    });
    t.match(of('Bare'), { kind: 'array', item: named('anyType'), dimensions: 1 });
    t.match(of('Sequence'), { kind: 'array', item, dimensions: 1 });
    t.match(of('Both'), { kind: 'array', item, dimensions: 1 });
    t.match(of('Again'), { kind: 'array', item: named('string') });
    t.match(of('Extended'), { kind: 'array', item: named('int') });
    t.match(of('Twelve'), { kind: 'array', item, dimensions: 2 });
    t.equal(printContent(complexOf(model, 'Struct')), 'sequence(s:int)');
    t.match(of('Direct'), { kind: 'array', item: named('anyType') });
    t.equal(complexOf(model, 'Strings').base, null, 'the built-in type is no base');
    t.equal(warningsOf(model), 'The type t:No is not declared; it is kept as XML.');
  },
);

t.test(
  'a schema within a message, as data sets have it, is XML and no reason to complain',
  async (t) => {
    const model = await readSchemaWith(
      t,
      '<xs:element name="DataSet"><xs:complexType><xs:sequence><xs:element ref="xs:schema"/>' +
        '<xs:any/></xs:sequence></xs:complexType></xs:element>',
    );
    t.equal(
      printContent(complexOf(model, 'DataSet')),
      'sequence({http://www.w3.org/2001/XMLSchema}schema:anyType, any)',
    );
    t.strictSame(model.warnings, []);
    t.equal(operationOf(model, 'Get').status, 'ok');
  },
);

t.test(
  'constructs of XML Schema 1.1 are reported once for each document and ignored',
  async (t) => {
    const model = await readSchemaWith(
      t,
      `<xs:complexType name="A"><xs:openContent><xs:any/></xs:openContent>${one('a')}\
<xs:assert test="a"/><xs:assert test="b"/></xs:complexType>
     <xs:simpleType name="B"><xs:restriction base="xs:int"><xs:assertion test="x"/>\
</xs:restriction></xs:simpleType>
     <xs:element name="C" type="t:A"><xs:alternative test="@x" type="t:A"/></xs:element>
     <xs:override schemaLocation="x.xsd"><xs:complexType name="D">\
${one('d')}</xs:complexType></xs:override>`,
    );
    t.equal(printContent(complexOf(model, 'A')), 'sequence(a:int)');
    t.equal(printContent(complexOf(model, 'D')), 'sequence(d:int)');
    t.strictSame(
      model.warnings.map(({ what }) => what.split(' ')[0]),
      ['xs:openContent', 'xs:assert', 'xs:assertion', 'xs:alternative', 'xs:override'],
    );
  },
);
