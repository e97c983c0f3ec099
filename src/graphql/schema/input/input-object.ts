import { GraphQLBoolean, GraphQLList, GraphQLNonNull } from 'graphql';
import type { requestPlans } from '../../../codec/index.js';
import { type ComplexType, type ElementDeclaration, typeKey } from '../../../wsdl/index.js';
import { contentOf, hides, wrappedItem } from '../types/content.js';
import { fixedScalar } from '../types/leaf.js';
import {
  type AttributeMember,
  convertedAsItem,
  type ElementMember,
  type Member,
} from '../types/member.js';
import { contentModel } from '../types/mixed.js';
import { NameScope } from '../types/naming.js';
import { encodedTypeName } from '../types/xsd-type.js';
import {
  type Counts,
  countsOf,
  type InputContent,
  type InputParticle,
  inputContent,
  isBounded,
} from './input-content.js';
import {
  familyNote,
  type InputObject,
  type InputSources,
  type InputValue,
  inputFieldOf,
  type Owner,
} from './input-field.js';
import {
  firstMoved,
  hasMoved,
  hasPage,
  hasSource,
  type InputMapping,
  type InputMappings,
  NO_MAPPINGS,
  refuseUnknown,
} from './input-mapping.js';
import { inOrder } from './input-order.js';
import { describeRule, isAllFixed, isExclusive, mentions, named } from './input-rules.js';
import { addLifted, liftsOf, movedAt } from './lifted-input.js';
import { keyInMapping, memberKeyOf, withContent } from './member-keys.js';
import { addMixed } from './mixed-input.js';
import { addRule, type MutablePlan } from './mutable-plan.js';
import type { InputField } from './shown-input.js';
import { checkConstant, sourcedText } from './sourced-text.js';

/**
 * Describes how often an element occurs in a request, and whether another may take its position.
 */
interface Place extends Counts {
  /** As the type itself has it; a restriction may differ from what it inherits. */
  readonly element: ElementDeclaration;
  readonly isAlternative: boolean;
}

interface MadeElement {
  readonly field: InputField | null;
  readonly plan: requestPlans.EncodeElement;
}

/** Fills the fields and the plan of one input object. */
export class ObjectFiller implements InputObject {
  readonly fields = new Map<string, InputField>();
  readonly plan: MutablePlan = {
    kind: 'object',
    attributes: [],
    text: null,
    children: [],
    choices: [],
    branches: [],
  };
  readonly #types: InputSources;
  readonly #owner: Owner;
  readonly #byPlace = new Map<string, Member>();
  #scope = new NameScope();
  #mappings: InputMappings;
  #lifting: readonly ComplexType[];

  constructor(types: InputSources, owner: Owner) {
    this.#types = types;
    this.#owner = owner;
    this.#mappings = owner.mappings;
    this.#lifting = owner.lifting ?? [];
  }

  /** All that an element of this type may hold. */
  fill(type: ComplexType): void {
    const { names } = this.#types;
    if (type.abstract) {
      names.warn(`type ${this.#owner.name} is abstract and cannot be sent.`);
    }
    const { all, mixed } = this.#types.members.of(type);
    const { lifting = [], mappings } = this.#owner;
    const isInside = lifting.includes(type);
    const members = all.filter(({ lift }) => lift === undefined);
    const known = members.flatMap(keyInMapping);
    const lifted = isInside ? [] : all.filter(({ lift }) => lift !== undefined);
    const found = liftsOf(mappings, lifted, known, names);
    this.#mappings = found.mappings;
    if (found.lifts.length > 0) {
      this.#lifting = [...lifting, type];
    }
    for (const member of members) {
      this.#byPlace.set(memberKeyOf(member), isInside ? withContent(member) : member);
    }
    this.#scope = new NameScope([
      ...(isInside ? members : all).map(({ name }) => name),
      ...Object.values(mixed ?? {}),
    ]);
    const { content } = type;
    const model = contentModel(type, mixed !== null);
    if (model !== null) {
      this.#content(inputContent(model), this.plan, this.fields);
    }
    const text = this.#byPlace.get('text');
    if (content.kind === 'text' && text !== undefined) {
      const { type: leafType, scalar } = this.#types.simple(
        content.type,
        `${this.#owner.name}Value`,
        text,
      );
      this.plan.text = { key: text.name, scalar };
      const field = inputFieldOf(leafType, { ...PLAIN, isNonNull: true, scalar, member: text });
      const moved = this.#mappings.get('value')?.moved ?? null;
      if (moved === null) {
        this.fields.set(text.name, field);
      } else {
        moved.field = field;
      }
    }
    for (const attribute of type.attributes) {
      const member = this.#byPlace.get(`attribute ${typeKey(attribute.name)}`);
      if (member?.kind === 'attribute') {
        this.#attribute({ ...member, attribute });
      }
    }
    if (mixed !== null) {
      addMixed(this, mixed, this.#types);
    }
    const hasMovedText = content.kind === 'text' && this.#mappings.get('value')?.moved != null;
    refuseUnknown(this.#mappings, hasMovedText ? [...known, 'value'] : known, this.#types);
    addLifted(found.lifts, this, this.#scope, names);
  }

  /** One element; null where the caller has no choice and nothing is written. */
  element(member: ElementMember, place: Place): MadeElement | null {
    const mapping = this.#mappingOf(place.element.name.local);
    if (mapping === null || !hasMoved(mapping)) return this.#element(member, place, mapping);
    const { moved, at } = movedAt(mapping, place, this.#types.members);
    if (place.isAlternative) {
      const what = `\`${place.element.name.local}\` is one of a choice in requests.`;
      this.#refuse(firstMoved(mapping) ?? mapping, what, 'Leave it where it is.');
    }
    if (moved === null) return this.#element(member, place, mapping);
    const shown = moved.member === null ? member : { ...member, mapping: moved.member.mapping };
    const own = { ...at, convert: moved.convert ?? at.convert, moved: null };
    const made = this.#element(shown, place, own);
    if (made === null) return null;
    moved.field = made.field;
    return { field: null, plan: made.plan };
  }

  #element(member: ElementMember, place: Place, mapping: InputMapping | null): MadeElement | null {
    const { element, isAlternative } = place;
    const required = place.min > 0;
    if (hides(member, this.#types.members) && !required && mapping === null) return null;
    const key = this.#keyOf(member, mapping);
    const many = place.max > 1;
    const item = many ? null : wrappedItem(element.type, this.#types.members);
    const isWrapped =
      item !== null && element.type.kind === 'complex' && element.type.content.kind === 'elements';
    const itemElement = isWrapped ? item.element : element;
    const text =
      mapping === null || many
        ? null
        : sourcedText(element, { key, required }, mapping, this.#types);
    if (text !== null) return { field: null, plan: text };
    const isCertain = required && !many && !isAlternative && !element.nillable;
    if (isCertain && mapping === null && isAllFixed(element.type)) {
      return { field: null, plan: this.#fixed(element, key) };
    }
    const value = this.#valueOf(element, itemElement, convertedAsItem(member, item), mapping);
    const counts = isWrapped ? countsOf(element) : place;
    const plan: requestPlans.EncodeElement = {
      key,
      name: element.name,
      occurs: isWrapped
        ? { wrapped: itemElement.name, itemNillable: itemElement.nillable }
        : many
          ? 'many'
          : 'one',
      ...(counts !== null && (isWrapped || many) && isBounded(counts)
        ? { counts: { min: counts.least, max: counts.max } }
        : {}),
      required,
      nillable: element.nillable,
      fixed: null,
      typeName: encodedTypeName(itemElement.type),
      value: value.plan,
    };
    if (mapping !== null && (hasSource(mapping) || hasMoved(mapping))) {
      return this.#injected(plan, mapping, element, member, value);
    }
    const fixed = this.#fixedText(element, required && !many, isWrapped);
    if (fixed !== null) return { field: null, plan: { ...plan, fixed } };
    const isNonNull = required && !element.nillable && !isAlternative;
    const note = familyNote(value.plan);
    if (element.fixed !== null && !many) {
      const written = {
        ...plan,
        value: { kind: 'scalar', scalar: fixedScalar(element.fixed) },
      } as const;
      return {
        field: inputFieldOf(GraphQLBoolean, { ...PLAIN, isNonNull, member }),
        plan: written,
      };
    }
    if (many || isWrapped) {
      const list = new GraphQLList(
        itemElement.nillable || standsForNull(value) ? value.type : new GraphQLNonNull(value.type),
      );
      return {
        field: inputFieldOf(list, {
          ...PLAIN,
          isNonNull: isNonNull || (many && required && !isAlternative),
          member,
          note,
        }),
        plan,
      };
    }
    const scalar = value.plan.kind === 'scalar' ? value.plan.scalar : null;
    const lexicalDefault = required ? element.default : null;
    return {
      field: inputFieldOf(value.type, { isNonNull, lexicalDefault, scalar, member, note }),
      plan,
    };
  }

  /** An element that the schema document fixes whole. */
  #fixed({ name, type }: ElementDeclaration, key: string): requestPlans.EncodeElement {
    const filler = new ObjectFiller(this.#types, { ...this.#owner, mappings: NO_MAPPINGS });
    if (type.kind === 'complex') {
      filler.fill(type);
    }
    const common = {
      occurs: 'one',
      required: true,
      nillable: false,
      fixed: null,
      always: true,
    } as const;
    return { key, name, ...common, typeName: encodedTypeName(type), value: filler.plan };
  }

  /** The value that is always written; null for one of the client. */
  #fixedText(element: ElementDeclaration, isCertain: boolean, isWrapped: boolean): string | null {
    if (!isCertain || element.nillable) return null;
    if (element.fixed !== null) return element.fixed;
    const { type } = element;
    const isEmpty = !isWrapped && type.kind === 'complex' && type.content.kind !== 'array';
    return isEmpty && contentOf(type, this.#types.members) === 'empty' ? '' : null;
  }

  #valueOf(
    element: ElementDeclaration,
    shown: ElementDeclaration,
    member: ElementMember,
    mapping: InputMapping | null,
  ): InputValue {
    const { names } = this.#types;
    const name = names.innerItem(this.#owner.name, element.name.local, shown);
    const mappings = mapping?.inner ?? NO_MAPPINGS;
    const convert = mapping?.convert ?? null;
    const owner = { ...this.#owner, name, mappings, convert, lifting: this.#lifting };
    const made = this.#types.value(shown.type, owner, member);
    const { plan } = made;
    return plan.kind !== 'any' || shown.nillable
      ? made
      : { ...made, plan: { ...plan, refusesNil: true } };
  }

  /** Members of a content model, in its order. */
  #content(content: InputContent, plan: MutablePlan, fields: Map<string, InputField>): void {
    const alternatives = new Set(
      content.rules.flatMap(({ branches }) => branches.flatMap(({ keys }) => keys)),
    );
    const keys = new Map<string, string>();
    const settled = new Set<string>();
    const plans = new Map<string, requestPlans.EncodeElement>();
    for (const [key, particle] of content.particles) {
      const made = this.#particle(particle, alternatives.has(key));
      if (made === null) continue;
      plans.set(key, made.plan);
      if (made.field === null) {
        settled.add(key);
        continue;
      }
      fields.set(made.plan.key, made.field);
      keys.set(key, made.plan.key);
    }
    for (const element of inOrder(content.order, plans)) {
      plan.children.push(element);
    }
    for (const key of content.order?.tangled ?? []) {
      const member = plans.get(key)?.key;
      const what =
        `${member} stands in several places of ${this.#owner.name}; ` +
        'all of it is written at the first.';
      if (member !== undefined) {
        this.#types.names.warn(what);
      }
    }
    // A branch that the gateway itself has taken leaves no choice.
    for (const rule of content.rules) {
      const shown = mentions(rule, settled) ? null : named(rule, keys);
      addRule(plan, shown);
      if (shown !== null && !isExclusive(content)) {
        describeRule(fields, shown);
      }
    }
  }

  #particle(particle: InputParticle, isAlternative: boolean): MadeElement | null {
    if (particle.kind === 'element') {
      const member = this.#byPlace.get(`element ${typeKey(particle.element.name)}`);
      return member?.kind === 'element'
        ? this.element(member, { ...particle, isAlternative })
        : null;
    }
    const { min, max } = particle;
    const key = this.#scope.take(particle.kind === 'any' ? 'any' : 'items');
    const object = particle.kind === 'any' ? null : this.#group(particle.content, key);
    const { type, plan: value } = object ?? this.#anyElement();
    const plan: requestPlans.EncodeElement = {
      key,
      name: { uri: '', local: key },
      occurs: max > 1 ? 'many' : 'one',
      ...(max > 1 && isBounded(particle) ? { counts: { min: particle.least, max } } : {}),
      required: min > 0,
      nillable: false,
      fixed: null,
      transparent: true,
      ...(particle.kind === 'any' ? { wildcards: particle.wildcards } : {}),
      value,
    };
    const shown = max > 1 ? new GraphQLList(new GraphQLNonNull(type)) : type;
    const description =
      object === null
        ? `Elements of any name${value.kind === 'xml' ? ', each as XML' : ''}.`
        : 'In this order.';
    const isNonNull = min > 0 && !isAlternative;
    return { field: { type: isNonNull ? new GraphQLNonNull(shown) : shown, description }, plan };
  }

  /** An element of any name. */
  #anyElement(): InputValue {
    const { leaves, members } = this.#types;
    if (members.anyTypes === null) return { type: leaves.xml, plan: { kind: 'xml' } };
    return {
      type: leaves.anyValue.input,
      plan: { kind: 'any', types: members.anyTypes, isSimple: false, isNamed: true },
    };
  }

  /**
   * The content of a repeated group, once. Its members have the names they would have without it.
   */
  #group(content: InputContent, key: string): InputValue {
    const fields = new Map<string, InputField>();
    const plan: MutablePlan = {
      kind: 'object',
      attributes: [],
      text: null,
      children: [],
      choices: [],
      branches: [],
    };
    const { names } = this.#types;
    const suffix = key === 'items' ? 'Item' : names.pascal(key);
    const name = names.take(`${names.pascal(this.#owner.name)}${suffix}Input`);
    const type = this.#types.objectType(name, { fields, plan }, isExclusive(content), null);
    this.#content(content, plan, fields);
    return { type, plan };
  }

  #attribute(member: AttributeMember): void {
    const { attribute } = member;
    const mapping = this.#mappingOf(`@${attribute.name.local}`);
    const { required, fixed } = attribute;
    if ((fixed !== null || hides(member, this.#types.members)) && !required && mapping === null) {
      return;
    }
    const hint = this.#types.names.pascal(attribute.name.local);
    const moved = mapping?.moved ?? null;
    const shown = moved?.member == null ? member : { ...member, mapping: moved.member.mapping };
    const { type, scalar } = this.#types.simple(
      attribute.type,
      `${this.#owner.name}${hint}`,
      shown,
      moved?.convert ?? mapping?.convert ?? null,
    );
    const key = this.#keyOf(member, mapping);
    const plan: requestPlans.EncodeAttribute = {
      key,
      name: attribute.name,
      required,
      fixed,
      scalar,
    };
    if (mapping?.source != null) {
      checkConstant(mapping, scalar, this.#types);
      this.plan.attributes.push({ ...plan, fixed: null, source: mapping.source });
      return;
    }
    this.plan.attributes.push(plan);
    if (fixed !== null) return;
    const field = inputFieldOf(type, {
      isNonNull: required,
      lexicalDefault: attribute.default,
      scalar,
      member: shown,
    });
    if (moved === null) {
      this.fields.set(key, field);
    } else {
      moved.field = field;
    }
  }

  /** An element that has its value, or part of it, from elsewhere. */
  #injected(
    plan: requestPlans.EncodeElement,
    mapping: InputMapping,
    element: ElementDeclaration,
    member: ElementMember,
    value: InputValue,
  ): MadeElement | null {
    if (mapping.source !== null) {
      if (plan.value.kind !== 'scalar' || plan.occurs !== 'one' || element.type.kind !== 'simple') {
        this.#refuse(
          mapping,
          'Only a single simple value can come from elsewhere.',
          'Name an element inside it.',
        );
        return null;
      }
      checkConstant(mapping, plan.value.scalar, this.#types);
      return {
        field: null,
        plan: { ...plan, required: plan.required || mapping.isRequired, source: mapping.source },
      };
    }
    const isMoved = hasMoved(mapping);
    if (isMoved && (plan.value.kind !== 'object' || plan.occurs !== 'one')) {
      const what = `\`${element.name.local}\` is repeated, or has no elements.`;
      this.#refuse(firstMoved(mapping) ?? mapping, what, 'Leave it where it is.');
      return null;
    }
    if (plan.value.kind !== 'object' || plan.occurs !== 'one') {
      this.#refuse(
        mapping,
        'Nothing inside this can come from elsewhere: it is no single object.',
        null,
      );
      return null;
    }
    // Lifted values alone decide whether it is written, unless it is required.
    const always = hasSource(mapping) || (plan.required && !element.nillable);
    if (value.fields?.size === 0) return { field: null, plan: { ...plan, always } };
    const isNonNull = plan.required && !element.nillable && !isMoved;
    const field = inputFieldOf(value.type, { ...PLAIN, isNonNull, member });
    // Each call asks for its page, whether or not the caller gives something else of the object.
    const isAlways = hasPage(mapping) || (isMoved && always);
    return { field, plan: isAlways ? { ...plan, always: true } : plan };
  }

  #mappingOf(key: string): InputMapping | null {
    return this.#mappings.get(key) ?? null;
  }

  #keyOf(member: Member, mapping: InputMapping | null): string {
    if (mapping?.name == null || mapping.name === member.name) return member.name;
    if (this.#scope.has(mapping.name)) {
      this.#refuse(mapping, `There is another argument ${mapping.name} here.`, null);
    }
    return this.#scope.take(mapping.name);
  }

  #refuse({ path }: Pick<InputMapping, 'path'>, what: string, remedy: string | null): void {
    this.#types.names.refuse(path, what, remedy);
  }
}

/** Whether a text stands for null. */
const standsForNull = ({ plan }: InputValue): boolean =>
  plan.kind === 'scalar' && plan.scalar.nullText !== undefined;

const PLAIN = { isNonNull: false, lexicalDefault: null, scalar: null } as const;
