import { type Diagnostic, getOrMake } from '../../core/index.js';
import { WSDL } from '../documents/namespaces.js';
import { childrenOf, diagnosticAtNode, type XmlNode } from '../documents/xml-tree.js';
import { type Definitions, referredBy } from './definitions.js';
import { attachedPolicies, type Policies, referredPolicies } from './policies.js';

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

/**
 * Assertions by what they demand of a message. Those about algorithms, layouts and transports
 * demand no part of it.
 */
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

/**
 * What is said of a demand, and how the configuration meets it. The remedies tell the warnings
 * apart.
 */
const SENTENCES: Readonly<Record<SecurityDemand, readonly [what: string, remedy: string]>> = {
  timestamp: [
    'a Timestamp',
    'Calls get one by `security.make: { timestamp: true }`; SOAP callers owe it by ' +
      '`security.verify.timestamp`.',
  ],
  signature: [
    'a signature',
    'Calls are signed by `security.make.signature`; SOAP callers owe it by ' +
      '`security.verify.signature`.',
  ],
  usernameToken: [
    'a UsernameToken',
    'Calls get one by `security.make.usernameToken`; SOAP callers owe it by ' +
      '`security.verify.usernameToken`.',
  ],
  saml: [
    'an assertion of SAML',
    'Calls of GraphQL fields have none; SOAP callers owe it by `security.verify.saml`.',
  ],
  encryption: [
    'encrypted parts',
    'Calls are encrypted by `security.make.encrypt`, those of SOAP callers decrypted by ' +
      '`security.verify.decrypt`; or they pass by `encrypted: pass`.',
  ],
};

/** The remedy of the warning about a demand. */
export const remedyOfDemand = (demand: SecurityDemand): string => SENTENCES[demand][1];

/**
 * The kinds of protection that the policies of a port demand (WS-SecurityPolicy 1.3 sections 4 to
 * 8), each at its first place: those attached to the port, its binding, its port type, their
 * operations and messages. A policy that nothing refers to demands nothing.
 */
export class SecurityPolicies {
  readonly #policies: Policies;
  readonly #messages: Definitions['messages'];
  readonly #own = new Map<XmlNode, OwnDemands>();
  readonly #found = new Map<XmlNode, ReadonlyMap<SecurityDemand, XmlNode>>();

  constructor({ policies, messages }: Pick<Definitions, 'policies' | 'messages'>) {
    this.#policies = policies;
    this.#messages = messages;
  }

  /** Diagnostics of the demands of these elements, each a port, a binding or a port type. */
  demandsOf(...elements: readonly (XmlNode | null)[]): readonly Diagnostic[] {
    const all = new Map<SecurityDemand, XmlNode>();
    for (const element of elements) {
      if (element === null) continue;
      const found = getOrMake(this.#found, element, () => this.#demandsIn(element));
      for (const [demand, node] of found) {
        if (!all.has(demand)) {
          all.set(demand, node);
        }
      }
    }
    return [...all].map(([demand, node]) => {
      const [what, remedy] = SENTENCES[demand];
      return diagnosticAtNode(node, `The backend demands ${what} by a policy of its WSDL.`, remedy);
    });
  }

  #demandsIn(element: XmlNode): ReadonlyMap<SecurityDemand, XmlNode> {
    const found = new Map<SecurityDemand, XmlNode>();
    const read = new Set<XmlNode>();
    const open = [...subjectsIn(element, this.#messages)].flatMap((subject) =>
      attachedPolicies(subject, this.#policies),
    );
    // It grows while it is walked.
    for (const policy of open) {
      if (read.has(policy) || this.#policies.elementsLeft-- <= 0) continue;
      read.add(policy);
      const { demands, refers } = getOrMake(this.#own, policy, () => this.#ownOf(policy));
      for (const [demand, node] of demands) {
        if (!found.has(demand)) {
          found.set(demand, node);
        }
      }
      open.push(...refers);
    }
    return found;
  }

  #ownOf(policy: XmlNode): OwnDemands {
    const demands = new Map<SecurityDemand, XmlNode>();
    const refers: XmlNode[] = [];
    const nodes = [policy];
    for (const node of nodes) {
      if (this.#policies.elementsLeft-- <= 0) break;
      const demand = NAMESPACES.has(node.uri) ? ASSERTIONS.get(node.local) : undefined;
      if (demand !== undefined && !demands.has(demand)) {
        demands.set(demand, node);
      }
      refers.push(...referredPolicies(node, this.#policies));
      for (const child of node.children) {
        nodes.push(child);
      }
    }
    return { demands, refers };
  }
}

/** The demands in a policy itself, and the policies that it refers to. */
interface OwnDemands {
  readonly demands: ReadonlyMap<SecurityDemand, XmlNode>;
  readonly refers: readonly XmlNode[];
}

/**
 * The policy subjects of a port, binding or port type: itself, its operations and their messages,
 * with the `wsdl:message` that each of these refers to (WS-Policy Attachment 1.5 section 4.1.4).
 */
function subjectsIn(element: XmlNode, messages: Definitions['messages']): Iterable<XmlNode> {
  const subjects = new Set([element]);
  for (const operation of childrenOf(element, WSDL, 'operation')) {
    subjects.add(operation);
    for (const side of operation.children) {
      if (side.uri !== WSDL) continue;
      subjects.add(side);
      const message = referredBy(side, 'message', messages);
      if (message !== null) {
        subjects.add(message);
      }
    }
  }
  return subjects;
}
