import type { requestPlans } from '../../../codec/index.js';
import {
  type ComplexType,
  type ElementDeclaration,
  type SimpleType,
  typeKey,
  xsd,
} from '../../../wsdl/index.js';
import { descriptionOf } from './description.js';
import type { FieldMapping } from './mapping.js';
import type { Occurring } from './occurrence.js';

/**
 * One thing inside an element: a child, an attribute or its text, under the name it has in GraphQL.
 */
export type Member = ElementMember | AttributeMember | TextMember;

interface Presented {
  readonly name: string;
  readonly description: string | null;
  /** The mapping that the member has; null without one. */
  readonly mapping: FieldMapping | null;
  /**
   * Replies may leave it out or send nil (true), or never do (false), whatever is declared; null:
   * as declared.
   */
  readonly nullable: boolean | null;
  /** The elements around it, where the mapping lifts it out of these; absent: none. */
  readonly lift?: readonly requestPlans.LiftStep[];
}

export interface ElementMember extends Presented {
  readonly kind: 'element';
  /** All that it may hold is shown elsewhere; absent: it is shown. */
  readonly isEmptied?: boolean;
  readonly element: ElementDeclaration;
  /** At least one stands there whatever branch of a choice is taken. */
  readonly required: boolean;
  /** More than one may stand there. */
  readonly many: boolean;
  /** An item of an encoded array: on the wire it has any name. */
  readonly anyName: boolean;
}

export interface AttributeMember extends Presented {
  readonly kind: 'attribute';
  readonly attribute: xsd.AttributeDeclaration;
}

export interface TextMember extends Presented {
  readonly kind: 'text';
  readonly type: SimpleType;
}

/** A choice that replies show as one field. */
export interface ChoiceMember extends Presented {
  readonly kind: 'choice';
  /** The type whose content model has it; others inherit it. */
  readonly declaredBy: ComplexType;
  readonly branches: readonly ElementMember[];
  readonly required: boolean;
  /** Several branches may follow one another, in any order. */
  readonly many: boolean;
}

/** An element as a member under this name, without a mapping. */
export const elementMember = (element: ElementDeclaration, name: string): ElementMember => ({
  kind: 'element',
  name,
  element,
  required: false,
  many: false,
  anyName: false,
  description: descriptionOf(element.documentation),
  mapping: null,
  nullable: null,
});

/** The member with the conversion of the items of its list, where it has none itself. */
export function convertedAsItem(member: ElementMember, item: ElementMember | null): ElementMember {
  const convert = item?.mapping?.convert ?? null;
  const mapping = member.mapping ?? item?.mapping ?? null;
  if (convert === null || mapping === null || member.mapping?.convert != null) return member;
  return { ...member, mapping: { ...mapping, convert } };
}

/** Whether a member is never null in replies; `declared`: by the schema document. */
export const isNonNullMember = ({ nullable }: Presented, declared: boolean): boolean =>
  nullable === null ? declared : !nullable;

/** Replies do not show it, and requests only where something must be provided. */
export const isHidden = (member: Member): boolean =>
  member.mapping?.hidden === true || (member.kind === 'element' && member.isEmptied === true);

export const elementKey = (element: ElementDeclaration): string =>
  `element ${typeKey(element.name)}`;

export function memberKey(member: Member): string {
  const { lift } = member;
  if (lift !== undefined && lift.length > 0) {
    return (
      `${lift.map(({ name }) => typeKey(name)).join('/')}/` +
      `${memberKey({ ...member, lift: [] })}`
    );
  }
  if (member.kind === 'text') return 'text';
  return member.kind === 'element'
    ? elementKey(member.element)
    : `attribute ${typeKey(member.attribute.name)}`;
}

/**
 * Lists the possible names of a member in the mapping. An attribute has one without `@` only where
 * nothing else has it.
 */
export function keysOf(member: Member, beside: readonly Member[]): readonly string[] {
  if (member.kind !== 'attribute') return [xmlNameOf(member)];
  const name = xmlNameOf(member);
  const isTaken = beside.some((other) => other.kind !== 'attribute' && xmlNameOf(other) === name);
  return isTaken ? [`@${name}`] : [`@${name}`, name];
}

/** The XML name of a member; `value` for text. */
export function xmlNameOf(member: Member): string {
  if (member.kind === 'text') return 'value';
  return member.kind === 'element' ? member.element.name.local : member.attribute.name.local;
}

/** Members under their XML names: elements, text, then attributes. */
export function ownMembers(type: ComplexType, elements: readonly Occurring[]): readonly Member[] {
  const { content } = type;
  // Attributes of the encoding on every array (its type, its place in memory) are hidden.
  if (content.kind === 'array') return content.dimensions > 1 ? [] : [arrayItem(content.item)];
  const members: Member[] = elements.map(({ element, required, many }) => ({
    ...elementMember(element, element.name.local),
    required,
    many,
  }));
  if (content.kind === 'text') {
    members.push({
      kind: 'text',
      name: 'value',
      type: content.type,
      description: null,
      mapping: null,
      nullable: null,
    });
  }
  for (const attribute of type.attributes) {
    const description = descriptionOf(attribute.documentation);
    members.push({
      kind: 'attribute',
      name: attribute.name.local,
      attribute,
      description,
      mapping: null,
      nullable: null,
    });
  }
  return members;
}

/** An item of an encoded array may always be missing (SOAP 1.1 section 5.4.2). */
const arrayItem = (type: ElementDeclaration['type']): ElementMember => ({
  ...elementMember(xsd.plainElement({ uri: '', local: 'item' }, type, { nillable: true }), 'item'),
  many: true,
  anyName: true,
});
