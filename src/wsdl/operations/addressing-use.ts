import { headerBlocks } from '../../soap/index.js';
import { WSDL } from '../documents/namespaces.js';
import type { XmlNode } from '../documents/xml-tree.js';
import type { AddressingUse } from '../model.js';
import { demandOf, isTrueAttribute, type Policies } from './policies.js';

/**
 * The namespaces in which a WSDL says that it uses WS-Addressing, by `UsingAddressing` and by the
 * attribute `Action`: the recommendation and the drafts that stacks still write. With each stands
 * the namespace of the blocks: those of a draft of the W3C are written in the final one, as CXF and
 * Metro do.
 */
const USING_ADDRESSING: ReadonlyMap<string, string> = new Map([
  ['http://www.w3.org/2006/05/addressing/wsdl', headerBlocks.WSA_1_0],
  ['http://www.w3.org/2006/02/addressing/wsdl', headerBlocks.WSA_1_0],
  ['http://www.w3.org/2005/08/addressing/wsdl', headerBlocks.WSA_1_0],
  ['http://www.w3.org/2005/08/addressing', headerBlocks.WSA_1_0],
  ['http://www.w3.org/2005/03/addressing/wsdl', headerBlocks.WSA_1_0],
  ['http://www.w3.org/2005/02/addressing/wsdl', headerBlocks.WSA_1_0],
  ['http://www.w3.org/2005/02/addressing', headerBlocks.WSA_1_0],
  ['http://www.w3.org/2004/12/addressing/wsdl', headerBlocks.WSA_1_0],
  ['http://schemas.xmlsoap.org/ws/2004/08/addressing/policy', headerBlocks.WSA_2004_08],
  ['http://schemas.xmlsoap.org/ws/2004/08/addressing', headerBlocks.WSA_2004_08],
]);

/** The namespaces of the assertion `Addressing` (WS-Addressing 1.0 Metadata section 3.1.1). */
const METADATA: ReadonlySet<string> = new Set([
  'http://www.w3.org/2007/05/addressing/metadata',
  'http://www.w3.org/2007/02/addressing/metadata',
]);

/** The namespaces of the attribute `Action`, with those of the blocks. */
const ACTION_ATTRIBUTES: readonly (readonly [attribute: string, uri: string])[] = [
  ...[...METADATA].map((uri) => [`{${uri}}Action`, headerBlocks.WSA_1_0] as const),
  ...[...USING_ADDRESSING].map(([uri, blocks]) => [`{${uri}}Action`, blocks] as const),
];

/**
 * The action that the input of an operation names, with the namespace of its block; null where it
 * names none.
 */
export function namedActionIn(
  input: XmlNode,
): { readonly action: string; readonly uri: string } | null {
  for (const [attribute, uri] of ACTION_ATTRIBUTES) {
    const action = input.attributes.get(attribute)?.trim();
    if (action !== undefined) return { action, uri };
  }
  return null;
}

/**
 * The use of WS-Addressing that a port, binding or port type declares: by the extension
 * `UsingAddressing`, which is optional unless `wsdl:required` is set, or by a policy. Null where
 * neither is there.
 */
export function addressingUseOf(element: XmlNode, policies: Policies): AddressingUse | null {
  const extension = element.children.flatMap(extensionUse);
  const demand = demandOf(element, policies, assertedNamespace);
  return strongestUse(
    demand === null
      ? extension
      : [...extension, { uri: demand.value, isRequired: demand.isRequired }],
  );
}

/** The first use that is required, else the first one. */
export const strongestUse = (uses: readonly AddressingUse[]): AddressingUse | null =>
  uses.find(({ isRequired }) => isRequired) ?? uses[0] ?? null;

function extensionUse(node: XmlNode): readonly AddressingUse[] {
  const uri = node.local === 'UsingAddressing' ? USING_ADDRESSING.get(node.uri) : undefined;
  return uri === undefined
    ? []
    : [{ uri, isRequired: isTrueAttribute(node.attributes.get(`{${WSDL}}required`)) }];
}

/**
 * The namespace of the blocks that an assertion demands; null for other assertions. WCF asserts
 * `UsingAddressing` too.
 */
function assertedNamespace({ uri, local }: XmlNode): string | null {
  if (local === 'Addressing') return METADATA.has(uri) ? headerBlocks.WSA_1_0 : null;
  return local === 'UsingAddressing' ? (USING_ADDRESSING.get(uri) ?? null) : null;
}

/** Whether a WSDL extension is one that is read here. */
export const isAddressingExtension = ({ uri, local }: XmlNode): boolean =>
  local === 'UsingAddressing' && USING_ADDRESSING.has(uri);
