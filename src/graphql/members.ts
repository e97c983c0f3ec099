import type { AttributeDeclaration, ComplexType, ElementDeclaration, Particle, SimpleType } from '../wsdl/model.js';
import { typeKey } from '../wsdl/model.js';
import { fieldName, NameScope, type Naming } from './naming.js';

/** One thing inside an element: a child, an attribute or its text, under the name it has in GraphQL. */
export type Member = ElementMember | AttributeMember | TextMember;

export interface ElementMember {
  readonly place: 'element';
  readonly name: string;
  readonly element: ElementDeclaration;
  /** At least one stands there whatever branch of a choice is taken. */
  readonly required: boolean;
  /** More than one may stand there. */
  readonly many: boolean;
}

export interface AttributeMember {
  readonly place: 'attribute';
  readonly name: string;
  readonly attribute: AttributeDeclaration;
}

export interface TextMember {
  readonly place: 'text';
  readonly name: string;
  readonly type: SimpleType;
}

export interface Members {
  readonly all: readonly Member[];
  /** Names of members of which exactly one must be given. */
  readonly choices: readonly (readonly string[])[];
  /** There is room for anything (xs:any), which is not modelled. */
  readonly wildcard: boolean;
  /** Names that could not be what they should be: `name` was wanted by two. */
  readonly collisions: readonly string[];
}

/**
 * The members of complex types, flattened: compositors become occurrence. Members of an extension begin with those of
 * its base under the same names, so that an object fits the interface of its base. Remembers every answer.
 */
export class MemberTable {
  readonly #naming: Naming;
  readonly #known = new Map<ComplexType, Members>();

  constructor(naming: Naming) {
    this.#naming = naming;
  }

  of(type: ComplexType): Members {
    const chain: ComplexType[] = [];
    let base: ComplexType | null = type;
    while (base !== null && !this.#known.has(base) && chain.length < MAX_CHAIN) {
      chain.push(base);
      base = inheritedFrom(base);
    }
    for (const step of chain.reverse()) this.#known.set(step, this.#flatten(step));
    return this.#known.get(type) ?? EMPTY;
  }

  #flatten(type: ComplexType): Members {
    const baseType = inheritedFrom(type);
    const base = baseType === null ? EMPTY : (this.#known.get(baseType) ?? EMPTY);
    const own = ownMembers(type);
    const places = new Set(base.all.map(placeOf));
    const scope = new NameScope(base.all.map((member) => member.name));
    const all: Member[] = [...base.all];
    const collisions: string[] = [];
    const names = new Map(base.all.map((member) => [placeOf(member), member.name]));
    for (const member of own.all) {
      const place = placeOf(member);
      if (places.has(place)) continue;
      places.add(place);
      const wanted = member.place === 'text' ? 'value' : fieldName(member.name, this.#naming);
      const name = member.place === 'attribute' ? scope.take(wanted, `${wanted}Attribute`) : scope.take(wanted);
      if (name !== wanted) collisions.push(wanted);
      names.set(place, name);
      all.push({ ...member, name });
    }
    const choices = own.choices.map((choice) => choice.map((element) => names.get(placeOfElement(element)) ?? ''));
    return { all, choices, wildcard: own.wildcard, collisions };
  }
}

const EMPTY: Members = { all: [], choices: [], wildcard: false, collisions: [] };

/** Longer chains of derivation than any schema has are cut. */
const MAX_CHAIN = 1000;

/** The type whose members a type begins with. A restriction keeps what it drops, as never present. */
const inheritedFrom = (type: ComplexType): ComplexType | null => (type.derivation === null ? null : type.base);

const placeOfElement = (element: ElementDeclaration): string => `element ${typeKey(element.name)}`;

function placeOf(member: Member): string {
  if (member.place === 'text') return 'text';
  return member.place === 'element' ? placeOfElement(member.element) : `attribute ${typeKey(member.attribute.name)}`;
}

interface Own {
  readonly all: readonly Member[];
  readonly choices: readonly (readonly ElementDeclaration[])[];
  readonly wildcard: boolean;
}

/** Members under their XML names: elements, text, then attributes. */
function ownMembers(type: ComplexType): Own {
  const all: Member[] = [];
  const flat = type.content.kind === 'elements' ? flatten(type.content.particle) : NOTHING;
  all.push(...flat.elements.values());
  if (type.content.kind === 'text') all.push({ place: 'text', name: 'value', type: type.content.type });
  for (const attribute of type.attributes) all.push({ place: 'attribute', name: attribute.name.local, attribute });
  return { all, choices: flat.choices, wildcard: flat.wildcard };
}

/** How often elements may stand in a piece of a content model, in document order. */
type Occurrences = Map<string, { readonly element: ElementDeclaration; readonly min: number; readonly max: number }>;

interface Flat {
  readonly elements: ReadonlyMap<string, ElementMember>;
  readonly choices: readonly (readonly ElementDeclaration[])[];
  readonly wildcard: boolean;
}

const NOTHING: Flat = { elements: new Map(), choices: [], wildcard: false };

interface Frame {
  readonly particle: Particle;
  /** Whatever branch is taken, this stands there exactly once. */
  readonly certain: boolean;
  readonly sum: Occurrences;
  next: number;
}

/** Folds a content model from its leaves: a sequence adds up, a choice takes the least and the most of its branches. */
function flatten(root: Particle): Flat {
  const choices: (readonly ElementDeclaration[])[] = [];
  let wildcard = false;
  const result: Occurrences = new Map();
  const stack: Frame[] = [{ particle: root, certain: once(root), sum: new Map(), next: 0 }];
  for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
    const { particle, certain } = frame;
    const group = particle.kind === 'one' || particle.kind === 'any' ? null : particle;
    const child = group?.particles[frame.next++];
    if (child !== undefined) {
      const isSure = certain && particle.kind !== 'choice' && once(child);
      stack.push({ particle: child, certain: isSure, sum: new Map(), next: 0 });
      continue;
    }
    stack.pop();
    if (particle.kind === 'any') wildcard = true;
    if (particle.kind === 'one') frame.sum.set(typeKey(particle.element.name), { ...particle, min: 1, max: 1 });
    if (particle.kind === 'choice' && certain) addChoice(choices, particle.particles);
    const parent = stack.at(-1);
    if (particle.max > 0) merge(parent?.sum ?? result, frame.sum, particle, parent ?? null);
  }
  return { elements: membersFrom(result), choices, wildcard };
}

const once = (particle: Particle): boolean => particle.min === 1 && particle.max === 1;

function merge(into: Occurrences, from: Occurrences, particle: Particle, parent: Frame | null): void {
  const isBranch = parent?.particle.kind === 'choice' && parent.particle.particles.length > 1;
  const isFirst = parent === null || parent.next === 1;
  for (const [key, { element, min, max }] of from) {
    const known = into.get(key);
    const least = min * particle.min;
    const most = max * particle.max;
    if (isBranch) {
      const knownMin = known?.min ?? (isFirst ? least : 0);
      into.set(key, { element, min: Math.min(knownMin, least), max: Math.max(known?.max ?? 0, most) });
    } else into.set(key, { element, min: (known?.min ?? 0) + least, max: (known?.max ?? 0) + most });
  }
  if (!isBranch) return;
  for (const [key, known] of into) if (!from.has(key)) into.set(key, { ...known, min: 0 });
}

function membersFrom(occurrences: Occurrences): ReadonlyMap<string, ElementMember> {
  return new Map(
    [...occurrences].map(([key, { element, min, max }]) => [
      key,
      { place: 'element', name: element.name.local, element, required: min > 0, many: max > 1 },
    ]),
  );
}

/** Only a choice between single elements can be checked member by member. */
function addChoice(choices: (readonly ElementDeclaration[])[], particles: readonly Particle[]): void {
  const elements = particles.flatMap((particle) =>
    particle.kind === 'one' && particle.min > 0 ? [particle.element] : [],
  );
  if (elements.length > 1 && elements.length === particles.length) choices.push(elements);
}
