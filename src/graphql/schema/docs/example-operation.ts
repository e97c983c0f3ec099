import {
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isEnumType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredArgument,
} from 'graphql';
import { exampleValues } from '../../../codec/index.js';
import { printExampleArguments } from './example-arguments.js';

/** Levels of objects in an example, and fields of each. */
const LEVELS_MAX = 3;
const FIELDS_MAX = 12;

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
    known: exampleValues.ExampleObject = {},
  ): ExampleOperation {
    const { text, value } = this.#selected(field.type, 0);
    const call = `${field.name}${printExampleArguments(field, known)}${text}`;
    const document =
      `${root === 'Query' ? 'query' : 'mutation'} {\n  ` + `${call.replaceAll('\n', '\n  ')}\n}`;
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
    : (exampleValues.SCALAR_EXAMPLES.get(type.name) ?? 'text');
