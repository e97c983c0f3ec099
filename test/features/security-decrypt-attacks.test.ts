import { join } from 'node:path';
import t from 'tap';
import { WITH_OPENSSL } from '../kit/certificates.js';
import { type DecryptionKeys, makeDecryptionKeys } from '../kit/decryption-keys.js';
import { dataOf, encryptPiece, encryptThenSign, WSSE11 } from '../kit/encrypted-message.js';
import { envelope, SOAP_11 } from '../kit/envelope.js';
import { securityOf, signedMessage, timestampOf, userToken } from '../kit/signed-message.js';
import { useVerifyingDesk } from '../kit/verifying-desk.js';

/** Encrypted parts that an attacker adds to a message, or writes for it. */

const CONTENT = '<Pay xmlns="urn:desk"><sum>10</sum></Pay>';
const EVIL = '<Pay xmlns="urn:desk"><sum>666</sum></Pay>';

const signature = (keys: DecryptionKeys): string => `signature:
  authorities: { file: ${join(keys.folder, 'ca.pem')} }
  required: [Body, Timestamp]`;

/** A message that was encrypted, then signed by the client. */
const captured = (keys: DecryptionKeys): string =>
  encryptThenSign(CONTENT, keys.own, (content) => signedMessage(keys.client, content).message);

t.test('a decrypted header block cannot replace a signed Body', WITH_OPENSSL, async (t) => {
  const keys = makeDecryptionKeys(t);
  const desk = await useVerifyingDesk(t, `${keys.decrypt()}\n${signature(keys)}`);
  t.equal(await desk.send(captured(keys)), null);
  for (const plaintext of [
    `</s:Header><s:Body>${EVIL}</s:Body><!--`,
    `<a/></s:Header><s:Body>${EVIL}</s:Body></s:Envelope><!--`,
  ]) {
    const { key, data } = encryptPiece(keys.own, plaintext, 'x');
    for (const [first, last] of [
      [`${key}</wsse:Security>${data}</s:Header>`, '</s:Body>--></s:Envelope>'],
      [`${key}</wsse:Security>${data}</s:Header>`, '</s:Body></s:Envelope><!-- -->'],
      [`${key}</wsse:Security>${data}--></s:Header>`, '</s:Body></s:Envelope>'],
    ] as const) {
      const message = captured(keys)
        .replace('</wsse:Security></s:Header>', first)
        .replace('</s:Body></s:Envelope>', last);
      t.not(await desk.send(message), null, plaintext);
    }
  }
  t.equal(desk.received.length, 1);
  const text = captured(keys).replace('</s:Body></s:Envelope>', '</s:Body>--></s:Envelope>');
  t.equal(await desk.send(text), 'wsse:InvalidSecurity', 'text behind Body');
});

t.test(
  'tokens and blocks that are not signed do not come in encrypted',
  WITH_OPENSSL,
  async (t) => {
    const keys = makeDecryptionKeys(t);
    const desk = await useVerifyingDesk(t, `${keys.decrypt()}\n${signature(keys)}`);
    const token = userToken('root', 'secret');
    const assertion = '<Assertion xmlns="urn:oasis:names:tc:SAML:2.0:assertion" ID="a"/>';
    for (const plaintext of [token, assertion]) {
      const { key, data } = encryptPiece(keys.own, plaintext, 'x');
      const inSecurity = captured(keys).replace(
        '</wsse:Security>',
        `${key}${data}</wsse:Security>`,
      );
      t.equal(await desk.send(inSecurity), 'wsse:UnsupportedAlgorithm', 'in the Security block');
    }
    for (const plaintext of [securityOf([token]), '<a xmlns="urn:a"/>']) {
      const { key, data } = encryptPiece(keys.own, plaintext, 'x');
      const block = captured(keys).replace(
        '</wsse:Security></s:Header>',
        `${key}</wsse:Security>${data}</s:Header>`,
      );
      t.equal(await desk.send(block), 'wsse:InvalidSecurity', 'a header block');
    }
    t.equal(desk.received.length, 0);
  },
);

t.test('an encrypted header block that the signature covers comes in', WITH_OPENSSL, async (t) => {
  const keys = makeDecryptionKeys(t);
  const desk = await useVerifyingDesk(t, `${keys.decrypt()}\n${signature(keys)}`);
  for (const [plaintext, expected] of [
    ['<a xmlns="urn:a"/>', null],
    [securityOf([userToken('root', 'secret')]), 'wsse:FailedCheck'],
  ] as const) {
    const { key, data } = encryptPiece(keys.own, plaintext, 'x');
    const parts = [{ uri: '#ED-x', text: data }];
    const { message } = signedMessage(keys.client, CONTENT, { parts });
    const whole = message.replace('</wsse:Security>', `${key}</wsse:Security>${data}`);
    t.equal(await desk.send(whole), expected);
  }
  t.match(String(desk.received.at(-1)?.body), '<a xmlns="urn:a"/></s:Header>');
});

t.test('an encrypted part is one element in its place', WITH_OPENSSL, async (t) => {
  const keys = makeDecryptionKeys(t);
  const desk = await useVerifyingDesk(t, keys.decrypt());
  const send = (plaintext: string, behind = ''): Promise<string | null> => {
    const { key, data } = encryptPiece(keys.own, plaintext, 'x');
    return desk.send(envelope(CONTENT, `${securityOf([key])}<h xmlns="urn:h"/>${data}${behind}`));
  };
  t.equal(await send('<a xmlns="urn:a"><b/>text<!-- c --></a>'), null);
  t.equal(await send(' <a xmlns="urn:a"/>\n'), null);
  t.equal(
    await send('<b:a xmlns:b="urn:a" s:mustUnderstand="0"/>'),
    null,
    'prefixes of the elements around',
  );
  const received = desk.received.length;
  for (const [plaintext, behind] of [
    [''],
    ['text'],
    ['<a/>text'],
    ['text<a/>'],
    ['<a/><b/>'],
    ['<a>'],
    ['<a'],
    ['</a>'],
    ['<a/></s:Header><s:Header>'],
    ['<a/></s:Header>'],
    [`<a/></s:Header><s:Body>${EVIL}</s:Body></s:Envelope>`],
    ['<a/><!--', '-->'],
    ['<!-- --> <a/><!--', '--><b/>'],
    ['<a><![CDATA[', ']]></a>'],
    ['<a/><?p', '?>'],
    ['<a/><?p ?>'],
    ['<p:a/>'],
    ['<!DOCTYPE a><a/>'],
    [securityOf([userToken('u', 'p')])],
    ['<Security xmlns="urn:a"/>'],
    [encryptPiece(keys.own, '<a/>', 'y', { inside: true }).data],
  ] as const) {
    t.equal(await send(plaintext, behind), 'wsse:FailedCheck', plaintext.slice(0, 60));
  }
  t.equal(desk.received.length, received);
});

t.test('the content of Body does not end Body', WITH_OPENSSL, async (t) => {
  const keys = makeDecryptionKeys(t);
  const desk = await useVerifyingDesk(t, keys.decrypt());
  for (const [content, behind] of [
    [`${CONTENT}</s:Body><s:Body>`, ''],
    [`${CONTENT}</s:Body><s:Body><!--`, '-->'],
    [`${CONTENT}<!--`, '-->'],
    [`${CONTENT}</s:Body></s:Envelope><!--`, '-->'],
    ['<Pay xmlns="urn:desk"><![CDATA[', ']]></Pay>'],
    ['<Pay xmlns="urn:desk"><sum>10</sum>', '</Pay>'],
  ] as const) {
    const { key, data } = encryptPiece(keys.own, content, 'x');
    const message = envelope(`${data}${behind}`, securityOf([key]));
    t.match(await desk.send(message), /^(wsse:FailedCheck|SOAP_STRUCTURE)$/, content);
  }
  t.equal(desk.received.length, 0);
});

t.test('an encrypted Header does not stand for an encrypted Body', WITH_OPENSSL, async (t) => {
  const keys = makeDecryptionKeys(t);
  const desk = await useVerifyingDesk(t, keys.decrypt(', required: [Body]'));
  const send = (encrypted: string, behind: string): Promise<string | null> => {
    const { data } = encryptPiece(keys.own, encrypted, 'x', { inside: true });
    return desk.send(`<s:Envelope xmlns:s="${SOAP_11}">${data}${behind}</s:Envelope>`);
  };
  const header = '<s:Header><a xmlns="urn:a"/></s:Header>';
  for (const body of ['<s:Body/>', '<s:Body></s:Body>', `<s:Body>${EVIL}</s:Body>`]) {
    t.equal(await send(header, body), 'wsse:FailedCheck', body);
  }
  const body = `<s:Body>${CONTENT}</s:Body>`;
  for (const behind of ['<s:Header/>', '<s:Body/>', '<a xmlns="urn:a"/>']) {
    t.equal(await send(body, behind), 'wsse:FailedCheck', behind);
  }
  t.equal(desk.received.length, 0);
  t.equal(await send(body, ''), null);
});

t.test('encrypted parts that no key opens do not go on', WITH_OPENSSL, async (t) => {
  const keys = makeDecryptionKeys(t);
  const refusing = await useVerifyingDesk(t, keys.decrypt());
  const passing = await useVerifyingDesk(t, `${keys.decrypt()}\nencrypted: pass`);
  const own = (text: string, id: string): string =>
    encryptPiece(keys.own, text, id, { inside: true }).data;
  const unnamed = encryptPiece(keys.other, '<a xmlns="urn:a"/>', 'o').data;
  const header = (attributes: string): string =>
    `<w:EncryptedHeader xmlns:w="${WSSE11}"${attributes}>${unnamed}</w:EncryptedHeader>`;
  const body = own(CONTENT, 'b');
  const whole = own(`<s:Body>${own(CONTENT, 'i')}</s:Body>`, 'w');
  for (const [name, message] of [
    ['a header block', envelope(body, unnamed)],
    ['an EncryptedHeader', envelope(body, header(''))],
    ['content that is encrypted twice', envelope(own(body, 'y'))],
    ['in a Body', `<s:Envelope xmlns:s="${SOAP_11}">${whole}</s:Envelope>`],
  ] as const) {
    t.equal(await refusing.send(message), 'wsse:FailedCheck', name);
    t.equal(await passing.send(message), null, name);
  }
  t.equal(refusing.received.length, 0);
  const toOther = envelope(body, header(' s:actor="urn:other"'));
  t.equal(await refusing.send(toOther), null, 'a block for another node');
});

t.test('encrypted parts do not go on where nothing decrypts them', WITH_OPENSSL, async (t) => {
  const keys = makeDecryptionKeys(t);
  const rule = 'timestamp: { required: true }';
  const refusing = await useVerifyingDesk(t, rule);
  const passing = await useVerifyingDesk(t, `${rule}\nencrypted: pass`);
  const { data } = encryptPiece(keys.own, CONTENT, 'x', { inside: true });
  const security = securityOf([timestampOf(Date.now())]);
  const header = (attributes: string): string =>
    `<w:EncryptedHeader xmlns:w="${WSSE11}"${attributes}>${data}</w:EncryptedHeader>`;
  for (const [name, message] of [
    ['content of Body', envelope(data, security)],
    ['a header block', envelope(CONTENT, security + data)],
    ['an EncryptedHeader', envelope(CONTENT, security + header(''))],
  ] as const) {
    t.equal(await refusing.send(message), 'wsse:UnsupportedAlgorithm', name);
    t.equal(await passing.send(message), null, name);
  }
  t.equal(refusing.received.length, 0);
  const toOther = envelope(CONTENT, security + header(' s:actor="urn:other"'));
  t.equal(await refusing.send(toOther), null, 'a block for another node');
});

t.test('operations with the private key of one message are bounded', WITH_OPENSSL, async (t) => {
  const keys = makeDecryptionKeys(t);
  const desk = await useVerifyingDesk(t, keys.decrypt());
  const own = (count: number): string =>
    Array.from(
      { length: count },
      (_, at) => encryptPiece(keys.own, '<a xmlns="urn:a"/>', `${at}`, { inside: true }).data,
    ).join('');
  t.equal(await desk.send(envelope(CONTENT, own(8))), null);
  t.equal(await desk.send(envelope(CONTENT, own(9))), 'wsse:InvalidSecurity', 'keys of their own');
  const { key, data } = encryptPiece(keys.own, '<a xmlns="urn:a"/>', 'x', { keyBytes: 16 });
  const other = data.replace('aes128-gcm', 'aes256-gcm');
  const alternating = envelope(CONTENT, securityOf([key]) + (data + other).repeat(5));
  t.not(await desk.send(alternating), null, 'one key for two ciphers');
  const body = encryptPiece(keys.own, CONTENT, 'b', { inside: true }).data;
  t.equal(await desk.send(envelope(body, own(7))), null);
  t.equal(await desk.send(envelope(body, own(8))), 'wsse:InvalidSecurity', 'that of Body counts');
});

t.test('encrypted parts of one Header are bounded', WITH_OPENSSL, async (t) => {
  const keys = makeDecryptionKeys(t);
  const desk = await useVerifyingDesk(t, keys.decrypt());
  const { key, contentKey, info } = encryptPiece(keys.own, '<a xmlns="urn:a"/>', 'x');
  const message = (count: number): string => {
    const part = (at: number): string => dataOf('<a xmlns="urn:a"/>', contentKey, `${at}`, info);
    const parts = Array.from({ length: count }, (_, at) => part(at));
    return envelope(CONTENT, `${securityOf([key])}${parts.join('')}`);
  };
  t.equal(await desk.send(message(64)), null);
  t.equal(await desk.send(message(65)), 'wsse:InvalidSecurity');
});
