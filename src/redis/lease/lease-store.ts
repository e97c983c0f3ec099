import { createHash } from 'node:crypto';
import { performance } from 'node:perf_hooks';

import type { RedisConnection, RedisReply } from '../connection.js';
import { RedisUnavailable } from '../errors.js';
import { EXCHANGE, HEARTBEAT } from './lease-scripts.js';

/** Reply to a heartbeat. */
export interface Heartbeat {
  /** In Redis time. */
  readonly nowMillis: number;
  /** Changes when Redis has lost its state. */
  readonly epoch: string;
  readonly epochStartMillis: number;
  /** The time in which buckets refill: see `HEARTBEAT`. */
  readonly sharedMillis: number;
  readonly replicas: number;
}

export interface ExchangeTerms {
  readonly epoch: string;
  /** Whether points may be granted; else only views and pending requests are sent. */
  readonly canGrant: boolean;
  readonly replicas: number;
}

/** Report of one replica on one client, with the points that it requests or returns. */
export interface LeaseRequest {
  readonly client: string;
  readonly maximum: number;
  readonly restoreRate: number;
  /** Ascending; a repeated request has the number of the first. */
  readonly number: number;
  /** Points that were spent without a grant. */
  readonly overdraft: number;
  readonly requested: number;
  readonly returned: number;
  readonly view: BucketView | null;
  /** Redis may have lost this state: the smaller of its points and the view's counts. */
  readonly isUnconfirmed: boolean;
}

/** A shared bucket as last seen. */
export interface BucketView {
  /** Points it should hold now if no other replica took any. */
  readonly available: number;
  /** Differs from that of a bucket that was deleted and created anew. */
  readonly incarnation: string;
  /** Number of changes of this incarnation. */
  readonly version: number;
}

export interface BucketReply extends BucketView {
  readonly granted: number;
}

export interface LeaseStoreOptions {
  readonly prefix: string;
  /** Unique for each process that ever ran. */
  readonly replica: string;
  /** Configured number of replicas. */
  readonly replicas: number;
  readonly heartbeatTimeoutMillis: number;
  /** Monotonic milliseconds. */
  readonly clock?: () => number;
}

/** The parts of the two connections that a store needs. */
export type CommandConnection = Pick<
  RedisConnection,
  'isUp' | 'isHealthy' | 'connections' | 'script' | 'command'
>;
export type SubscriberConnection = Pick<
  RedisConnection,
  'isUp' | 'onUp' | 'subscribe' | 'reconnect'
>;

/**
 * A replica without a heartbeat for this long is no member any more, and owns no part beyond the
 * configured number.
 */
const MEMBER_EXPIRY_MILLIS = 60_000;
/** Silence of the subscribed channel after which a message is published to test the connection. */
const CHANNEL_PROBE_MILLIS = 2000;
/** Silence after which the connection is dead. */
const CHANNEL_TIMEOUT_MILLIS = 5000;

/** The state of budgets that replicas share. A rejected call may or may not have been executed. */
export class RedisLeaseStore {
  readonly #connection: CommandConnection;
  readonly #subscriber: SubscriberConnection;
  readonly #options: LeaseStoreOptions;
  readonly #keys: readonly string[];
  readonly #channel: string;
  readonly #clock: () => number;
  #lastMessageAt = 0;

  /** The second connection is in subscriber mode, and sends no commands. */
  constructor(
    connection: CommandConnection,
    subscriber: SubscriberConnection,
    options: LeaseStoreOptions,
  ) {
    const { prefix, clock = () => performance.now() } = options;
    this.#connection = connection;
    this.#subscriber = subscriber;
    this.#options = options;
    this.#keys = ['replicas', 'clock', 'credited'].map((name) => `${prefix}v1:${name}`);
    this.#channel = `${prefix}v1:views`;
    this.#clock = clock;
    subscriber.onUp(() => {
      this.#lastMessageAt = clock();
    });
  }

  get isUp(): boolean {
    return this.#connection.isUp;
  }

  /** Number of connections made so far: Redis loses state only together with its connections. */
  get connections(): number {
    return this.#connection.connections;
  }

  /** Whether views of other replicas arrive within milliseconds, as far as is known. */
  get hasFreshViews(): boolean {
    return this.#connection.isHealthy && this.#subscriber.isUp;
  }

  /** Reports the views that other replicas publish. */
  onView(listener: (bucket: string, view: BucketView) => void): void {
    this.#subscriber.subscribe(this.#channel, (message) => {
      this.#lastMessageAt = this.#clock();
      const [replica, bucket = '', available, version, incarnation = ''] = message.split(' ', 6);
      const view = { available: Number(available), incarnation, version: Number(version) };
      if (replica === this.#options.replica || !BUCKET.test(bucket)) return;
      if (incarnation === '' || incarnation.length > 200) return;
      if (Math.abs(view.available) < 1e15 && Number.isSafeInteger(view.version)) {
        listener(bucket, view);
      }
    });
  }

  /** Sends a heartbeat. `creditFromMillis` is in Redis time; null credits no shared time. */
  async sendHeartbeat(creditFromMillis: number | null): Promise<Heartbeat> {
    const { replica, replicas, heartbeatTimeoutMillis } = this.#options;
    const from = creditFromMillis === null ? '' : String(creditFromMillis);
    const values = [
      replica,
      from,
      String(replicas),
      String(heartbeatTimeoutMillis),
      String(MEMBER_EXPIRY_MILLIS),
    ];
    const reply = await this.#connection.script('heartbeat', HEARTBEAT, this.#keys, values);
    const [now, epoch, shared, count, startedAt] = readList(reply);
    this.#checkSubscription();
    return {
      nowMillis: readNumber(now),
      epoch: readText(epoch),
      epochStartMillis: readNumber(startedAt),
      sharedMillis: readNumber(shared),
      replicas: readNumber(count),
    };
  }

  /**
   * Moves points between leases and buckets; null: the epoch is another one, and nothing was done.
   */
  async exchange(
    terms: ExchangeTerms,
    requests: readonly LeaseRequest[],
  ): Promise<readonly (BucketReply | null)[] | null> {
    const { prefix, replica, heartbeatTimeoutMillis } = this.#options;
    const [replicas = '', clock = ''] = this.#keys;
    const keys = [clock, replicas, ...requests.map(({ client }) => bucketKey(prefix, client))];
    const canGrant = terms.canGrant ? '1' : '0';
    const count = String(terms.replicas);
    const values = [
      replica,
      terms.epoch,
      canGrant,
      count,
      this.#channel,
      String(heartbeatTimeoutMillis),
    ];
    for (const request of requests) {
      const { view } = request;
      values.push(
        String(request.maximum),
        String(request.restoreRate),
        String(request.number),
        String(request.overdraft),
        String(request.requested),
        String(request.returned),
        view === null ? '' : String(view.available),
        view?.incarnation ?? '',
        String(view?.version ?? 0),
        request.isUnconfirmed ? '1' : '0',
      );
    }
    const reply = await this.#connection.script('exchange', EXCHANGE, keys, values);
    if (reply === null) return null;
    const replies = readList(reply);
    if (replies.length !== requests.length) throw new RedisUnavailable('error');
    return replies.map(readBucketReply);
  }

  /** Removes this replica from the members. */
  leave(): Promise<void> {
    return this.remove(this.#options.replica);
  }

  /**
   * Removes a replica that has ended from the members, so that the others get its share of the
   * refill.
   */
  async remove(replica: string): Promise<void> {
    const [replicas = '', , credited = ''] = this.#keys;
    await this.#connection.command('leave', ['ZREM', replicas, replica]);
    await this.#connection.command('leave', ['HDEL', credited, replica]);
  }

  /**
   * Publishes to a channel that was silent for long; a subscriber that misses even that has a dead
   * connection.
   */
  #checkSubscription(): void {
    if (!this.#subscriber.isUp) return;
    const silentMillis = this.#clock() - this.#lastMessageAt;
    if (silentMillis > CHANNEL_TIMEOUT_MILLIS) {
      this.#subscriber.reconnect();
    } else if (silentMillis > CHANNEL_PROBE_MILLIS) {
      this.#connection
        .command('channel_probe', ['PUBLISH', this.#channel, this.#options.replica])
        .catch(() => {});
    }
  }
}

const BUCKET = /^[0-9a-f]{64}$/;

/** Keys have the digest of a client's id, which may hold any text of any length. */
export function bucketKey(prefix: string, client: string): string {
  return `${prefix}v1:bucket:${bucketOf(client)}`;
}

/** The name of a client's bucket. */
export const bucketOf = (client: string): string =>
  createHash('sha256').update(client).digest('hex');

function readBucketReply(reply: RedisReply): BucketReply | null {
  const [granted, available, incarnation, version] = readList(reply);
  if (granted === '') return null;
  return {
    granted: readNumber(granted),
    available: readNumber(available),
    incarnation: readText(incarnation),
    version: readNumber(version),
  };
}

function readList(reply: RedisReply | undefined): readonly RedisReply[] {
  if (Array.isArray(reply)) return reply;
  throw new RedisUnavailable('error');
}

function readText(reply: RedisReply | undefined): string {
  if (typeof reply === 'string') return reply;
  throw new RedisUnavailable('error');
}

function readNumber(reply: RedisReply | undefined): number {
  const value = typeof reply === 'string' ? Number(reply) : reply;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw new RedisUnavailable('error');
}
