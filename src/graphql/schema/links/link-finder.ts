import { type FieldNode, Kind, type SelectionSetNode } from 'graphql';
import { getOrMake } from '../../../core/index.js';
import { collectFields, type Fragments, type PlanContext } from '../output/reply-plan.js';
import type {
  ElementShape,
  FieldShape,
  ObjectShape,
  ReplyRoot,
  ReplyShape,
  ValueShape,
} from '../types/shape.js';
import type { LinkTable, Walk } from './link.js';

/**
 * Finds the links in selections of replies before any reply is planned: a client without the right
 * to a link's operation is refused before anything runs. Only selections that mention links are
 * walked, and equal ones of several types once.
 */
export class LinkFinder {
  readonly #mentions: LinkMentions;
  readonly #context: PlanContext;
  readonly #find: Find;
  readonly #nodeIds = new Map<FieldNode, number>();
  /** Maps unions, which differ between operations, to the walks of shapes. */
  readonly #walks = new Map<Unions, Map<ElementShape, Map<string, Walk>>>();

  /** `find` is called for each link. */
  constructor(table: LinkTable, context: PlanContext, find: Find) {
    this.#mentions = new LinkMentions(table, context.fragments);
    this.#context = context;
    this.#find = find;
  }

  /**
   * The way to links in the value of a reply; null without any. Recursion is as deep as the
   * selection.
   */
  walkOf(
    { root, faults, unions = NO_UNIONS }: ReplyShape,
    nodes: readonly FieldNode[],
  ): Walk | null {
    if (!nodes.some((node) => this.#mentions.below(node))) return null;
    const roots = [
      root,
      ...(faults?.as === 'data' ? faults.entries.map((entry) => entry.root) : []),
    ];
    const walk = roots.reduce(
      (all, each) => merged(all, this.#inRoot(each, nodes, unions)),
      NOWHERE,
    );
    return walk.size === 0 ? null : walk;
  }

  #inRoot(root: ReplyRoot, nodes: readonly FieldNode[], unions: Unions): Walk {
    if (root.kind === 'done') return NOWHERE;
    return root.kind === 'whole'
      ? this.#inObject(root.shape, nodes, unions)
      : this.#inField(root.field, nodes, unions);
  }

  #inField({ value }: FieldShape, nodes: readonly FieldNode[], unions: Unions): Walk {
    return shapesOf(value).reduce(
      (walk, shape) => merged(walk, this.#inObject(shape, nodes, unions)),
      NOWHERE,
    );
  }

  #inObject(shape: ElementShape, nodes: readonly FieldNode[], unions: Unions): Walk {
    const key = nodes.map((node) => this.#idOf(node)).join();
    const shapes = getOrMake(this.#walks, unions, () => new Map<ElementShape, Map<string, Walk>>());
    const known = getOrMake(shapes, shape, () => new Map<string, Walk>());
    const walk = known.get(key) ?? this.#walk(shape, nodes, unions);
    if (!known.has(key)) {
      this.#context.countBytes?.(400 + 10 * key.length + 100 * walk.size);
    }
    known.set(key, walk);
    return walk;
  }

  #walk(shape: ElementShape, nodes: readonly FieldNode[], unions: Unions): Walk {
    const collect = collector(nodes, this.#context, (field) => this.#mentions.at(field));
    const objects = new Set(shape.variants.values());
    if (shape.declared !== null) {
      objects.add(shape.declared);
    }
    let walk: Walk = NOWHERE;
    for (const object of objects) {
      const keys = new Map<string, Walk>();
      for (const [key, inner] of collect(object, unions)) {
        const field = object.fields.get(inner[0]?.name.value ?? '');
        const below = field === undefined ? NOWHERE : this.#inField(field, inner, unions);
        if (below.size > 0) {
          keys.set(key, below);
        } else if (field === undefined && this.#find(object.typeName, inner)) {
          keys.set(key, NOWHERE);
        }
      }
      walk = merged(walk, keys);
    }
    return walk;
  }

  #idOf(node: FieldNode): number {
    return getOrMake(this.#nodeIds, node, () => this.#nodeIds.size);
  }
}

/** Whether a selection on a type is a link. */
type Find = (typeName: string, nodes: readonly FieldNode[]) => boolean;

type Unions = NonNullable<ReplyShape['unions']>;
type Collected = readonly (readonly [string, readonly FieldNode[]])[];

const NO_UNIONS: Unions = new Map();
const NOWHERE: Walk = new Map();

function shapesOf(value: ValueShape): readonly ElementShape[] {
  if (value.kind === 'object') return [value.shape];
  return value.kind === 'choice' ? value.branches.map(({ shape }) => shape) : [];
}

/**
 * Collects the selected fields of an object that may lead to links; objects with the same fragments
 * share them.
 */
function collector(
  nodes: readonly FieldNode[],
  context: PlanContext,
  isWanted: (node: FieldNode) => boolean,
): (object: ObjectShape, unions: Unions) => Collected {
  const sets = nodes.flatMap(({ selectionSet }): SelectionSetNode[] =>
    selectionSet === undefined ? [] : [selectionSet],
  );
  const known: { readonly answers: ReadonlyMap<string, boolean>; readonly fields: Collected }[] =
    [];
  return (object, unions) => {
    const others = unions.get(object.typeName);
    const applies = (condition: string): boolean =>
      object.conditions.has(condition) || others?.has(condition) === true;
    const same = known.find(({ answers }) =>
      [...answers].every(([condition, answer]) => applies(condition) === answer),
    );
    if (same !== undefined) return same.fields;
    const answers = new Map<string, boolean>();
    const asked = (condition: string): boolean => {
      const answer = applies(condition);
      answers.set(condition, answer);
      return answer;
    };
    const all = collectFields(sets, asked, context);
    const fields = [...all].filter(([, inner]) => inner.some(isWanted));
    if (known.length === KNOWN_MAX) {
      known.shift();
    }
    known.push({ answers, fields });
    return fields;
  };
}

/** Collections that are kept. */
const KNOWN_MAX = 4;

function merged(one: Walk, other: Walk): Walk {
  if (one === other || other.size === 0) return one;
  if (one.size === 0) return other;
  const both = new Map(one);
  for (const [key, walk] of other) {
    both.set(key, merged(both.get(key) ?? NOWHERE, walk));
  }
  return both;
}

/**
 * Finds out whether selections may hold links, by the names of fields alone: every node is visited
 * once.
 */
class LinkMentions {
  readonly #names: ReadonlySet<string>;
  readonly #fragments: Fragments;
  readonly #known = new Map<SelectionSetNode, boolean>();

  constructor(table: LinkTable, fragments: Fragments) {
    this.#names = new Set([...table.keys()].map((key) => key.slice(key.indexOf('.') + 1)));
    this.#fragments = fragments;
  }

  /** Whether this field may be a link, or have one below it. */
  at(node: FieldNode): boolean {
    return this.#names.has(node.name.value) || this.below(node);
  }

  /** Recursion is as deep as the selection, which is limited. */
  below({ selectionSet }: FieldNode): boolean {
    return this.#names.size > 0 && this.#isIn(selectionSet);
  }

  #isIn(set: SelectionSetNode | undefined): boolean {
    if (set === undefined) return false;
    return getOrMake(this.#known, set, () =>
      set.selections.some((selection) => {
        if (selection.kind === Kind.FRAGMENT_SPREAD) {
          return this.#isIn(this.#fragments.get(selection.name.value)?.selectionSet);
        }
        if (selection.kind === Kind.FIELD && this.#names.has(selection.name.value)) return true;
        return this.#isIn(selection.selectionSet);
      }),
    );
  }
}
