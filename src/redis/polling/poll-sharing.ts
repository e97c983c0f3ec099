import { Buffer } from 'node:buffer';
import { createHmac, randomBytes } from 'node:crypto';
import { type eventBus, MIB, refusals } from '../../core/index.js';
import type {
  PollReceiver,
  PollReply,
  PollSharing,
  SharedPoll,
} from '../../gateway/shared/poll-sharing.js';
import type { RedisConnection } from '../connection.js';
import { readEvent, writeEvent } from '../events/event-message.js';
import { ACQUIRE_POLL, PUBLISH_POLL, RELEASE_POLL, RENEW_POLLS } from './poll-scripts.js';

export interface PollSharingOptions {
  readonly prefix: string;
  /** Signs replies, and hides what is polled. */
  readonly secret: string;
  readonly replyBytes: number;
  /** Called for each dropped message without a valid signature. */
  readonly onForged: () => void;
  /** How long a lease lasts without renewal. */
  readonly leaseMillis?: number;
}

const LEASE_MILLIS = 5000;
/**
 * Bytes of the longest reply that is shared. As base64 it must be shorter than the longest message
 * that is read.
 */
const REPLY_BYTES_MAX = 2 * MIB;
/** Renewals in the time of a lease. */
const RENEWALS = 4;
/** Leases that one script renews. */
const BATCH = 100;
/** Clocks of replicas may differ so much: a reply that is on its way for longer counts as newer. */
const SKEW_MAX_MILLIS = 5000;
/** Extra time limit of what nothing waits for. */
const EXTRA_MILLIS = 1000;

/**
 * Polls that replicas share. The replica that has the lease of a poll makes its calls, and
 * publishes the replies; the others take over when the lease is not renewed. Each replica polls by
 * itself while Redis is away.
 */
export class RedisPollSharing implements PollSharing {
  readonly replyBytes: number;
  readonly #connection: RedisConnection;
  readonly #subscriber: RedisConnection;
  readonly #options: PollSharingOptions;
  readonly #leaseMillis: number;
  /** The polls of this process by channel: two generations may have the same. */
  readonly #polls = new Map<string, Set<RedisPoll>>();
  #timer: NodeJS.Timeout | null = null;

  /** The second connection is in subscriber mode, and sends no commands. */
  constructor(
    connection: RedisConnection,
    subscriber: RedisConnection,
    options: PollSharingOptions,
  ) {
    this.#connection = connection;
    this.#subscriber = subscriber;
    this.#options = options;
    this.#leaseMillis = options.leaseMillis ?? LEASE_MILLIS;
    this.replyBytes = Math.min(options.replyBytes, REPLY_BYTES_MAX);
  }

  join(text: string, receive: PollReceiver): SharedPoll {
    const { prefix, secret } = this.#options;
    const name = createHmac('sha256', secret).update(text).digest('hex');
    const channel = `${prefix}v1:polled:${name}`;
    const poll = new RedisPoll(`${prefix}v1:poll:${name}`, channel, receive, this);
    const known = this.#polls.get(channel);
    if (known !== undefined) {
      known.add(poll);
    } else {
      this.#polls.set(channel, new Set([poll]));
      this.#subscriber.subscribe(channel, (message) => this.#receive(channel, message));
    }
    this.#timer ??= setInterval(() => void this.#renew(), this.#leaseMillis / RENEWALS).unref();
    return poll;
  }

  leave(poll: RedisPoll): void {
    const polls = this.#polls.get(poll.channel);
    polls?.delete(poll);
    if (polls?.size !== 0) return;
    this.#polls.delete(poll.channel);
    this.#subscriber.unsubscribe(poll.channel);
    if (this.#polls.size > 0 || this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }

  /** Null where that is not known. */
  async acquire({ lease, token }: RedisPoll): Promise<boolean | null> {
    // A replica that hears nothing of the others polls by itself.
    if (!this.#subscriber.isUp) return null;
    const values = [token, String(this.#leaseMillis)];
    const reply = await this.#connection
      .script('poll_lease', ACQUIRE_POLL, [lease], values)
      .catch(() => null);
    return reply === null ? null : reply === 1;
  }

  publish({ lease, channel, token }: RedisPoll, reply: PollReply, tookMillis: number): void {
    const { secret } = this.#options;
    const calledAtMillis = Math.round(Date.now() - tookMillis);
    const values = { ...writeReply(reply), tookMillis: Math.round(tookMillis), calledAtMillis };
    const message = writeEvent(channel, { id: token, values }, secret);
    const words = [token, String(this.#leaseMillis), channel, message];
    this.#connection
      .script('poll_publish', PUBLISH_POLL, [lease], words, EXTRA_MILLIS)
      .catch(() => {});
  }

  release({ lease, token }: RedisPoll): void {
    this.#connection
      .script('poll_release', RELEASE_POLL, [lease], [token], EXTRA_MILLIS)
      .catch(() => {});
  }

  #receive(channel: string, text: string): void {
    const event = readEvent(channel, text, this.#options.secret);
    const reply = event === null ? null : readReply(event.values, this.replyBytes);
    if (event === null || reply === null) {
      this.#options.onForged();
      return;
    }
    const ageMillis = ageOf(event.values);
    for (const poll of this.#polls.get(channel) ?? []) {
      if (poll.token !== event.id) {
        poll.receive(reply, ageMillis);
      }
    }
  }

  async #renew(): Promise<void> {
    const held = [...this.#polls.values()].flatMap((polls) =>
      [...polls].filter(({ isHolder }) => isHolder),
    );
    for (let at = 0; at < held.length && this.#connection.isUp; at += BATCH) {
      const batch = held.slice(at, at + BATCH);
      const values = [String(this.#leaseMillis), ...batch.map(({ token }) => token)];
      const leases = batch.map(({ lease }) => lease);
      await this.#connection
        .script('poll_renew', RENEW_POLLS, leases, values, EXTRA_MILLIS)
        .catch(() => {});
    }
  }
}

/** The part of one process in one poll. */
class RedisPoll implements SharedPoll {
  readonly lease: string;
  readonly channel: string;
  readonly receive: PollReceiver;
  /** The token is that of this holder alone: a lease with another token has another holder. */
  readonly token = randomBytes(12).toString('hex');
  isHolder = false;
  #isLeft = false;
  readonly #sharing: RedisPollSharing;

  constructor(lease: string, channel: string, receive: PollReceiver, sharing: RedisPollSharing) {
    this.lease = lease;
    this.channel = channel;
    this.receive = receive;
    this.#sharing = sharing;
  }

  async acquire(): Promise<boolean> {
    const isHolder = await this.#sharing.acquire(this);
    this.isHolder = isHolder === true;
    if (this.#isLeft) {
      this.release();
    }
    return isHolder !== false;
  }

  publish(reply: PollReply, tookMillis: number): void {
    if (this.isHolder) {
      this.#sharing.publish(this, reply, tookMillis);
    }
  }

  release(): void {
    if (!this.isHolder) return;
    this.isHolder = false;
    this.#sharing.release(this);
  }

  leave(): void {
    this.#isLeft = true;
    this.release();
    this.#sharing.leave(this);
  }
}

const writeReply = (reply: PollReply): Readonly<Record<string, unknown>> =>
  reply.kind === 'reply' ? { ...reply, body: reply.body.toString('base64') } : { ...reply };

/** How long ago the call was made: by the clocks, where they agree, for Redis may be late. */
function ageOf(values: eventBus.EventValues): number {
  const tookMillis = Number(values?.['tookMillis']);
  const ageMillis = Date.now() - Number(values?.['calledAtMillis']);
  const isPlausible = ageMillis > tookMillis && ageMillis < tookMillis + SKEW_MAX_MILLIS;
  return isPlausible ? ageMillis : tookMillis;
}

/** Null for what this version does not know. */
function readReply(values: eventBus.EventValues, replyBytes: number): PollReply | null {
  const { kind, status, contentType, body, code, tookMillis } = values ?? {};
  if (typeof tookMillis !== 'number' || !(tookMillis >= 0)) return null;
  if (kind === 'long') return { kind };
  if (kind === 'failed') return refusals.isRefusalCode(code) ? { kind, code } : null;
  if (kind !== 'reply' || typeof status !== 'number' || typeof contentType !== 'string') {
    return null;
  }
  if (typeof body !== 'string') return null;
  // The other process has another limit.
  if (body.length > 2 * replyBytes) return { kind: 'long' };
  return { kind, status, contentType, body: Buffer.from(body, 'base64') };
}
