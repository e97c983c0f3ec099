import { isRecord } from '../../../core/index.js';
import type { EntityKey, EntityTable, EntityType } from './entity.js';

/** The member of a representation that names its type. */
export const TYPENAME = '__typename';

/** The type of a representation; null for one that names no type with a key. */
export function entityOf(representation: unknown, entities: EntityTable): EntityType | null {
  if (!isRecord(representation) || !Object.hasOwn(representation, TYPENAME)) return null;
  const name = representation[TYPENAME];
  return typeof name === 'string' ? (entities.get(name) ?? null) : null;
}

/** The first key whose fields are all there, one without a null before others; null for none. */
export function keyAmong(keys: readonly EntityKey[], fields: unknown): EntityKey | null {
  let first: EntityKey | null = null;
  for (const key of keys) {
    let hasNull = false;
    let isThere = true;
    for (const path of key.paths) {
      const value = valueAlong(fields, path);
      isThere &&= value !== undefined;
      hasNull ||= value === null;
    }
    if (isThere && !hasNull) return key;
    if (isThere) {
      first ??= key;
    }
  }
  return first;
}

/** The value at a path; null where an object on the way is, undefined where it is absent. */
export function valueAlong(fields: unknown, path: readonly string[]): unknown {
  let value = fields;
  for (const step of path) {
    if (value === null) return null;
    value = isRecord(value) && Object.hasOwn(value, step) ? value[step] : undefined;
  }
  return value;
}
