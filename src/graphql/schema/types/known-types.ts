import { type replyPlans, scalars } from '../../../codec/index.js';
import { getOrMake } from '../../../core/index.js';
import {
  type ComplexType,
  type ElementDeclaration,
  namespaces,
  typeKey,
  type XsdType,
  xsd,
} from '../../../wsdl/index.js';
import type { QName } from '../../../xml/index.js';
import type { FieldRights } from '../rights/field-rights.js';
import type { FieldRule } from '../rights/field-rule.js';
import type { Member } from './member.js';
import { everyRule, ruleOfMembers } from './member-rules.js';
import type { MemberTable } from './members.js';
import { flatten, type Occurring } from './occurrence.js';
import type { RuledTypes } from './shape.js';
import { encodedTypeName, isAnyType } from './xsd-type.js';

/** The types of a WSDL as values of any type use them. Each is made when a value first names it. */
export class KnownTypes implements RuledTypes {
  readonly #members: MemberTable;
  readonly #rights: FieldRights | null;
  #byName: ReadonlyMap<string, XsdType> | null = null;
  #elements: ReadonlyMap<string, ElementDeclaration> | null = null;
  readonly #made = new Map<XsdType, replyPlans.AnyType | null>();
  readonly #restricted = new WeakMap<FieldRights, KnownTypes>();

  /** `rights` are of the callers that it is for; null: of callers that may have everything. */
  constructor(members: MemberTable, rights: FieldRights | null = null) {
    this.#members = members;
    this.#rights = rights;
  }

  get isRestricted(): boolean {
    return this.#rights !== null;
  }

  get rule(): FieldRule | null {
    return everyRule(this.#members);
  }

  restricted(rights: FieldRights): replyPlans.AnyTypes {
    if (rights.decide(this.rule) === null) return this;
    return getOrMake(this.#restricted, rights, () => new KnownTypes(this.#members, rights));
  }

  named(name: QName): replyPlans.AnyType | null {
    this.#byName ??= new Map(
      this.#members.knownTypes.flatMap((type) =>
        type.name === null ? [] : [[typeKey(type.name), type]],
      ),
    );
    const known =
      this.#byName.get(typeKey(name)) ??
      (namespaces.isBuiltInNamespace(name.uri) ? xsd.builtInType(name) : null);
    return known === null ? null : this.#of(known);
  }

  element(name: QName): replyPlans.AnyMember | null {
    this.#elements ??= new Map(
      this.#members.knownElements.map((element) => [typeKey(element.name), element]),
    );
    const known = this.#elements.get(typeKey(name)) ?? null;
    return known === null ? null : this.#member(known, { required: false, many: false });
  }

  #of(type: XsdType): replyPlans.AnyType | null {
    const known = this.#made.get(type);
    if (known !== undefined) return known;
    const made = this.#make(type);
    this.#made.set(type, made);
    return made;
  }

  /** Null where it may be of any type, and for what has no model. */
  #make(type: XsdType): replyPlans.AnyType | null {
    const { name } = type;
    if (isAnyType(type)) return null;
    if (type.kind === 'simple')
      return { kind: 'simple', name, scalar: scalars.wholeNumberOf(type) };
    const { content } = type;
    if (content.kind === 'opaque') return null;
    if (content.kind === 'array') {
      if (content.dimensions > 1) return null;
      const item = this.#member(xsd.plainElement(ITEM, content.item, { nillable: true }), {
        required: false,
        many: true,
      });
      return { kind: 'list', name, item, isEncodedArray: true };
    }
    return this.#structure(type);
  }

  #structure(type: ComplexType): replyPlans.AnyType | null {
    const { name, content, attributes } = type;
    const flat = content.kind === 'elements' ? flatten(content.particle) : null;
    if (flat?.wildcard === true) return null;
    const elements = flat?.elements ?? [];
    const [only, ...others] = elements;
    if (only?.many === true && others.length === 0 && attributes.length === 0) {
      return { kind: 'list', name, item: this.#memberOf(type, only), isEncodedArray: false };
    }
    const withholdText = this.#withhold(type, ({ kind }) => kind === 'text');
    return {
      kind: 'object',
      name,
      isAbstract: type.abstract,
      text: content.kind === 'text' ? scalars.wholeNumberOf(content.type) : null,
      ...(withholdText === null ? {} : { withholdText }),
      attributes: new Map(attributes.map((each) => [each.name.local, this.#attribute(type, each)])),
      members: new Map(
        elements.map((each) => [each.element.name.local, this.#memberOf(type, each)]),
      ),
    };
  }

  #attribute(
    owner: ComplexType,
    { name, type }: xsd.AttributeDeclaration,
  ): replyPlans.AnyAttribute {
    const isIt = (member: Member): boolean =>
      member.kind === 'attribute' && member.attribute.name.local === name.local;
    const withhold = this.#withhold(owner, isIt);
    return {
      name,
      scalar: scalars.wholeNumberOf(type),
      ...(withhold === null ? {} : { withhold }),
    };
  }

  #memberOf(owner: ComplexType, occurring: Occurring): replyPlans.AnyMember {
    const { local } = occurring.element.name;
    const isIt = (member: Member): boolean =>
      member.kind === 'element' && member.element.name.local === local;
    const withhold = this.#withhold(owner, isIt);
    return {
      ...this.#member(occurring.element, occurring),
      ...(withhold === null ? {} : { withhold }),
    };
  }

  /** What the callers get instead of these members of a type; null: their values. */
  #withhold(owner: ComplexType, isIt: (member: Member) => boolean): replyPlans.Withhold | null {
    const rights = this.#rights;
    const decision =
      rights?.decide(ruleOfMembers(this.#members.of(owner).all.filter(isIt))) ?? null;
    if (rights === null || decision === null) return null;
    if (decision === 'remove') return () => undefined;
    return decision === 'forbidden' ? () => null : (value) => rights.mask(value, decision);
  }

  #member(
    { name, type, nillable }: ElementDeclaration,
    { required, many }: { readonly required: boolean; readonly many: boolean },
  ): replyPlans.AnyMember {
    return {
      name,
      isMany: many,
      isRequired: required,
      isNillable: nillable,
      typeName: encodedTypeName(type),
      type: () => this.#of(type),
    };
  }
}

const ITEM: QName = { uri: '', local: 'item' };
