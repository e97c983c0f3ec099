import { performance } from 'node:perf_hooks';

/** Long work that is done in time slices. */
export interface SlicedTask {
  /** When it began, by the clock of the process. */
  readonly beganMillis: number;
  /**
   * Does one slice. `more`: there is more to do; `waits`: it waits for bytes, or is over. Never
   * throws.
   */
  step(): 'more' | 'waits';
}

/** The connection that a task is done for. */
export interface TaskOwner {
  readonly address: string;
  /** True if tasks of the connection get the share of penalised connections. */
  readonly isPenalised: boolean;
}

/** Length of a time slice: a short request waits for several of them. */
export const TIME_SLICE_MILLIS = 0.25;

/**
 * The least charge for a slice: a chunk that a task has read is taken from the system after the
 * slice.
 */
const LEAST_MILLIS = 0.05;

/** The share of the time that long tasks get, at least, while short messages come all the time. */
const SHARE = 0.1;

/** The share of the time that tasks of all penalised connections get, at most. */
const PENALISED_SHARE = 0.02;

/**
 * Schedules long messages fairly with each other and with short ones. The event loop would serve
 * all alike, and a few clients with messages that are slow to read would delay all others
 * (catalogue O11).
 *
 * Together long messages get a slice of a quarter of a millisecond in each turn of the event loop,
 * whatever their number, and nothing of a turn that brought a short message, as long as that leaves
 * them their share. Where none waits, the slice is for the bytes that come first, as they come.
 * Tasks of penalised connections get no more than theirs even when the event loop is idle.
 */
export class FairScheduler {
  readonly #ordinary = new TaskQueues('every other slice');
  /**
   * A message that is being read may keep a backend waiting: of each address the task goes on that
   * began first.
   */
  readonly #penalised = new TaskQueues('always');
  /** A short message came since the last slice. */
  #hasShort = false;
  /**
   * When the next slice is due even if short messages come, and when the next one of penalised
   * connections is.
   */
  #dueMillis = 0;
  #penalisedDueMillis = 0;
  /** The slice that is being done, and since when. */
  #current: { readonly isPenalised: boolean; readonly sinceMillis: number } | null = null;
  /** What the work that did not wait has taken of the slice of this turn. */
  #spentMillis = 0;
  #next: 'none' | 'immediate' | NodeJS.Timeout = 'none';
  readonly #now: () => number;

  /** Measures time by the clock of the process, unless another is passed. */
  constructor(now = (): number => performance.now()) {
    this.#now = now;
  }

  /** Adds a task to the queue of its address; one that is queued must not be added again. */
  enqueue(task: SlicedTask, owner: TaskOwner): void {
    this.#add({ task, owner });
    this.#schedule();
  }

  /** Reports a message that was short enough to be read at once. */
  addShortMessage(): void {
    this.#hasShort = true;
  }

  /**
   * Whether work for this connection need not wait: no other does, and the slice of this turn is
   * not used up.
   */
  admits(owner: TaskOwner): boolean {
    if (owner.isPenalised || this.#current !== null || !this.#ordinary.isEmpty) return false;
    if (this.#spentMillis >= TIME_SLICE_MILLIS) return false;
    return !this.#hasShort || this.#now() >= this.#dueMillis;
  }

  /**
   * Charges a slice for work that did not wait. It ends with the turn in which it is used up: a
   * turn of its own costs.
   */
  spend(millis: number): void {
    this.#spentMillis += Math.max(LEAST_MILLIS, millis);
    if (this.#spentMillis >= TIME_SLICE_MILLIS) {
      this.#doInThisTurn();
    }
  }

  #add(queued: QueuedTask): void {
    (queued.owner.isPenalised ? this.#penalised : this.#ordinary).add(queued);
  }

  /** Work of promises between the two immediates belongs to the slice. */
  #schedule(): void {
    if (this.#next === 'immediate' || this.#current !== null) return;
    if (this.#ordinary.isEmpty && this.#penalised.isEmpty) return;
    const waitMillis = this.#ordinary.isEmpty ? this.#penalisedDueMillis - this.#now() : 0;
    if (waitMillis > 0) {
      if (this.#next === 'none') {
        this.#next = setTimeout(this.#wake, waitMillis);
      }
      return;
    }
    this.#doInThisTurn();
  }

  #doInThisTurn(): void {
    if (this.#next === 'immediate') return;
    if (this.#next !== 'none') {
      clearTimeout(this.#next);
    }
    this.#next = 'immediate';
    setImmediate(this.#doSlice);
    setImmediate(this.#endSlice);
  }

  readonly #wake = (): void => {
    this.#next = 'none';
    this.#schedule();
  };

  readonly #doSlice = (): void => {
    const sinceMillis = this.#now();
    const hasShort = this.#hasShort;
    this.#hasShort = false;
    const isPenalised = !this.#penalised.isEmpty && sinceMillis >= this.#penalisedDueMillis;
    const isUsedUp = this.#spentMillis > 0 || (hasShort && sinceMillis < this.#dueMillis);
    if (isUsedUp && !isPenalised) return;
    this.#current = { isPenalised, sinceMillis };
    const queues = isPenalised ? this.#penalised : this.#ordinary;
    do {
      const next = queues.take();
      // It may have begun to read: those bytes are the work of the next slice.
      if (next === null || next.task.step() === 'waits') return;
      this.#add(next);
    } while (this.#now() < sinceMillis + TIME_SLICE_MILLIS);
  };

  readonly #endSlice = (): void => {
    const nowMillis = this.#now();
    let workMillis = this.#spentMillis;
    if (this.#current !== null) {
      const { isPenalised, sinceMillis } = this.#current;
      const sliceMillis = Math.max(LEAST_MILLIS, nowMillis - sinceMillis);
      if (isPenalised) {
        this.#penalisedDueMillis = nowMillis + sliceMillis * (1 / PENALISED_SHARE - 1);
      }
      workMillis += sliceMillis;
    }
    if (workMillis > 0) {
      this.#dueMillis = nowMillis + workMillis * (1 / SHARE - 1);
    }
    this.#current = null;
    this.#spentMillis = 0;
    this.#next = 'none';
    this.#schedule();
  };
}

interface QueuedTask {
  readonly task: SlicedTask;
  readonly owner: TaskOwner;
}

/** Queues that are kept while they are empty. */
export const IDLE_QUEUES_MAX = 16;

/** Queued tasks: addresses take turns, whatever the number of tasks of each. */
export class TaskQueues {
  /**
   * The queue of each address. A long message leaves its queue empty in each of its slices, and V8
   * allocates the table of a map anew where its last entry is deleted: in the old space, 30 MiB for
   * a message of 1 GiB.
   */
  readonly #queues = new Map<string, TaskQueue>();
  /** The queues with tasks; the one whose turn is next comes first. */
  readonly #waiting: TaskQueue[] = [];
  readonly #oldestFirst: TaskQueue['oldestFirst'];

  constructor(oldestFirst: TaskQueue['oldestFirst']) {
    this.#oldestFirst = oldestFirst;
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  /** Addresses with a queue, empty or not. */
  get addresses(): number {
    return this.#queues.size;
  }

  add(queued: QueuedTask): void {
    const { address } = queued.owner;
    let queue = this.#queues.get(address);
    if (queue === undefined) {
      queue = new TaskQueue(this.#oldestFirst);
      this.#queues.set(address, queue);
    }
    if (queue.tasks.push(queued) === 1) {
      this.#waiting.push(queue);
    }
  }

  take(): QueuedTask | null {
    const queue = this.#waiting.shift();
    if (queue === undefined) return null;
    const queued = queue.take();
    if (queue.tasks.length > 0) {
      this.#waiting.push(queue);
    } else if (queued !== null && this.#queues.size > IDLE_QUEUES_MAX) {
      this.#queues.delete(queued.owner.address);
    }
    return queued;
  }
}

/**
 * The tasks of one address. Where the oldest is taken every other slice, all tasks go on, but
 * whether the messages of an address are valid is known soon.
 */
class TaskQueue {
  readonly tasks: QueuedTask[] = [];
  readonly oldestFirst: 'always' | 'every other slice';
  #takesOldest = false;

  constructor(oldestFirst: TaskQueue['oldestFirst']) {
    this.oldestFirst = oldestFirst;
  }

  take(): QueuedTask | null {
    this.#takesOldest = this.oldestFirst === 'always' || !this.#takesOldest;
    if (this.tasks.length === 1) {
      this.#takesOldest = false;
      return this.tasks.pop() ?? null;
    }
    if (!this.#takesOldest) return this.tasks.shift() ?? null;
    let oldest = 0;
    for (let at = 1; at < this.tasks.length; at++) {
      if ((this.tasks[at]?.task.beganMillis ?? 0) < (this.tasks[oldest]?.task.beganMillis ?? 0)) {
        oldest = at;
      }
    }
    return this.tasks.splice(oldest, 1)[0] ?? null;
  }
}

/** One for the process, as there is one event loop. */
export const fairScheduler = new FairScheduler();

/** Resolves in the next time slice of this connection: for work that cannot be sliced. */
export const waitForTimeSlice = (owner: TaskOwner): Promise<void> =>
  new Promise((resolve) => {
    const task: SlicedTask = {
      beganMillis: performance.now(),
      step() {
        resolve();
        return 'waits';
      },
    };
    fairScheduler.enqueue(task, owner);
  });
