import { isNcName, type QName, XMLNS_NAMESPACE } from '../../xml/index.js';
import type { Scalar } from '../plan/scalar.js';

/** A client's QName written as `{uri}local`, which is to get a prefix; null for anything else. */
export function qualifiedName(scalar: Scalar, value: unknown): QName | null {
  return scalar.name === 'QName' && typeof value === 'string' ? parseQualifiedName(value) : null;
}

/** The name of `{uri}local`; null for anything else. */
export function parseQualifiedName(value: string): QName | null {
  if (!value.startsWith('{')) return null;
  const end = value.indexOf('}');
  if (end < 0 || end > URI_CHARS) return null;
  const local = value.slice(end + 1);
  const uri = value.slice(1, end);
  return isNcName(local) && IS_URI.test(uri) && uri !== XMLNS_NAMESPACE ? { uri, local } : null;
}

const URI_CHARS = 1024;
const IS_URI = /^[^\s{}<>"\0-\x20]*$/;
