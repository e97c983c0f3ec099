import {
  GraphQLBoolean,
  type GraphQLFieldConfig,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLNullableType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLScalarType,
  GraphQLString,
  type GraphQLUnionType,
} from 'graphql';
import { scalars } from '../../../codec/index.js';
import { type Wildcard, xsd } from '../../../wsdl/index.js';
import { addressExtensions } from '../downloads/url-directive.js';
import { joinedExtensions } from '../rights/extensions.js';
import { bothRules, describedWith, type FieldRule, ruleExtensions } from '../rights/field-rule.js';
import { ruleWithinAny } from '../types/any-value.js';
import { costExtensions, type FieldCost } from '../types/cost-rules.js';
import { deprecationIn } from '../types/description.js';
import { type Leaf, PRESENCE_SCALAR } from '../types/leaf.js';
import {
  type AttributeMember,
  type ChoiceMember,
  type ElementMember,
  isNonNullMember,
  type Member,
  type TextMember,
} from '../types/member.js';
import type { MemberTable } from '../types/members.js';
import { SINGLE } from '../types/plain-shape.js';
import type { FieldShape, ValueShape } from '../types/shape.js';
import type { ServiceNames } from '../types/type-names.js';
import { wireExtensions } from './wire-names.js';

/** A field as the schema shows it and as a plan reads it. `type` is without its outer non-null. */
export interface OutputField {
  readonly type: GraphQLNullableType & GraphQLOutputType;
  readonly shape: FieldShape;
  readonly description: string | null;
  /** The reason; null: not deprecated. */
  readonly deprecated: string | null;
  /** Null or absent: by rule. */
  readonly cost?: FieldCost | null;
}

/** The value of an element. */
export interface OutputValue {
  readonly type: GraphQLNullableType & GraphQLOutputType;
  readonly value: Exclude<ValueShape, { readonly kind: 'choice' }>;
}

/** What the types of one service's replies are made with. */
export interface OutputFieldSources {
  readonly names: ServiceNames;
  readonly members: MemberTable;
  field(member: ElementMember, owner: string): OutputField;
  /** Called with every type that is made. */
  add(type: GraphQLObjectType | GraphQLUnionType): void;
}

/** The documentation of a member in the schema. */
export const aboutOf = (
  member: Pick<Member | ChoiceMember, 'description' | 'mapping'>,
): Pick<OutputField, 'description' | 'deprecated' | 'cost'> => ({
  description: member.description,
  deprecated: member.mapping?.deprecated ?? deprecationIn(member.description),
  cost: member.mapping?.cost ?? null,
});

/** The text of simple content. */
export function textField(member: TextMember, { type, scalar }: Leaf): OutputField {
  const shape: FieldShape = {
    ...SINGLE,
    source: { from: 'text' },
    nonNull: isNonNullMember(member, true),
    value: { kind: 'scalar', scalar },
  };
  return { type, shape, ...aboutOf(member) };
}

export function attributeField(member: AttributeMember, { type, scalar }: Leaf): OutputField {
  const { name, required, default: ifAbsent, fixed } = member.attribute;
  const lexical = ifAbsent ?? fixed;
  const shape: FieldShape = {
    ...SINGLE,
    source: { from: 'attribute', name, default: lexical },
    nonNull: isNonNullMember(member, required || lexical !== null),
    value: { kind: 'scalar', scalar },
  };
  return { type, shape, ...aboutOf(member) };
}

/** The name of the field of a type that has none. */
export const PLACEHOLDER = '_';

export const PLACEHOLDER_FIELD: OutputField = {
  type: GraphQLBoolean,
  shape: {
    ...SINGLE,
    source: {
      from: 'attribute',
      name: { uri: 'urn:soapstone:placeholder', local: PLACEHOLDER },
      default: null,
    },
    value: { kind: 'scalar', scalar: PRESENCE_SCALAR },
  },
  description: 'Always null: the type has no content of its own, and GraphQL needs a field.',
  deprecated: null,
};

export const listOf = (
  type: GraphQLNullableType & GraphQLOutputType,
  itemNonNull: boolean,
): GraphQLList<GraphQLOutputType> => new GraphQLList(itemNonNull ? new GraphQLNonNull(type) : type);

/**
 * A field beside which these wildcards stand: further elements of its name are theirs, if they
 * allow them.
 */
export function besideAny(
  field: OutputField,
  member: Member,
  wildcards: readonly Wildcard[],
): OutputField {
  const { shape } = field;
  const { source, lift } = shape;
  if (wildcards.length === 0 || member.kind !== 'element') return field;
  const [outer, ...inner] = lift ?? [];
  if (outer !== undefined) {
    const isFirst = xsd.allowsAny(wildcards, outer.name.uri) ? { occurrence: 0 } : {};
    return {
      ...field,
      shape: { ...shape, lift: [{ ...outer, ...isFirst, wildcards }, ...inner] },
    };
  }
  if (source.from !== 'child' && source.from !== 'wrapped list') return field;
  const match = isOnce(member, wildcards) ? { occurrence: 0, wildcards } : { wildcards };
  return { ...field, shape: { ...shape, source: { ...source, ...match } } };
}

/** A second such element is what xs:any lets in. */
const isOnce = ({ many, element }: ElementMember, wildcards: readonly Wildcard[]): boolean =>
  !many && xsd.allowsAny(wildcards, element.name.uri);

/** The field for elements of `xs:any`, beside these members. */
export function restField(
  members: readonly Member[],
  wildcards: readonly Wildcard[],
  { type, value }: OutputValue,
): OutputField {
  const named = members.filter(
    (member): member is ElementMember => member.kind === 'element' && member.lift === undefined,
  );
  const shape: FieldShape = {
    source: {
      from: 'rest',
      except: named.map(({ element }) => element.name),
      once: named.filter((member) => isOnce(member, wildcards)).map(({ element }) => element.name),
      wildcards: wildcards,
    },
    list: true,
    nonNull: false,
    itemNonNull: true,
    value,
  };
  const description = `Elements of other names${value.kind === 'opaque' ? ', each as XML' : ''}.`;
  return { type: listOf(type, true), shape, description, deprecated: null };
}

/** The text of mixed content, beside its elements. */
export const MIXED_TEXT_FIELD: OutputField = {
  type: GraphQLString,
  shape: {
    ...SINGLE,
    source: { from: 'text' },
    value: {
      kind: 'scalar',
      scalar: { name: 'String', decode: scalars.trimXml, encode: scalars.textOf },
    },
  },
  description: 'The text, without that of the elements in it.',
  deprecated: null,
};

/** An element whose content is not modelled, where what it may be instead has fields. */
export const wholeField = (
  xml: GraphQLScalarType,
  description = 'The whole element as XML: its content is not modelled.',
): OutputField => ({
  type: xml,
  shape: { ...SINGLE, source: { from: 'self' }, value: { kind: 'opaque' } },
  description,
  deprecated: null,
});

/** The field with a rule that holds besides its own. */
export const withRule = (field: OutputField, rule: FieldRule | null): OutputField => {
  const both = bothRules(field.shape.rule ?? null, rule);
  return both === null ? field : { ...field, shape: { ...field.shape, rule: both } };
};

/**
 * Whether values of a field are single texts, or lists of them, so that a part or a hash can stand
 * for them.
 */
export const isText = ({ value }: FieldShape): boolean =>
  value.kind === 'scalar' &&
  (value.scalar.name === 'String' || value.scalar.name === 'ID') &&
  value.scalar.isReference !== true;

/** Fields as GraphQL wants them. */
export function outputConfigs(
  fields: ReadonlyMap<string, OutputField>,
): Record<string, GraphQLFieldConfig<unknown, unknown>> {
  return Object.fromEntries(
    [...fields].map(([name, { type, shape, description, deprecated, cost = null }]) => [
      name,
      {
        type: shape.nonNull ? new GraphQLNonNull(type) : type,
        description: describedWith(description, shape.rule ?? null),
        deprecationReason: deprecated,
        extensions: joinedExtensions(
          costExtensions(cost),
          ruleExtensions(shape.rule ?? null, ruleWithinAny(shape.value)),
          addressExtensions(shape),
          wireExtensions(name, shape),
        ),
      },
    ]),
  );
}

/** A value that is made at its first use. */
export function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** An array within an array; its items may be nil. */
export const nestedList = ({ type, value }: OutputValue): OutputValue => ({
  type: listOf(type, false),
  value: { kind: 'list', itemNonNull: false, item: value },
});

/** The warning about an encoded array that cannot be a list. */
export const arrayWarning = (name: string): string =>
  `${name} is an array of several dimensions, it is shown as XML.`;
