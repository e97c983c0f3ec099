import type { LimitRow, Limits, LimitTable } from '../../base/limit.js';
import { integer, type Properties, partial, section, unsafe } from './key-types.js';

/*
 * Limit tables as configuration. Unsafe because TypeBox cannot derive the keys from a table: the result of
 * `Object.fromEntries` has lost its names.
 */

/** The keys of one limit table, with its defaults. */
export const limitGroup = <T extends LimitTable>(table: T, description: string) =>
  unsafe<Limits<T>>(
    section(
      description,
      properties(table, (row) => ({ default: row.default })),
    ),
  );

/** The same keys once more, as an override of the section `like`: an absent key stays as it is there. */
export const limitOverrides = <T extends LimitTable>(table: T, like: string) =>
  unsafe<Partial<Limits<T>>>({
    ...partial(
      section(
        `Where it differs from \`${like}\`; the same keys.`,
        properties(table, () => ({})),
      ),
    ),
    like,
  });

const properties = (table: LimitTable, more: (row: LimitRow) => { readonly default?: number }): Properties =>
  Object.fromEntries(
    Object.entries(table).map(([name, row]) => {
      const { text: description, unit, min: minimum, max: maximum } = row;
      return [name, integer({ description, unit, minimum, maximum, ...more(row) })];
    }),
  );
