import {
  type GraphQLEnumValue,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredArgument,
  isRequiredInputField,
} from 'graphql';
import { exampleValues } from '../../../codec/index.js';
import { isRecord } from '../../../core/index.js';
import { childrenOfBody } from '../../../wsdl/index.js';
import type { DescribedOperation } from '../../run/described/described-operation.js';
import type { BoundField } from '../fields/bound-field.js';
import { contractValue } from '../types/contract-value.js';

/** A value of JSON. */
type JsonValue = string | number | boolean | readonly JsonValue[] | JsonObject | null;
interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** How a value of an enumeration is written. */
type EnumText = (value: GraphQLEnumValue) => string;

/** Objects in one another. */
const LEVELS_MAX = 20;

/** Arguments of a field with which its request is valid by its schema. */
export const validArguments = ({
  operation,
  requestPlan,
  headersArgument,
}: BoundField): exampleValues.ExampleObject =>
  exampleValues.exampleInput(
    requestPlan,
    childrenOfBody(operation.input)[0] ?? null,
    headersArgument,
  );

/** Arguments of an operation as JSON, with the values of its contract. */
export const exampleOfOperation = ({ field, bound }: DescribedOperation): JsonObject =>
  exampleArguments(field, validArguments(bound), contractValue);

/**
 * Arguments of a field as JSON: those that it needs, and those that are known. `known` are valid by
 * more than their GraphQL types.
 */
function exampleArguments(
  { args }: Pick<GraphQLField<unknown, unknown>, 'args'>,
  known: exampleValues.ExampleObject,
  enumText: EnumText,
): JsonObject {
  const shown = args.filter(
    (argument) => isRequiredArgument(argument) || Object.hasOwn(known, argument.name),
  );
  return Object.fromEntries(
    shown.map(({ name, type }) => [name, jsonOf(type, known[name], enumText, 0)]),
  );
}

/**
 * The value, or one of the input type with what is required of it; recursion ends where something
 * is optional.
 */
function jsonOf(
  type: GraphQLInputType,
  value: exampleValues.ExampleMember,
  enumText: EnumText,
  level: number,
): JsonValue {
  if (isNonNullType(type)) return jsonOf(type.ofType, value, enumText, level);
  if (isListType(type)) {
    const items = isItems(value) ? value : [value];
    return items.map((item) => jsonOf(type.ofType, item, enumText, level));
  }
  if (isEnumType(type)) {
    const values = type.getValues();
    const found = values.find((each) => each.value === value) ?? values[0];
    return found === undefined ? null : enumText(found);
  }
  if (isInputObjectType(type)) return membersOf(type, value, enumText, level);
  return plainJson(value ?? exampleValues.SCALAR_EXAMPLES.get(type.name) ?? 'text');
}

function membersOf(
  type: GraphQLInputObjectType,
  value: exampleValues.ExampleMember,
  enumText: EnumText,
  level: number,
): JsonObject {
  if (level > LEVELS_MAX) return {};
  const known = isMembers(value) ? value : null;
  // One of several: the first stands for all.
  const isShown = (field: GraphQLInputField, at: number): boolean =>
    known === null && type.isOneOf
      ? at === 0
      : isRequiredInputField(field) || Object.hasOwn(known ?? {}, field.name);
  return Object.fromEntries(
    Object.values(type.getFields())
      .filter(isShown)
      .map((field) => [field.name, jsonOf(field.type, known?.[field.name], enumText, level + 1)]),
  );
}

/** A value of a scalar that takes any JSON. */
function plainJson(value: exampleValues.ExampleMember): JsonValue {
  if (value === undefined) return null;
  if (isItems(value)) return value.map(plainJson);
  if (!isMembers(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plainJson(each)]));
}

const isItems = (
  value: exampleValues.ExampleMember,
): value is readonly exampleValues.ExampleMember[] => Array.isArray(value);

const isMembers = (value: exampleValues.ExampleMember): value is exampleValues.ExampleObject =>
  typeof value === 'object' && !isItems(value);

/** Arguments of a field as GraphQL writes them: `(id: 1)`; '' for none. */
export function printExampleArguments(
  field: GraphQLField<unknown, unknown>,
  known: exampleValues.ExampleObject,
): string {
  const values = exampleArguments(field, known, ({ name }) => name);
  const written = field.args
    .filter(({ name }) => Object.hasOwn(values, name))
    .map(({ name, type }) => `${name}: ${printExample(type, values[name])}`);
  return written.length === 0 ? '' : `(${written.join(', ')})`;
}

/** Writes a value of JSON as a literal of GraphQL. */
function printExample(type: GraphQLInputType, value: unknown): string {
  if (isNonNullType(type)) return printExample(type.ofType, value);
  if (isListType(type) && Array.isArray(value)) {
    return `[${value.map((item) => printExample(type.ofType, item)).join(', ')}]`;
  }
  if (isEnumType(type) && typeof value === 'string') return value;
  if (!isInputObjectType(type) || !isRecord(value)) return printLiteral(value);
  const fields = type.getFields();
  const members = Object.entries(value).map(([name, each]) => {
    const field = fields[name];
    return `${name}: ${field === undefined ? printLiteral(each) : printExample(field.type, each)}`;
  });
  return `{${members.join(', ')}}`;
}

/** Members of a literal have names of GraphQL; others are left out. */
function printLiteral(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(printLiteral).join(', ')}]`;
  if (!isRecord(value)) return JSON.stringify(value);
  const members = Object.entries(value).filter(([key]) => /^[A-Za-z_]\w*$/.test(key));
  return `{${members.map(([key, each]) => `${key}: ${printLiteral(each)}`).join(', ')}}`;
}
