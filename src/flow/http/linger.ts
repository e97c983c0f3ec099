import type { Buffer } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';
import { Refusal } from '../../core/index.js';
import type { Exchange } from '../../gateway/exchange.js';
import { recordOf } from './connection-record.js';
import { fairScheduler, type SlicedTask } from './fair-scheduler.js';

/** The header field of every answer that has what log lines call `id`. */
export const REQUEST_ID = 'x-request-id';

/**
 * How long the rest of a request is read and dropped, so that the client gets round to reading the
 * answer.
 */
export const LINGER_MILLIS = 2000;

/**
 * Answers a request that may not have been read to its end; if it was not, its connection closes
 * after the answer.
 */
export function endLingering(
  exchange: Exchange,
  response: ServerResponse,
  status: number,
  headers: readonly string[],
  body: Buffer | string | null,
): void {
  const { req: request } = response;
  const fields = [...headers, REQUEST_ID, exchange.id];
  exchange.status = status;
  if (request.complete) {
    response.writeHead(status, fields);
    response.end(body ?? undefined);
    return;
  }
  response.shouldKeepAlive = false;
  response.writeHead(status, fields);
  if (body === null) {
    response.flushHeaders();
  } else {
    response.write(body);
  }
  linger(request, response);
}

/**
 * Ends an answer that is written, the last on its connection, and came before its request did.
 * Closing with unread bytes makes the kernel send a reset, which can take the answer away from the
 * caller (RFC 9112 section 9.6): so the rest is read and thrown away for a while.
 */
export function linger(request: IncomingMessage, response: ServerResponse): void {
  if (request.complete || response.socket?.readableEnded !== false) {
    response.end();
    return;
  }
  const timer = setTimeout(() => response.destroy(), LINGER_MILLIS);
  request.once('end', () => response.end());
  // The server reports a body that breaks off: with the connection that was all; or one not to be
  // read on.
  request.on('error', (error) => {
    const isAbrupt = error instanceof Refusal && error.kind.isAbrupt === true;
    if (isAbrupt || response.socket?.readableEnded === true) {
      response.end();
    }
  });
  response.once('close', () => clearTimeout(timer));
  // In turns with all long messages: dropped bytes must not be read faster than wanted ones.
  const readOn: SlicedTask = {
    beganMillis: performance.now(),
    step() {
      request.resume();
      return 'waits';
    },
  };
  request.on('data', () => {
    if (request.isPaused()) return;
    request.pause();
    fairScheduler.enqueue(readOn, recordOf(request.socket));
  });
  request.resume();
}
