import {
  type GraphQLEnumType,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isObjectType,
} from 'graphql';
import { getOrMake, isRecord } from '../../../core/index.js';
import { contractValue, contractValueOf } from '../../schema/types/contract-value.js';
import { ownerTypeOf } from './owner-type.js';

/**
 * Values of enumerations as the contract of the service has them: `+L1`, which GraphQL cannot name.
 * Endpoints other than GraphQL answer with them, and take the names of GraphQL as well.
 */

/** Replaces names of GraphQL in a value of this type; null where it can have none. */
export function toContract(
  type: GraphQLOutputType,
  schema: GraphQLSchema,
): ((value: unknown) => unknown) | null {
  if (!hasRenamed(getNamedType(type), schema)) return null;
  const replaced = (value: unknown, own: GraphQLOutputType | null): unknown => {
    if (own === null || value === null || value === undefined) return value;
    const declared = getNullableType(own);
    if (isListType(declared)) {
      return Array.isArray(value) ? value.map((item) => replaced(item, declared.ofType)) : value;
    }
    if (isEnumType(declared)) {
      return typeof value === 'string' ? contractValueOf(declared, value) : value;
    }
    if (!isRecord(value)) return value;
    const fields = ownerTypeOf(declared, value, schema)?.getFields();
    if (fields === undefined) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) => [key, replaced(each, fields[key]?.type ?? null)]),
    );
  };
  return (value) => replaced(value, type);
}

/** Replaces values of the contract by names of GraphQL in arguments. Others stay as they are. */
export function namedArguments(
  values: Readonly<Record<string, unknown>>,
  args: readonly { readonly name: string; readonly type: GraphQLInputType }[],
  schema: GraphQLSchema,
): Readonly<Record<string, unknown>> {
  const named = args.filter(
    ({ name, type }) => Object.hasOwn(values, name) && hasRenamed(getNamedType(type), schema),
  );
  if (named.length === 0) return values;
  const replaced = named.map(({ name, type }) => [name, toNames(values[name], type, schema)]);
  return { ...values, ...Object.fromEntries(replaced) };
}

function toNames(value: unknown, type: GraphQLInputType, schema: GraphQLSchema): unknown {
  if (value === null || !hasRenamed(getNamedType(type), schema)) return value;
  const declared = getNullableType(type);
  if (isListType(declared)) {
    // One value stands for a list of it.
    return Array.isArray(value)
      ? value.map((item) => toNames(item, declared.ofType, schema))
      : toNames(value, declared.ofType, schema);
  }
  if (isEnumType(declared)) return typeof value === 'string' ? nameOf(declared, value) : value;
  if (!isInputObjectType(declared) || !isRecord(value)) return value;
  const fields = declared.getFields();
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => {
      const field = Object.hasOwn(fields, key) ? fields[key] : undefined;
      return [key, field === undefined ? each : toNames(each, field.type, schema)];
    }),
  );
}

const nameOf = (type: GraphQLEnumType, value: string): string =>
  getOrMake(
    namesByValue,
    type,
    () => new Map(type.getValues().map((each) => [contractValue(each), each.name])),
  ).get(value) ?? value;

const namesByValue = new WeakMap<GraphQLEnumType, ReadonlyMap<string, string>>();

const renamed = new WeakMap<GraphQLNamedType, boolean>();

/**
 * Whether a value of a type can have a value of an enumeration that has another name in the
 * contract.
 */
const hasRenamed = (type: GraphQLNamedType, schema: GraphQLSchema): boolean =>
  getOrMake(renamed, type, () => {
    const seen = new Set([type]);
    for (const each of seen) {
      if (isEnumType(each)) {
        if (each.getValues().some((value) => contractValue(value) !== value.name)) return true;
      } else if (isAbstractType(each)) {
        for (const possible of schema.getPossibleTypes(each)) {
          seen.add(possible);
        }
      }
      if (isObjectType(each) || isInterfaceType(each)) {
        for (const { type: own } of Object.values(each.getFields())) {
          seen.add(getNamedType(own));
        }
      }
      if (isInputObjectType(each)) {
        for (const { type: own } of Object.values(each.getFields())) {
          seen.add(getNamedType(own));
        }
      }
    }
    return false;
  });
