import { join } from 'node:path';
import t from 'tap';
import { PROFILE_RULES, type ProfileRule, warningOfRule } from '../../src/wsdl/profile-rules.js';
import { readWsdl } from '../../src/wsdl/read.js';
import { FILES, folderWith, modelOf, schemaWith, wsdlWith } from './written.js';

const rulesOf = async (wsdl: string): Promise<readonly ProfileRule[]> =>
  (await modelOf(wsdl)).profile?.map(({ rule }) => rule) ?? [];

const GOOD = wsdlWith({});
const RPC = GOOD.replace('style="document"', 'style="rpc"')
  .replaceAll('element="t:Get"', 'type="xs:string"')
  .replaceAll('element="t:GetResponse"', 'type="xs:string"')
  .replaceAll('<soap:body use="literal"/>', '<soap:body use="literal" namespace="urn:t"/>');

const TWO_PARTS = GOOD.replace(
  'element="t:Get"/>',
  'element="t:Get"/><part name="q" element="t:GetResponse"/>',
);
const withFault = (name: string): string =>
  GOOD.replace(
    '<output message="t:Out"/>',
    '<output message="t:Out"/><fault name="f" message="t:Out"/>',
  ).replace(
    '</output></operation>',
    `</output><fault name="f"><soap:fault ${name} use="literal"/></fault></operation>`,
  );
/** A header in the request, with these attributes; one with a fault of itself that has them. */
const withHeader = (attributes: string, content = ''): string =>
  GOOD.replace(
    '<soap:body use="literal"/>',
    `<soap:header message="t:In" use="literal" ${attributes}>${content}</soap:header>` +
      '<soap:body use="literal"/>',
  );
const withHeaderFault = (attributes: string): string =>
  withHeader('part="p"', `<soap:headerfault message="t:In" use="literal" ${attributes}/>`);

t.test('a WSDL that breaks a rule of Basic Profile is reported by its number', async (t) => {
  t.same(await rulesOf(GOOD), []);
  t.same(await rulesOf(RPC), []);
  const twice =
    '<operation name="Get"><input message="t:In"/><output message="t:Out"/></operation>';
  const again =
    '<operation name="More"><soap:operation soapAction=""/><input><soap:body use="literal"/>' +
    '</input><output><soap:body use="literal"/></output></operation></binding>';
  const cases: readonly (readonly [ProfileRule, string])[] = [
    ['R2003', GOOD.replace('<types>', '<types><xs:import namespace="urn:x"/>')],
    ['R2007', GOOD.replace('<types>', '<import namespace="urn:x"/><types>')],
    ['R2022', GOOD.replace('</types>', '</types><import namespace="urn:x" location="x.wsdl"/>')],
    ['R2023', GOOD.replace('</definitions>', '<types/></definitions>')],
    ['R2105', GOOD.replace('</types>', '<xs:schema><xs:element name="x"/></xs:schema></types>')],
    [
      'R2110',
      wsdlWith({
        types: schemaWith(
          '<xs:complexType name="A"><xs:complexContent><xs:restriction base="soapenc:Array"/>' +
            '</xs:complexContent></xs:complexType>',
        ),
      }),
    ],
    [
      'R2111',
      wsdlWith({
        types: schemaWith(
          '<xs:complexType name="A"><xs:attribute name="a" ' +
            'xmlns:w="http://schemas.xmlsoap.org/wsdl/" w:arrayType="xs:string[]"/>' +
            '</xs:complexType>',
        ),
      }),
    ],
    ['R2201', TWO_PARTS.replace('<soap:body ', '<soap:body parts="p q" ')],
    ['R2210', TWO_PARTS],
    [
      'R2205',
      GOOD.replace(
        '<message name="Out">',
        '<message name="H"><part name="h" type="xs:int"/></message><message name="Out">',
      ).replace(
        '<soap:body use="literal"/>',
        '<soap:header message="t:H" part="h" use="literal"/><soap:body use="literal"/>',
      ),
    ],
    ['R2720', withHeader('')],
    ['R2749', withHeader('part="h" parts="h"')],
    ...[withHeader, withHeaderFault].flatMap((written): [ProfileRule, string][] => {
      const named = written('part="p" namespace="urn:x"');
      return [
        ['R2716', named],
        ['R2726', named.replace('style="document"', 'style="rpc"')],
      ];
    }),
    ['R2720', withHeaderFault('')],
    ['R2721', withFault('')],
    ['R2754', withFault('name="other"')],
    [
      'R2801',
      GOOD.replace(
        '</types>',
        '<x:schema xmlns:x="http://www.w3.org/2000/10/XMLSchema" targetNamespace="urn:x"/></types>',
      ),
    ],
    ['R2203', GOOD.replace('style="document"', 'style="rpc"')],
    ['R2204', GOOD.replace('element="t:Get"', 'type="xs:string"')],
    [
      'R2303',
      GOOD.replace('<input message="t:In"/><output message="t:Out"/>', '<output message="t:Out"/>'),
    ],
    ['R2304', GOOD.replace(twice, twice + twice)],
    ['R2306', GOOD.replace('element="t:Get"', 'element="t:Get" type="xs:string"')],
    ['R2401', GOOD.replace(/<soap:binding [^>]*>/, '<http:binding verb="GET"/>')],
    ['R2701', GOOD.replace(/transport="[^"]*"/, '')],
    ['R2702', GOOD.replace(/transport="[^"]*"/, 'transport="urn:jms"')],
    [
      'R2705',
      GOOD.replace(twice, twice + twice.replace('Get', 'More')).replace(
        '</binding>',
        again.replace('soapAction=""', 'soapAction="" style="rpc"'),
      ),
    ],
    ['R2706', GOOD.replace('use="literal"', 'use="encoded"')],
    [
      'R2710',
      GOOD.replace(twice, twice + twice.replace('Get', 'More')).replace('</binding>', again),
    ],
    ['R2711', GOOD.replace(/<port .*<\/port>/, (port) => port + port.replace('"Soap"', '"Soap2"'))],
    [
      'R2716',
      GOOD.replace('<soap:body use="literal"/>', '<soap:body use="literal" namespace="urn:x"/>'),
    ],
    ['R2717', RPC.replace(' namespace="urn:t"/>', '/>')],
    ['R2718', GOOD.replace(twice, twice + twice.replace('Get', 'More'))],
    [
      'R2740',
      GOOD.replace(
        '<output message="t:Out"/>',
        '<output message="t:Out"/><fault name="f" message="t:Out"/>',
      ),
    ],
    ['R2803', GOOD.replace('<types>', '<import namespace="x" location="x.wsdl"/><types>')],
  ];
  for (const [rule, wsdl] of cases) {
    t.not(wsdl, GOOD, rule);
    t.ok((await rulesOf(wsdl)).includes(rule), `${rule} of ${(await rulesOf(wsdl)).join()}`);
  }
});

t.test('imports of schemas and of other namespaces are reported', async (t) => {
  const folder = folderWith(t, {
    'schema.wsdl': GOOD.replace('<types>', '<import namespace="urn:x" location="x.xsd"/><types>'),
    'other.wsdl': GOOD.replace('<types>', '<import namespace="urn:y" location="x.wsdl"/><types>'),
    'x.xsd': '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:x"/>',
    'x.wsdl': '<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" targetNamespace="urn:x"/>',
  });
  for (const [file, rule] of [
    ['schema.wsdl', 'R2001'],
    ['other.wsdl', 'R2005'],
  ] as const) {
    const { profile = [] } = await readWsdl(join(folder, file), FILES);
    t.ok(
      profile.some((each) => each.rule === rule),
      `${rule} of ${profile.map((each) => each.rule).join()}`,
    );
  }
});

t.test('a finding names the first place and how many there are', async (t) => {
  const { profile = [] } = await modelOf(GOOD.replaceAll('use="literal"', 'use="encoded"'));
  const [finding] = profile;
  if (finding === undefined) throw new Error('a finding');
  t.match(warningOfRule(finding), {
    what: `WS-I Basic Profile 1.1 R2706: ${PROFILE_RULES.R2706}. This is so in 2 places.`,
    line: 13,
  });
});
