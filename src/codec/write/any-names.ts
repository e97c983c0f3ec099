import { namespaces } from '../../wsdl/index.js';
import { isNcName, type QName } from '../../xml/index.js';
import { textOf } from '../plan/lexical.js';
import { LexicalError } from '../plan/scalar.js';
import { parseQualifiedName } from '../values/qualified-name.js';
import { below, type InputPath, refuseInput } from './input-error.js';
import { memberOf, type ReadonlyRecord } from './input-members.js';
import { REQUIRED } from './leaves.js';

/* Names, types and texts of values of any type, as the client writes them in JSON. */

/** The path of items that are a level below their list. */
export const inner = (path: InputPath): InputPath => ({ ...path, depth: path.depth + 1 });

export const isStruct = ({ uri, local }: QName): boolean =>
  local === 'Struct' && namespaces.SOAP_ENCODINGS.includes(uri);
export const isArray = ({ uri, local }: QName): boolean =>
  local === 'Array' && namespaces.SOAP_ENCODINGS.includes(uri);

/** The path of a member with a name of the client, which is not repeated: by its place. */
export const inside = (path: InputPath, at: number): InputPath => ({
  above: path,
  step: at,
  depth: path.depth + 1,
});

/** The name of an element without a namespace. */
export function unqualifiedName(key: string, path: InputPath): QName {
  if (!isNcName(key)) {
    refuseInput(path, 'must have the name of an element');
  }
  return { uri: '', local: key };
}

/** The value of an input of any type, which must be there. */
export function valueIn(raw: ReadonlyRecord, path: InputPath): unknown {
  const value = memberOf(raw, 'value');
  if (value === undefined) {
    refuseInput(below(path, 'value'), REQUIRED);
  }
  return value;
}

/** A text that XML can hold. */
export function textIn(value: unknown, path: InputPath): string {
  try {
    return textOf(value);
  } catch (caught) {
    if (caught instanceof LexicalError) {
      refuseInput(path, caught.message);
    }
    throw caught;
  }
}

/**
 * The type that a number tells. Integers that JSON may have rounded already must not look exact.
 */
export function numberType(value: number, path: InputPath): 'int' | 'long' | 'double' {
  if (!Number.isFinite(value)) {
    refuseInput(path, 'must be a number');
  }
  if (!Number.isInteger(value)) return 'double';
  if (!Number.isSafeInteger(value)) {
    refuseInput(path, 'must be a string of digits beside its type');
  }
  return value >= -INT_MAX - 1 && value <= INT_MAX ? 'int' : 'long';
}

const INT_MAX = 2_147_483_647;

/** `{namespace}name`, or a built-in type by its name alone. */
export function typeNameIn(written: unknown, path: InputPath): QName {
  const name = typeof written === 'string' ? parseQualifiedName(written) : null;
  if (name !== null) return name;
  const local = typeof written === 'string' ? written.replace(/^xsd?:/, '') : '';
  if (!isNcName(local)) {
    refuseInput(path, 'must be {namespace}name, or the name of a type of XML Schema');
  }
  return { uri: namespaces.XSD, local };
}
