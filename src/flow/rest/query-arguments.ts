import {
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql';
import { isRecord, Refusal } from '../../core/index.js';
import type { DescribedOperation, RawVariables } from '../../graphql/index.js';

/** Levels of a name with dots. */
const LEVELS_MAX = 20;

/** The parameter that selects fields. */
export const FIELDS = 'fields';

/**
 * Reads arguments from the query of a URL: `id=7`, `address[city]=Ghent` or `address.city=Ghent`
 * for members of objects, and a parameter several times for a list. Values are read by the types of
 * the arguments; what does not fit stays a text, and is reported as one.
 */
export function queryArguments(
  query: URLSearchParams,
  { field }: DescribedOperation,
): RawVariables {
  const values: Record<string, unknown> = Object.create(null);
  for (const name of new Set(query.keys())) {
    if (name === FIELDS) continue;
    const steps = name.endsWith(']') ? name.slice(0, -1).split(/\]?\[/) : name.split('.');
    if (steps.length > LEVELS_MAX) {
      throw new Refusal('BAD_REQUEST', 'A parameter has too many levels.');
    }
    const last = steps.pop() ?? '';
    let owner = values;
    let type: GraphQLInputType | null = null;
    for (const [at, step] of steps.entries()) {
      type = typeBelow(field.args, at === 0 ? null : type, step);
      const next = owner[step] ?? Object.create(null);
      // A name that is a value and an object as well: the object is reported.
      if (!isRecord(next)) break;
      owner[step] = next;
      owner = next;
    }
    owner[last] = readValues(
      query.getAll(name),
      typeBelow(field.args, steps.length === 0 ? null : type, last),
    );
  }
  addEmptyObjects(values, field.args, new Set());
  return values;
}

/**
 * Adds the required objects of which a query has no member: it has no other way to give one that is
 * empty.
 */
function addEmptyObjects(
  owner: Record<string, unknown>,
  members: readonly (GraphQLArgument | GraphQLInputField)[],
  around: ReadonlySet<GraphQLInputType>,
): void {
  for (const { name, type, defaultValue } of members) {
    const own = getNullableType(type);
    if (!isInputObjectType(own) || own.isOneOf || around.has(own)) continue;
    if (owner[name] === undefined && isNonNullType(type) && defaultValue === undefined) {
      owner[name] = Object.create(null);
    }
    const value = owner[name];
    if (isMembers(value)) {
      addEmptyObjects(value, Object.values(own.getFields()), new Set([...around, own]));
    }
  }
}

const isMembers = (value: unknown): value is Record<string, unknown> => isRecord(value);

/**
 * Reads the arguments in the segments of a path. Throws `BAD_REQUEST` for what is no text in
 * percent-encoding.
 */
export function pathArguments(
  texts: ReadonlyMap<string, string>,
  { field }: DescribedOperation,
): RawVariables {
  const values: Record<string, unknown> = Object.create(null);
  for (const [name, text] of texts) {
    values[name] = readValues([decoded(text)], typeBelow(field.args, null, name));
  }
  return values;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Refusal('BAD_REQUEST', 'A segment of the path is no text in percent-encoding.');
  }
}

type Arguments = DescribedOperation['field']['args'];

/** Null where there is nothing of that name. */
function typeBelow(
  args: Arguments,
  above: GraphQLInputType | null,
  step: string,
): GraphQLInputType | null {
  if (above === null) return args.find(({ name }) => name === step)?.type ?? null;
  const nullable = getNullableType(above);
  return isInputObjectType(nullable) ? (nullable.getFields()[step]?.type ?? null) : null;
}

function readValues(texts: readonly string[], type: GraphQLInputType | null): unknown {
  const isList = type !== null && isListType(getNullableType(type));
  const named = type === null ? '' : getNamedType(type).name;
  const values = texts.map((text) => readValue(text, named));
  return isList || values.length > 1 ? values : values[0];
}

function readValue(text: string, type: string): unknown {
  if (type === 'Boolean') return text === 'true' ? true : text === 'false' ? false : text;
  const isNumber =
    (type === 'Int' || type === 'Float') && /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text);
  return isNumber ? Number(text) : text;
}
