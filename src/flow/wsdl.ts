import type { IncomingMessage, ServerResponse } from 'node:http';

import type { Exchange } from '../base/exchange.js';
import { Refusal } from '../base/refusal.js';
import type { SoapService } from '../compile/service.js';
import { printDocument, requestedDocument } from '../wsdl/serve.js';

/** `?wsdl`, `?wsdl=1`, `?xsd=2`: asked for by name, in either case of letters. */
const QUERY = /^\?(?:wsdl|xsd)(?:=|$)/i;

/** Whether the target asks for a document and not for a message. */
export const asksForDocument = (service: SoapService, method: string, query: string): boolean =>
  service.wsdl !== null && (method === 'GET' || method === 'HEAD') && QUERY.test(query);

/** Documents are asked for by number: a path or an address here is an attempt at something else. */
const NUMBERED = /^\?(?:wsdl|xsd)(?:=[0-9]+)?$/i;

/**
 * Serves the WSDL of a service or one of its schemas, with the gateway's address in it. Throws `HTTP_NOT_FOUND`, and
 * `HTTP_BAD_REQUEST` for what names no document of any service.
 */
export function serveWsdl(
  exchange: Exchange,
  request: IncomingMessage,
  response: ServerResponse,
  service: SoapService,
  query: string,
  publicUrl: string | undefined,
): void {
  exchange.route = service.name;
  exchange.operation = 'wsdl';
  if (!NUMBERED.test(query)) throw new Refusal('HTTP_BAD_REQUEST', 'document');
  const document = requestedDocument(service.wsdl?.documents ?? [], query);
  if (document === null) throw new Refusal('HTTP_NOT_FOUND');
  const body = Buffer.from(printDocument(document, addressOf(request, publicUrl) + service.path));
  exchange.status = 200;
  exchange.bytesOut = body.length;
  response.writeHead(200, ['content-type', 'text/xml; charset=utf-8', 'content-length', String(body.length)]);
  response.end(request.method === 'HEAD' ? undefined : body);
}

/** A Host as RFC 9110 section 7.2 has it, without user information; anything else is no place to send callers to. */
const HOST = /^(?:[a-z0-9.-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::[0-9]{1,5})?$/i;

/** The gateway's address as this caller reaches it. Nothing of it is kept for other callers. */
function addressOf(request: IncomingMessage, publicUrl: string | undefined): string {
  if (publicUrl !== undefined) return publicUrl.replace(/\/$/, '');
  const host = request.headers.host ?? '';
  if (!HOST.test(host)) throw new Refusal('HTTP_BAD_REQUEST', 'Host');
  return `http://${host}`;
}
