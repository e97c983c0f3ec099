import { createClient } from '@redis/client';

import { RedisUnavailable } from './errors.js';

export interface ConnectionSettings {
  /** `redis://` or `rediss://`, with or without credentials. */
  readonly url: string;
  readonly username?: string;
  readonly password?: string;
  /** Trusted certificate authorities of the server, PEM. */
  readonly ca?: string;
  /** Time limit of an operation that a request waits for; background operations have more. */
  readonly operationMillis: number;
  /** Prefix of every key and channel. */
  readonly prefix: string;
}

export type Client = ReturnType<typeof makeClient>;

export const CONNECT_MILLIS = 500;

/** Makes a Redis client that is not connected yet, and never reconnects by itself. */
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

/** Rejects with `RedisUnavailable` when the promise takes longer; a later result is ignored. */
export function withTimeout<T>(promise: Promise<T>, millis: number): Promise<T> {
  return new Promise((resolve, reject) => {
    let isSettled = false;
    const timer = setTimeout(() => {
      // If this process was busy, the reply may have arrived without being read yet.
      setImmediate(() => {
        if (!isSettled) reject(new RedisUnavailable('timeout'));
      });
    }, millis);
    promise.then(
      (value) => {
        isSettled = true;
        clearTimeout(timer);
        resolve(value);
      },
      (error: unknown) => {
        isSettled = true;
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}
