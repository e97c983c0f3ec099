import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import t from 'tap';
import { errorWith } from '../kit/answers.js';
import { answerWith } from '../kit/backend.js';
import { useFolder, useService } from '../kit/use.js';
import {
  fileWsdl,
  includedIn,
  lastOf,
  readPackage,
  savedReply,
  startFileDesk,
} from './file-desk.js';

const LARGE = 'limits: { codec: { stringChars: 8000000 }, graphql: { bodyBytes: 8MiB } }';

t.test('with mtom binary arguments are parts of a package, byte for byte', async (t) => {
  const { ask, backend } = await startFileDesk(t, 'mtom: true', LARGE);
  for (const bytes of [
    Buffer.alloc(0),
    Buffer.from([0]),
    Buffer.from('\r\n--part_\r\n'),
    randomBytes(1_000_000),
  ]) {
    const query = 'mutation ($c: Base64) { save(name: "a", content: $c) }';
    t.same(await ask(query, { c: bytes.toString('base64') }), { data: { save: 7 } });
    const message = lastOf(backend);
    t.equal(message.headers['content-length'], String(message.body.length));
    t.equal(message.headers['soapaction'], '"urn:d/Save"');
    t.match(message.headers['accept'], /multipart\/related/);
    t.match(
      message.headers['content-type'],
      /^multipart\/related; type="application\/xop\+xml"; start-info="text\/xml"; start="<[^">]+>"; boundary="[^"]+"$/,
    );
    const [root] = readPackage(message);
    t.equal(
      root?.fields.get('content-type'),
      'application/xop+xml; charset=UTF-8; type="text/xml"',
    );
    t.match(message.headers['content-type'], `start="${root?.fields.get('content-id')}"`);
    t.match(
      root?.content.toString(),
      /^<s:Envelope .*<n1:name>a<\/n1:name>/,
      'no declaration, which spyne refuses',
    );
    const { content, type } = includedIn(message, 'content');
    t.ok(content.equals(bytes));
    t.equal(type, 'application/octet-stream');
  }
});

t.test('a package of SOAP 1.2 names its action', async (t) => {
  const { ask, backend } = await startFileDesk(t, 'mtom: true', '', '1.2');
  t.same(await ask('mutation { save(content: "AAEC") }'), { data: { save: 7 } });
  const message = lastOf(backend);
  t.match(message.headers['content-type'], 'start-info="application/soap+xml"');
  t.match(message.headers['content-type'], 'action="urn:d/Save"');
  t.equal(message.headers['soapaction'], undefined);
  t.match(
    readPackage(message)[0]?.fields.get('content-type'),
    'application/xop+xml; charset=UTF-8; type="application/soap+xml"; action="urn:d/Save"',
  );
  t.same(includedIn(message, 'content').content, Buffer.from([0, 1, 2]));
});

t.test('without mtom only what the schema declares as an Include is a part', async (t) => {
  const { ask, backend } = await startFileDesk(t, '');
  const query =
    'mutation { save(content: "AAEC", included: { value: "AQID", contentType: "image/png" }) }';
  t.same(await ask(query), { data: { save: 7 } });
  const message = lastOf(backend);
  const parts = readPackage(message);
  t.equal(parts.length, 2);
  t.match(parts[0]?.content.toString(), '<n1:content>AAEC</n1:content>');
  t.same(includedIn(message, 'included'), { content: Buffer.from([1, 2, 3]), type: 'image/png' });
  t.same(await ask('mutation { save(content: "AAEC") }'), { data: { save: 7 } });
  t.match(
    backend.complete[1]?.headers['content-type'],
    /^text\/xml/,
    'a message without an Include is no package',
  );
});

t.test(
  'several values are parts in the order of the envelope, and rules of their types hold',
  async (t) => {
    const { ask, backend } = await startFileDesk(t);
    const query =
      'mutation { save(many: ["AA==", "", "AQ=="], typed: { value: "Ag==", contentType: ' +
      '"text/plain" }, short: "AwM=") }';
    t.same(await ask(query), { data: { save: 7 } });
    const message = lastOf(backend);
    t.same(
      readPackage(message)
        .slice(1)
        .map(({ content }) => content.toString('hex')),
      ['02', '0303', '00', '', '01'],
    );
    t.equal(includedIn(message, 'typed').type, 'text/plain');
    for (const argument of ['short: "AAAAAAAA"', 'content: "A"', 'many: ["AA==", "?"]']) {
      t.match(await ask(`mutation { save(${argument}) }`), errorWith('BAD_USER_INPUT'));
    }
    t.equal(backend.complete.length, 1);
  },
);

t.test('header blocks of the gateway stand in the envelope of the package', async (t) => {
  const keys =
    'mtom: true, security: { make: { usernameToken: { username: u, password: p, type: text } } }';
  const { ask, backend } = await startFileDesk(t, keys);
  t.same(await ask('mutation { save(content: "AAEC") }'), { data: { save: 7 } });
  const message = lastOf(backend);
  t.match(readPackage(message)[0]?.content.toString(), /Header .*UsernameToken.*Header><s:Body>/s);
  t.same(includedIn(message, 'content').content, Buffer.from([0, 1, 2]));
});

t.test('replies in packages are read as before', async (t) => {
  const { ask, backend } = await startFileDesk(t);
  const root =
    '--b\r\nContent-Type: application/xop+xml; charset=UTF-8; type="text/xml"\r\n' +
    `Content-ID: <r@d>\r\n\r\n${savedReply(3)}\r\n--b--\r\n`;
  backend.answer = answerWith(
    root,
    'multipart/related; boundary=b; type="application/xop+xml"; ' +
      'start="<r@d>"; start-info="text/xml"',
  );
  t.same(await ask('mutation { save(content: "AAEC") }'), { data: { save: 3 } });
});

t.test('a policy of the WSDL that demands packages is kept, unless mtom is false', async (t) => {
  const assertion =
    '<m:OptimizedMimeSerialization ' +
    'xmlns:m="http://schemas.xmlsoap.org/ws/2004/09/policy/optimizedmimeserialization" ' +
    'OPTIONAL/>';
  const policyOf = (optional: string): string =>
    '<p:Policy xmlns:p="http://schemas.xmlsoap.org/ws/2004/09/policy">' +
    `${assertion.replace('OPTIONAL', optional)}</p:Policy>`;
  for (const [policy, keys, type] of [
    [policyOf(''), '', /^multipart\/related/],
    [policyOf(''), 'mtom: false', /^text\/xml/],
    [policyOf('p:Optional="true"'), '', /^text\/xml/],
  ] as const) {
    const folder = await useFolder(t, { 'files.wsdl': fileWsdl('1.1', policy) });
    const service = 'wsdl: files.wsdl, operations: { Save: { field: Mutation.save } }';
    const yaml = (url: string): string =>
      `services: { files: { ${service}, url: "${url}/f", ${keys} } }`;
    const { ask, backend } = await useService(t, answerWith(savedReply(7)), yaml, folder);
    t.same(await ask('mutation { save(content: "AAEC") }'), { data: { save: 7 } });
    t.match(backend.complete[0]?.headers['content-type'], type);
  }
});
