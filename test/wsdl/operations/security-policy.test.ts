import t from 'tap';
import type { Diagnostic } from '../../../src/core/diagnostic.js';
import type { WsdlModel } from '../../../src/wsdl/model.js';
import { compileText } from '../../kit/configuration.js';
import { modelOf, wsdlWith } from '../written.js';

const SP = 'http://docs.oasis-open.org/ws-sx/ws-securitypolicy/200702';
const WSU = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd';
const WSP = 'http://www.w3.org/ns/ws-policy';

const head = (policy: string): string => `
<wsp:Policy xmlns:wsp="${WSP}" xmlns:sp="${SP}" xmlns:wsu="${WSU}" wsu:Id="P">
${policy}
</wsp:Policy>`;

const refer = `<wsp:PolicyReference xmlns:wsp="${WSP}" URI="#P"/>`;

const demandsOf = (model: WsdlModel, port: string): readonly Diagnostic[] =>
  model.services.flatMap(({ ports }) =>
    ports.flatMap(({ name, demands = [] }) => (name === port ? demands : [])),
  );

t.test(
  'each kind of protection that policies demand is warned of once, where it stands',
  async (t) => {
    const warningsFor = async (policy: string): Promise<readonly string[]> => {
      const wsdl = wsdlWith({ head: head(policy) }).replace(
        '<binding name="B" type="t:P">',
        `$&${refer}`,
      );
      const above = wsdl.slice(0, wsdl.indexOf('<wsp:Policy')).split('\n').length;
      const model = await modelOf(wsdl);
      t.same(model.warnings, []);
      return demandsOf(model, 'Soap')
        .map(({ line, what }) => `${(line ?? 0) - above}: ${what}`)
        .sort();
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
        '<sp:AsymmetricBinding><wsp:Policy>\n<sp:IncludeTimestamp/></wsp:Policy>' +
          '</sp:AsymmetricBinding>\n<sp:SignedParts><sp:Body/></sp:SignedParts>' +
          '<sp:SignedSupportingTokens><wsp:Policy><sp:UsernameToken/></wsp:Policy>' +
          '</sp:SignedSupportingTokens>\n<sp:EncryptedParts/><sp:SamlToken/>',
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

t.test('policies count for the ports that they are attached to, by whatever subject', async (t) => {
  const two = (policy: string, at: RegExp): string => {
    const plain = wsdlWith({ head: head(policy) });
    const binding = /<binding name="B".*<\/binding>/s.exec(plain)?.[0] ?? '';
    return plain
      .replace(binding, `${binding}${binding.replace('name="B"', 'name="B2"')}`)
      .replace(
        '</service>',
        '<port name="Open" binding="t:B2"><soap:address ' +
          'location="http://internal.example/open"/></port></service>',
      )
      .replace(at, `$&${refer}`);
  };
  const signed = '<sp:SignedParts/>';
  for (const at of [
    /<binding name="B" type="t:P">/,
    /<port name="Soap" binding="t:B">/,
    /<soap:operation soapAction="urn:get"\/>/,
    /<input>/,
  ]) {
    const model = await modelOf(two(signed, at));
    t.equal(demandsOf(model, 'Soap').length, 1, String(at));
    t.equal(demandsOf(model, 'Open').length, 0, String(at));
  }
  for (const at of [/<portType name="P">/, /<message name="In">/, /<message name="Out">/]) {
    const abstract = await modelOf(two(signed, at));
    t.equal(demandsOf(abstract, 'Soap').length, 1, String(at));
    t.equal(demandsOf(abstract, 'Open').length, 1, String(at));
  }
  const unused = await modelOf(two(signed, /nothing/));
  t.same([...unused.warnings, ...demandsOf(unused, 'Soap')], []);
  const around = await modelOf(
    two('<wsp:PolicyReference URI="#P"/><sp:SignedParts/>', /<binding name="B" type="t:P">/),
  );
  t.equal(demandsOf(around, 'Soap').length, 1, 'a policy that refers to itself');
});

t.test('a service is warned of the policies of its own port alone', async (t) => {
  const wsdl = wsdlWith({ head: head('<sp:SignedParts/>') });
  const open = wsdl
    .replace('<port name="Soap" binding="t:B">', `$&${refer}`)
    .replace(
      '</service>',
      '<port name="Open" binding="t:B"><soap:address location="http://internal.example/open"/>' +
        '</port></service>',
    );
  const warningsOf = async (port: string): Promise<string> => {
    const { warnings } = await compileText(t, yaml(port), { 'a.wsdl': open });
    return warnings.map(({ what }) => what).join('\n');
  };
  const yaml = (port: string): string =>
    `services:\n  s: { wsdl: a.wsdl, url: "http://127.0.0.1:1", port: ${port} }\n`;
  t.match(await warningsOf('Soap'), /demands a signature/);
  t.notMatch(await warningsOf('Open'), /demands a signature/);
});
