import { getOrMake } from '../../core/index.js';
import type { ElementDeclaration, Particle, Wildcard } from '../../wsdl/index.js';
import { type ModelNode, nodesOf } from './model-node.js';
import {
  admits,
  type Ops,
  transitionsBetween,
  transitionsInto,
  transitionsOut,
} from './transitions.js';

/**
 * A position behind one particle of a content model, or at its beginning. `E` is the value kept for
 * an element.
 */
export class Position<E> {
  /** Null at the beginning. */
  readonly node: ModelNode | null;
  readonly uri: string;
  readonly local: string;
  /** Null for the beginning and for a wildcard. */
  readonly element: E | null;
  readonly wildcard: Wildcard | null;
  /** The index by which elements of one name are counted. */
  readonly nameIndex: number;
  /** There may be more elements of this name. */
  readonly mayRepeat: boolean;
  /** The transition that was taken from here last, if it was the only one and counts nothing. */
  last: Position<E> | null = null;
  /** Maps local names to the transitions that were taken from here to elements. */
  readonly named = new Map<string, NamedEdges<E>[]>();
  wild: readonly Edge<E>[] | null = null;
  out: readonly Ops[] | null = null;

  constructor(node: ModelNode | null, element: E | null, nameIndex: number, mayRepeat: boolean) {
    const particle = node?.particle;
    const name = particle?.kind === 'one' ? particle.element.name : NO_NAME;
    this.node = node;
    this.uri = name.uri;
    this.local = name.local;
    this.element = element;
    this.wildcard = particle?.kind === 'any' ? particle.wildcard : null;
    this.nameIndex = nameIndex;
    this.mayRepeat = mayRepeat;
  }
}

export interface Edge<E> {
  readonly to: Position<E>;
  readonly ops: Ops;
}

interface NamedEdges<E> {
  readonly uri: string;
  readonly edges: readonly Edge<E>[];
}

const NO_NAME = { uri: '', local: '' };

/** Transitions that are kept; further ones are computed each time. */
const KEPT_MAX = 65_536;

/**
 * The automaton of a content model: a position for each particle, counters for bounded repetition.
 * Transitions between positions are computed when a document first takes them.
 */
export class ContentAutomaton<E> {
  readonly start: Position<E>;
  /** Counters of one element. */
  readonly counters: number;
  /** Names of elements. */
  readonly names: number;
  /** Elements of one name may come with others between. */
  readonly isInterleaved: boolean;
  readonly #root: ModelNode;
  readonly #byLocal = new Map<string, Position<E>[]>();
  readonly #wild: Position<E>[] = [];
  #kept = 0;

  private constructor(
    nodes: readonly ModelNode[],
    root: ModelNode,
    elementOf: (declaration: ElementDeclaration) => E,
  ) {
    let counters = 0;
    let isInterleaved = false;
    const nameCounts = countNames(nodes);
    for (const node of nodes) {
      if (node.isCounted) {
        node.counter = counters++;
      }
      if (node.particle.kind === 'all') {
        node.memberCounter = counters;
        counters += node.children.length;
      }
      if (node.max > 1 && node.children.length > 0) {
        isInterleaved = true;
      }
      if (node.particle.kind === 'any') {
        this.#wild.push(new Position<E>(node, null, -1, true));
      }
      if (node.particle.kind !== 'one') continue;
      const { element } = node.particle;
      const known = getOrMake(this.#byLocal, element.name.local, () => []);
      const name = nameCounts.get(`${element.name.local} ${element.name.uri}`) ?? {
        index: 0,
        count: 1,
      };
      if (name.count > 1) {
        isInterleaved = true;
      }
      known.push(
        new Position(node, elementOf(element), name.index, name.count > 1 || mayRepeat(node)),
      );
    }
    this.#root = root;
    this.counters = counters;
    this.names = nameCounts.size;
    this.isInterleaved = isInterleaved;
    this.start = new Position<E>(null, null, -1, false);
  }

  /** Null for a model that stands for too many elements: 65,535. */
  static of<E>(
    particle: Particle,
    elementOf: (declaration: ElementDeclaration) => E,
    isLenient = false,
  ): ContentAutomaton<E> | null {
    const nodes = nodesOf(particle, isLenient);
    const root = nodes?.[0];
    return nodes == null || root === undefined
      ? null
      : new ContentAutomaton(nodes, root, elementOf);
  }

  /** The first element of the model with this name. */
  named(uri: string, local: string): Position<E> | null {
    return this.#byLocal.get(local)?.find((position) => position.uri === uri) ?? null;
  }

  /** The transitions from here to elements of this name. */
  edges(from: Position<E>, uri: string, local: string): readonly Edge<E>[] {
    const known = from.named.get(local) ?? [];
    for (const same of known) {
      if (same.uri === uri) return same.edges;
    }
    const candidates = this.#byLocal.get(local)?.filter((position) => position.uri === uri) ?? [];
    // Names that are not in the model come from the message: nothing is kept of them.
    if (candidates.length === 0) return NO_EDGES;
    const edges = candidates.flatMap((to) => this.#edgesTo(from, to));
    if (this.#kept < KEPT_MAX) {
      this.#kept += 1 + edges.length;
      known.push({ uri: candidates[0]?.uri ?? uri, edges });
      from.named.set(candidates[0]?.local ?? local, known);
    }
    return edges;
  }

  /** The transitions from here to wildcards. */
  wildEdges(from: Position<E>): readonly Edge<E>[] {
    if (this.#wild.length === 0) return NO_EDGES;
    if (from.wild !== null) return from.wild;
    const edges = this.#wild.flatMap((to) => this.#edgesTo(from, to));
    if (this.#kept < KEPT_MAX) {
      this.#kept += 1 + edges.length;
      from.wild = edges;
    }
    return edges;
  }

  /**
   * Names of elements that may come next, for an error text: at most five, and none for a large
   * model.
   */
  expected(from: Position<E>, counters: readonly number[]): readonly string[] {
    const found = new Set<string>();
    if (this.#byLocal.size > LOOKED_AT_MAX) return [];
    for (const [local, positions] of this.#byLocal) {
      const edges = positions.flatMap((to) => this.#edgesTo(from, to));
      if (edges.some(({ ops }) => admits(ops, counters))) {
        found.add(local);
      }
      if (found.size === EXPECTED_MAX) break;
    }
    return [...found];
  }

  /** The transitions from here to the end: none or one. */
  out(from: Position<E>): readonly Ops[] {
    from.out ??=
      from.node === null ? (this.#root.isOptional ? FREE : []) : transitionsOut(from.node);
    return from.out;
  }

  #edgesTo(from: Position<E>, to: Position<E>): readonly Edge<E>[] {
    if (to.node === null) return NO_EDGES;
    const transitions =
      from.node === null
        ? transitionsInto(this.#root, to.node)
        : transitionsBetween(from.node, to.node);
    return transitions.map((ops) => ({ to, ops }));
  }
}

const LOOKED_AT_MAX = 200;
const EXPECTED_MAX = 5;
const NO_EDGES: readonly never[] = [];
const FREE: readonly Ops[] = [null];

function countNames(
  nodes: readonly ModelNode[],
): ReadonlyMap<string, { readonly index: number; count: number }> {
  const names = new Map<string, { readonly index: number; count: number }>();
  for (const { particle } of nodes) {
    if (particle.kind !== 'one') continue;
    const key = `${particle.element.name.local} ${particle.element.name.uri}`;
    const known = names.get(key);
    if (known === undefined) {
      names.set(key, { index: names.size, count: 1 });
    } else {
      known.count++;
    }
  }
  return names;
}

function mayRepeat(node: ModelNode): boolean {
  for (let at: ModelNode | null = node; at !== null; at = at.parent) {
    if (at.max > 1) return true;
  }
  return false;
}
