import { DIALECTS } from '../../soap/dialect.js';
import type { QName } from '../../xml/events.js';
import type { EncodeArray, EncodeElement } from '../plan/plan.js';
import { XSI_URI } from '../plan/xsi.js';
import { isAttribute, isSameName, type Mark } from './marks.js';

/** What SOAP encoding writes beside values (SOAP 1.1 section 5, SOAP 1.2 part 2 section 3). */

const TYPE_NAME: QName = { uri: XSI_URI, local: 'type' };

/** The type of an element. */
export const TYPE = (type: QName): Mark => ({ kind: 'name attribute', name: TYPE_NAME, value: type, suffix: '' });

/** Of an element that has no value. */
export const NIL: Mark = { kind: 'attribute', name: { uri: XSI_URI, local: 'nil' }, value: 'true' };

const XSD_URI = 'http://www.w3.org/2001/XMLSchema';

/** What is anything, for arrays whose items have a type without a name. */
const ANY_TYPE: QName = { uri: XSD_URI, local: 'anyType' };
const STRING: QName = { uri: XSD_URI, local: 'string' };

/** The type of arrays that have no name of their own. */
const arrayType = (encodingUri: string): QName => ({ uri: encodingUri, local: 'Array' });

/** The type of an element whose content the caller wrote, as marks: null where those name it themselves. */
export function typeOfXml(marks: readonly Mark[], declared: QName): QName | null {
  for (const mark of marks) {
    if (mark.kind === 'open' || mark.kind === 'close') break;
    if (isAttribute(mark) && isSameName(mark.name, TYPE_NAME)) return null;
  }
  // What is there for anything must say what it is; a text is a string.
  const isText = marks.every(({ kind }) => kind === 'text');
  return isText && isSameName(declared, ANY_TYPE) ? STRING : declared;
}

/** What an array says of its items. In 1.2 type and size are two attributes, and arrays in arrays are of the type of arrays. */
export function arrayMarks(array: EncodeArray, size: number, encodingUri: string): readonly Mark[] {
  if (encodingUri !== DIALECTS['1.2'].encodingUri) {
    const name: QName = { uri: encodingUri, local: 'arrayType' };
    const { itemType, ranks } = innermost(array);
    return [{ kind: 'name attribute', name, value: itemType, suffix: `${ranks}[${size}]` }];
  }
  const value = array.itemType ?? (array.item.kind === 'array' ? arrayType(encodingUri) : ANY_TYPE);
  return [
    { kind: 'name attribute', name: { uri: encodingUri, local: 'itemType' }, value, suffix: '' },
    { kind: 'attribute', name: { uri: encodingUri, local: 'arraySize' }, value: String(size) },
  ];
}

/** Of an array of arrays without names, what those hold: `xsd:string[][2]` (SOAP 1.1 section 5.4.2). */
function innermost(array: EncodeArray): { readonly itemType: QName; readonly ranks: string } {
  let ranks = '';
  let at = array;
  // As deep as input types are made; a plan may hold itself.
  while (at.itemType === null && at.item.kind === 'array' && ranks.length < RANKS_CHARS) {
    ranks += '[]';
    at = at.item;
  }
  return { itemType: at.itemType ?? ANY_TYPE, ranks };
}

const RANKS_CHARS = 32;

/** The items of an encoded array are known by their place alone (SOAP 1.1 section 5.4.2). */
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
