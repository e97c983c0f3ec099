import { readFile } from 'node:fs/promises';
import { deflateSync, gzipSync } from 'node:zlib';
import t from 'tap';
import { answerStatus } from '../kit/backend.js';
import { envelope } from '../kit/envelope.js';
import { ENDPOINTS, item, startReplyDesk } from '../kit/reply-desk.js';
import { until } from '../kit/until.js';
import { useFolder, useService } from '../kit/use.js';

/** Inputs that users of other gateways and clients have reported. */

const XML = 'text/xml; charset=utf-8';
const REPLY = envelope(item());
const HALVES = [REPLY.slice(0, 50), REPLY.slice(50)].map((half) => gzipSync(half));

function altered(bytes: Buffer, at: number): Buffer {
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  return bytes;
}

type Fields = Readonly<Record<string, string>>;

/** Heads of replies: the content, and the detail of the refusal; null where they are read. */
const REPLIES: Readonly<Record<string, readonly [Fields, string | Buffer, RegExp | null]>> = {
  'a page of old ASP': [{ 'content-type': 'text/html; charset=utf-8' }, REPLY, /media type/],
  'a text': [{ 'content-type': 'text/plain' }, REPLY, /media type/],
  bytes: [{ 'content-type': 'application/octet-stream' }, REPLY, /media type/],
  'the type of a part': [
    { 'content-type': 'application/xop+xml; charset=utf-8; type="text/xml"' },
    REPLY,
    /media type/,
  ],
  'an empty coding': [{ 'content-type': XML, 'content-encoding': '' }, REPLY, null],
  'a charset as coding': [{ 'content-type': XML, 'content-encoding': 'UTF-8' }, REPLY, null],
  'an encoding of mail': [{ 'content-type': XML, 'content-encoding': '8bit' }, REPLY, null],
  deflate: [{ 'content-type': XML, 'content-encoding': 'deflate' }, deflateSync(REPLY), /coding/],
  'two members of gzip': [
    { 'content-type': XML, 'content-encoding': 'gzip' },
    Buffer.concat(HALVES),
    null,
  ],
  'a hundred members of gzip': [
    { 'content-type': XML, 'content-encoding': 'gzip' },
    Buffer.concat([...HALVES, ...Array.from({ length: 98 }, () => gzipSync(''))]),
    null,
  ],
  'more members of gzip': [
    { 'content-type': XML, 'content-encoding': 'gzip' },
    Buffer.concat([...HALVES, ...Array.from({ length: 99 }, () => gzipSync(''))]),
    /^ENCODING_CORRUPT: bytes behind the end/,
  ],
  'a member that is cut off': [
    { 'content-type': XML, 'content-encoding': 'gzip' },
    Buffer.concat(HALVES).subarray(0, -3),
    /^ENCODING_CORRUPT: cut off/,
  ],
  'a first member with another checksum': [
    { 'content-type': XML, 'content-encoding': 'gzip' },
    altered(Buffer.concat(HALVES), (HALVES[0]?.length ?? 0) - 5),
    /^ENCODING_CORRUPT: checksum/,
  ],
  'bytes behind a member': [
    { 'content-type': XML, 'content-encoding': 'gzip' },
    Buffer.concat([gzipSync(REPLY), Buffer.alloc(10)]),
    /^ENCODING_CORRUPT: header/,
  ],
};

t.test('replies of odd heads are read, or refused with what was found', async (t) => {
  const desk = await startReplyDesk(t);
  for (const [name, [fields, body, detail]] of Object.entries(REPLIES)) {
    desk.backend.answer = answerStatus(200, fields, body);
    for (const endpoint of ENDPOINTS) {
      const { text } = await desk.call(endpoint);
      t.equal(text.includes('nail'), detail === null, `${name}, ${endpoint}`);
      if (detail === null) continue;
      await until(async () => detail.test(String((await desk.lastLine())['detail'])));
    }
  }
  t.equal(desk.backend.complete.at(-1)?.headers['accept-encoding'], 'gzip');
});

const MADE = new URL('../../../test/wsdl/fixtures/made/', import.meta.url);

t.test('operations that differ by their action alone send it', async (t) => {
  const wsdl = await readFile(new URL('same-element.wsdl', MADE), 'utf8');
  const folder = await useFolder(t, { 'a.wsdl': wsdl });
  const done = '<t:Done xmlns:t="urn:s"><t:ok>true</t:ok></t:Done>';
  const service = await useService(
    t,
    answerStatus(200, { 'content-type': XML }, envelope(done)),
    (url) => `services: { items: { wsdl: a.wsdl, url: "${url}" } }\n`,
    folder,
  );
  t.match(await service.ask('{ getItem(id: 7) }'), { data: { getItem: true } });
  const read = service.sent();
  t.match(await service.ask('mutation { deleteItem(id: 7) }'), { data: { deleteItem: true } });
  t.match(read, /<(\w+):Action[^>]*>urn:get<\/\1:Action>/);
  t.match(service.sent(), /<(\w+):Action[^>]*>urn:delete<\/\1:Action>/);
});

t.test('constructs that schemas rarely have are all offered', async (t) => {
  const wsdl = await readFile(new URL('constructs.wsdl', MADE), 'utf8');
  const folder = await useFolder(t, { 'a.wsdl': wsdl });
  const reply =
    '<t:DrawResponse xmlns:t="urn:m"><t:Circle><t:id>1</t:id><t:r>INF</t:r></t:Circle>' +
    '<t:Square><t:id>2</t:id><t:side>2.50</t:side></t:Square></t:DrawResponse>';
  const service = await useService(
    t,
    answerStatus(200, { 'content-type': XML }, envelope(reply)),
    (url) => `services: { m: { wsdl: a.wsdl, url: "${url}" } }\n`,
    folder,
  );
  const answer = await service.ask(
    'mutation { draw(items: [{ circle: { id: 1, r: 2 } }, { square: { id: 2, side: "1" } }]) ' +
      '{ circle { id r } square { id side unit } } }',
  );
  // INF is no Float.
  t.match(answer, {
    data: {
      draw: { circle: [{ id: 1, r: null }], square: [{ id: 2, side: '2.50', unit: 'mm' }] },
    },
    errors: [{ path: ['draw', 'circle', 0, 'r'] }],
  });
  t.match(service.sent(), /<(\w+):Circle><\1:id>1<.*<\1:Square><\1:id>2</s);
  const names = service.gateway.compiled().graph.fields;
  t.same([...names.keys()].filter((name) => /\.(?:draw|evaluate|get\w+)$/.test(name)).sort(), [
    'Mutation.draw',
    'Mutation.evaluate',
    'Query.getKeys',
    'Query.getOrderX',
    'Query.getTypes',
  ]);
});
