import { t } from 'tap';
import { startScriptedBackend } from '../kit/backend.js';
import { envelope, postSoap } from '../kit/envelope.js';
import { startTestGateway } from '../kit/gateway.js';

const REPLY = envelope('<t:GetItResponse xmlns:t="urn:t">x</t:GetItResponse>');
const SIZE = REPLY.length.toString(16);
const LENGTH = `Content-Length: ${REPLY.length}`;
const CHUNKED = 'HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\nTransfer-Encoding: chunked\r\n\r\n';

/** Replies of backends, and what the log has of each; null for one that passes. */
const REPLIES: readonly (readonly [title: string, bytes: string, detail: RegExp | null])[] = [
  ['a blank behind the chunk size', `${CHUNKED}${SIZE} \r\n${REPLY}\r\n0\r\n\r\n`, null],
  ['blanks behind the last chunk size', `${CHUNKED}${SIZE}\r\n${REPLY}\r\n0   \r\n\r\n`, null],
  ['blanks before a chunk extension', `${CHUNKED}${SIZE}  ;a=b\r\n${REPLY}\r\n0\r\n\r\n`, null],
  [
    'a letter in a chunk size',
    `${CHUNKED}g\r\n${REPLY}\r\n0\r\n\r\n`,
    /^HTTP: Invalid character in chunk size$/,
  ],
  [
    'length and chunks',
    `HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\n${LENGTH}\r\nTransfer-Encoding: ` +
      `chunked\r\n\r\n${SIZE}\r\n${REPLY}\r\n0\r\n\r\n`,
    /^HTTP: .*behind its Content-Length/,
  ],
  [
    'a folded field',
    `HTTP/1.1 200 OK\r\nContent-Type: text/xml;\r\n charset=utf-8\r\n${LENGTH}\r\n\r\n${REPLY}`,
    /^HTTP: Unexpected/i,
  ],
  [
    'a blank before the colon',
    `HTTP/1.1 200 OK\r\nServer : x\r\nContent-Type: text/xml\r\n${LENGTH}\r\n\r\n${REPLY}`,
    /^HTTP: Invalid header token$/i,
  ],
  [
    'lines that end with LF',
    `HTTP/1.1 200 OK\nContent-Type: text/xml\n${LENGTH}\n\n${REPLY}`,
    /^HTTP: Missing expected CR/,
  ],
  [
    'a field name with blanks',
    `HTTP/1.1 200 OK\r\nX Powered By: y\r\nContent-Type: text/xml\r\n${LENGTH}\r\n\r\n${REPLY}`,
    /^HTTP: Invalid header token$/i,
  ],
  [
    'NUL in a field',
    `HTTP/1.1 200 OK\r\nX-A: a\0b\r\nContent-Type: text/xml\r\n${LENGTH}\r\n\r\n${REPLY}`,
    /^HTTP: Invalid header value char$/i,
  ],
];

t.test('The log has the reason for which the parser of HTTP refuses a reply', async (t) => {
  let bytes = '';
  const backend = await startScriptedBackend((socket) => socket.write(bytes, 'latin1'));
  const gateway = await startTestGateway(
    `services: { s: { url: "${backend.url}/s" } }\nlimits: { upstream: { breakerFailures: 0 } }\n`,
  );
  t.teardown(async () => {
    await gateway.close();
    await backend.close();
  });
  let count = 0;
  for (const [title, reply, detail] of REPLIES) {
    bytes = reply;
    const answer = await postSoap(`${gateway.url}/soap/s`, envelope('<t:GetIt xmlns:t="urn:t"/>'));
    const text = await answer.text();
    const line = await gateway.accessLine(++count);
    if (detail === null) t.equal(answer.status, 200, title);
    else {
      t.match(text, 'UPSTREAM_INVALID_RESPONSE', title);
      t.match(String(line['detail']), detail, title);
    }
  }
});
