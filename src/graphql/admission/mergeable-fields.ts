import {
  type ASTVisitor,
  type FieldNode,
  GraphQLError,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLOutputType,
  getNamedType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  print,
  type SelectionSetNode,
  type ValidationContext,
  type ValueNode,
} from 'graphql';
import { collections, getOrMake } from '../../core/index.js';
import { fieldOfOwner } from '../schema/types/field-owner.js';

/**
 * Fields of one response key must be the same field (GraphQL section 5.3.2). The rule of graphql-js
 * compares them by pairs; here they are merged level by level, as execution does, in the time of
 * the operation with its fragments written out, which is limited. Only the first conflict is
 * reported.
 */
export function mergeableFieldsRule(context: ValidationContext): ASTVisitor {
  return {
    OperationDefinition(operation) {
      const root = context.getSchema().getRootType(operation.operation);
      if (!root) return false;
      const merge = new Merge(context);
      const from = [{ set: operation.selectionSet, parent: root }];
      const conflict = merge.shapes(from) ?? merge.fields(from);
      if (conflict !== null) {
        context.reportError(errorOf(conflict));
      }
      return false;
    },
    FragmentDefinition: () => false,
  };
}

/** The message when the comparison is too long. */
export const TOO_COMPLEX = 'The document is too complex to validate.';

type Conflict = readonly [Entry, Entry] | 'too complex';

function errorOf(conflict: Conflict): GraphQLError {
  // Without a location.
  if (conflict === 'too complex') return new GraphQLError(TOO_COMPLEX);
  const nodes = conflict.map(({ node }) => node);
  return new GraphQLError(
    `Fields "${keyOf(conflict[0].node)}" conflict here. Use different aliases.`,
    { nodes },
  );
}

/** A selection set, and the type that it is on. */
interface Source {
  readonly set: SelectionSetNode;
  readonly parent: GraphQLNamedType | undefined;
}

interface Entry {
  readonly node: FieldNode;
  readonly parent: GraphQLNamedType | undefined;
  readonly definition: GraphQLField<unknown, unknown> | undefined;
}

/**
 * Fields compared for one operation, each once for the shape and once for each object type it may
 * be on.
 */
const STEPS_MAX = 200_000;

/** Recursion is as deep as the selection, which is limited. */
class Merge {
  readonly #context: ValidationContext;
  readonly #arguments = new Map<FieldNode, string>();
  #steps = 0;

  constructor(context: ValidationContext) {
    this.#context = context;
  }

  /** Fields of one key must have the same shape, on any objects. */
  shapes(from: readonly Source[]): Conflict | null {
    for (const entries of this.#collect(from).values()) {
      const [first] = entries;
      if (first === undefined) continue;
      for (const entry of entries) {
        if (!haveOneShape(first, entry)) return [first, entry];
      }
      if (this.#steps > STEPS_MAX) return 'too complex';
      const conflict = this.shapes(below(entries));
      if (conflict !== null) return conflict;
    }
    return null;
  }

  /** Fields of one key on one object must be the same field with the same arguments. */
  fields(from: readonly Source[]): Conflict | null {
    for (const all of this.#collect(from).values()) {
      for (const entries of byObject(all)) {
        const [first] = entries;
        if (first === undefined) continue;
        for (const entry of entries) {
          if (!this.#areOne(first, entry)) return [first, entry];
        }
        if (this.#steps > STEPS_MAX) return 'too complex';
        const conflict = this.fields(below(entries));
        if (conflict !== null) return conflict;
      }
    }
    return null;
  }

  #collect(from: readonly Source[]): ReadonlyMap<string, Entry[]> {
    const found = new Map<string, Entry[]>();
    const entered = new Set<string>();
    const stack = [...from].reverse();
    for (let source = stack.pop(); source !== undefined; source = stack.pop()) {
      const { set, parent } = source;
      for (const selection of set.selections) {
        this.#steps++;
        if (selection.kind === Kind.FIELD) {
          const key = keyOf(selection);
          const entry = {
            node: selection,
            parent,
            definition: fieldOfOwner(parent, selection.name.value),
          };
          collections.addToGroup(found, key, entry);
        } else if (selection.kind === Kind.INLINE_FRAGMENT) {
          const condition = selection.typeCondition?.name.value;
          stack.push({ set: selection.selectionSet, parent: this.#typeOf(condition) ?? parent });
        } else {
          const name = selection.name.value;
          const fragment = entered.has(name) ? null : this.#context.getFragment(name);
          entered.add(name);
          if (!fragment) continue;
          stack.push({
            set: fragment.selectionSet,
            parent: this.#typeOf(fragment.typeCondition.name.value),
          });
        }
      }
    }
    return found;
  }

  #typeOf(name: string | undefined): GraphQLNamedType | undefined {
    return name === undefined ? undefined : this.#context.getSchema().getType(name);
  }

  #areOne({ node: one }: Entry, { node: other }: Entry): boolean {
    if (one === other) return true;
    return (
      one.name.value === other.name.value && this.#argumentsOf(one) === this.#argumentsOf(other)
    );
  }

  #argumentsOf(node: FieldNode): string {
    const { arguments: written = [] } = node;
    if (written.length === 0) return '';
    return getOrMake(this.#arguments, node, () =>
      written
        .map(({ name, value }) => `${name.value}:${canonical(value)}`)
        .sort()
        .join(),
    );
  }
}

/** A value as text, the fields of objects in order. As deep as the parser went. */
function canonical(value: ValueNode): string {
  if (value.kind === Kind.LIST) return `[${value.values.map(canonical).join()}]`;
  if (value.kind !== Kind.OBJECT) return print(value);
  return `{${value.fields
    .map((field) => `${field.name.value}:${canonical(field.value)}`)
    .sort()
    .join()}}`;
}

const keyOf = (node: FieldNode): string => node.alias?.value ?? node.name.value;

const below = (entries: readonly Entry[]): readonly Source[] =>
  entries.flatMap(({ node: { selectionSet }, definition }) =>
    selectionSet === undefined
      ? []
      : [{ set: selectionSet, parent: definition && getNamedType(definition.type) }],
  );

/**
 * Groups the entries that may be on one object: those of each object type, with those of abstract
 * types.
 */
function byObject(entries: readonly Entry[]): readonly (readonly Entry[])[] {
  const [first] = entries;
  if (entries.every(({ parent }) => parent === first?.parent)) return [entries];
  const any = entries.filter(({ parent }) => !isObjectType(parent));
  const objects = new Map<GraphQLNamedType, Entry[]>();
  for (const entry of entries) {
    if (!isObjectType(entry.parent)) continue;
    const known = objects.get(entry.parent) ?? [...any];
    known.push(entry);
    objects.set(entry.parent, known);
  }
  return objects.size === 0 ? [any] : [...objects.values()];
}

/** Undefined fields are reported by another rule. */
function haveOneShape({ definition: one }: Entry, { definition: other }: Entry): boolean {
  if (one === undefined || other === undefined || one === other) return true;
  let [a, b]: readonly GraphQLOutputType[] = [one.type, other.type];
  while (a !== undefined && b !== undefined && !(a === b)) {
    if (isNonNullType(a) && isNonNullType(b)) {
      [a, b] = [a.ofType, b.ofType];
    } else if (isListType(a) && isListType(b)) {
      [a, b] = [a.ofType, b.ofType];
    } else {
      return !isWrapped(a) && !isWrapped(b) && !isLeafType(a) && !isLeafType(b);
    }
  }
  return true;
}

const isWrapped = (type: GraphQLOutputType): boolean => isNonNullType(type) || isListType(type);
