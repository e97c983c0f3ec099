import type { Decoded, FieldSlot, ReplyPlan, replyPlans } from '../../codec/index.js';
import type { eventBus } from '../../core/index.js';
import { hiddenKey } from '../schema/feeds/hidden-slots.js';
import type { EventSource } from '../schema/subscription/subscription.js';
import { type FedValue, fedValues, withValues } from './fed-values.js';
import type { FieldCall } from './field-call.js';

type Values = NonNullable<eventBus.EventValues>;

/**
 * Whether an event has the values that the mapping and the arguments of the subscription ask for.
 */
export function isWanted(
  source: EventSource,
  filters: FieldCall['arguments'],
  values: Values,
): boolean {
  for (const [path, wanted] of source.where) {
    if (!holds(readOf(values[path]), wanted)) return false;
  }
  for (const [argument, path] of source.filter) {
    const wanted = filters[argument] ?? null;
    if (wanted !== null && !holds(readOf(values[path]), wanted)) return false;
  }
  return true;
}

/**
 * True if the value, or any item of a list, is the wanted one. Values are compared as texts: `Long`
 * is a number here and a text there.
 */
const holds = (value: unknown, wanted: unknown): boolean =>
  Array.isArray(value)
    ? value.some((item) => String(item) === String(wanted))
    : value !== null && value !== undefined && String(value) === String(wanted);

/**
 * The input of the operation that answers an event; null where the event lacks a required value, or
 * has a wrong one.
 */
export function callInputOf(
  source: EventSource,
  own: Pick<FieldCall, 'arguments' | 'headers'>,
  values: Values,
): Pick<FieldCall, 'arguments' | 'headers'> | null {
  const feedValues = Object.fromEntries(
    source.feeds.map(({ path }, index) => [hiddenKey(index), values[path] ?? null]),
  );
  if (Object.values(feedValues).some(isWrong)) return null;
  const feeds = source.feeds.map(({ feed }) => ({ ...feed, field: ['value'] }));
  const fed: readonly FedValue[] | null = fedValues(feeds, feedValues);
  if (fed === null) return null;
  const kept = Object.entries(own.arguments).filter(([name]) => !source.filter.has(name));
  return withValues({ arguments: Object.fromEntries(kept), headers: own.headers }, fed);
}

/** The answer to an event that lacks input for the operation. */
export function noAnswer({ feeds }: EventSource, values: Values): Decoded {
  const errors = feeds.flatMap(({ path }) => wrongOf(values[path])?.errors ?? []);
  return {
    value: null,
    errors: errors.map(({ rule }) => wrong([], rule)),
    furtherErrors: 0,
    calls: 0,
  };
}

/** The event itself as an answer: names in the plan are the paths of its values. */
export function eventAnswer(plan: ReplyPlan, values: Values): Decoded {
  const filling: Filling = { values, reported: new Set(), errors: [] };
  const value = objectOf(plan.value, filling, []);
  return { value, errors: filling.errors, furtherErrors: 0, calls: 0 };
}

interface Filling {
  readonly values: Values;
  /** Paths whose errors are listed: a value may have several places, some for links only. */
  readonly reported: Set<string>;
  readonly errors: replyPlans.DecodeError[];
}

/** Recursion is as deep as the plan: the object, and the values that links read from it. */
function objectOf(
  { declared }: replyPlans.ObjectPlan,
  filling: Filling,
  path: readonly string[],
): Readonly<Record<string, unknown>> {
  const slots = declared?.slots ?? [];
  return Object.fromEntries(
    slots.map((slot) => [slot.key, filledBy(slot, filling, [...path, slot.key])]),
  );
}

function filledBy(
  { source, value }: FieldSlot,
  filling: Filling,
  path: readonly string[],
): unknown {
  if (source.from === 'constant') return source.value;
  if (source.from === 'withheld') {
    if (source.isForbidden) {
      filling.errors.push({ code: 'FORBIDDEN', path, rule: 'withheld' });
    }
    return null;
  }
  if (source.from === 'self' && value.kind === 'object') return objectOf(value, filling, path);
  if (source.from !== 'child') return null;
  const { local } = source.name;
  const held = filling.values[local] ?? null;
  const mask = value.kind === 'scalar' ? value.scalar.mask : undefined;
  if (!isWrong(held)) return mask === undefined ? held : mask(held);
  if (!filling.reported.has(local)) {
    filling.errors.push(
      ...held.errors.map((error: eventBus.InvalidPart) =>
        wrong([...path, ...error.path], error.rule),
      ),
    );
  }
  filling.reported.add(local);
  return mask === undefined ? held.value : mask(held.value);
}

const wrong = (path: replyPlans.DecodeError['path'], rule: string): replyPlans.DecodeError => ({
  code: 'UPSTREAM_SCHEMA_INVALID',
  path,
  rule,
});

/** Other values of an event are no objects. */
const isWrong = (value: unknown): value is eventBus.InvalidValue =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && 'errors' in value;

const wrongOf = (value: unknown): eventBus.InvalidValue | null => (isWrong(value) ? value : null);

const readOf = (value: unknown): unknown => (isWrong(value) ? value.value : value);
