import t from 'tap';

import { Refusal } from '../../../../src/core/refusals/refusal.js';
import { EventFrames } from '../../../../src/flow/subscriptions/upstream/event-frames.js';
import { assertSplitsAgree } from '../../../kit/splits.js';

const BOUNDS = { depth: 8, values: 50 };

/** The events of a stream, or the code of what it is refused for. */
function framesOf(pieces: readonly Uint8Array[], eventBytes = 2000): readonly string[] {
  const frames = new EventFrames(eventBytes, BOUNDS);
  const found: string[] = [];
  try {
    for (const piece of pieces)
      for (const { bytes } of frames.take(Buffer.from(piece))) found.push(bytes.toString());
  } catch (caught) {
    found.push(caught instanceof Refusal ? `${caught.code} ${caught.detail}` : String(caught));
  }
  return found;
}

const next = (data: string): string => `event: next\ndata: ${data}\n\n`;
const COMPLETE = 'event: complete\ndata:\n\n';

t.test('a stream is cut into its events, whatever pieces it comes in', async (t) => {
  const cases: readonly (readonly [string, string, readonly string[]])[] = [
    [
      'as the package writes it',
      next('{"data":{"a":1}}') + COMPLETE,
      [next('{"data":{"a":1}}'), COMPLETE],
    ],
    ['comments', `:\n\n:ping\n\n: \n${next('{"data":null}')}`, [next('{"data":null}')]],
    [
      'CRLF',
      'event: next\r\ndata: {"data":"ü"}\r\n\r\nevent: complete\r\n\r\n',
      [next('{"data":"ü"}'), COMPLETE],
    ],
    ['CR', 'event:next\rdata:{}\r\revent:complete\r\r', [next('{}'), COMPLETE]],
    ['a mark before it', `\uFEFF${next('{}')}`, [next('{}')]],
    [
      'several lines',
      'data: {"data":\ndata: 1}\nid: 7\nretry: 1\nevent: next\n\n',
      ['event: next\ndata: {"data":\ndata: 1}\n\n'],
    ],
    ['no data at all is nothing', 'data\n\ndata:\n\nevent:\n\n', []],
    ['an event that does not end', next('{}').slice(0, -1), []],
    [
      'another name',
      'event: message\ndata: {}\n\n',
      ['UPSTREAM_INVALID_RESPONSE events: event of another name'],
    ],
    ['no name', 'data: {}\n\n', ['UPSTREAM_INVALID_RESPONSE events: event of another name']],
    ['no JSON', next('{'), ['UPSTREAM_INVALID_RESPONSE GraphQL: no JSON']],
    [
      'two members of one name',
      next('{"data":1,"data":2}'),
      ['UPSTREAM_INVALID_RESPONSE GraphQL: no JSON'],
    ],
    ['no object', next('1'), ['UPSTREAM_INVALID_RESPONSE events: no result']],
    [
      'one of several streams',
      next('{"id":"__proto__"}'),
      ['UPSTREAM_INVALID_RESPONSE events: no result'],
    ],
    ['too deep', next('[[[[[[[[[1]]]]]]]]]'), ['UPSTREAM_RESPONSE_LIMIT GraphQL: depth']],
    ['too many', next(`[${'1,'.repeat(60)}1]`), ['UPSTREAM_RESPONSE_LIMIT GraphQL: values']],
  ];
  for (const [what, stream, expected] of cases) {
    t.strictSame(assertSplitsAgree(Buffer.from(stream), framesOf), expected, what);
  }
  t.strictSame(framesOf([Buffer.from('event: next\ndata: "\xff"\n\n', 'latin1')]), [
    'UPSTREAM_INVALID_RESPONSE events: no UTF-8',
  ]);
});

t.test('what an event holds is bounded, however it is written', async (t) => {
  const long = 'x'.repeat(2100);
  for (const stream of [
    next(`"${long}"`),
    `event: ${long}`,
    `:${long}`,
    long,
    'data: xxxxxxxx\n'.repeat(300),
    'data\n'.repeat(2100),
  ]) {
    t.strictSame(
      framesOf([Buffer.from(stream)]),
      ['UPSTREAM_RESPONSE_LIMIT event'],
      stream.slice(0, 10),
    );
  }
  t.strictSame(framesOf([Buffer.from(':ping\n\n'.repeat(10_000))]), [], 'comments go on for ever');
});

t.test('a line that comes byte by byte takes no more time than its bytes', async (t) => {
  const frames = new EventFrames(2 ** 24, BOUNDS);
  const piece = Buffer.from('x');
  const millisOf = (count: number): number => {
    const started = process.cpuUsage();
    for (let index = 0; index < count; index++) frames.take(piece);
    return process.cpuUsage(started).user / 1000;
  };
  millisOf(20_000);
  const early = millisOf(100_000);
  millisOf(400_000);
  const late = millisOf(100_000);
  t.ok(late < early * 8 + 50, `${early} ms, later ${late} ms`);
});
