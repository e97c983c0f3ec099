import { wsdlOf } from '../kit/wsdl.js';
import { COMBINED } from './example-combinations.js';

/** Values and structures that examples are made for, by what is special about them. */

const BUILT_INS = `string normalizedString token boolean decimal integer long int short byte
  unsignedLong unsignedInt unsignedShort unsignedByte nonNegativeInteger positiveInteger
  nonPositiveInteger negativeInteger float double date dateTime time duration gYear gYearMonth
  gMonth gMonthDay gDay base64Binary hexBinary anyURI QName language Name NCName NMTOKEN NMTOKENS
  ID anySimpleType anyType`.split(/\s+/);

const facet = (name: string, value: string): string => `<xs:${name} value="${value}"/>`;
const from = (value: string): string => facet('minInclusive', value);
const to = (value: string): string => facet('maxInclusive', value);
const above = (value: string): string => facet('minExclusive', value);
const below = (value: string): string => facet('maxExclusive', value);
const pattern = (value: string): string => facet('pattern', value);

/** Restrictions of built-in types. */
const RESTRICTED: Readonly<Record<string, readonly string[]>> = {
  gYear: [from('1990'), above('1990'), below('1990'), pattern('19\\d\\d')],
  gYearMonth: [above('2030-05')],
  gMonth: [pattern('--0[1-9]')],
  gMonthDay: [from('--02-01')],
  gDay: [from('---05')],
  date: [above('2027-01-01'), below('2000-01-01'), pattern('20\\d\\d-\\d\\d-\\d\\d')],
  dateTime: [above('2027-01-01T00:00:00Z'), pattern('\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d')],
  time: [above('12:00:00'), pattern('\\d\\d:\\d\\d:\\d\\d')],
  duration: [from('P2D'), to('PT1H')],
  boolean: [pattern('0|1'), pattern('false')],
  integer: [
    facet('totalDigits', '3'),
    above('100'),
    below('-5'),
    pattern('\\d{5}'),
    from('123456789012345678901234'),
  ],
  long: [from('9007199254740993')],
  decimal: [
    above('0') + below('0.5'),
    facet('fractionDigits', '2') + to('0.01'),
    facet('totalDigits', '1') + above('1'),
    pattern('\\d+\\.\\d{2}'),
    from('0.125'),
  ],
  double: [above('1'), below('-1.5')],
  float: [pattern('\\d\\.\\d')],
  string: [
    facet('length', '12'),
    facet('length', '0'),
    facet('minLength', '40'),
    facet('whiteSpace', 'collapse') + facet('maxLength', '1'),
    pattern('[A-Z]{2}\\d{4}'),
    pattern('\\p{Lu}\\p{Ll}+'),
    pattern('(\\+|00)[1-9]\\d{6,14}'),
    pattern('[^a-z]{3}'),
  ],
  token: [facet('minLength', '1') + facet('maxLength', '3')],
  anyURI: [facet('maxLength', '10'), pattern('urn:.*')],
  hexBinary: [facet('length', '4')],
  base64Binary: [facet('maxLength', '2')],
};

const sequence = (content: string): string => `<xs:sequence>${content}</xs:sequence>`;
const complex = (name: string, content: string, more = ''): string =>
  `<xs:complexType name="${name}"${more}>${content}</xs:complexType>`;
const member = (name: string, type: string, more = ''): string =>
  `<xs:element name="${name}" type="${type}"${more}/>`;
const simple = (name: string, base: string, facets: string): string =>
  `<xs:simpleType name="${name}"><xs:restriction base="${base}">${facets}</xs:restriction>` +
  '</xs:simpleType>';
const derived = (name: string, base: string, content: string): string =>
  complex(
    name,
    `<xs:complexContent><xs:extension base="t:${base}">${sequence(content)}</xs:extension>` +
      '</xs:complexContent>',
  );
/** More types than arguments name one by one. */
const family = (base: string): string =>
  Array.from({ length: 220 }, (_, at) =>
    derived(`${base}${at}`, base, member(`own${at}`, 'xs:int')),
  ).join('');

/** Structures that examples have to find an end in, or a type for: content, and types for it. */
const STRUCTURES: Readonly<Record<string, readonly [content: string, types: string]>> = {
  'a union': [
    member('v', 't:Union'),
    '<xs:simpleType name="Union"><xs:union memberTypes="xs:int xs:date"/></xs:simpleType>',
  ],
  'a list of a length': [
    member('v', 't:Three'),
    '<xs:simpleType name="Ints"><xs:list itemType="xs:int"/></xs:simpleType>' +
      `${simple('Three', 't:Ints', facet('length', '3'))}`,
  ],
  'attributes without facets': [
    member('v', 't:Year'),
    complex(
      'Year',
      '<xs:simpleContent><xs:extension base="xs:gYear">' +
        '<xs:attribute name="m" type="xs:gMonth" use="required"/>' +
        '<xs:attribute name="q" type="xs:QName" use="required"/></xs:extension>' +
        '</xs:simpleContent>',
    ),
  ],
  'a type whose first choice holds itself': [
    member('v', 't:Not'),
    complex(
      'Not',
      `<xs:choice>${member('not', 't:Not')}${member('leaf', 'xs:string')}</xs:choice>`,
    ),
  ],
  'two types that hold each other': [
    member('v', 't:And'),
    complex('And', sequence(member('left', 't:Term') + member('right', 't:Term'))) +
      complex('Term', `<xs:choice>${member('and', 't:And')}${member('is', 'xs:int')}</xs:choice>`),
  ],
  'a type that holds itself as nil': [
    member('v', 't:Chain'),
    complex(
      'Chain',
      sequence(member('next', 't:Chain', ' nillable="true"') + member('x', 'xs:int')),
    ),
  ],
  'an abstract type whose first type holds it': [
    member('v', 't:Node'),
    complex('Node', '<xs:sequence/>', ' abstract="true"') +
      derived('Branch', 'Node', member('child', 't:Node')) +
      derived('Leaf', 'Node', member('leaf', 'xs:int')),
  ],
  'repeated choices that hold themselves': [
    member('v', 't:Group'),
    complex(
      'Group',
      sequence(
        '<xs:choice maxOccurs="unbounded">' +
          `${member('group', 't:Group')}${member('item', 'xs:gYear')}</xs:choice>`,
      ),
    ),
  ],
  'an abstract head with members': [
    '<xs:element ref="t:head"/>',
    `${member('head', 'xs:string', ' abstract="true"')}` +
      `${member('m1', 'xs:string', ' substitutionGroup="t:head"')}`,
  ],
  'an abstract branch that nothing stands for': [
    `<xs:choice><xs:element ref="t:alone"/>${member('b', 'xs:int')}</xs:choice>`,
    member('alone', 'xs:string', ' abstract="true"'),
  ],
  'a large family': [
    member('v', 't:Base'),
    complex('Base', sequence(member('id', 'xs:int'))) + family('Base'),
  ],
  'a large family of an abstract type': [
    member('v', 't:Root'),
    complex('Root', sequence(member('year', 'xs:gYear')), ' abstract="true"') + family('Root'),
  ],
  keys: [
    '<xs:element name="list" type="t:Keyed"><xs:key name="k"><xs:selector xpath="t:item"/>' +
      '<xs:field xpath="@id"/></xs:key></xs:element>',
    complex(
      'Keyed',
      sequence(
        '<xs:element name="item" minOccurs="1" maxOccurs="5"><xs:complexType>' +
          '<xs:attribute name="id" type="xs:int" use="required"/></xs:complexType>' +
          '</xs:element>',
      ),
    ),
  ],
};

export const EXAMPLE_CASES: readonly (readonly [title: string, content: string, types: string])[] =
  [
    ...BUILT_INS.map((name) => [name, member('v', `xs:${name}`), ''] as const),
    ...Object.entries(RESTRICTED).flatMap(([base, all]) =>
      all.map((facets, at) => {
        const name = `R_${base}_${at}`;
        return [facets, member('v', `t:${name}`), simple(name, `xs:${base}`, facets)] as const;
      }),
    ),
    ...Object.entries({ ...STRUCTURES, ...COMBINED }).map(
      ([title, [content, types]]) => [title, content, types] as const,
    ),
  ];

/** A WSDL with an operation for each case, which takes and answers it. */
export function exampleWsdl(): string {
  const schema = EXAMPLE_CASES.map(([, content, types], at) => {
    // A key has a name of its own in the schema.
    const element = (name: string): string =>
      `<xs:element name="${name}"><xs:complexType>` +
      `${sequence(content.replace(/(<xs:(?:key|unique) name=")/, `$1${name}`))}` +
      '</xs:complexType></xs:element>';
    return types + element(`Ask${at}`) + element(`Ask${at}Response`);
  });
  return wsdlOf(
    'urn:all',
    schema.join('\n'),
    EXAMPLE_CASES.map((_, at) => `Ask${at}`),
  );
}
