import t from 'tap';
import { PROFILE_RULES, type ProfileRule, warningOfRule } from '../../src/wsdl/profile-rules.js';
import { modelOf, schemaWith, wsdlWith } from './written.js';

const rulesOf = async (wsdl: string): Promise<readonly ProfileRule[]> =>
  (await modelOf(wsdl)).profile?.map(({ rule }) => rule) ?? [];

const GOOD = wsdlWith({});
const RPC = GOOD.replace('style="document"', 'style="rpc"')
  .replaceAll('element="t:Get"', 'type="xs:string"')
  .replaceAll('element="t:GetResponse"', 'type="xs:string"')
  .replaceAll('<soap:body use="literal"/>', '<soap:body use="literal" namespace="urn:t"/>');

t.test('a WSDL that breaks a rule of Basic Profile is reported by its number', async (t) => {
  t.same(await rulesOf(GOOD), []);
  t.same(await rulesOf(RPC), []);
  const twice =
    '<operation name="Get"><input message="t:In"/><output message="t:Out"/></operation>';
  const again =
    '<operation name="More"><soap:operation soapAction=""/><input><soap:body use="literal"/></input><output><soap:body use="literal"/></output></operation></binding>';
  const cases: readonly (readonly [ProfileRule, string])[] = [
    ['R2001', GOOD.replace('<types>', '<import namespace="urn:t" location="a.wsdl"/><types>')],
    ['R2003', GOOD.replace('<types>', '<types><xs:import namespace="urn:x"/>')],
    ['R2007', GOOD.replace('<types>', '<import namespace="urn:x"/><types>')],
    ['R2022', GOOD.replace('</types>', '</types><import namespace="urn:x" location="x.wsdl"/>')],
    ['R2023', GOOD.replace('</definitions>', '<types/></definitions>')],
    ['R2105', GOOD.replace('</types>', '<xs:schema><xs:element name="x"/></xs:schema></types>')],
    [
      'R2110',
      wsdlWith({
        types: schemaWith(
          '<xs:complexType name="A"><xs:complexContent><xs:restriction base="soapenc:Array"/></xs:complexContent></xs:complexType>',
        ),
      }),
    ],
    [
      'R2201',
      GOOD.replace(
        'element="t:Get"/>',
        'element="t:Get"/><part name="q" element="t:GetResponse"/>',
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
    if (rule === 'R2001') continue;
    t.ok((await rulesOf(wsdl)).includes(rule), `${rule} of ${(await rulesOf(wsdl)).join()}`);
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
