import { InputError } from '../../codec/write/input-error.js';
import type { Feed } from '../links/link.js';
import { hiddenAlong } from '../links/link-plan.js';
import { hiddenKey } from '../links/link-slots.js';
import type { FieldCall } from './field-call.js';

/** What a field is called with. */
export type Given = Pick<FieldCall, 'arguments' | 'headers'>;

/** What an argument is filled with. */
export interface FedValue {
  readonly feed: Feed;
  readonly value: unknown;
}

/**
 * What an object has for the arguments of a link; null where there is nothing to ask for: a required one has no value,
 * or none has. Throws `InputError` for a text that writes no number where one is wanted.
 */
export function fedValues(feeds: readonly Feed[], mark: Readonly<Record<string, unknown>>): readonly FedValue[] | null {
  const values: FedValue[] = [];
  for (const [index, feed] of feeds.entries()) {
    const held = hiddenAlong(mark[hiddenKey(index)], feed.field.length - 1);
    const value = held === null ? null : asArgument(held, feed);
    if (value !== null) values.push({ feed, value });
    else if (feed.required) return null;
  }
  return values.length === 0 && feeds.length > 0 ? null : values;
}

function asArgument(held: unknown, { argument, asText, asNumber, wraps }: Feed): unknown {
  const convert = (value: unknown): unknown => {
    if (asNumber === null) return asText ? String(value) : value;
    try {
      return asNumber(value);
    } catch {
      throw new InputError(['arguments', ...argument], 'what the link has is no number of its type');
    }
  };
  if (Array.isArray(held)) {
    const items = held.filter((item) => item !== null).map(convert);
    return items.length === 0 ? null : items;
  }
  return wraps ? [convert(held)] : convert(held);
}

/** Puts what objects have given beside what the document has. */
export function withValues({ arguments: own, headers }: Given, values: readonly FedValue[]): Given {
  const all: Record<string, unknown> = { ...own };
  for (const { feed, value } of values) {
    let holder = all;
    for (const [at, step] of feed.argument.entries()) {
      if (at === feed.argument.length - 1) holder[step] = value;
      else {
        const inner = holder[step];
        const next: Record<string, unknown> = typeof inner === 'object' && inner !== null ? { ...inner } : {};
        holder[step] = next;
        holder = next;
      }
    }
  }
  return { arguments: all, headers };
}
