import { Buffer } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { SoapService } from '../../compile/soap/service.js';
import type { Exchange } from '../../gateway/exchange.js';
import { REQUEST_ID } from '../http/linger.js';
import { asksForDocument } from './wsdl.js';

/**
 * A caller that names one of these asks the backend for an envelope (SOAP 1.2 part 2 section 6.3).
 */
const ENVELOPE = /application\/soap\+xml|text\/xml/i;

/**
 * Whether a request for the path of a service calls nothing: GET without a query, by a caller that
 * does not ask for an envelope. A service in monitor mode answers for itself.
 */
const asksForPage = (
  { method, headers }: IncomingMessage,
  { mode }: SoapService,
  query: string,
): boolean =>
  method === 'GET' && query === '' && mode === 'enforce' && !ENVELOPE.test(headers.accept ?? '');

/**
 * Whether a request is answered here, and refused as HTTP refuses: there is no envelope on either
 * side.
 */
export const callsNothing = (
  request: IncomingMessage,
  service: SoapService,
  query: string,
): boolean => asksForDocument(request.method ?? '', query) || asksForPage(request, service, query);

/** Serves a page on how to call the service. */
export function serveServicePage(
  exchange: Exchange,
  response: ServerResponse,
  { name, path, dialects }: SoapService,
  hasDocument: boolean,
): void {
  const versions = dialects
    .map((dialect) => `SOAP ${dialect.name} (${dialect.mediaType})`)
    .join(', ');
  const lines = [
    `${name} is a SOAP service.`,
    `Send envelopes to this address by POST: ${versions}.`,
    ...(hasDocument ? [`The WSDL is at ${path}?wsdl.`] : []),
  ];
  const bytes = Buffer.from(`${lines.join('\n')}\n`);
  exchange.operation = 'page';
  exchange.status = 200;
  exchange.bytesOut = bytes.length;
  response.writeHead(200, {
    'content-type': 'text/plain; charset=utf-8',
    'x-content-type-options': 'nosniff',
    'content-length': bytes.length,
    [REQUEST_ID]: exchange.id,
  });
  response.end(bytes);
}
