import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { readWsdl } from '../../../src/wsdl/read.js';

const SP = 'http://docs.oasis-open.org/ws-sx/ws-securitypolicy/200702';
const WSP = 'http://www.w3.org/ns/ws-policy';

const wsdlWith = (
  policy: string,
): string => `<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:t="urn:t" xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:t">
<wsp:Policy xmlns:wsp="${WSP}" xmlns:sp="${SP}">
${policy}
</wsp:Policy>
<types><xs:schema targetNamespace="urn:t"><xs:element name="A" type="xs:string"/></xs:schema></types>
<message name="M"><part name="p" element="t:A"/></message>
<portType name="P"><operation name="Op"><input message="t:M"/><output message="t:M"/></operation></portType>
<binding name="B" type="t:P"><soap:binding transport="http://schemas.xmlsoap.org/soap/http"/><operation name="Op"><soap:operation/><input><soap:body use="literal"/></input><output><soap:body use="literal"/></output></operation></binding>
<service name="S"><port name="P" binding="t:B"><soap:address location="http://127.0.0.1/"/></port></service></definitions>`;

t.test('each kind of protection that policies demand is warned of once, where it stands', async (t) => {
  const folder = t.testdir();
  mkdirSync(folder, { recursive: true });
  const warningsFor = async (policy: string): Promise<readonly string[]> => {
    const file = join(folder, 'a.wsdl');
    writeFileSync(file, wsdlWith(policy));
    const { warnings } = await readWsdl(file, { fetch: null, root: null, hosts: [] });
    return warnings.map(({ line, what }) => `${line}: ${what}`).sort();
  };
  t.same(await warningsFor(''), []);
  t.same(await warningsFor('<sp:TransportBinding><wsp:Policy><sp:Layout/></wsp:Policy></sp:TransportBinding>'), []);
  t.same(
    await warningsFor(
      '<sp:AsymmetricBinding><wsp:Policy>\n<sp:IncludeTimestamp/></wsp:Policy></sp:AsymmetricBinding>\n<sp:SignedParts><sp:Body/></sp:SignedParts><sp:SignedSupportingTokens><wsp:Policy><sp:UsernameToken/></wsp:Policy></sp:SignedSupportingTokens>\n<sp:EncryptedParts/><sp:SamlToken/>',
    ),
    [
      '3: The backend demands a signature by a policy of its WSDL.',
      '4: The backend demands a Timestamp by a policy of its WSDL.',
      '5: The backend demands a UsernameToken by a policy of its WSDL.',
      '6: The backend demands an assertion of SAML by a policy of its WSDL.',
      '6: The backend demands encrypted parts by a policy of its WSDL.',
    ],
  );
});
