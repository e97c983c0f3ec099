import type { IncomingMessage, ServerResponse } from 'node:http';

/** How long a caller may go on sending what nobody reads, so that it gets round to reading the answer. */
const LINGER_MILLIS = 2000;

/**
 * Answers a request that may not have been read to its end, and closes the connection after it. Closing with unread
 * bytes makes the kernel send a reset, which can take the answer away from the caller (RFC 9112 section 9.6): so the
 * rest is read and thrown away for a while.
 */
export function endLingering(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  headers: string[],
  body: Buffer | null,
): void {
  if (request.complete) {
    response.writeHead(status, headers);
    response.end(body ?? undefined);
    return;
  }
  response.writeHead(status, [...headers, 'connection', 'close']);
  if (body === null) response.flushHeaders();
  else response.write(body);
  const timer = setTimeout(() => response.destroy(), LINGER_MILLIS);
  request.once('end', () => response.end());
  response.once('close', () => clearTimeout(timer));
  request.resume();
}
