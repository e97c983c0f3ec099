import type { Server } from 'node:http';
import { nextPollPhase } from './poll-phase.js';

/** How long kept connections may still bring a request once nothing is in flight any more. */
const QUIET_MILLIS = 500;

/**
 * Closes idle connections, again and again, once no request was in flight, and no request or
 * connection began, for a whole interval. `begun` is the number of both so far; null while a
 * request is in flight. The answer stops it.
 */
export function closeWhenQuiet(server: Server, begun: () => number | null): () => void {
  let last: number | null = null;
  const timer = setInterval(async () => {
    // A timer that comes late runs before sockets are read: requests may lie unread in the kernel.
    await nextPollPhase();
    const now = begun();
    // A client has had the interval to reuse its connection, or to read that it must not.
    if (now !== null && now === last) {
      server.closeIdleConnections();
    }
    last = now;
  }, QUIET_MILLIS);
  return () => clearInterval(timer);
}
