import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { WITH_OPENSSL } from '../kit/certificates.js';
import { makeDecryptionKeys } from '../kit/decryption-keys.js';
import { envelope } from '../kit/envelope.js';
import { RawClient } from '../kit/raw-client.js';
import { securityOf, signedMessage, WSU } from '../kit/signed-message.js';
import { useVerifyingDesk, type VerifyingDesk } from '../kit/verifying-desk.js';

/** Messages that came before, sent so slowly that their time ends while they come. */

const CONTENT = '<Pay xmlns="urn:desk"><sum>10</sum></Pay>';
const DIGEST =
  'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-username-token-profile-1.0#' +
  'PasswordDigest';

/** Sends a message up to `at`, and the rest behind the end of its time. */
async function sendSlowly(
  t: Test,
  desk: VerifyingDesk,
  message: string,
  at: string,
): Promise<string> {
  const client = await RawClient.connect(desk.gateway.url);
  t.teardown(() => client.socket.destroy());
  const cut = message.indexOf(at);
  await client.send(
    'POST /soap/desk HTTP/1.1\r\nHost: a\r\nContent-Type: text/xml\r\nSOAPAction: ""\r\n' +
      `Content-Length: ${Buffer.byteLength(message)}\r\n\r\n${message.slice(0, cut)}`,
  );
  // Another request is answered behind the first part of this one.
  await (await fetch(`${desk.gateway.url}/soap/desk`)).text();
  const now = Date.now;
  Date.now = () => now() + 600_001;
  try {
    await client.send(message.slice(cut));
    const { body } = await client.reply();
    return /<code>([^<]*)<\/code>/.exec(body)?.[1] ?? 'none';
  } finally {
    Date.now = now;
  }
}

/** It comes once, then again in time, then so slowly that its time ends. */
async function assertOnce(t: Test, desk: VerifyingDesk, make: () => string): Promise<void> {
  for (const at of ['<s:Header>', '</wsse:Security>', '<s:Body']) {
    const message = make();
    t.equal(await desk.send(message), null);
    t.equal(await desk.send(message), 'wsse:FailedAuthentication');
    const { length } = desk.received;
    t.match(await sendSlowly(t, desk, message, at), /^wsse:/, `cut at ${at}`);
    t.equal(desk.received.length, length);
  }
}

t.test('a signed message that comes slowly is taken once', WITH_OPENSSL, async (t) => {
  const keys = makeDecryptionKeys(t);
  const authorities = `authorities: { file: ${join(keys.folder, 'ca.pem')} }`;
  const signature = `signature: { ${authorities}, required: [Body, Timestamp] }`;
  const desk = await useVerifyingDesk(t, `once: true\n${signature}`);
  await assertOnce(t, desk, () => signedMessage(keys.client, CONTENT).message);
});

t.test('a nonce that comes slowly is taken once', async (t) => {
  const desk = await useVerifyingDesk(t, 'usernameToken: { users: { erp: { password: one } } }');
  await assertOnce(t, desk, () => {
    const nonce = randomBytes(16);
    const created = new Date().toISOString();
    const digest = createHash('sha1').update(nonce).update(created).update('one').digest('base64');
    const token =
      `<wsse:UsernameToken><wsse:Username>erp</wsse:Username><wsse:Password Type="${DIGEST}">` +
      `${digest}</wsse:Password><wsse:Nonce>${nonce.toString('base64')}</wsse:Nonce>` +
      `<u:Created xmlns:u="${WSU}">${created}</u:Created></wsse:UsernameToken>`;
    return envelope(CONTENT, securityOf([token]));
  });
});
