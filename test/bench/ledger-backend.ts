import { createServer } from 'node:http';
import { announce } from './kit.js';

/**
 * The backend of the ledger bench, in a process of its own: it counts how often each id came, and
 * answers with it. One of `SLOW_EVERY` answers comes late, so that something is always in flight.
 * `GET /` returns the counts, a byte for each id.
 */
export const SLOW_EVERY = 100;
const SLOW_MILLIS = 500;

const SOAP = 'http://schemas.xmlsoap.org/soap/envelope/';

if (process.argv[1] === new URL(import.meta.url).pathname) {
  let counts = Buffer.alloc(1 << 16);
  const server = createServer((request, response) => {
    if (request.method === 'GET') return void response.end(counts);
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const [, operation = ''] = /Body><(?:\w+:)?(\w+)/.exec(text) ?? [];
      const id = Number(/id>(\d+)</.exec(text)?.[1] ?? 0);
      if (id >= counts.length)
        counts = Buffer.concat([counts, Buffer.alloc(Math.max(counts.length, id))]);
      counts[id] = (counts[id] ?? 0) + 1;
      const field = operation === 'Post' ? 'post' : 'entry';
      const content =
        `<${operation}Response xmlns="urn:ledger"><${field}>${id}</${field}>` +
        `</${operation}Response>`;
      const answer = `<s:Envelope xmlns:s="${SOAP}"><s:Body>${content}</s:Body></s:Envelope>`;
      const send = (): void => {
        response
          .writeHead(200, {
            'content-type': 'text/xml; charset=utf-8',
            'content-length': answer.length,
          })
          .end(answer);
      };
      if (id % SLOW_EVERY === 0) setTimeout(send, SLOW_MILLIS);
      else send();
    });
  });
  server.keepAliveTimeout = 0;
  server.requestTimeout = 0;
  announce(server);
}
