import { GraphQLBoolean, GraphQLInputObjectType, GraphQLList, GraphQLNonNull } from 'graphql';
import type { requestPlans, Scalar } from '../../../codec/index.js';
import {
  type ComplexType,
  type SimpleType,
  typeKey,
  type XsdType,
  xsd,
} from '../../../wsdl/index.js';
import { NO_EXTENSIONS } from '../rights/extensions.js';
import { ARRAYS_MAX, contentOf, isMixedText } from '../types/content.js';
import { descriptionOf } from '../types/description.js';
import { type LeafTable, PRESENCE_SCALAR } from '../types/leaf.js';
import { type FieldConversion, refuseConversion } from '../types/mapping.js';
import type { ElementMember, Member } from '../types/member.js';
import type { MemberTable } from '../types/members.js';
import { fieldName, NameScope } from '../types/naming.js';
import { derivedFrom } from '../types/reach.js';
import type { ServiceNames } from '../types/type-names.js';
import { encodedTypeName, isAnyType, SDL_URI } from '../types/xsd-type.js';
import { inputContent } from './input-content.js';
import {
  type InputObject,
  type InputSources,
  type InputValue,
  inputConfigs,
  type Owner,
} from './input-field.js';
import { hasSource, type InputMappings, NO_MAPPINGS } from './input-mapping.js';
import { ObjectFiller } from './input-object.js';
import { describeRule, isExclusive } from './input-rules.js';
import type { InputField } from './shown-input.js';

/**
 * The input types of one service's requests. Plans may be recursive: they are filled after they are
 * known.
 *
 * A type in whose place others may stand is `<Name>OneOfInput`: an object with exactly one member,
 * named after the type of the value, the declared one among them. A type that is nothing but a
 * choice is such an object itself. Content that is not modelled is XML.
 */
export class InputTypes implements InputSources {
  readonly members: MemberTable;
  readonly leaves: LeafTable;
  readonly names: ServiceNames;
  /** Every type that was made. */
  readonly made: GraphQLInputObjectType[] = [];
  /** The types that replies of the service can hold. */
  readonly replies: ReadonlySet<XsdType>;
  readonly #objects = new Map<ComplexType, InputObject>();
  readonly #types = new Map<ComplexType, GraphQLInputObjectType>();
  readonly #variants = new Map<ComplexType, InputValue>();
  readonly #pending: (() => void)[] = [];

  constructor(
    members: MemberTable,
    leaves: LeafTable,
    names: ServiceNames,
    replies: ReadonlySet<XsdType>,
  ) {
    this.members = members;
    this.leaves = leaves;
    this.names = names;
    this.replies = replies;
  }

  /** The members of a type as fields and as a plan, complete when this returns. */
  structure(type: ComplexType, owner: string, mappings: InputMappings = NO_MAPPINGS): InputObject {
    if (contentOf(type, this.members) === 'opaque') return this.#opaque(type);
    const full: Owner = { name: owner, mappings, operation: owner };
    const made =
      (type.abstract && mappings.size === 0 ? this.#chosen(type, full) : null) ??
      this.#object(type, full);
    this.#fill();
    return isOneOfType(type) ? { ...made, fields: withChoices(made) } : made;
  }

  /**
   * One element as a field and as a plan; null where the caller has no choice and nothing is
   * written.
   */
  element(
    member: ElementMember,
    owner: string,
    mappings: InputMappings = NO_MAPPINGS,
    operation: string = owner,
  ): { readonly field: InputField | null; readonly plan: requestPlans.EncodeElement } | null {
    const { required, many } = member;
    const counts = { min: required ? 1 : 0, max: many ? Infinity : 1, least: 1 };
    const filler = new ObjectFiller(this, { name: owner, mappings, operation });
    const made = filler.element(member, {
      ...counts,
      element: member.element,
      isAlternative: false,
    });
    this.#fill();
    if (made === null) return null;
    // The gateway's own header blocks are written with or without those of the client.
    const mapping = mappings.get(member.element.name.local);
    const always = mapping !== undefined && hasSource(mapping) && made.plan.value.kind === 'object';
    return always ? { ...made, plan: { ...made.plan, always } } : made;
  }

  simple(
    type: SimpleType,
    nameHint: string,
    member: Member | null = null,
    convert: FieldConversion | null = null,
  ): InputValue & { readonly scalar: Scalar } {
    const { type: leafType, scalar } = this.leaves.mapped(
      type,
      nameHint,
      this.names,
      member?.mapping ?? null,
      convert ?? member?.mapping?.convert ?? null,
    );
    return { type: leafType, plan: { kind: 'scalar', scalar }, scalar };
  }

  /** The value of an element of this type. */
  value(type: XsdType, owner: Owner, member: Member | null = null): InputValue {
    const convert = owner.convert ?? member?.mapping?.convert ?? null;
    const isMapped = member?.mapping?.type != null || (convert !== null && type.kind === 'simple');
    const anyTypes = isMapped ? null : this.members.anyTypesOf(type);
    const isText = type.kind === 'simple' || isMixedText(type, this.members);
    if (convert !== null && !isText && !isArray(type)) {
      refuseConversion(convert, this.names);
    }
    if (anyTypes !== null) {
      const plan: requestPlans.EncodeValue = {
        kind: 'any',
        types: anyTypes,
        isSimple: type.kind === 'simple',
        isPlain: !isAnyType(type),
      };
      return { type: this.leaves.anyValue.input, plan };
    }
    if (isText) {
      return this.simple(type.kind === 'simple' ? type : xsd.STRING, owner.name, member, convert);
    }
    const { content } = type;
    if (content.kind === 'array' && isArray(type)) {
      return this.#array(type, content.item, { ...owner, convert });
    }
    if (contentOf(type, this.members) === 'opaque') return this.#xml();
    const known = owner.mappings.size > 0 ? undefined : this.#variants.get(type);
    if (known !== undefined) return known;
    const concrete = [type, ...derivedFrom(type)].filter((candidate) => !candidate.abstract);
    if (concrete.length === 0) return this.#unsendable(type, owner);
    const isFixed = owner.mappings.size > 0 || (concrete.length === 1 && !type.abstract);
    if (isFixed) return this.#plain(type, owner);
    if (concrete.length <= VARIANTS_MAX) return this.#variantsOf(type, concrete, owner);
    const made = this.#familyOf(type, concrete, owner);
    this.#variants.set(type, made);
    return made;
  }

  /** Makes the type of an object whose fields are known later. */
  objectType(
    name: string,
    object: InputObject,
    isOneOf: boolean,
    description: string | null,
  ): GraphQLInputObjectType {
    const made = new GraphQLInputObjectType({
      name,
      description,
      isOneOf,
      fields: () => inputConfigs(object.fields),
      extensions: NO_EXTENSIONS,
    });
    this.made.push(made);
    return made;
  }

  #xml(): InputValue {
    return { type: this.leaves.xml, plan: { kind: 'xml' } };
  }

  /**
   * Sends an abstract type for which no other is known as XML. A caller that knows one names it
   * there.
   */
  #unsendable(type: ComplexType, owner: Owner): InputValue {
    const name = type.name?.local ?? owner.name;
    this.names.warn(`type ${name} is abstract and nothing may stand for it; it is sent as XML.`);
    const made = this.#xml();
    this.#variants.set(type, made);
    return made;
  }

  /** A message that is one element of anything. */
  #opaque(type: ComplexType): InputObject {
    const types = this.members.anyTypesOf(type);
    if (types !== null) {
      return this.#anyMessage({
        kind: 'any',
        types,
        isSimple: false,
        isPlain: !isAnyType(type),
        refusesNil: true,
      });
    }
    const description =
      descriptionOf(type.documentation) ?? 'The whole element as XML, or its text.';
    return {
      fields: new Map([['xml', { type: this.leaves.xml, description }]]),
      plan: { kind: 'object', attributes: [], text: null, children: [], choices: [], xml: 'xml' },
    };
  }

  /** A message of any type: its type, value and XML are arguments. */
  #anyMessage(value: Extract<requestPlans.EncodeValue, { readonly kind: 'any' }>): InputObject {
    const { name: _, ...fields } = this.leaves.anyValue.input.toConfig().fields;
    const shown = Object.entries(fields).map(
      ([key, { type, description }]) => [key, { type, description: description ?? null }] as const,
    );
    return {
      fields: new Map(shown),
      plan: { kind: 'object', attributes: [], text: null, children: [], choices: [], any: value },
    };
  }

  /**
   * A message whose declared type is abstract: the caller names its type. Null where nothing may
   * stand for it.
   */
  #chosen(type: ComplexType, owner: Owner): InputObject | null {
    const { type: graphqlType, plan } = this.value(type, owner);
    if (plan.kind !== 'variants') return null;
    const key = fieldName(this.names.plain(type, owner.name), this.names.naming);
    return {
      fields: new Map([
        [
          key,
          { type: new GraphQLNonNull(graphqlType), description: this.names.descriptionOf(type) },
        ],
      ]),
      plan: {
        kind: 'object',
        attributes: [],
        text: null,
        children: [],
        choices: [],
        variant: { key, value: plan },
      },
    };
  }

  /** Fills what is known but empty, without recursion however deep the types are nested. */
  #fill(): void {
    for (let fill = this.#pending.pop(); fill !== undefined; fill = this.#pending.pop()) {
      fill();
    }
  }

  #object(type: ComplexType, owner: Owner): InputObject {
    const isOwn = owner.mappings.size > 0;
    const known = isOwn ? undefined : this.#objects.get(type);
    if (known !== undefined) return known;
    const filler = new ObjectFiller(this, isOwn ? owner : { ...owner, lifting: [] });
    const made: InputObject = { fields: filler.fields, plan: filler.plan };
    if (isOwn) {
      // As deep as the paths of the mapping: the rest of it must be known at once.
      filler.fill(type);
      return made;
    }
    this.#objects.set(type, made);
    this.#pending.push(() => filler.fill(type));
    return made;
  }

  /** The type itself, whatever others derive from it. */
  #plain(type: ComplexType, owner: Owner): InputValue {
    if (contentOf(type, this.members) === 'opaque') return this.#xml();
    if (isEmptyType(type)) {
      return { type: GraphQLBoolean, plan: { kind: 'scalar', scalar: PRESENCE_SCALAR } };
    }
    const name = this.names.xmlName(type, owner.name);
    const object = this.#object(type, { ...owner, name });
    const own = owner.mappings.size > 0 ? { fields: object.fields } : {};
    // Nothing of it is left to the caller, and no field has the type.
    if (own.fields?.size === 0) return { type: GraphQLBoolean, plan: object.plan, ...own };
    return { type: this.#type(type, owner, object), plan: object.plan, ...own };
  }

  #type(type: ComplexType, owner: Owner, object: InputObject): GraphQLInputObjectType {
    const isOwn = owner.mappings.size > 0;
    const known = isOwn ? undefined : this.#types.get(type);
    if (known !== undefined) return known;
    const xmlName = this.names.plain(type, owner.name);
    const isSdl = type.name?.uri === SDL_URI;
    const isOnlyInput = (isSdl || xmlName.endsWith('Input')) && !this.replies.has(type);
    const suffix = isOnlyInput ? '' : 'Input';
    const name = isOwn
      ? this.names.take(`${ownName(type, xmlName, owner.operation)}${suffix}`)
      : this.names.of(type, owner.name, suffix);
    const made = this.objectType(
      name,
      object,
      !isOwn && isOneOfType(type),
      this.names.descriptionOf(type),
    );
    if (!isOwn) {
      this.#types.set(type, made);
    }
    return made;
  }

  #variantsOf(type: ComplexType, concrete: readonly ComplexType[], owner: Owner): InputValue {
    const xmlName = this.names.plain(type, owner.name);
    const members = new Map<string, requestPlans.EncodeVariant>();
    const fields = new Map<string, InputField>();
    const name = this.names.of(type, owner.name, 'OneOfInput');
    const plan: requestPlans.EncodeValue = { kind: 'variants', members };
    const graphqlType = new GraphQLInputObjectType({
      name,
      description: `${xmlName}, or what may stand in its place: exactly one.`,
      isOneOf: true,
      fields: () => inputConfigs(fields),
      extensions: NO_EXTENSIONS,
    });
    this.made.push(graphqlType);
    const made: InputValue = { type: graphqlType, plan };
    this.#variants.set(type, made);
    const scope = new NameScope();
    for (const candidate of concrete) {
      const key = scope.take(fieldName(this.names.plain(candidate, owner.name), this.names.naming));
      const value = this.#plain(candidate, owner);
      members.set(key, { type: candidate === type ? null : candidate.name, value: value.plan });
      fields.set(key, { type: value.type, description: this.names.descriptionOf(candidate) });
    }
    return made;
  }

  /** A type that too many others may stand for: the value has the name of its type. */
  #familyOf(type: ComplexType, concrete: readonly ComplexType[], owner: Owner): InputValue {
    const { anyTypes } = this.members;
    if (anyTypes !== null) {
      const types = new Set(concrete.flatMap(({ name }) => (name === null ? [] : [typeKey(name)])));
      const base = type.abstract ? null : type.name;
      const plan: requestPlans.EncodeValue = {
        kind: 'any',
        types: anyTypes,
        isSimple: false,
        isPlain: true,
        family: { base, types },
      };
      return { type: this.leaves.anyValue.input, plan };
    }
    const name = type.name?.local ?? owner.name;
    const instead = type.abstract ? 'it is sent as XML' : 'only that one can be sent';
    this.names.warn(`${concrete.length} types may stand for ${name}; ${instead}.`);
    return type.abstract ? this.#xml() : this.#plain(type, owner);
  }

  /** An array whose items are arrays is a list of lists, down to a depth that means something. */
  #array(type: ComplexType, item: XsdType, owner: Owner): InputValue {
    let depth = 0;
    for (
      let at: XsdType = item;
      at.kind === 'complex' && at.content.kind === 'array';
      at = at.content.item
    ) {
      depth += 1;
      if (depth > ARRAYS_MAX) return this.#xml();
    }
    const value = this.value(item, { ...owner, name: `${type.name?.local ?? owner.name}Item` });
    const itemType = encodedTypeName(item);
    return {
      type: new GraphQLList(value.type),
      plan: { kind: 'array', itemType, item: value.plan },
    };
  }
}

/** The fields of an object that is a choice, where no `@oneOf` tells it: as arguments. */
function withChoices({ fields, plan }: InputObject): InputObject['fields'] {
  const told = new Map(fields);
  for (const keys of plan.choices) {
    const branches = keys.map((key) => ({ keys: [key], required: [key], rules: [] }));
    describeRule(told, { required: true, branches });
  }
  return told;
}

/** More substitutes for one type mean a base of all types: the oneOf input would be useless. */
const VARIANTS_MAX = 200;

/**
 * The name of a type that is made for one operation. A type without a name has one by its path,
 * which may begin with the operation already.
 */
function ownName(type: ComplexType, xmlName: string, operation: string): string {
  const hasOperation = xmlName.length > operation.length && xmlName.startsWith(operation);
  return type.name === null && hasOperation ? xmlName : `${operation}${xmlName}`;
}

const isEmptyType = ({ attributes, content }: ComplexType): boolean =>
  attributes.length === 0 &&
  (content.kind === 'empty' ||
    (content.kind === 'elements' && inputContent(content.particle).particles.size === 0));

const isArray = (type: XsdType): boolean =>
  type.kind === 'complex' && type.content.kind === 'array' && type.content.dimensions === 1;

/** Whether the type is nothing but a choice. */
const isOneOfType = ({ attributes, content }: ComplexType): boolean =>
  attributes.length === 0 &&
  content.kind === 'elements' &&
  isExclusive(inputContent(content.particle));
