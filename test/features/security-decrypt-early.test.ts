import { createServer, type RequestListener, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import t, { type Test } from 'tap';
import { WITH_OPENSSL } from '../kit/certificates.js';
import { makeDecryptionKeys } from '../kit/decryption-keys.js';
import { encryptBody } from '../kit/encrypted-message.js';
import { envelope, faultOf } from '../kit/envelope.js';
import { useGateway } from '../kit/use.js';

/** Answers that would come before the content of a flowing request is verified. */

const LONG = `<Pay xmlns="urn:desk">${'<sum>10</sum>'.repeat(40_000)}</Pay>`;

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

/** Sends all but the last bytes of a message: the text of the answer. */
function sendMost(t: Test, url: string, message: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = {
      'content-type': 'text/xml',
      soapaction: '""',
      'content-length': Buffer.byteLength(message),
    };
    const sending = request(url, { method: 'POST', headers }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => resolve(text)).on('error', reject);
    });
    sending.on('error', reject);
    t.teardown(() => sending.destroy());
    sending.write(message.slice(0, -400));
  });
}

t.test('no early answer of a backend tells of unverified content', WITH_OPENSSL, async (t) => {
  const keys = makeDecryptionKeys(t);
  const replies: readonly (readonly [number, string])[] = [
    [500, envelope(faultOf('s:Server', 'seen'))],
    [200, envelope('<PayResponse xmlns="urn:desk">seen</PayResponse>')],
    [200, ''],
    [503, 'seen'],
  ];
  for (const [status, text] of replies) {
    const backend = await listen(t, (_request, response) => {
      response.writeHead(status, { 'content-type': 'text/xml' }).end(text);
    });
    const gateway = await useGateway(
      t,
      `services:
  desk:
    url: ${backend}/desk
    namespace: urn:desk
    types: |
      type Query { pay(sum: String): String }
    operations:
      Pay: { field: Query.pay, read: {} }
    security:
      verify: { ${keys.decrypt(', required: [Body]')} }`,
    );
    const message = encryptBody(envelope(LONG), keys.own);
    const answer = await sendMost(t, `${gateway.url}/soap/desk`, message);
    t.match(answer, 'wsse:FailedCheck', `${status} ${text}`);
    t.notMatch(answer, 'seen');
  }
});
