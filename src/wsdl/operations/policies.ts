import type { LoadedDocument } from '../documents/documents.js';
import { XML } from '../documents/namespaces.js';
import type { Warnings } from '../documents/warnings.js';
import { attributeOf, diagnosticAtNode, type XmlNode } from '../documents/xml-tree.js';

/** WS-Policy 1.5, 1.2, and the drafts that stacks still write. */
const POLICY_NAMESPACES: ReadonlySet<string> = new Set([
  'http://www.w3.org/ns/ws-policy',
  'http://www.w3.org/2006/07/ws-policy',
  'http://schemas.xmlsoap.org/ws/2004/09/policy',
  'http://schemas.xmlsoap.org/ws/2002/12/policy',
]);

const UTILITY =
  'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd';
const UTILITY_DRAFT = 'http://schemas.xmlsoap.org/ws/2002/07/utility';
const ID_ATTRIBUTES = [`{${UTILITY}}Id`, `{${UTILITY_DRAFT}}Id`, `{${XML}}id`, 'Id', 'id'];

/**
 * Elements of policies that one evaluation reads: references may lead to the same policy many
 * times.
 */
const MOST_ELEMENTS = 10_000;

/**
 * Elements that all evaluations together read: each port and binding may refer to the same
 * policies.
 */
const MOST_ELEMENTS_IN_ALL = 1_000_000;

export interface Policies {
  /** Those of all documents, by document and id, and by name. */
  readonly byKey: ReadonlyMap<string, XmlNode>;
  /** Elements that further evaluations may read. */
  elementsLeft: number;
  readonly warnings: Warnings;
}

/**
 * Collects the policies that stand in the root elements of WSDL documents. Of two with one id the
 * first is kept.
 */
export function collectPolicies(
  documents: readonly LoadedDocument[],
  warnings: Warnings,
): Policies {
  const byKey = new Map<string, XmlNode>();
  for (const { root } of documents) {
    for (const node of root.children) {
      if (node.local !== 'Policy' || !POLICY_NAMESPACES.has(node.uri)) continue;
      const ids = ID_ATTRIBUTES.flatMap((name) => node.attributes.get(name)?.trim() ?? []);
      const name = attributeOf(node, 'Name');
      const keys = [
        ...ids.map((id) => `${node.source.file}#${id}`),
        ...(name === null ? [] : [name]),
      ];
      for (const key of keys) {
        if (!byKey.has(key)) {
          byKey.set(key, node);
        }
      }
    }
  }
  return { byKey, elementsLeft: MOST_ELEMENTS_IN_ALL, warnings };
}

/** The demand of a policy: `isRequired` by each of its alternatives, else by some of them. */
export interface Demand<T> {
  readonly value: T;
  readonly isRequired: boolean;
}

/** Reads an assertion; null for one of no interest. */
export type ReadAssertion<T> = (node: XmlNode) => T | null;

/** The policies and references to policies that are attached to an element. */
export function attachedPolicies(element: XmlNode, policies: Policies): readonly XmlNode[] {
  const attached = element.children.filter((child) => POLICY_NAMESPACES.has(child.uri));
  const referred = [...POLICY_NAMESPACES].flatMap((uri) => {
    const list = element.attributes.get(`{${uri}}PolicyURIs`)?.split(/\s+/) ?? [];
    return list.flatMap((reference) => policyBy(reference, element, policies) ?? []);
  });
  return [...attached, ...referred];
}

/** The policy that a reference names; none for other elements. */
export function referredPolicies(node: XmlNode, policies: Policies): readonly XmlNode[] {
  if (node.local !== 'PolicyReference' || !POLICY_NAMESPACES.has(node.uri)) return [];
  const found = policyBy(attributeOf(node, 'URI') ?? '', node, policies);
  return found === null ? [] : [found];
}

/** One operator of a policy that is being read. */
interface Operator<T> {
  readonly isChoice: boolean;
  readonly isOptional: boolean;
  readonly children: readonly XmlNode[];
  next: number;
  readonly demands: (Demand<T> | null)[];
}

/**
 * The demands of the policies attached to an element: as children, by reference, or in `PolicyURIs`
 * (WS-Policy Attachment section 3.3). Assertions inside other assertions are not read. Null where
 * they demand nothing of interest, and, with a warning, for policies that are larger than allowed.
 */
export function demandOf<T>(
  element: XmlNode,
  policies: Policies,
  read: ReadAssertion<T>,
): Demand<T> | null {
  let elements = 0;
  let answer: Demand<T> | null = null;
  const stack: Operator<T>[] = [operatorOf<T>('All', attachedPolicies(element, policies), false)];
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const child = top.children[top.next++];
    if (child === undefined) {
      stack.pop();
      answer = combine(top);
      stack.at(-1)?.demands.push(answer);
      continue;
    }
    if (++elements > MOST_ELEMENTS || policies.elementsLeft-- <= 0) {
      const what = elements > MOST_ELEMENTS ? TOO_LARGE : TOO_MANY;
      policies.warnings.addOnce(diagnosticAtNode(element, what, BY_HAND));
      return null;
    }
    const isOptional = [...POLICY_NAMESPACES].some((uri) =>
      isTrueAttribute(child.attributes.get(`{${uri}}Optional`)),
    );
    if (!POLICY_NAMESPACES.has(child.uri)) {
      const value = read(child);
      top.demands.push(value === null ? null : { value, isRequired: !isOptional });
    } else if (child.local === 'PolicyReference') {
      const found = policyBy(attributeOf(child, 'URI') ?? '', child, policies);
      // A policy that refers to itself has no meaning (WS-Policy 1.5 section 4.3.5).
      const isOpen = found !== null && stack.some(({ children }) => children === found.children);
      if (found !== null && !isOpen) {
        stack.push(operatorOf('All', found.children, isOptional));
      }
    } else {
      stack.push(operatorOf(child.local, child.children, isOptional));
    }
  }
  return answer;
}

const TOO_LARGE =
  `Policies of more than ${MOST_ELEMENTS} elements are not read: the WS-Addressing that ` +
  'they demand is not known.';
const TOO_MANY =
  `The policies are referred to so often that they have more than ${MOST_ELEMENTS_IN_ALL} ` +
  'elements. From here on they are not read: the WS-Addressing that they demand is not known.';
const BY_HAND = 'Where the backend requires it, set `addressing.calls: send` of the service.';

const operatorOf = <T>(
  local: string,
  children: readonly XmlNode[],
  isOptional: boolean,
): Operator<T> => ({
  isChoice: local === 'ExactlyOne',
  isOptional,
  children,
  next: 0,
  demands: [],
});

/**
 * A choice requires what each of its alternatives requires, all else what one of its parts
 * requires.
 */
function combine<T>({ isChoice, isOptional, demands }: Operator<T>): Demand<T> | null {
  const made = demands.filter((demand) => demand !== null);
  const first = made.find(({ isRequired }) => isRequired) ?? made[0];
  if (first === undefined) return null;
  const isRequired = isChoice
    ? demands.every((demand) => demand?.isRequired === true)
    : made.some((demand) => demand.isRequired);
  return { value: first.value, isRequired: isRequired && !isOptional };
}

/** The policy that a URI names: by id in the same document, or by name. */
function policyBy(uri: string, { source }: XmlNode, { byKey }: Policies): XmlNode | null {
  return byKey.get(uri.startsWith('#') ? `${source.file}${uri}` : uri) ?? null;
}

export const isTrueAttribute = (value: string | undefined): boolean =>
  /^\s*(?:true|1)\s*$/.test(value ?? '');
