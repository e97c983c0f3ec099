interface Entry {
  readonly key: string;
  readonly untilMillis: number;
}

/**
 * How far the clocks of replicas may differ: what is remembered for all of them is remembered for
 * so long beyond its time, which ends later by the clock of another one.
 */
export const CLOCKS_MILLIS = 10_000;

/** What is remembered: by key, and by time as a binary heap whose first entry expires first. */
interface Remembered {
  readonly keys: Set<string>;
  readonly heap: Entry[];
}

/**
 * Remembers what may come once only, in this process: nonces and signed messages, each until a time
 * of its own. Nothing is forgotten before its time: a full memory takes nothing new, because what
 * it forgot could come again.
 */
export class OnceMemory {
  readonly max: number;
  readonly #remembered: Remembered;

  /**
   * Remembers what `earlier` remembers, and both see what is to come: a reload must not let
   * anything pass again.
   */
  constructor(max: number, earlier: OnceMemory | null = null) {
    this.max = max;
    this.#remembered = earlier === null ? { keys: new Set(), heap: [] } : earlier.#remembered;
  }

  get count(): number {
    return this.#remembered.heap.length;
  }

  /**
   * Remembers a key that is `new`. One that is remembered at this time is `seen`; a memory that is
   * `full` remembers no more.
   */
  take(
    key: string,
    untilMillis: number,
    nowMillis: number,
    max = this.max,
  ): 'new' | 'seen' | 'full' {
    const { keys, heap } = this.#remembered;
    this.#expire(nowMillis);
    if (keys.has(key)) return 'seen';
    if (heap.length >= max) return 'full';
    keys.add(key);
    push(heap, { key, untilMillis });
    return 'new';
  }

  /** Milliseconds until the next entry expires. */
  nextExpiryMillis(nowMillis: number): number {
    return Math.max(0, (this.#remembered.heap[0]?.untilMillis ?? nowMillis) - nowMillis);
  }

  #expire(nowMillis: number): void {
    const { keys, heap } = this.#remembered;
    for (
      let first = heap[0];
      first !== undefined && first.untilMillis <= nowMillis;
      first = heap[0]
    ) {
      keys.delete(first.key);
      shift(heap);
    }
  }
}

function push(heap: Entry[], entry: Entry): void {
  let at = heap.length;
  heap.push(entry);
  while (at > 0) {
    const above = (at - 1) >> 1;
    const parent = heap[above];
    if (parent === undefined || parent.untilMillis <= entry.untilMillis) break;
    heap[at] = parent;
    at = above;
  }
  heap[at] = entry;
}

/** Takes the first entry out. */
function shift(heap: Entry[]): void {
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return;
  let at = 0;
  for (;;) {
    let below = 2 * at + 1;
    let child = heap[below];
    const other = heap[below + 1];
    if (child === undefined) break;
    if (other !== undefined && other.untilMillis < child.untilMillis) {
      below++;
      child = other;
    }
    if (child.untilMillis >= last.untilMillis) break;
    heap[at] = child;
    at = below;
  }
  heap[at] = last;
}
