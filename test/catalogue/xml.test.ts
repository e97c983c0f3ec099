import { createServer as createHttpServer, request } from 'node:http';
import { createServer } from 'node:net';
import t, { type Test } from 'tap';
import { DIALECT_NAMES } from '../../src/soap/dialect.js';
import type { Server } from '../bench/kit.js';
import { startKeys } from '../bench/soapstone.js';
import { listen } from '../kit/listen.js';
import { chunked, post, RawClient } from '../kit/raw-client.js';
import { splitsOf } from '../kit/splits.js';
import { fill } from '../perimeter/case-file.js';
import { expectAnswer } from './expect.js';
import { contentTypeOf, replyOf, runMessages, sendPieces, startPerimeter } from './messages.js';
import { Rows } from './rows.js';
import { UNFINISHED, withContent, xmlVectors } from './xml-vectors.js';

const rows = new Rows('xml');

t.test('messages that are not the XML of SOAP', async (t) => {
  // An address on which nobody must ever call.
  let calls = 0;
  const trap = createServer((socket) => {
    calls++;
    socket.destroy();
  });
  const { url } = await listen(t, trap);
  const perimeter = await startPerimeter(t);
  const vectors = xmlVectors(url);
  for (const id of new Set(vectors.map(({ row }) => row))) {
    const own = vectors.filter(({ row }) => row === id);
    await t.test(id, (t) => runMessages(t, perimeter, rows, own));
  }
  for (const id of ['X04', 'X05', 'X28'])
    t.equal(String(calls), rows.answer(id, 'connections opened'), id);
});

t.test(
  'what passes arrives byte for byte, and references, comments and CDATA as they were written',
  async (t) => {
    const { backend, gateway } = await startPerimeter(t);
    for (const { row, case: name, message, headers } of xmlVectors('http://127.0.0.1:1')) {
      if (rows.answer(row, name) !== 'pass') continue;
      const body = Buffer.from(typeof message === 'string' ? fill(message, '1.1') : message('1.1'));
      backend.complete.length = 0;
      if (headers?.['Content-Type']?.startsWith('application') === true) continue;
      await sendPieces(gateway.url, [post('/soap/s11', contentTypeOf('1.1'), body, headers)]);
      t.ok(backend.complete[0]?.body.equals(body), `${row} ${name}`);
    }
  },
);

t.test('what is too long is refused while it is still open', async (t) => {
  const { backend, gateway } = await startPerimeter(t);
  for (const [row, name, beginning] of UNFINISHED) {
    const client = await RawClient.connect(gateway.url);
    t.teardown(() => client.close());
    const begun = fill(beginning, '1.1');
    const announced = { 'Content-Length': String(begun.length + 1_000_000) };
    const reply = client.reply();
    await client.send(post('/soap/s11', contentTypeOf('1.1'), begun, announced));
    expectAnswer(t, await reply, rows.answer(row, name), '1.1', `${row} ${name}`);
    t.equal(backend.complete.length, 0, `${row} ${name}: nothing complete`);
  }
});

t.test('X12, with a limit that is soon reached', async (t) => {
  const perimeter = await startPerimeter(t, '', 'limits: { xml: { elements: 20000 } }\n');
  const content = (count: number): string => withContent('<a/>'.repeat(count));
  await runMessages(t, perimeter, rows, [
    { row: 'X12', case: 'as many as allowed', message: content(19_997) },
    { row: 'X12', case: 'one more', message: content(19_998) },
  ]);
});

/** A gateway in a process of its own, so that its memory can be told from that of the tests. */
async function startProcess(t: Test, url: string): Promise<Server> {
  const limits =
    'limits: { xml: { messageBytes: 2147483648 }, overload: { eventLoopMillis: 0 } }\n';
  const gateway = await startKeys(`services: { long: { url: "${url}" } }\n${limits}`);
  t.teardown(() => gateway.stop());
  return gateway;
}

const LONG = 128 * 1024 * 1024;

t.test('X33: a long element of base64 takes no memory', async (t) => {
  let received = 0;
  const server = createHttpServer((message, response) => {
    message.on('data', (chunk: Buffer) => {
      received += chunk.length;
    });
    message.on('end', () =>
      response.setHeader('content-type', contentTypeOf('1.1')).end(replyOf('1.1')),
    );
  });
  const gateway = await startProcess(t, `${(await listen(t, server)).url}/`);
  const [head = '', tail = ''] = fill(withContent('|'), '1.1').split('|');
  const block = Buffer.alloc(64 * 1024, 'QUJD');
  const send = (bytes: number): Promise<number> =>
    new Promise((resolve, reject) => {
      const call = request(`${gateway.url}/soap/long`, {
        method: 'POST',
        headers: {
          'Content-Type': contentTypeOf('1.1'),
          'Content-Length': head.length + bytes + tail.length,
        },
      });
      call
        .on('error', reject)
        .on('response', (response) =>
          response.resume().on('end', () => resolve(response.statusCode ?? 0)),
        );
      call.write(head);
      let sent = 0;
      const more = (): void => {
        while (sent < bytes) {
          sent += block.length;
          if (!call.write(block)) return void call.once('drain', more);
        }
        call.end(tail);
      };
      more();
    });
  // Warm: what a process takes for itself before it does anything long.
  await send(LONG / 4);
  received = 0;
  const { rssBytes } = await gateway.usage();
  t.equal(await send(LONG), 200, `X33 ${rows.answer('X33', 'one long element')}`);
  t.equal(received, head.length + LONG + tail.length, 'all of it arrived');
  const growth = (await gateway.usage()).rssPeakBytes - rssBytes;
  const [, mib] = /^at most (\d+) MiB$/.exec(rows.answer('X33', 'growth of resident memory')) ?? [];
  t.ok(growth <= Number(mib) * 1024 * 1024, `it grew by ${(growth / 1024 / 1024).toFixed(1)} MiB`);
});

t.test('X34: what is wrong at the very end of a long message', async (t) => {
  const { backend, gateway } = await startPerimeter(t);
  const body = Buffer.from(fill(withContent('x'.repeat(4 * 1024 * 1024)), '1.1'));
  body[body.length - 1] = 0x3c;
  const answer = rows.answer('X34', 'invalid at the last byte');
  const ways = [
    post('/soap/s11', contentTypeOf('1.1'), body),
    Buffer.concat([
      post('/soap/s11', contentTypeOf('1.1'), '', {
        'Content-Length': null,
        'Transfer-Encoding': 'chunked',
      }),
      chunked(body),
    ]),
  ];
  for (const bytes of ways) {
    const begun = backend.begun;
    expectAnswer(t, await sendPieces(gateway.url, [bytes]), answer, '1.1', 'X34');
    t.equal(backend.begun, begun + 1, 'it had begun');
    t.equal(backend.complete.length, 0, 'and never was complete');
  }
});

t.test('X35: every byte may be the end of a packet', async (t) => {
  const { backend, gateway } = await startPerimeter(t);
  const content = '<a b="&lt;é" m:c=\'\'>\r\n&#65;]]<![CDATA[]>]]><!-- - -->é€</a><a/>';
  for (const [name, tail] of [
    ['accepted', ''],
    ['malformed at its end', '</x>'],
  ] as const) {
    const answer = rows.answer('X35', name);
    for (const dialect of DIALECT_NAMES) {
      const body = Buffer.from(fill(withContent(content), dialect) + tail);
      const whole = post(
        `/soap/s${dialect.replaceAll(/[^0-9]/g, '')}`,
        contentTypeOf(dialect),
        body,
      );
      const head = whole.length - body.length;
      for (const [how, pieces] of splitsOf(body)) {
        // Every cut in one dialect, the others byte by byte.
        if (dialect !== '1.1' && how.startsWith('cut')) continue;
        backend.complete.length = 0;
        const reply = await sendPieces(gateway.url, [whole.subarray(0, head), ...pieces]);
        expectAnswer(t, reply, answer, dialect, `X35 ${name}, ${dialect}, ${how}`);
        t.equal(
          backend.complete.length,
          answer === 'pass' ? 1 : 0,
          `X35 ${name}, ${dialect}, ${how}: arrived`,
        );
        if (answer === 'pass')
          t.ok(backend.complete[0]?.body.equals(body), `X35 ${name}, ${how}: as it was sent`);
      }
    }
  }
});

t.test('the table is complete', async (t) => rows.assertComplete(t));
