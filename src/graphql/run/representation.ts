import {
  coerceInputValue,
  type GraphQLNamedType,
  type GraphQLOutputType,
  getNamedType,
  getNullableType,
  isInputType,
  isListType,
  isNonNullType,
} from 'graphql';
import { InputError, scalars } from '../../codec/index.js';
import { isRecord } from '../../core/index.js';
import type { EntityKey, EntityTable, EntityType, FeedScalar } from '../schema/entities/entity.js';
import { entityOf, keyAmong, TYPENAME, valueAlong } from '../schema/entities/key-choice.js';
import { HIDDEN, hiddenKey } from '../schema/feeds/hidden-slots.js';
import { fieldOfOwner, isFieldOwner } from '../schema/types/field-owner.js';

/** A representation whose fields are values of its type. */
export interface Representation {
  readonly entity: EntityType;
  /** The first key whose fields are all there, and not null if another's are not. */
  readonly key: EntityKey;
  readonly fields: Fields;
}

type Fields = Readonly<Record<string, unknown>>;
type Path = readonly (string | number)[];

/**
 * Checks a representation as strictly as an argument. `path` leads to it. Throws `InputError`,
 * which names fields, never values.
 */
export function readRepresentation(
  value: unknown,
  entities: EntityTable,
  path: Path,
): Representation {
  if (!isRecord(value)) throw new InputError(path, 'must be an object');
  const entity = entityOf(value, entities);
  if (entity === null) {
    throw new InputError([...path, TYPENAME], 'must be the name of a type with a key');
  }
  const fields = readFields(value, entity.type, path);
  const key = keyAmong(entity.keys, fields);
  if (key === null) {
    const keys = entity.keys.map((each) => `\`${each.fields}\``).join(', or ');
    throw new InputError(path, `must have the fields of a key of ${entity.type.name}: ${keys}`);
  }
  checkFurther(key, fields, path);
  return { entity, key, fields };
}

/** Fields beside the key, of `@requires`, that the operation cannot do without. */
function checkFurther({ link, paths }: EntityKey, fields: Fields, path: Path): void {
  const ofKey = new Set(paths.map((each) => each.join('.')));
  for (const { field, required } of link.feeds) {
    if (!required || ofKey.has(field.join('.'))) continue;
    if ((valueAlong(fields, field) ?? null) === null) {
      throw new InputError([...path, ...field], 'has no value, and the operation needs it');
    }
  }
}

/** Recursion is as deep as input values may be, which is limited. */
function readFields(value: Fields, type: GraphQLNamedType, path: Path): Fields {
  const fields: Record<string, unknown> = Object.create(null);
  for (const [name, member] of Object.entries(value)) {
    if (name === TYPENAME) continue;
    const field = fieldOfOwner(type, name);
    if (field === undefined) throw new InputError(path, `has a field that ${type.name} has not`);
    fields[name] = readValue(member, field.type, [...path, name]);
  }
  return fields;
}

function readValue(value: unknown, type: GraphQLOutputType, path: Path): unknown {
  if (isInputType(type)) {
    return coerceInputValue(
      value,
      type,
      (below) => {
        throw new InputError([...path, ...below], `must be a value of type ${String(type)}`);
      },
      true,
    );
  }
  if (value === null) {
    if (isNonNullType(type)) throw new InputError(path, `must be a value of type ${String(type)}`);
    return null;
  }
  const nullable = getNullableType(type);
  if (isListType(nullable)) {
    if (!Array.isArray(value)) throw new InputError(path, 'must be a list');
    return value.map((item, index) => readValue(item, nullable.ofType, [...path, index]));
  }
  const named = getNamedType(type);
  if (!isRecord(value)) throw new InputError(path, 'must be an object');
  return isFieldOwner(named) ? readFields(value, named, path) : value;
}

/**
 * The values of a representation for the link of its key, as the selection `id` reads them. Throws
 * `InputError` for a value that its type does not admit.
 */
export function feedValuesOf(
  { key, fields }: Representation,
  id: string,
  path: Path,
): Readonly<Record<string, unknown>> {
  const values: Record<string, unknown> = { [HIDDEN]: id };
  for (const [index, { field }] of key.link.feeds.entries()) {
    const found = valueAlong(fields, field) ?? null;
    const scalar = key.scalars.get(index);
    const value =
      scalar === undefined || found === null || Array.isArray(found)
        ? found
        : writtenValue(found, scalar, [...path, ...field]);
    values[hiddenKey(index)] = field
      .slice(1)
      .reduce((inner) => (inner === null ? null : { [HIDDEN]: inner }), value);
  }
  return values;
}

/** The value as the operation takes it, which the type of its field admits. */
function writtenValue(value: unknown, { scalar, isWritten }: FeedScalar, path: Path): unknown {
  try {
    const text = scalar.encode(value);
    return isWritten ? text : value;
  } catch (caught) {
    if (caught instanceof scalars.LexicalError) throw new InputError(path, caught.message);
    throw caught;
  }
}
