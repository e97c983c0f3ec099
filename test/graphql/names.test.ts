import { printSchema, validateSchema } from 'graphql';
import t, { type Test } from 'tap';
import type { GraphqlService } from '../../src/graphql/schema/fields/exposure.js';
import {
  enumValueName,
  fieldName,
  type Naming,
  typeName,
} from '../../src/graphql/schema/types/naming.js';
import { wsdlWith } from '../wsdl/written.js';
import { builtOf } from './built.js';

const OPERATIONS = ['GetTrip', 'SetTrip', 'EntityGetList', 'Ping'];

const element = (name: string, content: string, more = ''): string =>
  `<xs:element name="${name}" ${more}><xs:complexType><xs:sequence>${content}</xs:sequence>` +
  '</xs:complexType></xs:element>';
const ref = (name: string, more = ''): string => `<xs:element ref="t:${name}" ${more}/>`;
const text = (name: string): string => `<xs:element name="${name}" type="xs:string"/>`;

const SCHEMA = `<xs:schema targetNamespace="urn:t" elementFormDefault="qualified">
${element('Session', text('Token'))}${element('Trace', text('Id'))}
${element('LoyaltyProgram', `${text('Code')}${ref('Tier')}`)}
<xs:element name="Tier"><xs:simpleType><xs:restriction base="xs:string">\
<xs:enumeration value="GOLD"/></xs:restriction></xs:simpleType></xs:element>
${element('Segment', text('FlightNo'))}<xs:complexType name="Segment"><xs:sequence>\
${text('Leg')}</xs:sequence></xs:complexType>
${element(
  'GetTrip',
  `${['IPv4Address', 'DNSname', 'wsf_x0020_Schedule', 'НомерЗаказа'].map(text).join('')}
   ${ref('LoyaltyProgram', 'minOccurs="0"')}
   ${element('Stops', element('Stop', text('City'), 'maxOccurs="9"'))}
   ${element('Bags', element('item', text('Weight'), 'maxOccurs="9"'))}`,
)}
${element(
  'GetTripResponse',
  `${text('PNR')}<xs:element name="Travelers" minOccurs="0"><xs:complexType><xs:sequence>\
${element('Traveler', `${text('Name')}${ref('LoyaltyProgram')}`, 'maxOccurs="9"')}</xs:sequence>\
</xs:complexType></xs:element>
   ${ref('Segment')}<xs:element name="Other" type="t:Segment"/>`,
)}
${['SetTrip', 'EntityGetList', 'Ping']
  .map((name) => element(name, text('Id')) + element(`${name}Response`, text('Id')))
  .join('')}
</xs:schema>`;

const each = (print: (name: string) => string): string => OPERATIONS.map(print).join('');
const header = (part: string): string =>
  `<soap:header message="t:H" part="${part}" use="literal"/>`;
const WSDL = wsdlWith({
  types: SCHEMA,
  messages: `<message name="H"><part name="s" element="t:Session"/>\
<part name="t" element="t:Trace"/></message>
${each(
  (name) => `<message name="${name}"><part name="p" element="t:${name}"/></message>\
<message name="${name}Response"><part name="p" element="t:${name}Response"/></message>`,
)}`,
  portType:
    `<portType name="P">${each(
      (name) => `<operation name="${name}"><input message="t:${name}"/>\
<output message="t:${name}Response"/></operation>`,
    )}` + '</portType>',
  binding: `<binding name="B" type="t:P"><soap:binding style="document" \
transport="http://schemas.xmlsoap.org/soap/http"/>
${each(
  (name) => `<operation name="${name}"><soap:operation soapAction=""/><input>\
<soap:body use="literal"/>${name === 'Ping' ? '' : header('s')}${name === 'EntityGetList' ? header('t') : ''}</input><output><soap:body use="literal"/></output></operation>`,
)}</binding>`,
});

async function built(t: Test, naming: Naming, about: Partial<GraphqlService> = {}, wsdl = WSDL) {
  const { schema, warnings, findings } = await builtOf(wsdl, { name: 'trips', naming, ...about });
  t.same(validateSchema(schema), []);
  t.same(findings, []);
  return { sdl: printSchema(schema), warnings: warnings.map(({ what }) => what) };
}

t.test(
  'types without a name have that of their global element, and items of a list their own',
  async (t) => {
    const { sdl, warnings } = await built(t, 'camel');
    t.match(sdl, 'type GetTripResult {\n  pnr: String!\n  travelers: [GetTripResultTraveler!]\n');
    t.match(
      sdl,
      'type GetTripResultTraveler {\n  name: String!\n  loyaltyProgram: LoyaltyProgram!\n}',
    );
    t.match(sdl, 'type LoyaltyProgram {\n  code: String!\n  tier: Tier!\n}');
    t.match(sdl, 'input LoyaltyProgramInput {\n  code: String!\n  tier: Tier!\n}');
    t.match(sdl, 'stops: [GetTripStopInput!]!');
    t.match(
      sdl,
      'bags: [GetTripBagsItemInput!]!',
      'an item that is only called so says nothing by itself',
    );
    t.match(sdl, 'enum Tier {\n  GOLD\n}');
    t.match(sdl, 'segment: GetTripResultSegment!', 'the named type keeps its name');
    t.match(sdl, 'other: Segment!');
    t.same(warnings, []);
  },
);

t.test('operations with the same header blocks share one input type', async (t) => {
  const { sdl } = await built(t, 'camel');
  t.match(sdl, /getTrip\([^)]*headers: SessionHeadersInput/);
  t.match(sdl, /setTrip\([^)]*headers: SessionHeadersInput/);
  t.match(sdl, /entityGetList\([^)]*headers: EntityGetListHeadersInput/);
  t.equal(sdl.match(/^input \w+HeadersInput/gm)?.length, 2);
});

t.test('leaving out operations renames no header type', async (t) => {
  const only = (...names: string[]) =>
    new Map(
      names.map((name) => [
        name,
        { field: { parent: 'Query', name: name.toLowerCase() } as const, hidden: false },
      ]),
    );
  for (const name of ['GetTrip', 'SetTrip']) {
    const { sdl } = await built(t, 'camel', { mapping: only(name) });
    t.match(sdl, 'headers: SessionHeadersInput', name);
  }
});

t.test('arguments are named by words, whatever wrote them', async (t) => {
  const { sdl } = await built(t, 'camel');
  for (const name of ['ipv4Address', 'dnsName', 'wsfSchedule', 'nomerZakaza'])
    t.match(sdl, `    ${name}: String!\n`);
});

t.test('an operation whose verb follows its noun is a query', async (t) => {
  t.match((await built(t, 'camel')).sdl, /type Query \{[^}]*entityGetList\(/);
});

t.test('the mapping goes by XML names, whichever rules name the rest', async (t) => {
  const named = { name: 'Loyalty', description: null, hidden: false };
  const field = { description: null, type: null, hidden: false, deprecated: null, path: [] };
  const fields = new Map([['Code', { ...field, name: 'program' }]]);
  const types = new Map([['LoyaltyProgram', { ...named, fields }]]);
  for (const naming of ['camel', 'exact'] as const) {
    const { sdl } = await built(t, naming, { types });
    t.match(sdl, /type Loyalty \{\n {2}program: String!/, naming);
    t.match(sdl, /input LoyaltyInput \{\n {2}program: String!/, naming);
  }
});

t.test('the first word of a name is small, abbreviations and all', async (t) => {
  const cases: Record<string, string> = {
    IPv4Address: 'ipv4Address',
    IPv6: 'ipv6',
    DNSname: 'dnsName',
    IPaddress: 'ipAddress',
    URLs: 'urls',
    IDsList: 'idsList',
    XMLHttp: 'xmlHttp',
    ID: 'id',
    IDNumber: 'idNumber',
    IDocument: 'iDocument',
    VATnumberEU: 'vatNumberEU',
    OTA_HotelSearch: 'otaHotelSearch',
    wsf_x0020_Schedule: 'wsfSchedule',
    _x0031_stLine: '_1stLine',
    a_x002F_b: 'aB',
    'Заказ-Клиента': 'zakazKlienta',
    Объект: 'obekt',
    Παραγγελία: 'paraggelia',
    Łódź: 'lodz',
    Größe: 'grosse',
    НОМЕР_ЗАЯВКИ: 'nomerZayavki',
    Їжак: 'yizhak',
    注文: 'u6CE8u6587',
  };
  for (const [xml, name] of Object.entries(cases)) t.equal(fieldName(xml, 'camel'), name, xml);
  t.equal(fieldName('wsf_x0020_Schedule', 'exact'), 'wsf_x0020_Schedule');
  t.equal(typeName('Terms_x0020_Type'), 'Terms_Type');
  t.equal(typeName('Заказ'), 'Zakaz');
  t.equal(enumValueName('Да'), 'Da');
  t.equal(fieldName('a_xFFFFFFFF_b', 'camel'), 'aXFFFFFFFFB', 'no sign has that number');
});

t.test(
  'items without a name in several lists are named by their paths, without numbers',
  async (t) => {
    const item = (name: string): string => element('member', text(name), 'maxOccurs="9"');
    const lists =
      element('members', item('A')) +
      element('addMembers', item('B')) +
      element('dropMembers', item('C'));
    const wsdl = WSDL.replaceAll(text('IPv4Address'), lists).replaceAll(text('PNR'), lists);
    const { sdl, warnings } = await built(t, 'camel', {}, wsdl);
    t.same([...sdl.matchAll(/^(?:type|input) (\w*Member\w*)/gm)].map(([, name]) => name).sort(), [
      'GetTripAddMembersMemberInput',
      'GetTripDropMembersMemberInput',
      'GetTripMemberInput',
      'GetTripResultAddMembersMember',
      'GetTripResultDropMembersMember',
      'GetTripResultMember',
    ]);
    t.same(warnings, []);
  },
);
