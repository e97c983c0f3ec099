import type { Buffer } from 'node:buffer';
import type { CacheLimits } from './limits.js';
import type { ReadRule } from './rules.js';

/** A reply with status 200, judged and no Fault, without its coding. */
export interface KeptReply {
  readonly contentType: string;
  readonly body: Buffer;
}

export interface Found {
  readonly reply: KeptReply;
  readonly ageMillis: number;
  /** How long it is still good for; less than 0: it is stale, and not too old to stand in for an answer that fails. */
  readonly leftMillis: number;
}

interface Entry {
  readonly reply: KeptReply;
  readonly bytes: number;
  readonly rule: ReadRule;
  /** Of the operation's mark when it was asked. */
  readonly generation: number;
  readonly keptMillis: number;
}

/** What an entry takes besides its bytes and its key, about. */
const ENTRY_BYTES = 512;

/** Replies by what was asked, the least recently used go first. Times are those of `performance.now()`. */
export class ReplyCache {
  readonly limits: CacheLimits;
  /** The oldest use first. */
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;

  constructor(limits: CacheLimits) {
    this.limits = limits;
  }

  /** Bytes that are remembered. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Replies that are remembered. */
  get entries(): number {
    return this.#entries.size;
  }

  find(key: string, nowMillis: number): Found | null {
    const entry = this.#entries.get(key);
    if (entry === undefined) return null;
    const { reply, rule, generation, keptMillis } = entry;
    const ageMillis = nowMillis - keptMillis;
    if (generation !== rule.mark.generation || ageMillis >= rule.freshMillis + rule.staleMillis) {
      this.#drop(key, entry);
      return null;
    }
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return { reply, ageMillis, leftMillis: rule.freshMillis - ageMillis };
  }

  /**
   * Remembers a reply that was asked for when the operation's mark was at `generation`. False where it is not: too long,
   * not to be remembered, or something changed meanwhile. The bytes must be nobody else's.
   */
  keep(key: string, rule: ReadRule, generation: number, reply: KeptReply, nowMillis: number): boolean {
    const { mark, freshMillis } = rule;
    if (freshMillis === 0 || generation !== mark.generation || nowMillis < mark.unsettledUntilMillis) return false;
    const { bytes: bytesMax, entries: entriesMax, replyBytes } = this.limits;
    const bytes = reply.body.length + reply.contentType.length + key.length + ENTRY_BYTES;
    if (reply.body.length > replyBytes || bytes > bytesMax) return false;
    const known = this.#entries.get(key);
    if (known !== undefined) this.#drop(key, known);
    this.#entries.set(key, { reply, bytes, rule, generation, keptMillis: nowMillis });
    this.#bytes += bytes;
    for (const [oldest, entry] of this.#entries) {
      if (this.#bytes <= bytesMax && this.#entries.size <= entriesMax) break;
      this.#drop(oldest, entry);
    }
    return true;
  }

  /** What is remembered turned out to be no answer. */
  forget(key: string): void {
    const entry = this.#entries.get(key);
    if (entry !== undefined) this.#drop(key, entry);
  }

  #drop(key: string, { bytes }: Entry): void {
    this.#entries.delete(key);
    this.#bytes -= bytes;
  }
}
