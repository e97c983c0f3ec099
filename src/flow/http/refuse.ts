import type { ServerResponse } from 'node:http';

import type { Exchange } from '../../base/exchange.js';
import type { Refusal } from '../../base/refusal.js';
import { CREDENTIALS_MISSING } from '../../base/refusals.js';
import { wireStatus } from '../../base/wire-status.js';
import { reset } from '../../listen/peer.js';
import { endLingering, REQUEST_ID } from './linger.js';

/** Answers a request that is for none of the endpoints, or whose endpoint failed before it could speak its own language. */
export function refuseHttp(exchange: Exchange, response: ServerResponse, refusal: Refusal): void {
  exchange.refuse(refusal);
  if (cutIfBegun(exchange, response, refusal)) return;
  answerStatus(exchange, response, wireStatus(refusal, 'http'), refusalFields(refusal));
}

/**
 * Cuts the connection where part of another answer is out, or the client is gone: a caller must never take half an answer
 * for a whole one.
 */
export function cutIfBegun(exchange: Exchange, response: ServerResponse, { code }: Refusal): boolean {
  if (!response.headersSent && code !== 'CLIENT_GONE') return false;
  exchange.outcome = 'aborted';
  // A reset, because to a caller of HTTP/1.0 an orderly end means that the answer is complete.
  if (response.socket !== null) reset(response.socket);
  response.destroy();
  return true;
}

/** A refusal of the HTTP layer: a status and nothing else, the last on its connection (catalogue convention D2). */
export function answerStatus(
  exchange: Exchange,
  response: ServerResponse,
  status: number,
  fields: readonly string[] = [],
): void {
  response.shouldKeepAlive = false;
  answerEmpty(exchange, response, status, fields);
}

/** The same without reading anything more. */
export function answerAbruptly(exchange: Exchange, response: ServerResponse, status: number): void {
  exchange.status = status;
  const { socket } = response;
  socket?.pause();
  response.shouldKeepAlive = false;
  response.writeHead(status, ['content-length', '0', REQUEST_ID, exchange.id]).end(() => socket?.destroy());
}

/** Answers with a status and no content. */
export function answerEmpty(
  exchange: Exchange,
  response: ServerResponse,
  status: number,
  fields: readonly string[] = [],
): void {
  exchange.status = status;
  const headers = ['content-length', '0', ...fields];
  if (status === 405) headers.push('allow', 'GET, POST');
  endLingering(exchange, response, status, headers, null);
}

/** The header fields of a refusal outside SOAP. */
export const refusalFields = (refusal: Refusal): readonly string[] => [...challenge(refusal), ...retryAfter(refusal)];

/** Clients that come again at once would keep an overloaded gateway where it is. */
export function retryAfter({ code, retryAfter: known }: Refusal): readonly string[] {
  const value = known ?? (code === 'OVERLOADED' ? '1' : null);
  return value === null ? [] : ['retry-after', value];
}

/** RFC 9110 section 11.6.1 wants one with each 401, whatever the client has to show in the end. */
function challenge({ code, message, challenge: own }: Refusal): readonly string[] {
  if (code !== 'UNAUTHENTICATED') return [];
  // RFC 6750 section 3.1: without credentials no error is named.
  const error = message === CREDENTIALS_MISSING ? '' : ', error="invalid_token"';
  const basic = own === null ? [] : ['www-authenticate', own];
  return [...basic, 'www-authenticate', `Bearer realm="soapstone"${error}`];
}
