import t from 'tap';
import { modelOf, wsdlWith } from '../written.js';

const SP = 'http://docs.oasis-open.org/ws-sx/ws-securitypolicy/200702';
const WSP = 'http://www.w3.org/ns/ws-policy';

const head = (policy: string): string => `
<wsp:Policy xmlns:wsp="${WSP}" xmlns:sp="${SP}">
${policy}
</wsp:Policy>`;

t.test(
  'each kind of protection that policies demand is warned of once, where it stands',
  async (t) => {
    const warningsFor = async (policy: string): Promise<readonly string[]> => {
      const wsdl = wsdlWith({ head: head(policy) });
      const above = wsdl.slice(0, wsdl.indexOf('<wsp:Policy')).split('\n').length;
      const { warnings } = await modelOf(wsdl);
      return warnings.map(({ line, what }) => `${(line ?? 0) - above}: ${what}`).sort();
    };
    t.same(await warningsFor(''), []);
    t.same(
      await warningsFor(
        '<sp:TransportBinding><wsp:Policy><sp:Layout/></wsp:Policy></sp:TransportBinding>',
      ),
      [],
    );
    t.same(
      await warningsFor(
        '<sp:AsymmetricBinding><wsp:Policy>\n<sp:IncludeTimestamp/></wsp:Policy></sp:AsymmetricBinding>\n<sp:SignedParts><sp:Body/></sp:SignedParts><sp:SignedSupportingTokens><wsp:Policy><sp:UsernameToken/></wsp:Policy></sp:SignedSupportingTokens>\n<sp:EncryptedParts/><sp:SamlToken/>',
      ),
      [
        '1: The backend demands a signature by a policy of its WSDL.',
        '2: The backend demands a Timestamp by a policy of its WSDL.',
        '3: The backend demands a UsernameToken by a policy of its WSDL.',
        '4: The backend demands an assertion of SAML by a policy of its WSDL.',
        '4: The backend demands encrypted parts by a policy of its WSDL.',
      ],
    );
  },
);
