import t, { type Test } from 'tap';
import { desk, FIELDS, graphql, startDesk, unstartedDesk } from '../acceptance/desk.js';
import { runCommand } from '../kit/command.js';
import { compileText, problemsOf } from '../kit/configuration.js';
import { envelope, postSoap } from '../kit/envelope.js';
import { askGraphql } from '../kit/graphql-client.js';
import { useFolder } from '../kit/use.js';

const OK = '<t:GetResponse><t:result>ok</t:result></t:GetResponse>';

/** The Header of the message that a gateway with these keys of the service sends. */
async function headerOf(
  t: Test,
  keys: string,
  headers: Record<string, string> = {},
  wsdl = desk(),
): Promise<string> {
  const { ask, sent, gateway } = await startDesk(t, wsdl, keys);
  await ask('{ __typename }', OK);
  t.same(await askGraphql(gateway.url, '{ get(id: 1) }', {}, headers), { data: { get: 'ok' } });
  return sent();
}

/** The element `local` of a message, its prefixes left out. */
const elementIn = (message: string, local: string): string | null => {
  const plain = message.replace(/(<\/?)\w+:/g, '$1');
  return (
    new RegExp(`<${local}[ />].*?(?:</${local}>|(?<=<${local}[^>]*/)>)`).exec(plain)?.[0] ?? null
  );
};

t.test('header blocks that no WSDL declares are said once for all operations', async (t) => {
  process.env['SOAP_HEADERS_TOKEN'] = 's3cr<t&';
  const keys = `    callerHeaders: [x-tenant, x-user]
    soapHeaders:
      "{urn:desk/auth}AuthToken/token": { value: "\${SOAP_HEADERS_TOKEN}" }
      "{urn:desk/auth}AuthToken/token/@type": { value: plain }
      "{urn:desk/auth}AuthToken/{urn:other}tenant": { header: X-Tenant }
      "{urn:desk/auth}AuthToken/{}bare": { value: "1" }
      "{urn:desk/auth}AuthToken/@{http://schemas.xmlsoap.org/soap/envelope/}mustUnderstand": \
{ value: "1" }
      "{urn:session}Session": { header: x-user }
${FIELDS}`;
  const sent = await headerOf(t, keys, { 'x-tenant': 'a</tenant>&' });
  const block = elementIn(sent, 'AuthToken') ?? '';
  t.match(block, /^<AuthToken s:mustUnderstand="1">/);
  t.match(block, '<token type="plain">s3cr&lt;t&amp;</token>');
  t.match(block, '<tenant>a&lt;/tenant&gt;&amp;</tenant>');
  t.match(sent, '<bare>1</bare>', 'in no namespace');
  t.match(sent, /xmlns:(\w+)="urn:desk\/auth"[\s\S]*<\1:AuthToken [\s\S]*<\1:token/);
  t.match(sent, /xmlns:(\w+)="urn:other"[\s\S]*<\1:tenant>/);
  t.equal(elementIn(sent, 'Session'), null, 'a block none of whose values is there is left out');
  const other = await headerOf(t, keys, { 'x-user': 'bo' });
  t.equal(elementIn(other, 'Session'), '<Session>bo</Session>');
  t.equal(elementIn(other, 'tenant'), null);
});

t.test('a template is filled with values that cannot become markup', async (t) => {
  const keys = `    callerHeaders: [x-tenant]
    soapHeaders:
      "{urn:sec}Security":
        xml: |
          <sec:Security xmlns:sec="urn:sec" xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" \
s:mustUnderstand="1">
            <sec:Token id="t-{tenant}">Bearer {token}, \${SOAP_HEADERS_TOKEN}</sec:Token>
            <plain xmlns="">{tenant}</plain>
          </sec:Security>
        values:
          token: { value: "<x>" }
          tenant: { header: x-tenant }
${FIELDS}`;
  process.env['SOAP_HEADERS_TOKEN'] = '</Token><evil/>&';
  const sent = await headerOf(t, keys, { 'x-tenant': '"><evil a="' });
  t.equal(
    elementIn(sent, 'Security'),
    '<Security s:mustUnderstand="1"><Token id="t-&quot;&gt;&lt;evil a=&quot;">Bearer ' +
      '&lt;x&gt;, &lt;/Token&gt;&lt;evil/&gt;&amp;</Token>' +
      '<plain>"&gt;&lt;evil a="</plain></Security>',
  );
  t.match(
    elementIn(await headerOf(t, keys), 'Token'),
    'id="t-"',
    'a value that is not there is the empty text',
  );
});

t.test('an operation has paths of its own, or goes without a block', async (t) => {
  const common = `    soapHeaders:
      "{urn:a}A/one": { value: common }
      "{urn:a}A/two": { value: common }
      "{urn:b}B": { value: common }
`;
  const own = (headers: string): string =>
    `${common}    operations: { Get: { field: Query.get, headers: { ${headers} } } }\n`;
  const merged = await headerOf(
    t,
    own('"{urn:a}A/two": { value: own }, "{urn:c}C": { value: own }'),
  );
  t.equal(elementIn(merged, 'A'), '<A><one>common</one><two>own</two></A>');
  t.equal(elementIn(merged, 'B'), '<B>common</B>');
  t.equal(elementIn(merged, 'C'), '<C>own</C>');
  t.equal(elementIn(await headerOf(t, own('"{urn:a}A": false')), 'A'), null);
  const template = await headerOf(t, own(`"{urn:a}A": { xml: '<A xmlns="urn:a"/>' }`));
  t.equal(elementIn(template, 'A'), '<A/>');
  t.equal(
    elementIn(await headerOf(t, `${common}    operations: { Get: true }\n`), 'B'),
    '<B>common</B>',
  );
});

t.test('a caller without a required value is refused, and the backend is not called', async (t) => {
  const keys = `    callerHeaders: [x-tenant]
    soapHeaders:
      "{urn:a}A": { header: x-tenant, required: true }
${FIELDS}`;
  const { backend, gateway } = await startDesk(t, desk(), keys);
  t.match(await graphql(gateway, '{ get(id: 1) }'), {
    errors: [
      {
        message: /headers\.A: the request header x-tenant is required/,
        extensions: { code: 'BAD_USER_INPUT' },
      },
    ],
  });
  t.equal(backend.complete.length, 0);
});

const DECLARED = desk({
  types: `<xs:element name="Auth"><xs:complexType><xs:sequence><xs:element name="password" \
type="t:Secret"/><xs:element name="user" type="xs:string" minOccurs="0"/></xs:sequence>\
</xs:complexType></xs:element>
    <xs:complexType name="Secret"><xs:simpleContent><xs:extension base="xs:string">\
<xs:attribute name="Type" type="xs:anyURI" use="required"/><xs:attribute name="salt"/>\
</xs:extension></xs:simpleContent></xs:complexType>`,
  messages: '<message name="Head"><part name="auth" element="t:Auth"/></message>',
  input: '<soap:header message="t:Head" part="auth" use="literal"/>',
});

t.test(
  'a block that the WSDL declares is given the same way; text beside attributes too',
  async (t) => {
    const keys = `    soapHeaders:
      "{urn:t}Auth/password": { value: pw }
      "{urn:t}Auth/password/@Type": { value: "urn:text" }
${FIELDS}`;
    const sent = await headerOf(t, keys, {}, DECLARED);
    t.equal(elementIn(sent, 'Auth'), '<Auth><password Type="urn:text">pw</password></Auth>');
    const { ask, sent: last } = await startDesk(t, DECLARED, keys);
    t.same(await ask('{ get(id: 1, headers: { auth: { user: "bo" } }) }', OK), {
      data: { get: 'ok' },
    });
    t.match(elementIn(last(), 'Auth'), '<user>bo</user>', 'callers give the rest');
    const whole =
      `    soapHeaders: { "{urn:t}Auth": { xml: '<Auth xmlns="urn:t"><user>web</user>` +
      `</Auth>' } }\n${FIELDS}`;
    t.equal(
      elementIn(await headerOf(t, whole, {}, DECLARED), 'Auth'),
      '<Auth><user>web</user></Auth>',
    );
    const lacking = `    soapHeaders: { "{urn:t}Auth/password": { value: pw } }\n${FIELDS}`;
    const problems = await problemsOf(t, unstartedDesk() + lacking, { 'desk.wsdl': DECLARED });
    t.match(problems, /attribute Type is required/);
  },
);

t.test('SOAP callers write their own header blocks', async (t) => {
  const keys = `    soapHeaders: { "{urn:a}A": { value: common } }\n${FIELDS}`;
  const { ask, backend, gateway } = await startDesk(t, desk(), keys);
  await ask('{ get(id: 1) }', OK);
  const body = envelope('<Get xmlns="urn:t"><id>1</id></Get>');
  const response = await postSoap(`${gateway.url}/soap/desk`, body, { soapaction: '"urn:t/Get"' });
  t.equal(response.status, 200);
  t.equal(backend.complete.at(-1)?.body.toString(), body);
});

t.test('errors in header blocks are found at start-up, without their values', async (t) => {
  const refused = async (block: string, expected: RegExp): Promise<void> => {
    const yaml = `${unstartedDesk()}    soapHeaders: { ${block} }\n`;
    const error = await compileText(t, yaml, { 'desk.wsdl': desk() }).then(
      () => '',
      (caught: unknown) => JSON.stringify(caught, Object.getOwnPropertyNames(caught)),
    );
    t.match(error, expected, block);
    t.notMatch(error, /s3cret/);
  };
  await refused(`"{urn:a}A": { xml: '<A xmlns="urn:a">s3cret' }`, /well-formed/);
  await refused(
    `"{urn:a}A": { xml: '<!DOCTYPE A [<!ENTITY e "s3cret">]><A xmlns="urn:a">&e;</A>' }`,
    /without DTD/,
  );
  await refused(
    `"{urn:a}A": { xml: '<A>s3cret</A>' }`,
    /must be an element A in the namespace urn:a/,
  );
  await refused(`"{urn:a}A": { xml: '<A xmlns="urn:a">{s3cret}</A>' }`, /does not give/);
  await refused(
    `"{urn:a}A": { xml: '<A xmlns="urn:a"/>', values: { x: { value: s3cret } } }`,
    /does not use this value/,
  );
  await refused(
    `"{urn:a}A": { xml: '<A xmlns="urn:a">${'<a>'.repeat(40)}${'</a>'.repeat(40)}</A>' }`,
    /longer or deeper/,
  );
  await refused(`"{urn:a}A": { header: x-tenant }`, /none of `callerHeaders`/);
  await refused(`"{urn:a}A": { claim: sub }`, /callers have no claims/);
  await refused(`"{urn:a}A/b": { xml: '<b/>' }`, /inside a block/);
  await refused(`"{urn:a}A": { value: a, xml: '<A/>' }`, /has both/);
  await refused(`"{urn:a}A": { value: "a\\u0001s3cret" }`, /XML cannot carry/);
  await refused(`"A/b": { value: s3cret }`, /namespace/);
});

t.test('explain shows the blocks of a call, and none of their constants', async (t) => {
  const folder = await useFolder(t, {
    'desk.wsdl': desk(),
    'gateway.yaml': `${unstartedDesk()}    addressing: { calls: send }
    callerHeaders: [x-tenant]
    soapHeaders:
      "{urn:a}A/token": { value: s3cret }
      "{urn:a}A/@tenant": { header: x-tenant }
      "{urn:b}B": { xml: '<B xmlns="urn:b" id="s3cret">s3cret {tenant}</B>', values: { tenant: \
{ header: x-tenant } } }
`,
  });
  const { code, all: shown } = await runCommand(
    'explain',
    '-c',
    `${folder}/gateway.yaml`,
    '{ get(id: 1) }',
  );
  t.equal(code, 0);
  t.notMatch(shown, /s3cret/);
  t.match(shown, /<wsa:Action s:mustUnderstand="1">urn:t\/Get<[\s\S]*urn:uuid:\*\*\*/);
  t.match(
    shown,
    /A tenant="{header x-tenant}">\s*<\w+:token>\*\*\*<[\s\S]*B id="\*\*\*">\*\*\*{header x-tenant}</,
  );
});
