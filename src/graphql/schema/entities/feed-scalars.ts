import { isSubschemaField } from '../fields/subschema.js';
import type { Link } from '../links/link.js';
import type { FieldShape, ObjectShape, ReplyShape } from '../types/shape.js';
import type { FeedScalar } from './entity.js';

/**
 * The scalars of the fields that a link's feeds take, by the index of the feed: values are checked
 * by them, and those of converted fields become the text that the operation takes.
 */
export function feedScalars(
  { called, feeds }: Link,
  typeName: string,
): ReadonlyMap<number, FeedScalar> {
  const found = new Map<number, FeedScalar>();
  if (isSubschemaField(called)) return found;
  const object = objectOf(called.reply, typeName);
  for (const [index, { field, asText }] of feeds.entries()) {
    const value = fieldAlong(object, field)?.value;
    if (value?.kind !== 'scalar') continue;
    const { scalar } = value;
    found.set(index, { scalar, isWritten: asText && scalar.wire !== undefined });
  }
  return found;
}

/** The shape of a type in the reply of an operation, through its lists; null where it has none. */
function objectOf({ root }: ReplyShape, typeName: string): ObjectShape | null {
  const fields = root.kind === 'unwrap' ? [root.field] : [];
  const open = root.kind === 'whole' ? objectsIn({ kind: 'object', shape: root.shape }) : [];
  const seen = new Set<ObjectShape>();
  for (const field of fields) {
    open.push(...objectsIn(field.value));
  }
  for (let object = open.shift(); object !== undefined; object = open.shift()) {
    if (object.typeName === typeName) return object;
    if (seen.has(object)) continue;
    seen.add(object);
    for (const { value } of object.fields.values()) {
      open.push(...objectsIn(value));
    }
  }
  return null;
}

const objectsIn = (value: FieldShape['value']): ObjectShape[] => {
  if (value.kind !== 'object') return [];
  const { declared, variants } = value.shape;
  return [...(declared === null ? [] : [declared]), ...variants.values()];
};

function fieldAlong(from: ObjectShape | null, path: readonly string[]): FieldShape | undefined {
  let object = from;
  let field: FieldShape | undefined;
  for (const step of path) {
    field = object?.fields.get(step);
    object = field === undefined ? null : (objectsIn(field.value)[0] ?? null);
  }
  return field;
}
