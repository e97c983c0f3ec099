import {
  GraphQLBoolean,
  type GraphQLInputFieldConfig,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLNonNull,
  type GraphQLNullableType,
} from 'graphql';
import { type requestPlans, type Scalar, scalars } from '../../../codec/index.js';
import { type ComplexType, type SimpleType, typeKey, type XsdType } from '../../../wsdl/index.js';
import { describedWith, ruleExtensions } from '../rights/field-rule.js';
import { deprecationIn } from '../types/description.js';
import type { LeafTable } from '../types/leaf.js';
import type { FieldConversion } from '../types/mapping.js';
import type { Member } from '../types/member.js';
import type { MemberTable } from '../types/members.js';
import type { ServiceNames } from '../types/type-names.js';
import type { InputMappings } from './input-mapping.js';
import type { InputField } from './shown-input.js';

/** A structure that can be written: its fields as the schema shows them, and its plan. */
export interface InputObject {
  readonly fields: ReadonlyMap<string, InputField>;
  readonly plan: requestPlans.EncodeObject;
}

export interface InputValue {
  readonly type: GraphQLNullableType & GraphQLInputType;
  readonly plan: requestPlans.EncodeValue;
  /** The fields that callers set, for an object that is made for one operation. */
  readonly fields?: ReadonlyMap<string, InputField>;
}

/** The name of an object and the mapping of it. */
export interface Owner {
  readonly name: string;
  readonly mappings: InputMappings;
  /** Begins the names of types that are made for one operation only. */
  readonly operation: string;
  /**
   * The conversion of the value itself by the mapping of the operation; null or absent: that of its
   * field.
   */
  readonly convert?: FieldConversion | null;
  /** The types around it whose values were lifted, so that it is one of its own; absent: none. */
  readonly lifting?: readonly ComplexType[];
}

/** The input types of one service, from which objects are filled. */
export interface InputSources {
  readonly members: MemberTable;
  readonly leaves: LeafTable;
  readonly names: ServiceNames;
  simple(
    type: SimpleType,
    nameHint: string,
    member: Member | null,
    convert?: FieldConversion | null,
  ): InputValue & { readonly scalar: Scalar };
  value(type: XsdType, owner: Owner, member: Member | null): InputValue;
  objectType(
    name: string,
    object: InputObject,
    isOneOf: boolean,
    description: string | null,
  ): GraphQLInputObjectType;
}

/** Fields or arguments as GraphQL wants them. */
export function inputConfigs(
  fields: ReadonlyMap<string, InputField>,
): Record<string, GraphQLInputFieldConfig> {
  // An input type of which everything is fixed still needs a field.
  if (fields.size === 0) {
    return { _: { type: GraphQLBoolean, description: 'Not used: GraphQL needs a field.' } };
  }
  return Object.fromEntries(fields);
}

/** How a field is shown. */
export interface FieldAbout {
  readonly isNonNull: boolean;
  /** The default that the schema declares, in its lexical form. */
  readonly lexicalDefault: string | null;
  readonly scalar: Scalar | null;
  readonly member: Member;
  /** What is told beside the documentation; absent: nothing. */
  readonly note?: string | null;
}

/** A field; one that must be provided cannot be deprecated. */
export function inputFieldOf(
  type: GraphQLNullableType & GraphQLInputType,
  { isNonNull: isRequired, lexicalDefault, scalar, member, note = null }: FieldAbout,
): InputField {
  const isNonNull = isRequired && scalar?.nullText === undefined;
  const rule = member.mapping?.rule ?? null;
  const told = [member.description, note].filter((part) => part !== null);
  const description = describedWith(told.length === 0 ? null : told.join('\n\n'), rule);
  // A default of the schema may be no value of its own type.
  const decoded =
    lexicalDefault === null || scalar === null
      ? null
      : scalars.decodedScalar(scalar, lexicalDefault);
  const deprecationReason = member.mapping?.deprecated ?? deprecationIn(member.description);
  const extensions = ruleExtensions(rule);
  if (isNonNull && decoded !== null) {
    return { type, description, defaultValue: decoded, deprecationReason, extensions };
  }
  if (isNonNull) return { type: new GraphQLNonNull(type), description, extensions };
  return { type, description, deprecationReason, extensions };
}

/** Types of a family that a description names. */
const NAMED_TYPES_MAX = 10;

/** What a field is told of the types that its value may be of; null where that is not a family. */
export function familyNote(plan: requestPlans.EncodeValue): string | null {
  if (plan.kind !== 'any' || plan.family === undefined) return null;
  const { base, types } = plan.family;
  const named = [...types].slice(0, NAMED_TYPES_MAX).map((name) => `\`${name}\``);
  const more = types.size > NAMED_TYPES_MAX ? ', ...' : '';
  const without = base === null ? 'It must be there' : `Without it, \`${typeKey(base)}\``;
  return `\`type\` is one of ${types.size}: ${named.join(', ')}${more}. ${without}.`;
}
