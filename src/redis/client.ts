import { createClient } from '@redis/client';

import { RedisUnavailable } from './reason.js';

export interface ConnectionSettings {
  /** `redis://` or `rediss://`, perhaps with credentials. */
  readonly url: string;
  readonly username?: string;
  readonly password?: string;
  /** Certificates of authorities that vouch for the server, PEM. */
  readonly ca?: string;
  /** How long a request may wait for an answer. What nobody waits for may take longer. */
  readonly operationMillis: number;
  /** What every key begins with. */
  readonly prefix: string;
}

export type Client = ReturnType<typeof makeClient>;

export const CONNECT_MILLIS = 500;

/** A client of Redis that is not connected yet, and never connects again by itself. */
export function makeClient({ url, username, password, ca, operationMillis }: ConnectionSettings) {
  const isSecure = url.startsWith('rediss:');
  const common = { connectTimeout: Math.max(CONNECT_MILLIS, operationMillis), reconnectStrategy: false } as const;
  return createClient({
    url,
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    socket: isSecure && ca !== undefined ? { ...common, tls: true, ca } : common,
    RESP: 2,
    disableOfflineQueue: true,
    commandsQueueMaxLength: 10_000,
    disableClientInfo: true,
    maintNotifications: 'disabled',
  });
}

/** The result, or `RedisUnavailable` when it takes longer. What comes later is nobody's. */
export function inTime<T>(promise: Promise<T>, millis: number): Promise<T> {
  return new Promise((resolve, reject) => {
    let isOver = false;
    const timer = setTimeout(() => {
      // If this process was busy, the answer may be here and only not read yet.
      setImmediate(() => {
        if (!isOver) reject(new RedisUnavailable('timeout'));
      });
    }, millis);
    promise.then(
      (value) => {
        isOver = true;
        clearTimeout(timer);
        resolve(value);
      },
      (error: unknown) => {
        isOver = true;
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}
