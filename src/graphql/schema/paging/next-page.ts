import type { Paging } from '../types/paging.js';
import type { RowPage } from './connection.js';
import type { PagePosition } from './cursor.js';

/** The page behind one that was read; null behind the last. */
export function pageBehind(
  { at, before }: PagePosition,
  paging: Paging,
  { rows, next }: RowPage,
  total: number | null,
): PagePosition | null {
  const count = rows.length;
  if (paging.kind === 'cursor') {
    return next === null ? null : { at: next, skip: 0, before: before + count };
  }
  const number = Number(at);
  const isOffset = paging.kind === 'offset';
  const seen = isOffset ? number + count : before + count;
  const behind = { at: isOffset ? seen : number + 1, skip: 0, before: seen };
  return hasMore(paging, { number, count, seen }, total) ? behind : null;
}

interface Seen {
  readonly number: number;
  /** Rows of the page. */
  readonly count: number;
  /** Rows up to its end. */
  readonly seen: number;
}

/** Whether rows follow. Without a total a page that is not full is the last. */
function hasMore(
  { kind, size, first, total: told }: Paging,
  { number, count, seen }: Seen,
  total: number | null,
): boolean {
  if (told === null || total === null) return count >= size;
  if (told.of === 'items') return count > 0 && seen < total;
  return kind === 'page'
    ? number - first + 1 < total
    : count > 0 && Math.floor(number / size) + 1 < total;
}

/** The names of the pages from a position on that hold so many rows, if each is full. */
export function pagesAhead(
  { at, before }: PagePosition,
  { kind, size, first, total: told }: Paging,
  total: number,
  rows: number,
): readonly string[] {
  if (kind === 'cursor' || told === null || typeof at !== 'number') return [];
  const isPage = kind === 'page';
  const done = isPage ? at - first : Math.floor(at / size);
  const left = told.of === 'pages' ? total - done : Math.ceil((total - before) / size);
  const count = Math.min(left, Math.ceil(rows / size));
  return Array.from({ length: Math.max(0, count) }, (_, index) =>
    String(isPage ? at + index : at + index * size),
  );
}
