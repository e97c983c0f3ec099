import { join } from 'node:path';
import t from 'tap';
import type { ComplexType } from '../../../src/wsdl/model.js';
import { readWsdl } from '../../../src/wsdl/read.js';
import {
  complexOf,
  FILES,
  printContent,
  readSchemaWith,
  schemaWith,
  warningsOf,
  wsdlWith,
} from '../written.js';

const xsd = (content: string, attributes = 'targetNamespace="urn:t" xmlns:t="urn:t"') =>
  `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" ${attributes}>${content}</xs:schema>`;
const one = (name: string, type = 'xs:int') =>
  `<xs:sequence><xs:element name="${name}" type="${type}"/></xs:sequence>`;
const extending = (base: string, content: string) =>
  `<xs:complexContent><xs:extension base="${base}">${content}</xs:extension></xs:complexContent>`;

const attributesOf = ({ attributes }: ComplexType) => attributes.map(({ name }) => name.local);

t.test('groups and attribute groups may be redefined with themselves in them', async (t) => {
  const model = await readSchemaWith(
    t,
    `<xs:redefine schemaLocation="c.xsd">
       <xs:group name="G"><xs:sequence><xs:element name="before" type="xs:int" form="unqualified"/>\
<xs:group ref="t:G"/></xs:sequence></xs:group>
       <xs:attributeGroup name="H"><xs:attributeGroup ref="t:H"/><xs:attribute name="more"/>\
</xs:attributeGroup>
       <xs:attributeGroup name="Less"><xs:attribute name="only"/></xs:attributeGroup>
       <xs:simpleType name="Missing"><xs:restriction base="xs:int"/></xs:simpleType></xs:redefine>
     <xs:complexType name="Uses"><xs:group ref="t:G"/><xs:attributeGroup ref="t:H"/>\
<xs:attributeGroup ref="t:Less"/></xs:complexType>`,
    {
      'c.xsd': xsd(`<xs:group name="G">${one('g')}</xs:group><xs:attributeGroup name="H">\
<xs:attribute name="h"/></xs:attributeGroup>
        <xs:attributeGroup name="Less"><xs:attribute name="only"/><xs:attribute name="gone"/>\
</xs:attributeGroup>
        <xs:complexType name="Inside"><xs:group ref="t:G"/></xs:complexType>`),
    },
  );
  t.equal(printContent(complexOf(model, 'Uses')), 'sequence(before:int, g:int)');
  t.equal(
    printContent(complexOf(model, 'Inside')),
    'sequence(before:int, g:int)',
    'where it was declared as well',
  );
  t.strictSame(attributesOf(complexOf(model, 'Uses')), ['h', 'more', 'only']);
  t.equal(
    warningsOf(model),
    'There is no simpleType Missing to redefine; it is taken as declared here.',
  );
});

t.test(
  'a redefinition of a redefinition takes the one before as its base; ' +
    'its own name elsewhere is itself',
  async (t) => {
    const again = (inner: string, name: string) =>
      xsd(
        `<xs:redefine schemaLocation="${inner}"><xs:complexType name="A">` +
          `${extending('t:A', one(name, 't:A'))}</xs:complexType></xs:redefine>`,
      );
    const model = await readSchemaWith(t, '<xs:include schemaLocation="1.xsd"/>', {
      '1.xsd': again('2.xsd', 'outer'),
      '2.xsd': again('3.xsd', 'middle'),
      '3.xsd': xsd(`<xs:complexType name="A">${one('inner')}</xs:complexType>`),
    });
    const a = complexOf(model, 'A');
    t.equal(printContent(a), 'sequence(inner:int, middle:A, outer:A)');
    const { content } = a;
    const last =
      content.kind === 'elements' && content.particle.kind === 'sequence'
        ? content.particle.particles[2]
        : null;
    t.equal(last?.kind === 'one' && last.element.type, a, 'a recursive type means the new one');
    t.strictSame(model.warnings, []);
  },
);

t.test('schemas that include each other, or import without a place, see each other', async (t) => {
  const model = await readSchemaWith(
    t,
    '<xs:include schemaLocation="x/1.xsd"/><xs:import namespace="urn:u"/>' +
      '<xs:complexType name="Z">' +
      `${one('u', 'u:U').replace('<xs:element', '<xs:element xmlns:u="urn:u"')}` +
      '</xs:complexType>',
    {
      x: {
        '1.xsd': xsd(
          '<xs:include schemaLocation="../y/2.xsd"/><xs:complexType name="One">' +
            `${one('two', 't:Two')}</xs:complexType>`,
        ),
      },
      y: {
        '2.xsd': xsd(
          '<xs:include schemaLocation="../x/1.xsd"/><xs:import namespace="urn:u" ' +
            'schemaLocation="../u.xsd"/><xs:complexType name="Two">' +
            `${one('one', 'One')}</xs:complexType>`,
          'xmlns="urn:t"',
        ),
      },
      'u.xsd': xsd(
        `<xs:complexType name="U">${one('x')}</xs:complexType>`,
        'targetNamespace="urn:u"',
      ),
    },
  );
  t.equal(printContent(complexOf(model, 'One')), 'sequence(two:Two)');
  t.equal(printContent(complexOf(model, 'Two')), 'sequence(one:One)', 'a chameleon in a circle');
  t.equal(printContent(complexOf(model, 'Z')), 'sequence({urn:t}u:U)');
  t.strictSame(model.warnings, []);
});

t.test(
  'a prefix that was forgotten is the one of the schema, where the name can be nothing else',
  async (t) => {
    const types =
      `<xs:complexType name="A">${one('b', 'B')}</xs:complexType><xs:complexType name="B">` +
      `${one('x')}</xs:complexType>`;
    const model = await readSchemaWith(t, types);
    t.equal(
      printContent(complexOf(model, 'A')),
      'sequence({urn:t}b:B)',
      'it falls into the namespace of WSDL',
    );
    t.strictSame(model.warnings, []);
    const none = await readSchemaWith(
      t,
      `${types.replace('<xs:complexType', '<xs:complexType xmlns=""')}` +
        '<xs:import schemaLocation="none.xsd"/>',
      {
        'none.xsd': xsd('<xs:complexType name="B"/>', ''),
      },
    );
    t.equal(printContent(complexOf(none, 'A')), 'sequence({urn:t}b:B)');
    t.match(complexOf(none, 'A').content, {
      particle: { particles: [{ element: { type: { name: { uri: '' } } } }] },
    });
  },
);

t.test(
  'substitution: members of members, types of their own or of the head, abstract ones left out',
  async (t) => {
    const model = await readSchemaWith(
      t,
      `<xs:element name="C" substitutionGroup="t:B"/><xs:element name="B" substitutionGroup="t:A" \
abstract="true"/>
     <xs:element name="A"><xs:complexType>${one('x')}</xs:complexType></xs:element>\
<xs:element name="D" substitutionGroup="t:A" type="t:More"/>
     <xs:complexType name="More"/><xs:element name="Lone" abstract="true" type="xs:int"/>
     <xs:complexType name="Uses"><xs:sequence><xs:element ref="t:A"/>\
<xs:element ref="t:B" minOccurs="0"/><xs:element ref="t:Lone"/></xs:sequence></xs:complexType>
     <xs:element name="R1" substitutionGroup="t:R2" type="xs:int"/>\
<xs:element name="R2" substitutionGroup="t:R1" type="xs:int"/>
     <xs:element name="Orphan" substitutionGroup="t:Nobody"/>`,
    );
    t.equal(
      printContent(complexOf(model, 'Uses')),
      'sequence(choice({urn:t}A:~, {urn:t}D:More, {urn:t}C:~), {urn:t}C:~[0..1], {urn:t}Lone:int)',
    );
    t.equal(model.elements.get('{urn:t}C')?.type, model.elements.get('{urn:t}A')?.type);
    t.equal(model.elements.get('{urn:t}B')?.abstract, true);
    t.match(warningsOf(model), 'The head t:Nobody of the substitution group is not declared');
  },
);

t.test('problems of inline schemas have the place in the file they stand in', async (t) => {
  const types = schemaWith(
    '<xs:include schemaLocation="c.xsd"/>\n  <xs:complexType name="ü𝒜">\r\n\t<xs:sequence>' +
      '<xs:element name="a" type="t:No"/></xs:sequence></xs:complexType>',
  );
  const files = {
    'a.wsdl': wsdlWith({ types }),
    'c.xsd': xsd('\n\n <xs:element name="b" type="t:Neither"/>'),
  };
  const folder = t.testdir(files);
  const model = await readWsdl(join(folder, 'a.wsdl'), FILES);
  const placeIn = (text: string, what: string) => {
    const before = text.slice(0, text.indexOf(what)).split('\n');
    return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
  };
  t.match(
    model.warnings.find(({ what }) => what.includes('t:No ')),
    { file: join(folder, 'a.wsdl'), ...placeIn(files['a.wsdl'], '<xs:element name="a"') },
  );
  t.match(
    model.warnings.find(({ what }) => what.includes('t:Neither ')),
    { file: join(folder, 'c.xsd'), line: 3, column: 2 },
  );
});

/** How many different objects a model is made of: what it costs to keep, freeze and walk. */
function objectsIn(root: unknown): number {
  const seen = new Set<unknown>([root]);
  for (const value of seen) {
    if (typeof value !== 'object' || value === null) continue;
    for (const inner of value instanceof Map ? value.values() : Object.values(value)) {
      if (typeof inner === 'object' && inner !== null) seen.add(inner);
    }
  }
  return seen.size;
}

t.test(
  'a model grows as its schema does: twice the types, members and references are twice the objects',
  async (t) => {
    const written = (count: number) =>
      Array.from(
        { length: count },
        (_, at) => `<xs:element name="M${at}" type="t:T${at}" substitutionGroup="t:Head"/>
        <xs:complexType name="T${at}">${extending(
          at % 40 === 0 ? 't:Base' : `t:T${at - 1}`,
          `<xs:sequence><xs:element ref="t:Head" minOccurs="0" maxOccurs="unbounded"/>
        <xs:element name="e" type="t:S${count - at - 1}"/></xs:sequence>`,
        )}</xs:complexType>
        <xs:simpleType name="S${at}"><xs:union memberTypes="t:E xs:int"/></xs:simpleType>`,
      ).join('');
    const size = async (count: number) => {
      const model = await readSchemaWith(
        t,
        `<xs:element name="Head" abstract="true" type="t:Base"/><xs:complexType name="Base"/>
       <xs:simpleType name="E"><xs:restriction base="xs:string"><xs:enumeration value="a"/>\
</xs:restriction></xs:simpleType>${written(count)}`,
      );
      t.strictSame(model.warnings, []);
      return objectsIn(model);
    };
    const [once, twice] = [await size(500), await size(1000)];
    t.ok(twice < 2.05 * once, `${once} objects, then ${twice}`);
  },
);
