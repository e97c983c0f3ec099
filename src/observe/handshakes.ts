import { LimitedEvents } from './log/limited-events.js';
import type { Log } from './log/log.js';

/** A failed handshake, as `listen` describes it. */
interface Failure {
  readonly reason: string;
  readonly code: string;
}

/** Counts failed TLS handshakes. */
interface HandshakeCounter {
  handshakeFailed(reason: string): void;
}

/**
 * Makes the function that counts and logs failed TLS handshakes. Clients that leave are only
 * counted: scanners of ports and health checks of load balancers do nothing else.
 */
export function reportHandshakes(
  log: Pick<Log, 'event'>,
  counter: HandshakeCounter | null,
): (client: string, failure: Failure) => void {
  const events = new LimitedEvents(log);
  return (client, { reason, code }) => {
    counter?.handshakeFailed(reason);
    if (reason === 'ended') return;
    if (reason === 'certificate_refused') {
      events.warn(`${client} ${reason}`, 'the certificate of a client was refused', {
        client,
        reason: code,
      });
    } else {
      events.warn(`${client} ${reason}`, 'a TLS handshake failed', { client, reason, error: code });
    }
  };
}

/** Logs that open connections have certificates that a reload has withdrawn. */
export function reportWithdrawn(
  log: Pick<Log, 'event'>,
  connections: number,
  client: string | null,
): void {
  const text = 'certificates of open connections are no longer accepted';
  log.event('warn', text, { connections, client });
}
