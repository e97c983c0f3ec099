import type { EventValues } from '../../base/event-bus.js';
import type { Decoded, ObjectPlan, ReplyPlan, Slot } from '../../codec/plan/plan.js';
import { hiddenKey } from '../graph/link-plan.js';
import type { EventSource } from '../subscription/subscription.js';
import type { FieldCall } from './field-call.js';
import { type FedValue, fedValues, withValues } from './link-feed.js';

type Values = NonNullable<EventValues>;

/** Whether a subscriber wants this event: it has the values that the mapping and the subscriber ask for. */
export function isWanted(source: EventSource, given: FieldCall['arguments'], values: Values): boolean {
  for (const [path, wanted] of source.where) if (!holds(values[path], wanted)) return false;
  for (const [argument, path] of source.filter) {
    const wanted = given[argument] ?? null;
    if (wanted !== null && !holds(values[path], wanted)) return false;
  }
  return true;
}

/** Of a list, any item. Values are compared as texts: `Long` is a number here and a text there. */
const holds = (value: unknown, wanted: unknown): boolean =>
  Array.isArray(value)
    ? value.some((item) => String(item) === String(wanted))
    : value !== null && value !== undefined && String(value) === String(wanted);

/** What the operation behind an event is called with; null where the event has no value for what it requires. */
export function givenBy(
  source: EventSource,
  own: Pick<FieldCall, 'arguments' | 'headers'>,
  values: Values,
): Pick<FieldCall, 'arguments' | 'headers'> | null {
  const mark = Object.fromEntries(source.feeds.map(({ path }, index) => [hiddenKey(index), values[path] ?? null]));
  const feeds = source.feeds.map(({ feed }) => ({ ...feed, field: ['value'] }));
  const fed: readonly FedValue[] | null = fedValues(feeds, mark);
  if (fed === null) return null;
  const kept = Object.entries(own.arguments).filter(([name]) => !source.filter.has(name));
  return withValues({ arguments: Object.fromEntries(kept), headers: own.headers }, fed);
}

/** The event itself as an answer: the plan's places are named by the paths of its values. */
export function eventAnswer(plan: ReplyPlan, values: Values): Decoded {
  return { value: objectOf(plan.value, values), errors: [], furtherErrors: 0 };
}

/** Recursion is as deep as the plan: the object, and what links read of it by the side. */
function objectOf({ declared }: ObjectPlan, values: Values): Readonly<Record<string, unknown>> {
  return Object.fromEntries((declared?.slots ?? []).map((slot) => [slot.key, filledBy(slot, values)]));
}

function filledBy({ source, value }: Slot, values: Values): unknown {
  if (source.from === 'constant') return source.value;
  if (source.from === 'self' && value.kind === 'object') return objectOf(value, values);
  return source.from === 'child' ? (values[source.name.local] ?? null) : null;
}
