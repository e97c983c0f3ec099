import type { XmlNode } from '../documents/xml-tree.js';
import { demandOf, type Policies } from './policies.js';

/**
 * The assertions that messages are packages by XOP (WS-MTOMPolicy; MTOM Serialization Policy
 * Assertion 1.1).
 */
const ASSERTIONS: ReadonlyMap<string, string> = new Map([
  [
    'http://schemas.xmlsoap.org/ws/2004/09/policy/optimizedmimeserialization',
    'OptimizedMimeSerialization',
  ],
  ['http://www.w3.org/2007/08/soap12-mtom-policy', 'MTOM'],
]);

/**
 * Whether a policy of a port or binding demands that messages are packages. An optional one demands
 * nothing.
 */
export const demandsPackages = (element: XmlNode, policies: Policies): boolean =>
  demandOf(element, policies, ({ uri, local }) => (ASSERTIONS.get(uri) === local ? true : null))
    ?.isRequired === true;
