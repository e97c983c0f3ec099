import {
  type GraphQLArgument,
  GraphQLError,
  type GraphQLInputType,
  type GraphQLInterfaceType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLScalarType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredArgument,
  isRequiredInputField,
  isScalarType,
} from 'graphql';
import { isFieldOwner } from '../types/field-owner.js';
import type { Report } from './entry-error.js';
import type { CallTarget, FieldFeed } from './feed.js';

/** `criteria.id` in its steps. */
export const feedSteps = (path: string): readonly string[] => path.split('.');

/** The type at the end of a path of fields; null, and an error, for a wrong path. */
export function fieldAlong(
  from: GraphQLOutputType,
  steps: readonly string[],
  path: readonly string[],
  report: Report,
): GraphQLOutputType | null {
  let type = from;
  for (const step of steps) {
    const owner = getNullableType(type);
    if (!isFieldOwner(owner)) {
      return report(
        path,
        `\`${step}\` cannot be a field of ${String(owner)}.`,
        'A path leads through single objects.',
      );
    }
    const fields = owner.getFields();
    const field = Object.hasOwn(fields, step) ? fields[step] : undefined;
    if (field === undefined) {
      const known = Object.keys(fields);
      return report(path, `\`${owner.name}\` has no field \`${step}\`.`, null, {
        name: step,
        known,
      });
    }
    if (field.args.some(isRequiredArgument)) {
      return report(
        path,
        `\`${owner.name}.${step}\` needs arguments.`,
        'Name a field that needs none.',
      );
    }
    type = field.type;
  }
  return type;
}

interface ArgumentPlace {
  readonly config: CallTarget['config'];
  readonly steps: readonly string[];
  readonly path: readonly string[];
}

interface FieldPlace {
  /** Null for an unknown type: then only the argument is checked. */
  readonly owner: GraphQLObjectType | GraphQLInterfaceType | null;
  readonly steps: readonly string[];
  readonly path: readonly string[];
}

/**
 * How a field of the object fills an argument. For a `batch` the argument is a list of the field's
 * values. In an `event` a text cannot fill a number: no client would get the error of a text that
 * is none. A value of an enumeration cannot fill a text there: only its name is known.
 */
export function feedOf(
  argument: ArgumentPlace,
  field: FieldPlace,
  form: 'single' | 'batch' | 'event',
  report: Report,
): FieldFeed | null {
  const place = argumentAlong(argument, report);
  const output =
    field.owner === null ? null : fieldAlong(field.owner, field.steps, field.path, report);
  if (place === null || output === null) return null;
  const found = getNullableType(output);
  const wanted = getNullableType(place.type);
  const foundItem = isListType(found) ? getNullableType(found.ofType) : found;
  const wantedItem = isListType(wanted) ? getNullableType(wanted.ofType) : wanted;
  const mismatch = (remedy: string): null => {
    const what =
      `\`${field.steps.join('.')}\` is ${String(found)}, \`${argument.steps.join('.')}\` ` +
      `takes ${String(wanted)}.`;
    return report(field.path, what, remedy);
  };
  if (form === 'batch' && !isListType(wanted)) {
    return report(
      argument.path,
      `\`${argument.steps.join('.')}\` is no list.`,
      'Name the argument that takes all keys.',
    );
  }
  if (isListType(found) && (form === 'batch' || !isListType(wanted))) {
    return mismatch('Name a field with one value.');
  }
  const fit = fitOf(foundItem, wantedItem);
  const isUnknown =
    form === 'event' && (fit === 'as number' || isEnumType(foundItem) !== isEnumType(wantedItem));
  if (fit === null || isUnknown) return mismatch('Name a field of the same type.');
  return {
    argument: argument.steps,
    field: field.steps,
    required: place.required,
    isList: isListType(wanted),
    wraps: isListType(wanted) && !isListType(found),
    asText: fit === 'as text',
    asNumber: fit === 'as number' && isScalarType(wantedItem) ? numberOf(wantedItem) : null,
  };
}

function argumentAlong(
  { config, steps, path }: ArgumentPlace,
  report: Report,
): { readonly type: GraphQLInputType; readonly required: boolean } | null {
  let type: GraphQLInputType | null = null;
  let required = true;
  for (const step of steps) {
    const owner = type === null ? null : getNullableType(type);
    if (owner !== null && !isInputObjectType(owner)) {
      return report(
        path,
        `\`${step}\` cannot be inside ${String(owner)}.`,
        'A path leads through input objects.',
        null,
        'key',
      );
    }
    const fields: Readonly<Record<string, { readonly type: GraphQLInputType }>> =
      owner === null ? (config.args ?? {}) : owner.getFields();
    const found = Object.hasOwn(fields, step) ? fields[step] : undefined;
    if (found === undefined) {
      const what =
        owner === null
          ? `The operation has no argument \`${step}\`.`
          : `\`${owner.name}\` has no \`${step}\`.`;
      return report(path, what, null, { name: step, known: Object.keys(fields) }, 'key');
    }
    required &&= isNonNullType(found.type);
    type = found.type;
  }
  return type === null ? null : { type, required };
}

/**
 * Whether a value of one leaf type is valid for another: as it is, as its text on the wire, or as
 * the number of its text.
 */
function fitOf(found: unknown, wanted: unknown): 'as it is' | 'as text' | 'as number' | null {
  if (isEnumType(found) && isScalarType(wanted)) return isTextType(wanted) ? 'as text' : null;
  if (isEnumType(found) || isEnumType(wanted)) return found === wanted ? 'as it is' : null;
  if (!isScalarType(found) || !isScalarType(wanted)) return null;
  if (found.name === wanted.name || WIDER.get(found.name)?.includes(wanted.name)) return 'as it is';
  if (isTextType(wanted) && TEXTUAL.has(found.name)) return 'as text';
  return (found.name === 'String' || found.name === 'ID') && NUMERIC.has(wanted.name)
    ? 'as number'
    : null;
}

const isTextType = ({ name }: GraphQLScalarType): boolean => name === 'String' || name === 'ID';

/** Numeric types that a text may be converted to. */
const NUMERIC: ReadonlySet<string> = new Set(['Int', 'Long', 'BigInt', 'Decimal']);

/** Parses a text as a number of the type. Throws for any other text. */
const numberOf =
  (type: GraphQLScalarType) =>
  (text: unknown): unknown => {
    const written = String(text);
    if (!(type.name === 'Decimal' ? DECIMAL : INTEGER).test(written)) {
      throw new GraphQLError('no number');
    }
    // Other types keep every digit as text.
    return type.parseValue(type.name === 'Int' ? Number(written) : written);
  };

const INTEGER = /^[+-]?[0-9]{1,1000}$/;
const DECIMAL = /^[+-]?[0-9]{1,1000}(\.[0-9]{1,1000})?$/;

/** Maps each type to the types that hold each of its values exactly. */
const WIDER: ReadonlyMap<string, readonly string[]> = new Map([
  ['Int', ['Long', 'BigInt', 'Decimal', 'Float']],
  ['Long', ['BigInt', 'Decimal']],
  ['BigInt', ['Decimal']],
  ['ID', ['String', 'URI']],
  ['String', ['ID', 'URI']],
]);

/** Types whose values have one text. */
const TEXTUAL: ReadonlySet<string> = new Set([
  ...[
    'Int',
    'Long',
    'BigInt',
    'Decimal',
    'Boolean',
    'Date',
    'DateTime',
    'Time',
    'Duration',
    'URI',
    'Hex',
    'QName',
  ],
]);

/** The required parts of an argument that is filled by paths into it, which nothing fills. */
export function missingFeedParts(
  argument: GraphQLArgument,
  feeds: readonly FieldFeed[],
): readonly string[] {
  const missing: string[] = [];
  const stack: { readonly type: GraphQLInputType; readonly steps: readonly string[] }[] = [
    { type: argument.type, steps: [argument.name] },
  ];
  for (let part = stack.pop(); part !== undefined; part = stack.pop()) {
    const { steps } = part;
    const inside = feeds.filter((feed) => steps.every((step, at) => feed.argument[at] === step));
    if (inside.length === 0) {
      missing.push(steps.join('.'));
      continue;
    }
    const type = getNullableType(part.type);
    if (inside.some((feed) => feed.argument.length === steps.length) || !isInputObjectType(type)) {
      continue;
    }
    for (const field of Object.values(type.getFields())) {
      const isFilled = inside.some((feed) => feed.argument[steps.length] === field.name);
      if (isFilled || isRequiredInputField(field)) {
        stack.push({ type: field.type, steps: [...steps, field.name] });
      }
    }
  }
  return missing;
}
