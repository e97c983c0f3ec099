import type { Exchange, Outcome } from '../gateway/exchange.js';
import type { HourReport, RouteHour } from './hour-report.js';
import { REQUEST_SECONDS } from './metrics/metrics.js';

/** A slot is half a minute: an hour of them is a chart that a screen can show. */
const SLOT_MILLIS = 30_000;
export const SLOTS = 120;
/** Routes that are counted by themselves; those of others count in the total alone. */
export const HOUR_ROUTES_MAX = 1000;

/** Counts of each slot. */
class RouteCounts {
  readonly requests = new Uint32Array(SLOTS);
  readonly refused = new Uint32Array(SLOTS);
  readonly failed = new Uint32Array(SLOTS);

  add(at: number, outcome: Outcome): void {
    increment(this.requests, at);
    if (outcome === 'refused') {
      increment(this.refused, at);
    } else if (outcome === 'failed') {
      increment(this.failed, at);
    }
  }

  clear(at: number): void {
    this.requests[at] = 0;
    this.refused[at] = 0;
    this.failed[at] = 0;
  }
}

const increment = (counts: Uint32Array, at: number): void => {
  counts[at] = (counts[at] ?? 0) + 1;
};

/** The requests of the last hour in a ring of slots, for the charts of the console. */
export class LastHour {
  readonly #now: () => number;
  /** The number of the first slot, counted from 1970, and of the newest one. */
  #first: number;
  #newest: number;
  readonly #total = new RouteCounts();
  readonly #routes = new Map<string, RouteCounts>();
  /** Counts of times by their bounds, a row for each slot. */
  readonly #times = Array.from(
    { length: SLOTS },
    () => new Uint32Array(REQUEST_SECONDS.length + 1),
  );

  constructor(now: () => number = Date.now) {
    this.#now = now;
    this.#first = this.#slotNow();
    this.#newest = this.#first;
  }

  add({ route, outcome }: Exchange, millis: number): void {
    const at = this.#advance() % SLOTS;
    this.#total.add(at, outcome);
    this.#countsOf(route)?.add(at, outcome);
    const times = this.#times[at];
    if (times !== undefined) {
      increment(times, boundOf(millis / 1000));
    }
  }

  report(): HourReport {
    const newest = this.#advance();
    const from = Math.max(this.#first, newest - SLOTS + 1);
    const ordered = <T>(slots: ArrayLike<T>): readonly T[] =>
      Array.from(
        { length: newest - from + 1 },
        (_, index) => slots[(from + index) % SLOTS],
      ).flatMap((value) => (value === undefined ? [] : [value]));
    const listed = (route: string, counts: RouteCounts): RouteHour => ({
      route,
      requests: ordered(counts.requests),
      refused: ordered(counts.refused),
      failed: ordered(counts.failed),
    });
    return {
      slotSeconds: SLOT_MILLIS / 1000,
      fromSeconds: (from * SLOT_MILLIS) / 1000,
      bounds: REQUEST_SECONDS,
      times: ordered(this.#times).map((row) => [...row]),
      total: listed('', this.#total),
      routes: [...this.#routes].map(([route, counts]) => listed(route, counts)),
    };
  }

  /** Null for one of too many routes. */
  #countsOf(route: string): RouteCounts | null {
    const known = this.#routes.get(route);
    if (known !== undefined) return known;
    if (this.#routes.size === HOUR_ROUTES_MAX) return null;
    const made = new RouteCounts();
    this.#routes.set(route, made);
    return made;
  }

  #slotNow(): number {
    return Math.floor(this.#now() / SLOT_MILLIS);
  }

  /** The slot of now: those that time has passed since the newest one are empty. */
  #advance(): number {
    const atClock = this.#slotNow();
    if (atClock <= this.#newest - SLOTS) {
      this.#restart(atClock);
    }
    // A clock that is put back a little counts in the newest slot.
    const now = Math.max(this.#newest, atClock);
    const passed = Math.min(SLOTS, now - this.#newest);
    for (let slot = now - passed + 1; slot <= now; slot++) {
      this.#clear(slot % SLOTS);
    }
    this.#newest = now;
    return now;
  }

  /** A clock that was ahead by more than the ring is put right: its slots are of no known time. */
  #restart(slot: number): void {
    for (let at = 0; at < SLOTS; at++) {
      this.#clear(at);
    }
    this.#first = slot;
    this.#newest = slot;
  }

  #clear(at: number): void {
    this.#total.clear(at);
    this.#times[at]?.fill(0);
    for (const [route, counts] of this.#routes) {
      counts.clear(at);
      // A route that a reload has removed, or that gets nothing, keeps no place.
      if (at === 0 && counts.requests.every((count) => count === 0)) {
        this.#routes.delete(route);
      }
    }
  }
}

function boundOf(seconds: number): number {
  const at = REQUEST_SECONDS.findIndex((bound) => seconds <= bound);
  return at === -1 ? REQUEST_SECONDS.length : at;
}

/**
 * The reports of several processes as that of one; null for none. It ends with slot `end`, which is
 * that of the newest report unless another is given, and has at most `SLOTS` slots.
 */
export function mergeHours(
  reports: readonly HourReport[],
  end = endOfHours(reports),
): HourReport | null {
  const [first] = reports;
  if (first === undefined || end === null) return null;
  const { slotSeconds, bounds } = first;
  const earliest = Math.min(...reports.map(firstSlot));
  // A process that has ended may have begun days before the hour.
  const from = Math.max(earliest, end - SLOTS);
  const slots = end - from;
  const addUp = (listOf: (report: HourReport) => readonly number[] | undefined): number[] => {
    const sums: number[] = Array.from({ length: slots }, () => 0);
    for (const report of reports) {
      const list = listOf(report) ?? [];
      const before = firstSlot(report) - from;
      for (let at = Math.max(0, -before); at < list.length && before + at < slots; at++) {
        sums[before + at] = (sums[before + at] ?? 0) + (list[at] ?? 0);
      }
    }
    return sums;
  };
  const merged = (route: string, find: (report: HourReport) => RouteHour | undefined) => ({
    route,
    requests: addUp((report) => find(report)?.requests),
    refused: addUp((report) => find(report)?.refused),
    failed: addUp((report) => find(report)?.failed),
  });
  const names = new Set(reports.flatMap(({ routes }) => routes.map(({ route }) => route)));
  const byName = new Map(
    reports.map((report) => [report, new Map(report.routes.map((each) => [each.route, each]))]),
  );
  const columns = bounds
    .concat(Number.POSITIVE_INFINITY)
    .map((_, column) => addUp(({ times }) => times.map((row) => row[column] ?? 0)));
  return {
    slotSeconds,
    fromSeconds: from * slotSeconds,
    bounds,
    times: Array.from({ length: slots }, (_, at) => columns.map((column) => column[at] ?? 0)),
    total: merged('', ({ total }) => total),
    routes: [...names]
      .map((route) => merged(route, (report) => byName.get(report)?.get(route)))
      .filter(({ requests }) => requests.some((count) => count > 0)),
  };
}

/** The number of the slot after the newest of the reports; null without reports. */
export const endOfHours = (reports: readonly HourReport[]): number | null =>
  reports.length === 0
    ? null
    : Math.max(...reports.map((report) => firstSlot(report) + report.times.length));

const firstSlot = ({ fromSeconds, slotSeconds }: HourReport): number =>
  Math.round(fromSeconds / slotSeconds);
