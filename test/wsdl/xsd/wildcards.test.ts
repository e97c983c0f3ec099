import t from 'tap';
import type { ComplexType, Particle, Wildcard } from '../../../src/wsdl/model.js';
import { intersection, union } from '../../../src/wsdl/xsd/wildcards.js';
import { complexOf, operationOf, readSchemaWith, warningsOf } from '../written.js';

function wildcardsIn(type: ComplexType): readonly Wildcard[] {
  const { content } = type;
  const root =
    content.kind === 'elements'
      ? content.particle
      : content.kind === 'opaque'
        ? content.mixed?.particle
        : null;
  const particles: Particle[] = root === null || root === undefined ? [] : [root];
  return particles.flatMap(function each(particle): readonly Wildcard[] {
    if (particle.kind === 'any') return [particle.wildcard];
    return particle.kind === 'one' ? [] : particle.particles.flatMap(each);
  });
}

const namesOf = ({ attributes }: ComplexType) => attributes.map(({ name }) => name.local);

t.test('xs:any lets in what its namespaces say and is processed as it says', async (t) => {
  const model = await readSchemaWith(
    t,
    `<xs:complexType name="A"><xs:sequence><xs:any/>\
<xs:any namespace="##other" processContents="lax"/>
       <xs:any namespace="##targetNamespace ##local urn:x" processContents="skip" minOccurs="0" \
maxOccurs="unbounded"/><xs:any namespace="##local"/>
       <xs:any namespace="##any" processContents="odd"/></xs:sequence></xs:complexType>`,
  );
  t.strictSame(wildcardsIn(complexOf(model, 'A')), [
    { process: 'strict', namespaces: { kind: 'any' } },
    { process: 'lax', namespaces: { kind: 'not', uris: ['urn:t', ''] } },
    { process: 'skip', namespaces: { kind: 'only', uris: ['urn:t', '', 'urn:x'] } },
    { process: 'strict', namespaces: { kind: 'only', uris: [''] } },
    { process: 'strict', namespaces: { kind: 'any' } },
  ]);
  t.equal(operationOf(model, 'Get').status, 'ok');
});

t.test(
  'anyAttribute: what groups have is intersected, an extension adds, a restriction starts anew',
  async (t) => {
    const model = await readSchemaWith(
      t,
      `<xs:attributeGroup name="G"><xs:attribute name="g"/><xs:anyAttribute namespace="urn:a \
urn:b" processContents="lax"/></xs:attributeGroup>
     <xs:attributeGroup name="H"><xs:attributeGroup ref="t:G"/><xs:anyAttribute namespace="urn:b \
urn:c" processContents="skip"/></xs:attributeGroup>
     <xs:complexType name="None"/><xs:complexType name="Own"><xs:anyAttribute namespace="##other"/>\
</xs:complexType>
     <xs:complexType name="Grouped"><xs:attributeGroup ref="t:G"/></xs:complexType>
     <xs:complexType name="Both"><xs:attributeGroup ref="t:H"/></xs:complexType>
     <xs:complexType name="More"><xs:complexContent><xs:extension base="t:Own">\
<xs:anyAttribute namespace="urn:t" processContents="lax"/></xs:extension></xs:complexContent>\
</xs:complexType>
     <xs:complexType name="Same"><xs:complexContent><xs:extension base="t:Own"/>\
</xs:complexContent></xs:complexType>
     <xs:complexType name="Less"><xs:complexContent><xs:restriction base="t:Own"/>\
</xs:complexContent></xs:complexType>
     <xs:complexType name="Anything"><xs:complexContent><xs:extension base="xs:anyType"/>\
</xs:complexContent></xs:complexType>`,
    );
    t.match(
      model.warnings,
      [{ what: /Attributes that xs:anyAttribute lets in pass as SOAP/, line: 11 }],
      'told once',
    );
    const of = (name: string) => complexOf(model, name).anyAttribute;
    t.equal(of('None'), null);
    t.strictSame(of('Own'), {
      process: 'strict',
      namespaces: { kind: 'not', uris: ['urn:t', ''] },
    });
    t.strictSame(of('Grouped'), {
      process: 'lax',
      namespaces: { kind: 'only', uris: ['urn:a', 'urn:b'] },
    });
    t.strictSame(of('Both'), { process: 'skip', namespaces: { kind: 'only', uris: ['urn:b'] } });
    t.strictSame(of('More'), { process: 'lax', namespaces: { kind: 'not', uris: [''] } });
    t.strictSame(of('Same'), of('Own'));
    t.equal(of('Less'), null);
    t.match(of('Anything'), { process: 'lax', namespaces: { kind: 'any' } });
  },
);

t.test('wildcards are joined and met as sets of namespaces', (t) => {
  const process = 'lax' as const;
  const any: Wildcard = { process, namespaces: { kind: 'any' } };
  const only = (...uris: string[]): Wildcard => ({ process, namespaces: { kind: 'only', uris } });
  const not = (...uris: string[]): Wildcard => ({ process, namespaces: { kind: 'not', uris } });
  for (const [a, b, both, either] of [
    [any, only('a'), only('a'), any],
    [any, not('a'), not('a'), any],
    [only('a', 'b'), only('b', 'c'), only('b'), only('a', 'b', 'c')],
    [only('a', 'b'), not('b', ''), only('a'), not('')],
    [only('b', ''), not('b', ''), only(), any],
    [not('a', ''), not('b', ''), not('a', '', 'b'), not('')],
    [not('a'), not('b'), not('a', 'b'), any],
  ] as const) {
    t.strictSame(intersection(a, b), both);
    t.strictSame(intersection(b, a).namespaces.kind, both.namespaces.kind);
    t.strictSame(union(a, b), either);
    t.strictSame(union(b, a).namespaces.kind, either.namespaces.kind);
  }
  t.end();
});

t.test(
  'prohibited takes an attribute out of a restriction only; references may be to what is not there',
  async (t) => {
    const model = await readSchemaWith(
      t,
      `<xs:complexType name="A"><xs:attribute name="a"/><xs:attribute name="b" type="xs:int"/>\
</xs:complexType>
     <xs:complexType name="Less"><xs:complexContent><xs:restriction base="t:A">\
<xs:attribute name="a" use="prohibited"/><xs:attribute name="b" type="xs:byte" use="required"/>\
</xs:restriction></xs:complexContent></xs:complexType>
     <xs:complexType name="More"><xs:complexContent><xs:extension base="t:A">\
<xs:attribute name="a" use="prohibited"/><xs:attribute name="c"/></xs:extension>\
</xs:complexContent></xs:complexType>
     <xs:complexType name="Refs"><xs:attribute ref="x:href" xmlns:x="http://www.w3.org/1999/xlink" \
use="required"/><xs:attribute ref="xml:space" default="preserve"/>\
<xs:attribute name="odd" type="t:No"/>
       <xs:attribute ref="m:contentType" xmlns:m="http://www.w3.org/2005/05/xmlmime"/>\
<xs:attribute ref="i:type" xmlns:i="http://www.w3.org/2001/XMLSchema-instance"/></xs:complexType>`,
    );
    const less = complexOf(model, 'Less');
    t.strictSame(namesOf(less), ['b']);
    t.match(less.attributes, [{ required: true, type: { builtIn: 'byte' } }]);
    t.strictSame(namesOf(complexOf(model, 'More')), ['a', 'b', 'c']);
    const { attributes } = complexOf(model, 'Refs');
    t.strictSame(namesOf(complexOf(model, 'Refs')), ['href', 'space', 'odd', 'contentType']);
    t.match(attributes[0], {
      name: { uri: 'http://www.w3.org/1999/xlink' },
      required: true,
      type: { builtIn: 'string' },
    });
    t.equal(attributes[1]?.default, 'preserve');
    t.equal(
      warningsOf(model),
      'The attribute x:href is not declared; it is taken as a string.\n' +
        'The simple type t:No is not declared; it is taken as a string.',
    );
  },
);

t.test(
  'what no declaration can be called is left out with its place: it would be written into messages',
  async (t) => {
    const model = await readSchemaWith(
      t,
      `<xs:complexType name="A"><xs:attribute name="a&gt;&lt;b"/><xs:attribute name="ok"/>\
</xs:complexType>
     <xs:complexType name="B"><xs:sequence><xs:element name="x y" type="xs:int"/></xs:sequence>\
</xs:complexType>
     <xs:element name="/&gt;&lt;evil" type="xs:int"/><xs:simpleType name=""/>\
<xs:attribute name="a:b"/>
     <xs:complexType name="C"><xs:sequence><xs:element ref="t:a&gt;&lt;b"/>\
</xs:sequence></xs:complexType>`,
    );
    t.strictSame(namesOf(complexOf(model, 'A')), ['ok']);
    t.equal(complexOf(model, 'B').content.kind, 'opaque');
    t.equal(complexOf(model, 'C').content.kind, 'opaque');
    t.equal(
      [...model.elements.keys()].some((key) => key.includes('evil')),
      false,
    );
    t.equal(model.warnings.length, 5);
  },
);
