import { Buffer } from 'node:buffer';
import type { KeptAnswer, KeyClaim, KeyState, OutcomeStore } from '../base/outcome-store.js';
import { isRecord } from '../base/record.js';
import type { RedisConnection } from './connection.js';

/** How far clocks of replicas may differ, added to the time of a call. */
const CLOCK_MILLIS = 5_000;

/** Outcomes that all replicas share: who sets a key first makes the call. */
export class RedisOutcomes implements OutcomeStore {
  readonly #connection: RedisConnection;
  readonly #prefix: string;

  constructor(connection: RedisConnection, prefix: string) {
    this.#connection = connection;
    this.#prefix = prefix;
  }

  async claim(claim: KeyClaim): Promise<KeyState> {
    const { fingerprint, keepMillis, callMillis } = claim;
    const pending = JSON.stringify({ fingerprint, pendingUntil: Date.now() + callMillis + CLOCK_MILLIS });
    const name = this.#nameOf(claim);
    try {
      const set = await this.#command(['SET', name, pending, 'NX', 'PX', String(keepMillis)]);
      if (set === 'OK') return { kind: 'new' };
      const found = await this.#command(['GET', name]);
      // It has ended between the two.
      return typeof found === 'string' ? stateOf(found, fingerprint) : { kind: 'pending' };
    } catch {
      return { kind: 'away' };
    }
  }

  settle(claim: KeyClaim, answer: KeptAnswer | null): void {
    const { fingerprint, keepMillis } = claim;
    const kept =
      answer === null ? { fingerprint } : { fingerprint, answer: { ...answer, body: answer.body.toString('base64') } };
    // While Redis is away the call is pending until its time is over, and then its outcome is not known.
    this.#command(['SET', this.#nameOf(claim), JSON.stringify(kept), 'XX', 'PX', String(keepMillis)]).catch(() => {});
  }

  release(claim: KeyClaim): void {
    this.#command(['DEL', this.#nameOf(claim)]).catch(() => {});
  }

  #command(words: readonly string[]) {
    return this.#connection.command('outcome', words);
  }

  #nameOf({ key }: KeyClaim): string {
    return `${this.#prefix}v1:outcome:${key}`;
  }
}

/** What a value says. One that cannot be read says nothing about the call. */
function stateOf(text: string, fingerprint: string): KeyState {
  const value: unknown = JSON.parse(text);
  if (!isRecord(value) || typeof value['fingerprint'] !== 'string') return { kind: 'unknown' };
  if (value['fingerprint'] !== fingerprint) return { kind: 'other' };
  const { answer, pendingUntil } = value;
  if (typeof pendingUntil === 'number') return { kind: Date.now() < pendingUntil ? 'pending' : 'unknown' };
  if (!isRecord(answer)) return { kind: 'unknown' };
  const { status, contentType, body } = answer;
  if (typeof status !== 'number' || typeof contentType !== 'string' || typeof body !== 'string')
    return { kind: 'unknown' };
  return { kind: 'answered', answer: { status, contentType, body: Buffer.from(body, 'base64') } };
}
