import type { RefusalCode } from './refusals/refusals.js';

/**
 * One limit, declared beside the code it limits. The configuration, its reference and its JSON
 * Schema are made from it.
 */
export interface LimitRow {
  readonly default: number;
  readonly min: number;
  /** The hard ceiling: configuration cannot go beyond it. */
  readonly max: number;
  readonly unit: 'bytes' | 'count' | 'millis' | 'chars' | 'levels' | 'points';
  /** The code of the refusal at the limit, or null where nothing is refused. */
  readonly refusal: RefusalCode | null;
  /** Whether it is hardly ever set: a key of `limits.internal`, which the reference leaves out. */
  readonly isInternal?: true;
  /** One sentence: the limited quantity and the reason for the default. */
  readonly text: string;
}

/**
 * A row of a table: the default, the bounds, the unit, the refusal at the limit, and the sentence.
 */
export const limit = <const R extends RefusalCode | null>(
  initial: number,
  [min, max]: readonly [number, number],
  unit: LimitRow['unit'],
  refusal: R,
  text: string,
): LimitRow & { readonly refusal: R } => ({ default: initial, min, max, unit, refusal, text });

/** A row that is hardly ever set. */
export const internal = <const R extends RefusalCode | null>(
  ...row: Parameters<typeof limit<R>>
): LimitRow & { readonly refusal: R } => ({ ...limit(...row), isInternal: true });

export type LimitTable = Readonly<Record<string, LimitRow>>;

/** The limits of a table as numbers, as compiled code reads them. */
export type Limits<T extends LimitTable> = { readonly [K in keyof T]: number };

/** Every limit of the table at its default. */
export function defaultsOf<T extends LimitTable>(table: T): Limits<T> {
  return Object.freeze(
    Object.fromEntries(Object.entries(table).map(([name, row]) => [name, row.default])),
  ) as Limits<T>;
}

export const KIB = 1024;
export const MIB = 1024 * KIB;
