import type { Branch, BranchRule } from '../../codec/plan/plan.js';
import { type ElementDeclaration, type Particle, typeKey } from '../../wsdl/model.js';

/** One place of a content model where a request may say something. */
export type Piece = ElementPiece | AnyPiece | GroupPiece;

export interface ElementPiece extends Counts {
  readonly kind: 'element';
  readonly element: ElementDeclaration;
}

/** Room for elements of any name. */
export interface AnyPiece extends Counts {
  readonly kind: 'any';
}

/** A group of several elements that is repeated as a whole: only a list of its own keeps their order. */
export interface GroupPiece extends Counts {
  readonly kind: 'group';
  readonly content: InputContent;
}

/** How often, whatever branches are taken. */
export interface Counts {
  readonly min: number;
  readonly max: number;
  /** Where there is one at all. */
  readonly least: number;
}

/** A content model as a request sees it, in the order of the schema. */
export interface InputContent {
  readonly pieces: ReadonlyMap<string, Piece>;
  /** Choices, and members that come together. Their keys are those of `pieces`. */
  readonly rules: readonly BranchRule[];
}

/** Reads a content model for requests. Deeper than schemas nest, it is room for anything. */
export function inputContent(particle: Particle): InputContent {
  const known = CONTENTS.get(particle);
  if (known !== undefined) return known;
  const made = sealed(fold(particle, 0, { groups: 0 }));
  CONTENTS.set(particle, made);
  return made;
}

/** Asked for every element of the type. */
const CONTENTS = new WeakMap<Particle, InputContent>();

interface Fold {
  readonly pieces: Map<string, Piece>;
  readonly rules: readonly BranchRule[];
  /** What stands in several places: no rule can tell which one is meant. */
  readonly doubled: ReadonlySet<string>;
}

/** Groups within groups: nobody writes more. */
const DEPTH_MAX = 100;

const nothing = (): Fold => ({ pieces: new Map(), rules: [], doubled: new Set() });

const sealed = ({ pieces, rules, doubled }: Fold): InputContent => ({
  pieces,
  rules:
    doubled.size === 0
      ? rules
      : rules.filter((rule) => rule.branches.every(({ keys }) => !keys.some((key) => doubled.has(key)))),
});

/** Counts the groups: each is another one, whatever it holds. */
interface Reading {
  groups: number;
}

function fold(particle: Particle, depth: number, reading: Reading): Fold {
  const { min, max } = particle;
  if (max === 0) return nothing();
  if (particle.kind === 'one') {
    const { element } = particle;
    return {
      ...nothing(),
      pieces: new Map([[`element ${typeKey(element.name)}`, { kind: 'element', element, min, max, least: min }]]),
    };
  }
  if (particle.kind === 'any' || depth > DEPTH_MAX) {
    return { ...nothing(), pieces: new Map([['any', { kind: 'any', min, max, least: min }]]) };
  }
  const folds = particle.particles.map((child) => fold(child, depth + 1, reading));
  const once = particle.kind === 'choice' ? eitherOf(folds) : allOf(folds);
  if (max > 1) return repeated(once, particle, reading);
  return min === 0 ? optional(once) : once;
}

/** A sequence: what stands there adds up. */
function allOf(folds: readonly Fold[]): Fold {
  const pieces = new Map<string, Piece>();
  const doubled = new Set<string>();
  for (const each of folds) {
    for (const key of each.doubled) doubled.add(key);
    for (const [key, piece] of each.pieces) {
      const known = pieces.get(key);
      if (known === undefined) pieces.set(key, piece);
      else {
        doubled.add(key);
        const least = known.least + piece.least;
        pieces.set(key, { ...known, min: known.min + piece.min, max: known.max + piece.max, least });
      }
    }
  }
  return { pieces, doubled, rules: folds.flatMap(({ rules }) => rules) };
}

/** A choice: of each the least and the most of its branches. */
function eitherOf(folds: readonly Fold[]): Fold {
  const [only, ...others] = folds;
  if (only === undefined) return nothing();
  if (others.length === 0) return only;
  const pieces = new Map<string, Piece>();
  const doubled = new Set(folds.flatMap((each) => [...each.doubled]));
  for (const each of folds) {
    for (const [key, piece] of each.pieces) {
      const known = pieces.get(key);
      if (known === undefined) pieces.set(key, piece);
      else {
        const [min, max] = [Math.min(known.min, piece.min), Math.max(known.max, piece.max)];
        pieces.set(key, { ...known, min, max, least: Math.min(known.least, piece.least) });
      }
    }
  }
  for (const [key, piece] of pieces) {
    if (folds.some((each) => !each.pieces.has(key))) pieces.set(key, { ...piece, min: 0 });
  }
  const branches = folds.filter((each) => each.pieces.size > 0).map(branchOf);
  const required = folds.every((each) => each.pieces.size > 0 && mustBeGiven(each));
  return { pieces, doubled, rules: [{ required, branches }] };
}

/** What need not be there: but if some of it is, all that it requires. */
function optional(once: Fold): Fold {
  const pieces = new Map([...once.pieces].map(([key, piece]) => [key, { ...piece, min: 0 }]));
  const [rule, ...others] = once.rules;
  const chosen = new Set(rule?.branches.flatMap(({ keys }) => keys));
  const isPlainChoice = rule !== undefined && others.length === 0 && chosen.size === once.pieces.size;
  if (isPlainChoice) return { ...once, pieces, rules: [{ ...rule, required: false }] };
  const needsRule = pieces.size > 1 && mustBeGiven(once);
  return { ...once, pieces, rules: needsRule ? [{ required: false, branches: [branchOf(once)] }] : once.rules };
}

function repeated(once: Fold, { min, max }: Pick<Counts, 'min' | 'max'>, reading: Reading): Fold {
  const [[key, piece] = [], ...others] = [...once.pieces];
  if (key === undefined || piece === undefined) return once;
  // Pairs that are repeated cannot be any number.
  if (others.length === 0 && piece.least < 2) {
    const least = piece.least * Math.max(min, 1);
    const counted = { ...piece, min: piece.min * min, max: piece.max * max, least };
    return { ...once, pieces: new Map([[key, counted]]), rules: [] };
  }
  const least = mustBeGiven(once) ? min : 0;
  reading.groups += 1;
  const group: GroupPiece = { kind: 'group', content: sealed(once), min: least, max, least };
  return { ...nothing(), pieces: new Map([[`group ${reading.groups}`, group]]) };
}

const branchOf = (each: Fold): Branch => ({
  keys: [...each.pieces.keys()],
  required: [...each.pieces].flatMap(([key, { min }]) => (min > 0 ? [key] : [])),
  rules: sealed(each).rules,
});

/** Something of it must be given. */
const mustBeGiven = ({ pieces, rules }: Fold): boolean =>
  [...pieces.values()].some(({ min }) => min > 0) || rules.some(({ required }) => required);
