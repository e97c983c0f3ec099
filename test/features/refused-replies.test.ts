import t, { type Test } from 'tap';

import {
  answerStatus,
  answerWith,
  type RecordedMessage,
  startScriptedBackend,
} from '../kit/backend.js';
import { envelope, operationIn, postSoap } from '../kit/envelope.js';
import { until } from '../kit/until.js';
import { useBackend, useFolder, useGateway } from '../kit/use.js';

/** A WSDL with the operations Get and Other, whose names of elements are in this namespace. */
const wsdl = (uri: string): string => `<wsdl:definitions
    xmlns:wsdl="http://schemas.xmlsoap.org/wsdl/" xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/"
    xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:m="${uri}" targetNamespace="${uri}">
  <wsdl:types><xs:schema targetNamespace="${uri}" elementFormDefault="qualified">
    ${['Get', 'GetResponse', 'Other', 'OtherResponse']
      .map(
        (name) => `<xs:element name="${name}"><xs:complexType><xs:sequence>
      <xs:element name="text" type="xs:string"/></xs:sequence></xs:complexType></xs:element>`,
      )
      .join('')}
  </xs:schema></wsdl:types>
  ${['Get', 'Other']
    .map(
      (
        name,
      ) => `<wsdl:message name="${name}"><wsdl:part name="p" element="m:${name}"/></wsdl:message>
  <wsdl:message name="${name}Response"><wsdl:part name="p" element="m:${name}Response"/></wsdl:message>`,
    )
    .join('')}
  <wsdl:portType name="P">${['Get', 'Other']
    .map(
      (name) => `<wsdl:operation name="${name}"><wsdl:input message="m:${name}"/>
    <wsdl:output message="m:${name}Response"/></wsdl:operation>`,
    )
    .join('')}</wsdl:portType>
  <wsdl:binding name="B" type="m:P">
    <soap:binding transport="http://schemas.xmlsoap.org/soap/http"/>
    ${['Get', 'Other']
      .map(
        (name) => `<wsdl:operation name="${name}"><soap:operation soapAction=""/>
    <wsdl:input><soap:body use="literal"/></wsdl:input><wsdl:output><soap:body use="literal"/></wsdl:output>
    </wsdl:operation>`,
      )
      .join('')}
  </wsdl:binding>
  <wsdl:service name="S"><wsdl:port name="Port" binding="m:B">
    <soap:address location="http://127.0.0.1/"/></wsdl:port></wsdl:service>
</wsdl:definitions>`;

const [V1, V2] = ['urn:desk:1', 'urn:desk:2'] as const;
const other = envelope(`<m:Other xmlns:m="${V1}"/>`);
const get = envelope(`<m:Get xmlns:m="${V1}"/>`);
const result = (name: string, uri: string = V1): string =>
  envelope(`<m:${name} xmlns:m="${uri}"><m:text>x</m:text></m:${name}>`);

/**
 * The service `desk` in front of a backend that answers `Other`, and `Get` as `refused` does;
 * `versions` of one WSDL.
 */
async function useDesk(
  t: Test,
  refused: Parameters<typeof useBackend>[1],
  { keys = '', isAtSame = true }: { readonly keys?: string; readonly isAtSame?: boolean } = {},
) {
  const connections = new Set<unknown>();
  const good = answerWith(result('OtherResponse'));
  const backend = await useBackend(t, (message: RecordedMessage, response) => {
    connections.add(response.socket);
    const isGet = operationIn(String(message.body)) === 'Get';
    if (isGet) refused?.(message, response);
    else good(message, response);
  });
  const elsewhere = await useBackend(t);
  const folder = await useFolder(t, { 'one.wsdl': wsdl(V1), 'two.wsdl': wsdl(V2) });
  const gateway = await useGateway(
    t,
    `services:
  desk: { wsdl: one.wsdl, url: "${backend.url}/one"${keys} }
  later: { wsdl: two.wsdl, url: "${(isAtSame ? backend : elsewhere).url}/two" }
`,
    folder,
  );
  const send = async (message: string): Promise<string> =>
    (await postSoap(`${gateway.url}/soap/desk`, message)).text();
  return { backend, connections, gateway, send };
}

const REFUSED = {
  'an element that is the output of no operation': [
    answerWith(envelope('<m:GotResponse xmlns:m="urn:desk:1"/>')),
    'UPSTREAM_SCHEMA_INVALID',
  ],
  'the output in another namespace': [
    answerWith(result('GetResponse', 'urn:other')),
    'UPSTREAM_SCHEMA_INVALID',
  ],
  'an empty Body': [answerWith(envelope('')), 'UPSTREAM_INVALID_RESPONSE'],
  'two children of Body': [
    answerWith(envelope(`<m:GetResponse xmlns:m="${V1}"/><b/>`)),
    'UPSTREAM_INVALID_RESPONSE',
  ],
  'an envelope of another version': [
    answerWith('<E:Envelope xmlns:E="urn:e"><E:Body/></E:Envelope>'),
    'UPSTREAM_INVALID_RESPONSE',
  ],
  'XML that is not well-formed': [
    answerWith(result('GetResponse').replace('</', '<')),
    'UPSTREAM_INVALID_RESPONSE',
  ],
  'more levels than allowed': [
    answerWith(envelope(`<m:GetResponse xmlns:m="${V1}">${'<a>'.repeat(101)}`)),
    'UPSTREAM_RESPONSE_LIMIT',
  ],
  'a page of HTML with 200': [
    answerWith('<html></html>', 'text/html'),
    'UPSTREAM_INVALID_RESPONSE',
  ],
  'a page of HTML with 500': [
    answerWith('<html></html>', 'text/html', 500),
    'UPSTREAM_INVALID_RESPONSE',
  ],
  'a result with 500': [
    answerWith(result('GetResponse'), 'text/xml', 500),
    'UPSTREAM_INVALID_RESPONSE',
  ],
  'a redirect': [answerStatus(302, { location: '/' }, 'x'), 'UPSTREAM_REDIRECT'],
  'a challenge to the gateway': [
    answerStatus(401, {}, 'x'),
    'UPSTREAM_AUTH',
    ', auth: { basic: { username: u, password: p } }',
  ],
  'another content coding': [
    answerStatus(200, { 'content-type': 'text/xml', 'content-encoding': 'br' }, 'x'),
    'UPSTREAM_INVALID_RESPONSE',
  ],
  'gzip that is broken': [
    answerStatus(200, { 'content-type': 'text/xml', 'content-encoding': 'gzip' }, 'x'),
    'UPSTREAM_INVALID_RESPONSE',
  ],
  'an external Include': [
    answerWith(
      '--b\r\nContent-Type: application/xop+xml; type="text/xml"\r\n\r\n' +
        envelope(
          `<m:GetResponse xmlns:m="${V1}"><m:text><x:Include href="http://a/" ` +
            'xmlns:x="http://www.w3.org/2004/08/xop/include"/></m:text></m:GetResponse>',
        ) +
        '\r\n--b--',
      'multipart/related; type="application/xop+xml"; boundary=b',
    ),
    'UPSTREAM_INVALID_RESPONSE',
    ', mtom: true',
  ],
} as const;

for (const [name, row] of Object.entries(REFUSED)) {
  t.test(`a reply that is refused is no sign of health: ${name}`, async (t) => {
    const [answer, code, keys = ''] = row;
    const { connections, gateway, send } = await useDesk(t, answer, { keys });
    for (let round = 0; round < 6; round++) t.match(await send(get), code);
    t.match(await send(other), 'OtherResponse', 'other operations are called');
    t.equal(connections.size, 1, 'the connection that was read to its end is used again');
    const metrics = await gateway.metrics();
    t.match(metrics, 'soapstone_upstream_breakers_open{service="desk"} 0');
    t.match(metrics, /^soapstone_upstream_reuse_suspended\{service="desk",address="[^"]*"\} 0$/m);
  });
}

for (const [name, answer] of [
  ['of another operation', answerWith(result('OtherResponse'))],
  ['of another version of the WSDL', answerWith(result('GetResponse', V2))],
] as const) {
  t.test(`the output ${name} at the same address is the answer to another request`, async (t) => {
    const { connections, gateway, send } = await useDesk(t, answer);
    for (let round = 0; round < 2; round++) t.match(await send(get), 'UPSTREAM_DESYNC');
    t.match(
      await gateway.metrics(),
      /^soapstone_upstream_reuse_suspended\{service="desk",address="[^"]*"\} 1$/m,
    );
    for (let round = 0; round < 3; round++) t.match(await send(other), 'OtherResponse');
    t.equal(connections.size, 5, 'no connection is used twice');
  });
}

t.test('the output of a service at another address is no answer to another request', async (t) => {
  const answer = answerWith(result('GetResponse', V2));
  const { gateway, send } = await useDesk(t, answer, { isAtSame: false });
  t.match(await send(get), 'UPSTREAM_SCHEMA_INVALID');
  t.match(
    await gateway.metrics(),
    /^soapstone_upstream_reuse_suspended\{service="desk",address="[^"]*"\} 0$/m,
  );
});

for (const status of [502, 503, 504]) {
  t.test(`a page with ${status} is a failure, which opens the breaker`, async (t) => {
    const { send } = await useDesk(t, answerWith('<html></html>', 'text/html', status));
    for (let round = 0; round < 5; round++) t.match(await send(get), 'UPSTREAM_');
    t.match(await send(other), 'CIRCUIT_OPEN');
  });
}

t.test('the rest of a refused reply is read as far as it is short', async (t) => {
  let rest = 0;
  const head = (length: string): string =>
    `HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n${length}\r\n\r\n`;
  const backend = await startScriptedBackend((socket) => {
    const isChunked = rest < 0;
    socket.write(head(isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${rest + 1}`));
    socket.write(isChunked ? '1\r\nx\r\n' : 'x');
    setTimeout(() => {
      for (let count = 0; isChunked && count < 100; count++)
        socket.write(`400\r\n${'x'.repeat(1024)}\r\n`);
      if (!isChunked) socket.write('x'.repeat(rest));
    }, 20);
  });
  t.teardown(() => backend.close());
  const gateway = await useGateway(
    t,
    `services:\n  desk: { url: "${backend.url}/", versions: ["1.1"] }\n`,
  );
  const send = async (): Promise<string> =>
    (await postSoap(`${gateway.url}/soap/desk`, other)).text();
  const first = new Set<unknown>();
  const used = async (bytes: number): Promise<number> => {
    rest = bytes;
    t.match(await send(), 'UPSTREAM_INVALID_RESPONSE');
    await new Promise((resolve) => setTimeout(resolve, 100));
    for (const socket of backend.sockets) first.add(socket);
    return first.size;
  };
  t.equal(await used(64 * 1024), 1);
  t.equal(await used(1024), 1, 'the connection was used again');
  await used(10);
  t.equal(backend.sockets.size, 1);
  await used(64 * 1024 + 1);
  await until(() => backend.sockets.size === 0);
  await used(-1);
  await until(() => backend.sockets.size === 0);
});
