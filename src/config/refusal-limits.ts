import type { LimitTable, RefusalCode } from '../core/index.js';
import { LIMIT_TABLES } from './limit-tables.js';

/** A limit with its key in the configuration. */
interface RefusingLimit {
  readonly key: string;
  readonly row: LimitTable[string];
}

/** The limits that a request is refused for with this code. */
export const limitsOfRefusal = (code: RefusalCode): readonly RefusingLimit[] =>
  Object.entries<LimitTable>(LIMIT_TABLES).flatMap(([group, table]) =>
    Object.entries(table).flatMap(([name, row]) =>
      row.refusal === code ? [{ key: `limits.${group}.${name}`, row }] : [],
    ),
  );
