import { createServer, type ServerResponse } from 'node:http';

import { announce } from './kit.js';
import { SMALL_REPLY } from './messages.js';

/**
 * Backends on the way from an old one to a new one, by the path: `/old`; `/new`, which answers the
 * same; `/planted`, with one value changed in its 5,000th reply and in every 10,000th after it;
 * `/wrong`, always another value; `/slow`, after a second; `/html` and `/fault`, which fail;
 * `/reset`, which closes the connection; `/mute`, which never answers.
 */
const SLOW_MILLIS = 1_000;
const PLANTED_EVERY = 10_000;

const changed = Buffer.from(SMALL_REPLY.toString().replace('>19.90<', '>19.91<'));
const FAULT = Buffer.from(
  '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><s:Fault>' +
    '<faultcode>s:Server</faultcode><faultstring>down</faultstring>' +
    '</s:Fault></s:Body></s:Envelope>',
);
const HTML = Buffer.from('<html>down</html>');
let planted = PLANTED_EVERY / 2;

function answer(path: string, response: ServerResponse): void {
  if (path === '/reset') response.destroy();
  else if (path === '/slow') setTimeout(() => write(response, 200, SMALL_REPLY), SLOW_MILLIS);
  else if (path === '/html') write(response, 500, HTML, 'text/html');
  else if (path === '/fault') write(response, 500, FAULT);
  else if (path !== '/mute') write(response, 200, isChanged(path) ? changed : SMALL_REPLY);
}

const isChanged = (path: string): boolean =>
  path === '/wrong' || (path === '/planted' && planted++ % PLANTED_EVERY === 0);

function write(response: ServerResponse, status: number, body: Buffer, type = 'text/xml'): void {
  response.writeHead(status, { 'content-type': type, 'content-length': body.length });
  response.end(body);
}

const server = createServer((request, response) => {
  request.on('end', () => answer(request.url ?? '', response)).resume();
});
server.requestTimeout = 0;
announce(server);
