import { createHash } from 'node:crypto';
import { performance } from 'node:perf_hooks';

import type { Answer, RedisConnection } from './connection.js';
import { BEAT, EXCHANGE } from './lease-scripts.js';
import { RedisUnavailable } from './reason.js';

/** What all replicas know together. Everything rejects when Redis did not answer; then it may have happened or not. */
export interface Ledger {
  readonly isUp: boolean;
  /** How often the connection has been made: Redis loses its memory only together with its connections. */
  readonly connected: number;
  /** A sign of life. `inTouchSinceMillis` is of the clock of Redis; null hands over no time. */
  beat(inTouchSinceMillis: number | null): Promise<Beat>;
  /** Null: the era is another one, and nothing was done. */
  exchange(terms: Terms, reports: readonly Report[]): Promise<readonly (Reply | null)[] | null>;
  /** The last sign of life. */
  leave(): Promise<void>;
  /** Whether what others do is heard of within milliseconds, as far as is known. */
  readonly hears: boolean;
  /** Calls back with what others have left in a bucket whenever that is noticeably more or less. */
  onView(listener: (bucket: string, seen: Seen) => void): void;
  /** The name of the bucket of a client. */
  bucketOf(client: string): string;
}

export interface Beat {
  /** By the clock of Redis. */
  readonly nowMillis: number;
  /** Changes when Redis has forgotten everything. */
  readonly era: string;
  readonly bornMillis: number;
  /** The time in which budgets refill: see `BEAT`. */
  readonly commonMillis: number;
  readonly replicas: number;
}

export interface Terms {
  readonly era: string;
  /** Whether points may be had; else only debts and views are told. */
  readonly gives: boolean;
  readonly replicas: number;
}

/** What one replica tells of one client, and asks for. */
export interface Report {
  readonly client: string;
  readonly maximum: number;
  readonly restoreRate: number;
  /** Grows from request to request; the same when asked again. */
  readonly number: number;
  /** Points that were spent without having been granted. */
  readonly debt: number;
  readonly wanted: number;
  readonly back: number;
  readonly seen: Seen | null;
  /** What is seen is to be believed more than what Redis has. */
  readonly isDoubted: boolean;
}

/** A bucket as it was last seen. */
export interface Seen {
  /** What it should hold now if nobody took anything. */
  readonly available: number;
  readonly birth: string;
  readonly changes: number;
}

export interface Reply {
  readonly granted: number;
  readonly available: number;
  readonly birth: string;
  readonly changes: number;
}

export interface LedgerOptions {
  readonly prefix: string;
  /** Unique for each process that ever ran. */
  readonly replica: string;
  /** Replicas there are at least. */
  readonly replicas: number;
  readonly silenceMillis: number;
  /** Milliseconds that only go forward. */
  readonly clock?: () => number;
}

/** What a ledger needs of the connections. */
export type Asking = Pick<RedisConnection, 'isUp' | 'isWell' | 'connected' | 'script' | 'command'>;
export type Hearing = Pick<RedisConnection, 'isUp' | 'onUp' | 'listen' | 'renew'>;

/** A replica that was not heard of for so long no longer owns a part, unless the configuration says how many there are. */
const FORGET_MILLIS = 60_000;
/** So long nothing was heard: is the connection dead? */
const QUIET_MILLIS = 2000;
const DEAF_MILLIS = 5000;

export class RedisLedger implements Ledger {
  readonly #connection: Asking;
  readonly #hearer: Hearing;
  readonly #options: LedgerOptions;
  readonly #keys: readonly string[];
  readonly #channel: string;
  readonly #clock: () => number;
  #heardAt = 0;

  /** The second connection does nothing but listen. */
  constructor(connection: Asking, hearer: Hearing, options: LedgerOptions) {
    const { prefix, clock = () => performance.now() } = options;
    this.#connection = connection;
    this.#hearer = hearer;
    this.#options = options;
    this.#keys = ['replicas', 'clock', 'handed'].map((name) => `${prefix}v1:${name}`);
    this.#channel = `${prefix}v1:views`;
    this.#clock = clock;
    hearer.onUp(() => {
      this.#heardAt = clock();
    });
  }

  get isUp(): boolean {
    return this.#connection.isUp;
  }

  get connected(): number {
    return this.#connection.connected;
  }

  get hears(): boolean {
    return this.#connection.isWell && this.#hearer.isUp;
  }

  onView(listener: (bucket: string, seen: Seen) => void): void {
    this.#hearer.listen(this.#channel, (message) => {
      this.#heardAt = this.#clock();
      const [replica, bucket = '', available, changes, birth = ''] = message.split(' ', 6);
      const seen = { available: Number(available), birth, changes: Number(changes) };
      if (replica === this.#options.replica || !BUCKET.test(bucket) || birth === '' || birth.length > 200) return;
      if (Math.abs(seen.available) < 1e15 && Number.isSafeInteger(seen.changes)) listener(bucket, seen);
    });
  }

  bucketOf(client: string): string {
    return bucketOf(client);
  }

  async beat(inTouchSinceMillis: number | null): Promise<Beat> {
    const { replica, replicas, silenceMillis } = this.#options;
    const since = inTouchSinceMillis === null ? '' : String(inTouchSinceMillis);
    const values = [replica, since, String(replicas), String(silenceMillis), String(FORGET_MILLIS)];
    const answer = await this.#connection.script('beat', BEAT, this.#keys, values);
    const [now, era, common, count, born] = list(answer);
    this.#checkHearing();
    return {
      nowMillis: number(now),
      era: text(era),
      bornMillis: number(born),
      commonMillis: number(common),
      replicas: number(count),
    };
  }

  async exchange(terms: Terms, reports: readonly Report[]): Promise<readonly (Reply | null)[] | null> {
    const { prefix, replica, silenceMillis } = this.#options;
    const keys = [
      `${prefix}v1:clock`,
      `${prefix}v1:replicas`,
      ...reports.map(({ client }) => bucketKey(prefix, client)),
    ];
    const gives = terms.gives ? '1' : '0';
    const values = [replica, terms.era, gives, String(terms.replicas), this.#channel, String(silenceMillis)];
    for (const report of reports) {
      const { seen } = report;
      values.push(
        String(report.maximum),
        String(report.restoreRate),
        String(report.number),
        String(report.debt),
        String(report.wanted),
        String(report.back),
        seen === null ? '' : String(seen.available),
        seen?.birth ?? '',
        String(seen?.changes ?? 0),
        report.isDoubted ? '1' : '0',
      );
    }
    const answer = await this.#connection.script('exchange', EXCHANGE, keys, values);
    if (answer === null) return null;
    const replies = list(answer);
    if (replies.length !== reports.length) throw new RedisUnavailable('error');
    return replies.map(readReply);
  }

  async leave(): Promise<void> {
    const [replicas = '', , handed = ''] = this.#keys;
    await this.#connection.command('leave', ['ZREM', replicas, this.#options.replica]);
    await this.#connection.command('leave', ['HDEL', handed, this.#options.replica]);
  }

  /** One that has heard nothing for long says something: who does not hear even that has a dead connection. */
  #checkHearing(): void {
    if (!this.#hearer.isUp) return;
    const quietMillis = this.#clock() - this.#heardAt;
    if (quietMillis > DEAF_MILLIS) this.#hearer.renew();
    else if (quietMillis > QUIET_MILLIS) {
      this.#connection.command('hearing', ['PUBLISH', this.#channel, this.#options.replica]).catch(() => {});
    }
  }
}

const BUCKET = /^[0-9a-f]{64}$/;

/** Clients' names may hold anything, in any length: keys hold their digest. */
export function bucketKey(prefix: string, client: string): string {
  return `${prefix}v1:bucket:${bucketOf(client)}`;
}

const bucketOf = (client: string): string => createHash('sha256').update(client).digest('hex');

function readReply(answer: Answer): Reply | null {
  const [granted, available, birth, changes] = list(answer);
  if (granted === '') return null;
  return { granted: number(granted), available: number(available), birth: text(birth), changes: number(changes) };
}

function list(answer: Answer | undefined): readonly Answer[] {
  if (Array.isArray(answer)) return answer;
  throw new RedisUnavailable('error');
}

function text(answer: Answer | undefined): string {
  if (typeof answer === 'string') return answer;
  throw new RedisUnavailable('error');
}

function number(answer: Answer | undefined): number {
  const value = typeof answer === 'string' ? Number(answer) : answer;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw new RedisUnavailable('error');
}
