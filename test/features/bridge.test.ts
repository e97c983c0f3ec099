import t, { type Test } from 'tap';

import { DIALECT_NAMES, DIALECTS, type DialectName } from '../../src/soap/index.js';
import { answerWith, type RecordingBackend } from '../kit/backend.js';
import { postSoap } from '../kit/envelope.js';
import { useFolder, useGateway, useService } from '../kit/use.js';
import { wrapper, wsdlOf } from '../kit/wsdl.js';
import { modelOf } from '../wsdl/written.js';

/** Callers in one version of SOAP, a backend in another. */

const TYPES = {
  '2001-12': 'application/soap+xml; charset=utf-8',
  '1.1': 'text/xml; charset=utf-8',
  '1.2': 'application/soap+xml; charset=utf-8',
} as const;

/** A message in a version, with the prefix `s`. */
function message(version: DialectName, body: string, header = '', more = ''): string {
  const { envelopeUri, encodingUri, needsEncodingNamespace } = DIALECTS[version];
  const encoding = needsEncodingNamespace ? ` xmlns:c="${encodingUri}"` : '';
  return (
    `<s:Envelope xmlns:s="${envelopeUri}"${encoding}${more}>` +
    `${header === '' ? '' : `<s:Header>${header}</s:Header>`}<s:Body>${body}</s:Body></s:Envelope>`
  );
}

async function useBridge(
  t: Test,
  caller: DialectName,
  backend: DialectName,
  answer: RecordingBackend['answer'],
  more = '',
) {
  const service = await useService(
    t,
    answer,
    (url) =>
      `services: { a: { url: "${url}", versions: ["${backend}"], bridge: ["${caller}"]${more} } }`,
  );
  const send = async (text: string | Buffer, headers: Record<string, string> = {}) => {
    const type: string = TYPES[caller];
    const answered = await postSoap(`${service.gateway.url}/soap/a`, text, {
      'content-type': type,
      ...headers,
    });
    return {
      status: answered.status,
      type: answered.headers.get('content-type'),
      text: await answered.text(),
    };
  };
  return { ...service, send, last: () => service.backend.complete.at(-1) };
}

const PAIRS = DIALECT_NAMES.flatMap((caller) =>
  DIALECT_NAMES.filter((backend) => backend !== caller).map(
    (backend) => [caller, backend] as const,
  ),
);

t.test('a message reaches the backend in its version, and the reply the caller', async (t) => {
  for (const [caller, backend] of PAIRS) {
    const { send, last } = await useBridge(
      t,
      caller,
      backend,
      answerWith(message(backend, '<r:R xmlns:r="urn:r">ü</r:R>'), TYPES[backend]),
    );
    const answer = await send(message(caller, '<m:Get xmlns:m="urn:m">é</m:Get>'), {
      soapaction: '"urn:act"',
    });
    const name = `${caller} to ${backend}`;
    const { envelopeUri } = DIALECTS[backend];
    const sent = String(last()?.body);
    t.match(sent, `xmlns:s="${envelopeUri}"`, name);
    t.match(sent, '<s:Body><m:Get xmlns:m="urn:m">é</m:Get></s:Body></s:Envelope>', name);
    t.notMatch(sent, DIALECTS[caller].envelopeUri, name);
    if (backend === '2001-12') t.match(sent, DIALECTS['2001-12'].encodingUri);
    t.equal(last()?.headers['content-length'], String(Buffer.byteLength(sent)), name);
    t.match(last()?.headers['content-type'], DIALECTS[backend].mediaType, name);
    t.equal(
      last()?.headers['soapaction'],
      DIALECTS[backend].actionHeader ? '"urn:act"' : undefined,
      name,
    );
    if (backend === '1.2') t.match(last()?.headers['content-type'], 'action="urn:act"');
    t.equal(answer.status, 200, name);
    t.equal(answer.type, TYPES[caller], name);
    t.match(answer.text, `xmlns:s="${DIALECTS[caller].envelopeUri}"`, name);
    t.notMatch(answer.text, envelopeUri, name);
    t.match(answer.text, '<s:Body><r:R xmlns:r="urn:r">ü</r:R></s:Body></s:Envelope>', name);
  }
});

t.test('attributes of header blocks are those of the version of the backend', async (t) => {
  const next = (version: DialectName): string => DIALECTS[version].nextTargets[0] ?? '';
  const cases: [DialectName, DialectName, string, string][] = [
    ['1.1', '1.2', 's:mustUnderstand="1"', 's:mustUnderstand="1"'],
    ['1.2', '1.1', 's:mustUnderstand="true"', 's:mustUnderstand="1"'],
    ['1.2', '1.1', 's:mustUnderstand="false"', 's:mustUnderstand="0"'],
    ['1.2', '2001-12', 's:mustUnderstand=" true "', 's:mustUnderstand="1"'],
    ['1.1', '1.2', 's:actor="urn:other"', 's:role="urn:other"'],
    ['1.2', '1.1', 's:role=\'urn:other\' s:relay="1"', 's:actor="urn:other"'],
    ['1.2', '1.1', `s:role="${DIALECTS['1.2'].ultimateTarget}"`, ''],
    [
      '1.2',
      '2001-12',
      `s:role="${DIALECTS['1.2'].noneTarget}"`,
      `s:actor="${DIALECTS['2001-12'].noneTarget}"`,
    ],
    [
      '2001-12',
      '1.2',
      `s:actor="${DIALECTS['2001-12'].noneTarget}"`,
      `s:role="${DIALECTS['1.2'].noneTarget}"`,
    ],
  ];
  for (const [caller, backend, given, expected] of cases) {
    const { send, last } = await useBridge(t, caller, backend, answerWith(message(backend, '')));
    await send(message(caller, '<m/>', `<h:H xmlns:h="urn:h" ${given} a="b">x</h:H>`));
    t.match(
      String(last()?.body),
      new RegExp(
        `<h:H xmlns:h="urn:h" ${expected.replaceAll(/[.?]/g, '\\$&')} ?a="b">x</h:H>`.replace(
          '  ',
          ' ',
        ),
      ),
      `${caller} to ${backend}: ${given}`,
    );
  }
  // A block for the next node is for the gateway, which takes it out; `relay` passes it on.
  const { send, last } = await useBridge(t, '1.2', '1.1', answerWith(message('1.1', '')));
  await send(message('1.2', '<m/>', `<h:H xmlns:h="urn:h" s:role="${next('1.2')}"/>`));
  t.match(String(last()?.body), '<s:Header></s:Header>');
  await send(
    message('1.2', '<m/>', `<h:H xmlns:h="urn:h" s:role="${next('1.2')}" s:relay="true"/>`),
  );
  t.match(String(last()?.body), `s:actor="${next('1.1')}"`);
});

t.test('prefixes in content keep their meaning', async (t) => {
  const [old, now] = [DIALECTS['1.1'].envelopeUri, DIALECTS['1.2'].envelopeUri];
  const { send, last } = await useBridge(t, '1.1', '1.2', answerWith(message('1.2', '')));
  await send(
    message('1.1', '<m>s:Client</m>', '<h:H xmlns:h="urn:h" s:mustUnderstand="0">s:x</h:H>'),
  );
  t.match(String(last()?.body), `<s:Envelope xmlns:s="${now}">`);
  t.match(String(last()?.body), `<m xmlns:s="${old}">s:Client</m>`);
  t.match(
    String(last()?.body),
    `<h:H xmlns:s="${old}" xmlns:soap-bridge="${now}" \
xmlns:h="urn:h" soap-bridge:mustUnderstand="0">s:x</h:H>`,
  );
  // The prefix is declared by the block, and by Body.
  await send(
    `<E:Envelope xmlns:E="${old}"><E:Header>` +
      `<h:H xmlns:h="urn:h" xmlns:q="${old}" q:actor="urn:a"/>` +
      `</E:Header><b:Body xmlns:b='${old}'><m a="b:c"/></b:Body></E:Envelope>`,
  );
  const sent = String(last()?.body);
  t.match(sent, `<h:H xmlns:h="urn:h" xmlns:q="${now}" q:role="urn:a"/>`);
  t.match(sent, `<b:Body xmlns:b="${now}"><m xmlns:b="${old}" a="b:c"/></b:Body>`);
  // Without prefixes.
  await send(`<Envelope xmlns="${old}"><Body><Get><a xmlns="">s</a></Get></Body></Envelope>`);
  t.match(
    String(last()?.body),
    `<Envelope xmlns="${now}"><Body><Get xmlns="${old}"><a xmlns="">s</a></Get></Body></Envelope>`,
  );
  await send(`<Envelope xmlns="${old}"><Body><Get xmlns="urn:m"/></Body></Envelope>`);
  t.match(String(last()?.body), `<Envelope xmlns="${now}"><Body><Get xmlns="urn:m"/></Body>`);
});

t.test('Faults of the backend are those of the version of the caller', async (t) => {
  const of12 =
    '<s:Fault><s:Code><s:Value>s:Sender</s:Value><s:Subcode><s:Value xmlns:x="urn:x">x:Bad' +
    '</s:Value></s:Subcode></s:Code><s:Reason><s:Text xml:lang="en">no</s:Text></s:Reason>' +
    '<s:Role>urn:r</s:Role><s:Detail><d xmlns="urn:d">7</d></s:Detail></s:Fault>';
  const of11 =
    '<s:Fault><faultcode>s:Client.Bad</faultcode><faultstring xml:lang="en">no</faultstring>' +
    '<faultactor>urn:r</faultactor><detail><d xmlns="urn:d">7</d></detail></s:Fault>';
  const more = ', faultDetail: unsafe:pass';
  const first = await useBridge(
    t,
    '1.1',
    '1.2',
    answerWith(message('1.2', of12), TYPES['1.2'], 400),
    more,
  );
  const one = await first.send(message('1.1', '<m/>'));
  t.equal(one.status, 500);
  t.equal(one.type, TYPES['1.1']);
  t.match(one.text, '<faultcode>soap:Client.Bad</faultcode>');
  t.match(one.text, '<faultactor>urn:r</faultactor>');
  t.match(one.text, '7</d></detail>');
  const second = await useBridge(
    t,
    '1.2',
    '1.1',
    answerWith(message('1.1', of11), TYPES['1.1'], 500),
    more,
  );
  const other = await second.send(message('1.2', '<m/>'));
  t.equal(other.status, 400);
  t.equal(other.type, TYPES['1.2']);
  t.match(other.text, '<soap:Value>soap:Sender</soap:Value>');
  t.match(other.text, '<soap:Subcode><soap:Value>Bad</soap:Value></soap:Subcode>');
  t.match(other.text, '<soap:Text xml:lang="en">no</soap:Text>');
  t.match(other.text, '<soap:Role>urn:r</soap:Role>');
});

t.test('Faults of the gateway are those of the version of the caller', async (t) => {
  const { send, backend } = await useBridge(t, '1.2', '1.1', answerWith(message('1.1', '')));
  const answer = await send(message('1.2', '<m/><n/>'));
  t.equal(answer.status, 400);
  t.match(answer.text, DIALECTS['1.2'].envelopeUri);
  t.match(answer.text, 'SOAP_MULTI_BODY');
  t.equal(backend.complete.length, 0);
});

t.test('what the other version cannot express is refused with the reason', async (t) => {
  const { send, backend } = await useBridge(t, '1.1', '1.2', answerWith(message('1.2', '')));
  const style = `s:encodingStyle="${DIALECTS['1.1'].encodingUri}"`;
  const signed =
    '<w:Security ' +
    'xmlns:w="http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd"><d:Signature ' +
    'xmlns:d="http://www.w3.org/2000/09/xmldsig#"/></w:Security>';
  const refused = [
    message('1.1', `<m ${style}/>`),
    message('1.1', '<m/>', '', ` ${style}`),
    message('1.1', '<m/>', signed),
  ];
  for (const text of refused) {
    const { status, text: fault } = await send(text);
    t.equal(status, 500);
    t.match(fault, /BRIDGE_UNSUPPORTED/);
    t.match(fault, /<rule>/);
  }
  t.equal(backend.complete.length, 0);
  t.equal((await send(message('1.1', '<m s:encodingStyle=""/>'))).status, 200);
});

const LINES = `<a>${'x'.repeat(60)}</a>`.repeat(20_000);

t.test('a long message flows, in its new version, with its length', async (t) => {
  const long = `<m xmlns="urn:m">${LINES}</m>`;
  const { send, last } = await useBridge(
    t,
    '1.2',
    '1.1',
    answerWith(message('1.1', long), TYPES['1.1']),
  );
  const answer = await send(message('1.2', long));
  const sent = String(last()?.body);
  t.ok(sent.startsWith(`<s:Envelope xmlns:s="${DIALECTS['1.1'].envelopeUri}"><s:Body><m `));
  t.ok(sent.endsWith(`${LINES}</m></s:Body></s:Envelope>`));
  t.equal(last()?.headers['content-length'], String(sent.length));
  t.equal(last()?.headers['soapaction'], '""');
  t.ok(answer.text.startsWith(`<s:Envelope xmlns:s="${DIALECTS['1.2'].envelopeUri}"><s:Body><m `));
  t.ok(answer.text.endsWith('</m></s:Body></s:Envelope>'));
});

t.test('a package keeps its parts, and describes its envelope anew', async (t) => {
  const packaged = (version: DialectName, content: string): string =>
    `--b\r\nContent-ID: <root@x>\r\nContent-Type: application/xop+xml; charset=UTF-8;\r\n \
type="${DIALECTS[version].mediaType}"\r\n\r\n` +
    `${message(
      version,
      `<m>` +
        `<x:Include xmlns:x="http://www.w3.org/2004/08/xop/include" href="cid:1@x"/>` +
        `</m>`,
    )}\r\n` +
    `--b\r\nContent-ID: <1@x>\r\nContent-Type: ` +
    `application/octet-stream\r\n\r\n${content}\r\n--b--\r\n`;
  const typeOf = (version: DialectName): string =>
    `multipart/related; boundary=b; type="application/xop+xml"; start="<root@x>";\
 start-info="${DIALECTS[version].mediaType}"`;
  for (const [caller, backend] of [
    ['1.1', '1.2'],
    ['1.2', '1.1'],
  ] as const) {
    const { send, last } = await useBridge(
      t,
      caller,
      backend,
      answerWith(packaged(backend, 'reply'), typeOf(backend)),
    );
    const answer = await send(packaged(caller, 'request'), { 'content-type': typeOf(caller) });
    t.equal(answer.status, 200);
    const sent = String(last()?.body);
    t.match(sent, `type="${DIALECTS[backend].mediaType}"`);
    t.notMatch(sent, DIALECTS[caller].envelopeUri);
    t.match(sent, '\r\n\r\nrequest\r\n--b--');
    t.match(last()?.headers['content-type'], `start-info="${DIALECTS[backend].mediaType}"`);
    t.equal(last()?.headers['content-length'], String(sent.length));
    t.match(answer.type, `start-info="${DIALECTS[caller].mediaType}"`);
    t.match(answer.text, `type="${DIALECTS[caller].mediaType}"`);
    t.match(answer.text, DIALECTS[caller].envelopeUri);
    t.match(answer.text, '\r\n\r\nreply\r\n--b--');
  }
});

t.test('monitor mode puts messages into the version of the backend as well', async (t) => {
  const { send, last, backend } = await useBridge(
    t,
    '1.2',
    '1.1',
    answerWith(message('1.1', '<r/>'), TYPES['1.1']),
    ', mode: monitor',
  );
  const answer = await send(message('1.2', '<m/>'));
  t.match(String(last()?.body), DIALECTS['1.1'].envelopeUri);
  t.match(answer.text, `<s:Envelope xmlns:s="${DIALECTS['1.2'].envelopeUri}"`);
  t.equal(last()?.headers['soapaction'], '""');
  // Unread, a message cannot be put into another version.
  const before = backend.complete.length;
  t.equal(
    (await send(message('1.2', '<m/>').replace('<s:Body>', '<s:Other/><s:Body>'))).status,
    400,
  );
  t.equal(backend.complete.length, before);
});

t.test('a message in UTF-16 is bridged', async (t) => {
  const { send, last } = await useBridge(t, '1.1', '1.2', answerWith(message('1.2', '')));
  const text = `\ufeff${message('1.1', '<m>é</m>')}`;
  await send(Buffer.from(text, 'utf16le'), { 'content-type': 'text/xml; charset=utf-16' });
  const sent = last()?.body.toString('utf16le') ?? '';
  t.match(sent, `<s:Envelope xmlns:s="${DIALECTS['1.2'].envelopeUri}">`);
  t.match(sent, '>é</m></s:Body>');
});

t.test('the log line has both versions, and a metric counts them', async (t) => {
  const { send, gateway } = await useBridge(
    t,
    '1.1',
    '1.2',
    answerWith(message('1.2', '<r/>'), TYPES['1.2']),
  );
  await send(message('1.1', '<m/>'));
  const line = await gateway.accessLine();
  t.equal(line['dialect'], '1.1');
  t.equal(line['bridgedTo'], '1.2');
  t.match(await gateway.metrics(), 'soapstone_bridged_total{route="a",from="1.1",to="1.2"} 1');
});

t.test('a version in both lists is an error, also where the first is a default', async (t) => {
  for (const versions of ['versions: ["1.1"], ', '']) {
    await t.rejects(
      useGateway(t, `services: { a: { url: "http://127.0.0.1:9/", ${versions}bridge: ["1.1"] } }`),
      /`bridge` has 1\.1, which the service speaks itself/,
    );
  }
});

t.test('the served WSDL has a port for each version that callers may speak', async (t) => {
  for (const [own, bridged] of [
    ['1.1', '1.2'],
    ['1.2', '1.1'],
  ] as const) {
    const written = wsdlOf('urn:t', wrapper('Get') + wrapper('GetResponse'), ['Get'], {
      version: own,
    });
    const folder = await useFolder(t, { 'a.wsdl': written });
    const gateway = await useGateway(
      t,
      `services: { a: { wsdl: a.wsdl, url: "http://127.0.0.1:9/", bridge: ["${bridged}"] } }`,
      folder,
    );
    const answer = await fetch(`${gateway.url}/soap/a?wsdl`);
    const served = await answer.text();
    const { services } = await modelOf(served);
    const ports = services.flatMap((service) => service.ports);
    t.same(
      ports.map(({ name, dialect }) => [name, dialect]),
      [
        ['Port', own],
        [bridged === '1.2' ? 'PortSoap12' : 'PortSoap11', bridged],
      ],
    );
    for (const { address, operations } of ports) {
      t.equal(address, `${gateway.url}/soap/a`);
      t.same(
        operations.map(({ name, soapAction, status }) => [name, soapAction, status]),
        [['Get', 'Get', 'ok']],
      );
    }
  }
});
