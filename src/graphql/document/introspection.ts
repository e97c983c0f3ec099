import {
  type FragmentDefinitionNode,
  GraphQLDirective,
  GraphQLSchema,
  getIntrospectionQuery,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  isType,
  isUnionType,
  Kind,
  type OperationDefinitionNode,
  parse,
  type SelectionSetNode,
} from 'graphql';
import type { Fragments } from './plan.js';

/**
 * How many fields the introspection of an operation would have answered, at most `most` and one. Lists within lists
 * grow with the schema to their power, so what a few words ask for can take minutes; here each selection is counted
 * once for each part of the schema it is asked of, and no further than `most`. Nothing is left out by @skip.
 */
export function introspectedFields(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  fragments: Fragments,
  most: number,
): number {
  const counter = new Counter(schema, fragments, most);
  return counter.root(operation.selectionSet);
}

/** How many fields the query has answered that asks for everything: what tools send. */
export function wholeSchemaFields(schema: GraphQLSchema): number {
  const known = WHOLE.get(schema);
  if (known !== undefined) return known;
  const document = parse(WHOLE_QUERY);
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const each of document.definitions) {
    if (each.kind === Kind.FRAGMENT_DEFINITION) fragments.set(each.name.value, each);
  }
  const operation = document.definitions.find((each) => each.kind === Kind.OPERATION_DEFINITION);
  const count = operation === undefined ? 0 : introspectedFields(schema, operation, fragments, Number.MAX_SAFE_INTEGER);
  WHOLE.set(schema, count);
  return count;
}

const WHOLE = new WeakMap<GraphQLSchema, number>();

const WHOLE_QUERY = getIntrospectionQuery({
  specifiedByUrl: true,
  directiveIsRepeatable: true,
  schemaDescription: true,
  inputValueDeprecation: true,
  oneOf: true,
});

/** Recursion is as deep as the selection, which is limited. */
class Counter {
  readonly #schema: GraphQLSchema;
  readonly #fragments: Fragments;
  readonly #most: number;
  readonly #counts = new Map<SelectionSetNode, Map<unknown, number>>();

  constructor(schema: GraphQLSchema, fragments: Fragments, most: number) {
    this.#schema = schema;
    this.#fragments = fragments;
    this.#most = most;
  }

  root(set: SelectionSetNode): number {
    let sum = 0;
    for (const selection of set.selections) {
      if (selection.kind !== Kind.FIELD) {
        const inner = selection.kind === Kind.INLINE_FRAGMENT ? selection : this.#fragments.get(selection.name.value);
        if (inner !== undefined) sum += this.root(inner.selectionSet);
      } else if (selection.selectionSet !== undefined) {
        const name = selection.name.value;
        if (name === '__schema') sum += this.#of(selection.selectionSet, this.#schema);
        else if (name === '__type') sum += this.#largestType(selection.selectionSet);
      }
      if (sum > this.#most) return this.#most + 1;
    }
    return sum;
  }

  /** The name may come from a variable. */
  #largestType(set: SelectionSetNode): number {
    let largest = 0;
    for (const type of Object.values(this.#schema.getTypeMap())) largest = Math.max(largest, this.#of(set, type));
    return largest;
  }

  #of(set: SelectionSetNode, part: unknown): number {
    const counts = this.#counts.get(set) ?? new Map<unknown, number>();
    this.#counts.set(set, counts);
    const known = counts.get(part);
    if (known !== undefined) return known;
    const count = this.#count(set, part);
    counts.set(part, count);
    return count;
  }

  #count(set: SelectionSetNode, part: unknown): number {
    let sum = 0;
    for (const selection of set.selections) {
      if (selection.kind !== Kind.FIELD) {
        const inner = selection.kind === Kind.INLINE_FRAGMENT ? selection : this.#fragments.get(selection.name.value);
        if (inner !== undefined) sum += this.#of(inner.selectionSet, part);
      } else {
        sum++;
        if (selection.selectionSet === undefined) continue;
        for (const each of partsOf(part, selection.name.value, this.#schema)) {
          sum += this.#of(selection.selectionSet, each);
          if (sum > this.#most) return this.#most + 1;
        }
      }
      if (sum > this.#most) return this.#most + 1;
    }
    return sum;
  }
}

const NOTHING: readonly unknown[] = [];

/** What a field of the introspection types leads to, deprecated or not. */
function partsOf(part: unknown, field: string, schema: GraphQLSchema): readonly unknown[] {
  if (part instanceof GraphQLSchema) return partsOfSchema(part, field);
  if (part instanceof GraphQLDirective) return field === 'args' ? part.args : NOTHING;
  if (isType(part)) {
    if (field === 'ofType') return isListType(part) || isNonNullType(part) ? [part.ofType] : NOTHING;
    if (field === 'fields' && (isObjectType(part) || isInterfaceType(part))) return Object.values(part.getFields());
    if (field === 'inputFields' && isInputObjectType(part)) return Object.values(part.getFields());
    if (field === 'interfaces' && (isObjectType(part) || isInterfaceType(part))) return part.getInterfaces();
    if (field === 'possibleTypes' && (isInterfaceType(part) || isUnionType(part))) return schema.getPossibleTypes(part);
    if (field === 'enumValues' && isEnumType(part)) return part.getValues();
    return NOTHING;
  }
  // A field, an argument or an input field.
  if (typeof part !== 'object' || part === null) return NOTHING;
  if (field === 'type' && 'type' in part) return [part.type];
  if (field === 'args' && 'args' in part && Array.isArray(part.args)) return part.args;
  return NOTHING;
}

function partsOfSchema(schema: GraphQLSchema, field: string): readonly unknown[] {
  switch (field) {
    case 'types':
      return Object.values(schema.getTypeMap());
    case 'directives':
      return schema.getDirectives();
    case 'queryType':
      return [schema.getQueryType()];
    case 'mutationType':
      return [schema.getMutationType()];
    case 'subscriptionType':
      return [schema.getSubscriptionType()];
    default:
      return NOTHING;
  }
}
