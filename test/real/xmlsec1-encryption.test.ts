import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { answerBy } from '../kit/backend.js';
import { Authority, RSA_KEY } from '../kit/certificates.js';
import { envelope, postSoap } from '../kit/envelope.js';
import { useBackend, useGateway } from '../kit/use.js';
import { withKeyInside } from './key-inside.js';
import { missing } from './programs.js';

/** xmlsec1 encrypts messages for the gateway, and decrypts those that the gateway encrypts. */

const XENC = 'http://www.w3.org/2001/04/xmlenc#';
const XENC11 = 'http://www.w3.org/2009/xmlenc11#';
const DS = 'http://www.w3.org/2000/09/xmldsig#';
const CONTENT = '<Pay xmlns="urn:desk"><sum>12 &amp; ä 😀</sum></Pay>';
const BODY = "/*/*[local-name()='Body']";

const template = (cipher: string): string =>
  `<x:EncryptedData xmlns:x="${XENC}" xmlns:ds="${DS}" Id="ED" Type="${XENC}Content">` +
  `<x:EncryptionMethod Algorithm="${XENC11}${cipher}"/><ds:KeyInfo><x:EncryptedKey>` +
  `<x:EncryptionMethod Algorithm="${XENC}rsa-oaep-mgf1p"/><ds:KeyInfo><ds:KeyName/></ds:KeyInfo>` +
  '<x:CipherData><x:CipherValue/></x:CipherData></x:EncryptedKey></ds:KeyInfo>' +
  '<x:CipherData><x:CipherValue/></x:CipherData></x:EncryptedData>';

t.test(
  'xmlsec1 and the gateway decrypt the messages of each other',
  { skip: missing('xmlsec1', 'openssl') },
  async (t) => {
    const folder = t.testdir();
    const authority = new Authority(folder);
    const { cert, key } = authority.sign('own', 30, '/O=Bank/CN=own', 'DNS:a', RSA_KEY);
    writeFileSync(join(folder, 'own.pem'), cert);
    writeFileSync(join(folder, 'own.key'), key);
    const run = (...args: readonly string[]): string =>
      execFileSync('xmlsec1', args, {
        cwd: folder,
        stdio: ['ignore', 'pipe', 'ignore'],
      }).toString();
    const backend = await useBackend(
      t,
      answerBy(() => '<PayResponse xmlns="urn:desk"/>'),
    );
    const decrypt = 'decrypt: { keys: [{ key: { file: own.key }, cert: { file: own.pem } }] }';
    const encrypt = 'replace: true, encrypt: { cert: { file: own.pem }, algorithm:';
    const gateway = await useGateway(
      t,
      `services:
  opened: { url: "${backend.url}/a", security: { verify: { ${decrypt} } } }
  aes128: { url: "${backend.url}/a", security: { make: { ${encrypt} aes128-gcm } } } }
  aes256: { url: "${backend.url}/a", security: { make: { ${encrypt} aes256-gcm } } } }
`,
      folder,
    );
    for (const bits of ['128', '256']) {
      writeFileSync(join(folder, 'template.xml'), template(`aes${bits}-gcm`));
      writeFileSync(join(folder, 'message.xml'), envelope(CONTENT));
      const encrypted = run(
        ...['--encrypt', '--pubkey-cert-pem', 'own.pem', '--session-key', `aes-${bits}`],
        ...['--xml-data', 'message.xml', '--node-xpath', BODY, 'template.xml'],
      );
      t.notMatch(encrypted, /sum>/);
      const answer = await postSoap(`${gateway.url}/soap/opened`, encrypted);
      t.equal(answer.status, 200, await answer.text());
      t.match(String(backend.complete.at(-1)?.body), `>${CONTENT}</s:Body>`);

      const sent = await postSoap(`${gateway.url}/soap/aes${bits}`, envelope(CONTENT));
      t.equal(sent.status, 200, await sent.text());
      const message = String(backend.complete.at(-1)?.body);
      t.notMatch(message, /sum>/);
      writeFileSync(join(folder, 'sent.xml'), withKeyInside(message));
      const decrypted = run('--decrypt', '--privkey-pem', 'own.key', 'sent.xml');
      const text = decrypted.replace(/&#x([0-9A-F]+);/g, (_, hex: string) =>
        String.fromCodePoint(Number.parseInt(hex, 16)),
      );
      t.match(text, CONTENT, 'what the gateway has encrypted');
    }
  },
);
