import { join } from 'node:path';
import t from 'tap';
import { WITH_OPENSSL } from '../kit/certificates.js';
import { makeDecryptionKeys } from '../kit/decryption-keys.js';
import { encryptBody, encryptThenSign } from '../kit/encrypted-message.js';
import {
  encryptAttachment,
  packageType,
  packed,
  SWA,
  withCiphersInParts,
  withSecurity,
} from '../kit/encrypted-package.js';
import { flipped } from '../kit/encryption-failures.js';
import { envelope } from '../kit/envelope.js';
import {
  bodyOf,
  messageOf,
  securityOf,
  signatureOf,
  signedMessage,
  tokenOf,
} from '../kit/signed-message.js';
import { useVerifyingDesk } from '../kit/verifying-desk.js';

/** Encrypted messages that are packages of parts. */

const CONTENT = '<Pay xmlns="urn:desk"><sum>10</sum></Pay>';
const REQUIRED = ', required: [Body]';
const XOP = 'application/xop+xml';
const PDF = Buffer.from([0x25, 0x50, 0x44, 0x46, 0, 0xff, 13, 10, 1]);

t.test('CipherValues in parts of a package are read', WITH_OPENSSL, async (t) => {
  const keys = makeDecryptionKeys(t);
  const desk = await useVerifyingDesk(t, keys.decrypt(REQUIRED));
  const long = `<Pay xmlns="urn:desk">${'<sum>10</sum>'.repeat(20_000)}</Pay>`;
  for (const [content, connections] of [
    [CONTENT, ['keyInfo', 'list', 'inside']],
    [long, ['keyInfo']],
  ] as const) {
    for (const connection of connections) {
      const encrypted = encryptBody(envelope(content), keys.own, { connection });
      const { message, parts } = withCiphersInParts(encrypted);
      t.equal(parts.length, 2, 'its key and its content');
      t.equal(await desk.send(packed(message, parts, XOP), packageType(XOP)), null, connection);
      const { body, headers } = desk.received.at(-1) ?? {};
      t.match(String(headers?.['content-type']), 'boundary=b', 'it is a package as before');
      t.ok(String(body).includes(`<s:Body>${content}</s:Body>`));
      t.notMatch(String(body), /Encrypted|Include|cipher-/);
      t.match(String(body), /<\/s:Envelope>\r\n--b--\r\n$/, 'the parts are gone');
      const received = desk.received.length;
      for (const index of [0, 1]) {
        const wrong = withCiphersInParts(encrypted, (bytes, at) =>
          at === index ? flipped(-1)(bytes) : bytes,
        );
        const answer = desk.send(packed(wrong.message, wrong.parts, XOP), packageType(XOP));
        t.equal(await answer, 'wsse:FailedCheck', 'altered');
      }
      const missing = packed(message, parts.slice(0, 1), XOP);
      t.equal(await desk.send(missing, packageType(XOP)), 'wsse:InvalidSecurity', 'missing');
      t.equal(desk.received.length, received);
    }
  }
});

t.test('a package whose root holds what is encrypted', WITH_OPENSSL, async (t) => {
  const keys = makeDecryptionKeys(t);
  const desk = await useVerifyingDesk(t, keys.decrypt(REQUIRED));
  const part = { id: 'a@desk', type: 'application/pdf', content: PDF };
  const encrypted = encryptBody(envelope(CONTENT), keys.own);
  t.equal(await desk.send(packed(encrypted, [part]), packageType('text/xml')), null);
  const body = desk.received.at(-1)?.body ?? Buffer.alloc(0);
  const rest = packed('', [part]).subarray(packed('', []).indexOf('\r\n--b--'));
  t.ok(body.includes(rest), 'its other parts stay');
  const included = envelope(
    CONTENT.replace(
      '10',
      '<xop:Include xmlns:xop="http://www.w3.org/2004/08/xop/include" href="cid:a%40desk"/>',
    ),
  );
  const mtom = packed(encryptBody(included, keys.own), [part], XOP);
  t.equal(await desk.send(mtom, packageType(XOP)), null, 'an Include within what is encrypted');
  const plain = packed(envelope(CONTENT), [part]);
  t.equal(await desk.send(plain, packageType('text/xml')), 'wsse:InvalidSecurity', 'required');
  const open = await useVerifyingDesk(t, keys.decrypt());
  const large = { ...part, content: Buffer.alloc(3_000_000, 7) };
  for (const each of [part, large]) {
    const message = packed(envelope(CONTENT), [each]);
    t.equal(await open.send(message, packageType('text/xml')), null);
    t.ok(open.received.at(-1)?.body.equals(message), 'a plain package goes on as it is');
  }
});

t.test('attachments are decrypted', WITH_OPENSSL, async (t) => {
  const keys = makeDecryptionKeys(t);
  const desk = await useVerifyingDesk(t, keys.decrypt());
  const TYPE = packageType('text/xml');
  const other = { id: 'other@desk', type: 'image/png', content: Buffer.from('png') };
  for (const form of ['Content-Only', 'Complete'] as const) {
    for (const content of [PDF, Buffer.alloc(200_000, 'x'), Buffer.alloc(0)]) {
      const { security, part } = encryptAttachment(keys.own, 'a@desk', content, { form });
      const message = packed(withSecurity(CONTENT, security), [part, other]);
      t.equal(await desk.send(message, TYPE), null, `${form} ${content.length}`);
      const text = desk.received.at(-1)?.body.toString('latin1') ?? '';
      t.notMatch(text, /Encrypted|CipherReference|wsse:Security/);
      const [, head = '', got = ''] =
        /--b\r\n((?:(?!\r\n\r\n).)*a@desk.*?)\r\n\r\n(.*?)\r\n--b/s.exec(
          text.slice(text.indexOf('</s:Envelope>')),
        ) ?? [];
      t.ok(got === content.toString('latin1'), 'its content is back');
      t.match(head, /^Content-Type: application\/pdf$/m, 'and its media type');
      t.match(text, '\r\n\r\npng\r\n--b--', 'the others stay');
      const received = desk.received.length;
      const altered = encryptAttachment(keys.own, 'a@desk', content, { form, alter: flipped(-1) });
      const wrong = packed(withSecurity(CONTENT, altered.security), [altered.part, other]);
      t.equal(await desk.send(wrong, TYPE), 'wsse:FailedCheck', 'altered');
      t.equal(desk.received.length, received);
    }
  }
});

t.test('parts that no attachment may become', WITH_OPENSSL, async (t) => {
  const keys = makeDecryptionKeys(t);
  const desk = await useVerifyingDesk(t, keys.decrypt());
  const TYPE = packageType('text/xml');
  const send = (content: string, options: Parameters<typeof encryptAttachment>[3] = {}) => {
    const { security, part } = encryptAttachment(keys.own, 'a@desk', Buffer.from(content), options);
    return desk.send(packed(withSecurity(CONTENT, security), [part]), TYPE);
  };
  const boundary = 'x\r\n--b\r\nContent-Type: text/xml\r\nContent-ID: <evil>\r\n\r\nevil';
  t.equal(await send(boundary), 'wsse:FailedCheck', 'content that begins another part');
  t.equal(await send('x', { mediaType: 'multipart/related; boundary=c' }), 'MTOM_STRUCTURE');
  t.equal(await send('x', { url: 'cid:none' }), 'wsse:InvalidSecurity', 'a part that is missing');
  t.equal(await send('x', { url: 'http://elsewhere/' }), 'wsse:InvalidSecurity');
  const lines = { form: 'Complete', mediaType: 'text/plain\r\nContent-ID: <evil>' } as const;
  await send('x', lines);
  t.notMatch(String(desk.received.at(-1)?.body), 'evil', 'a header of its own');
  const { security, part } = encryptAttachment(keys.own, 'a@desk', PDF);
  const twice = packed(
    withSecurity(CONTENT, security + security.replace(/^.*?<\/xenc:EncryptedKey>/s, '')),
    [part],
  );
  t.equal(await desk.send(twice, TYPE), 'wsse:FailedCheck', 'decrypted twice');
  const other = security.replace(`${SWA}Attachment-Ciphertext-Transform`, 'urn:other');
  t.equal(
    await desk.send(packed(withSecurity(CONTENT, other), [part]), TYPE),
    'wsse:UnsupportedAlgorithm',
  );
  const alone = withSecurity(CONTENT, security);
  t.equal(await desk.send(alone), 'wsse:InvalidSecurity', 'a message that is no package');
});

/** The Reference of a signature to the content of an attachment. */
const referenceTo = (id: string, text: string | Buffer) => ({
  uri: `cid:${id}`,
  text,
  transforms:
    '<ds:Transforms><ds:Transform Algorithm="' +
    `${SWA}Attachment-Content-Signature-Transform"></ds:Transform></ds:Transforms>`,
});

t.test('attachments that were signed, then encrypted', WITH_OPENSSL, async (t) => {
  const keys = makeDecryptionKeys(t);
  const signature = `signature:
  authorities: { file: ${join(keys.folder, 'ca.pem')} }
  required: [Body, attachments]`;
  const desk = await useVerifyingDesk(t, `${keys.decrypt()}\n${signature}`);
  const TYPE = packageType('text/xml');
  const signedWith = (text: string, security: string): string => {
    const body = bodyOf(CONTENT);
    const made = signatureOf(keys.client, [
      { uri: '#body', text: body },
      referenceTo('a@desk', text),
    ]);
    return messageOf(securityOf([security, tokenOf(keys.client), made]), body);
  };
  const { security, part } = encryptAttachment(keys.own, 'a@desk', Buffer.from('signed'));
  t.equal(await desk.send(packed(signedWith('signed', security), [part]), TYPE), null);
  t.match(String(desk.received.at(-1)?.body), '\r\n\r\nsigned\r\n--b--');
  const other = packed(signedWith('Signed', security), [part]);
  t.equal(await desk.send(other, TYPE), 'wsse:FailedCheck', 'another one was signed');
  t.equal(desk.received.length, 1);
});

t.test('attachments that were encrypted, then signed', WITH_OPENSSL, async (t) => {
  const keys = makeDecryptionKeys(t);
  const signature = `signature:
  authorities: { file: ${join(keys.folder, 'ca.pem')} }
  required: [Body, attachments]`;
  const desk = await useVerifyingDesk(t, `${keys.decrypt()}\n${signature}`);
  const TYPE = packageType('text/xml');
  const secret = encryptAttachment(keys.own, 'a@desk', Buffer.from('secret'));
  const plain = { id: 'b@desk', type: 'image/png', content: Buffer.from('png') };
  /** Signs Body and these parts, in front of what was encrypted. */
  const signed = (security: string, parts: readonly { id: string; content: Buffer }[]): string => {
    const body = bodyOf(CONTENT);
    const made = signatureOf(keys.client, [
      { uri: '#body', text: body },
      ...parts.map(({ id, content }) => referenceTo(id, content)),
    ]);
    return messageOf(securityOf([tokenOf(keys.client), made, security]), body);
  };
  const other = { ...secret.part, content: Buffer.from('other') };
  const whole = encryptThenSign(
    CONTENT,
    keys.own,
    (content) => signedMessage(keys.client, content).message,
  );
  for (const [why, message, parts, fault] of [
    ['one', signed(secret.security, [secret.part]), [secret.part], null],
    ['beside another', signed(secret.security, [secret.part, plain]), [secret.part, plain], null],
    ['as it was', signed(secret.security, [other]), [secret.part], 'wsse:FailedCheck'],
    ['unsigned', signed(secret.security, []), [secret.part], 'wsse:InvalidSecurity'],
    ['the other', signed(secret.security, [plain]), [secret.part, plain], 'wsse:InvalidSecurity'],
    [
      'missing',
      signed(secret.security, [secret.part, plain]),
      [secret.part],
      'wsse:InvalidSecurity',
    ],
    ['beside an encrypted Body', whole, [plain], 'wsse:InvalidSecurity'],
  ] as const) {
    const received = desk.received.length;
    t.equal(await desk.send(packed(message, parts), TYPE), fault, why);
    t.equal(desk.received.length, received + (fault === null ? 1 : 0), why);
    if (fault === null) t.match(String(desk.received.at(-1)?.body), '\r\n\r\nsecret\r\n--b');
  }
});

t.test('CipherValues in parts whose base64 was signed', WITH_OPENSSL, async (t) => {
  const keys = makeDecryptionKeys(t);
  const signature = `signature:
  authorities: { file: ${join(keys.folder, 'ca.pem')} }
  required: [Body]`;
  const desk = await useVerifyingDesk(t, `${keys.decrypt(REQUIRED)}\n${signature}`);
  const sign = (content: string): string => signedMessage(keys.client, content).message;
  const signed = encryptBody(sign(CONTENT), keys.own);
  for (const whole of [signed, encryptThenSign(CONTENT, keys.own, sign)]) {
    const { message, parts } = withCiphersInParts(whole);
    t.equal(await desk.send(packed(message, parts, XOP), packageType(XOP)), null);
    t.ok(String(desk.received.at(-1)?.body).includes(`>${CONTENT}</s:Body>`));
  }
  t.equal(desk.received.length, 2);
});
