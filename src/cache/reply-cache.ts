import type { Buffer } from 'node:buffer';
import { collections, type sharedState } from '../core/index.js';
import type { CacheLimits } from './limits.js';
import type { ReadRule } from './rules.js';

/** A validated reply with status 200, no Fault, without content coding. */
export interface StoredReply {
  readonly contentType: string;
  readonly body: Buffer;
  /** Null or absent where its address is not known. */
  readonly source?: sharedState.AnswerSource | null;
}

/** A reply from the cache, fresh or stale. */
export interface CachedReply {
  readonly reply: StoredReply;
  readonly ageMillis: number;
  /** Time until it is stale; below 0 it is stale, and may replace an answer that fails. */
  readonly leftMillis: number;
}

interface Entry {
  readonly reply: StoredReply;
  readonly bytes: number;
  readonly rule: ReadRule;
  /** Generation of the operation when the call was made. */
  readonly generation: number;
  readonly storedMillis: number;
  readonly ticket: Ticket;
}

/**
 * Stands for an entry where entries are looked at in turns. An entry that took its place has
 * another.
 */
interface Ticket {
  readonly key: string;
}

const LOOKS_PER_STORE = 2;

/** Bytes of an entry besides its body, its content type and its key, about. */
const ENTRY_BYTES = 512;

/**
 * Replies by the key of their call; the least recently used are evicted first. Times are those of
 * `performance.now()`.
 */
export class ReplyCache {
  readonly limits: CacheLimits;
  readonly #cache: collections.BoundedCache<Entry>;
  /** The tickets of all entries, and of about as many at most that are gone. */
  readonly #tickets: Ticket[] = [];
  /** The position of the next one to be looked at. */
  #next = 0;

  constructor(limits: CacheLimits) {
    this.limits = limits;
    this.#cache = new collections.BoundedCache({
      entries: limits.entries,
      size: limits.bytes,
      sizeOf: ({ bytes }) => bytes,
    });
  }

  /** Bytes of all stored replies. */
  get bytes(): number {
    return this.#cache.size;
  }

  /** Number of stored replies. */
  get entries(): number {
    return this.#cache.count;
  }

  /** A reply that was stored by another rule is not found: a reload has changed its meaning. */
  find(key: string, asked: ReadRule, nowMillis: number): CachedReply | null {
    const entry = this.#cache.get(key);
    if (entry === undefined) return null;
    const { reply, rule, storedMillis } = entry;
    if (rule !== asked || isOver(entry, nowMillis)) {
      this.remove(key);
      return null;
    }
    const ageMillis = nowMillis - storedMillis;
    return { reply, ageMillis, leftMillis: rule.freshMillis - ageMillis };
  }

  /**
   * Stores the reply to a call that was made at `generation` of the operation. False where it is
   * not stored: too long, not to be cached, or invalidated meanwhile. The buffer must be a copy
   * that has no other owner.
   */
  store(
    key: string,
    rule: ReadRule,
    generation: number,
    reply: StoredReply,
    nowMillis: number,
  ): boolean {
    const { invalidation, freshMillis } = rule;
    const isInvalid =
      generation !== invalidation.generation || nowMillis < invalidation.pausedUntilMillis;
    if (freshMillis === 0 || isInvalid) return false;
    const bytes = reply.body.length + reply.contentType.length + key.length + ENTRY_BYTES;
    if (reply.body.length > this.limits.replyBytes || bytes > this.limits.bytes) return false;
    const ticket = { key };
    this.#cache.set(key, { reply, bytes, rule, generation, storedMillis: nowMillis, ticket });
    this.#tickets.push(ticket);
    // More than one look for each: so tickets do not become many more than entries.
    this.removeExpired(nowMillis, LOOKS_PER_STORE);
    return true;
  }

  /** Looks at so many replies, in turns, and removes those that are expired or invalidated. */
  removeExpired(nowMillis: number, looks: number): void {
    for (let left = Math.min(looks, this.#tickets.length); left > 0; left--) {
      if (this.#next >= this.#tickets.length) {
        this.#next = 0;
      }
      const ticket = this.#tickets[this.#next];
      if (ticket !== undefined && this.#isUsed(ticket, nowMillis)) {
        this.#next++;
      } else {
        const last = this.#tickets.pop();
        if (last !== undefined && this.#next < this.#tickets.length) {
          this.#tickets[this.#next] = last;
        }
      }
    }
  }

  /** Whether the entry of a ticket is there and of use; removes one that is of none. */
  #isUsed(ticket: Ticket, nowMillis: number): boolean {
    const entry = this.#cache.peek(ticket.key);
    if (entry === undefined || entry.ticket !== ticket) return false;
    if (isOver(entry, nowMillis)) {
      this.#cache.delete(ticket.key);
    }
    return !isOver(entry, nowMillis);
  }

  /** Removes a reply that turned out not to answer the call. */
  remove(key: string): void {
    this.#cache.delete(key);
  }
}

/**
 * Whether a reply answers no further call: it is neither fresh nor stale any more, or invalidated.
 */
const isOver = ({ rule, generation, storedMillis }: Entry, nowMillis: number): boolean =>
  generation !== rule.invalidation.generation ||
  nowMillis - storedMillis >= rule.freshMillis + rule.staleMillis;
