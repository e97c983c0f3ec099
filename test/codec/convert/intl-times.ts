/** Local times of zones by `Intl` alone: what conversions are compared with. */

const MINUTE = 60_000;
const HOUR = 3_600_000;
export const DAY = 86_400_000;

export class IntlTimes {
  readonly #format: Intl.DateTimeFormat;
  /** By minutes of UTC: clocks change at full minutes. */
  readonly #offsets = new Map<number, number>();

  constructor(timeZone: string) {
    this.#format = new Intl.DateTimeFormat('en-CA', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    });
  }

  /** Milliseconds that local time is ahead of UTC. */
  offsetAt(instant: number): number {
    const minute = Math.floor(instant / MINUTE);
    const known = this.#offsets.get(minute);
    if (known !== undefined) return known;
    const start = minute * MINUTE;
    const offset = utcOf(this.#format.format(start)) - start;
    if (this.#offsets.size >= OFFSETS_MAX) {
      this.#offsets.clear();
    }
    this.#offsets.set(minute, offset);
    return offset;
  }

  /** The instants of a local time, given as if it were UTC: none, one, or two in order. */
  instantsOf(local: number): readonly number[] {
    const offsets = new Set(HOURS_AROUND.map((hours) => this.offsetAt(local + hours * HOUR)));
    return [...offsets]
      .map((offset) => local - offset)
      .filter((instant) => this.offsetAt(instant) === local - instant)
      .sort((one, other) => one - other);
  }

  /** Days of UTC in which the clocks change. */
  changes(from: number, to: number): readonly number[] {
    const found: number[] = [];
    for (let at = from; at < to; at += DAY) {
      if (this.offsetAt(at) !== this.offsetAt(at + DAY)) found.push(at);
    }
    return found;
  }
}

const OFFSETS_MAX = 500_000;

/** Samoa left out a whole day. */
const HOURS_AROUND = [-50, -26, 0, 26, 50];

/** The time of fourteen digits, or one that `Intl` has formatted, as if it were UTC. */
export function utcOf(text: string): number {
  const [, year, month, day, hour, minute, second] = (
    /^(....)(..)(..)(..)(..)(..)$/.exec(text.replaceAll(/[^0-9]/g, '')) ?? []
  ).map(Number);
  return Date.UTC(year ?? 0, (month ?? 0) - 1, day, hour, minute, second);
}

/** An instant as fourteen digits of UTC. */
export const digitsOf = (instant: number): string =>
  new Date(instant)
    .toISOString()
    .replaceAll(/[^0-9]/g, '')
    .slice(0, 14);
