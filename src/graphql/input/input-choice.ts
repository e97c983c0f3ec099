import type { Place } from './input-order.js';

/** Choices of more pieces, or branches, are not put in order. */
const MOST = 200;

/**
 * The places of a choice, each branch in its order. A piece that stands in several branches has one place, in an order
 * that suits all of them; where there is none, it depends on the branch.
 */
export function chosenPlaces(branches: readonly (readonly Place[])[], scope: number): readonly Place[] {
  const shared = sharedKeys(branches);
  const own = branches.map((places) => places.map((place) => ({ ...place, scope: place.scope ?? scope })));
  if (shared.size === 0) return own.flat();
  const nodes = new Map<string, Place>();
  const sequences = own.map((places, branch) =>
    places.map((place, at) => {
      const node = shared.get(place.key) === 'once' ? place.key : `${branch} ${at}`;
      const isOften = shared.get(place.key) === 'often';
      const known = isOften ? { ...place, isTangled: true } : place;
      nodes.set(node, shared.get(place.key) === 'once' ? { ...place, min: 0, max: Number.POSITIVE_INFINITY } : known);
      return node;
    }),
  );
  const order = Math.max(nodes.size, branches.length) > MOST ? [] : orderFor(sequences);
  const placed = new Set(order);
  // The rest goes round in a circle: each of it stands before the other in some branch.
  const rest = [...nodes.keys()].filter((node) => !placed.has(node));
  return [...order, ...rest].flatMap((node): readonly Place[] => {
    const place = nodes.get(node);
    if (place === undefined) return [];
    return [shared.has(place.key) && !placed.has(node) ? { ...place, isTangled: true } : place];
  });
}

/** The pieces that stand in several branches: once in each, or more often in one. */
function sharedKeys(branches: readonly (readonly Place[])[]): ReadonlyMap<string, 'once' | 'often'> {
  const found = new Map<string, { branches: number; isOften: boolean }>();
  for (const places of branches) {
    const own = new Set<string>();
    for (const { key } of places) {
      const known = found.get(key) ?? { branches: 0, isOften: false };
      found.set(key, known);
      if (own.has(key)) known.isOften = true;
      else known.branches += 1;
      own.add(key);
    }
  }
  const shared = [...found].filter(([, { branches: count }]) => count > 1);
  return new Map(shared.map(([key, { isOften }]) => [key, isOften ? 'often' : 'once']));
}

/** An order in which each of these stands as it does in every sequence, as far as there is one. */
function orderFor(sequences: readonly (readonly string[])[]): readonly string[] {
  const heads = sequences.map(() => 0);
  const order: string[] = [];
  const isFree = (node: string): boolean =>
    sequences.every((sequence, at) => sequence.indexOf(node) <= (heads[at] ?? 0));
  for (;;) {
    const free = sequences
      .map((sequence, at) => sequence[heads[at] ?? 0])
      .find((node) => node !== undefined && isFree(node));
    if (free === undefined) return order;
    order.push(free);
    for (const [at, sequence] of sequences.entries()) {
      if (sequence[heads[at] ?? 0] === free) heads[at] = (heads[at] ?? 0) + 1;
    }
  }
}
