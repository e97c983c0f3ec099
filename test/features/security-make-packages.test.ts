import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { SignedXml } from 'xml-crypto';
import type { RecordedMessage } from '../kit/backend.js';
import { makeKeys, WITH_OPENSSL } from '../kit/certificates.js';
import { envelope, postSoap } from '../kit/envelope.js';
import { post, sendRaw } from '../kit/raw-client.js';
import { FORM_TYPE, uploadForm } from '../kit/upload-form.js';
import { useGateway } from '../kit/use.js';
import { includedIn, lastOf, readPackage, startFileDesk } from './file-desk.js';

const LARGE = 'limits: { codec: { stringChars: 8000000 }, graphql: { bodyBytes: 8MiB } }';
const CLIENTS =
  'clients: { classes: { own: {} }, networks: { here: { addresses: ' +
  '[127.0.0.1/32], class: own } } }';

/** A desk for files whose calls are signed, and a gateway that verifies what its backend got. */
async function start(t: Test, keys: string, more = LARGE) {
  const { folder, identity } = makeKeys(t, '/O=Bank/CN=gateway');
  const [cert, key] = [join(folder, 'c.pem'), join(folder, 'k.pem')];
  const signature = `cert: { file: ${cert} }, key: { file: ${key} }`;
  const desk = await startFileDesk(
    t,
    `security: { make: { timestamp: true, replace: true, signature: { ${signature} } } }, ${keys}`,
    `${more}\n${CLIENTS}`,
  );
  const verifier = await useGateway(
    t,
    `services:
  passed:
    url: ${desk.backend.url}/passed
    security:
      verify:
        timestamp: { required: true }
        signature: { authorities: { file: ${join(folder, 'ca.pem')} }, subjects: ["CN=gateway"], \
required: [Body, Timestamp] }
`,
  );
  return {
    ...desk,
    /** Whether a message, which may have been changed, is verified. */
    async verifies({ headers }: RecordedMessage, body: Buffer): Promise<string> {
      const fields = { 'content-type': String(headers['content-type']), soapaction: '""' };
      const answer = await postSoap(`${verifier.url}/soap/passed`, body, fields);
      const [, code = ''] = /<error [^>]*code="([^"]*)"/.exec(await answer.text()) ?? [];
      return code;
    },
    /**
     * Whether xml-crypto verifies the envelope with the base64 of the parts in place of their
     * Includes.
     */
    isTakenByXmlCrypto(message: RecordedMessage): boolean {
      const text = expanded(message);
      const [found = ''] = /<ds:Signature .*<\/ds:Signature>/s.exec(text) ?? [];
      const signed = new SignedXml({ publicCert: identity.cert, idMode: 'wssecurity' });
      signed.loadSignature(found);
      return signed.checkSignature(text);
    },
  };
}

function expanded(message: RecordedMessage): string {
  const [root, ...parts] = readPackage(message);
  return String(root?.content).replace(/<xop:Include href="cid:([^"]+)"\/>/g, (_, id: string) => {
    const part = parts.find(({ fields }) => fields.get('content-id') === `<${id}>`);
    return part?.content.toString('base64') ?? '';
  });
}

const SAVE = 'mutation ($c: Base64) { save(name: "a & é", content: $c) }';

t.test(
  'the signature of a package covers the parts that Body includes',
  WITH_OPENSSL,
  async (t) => {
    const desk = await start(t, 'mtom: true');
    for (const length of [0, 1, 2, 3, 49_151, 49_152, 49_153, 1_000_000]) {
      const content = randomBytes(length);
      t.same(await desk.ask(SAVE, { c: content.toString('base64') }), { data: { save: 7 } });
      const message = lastOf(desk.backend);
      t.equal(message.headers['content-length'], String(message.body.length));
      t.ok(includedIn(message, 'content').content.equals(content), `${length} bytes`);
      t.ok(desk.isTakenByXmlCrypto(message), `${length} bytes: xml-crypto`);
      t.equal(await desk.verifies(message, message.body), '', `${length} bytes`);
    }
  },
);

t.test('a package that was changed on its way is not verified', WITH_OPENSSL, async (t) => {
  const desk = await start(t, 'mtom: true');
  const variables = { c: Buffer.from('content').toString('base64') };
  const query =
    'mutation ($c: Base64) { save(name: "a", content: $c, many: ["AAEC", "AwQF"], typed: ' +
    '{ value: "BgcI", contentType: "image/png" }) }';
  t.same(await desk.ask(query, variables), { data: { save: 7 } });
  const message = lastOf(desk.backend);
  t.equal(readPackage(message).length, 5);
  t.ok(desk.isTakenByXmlCrypto(message));
  t.equal(await desk.verifies(message, message.body), '');
  const text = message.body.toString('latin1');
  const ids = [...text.matchAll(/href="cid:([^"]+)"/g)].map(([, id = '']) => id);
  const [first = '', second = ''] = ids;
  for (const [name, changed] of [
    ['the content', text.replace('\r\n\r\ncontent\r\n', '\r\n\r\nconTent\r\n')],
    ['a longer part', text.replace('\r\n\r\ncontent\r\n', '\r\n\r\ncontent!\r\n')],
    ['a text', text.replace('name>a<', 'name>b<')],
    [
      'exchanged parts',
      text
        .replace(`cid:${first}`, 'cid:?')
        .replace(`cid:${second}`, `cid:${first}`)
        .replace('cid:?', `cid:${second}`),
    ],
  ] as const) {
    t.not(changed, text, name);
    t.match(await desk.verifies(message, Buffer.from(changed, 'latin1')), 'FailedCheck', name);
  }
});

t.test('without mtom the content is signed where the schema puts it', WITH_OPENSSL, async (t) => {
  const desk = await start(t, '');
  const included =
    'mutation { save(content: "AAEC", included: { value: "AQID", contentType: "image/png" }) }';
  t.same(await desk.ask(included), { data: { save: 7 } });
  const message = lastOf(desk.backend);
  t.match(readPackage(message)[0]?.content.toString(), '<n1:content>AAEC</n1:content>');
  t.same(includedIn(message, 'included').content, Buffer.from([1, 2, 3]));
  t.ok(desk.isTakenByXmlCrypto(message));
  t.equal(await desk.verifies(message, message.body), '');
  t.same(await desk.ask('mutation { save(content: "AAEC") }'), { data: { save: 7 } });
  const plain = lastOf(desk.backend);
  t.match(plain.headers['content-type'], /^text\/xml/, 'no package');
  t.equal(await desk.verifies(plain, plain.body), '');
});

for (const keys of ['mtom: true', '']) {
  t.test(`files are collected to be signed: ${keys || 'as base64'}`, WITH_OPENSSL, async (t) => {
    const desk = await start(t, keys, 'limits: { soap: { bufferBytes: 400000 } }');
    const upload = async (content: Buffer) => {
      const form = uploadForm('mutation ($content: Base64) { save(content: $content) }', {
        content,
      });
      const head = { 'apollo-require-preflight': 'true' };
      return (await sendRaw(desk.gateway.url, post('/graphql', FORM_TYPE, form, head))).body;
    };
    const file = randomBytes(200_000);
    t.match(await upload(file), '{"data":{"save":7}');
    const message = lastOf(desk.backend);
    t.equal(message.headers['content-length'], String(message.body.length));
    t.equal(await desk.verifies(message, message.body), '');
    t.match(await upload(randomBytes(500_000)), 'HTTP_TOO_LARGE', 'within the limit of that');
  });
}

/** A package of a SOAP caller, in the envelope of whose Body `id` is included. */
function packed(body: string, content: string, type: string, head = ''): Buffer {
  const part =
    `--b\r\nContent-Type: application/octet-stream\r\n${head}Content-ID: <p@c>\r\n\r\n` +
    `${content}\r\n--b--\r\n`;
  return Buffer.from(
    `--b\r\nContent-Type: ${type}\r\nContent-ID: <root>\r\n\r\n${envelope(body)}\r\n${part}`,
  );
}

const XOP_ROOT = 'application/xop+xml; charset=UTF-8; type="text/xml"';
const SAVED = (content: string): string =>
  `<Save xmlns="urn:d"><content>${content}</content></Save>`;
const INCLUDE = '<x:Include xmlns:x="http://www.w3.org/2004/08/xop/include" href="cid:p%40c"/>';

t.test('the package of a SOAP caller is signed anew', WITH_OPENSSL, async (t) => {
  const desk = await start(t, 'mtom: true');
  const send = async (body: Buffer, root: string) => {
    const type = `multipart/related; boundary=b; type="${root}"; start="<root>"`;
    const fields = {
      'content-type': root === 'text/xml' ? type : `${type}; start-info="text/xml"`,
      soapaction: '"urn:d/Save"',
    };
    return (await postSoap(`${desk.gateway.url}/soap/files`, body, fields)).text();
  };
  const xop = 'application/xop+xml';
  t.match(await send(packed(SAVED(INCLUDE), 'scan', XOP_ROOT), xop), '<size>7</size>');
  const message = lastOf(desk.backend);
  t.equal(await desk.verifies(message, message.body), '');
  const changed = Buffer.from(message.body.toString('latin1').replace('scan', 'sCan'), 'latin1');
  t.match(await desk.verifies(message, changed), 'FailedCheck');
  const sent = desk.backend.complete.length;
  const encoded = 'Content-Transfer-Encoding: base64\r\n';
  for (const [name, body, root] of [
    ['an encoded part', packed(SAVED(INCLUDE), 'c2Nhbg==', XOP_ROOT, encoded), xop],
    ['attachments', packed(SAVED('AAEC'), 'scan', 'text/xml'), 'text/xml'],
  ] as const)
    t.match(await send(body, root), 'UnsupportedAlgorithm', name);
  t.equal(desk.backend.complete.length, sent);
});
