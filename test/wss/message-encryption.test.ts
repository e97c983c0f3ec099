import { createPrivateKey, X509Certificate } from 'node:crypto';
import t from 'tap';
import { defaultsOf } from '../../src/core/limit.js';
import { AT_ONCE } from '../../src/core/time-slices.js';
import type { DecryptionRules } from '../../src/wss/encryption/encrypted-content.js';
import type { EncryptionRules } from '../../src/wss/encryption/encrypted-head.js';
import { MessageDecryption } from '../../src/wss/encryption/message-decryption.js';
import { encryptMessage, MessageEncryption } from '../../src/wss/encryption/message-encryption.js';
import { keyForRecipient } from '../../src/wss/encryption/message-key.js';
import { parseCertificate } from '../../src/wss/x509/certificate-trust.js';
import { XML_LIMITS } from '../../src/xml/limits.js';
import { ReaderPool } from '../../src/xml/reader-pool.js';
import { makeKeys, RSA_KEY, WITH_OPENSSL } from '../kit/certificates.js';
import { envelope } from '../kit/envelope.js';
import { assertSplitsAgree } from '../kit/splits.js';

/** Messages that are encrypted while they stream, in pieces of any size. */

const RULES: EncryptionRules = {
  cipher: 'aes256-gcm',
  parts: ['Body'],
  role: null,
  mustUnderstand: false,
  isSignedLater: false,
};

const MESSAGES = [
  envelope('<Pay xmlns="urn:desk"><sum>10</sum>ä 😀</Pay>'),
  envelope('<a/>').replace('</s:Body>', '</s:Body \n\t>'),
  envelope('<b><![CDATA[</s:Body>]]></b><s:BodyOther>x</s:BodyOther>'),
  envelope('').replace('<s:Body></s:Body>', '<s:Body/>'),
  envelope('').replace('<s:Body></s:Body>', '<s:Header/><s:Body a="b"  />'),
  envelope('x', '<a:B xmlns:a="urn:a"/>'),
];

t.test('a message is encrypted alike, wherever it is cut', WITH_OPENSSL, (t) => {
  const { identity } = makeKeys(t, '/CN=own', RSA_KEY);
  const certificate = parseCertificate(new X509Certificate(identity.cert));
  if (certificate === null) throw new Error('no certificate');
  const readers = new ReaderPool(defaultsOf(XML_LIMITS));
  const recipient = {
    certificate: () => certificate,
    transport: 'rsa-oaep-mgf1p',
    reference: 'issuerSerial',
  } as const;
  const rules: DecryptionRules = {
    owner: 'security.verify.decrypt',
    keys: () => [{ certificate, key: createPrivateKey(identity.key) }],
    ciphers: new Set(['aes256-gcm']),
    transports: new Set(['rsa-oaep']),
    isBodyRequired: true,
    role: null,
    passesUnopened: false,
    verifiesSignature: false,
  };
  const messageKey = keyForRecipient(recipient, 'aes256-gcm');
  const decrypt = (message: Buffer): string => {
    const given: Buffer[] = [];
    const decryption = new MessageDecryption({
      rules,
      headBytes: 65_536,
      windowBytes: 65_536,
      verifier: null,
      charset: null,
      readers,
      output: { write: (bytes) => given.push(Buffer.from(bytes)), end() {} },
    });
    decryption.write(message);
    decryption.end();
    return Buffer.concat(given).toString();
  };
  for (const message of MESSAGES) {
    const run = (pieces: readonly Uint8Array[]): string => {
      const encryption = new MessageEncryption(RULES, messageKey, readers);
      const made = pieces.map((piece) => encryption.write(Buffer.from(piece)));
      const encrypted = Buffer.concat([...made, encryption.end()]);
      t.notOk(/<(?:Pay|a|b|s:BodyOther)[ />]/.test(encrypted.toString()));
      return decrypt(encrypted);
    };
    const plain = assertSplitsAgree(Buffer.from(message), run);
    const content = /<s:Body[^>]*?(?:\/>|>(.*)<\/s:Body\s*>)/s.exec(message)?.[1] ?? '';
    t.match(plain, `>${content}</s:Body`);
    t.notMatch(plain, 'Security');
  }
  const twice = ['1', '2'].map(() => {
    const key = keyForRecipient(recipient, 'aes256-gcm');
    const message = Buffer.from(MESSAGES[0] ?? '');
    return AT_ONCE.finish(encryptMessage(message, RULES, key, readers)).toString();
  });
  const values = twice.flatMap((message) =>
    Array.from(message.matchAll(/<xenc:CipherValue>([^<]{16})/g), ([, letters]) => letters),
  );
  t.equal(new Set(values).size, 4, 'each message has a key and an IV of its own');
  const without = Buffer.from(MESSAGES[0] ?? '');
  const block: EncryptionRules = { ...RULES, parts: [{ block: '{urn:a}B' }] };
  const same = AT_ONCE.finish(encryptMessage(without, block, messageKey, readers));
  t.same(same, without, 'a message without a part to encrypt gets no EncryptedKey');
  t.end();
});
