import type { LimitRow, LimitTable } from '../base/limit.js';

/** The JSON Schema of a group of limits. Plain data, so that any `LimitTable` becomes configuration without new code. */
export interface LimitGroupSchema {
  readonly type: 'object';
  readonly description: string;
  readonly additionalProperties: false;
  readonly default: Readonly<Record<string, never>>;
  readonly properties: Readonly<Record<string, LimitSchema>>;
}

/** The JSON Schema of one limit; `unit` is our own keyword, read by the loader and by the reference. */
export interface LimitSchema {
  readonly type: 'integer';
  readonly description: string;
  readonly unit: LimitRow['unit'];
  readonly minimum: number;
  readonly maximum: number;
  readonly default?: number;
}

/**
 * The keys of one limit table. `all` fills in every default; `some` is an override of another group, where a key that
 * is not given stays as it is there.
 */
export function limitGroup(table: LimitTable, description: string, keys: 'all' | 'some'): LimitGroupSchema {
  const properties = Object.fromEntries(
    Object.entries(table).map(([name, row]): [string, LimitSchema] => [name, limit(row, keys)]),
  );
  return { type: 'object', description, additionalProperties: false, default: {}, properties };
}

function limit(row: LimitRow, keys: 'all' | 'some'): LimitSchema {
  const schema = {
    type: 'integer',
    description: row.text,
    unit: row.unit,
    minimum: row.min,
    maximum: row.max,
  } as const;
  return keys === 'all' ? { ...schema, default: row.default } : schema;
}
