import { xsd } from '../../wsdl/index.js';
import type { ContentAutomaton, Edge, Position } from './automaton.js';
import { admits, applyOps, type Ops } from './transitions.js';

/**
 * More states at once than a sensible model has: beyond this the order of its elements is not
 * validated.
 */
const STATES_AT_ONCE = 16;

interface State<E> {
  readonly position: Position<E>;
  readonly counters: readonly number[];
}

/**
 * Validates the children of one element against its content model. Models are deterministic by the
 * rules of XML Schema (Unique Particle Attribution), so there is one state, kept without
 * allocation; where a model is not, or either of two nested counters may count, all states are
 * followed, up to a bound.
 */
export class ModelWalk<E> {
  #automaton: ContentAutomaton<E> | null = null;
  #position: Position<E> | null = null;
  readonly #counters: number[] = [];
  /** All states, where there are several. */
  #states: readonly State<E>[] | null = null;
  /**
   * There were more states than are followed: from there on only the names of elements are
   * validated.
   */
  isUnordered = false;

  begin(automaton: ContentAutomaton<E>): void {
    this.#automaton = automaton;
    this.#position = automaton.start;
    this.#states = null;
    this.isUnordered = false;
    const counters = this.#counters;
    for (let index = 0; index < automaton.counters; index++) {
      counters[index] = 0;
    }
    if (counters.length > automaton.counters) {
      counters.length = automaton.counters;
    }
  }

  /** The position that the content has come to; null where several states are followed, or none. */
  get position(): Position<E> | null {
    return this.#states !== null || this.isUnordered ? null : this.#position;
  }

  /** Goes on from another position, of a model without counters. */
  moveTo(position: Position<E>): void {
    this.#position = position;
  }

  /** The particle that takes the next element; null where none does. */
  advance(uri: string, local: string): Position<E> | null {
    const last = this.#position?.last;
    if (last != null && last.local === local && last.uri === uri && this.#states === null) {
      this.#position = last;
      return last;
    }
    return this.#advanceSlowly(uri, local);
  }

  /** Names of elements that may come next, for an error text; '' where none are known. */
  get expected(): string {
    const position = this.#position;
    const names =
      position === null || this.#states !== null
        ? []
        : (this.#automaton?.expected(position, this.#counters) ?? []);
    return names.join(' or ');
  }

  /** Whether the content may end here. */
  get isComplete(): boolean {
    const automaton = this.#automaton;
    const position = this.#position;
    if (automaton === null || position === null || this.isUnordered) return true;
    if (this.#states !== null) {
      return this.#states.some((state) =>
        automaton.out(state.position).some((ops: Ops) => admits(ops, state.counters)),
      );
    }
    for (const ops of automaton.out(position)) {
      if (admits(ops, this.#counters)) return true;
    }
    return false;
  }

  #advanceSlowly(uri: string, local: string): Position<E> | null {
    const automaton = this.#automaton;
    const from = this.#position;
    if (automaton === null || from === null) return null;
    if (this.isUnordered) return automaton.named(uri, local) ?? from;
    if (this.#states !== null) return this.#follow(automaton, this.#states, uri, local);
    const edges = edgesFrom(automaton, from, uri, local);
    const [edge] = edges;
    if (edge === undefined) return null;
    if (edges.length > 1) {
      return this.#follow(automaton, [{ position: from, counters: this.#counters }], uri, local);
    }
    if (!admits(edge.ops, this.#counters)) return null;
    applyOps(edge.ops, this.#counters);
    if (edge.ops === null && edge.to.element !== null) {
      from.last = edge.to;
    }
    this.#position = edge.to;
    return edge.to;
  }

  #follow(
    automaton: ContentAutomaton<E>,
    states: readonly State<E>[],
    uri: string,
    local: string,
  ): Position<E> | null {
    const next: State<E>[] = [];
    for (const state of states) {
      for (const { to, ops } of edgesFrom(automaton, state.position, uri, local)) {
        if (next.length > STATES_AT_ONCE) break;
        if (!admits(ops, state.counters)) continue;
        const counters = [...state.counters];
        applyOps(ops, counters);
        if (!next.some((other) => other.position === to && sameNumbers(other.counters, counters))) {
          next.push({ position: to, counters });
        }
      }
    }
    // An element declaration takes precedence over a wildcard that admits the element, too.
    const best = next.find(({ position }) => position.element !== null) ?? next[0];
    if (best === undefined) return null;
    this.#position = best.position;
    if (next.length > STATES_AT_ONCE) {
      this.isUnordered = true;
    }
    if (next.length > 1) {
      this.#states = next;
    } else {
      this.#states = null;
      for (let i = 0; i < best.counters.length; i++) {
        this.#counters[i] = best.counters[i] ?? 0;
      }
    }
    return best.position;
  }
}

function edgesFrom<E>(
  automaton: ContentAutomaton<E>,
  from: Position<E>,
  uri: string,
  local: string,
): readonly Edge<E>[] {
  const edges = automaton.edges(from, uri, local);
  const wild = automaton.wildEdges(from);
  if (wild.length === 0) return edges;
  const open = wild.filter(({ to }) => to.wildcard !== null && xsd.allows(to.wildcard, uri));
  return open.length === 0 ? edges : edges.length === 0 ? open : [...edges, ...open];
}

const sameNumbers = (a: readonly number[], b: readonly number[]): boolean =>
  a.every((value, i) => value === b[i]);
