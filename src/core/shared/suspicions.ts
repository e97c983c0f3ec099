import { setAndEvictOldest } from '../collections/maps.js';

/**
 * An address of a backend gave an answer to another request. It is told to other processes. Times
 * are of the system.
 */
export interface Suspicion {
  /** Host, port and path as configured, without credentials and query. */
  readonly address: string;
  /** From then on no connection to the address is used twice, for so long. */
  readonly atMillis: number;
  readonly suspendedMillis: number;
  /** How far back its answers are in doubt. */
  readonly reachMillis: number;
}

/** The address that a kept answer came from, and the time it came. */
export interface AnswerSource {
  readonly address: string;
  readonly atMillis: number;
}

/** Carries suspicions to other processes. */
export interface SuspicionChannel {
  publish(suspicion: Suspicion): void;
  /** `list` returns those that a process which comes later has to know. */
  receive(receiver: (suspicion: Suspicion) => void, list: () => readonly Suspicion[]): void;
}

const ADDRESSES_MAX = 1_000;
/** Periods of one address. Beyond, the two earliest become one. */
const PERIODS_MAX = 8;
/**
 * How far back answers of an address are in doubt at least. It is longer than a connection lives by
 * default, on which the sign of an answer to another request comes. Where connections live longer
 * (`ageMillis`), as long as they do.
 */
export const REACH_MILLIS = 600_000;
/** Signs of an address are told to other processes once in this time. */
const QUIET_MILLIS = 1_000;

interface Period {
  readonly fromMillis: number;
  untilMillis: number;
}

interface Known {
  suspicion: Suspicion;
  readonly periods: Period[];
}

/** The addresses that gave answers to other requests, and the times whose answers are in doubt. */
export class Suspicions {
  readonly #known = new Map<string, Known>();

  /** Adds a sign. Returns whether other processes should know of it: not of each one of many. */
  add(suspicion: Suspicion): boolean {
    const { address, atMillis } = suspicion;
    const known = this.#known.get(address) ?? { suspicion, periods: [] };
    const isNews =
      known.periods.length === 0 || atMillis - known.suspicion.atMillis >= QUIET_MILLIS;
    if (isNews) {
      known.suspicion = suspicion;
    }
    setAndEvictOldest(this.#known, address, known, ADDRESSES_MAX);
    // The clock of this process counts: that of another may differ.
    addPeriod(known.periods, Date.now(), suspicion.reachMillis);
    return isNews;
  }

  /** The latest of an address; null where there is none. */
  of(address: string): Suspicion | null {
    return this.#known.get(address)?.suspicion ?? null;
  }

  /** The latest of each address that is still suspended. */
  list(): readonly Suspicion[] {
    const nowMillis = Date.now();
    return [...this.#known.values()]
      .map(({ suspicion }) => suspicion)
      .filter(({ atMillis, suspendedMillis }) => nowMillis < atMillis + suspendedMillis);
  }

  /** Whether a kept answer may belong to another request. */
  isSuspect(source: AnswerSource | null | undefined): boolean {
    if (source === null || source === undefined || this.#known.size === 0) return false;
    const { address, atMillis } = source;
    const periods = this.#known.get(address)?.periods ?? [];
    return periods.some(
      (period) => atMillis >= period.fromMillis && atMillis <= period.untilMillis,
    );
  }
}

function addPeriod(periods: Period[], atMillis: number, reachMillis: number): void {
  const fromMillis = atMillis - reachMillis;
  const last = periods.at(-1);
  if (last !== undefined && fromMillis <= last.untilMillis) {
    last.untilMillis = atMillis;
  } else {
    periods.push({ fromMillis, untilMillis: atMillis });
  }
  const [first, second] = periods;
  if (periods.length > PERIODS_MAX && first !== undefined && second !== undefined) {
    periods.splice(0, 2, { fromMillis: first.fromMillis, untilMillis: second.untilMillis });
  }
}

/** Whether what another process has stored is the source of an answer. */
export const isAnswerSource = (value: unknown): value is AnswerSource =>
  typeof value === 'object' &&
  value !== null &&
  'address' in value &&
  typeof value.address === 'string' &&
  'atMillis' in value &&
  typeof value.atMillis === 'number';

/** Whether what another process has sent is a suspicion. */
export function isSuspicion(value: unknown): value is Suspicion {
  if (typeof value !== 'object' || value === null) return false;
  if (!('address' in value) || !('atMillis' in value) || !('suspendedMillis' in value)) {
    return false;
  }
  if (!('reachMillis' in value)) return false;
  const { address, atMillis, suspendedMillis, reachMillis } = value;
  return (
    typeof address === 'string' &&
    address.length <= ADDRESS_CHARS_MAX &&
    typeof atMillis === 'number' &&
    typeof suspendedMillis === 'number' &&
    suspendedMillis >= 0 &&
    suspendedMillis <= SUSPENDED_MILLIS_MAX &&
    typeof reachMillis === 'number' &&
    reachMillis >= 0 &&
    reachMillis <= REACH_MILLIS_MAX
  );
}

const ADDRESS_CHARS_MAX = 2_048;
const REACH_MILLIS_MAX = 24 * 60 * 60 * 1_000;
/** The longest time for which connections to an address are not used twice. */
export const SUSPENDED_MILLIS_MAX = 24 * 60 * 60 * 1_000;
