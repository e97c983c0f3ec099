import type { IncomingMessage, ServerResponse } from 'node:http';

import type { Exchange } from '../base/exchange.js';
import type { Refusal } from '../base/refusal.js';
import type { SoapService } from '../compile/service.js';
import { type Dialect, dialectOfName } from '../soap/dialect.js';
import { dialectsOfMediaType, printMediaType, readMediaType } from '../soap/media-type.js';
import { faultCodeOf, faultStatusOf, printFault } from '../soap/print-fault.js';
import { endLingering } from './linger.js';

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
  exchange.refuse(refusal);
  if (response.headersSent || refusal.code === 'CLIENT_GONE') {
    cut(exchange, response);
    return;
  }
  if (refusal.kind.status !== undefined) {
    answerEmpty(exchange, request, response, refusal.kind.status, refusal.code === 'HTTP_METHOD' ? 'GET, POST' : null);
    return;
  }
  const dialect = dialectOfName(exchange.dialect) ?? likelyDialect(request, service);
  if (refusal.kind.undecodable === true && dialect.undecodable === 'empty 400') {
    answerEmpty(exchange, request, response, 400, null);
    return;
  }
  const faultCode = faultCodeOf(dialect, refusal);
  const message = printFault(dialect, refusal, exchange.id, service.dialects);
  exchange.dialect = dialect.name;
  exchange.faultCode = faultCode;
  exchange.status = faultStatusOf(dialect, faultCode);
  exchange.bytesOut += message.length;
  const headers = ['content-type', printMediaType(dialect, null), 'content-length', String(message.length)];
  endLingering(request, response, exchange.status, [...headers, ...retryAfter(refusal)], message);
}

/** Answers a request that is for none of the doors, or whose door failed before it could speak its own language. */
export function refuseHttp(
  exchange: Exchange,
  request: IncomingMessage,
  response: ServerResponse,
  refusal: Refusal,
): void {
  exchange.refuse(refusal);
  if (response.headersSent || refusal.code === 'CLIENT_GONE') cut(exchange, response);
  else answerEmpty(exchange, request, response, statusOf(refusal), null, retryAfter(refusal));
}

function statusOf({ code, kind }: Refusal): number {
  if (code === 'OVERLOADED') return 503;
  return kind.status ?? (kind.blame === 'upstream' ? 502 : kind.blame === 'us' ? 500 : 400);
}

/** Callers that come again at once would keep the gateway where it is. */
const retryAfter = ({ code }: Refusal): readonly string[] => (code === 'OVERLOADED' ? ['retry-after', '1'] : []);

function cut(exchange: Exchange, response: ServerResponse): void {
  exchange.outcome = 'aborted';
  // A reset, because to a caller of HTTP/1.0 an orderly end means that the answer is complete.
  response.socket?.resetAndDestroy();
  response.destroy();
}

/** An answer of the HTTP layer: a status and nothing else. */
function answerEmpty(
  exchange: Exchange,
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  allow: string | null,
  more: readonly string[] = [],
): void {
  exchange.status = status;
  const headers = ['content-length', '0', ...more];
  if (allow !== null) headers.push('allow', allow);
  endLingering(request, response, status, headers, null);
}

/** The dialect a caller probably speaks whose message was not readable: the first of its media type. */
function likelyDialect(request: IncomingMessage, service: SoapService): Dialect {
  const mediaType = readMediaType(request.headers['content-type'])?.name ?? '';
  const names = service.dialects.map((dialect) => dialect.name);
  return dialectsOfMediaType(mediaType, names)[0] ?? service.dialects[0];
}
