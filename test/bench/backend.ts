import { createServer, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { announce } from './kit.js';

import {
  longEnvelope,
  orderList,
  RECORD_NOTE,
  recordList,
  SHAPES,
  SMALL_REPLY,
  sizedEnvelope,
} from './messages.js';

/**
 * The backend of the bench, in a process of its own, as lean as Node's server is: it reads a
 * request to its end and answers with 4 KB, with `?bytes=N` an envelope of that length, with
 * `?elements=N`, or another shape, one that is kept whole, with `?orders=N` a list of orders, with
 * `?records=N` one of records of 250 bytes.
 */
let kept = SMALL_REPLY;
let keptFor = '';

const server = createServer((request, response) => {
  request.on('end', () => answer(request.url ?? '', response)).resume();
});

function answer(target: string, response: ServerResponse): void {
  const [asked = '', key = '', value] = /\?([a-z]+)=(\d+)$/.exec(target) ?? [];
  if (key.startsWith(LONG)) {
    const shape = SHAPES.find((each) => each === key.slice(LONG.length));
    const envelope = longEnvelope(Number(value), 'down', shape);
    head(response, envelope.bytes);
    Readable.from(envelope.chunks(), { objectMode: false }).pipe(response);
    return;
  }
  if (asked !== keptFor) {
    keptFor = asked;
    kept = replyFor(key, Number(value));
  }
  head(response, kept.length);
  response.end(kept);
}

/** Before the shape of a reply that is longer than memory, or alone. */
const LONG = 'bytes';

function replyFor(key: string, value: number): Buffer {
  if (key === 'orders') return orderList(value);
  if (key === 'records') return recordList(value, RECORD_NOTE);
  const shape = SHAPES.find((each) => each === key);
  return shape === undefined ? SMALL_REPLY : sizedEnvelope(value, shape, 'down');
}

const head = (response: ServerResponse, length: number): void => {
  response.writeHead(200, [
    'content-type',
    'text/xml; charset=utf-8',
    'content-length',
    String(length),
  ]);
};

server.requestTimeout = 0;
announce(server);
