import { namespaces, typeKey } from '../../wsdl/index.js';
import type { QName, StartTag } from '../../xml/index.js';
import {
  type AnyMember,
  type AnyType,
  type AnyTypes,
  isMap,
  isVector,
  TEXT_KEY,
  TYPE_KEY,
  VALUE_KEY,
} from '../plan/any-types.js';
import { ContentNames } from '../plan/content-names.js';
import { trimXml } from '../plan/lexical.js';
import { decodedScalar, type Scalar } from '../plan/scalar.js';
import { isNil, resolveQName, typeNameOf, XML_URI, XSI_URI } from '../plan/xsi.js';

/**
 * Reads an element of any type as JSON, by its `xsi:type` where that is known. Simple values are as
 * fields of their type have them; children are members by their local names, repeated ones lists;
 * attributes are members `@name`.
 */
export class AnyValueReader {
  readonly #types: AnyTypes;
  readonly #maxChars: number;
  readonly #isNamed: boolean;
  readonly #open: Frame[] = [];
  #chars = 0;
  #value: unknown = null;

  /**
   * `maxChars`: how long names, texts and values may be together. `isNamed`: a declaration of its
   * name has its type.
   */
  constructor(types: AnyTypes, maxChars: number, isNamed = false) {
    this.#types = types;
    this.#isNamed = isNamed;
    this.#maxChars = maxChars;
  }

  /** True when it is longer than allowed: it takes no more and comes to nothing. */
  get isTooLong(): boolean {
    return this.#chars > this.#maxChars;
  }

  open(tag: StartTag): void {
    this.#chars += tag.local.length + 5;
    if (this.isTooLong) return;
    const parent = this.#open.at(-1) ?? null;
    parent?.names?.endRun();
    const declared = parent === null ? this.#declared(tag) : parent.memberFor(tag.local);
    const frame = new Frame(tag, declared, parent?.itemType ?? null, this.#types);
    this.#open.push(frame);
    for (let index = 0; index < tag.attributeCount; index++) {
      this.#chars += tag.attributeLocal(index).length + tag.attributeValue(index).length;
      if (this.isTooLong) return;
      frame.addAttribute(tag, index);
    }
  }

  text(chars: string): void {
    this.#chars += chars.length;
    const frame = this.#open.at(-1);
    if (this.isTooLong || frame === undefined) return;
    frame.text += chars;
    frame.names?.add(chars);
  }

  close(): void {
    if (this.isTooLong) return;
    const frame = this.#open.pop();
    if (frame === undefined) return;
    const parent = this.#open.at(-1);
    if (parent === undefined) {
      this.#value = frame.value();
    } else {
      parent.add(frame, frame.typedValue());
    }
  }

  #declared({ uri, local }: StartTag): AnyMember | null {
    return this.#isNamed ? (this.#types.element?.({ uri, local }) ?? null) : null;
  }

  /** The value; null where it was too long. To be called when every element is closed. */
  finish(): unknown {
    return this.isTooLong ? null : this.#value;
  }
}

export type AnyJson = Record<string, unknown>;

/** A JSON object, whose keys are names on the wire. */
export const anyObject = (): AnyJson => Object.create(null);

/**
 * One open element. Where types are restricted, it has no content that its type does not describe.
 */
class Frame {
  readonly #local: string;
  text = '';
  /** The prefixes in its text; null where that is no QName. */
  readonly names: ContentNames | null;
  /** The type of the items of an array of the SOAP encoding. */
  readonly itemType: QName | null;
  readonly #declared: AnyMember | null;
  /** The type that `xsi:type` or the array around it names. */
  readonly #typeName: QName | null;
  readonly #type: AnyType | null;
  readonly #isNil: boolean;
  readonly #isRestricted: boolean;
  readonly #items: unknown[] | null;
  #members: AnyJson | null = null;
  #attributes: AnyJson | null = null;
  /** Members that were lists before they came again. */
  readonly #lists = new Set<string>();

  constructor(tag: StartTag, declared: AnyMember | null, itemType: QName | null, types: AnyTypes) {
    this.#local = tag.local;
    this.#isRestricted = types.isRestricted === true;
    this.#declared = declared;
    const own = typeNameOf(tag);
    this.#typeName = own ?? ((declared?.type() ?? null) === null ? itemType : null);
    const named = this.#typeName === null ? null : types.named(this.#typeName);
    this.#type = named ?? declared?.type() ?? null;
    this.#isNil = isNil(tag);
    this.itemType = itemTypeOf(tag);
    const name = this.#typeName;
    const isArray =
      this.itemType !== null ||
      (name !== null && (isMap(name) || isVector(name) || isArrayName(name)));
    this.#items = isArray || this.#type?.kind === 'list' ? [] : null;
    const scalar = scalarIn(this.#type);
    this.names = scalar?.name === 'QName' ? new ContentNames(tag) : null;
  }

  /** The declaration of a child; null where its type does not say. */
  memberFor(local: string): AnyMember | null {
    const type = this.#type;
    if (type?.kind === 'list') return type.item;
    return type?.kind === 'object' ? (type.members.get(local) ?? null) : null;
  }

  addAttribute(tag: StartTag, index: number): void {
    const uri = tag.attributeUri(index);
    const local = tag.attributeLocal(index);
    if (uri === XSI_URI || uri === XML_URI || isOfSoap(uri, local)) return;
    const declared = this.#type?.kind === 'object' ? this.#type.attributes.get(local) : undefined;
    this.#attributes ??= anyObject();
    if (this.#isRestricted && declared === undefined) return;
    const value = decoded(declared?.scalar ?? null, tag.attributeValue(index));
    const shown = declared?.withhold === undefined ? value : declared.withhold(value);
    if (shown !== undefined) {
      this.#attributes[`@${local}`] = shown;
    }
  }

  add(child: Frame, given: unknown): void {
    const local = child.#local;
    const declared = child.#declared;
    const value = declared?.withhold === undefined ? given : declared.withhold(given);
    if (this.#items !== null) {
      if (value !== undefined) {
        this.#items.push(value);
      }
      return;
    }
    this.#members ??= anyObject();
    if (value === undefined || (this.#isRestricted && declared === null)) return;
    const held = this.#members[local];
    if (this.#lists.has(local) && Array.isArray(held)) {
      held.push(value);
    } else if (held === undefined && this.memberFor(local)?.isMany !== true) {
      this.#members[local] = value;
    } else {
      this.#members[local] = held === undefined ? [value] : [held, value];
      this.#lists.add(local);
    }
  }

  /** The value as JSON, without its type. */
  value(): unknown {
    if (this.#isNil || (this.#isRestricted && this.#isUndescribed)) return null;
    if (this.#items !== null) {
      return this.#typeName !== null && isMap(this.#typeName) ? mapOf(this.#items) : this.#items;
    }
    const isObject =
      this.#members !== null || (this.#type?.kind === 'object' && this.#type.text === null);
    if (!isObject && this.#attributes === null) return this.#simple();
    const object = anyObject();
    if (this.#attributes !== null) {
      Object.assign(object, this.#attributes);
    }
    if (this.#members !== null) {
      Object.assign(object, this.#members);
    }
    // An element of nothing but attributes, as rows of SharePoint are, has no text to show.
    const isBare = this.#type === null && this.text === '';
    if ((!isObject && !isBare) || (trimXml(this.text) !== '' && !this.#isRestricted)) {
      object[TEXT_KEY] = this.#simple();
    }
    return object;
  }

  /** Returns the value with its type, where JSON and the schema do not show the type. */
  typedValue(): unknown {
    const value = this.value();
    const name = this.#typeName;
    if (value === null || name === null || this.#isDeclared(name) || isTold(name, value)) {
      return value;
    }
    const typed = anyObject();
    typed[TYPE_KEY] = typeKey(name);
    if (typeof value === 'object' && !Array.isArray(value)) return Object.assign(typed, value);
    typed[VALUE_KEY] = value;
    return typed;
  }

  /**
   * It is a map, or has parts that are of no type. A text alone is shown: the field around it may
   * have a rule.
   */
  get #isUndescribed(): boolean {
    if (this.#items !== null) return this.#typeName !== null && isMap(this.#typeName);
    return this.#type === null && (this.#members !== null || this.#attributes !== null);
  }

  #isDeclared(name: QName): boolean {
    const declared = this.#declared?.typeName ?? null;
    return (
      declared !== null && this.#declared?.type() !== null && typeKey(declared) === typeKey(name)
    );
  }

  #simple(): unknown {
    const value = decoded(scalarIn(this.#type), this.text);
    if (this.#type?.kind === 'object' && this.#type.withholdText !== undefined) {
      return this.#type.withholdText(value) ?? null;
    }
    return this.names !== null && typeof value === 'string' ? this.names.qualified(value) : value;
  }
}

const scalarIn = (type: AnyType | null): Scalar | null =>
  type?.kind === 'simple' ? type.scalar : type?.kind === 'object' ? type.text : null;

/** The value of a text; the text itself where it is none of its type. */
const decoded = (scalar: Scalar | null, text: string): unknown =>
  scalar === null ? text : (decodedScalar(scalar, text) ?? text);

const isArrayName = ({ uri, local }: QName): boolean =>
  local === 'Array' && namespaces.SOAP_ENCODINGS.includes(uri);

/** Attributes that are part of SOAP, or of how a value is written, and not of the value. */
const isOfSoap = (uri: string, local: string): boolean =>
  namespaces.SOAP_ENCODINGS.includes(uri) ||
  (uri === '' && local === 'id') ||
  (local === 'encodingStyle' && uri !== '');

/** Reads `arrayType` of SOAP 1.1 (`xsd:int[2]`), or `itemType` of SOAP 1.2. Null without either. */
function itemTypeOf(tag: StartTag): QName | null {
  if (tag.attributeCount === 0) return null;
  for (let index = 0; index < tag.attributeCount; index++) {
    const local = tag.attributeLocal(index);
    if (
      (local !== 'arrayType' && local !== 'itemType') ||
      !namespaces.SOAP_ENCODINGS.includes(tag.attributeUri(index))
    ) {
      continue;
    }
    const [name = '', size, inner] = tag.attributeValue(index).split('[', 3);
    return inner === undefined || size === undefined ? resolveQName(tag, name) : ARRAY;
  }
  return null;
}

/** The type of items that are arrays themselves (`xsd:int[][2]`). */
const ARRAY: QName = { uri: namespaces.SOAP_ENCODINGS[0] ?? '', local: 'Array' };

/**
 * Whether a value of JSON tells this type by itself: a string, a boolean, a 32-bit integer, a
 * number with a fraction.
 */
function isTold(name: QName, value: unknown): boolean {
  if (isMap(name)) return !Array.isArray(value);
  if (isArrayName(name)) return Array.isArray(value);
  if (!namespaces.isBuiltInNamespace(name.uri)) return false;
  switch (name.local) {
    case 'string':
    case 'boolean':
      return typeof value === name.local;
    case 'int':
      return typeof value === 'number';
    case 'double':
      return typeof value === 'number' && !Number.isInteger(value);
    case 'anyType':
    case 'ur-type':
      return true;
    default:
      return false;
  }
}

/** The entries of a map by their keys; the items as they are where a key is no simple value. */
function mapOf(items: readonly unknown[]): unknown {
  const map = anyObject();
  for (const item of items) {
    if (typeof item !== 'object' || item === null || !('key' in item)) return items;
    const { key } = item;
    if (typeof key === 'object') return items;
    map[String(key)] = 'value' in item ? item.value : null;
  }
  return map;
}
