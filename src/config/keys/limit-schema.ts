import type { Limits, LimitTable } from '../../core/index.js';
import {
  closed,
  integer,
  optional,
  type Properties,
  partial,
  section,
  unsafe,
} from './key-types.js';

/*
 * Limit tables as configuration. Unsafe because TypeBox cannot derive the keys from a table: the
 * result of `Object.fromEntries` has lost its names.
 */

/** The keys of one limit table, with its defaults. */
export const limitGroup = <T extends LimitTable>(table: T, description: string) =>
  unsafe<Limits<T>>({
    ...section(
      description,
      properties(table, (row) => ({ default: row.default })),
    ),
    ...(Object.values(table).every(({ isInternal }) => isInternal) && { internal: true }),
  });

/**
 * The keys of a limit table, as an override of the section `like`. An absent key stays as it is
 * there.
 */
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

/**
 * The internal limits of the tables by their group, without defaults: an absent key stays as it is
 * in the group. They are checked, and left out of what is published.
 */
export const internalLimits = <T extends Readonly<Record<string, LimitTable>>>(
  tables: T,
  description: string,
) =>
  unsafe<{ [G in keyof T]?: Partial<Limits<T[G]>> }>(
    section(
      description,
      Object.fromEntries(
        Object.entries(tables).flatMap(([group, table]) => {
          const rows = Object.entries(table).filter(([, { isInternal }]) => isInternal);
          const keys = properties(Object.fromEntries(rows), () => ({}));
          return rows.length === 0
            ? []
            : [[group, optional({ ...partial(closed(keys)), internal: true })]];
        }),
      ),
    ),
  );

const properties = (
  table: LimitTable,
  more: (row: LimitTable[string]) => { readonly default?: number },
): Properties =>
  Object.fromEntries(
    Object.entries(table).map(([name, row]) => {
      const { text: description, unit, min: minimum, max: maximum, isInternal } = row;
      return [
        name,
        integer({
          description,
          unit,
          minimum,
          maximum,
          ...more(row),
          ...(isInternal && { internal: true }),
        }),
      ];
    }),
  );
