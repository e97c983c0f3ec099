import {
  GraphQLDirective,
  GraphQLEnumType,
  GraphQLInputObjectType,
  GraphQLInterfaceType,
  GraphQLList,
  type GraphQLNamedType,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLScalarType,
  GraphQLSchema,
  GraphQLUnionType,
  getIntrospectionQuery,
  Kind,
  type OperationDefinitionNode,
  parse,
  type SelectionSetNode,
} from 'graphql';
import { AT_ONCE, collections, getOrMake, type Steps, TimeSlices } from '../../core/index.js';
import type { Fragments } from '../schema/output/reply-plan.js';
import { fragmentsOf } from './document-cache.js';

/**
 * Counts the fields that the introspection of an operation would answer, up to `most` and one.
 * Nested lists grow with a power of the schema's size, so a short query can take minutes; here each
 * selection is counted once for each part of the schema, and no further than `most`. @skip
 * and @include are ignored.
 */
export function* countIntrospected(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  fragments: Fragments,
  most: number,
): Steps<number> {
  const counter = new Counter(schema, fragments, most);
  yield* counter.countTypes(operation.selectionSet, INTROSPECTION);
  return counter.root(operation.selectionSet);
}

/** Whether an operation asks for introspection. */
export const asksIntrospection = (
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  fragments: Fragments,
): boolean => new Counter(schema, fragments, 0).root(operation.selectionSet) > 0;

/** Fields for one point: about as much text as a backend's reply that costs one. */
const FIELDS_OF_POINT = 1000;

/**
 * The cost of introspection, at most what one operation may cost, so that tools get the whole
 * schema.
 */
export const introspectionPoints = (fields: number, limit: number): number =>
  Math.min(Math.ceil(fields / FIELDS_OF_POINT), limit);

const wholeCounts = new WeakMap<GraphQLSchema, number>();

/** The number of fields that the introspection query of tools answers. */
export const wholeSchemaFields = (schema: GraphQLSchema): number =>
  getOrMake(wholeCounts, schema, () => AT_ONCE.finish(countWhole(schema)));

/**
 * Counts the fields of `wholeSchemaFields` in time slices: of thousands of types that takes 100 ms.
 */
export const prepareWholeCount = collections.makeOncePer(
  async (schema: GraphQLSchema): Promise<void> => {
    if (!wholeCounts.has(schema)) {
      wholeCounts.set(schema, await new TimeSlices().run(countWhole(schema)));
    }
  },
);

function* countWhole(schema: GraphQLSchema): Steps<number> {
  const document = parse(WHOLE_QUERY);
  const operation = document.definitions.find((each) => each.kind === Kind.OPERATION_DEFINITION);
  if (operation === undefined) return 0;
  const counter = new Counter(schema, fragmentsOf(document), Number.MAX_SAFE_INTEGER);
  yield* counter.countTypes(operation.selectionSet, INTROSPECTION);
  return counter.root(operation.selectionSet);
}

const WHOLE_QUERY = getIntrospectionQuery({
  specifiedByUrl: true,
  directiveIsRepeatable: true,
  schemaDescription: true,
  inputValueDeprecation: true,
  oneOf: true,
});

const INTROSPECTION: ReadonlySet<string> = new Set(['__schema', '__type']);

/** The fields whose values are types, of which there may be as many as the schema has. */
const OF_ALL_TYPES: ReadonlySet<string> = new Set([
  'types',
  'type',
  '__type',
  'possibleTypes',
  'ofType',
]);

/** Recursion is as deep as the selection, which is limited. */
class Counter {
  readonly #schema: GraphQLSchema;
  readonly #fragments: Fragments;
  readonly #most: number;
  readonly #shapes = new Map<SelectionSetNode, Shape>();
  readonly #walked = new Set<SelectionSetNode>();

  constructor(schema: GraphQLSchema, fragments: Fragments, most: number) {
    this.#schema = schema;
    this.#fragments = fragments;
    this.#most = most;
  }

  root(set: SelectionSetNode): number {
    let sum = 0;
    for (const selection of set.selections) {
      if (selection.kind !== Kind.FIELD) {
        const inner =
          selection.kind === Kind.INLINE_FRAGMENT
            ? selection
            : this.#fragments.get(selection.name.value);
        if (inner !== undefined) {
          sum += this.root(inner.selectionSet);
        }
      } else if (selection.selectionSet !== undefined) {
        const name = selection.name.value;
        if (name === '__schema') {
          sum += this.#of(selection.selectionSet, this.#schema);
        } else if (name === '__type') {
          sum += this.#largestType(selection.selectionSet);
        }
      }
      if (sum > this.#most) return this.#most + 1;
    }
    return sum;
  }

  /**
   * Counts each type below introspection, the innermost selections first, so that `root` has only
   * sums to make.
   */
  *countTypes(outer: SelectionSetNode, fields: ReadonlySet<string> | null = null): Steps<void> {
    for (const { name, set } of this.#shapeOf(outer).inner) {
      if (fields?.has(name) === false || this.#walked.has(set)) continue;
      this.#walked.add(set);
      yield* this.countTypes(set);
      if (!OF_ALL_TYPES.has(name)) continue;
      for (const type of Object.values(this.#schema.getTypeMap())) {
        this.#of(set, type);
        yield;
      }
    }
  }

  /** The name may come from a variable. */
  #largestType(set: SelectionSetNode): number {
    let largest = 0;
    for (const type of Object.values(this.#schema.getTypeMap())) {
      largest = Math.max(largest, this.#of(set, type));
    }
    return largest;
  }

  #of(set: SelectionSetNode, part: unknown): number {
    const shape = this.#shapeOf(set);
    if (shape.inner.length === 0) return shape.fields;
    // Only types occur more than once.
    if (!isNamed(part)) return this.#count(shape, part);
    const known = shape.counts.get(part) ?? this.#count(shape, part);
    shape.counts.set(part, known);
    return known;
  }

  #count({ fields, inner }: Shape, part: unknown): number {
    let sum = fields;
    for (const { name, set } of inner) {
      for (const each of partsOf(part, name, this.#schema)) {
        sum += this.#of(set, each);
        if (sum > this.#most) return this.#most + 1;
      }
    }
    return sum;
  }

  /** Writes out the fragments of a selection set, whose size with them is limited. */
  #shapeOf(set: SelectionSetNode): Shape {
    const known = this.#shapes.get(set);
    if (known !== undefined) return known;
    const shape: Shape = { fields: 0, inner: [], counts: new Map() };
    const stack = [set];
    for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
      for (const selection of next.selections) {
        if (selection.kind === Kind.FIELD) {
          shape.fields++;
          if (selection.selectionSet !== undefined) {
            shape.inner.push({ name: selection.name.value, set: selection.selectionSet });
          }
          continue;
        }
        const fragment =
          selection.kind === Kind.INLINE_FRAGMENT
            ? selection
            : this.#fragments.get(selection.name.value);
        if (fragment !== undefined) {
          stack.push(fragment.selectionSet);
        }
      }
    }
    this.#shapes.set(set, shape);
    return shape;
  }
}

/** The fields of a selection set, fragments written out. */
interface Shape {
  fields: number;
  readonly inner: { readonly name: string; readonly set: SelectionSetNode }[];
  /** The number of fields that the selection set gives for each type. */
  readonly counts: Map<GraphQLNamedType, number>;
}

const isNamed = (part: unknown): part is GraphQLNamedType =>
  part instanceof GraphQLObjectType ||
  part instanceof GraphQLScalarType ||
  part instanceof GraphQLEnumType ||
  part instanceof GraphQLInputObjectType ||
  part instanceof GraphQLInterfaceType ||
  part instanceof GraphQLUnionType;

const NOTHING: readonly unknown[] = [];

/** The parts of the schema below a field of an introspection type, deprecated or not. */
function partsOf(part: unknown, field: string, schema: GraphQLSchema): readonly unknown[] {
  if (part instanceof GraphQLSchema) return partsOfSchema(part, field);
  if (part instanceof GraphQLDirective) return field === 'args' ? part.args : NOTHING;
  // Classes are tested: the predicates of graphql-js take ten times as long for other values.
  if (part instanceof GraphQLNonNull || part instanceof GraphQLList) {
    return field === 'ofType' ? [part.ofType] : NOTHING;
  }
  if (part instanceof GraphQLObjectType || part instanceof GraphQLInterfaceType) {
    if (field === 'fields') return Object.values(part.getFields());
    if (field === 'interfaces') return part.getInterfaces();
    if (field === 'possibleTypes' && part instanceof GraphQLInterfaceType) {
      return schema.getPossibleTypes(part);
    }
    return NOTHING;
  }
  if (part instanceof GraphQLScalarType) return NOTHING;
  if (part instanceof GraphQLInputObjectType) {
    return field === 'inputFields' ? Object.values(part.getFields()) : NOTHING;
  }
  if (part instanceof GraphQLEnumType) return field === 'enumValues' ? part.getValues() : NOTHING;
  if (part instanceof GraphQLUnionType) {
    return field === 'possibleTypes' ? schema.getPossibleTypes(part) : NOTHING;
  }
  // A field, an argument or an input field.
  if (typeof part !== 'object' || part === null) return NOTHING;
  if (field === 'type' && 'type' in part) return [part.type];
  if (field === 'args' && 'args' in part && Array.isArray(part.args)) return part.args;
  return NOTHING;
}

function partsOfSchema(schema: GraphQLSchema, field: string): readonly unknown[] {
  if (field === 'types') return Object.values(schema.getTypeMap());
  if (field === 'directives') return schema.getDirectives();
  if (field === 'queryType') return [schema.getQueryType()];
  if (field === 'mutationType') return [schema.getMutationType()];
  return field === 'subscriptionType' ? [schema.getSubscriptionType()] : NOTHING;
}
