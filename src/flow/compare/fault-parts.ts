import { dialectOfUri } from '../../soap/index.js';
import type { StartTag } from '../../xml/index.js';

/** A part of a Fault, named as in SOAP 1.1 whatever the version is. */
export interface FaultPart {
  readonly name: string;
  /** It only groups other parts. */
  readonly isTransparent?: true;
}

/** The parts by the one that they are in, and their local names. */
const PARTS: Readonly<Record<string, Readonly<Record<string, FaultPart>>>> = {
  Fault: {
    faultcode: { name: 'faultcode' },
    faultstring: { name: 'faultstring' },
    faultactor: { name: 'faultactor' },
    detail: { name: 'detail' },
    Code: { name: 'Code', isTransparent: true },
    Reason: { name: 'Reason', isTransparent: true },
    Role: { name: 'faultactor' },
    Node: { name: 'Node' },
    Detail: { name: 'detail' },
  },
  Code: { Value: { name: 'faultcode' }, Subcode: { name: 'Subcode' } },
  Subcode: { Value: { name: 'Value' }, Subcode: { name: 'Subcode' } },
  Reason: { Text: { name: 'faultstring' } },
};

const FAULT: FaultPart = { name: 'Fault' };

/**
 * The part of a Fault that an element is; null for any other. `parent` is the part that it is in,
 * null for a child of Body.
 */
export function faultPart(
  { uri, local, depth }: StartTag,
  parent: string | null,
): FaultPart | null {
  if (depth === BODY_CHILD) return local === 'Fault' && dialectOfUri(uri) !== null ? FAULT : null;
  const parts = parent !== null && Object.hasOwn(PARTS, parent) ? PARTS[parent] : undefined;
  return parts !== undefined && Object.hasOwn(parts, local) ? (parts[local] ?? null) : null;
}

const BODY_CHILD = 3;

/** The local part of a code, in the words of SOAP 1.1. */
export function neutralFaultCode(text: string): string {
  const code = text.trim();
  const local = code.slice(code.indexOf(':') + 1);
  if (local === 'Sender') return 'Client';
  return local === 'Receiver' ? 'Server' : local;
}
