import { collections } from '../../core/index.js';
import { type DateFields, millisOf } from './date-fields.js';

/** The offsets of a time zone of the IANA database, or a fixed offset (`+01:00`). */
export interface TimeZone {
  /**
   * Minutes that a local time is ahead of UTC, of one that exists twice the earlier; null where it
   * does not exist.
   */
  offsetOfLocal(local: DateFields): number | null;
  /** The offset of all times of a local day; null where the clocks change on it or beside it. */
  offsetOfDay(local: DateFields): number | null;
  /** Minutes that local time is ahead of UTC at an instant; null where it is no whole minute. */
  offsetAt(instant: number): number | null;
}

/**
 * The zone of that name; null where this Node.js knows none. One object for each name, which
 * remembers what it found.
 */
export function timeZone(name: string): TimeZone | null {
  const known = ZONES.get(name);
  if (known !== undefined) return known;
  const made = makeZone(name);
  if (made !== null) {
    ZONES.set(name, made);
  }
  return made;
}

/** As many as the configurations of this process have named. */
const ZONES = new Map<string, TimeZone>();

/** Names of UTC, whose offset needs no `Intl`. */
const UTC = /^(?:etc\/)?(?:utc|gmt|zulu|uct|universal)$/i;

function makeZone(name: string): TimeZone | null {
  if (UTC.test(name)) return fixedZone(0);
  const fixed = /^([+-])(0[0-9]|1[0-4]):([0-5][0-9])$/.exec(name);
  if (fixed !== null) {
    const minutes = (fixed[1] === '-' ? -1 : 1) * (Number(fixed[2]) * 60 + Number(fixed[3]));
    return fixedZone(minutes);
  }
  try {
    return new NamedZone(name);
  } catch (caught) {
    if (caught instanceof RangeError) return null;
    throw caught;
  }
}

const fixedZone = (minutes: number): TimeZone => ({
  offsetOfLocal: () => minutes,
  offsetOfDay: () => minutes,
  offsetAt: () => minutes,
});

/**
 * Around a day: one offset, or two with the instant at which the second one begins. All in
 * milliseconds.
 */
type DayOffsets = number | { readonly at: number; readonly before: number; readonly after: number };

const DAY = 86_400_000;
const MINUTE = 60_000;

/** Days that are remembered: eleven years. */
const DAYS_MAX = 4096;

class NamedZone implements TimeZone {
  readonly #format: Intl.DateTimeFormat;
  readonly #days = new Map<number, DayOffsets>();

  constructor(timeZone: string) {
    this.#format = new Intl.DateTimeFormat('en-US-u-ca-gregory-nu-latn', {
      timeZone,
      era: 'short',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
      hourCycle: 'h23',
    });
  }

  offsetOfDay(local: DateFields): number | null {
    const offsets = this.#offsetsAround(Math.floor(millisOf(local) / DAY));
    return typeof offsets === 'number' ? minutesOf(offsets) : null;
  }

  offsetOfLocal(local: DateFields): number | null {
    const millis = millisOf(local);
    const offsets = this.#offsetsAround(Math.floor(millis / DAY));
    if (typeof offsets === 'number') return minutesOf(offsets);
    if (millis - offsets.before < offsets.at) return minutesOf(offsets.before);
    return millis - offsets.after >= offsets.at ? minutesOf(offsets.after) : null;
  }

  offsetAt(instant: number): number | null {
    const offsets = this.#offsetsAround(Math.floor(instant / DAY));
    if (typeof offsets === 'number') return minutesOf(offsets);
    return minutesOf(instant < offsets.at ? offsets.before : offsets.after);
  }

  /** Instants of a local day, and local times of a day of UTC, are at most a day away from it. */
  #offsetsAround(day: number): DayOffsets {
    const known = this.#days.get(day);
    if (known !== undefined) return known;
    const made = this.#between((day - 1) * DAY, (day + 2) * DAY);
    collections.setAndEvictOldest(this.#days, day, made, DAYS_MAX);
    return made;
  }

  #between(start: number, end: number): DayOffsets {
    const [before, after] = [this.#read(start), this.#read(end)];
    if (before === after) return before;
    let [from, to] = [start, end];
    while (to - from > 1000) {
      const middle = Math.floor((from + to) / 2000) * 1000;
      if (this.#read(middle) === before) {
        from = middle;
      } else {
        to = middle;
      }
    }
    return { at: to, before, after };
  }

  #read(instant: number): number {
    const parts = new Map(
      this.#format.formatToParts(instant).map(({ type, value }) => [type, value] as const),
    );
    const part = (type: Intl.DateTimeFormatPartTypes): number => Number(parts.get(type));
    const year = parts.get('era') === 'BC' ? 1 - part('year') : part('year');
    const local = millisOf({
      year,
      month: part('month'),
      day: part('day'),
      hour: part('hour'),
      minute: part('minute'),
      second: part('second'),
      fraction: '',
      offset: null,
    });
    return local - instant;
  }
}

/** Local mean times of the nineteenth century have seconds, which XML Schema has not. */
const minutesOf = (millis: number): number | null =>
  millis % MINUTE === 0 ? millis / MINUTE : null;
