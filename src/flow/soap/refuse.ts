import { Buffer } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';

import type { Exchange } from '../../base/exchange.js';
import { Refusal } from '../../base/refusal.js';
import { CREDENTIALS_MISSING } from '../../base/refusals.js';
import type { SoapService } from '../../compile/service.js';
import { refusalErrors } from '../../graphql/errors.js';
import { type Dialect, dialectOfName } from '../../soap/dialect.js';
import { dialectsOfMediaType, printMediaType } from '../../soap/media-type.js';
import { likelyEnvelopeType } from '../../soap/package-type.js';
import { faultCodeOf, faultStatusOf, printFault } from '../../soap/print-fault.js';
import { endLingering, REQUEST_ID } from '../http/linger.js';
import { wireStatus } from '../http/wire-status.js';

/**
 * Answers a SOAP caller whose request came to nothing: the one place where a refusal becomes an envelope. When part of
 * another answer is out already, the connection is cut: a caller must never take half an answer for a whole one.
 */
export function refuseSoap(
  exchange: Exchange,
  request: IncomingMessage,
  response: ServerResponse,
  service: SoapService,
  refusal: Refusal,
): void {
  // WS-Security has a word for it, which stacks know (catalogue K06).
  if (refusal.code === 'UNAUTHENTICATED') {
    refusal = new Refusal('wsse:FailedAuthentication', refusal.detail, { text: refusal.message });
  }
  exchange.refuse(refusal);
  if (response.headersSent || refusal.code === 'CLIENT_GONE') {
    cut(exchange, response);
    return;
  }
  if (refusal.kind.status !== undefined) {
    if (refusal.kind.isAbrupt === true) answerAbruptly(exchange, response, refusal.kind.status);
    else answerStatus(exchange, request, response, refusal.kind.status);
    return;
  }
  const dialect = dialectOfName(exchange.dialect) ?? likelyDialect(request, service);
  if (refusal.kind.undecodable === true && dialect.undecodable === 'empty 400') {
    answerEmpty(exchange, request, response, 400);
    return;
  }
  const faultCode = faultCodeOf(dialect, refusal);
  const message = printFault(dialect, refusal, exchange.id, service.dialects);
  exchange.dialect = dialect.name;
  exchange.faultCode = faultCode;
  exchange.status = faultStatusOf(dialect, faultCode);
  exchange.bytesOut += message.length;
  const headers = ['content-type', printMediaType(dialect, null), 'content-length', String(message.length)];
  endLingering(exchange, request, response, exchange.status, [...headers, ...retryAfter(refusal)], message);
}

/** Answers a GraphQL request that is refused before its body is read. */
export function refuseGraphql(
  exchange: Exchange,
  request: IncomingMessage,
  response: ServerResponse,
  refusal: Refusal,
): void {
  exchange.refuse(refusal);
  if (response.headersSent) {
    cut(exchange, response);
    return;
  }
  const body = Buffer.from(JSON.stringify({ errors: refusalErrors(refusal, exchange.id) }));
  exchange.status = wireStatus(refusal);
  exchange.bytesOut = body.length;
  const headers = [
    'content-type',
    'application/json; charset=utf-8',
    'x-content-type-options',
    'nosniff',
    'cache-control',
    'no-store',
  ];
  const more = [...challenge(refusal), ...retryAfter(refusal), 'content-length', String(body.length)];
  endLingering(exchange, request, response, exchange.status, [...headers, ...more], body);
}

/** Answers a request that is for none of the endpoints, or whose endpoint failed before it could speak its own language. */
export function refuseHttp(
  exchange: Exchange,
  request: IncomingMessage,
  response: ServerResponse,
  refusal: Refusal,
): void {
  exchange.refuse(refusal);
  if (response.headersSent || refusal.code === 'CLIENT_GONE') cut(exchange, response);
  else answerStatus(exchange, request, response, wireStatus(refusal), [...challenge(refusal), ...retryAfter(refusal)]);
}

/** Callers that come again at once would keep the gateway where it is. */
function retryAfter({ code, retryAfter: known }: Refusal): readonly string[] {
  const value = known ?? (code === 'OVERLOADED' ? '1' : null);
  return value === null ? [] : ['retry-after', value];
}

/** RFC 9110 section 11.6.1 wants one with each 401, whatever the client has to show in the end. */
function challenge({ code, message }: Refusal): readonly string[] {
  if (code !== 'UNAUTHENTICATED') return [];
  // RFC 6750 section 3.1: without credentials no error is named.
  const error = message === CREDENTIALS_MISSING ? '' : ', error="invalid_token"';
  return ['www-authenticate', `Bearer realm="soapstone"${error}`];
}

function cut(exchange: Exchange, response: ServerResponse): void {
  exchange.outcome = 'aborted';
  // A reset, because to a caller of HTTP/1.0 an orderly end means that the answer is complete.
  response.socket?.resetAndDestroy();
  response.destroy();
}

/** A refusal of the HTTP layer: a status and nothing else, the last on its connection (catalogue convention D2). */
function answerStatus(
  exchange: Exchange,
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  more: readonly string[] = [],
): void {
  response.shouldKeepAlive = false;
  answerEmpty(exchange, request, response, status, more);
}

/** The same without reading anything more. */
function answerAbruptly(exchange: Exchange, response: ServerResponse, status: number): void {
  exchange.status = status;
  const { socket } = response;
  socket?.pause();
  response.shouldKeepAlive = false;
  response.writeHead(status, ['content-length', '0', REQUEST_ID, exchange.id]).end(() => socket?.destroy());
}

function answerEmpty(
  exchange: Exchange,
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  more: readonly string[] = [],
): void {
  exchange.status = status;
  const headers = ['content-length', '0', ...more];
  if (status === 405) headers.push('allow', 'GET, POST');
  endLingering(exchange, request, response, status, headers, null);
}

/** The dialect a caller probably speaks whose message was not readable: the first of its media type. */
function likelyDialect(request: IncomingMessage, service: SoapService): Dialect {
  const mediaType = likelyEnvelopeType(request.headers['content-type']);
  const names = service.dialects.map((dialect) => dialect.name);
  return dialectsOfMediaType(mediaType, names)[0] ?? service.dialects[0];
}
