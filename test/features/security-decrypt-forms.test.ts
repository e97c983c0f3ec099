import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import t from 'tap';
import type { RecordedMessage } from '../kit/backend.js';
import { WITH_OPENSSL } from '../kit/certificates.js';
import { type DecryptionKeys, makeDecryptionKeys } from '../kit/decryption-keys.js';
import {
  decryptGcm,
  type EncryptOptions,
  encryptBody,
  encryptHeader,
  encryptThenSign,
} from '../kit/encrypted-message.js';
import { packageType, packed } from '../kit/encrypted-package.js';
import { envelope, postSoap } from '../kit/envelope.js';
import { signedMessage, WSSE } from '../kit/signed-message.js';
import { useBackend, useGateway } from '../kit/use.js';
import { useVerifyingDesk } from '../kit/verifying-desk.js';

/** Encrypted messages whose signature covers what is encrypted, and encrypted header blocks. */

const CONTENT = '<Pay xmlns="urn:desk"><sum>10</sum></Pay>';
const MESSAGE = envelope(CONTENT);
const REQUIRED = ', required: [Body]';

/** The rules of a signature of Body and Timestamp. */
const signed = (keys: DecryptionKeys): string => `signature:
  authorities: { file: ${join(keys.folder, 'ca.pem')} }
  required: [Body, Timestamp]`;

t.test('a message is encrypted, then signed', WITH_OPENSSL, async (t) => {
  const keys = makeDecryptionKeys(t);
  const desk = await useVerifyingDesk(t, `${keys.decrypt(REQUIRED)}\n${signed(keys)}`);
  const sign = (content: string): string => signedMessage(keys.client, content).message;
  const message = encryptThenSign(CONTENT, keys.own, sign);
  t.equal(await desk.send(message), null);
  const body = String(desk.received.at(-1)?.body);
  t.ok(body.includes(`>${CONTENT}</s:Body>`), body);
  t.notMatch(body, /<ds:Signature|Encrypted|BinarySecurityToken/, 'it is of nothing that is left');
  t.match(body, '<wsu:Timestamp', 'the rest of the block stays');
  const long = `<Pay xmlns="urn:desk">${'<sum>10</sum>'.repeat(40_000)}</Pay>`;
  t.equal(await desk.send(encryptThenSign(long, keys.own, sign)), null);
  const whole = desk.received.length;
  const other =
    /<xenc:CipherValue>[^<]*(?=<\/xenc:CipherValue><\/xenc:CipherData><\/xenc:EncryptedData>)/;
  const replaced = message.replace(other, (letters) =>
    letters.replace(/.(?=.{60}$)/, (letter) => (letter === 'A' ? 'B' : 'A')),
  );
  t.equal(await desk.send(replaced), 'wsse:FailedCheck', 'what is encrypted was altered');
  const forged = encryptThenSign(CONTENT, keys.own, (content) =>
    sign(content).replace(
      content,
      encryptThenSign(CONTENT, keys.own, (each) => each),
    ),
  );
  t.equal(await desk.send(forged), 'wsse:FailedCheck', 'encrypted by another one');
  t.equal(await desk.send(encryptBody(MESSAGE, keys.own)), 'wsse:InvalidSecurity');
  t.equal(desk.received.length, whole);
});

t.test('CBC and RSA 1.5 under a signature, by their names', WITH_OPENSSL, async (t) => {
  const keys = makeDecryptionKeys(t);
  const signBody = (content: string): string => signedMessage(keys.client, content).message;
  const sign = (content: string, key: string): string =>
    signedMessage(keys.client, content, { parts: [{ uri: '#EK-1', text: key }] }).message;
  const kinds: readonly (readonly [EncryptOptions, string, RegExp])[] = [
    [
      { cipher: 'aes256-cbc' },
      'algorithms: ["unsafe:aes256-cbc"]',
      /algorithms.*unsafe:aes256-cbc/,
    ],
    [
      { transport: 'rsa-1_5' },
      'keyTransports: ["unsafe:rsa-1_5"]',
      /keyTransports.*unsafe:rsa-1_5/,
    ],
  ];
  for (const [options, key, names] of kinds) {
    const plain = await useVerifyingDesk(t, `${keys.decrypt()}\n${signed(keys)}`);
    const message = encryptThenSign(CONTENT, keys.own, sign, options);
    const refused = await postSoap(`${plain.gateway.url}/soap/desk`, message);
    t.match(await refused.text(), names, 'the refusal names the key to set');
    const desk = await useVerifyingDesk(t, `${keys.decrypt(`, ${key}`)}\n${signed(keys)}`);
    for (const content of [
      CONTENT,
      '<Pay xmlns="urn:desk"/>',
      CONTENT.replace('10', '1'.repeat(9_000)),
    ]) {
      t.equal(await desk.send(encryptThenSign(content, keys.own, sign, options)), null);
      t.ok(String(desk.received.at(-1)?.body).includes(`>${content}</s:Body>`));
    }
    const uncovered = encryptThenSign(CONTENT, keys.own, signBody, options);
    t.equal(await desk.send(uncovered), 'wsse:UnsupportedAlgorithm', 'the key is not signed');
    const inside = { ...options, connection: 'inside' } as const;
    const inBody = encryptThenSign(CONTENT, keys.own, signBody, inside);
    t.equal(await desk.send(inBody), 'wsse:UnsupportedAlgorithm', 'the key is in Body');
    const first = encryptBody(signedMessage(keys.client, CONTENT).message, keys.own, options);
    t.equal(await desk.send(first), 'wsse:UnsupportedAlgorithm', 'signed first: not covered');
    const broken = encryptThenSign('<Pay', keys.own, sign, options);
    t.equal(await desk.send(broken), 'wsse:FailedCheck');
    const cut = (bytes: Buffer): Buffer => bytes.subarray(0, -3);
    t.equal(
      await desk.send(encryptThenSign(CONTENT, keys.own, sign, { ...options, alter: cut })),
      'wsse:FailedCheck',
    );
    await t.rejects(useVerifyingDesk(t, keys.decrypt(`, ${key}`)), /Add `signature`/);
  }
});

t.test('header blocks and parts of the Security block are decrypted', WITH_OPENSSL, async (t) => {
  const keys = makeDecryptionKeys(t);
  const desk = await useVerifyingDesk(t, keys.decrypt());
  const block = '<a:Block xmlns:a="urn:a">b</a:Block>';
  const token = '<wsse:UsernameToken><wsse:Username>u</wsse:Username></wsse:UsernameToken>';
  for (const isWithBody of [true, false]) {
    const message = encryptHeader(envelope(CONTENT, block), keys.own, block, isWithBody);
    t.equal(await desk.send(message), null);
    t.equal(String(desk.received.at(-1)?.body), envelope(CONTENT, block));
    const security = `<wsse:Security xmlns:wsse="${WSSE}">${token}</wsse:Security>`;
    const secured = encryptHeader(envelope(CONTENT, security), keys.own, token, isWithBody);
    t.equal(await desk.send(secured), null);
    t.equal(String(desk.received.at(-1)?.body), envelope(CONTENT, security));
    const altered = encryptHeader(
      envelope(CONTENT, block),
      keys.own,
      block,
      isWithBody,
      (bytes) => {
        bytes[20] = (bytes[20] ?? 0) ^ 1;
        return bytes;
      },
    );
    t.equal(await desk.send(altered), 'wsse:FailedCheck');
  }
});

t.test('answers are encrypted with the key that came with the request', WITH_OPENSSL, async (t) => {
  const keys = makeDecryptionKeys(t);
  const long = `<PayResponse xmlns="urn:desk">${'<id>7</id>'.repeat(40_000)}</PayResponse>`;
  const replies = {
    short: envelope('<PayResponse xmlns="urn:desk"/>'),
    long: envelope(long),
    attached: packed(envelope('<PayResponse xmlns="urn:desk"/>'), [
      { id: 'a', content: Buffer.from('seen') },
    ]).toString(),
    Fault: envelope(
      '<s:Fault><faultcode>s:Server</faultcode><faultstring>no</faultstring></s:Fault>',
    ),
  };
  let reply = replies.short;
  const backend = await useBackend(t, (_message: RecordedMessage, response: ServerResponse) => {
    response
      .writeHead(reply === replies.Fault ? 500 : 200, {
        'content-type': reply === replies.attached ? packageType('text/xml') : 'text/xml',
      })
      .end(reply);
  });
  const configuration = (more: string): string => `services:
  desk:
    url: ${backend.url}/desk
    namespace: urn:desk
    types: |
      type Query { pay(sum: String): String }
    operations:
      Pay: { field: Query.pay, read: {} }
    security:
      answer: { encrypt: true }
      verify: { ${keys.decrypt(more)} }`;
  await t.rejects(useGateway(t, configuration('')), /Demand it by `security.verify.decrypt`/);
  const unsafe = `${REQUIRED}, algorithms: ["unsafe:aes256-cbc"]`;
  await t.rejects(useGateway(t, configuration(unsafe)), /Take the `unsafe:` names out/);
  const monitored = configuration(REQUIRED).replace('namespace:', 'mode: monitor\n    namespace:');
  await t.rejects(useGateway(t, monitored), /mode: monitor/, 'it would let plain messages through');
  const gateway = await useGateway(t, configuration(REQUIRED));
  for (const cipher of ['aes128-gcm', 'aes256-gcm'] as const) {
    for (reply of [replies.short, replies.long, replies.Fault]) {
      let key = Buffer.alloc(0);
      const onKey = (made: Buffer): void => {
        key = Buffer.from(made);
      };
      const message = encryptBody(MESSAGE, keys.own, { cipher, onKey });
      const answer = await postSoap(`${gateway.url}/soap/desk`, message);
      const text = await answer.text();
      t.match(text, 'EncryptedKeySHA1');
      t.match(text, /<wsse:Security [^>]*><xenc:ReferenceList /);
      const content = /<s:Body>(.*)<\/s:Body>/s.exec(reply)?.[1];
      t.ok(decryptGcm(text, key) === content, 'its content is that of the reply');
    }
  }
  let key = Buffer.alloc(0);
  const onKey = (made: Buffer): void => {
    key = Buffer.from(made);
  };
  const send = async (message: string): Promise<string> =>
    await (await postSoap(`${gateway.url}/soap/desk`, message)).text();
  const two = envelope(CONTENT.repeat(2));
  const refused = await send(encryptBody(two, keys.own, { onKey }));
  t.match(decryptGcm(refused, key), 'SOAP_MULTI_BODY', 'a Fault of the gateway');
  const altered = await send(encryptBody(two, keys.own, { alter: (bytes) => bytes.subarray(1) }));
  t.match(altered, 'wsse:FailedCheck', 'a failure of decryption stays plain');
  reply = replies.attached;
  const unsealed = await send(encryptBody(MESSAGE, keys.own, { onKey }));
  t.notMatch(unsealed, 'seen');
  t.match(decryptGcm(unsealed, key), 'UPSTREAM_INVALID_RESPONSE', 'attachments would stay plain');
});
