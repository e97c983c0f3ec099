import type { AttributeDeclaration, ComplexType, ElementDeclaration, SimpleType, XsdType } from '../../wsdl/model.js';
import { typeKey } from '../../wsdl/model.js';
import { plainElement } from '../../wsdl/plain.js';
import { descriptionOf } from './description.js';
import { groupNames } from './group-names.js';
import type { FieldMapping, MappingTable } from './mapping.js';
import { MemberCount } from './member-count.js';
import { fieldName, NameScope, type Naming } from './naming.js';
import { type Choice, flatten, NOTHING, type Occurring } from './occurrence.js';
import type { TypeNames } from './type-names.js';

/** One thing inside an element: a child, an attribute or its text, under the name it has in GraphQL. */
export type Member = ElementMember | AttributeMember | TextMember;

interface Presented {
  readonly name: string;
  readonly description: string | null;
  /** Its mapping; null without one. */
  readonly mapping: FieldMapping | null;
}

export interface ElementMember extends Presented {
  readonly place: 'element';
  readonly element: ElementDeclaration;
  /** At least one stands there whatever branch of a choice is taken. */
  readonly required: boolean;
  /** More than one may stand there. */
  readonly many: boolean;
  /** An item of an encoded array: on the wire it has any name. */
  readonly anyName: boolean;
}

export interface AttributeMember extends Presented {
  readonly place: 'attribute';
  readonly attribute: AttributeDeclaration;
}

export interface TextMember extends Presented {
  readonly place: 'text';
  readonly type: SimpleType;
}

/** A choice that replies show as one field. */
export interface ChoiceMember extends Presented {
  readonly place: 'choice';
  /** The type whose content model has it; others inherit it. */
  readonly declaredBy: ComplexType;
  readonly branches: readonly ElementMember[];
  readonly required: boolean;
  /** Several branches may follow one another, in any order. */
  readonly many: boolean;
}

export interface Members {
  /** Elements in the order of the schema, the text, attributes; inherited ones first, also those a restriction drops. */
  readonly all: readonly Member[];
  /** Those that may be present, as a restriction narrows them: the members of a type that is no interface. */
  readonly present: readonly Member[];
  /** Names of members of which exactly one must be provided. */
  readonly choices: readonly (readonly string[])[];
  /** Choices between members of `all` that replies show as one field; none unless the service asks for it. */
  readonly unions: readonly ChoiceMember[];
  /** It has a wildcard (xs:any), whose content is not modelled. */
  readonly wildcard: boolean;
  /** The field for that content; null where there is no wildcard. */
  readonly rest: string | null;
  /** Names kept for the lists of repeated groups, inherited ones as well. */
  readonly lists: readonly string[];
}

/** How replies show a choice: each branch as a field that may be null, or all as one field of a union. */
export type ChoiceStyle = 'fields' | 'union';

/**
 * The members of complex types, flattened: compositors become occurrence. Members of an extension begin with those of
 * its base under the same names, so that an object fits the interface of its base. Remembers every answer.
 */
export class MemberTable {
  readonly #service: string;
  readonly #naming: Naming;
  readonly #choices: ChoiceStyle;
  readonly #mapping: MappingTable;
  readonly #names: TypeNames;
  readonly #known = new Map<ComplexType, Members>();
  /** Of how many types each known one inherits. */
  readonly #depths = new Map<ComplexType, number>();
  readonly #count: MemberCount;

  constructor(service: string, naming: Naming, choices: ChoiceStyle, names: TypeNames) {
    this.#service = service;
    this.#naming = naming;
    this.#choices = choices;
    this.#mapping = names.mappingOf(service);
    this.#names = names;
    this.#count = new MemberCount(service, names);
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
      this.#count.add(Math.max(members.all.length, depth));
    }
    return this.#known.get(type) ?? EMPTY;
  }

  /** There are more members than a schema can have: types have none any more, and the mapping is refused. */
  get isFull(): boolean {
    return this.#count.isFull;
  }

  /** Whether the mapping hides everything of this type. */
  hidesType(type: XsdType): boolean {
    return this.#mapping.of(type)?.hidden === true;
  }

  #flatten(type: ComplexType): Members {
    const { content } = type;
    const baseType = content.kind === 'array' ? null : inheritedFrom(type);
    const base = baseType === null ? EMPTY : (this.#known.get(baseType) ?? EMPTY);
    const flat = content.kind === 'elements' ? flatten(content.particle) : NOTHING;
    const inherited = new Set(base.all.map(placeOf));
    const own = ownMembers(type, flat.elements).filter((member) => !inherited.has(placeOf(member)));
    const named = this.#named(
      type,
      own.map((member) => this.#present(type, member, own)),
      base,
    );
    const all = [...base.all, ...named];
    const byPlace = new Map(all.map((member) => [placeOf(member), member]));
    const names = (elements: readonly ElementDeclaration[]): string[] =>
      elements.map((element) => byPlace.get(placeOfElement(element))?.name ?? '');
    const unions = this.#choices === 'fields' ? [] : [...base.unions, ...this.#unions(type, flat.choices, named, base)];
    const isNarrowed = type.derivation === 'restriction' && this.#choices === 'fields' && isModelled(content);
    const wildcard = flat.wildcard || (base.wildcard && !isNarrowed);
    const taken = new NameScope([...all, ...unions].map(({ name }) => name));
    const rest = base.rest ?? (wildcard ? taken.take('any', 'anyElement') : null);
    const present = isNarrowed
      ? ownMembers(type, flat.elements).map((member) => this.#narrowed(member, byPlace.get(placeOf(member))))
      : [...base.present, ...named];
    const lists = groupNames(type, all, base.lists);
    return { all, present, choices: flat.exclusive.map(names), unions, wildcard, rest, lists };
  }

  /** A member as a restriction declares it, under the name that it has already. */
  #narrowed(member: Member, inherited: Member | undefined): Member {
    if (inherited === undefined) return member;
    if (member.place === 'element') this.#mapping.meet(member.element);
    const { name, mapping } = inherited;
    return {
      ...member,
      name,
      mapping,
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
    const byPlace = new Map(own.map((member) => [placeOf(member), member]));
    const isBranch = (member: Member): boolean =>
      choices.some(({ elements }) => elements.some((e) => placeOfElement(e) === placeOf(member)));
    const taken = [...inherited.all, ...inherited.unions, ...own.filter((member) => !isBranch(member))];
    const scope = new NameScope(taken.map(({ name }) => name));
    return choices.flatMap((choice): ChoiceMember[] => {
      const branches = choice.elements.flatMap((element) => {
        const member = byPlace.get(placeOfElement(element));
        const isShown = member?.place === 'element' && !isHidden(member) && !this.hidesType(element.type);
        return isShown ? [member] : [];
      });
      if (branches.length < 2) return [];
      const mapping = this.#mapping.field(type, ['choice']);
      const name = scope.take(mapping?.name ?? 'choice');
      const { many } = choice;
      // A branch that is hidden may be the one that is taken.
      const required = choice.required && branches.length === choice.elements.length;
      const about = { mapping, description: mapping?.description ?? null };
      return [{ place: 'choice', declaredBy: type, name, branches, required, many, ...about }];
    });
  }

  #present(type: ComplexType, member: Member, beside: readonly Member[]): Member {
    if (member.place === 'element') this.#mapping.meet(member.element);
    const mapping = this.#mapping.isEmpty ? null : this.#mapping.field(type, keysOf(member, beside));
    return mapping === null ? member : { ...member, mapping, description: mapping.description ?? member.description };
  }

  /** Members under their names: those of the mapping first, as they are exactly those; then by rule, in order. */
  #named(type: ComplexType, members: readonly Member[], inherited: Members): readonly Member[] {
    const taken = [...inherited.all, ...inherited.unions].map((member) => member.name).concat(inherited.lists);
    // The field of types that have none may be an interface's.
    const scope = new NameScope([...taken, '_', ...(inherited.rest === null ? [] : [inherited.rest])]);
    const chosen = new Map<Member, string>();
    for (const member of members) {
      if (member.mapping?.name == null) continue;
      const { name, path } = member.mapping;
      if (scope.has(name)) this.#names.refuse(this.#service, path, `Two fields of one type are called ${name}.`);
      chosen.set(member, scope.take(name));
    }
    for (const member of members) {
      if (chosen.has(member)) continue;
      const wanted = member.place === 'text' ? 'value' : fieldName(member.name, this.#naming);
      const name = member.place === 'attribute' ? scope.take(wanted, `${wanted}Attribute`) : scope.take(wanted);
      chosen.set(member, name);
      if (name === wanted) continue;
      const owner = type.name === null ? 'a type without a name' : `type ${type.name.local}`;
      this.#names.warn(`Service ${this.#service}: ${owner} has two members called ${wanted}, one is called ${name}.`);
    }
    return members.map((member) => ({ ...member, name: chosen.get(member) ?? member.name }));
  }
}

/** An element as a member under this name, without a mapping. */
export const elementMember = (element: ElementDeclaration, name: string): ElementMember => ({
  place: 'element',
  name,
  element,
  required: false,
  many: false,
  anyName: false,
  description: descriptionOf(element.documentation),
  mapping: null,
});

/** Replies do not show it, and requests only where something must be provided. */
export const isHidden = (member: Member): boolean => member.mapping?.hidden === true;

const EMPTY: Members = { all: [], present: [], choices: [], unions: [], wildcard: false, rest: null, lists: [] };

/** The type whose members a type begins with. A restriction keeps what it drops, as never present. */
const inheritedFrom = (type: ComplexType): ComplexType | null => (type.derivation === null ? null : type.base);

/** Whether all that may be present is known. */
const isModelled = ({ kind }: ComplexType['content']): boolean =>
  kind === 'elements' || kind === 'text' || kind === 'empty';

const placeOfElement = (element: ElementDeclaration): string => `element ${typeKey(element.name)}`;

function placeOf(member: Member): string {
  if (member.place === 'text') return 'text';
  return member.place === 'element' ? placeOfElement(member.element) : `attribute ${typeKey(member.attribute.name)}`;
}

/** Its possible names in the mapping: an attribute without `@` only where nothing else has the name. */
function keysOf(member: Member, beside: readonly Member[]): readonly string[] {
  if (member.place !== 'attribute') return [xmlNameOf(member)];
  const name = xmlNameOf(member);
  const isTaken = beside.some((other) => other.place !== 'attribute' && xmlNameOf(other) === name);
  return isTaken ? [`@${name}`] : [`@${name}`, name];
}

function xmlNameOf(member: Member): string {
  if (member.place === 'text') return 'value';
  return member.place === 'element' ? member.element.name.local : member.attribute.name.local;
}

/** Members under their XML names: elements, text, then attributes. */
function ownMembers(type: ComplexType, elements: readonly Occurring[]): readonly Member[] {
  const { content } = type;
  // Attributes of the encoding on every array (its type, its place in memory) are hidden.
  if (content.kind === 'array') return content.dimensions > 1 ? [] : [arrayItem(content.item)];
  const members: Member[] = elements.map(({ element, required, many }) => ({
    ...elementMember(element, element.name.local),
    required,
    many,
  }));
  if (content.kind === 'text') {
    members.push({ place: 'text', name: 'value', type: content.type, description: null, mapping: null });
  }
  for (const attribute of type.attributes) {
    const description = descriptionOf(attribute.documentation);
    members.push({ place: 'attribute', name: attribute.name.local, attribute, description, mapping: null });
  }
  return members;
}

/** An item of an encoded array may always be missing (SOAP 1.1 section 5.4.2). */
const arrayItem = (type: ElementDeclaration['type']): ElementMember => ({
  ...elementMember(plainElement({ uri: '', local: 'item' }, type, { nillable: true }), 'item'),
  many: true,
  anyName: true,
});
