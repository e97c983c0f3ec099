import type { Refusal } from '../../core/index.js';
import { unsupported } from './own-prefixes.js';

const XSD_URI = 'http://www.w3.org/2001/XMLSchema';

/** A type and its ranks, such as `xsd:string[][2,3]` (SOAP 1.1 section 5.4.2). */
const ARRAY_TYPE = /^([^\s[\]]+)((?:\[[\d,]*\])*)\[([\d,]*)\]$/;

/**
 * The value of `arrayType` as those of `itemType` and `arraySize` (SOAP 1.2 part 2 section 3.1.6).
 * Items that are arrays have the type `arrayName`. Throws `BRIDGE_UNSUPPORTED`.
 */
export function itemsAsAttributes(
  arrayType: string,
  arrayName: string,
): { readonly itemType: string; readonly arraySize: string } {
  const [, type = '', ranks = '', size = ''] = ARRAY_TYPE.exec(arrayType.trim()) ?? [];
  const sizes = size.split(',');
  if (type === '' || (sizes.length > 1 && sizes.includes(''))) throw sizeRefusal();
  return {
    itemType: ranks === '' ? type : arrayName,
    arraySize: size === '' ? '*' : sizes.join(' '),
  };
}

/**
 * The reverse; '' for an attribute that is absent. `declareXsd` declares XML Schema, for items of
 * any type, and returns its prefix.
 */
export function itemsAsType(
  itemType: string,
  arraySize: string,
  declareXsd: (uri: string) => string,
): string {
  const sizes = arraySize === '' ? ['*'] : arraySize.split(/\s+/);
  if (sizes.length > 1 && sizes.includes('*')) throw sizeRefusal();
  const size = sizes[0] === '*' ? '' : sizes.join(',');
  const type = itemType === '' ? `${declareXsd(XSD_URI)}:anyType` : itemType;
  return `${type}[${size}]`;
}

const sizeRefusal = (): Refusal =>
  unsupported('an array whose size the other version cannot write');
