import {
  coerceInputValue,
  GraphQLError,
  type GraphQLOutputType,
  type GraphQLScalarType,
  getNullableType,
  isInputType,
  isListType,
  isNonNullType,
  isScalarType,
} from 'graphql';
import { InputError, scalars } from '../../codec/index.js';
import { getOrMake, isRecord } from '../../core/index.js';
import type { EntityKey, EntityTable, EntityType, FeedScalar } from '../schema/entities/entity.js';
import { entityOf, keyAmong, TYPENAME, valueAlong } from '../schema/entities/key-choice.js';
import { type FieldOwner, fieldOfOwner, isFieldOwner } from '../schema/types/field-owner.js';
import { type FedValue, valuesOfFeeds } from './fed-values.js';

/** A representation whose fields are values of its type. */
export interface Representation {
  readonly entity: EntityType;
  /** The first key whose fields are all there, and not null if another's are not. */
  readonly key: EntityKey;
  readonly fields: Fields;
  /** A value of the key is null: it stands for no object. */
  readonly isNull: boolean;
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
  const isNull = key.paths.some((each) => valueAlong(fields, each) === null);
  if (!isNull) {
    checkFurther(key, fields, path);
  }
  return { entity, key, fields, isNull };
}

/** Fields beside the key, of `@requires`, that the operation cannot do without. */
function checkFurther({ required }: EntityKey, fields: Fields, path: Path): void {
  for (const field of required) {
    if ((valueAlong(fields, field) ?? null) === null) {
      throw new InputError([...path, ...field], 'has no value, and the operation needs it');
    }
  }
}

/** Recursion is as deep as input values may be, which is limited. */
function readFields(value: Fields, type: FieldOwner, path: Path): Fields {
  const readers = getOrMake(READERS, type, () => new Map<string, FieldReader>());
  const fields: Record<string, unknown> = Object.create(BARE);
  for (const name of Object.keys(value)) {
    if (name === TYPENAME) continue;
    let reader = readers.get(name);
    if (reader === undefined) {
      const field = fieldOfOwner(type, name);
      if (field === undefined) throw new InputError(path, `has a field that ${type.name} has not`);
      reader = readerOf(field.type);
      readers.set(name, reader);
    }
    fields[name] = reader(value[name], path, name);
  }
  return fields;
}

/** Inherits nothing. An object whose own prototype is null would be a dictionary, which is slow. */
const BARE = Object.freeze(Object.create(null));

/** Reads the value of a field as one of its type; the path of the value ends with `step`. */
type FieldReader = (value: unknown, path: Path, step: string | number) => unknown;

const READERS = new WeakMap<FieldOwner, Map<string, FieldReader>>();

function readerOf(type: GraphQLOutputType): FieldReader {
  const rule = `must be a value of type ${String(type)}`;
  const plain = getNullableType(type);
  if (isScalarType(plain)) return scalarReader(plain, isNonNullType(type), rule);
  if (isInputType(type)) {
    return (value, path, step) =>
      coerceInputValue(
        value,
        type,
        (below) => {
          throw new InputError([...path, step, ...below], rule);
        },
        true,
      );
  }
  const inner = innerReaderOf(getNullableType(type));
  const isNullable = !isNonNullType(type);
  return (value, path, step) => {
    if (value !== null) return inner(value, path, step);
    if (isNullable) return null;
    throw new InputError([...path, step], rule);
  };
}

/** The usual case, which `coerceInputValue` takes several times as long for. */
const scalarReader =
  (scalar: GraphQLScalarType, isNonNull: boolean, rule: string): FieldReader =>
  (value, path, step) => {
    if (value === null && !isNonNull) return null;
    try {
      const read = value === null ? undefined : scalar.parseValue(value);
      if (read !== undefined) return read;
    } catch (caught) {
      if (!(caught instanceof GraphQLError)) throw caught;
    }
    throw new InputError([...path, step], rule);
  };

function innerReaderOf(type: GraphQLOutputType): FieldReader {
  if (isListType(type)) {
    const item = readerOf(type.ofType);
    return (value, path, step) => {
      if (!Array.isArray(value)) throw new InputError([...path, step], 'must be a list');
      const at = [...path, step];
      return value.map((each, index) => item(each, at, index));
    };
  }
  return (value, path, step) => {
    if (!isRecord(value)) throw new InputError([...path, step], 'must be an object');
    return isFieldOwner(type) ? readFields(value, type, [...path, step]) : value;
  };
}

/**
 * The values of a representation for the link of its key; null where the operation is not called
 * with them. Throws `InputError` for a value that its type does not admit.
 */
export const valuesFor = (
  { key, fields }: Representation,
  path: Path,
): readonly FedValue[] | null =>
  valuesOfFeeds(key.link.feeds, ({ field }, index) => {
    const value = valueAlong(fields, field) ?? null;
    const scalar = key.scalars.get(index);
    return scalar === undefined || value === null || Array.isArray(value)
      ? value
      : writtenValue(value, scalar, path, field);
  });

/** The value as the operation takes it, which the type of its field admits. */
function writtenValue(
  value: unknown,
  { scalar, isWritten }: FeedScalar,
  path: Path,
  field: readonly string[],
): unknown {
  try {
    const text = scalar.encode(value);
    return isWritten ? text : value;
  } catch (caught) {
    if (caught instanceof scalars.LexicalError)
      throw new InputError([...path, ...field], caught.message);
    throw caught;
  }
}
