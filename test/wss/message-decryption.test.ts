import {
  constants,
  createPrivateKey,
  privateDecrypt,
  randomBytes,
  X509Certificate,
} from 'node:crypto';
import t from 'tap';
import { defaultsOf } from '../../src/core/limit.js';
import { Refusal } from '../../src/core/refusals/refusal.js';
import type { DecryptionOptions } from '../../src/wss/encryption/decryption-options.js';
import type { DecryptionRules } from '../../src/wss/encryption/encrypted-content.js';
import { MessageDecryption } from '../../src/wss/encryption/message-decryption.js';
import { decodeOaep } from '../../src/wss/encryption/oaep.js';
import { parseCertificate } from '../../src/wss/x509/certificate-trust.js';
import { XML_LIMITS } from '../../src/xml/limits.js';
import { ReaderPool } from '../../src/xml/reader-pool.js';
import { type Identity, makeKeys, RSA_KEY, WITH_OPENSSL } from '../kit/certificates.js';
import { encryptBody, encryptOaep, encryptPiece } from '../kit/encrypted-message.js';
import { envelope } from '../kit/envelope.js';
import { securityOf } from '../kit/signed-message.js';
import { assertSplitsAgree } from '../kit/splits.js';

/** Messages that are decrypted while they stream, in pieces of any size. */

const CONTENT = '<Pay xmlns="urn:desk"><sum>10</sum>ä 😀</Pay>';

const readers = new ReaderPool(defaultsOf(XML_LIMITS));

/** Decrypts messages for an identity. */
function decryptionFor(identity: Identity, output: DecryptionOptions['output']): MessageDecryption {
  const certificate = parseCertificate(new X509Certificate(identity.cert));
  if (certificate === null) throw new Error('no certificate');
  const rules: DecryptionRules = {
    owner: 'security.verify.decrypt',
    keys: () => [{ certificate, key: createPrivateKey(identity.key) }],
    ciphers: new Set(['aes128-gcm', 'aes256-gcm']),
    transports: new Set(['rsa-oaep']),
    isBodyRequired: false,
    role: null,
    passesUnopened: false,
    verifiesSignature: false,
  };
  const bounds = { headBytes: 65_536, windowBytes: 65_536 };
  return new MessageDecryption({
    ...{ rules, readers, output, ...bounds },
    ...{ verifier: null, charset: null },
  });
}

t.test('a message comes out alike, wherever it is cut', WITH_OPENSSL, (t) => {
  const { identity } = makeKeys(t, '/CN=own', RSA_KEY);
  const run = (pieces: readonly Uint8Array[]): string => {
    const given: Buffer[] = [];
    const decryption = decryptionFor(identity, {
      write: (bytes) => given.push(Buffer.from(bytes)),
      end() {},
    });
    try {
      for (const piece of pieces) {
        decryption.write(Buffer.from(piece));
      }
      decryption.end();
    } catch (caught) {
      if (!(caught instanceof Refusal)) throw caught;
      return caught.code;
    }
    return Buffer.concat(given).toString();
  };
  const encrypted = encryptBody(envelope(CONTENT), identity);
  const plain = envelope(CONTENT).replace('<s:Body', '<s:Header></s:Header><s:Body');
  t.equal(assertSplitsAgree(Buffer.from(encrypted), run), plain);
  t.equal(assertSplitsAgree(Buffer.from(envelope(CONTENT)), run), envelope(CONTENT));
  const altered = encryptBody(envelope(CONTENT), identity, {
    alter(bytes) {
      bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
      return bytes;
    },
  });
  const bytes = Array.from(Buffer.from(altered), (byte) => Buffer.of(byte));
  t.same([run([Buffer.from(altered)]), run(bytes)], ['wsse:FailedCheck', 'wsse:FailedCheck']);
  t.end();
});

t.test('keys are counted by what anybody sees', WITH_OPENSSL, (t) => {
  const { identity } = makeKeys(t, '/CN=own', RSA_KEY);
  const countOf = (header: string): number => {
    const decryption = decryptionFor(identity, { write() {}, end() {} });
    try {
      decryption.write(Buffer.from(envelope(CONTENT, header)));
      decryption.end();
    } catch (caught) {
      if (!(caught instanceof Refusal)) throw caught;
    }
    return decryption.keyCount;
  };
  const own = (at: number): string =>
    encryptPiece(identity, '<a/>', String(at), { inside: true }).data;
  const three = [1, 2, 3].map(own).join('');
  t.equal(countOf(three), 3);
  t.equal(countOf(three.replace(/<xenc:CipherValue>./g, '$&AAAA')), 3, 'none of which is right');
  const wide = encryptPiece(identity, '<a/>', 'x', { inside: true, keyBytes: 16 });
  t.equal(countOf(wide.data.repeat(5)), 5, 'each has its own');
  const { key, data } = encryptPiece(identity, '<a/>', 'y', { keyBytes: 16 });
  const other = data.replace('aes128-gcm', 'aes256-gcm');
  t.equal(countOf(securityOf([key]) + (data + other).repeat(5)), 2, 'one for each cipher');
  t.equal(countOf(Array.from({ length: 20 }, (_, at) => own(at)).join('')), 8, 'at most');
  t.equal(countOf(''), 0);
  t.end();
});

t.test('OAEP by each pair of hashes, and anything else as a random key', WITH_OPENSSL, (t) => {
  const { identity } = makeKeys(t, '/CN=own', RSA_KEY);
  const key = createPrivateKey(identity.key);
  const rsa = (value: Buffer): Buffer =>
    privateDecrypt({ key, padding: constants.RSA_NO_PADDING }, value);
  const content = randomBytes(32);
  const label = Buffer.alloc(0);
  for (const digest of ['sha1', 'sha256'] as const) {
    for (const mask of ['sha1', 'sha256'] as const) {
      const block = rsa(encryptOaep(content, identity.cert, digest, mask));
      const parameters = { digest, mask, label, keyBytes: 32 };
      t.same(decodeOaep(block, parameters), content, `${digest}, ${mask}`);
      for (const wrong of [
        { ...parameters, keyBytes: 16 },
        { ...parameters, label: Buffer.from('x') },
        { ...parameters, mask: mask === 'sha1' ? ('sha256' as const) : ('sha1' as const) },
      ]) {
        const [one, other] = [decodeOaep(block, wrong), decodeOaep(block, wrong)];
        t.equal(one.length, wrong.keyBytes);
        t.notSame(one, other, 'another one each time');
      }
      for (let at = 0; at < block.length; at += 7) {
        const altered = Buffer.from(block);
        altered[at] = (altered[at] ?? 0) ^ 1;
        t.notSame(decodeOaep(altered, parameters), content);
      }
    }
  }
  t.end();
});
