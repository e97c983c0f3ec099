import type { Socket } from 'node:net';
import type { Challenge } from './challenges.js';

/**
 * Credentials that authenticate a connection, and with it all requests that follow on it
 * ([MS-NTHT], RFC 4559).
 */
export interface ConnectionAuthentication {
  /**
   * Begins a handshake on a connection to this host. Throws `UPSTREAM_AUTH` where it would be
   * refused.
   */
  begin(hostname: string): Handshake;
  /** The backend has accepted the end of a handshake, or refused it. */
  ended(isAccepted: boolean): void;
}

export interface Handshake {
  /** `Authorization` of the first request, which has no body. */
  readonly first: string;
  /**
   * `Authorization` of the next request, for the challenges that the first one got on this socket;
   * null where the backend wants another handshake. Throws `UPSTREAM_AUTH`.
   */
  answer(challenges: readonly Challenge[], socket: Socket): string | null;
}
