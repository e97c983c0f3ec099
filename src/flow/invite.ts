import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * Answers `Expect: 100-continue`, once the head of the request is in order: the gateway does it itself, since several
 * stacks never do (RFC 9110 section 10.1.1).
 */
export function invite(request: IncomingMessage, response: ServerResponse): void {
  if (request.headers.expect !== undefined) response.writeContinue();
}
