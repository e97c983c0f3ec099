import type { replyPlans } from '../../../codec/index.js';
import { type ComplexType, type Particle, typeKey } from '../../../wsdl/index.js';
import type { QName } from '../../../xml/index.js';
import {
  type InputContent,
  type InputGroup,
  type InputParticle,
  inputContent,
} from '../input/input-content.js';
import type { FieldMapping } from '../types/mapping.js';
import type { ElementMember, Member } from '../types/member.js';
import type { MemberTable } from '../types/members.js';
import { NameScope } from '../types/naming.js';
import { particlesIn } from '../types/occurrence.js';
import type { ServiceNames } from '../types/type-names.js';

/**
 * A group of several elements that is repeated as a whole: replies show a list of it, as requests
 * do.
 */
export interface GroupMember {
  readonly kind: 'group';
  /** The type whose content model has it; others inherit it. */
  readonly declaredBy: ComplexType;
  /** As requests call it. */
  readonly name: string;
  readonly required: boolean;
  /** The members of one repetition, in the order of the schema. */
  readonly parts: readonly (ElementMember | GroupMember)[];
  readonly group: replyPlans.RepeatedGroup;
  readonly description: string | null;
  readonly mapping: FieldMapping | null;
}

/** `Members` for groups. */
interface Groups {
  /** With those that a restriction drops. Inherited ones are the very groups of the base. */
  readonly all: readonly GroupMember[];
  readonly present: readonly GroupMember[];
}

/** The repeated groups of one service's types. */
export class GroupTable {
  readonly #members: MemberTable;
  readonly #names: ServiceNames;
  readonly #known = new Map<ComplexType, Groups>();

  constructor(members: MemberTable, names: ServiceNames) {
    this.#members = members;
    this.#names = names;
  }

  of(type: ComplexType): Groups {
    const chain: ComplexType[] = [];
    for (
      let at: ComplexType | null = type;
      at !== null && !this.#known.has(at);
      at = inheritedFrom(at)
    ) {
      chain.push(at);
    }
    for (const step of chain.reverse()) {
      this.#known.set(step, this.#groupsOf(step));
    }
    return this.#known.get(type) ?? NO_GROUPS;
  }

  #groupsOf(type: ComplexType): Groups {
    const base = inheritedFrom(type);
    const inherited = (base === null ? undefined : this.#known.get(base)) ?? NO_GROUPS;
    const isExtension = type.derivation === 'extension';
    const own = this.#own(type, isExtension ? countIn(base) : 0);
    const present = isExtension ? [...inherited.present, ...own] : own;
    return { all: [...inherited.all, ...this.#besides(base, inherited.all, own)], present };
  }

  /**
   * Own groups that leave every field of the base as it is; elements of the others are fields of
   * their own.
   */
  #besides(
    base: ComplexType | null,
    inherited: readonly GroupMember[],
    own: readonly GroupMember[],
  ): readonly GroupMember[] {
    if (base === null || own.length === 0) return own;
    const { all } = this.#members.of(base);
    const elements = new Set(
      all.flatMap((each) =>
        each.kind === 'element' && each.lift === undefined ? [typeKey(each.element.name)] : [],
      ),
    );
    const names = new Set(inherited.map(({ name }) => name));
    return own.filter(
      ({ name, group }) =>
        !names.has(name) && !group.names.some((key) => elements.has(typeKey(key))),
    );
  }

  /** Those of the content of a type that come after the first so many. */
  #own(type: ComplexType, from: number): readonly GroupMember[] {
    const { content } = type;
    if (content.kind !== 'elements' || !hasRepeatedGroup(content.particle)) return [];
    const { all } = this.#members.of(type);
    const model = inputContent(content.particle);
    const names = namesOf(model, new NameScope(all.map(({ name }) => name)));
    const builder = new Builder(type, all, names, (name) => this.#mappingOf(type, name));
    const later = new Set(groupsIn(model).slice(from));
    return builder.groupsOf(model, later).map(({ member }) => member);
  }

  #mappingOf(type: ComplexType, name: string): FieldMapping | null {
    const mapping = this.#names.mapping.field(type, [name]);
    if (mapping?.name != null && mapping.name !== name) {
      this.#names.refuse(mapping.path, 'The list of a group that is repeated keeps its name.');
    }
    return mapping;
  }
}

const NO_GROUPS: Groups = { all: [], present: [] };

interface Built {
  readonly source: InputGroup;
  readonly member: GroupMember;
}

class Builder {
  readonly #type: ComplexType;
  readonly #elements: ReadonlyMap<string, ElementMember>;
  readonly #names: ReadonlyMap<InputGroup, string>;
  readonly #mappingOf: (name: string) => FieldMapping | null;

  constructor(
    type: ComplexType,
    members: readonly Member[],
    names: ReadonlyMap<InputGroup, string>,
    mappingOf: (name: string) => FieldMapping | null,
  ) {
    this.#type = type;
    this.#elements = new Map(
      members.flatMap((member) =>
        member.kind === 'element' && member.lift === undefined
          ? [[typeKey(member.element.name), member] as const]
          : [],
      ),
    );
    this.#names = names;
    this.#mappingOf = mappingOf;
  }

  /**
   * Builds the groups that are distinct from their neighbours in a content model or a repetition.
   */
  groupsOf(content: InputContent, among: Iterable<InputGroup>): readonly Built[] {
    const counts = new Map<string, number>();
    for (const particle of content.particles.values()) {
      for (const key of keysOf(particle)) {
        counts.set(key, (counts.get(key) ?? 0) + 1);
      }
    }
    return [...among].flatMap((group) => {
      const keys = keysOf(group);
      if (
        keys.size < 2 ||
        isLoose(group.particle) ||
        [...keys].some((key) => counts.get(key) !== 1)
      ) {
        return [];
      }
      const member = this.#group(group);
      // Groups that are nested too deep allow anything.
      return member.group.names.length === keys.size ? [{ source: group, member }] : [];
    });
  }

  #group(source: InputGroup): GroupMember {
    const inner = this.groupsOf(source.content, groupsIn(source.content));
    const built = new Map(inner.map(({ source, member }) => [source, member]));
    const parts = new Map<string, ElementMember | GroupMember>();
    const add = (key: string, required: boolean, many: boolean): void => {
      const member = this.#elements.get(key);
      if (member === undefined) return;
      const known = parts.has(key);
      parts.set(key, { ...member, required: required && !known, many: many || known });
    };
    for (const [key, each] of source.content.particles) {
      const group = each.kind === 'group' ? built.get(each) : undefined;
      if (group !== undefined) {
        parts.set(key, group);
      } else if (each.kind === 'element') {
        add(typeKey(each.element.name), each.min > 0, each.max > 1);
      } else {
        for (const within of keysOf(each)) {
          add(within, false, true);
        }
      }
    }
    const name = this.#names.get(source) ?? 'items';
    const mapping = this.#mappingOf(name);
    const models = new Map(inner.map(({ source, member }) => [source.particle, member.group]));
    return {
      kind: 'group',
      declaredBy: this.#type,
      name,
      required: source.min > 0,
      parts: [...parts.values()],
      group: repeatedGroup(source.particle, models),
      description: mapping?.description ?? 'In this order.',
      mapping,
    };
  }
}

const inheritedFrom = (type: ComplexType): ComplexType | null =>
  type.derivation === null ? null : type.base;

/** How many groups the content of what extends this type begins with. */
const countIn = (base: ComplexType | null): number =>
  base?.content.kind === 'elements' ? groupsIn(inputContent(base.content.particle)).length : 0;

const groupsIn = ({ particles }: InputContent): readonly InputGroup[] =>
  [...particles.values()].flatMap((particle) => (particle.kind === 'group' ? [particle] : []));

/**
 * The elements in it, those of groups within it as well. Nested as deep as `inputContent` lets
 * them.
 */
function keysOf(root: InputParticle): ReadonlySet<string> {
  const keys = new Set<string>();
  const stack = [root];
  for (let particle = stack.pop(); particle !== undefined; particle = stack.pop()) {
    if (particle.kind === 'element') {
      keys.add(typeKey(particle.element.name));
    } else if (particle.kind === 'group') {
      stack.push(...[...particle.content.particles.values()].reverse());
    }
  }
  return keys;
}

/** The names of all groups, as requests have them: each before those within it. */
function namesOf(content: InputContent, scope: NameScope): ReadonlyMap<InputGroup, string> {
  const names = new Map<InputGroup, string>();
  const stack = [...content.particles.values()].reverse();
  for (let particle = stack.pop(); particle !== undefined; particle = stack.pop()) {
    if (particle.kind === 'any') {
      scope.take('any');
    }
    if (particle.kind !== 'group') continue;
    names.set(particle, scope.take('items'));
    stack.push(...[...particle.content.particles.values()].reverse());
  }
  return names;
}

/** Whether what is repeated are single elements in any order: no two of them belong together. */
function isLoose(root: Particle): boolean {
  for (const each of particlesIn(root)) {
    if ('particles' in each && each.kind !== 'choice' && each.particles.length > 1) return false;
  }
  return true;
}

/** Most types have none, and of those nothing else needs to be known. */
function hasRepeatedGroup(root: Particle): boolean {
  for (const each of particlesIn(root)) {
    if ('particles' in each && each.max > 1) return true;
  }
  return false;
}

/**
 * The particles of one repetition of a group, in the order of the schema. `inner` are the groups
 * that are shown as lists of their own; whatever else is repeated is one place for all that is in
 * it.
 */
function repeatedGroup(
  root: Particle,
  inner: ReadonlyMap<Particle, replyPlans.RepeatedGroup>,
): replyPlans.RepeatedGroup {
  const places: MutablePlace[] = [];
  const stack: Step[] = childrenOf(root);
  for (let step = stack.pop(); step !== undefined; step = stack.pop()) {
    if ('branches' in step) {
      exclude(places, step.branches);
      continue;
    }
    if ('starts' in step) {
      step.starts.push(places.length);
      continue;
    }
    const { particle } = step;
    const { max } = particle;
    if (particle.kind === 'any' || max === 0) continue;
    const group = inner.get(particle) ?? null;
    if (particle.kind === 'one') {
      places.push({ names: [particle.element.name], max, group: null, excluded: [] });
    } else if (group !== null) {
      places.push({ names: group.names, max, group, excluded: [] });
    } else if (max > 1) {
      places.push({ names: namesIn(particle), max: Infinity, group: null, excluded: [] });
    } else {
      stack.push(...childrenOf(particle));
    }
  }
  return { names: distinct(places.flatMap(({ names }) => names)), particles: places };
}

type MutablePlace = replyPlans.GroupParticle & { readonly excluded: [number, number][] };

type Step =
  | { readonly particle: Particle }
  /** A branch of a choice begins, or ends: how many places there are now is noted. */
  | { readonly starts: number[] }
  /** A choice ends, whose branches begin there. */
  | { readonly branches: readonly number[] };

/** For a stack: the first is the last. */
function childrenOf(particle: Particle): Step[] {
  if (particle.kind === 'one' || particle.kind === 'any') return [{ particle }];
  const children = particle.particles.map((child) => ({ particle: child }));
  if (particle.kind !== 'choice') return children.reverse();
  const starts: number[] = [];
  const branches = children.flatMap((child): readonly Step[] => [{ starts }, child]);
  return [...branches, { starts }, { branches: starts }].reverse();
}

/** No branch of a choice is followed by another: that is the next repetition. */
function exclude(places: readonly MutablePlace[], starts: readonly number[]): void {
  const end = starts.at(-1) ?? 0;
  for (const [branch, start] of starts.entries()) {
    const next = starts[branch + 1] ?? end;
    for (const place of places.slice(start, next)) {
      if (next < end) {
        place.excluded.push([next, end]);
      }
    }
  }
}

const namesIn = (root: Particle): readonly QName[] =>
  distinct(
    [...particlesIn(root)].flatMap((each) => (each.kind === 'one' ? [each.element.name] : [])),
  );

const distinct = (names: readonly QName[]): readonly QName[] => [
  ...new Map(names.map((name) => [typeKey(name), name])).values(),
];
