import { Refusal } from '../core/index.js';

/**
 * The end of a call as the breaker counts it. `invalid`: an answer of a status of success that was
 * refused; `none`: no sign of the backend's health.
 */
export type CallOutcome = 'answered' | 'invalid' | 'failed' | 'none';

/** Why an address is not called for a time. */
export type EjectionReason = 'failures' | 'errors' | 'latency' | 'health';

/**
 * Why an address is called again. `removed`: a reload or its name took it away while it was down.
 */
export type RecoveryReason = 'answers' | 'health' | 'time' | 'removed';

/** `open`: calls are refused. `half-open`: a few are made to try it. */
export type BreakerState = 'closed' | 'half-open' | 'open';

/** An address goes down when its breaker opens, and is up once it is closed or healthy again. */
export type BreakerChange =
  | { readonly isUp: false; readonly reason: EjectionReason }
  | { readonly isUp: true; readonly reason: RecoveryReason };

/** Share of the open time that is left out at most, so that many gateways do not return at once. */
const JITTER = 0.2;
/** The share of failures that opens it. */
const OPEN_SHARE = 0.8;
/** Calls at once while half open, at most. */
const PROBES_MAX = 4;

/**
 * A circuit breaker (catalogue U23, U24). It measures the share of failures among the latest calls,
 * each of which counts more than the one before, and opens at four fifths: as many failures in a
 * row as `failuresMax` reach that from none. Half open it measures the calls that try it, one, then
 * two, then four at once: it opens at the same share of them, and closes once each was answered. A
 * closed one admits eight at once at first, then sixteen (slow start).
 */
export class Breaker {
  readonly #failuresMax: number;
  readonly #restMillis: number;
  readonly #capacity: number;
  #report: (change: BreakerChange) => void;
  /** The weight of the latest call in the share. */
  readonly #weight: number;
  #share = 0;
  #state: BreakerState = 'closed';
  #openUntilMillis = 0;
  /** While half open: when a call ended last, or the rest did. */
  #quietSinceMillis = 0;
  /** True if the latest health checks failed. */
  #isDown = false;
  #isReportedUp = true;
  #reason: EjectionReason = 'failures';
  /**
   * Calls at once, and how many of them are out; of this step, and of all steps while half open,
   * were answered.
   */
  #allowed = Number.POSITIVE_INFINITY;
  #out = 0;
  #answeredOfStep = 0;
  #answered = 0;
  #failed = 0;
  /**
   * Changes when it opens, and when the rest is over: outcomes of calls that began before are
   * ignored.
   */
  #epoch = 0;

  /** `failuresMax` 0 never opens. `capacity`: calls at once that are not limited any more. */
  constructor(
    failuresMax: number,
    restMillis: number,
    capacity: number,
    report: (change: BreakerChange) => void = () => {},
  ) {
    this.#failuresMax = failuresMax;
    this.#restMillis = restMillis;
    this.#capacity = capacity;
    this.#report = report;
    this.#weight = failuresMax === 0 ? 0 : 1 - (1 - OPEN_SHARE) ** (1 / failuresMax);
  }

  /** True unless the latest health checks failed. */
  get isHealthy(): boolean {
    return !this.#isDown;
  }

  /**
   * Open is also one whose first call after the rest is out: others are refused until it is
   * answered.
   */
  stateAt(nowMillis: number): BreakerState {
    this.#pass(nowMillis);
    if (this.#isDown) return 'open';
    return this.#state === 'half-open' && this.#answered === 0 && this.#out > 0
      ? 'open'
      : this.#state;
  }

  /** Whether a call may be made now. */
  admits(nowMillis: number): boolean {
    this.#pass(nowMillis);
    return !this.#isDown && this.#state !== 'open' && this.#out < this.#allowed;
  }

  /** Whether calls do not even wait for their turn: those of a slow start do. */
  refuses(nowMillis: number): boolean {
    return !this.admits(nowMillis) && (this.#isDown || this.#state !== 'closed');
  }

  /** Milliseconds until it is worth asking again. */
  restMillis(nowMillis: number): number {
    return this.#state === 'open' ? Math.max(0, this.#openUntilMillis - nowMillis) : 0;
  }

  /**
   * When time alone closes it, if no call is made until then; null where it is closed, or health
   * checks decide.
   */
  get closesAtMillis(): number | null {
    if (this.#isDown || this.#state === 'closed') return null;
    return (
      (this.#state === 'open' ? this.#openUntilMillis : this.#quietSinceMillis) + this.#restMillis
    );
  }

  /** Counts a call that begins. Returns the epoch that `end` takes. */
  begin(): number {
    if (this.#allowed !== Number.POSITIVE_INFINITY) {
      this.#out++;
    }
    return this.#epoch;
  }

  /** Counts the end of a call. Returns whether it opened the breaker. */
  end(epoch: number, outcome: CallOutcome, nowMillis: number): boolean {
    if (epoch !== this.#epoch) return false;
    if (this.#out > 0) {
      this.#out--;
    }
    this.#quietSinceMillis = nowMillis;
    if (outcome === 'none') return false;
    // An answer that is invalid is no sign that an address has recovered which answered worse than
    // others.
    const isEjected = this.#state === 'half-open' && this.#reason !== 'failures';
    if (outcome === 'failed' || (outcome === 'invalid' && isEjected)) return this.#fail(nowMillis);
    this.#answer();
    return false;
  }

  /** Opens it: the address answers worse than others. */
  eject(reason: EjectionReason, nowMillis: number): void {
    if (this.#state === 'closed') {
      this.#open(reason, nowMillis);
    }
  }

  /**
   * The result of a health check. Returns whether the address went up or down by it. One that is
   * healthy is tried at once, or called if that was so at the check before; but health checks do
   * not see that an address is slow.
   */
  setHealth(isUp: boolean, nowMillis: number): boolean {
    this.#pass(nowMillis);
    const isOther = this.#isDown === isUp;
    this.#isDown = !isUp;
    if (!isUp) {
      if (isOther) {
        this.#markDown('health');
      }
    } else if (isOther) {
      this.#reason = 'failures';
      this.#try(nowMillis);
      this.#markUp('health');
    } else if (this.#state === 'open') {
      if (this.#reason !== 'latency') {
        this.#try(nowMillis);
      }
    } else if (this.#state === 'half-open' && this.#out === 0) {
      this.#close('health');
    }
    return isOther;
  }

  /** The address is removed: nothing more is reported. */
  retire(): void {
    this.#markUp('removed');
    this.#report = () => {};
  }

  /**
   * What time alone changes: the rest is over, or nothing was heard of the address for as long
   * again.
   */
  #pass(nowMillis: number): void {
    if (this.#isDown || this.#state === 'closed') return;
    if (this.#state === 'open' && nowMillis >= this.#openUntilMillis) {
      this.#try(this.#openUntilMillis);
    }
    if (this.#state !== 'half-open' || this.#out > 0) return;
    if (nowMillis >= this.#quietSinceMillis + this.#restMillis) {
      this.#close('time');
    }
  }

  #try(nowMillis: number): void {
    this.#enter('half-open');
    this.#quietSinceMillis = nowMillis;
    this.#allowed = 1;
  }

  #fail(nowMillis: number): boolean {
    this.#share += this.#weight * (1 - this.#share);
    this.#failed++;
    if (this.#failuresMax === 0 && this.#reason === 'failures') return false;
    const share =
      this.#state === 'half-open' ? this.#failed / (this.#failed + this.#answered) : this.#share;
    // Powers of fractions are not exact.
    if (share < OPEN_SHARE - 1e-9) return false;
    this.#open(this.#state === 'half-open' ? this.#reason : 'failures', nowMillis);
    return true;
  }

  #answer(): void {
    this.#share -= this.#weight * this.#share;
    if (this.#allowed === Number.POSITIVE_INFINITY) return;
    this.#answered++;
    if (++this.#answeredOfStep < this.#allowed) return;
    this.#allow(this.#allowed * 2);
    if (this.#state === 'half-open' && this.#allowed > Math.min(PROBES_MAX, this.#capacity)) {
      this.#close('answers');
    }
  }

  #open(reason: EjectionReason, nowMillis: number): void {
    this.#enter('open');
    this.#openUntilMillis = nowMillis + this.#restMillis * (1 - JITTER * Math.random());
    this.#reason = reason;
    this.#markDown(reason);
  }

  #close(reason: RecoveryReason): void {
    const ended = this.#failed + this.#answered;
    this.#share = ended === 0 ? 0 : this.#failed / ended;
    this.#state = 'closed';
    this.#reason = 'failures';
    this.#allow(2 * PROBES_MAX);
    this.#markUp(reason);
  }

  /** Allows so many calls at once: up to the capacity, from where on others limit them. */
  #allow(calls: number): void {
    const isLimited = this.#state === 'half-open' || calls <= this.#capacity;
    this.#allowed = isLimited ? calls : Number.POSITIVE_INFINITY;
    this.#answeredOfStep = 0;
  }

  #enter(state: BreakerState): void {
    this.#state = state;
    this.#epoch++;
    this.#out = 0;
    this.#answeredOfStep = 0;
    this.#answered = 0;
    this.#failed = 0;
  }

  #markDown(reason: EjectionReason): void {
    if (!this.#isReportedUp) return;
    this.#isReportedUp = false;
    this.#report({ isUp: false, reason });
  }

  #markUp(reason: RecoveryReason): void {
    if (this.#isReportedUp) return;
    this.#isReportedUp = true;
    this.#report({ isUp: true, reason });
  }
}

/** The refusal of a call that no address takes now. */
export const breakerOpen = (restMillis: number): Refusal =>
  new Refusal('CIRCUIT_OPEN', null, {
    retryAfter: String(Math.max(1, Math.ceil(restMillis / 1000))),
  });
