import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  Kind,
  OperationTypeNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import { getOrMake } from '../../../core/index.js';
import type { SubschemaField } from '../fields/subschema.js';
import type { Link, LinkTable, Walk } from '../links/link.js';
import { isIncluded, type PlanContext, responseKey } from '../output/reply-plan.js';
import { fieldOfOwner } from '../types/field-owner.js';

/**
 * Writes selections for an upstream without links: each link becomes the fields that feed it, and
 * every object has its `__typename`. A selection without links is unchanged. Recursion is as deep
 * as the selection, which is limited; each fragment is written once.
 */
export class LinkRewriter {
  /** The response keys of a link's feeds, by its node. */
  readonly feeds = new Map<FieldNode, readonly string[]>();
  readonly #schema: GraphQLSchema;
  readonly #table: LinkTable;
  readonly #context: PlanContext;
  readonly #prefix: string;
  /** The names of all links. */
  readonly #names: ReadonlySet<string>;
  readonly #hasLinks: boolean;
  readonly #written = new Map<string, FragmentDefinitionNode | null>();
  readonly #walks = new Map<SelectionSetNode | string, Walk>();
  readonly #aliases = new Map<string, string>();
  readonly #met: (link: Link, node: FieldNode) => void;

  constructor(
    schema: GraphQLSchema,
    table: LinkTable,
    context: PlanContext,
    prefix: string,
    nodes: readonly FieldNode[],
    met: (link: Link, node: FieldNode) => void,
  ) {
    this.#met = met;
    this.#schema = schema;
    this.#table = table;
    this.#context = context;
    this.#prefix = prefix;
    this.#names = new Set([...table.keys()].map((key) => key.slice(key.indexOf('.') + 1)));
    this.#hasLinks = nodes.some(({ selectionSet }) => this.#walk(selectionSet).size > 0);
  }

  /** The type that a field of the root answers with. */
  typeOf({ wrapped, parent, name }: SubschemaField): GraphQLNamedType | undefined {
    return namedType(wrapped.getRootType(OPERATIONS[parent])?.getFields()[name]?.type);
  }

  /** The type at the end of a path of fields. */
  along(
    type: GraphQLNamedType | undefined,
    steps: readonly string[],
  ): GraphQLNamedType | undefined {
    return steps.reduce((owner, step) => typeOfLinkedField(owner, step), type);
  }

  set(
    set: SelectionSetNode | undefined,
    parent: GraphQLNamedType | undefined,
  ): SelectionSetNode | undefined {
    if (set === undefined || !this.#hasLinks) return set;
    const selections = set.selections.flatMap((selection) => this.#selection(selection, parent));
    return { ...set, selections: [...selections, plain('__typename', `${this.#prefix}t`, [])] };
  }

  /** A fragment as it is sent; null for an unknown one. */
  readonly fragments = (name: string): FragmentDefinitionNode | null => {
    return getOrMake(this.#written, name, () => {
      const fragment = this.#context.fragments.get(name) ?? null;
      const parent =
        fragment === null ? undefined : this.#schema.getType(fragment.typeCondition.name.value);
      const selectionSet = fragment === null ? undefined : this.set(fragment.selectionSet, parent);
      return fragment === null || selectionSet === undefined ? null : { ...fragment, selectionSet };
    });
  };

  /** The way to links below the nodes; null without any. */
  walkOf(nodes: readonly FieldNode[]): Walk | null {
    if (!this.#hasLinks) return null;
    const walk = new Map<string, Walk>();
    for (const { selectionSet } of nodes) {
      merge(walk, this.#walk(selectionSet));
    }
    return walk;
  }

  #selection(
    selection: SelectionNode,
    parent: GraphQLNamedType | undefined,
  ): readonly SelectionNode[] {
    if (selection.kind === Kind.FRAGMENT_SPREAD) return [selection];
    if (selection.kind === Kind.INLINE_FRAGMENT) {
      const condition = selection.typeCondition?.name.value;
      const type = condition === undefined ? parent : this.#schema.getType(condition);
      return [
        {
          ...selection,
          selectionSet: this.set(selection.selectionSet, type) ?? selection.selectionSet,
        },
      ];
    }
    const name = selection.name.value;
    const link = this.#table.get(`${parent?.name}.${name}`);
    if (link !== undefined) {
      return isIncluded(selection, this.#context.variables)
        ? this.#feed(selection, link, parent)
        : [];
    }
    const selectionSet = this.set(selection.selectionSet, typeOfLinkedField(parent, name));
    return [selectionSet === undefined ? selection : { ...selection, selectionSet }];
  }

  #feed(
    node: FieldNode,
    link: Link,
    parent: GraphQLNamedType | undefined,
  ): readonly SelectionNode[] {
    const aliases: string[] = [];
    const fields = link.feeds.map(({ field }) => {
      const key = `${parent?.name}.${field.join('.')}`;
      const alias = getOrMake(this.#aliases, key, () => `${this.#prefix}f${this.#aliases.size}`);
      aliases.push(alias);
      const [first = '', ...rest] = field;
      return plain(first, alias, rest.length === 0 ? [] : [path(rest, `${this.#prefix}v`)]);
    });
    this.feeds.set(node, aliases);
    this.#met(link, node);
    return fields;
  }

  /** Finds links by the names of fields alone: keys that turn out to be no links do no harm. */
  #walk(set: SelectionSetNode | undefined): Walk {
    if (set === undefined || this.#table.size === 0) return NOWHERE;
    const known = this.#walks.get(set);
    if (known !== undefined) return known;
    const walk = new Map<string, Walk>();
    this.#walks.set(set, walk);
    for (const selection of set.selections) {
      if (selection.kind === Kind.FIELD) {
        const isLink = this.#names.has(selection.name.value);
        const below = isLink ? NOWHERE : this.#walk(selection.selectionSet);
        if (isLink || below.size > 0) {
          merge(walk, new Map([[responseKey(selection), below]]));
        }
      } else {
        const spread =
          selection.kind === Kind.FRAGMENT_SPREAD
            ? this.#context.fragments.get(selection.name.value)
            : selection;
        merge(walk, this.#walk(spread?.selectionSet));
      }
    }
    return walk;
  }
}

const OPERATIONS = {
  Query: OperationTypeNode.QUERY,
  Mutation: OperationTypeNode.MUTATION,
  Subscription: OperationTypeNode.SUBSCRIPTION,
} as const;

type MutableWalk = Map<string, Walk>;

const NOWHERE: Walk = new Map();

/** Adds the keys of another walk. */
function merge(walk: MutableWalk, other: Walk): void {
  for (const [key, below] of other) {
    const known = walk.get(key);
    if (known === undefined || known.size === 0) {
      walk.set(key, below);
    } else if (known !== below && below.size > 0) {
      const both: MutableWalk = new Map(known);
      merge(both, below);
      walk.set(key, both);
    }
  }
}

const namedType = (type: Parameters<typeof getNamedType>[0]): GraphQLNamedType | undefined =>
  getNamedType(type);

/** The type of the field of an object or interface, without lists. */
export const typeOfLinkedField = (
  owner: GraphQLNamedType | undefined,
  name: string,
): GraphQLNamedType | undefined => namedType(fieldOfOwner(owner, name)?.type);

/** A field under a response key. */
export const plain = (
  name: string,
  key: string,
  selections: readonly SelectionNode[],
): FieldNode => ({
  kind: Kind.FIELD,
  name: { kind: Kind.NAME, value: name },
  ...(key === name ? {} : { alias: { kind: Kind.NAME, value: key } }),
  ...(selections.length === 0 ? {} : { selectionSet: { kind: Kind.SELECTION_SET, selections } }),
});

/** A path of fields that are all under one response key. */
export function path(steps: readonly string[], key: string): FieldNode {
  const [first = '', ...rest] = steps;
  return plain(first, key, rest.length === 0 ? [] : [path(rest, key)]);
}
