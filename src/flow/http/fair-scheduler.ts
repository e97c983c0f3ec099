import { performance } from 'node:perf_hooks';
import { setNewest } from '../../base/newest.js';

/** Somebody whose work is long, and is done in pieces. */
export interface LongWork {
  /** When it began, by the clock of the process. */
  readonly beganMillis: number;
  /** Does one piece. `more`: there is more to do; `waits`: it waits for bytes, or for ever. Never throws. */
  step(): 'more' | 'waits';
}

/** How long everybody else may be kept waiting at a time: an ordinary request waits for several turns. */
export const TURN_MILLIS = 0.25;

/** What a turn counts for at least: a chunk that it has somebody read is taken from the system when it is over. */
const LEAST_MILLIS = 0.05;

/** The part of the time that long work gets, at least, while short messages come all the time. */
const SHARE = 0.1;

/** The part of the time that the long work of all suspects gets, at most. */
const SUSPECT_SHARE = 0.02;

/** Suspects remembered; beyond, the one longest under suspicion is let go. */
const SUSPECTS_MAX = 10_000;

/**
 * Where long messages wait for each other and for short ones. The event loop would serve all alike, and a few callers
 * with messages that are slow to read would keep everybody else waiting (catalogue O11).
 *
 * Together long messages get a quarter of a millisecond of a turn of the event loop, whatever their number, and nothing
 * of a turn that brought a short one, as long as that leaves them their share. Those of an address that is suspected,
 * because what it sends is refused all the time, get no more than theirs even when nobody else is there.
 */
export class Lane {
  readonly #ordinary = new Lines('every other turn');
  /** A message that is being read may keep a backend waiting: of each address the one goes on that began first. */
  readonly #suspected = new Lines('always');
  /** Until when each address is suspected. */
  readonly #suspectMillis = new Map<string, number>();
  /** A short message came since the last turn. */
  #hasShort = false;
  /** When work is done whatever comes, and not before for suspects. */
  #dueMillis = 0;
  #suspectDueMillis = 0;
  /** The work that is being done, and since when. */
  #current: { readonly isSuspected: boolean; readonly sinceMillis: number } | null = null;
  #next: 'none' | 'immediate' | NodeJS.Timeout = 'none';
  readonly #now: () => number;

  /** By the clock of the process, unless given another. */
  constructor(now = (): number => performance.now()) {
    this.#now = now;
  }

  /** Joins the end of the line of its address; one that waits there already must not join again. */
  enter(work: LongWork, address: string): void {
    this.#join(work, address);
    this.#schedule();
  }

  /** A message came that is short enough to be read at once. */
  passed(): void {
    this.#hasShort = true;
  }

  /** What comes from this address is read slowly until then. */
  suspect(address: string, untilMillis: number): void {
    setNewest(this.#suspectMillis, address, untilMillis, SUSPECTS_MAX);
    for (const work of this.#ordinary.leave(address)) this.#suspected.join(work, address);
  }

  /** Nobody is suspected any more. */
  pardon(): void {
    this.#suspectMillis.clear();
    for (let next = this.#suspected.take(); next !== null; next = this.#suspected.take()) {
      this.#ordinary.join(next.work, next.address);
    }
    this.#schedule();
  }

  /** What this address sends is refused all the time. */
  isSuspect(address: string): boolean {
    const untilMillis = this.#suspectMillis.get(address);
    if (untilMillis === undefined) return false;
    if (untilMillis > this.#now()) return true;
    this.#suspectMillis.delete(address);
    return false;
  }

  #join(work: LongWork, address: string): void {
    if (this.isSuspect(address)) this.#suspected.join(work, address);
    else this.#ordinary.join(work, address);
  }

  /** What promises bring about between the two immediates belongs to the turn. */
  #schedule(): void {
    if (this.#next === 'immediate' || this.#current !== null) return;
    if (this.#ordinary.isEmpty && this.#suspected.isEmpty) return;
    const waitMillis = this.#ordinary.isEmpty ? this.#suspectDueMillis - this.#now() : 0;
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
    const isSuspected = !this.#suspected.isEmpty && sinceMillis >= this.#suspectDueMillis;
    if (!isSuspected && hasShort && sinceMillis < this.#dueMillis) return;
    this.#current = { isSuspected, sinceMillis };
    const lines = isSuspected ? this.#suspected : this.#ordinary;
    do {
      const next = lines.take();
      if (next === null) return;
      const { work, address } = next;
      // It may have begun to read: what that brings is the work of the next turn.
      if (work.step() === 'waits') return;
      this.#join(work, address);
    } while (this.#now() < sinceMillis + TURN_MILLIS);
  };

  readonly #over = (): void => {
    if (this.#current !== null) {
      const { isSuspected, sinceMillis } = this.#current;
      const nowMillis = this.#now();
      const workMillis = Math.max(LEAST_MILLIS, nowMillis - sinceMillis);
      if (isSuspected) this.#suspectDueMillis = nowMillis + workMillis * (1 / SUSPECT_SHARE - 1);
      this.#dueMillis = nowMillis + workMillis * (1 / SHARE - 1);
      this.#current = null;
    }
    this.#next = 'none';
    this.#schedule();
  };
}

/** Whose turn it is. */
interface Next {
  readonly work: LongWork;
  readonly address: string;
}

/** Works that wait: callers take turns with each other, by address, whatever the number of works of each. */
class Lines {
  /** Whose turn is next comes first. */
  readonly #lines = new Map<string, Line>();
  readonly #eldest: Line['eldest'];

  /** When it is the turn of the work of an address that began first. */
  constructor(eldest: Line['eldest']) {
    this.#eldest = eldest;
  }

  get isEmpty(): boolean {
    return this.#lines.size === 0;
  }

  join(work: LongWork, address: string): void {
    let line = this.#lines.get(address);
    if (line === undefined) {
      line = new Line(this.#eldest);
      this.#lines.set(address, line);
    }
    line.works.push(work);
  }

  take(): Next | null {
    const [next] = this.#lines;
    if (next === undefined) return null;
    const [address, line] = next;
    const work = line.take();
    this.#lines.delete(address);
    if (line.works.length > 0) this.#lines.set(address, line);
    return work === null ? null : { work, address };
  }

  /** All works of this address, which do not wait here any more. */
  leave(address: string): readonly LongWork[] {
    const works = this.#lines.get(address)?.works ?? [];
    this.#lines.delete(address);
    return works;
  }
}

/**
 * The works of one address. Where it is every other time the turn of the one that began first, all go on, but whether
 * what an address sends is any good is known soon.
 */
class Line {
  readonly works: LongWork[] = [];
  readonly eldest: 'always' | 'every other turn';
  #isForEldest = false;

  constructor(eldest: Line['eldest']) {
    this.eldest = eldest;
  }

  take(): LongWork | null {
    this.#isForEldest = this.eldest === 'always' || !this.#isForEldest;
    if (!this.#isForEldest) return this.works.shift() ?? null;
    let eldest = 0;
    for (let at = 1; at < this.works.length; at++) {
      if ((this.works[at]?.beganMillis ?? 0) < (this.works[eldest]?.beganMillis ?? 0)) eldest = at;
    }
    return this.works.splice(eldest, 1)[0] ?? null;
  }
}

/** One for the process, as there is one event loop. */
export const lane = new Lane();

/** Resolves when it is the turn of a work that cannot be done in pieces. */
export const turnOfLong = (address: string): Promise<void> =>
  new Promise((resolve) => {
    const work: LongWork = {
      beganMillis: performance.now(),
      step() {
        resolve();
        return 'waits';
      },
    };
    lane.enter(work, address);
  });
