import { join } from 'node:path';
import t from 'tap';
import { WITH_OPENSSL } from '../kit/certificates.js';
import { makeDecryptionKeys } from '../kit/decryption-keys.js';
import { encryptBody } from '../kit/encrypted-message.js';
import {
  cbcFailures,
  type FailureGroup,
  type FailureKeys,
  flipped,
  gcmFailures,
  rsaFailures,
} from '../kit/encryption-failures.js';
import { envelope, postSoap } from '../kit/envelope.js';
import { signedMessage } from '../kit/signed-message.js';
import { useVerifyingDesk } from '../kit/verifying-desk.js';

/**
 * Oracles: what an attacker learns from the answers to messages that it has altered. Their times
 * are measured by `test/bench/oracle.ts`.
 */

const GROUPS: Readonly<Record<string, (keys: FailureKeys, rows: number) => FailureGroup>> = {
  'AES-GCM with RSA-OAEP': gcmFailures,
  'RSA 1.5': rsaFailures,
  'AES-CBC': cbcFailures,
};

/** Shorter than the window, and longer. */
const ROWS = [20, 12_000] as const;

for (const [name, make] of Object.entries(GROUPS)) {
  t.test(`no answer tells failures of ${name} apart`, WITH_OPENSSL, async (t) => {
    const keys = makeDecryptionKeys(t);
    const signature = `\nsignature:
  authorities: { file: ${join(keys.folder, 'ca.pem')} }
  required: [Body]`;
    const answers = new Set<string>();
    for (const rows of ROWS) {
      const { keys: more, isSigned, messages } = make(keys, rows);
      const desk = await useVerifyingDesk(t, `${keys.decrypt(more)}${isSigned ? signature : ''}`);
      for (const [failure, message] of Object.entries(messages)) {
        const answer = await postSoap(`${desk.gateway.url}/soap/desk`, message);
        const text = await answer.text();
        const fields = ['connection', 'content-type', 'retry-after'].map((field) =>
          answer.headers.get(field),
        );
        t.match(text, 'wsse:FailedCheck', `${rows} rows: ${failure}`);
        const shown = text.replaceAll(/ id="[^"]*"|<id>[^<]*<\/id>/g, '');
        answers.add(`${answer.status} ${fields.join(' ')} ${shown}`);
      }
      t.equal(desk.received.length, 0, 'none is complete at the backend');
    }
    t.equal(answers.size, 1, [...answers].join('\n'));
  });
}

t.test('refusals of content wait for its tag and its signature', WITH_OPENSSL, async (t) => {
  const keys = makeDecryptionKeys(t);
  const signature = `signature:
  authorities: { file: ${join(keys.folder, 'ca.pem')} }
  required: [Body]`;
  const signed = await useVerifyingDesk(t, `${keys.decrypt()}\n${signature}`);
  const plain = await useVerifyingDesk(t, keys.decrypt());
  const deep = `<Pay xmlns="urn:desk">${'<a>'.repeat(200)}${'</a>'.repeat(200)}</Pay>`;
  const other = '<Hay xmlns="urn:desk"></Hay>'.repeat(2);
  const forge = (message: string): string => message.replace('urn:desk', 'urn:desk ');
  for (const [content, told] of [
    [deep, 'XML_DEPTH_LIMIT'],
    [other, 'SOAP_MULTI_BODY'],
  ] as const) {
    const tag = { alter: flipped(-1) };
    t.equal(await plain.send(encryptBody(envelope(content), keys.own)), told);
    t.equal(await plain.send(encryptBody(envelope(content), keys.own, tag)), 'wsse:FailedCheck');
    const { message } = signedMessage(keys.client, content);
    t.equal(await signed.send(encryptBody(forge(message), keys.own)), 'wsse:FailedCheck');
    t.equal(await signed.send(encryptBody(message, keys.own, tag)), 'wsse:FailedCheck');
    // What a limit ends is not read on, so its signature is not verified.
    const expected = content === deep ? 'wsse:FailedCheck' : told;
    t.equal(await signed.send(encryptBody(message, keys.own)), expected);
  }
});
