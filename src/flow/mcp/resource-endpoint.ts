import { Buffer } from 'node:buffer';
import type { ProtectedResource } from '../../compile/mcp/protected-resource.js';
import { Refusal } from '../../core/index.js';
import type { OpenEndpoint } from '../calls/http-exchange.js';
import { endLingering } from '../http/linger.js';

/** Tells clients without a token where they get one. */
export function makeResourceEndpoint({ path: served, document }: ProtectedResource): OpenEndpoint {
  const body = Buffer.from(JSON.stringify(document));
  return {
    isFor: (path) => path === served,
    async answer(exchange, _path, request, response) {
      exchange.operation = 'protected-resource';
      if (request.method !== 'GET' && request.method !== 'HEAD') throw new Refusal('HTTP_METHOD');
      exchange.bytesOut = body.length;
      const fields = [
        ...['content-type', 'application/json', 'x-content-type-options', 'nosniff'],
        ...['cache-control', 'max-age=300', 'content-length', String(body.length)],
      ];
      endLingering(exchange, response, 200, fields, body);
    },
  };
}

/** The parameter of a challenge that leads to the description (RFC 9728 section 5.1). */
export const challengeParameter = (resource: ProtectedResource | null): string =>
  resource === null ? '' : `, resource_metadata="${resource.url}"`;
