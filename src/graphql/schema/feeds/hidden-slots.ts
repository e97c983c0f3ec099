import { type FieldSlot, replyPlans } from '../../../codec/index.js';
import { isRecord } from '../../../core/index.js';
import { fieldPosition, SINGLE } from '../types/plain-shape.js';
import type { ElementShape, FieldShape, ObjectShape } from '../types/shape.js';

/** The prefix of keys that are never part of a response: no response key begins with it. */
export const HIDDEN = '=';

/** The key of the value of a link's feed; for an item of a list operation, that of its key. */
export const hiddenKey = (index: number): string => `${HIDDEN}${index}`;

/** The element itself, read once more as this object. */
export const selfSlot = (key: string, value: replyPlans.ObjectPlan): FieldSlot => ({
  key,
  ...SINGLE,
  source: { from: 'self' },
  value,
});

type End = (key: string, field: FieldShape) => FieldSlot;

/**
 * A slot that follows a path of fields to its end: each step is under `HIDDEN` of the one before.
 */
export function slotAlong(
  key: string,
  field: FieldShape,
  rest: readonly string[],
  end: End,
): FieldSlot {
  if (rest.length === 0 || field.value.kind !== 'object') return end(key, field);
  const value = objectAlong(field.value.shape, rest, end);
  return { key, ...SINGLE, ...fieldPosition(field), value };
}

export function objectAlong(
  shape: ElementShape,
  path: readonly string[],
  end: End,
): replyPlans.ObjectPlan {
  const [first = '', ...rest] = path;
  return mapped(shape, (object) => {
    const field = object.fields.get(first);
    return { slots: field === undefined ? [] : [slotAlong(HIDDEN, field, rest, end)] };
  });
}

function mapped(
  shape: ElementShape,
  variantOf: (object: ObjectShape) => replyPlans.ObjectVariant,
): replyPlans.ObjectPlan {
  const variants = new Map([...shape.variants].map(([type, object]) => [type, variantOf(object)]));
  return {
    kind: 'object',
    variants,
    declared: shape.declared === null ? null : variantOf(shape.declared),
  };
}

export function leafSlot(key: string, field: FieldShape): FieldSlot {
  const { list, value } = field;
  if (
    value.kind === 'object' ||
    value.kind === 'choice' ||
    value.kind === 'list' ||
    value.kind === 'tables'
  ) {
    throw new Error('a link is fed with simple values');
  }
  return { key, ...SINGLE, ...fieldPosition(field), list, value };
}

/** The slot of a value that becomes a text: of a converted value that on the wire. */
export function wireSlot(key: string, field: FieldShape): FieldSlot {
  const { value } = field;
  const wire = value.kind === 'scalar' ? value.scalar.wire : undefined;
  return leafSlot(
    key,
    wire === undefined ? field : { ...field, value: { kind: 'scalar', scalar: wire } },
  );
}

/** A value of a key: its path, and `end`, which reads it. */
export interface KeyEnd {
  readonly path: readonly string[];
  readonly end: End;
}

/** An item that is read with the values of its key, each under `hiddenKey` of its index. */
export const keyed = (
  item: replyPlans.ObjectPlan,
  shape: ElementShape,
  keys: readonly KeyEnd[],
): replyPlans.ObjectPlan =>
  new replyPlans.LazyObject(shape, (object) => {
    const slots = keys.flatMap(({ path, end }, index) => {
      const field = object.fields.get(path[0] ?? '');
      return field === undefined ? [] : [slotAlong(hiddenKey(index), field, path.slice(1), end)];
    });
    return { slots: [selfSlot(HIDDEN, item), ...slots] };
  });

/** Follows `HIDDEN` from a value, `steps` times. */
export function hiddenAlong(value: unknown, steps: number): unknown {
  let inner = value;
  for (let step = 0; step < steps; step++) {
    inner = isRecord(inner) ? inner[HIDDEN] : null;
  }
  return inner ?? null;
}
