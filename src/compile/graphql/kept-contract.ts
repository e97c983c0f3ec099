import {
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLSchema,
  type GraphQLType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
  isUnionType,
} from 'graphql';
import type { Steps } from '../../core/index.js';
import type { ConfiguredService } from '../soap/service.js';
import type { Graph } from './graph.js';

/** A generation as its callers see it. */
export interface Contract {
  readonly services: readonly ConfiguredService[];
  readonly graph: Graph;
}

/**
 * The parts of `before` that callers would miss in `after`: operations, types, fields, arguments,
 * values. A WSDL with safe changes may still take a name that another operation or type had in the
 * one schema over all services.
 */
export function* missingParts(before: Contract, after: Contract): Steps<readonly string[]> {
  const missing = yield* missingOperations(before.services, after.services);
  for (const [key, { service, operation }] of before.graph.fields) {
    const found = after.graph.fields.get(key);
    if (found?.service !== service || found.operation.name !== operation.name) {
      missing.push(key);
    }
    yield;
  }
  const { schema } = after.graph;
  for (const type of typesOf(before.graph.schema)) {
    const found = schema.getType(type.name);
    if (found === undefined) {
      missing.push(type.name);
    } else {
      missing.push(
        ...missingIn(type, found).map((part) => `${type.name}${part === '' ? '' : `.${part}`}`),
      );
    }
    yield;
  }
  return [...new Set(missing)];
}

function* missingOperations(
  before: Contract['services'],
  after: Contract['services'],
): Steps<string[]> {
  const missing: string[] = [];
  for (const { name, operations } of before) {
    const names = new Set(
      after.find((service) => service.name === name)?.operations.map((each) => each.name),
    );
    for (const operation of operations) {
      if (!names.has(operation.name)) {
        missing.push(`${name}.${operation.name}`);
      }
    }
    yield;
  }
  return missing;
}

const typesOf = (schema: GraphQLSchema): readonly GraphQLNamedType[] =>
  Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith('__'));

/** '' stands for the type itself. */
function missingIn(before: GraphQLNamedType, after: GraphQLNamedType): readonly string[] {
  if (
    (isObjectType(before) && isObjectType(after)) ||
    (isInterfaceType(before) && isInterfaceType(after))
  ) {
    const fields = after.getFields();
    return Object.values(before.getFields()).flatMap(({ name, type, args }) => {
      const found = fields[name];
      if (found === undefined || !isWithin(found.type, type)) return [name];
      return lostInputs(args, found.args, isRequiredArgument).length === 0 ? [] : [name];
    });
  }
  if (isInputObjectType(before) && isInputObjectType(after)) {
    const [were, are] = [before.getFields(), after.getFields()];
    return lostInputs(Object.values(were), Object.values(are), isRequiredInputField);
  }
  if (isEnumType(before) && isEnumType(after)) {
    return before
      .getValues()
      .flatMap(({ name }) => (after.getValue(name) === undefined ? [name] : []));
  }
  if (isUnionType(before) && isUnionType(after)) {
    const members = new Set(after.getTypes().map(({ name }) => name));
    return before.getTypes().flatMap(({ name }) => (members.has(name) ? [] : [name]));
  }
  return before.constructor === after.constructor ? [] : [''];
}

interface Input {
  readonly name: string;
  readonly type: GraphQLInputType;
}

/** The names of those that are gone or narrower, and of new ones that callers must give. */
function lostInputs<T extends Input>(
  before: readonly T[],
  after: readonly T[],
  isRequired: (input: T) => boolean,
): readonly string[] {
  const were = new Set(before.map(({ name }) => name));
  const are = new Map(after.map((input) => [input.name, input]));
  const narrower = before.filter(({ name, type }) => {
    const found = are.get(name);
    return found === undefined || !isWithin(type, found.type);
  });
  const required = after.filter((input) => !were.has(input.name) && isRequired(input));
  return [...narrower, ...required].map(({ name }) => name);
}

/** Whether the types have one name, and `wide` permits null wherever `narrow` does. */
function isWithin(narrow: GraphQLType, wide: GraphQLType): boolean {
  for (let [one, other] = [narrow, wide]; ; ) {
    if (isNonNullType(other) && !isNonNullType(one)) return false;
    const [inner, outer] = [
      isNonNullType(one) ? one.ofType : one,
      isNonNullType(other) ? other.ofType : other,
    ];
    if (!isListType(inner) || !isListType(outer)) {
      return !isListType(inner) && !isListType(outer) && inner.name === outer.name;
    }
    [one, other] = [inner.ofType, outer.ofType];
  }
}
