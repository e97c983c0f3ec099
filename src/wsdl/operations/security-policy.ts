import type { LoadedDocument } from '../documents/documents.js';
import type { Warnings } from '../documents/warnings.js';
import type { XmlNode } from '../documents/xml-tree.js';

/** WS-SecurityPolicy 1.2 and 1.3, 1.2 of the committee, and 1.1. */
const NAMESPACES: ReadonlySet<string> = new Set([
  'http://docs.oasis-open.org/ws-sx/ws-securitypolicy/200702',
  'http://docs.oasis-open.org/ws-sx/ws-securitypolicy/200512',
  'http://schemas.xmlsoap.org/ws/2005/07/securitypolicy',
]);

export const SECURITY_DEMANDS = [
  'timestamp',
  'signature',
  'usernameToken',
  'saml',
  'encryption',
] as const;
export type SecurityDemand = (typeof SECURITY_DEMANDS)[number];

/** Assertions by what they demand of a message. Those about algorithms, layouts and transports demand no part of it. */
const ASSERTIONS: ReadonlyMap<string, SecurityDemand> = new Map([
  ['IncludeTimestamp', 'timestamp'],
  ['AsymmetricBinding', 'signature'],
  ['SignedParts', 'signature'],
  ['SignedElements', 'signature'],
  ['UsernameToken', 'usernameToken'],
  ['SamlToken', 'saml'],
  ['IssuedToken', 'saml'],
  ['EncryptedParts', 'encryption'],
  ['EncryptedElements', 'encryption'],
  ['ContentEncryptedElements', 'encryption'],
]);

/** What is said of a demand, and how the configuration meets it. The remedies tell the warnings apart. */
const SENTENCES: Readonly<Record<SecurityDemand, readonly [what: string, remedy: string]>> = {
  timestamp: [
    'a Timestamp',
    'Calls get one by `security.make: { timestamp: true }`; SOAP callers owe it by `security.verify.timestamp`.',
  ],
  signature: [
    'a signature',
    'Calls are signed by `security.make.signature`; SOAP callers owe it by `security.verify.signature`.',
  ],
  usernameToken: [
    'a UsernameToken',
    'Calls get one by `security.make.usernameToken`; SOAP callers owe it by `security.verify.usernameToken`.',
  ],
  saml: [
    'an assertion of SAML',
    'Calls of GraphQL fields have none; SOAP callers owe it by `security.verify.saml`.',
  ],
  encryption: [
    'encrypted parts',
    'Calls of GraphQL fields have none; those of SOAP callers pass, with `security.verify` by `encrypted: pass`.',
  ],
};

/** The remedy of the warning about a demand. */
export const remedyOfDemand = (demand: SecurityDemand): string => SENTENCES[demand][1];

/** Warns once of each kind of protection that policies of the WSDL demand (WS-SecurityPolicy 1.3 sections 4 to 8). */
export function warnOfSecurityPolicies(
  documents: readonly LoadedDocument[],
  warnings: Warnings,
): void {
  const found = new Map<SecurityDemand, XmlNode>();
  for (const { root, kind } of documents) {
    const nodes: XmlNode[] = kind === 'wsdl' ? [root] : [];
    // It grows while it is walked.
    for (const node of nodes) {
      const demand = NAMESPACES.has(node.uri) ? ASSERTIONS.get(node.local) : undefined;
      if (demand !== undefined && !found.has(demand)) found.set(demand, node);
      for (const child of node.children) nodes.push(child);
    }
  }
  for (const [demand, node] of found) {
    const [what, remedy] = SENTENCES[demand];
    warnings.addAt(node, `The backend demands ${what} by a policy of its WSDL.`, remedy);
  }
}
