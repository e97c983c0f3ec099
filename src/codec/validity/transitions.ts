import type { ModelNode } from './model-node.js';

/** One operation on the counters of a transition. */
type Op =
  /**
   * Leaves a loop: the count must reach `min`. The counter is reset, so that equal states compare
   * equal.
   */
  | { readonly kind: 'leave'; readonly counter: number; readonly min: number }
  /** One more repetition. */
  | { readonly kind: 'again'; readonly counter: number; readonly max: number }
  /** The first repetition. */
  | { readonly kind: 'first'; readonly counter: number }
  /** A member of an `all` group that did not occur yet. */
  | { readonly kind: 'member'; readonly counter: number }
  /** The first member of an `all` group. */
  | {
      readonly kind: 'firstMember';
      readonly from: number;
      readonly to: number;
      readonly counter: number;
    }
  /** All required members of an `all` group occurred. */
  | { readonly kind: 'members'; readonly counters: readonly number[] };

/** The operations of one transition; null where nothing is counted. */
export type Ops = readonly Op[] | null;

/**
 * The transitions from behind one particle to the next (Glushkov's follow relation, with counters):
 * on in a sequence, to another member of an `all` group, or once more round anything that repeats.
 */
export function transitionsBetween(from: ModelNode, to: ModelNode): readonly Ops[] {
  const transitions: Ops[] = [];
  const leaving: Op[] = [];
  const add = (more: readonly Op[], entering: readonly Op[] | null): void => {
    if (entering === null) return;
    const all = [...leaving, ...more, ...entering];
    const ops = all.length === 0 ? null : all;
    if (ops !== null || !transitions.includes(null)) {
      transitions.push(ops);
    }
  };
  for (let node: ModelNode | null = from; node !== null; node = leave(node, leaving)) {
    if (node.max > 1 && (node === to || childToward(node, to) !== null)) {
      add(
        node.counter < 0 ? [] : [{ kind: 'again', counter: node.counter, max: node.max }],
        enter(node, to),
      );
    }
    if (node.counter >= 0) {
      leaving.push({ kind: 'leave', counter: node.counter, min: node.min });
    }
    const { parent } = node;
    const next = parent === null ? null : childToward(parent, to);
    if (parent === null || next === null || next === node) continue;
    if (parent.particle.kind === 'sequence' && next.index > node.index) {
      if ((parent.required[node.index + 1] ?? 0) >= next.index) {
        add([], enterNode(next, to));
      }
    } else if (parent.particle.kind === 'all') {
      add([{ kind: 'member', counter: parent.memberCounter + next.index }], enterNode(next, to));
    }
  }
  return transitions;
}

/** The transitions from the beginning of a content model to a particle: none or one. */
export function transitionsInto(root: ModelNode, to: ModelNode): readonly Ops[] {
  const ops = enterNode(root, to);
  return ops === null ? [] : [ops.length === 0 ? null : ops];
}

/** The transitions from behind a particle to the end of the content model: none or one. */
export function transitionsOut(from: ModelNode): readonly Ops[] {
  const leaving: Op[] = [];
  let node = from;
  for (;;) {
    if (node.counter >= 0) {
      leaving.push({ kind: 'leave', counter: node.counter, min: node.min });
    }
    if (node.parent === null) return [leaving.length === 0 ? null : leaving];
    const parent = leave(node, leaving);
    if (parent === null) return [];
    node = parent;
  }
}

/** The parent node, if its remaining content may be empty; adds the conditions for that. */
function leave({ parent, index }: ModelNode, leaving: Op[]): ModelNode | null {
  if (parent === null) return null;
  if (
    parent.particle.kind === 'sequence' &&
    (parent.required[index + 1] ?? 0) < parent.children.length
  ) {
    return null;
  }
  if (parent.particle.kind === 'all') {
    const members = parent.children.flatMap(({ isOptional, index }) =>
      isOptional ? [] : [parent.memberCounter + index],
    );
    if (members.length > 0) {
      leaving.push({ kind: 'members', counters: members });
    }
  }
  return parent;
}

/** The child of `node` that is or contains `inner`; null where there is none. */
function childToward(node: ModelNode, inner: ModelNode): ModelNode | null {
  let at: ModelNode | null = inner;
  while (at !== null && at.depth > node.depth + 1) {
    at = at.parent;
  }
  return at !== null && at.parent === node ? at : null;
}

const enterNode = (node: ModelNode, to: ModelNode): readonly Op[] | null => {
  const inner = enter(node, to);
  return inner === null || node.counter < 0
    ? inner
    : [{ kind: 'first', counter: node.counter }, ...inner];
};

/**
 * The operations from the beginning of a repetition of `node` to a particle within; null where
 * another must come first.
 */
function enter(node: ModelNode, to: ModelNode): readonly Op[] | null {
  const ops: Op[] = [];
  for (let at = to; at !== node; ) {
    const { parent } = at;
    if (parent === null) return null;
    if (parent.particle.kind === 'sequence' && (parent.required[0] ?? 0) < at.index) return null;
    if (at.counter >= 0) {
      ops.push({ kind: 'first', counter: at.counter });
    }
    if (parent.particle.kind === 'all') {
      const from = parent.memberCounter;
      ops.push({
        kind: 'firstMember',
        from,
        to: from + parent.children.length,
        counter: from + at.index,
      });
    }
    at = parent;
  }
  return ops;
}

/** Whether a transition is allowed by these counters. */
export function admits(ops: Ops, counters: readonly number[]): boolean {
  if (ops === null) return true;
  for (const op of ops) {
    if (op.kind === 'leave' && (counters[op.counter] ?? 0) < op.min) return false;
    if (op.kind === 'again' && (counters[op.counter] ?? 0) >= op.max) return false;
    if (op.kind === 'member' && counters[op.counter] !== 0) return false;
    if (op.kind === 'members') {
      for (const index of op.counters) {
        if (counters[index] === 0) return false;
      }
    }
  }
  return true;
}

/** Applies a transition to the counters. */
export function applyOps(ops: Ops, counters: number[]): void {
  if (ops === null) return;
  for (const op of ops) {
    if (op.kind === 'again') {
      counters[op.counter] = (counters[op.counter] ?? 0) + 1;
    } else if (op.kind === 'leave') {
      counters[op.counter] = 0;
    } else if (op.kind !== 'members') {
      if (op.kind === 'firstMember') {
        counters.fill(0, op.from, op.to);
      }
      counters[op.counter] = 1;
    }
  }
}
