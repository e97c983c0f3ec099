import {
  GraphQLBoolean,
  type GraphQLInputFieldConfig,
  GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLNullableType,
  GraphQLString,
} from 'graphql';
import {
  type EncodeAttribute,
  type EncodeElement,
  type EncodeObject,
  type EncodeValue,
  LexicalError,
  type Scalar,
} from '../codec/plan.js';
import { scalarOf } from '../codec/scalars.js';
import { type ComplexType, type ElementDeclaration, NO_FACETS, type SimpleType, type XsdType } from '../wsdl/model.js';
import { BY_HAND_URI, type LeafTable, PRESENCE } from './leaf.js';
import type { AttributeMember, ElementMember, MemberTable } from './members.js';
import { pascalName } from './naming.js';
import { contentOf, wrappedItem } from './output.js';
import type { Reached } from './reach.js';
import type { TypeNames } from './type-names.js';

/** What the caller may say in one place: an argument or an input field. */
export interface InputField {
  readonly type: GraphQLInputType;
  readonly description: string | null;
  /** Absent where there is no default. */
  readonly defaultValue?: unknown;
}

/** A structure that can be written: its fields as the schema shows them, and its plan. */
export interface InputObject {
  readonly fields: ReadonlyMap<string, InputField>;
  readonly plan: EncodeObject;
}

type MutablePlan = {
  -readonly [K in keyof EncodeObject]: EncodeObject[K] extends readonly (infer T)[] ? T[] : EncodeObject[K];
};

interface Value {
  readonly type: GraphQLNullableType & GraphQLInputType;
  readonly plan: EncodeValue;
}

/** The input types of one service's requests. Plans may be recursive: they are filled after they are known. */
export class InputTypes {
  readonly #service: string;
  readonly #members: MemberTable;
  readonly #leaves: LeafTable;
  readonly #names: TypeNames;
  readonly #reached: Reached;
  readonly #objects = new Map<ComplexType, InputObject>();
  readonly #types = new Map<ComplexType, GraphQLInputObjectType>();
  readonly #pending: (() => void)[] = [];

  constructor(service: string, members: MemberTable, leaves: LeafTable, names: TypeNames, reached: Reached) {
    this.#service = service;
    this.#members = members;
    this.#leaves = leaves;
    this.#names = names;
    this.#reached = reached;
  }

  /** The members of a type as fields and as a plan, complete when this returns. */
  structure(type: ComplexType, owner: string): InputObject {
    const made = this.#object(type, owner);
    this.#settle();
    return made;
  }

  /** One element as a field and as a plan; null where the caller has nothing to say and nothing is written. */
  element(
    member: ElementMember,
    owner: string,
  ): { readonly field: InputField | null; readonly plan: EncodeElement } | null {
    const made = this.#element(member, owner, false);
    this.#settle();
    return made;
  }

  simple(type: SimpleType, nameHint: string): Value & { readonly scalar: Scalar } {
    const leaf = this.#leaves.of(type, nameHint, this.#service);
    return { type: leaf.type, plan: { kind: 'scalar', scalar: leaf.scalar }, scalar: leaf.scalar };
  }

  /** Fills what is known but empty, without recursion however deep the types are nested. */
  #settle(): void {
    for (let fill = this.#pending.pop(); fill !== undefined; fill = this.#pending.pop()) fill();
  }

  #object(type: ComplexType, owner: string): InputObject {
    const known = this.#objects.get(type);
    if (known !== undefined) return known;
    const plan: MutablePlan = { kind: 'object', attributes: [], text: null, children: [], choices: [] };
    const fields = new Map<string, InputField>();
    const made: InputObject = { fields, plan };
    this.#objects.set(type, made);
    this.#pending.push(() => this.#fill(type, owner, plan, fields));
    return made;
  }

  #fill(type: ComplexType, owner: string, plan: MutablePlan, fields: Map<string, InputField>): void {
    const { all, choices } = this.#members.of(type);
    const alternatives = new Set(choices.flat());
    if (type.abstract) this.#names.notice(`Service ${this.#service}: type ${owner} is abstract and cannot be sent.`);
    for (const member of all) {
      if (member.place === 'text') {
        const { type: leafType, scalar } = this.simple(member.type, `${owner}Value`);
        plan.text = { key: member.name, scalar };
        fields.set(member.name, { type: new GraphQLNonNull(leafType), description: null });
      } else if (member.place === 'attribute') {
        const made = this.#attribute(member, owner);
        if (made === null) continue;
        plan.attributes.push(made.plan);
        if (made.field !== null) fields.set(member.name, made.field);
      } else {
        const made = this.#element(member, owner, alternatives.has(member.name));
        if (made === null) continue;
        plan.children.push(made.plan);
        if (made.field !== null) fields.set(member.name, made.field);
      }
    }
    for (const choice of choices) if (choice.every((name) => fields.has(name))) plan.choices.push([...choice]);
  }

  #attribute(
    { attribute, name }: AttributeMember,
    owner: string,
  ): { readonly field: InputField | null; readonly plan: EncodeAttribute } | null {
    if (attribute.fixed !== null && !attribute.required) return null;
    const { type, scalar } = this.simple(attribute.type, `${owner}${pascalName(attribute.name.local)}`);
    const { required, fixed } = attribute;
    const plan: EncodeAttribute = { key: name, name: attribute.name, required, fixed, scalar };
    if (fixed !== null) return { field: null, plan };
    const field = fieldOf(type, required, attribute.default, scalar, attribute.documentation);
    return { field, plan };
  }

  #element(
    member: ElementMember,
    owner: string,
    isAlternative: boolean,
  ): { readonly field: InputField | null; readonly plan: EncodeElement } | null {
    const { element, name, required, many } = member;
    if (element.fixed !== null && !required) return null;
    const hint = `${owner}${pascalName(element.name.local)}`;
    const item = many ? null : wrappedItem(element.type, this.#members);
    const value = this.#value(item?.element.type ?? element.type, hint);
    const isCertain = required && !many && element.fixed === null && !element.nillable;
    const fixed = isCertain && item === null && isEmpty(element, this.#members) ? '' : element.fixed;
    const plan: EncodeElement = {
      key: name,
      name: element.name,
      occurs: item === null ? (many ? 'many' : 'one') : wrapped(item.element),
      required,
      nillable: element.nillable,
      fixed,
      value: value.plan,
    };
    if (fixed !== null) return { field: null, plan };
    const isNonNull = required && !element.nillable && !isAlternative;
    const description = element.documentation;
    if (many || item !== null) {
      const isItemNonNull = !(item ?? member).element.nillable;
      const list = new GraphQLList(isItemNonNull ? new GraphQLNonNull(value.type) : value.type);
      return { field: fieldOf(list, isNonNull || (many && required), null, null, description), plan };
    }
    const scalar = value.plan.kind === 'scalar' ? value.plan.scalar : null;
    return { field: fieldOf(value.type, isNonNull, required ? element.default : null, scalar, description), plan };
  }

  #value(type: XsdType, nameHint: string): Value {
    if (type.kind === 'simple') return this.simple(type, nameHint);
    const content = contentOf(type, this.#members);
    // Mixed content and xs:anyType can hold text; nothing of the caller's is ever written as markup.
    if (type.content.kind === 'opaque') return { type: GraphQLString, plan: { kind: 'scalar', scalar: TEXT } };
    if (content !== 'structured') return { type: GraphQLBoolean, plan: { kind: 'scalar', scalar: PRESENCE } };
    const name = type.name?.local ?? nameHint;
    const object = this.#object(type, name);
    if (this.#members.of(type).all.length === 0) {
      return { type: GraphQLBoolean, plan: { kind: 'scalar', scalar: PRESENCE } };
    }
    return { type: this.#type(type, name, object), plan: object.plan };
  }

  #type(type: ComplexType, xmlName: string, object: InputObject): GraphQLInputObjectType {
    const known = this.#types.get(type);
    if (known !== undefined) return known;
    const byHand = type.name?.uri === BY_HAND_URI;
    const isOnlyInput = (byHand || xmlName.endsWith('Input')) && !this.#reached.types.has(type);
    const made = new GraphQLInputObjectType({
      name: this.#names.take(isOnlyInput ? xmlName : `${xmlName}Input`, this.#service),
      description: type.documentation,
      fields: () => configs(object.fields),
    });
    this.#types.set(type, made);
    return made;
  }
}

/** Fields or arguments as GraphQL wants them. */
export function configs(fields: ReadonlyMap<string, InputField>): Record<string, GraphQLInputFieldConfig> {
  // An input type of which everything is fixed still needs a field.
  if (fields.size === 0) return { _: { type: GraphQLBoolean, description: 'Not used: GraphQL needs a field.' } };
  return Object.fromEntries(fields);
}

/** The text of content that is not modelled. */
const TEXT: Scalar = scalarOf({
  kind: 'simple',
  name: null,
  variety: 'atomic',
  builtIn: 'string',
  base: null,
  item: null,
  members: [],
  enumeration: null,
  facets: NO_FACETS,
  documentation: null,
});

const wrapped = (item: ElementDeclaration): EncodeElement['occurs'] => ({
  wrapped: item.name,
  itemNillable: item.nillable,
});

const isEmpty = (element: ElementDeclaration, members: MemberTable): boolean =>
  element.type.kind === 'complex' &&
  element.type.content.kind !== 'opaque' &&
  members.of(element.type).all.length === 0;

function fieldOf(
  type: GraphQLNullableType & GraphQLInputType,
  isNonNull: boolean,
  lexicalDefault: string | null,
  scalar: Scalar | null,
  description: string | null,
): InputField {
  const decoded = lexicalDefault === null || scalar === null ? null : decodeDefault(scalar, lexicalDefault);
  if (isNonNull && decoded !== null) return { type, description, defaultValue: decoded };
  return { type: isNonNull ? new GraphQLNonNull(type) : type, description };
}

/** The default as GraphQL shows it; null where the schema's default is not a value of its own type. */
function decodeDefault(scalar: Scalar, lexical: string): unknown {
  try {
    return scalar.decode(lexical);
  } catch (error) {
    if (error instanceof LexicalError) return null;
    throw error;
  }
}
