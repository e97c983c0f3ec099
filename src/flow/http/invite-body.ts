import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * Answers `Expect: 100-continue`, once the head of the request is in order: the gateway does it
 * itself, since several stacks never do (RFC 9110 section 10.1.1). HTTP/1.0 knows no such answer.
 */
export function invite(request: IncomingMessage, response: ServerResponse): void {
  if (request.headers.expect !== undefined && request.httpVersion !== '1.0') {
    response.writeContinue();
  }
}
