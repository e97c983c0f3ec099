import { isRecord } from '../../base/record.js';
import type { DecodeError } from '../../codec/plan/decode-error.js';
import type { Decoded } from '../../codec/plan/plan.js';
import { InputError } from '../../codec/write/input-error.js';
import type { Feed, LinkBatch } from '../links/link.js';
import { hiddenAlong } from '../links/link-plan.js';
import { HIDDEN, hiddenKey } from '../links/link-slots.js';
import type { BatchKey } from './link-batches.js';

/** The answer to one link. */
export interface LinkAnswer {
  readonly value: unknown;
  /** Paths begin below the link. */
  readonly errors: readonly DecodeError[];
  readonly furtherErrors: number;
  /** The error that was caught; null for an answer. */
  readonly failure: unknown;
}

export const NO_ANSWER: LinkAnswer = { value: null, errors: [], furtherErrors: 0, failure: null };

export const failed = (failure: unknown): LinkAnswer => ({ ...NO_ANSWER, failure });

/**
 * Calls a list operation with all keys. A key that cannot be written has its own error and is left out: values of one
 * backend need not be valid for another.
 */
export async function answerKeys(
  keys: readonly BatchKey[],
  feed: Feed,
  batch: LinkBatch,
  ask: (values: readonly unknown[]) => Promise<Decoded>,
): Promise<readonly LinkAnswer[]> {
  const answers = new Map<BatchKey, LinkAnswer>();
  let left = keys;
  for (let attempt = 0; left.length > 0; attempt++) {
    try {
      const found = answersOf(await ask(left.map(({ value }) => value)), batch, left);
      for (const [at, key] of left.entries()) answers.set(key, found[at] ?? NO_ANSWER);
      break;
    } catch (caught) {
      const wrong = attempt < WRONG_KEYS_MAX ? wrongKey(caught, feed, left) : null;
      for (const key of wrong === null ? left : [wrong]) answers.set(key, failed(caught));
      left = wrong === null ? [] : left.filter((key) => key !== wrong);
    }
  }
  return keys.map((key) => answers.get(key) ?? NO_ANSWER);
}

/** Each wrong key costs one more attempt at writing the request. */
const WRONG_KEYS_MAX = 10;

function wrongKey(caught: unknown, { argument }: Feed, keys: readonly BatchKey[]): BatchKey | null {
  const index = caught instanceof InputError ? caught.path[argument.length + 1] : undefined;
  return typeof index === 'number' ? (keys[index] ?? null) : null;
}

/** The answers to keys from the answer of a list operation. Items are known by their keys, in whatever order. */
function answersOf(decoded: Decoded, batch: LinkBatch, keys: readonly BatchKey[]): readonly LinkAnswer[] {
  const list = hiddenAlong(decoded.value, batch.items.length);
  const items: readonly unknown[] = Array.isArray(list) ? list : [];
  const indexes = new Map<string, number[]>();
  for (const [index, item] of items.entries()) {
    const key = isRecord(item) ? hiddenAlong(item[hiddenKey(0)], batch.key.length - 1) : null;
    if (key === null) continue;
    const text = keyText(key, batch.isNumeric);
    const known = indexes.get(text);
    if (known === undefined) indexes.set(text, [index]);
    else known.push(index);
  }
  const { byItem, others } = sorted(decoded.errors, batch.items.length);
  let stray = others;
  return keys.map(({ text }, at): LinkAnswer => {
    const furtherErrors = at === 0 ? decoded.furtherErrors : 0;
    const found = indexes.get(text);
    if (found !== undefined) return { ...answerOf(found, items, byItem, batch), furtherErrors };
    const errors = stray;
    // Without a list every key gets the errors that are of no item, else only the first one.
    if (list !== null) stray = [];
    return { ...NO_ANSWER, value: batch.isGrouped && list !== null ? [] : null, errors, furtherErrors };
  });
}

type ErrorsByItem = ReadonlyMap<number, readonly DecodeError[]>;

function answerOf(
  indexes: readonly number[],
  items: readonly unknown[],
  errors: ErrorsByItem,
  { isGrouped, itemNonNull }: LinkBatch,
): LinkAnswer {
  const valueAt = (index: number): unknown => hiddenAlong(items[index], 1);
  const [first = -1] = indexes;
  if (!isGrouped) return { ...NO_ANSWER, value: valueAt(first), errors: errors.get(first) ?? [] };
  const values = indexes.map(valueAt);
  const inOrder = indexes.flatMap((index, position) =>
    (errors.get(index) ?? []).map((error) => ({ ...error, path: [position, ...error.path] })),
  );
  return { ...NO_ANSWER, value: itemNonNull && values.includes(null) ? null : values, errors: inOrder };
}

/** Errors by the item they are in, their paths beginning below it; and those that are in none. */
function sorted(
  errors: readonly DecodeError[],
  above: number,
): { readonly byItem: ErrorsByItem; readonly others: readonly DecodeError[] } {
  const byItem = new Map<number, DecodeError[]>();
  const others: DecodeError[] = [];
  for (const error of errors) {
    const index = error.path[above];
    if (typeof index !== 'number' || error.path[above + 1] !== HIDDEN) {
      others.push({ ...error, path: [] });
      continue;
    }
    const known = byItem.get(index) ?? [];
    byItem.set(index, known);
    known.push({ ...error, path: error.path.slice(above + 2) });
  }
  return { byItem, others };
}

/** The text by which keys are compared. Of numbers it is the shortest: 007 and 7.0 are 7. */
export function keyText(value: unknown, isNumeric: boolean): string {
  const text = String(value);
  if (!isNumeric || !/^[+-]?[0-9]+(\.[0-9]*)?$/.test(text)) return text;
  const sign = text.startsWith('-') ? '-' : '';
  let from = sign !== '' || text.startsWith('+') ? 1 : 0;
  let to = text.length;
  if (text.includes('.')) while (text[to - 1] === '0') to--;
  if (text[to - 1] === '.') to--;
  while (from < to - 1 && text[from] === '0' && text[from + 1] !== '.') from++;
  const digits = text.slice(from, to);
  return digits === '0' ? digits : sign + digits;
}
