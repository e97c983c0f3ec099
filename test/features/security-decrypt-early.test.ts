import { once } from 'node:events';
import { createServer, type RequestListener, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import t, { type Test } from 'tap';
import { WITH_OPENSSL } from '../kit/certificates.js';
import { type DecryptionKeys, makeDecryptionKeys } from '../kit/decryption-keys.js';
import { encryptBody } from '../kit/encrypted-message.js';
import { envelope, faultOf, postSoap } from '../kit/envelope.js';
import { useGateway } from '../kit/use.js';

/** Answers that would come before the content of a flowing request is verified. */

const LONG = `<Pay xmlns="urn:desk">${'<sum>10</sum>'.repeat(40_000)}</Pay>`;
/** Bytes at the end of a message that are sent later: the tag is in them. */
const LAST_BYTES = 400;

/** A server that answers by `listener`, which may leave its request unread. */
async function listen(t: Test, listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

interface Sending {
  /** The status and text of the answer; null while there is none. */
  answer: string | null;
  finish(): Promise<string>;
}

/** Sends all but the last bytes of a message. */
function sendMost(t: Test, url: string, message: string): Sending {
  const headers = {
    'content-type': 'text/xml',
    soapaction: '""',
    'content-length': Buffer.byteLength(message),
  };
  const posted = request(url, { method: 'POST', headers });
  const sending: Sending = {
    answer: null,
    async finish() {
      posted.end(message.slice(-LAST_BYTES));
      return await answered;
    },
  };
  const answered = new Promise<string>((resolve, reject) => {
    posted.on('error', reject).on('response', (response) => {
      let text = `${response.statusCode} `;
      sending.answer = text;
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => resolve(text)).on('error', reject);
    });
  });
  t.teardown(() => posted.destroy());
  posted.write(message.slice(0, -LAST_BYTES));
  return sending;
}

const configuration = (backend: string, keys: DecryptionKeys, further = ''): string => `services:
  desk:
    url: ${backend}/desk
    namespace: urn:desk
    types: |
      type Query { pay(sum: String): String }
    operations:
      Pay: { field: Query.pay, read: {} }
    security:
      verify: { ${keys.decrypt(', required: [Body]')} }
${further}`;

const alterTag = (bytes: Buffer): Buffer => {
  const altered = Buffer.from(bytes);
  altered[altered.length - 1] = (altered.at(-1) ?? 0) ^ 1;
  return altered;
};

/** The shown part of a Fault: all but its own id. */
const shown = (answer: string): string => answer.replaceAll(/ id="[^"]*"|<id>[^<]*<\/id>/g, '');

t.test('an early reply waits until the content is verified', WITH_OPENSSL, async (t) => {
  const keys = makeDecryptionKeys(t);
  const replies: readonly (readonly [number, string, RegExp])[] = [
    [500, envelope(faultOf('s:Server', 'seen')), /^500 .*seen/s],
    [200, envelope('<PayResponse xmlns="urn:desk">seen</PayResponse>'), /^200 .*seen/s],
  ];
  const faults = new Set<string>();
  for (const [status, text, told] of replies) {
    let answers = 0;
    const backend = await listen(t, (incoming, response) => {
      // The first bytes: the rest is read, and comes later.
      incoming.once('data', () => {
        response.on('finish', () => answers++);
        response.writeHead(status, { 'content-type': 'text/xml' }).end(text);
      });
    });
    const gateway = await useGateway(t, configuration(backend, keys));
    for (const alter of [null, alterTag]) {
      const options = alter === null ? {} : { alter };
      const message = encryptBody(envelope(LONG), keys.own, options);
      const before = answers;
      const sending = sendMost(t, `${gateway.url}/soap/desk`, message);
      while (answers === before) await new Promise((resolve) => setImmediate(resolve));
      // A whole exchange later there is no answer yet.
      const other = await postSoap(`${gateway.url}/soap/desk`, envelope(LONG));
      await other.text();
      t.equal(sending.answer, null, 'no answer while the tag is missing');
      const answer = await sending.finish();
      if (alter === null) {
        t.match(answer, told, 'the reply of the backend');
      } else {
        t.match(answer, 'wsse:FailedCheck');
        t.notMatch(answer, 'seen');
        faults.add(shown(answer));
      }
    }
  }
  t.equal(faults.size, 1);
});

t.test('a call that fails early is answered behind the tag', WITH_OPENSSL, async (t) => {
  const keys = makeDecryptionKeys(t);
  const server = createServer((incoming) => incoming.socket.destroy());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const closing = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const gateway = await useGateway(t, configuration(closing, keys));
  const url = `${gateway.url}/soap/desk`;
  const broken = LONG.replace('<sum>10</sum>', '<sum>10</sam>');
  const outcomes = new Set<string>();
  for (const content of [LONG, broken]) {
    const altered = encryptBody(envelope(content), keys.own, { alter: alterTag });
    const sending = sendMost(t, url, altered);
    for (let exchange = 0; exchange < 3; exchange++) {
      await (await postSoap(url, envelope(LONG))).text();
    }
    t.equal(sending.answer, null, 'no answer while the tag is missing');
    outcomes.add(shown(await sending.finish()));
  }
  t.equal(outcomes.size, 1, 'content that reaches no backend is answered alike');
  t.match([...outcomes][0], 'wsse:FailedCheck');
  const sound = sendMost(t, url, encryptBody(envelope(LONG), keys.own));
  t.match(await sound.finish(), /UPSTREAM_/, 'of verified content the failure is told');
});

t.test('a refusal of a flowing operation waits for its tag', WITH_OPENSSL, async (t) => {
  const keys = makeDecryptionKeys(t);
  const backend = await listen(t, (incoming, response) => {
    incoming.resume().on('end', () => response.writeHead(200).end());
  });
  const clients = `clients:
  address: { class: guest }
  classes:
    guest: { deny: [desk.Pay] }`;
  const gateway = await useGateway(t, configuration(backend, keys, clients));
  const url = `${gateway.url}/soap/desk`;
  for (const [alter, told] of [
    [alterTag, 'wsse:FailedCheck'],
    [(bytes: Buffer): Buffer => bytes, 'FORBIDDEN'],
  ] as const) {
    const sending = sendMost(t, url, encryptBody(envelope(LONG), keys.own, { alter }));
    await (await postSoap(url, envelope(LONG))).text();
    t.equal(sending.answer, null);
    t.match(await sending.finish(), told);
  }
});
