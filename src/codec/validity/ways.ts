import type { ModelNode } from './model-node.js';

/** One step of the counting along a way through a content model. */
export type Op =
  /** Enough repetitions were there to leave. They are forgotten: what was counted before must not tell states apart. */
  | { readonly kind: 'leave'; readonly slot: number; readonly min: number }
  /** One more repetition. */
  | { readonly kind: 'again'; readonly slot: number; readonly max: number }
  /** The first repetition. */
  | { readonly kind: 'first'; readonly slot: number }
  /** A member of an `all` group that was not there yet. */
  | { readonly kind: 'member'; readonly slot: number }
  /** The first member of an `all` group. */
  | { readonly kind: 'firstMember'; readonly from: number; readonly to: number; readonly slot: number }
  /** The members of an `all` group that must be there were. */
  | { readonly kind: 'members'; readonly slots: readonly number[] };

/** Counting along one way; null where nothing is counted. */
export type Ops = readonly Op[] | null;

/**
 * Every way from behind one particle to the next (Glushkov's follow relation, with counters): on in a sequence, to
 * another member of an `all` group, or once more round anything that repeats.
 */
export function waysBetween(from: ModelNode, to: ModelNode): readonly Ops[] {
  const ways: Ops[] = [];
  const leaving: Op[] = [];
  const add = (more: readonly Op[], entering: readonly Op[] | null): void => {
    if (entering === null) return;
    const all = [...leaving, ...more, ...entering];
    const ops = all.length === 0 ? null : all;
    if (ops !== null || !ways.includes(null)) ways.push(ops);
  };
  for (let node: ModelNode | null = from; node !== null; node = leave(node, leaving)) {
    if (node.max > 1 && (node === to || childToward(node, to) !== null)) {
      add(node.slot < 0 ? [] : [{ kind: 'again', slot: node.slot, max: node.max }], enter(node, to));
    }
    if (node.slot >= 0) leaving.push({ kind: 'leave', slot: node.slot, min: node.min });
    const { parent } = node;
    const next = parent === null ? null : childToward(parent, to);
    if (parent === null || next === null || next === node) continue;
    if (parent.particle.kind === 'sequence' && next.index > node.index) {
      if ((parent.required[node.index + 1] ?? 0) >= next.index) add([], enterNode(next, to));
    } else if (parent.particle.kind === 'all') {
      add([{ kind: 'member', slot: parent.memberSlot + next.index }], enterNode(next, to));
    }
  }
  return ways;
}

/** The ways from the beginning of a content model to a particle: none or one. */
export function waysInto(root: ModelNode, to: ModelNode): readonly Ops[] {
  const ops = enterNode(root, to);
  return ops === null ? [] : [ops.length === 0 ? null : ops];
}

/** The ways from behind a particle to the end of the content model: none or one. */
export function waysOut(from: ModelNode): readonly Ops[] {
  const leaving: Op[] = [];
  let node = from;
  for (;;) {
    if (node.slot >= 0) leaving.push({ kind: 'leave', slot: node.slot, min: node.min });
    if (node.parent === null) return [leaving.length === 0 ? null : leaving];
    const parent = leave(node, leaving);
    if (parent === null) return [];
    node = parent;
  }
}

/** The node around, if what is left of it may be empty; what must hold for that is added. */
function leave({ parent, index }: ModelNode, leaving: Op[]): ModelNode | null {
  if (parent === null) return null;
  if (parent.particle.kind === 'sequence' && (parent.required[index + 1] ?? 0) < parent.children.length) return null;
  if (parent.particle.kind === 'all') {
    const slots = parent.children.flatMap(({ isOptional, index }) => (isOptional ? [] : [parent.memberSlot + index]));
    if (slots.length > 0) leaving.push({ kind: 'members', slots });
  }
  return parent;
}

/** The child of `node` that is or contains `inner`; null where there is none. */
function childToward(node: ModelNode, inner: ModelNode): ModelNode | null {
  let at: ModelNode | null = inner;
  while (at !== null && at.depth > node.depth + 1) at = at.parent;
  return at !== null && at.parent === node ? at : null;
}

const enterNode = (node: ModelNode, to: ModelNode): readonly Op[] | null => {
  const inner = enter(node, to);
  return inner === null || node.slot < 0 ? inner : [{ kind: 'first', slot: node.slot }, ...inner];
};

/** From the beginning of what `node` repeats to a particle within; null where something else must come before it. */
function enter(node: ModelNode, to: ModelNode): readonly Op[] | null {
  const ops: Op[] = [];
  for (let at = to; at !== node; ) {
    const { parent } = at;
    if (parent === null) return null;
    if (parent.particle.kind === 'sequence' && (parent.required[0] ?? 0) < at.index) return null;
    if (at.slot >= 0) ops.push({ kind: 'first', slot: at.slot });
    if (parent.particle.kind === 'all') {
      const from = parent.memberSlot;
      ops.push({ kind: 'firstMember', from, to: from + parent.children.length, slot: from + at.index });
    }
    at = parent;
  }
  return ops;
}

/** Whether these counters let one go this way. */
export function admits(ops: Ops, counters: readonly number[]): boolean {
  if (ops === null) return true;
  for (const op of ops) {
    switch (op.kind) {
      case 'leave':
        if ((counters[op.slot] ?? 0) < op.min) return false;
        break;
      case 'again':
        if ((counters[op.slot] ?? 0) >= op.max) return false;
        break;
      case 'member':
        if (counters[op.slot] !== 0) return false;
        break;
      case 'members':
        for (const slot of op.slots) if (counters[slot] === 0) return false;
        break;
      case 'first':
      case 'firstMember':
        break;
    }
  }
  return true;
}

/** Counts what going this way counts. */
export function count(ops: Ops, counters: number[]): void {
  if (ops === null) return;
  for (const op of ops) {
    switch (op.kind) {
      case 'again':
        counters[op.slot] = (counters[op.slot] ?? 0) + 1;
        break;
      case 'first':
      case 'member':
        counters[op.slot] = 1;
        break;
      case 'firstMember':
        counters.fill(0, op.from, op.to);
        counters[op.slot] = 1;
        break;
      case 'leave':
        counters[op.slot] = 0;
        break;
      case 'members':
        break;
    }
  }
}
