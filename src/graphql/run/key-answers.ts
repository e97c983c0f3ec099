import { type Decoded, InputError, type replyPlans } from '../../codec/index.js';
import { collections, getOrMake, isRecord } from '../../core/index.js';
import type { FieldFeed } from '../schema/feeds/feed.js';
import { HIDDEN, hiddenAlong, hiddenKey } from '../schema/feeds/hidden-slots.js';
import type { LinkBatch } from '../schema/links/link.js';
import { failed, type LinkAnswer, NO_ANSWER } from './link-answer.js';

/** The key of one object. */
export interface BatchKey {
  /** Equal keys have equal texts. */
  readonly text: string;
  readonly value: unknown;
}

/**
 * Calls a list operation with all keys. A key that cannot be written has its own error and is left
 * out: values of one backend need not be valid for another.
 */
export async function answerKeys(
  keys: readonly BatchKey[],
  feed: FieldFeed,
  batch: LinkBatch,
  ask: (values: readonly unknown[]) => Promise<Decoded>,
  attempt = 0,
): Promise<readonly LinkAnswer[]> {
  try {
    return answersOf(await ask(keys.map(({ value }) => value)), batch, keys);
  } catch (caught) {
    const wrong = attempt < WRONG_KEYS_MAX ? wrongKey(caught, feed, keys) : null;
    if (wrong === null) return keys.map(() => failed(caught));
    if (keys.length === 1) return [failed(caught)];
    const others = await answerKeys(keys.toSpliced(wrong, 1), feed, batch, ask, attempt + 1);
    return others.toSpliced(wrong, 0, failed(caught));
  }
}

/** Each wrong key costs one more attempt at writing the request. */
const WRONG_KEYS_MAX = 10;

/** The index of the key that an error is about; null where it is about none. */
function wrongKey(
  caught: unknown,
  { argument }: FieldFeed,
  keys: readonly BatchKey[],
): number | null {
  const index = caught instanceof InputError ? caught.path[argument.length + 1] : undefined;
  return typeof index === 'number' && index < keys.length ? index : null;
}

/**
 * The answers to keys from the answer of a list operation. Items are known by their keys, in
 * whatever order.
 */
function answersOf(
  decoded: Decoded,
  batch: LinkBatch,
  keys: readonly BatchKey[],
): readonly LinkAnswer[] {
  const list = hiddenAlong(decoded.value, batch.items.length);
  const items: readonly unknown[] = Array.isArray(list) ? list : [];
  const indexes = new Map<string, number[]>();
  for (const [index, item] of items.entries()) {
    const text = isRecord(item) ? textOfItem(item, batch) : null;
    if (text === null) continue;
    collections.addToGroup(indexes, text, index);
  }
  const { byItem, others } = sorted(decoded.errors, batch.items.length);
  let stray = others;
  return keys.map(({ text }, at): LinkAnswer => {
    const furtherErrors = at === 0 ? decoded.furtherErrors : 0;
    const found = indexes.get(text);
    if (found !== undefined) return answerOf(found, items, byItem, batch, furtherErrors);
    const errors = stray;
    // Without a list every key gets the errors that are of no item, else only the first one.
    if (list !== null) {
      stray = [];
    }
    return {
      ...NO_ANSWER,
      value: batch.isGrouped && list !== null ? [] : null,
      errors,
      furtherErrors,
    };
  });
}

/** The text that a key has in items: of one with several values that of all of them. */
export function textOfKey(value: unknown, { isNumeric, composite }: LinkBatch): string {
  if (composite === null || !isRecord(value)) return keyText(value, isNumeric);
  const { members, parts } = composite;
  return JSON.stringify(
    parts.map((part) => keyText(value[members[part.feed] ?? ''], part.isNumeric)),
  );
}

/** The text of the key of an item; null where a value of it is missing. */
function textOfItem(item: Record<string, unknown>, batch: LinkBatch): string | null {
  const { composite } = batch;
  const valueAt = (index: number, path: readonly string[]): unknown =>
    hiddenAlong(item[hiddenKey(index)], path.length - 1);
  if (composite === null) {
    const key = valueAt(0, batch.key);
    return key === null ? null : keyText(key, batch.isNumeric);
  }
  const values = composite.parts.map(({ path }, index) => valueAt(index, path));
  if (values.includes(null)) return null;
  return JSON.stringify(
    composite.parts.map(({ isNumeric }, index) => keyText(values[index], isNumeric)),
  );
}

type ErrorsByItem = ReadonlyMap<number, readonly replyPlans.DecodeError[]>;

function answerOf(
  indexes: readonly number[],
  items: readonly unknown[],
  errors: ErrorsByItem,
  { isGrouped, itemNonNull }: LinkBatch,
  furtherErrors: number,
): LinkAnswer {
  const valueAt = (index: number): unknown => hiddenAlong(items[index], 1);
  if (!isGrouped) {
    const [first = -1] = indexes;
    const value = valueAt(first);
    return { failure: null, value, errors: errors.get(first) ?? NO_ANSWER.errors, furtherErrors };
  }
  const values = indexes.map(valueAt);
  const inOrder = indexes.flatMap((index, position) =>
    (errors.get(index) ?? []).map((error) => ({ ...error, path: [position, ...error.path] })),
  );
  const value = itemNonNull && values.includes(null) ? null : values;
  return { failure: null, value, errors: inOrder, furtherErrors };
}

/** Errors by the item they are in, their paths beginning below it; and those that are in none. */
function sorted(
  errors: readonly replyPlans.DecodeError[],
  above: number,
): { readonly byItem: ErrorsByItem; readonly others: readonly replyPlans.DecodeError[] } {
  const byItem = new Map<number, replyPlans.DecodeError[]>();
  const others: replyPlans.DecodeError[] = [];
  for (const error of errors) {
    const index = error.path[above];
    if (typeof index !== 'number' || error.path[above + 1] !== HIDDEN) {
      others.push({ ...error, path: [] });
      continue;
    }
    const known = getOrMake(byItem, index, () => []);
    known.push({ ...error, path: error.path.slice(above + 2) });
  }
  return { byItem, others };
}

/** A number that is its own shortest text. */
const SHORTEST = /^[1-9][0-9]*$/;

/** The text by which keys are compared. Of numbers it is the shortest: 007 and 7.0 are 7. */
export function keyText(value: unknown, isNumeric: boolean): string {
  const text = String(value);
  if (isNumeric && SHORTEST.test(text)) return text;
  if (!isNumeric || !/^[+-]?[0-9]+(\.[0-9]*)?$/.test(text)) return text;
  const sign = text.startsWith('-') ? '-' : '';
  let from = sign !== '' || text.startsWith('+') ? 1 : 0;
  let to = text.length;
  if (text.includes('.')) {
    while (text[to - 1] === '0') {
      to--;
    }
  }
  if (text[to - 1] === '.') {
    to--;
  }
  while (from < to - 1 && text[from] === '0' && text[from + 1] !== '.') {
    from++;
  }
  const digits = text.slice(from, to);
  return digits === '0' ? digits : sign + digits;
}
