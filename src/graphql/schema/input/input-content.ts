import type { requestPlans } from '../../../codec/index.js';
import { collections, getOrMake } from '../../../core/index.js';
import {
  type ElementDeclaration,
  type Particle,
  typeKey,
  type Wildcard,
} from '../../../wsdl/index.js';
import { type InputOrder, optionalPlaces, orderOf, type ParticlePosition } from './input-order.js';

/** A position of a content model for which a request may have a value. */
export type InputParticle = InputElement | InputWildcard | InputGroup;

interface InputElement extends Counts {
  readonly kind: 'element';
  readonly element: ElementDeclaration;
}

/** A position of elements of any name. */
interface InputWildcard extends Counts {
  readonly kind: 'any';
  /** The wildcards there; none: anything. */
  readonly wildcards: readonly Wildcard[];
}

/**
 * A group of several elements that is repeated as a whole: only a list of its own keeps their
 * order.
 */
export interface InputGroup extends Counts {
  readonly kind: 'group';
  readonly particle: Particle;
  /** The content that one repetition has. */
  readonly content: InputContent;
}

/** How often, whatever branches are taken. */
export interface Counts {
  readonly min: number;
  readonly max: number;
  /** The fewest occurrences where there is one at all. */
  readonly least: number;
}

/** A content model as a request sees it, in the order of the schema. */
export interface InputContent {
  readonly particles: ReadonlyMap<string, InputParticle>;
  /** Choices, and members that come together. Their keys are those of `particles`. */
  readonly rules: readonly requestPlans.BranchRule[];
  /** Null where each particle has one place, in the order of `particles`. */
  readonly order: InputOrder | null;
}

/**
 * Reads a content model for requests. Deeper than schemas nest, it allows anything. Asked for every
 * element of the type.
 */
export const inputContent = collections.makeOncePer(
  (particle: Particle): InputContent => sealed(fold(particle, 0, { groups: 0, scopes: 0 })),
);

interface Fold {
  readonly particles: Map<string, InputParticle>;
  readonly rules: readonly requestPlans.BranchRule[];
  /** Members with several places: no rule can choose one. */
  readonly doubled: ReadonlySet<string>;
  /** Null above the bound: then each member is written at its first place. */
  readonly places: readonly ParticlePosition[] | null;
}

/** The bound of nested groups. */
const DEPTH_MAX = 100;
const PLACES_MAX = 10_000;

const nothing = (): Fold => ({ particles: new Map(), rules: [], doubled: new Set(), places: [] });

const sealed = ({ particles, rules, doubled, places }: Fold): InputContent => ({
  particles,
  order: places === null ? null : orderOf(places, particles.keys()),
  rules:
    doubled.size === 0
      ? rules
      : rules.filter((rule) =>
          rule.branches.every(({ keys }) => !keys.some((key) => doubled.has(key))),
        ),
});

/** Counts the groups, and what may be left out: each is another one, whatever it holds. */
interface Reading {
  groups: number;
  scopes: number;
}

function fold(particle: Particle, depth: number, reading: Reading): Fold {
  const { min, max } = particle;
  if (max === 0) return nothing();
  if (particle.kind === 'one') {
    const { element } = particle;
    return single(`element ${typeKey(element.name)}`, {
      kind: 'element',
      element,
      min,
      max,
      least: min,
    });
  }
  if (particle.kind === 'any' || depth > DEPTH_MAX) {
    const wildcards = particle.kind === 'any' ? [particle.wildcard] : [];
    return single('any', { kind: 'any', wildcards, min, max, least: min });
  }
  const folds = particle.particles.map((child) => fold(child, depth + 1, reading));
  const once = particle.kind === 'choice' ? eitherOf(folds, reading) : allOf(folds);
  if (max > 1) return repeated(once, particle, reading);
  if (min > 0) return once;
  return {
    ...optional(once),
    places: once.places && optionalPlaces(once.places, ++reading.scopes),
  };
}

const single = (key: string, particle: InputParticle): Fold => ({
  ...nothing(),
  particles: new Map([[key, particle]]),
  places: [{ key, min: particle.min, max: particle.max, scope: null }],
});

/** A sequence: its parts add up. */
function allOf(folds: readonly Fold[]): Fold {
  const particles = new Map<string, InputParticle>();
  const doubled = new Set<string>();
  for (const each of folds) {
    for (const key of each.doubled) {
      doubled.add(key);
    }
    for (const [key, particle] of each.particles) {
      const known = particles.get(key);
      if (known === undefined) {
        particles.set(key, particle);
      } else {
        doubled.add(key);
        const min = known.min + particle.min;
        // If neither position requires an element, a single one may be at either.
        const least = min > 0 ? min : Math.min(known.least, particle.least);
        particles.set(key, {
          ...together(known, particle),
          min,
          max: known.max + particle.max,
          least,
        });
      }
    }
  }
  return {
    particles,
    doubled,
    rules: folds.flatMap(({ rules }) => rules),
    places: placesIn(folds)?.flat() ?? null,
  };
}

/** Merges two particles of one key: their wildcards are united. */
function together(known: InputParticle, particle: InputParticle): InputParticle {
  if (known.kind !== 'any' || particle.kind !== 'any') return known;
  const isOpen = known.wildcards.length === 0 || particle.wildcards.length === 0;
  return {
    ...known,
    wildcards: isOpen ? [] : [...new Set([...known.wildcards, ...particle.wildcards])],
  };
}

/** The places of each member; null above the bound. */
function placesIn(folds: readonly Fold[]): readonly (readonly ParticlePosition[])[] | null {
  const known = folds.flatMap(({ places }) => (places === null ? [] : [places]));
  const count = known.reduce((sum, places) => sum + places.length, 0);
  return known.length < folds.length || count > PLACES_MAX ? null : known;
}

/** A choice: of each the least and the most of its branches. */
function eitherOf(folds: readonly Fold[], reading: Reading): Fold {
  const [only, ...others] = folds;
  if (only === undefined) return nothing();
  if (others.length === 0) return only;
  const particles = new Map<string, InputParticle>();
  const doubled = new Set(folds.flatMap((each) => [...each.doubled]));
  for (const each of folds) {
    for (const [key, particle] of each.particles) {
      const known = particles.get(key);
      if (known === undefined) {
        particles.set(key, particle);
      } else {
        const [min, max] = [Math.min(known.min, particle.min), Math.max(known.max, particle.max)];
        particles.set(key, {
          ...together(known, particle),
          min,
          max,
          least: Math.min(known.least, particle.least),
        });
      }
    }
  }
  for (const [key, particle] of particles) {
    if (folds.some((each) => !each.particles.has(key))) {
      particles.set(key, { ...particle, min: 0 });
    }
  }
  const branches = folds.filter((each) => each.particles.size > 0).map(branchOf);
  const required = folds.every((each) => each.particles.size > 0 && isRequired(each));
  const each = placesIn(folds);
  const places = each && chosenPlaces(each, ++reading.scopes);
  return { particles, doubled, rules: [{ required, branches }], places };
}

/** An optional part: if some of it is present, all that it requires must be. */
function optional(once: Fold): Fold {
  const particles = new Map(
    [...once.particles].map(([key, particle]) => [key, { ...particle, min: 0 }]),
  );
  const [rule, ...others] = once.rules;
  const chosen = new Set(rule?.branches.flatMap(({ keys }) => keys));
  const isPlainChoice =
    rule !== undefined && others.length === 0 && chosen.size === once.particles.size;
  if (isPlainChoice) return { ...once, particles, rules: [{ ...rule, required: false }] };
  const needsRule = particles.size > 1 && isRequired(once);
  return {
    ...once,
    particles,
    rules: needsRule ? [{ required: false, branches: [branchOf(once)] }] : once.rules,
  };
}

function repeated(once: Fold, particle: Particle, reading: Reading): Fold {
  const { min, max } = particle;
  const [[key, only] = [], ...others] = [...once.particles];
  if (key === undefined || only === undefined) return once;
  // Pairs that are repeated cannot be any number.
  if (others.length === 0 && only.least < 2) {
    const least = only.least * Math.max(min, 1);
    const counted = { ...only, min: only.min * min, max: only.max * max, least };
    return { ...single(key, counted), doubled: once.doubled };
  }
  const least = isRequired(once) ? min : 0;
  reading.groups += 1;
  const group: InputGroup = {
    kind: 'group',
    particle,
    content: sealed(once),
    min: least,
    max,
    least,
  };
  return single(`group ${reading.groups}`, group);
}

const branchOf = (each: Fold): requestPlans.Branch => ({
  keys: [...each.particles.keys()],
  required: [...each.particles].flatMap(([key, { min }]) => (min > 0 ? [key] : [])),
  rules: sealed(each).rules,
});

/** Something of it must be provided. */
const isRequired = ({ particles, rules }: Fold): boolean =>
  [...particles.values()].some(({ min }) => min > 0) || rules.some(({ required }) => required);

export const isBounded = ({ least, max }: Counts): boolean => least > 0 || max < Infinity;

/**
 * How many items a list in a wrapper may have: none, where the group they stand in may be left out.
 */
export function countsOf({ type }: ElementDeclaration): Counts | null {
  if (type.kind === 'simple' || type.content.kind !== 'elements') return null;
  const [particle] = inputContent(type.content.particle).particles.values();
  return particle === undefined ? null : { ...particle, least: particle.min };
}

/** Choices of more particles, or branches, are not put in order. */
const MOST = 200;

/**
 * The places of a choice, each branch in its order. A particle that stands in several branches has
 * one place, in an order that suits all of them; where there is none, it depends on the branch.
 */
function chosenPlaces(
  branches: readonly (readonly ParticlePosition[])[],
  scope: number,
): readonly ParticlePosition[] {
  const shared = sharedKeys(branches);
  const own = branches.map((places) =>
    places.map((place) => ({ ...place, scope: place.scope ?? scope })),
  );
  if (shared.size === 0) return own.flat();
  const nodes = new Map<string, ParticlePosition>();
  const sequences = own.map((places, branch) =>
    places.map((place, at) => {
      const node = shared.get(place.key) === 'once' ? place.key : `${branch} ${at}`;
      const isOften = shared.get(place.key) === 'often';
      const known = isOften ? { ...place, isTangled: true } : place;
      nodes.set(
        node,
        shared.get(place.key) === 'once'
          ? { ...place, min: 0, max: Number.POSITIVE_INFINITY }
          : known,
      );
      return node;
    }),
  );
  const order = Math.max(nodes.size, branches.length) > MOST ? [] : orderFor(sequences);
  const placed = new Set(order);
  // The rest goes round in a circle: each of it stands before the other in some branch.
  const rest = [...nodes.keys()].filter((node) => !placed.has(node));
  return [...order, ...rest].flatMap((node): readonly ParticlePosition[] => {
    const place = nodes.get(node);
    if (place === undefined) return [];
    return [shared.has(place.key) && !placed.has(node) ? { ...place, isTangled: true } : place];
  });
}

/** The particles that stand in several branches: once in each, or more often in one. */
function sharedKeys(
  branches: readonly (readonly ParticlePosition[])[],
): ReadonlyMap<string, 'once' | 'often'> {
  const found = new Map<string, { branches: number; isOften: boolean }>();
  for (const places of branches) {
    const own = new Set<string>();
    for (const { key } of places) {
      const known = getOrMake(found, key, () => ({ branches: 0, isOften: false }));
      if (own.has(key)) {
        known.isOften = true;
      } else {
        known.branches += 1;
      }
      own.add(key);
    }
  }
  const shared = [...found].filter(([, { branches: count }]) => count > 1);
  return new Map(shared.map(([key, { isOften }]) => [key, isOften ? 'often' : 'once']));
}

/** Merges the sequences into one order that agrees with all of them, if there is one. */
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
      if (sequence[heads[at] ?? 0] === free) {
        heads[at] = (heads[at] ?? 0) + 1;
      }
    }
  }
}
