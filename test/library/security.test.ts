import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import {
  ConfigurationError,
  MessageError,
  signMessage,
  type VerifyingStream,
  type VerifyKeys,
  verifyStream,
} from '../../src/library/security.js';
import { makeKeys, WITH_OPENSSL } from '../kit/certificates.js';
import { encryptBody } from '../kit/encrypted-message.js';
import { envelope } from '../kit/envelope.js';
import { messageOf, securityOf, signedMessage, userToken } from '../kit/signed-message.js';

/** WS-Security as web streams. */

const CONTENT = '<Pay xmlns="urn:desk"><sum>10</sum></Pay>';

/** Longer than what is held until its head is verified. */
const LONG = `<Pay xmlns="urn:desk">${'<sum>10</sum>'.repeat(40_000)}</Pay>`;

function keysOf(t: Test) {
  const { folder, identity } = makeKeys(t, '/O=Bank/OU=Clients/CN=erp');
  const verify: VerifyKeys = {
    timestamp: { required: true },
    signature: {
      authorities: { file: join(folder, 'ca.pem') },
      subjects: ['OU=Clients'],
      required: ['Body', 'Timestamp'],
    },
  };
  return { folder, identity, verify };
}

interface Piped {
  /** What came out before the end, or before the error. */
  readonly text: string;
  readonly error: unknown;
}

/** Sends a text in parts through a stream. */
async function pipe(
  text: string,
  through: Pick<VerifyingStream, 'readable' | 'writable'>,
  partBytes = 1000,
): Promise<Piped> {
  const bytes = new TextEncoder().encode(text);
  const source = new ReadableStream<Uint8Array>({
    start(controller) {
      for (let at = 0; at < bytes.length; at += partBytes) {
        controller.enqueue(bytes.subarray(at, at + partBytes));
      }
      controller.close();
    },
  });
  const parts: Uint8Array[] = [];
  let error: unknown = null;
  try {
    for await (const part of source.pipeThrough(through)) {
      parts.push(part);
    }
  } catch (caught) {
    error = caught;
  }
  return { text: Buffer.concat(parts).toString(), error };
}

const codeOf = ({ error }: Piped): string | null =>
  error instanceof MessageError ? error.code : null;

t.test('a verified message passes byte for byte, with its sender', WITH_OPENSSL, async (t) => {
  const { identity, verify } = keysOf(t);
  for (const content of [CONTENT, LONG]) {
    const { message } = signedMessage(identity, content);
    const through = verifyStream(verify);
    const { text, error } = await pipe(message, through);
    t.equal(error, null);
    t.equal(text, message);
    t.match(await through.verified, { subject: /CN=erp/, user: null, assertion: null });
  }
});

t.test('a message that fails is never complete at the reader', WITH_OPENSSL, async (t) => {
  const { identity, verify } = keysOf(t);
  for (const content of [CONTENT, LONG]) {
    const { message } = signedMessage(identity, content);
    const at = message.lastIndexOf('10</sum>');
    for (const [name, altered] of [
      ['a changed value', `${message.slice(0, at)}99${message.slice(at + 2)}`],
      ['a cut message', message.slice(0, -1)],
      ['another element behind Body', message.replace('</s:Envelope>', '<a/></s:Envelope>')],
    ] as const) {
      const through = verifyStream(verify);
      const piped = await pipe(altered, through);
      t.ok(codeOf(piped), name);
      t.notMatch(piped.text, '</s:Envelope>', name);
      await t.rejects(through.verified, piped.error as Error);
    }
  }
  t.equal(codeOf(await pipe(envelope(CONTENT), verifyStream(verify))), 'wsse:InvalidSecurity');
  t.equal(codeOf(await pipe('', verifyStream(verify))), 'XML_NOT_WELLFORMED');
});

t.test('the rules hold for a whole program: a message may come once', WITH_OPENSSL, async (t) => {
  const { identity, verify } = keysOf(t);
  const once = { ...verify, once: true };
  const { message } = signedMessage(identity, CONTENT);
  t.equal((await pipe(message, verifyStream(once))).error, null);
  t.equal(codeOf(await pipe(message, verifyStream(once))), 'wsse:FailedAuthentication');
});

t.test('a user is verified before anything goes on', async (t) => {
  const rules = { usernameToken: { users: { ann: { password: 'secret-of-ann' } } } };
  const messageFrom = (password: string): string =>
    messageOf(securityOf([userToken('ann', password)]), `<s:Body>${CONTENT}</s:Body>`);
  const through = verifyStream(rules);
  t.equal((await pipe(messageFrom('secret-of-ann'), through)).error, null);
  t.match(await through.verified, { user: 'ann', subject: null });
  const wrong = await pipe(messageFrom('other'), verifyStream(rules));
  t.equal(wrong.text, '');
  t.equal(codeOf(wrong), 'wsse:FailedAuthentication');
});

t.test('a message is signed, and verified by what signs', WITH_OPENSSL, async (t) => {
  const { folder, verify } = keysOf(t);
  const make = {
    timestamp: true,
    signature: { cert: { file: 'c.pem' }, key: { file: 'k.pem' }, parts: ['Body', 'Timestamp'] },
  };
  for (const content of [CONTENT, LONG]) {
    const signed = await pipe(envelope(content), signMessage(make, { folder }));
    t.equal(signed.error, null);
    t.ok(signed.text.includes(content));
    const again = await pipe(signed.text, signMessage(make, { folder }));
    t.equal(again.text.match(/<ds:SignatureValue>/g)?.length, 1, 'a block is replaced');
    for (const text of [signed.text, again.text]) {
      t.equal((await pipe(text, verifyStream(verify))).text, text);
    }
  }
  t.equal(codeOf(await pipe('<no/>', signMessage(make, { folder }))), 'SOAP_NOT_ENVELOPE');
  const limits = { soap: { bufferBytes: 100_000 } };
  t.equal(
    codeOf(await pipe(envelope(LONG), signMessage(make, { folder, limits }))),
    'HTTP_TOO_LARGE',
  );
});

t.test('rules that cannot be used end a stream with their key', async (t) => {
  for (const [rules, problem] of [
    [{ signatur: {} }, /signatur/],
    [{ signature: { authorities: { file: 'nowhere.pem' }, required: ['Body'] } }, /nowhere.pem/],
    [{}, /demands nothing/],
  ] as const) {
    const untyped: object = rules;
    const { error } = await pipe(envelope(CONTENT), verifyStream(untyped));
    t.ok(error instanceof ConfigurationError, String(error));
    t.match(String(error), problem);
  }
});

t.test('a message whose sender or reader leaves is not verified', WITH_OPENSSL, async (t) => {
  const { identity, verify } = keysOf(t);
  const bytes = new TextEncoder().encode(signedMessage(identity, LONG).message);
  const cut = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(bytes.subarray(0, 100_000));
    },
    pull(controller) {
      controller.error(new Error('the sender has gone'));
    },
  });
  const sent = verifyStream(verify);
  await t.rejects(new Response(cut.pipeThrough(sent)).text());
  await t.rejects(sent.verified, /the sender has gone/);

  const read = verifyStream(verify);
  const reader = new Blob([bytes]).stream().pipeThrough(read).getReader();
  await reader.read();
  await reader.cancel(new Error('the reader has gone'));
  await t.rejects(read.verified, /the reader has gone/);
});

t.test(
  'encrypted content comes out as it was, where the rules ask for it',
  WITH_OPENSSL,
  async (t) => {
    const { folder, identity } = keysOf(t);
    const key = { key: { file: 'k.pem' }, cert: { file: 'c.pem' } };
    const rules = { decrypt: { keys: [key], required: ['Body'] } };
    for (const content of [CONTENT, LONG]) {
      const encrypted = encryptBody(envelope(content), identity);
      const { text, error } = await pipe(encrypted, verifyStream(rules, { folder }));
      t.equal(error, null);
      t.ok(text.includes(content));
      const at = encrypted.lastIndexOf('</xenc:CipherValue>') - 40;
      const other = encrypted[at] === 'A' ? 'B' : 'A';
      const altered = `${encrypted.slice(0, at)}${other}${encrypted.slice(at + 1)}`;
      const failed = await pipe(altered, verifyStream(rules, { folder }));
      t.equal(codeOf(failed), 'wsse:FailedCheck');
      t.notMatch(failed.text, '</s:Envelope>');
    }
    t.ok(codeOf(await pipe(envelope(CONTENT), verifyStream(rules, { folder }))), 'it is required');
  },
);

t.test('the variables that rules name are those of the call', async (t) => {
  const rules = { usernameToken: { username: 'desk', password: `\${PW}` } };
  for (const PW of ['first', 'second']) {
    const { text } = await pipe(envelope(CONTENT), signMessage(rules, { environment: { PW } }));
    t.match(text, `>${PW}<`);
  }
});

t.test('rules with a file that is missing are read again', async (t) => {
  const folder = t.testdir();
  const rules = { usernameToken: { username: 'desk', password: { file: 'password' } } };
  const { error } = await pipe(envelope(CONTENT), signMessage(rules, { folder }));
  t.ok(error instanceof ConfigurationError, String(error));
  writeFileSync(join(folder, 'password'), 'third');
  t.match((await pipe(envelope(CONTENT), signMessage(rules, { folder }))).text, '>third<');
});
