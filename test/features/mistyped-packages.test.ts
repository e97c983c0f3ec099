import t from 'tap';
import type { RecordingBackend } from '../kit/backend.js';
import { envelope } from '../kit/envelope.js';
import { ENDPOINTS, item, startReplyDesk } from '../kit/reply-desk.js';

const reply =
  (text: string, type: string | null = 'text/xml; charset=utf-8'): RecordingBackend['answer'] =>
  (_message, response) => {
    response.writeHead(200, type === null ? {} : { 'content-type': type }).end(text);
  };

const packaged = (start = ''): string =>
  `${start}--MIMEBoundary_1\r\nContent-Type: application/xop+xml; charset=UTF-8; ` +
  'type="text/xml"\r\nContent-Transfer-Encoding: binary\r\nContent-ID: <0@backend>\r\n\r\n' +
  `${envelope(item())}\r\n--MIMEBoundary_1--\r\n`;

t.test('a package of parts under another media type is read as one', async (t) => {
  const wrong = [
    ...['text/xml; charset=utf-8', 'application/soap+xml', 'text/plain', null].map((type) =>
      reply(packaged(), type),
    ),
    reply(packaged('\r\n')),
    reply(packaged().replaceAll('\r\n', '\n')),
  ];
  const keys = '    attachments: true\n';
  const desk = await startReplyDesk(t, { keys: `${keys}    tolerate: [media-type]\n` });
  const strict = await startReplyDesk(t, { keys });
  let count = 0;
  for (const answer of wrong) {
    desk.backend.answer = answer;
    strict.backend.answer = answer;
    for (const endpoint of ENDPOINTS) {
      const got = await desk.call(endpoint);
      t.match(got.text, 'nail', `${endpoint}: ${got.text}`);
      const line = await desk.gateway.accessLine(++count);
      t.same(line['tolerated'], ['media-type'], endpoint);
      if (endpoint === 'soap') {
        t.match(got.headers.get('content-type'), /^multipart\/related; boundary="MIMEBoundary_1"/);
      }
      t.notMatch((await strict.call(endpoint)).text, 'nail', endpoint);
      t.same((await strict.gateway.accessLine(count))['tolerate'], ['media-type'], endpoint);
    }
  }
  for (const start of ['', '\r\n']) {
    const split = Buffer.from(packaged(start));
    for (let at = 1; at < 40; at++) {
      desk.backend.answer = (_message, response) => {
        response.writeHead(200, { 'content-type': 'text/xml' });
        response.write(split.subarray(0, at));
        setImmediate(() => response.end(split.subarray(at)));
      };
      const label = `${start.length} bytes before it, split at ${at}`;
      t.match((await desk.call('graphql')).text, 'nail', label);
    }
  }
  for (const [label, text] of [
    ['a line of dashes', `${'-'.repeat(200)}\r\n`],
    ['a boundary that does not end', `--${'a'.repeat(200)}\r\n`],
    ['no line at all', '--'],
    ['another boundary behind it', packaged().replace('\r\n--MIMEBoundary_1--', '\r\n--other--')],
  ] as const) {
    desk.backend.answer = reply(text);
    t.match((await desk.call('soap')).text, 'UPSTREAM_INVALID_RESPONSE', label);
  }
});
