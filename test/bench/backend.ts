import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';

import { longEnvelope, orderList, SMALL_REPLY } from './messages.js';

/**
 * The backend of the bench, in a process of its own, as lean as Node's server is: it reads a request to its end and
 * answers with 4 KB, with `?bytes=N` an envelope of that length, with `?orders=N` a list of orders.
 */
let list: Buffer = Buffer.alloc(0);
let listed = 0;

const server = createServer((request, response) => {
  request.on('end', () => answer(request.url ?? '', response)).resume();
});

function answer(target: string, response: ServerResponse): void {
  const [, key, value] = /\?(bytes|orders)=(\d+)$/.exec(target) ?? [];
  if (key === 'bytes') {
    const envelope = longEnvelope(Number(value), 'down');
    head(response, envelope.bytes);
    Readable.from(envelope.chunks(), { objectMode: false }).pipe(response);
    return;
  }
  if (key === 'orders' && listed !== Number(value)) {
    listed = Number(value);
    list = orderList(listed);
  }
  const reply = key === 'orders' ? list : SMALL_REPLY;
  head(response, reply.length);
  response.end(reply);
}

const head = (response: ServerResponse, length: number): void => {
  response.writeHead(200, ['content-type', 'text/xml; charset=utf-8', 'content-length', String(length)]);
};

server.requestTimeout = 0;
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`${JSON.stringify({ msg: 'ready', listen: `http://127.0.0.1:${port}` })}\n`);
});
