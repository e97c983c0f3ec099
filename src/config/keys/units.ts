import { KIB, type LimitTable, MIB } from '../../core/index.js';

type Unit = LimitTable[string]['unit'];

const FACTORS: Partial<Record<Unit, ReadonlyMap<string, number>>> = {
  bytes: new Map([
    ['B', 1],
    ['KiB', KIB],
    ['MiB', MIB],
    ['GiB', 1024 * MIB],
  ]),
  millis: new Map([
    ['ms', 1],
    ['s', 1000],
    ['m', 60_000],
    ['h', 3_600_000],
  ]),
};

/** The noun for numbers of this unit, for sentences: "1,000 levels". */
export const UNIT_WORDS: Readonly<Record<Unit, string>> = {
  bytes: 'bytes',
  count: '',
  millis: 'milliseconds',
  chars: 'characters',
  levels: 'levels',
  points: 'points',
};

/**
 * An amount as people write it (`10MiB`, `1.5s`, `250`), in the unit; null when it is none or not
 * whole.
 */
export function parseAmount(text: string, unit: Unit): number | null {
  const match = /^(\d{1,15}(?:\.\d{1,6})?) ?([A-Za-z]{0,3})$/.exec(text);
  if (match === null) return null;
  const suffix = match[2] ?? '';
  const factor = suffix === '' ? 1 : FACTORS[unit]?.get(suffix);
  if (factor === undefined) return null;
  const amount = Number(match[1]) * factor;
  return Number.isSafeInteger(amount) ? amount : null;
}

/** The shortest exact way to write an amount: `10MiB`, `30s`, `1,000`. */
export function printAmount(amount: number, unit: Unit): string {
  const factors = [...(FACTORS[unit] ?? [])].reverse();
  for (const [suffix, factor] of factors) {
    if (amount >= factor && amount % factor === 0) return `${groups(amount / factor)}${suffix}`;
  }
  return groups(amount);
}

/** Other forms than a number, or null. */
export function amountHint(unit: Unit): string | null {
  if (unit === 'bytes') return 'Write a number of bytes, or one with B, KiB, MiB or GiB.';
  if (unit === 'millis') return 'Write a number of milliseconds, or one with ms, s, m or h.';
  return null;
}

/** 1234567 as `1,234,567`. */
function groups(amount: number): string {
  return amount.toLocaleString('en-US', { maximumFractionDigits: 6 });
}
