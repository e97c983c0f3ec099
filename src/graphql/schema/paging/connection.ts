import { createHash } from 'node:crypto';
import type { Decoded, replyPlans } from '../../../codec/index.js';
import { isRecord } from '../../../core/index.js';
import { HIDDEN, hiddenAlong } from '../feeds/hidden-slots.js';
import { type PagePosition, printCursor } from './cursor.js';
import {
  type ConnectionField,
  DIGEST,
  type EdgeField,
  ITEMS,
  NEXT,
  type PageInfoField,
  type PagePlan,
  TOTAL,
} from './page-plan.js';

/** One page, as it was read. */
export interface RowPage {
  readonly rows: readonly unknown[];
  /** What it tells of the total; null where it tells nothing. */
  readonly total: number | null;
  /** The backend's name for the page behind it; null after the last. */
  readonly next: string | null;
  /** Equal for pages with equal rows; null where they cannot be compared. */
  readonly digest: string | null;
  /** The errors of rows; those of one begin with its index. */
  readonly errors: readonly replyPlans.DecodeError[];
  readonly furtherErrors: number;
}

/** Reads the parts of a page. */
export function pageOf(
  { value, errors, furtherErrors }: Decoded,
  { depth, isKeyed, paging }: PagePlan,
): RowPage {
  const part = (key: string, steps: number): unknown =>
    isRecord(value) ? hiddenAlong(value[key] ?? null, steps) : null;
  const list = part(ITEMS, depth.items);
  const rows: readonly unknown[] = Array.isArray(list) ? list : [];
  const next = part(NEXT, depth.next);
  const inRows = errors.flatMap((error): replyPlans.DecodeError[] => {
    const { path } = error;
    const below = path.slice(1 + depth.items);
    return path[0] === ITEMS && typeof below[0] === 'number' ? [{ ...error, path: below }] : [];
  });
  return {
    rows,
    total: countOf(part(TOTAL, depth.total)),
    next: next === null || next === '' ? null : String(next),
    digest: paging.isComparable && rows.length > 0 ? digestOf(rows, isKeyed) : null,
    errors: inRows,
    furtherErrors,
  };
}

function countOf(value: unknown): number | null {
  const count = value === null ? Number.NaN : Number(value);
  return Number.isSafeInteger(count) && count >= 0 ? count : null;
}

/**
 * Rows of which one has no hash cannot be compared. Pages are remembered by this: it is short,
 * whatever they hold.
 */
function digestOf(rows: readonly unknown[], isKeyed: boolean): string | null {
  const digests = isKeyed ? rows.map((row) => (isRecord(row) ? row[DIGEST] : null)) : rows;
  if (isKeyed && digests.includes('')) return null;
  return createHash('sha256').update(JSON.stringify(digests)).digest('base64url');
}

/** The rows of an answer, and what is known about all. */
export interface ConnectionParts {
  readonly rows: readonly ConnectionRow[];
  readonly hasNextPage: boolean;
  readonly endCursor: string | null;
  readonly totalCount: number | null;
  /** Names the rows in cursors. */
  readonly name: string;
}

export interface ConnectionRow {
  readonly value: unknown;
  /** The position behind it. */
  readonly place: PagePosition;
}

/** The answer to a paged field, as the client selects it. */
export function connectionValue(
  connection: ConnectionParts,
  { fields, isKeyed }: PagePlan,
): Record<string, unknown> {
  const value: Record<string, unknown> = Object.create(null);
  for (const field of fields) {
    value[field.key] = fieldValue(field, connection, isKeyed);
  }
  return value;
}

function fieldValue(
  field: ConnectionField,
  connection: ConnectionParts,
  isKeyed: boolean,
): unknown {
  const { rows, totalCount } = connection;
  if (field.kind === 'nodes') return rows.map(({ value }) => rowValue(value, field.row, isKeyed));
  if (field.kind === 'edges') {
    return rows.map((row) => edgeOf(row, field.fields, isKeyed, connection.name));
  }
  if (field.kind === 'pageInfo') return pageInfoOf(connection, field.fields);
  return field.kind === 'totalCount' ? totalCount : field.name;
}

/** A row as one selection has it. */
export const rowValue = (row: unknown, key: string, isKeyed: boolean): unknown =>
  isKeyed ? (isRecord(row) ? (row[key] ?? null) : null) : row;

function edgeOf(
  { value: row, place }: ConnectionRow,
  fields: readonly EdgeField[],
  isKeyed: boolean,
  name: string,
): Record<string, unknown> {
  const value: Record<string, unknown> = Object.create(null);
  for (const field of fields) {
    if (field.kind === 'node') {
      value[field.key] = rowValue(row, field.row, isKeyed);
    } else {
      value[field.key] = field.kind === 'cursor' ? printCursor(place, name) : field.name;
    }
  }
  return value;
}

function pageInfoOf(
  { hasNextPage, endCursor }: ConnectionParts,
  fields: readonly PageInfoField[],
): Record<string, unknown> {
  const value: Record<string, unknown> = Object.create(null);
  for (const field of fields) {
    if (field.kind === 'typename') {
      value[field.key] = field.name;
    } else {
      value[field.key] = field.kind === 'hasNextPage' ? hasNextPage : endCursor;
    }
  }
  return value;
}

/** An error of a row at the fields of the connection that show it. */
export function rowErrors(
  error: replyPlans.DecodeError,
  at: number,
  { fields, isKeyed }: PagePlan,
): readonly replyPlans.DecodeError[] {
  const [, first, ...rest] = error.path;
  const row = isKeyed && typeof first === 'string' && first.startsWith(HIDDEN) ? first : null;
  const below = row === null ? error.path.slice(1) : rest;
  return fields.flatMap((field): replyPlans.DecodeError[] => {
    if (field.kind === 'nodes' && (row === null || field.row === row)) {
      return [{ ...error, path: [field.key, at, ...below] }];
    }
    if (field.kind !== 'edges') return [];
    return field.fields.flatMap((each) =>
      each.kind === 'node' && (row === null || each.row === row)
        ? [{ ...error, path: [field.key, at, each.key, ...below] }]
        : [],
    );
  });
}
