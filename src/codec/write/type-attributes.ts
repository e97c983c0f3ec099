import { DIALECT_NAMES, DIALECTS, type Dialect } from '../../soap/index.js';
import { namespaces } from '../../wsdl/index.js';
import type { QName } from '../../xml/index.js';
import { type ContentEvent, isAttribute, isSameName } from '../plan/request/content-events.js';
import type { EncodeArray, EncodeElement, EncodeValue } from '../plan/request/encode-plan.js';
import { XSI_URI } from '../plan/xsi.js';

/** Attributes that the SOAP encoding writes (SOAP 1.1 section 5, SOAP 1.2 part 2 section 3). */

const TYPE_NAME: QName = { uri: XSI_URI, local: 'type' };

/** The type of an element. */
export const TYPE = (type: QName): ContentEvent => ({
  kind: 'name attribute',
  name: TYPE_NAME,
  value: type,
  suffix: '',
});

/** Marks an element that has no value. */
export const NIL: ContentEvent = {
  kind: 'attribute',
  name: { uri: XSI_URI, local: 'nil' },
  value: 'true',
};

/** For arrays whose items have a type without a name. */
export const ANY_TYPE_NAME: QName = { uri: namespaces.XSD, local: 'anyType' };
const STRING: QName = { uri: namespaces.XSD, local: 'string' };

/** The type of arrays that have no name of their own. */
const arrayType = (encodingUri: string): QName => ({ uri: encodingUri, local: 'Array' });

/** Whether a value names its type itself, where it has one. */
export const namesItsType = ({ kind }: EncodeValue): boolean => kind === 'xml' || kind === 'any';

/**
 * The type of an element with content from the client: null where its events name one themselves.
 */
export function typeOfXml(events: readonly ContentEvent[], declared: QName): QName | null {
  if (hasTypeAttribute(events)) return null;
  // An anyType element must name its type; text is a string.
  const isText = events.every(({ kind }) => kind === 'text');
  return isText && isSameName(declared, ANY_TYPE_NAME) ? STRING : declared;
}

/** Whether one of the attributes at the beginning names the type of the element. */
export function hasTypeAttribute(events: readonly ContentEvent[]): boolean {
  for (const event of events) {
    if (event.kind === 'open' || event.kind === 'close') break;
    if (isAttribute(event) && isSameName(event.name, TYPE_NAME)) return true;
  }
  return false;
}

/** The encodings whose arrays have `itemType` and `arraySize`. */
const HAS_ITEM_TYPES: ReadonlySet<string> = new Set(
  DIALECT_NAMES.map((name): Dialect => DIALECTS[name])
    .filter(({ arrayForm }) => arrayForm === 'itemType')
    .map(({ encodingUri }) => encodingUri),
);

/**
 * The attributes for an array's items. In 1.2 type and size are two attributes, and an inner array
 * is of type Array.
 */
export function arrayAttributes(
  array: EncodeArray,
  size: number,
  encodingUri: string,
): readonly ContentEvent[] {
  if (!HAS_ITEM_TYPES.has(encodingUri)) {
    const name: QName = { uri: encodingUri, local: 'arrayType' };
    const { itemType, ranks } = innermost(array);
    return [{ kind: 'name attribute', name, value: itemType, suffix: `${ranks}[${size}]` }];
  }
  const value =
    array.itemType ?? (array.item.kind === 'array' ? arrayType(encodingUri) : ANY_TYPE_NAME);
  return [
    { kind: 'name attribute', name: { uri: encodingUri, local: 'itemType' }, value, suffix: '' },
    { kind: 'attribute', name: { uri: encodingUri, local: 'arraySize' }, value: String(size) },
  ];
}

/**
 * The innermost item type of nested arrays without names: `xsd:string[][2]` (SOAP 1.1 section
 * 5.4.2).
 */
function innermost(array: EncodeArray): { readonly itemType: QName; readonly ranks: string } {
  let ranks = '';
  let at = array;
  // As deep as input types are made; a plan may hold itself.
  while (at.itemType === null && at.item.kind === 'array' && ranks.length < RANKS_CHARS) {
    ranks += '[]';
    at = at.item;
  }
  return { itemType: at.itemType ?? ANY_TYPE_NAME, ranks };
}

const RANKS_CHARS = 32;

/** The item element of an encoded array; its name carries no meaning (SOAP 1.1 section 5.4.2). */
export function itemElement(array: EncodeArray, encodingUri: string | null): EncodeElement {
  const isNested = encodingUri !== null && array.itemType === null && array.item.kind === 'array';
  return {
    key: 'item',
    name: { uri: '', local: 'item' },
    occurs: 'one',
    required: false,
    nillable: true,
    fixed: null,
    typeName: isNested ? arrayType(encodingUri) : array.itemType,
    value: array.item,
  };
}
