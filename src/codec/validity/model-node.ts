import type { Particle } from '../../wsdl/index.js';

/**
 * A particle in the tree of one content model, with its parent, the particles it contains, and its
 * counter. A particle that is used twice has two nodes.
 */
export class ModelNode {
  readonly particle: Particle;
  readonly parent: ModelNode | null;
  /** The index that the node has among the children of `parent`. */
  readonly index: number;
  readonly depth: number;
  readonly children: ModelNode[] = [];
  /** 0 where the repeated content may be empty, for then further repetitions may be empty too. */
  min: number;
  readonly max: number;
  /** It may be left out. */
  isOptional = false;
  /** The first required child from each index of a sequence on; one entry more than children. */
  required: Int32Array = NONE;
  /** The counter of its repetitions; -1 where they need not be counted. */
  counter = -1;
  /** The first counter of an `all` group, which has as many as it has children. */
  memberCounter = -1;

  /** `isLenient`: elements may be left out. */
  constructor(particle: Particle, parent: ModelNode | null, isLenient = false) {
    this.particle = particle;
    this.parent = parent;
    this.index = parent === null ? 0 : parent.children.length;
    this.depth = parent === null ? 0 : parent.depth + 1;
    this.min = isLenient && particle.kind === 'one' ? 0 : particle.min;
    this.max = particle.max;
    parent?.children.push(this);
  }

  /** To be called after it was called of all children. */
  complete(): void {
    if (this.#mayBeEmpty()) {
      this.min = 0;
    }
    this.isOptional = this.min === 0;
    if (this.particle.kind !== 'sequence') return;
    const { children } = this;
    this.required = new Int32Array(children.length + 1).fill(children.length);
    for (let index = children.length - 1; index >= 0; index--) {
      const next = this.required[index + 1] ?? children.length;
      this.required[index] = children[index]?.isOptional === false ? index : next;
    }
  }

  /** Repetitions without a bound, of which one is enough, are not counted. */
  get isCounted(): boolean {
    return this.max > 1 && (this.max !== Infinity || this.min > 1);
  }

  #mayBeEmpty(): boolean {
    const { kind } = this.particle;
    if (kind === 'one' || kind === 'any') return false;
    if (kind !== 'choice') return this.children.every(({ isOptional }) => isOptional);
    return this.children.length === 0 || this.children.some(({ isOptional }) => isOptional);
  }
}

const NONE = new Int32Array(1);

/**
 * More elements and wildcards than the schema reader allows in a content model: groups in groups
 * can multiply.
 */
const STATES_MAX = 65_535;

/**
 * The nodes of a content model, parents first; null where it stands for more than `STATES_MAX`
 * elements.
 */
export function nodesOf(particle: Particle, isLenient = false): readonly ModelNode[] | null {
  const nodes: ModelNode[] = [];
  const open: { readonly particle: Particle; readonly parent: ModelNode | null }[] = [
    { particle, parent: null },
  ];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const node = new ModelNode(next.particle, next.parent, isLenient);
    nodes.push(node);
    if (next.particle.kind === 'one' || next.particle.kind === 'any') continue;
    const { particles } = next.particle;
    if (nodes.length + open.length + particles.length > 2 * STATES_MAX) return null;
    for (let index = particles.length - 1; index >= 0; index--) {
      const child = particles[index];
      if (child !== undefined && child.max > 0) {
        open.push({ particle: child, parent: node });
      }
    }
  }
  for (let index = nodes.length - 1; index >= 0; index--) {
    nodes[index]?.complete();
  }
  return nodes;
}
