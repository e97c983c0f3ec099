import t, { type Test } from 'tap';
import { readMediaType } from '../../src/soap/mime/media-type.js';
import { errorWith } from '../kit/answers.js';
import { answerWith, type RecordedMessage } from '../kit/backend.js';
import { envelope, faultOf, SOAP_11, SOAP_12 } from '../kit/envelope.js';
import { useFolder, useService } from '../kit/use.js';
import { schemaWith, wsdlWith } from '../wsdl/written.js';

/**
 * Parts of a WSDL that are attachments: arguments and fields (WSDL 1.1 section 5, SOAP Messages
 * with Attachments).
 */

const multipart = (body: string, ...parts: readonly (readonly [string, string])[]): string =>
  `<mime:multipartRelated><mime:part>${body}</mime:part>${parts
    .map(([name, type]) => `<mime:part><mime:content part="${name}" type="${type}"/></mime:part>`)
    .join('')}</mime:multipartRelated>`;
const bound = (name: string, style: string, input: string, output: string): string =>
  `<operation name="${name}"><soap:operation soapAction="urn:${name}" style="${style}"/>` +
  `<input>${input}</input><output>${output}</output></operation>`;
const LITERAL = '<soap:body use="literal"/>';
const RPC = '<soap:body use="literal" namespace="urn:t"/>';
const ENCODED =
  '<soap:body use="encoded" namespace="urn:t" ' +
  'encodingStyle="http://schemas.xmlsoap.org/soap/encoding/"/>';

const WSDL = wsdlWith({
  types: schemaWith(''),
  messages: `<message name="In"><part name="p" element="t:Get"/>\
<part name="photo" type="xs:base64Binary"/><part name="note" type="xs:string"/></message>
    <message name="Out"><part name="p" element="t:GetResponse"/>\
<part name="copy" type="xs:base64Binary"/><part name="log" type="xs:string"/></message>
    <message name="RpcIn"><part name="id" type="xs:int"/>\
<part name="photo" type="xs:base64Binary"/></message>
    <message name="RpcOut"><part name="id" type="xs:int"/>\
<part name="photo" type="xs:base64Binary"/></message>
    <message name="BareIn"/><message name="BareOut">\
<part name="photo" type="xs:base64Binary"/></message>`,
  portType: `<portType name="P"><operation name="Store"><input message="t:In"/>\
<output message="t:Out"/></operation>
    <operation name="Turn"><input message="t:RpcIn"/><output message="t:RpcOut"/></operation>
    <operation name="Spin"><input message="t:RpcIn"/><output message="t:RpcOut"/></operation>
    <operation name="Bare"><input message="t:BareIn"/><output message="t:BareOut"/>\
</operation></portType>`,
  binding: `<binding name="B" type="t:P"><soap:binding style="document" \
transport="http://schemas.xmlsoap.org/soap/http"/>
    ${bound('Store', 'document', multipart(LITERAL, ['photo', 'image/jpeg'], ['photo', 'image/png'], ['note', 'text/*']), multipart(LITERAL, ['copy', 'image/*'], ['log', 'text/plain']))}
    ${bound('Turn', 'rpc', multipart(RPC, ['photo', '*/*']), multipart(RPC, ['photo', '*/*']))}
    ${bound('Spin', 'rpc', multipart(ENCODED, ['photo', '*/*']), multipart(ENCODED, ['photo', '*/*']))}
    ${bound('Bare', 'document', LITERAL, multipart(LITERAL, ['photo', 'image/gif']))}</binding>`,
});

const PHOTO = Buffer.from(Array.from({ length: 70_000 }, (_, n) => (n * 31) & 0xff));
const STORED = envelope('<GetResponse xmlns="urn:t">here</GetResponse>');

interface Part {
  readonly id: string | null;
  readonly type?: string;
  readonly content: Buffer | string;
  readonly coding?: string;
}

const TYPE = 'multipart/related; boundary=b; type="text/xml"';

function packed(root: string, parts: readonly Part[]): Buffer {
  return Buffer.concat([
    Buffer.from(
      `--b\r\nContent-Type: text/xml; charset=utf-8\r\nContent-ID: <root>\r\n\r\n${root}`,
    ),
    ...parts.flatMap(({ id, type = 'image/png', content, coding = 'binary' }) => [
      Buffer.from(
        `\r\n--b\r\nContent-Type: ${type}\r\nContent-Transfer-Encoding: ${coding}\r\n` +
          `${id === null ? '' : `Content-ID: <${id}>\r\n`}\r\n`,
      ),
      Buffer.from(content),
    ]),
    Buffer.from('\r\n--b--\r\n'),
  ]);
}

async function startDesk(t: Test, keys = '', more = '') {
  const folder = await useFolder(t, { 'a.wsdl': WSDL });
  const yaml = (url: string): string =>
    `services: { a: { wsdl: a.wsdl, url: "${url}/a"${keys} } }\n${more}`;
  return useService(t, answerWith(STORED), yaml, folder);
}

/** The parts of a message, by the rules of RFC 2046: head and content of each. */
function unpack({
  headers,
  body,
}: RecordedMessage): readonly { readonly head: string; readonly content: Buffer }[] {
  const type = String(headers['content-type']);
  const boundary = /boundary="([^"]+)"/.exec(type)?.[1] ?? '';
  const text = body.toString('latin1');
  t.ok(text.endsWith(`\r\n--${boundary}--\r\n`));
  return text
    .slice(0, -`\r\n--${boundary}--\r\n`.length)
    .split(new RegExp(`(?:^|\r\n)--${boundary}\r\n`))
    .slice(1)
    .map((part) => {
      const end = part.indexOf('\r\n\r\n');
      return { head: part.slice(0, end), content: Buffer.from(part.slice(end + 4), 'latin1') };
    });
}

const STORE =
  'mutation ($photo: Base64!, $note: Base64!) { store(id: 1, photo: $photo, note: ' +
  '$note) { result copy log } }';
const GIVEN = { photo: PHOTO.toString('base64'), note: Buffer.from('é').toString('base64') };

t.test(
  'arguments that are attachments are parts of the message, behind its envelope',
  async (t) => {
    const { backend, ask } = await startDesk(t);
    t.match(await ask(STORE, GIVEN), {
      data: { store: { result: 'here', copy: null, log: null } },
    });
    const [message] = backend.complete;
    if (message === undefined) return void t.fail('no message');
    const type = String(message.headers['content-type']);
    t.equal(readMediaType(type)?.name, 'multipart/related');
    t.match(type, /type="text\/xml"/);
    t.match(message.headers, { soapaction: '"urn:Store"', accept: 'text/xml, multipart/related' });
    const [root, photo, note, ...others] = unpack(message);
    t.equal(others.length, 0);
    const start = /start="(<[^"]+>)"/.exec(type)?.[1] ?? '-';
    t.ok(root?.head.includes(`Content-ID: ${start}`));
    t.match(root?.head, 'Content-Type: text/xml; charset=utf-8');
    t.match(String(root?.content), /<\?xml.*<(\w+:)?Get[ >].*<\/(\w+:)?Envelope>$/s);
    t.notMatch(String(root?.content), /photo|note/);
    t.match(
      photo?.head,
      /Content-Type: image\/jpeg\r\n.*Content-ID: <photo=[0-9a-f-]{36}@soapstone>/s,
    );
    t.same(photo?.content, PHOTO);
    t.match(note?.head, /Content-Type: application\/octet-stream\r\n.*Content-ID: <note=/s);
    t.equal(String(note?.content), 'é');

    t.match(await ask(STORE, { ...GIVEN, note: '#' }), errorWith('BAD_USER_INPUT'));
    t.equal(backend.complete.length, 1);
  },
);

t.test('attachments of a reply are fields, by their Content-ID', async (t) => {
  const { backend, ask } = await startDesk(t);
  const log = {
    id: 'log=1@h',
    type: 'text/plain; charset=utf-8',
    content: 'bGluZQ==\r\n',
    coding: 'base64',
  };
  const stray = { id: '77@h', content: 'stray' };
  backend.answer = answerWith(
    packed(STORED, [stray, log, { id: 'copy=2@h', content: PHOTO }]),
    TYPE,
  );
  const LINE = Buffer.from('line').toString('base64');
  t.match(await ask(STORE, GIVEN), {
    data: { store: { result: 'here', copy: GIVEN.photo, log: LINE } },
  });
  t.match(await ask(STORE.replace('result copy log', 'a: log b: log'), GIVEN), {
    data: { store: { a: LINE, b: LINE } },
  });
  const quoted = {
    id: 'log=1@h',
    type: 'text/plain',
    content: 'a=C3=A9 =3D=\r\nb=x',
    coding: 'quoted-printable',
  };
  backend.answer = answerWith(packed(STORED, [quoted]), TYPE);
  t.match(await ask(STORE, GIVEN), {
    data: { store: { log: Buffer.from('aé =b=x').toString('base64'), copy: null } },
  });
});

t.test('attachments without such names are taken in their order, by media type', async (t) => {
  const { backend, ask } = await startDesk(t);
  const one = { id: null, type: 'text/plain', content: 'one' };
  const two = { id: '4AC0@axis', type: 'image/gif', content: 'two' };
  const three = { id: '4AC1@axis', type: 'image/gif', content: 'three' };
  backend.answer = answerWith(packed(STORED, [one, two, three]), TYPE);
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  t.match(await ask(STORE, GIVEN), {
    data: { store: { copy: base64('two'), log: base64('one') } },
  });
  backend.answer = answerWith(packed(STORED, [{ ...two, type: 'audio/midi' }]), TYPE);
  t.match(
    await ask(STORE, GIVEN),
    { data: { store: { copy: null, log: null } } },
    'another media type is another part',
  );
});

t.test('parts of rpc style, and a reply of nothing but an attachment', async (t) => {
  const { backend, ask } = await startDesk(t);
  const turned = envelope('<m:TurnResponse xmlns:m="urn:t"><id>5</id></m:TurnResponse>');
  backend.answer = answerWith(packed(turned, [{ id: 'photo=1@h', content: 'x' }]), TYPE);
  t.match(await ask('mutation { turn(id: 4, photo: "QUJD") { result photo } }'), {
    data: { turn: { result: 5, photo: 'eA==' } },
  });
  const [message] = backend.complete;
  const [root, photo] = message === undefined ? [] : unpack(message);
  t.match(String(root?.content), /Turn[^>]*><id>4<\/id><\/\w+:Turn>/);
  t.equal(String(photo?.content), 'ABC');
  backend.answer = answerWith(packed(envelope(''), [{ id: 'photo=1@h', content: 'x' }]), TYPE);
  t.match(await ask('mutation { bare { photo } }'), { data: { bare: { photo: 'eA==' } } });
  backend.answer = answerWith(packed(envelope(faultOf('s:Server')), []), TYPE, 500);
  t.match(await ask('mutation { bare { photo } }'), errorWith('SOAP_FAULT'));
});

t.test('parts beside a message by the SOAP encoding', async (t) => {
  const { backend, ask } = await startDesk(t, '', 'limits: { codec: { attachmentBytes: 10 } }\n');
  const spun = envelope(
    '<m:SpinResponse xmlns:m="urn:t"><id href="#i"/></m:SpinResponse>' +
      '<m:i xmlns:m="urn:t" id="i">5</m:i>',
  );
  backend.answer = answerWith(packed(spun, [{ id: 'photo=1@h', content: 'x' }]), TYPE);
  const query = 'mutation { spin(id: 4, photo: "QUJD") { result photo } }';
  t.same(await ask(query), { data: { spin: { result: 5, photo: 'eA==' } } });
  backend.answer = answerWith(packed(spun, [{ id: 'photo=1@h', content: 'x'.repeat(11) }]), TYPE);
  t.match(await ask(query), errorWith('UPSTREAM_RESPONSE_LIMIT'));
  t.same(
    await ask(query.replace(' photo }', ' }')),
    { data: { spin: { result: 5 } } },
    'not selected',
  );
  backend.answer = answerWith(
    packed(spun.replace('#i', '#j'), [{ id: 'photo=1@h', content: 'x' }]),
    TYPE,
  );
  t.match(await ask(query), {
    data: { spin: { result: null, photo: 'eA==' } },
    errors: [{ path: ['spin', 'result'] }],
  });
});

t.test('attachments are bounded, and those that are not selected do not count', async (t) => {
  const { backend, ask } = await startDesk(t, '', 'limits: { codec: { attachmentBytes: 1000 } }\n');
  const parts = [{ id: 'copy=1@h', content: Buffer.alloc(1001) }];
  const small = { photo: 'QQ==', note: 'QQ==' };
  backend.answer = answerWith(packed(STORED, parts), TYPE);
  t.match(await ask(STORE, small), errorWith('UPSTREAM_RESPONSE_LIMIT'));
  t.match(await ask(STORE.replace('copy log', 'log'), small), {
    data: { store: { result: 'here', log: null } },
  });
  backend.answer = answerWith(
    packed(STORED, [{ id: 'copy=1@h', content: Buffer.alloc(1000) }]),
    TYPE,
  );
  t.match(await ask(STORE, small), { data: { store: { result: 'here' } } });
});

t.test(
  'header blocks of the gateway stand in the envelope of the package, in SOAP 1.2 too',
  async (t) => {
    const { backend, ask } = await startDesk(
      t,
      ', versions: ["1.2"], security: { make: { usernameToken: { username: u, password: p } } }',
    );
    backend.answer = answerWith(STORED.replaceAll(SOAP_11, SOAP_12), 'application/soap+xml');
    t.match(await ask(STORE, GIVEN), { data: { store: { result: 'here' } } });
    const [message] = backend.complete;
    if (message === undefined) return void t.fail('no message');
    t.match(message.headers['content-type'], 'type="application/soap+xml"');
    t.equal(message.headers['soapaction'], undefined);
    const [root, photo] = unpack(message);
    t.match(root?.head, /Content-Type: application\/soap\+xml; charset=utf-8; action="urn:Store"/);
    t.match(String(root?.content), /Header( [^>]*)?><\w+:Security .*UsernameToken.*Header>/s);
    t.same(photo?.content, PHOTO);
  },
);
