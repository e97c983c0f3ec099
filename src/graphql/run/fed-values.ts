import { InputError } from '../../codec/index.js';
import type { FieldFeed } from '../schema/feeds/feed.js';
import { hiddenAlong, hiddenKey } from '../schema/feeds/hidden-slots.js';
import type { CompositeBatch } from '../schema/links/link.js';
import type { CallInput } from './field-call.js';

/** The value that a feed gives to an argument. */
export interface FedValue {
  readonly feed: FieldFeed;
  readonly value: unknown;
}

/**
 * Reads the values that fill a link's arguments. Null for a link without a call: a required
 * argument has no value, or none has. Throws `InputError` for a text that is no number where the
 * argument is one.
 */
export const fedValues = (
  feeds: readonly FieldFeed[],
  feedValues: Readonly<Record<string, unknown>>,
): readonly FedValue[] | null =>
  valuesOfFeeds(feeds, (feed, index) =>
    hiddenAlong(feedValues[hiddenKey(index)], feed.field.length - 1),
  );

/** As `fedValues`, of the values that `read` returns; null is none. */
export function valuesOfFeeds(
  feeds: readonly FieldFeed[],
  read: (feed: FieldFeed, index: number) => unknown,
): readonly FedValue[] | null {
  const values: FedValue[] = [];
  for (let index = 0; index < feeds.length; index++) {
    const feed = feeds[index];
    if (feed === undefined) continue;
    const held = read(feed, index);
    const value = held === null ? null : asArgument(held, feed);
    if (value !== null) {
      values.push({ feed, value });
    } else if (feed.required) {
      return null;
    }
  }
  return values.length === 0 && feeds.length > 0 ? null : values;
}

function asArgument(held: unknown, { argument, asText, asNumber, wraps }: FieldFeed): unknown {
  const convert = (value: unknown): unknown => {
    if (asNumber === null) return asText ? String(value) : value;
    try {
      return asNumber(value);
    } catch {
      throw new InputError(
        ['arguments', ...argument],
        'what the link has is no number of its type',
      );
    }
  };
  if (Array.isArray(held)) {
    const items = held.filter((item) => item !== null).map(convert);
    return items.length === 0 ? null : items;
  }
  return wraps ? [convert(held)] : convert(held);
}

/** The object that holds the values of feeds, for the list argument of a composite batch. */
export function compositeValue(
  { argument, members }: CompositeBatch,
  feeds: readonly FieldFeed[],
  values: readonly FedValue[],
): FedValue {
  const object: Record<string, unknown> = {};
  for (const { feed, value } of values) {
    object[members[feeds.indexOf(feed)] ?? ''] = value;
  }
  const [first] = values;
  if (first === undefined) throw new Error('a key without values');
  return { feed: { ...first.feed, argument }, value: object };
}

/**
 * Adds the values of feeds to the arguments of the document; those of a composite batch as its only
 * object.
 */
export function withValues(
  { arguments: own, headers }: CallInput,
  values: readonly FedValue[],
  composite: CompositeBatch | null = null,
): CallInput {
  if (composite !== null) {
    const feeds = values.map(({ feed }) => feed);
    const { feed, value } = compositeValue(composite, feeds, values);
    return withValues({ arguments: own, headers }, [{ feed, value: [value] }]);
  }
  const all: Record<string, unknown> = { ...own };
  for (const { feed, value } of values) {
    let holder = all;
    for (const [at, step] of feed.argument.entries()) {
      if (at === feed.argument.length - 1) {
        holder[step] = value;
      } else {
        const inner = holder[step];
        const next: Record<string, unknown> =
          typeof inner === 'object' && inner !== null ? { ...inner } : {};
        holder[step] = next;
        holder = next;
      }
    }
  }
  return { arguments: all, headers };
}
