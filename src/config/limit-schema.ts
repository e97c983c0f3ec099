import type { LimitRow, LimitTable } from '../base/limit.js';

/** The JSON Schema of a group of limits. Plain data, so that any `LimitTable` becomes configuration without new code. */
export interface LimitGroupSchema {
  readonly type: 'object';
  readonly description: string;
  readonly additionalProperties: false;
  readonly default: Readonly<Record<string, never>>;
  readonly like?: string;
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

/** The keys of one limit table, with its defaults. */
export function limitGroup(table: LimitTable, description: string): LimitGroupSchema {
  return group(table, description, (row) => ({ ...limit(row), default: row.default }));
}

/** The same keys once more, as an override of the section `like`: a key that is not given stays as it is there. */
export function limitOverrides(table: LimitTable, like: string): LimitGroupSchema {
  return { ...group(table, `Where it differs from \`${like}\`; the same keys.`, limit), like };
}

function group(table: LimitTable, description: string, schemaOf: (row: LimitRow) => LimitSchema): LimitGroupSchema {
  const properties = Object.fromEntries(Object.entries(table).map(([name, row]) => [name, schemaOf(row)]));
  return { type: 'object', description, additionalProperties: false, default: {}, properties };
}

function limit(row: LimitRow): LimitSchema {
  return { type: 'integer', description: row.text, unit: row.unit, minimum: row.min, maximum: row.max };
}
