import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { isRecord, jsonValues } from '../../../core/index.js';

/**
 * Characters of a cursor: longer ones are not read, and a backend's name for a page may not make
 * one.
 */
const CURSOR_CHARS_MAX = 8192;

/** A position among rows: so many rows into a page. */
export interface PagePosition {
  /**
   * The number of the page, the rows before it, or the backend's name for it; null: the first,
   * without a name.
   */
  readonly at: number | string | null;
  /** Rows of the page that are left out. */
  readonly skip: number;
  /** Rows before the page, as far as they were counted. */
  readonly before: number;
}

/**
 * Names the rows of a call: cursors of one operation with the same arguments are alike, others are
 * refused. `owner` names the caller that they are for; null: all callers.
 */
export function rowsName(
  operation: string,
  values: Readonly<Record<string, unknown>>,
  owner: string | null = null,
): string {
  const sorted = Object.entries(values).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([operation, sorted, owner], exact))
    .digest('base64url')
    .slice(0, NAME_CHARS);
}

const exact = (_key: string, value: unknown): unknown =>
  typeof value === 'bigint' ? `${value}n` : value;

const NAME_CHARS = 12;
const VERSION = 1;

/** A position as clients see it; null where it is too long. */
export function printCursor({ at, skip, before }: PagePosition, rows: string): string | null {
  const text = Buffer.from(JSON.stringify([VERSION, rows, at, skip, before])).toString('base64url');
  return text.length > CURSOR_CHARS_MAX ? null : text;
}

/** The position that a cursor of these rows names; null for anything else. */
export function readCursor(text: string, rows: string, isNamed: boolean): PagePosition | null {
  if (text.length > CURSOR_CHARS_MAX || !/^[A-Za-z0-9_-]+$/.test(text)) return null;
  const bytes = Buffer.from(text, 'base64url');
  // One position has one cursor: a character more, or other bits at the end, are none.
  const parts = bytes.toString('base64url') === text ? parsed(bytes.toString()) : null;
  if (!Array.isArray(parts) || parts.length !== 5) return null;
  const [version, name, at, skip, before]: readonly unknown[] = parts;
  if (version !== VERSION || name !== rows || !isCount(skip) || !isCount(before)) return null;
  if (isNamed ? at === null || typeof at === 'string' : isCount(at)) {
    return position(at, skip, before);
  }
  return null;
}

const position = (at: unknown, skip: number, before: number): PagePosition => ({
  at: typeof at === 'number' || typeof at === 'string' ? at : null,
  skip,
  before,
});

/** Numbers of pages and rows are written as `xs:int` at least. */
const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 2_147_483_647;

function parsed(text: string): unknown {
  const value = jsonValues.parsedJson(text);
  return isRecord(value) || Array.isArray(value) ? value : null;
}
