import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import t from 'tap';
import { WITH_OPENSSL } from '../kit/certificates.js';
import { makeDecryptionKeys } from '../kit/decryption-keys.js';
import {
  type EncryptOptions,
  encryptBody,
  type KeyReference,
  XENC,
  XENC11,
} from '../kit/encrypted-message.js';
import { envelope, postSoap } from '../kit/envelope.js';
import { signedMessage } from '../kit/signed-message.js';
import { useVerifyingDesk } from '../kit/verifying-desk.js';

/** Messages whose content is encrypted for the gateway (XML Encryption 1.1). */

const CONTENT = '<Pay xmlns="urn:desk"><sum>10</sum></Pay>';
const MESSAGE = envelope(CONTENT);
const PLAIN = envelope(CONTENT, ' ').replace('> </s:Header>', '></s:Header>');

const DEEP = `<Pay xmlns="urn:desk">${'<a>'.repeat(200)}${'</a>'.repeat(200)}</Pay>`;

const REQUIRED = ', required: [Body]';

t.test('encrypted content goes on as it was, by each kind of key', WITH_OPENSSL, async (t) => {
  const keys = makeDecryptionKeys(t);
  const desk = await useVerifyingDesk(
    t,
    keys.decrypt(`${REQUIRED}, algorithms: [aes128-gcm, aes192-gcm, aes256-gcm]`),
  );
  const references: readonly KeyReference[] = [
    'issuerSerial',
    'thumbprint',
    'keyIdentifier',
    'certificate',
  ];
  const kinds: readonly EncryptOptions[] = [
    ...references.map((reference) => ({ reference })),
    ...(['aes128-gcm', 'aes192-gcm', 'aes256-gcm'] as const).map((cipher) => ({ cipher })),
    { connection: 'list' },
    { connection: 'inside' },
    { digest: 'sha256' },
    { digest: 'sha256', mask: 'sha1', transport: 'rsa-oaep' },
    { digest: 'sha256', mask: 'sha256', transport: 'rsa-oaep' },
    { digest: 'sha1', mask: 'sha256', transport: 'rsa-oaep' },
    { type: 'Element' },
    { written: (letters) => letters.replace(/.{10}/g, '$&&#13;\n ') },
    { written: (letters) => `<![CDATA[${letters}]]>` },
  ];
  for (const options of kinds) {
    for (const identity of [keys.own, keys.next]) {
      const name = JSON.stringify(options);
      t.equal(await desk.send(encryptBody(MESSAGE, identity, options)), null, name);
      const body = String(desk.received.at(-1)?.body);
      t.equal(body, options.connection === 'inside' ? MESSAGE : PLAIN, name);
    }
  }
});

t.test('a message is signed, then encrypted', WITH_OPENSSL, async (t) => {
  const keys = makeDecryptionKeys(t);
  const signature = `signature:
  authorities: { file: ${join(keys.folder, 'ca.pem')} }
  required: [Body, Timestamp]`;
  const desk = await useVerifyingDesk(t, `${keys.decrypt(REQUIRED)}\n${signature}`);
  const { message } = signedMessage(keys.client, CONTENT);
  t.equal(await desk.send(encryptBody(message, keys.own)), null);
  t.equal(String(desk.received.at(-1)?.body), message, 'the Security block keeps what is signed');
  t.equal(await desk.send(message), 'wsse:InvalidSecurity', 'encryption is required');
  t.equal(await desk.send(encryptBody(MESSAGE, keys.own)), 'wsse:InvalidSecurity', 'so is signing');
  const forged = message.replace('<sum>10<', '<sum>11<');
  t.equal(await desk.send(encryptBody(forged, keys.own)), 'wsse:FailedCheck');
  const encrypted = encryptBody(message, keys.own);
  const key = /<xenc:EncryptedKey.*?<\/xenc:EncryptedKey>/s.exec(encrypted)?.[0] ?? '';
  const later = encrypted.replace(key, '').replace('</wsse:Security>', `${key}</wsse:Security>`);
  t.equal(await desk.send(later), 'wsse:FailedCheck', 'the order says that it was signed later');
});

t.test('all failures of decryption are alike', WITH_OPENSSL, async (t) => {
  const keys = makeDecryptionKeys(t);
  const desk = await useVerifyingDesk(t, keys.decrypt());
  const flip =
    (at: number) =>
    (bytes: Buffer): Buffer => {
      const altered = Buffer.from(bytes);
      const index = at < 0 ? altered.length + at : at;
      altered[index] = (altered[index] ?? 0) ^ 1;
      return altered;
    };
  const faultFor = async (message: string): Promise<string> => {
    const answer = await postSoap(`${desk.gateway.url}/soap/desk`, message);
    const text = await answer.text();
    return `${answer.status} ${text.replaceAll(/ id="[^"]*"|<id>[^<]*<\/id>/g, '')}`;
  };
  const failures: Readonly<Record<string, string>> = {
    'a bit of the tag': encryptBody(MESSAGE, keys.own, { alter: flip(-1) }),
    'a bit of the content': encryptBody(MESSAGE, keys.own, { alter: flip(20) }),
    'a bit of the IV': encryptBody(MESSAGE, keys.own, { alter: flip(0) }),
    'no tag': encryptBody(MESSAGE, keys.own, { alter: (bytes) => bytes.subarray(0, -16) }),
    'a shorter tag': encryptBody(MESSAGE, keys.own, { alter: (bytes) => bytes.subarray(0, -4) }),
    'nothing but an IV': encryptBody(MESSAGE, keys.own, {
      alter: (bytes) => bytes.subarray(0, 12),
    }),
    nothing: encryptBody(MESSAGE, keys.own, { alter: () => Buffer.alloc(0) }),
    'a bit of the key': encryptBody(MESSAGE, keys.own, { alterKey: flip(100) }),
    'a short key': encryptBody(MESSAGE, keys.own, { alterKey: (bytes) => bytes.subarray(1) }),
    'a key beyond the modulus': encryptBody(MESSAGE, keys.own, {
      alterKey: (bytes) => Buffer.alloc(bytes.length, 0xff),
    }),
    'the key of another one': encryptBody(MESSAGE, keys.other),
    'another digest of OAEP': encryptBody(MESSAGE, keys.own, { digest: 'sha256' }).replace(
      `${XENC}sha256`,
      'http://www.w3.org/2000/09/xmldsig#sha1',
    ),
    'no base64': encryptBody(MESSAGE, keys.own, {
      written: (letters) => `${letters.slice(4)}!!!!`,
    }),
    'base64 behind its end': encryptBody(MESSAGE, keys.own, {
      written: (letters) => `${letters}${letters}`,
    }),
    'content that is no XML': encryptBody(envelope('<Pay'), keys.own),
    'content that ends an element of others': encryptBody(envelope('</x>'), keys.own),
    'content that opens a comment': encryptBody(envelope(`${CONTENT}<!--`), keys.own),
    'content beyond a limit that is altered': encryptBody(envelope(DEEP), keys.own, {
      alter: flip(-1),
    }),
  };
  const expected = await faultFor(failures['a bit of the tag'] ?? '');
  t.match(expected, /^500 .*wsse:FailedCheck/s);
  for (const [name, message] of Object.entries(failures)) {
    t.equal(await faultFor(message), expected, name);
  }
  t.equal(desk.received.length, 0);
});

t.test('what is wrong with verified content is told', WITH_OPENSSL, async (t) => {
  const keys = makeDecryptionKeys(t);
  const desk = await useVerifyingDesk(t, keys.decrypt());
  t.equal(await desk.send(encryptBody(envelope(DEEP), keys.own)), 'XML_DEPTH_LIMIT');
});

t.test('long content streams, and never ends where it is altered', WITH_OPENSSL, async (t) => {
  const keys = makeDecryptionKeys(t);
  const desk = await useVerifyingDesk(t, keys.decrypt(REQUIRED));
  const message = envelope(`<Pay xmlns="urn:desk">${'<sum>10</sum>'.repeat(40_000)}</Pay>`);
  const plain = message.replace('<s:Body', '<s:Header></s:Header><s:Body');
  t.equal(await desk.send(encryptBody(message, keys.own)), null);
  t.equal(String(desk.received.at(-1)?.body), plain);
  const whole = desk.received.length;
  for (let time = 0; time < 12; time++) {
    const altered = encryptBody(message, keys.own, {
      alter(bytes) {
        const copy = Buffer.from(bytes);
        const at = randomInt(copy.length);
        copy[at] = (copy[at] ?? 0) ^ (1 << randomInt(8));
        return copy;
      },
    });
    const answer = await postSoap(`${desk.gateway.url}/soap/desk`, altered).catch(() => null);
    await answer?.text().catch(() => '');
  }
  t.equal(desk.received.length, whole, 'none is complete at the backend');
});

t.test('messages that no key opens, and those that are not encrypted', WITH_OPENSSL, async (t) => {
  const keys = makeDecryptionKeys(t);
  const open = await useVerifyingDesk(t, keys.decrypt());
  t.equal(await open.send(MESSAGE), null);
  t.equal(String(open.received.at(-1)?.body), MESSAGE);
  const passing = await useVerifyingDesk(t, `${keys.decrypt()}\nencrypted: pass`);
  const foreign = encryptBody(MESSAGE, keys.other);
  t.equal(await passing.send(foreign), null);
  t.equal(String(passing.received.at(-1)?.body), foreign, 'it passes as it came');
  const required = await useVerifyingDesk(t, `${keys.decrypt(REQUIRED)}\nencrypted: pass`);
  t.equal(await required.send(foreign), 'wsse:InvalidSecurity');
  t.equal(await required.send(MESSAGE), 'wsse:InvalidSecurity');
  t.equal(await required.send('<a/>'), 'wsse:InvalidSecurity');
  t.equal(required.received.length, 0);
});

t.test('algorithms, and forms that are not decrypted', WITH_OPENSSL, async (t) => {
  const keys = makeDecryptionKeys(t);
  const desk = await useVerifyingDesk(t, keys.decrypt(', algorithms: [aes256-gcm]'));
  const encrypted = encryptBody(MESSAGE, keys.own);
  const refused: Readonly<Record<string, string>> = {
    'another cipher': encryptBody(MESSAGE, keys.own, { cipher: 'aes128-gcm' }),
    CBC: encrypted.replace(`${XENC11}aes256-gcm`, `${XENC}aes256-cbc`),
    'RSA 1.5': encrypted.replace(`${XENC}rsa-oaep-mgf1p`, `${XENC}rsa-1_5`),
    'a CipherReference': encrypted.replace(
      /<xenc:CipherValue>[^<]*<\/xenc:CipherValue><\/xenc:CipherData><\/xenc:EncryptedData>/,
      '<xenc:CipherReference URI="http://x/"/></xenc:CipherData></xenc:EncryptedData>',
    ),
    'another part': encryptBody(MESSAGE, keys.own, { connection: 'list' }).replace(
      '</xenc:ReferenceList>',
      '<xenc:DataReference URI="#ED-2"/></xenc:ReferenceList>',
    ),
  };
  for (const [name, message] of Object.entries(refused)) {
    t.equal(await desk.send(message), 'wsse:UnsupportedAlgorithm', name);
  }
  t.equal(desk.received.length, 0);
});
