import { performance } from 'node:perf_hooks';

/** The pause after a replay of a client, as a multiple of the time that the replay took. */
const PAUSE_RATIO = 9;
const PAUSE_MILLIS_MAX = 1000;
/** Shorter replays are followed by no pause: there was nothing to read. */
const SHORT_MILLIS = 1;

type Replay = () => Promise<void>;

/**
 * Makes replays one after the other: after a drain many come at once, each with events of its own.
 * Clients take turns, and between two replays of one client is a pause: one that subscribes again
 * and again gets a tenth of the time.
 */
export class ReplayQueue {
  /** The replays that wait, by client; the client whose turn is next comes first. */
  readonly #waiting = new Map<string, Replay[]>();
  /** Clients that have a pause, and until when. */
  readonly #pausedUntil = new Map<string, number>();
  readonly #now: () => number;
  #isRunning = false;
  #isClosed = false;
  #timer: NodeJS.Timeout | null = null;

  /** Makes a queue on the clock of the process, unless another is passed. */
  constructor(now = (): number => performance.now()) {
    this.#now = now;
  }

  /** `replay` never rejects. */
  add(client: string, replay: Replay): void {
    if (this.#isClosed) return;
    const waiting = this.#waiting.get(client) ?? [];
    waiting.push(replay);
    this.#waiting.set(client, waiting);
    this.#next();
  }

  close(): void {
    this.#isClosed = true;
    this.#waiting.clear();
    this.#pausedUntil.clear();
    if (this.#timer !== null) {
      clearTimeout(this.#timer);
    }
  }

  #next(): void {
    if (this.#isRunning) return;
    if (this.#timer !== null) {
      clearTimeout(this.#timer);
    }
    this.#timer = null;
    const nowMillis = this.#now();
    let firstMillis = Number.POSITIVE_INFINITY;
    for (const [client, untilMillis] of this.#pausedUntil) {
      if (untilMillis <= nowMillis) {
        this.#pausedUntil.delete(client);
      }
    }
    for (const [client, waiting] of this.#waiting) {
      const untilMillis = this.#pausedUntil.get(client);
      if (untilMillis === undefined) return void this.#run(client, waiting);
      firstMillis = Math.min(firstMillis, untilMillis);
    }
    if (firstMillis === Number.POSITIVE_INFINITY) return;
    this.#timer = setTimeout(() => this.#next(), Math.max(1, firstMillis - nowMillis)).unref();
  }

  async #run(client: string, waiting: Replay[]): Promise<void> {
    const [replay, ...others] = waiting;
    this.#waiting.delete(client);
    if (others.length > 0) {
      this.#waiting.set(client, others);
    }
    this.#isRunning = true;
    const beganMillis = this.#now();
    await replay?.();
    const nowMillis = this.#now();
    const tookMillis = nowMillis - beganMillis;
    if (tookMillis >= SHORT_MILLIS) {
      this.#pausedUntil.set(
        client,
        nowMillis + Math.min(PAUSE_MILLIS_MAX, PAUSE_RATIO * tookMillis),
      );
    }
    this.#isRunning = false;
    this.#next();
  }
}
