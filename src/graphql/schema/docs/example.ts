import {
  type DocumentNode,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredArgument,
  isScalarType,
  parse,
  validate,
} from 'graphql';
import type { exampleValues } from '../../../codec/index.js';
import { printExampleArguments } from '../docs/example-arguments.js';
import { ruleOf } from '../rights/field-rule.js';

/**
 * A query to begin with: the first field that every caller may read, with values made up for its
 * required arguments, or for the first few where none is required, and the first few fields of its
 * result. It fits the schema, and `works` for it. `knownOf` has arguments that are valid by more
 * than their types, for fields that made-up values do not work for.
 */
export function exampleQuery(
  schema: GraphQLSchema,
  works: ExampleCheck = () => true,
  knownOf: (field: string) => exampleValues.ExampleObject | null = () => null,
): string {
  const fields = Object.values(schema.getQueryType()?.getFields() ?? {}).filter(
    (field) => !isRestricted(field),
  );
  for (const field of fields.slice(0, LOOKED_AT_MAX)) {
    for (const optionalMax of [...OPTIONAL, null]) {
      const call = printCall(field, optionalMax, knownOf);
      if (call === null) continue;
      const query = `{\n  ${call}${printSelection(field.type, '  ', LEVELS)}\n}\n`;
      const document = parse(query);
      if (validate(schema, document).length === 0 && works(field, document)) {
        return INTRODUCTION + query;
      }
    }
  }
  return `${INTRODUCTION}{\n  __typename\n}\n`;
}

/** Whether the call of a field can be written, with the values that the document has. */
export type ExampleCheck = (
  field: GraphQLField<unknown, unknown>,
  document: DocumentNode,
) => boolean;

/** Fields that are tried: nearly always the first one works. */
const LOOKED_AT_MAX = 50;

/**
 * Optional arguments that are tried, where none is required: some may not be given together. Then
 * arguments that are known.
 */
const OPTIONAL = [5, 1, 0] as const;

const isRestricted = (field: GraphQLField<unknown, unknown>): boolean =>
  ruleOf(field)?.requires != null;

/**
 * Documents that call one field, the one to be preferred first: with values made up for its
 * required arguments, or for the first few where none is required; then with `known`, which are
 * valid by more than their types. Without such values there is the second one alone.
 */
export function exampleCalls(
  field: GraphQLField<unknown, unknown>,
  operation: 'query' | 'mutation',
  known: exampleValues.ExampleObject,
): readonly string[] {
  const { name, type, args } = field;
  const selection = printSelection(type, '  ', LEVELS);
  const madeUp = new ExampleValues(CALL_VALUES_MAX, FIELDS).members(args, CALL_LEVELS);
  const calls = [
    ...(madeUp === null ? [] : [madeUp === '' ? name : `${name}(${madeUp})`]),
    name + printExampleArguments(field, known),
  ];
  return calls.map((call) => `${operation} {\n  ${call}${selection}\n}\n`);
}

const INTRODUCTION = `# The book on the left: all there is.
# Ctrl+Space completes, Ctrl+Enter runs.

`;

/**
 * How deep the example goes, and how many fields it shows of a type: it is to be read at a glance.
 */
const LEVELS = 2;
const FIELDS = 5;

/** Bounds that the values of a call have: levels of objects, and their number. */
const CALL_LEVELS = 8;
const CALL_VALUES_MAX = 200;

function printCall(
  field: GraphQLField<unknown, unknown>,
  optionalMax: number | null,
  knownOf: (field: string) => exampleValues.ExampleObject | null,
): string | null {
  const { name, args } = field;
  if (optionalMax === null) {
    const known = knownOf(name);
    return known === null ? null : name + printExampleArguments(field, known);
  }
  const values = new ExampleValues(CALL_VALUES_MAX, optionalMax).members(args, LEVELS);
  return values === '' ? name : values === null ? null : `${name}(${values})`;
}

/** Makes up values for arguments and members of input objects. */
class ExampleValues {
  #left: number;
  readonly #optionalMax: number;
  /** Types around the value that is made up: a type is optional within itself. */
  readonly #around = new Set<GraphQLInputType>();

  constructor(valuesMax: number, optionalMax: number) {
    this.#left = valuesMax;
    this.#optionalMax = optionalMax;
  }

  /**
   * `name: value, ...` of the required ones, else of the first few that have a value; null where a
   * required one has none.
   */
  members(inputs: readonly (GraphQLArgument | GraphQLInputField)[], levels: number): string | null {
    const required = inputs.filter(
      ({ type, defaultValue }) => isNonNullType(type) && defaultValue === undefined,
    );
    const written = required.map((each) => this.#member(each, levels));
    if (written.includes(null)) return null;
    if (required.length > 0 || this.#optionalMax === 0) return written.join(', ');
    const optional: string[] = [];
    for (const each of inputs) {
      if (optional.length === this.#optionalMax) break;
      const value = this.#member(each, levels - 1);
      if (value !== null) {
        optional.push(value);
      }
    }
    return optional.join(', ');
  }

  #member({ name, type }: GraphQLArgument | GraphQLInputField, levels: number): string | null {
    const value = this.#value(type, levels);
    return value === null ? null : `${name}: ${value}`;
  }

  #value(type: GraphQLInputType, levels: number): string | null {
    if (isNonNullType(type)) return this.#value(type.ofType, levels);
    if (isListType(type)) {
      const item = this.#value(type.ofType, levels);
      return item === null ? null : `[${item}]`;
    }
    if (this.#left-- <= 0) return null;
    if (isEnumType(type)) return type.getValues()[0]?.name ?? null;
    if (isScalarType(type)) return VALUES.get(type.name) ?? null;
    if (!isInputObjectType(type) || levels <= 0 || this.#around.has(type)) return null;
    this.#around.add(type);
    const object = this.#object(type, levels);
    this.#around.delete(type);
    return object;
  }

  #object(type: GraphQLInputObjectType, levels: number): string | null {
    const fields = Object.values(type.getFields());
    if (type.isOneOf) {
      for (const field of fields) {
        const member = this.#member(field, levels - 1);
        if (member !== null) return `{ ${member} }`;
      }
      return null;
    }
    const members = this.members(fields, levels - 1);
    return members === '' ? '{}' : members === null ? null : `{ ${members} }`;
  }
}

const VALUES: ReadonlyMap<string, string> = new Map([
  ['Int', '7'],
  ['Float', '7'],
  ['ID', '"7"'],
  ['String', '"A"'],
  ['Boolean', 'true'],
  ['Long', '"7"'],
  ['BigInt', '"7"'],
  ['Decimal', '"7.00"'],
  ['Date', '"2026-01-31"'],
  ['DateTime', '"2026-01-31T12:00:00Z"'],
  ['Time', '"12:00:00"'],
  ['Duration', '"P1D"'],
  ['Base64', '"QQ=="'],
  ['Hex', '"41"'],
  ['URI', '"urn:example"'],
  ['QName', '"{urn:example}name"'],
  ['XML', '"<a/>"'],
]);

/** The texts among them. */
export const EXAMPLE_TEXTS: ReadonlySet<string> = new Set(
  [...VALUES.values()].flatMap((text) => (text.startsWith('"') ? text.slice(1, -1) : [])),
);

/** '' of a leaf. */
function printSelection(type: GraphQLOutputType, indent: string, levels: number): string {
  const named = getNamedType(type);
  if (isLeafType(named)) return '';
  const inner = `${indent}  `;
  const fields =
    isObjectType(named) || isInterfaceType(named) ? fieldsOf(named, inner, levels) : [];
  const lines = fields.length === 0 ? ['__typename'] : fields;
  return ` {\n${lines.map((line) => `${inner}${line}\n`).join('')}${indent}}`;
}

function fieldsOf(
  type: Pick<GraphQLObjectType, 'getFields'>,
  indent: string,
  levels: number,
): readonly string[] {
  const lines: string[] = [];
  for (const field of Object.values(type.getFields())) {
    const { name, args, type: output } = field;
    if (lines.length === FIELDS) break;
    if (
      isRestricted(field) ||
      args.some(isRequiredArgument) ||
      (levels === 1 && !isLeafType(getNamedType(output)))
    ) {
      continue;
    }
    lines.push(`${name}${printSelection(output, indent, levels - 1)}`);
  }
  return lines;
}
