import { performance } from 'node:perf_hooks';
import { setAndEvictOldest } from '../../base/evict-oldest.js';

/** Somebody whose work is long, and is done in pieces. */
export interface SlicedTask {
  /** When it began, by the clock of the process. */
  readonly beganMillis: number;
  /** Does one piece. `more`: there is more to do; `waits`: it waits for bytes, or for ever. Never throws. */
  step(): 'more' | 'waits';
}

/** How long everybody else may be kept waiting at a time: an ordinary request waits for several turns. */
export const TIME_SLICE_MILLIS = 0.25;

/** What a turn counts for at least: a chunk that it has somebody read is taken from the system when it is over. */
const LEAST_MILLIS = 0.05;

/** The part of the time that long work gets, at least, while short messages come all the time. */
const SHARE = 0.1;

/** The part of the time that the long work of all penalised addresses gets, at most. */
const PENALISED_SHARE = 0.02;

/** Suspects remembered; beyond, the one longest under suspicion is let go. */
const PENALISED_MAX = 10_000;

/**
 * Where long messages wait for each other and for short ones. The event loop would serve all alike, and a few callers
 * with messages that are slow to read would keep everybody else waiting (catalogue O11).
 *
 * Together long messages get a quarter of a millisecond of a turn of the event loop, whatever their number, and nothing
 * of a turn that brought a short one, as long as that leaves them their share. Those of an address that is suspected,
 * because what it sends is refused all the time, get no more than theirs even when nobody else is there.
 */
export class FairScheduler {
  readonly #ordinary = new TaskQueues('every other turn');
  /** A message that is being read may keep a backend waiting: of each address the one goes on that began first. */
  readonly #penalised = new TaskQueues('always');
  /** Until when each address is suspected. */
  readonly #penalisedMillis = new Map<string, number>();
  /** A short message came since the last turn. */
  #hasShort = false;
  /** When work is done whatever comes, and not before for penalised addresses. */
  #dueMillis = 0;
  #penalisedDueMillis = 0;
  /** The work that is being done, and since when. */
  #current: { readonly isPenalised: boolean; readonly sinceMillis: number } | null = null;
  #next: 'none' | 'immediate' | NodeJS.Timeout = 'none';
  readonly #now: () => number;

  /** By the clock of the process, unless given another. */
  constructor(now = (): number => performance.now()) {
    this.#now = now;
  }

  /** Joins the end of the queue of its address; one that waits there already must not join again. */
  enqueue(work: SlicedTask, address: string): void {
    this.#join(work, address);
    this.#schedule();
  }

  /** A message came that is short enough to be read at once. */
  addShortMessage(): void {
    this.#hasShort = true;
  }

  /** What comes from this address is read slowly until then. */
  penalise(address: string, untilMillis: number): void {
    setAndEvictOldest(this.#penalisedMillis, address, untilMillis, PENALISED_MAX);
    for (const work of this.#ordinary.leave(address)) this.#penalised.join(work, address);
  }

  /** Nobody is suspected any more. */
  forgiveAll(): void {
    this.#penalisedMillis.clear();
    for (let next = this.#penalised.take(); next !== null; next = this.#penalised.take()) {
      this.#ordinary.join(next.work, next.address);
    }
    this.#schedule();
  }

  /** What this address sends is refused all the time. */
  isPenalised(address: string): boolean {
    const untilMillis = this.#penalisedMillis.get(address);
    if (untilMillis === undefined) return false;
    if (untilMillis > this.#now()) return true;
    this.#penalisedMillis.delete(address);
    return false;
  }

  #join(work: SlicedTask, address: string): void {
    if (this.isPenalised(address)) this.#penalised.join(work, address);
    else this.#ordinary.join(work, address);
  }

  /** What promises bring about between the two immediates belongs to the turn. */
  #schedule(): void {
    if (this.#next === 'immediate' || this.#current !== null) return;
    if (this.#ordinary.isEmpty && this.#penalised.isEmpty) return;
    const waitMillis = this.#ordinary.isEmpty ? this.#penalisedDueMillis - this.#now() : 0;
    if (waitMillis > 0) {
      if (this.#next === 'none') this.#next = setTimeout(this.#wake, waitMillis);
      return;
    }
    if (this.#next !== 'none') clearTimeout(this.#next);
    this.#next = 'immediate';
    setImmediate(this.#turn);
    setImmediate(this.#over);
  }

  readonly #wake = (): void => {
    this.#next = 'none';
    this.#schedule();
  };

  readonly #turn = (): void => {
    const sinceMillis = this.#now();
    const hasShort = this.#hasShort;
    this.#hasShort = false;
    const isPenalised = !this.#penalised.isEmpty && sinceMillis >= this.#penalisedDueMillis;
    if (!isPenalised && hasShort && sinceMillis < this.#dueMillis) return;
    this.#current = { isPenalised, sinceMillis };
    const queues = isPenalised ? this.#penalised : this.#ordinary;
    do {
      const next = queues.take();
      if (next === null) return;
      const { work, address } = next;
      // It may have begun to read: what that brings is the work of the next turn.
      if (work.step() === 'waits') return;
      this.#join(work, address);
    } while (this.#now() < sinceMillis + TIME_SLICE_MILLIS);
  };

  readonly #over = (): void => {
    if (this.#current !== null) {
      const { isPenalised, sinceMillis } = this.#current;
      const nowMillis = this.#now();
      const workMillis = Math.max(LEAST_MILLIS, nowMillis - sinceMillis);
      if (isPenalised) this.#penalisedDueMillis = nowMillis + workMillis * (1 / PENALISED_SHARE - 1);
      this.#dueMillis = nowMillis + workMillis * (1 / SHARE - 1);
      this.#current = null;
    }
    this.#next = 'none';
    this.#schedule();
  };
}

/** Whose turn it is. */
interface Next {
  readonly work: SlicedTask;
  readonly address: string;
}

/** Works that wait: callers take turns with each other, by address, whatever the number of works of each. */
class TaskQueues {
  /** Whose turn is next comes first. */
  readonly #queues = new Map<string, TaskQueue>();
  readonly #oldest: TaskQueue['oldest'];

  /** When it is the turn of the work of an address that began first. */
  constructor(oldest: TaskQueue['oldest']) {
    this.#oldest = oldest;
  }

  get isEmpty(): boolean {
    return this.#queues.size === 0;
  }

  join(work: SlicedTask, address: string): void {
    let queue = this.#queues.get(address);
    if (queue === undefined) {
      queue = new TaskQueue(this.#oldest);
      this.#queues.set(address, queue);
    }
    queue.works.push(work);
  }

  take(): Next | null {
    const [next] = this.#queues;
    if (next === undefined) return null;
    const [address, queue] = next;
    const work = queue.take();
    this.#queues.delete(address);
    if (queue.works.length > 0) this.#queues.set(address, queue);
    return work === null ? null : { work, address };
  }

  /** All works of this address, which do not wait here any more. */
  leave(address: string): readonly SlicedTask[] {
    const works = this.#queues.get(address)?.works ?? [];
    this.#queues.delete(address);
    return works;
  }
}

/**
 * The works of one address. Where it is every other time the turn of the one that began first, all go on, but whether
 * what an address sends is any good is known soon.
 */
class TaskQueue {
  readonly works: SlicedTask[] = [];
  readonly oldest: 'always' | 'every other turn';
  #isForOldest = false;

  constructor(oldest: TaskQueue['oldest']) {
    this.oldest = oldest;
  }

  take(): SlicedTask | null {
    this.#isForOldest = this.oldest === 'always' || !this.#isForOldest;
    if (!this.#isForOldest) return this.works.shift() ?? null;
    let oldest = 0;
    for (let at = 1; at < this.works.length; at++) {
      if ((this.works[at]?.beganMillis ?? 0) < (this.works[oldest]?.beganMillis ?? 0)) oldest = at;
    }
    return this.works.splice(oldest, 1)[0] ?? null;
  }
}

/** One for the process, as there is one event loop. */
export const fairScheduler = new FairScheduler();

/** Resolves when it is the turn of a work that cannot be done in pieces. */
export const waitForTimeSlice = (address: string): Promise<void> =>
  new Promise((resolve) => {
    const work: SlicedTask = {
      beganMillis: performance.now(),
      step() {
        resolve();
        return 'waits';
      },
    };
    fairScheduler.enqueue(work, address);
  });
