import { performance } from 'node:perf_hooks';
import { MIB } from '../../core/index.js';
import type {
  KeptAnswer,
  KeyState,
  OutcomeStore,
  OwnedClaim,
} from '../../gateway/shared/outcome-store.js';

/** Keys that one process remembers, and the bytes of their answers. */
const OUTCOMES_MAX = 100_000;
const OUTCOME_BYTES_MAX = 64 * MIB;

/** Bytes that a key costs besides its answer. */
const KEY_BYTES = 512;

interface Outcome {
  readonly fingerprint: string;
  readonly owner: string;
  /** Infinite while the call is under way. */
  untilMillis: number;
  state: 'pending' | 'unknown' | KeptAnswer;
}

/**
 * The outcomes that this process alone knows. What is not over is never forgotten: further keys are
 * refused instead.
 */
export class MemoryOutcomes implements OutcomeStore {
  readonly #outcomes = new Map<string, Outcome>();
  readonly #outcomesMax: number;
  readonly #bytesMax: number;
  readonly #now: () => number;
  #bytes = 0;
  /** Nothing ends before. */
  #nextEndMillis = 0;

  constructor(
    outcomesMax = OUTCOMES_MAX,
    bytesMax = OUTCOME_BYTES_MAX,
    now = () => performance.now(),
  ) {
    this.#outcomesMax = outcomesMax;
    this.#bytesMax = bytesMax;
    this.#now = now;
  }

  get count(): number {
    return this.#outcomes.size;
  }

  claim({ key, fingerprint, owner }: OwnedClaim): KeyState {
    const nowMillis = this.#now();
    const known = this.#outcomes.get(key);
    if (known !== undefined && known.untilMillis > nowMillis) {
      const { state } = known;
      if (known.fingerprint !== fingerprint) return { kind: 'other' };
      return typeof state === 'string' ? { kind: state } : { kind: 'answered', answer: state };
    }
    this.#forget(key);
    if (this.#isFull && nowMillis >= this.#nextEndMillis) {
      this.#forgetExpired(nowMillis);
    }
    if (this.#isFull) return { kind: 'full' };
    const untilMillis = Number.POSITIVE_INFINITY;
    this.#outcomes.set(key, { fingerprint, owner, untilMillis, state: 'pending' });
    this.#bytes += KEY_BYTES;
    return { kind: 'new' };
  }

  settle({ key, owner, keepMillis }: OwnedClaim, answer: KeptAnswer | null): void {
    const known = this.#outcomes.get(key);
    if (known?.state !== 'pending' || known.owner !== owner) return;
    known.untilMillis = this.#now() + keepMillis;
    this.#nextEndMillis = Math.min(this.#nextEndMillis, known.untilMillis);
    // An answer that has no room is a call that was made, and whose answer is lost.
    const fits = answer !== null && this.#bytes + answer.body.length <= this.#bytesMax;
    known.state = fits ? answer : 'unknown';
    if (fits) {
      this.#bytes += answer.body.length;
    }
  }

  release({ key, owner }: OwnedClaim): void {
    const known = this.#outcomes.get(key);
    if (known?.state === 'pending' && known.owner === owner) {
      this.#forget(key);
    }
  }

  get #isFull(): boolean {
    return this.#outcomes.size >= this.#outcomesMax || this.#bytes + KEY_BYTES > this.#bytesMax;
  }

  /** Looks at all keys, and not again before the next of them ends. */
  #forgetExpired(nowMillis: number): void {
    this.#nextEndMillis = Number.POSITIVE_INFINITY;
    for (const [key, { untilMillis }] of this.#outcomes) {
      if (untilMillis <= nowMillis) {
        this.#forget(key);
      } else {
        this.#nextEndMillis = Math.min(this.#nextEndMillis, untilMillis);
      }
    }
  }

  #forget(key: string): void {
    const known = this.#outcomes.get(key);
    if (known === undefined) return;
    this.#outcomes.delete(key);
    this.#bytes -= KEY_BYTES + (typeof known.state === 'string' ? 0 : known.state.body.length);
  }
}
