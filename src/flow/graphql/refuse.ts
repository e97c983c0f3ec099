import { Buffer } from 'node:buffer';
import type { ServerResponse } from 'node:http';

import type { Exchange } from '../../base/exchange.js';
import type { Refusal } from '../../base/refusals/refusal.js';
import { wireStatus } from '../../base/refusals/wire-status.js';
import { refusalErrors } from '../../graphql/errors.js';
import { endLingering } from '../http/linger.js';
import { cutIfBegun, refusalFields, refuseHttp } from '../http/refuse.js';
import { GRAPHQL_ACCEPTED } from '../http/sentence.js';

const FIELDS = [
  ...['content-type', 'application/json; charset=utf-8'],
  ...['x-content-type-options', 'nosniff'],
  ...['cache-control', 'no-store'],
];

/** Answers a GraphQL request that is refused before its body is read: with an error where it is the client that is refused. */
export function refuseGraphql(exchange: Exchange, response: ServerResponse, refusal: Refusal): void {
  if (!refusal.isOfCaller || refusal.kind.httpStatus === undefined) {
    refuseHttp(exchange, response, refusal, GRAPHQL_ACCEPTED);
    return;
  }
  exchange.refuse(refusal);
  if (cutIfBegun(exchange, response, refusal)) return;
  const body = Buffer.from(JSON.stringify({ errors: refusalErrors(refusal, exchange.id) }));
  exchange.status = wireStatus(refusal, 'http');
  exchange.bytesOut = body.length;
  const fields = [...FIELDS, ...refusalFields(refusal), 'content-length', String(body.length)];
  endLingering(exchange, response, exchange.status, fields, body);
}
