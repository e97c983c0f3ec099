import { DIALECTS } from '../../soap/dialect.js';
import type { QName } from '../../xml/events.js';
import { XSI_URI } from '../plan/xsi.js';
import type { Mark } from './marks.js';

/** What SOAP encoding writes beside values (SOAP 1.1 section 5, SOAP 1.2 part 2 section 3). */

const TYPE_NAME: QName = { uri: XSI_URI, local: 'type' };

/** The type of an element. */
export const TYPE = (type: QName): Mark => ({ kind: 'name attribute', name: TYPE_NAME, value: type, suffix: '' });

/** What is anything, for arrays whose items have a type without a name. */
const ANY_TYPE: QName = { uri: 'http://www.w3.org/2001/XMLSchema', local: 'anyType' };

/** What an array says of its items. In 1.2 type and size are two attributes. */
export function arrayMarks(itemType: QName | null, size: number, encodingUri: string): readonly Mark[] {
  const value = itemType ?? ANY_TYPE;
  if (encodingUri !== DIALECTS['1.2'].encodingUri) {
    const name: QName = { uri: encodingUri, local: 'arrayType' };
    return [{ kind: 'name attribute', name, value, suffix: `[${size}]` }];
  }
  return [
    { kind: 'name attribute', name: { uri: encodingUri, local: 'itemType' }, value, suffix: '' },
    { kind: 'attribute', name: { uri: encodingUri, local: 'arraySize' }, value: String(size) },
  ];
}
