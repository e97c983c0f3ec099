import { gzipSync } from 'node:zlib';
import t from 'tap';
import { RawClient, sendRaw } from '../kit/raw-client.js';
import { envelopeOf, type RefusedDesk, SOAP_11, startRefusedDesk } from '../kit/refused-desk.js';

const SECRET = 'iban-DE02120300000000202051';
const GOOD = '<GetOrder xmlns="urn:desk"><id>7</id></GetOrder>';

async function call(
  { url }: RefusedDesk,
  message: string | Buffer,
  headers: Readonly<Record<string, string>> = {},
) {
  const given = { 'content-type': 'text/xml; charset=utf-8', ...headers };
  const response = await fetch(url, { method: 'POST', headers: given, body: message });
  const body = await response.text();
  return {
    status: response.status,
    string: /<faultstring>([^<]*)</.exec(body)?.[1] ?? '',
    body,
    field: (name: string): string | undefined =>
      new RegExp(` ${name}="([^"]*)"`).exec(body.slice(body.indexOf('<error ')))?.[1],
  };
}

t.test('a Fault says what was wrong with the message, where, and what to do', async (t) => {
  const desk = await startRefusedDesk(t);
  const unknown = await call(
    desk,
    envelopeOf(`<GetOrdr xmlns="urn:desk&amp;1">${SECRET}</GetOrdr>`),
  );
  t.match(
    unknown.string,
    'The service has no such operation: {urn:desk&amp;1}GetOrdr, at line 3, byte 74. Send',
  );
  t.same(
    [unknown.field('element'), unknown.field('line'), unknown.field('byte')],
    ['{urn:desk&amp;1}GetOrdr', '3', '74'],
  );
  t.notMatch(unknown.body, 'GetOrder', 'no operation is suggested');
  t.match(
    await desk.gateway.accessLine(),
    { code: 'UNKNOWN_OPERATION', line: 3, byte: 74 },
    'the log has the place too',
  );

  const empty = await call(desk, envelopeOf(''));
  t.match(empty.string, 'The service has no such operation: Body is empty, at line 4');
  t.equal(empty.field('rule'), 'Body is empty');

  const broken = await call(
    desk,
    envelopeOf(`<GetOrder xmlns="urn:desk">\n<id>${SECRET}</GetOrder>`),
  );
  t.match(
    broken.string,
    'The message is not well-formed XML: an end tag that is not that of the ' +
      'open element, expected is',
  );
  t.match(broken.string, '&lt;/id&gt;, at line 4, byte');

  const action = await call(desk, envelopeOf(GOOD), { soapaction: '"urn:desk/nothing"' });
  t.match(
    action.string,
    'the message has the action "urn:desk/nothing", expected is urn:desk/get. Send',
  );
  t.same([action.field('action'), action.field('expected')], ['urn:desk/nothing', 'urn:desk/get']);

  const next = 'http://schemas.xmlsoap.org/soap/actor/next';
  const block =
    `<s:Header><x:Tx xmlns:x="urn:tx" s:mustUnderstand="1" s:actor="${next}">` +
    `${SECRET}</x:Tx></s:Header>`;
  const header = await call(desk, envelopeOf(GOOD, block));
  t.match(
    header.string,
    'A header block that must be understood is not understood: {urn:tx}Tx. Remove',
  );

  const invalid = await call(
    desk,
    envelopeOf(`<GetOrder xmlns="urn:desk">\n<id>${SECRET}</id></GetOrder>`),
  );
  t.match(
    invalid.string,
    /breaks the contract of the service: \/GetOrder\/id .*, at line 4, byte \d+\. Send/,
  );
  const missing = await call(desk, envelopeOf('<GetOrder xmlns="urn:desk">\n</GetOrder>'));
  t.match(missing.string, /\/GetOrder must have further elements.*, at line 4/);

  const nested = `<s:Header><x:x xmlns:x="urn:x">\n${'<a>'.repeat(99)}`;
  const deep = await call(desk, envelopeOf(GOOD, nested));
  t.match(deep.string, 'more elements than allowed: limits.xml.depth is 100, at line 3');
  const plain = await call(desk, envelopeOf('<GetOrder/>'));
  t.match(plain.string, 'no such operation: GetOrder in no namespace, at line 3');
  t.equal(plain.field('element'), '{}GetOrder');
  t.same([deep.field('limit'), deep.field('max')], ['limits.xml.depth', '100']);

  const version = await call(
    desk,
    envelopeOf(GOOD).replaceAll(SOAP_11, 'http://www.w3.org/2003/05/soap-envelope'),
  );
  t.match(
    version.string,
    `{http://www.w3.org/2003/05/soap-envelope}Envelope, expected is {${SOAP_11}}Envelope`,
  );

  for (const { body } of [unknown, broken, header, invalid])
    t.notMatch(body, SECRET, 'never a value');
  t.equal(desk.backend.begun, 0);
});

t.test('the line is right in UTF-16, gzip, chunks and packages', async (t) => {
  const desk = await startRefusedDesk(t);
  const order = '<GetOrder xmlns="urn:desk">\n<id>7</id>\n<note>ü & </note></GetOrder>';
  const message = envelopeOf(order).replaceAll('\n', '\r\n');
  const line = message.slice(0, message.indexOf('&')).split('\n').length;
  const at = message.indexOf('&') + 1;
  const utf16 = Buffer.from(`\ufeff${message}`, 'utf16le');
  const wide = await call(desk, utf16, { 'content-type': 'text/xml; charset=utf-16' });
  t.same([wide.field('line'), wide.field('byte')], [String(line), String(2 + 2 * at)]);
  const bytes = Buffer.from(message);
  const byte = String(bytes.indexOf('&') + 1);
  const zipped = await call(desk, gzipSync(bytes), { 'content-encoding': 'gzip' });
  t.same([zipped.field('line'), zipped.field('byte')], [String(line), byte]);
  const start =
    '--b\r\nContent-Type: application/xop+xml; type="text/xml"; charset=utf-8\r\n' +
    'Content-ID: <a>\r\n\r\n';
  const type =
    'multipart/related; boundary=b; type="application/xop+xml"; start="<a>"; start-info="text/xml"';
  const packed = await call(desk, `${start}${message}\r\n--b--\r\n`, { 'content-type': type });
  t.same(
    [packed.field('line'), packed.field('byte')],
    [String(line), byte],
    'of the envelope, in a package',
  );
  for (let cut = 1; cut < bytes.length; cut += 7) {
    const client = await RawClient.connect(desk.url);
    await client.send(
      'POST /soap/desk HTTP/1.1\r\nHost: a\r\nContent-Type: text/xml\r\nContent-Length: ' +
        `${bytes.length}\r\n\r\n`,
    );
    await client.send(bytes.subarray(0, cut));
    await new Promise((resolve) => setImmediate(resolve));
    await client.send(bytes.subarray(cut));
    const reply = await client.reply();
    client.close();
    t.match(reply.body, ` line="${line}" byte="${byte}"`, `cut at ${cut}`);
  }
});

t.test('the line of a long message that flows is that of the whole message', async (t) => {
  const desk = await startRefusedDesk(t);
  const rows = '<note>\n\n</note>\n'.repeat(40_000);
  const message = envelopeOf(`<Other xmlns="urn:desk">\n${rows}<x>&</x></Other>`);
  const line = message.slice(0, message.indexOf('&')).split('\n').length;
  const fault = await call(desk, message.replaceAll('Other', 'Payroll'));
  t.match(fault.field('code'), 'SCHEMA_INVALID', 'found first');
  const open = await startRefusedDesk(t, '', '    unknownOperations: pass\n');
  const passed = await call(open, message.replaceAll('urn:desk', 'urn:other'));
  t.same([passed.field('code'), passed.field('line')], ['XML_NOT_WELLFORMED', String(line)]);
  t.equal(open.backend.complete.length, 0);
});

t.test('the action of an operation is in refusals for clients that may call it', async (t) => {
  const clients = `clients:
  address: { class: public }
  classes: { public: { deny: [desk.Payroll] } }
`;
  const desk = await startRefusedDesk(t, clients);
  const right = await call(desk, envelopeOf(GOOD), { soapaction: '"urn:desk/payroll"' });
  t.equal(right.field('expected'), 'urn:desk/get');
  const wrong = await call(desk, envelopeOf('<Payroll xmlns="urn:desk"/>'), {
    soapaction: '"urn:desk/get"',
  });
  t.same([wrong.field('code'), wrong.field('expected')], ['ACTION_MISMATCH', undefined]);
  t.notMatch(wrong.body, 'urn:desk/payroll');
  const forbidden = await call(desk, envelopeOf('<Payroll xmlns="urn:desk"/>'));
  t.equal(forbidden.string, 'The client may not call this operation.');
});

t.test('a refusal of HTTP has one sentence, and says what the address takes', async (t) => {
  const desk = await startRefusedDesk(t, 'limits: { xml: { messageBytes: 2000 } }\n');
  const path = '/soap/desk';
  const ask = (method: string, at: string, fields: string, body = ''): ReturnType<typeof sendRaw> =>
    sendRaw(
      desk.url,
      `${method} ${at} HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n${fields}\r\n` +
        `${body}`,
    );
  const XML = 'Content-Type: text/xml\r\n';
  const rows = [
    [
      await ask('POST', path, `Content-Type: text/${SECRET}\r\n`, GOOD),
      415,
      'Send text/xml; this service speaks SOAP 1.1.',
    ],
    [
      await ask('PUT', path, XML, GOOD),
      405,
      'The method is not offered at this address. Send POST; this service speaks SOAP 1.1.',
    ],
    [
      await ask('POST', `/${SECRET}`, XML, GOOD),
      404,
      'There is nothing at this address. Check the path: it is compared exactly.',
    ],
    [
      await ask('POST', path, XML, 'x'.repeat(2001)),
      413,
      'The request is longer than allowed: limits.xml.messageBytes is 2000. ' +
        'Send less in one request.',
    ],
    [
      await ask('POST', path, `${XML}Content-Encoding: ${SECRET}\r\n`, GOOD),
      415,
      'The content coding is not accepted. Send the body as it is, or with Content-Encoding: gzip.',
    ],
    [
      await ask('POST', path, `${XML}X_${SECRET}: 1\r\n`, GOOD),
      400,
      'The request is malformed: an underscore in the name of a field.',
    ],
    [await ask('POST', path, `${XML}a b: 1\r\n`, GOOD), 400, 'The request is malformed.'],
    [
      await ask('POST', '/graphql', 'Content-Type: text/plain\r\n', '{}'),
      415,
      'Send application/json; this service speaks GraphQL.',
    ],
    [
      await ask('DELETE', '/graphql', '', ''),
      405,
      'The method is not offered at this address. Send POST; this service speaks GraphQL.',
    ],
  ] as const;
  for (const [reply, status, sentence] of rows) {
    t.equal(reply.status, status, sentence);
    t.equal(reply.body, `${sentence}\n`);
    t.equal(reply.headers.get('content-type'), 'text/plain; charset=utf-8', sentence);
    t.equal(reply.headers.get('x-content-type-options'), 'nosniff', sentence);
    const isAsked = status === 405 || (status === 415 && !sentence.startsWith('The content'));
    const takes = sentence.includes('GraphQL') ? 'application/json' : 'text/xml';
    if (isAsked) t.equal(reply.headers.get('accept-post'), takes, sentence);
    t.equal(reply.headers.get('allow'), status === 405 ? 'GET, POST' : undefined, sentence);
  }
});

t.test('a 411 has a sentence and a 400 of the first dialect has none', async (t) => {
  const desk = await startRefusedDesk(t, '', '    versions: ["2001-12"]\n');
  const uri = 'http://www.w3.org/2001/12/soap-envelope';
  const head = 'POST /soap/desk HTTP/1.1\r\nHost: a\r\nContent-Type: application/soap+xml\r\n';
  const message =
    `<s:Envelope xmlns:s="${uri}" s:encodingStyle="http://www.w3.org/2001/12/soap-encoding">` +
    `<s:Body>${GOOD}</s:Body></s:Envelope>`;
  const chunked = await sendRaw(
    desk.url,
    `${head}Transfer-Encoding: chunked\r\n\r\n${message.length.toString(16)}\r\n` +
      `${message}\r\n0\r\n\r\n`,
  );
  t.equal(chunked.body, 'A Content-Length is required. Send Content-Length, not chunks.\n');
  for (const sent of [
    `${head}Content-Length: 1\r\n\r\n<`,
    `${head}SOAPAction: "a"b"\r\nContent-Length: 1\r\n\r\n<`,
  ]) {
    const reply = await sendRaw(desk.url, sent);
    t.same([reply.status, reply.headers.get('content-length'), reply.body], [400, '0', '']);
  }
});

t.test('faults.explain: false leaves the code, its text and the id', async (t) => {
  const desk = await startRefusedDesk(t, 'faults: { explain: false }\n');
  const unknown = await call(desk, envelopeOf('<GetOrdr xmlns="urn:desk"/>'));
  t.equal(unknown.string, 'The service has no such operation.');
  t.match(
    unknown.body,
    /<error xmlns="urn:soapstone:error" code="UNKNOWN_OPERATION" id="([^"]+)"><code>UNKNOWN_OPERATION<\/code><id>\1<\/id><\/error>/,
  );
  const invalid = await call(desk, envelopeOf('<GetOrder xmlns="urn:desk"/>'));
  t.same([invalid.field('code'), invalid.field('path')], ['SCHEMA_INVALID', undefined]);
  t.match(
    await desk.gateway.accessLine(2),
    { code: 'SCHEMA_INVALID', line: 3 },
    'the log has it nevertheless',
  );
  for (const sent of [
    'POST /soap/desk HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nContent-Length: 0\r\n\r\n',
    'GET /nothing HTTP/1.1\r\nHost: a\r\n\r\n',
    'GET / HTTP/1.1\r\na b: 1\r\n\r\n',
    'POST /graphql HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}',
  ]) {
    const reply = await sendRaw(desk.url, sent);
    t.same([reply.headers.get('content-length'), reply.body], ['0', ''], sent);
  }
});
