import type { Refusal } from '../base/refusal.js';
import type { RefusalCode } from '../base/refusals.js';

/**
 * The end of a call as the breaker counts it. `invalid`: an answer of a status of success that was refused; `none`: no
 * sign of the backend's health.
 */
export type CallOutcome = 'answered' | 'invalid' | 'failed' | 'none';

/** Share of the open time that is added or subtracted, so that many gateways do not return at once. */
const JITTER = 0.2;

/**
 * A circuit breaker: opens after several failures in a row (catalogue U23, U24). Half open it admits one call, then two at
 * once, then four, up to its capacity (slow start); one failure opens it again.
 */
export class Breaker {
  readonly #failuresMax: number;
  readonly #restMillis: number;
  readonly #capacity: number;
  #state: 'closed' | 'open' | 'half-open' = 'closed';
  /** In a row. */
  #failures = 0;
  #openUntilMillis = 0;
  /** It answers worse than others: an answer that is invalid is no sign that it has recovered. */
  #isEjected = false;
  /** By the latest health checks. */
  #isDown = false;
  /** Calls at once while half open, and how many of them are out and answered. */
  #allowed = 1;
  #out = 0;
  #answered = 0;
  /** Changes with the state: outcomes of calls of another state are ignored. */
  #epoch = 0;

  /** `failuresMax` 0 never opens. `capacity`: from so many calls at once on it is closed again. */
  constructor(failuresMax: number, restMillis: number, capacity: number) {
    this.#failuresMax = failuresMax;
    this.#restMillis = restMillis;
    this.#capacity = capacity;
  }

  get isOpen(): boolean {
    return this.#isDown || this.#state !== 'closed';
  }

  /** By the latest health checks. */
  get isHealthy(): boolean {
    return !this.#isDown;
  }

  /** Whether a call may be made now. */
  admits(nowMillis: number): boolean {
    if (this.#isDown) return false;
    if (this.#state === 'closed') return true;
    if (this.#state === 'open') {
      if (nowMillis < this.#openUntilMillis) return false;
      this.#tryAgain();
    }
    return this.#out < this.#allowed;
  }

  /** Milliseconds until it is worth asking again. */
  restMillis(nowMillis: number): number {
    return this.#state === 'open' ? Math.max(0, this.#openUntilMillis - nowMillis) : 0;
  }

  /** Counts a call that begins. Returns the epoch that `end` takes. */
  begin(): number {
    if (this.#state === 'half-open') this.#out++;
    return this.#epoch;
  }

  /** Counts the end of a call. Returns whether it opened the breaker. */
  end(epoch: number, outcome: CallOutcome, nowMillis: number): boolean {
    if (epoch !== this.#epoch) return false;
    const isTried = this.#state === 'half-open';
    if (isTried) this.#out--;
    if (outcome === 'none') return false;
    if (outcome === 'failed' || (outcome === 'invalid' && isTried && this.#isEjected)) return this.#fail(nowMillis);
    this.#answer();
    return false;
  }

  /** Opens it: the address answers worse than others. */
  eject(nowMillis: number): void {
    if (this.#state !== 'closed') return;
    this.#open(nowMillis);
    this.#isEjected = true;
  }

  /** The result of health checks. Returns whether it is another; an address that is up again starts slowly. */
  setHealth(isUp: boolean): boolean {
    if (this.#isDown === !isUp) return false;
    this.#isDown = !isUp;
    if (isUp) this.#tryAgain();
    return true;
  }

  #tryAgain(): void {
    this.#enter('half-open');
    this.#allowed = 1;
    this.#out = 0;
    this.#answered = 0;
  }

  #fail(nowMillis: number): boolean {
    this.#failures++;
    if (this.#failuresMax === 0 && !this.#isEjected) return false;
    if (this.#state === 'closed' && this.#failures < this.#failuresMax) return false;
    this.#open(nowMillis);
    return true;
  }

  #open(nowMillis: number): void {
    this.#openUntilMillis = nowMillis + this.#restMillis * (1 - JITTER + 2 * JITTER * Math.random());
    this.#enter('open');
  }

  #answer(): void {
    this.#failures = 0;
    if (this.#state !== 'half-open' || ++this.#answered < this.#allowed) return;
    this.#answered = 0;
    this.#allowed *= 2;
    if (this.#allowed <= this.#capacity) return;
    this.#isEjected = false;
    this.#enter('closed');
  }

  #enter(state: 'closed' | 'open' | 'half-open'): void {
    this.#state = state;
    this.#epoch++;
  }
}

/** Classifies the end of a call. A Fault is an answer, and so is a reply that was refused. */
export function outcomeOf({ code, kind }: Refusal, status: number): CallOutcome {
  if (FAILURES.has(code)) return 'failed';
  // Some stacks answer a caller's error with a 500 that is no envelope: it must not open the breaker.
  if (code === 'UPSTREAM_INVALID_RESPONSE') {
    if (status === 0 || UNAVAILABLE.has(status)) return 'failed';
    return status < 300 ? 'invalid' : 'answered';
  }
  return kind.blame === 'upstream' && status !== 0 ? 'answered' : 'none';
}

/** Statuses of a proxy in front of a server that fails (RFC 9110 section 15.6). */
const UNAVAILABLE: ReadonlySet<number> = new Set([502, 503, 504]);

const FAILURES: ReadonlySet<RefusalCode> = new Set([
  'UPSTREAM_UNREACHABLE',
  'UPSTREAM_CONNECT_TIMEOUT',
  'UPSTREAM_TLS',
  'UPSTREAM_TIMEOUT',
  'UPSTREAM_IDLE_TIMEOUT',
  'UPSTREAM_RESET',
  'UPSTREAM_TRUNCATED',
  'UPSTREAM_DESYNC',
  'UPSTREAM_OVERLOADED',
]);
