import type { ComplexType, ElementDeclaration, Particle, XsdType } from '../../../wsdl/index.js';
import { isEmptied, liftedMembers, refuseOpenRights } from './lifted-members.js';
import type { FieldMapping, MappingTable } from './mapping.js';
import {
  type ChoiceMember,
  elementKey,
  isHidden,
  keysOf,
  type Member,
  memberKey,
  ownMembers,
} from './member.js';
import { contentModel, isUnmodelled, type MixedNames } from './mixed.js';
import { fieldName, NameScope, type Naming } from './naming.js';
import { type Choice, flatten, NOTHING } from './occurrence.js';
import type { RuledTypes } from './shape.js';
import type { ServiceNames } from './type-names.js';
import { isAnyType } from './xsd-type.js';

interface Members {
  /**
   * Elements in the order of the schema, the text, attributes; inherited ones first, also those a
   * restriction drops.
   */
  readonly all: readonly Member[];
  /**
   * Those that may be present, as a restriction narrows them: the members of a type that is no
   * interface.
   */
  readonly present: readonly Member[];
  /**
   * Choices between members of `all` that replies show as one field; none unless the service asks
   * for it.
   */
  readonly unions: readonly ChoiceMember[];
  /** It has a wildcard (xs:any), whose content is not modelled. */
  readonly wildcard: boolean;
  /** The field for that content; null where there is no wildcard. */
  readonly rest: string | null;
  /**
   * The fields of mixed content, inherited ones as well; null where there is none, or it is XML.
   */
  readonly mixed: MixedNames | null;
  /** Names kept for the lists of repeated groups, inherited ones as well. */
  readonly lists: readonly string[];
}

/**
 * How replies show a choice: each branch as a field that may be null, or all as one field of a
 * union.
 */
export type ChoiceStyle = 'fields' | 'union';

/** How one service shows members. */
interface MemberRules {
  readonly choices: ChoiceStyle;
  /** Whether replies may leave out what the schema document requires; null: by rule. */
  readonly nullable: boolean | null;
  /** Types of replies that may leave out what is required. */
  readonly nullableTypes?: ReadonlySet<ComplexType>;
  /** It has operations by the SOAP encoding. */
  readonly isEncoded: boolean;
  /** All types of the WSDL. */
  readonly knownTypes: readonly XsdType[];
  /** All global elements of the WSDL. */
  readonly knownElements: readonly ElementDeclaration[];
  /** Makes the types that values of any type may be of; null: these are shown as XML. */
  readonly anyTypes: ((members: MemberTable) => RuledTypes) | null;
}

/**
 * The members of complex types, flattened: compositors become occurrence. Members of an extension
 * begin with those of its base under the same names, so that an object fits the interface of its
 * base. Remembers every answer.
 */
export class MemberTable {
  /** The types that content without a declaration may be of; null: it is shown as XML. */
  readonly anyTypes: RuledTypes | null;
  readonly naming: Naming;
  readonly knownTypes: readonly XsdType[];
  readonly knownElements: readonly ElementDeclaration[];
  readonly #choices: ChoiceStyle;
  readonly #names: ServiceNames;
  readonly #nullability: Nullability;
  readonly #known = new Map<ComplexType, Members>();
  /** The number of types that each known type inherits. */
  readonly #depths = new Map<ComplexType, number>();
  #count = 0;

  constructor(rules: MemberRules, names: ServiceNames) {
    const { choices, nullable, nullableTypes, isEncoded, knownTypes, knownElements, anyTypes } =
      rules;
    this.knownTypes = knownTypes;
    this.knownElements = knownElements;
    this.anyTypes = anyTypes?.(this) ?? null;
    this.naming = names.naming;
    this.#choices = choices;
    this.#names = names;
    this.#nullability = new Nullability(names.mapping, nullable, nullableTypes ?? null, isEncoded);
  }

  of(type: ComplexType): Members {
    const chain: ComplexType[] = [];
    let base: ComplexType | null = type;
    while (base !== null && !this.#known.has(base)) {
      chain.push(base);
      base = inheritedFrom(base);
    }
    let depth = base === null ? 0 : (this.#depths.get(base) ?? 0);
    for (const step of chain.reverse()) {
      if (this.isFull) return EMPTY;
      const members = this.#flatten(step);
      this.#known.set(step, members);
      this.#depths.set(step, ++depth);
      this.#addCount(Math.max(members.all.length, depth));
    }
    return this.#known.get(type) ?? EMPTY;
  }

  /**
   * There are more members than a schema can have: types have none any more, and the mapping is
   * refused.
   */
  get isFull(): boolean {
    return this.#count > MEMBERS_MAX;
  }

  /** Counts members, and refuses the mapping once they are too many for a schema. */
  #addCount(count: number): void {
    const wasFull = this.isFull;
    this.#count += count;
    if (wasFull || !this.isFull) return;
    const limit = MEMBERS_MAX.toLocaleString('en-GB');
    const what = `The types have more than ${limit} members, where each counts what it inherits.`;
    this.#names.refuse(['wsdl'], what, 'Offer fewer of its operations: set the others to false.');
  }

  /** The types that values of this type may be of; null where it is not a type for any. */
  anyTypesOf(type: XsdType): RuledTypes | null {
    return isAnyType(type) || isUnmodelled(type) ? this.anyTypes : null;
  }

  /** Whether the configuration maps any type. */
  get isMapped(): boolean {
    return !this.#names.mapping.isEmpty;
  }

  /** Whether the mapping hides everything of this type. */
  hidesType(type: XsdType): boolean {
    return this.#names.mapping.of(type)?.hidden === true;
  }

  /**
   * Whether the order of elements in a repeated choice is not shown: each is in a list of its own.
   */
  losesOrder(type: ComplexType): boolean {
    const model = this.#choices === 'fields' ? contentModel(type, this.anyTypes !== null) : null;
    return model !== null && flatten(model).choices.some(({ many }) => many);
  }

  #flatten(type: ComplexType): Members {
    const { content } = type;
    const baseType = content.kind === 'array' ? null : inheritedFrom(type);
    const base = baseType === null ? EMPTY : (this.#known.get(baseType) ?? EMPTY);
    const model = contentModel(type, this.anyTypes !== null);
    const flat = model === null ? NOTHING : flatten(model);
    const inherited = new Set(base.all.map(memberKey));
    const own = ownMembers(type, flat.elements).filter(
      (member) => !inherited.has(memberKey(member)),
    );
    const named = this.#named(
      type,
      this.#withLifted(
        type,
        own.map((member) => this.#present(type, member, own)),
        base,
      ),
      base,
    );
    const all = [...base.all, ...named];
    const byPlace = new Map(all.map((member) => [memberKey(member), member]));
    const unions =
      this.#choices === 'fields'
        ? []
        : [...base.unions, ...this.#unions(type, flat.choices, named, base)];
    const isKnown = model !== null || isModelled(content);
    const isNarrowed = type.derivation === 'restriction' && this.#choices === 'fields' && isKnown;
    const wildcard = flat.wildcard || (base.wildcard && !isNarrowed);
    const taken = new NameScope([...all, ...unions].map(({ name }) => name));
    const rest = base.rest ?? (wildcard ? taken.take('any', 'anyElement') : null);
    const isMixed = content.kind === 'opaque' && model !== null;
    const mixed =
      base.mixed ??
      (isMixed
        ? { text: taken.take('text', 'textContent'), xml: taken.take('xml', 'xmlElement') }
        : null);
    const present = isNarrowed
      ? [
          ...ownMembers(type, flat.elements).map((member) =>
            this.#narrowed(member, byPlace.get(memberKey(member))),
          ),
          ...all.filter(({ lift }) => lift !== undefined),
        ]
      : [...base.present, ...named];
    const lists = groupNames(type, all, base.lists);
    return { all, present, unions, wildcard, rest, mixed, lists };
  }

  /** The own members of a type, with those that the mapping lifts out of its elements. */
  #withLifted(type: ComplexType, own: readonly Member[], { all }: Members): readonly Member[] {
    const lifts = this.#names.mapping.isEmpty ? [] : this.#names.mapping.lifts(type);
    if (lifts.length === 0) return own;
    const within = (inner: ComplexType): readonly Member[] => this.#within(inner);
    const { members, paths } = liftedMembers(type, lifts, [...all, ...own], this.#names, within);
    const shown = own.map((member) =>
      member.kind === 'element' && isEmptied(member, paths, within)
        ? { ...member, isEmptied: true }
        : member,
    );
    refuseOpenRights(members, lifts, shown, this.#names);
    return [...shown, ...members];
  }

  /** The members of a type as its elements have them on the wire, each with its mapping. */
  #within(type: ComplexType): readonly Member[] {
    const chain: ComplexType[] = [];
    for (
      let at: ComplexType | null = type;
      at !== null && chain.length < DERIVATIONS_MAX;
      at = at.content.kind === 'array' ? null : inheritedFrom(at)
    ) {
      chain.push(at);
    }
    const members = new Map<string, Member>();
    for (const step of chain.reverse()) {
      const model = contentModel(step, this.anyTypes !== null);
      const own = ownMembers(step, (model === null ? NOTHING : flatten(model)).elements);
      for (const member of own) {
        const key = memberKey(member);
        if (!members.has(key)) {
          members.set(key, this.#present(step, member, own));
        }
      }
    }
    return [...members.values()];
  }

  /** A member as a restriction declares it, under the name that it has already. */
  #narrowed(member: Member, inherited: Member | undefined): Member {
    if (inherited === undefined) return member;
    if (member.kind === 'element') {
      this.#names.mapping.meet(member.element);
    }
    const { name, mapping, nullable } = inherited;
    const isEmpty = inherited.kind === 'element' && inherited.isEmptied === true;
    return {
      ...member,
      ...(isEmpty ? { isEmptied: true } : {}),
      name,
      mapping,
      nullable,
      description: mapping?.description ?? member.description ?? inherited.description,
    };
  }

  /** The choices between members of this type itself. */
  #unions(
    type: ComplexType,
    choices: readonly Choice[],
    own: readonly Member[],
    inherited: Members,
  ): readonly ChoiceMember[] {
    const byPlace = new Map(own.map((member) => [memberKey(member), member]));
    const isBranch = (member: Member): boolean =>
      choices.some(({ elements }) => elements.some((e) => elementKey(e) === memberKey(member)));
    const taken = [
      ...inherited.all,
      ...inherited.unions,
      ...own.filter((member) => !isBranch(member)),
    ];
    const scope = new NameScope(taken.map(({ name }) => name));
    return choices.flatMap((choice): ChoiceMember[] => {
      const branches = choice.elements.flatMap((element) => {
        const member = byPlace.get(elementKey(element));
        const isShown =
          member?.kind === 'element' && !isHidden(member) && !this.hidesType(element.type);
        return isShown ? [member] : [];
      });
      if (branches.length < 2) return [];
      const mapping = this.#names.mapping.field(type, ['choice']);
      const name = scope.take(mapping?.name ?? 'choice');
      const { many } = choice;
      // A branch that is hidden may be the one that is taken.
      const required = choice.required && branches.length === choice.elements.length;
      const nullable =
        mapping?.nullable ?? (branches.some((branch) => branch.nullable === true) ? true : null);
      const about = { mapping, nullable, description: mapping?.description ?? null };
      return [{ kind: 'choice', declaredBy: type, name, branches, required, many, ...about }];
    });
  }

  #present(type: ComplexType, member: Member, beside: readonly Member[]): Member {
    if (member.kind === 'element') {
      this.#names.mapping.meet(member.element);
    }
    const mapping = this.#names.mapping.isEmpty
      ? null
      : this.#names.mapping.field(type, keysOf(member, beside));
    const nullable = this.#nullability.nullabilityOf(type, member, mapping);
    return {
      ...member,
      mapping,
      nullable,
      description: mapping?.description ?? member.description,
    };
  }

  /**
   * Members under their names: those of the mapping first, as they are exactly those; then by rule,
   * in order.
   */
  #named(type: ComplexType, members: readonly Member[], inherited: Members): readonly Member[] {
    const taken = [...inherited.all, ...inherited.unions]
      .map((member) => member.name)
      .concat(inherited.lists);
    // The field of types that have none may be an interface's.
    const scope = new NameScope([
      ...taken,
      '_',
      ...(inherited.rest === null ? [] : [inherited.rest]),
      ...Object.values(inherited.mixed ?? {}),
    ]);
    const chosen = new Map<Member, string>();
    for (const member of members) {
      if (member.mapping?.name == null) continue;
      const { name, path } = member.mapping;
      if (scope.has(name)) {
        this.#names.refuse(path, `Two fields of one type are called ${name}.`);
      }
      chosen.set(member, scope.take(name));
    }
    for (const member of members) {
      if (chosen.has(member)) continue;
      const wanted = member.kind === 'text' ? 'value' : fieldName(member.name, this.naming);
      const name =
        member.kind === 'attribute' ? scope.take(wanted, `${wanted}Attribute`) : scope.take(wanted);
      chosen.set(member, name);
      if (name === wanted) continue;
      const owner = type.name === null ? 'a type without a name' : `type ${type.name.local}`;
      this.#names.warn(`${owner} has two members called ${wanted}, one is called ${name}.`);
    }
    return members.map((member) => ({ ...member, name: chosen.get(member) ?? member.name }));
  }
}

/** Types that a type in a path of the mapping may derive from. */
const DERIVATIONS_MAX = 100;

const EMPTY: Members = {
  all: [],
  present: [],
  unions: [],
  wildcard: false,
  rest: null,
  mixed: null,
  lists: [],
};

/**
 * The type whose members a type begins with. A restriction keeps what it drops, as never present.
 */
const inheritedFrom = (type: ComplexType): ComplexType | null =>
  type.derivation === null ? null : type.base;

/** Whether all that may be present is known. */
const isModelled = ({ kind }: ComplexType['content']): boolean =>
  kind === 'elements' || kind === 'text' || kind === 'empty';

const LIST_NAME = /^items\d*$/;

/**
 * Names that the lists of repeated groups of this type can have, besides those inherited.
 * Types derived from it have the same lists, whatever their own content is, so none of their
 * members takes such a name.
 */
function groupNames(
  type: ComplexType,
  members: readonly { readonly name: string }[],
  inherited: readonly string[],
): readonly string[] {
  if (type.content.kind !== 'elements') return inherited;
  let count = 0;
  let hasSequence = false;
  const stack: { readonly particle: Particle; readonly isMany: boolean }[] = [
    { particle: type.content.particle, isMany: false },
  ];
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    const { particle } = top;
    if (particle.kind === 'one' || particle.kind === 'any') continue;
    if (particle.max > 1) {
      count += 1;
    }
    const isMany = top.isMany || particle.max > 1;
    hasSequence ||= isMany && particle.kind !== 'choice' && particle.particles.length > 1;
    for (const inner of particle.particles) {
      stack.push({ particle: inner, isMany });
    }
  }
  if (!hasSequence) return inherited;
  // Members keep the names they have: the lists take the free ones among so many.
  const most = Math.max(
    inherited.length,
    count + 1 + members.filter(({ name }) => LIST_NAME.test(name)).length,
  );
  return Array.from({ length: most }, (_, at) => (at === 0 ? 'items' : `items${at + 1}`));
}

/**
 * Members that all types of one service may have. Inherited members count at each type, at least
 * one for each type it derives from: in GraphQL each is a field of an object, or of an interface as
 * well. Large services have a tenth of this; a million take some seconds.
 */
export const MEMBERS_MAX = 1_000_000;

/**
 * Decides which members replies may leave out or send as nil, against what the schema document
 * declares.
 */
class Nullability {
  readonly #mapping: MappingTable;
  readonly #ofService: boolean | null;
  readonly #ofTypes: ReadonlySet<ComplexType> | null;
  readonly #isEncoded: boolean;

  /**
   * `ofService`: as configured; null: by rule. `isEncoded`: the service has operations by the SOAP
   * encoding.
   */
  constructor(
    mapping: MappingTable,
    ofService: boolean | null,
    ofTypes: ReadonlySet<ComplexType> | null,
    isEncoded: boolean,
  ) {
    this.#ofTypes = ofTypes;
    this.#mapping = mapping;
    this.#ofService = ofService;
    this.#isEncoded = isEncoded;
  }

  /**
   * The mapping of the field first, then that of its type, then the service. True: it may be null.
   * False: it never is, whatever is declared; only its own mapping says so. Null: as declared.
   */
  nullabilityOf(owner: ComplexType, member: Member, mapping: FieldMapping | null): boolean | null {
    const own = mapping?.nullable ?? null;
    if (own !== null) return own;
    if (this.#ofTypes?.has(owner) === true) return true;
    const around = this.#mapping.of(owner)?.nullable ?? this.#ofService;
    if (around !== null) return around ? true : null;
    return this.#isNullable(owner, member) ? true : null;
  }

  #isNullable(owner: ComplexType, member: Member): boolean {
    // Any accessor of a struct may be nil or absent (SOAP 1.1 section 5.1).
    if (this.#isEncoded && owner.content.kind === 'elements') return true;
    return member.kind === 'element' && !member.many && isJaxbMap(member.element.type);
  }
}

/**
 * Whether this is the type that JAXB makes of a `Map`: its WSDL requires the element, and a null
 * map leaves it out.
 */
function isJaxbMap(type: XsdType): boolean {
  const entry = onlyElement(type);
  if (entry?.name.local !== 'entry' || entry.type.kind !== 'complex' || entry.type.name !== null) {
    return false;
  }
  if (entry.type.content.kind !== 'elements') return false;
  const names = flatten(entry.type.content.particle).elements.map(
    ({ element }) => element.name.local,
  );
  return names.join() === 'key,value';
}

/** The one element of a type without a name, if it may be repeated. */
function onlyElement(
  type: XsdType,
): ReturnType<typeof flatten>['elements'][number]['element'] | null {
  if (type.kind !== 'complex' || type.name !== null || type.content.kind !== 'elements') {
    return null;
  }
  const [only, ...others] = flatten(type.content.particle).elements;
  return only?.many === true && others.length === 0 ? only.element : null;
}
