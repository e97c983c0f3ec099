import t from 'tap';
import type { RecordingBackend } from '../kit/backend.js';
import { envelope } from '../kit/envelope.js';
import { ENDPOINTS, item, startReplyDesk } from '../kit/reply-desk.js';

const TYPE =
  'multipart/related; type="application/xop+xml"; start="<root@b>"; ' +
  'start-info="text/xml"; boundary=edge';
/** Content that would be repaired in an envelope. */
const BINARY = Buffer.from([0, 1, 2, 0x0d, 0x0a, 0x2d, 0x2d, 0x65, 0, 3]);

const packageOf = (root: string): Buffer =>
  Buffer.concat([
    Buffer.from(
      '--edge\r\nContent-Type: application/xop+xml; charset=utf-8; type="text/xml"\r\n' +
        `Content-ID: <root@b>\r\nContent-Transfer-Encoding: binary\r\n\r\n${root}\r\n--edge\r\n` +
        'Content-Type: application/octet-stream\r\nContent-ID: <part@b>\r\n\r\n',
    ),
    BINARY,
    Buffer.from('\r\n--edge--\r\n'),
  ]);

const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>';
const ROOT = `\n${DECLARATION}${envelope(item('na\x01&#2;il').replaceAll('urn:t', 'urn:old'))}\0`;
const NAME = 'na\ufffd\ufffdil';
const KEYS =
  '    tolerate: [leading-space, control-characters, trailing-bytes, wrapper]\n' +
  '    attachments: true\n';

const inPieces =
  (bytes: Buffer, at: readonly number[]): RecordingBackend['answer'] =>
  (_message, response) => {
    response.writeHead(200, { 'content-type': TYPE });
    const ends = [...at, bytes.length];
    const next = (index: number, from: number): void => {
      const end = ends[index];
      if (end === undefined) {
        response.end();
        return;
      }
      response.write(bytes.subarray(from, end));
      setImmediate(next, index + 1, end);
    };
    next(0, 0);
  };

t.test('the envelope of a package is repaired, and no other part, at every split', async (t) => {
  const desk = await startReplyDesk(t, { keys: KEYS });
  const bytes = packageOf(ROOT);
  const splits = [[], ...Array.from({ length: 40 }, (_, index) => [1 + index * 13])];
  splits.push(Array.from({ length: bytes.length - 1 }, (_, index) => index + 1));
  for (const at of splits) {
    desk.backend.answer = inPieces(
      bytes,
      at.filter((each) => each < bytes.length),
    );
    for (const endpoint of at.length === 1 ? (['graphql', 'soap'] as const) : ENDPOINTS) {
      const got = await desk.call(endpoint);
      t.ok(got.text.includes(NAME), `${at.length} splits, ${at[0]}, ${endpoint}: ${got.text}`);
      if (endpoint !== 'soap') continue;
      t.ok(got.text.includes(`\r\n\r\n${DECLARATION}<s:Envelope`), got.text);
      t.ok(got.text.includes('</s:Envelope>\r\n--edge\r\n'));
      t.ok(got.text.includes('<t:GetItemResponse xmlns:t="urn:t" xmlns="urn:t">'));
      t.ok(got.text.includes(`\r\n\r\n${BINARY.toString('latin1')}\r\n--edge--`));
    }
  }
});

t.test('a long reply is repaired while it streams', async (t) => {
  const desk = await startReplyDesk(t, { keys: KEYS });
  const long = 'x\x01'.repeat(200_000);
  const bytes = Buffer.from(`\n${DECLARATION}${envelope(item(long))}\0`);
  desk.backend.answer = (_message, response) => {
    response.writeHead(200, { 'content-type': 'text/xml' }).end(bytes);
  };
  const sent = await desk.call('soap');
  t.equal(sent.text, `${DECLARATION}${envelope(item('x\ufffd'.repeat(200_000)))}`);
  const read = await desk.call('graphql');
  t.equal(JSON.parse(read.text).data.getItem.name, 'x\ufffd'.repeat(200_000));
});

t.test('a reply that is cached or shared keeps its tolerated form', async (t) => {
  const desk = await startReplyDesk(t, {
    keys: `${KEYS}    operations: { GetItem: { read: { cacheMillis: 60000 } } }\n`,
  });
  let calls = 0;
  desk.backend.answer = (_message, response) => {
    calls++;
    setTimeout(() => response.writeHead(200, { 'content-type': 'text/xml' }).end(ROOT), 50);
  };
  const all = await Promise.all([desk.call('soap'), desk.call('soap'), desk.call('soap')]);
  all.push(await desk.call('soap'));
  for (const { text } of all) {
    t.ok(text.includes(NAME));
    t.ok(text.includes('xmlns:t="urn:t"'));
    t.notOk(text.includes('\0'));
  }
  t.equal(calls, 1);
});

t.test('no more NUL is dropped behind a reply than a message may have bytes', async (t) => {
  const desk = await startReplyDesk(t, {
    keys: '    tolerate: [trailing-bytes]\n    limits: { xml: { messageBytes: 4096 } }\n',
  });
  for (const [count, isRead] of [
    [4096, true],
    [4097, false],
  ] as const) {
    desk.backend.answer = (_message, response) => {
      const bytes = `${envelope(item())}${'\0'.repeat(count)}`;
      response.writeHead(200, { 'content-type': 'text/xml' }).end(bytes);
    };
    t.equal((await desk.call('graphql')).text.includes('"name":"nail"'), isRead, `${count}`);
  }
});
