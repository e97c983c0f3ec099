import type { QName } from '../../xml/index.js';
import type { Scalar } from './scalar.js';

/**
 * The types that `xsi:type` may name where the schema allows any: those of the WSDL and of XML
 * Schema.
 */
export interface AnyTypes {
  /**
   * The reader may not have all of them: content that no type describes is withheld, for it may be
   * of any.
   */
  readonly isRestricted?: boolean;
  named(name: QName): AnyType | null;
  /** The declaration of an element of any name; null, or absent, where there is none. */
  element?(name: QName): AnyMember | null;
}

/** What a reader gets of a value instead of it; undefined: nothing, the value is left out. */
export type Withhold = (value: unknown) => unknown;

/** A type by which content is read as JSON, or JSON is written. */
export type AnyType = AnySimple | AnyList | AnyObject;

interface AnySimple {
  readonly kind: 'simple';
  readonly name: QName | null;
  readonly scalar: Scalar;
}

/** A type that is nothing but a list: of one repeated element, or an array of the SOAP encoding. */
export interface AnyList {
  readonly kind: 'list';
  readonly name: QName | null;
  readonly item: AnyMember;
  readonly isEncodedArray: boolean;
}

export interface AnyObject {
  readonly kind: 'object';
  readonly name: QName | null;
  /** Values are of types that are derived from it, not of itself. */
  readonly isAbstract?: boolean;
  /** The scalar that simple content has; else null. */
  readonly text: Scalar | null;
  readonly withholdText?: Withhold;
  /** Maps local names to attributes. */
  readonly attributes: ReadonlyMap<string, AnyAttribute>;
  /** Maps local names to members, in the order of the schema. */
  readonly members: ReadonlyMap<string, AnyMember>;
}

export interface AnyAttribute {
  readonly name: QName;
  readonly scalar: Scalar;
  readonly withhold?: Withhold;
}

/** A child element. */
export interface AnyMember {
  readonly name: QName;
  readonly isMany: boolean;
  readonly isRequired: boolean;
  readonly isNillable: boolean;
  readonly typeName: QName | null;
  /**
   * Null where it may be of any type. Types may be recursive: it is asked for when it is needed.
   */
  type(): AnyType | null;
  /** Absent: the reader gets the value. */
  readonly withhold?: Withhold;
}

/** The key of a value's type in JSON, beside the members of an object. */
export const TYPE_KEY = '$type';
/** The key of a value that is no object, beside its type. */
export const VALUE_KEY = '$value';
/** The key of the text of an element with attributes. */
export const TEXT_KEY = '#text';

const APACHE = 'http://xml.apache.org/xml-soap';

/** The map of Apache SOAP, which Axis and PHP write. */
export const MAP: QName = { uri: APACHE, local: 'Map' };

export const isMap = ({ uri, local }: QName): boolean => uri === APACHE && local === 'Map';
/** A list of Apache SOAP. */
export const isVector = ({ uri, local }: QName): boolean => uri === APACHE && local === 'Vector';

/** Whether JSON of this type may have a member with this key. */
export function hasMember({ text, attributes, members }: AnyObject, key: string): boolean {
  if (key === TYPE_KEY || (key === TEXT_KEY && text !== null)) return true;
  return key.startsWith('@') ? attributes.has(key.slice(1)) : members.has(key);
}
