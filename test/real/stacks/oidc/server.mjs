#!/usr/bin/env node
// npm oidc-provider: server.mjs PORT SECONDS
// Gives tokens for client credentials that end after so many seconds, and answers SOAP calls that carry one: /shop.
// GET /issued: how many tokens it gave.
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { Provider } from 'oidc-provider';

const [port, seconds] = process.argv.slice(2).map(Number);
const SOAP = 'http://schemas.xmlsoap.org/soap/envelope/';
const REPLY = `<s:Envelope xmlns:s="${SOAP}"><s:Body><GetStockResponse xmlns="urn:shop"><stock>7</stock></GetStockResponse></s:Body></s:Envelope>`;

const provider = new Provider(`http://127.0.0.1:${port}`, {
  clients: [
    {
      client_id: 'gateway',
      // `:` and `+` must be escaped in Basic (RFC 6749 section 2.3.1).
      client_secret: 's3cret:with+signs',
      grant_types: ['client_credentials'],
      redirect_uris: [],
      response_types: [],
      scope: 'stock:read',
    },
  ],
  scopes: ['stock:read'],
  cookies: { keys: [randomBytes(16).toString('hex')] },
  features: {
    clientCredentials: { enabled: true },
    introspection: { enabled: true },
    devInteractions: { enabled: false },
  },
  ttl: { ClientCredentials: seconds },
});
let issued = 0;
provider.on('client_credentials.saved', () => issued++);
const callback = provider.callback();

createServer(async (request, response) => {
  if (request.url === '/issued') return response.end(String(issued));
  if (request.url !== '/shop') return callback(request, response);
  for await (const _ of request);
  const [, token = ''] = /^Bearer (.+)$/.exec(request.headers.authorization ?? '') ?? [];
  const found = await provider.ClientCredentials.find(token);
  if (found?.isValid && found.scope === 'stock:read') response.writeHead(200, { 'content-type': 'text/xml' }).end(REPLY);
  else response.writeHead(401, { 'www-authenticate': 'Bearer error="invalid_token"' }).end();
}).listen(port, '127.0.0.1');
