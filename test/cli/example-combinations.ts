import { element as el } from '../kit/wsdl.js';

/** Cases of examples in which several constructs of XML Schema meet. */

type Facet = readonly [name: string, value: string];

/** A simple type; `facets` are names and values in turns. */
function simple(name: string, base: string, ...facets: readonly Facet[]): string {
  const inside = facets.map(([facet, value]) => `<xs:${facet} value="${value}"/>`).join('');
  return (
    `<xs:simpleType name="${name}"><xs:restriction base="${base}">${inside}</xs:restriction>` +
    '</xs:simpleType>'
  );
}
const pattern = (value: string): Facet => ['pattern', value];
const one = (value: string): Facet => ['enumeration', value];

const complex = (name: string, content: string, more = ''): string =>
  `<xs:complexType name="${name}"${more === '' ? '' : ` ${more}`}>${content}</xs:complexType>`;
const sequence = (content: string, more = ''): string =>
  `<xs:sequence${more}>${content}</xs:sequence>`;
const choice = (content: string, more = ''): string => `<xs:choice${more}>${content}</xs:choice>`;
const attribute = (name: string, type: string, more = ''): string =>
  `<xs:attribute name="${name}" type="${type}" ${more}/>`;
const derived = (name: string, by: 'extension' | 'restriction', base: string, inside: string) =>
  complex(
    name,
    `<xs:complexContent><xs:${by} base="t:${base}">${inside}</xs:${by}></xs:complexContent>`,
  );
const listOf = (name: string, item: string): string =>
  `<xs:simpleType name="${name}"><xs:list itemType="${item}"/></xs:simpleType>`;
const unionOf = (name: string, members: string): string =>
  `<xs:simpleType name="${name}"><xs:union memberTypes="${members}"/></xs:simpleType>`;
/** An element that holds `count` items, whose values at a path must differ. */
const keyed = (name: string, count: number, field: string, item: string): string =>
  `<xs:element name="reg"><xs:complexType><xs:sequence><xs:element name="item" ` +
  `minOccurs="${count}" maxOccurs="${count}">${complex('', item).replace(' name=""', '')}` +
  `</xs:element></xs:sequence></xs:complexType><xs:unique name="${name}">` +
  `<xs:selector xpath="t:item"/><xs:field xpath="${field}"/></xs:unique></xs:element>`;

const LAX_ANY = '<xs:any namespace="##other" processContents="lax" minOccurs="0"';
const OCTET = '(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';

/** The content of a wrapper, and types for it. */
export const COMBINED: Readonly<Record<string, readonly [content: string, types: string]>> = {
  'choices in choices': [
    choice(
      sequence(el('a', 'xs:int') + choice(el('b', 'xs:date') + el('c', 'xs:time'))) +
        sequence(
          el('d', 'xs:string') +
            choice(
              el('e', 'xs:int') + sequence(el('f', 'xs:int') + el('g', 'xs:boolean')),
              ' minOccurs="0"',
            ),
        ),
    ),
    '',
  ],
  'a repeated choice of sequences': [
    choice(
      sequence(el('k', 'xs:string') + el('v', 'xs:int')) + el('x', 'xs:date'),
      ' minOccurs="2" maxOccurs="3"',
    ),
    '',
  ],
  'a repeated sequence': [
    sequence(
      el('k', 'xs:string') + el('v', 'xs:int', 'minOccurs="0"'),
      ' minOccurs="2" maxOccurs="unbounded"',
    ),
    '',
  ],
  'named groups': [
    '<xs:group ref="t:Person"/><xs:group ref="t:Either" minOccurs="0"/>',
    `<xs:group name="Person">${sequence(el('first', 'xs:string') + el('last', 't:Last'))}` +
      `</xs:group><xs:group name="Either">${choice(el('phone', 't:Tel') + el('m', 't:Mail'))}` +
      '</xs:group>' +
      simple('Last', 'xs:string', ['minLength', '2'], ['maxLength', '3']) +
      simple('Tel', 'xs:string', pattern('\\+[0-9]{2} [0-9]{2,3}( [0-9]{2}){2}')) +
      simple('Mail', 'xs:string', pattern('[^@]+@[^.]+\\..+')),
  ],
  'any elements of other namespaces': [
    `${el('a', 'xs:int')}${LAX_ANY} maxOccurs="unbounded"/>`,
    '',
  ],
  'elements of any name twice': [
    '<xs:any processContents="skip" minOccurs="2" maxOccurs="2"/>',
    '',
  ],
  'elements without a namespace': ['<xs:any namespace="##local" processContents="skip"/>', ''],
  'any attributes': [
    el('v', 't:AnyAttribute'),
    complex(
      'AnyAttribute',
      `${sequence(el('a', 'xs:int'))}<xs:anyAttribute namespace="##any" processContents="lax"/>`,
    ),
  ],
  'a chain of substitution': [
    '<xs:element ref="t:animal" maxOccurs="3"/>',
    el('animal', 't:Animal', 'abstract="true"') +
      el('mammal', 't:Mammal', 'substitutionGroup="t:animal" abstract="true"') +
      el('dog', 't:Dog', 'substitutionGroup="t:mammal"') +
      complex('Animal', sequence(el('name', 't:AnimalName'))) +
      derived('Mammal', 'extension', 'Animal', sequence(el('legs', 'xs:int'))) +
      derived(
        'Dog',
        'extension',
        'Mammal',
        sequence(el('barks', 'xs:boolean')) + attribute('chip', 'xs:hexBinary', 'use="required"'),
      ) +
      simple('AnimalName', 'xs:NCName', ['minLength', '6']),
  ],
  'a substitution that is blocked': [
    '<xs:element ref="t:shape"/>',
    el('shape', 't:Shape', 'block="substitution"') +
      el('circle', 't:Shape', 'substitutionGroup="t:shape"') +
      complex('Shape', sequence(el('area', 'xs:decimal'))),
  ],
  'arrays of nil': [
    el('list', 't:ArrayOfThing', 'nillable="true"') + el('req', 't:ArrayOfThing'),
    complex(
      'ArrayOfThing',
      sequence(el('Thing', 't:Thing', 'nillable="true" minOccurs="1" maxOccurs="unbounded"')),
    ) +
      complex(
        'Thing',
        sequence(
          el('id', 'xs:long', 'nillable="true"') + el('at', 'xs:dateTime', 'nillable="true"'),
        ),
      ),
  ],
  'two types that hold each other until nil': [
    el('v', 't:Ping'),
    complex('Ping', sequence(el('pong', 't:Pong'))) +
      complex('Pong', sequence(el('ping', 't:Ping', 'nillable="true"'))),
  ],
  'a union of a list and an enumeration': [
    el('v', 't:Mixture'),
    unionOf('Mixture', 't:Letters t:Letter') +
      listOf('Letters', 't:Letter') +
      simple('Letter', 'xs:token', one('A B'), one('+C'), one('')),
  ],
  'a union with a pattern that one member takes': [
    el('v', 't:DayOnly'),
    unionOf('IntOrDay', 'xs:int xs:date') +
      simple('DayOnly', 't:IntOrDay', pattern('\\d{4}-\\d{2}-\\d{2}')),
  ],
  'a union of types without names': [
    el('v', 't:Unnamed'),
    '<xs:simpleType name="Unnamed"><xs:union><xs:simpleType><xs:restriction base="xs:string">' +
      '<xs:length value="3"/><xs:pattern value="[A-Z]+"/></xs:restriction></xs:simpleType>' +
      '<xs:simpleType><xs:restriction base="xs:integer"><xs:minInclusive value="100"/>' +
      '</xs:restriction></xs:simpleType></xs:union></xs:simpleType>',
  ],
  'a list of a least length whose items have a pattern': [
    el('v', 't:Codes'),
    listOf('CodeList', 't:HexCode') +
      simple('HexCode', 'xs:string', pattern('[a-f]{2}')) +
      simple('Codes', 't:CodeList', ['minLength', '2'], ['maxLength', '4']),
  ],
  'a list as an attribute': [
    el('v', 't:Flags'),
    listOf('Booleans', 'xs:boolean') +
      complex('Flags', attribute('flags', 't:Booleans', 'use="required"')),
  ],
  'an enumeration of lists': [
    el('v', 't:Numbers'),
    listOf('NumberList', 'xs:int') + simple('Numbers', 't:NumberList', one('1 2 3'), one('4')),
  ],
  'enumerations of dates and numbers': [
    el('d', 't:Days') + el('b', 't:Sums') + el('n', 't:Odd'),
    simple('Days', 'xs:date', one('2026-01-31'), one('2026-12-31')) +
      simple('Sums', 'xs:decimal', one('1.50'), one('2')) +
      simple('Odd', 'xs:int', one('007'), one('-1')),
  ],
  'fixed values and defaults': [
    el('v', 't:Fixed') +
      el('e', 'xs:int', 'fixed="42"') +
      el('s', 'xs:string', 'fixed="x y"') +
      el('o', 'xs:int', 'default="5"'),
    complex(
      'Fixed',
      sequence(el('a', 'xs:int')) +
        attribute('version', 'xs:string', 'fixed="1.0" use="required"') +
        attribute('unit', 'xs:token', 'default="kg"'),
    ),
  ],
  'xs:all': [
    el('v', 't:All'),
    complex(
      'All',
      `<xs:all>${el('a', 'xs:int')}${el('b', 'xs:string', 'minOccurs="0"')}` +
        `${el('c', 'xs:date')}</xs:all>`,
    ),
  ],
  'restricted simple content': [
    el('v', 't:Short'),
    complex(
      'Spoken',
      '<xs:simpleContent><xs:extension base="xs:string">' +
        `${attribute('lang', 'xs:language', 'use="required"')}</xs:extension></xs:simpleContent>`,
    ) +
      complex(
        'Short',
        '<xs:simpleContent><xs:restriction base="t:Spoken"><xs:length value="5"/>' +
          '</xs:restriction></xs:simpleContent>',
      ),
  ],
  'restricted content and attributes': [
    el('v', 't:Less') + el('w', 't:Fewer'),
    complex(
      'More',
      sequence(el('a', 'xs:int', 'minOccurs="0"') + el('b', 'xs:string', 'minOccurs="0"')),
    ) +
      derived('Less', 'restriction', 'More', sequence(el('a', 'xs:int'))) +
      complex('Many', attribute('a', 'xs:int') + attribute('b', 'xs:int', 'use="required"')) +
      derived('Fewer', 'restriction', 'Many', attribute('a', 'xs:int', 'use="prohibited"')),
  ],
  'types without content, and mixed content': [
    el('v', 't:Empty') + el('w', 't:Mixed'),
    complex('Empty', '') +
      complex(
        'Mixed',
        sequence(el('b', 'xs:string', 'minOccurs="0" maxOccurs="unbounded"')),
        'mixed="true"',
      ),
  ],
  'exact counts': [
    el('v', 'xs:int', 'minOccurs="3" maxOccurs="3"') +
      el('w', 't:ThreeLong', 'minOccurs="2" maxOccurs="5"'),
    simple('ThreeLong', 'xs:string', ['length', '3']),
  ],
  'names that GraphQL does not have': [
    ['order-id', 'order.id', 'order_id', '__typename', 'Ünïcode', '_1st']
      .map((name) => el(name, 'xs:int'))
      .join(''),
    '',
  ],
  'names that mean something to GraphQL and REST': [
    ['query', 'true', 'null', 'on', 'fields', 'headers', 'type', 'input']
      .map((name) => el(name, 'xs:string'))
      .join(''),
    '',
  ],
  'attributes and elements of one name': [
    el('v', 't:Same'),
    complex(
      'Same',
      sequence(el('id', 'xs:int') + el('value', 'xs:string')) +
        attribute('id', 'xs:int', 'use="required"') +
        attribute('value', 'xs:string'),
    ),
  ],
  'patterns of all kinds': [
    [1, 2, 3, 4, 5, 6, 7, 8].map((at) => el(`p${at}`, `t:Pattern${at}`)).join(''),
    simple('Pattern1', 'xs:string', pattern('[\\i-[:]][\\c-[:]]*')) +
      simple('Pattern2', 'xs:string', pattern(`${OCTET}(\\.${OCTET}){3}`)) +
      simple('Pattern3', 'xs:string', pattern('[A-Z]{2}\\d{2}( \\d{4}){2}'), ['maxLength', '14']) +
      simple('Pattern4', 'xs:string', pattern('\\p{IsBasicLatin}{4}')) +
      simple('Pattern5', 'xs:token', pattern('\\w+( \\w+)*'), ['length', '10']) +
      simple('Pattern6', 'xs:string', pattern('[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}')) +
      simple('Pattern7', 'xs:string', pattern('a{0}b{3,}|c?'), ['minLength', '5']) +
      simple('Pattern8', 'xs:decimal', pattern('-?\\d\\.\\d{3}'), ['maxInclusive', '90']),
  ],
  'patterns that all hold': [
    el('a', 't:EightLong'),
    simple('Upper', 'xs:string', pattern('[A-Z0-9]+')) +
      simple('EightLong', 't:Upper', pattern('.{6}'), pattern('.{8}')),
  ],
  'few digits': [
    [1, 2, 3, 4, 5].map((at) => el(`d${at}`, `t:Digits${at}`)).join(''),
    simple(
      'Digits1',
      'xs:decimal',
      ['totalDigits', '5'],
      ['fractionDigits', '2'],
      ['minInclusive', '100'],
    ) +
      simple('Digits2', 'xs:decimal', ['fractionDigits', '0'], ['minExclusive', '0']) +
      simple('Digits3', 'xs:positiveInteger', ['totalDigits', '1'], ['minInclusive', '9']) +
      simple('Digits4', 'xs:decimal', ['minExclusive', '0'], ['maxExclusive', '0.001']) +
      simple(
        'Digits5',
        'xs:long',
        ['minExclusive', '-9223372036854775808'],
        ['maxInclusive', '-9'],
      ),
  ],
  'bounds of times': [
    [1, 2, 3, 4].map((at) => el(`b${at}`, `t:Bound${at}`)).join(''),
    simple('Bound1', 'xs:dateTime', ['maxInclusive', '2026-01-01T00:00:00+02:00']) +
      simple('Bound2', 'xs:time', ['minExclusive', '23:59:58']) +
      simple('Bound3', 'xs:duration', ['minExclusive', 'P1Y'], ['maxExclusive', 'P1Y2D']) +
      simple('Bound4', 'xs:date', ['minExclusive', '2026-02-28'], ['maxExclusive', '2026-03-02']),
  ],
  'lengths of octets and names': [
    [1, 2, 3, 4, 5].map((at) => el(`l${at}`, `t:Length${at}`)).join(''),
    simple('Length1', 'xs:base64Binary', ['length', '17']) +
      simple('Length2', 'xs:hexBinary', ['minLength', '3']) +
      simple('Length3', 'xs:NCName', ['length', '8']) +
      simple('Length4', 'xs:language', ['maxLength', '2']) +
      simple('Length5', 'xs:NMTOKEN', pattern('\\d+')),
  ],
  'ids and references to them': [
    el('a', 'xs:ID') + el('b', 'xs:IDREF') + el('c', 'xs:IDREFS') + el('d', 'xs:NMTOKENS'),
    '',
  ],
  'attribute groups': [
    el('v', 't:Grouped'),
    `<xs:attributeGroup name="Group">${attribute('a', 'xs:int', 'use="required"')}` +
      '<xs:attribute ref="t:global" use="required"/></xs:attributeGroup>' +
      attribute('global', 't:Global') +
      simple('Global', 'xs:string', pattern('g\\d')) +
      complex('Grouped', '<xs:attributeGroup ref="t:Group"/>'),
  ],
  'unqualified elements, qualified attributes': [
    '<xs:element name="u" form="unqualified" type="xs:int"/><xs:element name="v" type="t:Mix"/>',
    complex(
      'Mix',
      sequence('<xs:element name="w" form="unqualified" type="xs:date"/>') +
        attribute('q', 'xs:int', 'form="qualified" use="required"'),
    ),
  ],
  'unique texts': [
    keyed('codes', 3, 't:code', sequence(el('code', 't:FourLong'))),
    simple('FourLong', 'xs:string', pattern('[A-Z]{4}')),
  ],
  'unique numbers of few': [
    keyed('numbers', 4, '@no', attribute('no', 't:UpToFive', 'use="required"')),
    simple('UpToFive', 'xs:int', ['minInclusive', '1'], ['maxInclusive', '5']),
  ],
  'values of any type': [
    el('a', 'xs:anyType') +
      el('b', 'xs:anySimpleType') +
      el('c', 'xs:anyType', 'nillable="true" maxOccurs="2"'),
    '',
  ],
  'an abstract type in a list': [
    el('v', 't:Abstract', 'maxOccurs="unbounded"'),
    complex('Abstract', sequence(el('a', 'xs:int')), 'abstract="true"') +
      derived('First', 'extension', 'Abstract', sequence(el('b', 'xs:int'))) +
      derived('Second', 'extension', 'Abstract', sequence(el('c', 't:Abstract'))),
  ],
  'a branch without an end': [
    choice(el('never', 't:Never') + el('ever', 'xs:int')),
    complex('Never', sequence(el('again', 't:Never'))),
  ],
  'white space in values': [
    el('a', 't:Replaced') + el('b', 't:Blank') + el('c', 't:Blanks'),
    simple('Replaced', 'xs:string', ['whiteSpace', 'replace'], pattern('a b')) +
      simple('Blank', 'xs:string', one(' x '), one('y')) +
      simple('Blanks', 'xs:normalizedString', pattern(' +')),
  ],
  'three hundred fields': [
    Array.from({ length: 300 }, (_, at) =>
      el(`f${at}`, ['xs:int', 'xs:date', 'xs:string', 'xs:boolean'][at % 4] ?? 'xs:int'),
    ).join(''),
    '',
  ],
};
