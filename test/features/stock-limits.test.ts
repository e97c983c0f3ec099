import { type Test, t } from 'tap';
import { answerWith, startRecordingBackend } from '../kit/backend.js';
import { postSoap } from '../kit/envelope.js';
import { startTestGateway } from '../kit/gateway.js';
import { askGraphql } from '../kit/graphql-client.js';
import { useBackend, useFolder } from '../kit/use.js';
import { wsdlWith } from '../wsdl/written.js';

const SOAP = 'http://schemas.xmlsoap.org/soap/envelope/';
const TYPES = `type Query { getIt: GetItResponse }
      type GetItResponse { r: String }`;

/** As JAXB declares the namespaces of all packages: on the child of Body. */
const declarations = (count: number): string =>
  Array.from({ length: count }, (_, at) => ` xmlns:ns${at + 2}="urn:types:${at}"`).join('');

const message = (local: string, attributes: string, content: string): string =>
  `<S:Envelope xmlns:S="${SOAP}"><S:Body><t:${local} xmlns:t="urn:t"${attributes}>` +
  `${content}</t:${local}></S:Body></S:Envelope>`;

async function start(t: Test, more = '') {
  const backend = await startRecordingBackend(answerWith(''));
  const gateway = await startTestGateway(`services:
  s:
    url: ${backend.url}/s
    namespace: urn:t
    types: |
      ${TYPES}
    operations: { GetIt: { field: Query.getIt } }
${more}`);
  t.teardown(async () => {
    await gateway.close();
    await backend.close();
  });
  return { backend, gateway };
}

t.test('128 namespaces on one element pass both ways by default', async (t) => {
  const { backend, gateway } = await start(t);
  backend.answer = answerWith(
    message('GetItResponse', declarations(127), '<t:r>x</t:r>').replace(
      'xmlns:S=',
      `${declarations(127).trimStart()} xmlns:S=`,
    ),
  );
  const sent = message('GetIt', declarations(127), '');
  const answer = await postSoap(`${gateway.url}/soap/s`, sent);
  t.equal(answer.status, 200);
  t.match(await answer.text(), 'xmlns:ns128="urn:types:126"');
  t.match(String(backend.complete[0]?.body), 'xmlns:ns128="urn:types:126"');
  t.strictSame(await askGraphql(gateway.url, '{ getIt { r } }'), { data: { getIt: { r: 'x' } } });
});

/** A WSDL whose types are in 25 namespaces, as JAX-WS makes one of 25 packages. */
const PACKAGES = Array.from({ length: 25 }, (_, at) => `urn:package:${at}`);
const PREFIXES = PACKAGES.map((uri, at) => ` xmlns:n${at}="${uri}"`).join('');
const WSDL = wsdlWith({
  types: [
    `<xs:schema targetNamespace="urn:t" elementFormDefault="qualified"${PREFIXES}>`,
    ...PACKAGES.map((uri) => `<xs:import namespace="${uri}"/>`),
    '<xs:element name="Get"><xs:complexType/></xs:element>',
    '<xs:element name="GetResponse"><xs:complexType><xs:sequence>',
    ...PACKAGES.map((_, at) => `<xs:element name="f${at}" type="n${at}:T"/>`),
    '</xs:sequence></xs:complexType></xs:element></xs:schema>',
    ...PACKAGES.map(
      (uri) =>
        `<xs:schema targetNamespace="${uri}" elementFormDefault="qualified">` +
        '<xs:complexType name="T"><xs:sequence><xs:element name="v" type="xs:string"/>' +
        '</xs:sequence></xs:complexType></xs:schema>',
    ),
  ].join(''),
});

t.test('A JAX-WS service with types in 25 namespaces works by default', async (t) => {
  const fields = PACKAGES.map((_, at) => `<t:f${at}><n${at}:v>x</n${at}:v></t:f${at}>`).join('');
  const reply = message('GetResponse', PREFIXES, fields);
  const backend = await useBackend(t, answerWith(reply));
  const folder = await useFolder(t, { 'a.wsdl': WSDL });
  const gateway = await startTestGateway(
    `services: { s: { wsdl: a.wsdl, url: "${backend.url}/s", validate: { replies: enforce } } }\n`,
    folder,
  );
  t.teardown(() => gateway.close());
  const answer = await postSoap(`${gateway.url}/soap/s`, message('Get', PREFIXES, ''));
  t.equal(await answer.text(), reply);
  t.strictSame(await askGraphql(gateway.url, '{ get { f0 { v } f24 { v } } }'), {
    data: { get: { f0: { v: 'x' }, f24: { v: 'x' } } },
  });
});

const BEYOND: readonly (readonly [string, string, string])[] = [
  ['namespacesPerElement', declarations(257), ''],
  ['depth', '', `${'<a>'.repeat(100)}${'</a>'.repeat(100)}`],
  ['attributes', Array.from({ length: 501 }, (_, at) => ` a${at}=""`).join(''), ''],
  ['attributeValueBytes', ` a="${'x'.repeat(65_537)}"`, ''],
  ['nameChars', '', `<${'a'.repeat(257)}/>`],
  ['namespaceUriBytes', ` xmlns:long="${'u'.repeat(1025)}"`, ''],
  ['commentBytes', '', `<!--${'x'.repeat(1025)}-->`],
];

t.test(
  'A reply beyond a limit of the gateway is UPSTREAM_RESPONSE_LIMIT, whichever it is',
  async (t) => {
    const { backend, gateway } = await start(t, '    limits: { upstream: { breakerFailures: 0 } }');
    let count = 0;
    for (const [limit, attributes, content] of BEYOND) {
      backend.answer = answerWith(message('GetItResponse', attributes, content));
      const answer = await postSoap(`${gateway.url}/soap/s`, message('GetIt', '', ''));
      t.match(await answer.text(), 'code="UPSTREAM_RESPONSE_LIMIT"', limit);
      const line = await gateway.accessLine(++count);
      t.match(JSON.stringify(line), `limits.xml.${limit}`, limit);
    }
  },
);

t.test('The head of a reply beyond a limit names it too', async (t) => {
  const { backend, gateway } = await start(t, '');
  const many = Object.fromEntries(Array.from({ length: 120 }, (_, at) => [`x-${at}`, '1']));
  const heads = { headerCount: many, headerBytes: { 'x-long': 'y'.repeat(20_000) } };
  const limits = { headerCount: 100, headerBytes: 16_384 };
  let count = 0;
  for (const limit of ['headerCount', 'headerBytes'] as const) {
    backend.answer = (_message, response) => {
      response.writeHead(200, { 'content-type': 'text/xml', ...heads[limit] });
      response.end(message('GetItResponse', '', ''));
    };
    const answer = await postSoap(`${gateway.url}/soap/s`, message('GetIt', '', ''));
    t.match(await answer.text(), 'code="UPSTREAM_RESPONSE_LIMIT"', limit);
    const line = await gateway.accessLine(++count);
    t.match(line, { key: `limits.upstream.${limit}`, limit: limits[limit] }, JSON.stringify(line));
  }
});
