import type { ConnectionOptions } from 'node:tls';
import { createClient } from '@redis/client';
import { tlsCertificates } from '../core/index.js';
import type { ServerAddress } from './address.js';
import { RedisUnavailable } from './errors.js';

/** How servers are accessed: those that hold the data, or those of Sentinel. */
export interface ServerAccess {
  /** The user of an ACL; null: the user `default`. */
  readonly username: string | null;
  /** Null for none; its file may rotate. */
  readonly password: (() => Promise<string>) | null;
  /** Null without TLS. */
  readonly tls: TlsSource | null;
  readonly database: number;
}

/** The TLS options of connections, whose files may rotate. */
export interface TlsSource {
  readonly connection: Pick<
    ConnectionOptions,
    'secureContext' | 'rejectUnauthorized' | 'servername' | 'checkServerIdentity'
  >;
  /** Takes over what has rotated. */
  refresh(): Promise<void>;
}

export type RedisClient = Awaited<ReturnType<typeof makeClient>>;

export const CONNECT_MILLIS = 500;
/** Commands that wait for a reply on one connection; a further one fails at once. */
const QUEUED_MAX = 10_000;

/** Makes a Redis client that is not connected yet, and never reconnects by itself. */
export async function makeClient(
  address: ServerAddress,
  access: ServerAccess,
  connectTimeout = CONNECT_MILLIS,
) {
  const { username, password, tls, database } = access;
  const secret = await password?.();
  await tls?.refresh();
  const common = { ...address, connectTimeout, reconnectStrategy: false } as const;
  return createClient({
    ...(username === null ? {} : { username }),
    ...(secret === undefined ? {} : { password: secret }),
    database,
    socket:
      tls === null
        ? common
        : { ...common, ...tlsCertificates.VERIFIED_SERVER, ...tls.connection, tls: true },
    RESP: 2,
    disableOfflineQueue: true,
    commandsQueueMaxLength: QUEUED_MAX,
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
        if (!isSettled) {
          reject(new RedisUnavailable('timeout'));
        }
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
