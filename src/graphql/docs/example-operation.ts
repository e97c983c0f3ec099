import {
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
} from 'graphql';
import { type ExampleMember, type ExampleObject, SCALAR_EXAMPLES } from '../../codec/index.js';

/** Levels of objects in an example, and fields of each. */
const LEVELS_MAX = 3;
const FIELDS_MAX = 12;
const LEVELS_OF_INPUT_MAX = 20;

/** An example of one field of the root: the document, and an answer of its shape. */
export interface ExampleOperation {
  readonly document: string;
  readonly answer: string;
}

/** Makes examples: what is required of arguments, and what a reader would select first. */
export class ExampleOperations {
  readonly #schema: GraphQLSchema;

  constructor(schema: GraphQLSchema) {
    this.#schema = schema;
  }

  /** `known` are arguments that are valid by more than their GraphQL types. */
  of(
    root: 'Query' | 'Mutation',
    field: GraphQLField<unknown, unknown>,
    known: ExampleObject = {},
  ): ExampleOperation {
    const args = field.args
      .filter((argument) => isRequiredArgument(argument) || Object.hasOwn(known, argument.name))
      .map(({ name, type }) => `${name}: ${printInput(type, known[name], 0)}`);
    const { text, value } = this.#selected(field.type, 0);
    const call = `${field.name}${args.length === 0 ? '' : `(${args.join(', ')})`}${text}`;
    const document = `${root === 'Query' ? 'query' : 'mutation'} {\n  ${call.replaceAll('\n', '\n  ')}\n}`;
    return { document, answer: JSON.stringify({ data: { [field.name]: value } }, null, 2) };
  }

  #selected(
    type: GraphQLOutputType,
    level: number,
  ): { readonly text: string; readonly value: unknown } {
    if (isNonNullType(type)) return this.#selected(type.ofType, level);
    if (isListType(type)) {
      const { text, value } = this.#selected(type.ofType, level);
      return { text, value: [value] };
    }
    if (isLeafType(type)) return { text: '', value: leafOf(type) };
    return this.#selection(type, level);
  }

  #selection(
    type: GraphQLNamedType,
    level: number,
  ): { readonly text: string; readonly value: unknown } {
    const value: Record<string, unknown> = Object.create(null);
    const lines: string[] = [];
    if (isAbstractType(type)) {
      const [first] = this.#schema.getPossibleTypes(type);
      value['__typename'] = first?.name ?? type.name;
      lines.push('__typename');
      if (first !== undefined && level < LEVELS_MAX) {
        const part = this.#selection(first, level);
        lines.push(`... on ${first.name}${part.text}`);
        Object.assign(value, part.value);
      }
      return { text: braced(lines), value };
    }
    for (const field of this.#shown(type, level)) {
      const { text, value: found } = this.#selected(field.type, level + 1);
      lines.push(field.name + text);
      value[field.name] = found;
    }
    if (lines.length === 0) {
      lines.push('__typename');
      value['__typename'] = type.name;
    }
    return { text: braced(lines), value };
  }

  /** Fields that need nothing, leaves before objects; at the last level leaves alone. */
  #shown(type: GraphQLNamedType, level: number): readonly GraphQLField<unknown, unknown>[] {
    if (!isObjectType(type)) return [];
    const fields = Object.values(type.getFields()).filter(
      ({ args }) => !args.some(isRequiredArgument),
    );
    const isLeaf = (field: GraphQLField<unknown, unknown>): boolean =>
      isLeafType(getNamedType(field.type));
    const leaves = fields.filter(isLeaf);
    const others = level + 1 < LEVELS_MAX ? fields.filter((field) => !isLeaf(field)) : [];
    return [...leaves, ...others].slice(0, FIELDS_MAX);
  }
}

const braced = (lines: readonly string[]): string =>
  ` {\n  ${lines.join('\n').replaceAll('\n', '\n  ')}\n}`;

const leafOf = (type: GraphQLNamedType): unknown =>
  isEnumType(type)
    ? (type.getValues()[0]?.name ?? null)
    : (SCALAR_EXAMPLES.get(type.name) ?? 'text');

/**
 * The value, or one of the input type with what is required of it; recursion ends where something
 * is optional.
 */
function printInput(type: GraphQLInputType, value: ExampleMember, level: number): string {
  if (isNonNullType(type)) return printInput(type.ofType, value, level);
  if (isListType(type)) {
    const items = Array.isArray(value) ? (value as readonly ExampleMember[]) : [value];
    return `[${items.map((item) => printInput(type.ofType, item, level)).join(', ')}]`;
  }
  if (isEnumType(type)) {
    return (
      (type.getValues().find((each) => each.value === value) ?? type.getValues()[0])?.name ?? 'null'
    );
  }
  if (!isInputObjectType(type)) {
    return printLiteral(value ?? SCALAR_EXAMPLES.get(type.name) ?? 'text');
  }
  const fields = Object.values(type.getFields());
  const known = isMembers(value) ? value : null;
  // One of several: the first stands for all.
  const isChosen = (field: GraphQLInputField, at: number): boolean =>
    known === null && type.isOneOf
      ? at === 0
      : isRequiredInputField(field) || Object.hasOwn(known ?? {}, field.name);
  if (level > LEVELS_OF_INPUT_MAX) return '{}';
  const members = fields
    .filter(isChosen)
    .map(({ name, type: of }) => `${name}: ${printInput(of, known?.[name], level + 1)}`);
  return `{${members.join(', ')}}`;
}

/** A value of JSON as GraphQL writes it: members have names, not strings. */
function printLiteral(value: ExampleMember): string {
  if (Array.isArray(value)) return `[${value.map(printLiteral).join(', ')}]`;
  if (!isMembers(value)) return JSON.stringify(value);
  const members = Object.entries(value).filter(([key]) => /^[A-Za-z_]\w*$/.test(key));
  return `{${members.map(([key, each]) => `${key}: ${printLiteral(each)}`).join(', ')}}`;
}

const isMembers = (value: ExampleMember): value is ExampleObject =>
  typeof value === 'object' && !Array.isArray(value);
