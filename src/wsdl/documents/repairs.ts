import { WSDL, WSDL_SOAP11, WSDL_SOAP12, XSD } from './namespaces.js';
import type { XmlNode } from './xml-tree.js';

/** Reports what was repaired at a node. */
export type OnRepair = (node: XmlNode, what: string) => void;

/** How the parser begins the error of an undeclared prefix. */
export const UNBOUND = 'Unbound namespace prefix';

/** Namespaces as some authors write them, with the one that is meant. */
const MISSPELT: ReadonlyMap<string, string> = new Map([
  ['http://schemas.xmlsoap.org/wsdl', WSDL],
  ['https://schemas.xmlsoap.org/wsdl/', WSDL],
  ['http://schemas.xmlsoap.org/wsdl/soap', WSDL_SOAP11],
  ['https://schemas.xmlsoap.org/wsdl/soap/', WSDL_SOAP11],
  ['http://schemas.xmlsoap.org/wsdl/soap12', WSDL_SOAP12],
  ['https://schemas.xmlsoap.org/wsdl/soap12/', WSDL_SOAP12],
  ['http://www.w3.org/2001/XMLSchema/', XSD],
  ['http://www.w3.org/2001/XMLSchema#', XSD],
  ['https://www.w3.org/2001/XMLSchema', XSD],
]);

/** Namespaces of envelopes, which some authors take for those of bindings. */
const OF_BINDINGS: ReadonlyMap<string, string> = new Map([
  ['http://schemas.xmlsoap.org/soap/envelope/', WSDL_SOAP11],
  ['http://www.w3.org/2003/05/soap-envelope', WSDL_SOAP12],
]);

/** Extension elements of SOAP, by the element of WSDL around them. */
const SOAP_WITHIN: Readonly<Record<string, readonly string[]>> = {
  binding: ['binding'],
  operation: ['operation'],
  input: ['body', 'header'],
  output: ['body', 'header'],
  fault: ['fault'],
  port: ['address'],
};

/**
 * The namespace of an element that has the default namespace in place of its own: a WSDL whose
 * elements all have no prefix while the default namespace is that of its definitions.
 */
function byPosition(node: XmlNode, parent: XmlNode | null): string | null {
  if (parent === null) {
    const isOwn = node.attributes.get('targetNamespace') === node.uri && node.uri !== '';
    return node.local === 'definitions' && isOwn ? WSDL : null;
  }
  if (node.uri !== defaultNamespace(node)) return null;
  if (parent.uri === XSD) return XSD;
  if (parent.uri !== WSDL) return null;
  if (parent.local === 'types') return node.local === 'schema' ? XSD : null;
  return isOfSoap(node, parent) ? WSDL_SOAP11 : WSDL;
}

const isOfSoap = (node: XmlNode, parent: XmlNode): boolean =>
  SOAP_WITHIN[parent.local]?.includes(node.local) === true;

/** The namespace of SOAP that an undeclared prefix means: the one that is declared around it. */
function soapNamespace(prefix: string, declared: object): string {
  const uris = new Set<unknown>();
  // The parser has the declarations of outer elements as prototypes.
  for (let at: object | null = declared; at !== null; at = Object.getPrototypeOf(at)) {
    for (const uri of Object.values(at)) {
      uris.add(uri);
    }
  }
  const is12 = prefix === 'soap12' || (uris.has(WSDL_SOAP12) && !uris.has(WSDL_SOAP11));
  return is12 ? WSDL_SOAP12 : WSDL_SOAP11;
}

/** The default namespace where the root of a WSDL has that in place of the one of WSDL; or null. */
function defaultNamespace(node: XmlNode): string | null {
  let root = node;
  while (root.parent !== null) {
    root = root.parent;
  }
  const own = root.declares?.get('') ?? null;
  return root.uri === WSDL && own !== WSDL && own === root.attributes.get('targetNamespace')
    ? own
    : null;
}

/** The namespace that a declaration means. */
export const spelt = (uri: string): string => MISSPELT.get(uri) ?? uri;

/**
 * The namespace that an element is in, or is meant to be in: an element whose prefix is not
 * declared is in that of its parent.
 */
export function meantNamespace(
  node: XmlNode,
  { prefix, ns }: { readonly prefix: string; readonly ns: object },
  parent: XmlNode | null,
  onRepair: OnRepair,
): string {
  if (prefix !== '' && prefix !== 'xml' && !(prefix in ns) && parent !== null) {
    const within = parent.uri === WSDL && isOfSoap(node, parent);
    const uri = within ? soapNamespace(prefix, ns) : parent.uri;
    const meant = within ? `namespace ${uri}.` : 'namespace of the element around it.';
    const what = `The prefix ${prefix} of the element ${node.local} is not declared: it is read in the`;
    onRepair(node, `${what} ${meant}`);
    return uri;
  }
  const meant = parent?.uri === WSDL ? OF_BINDINGS.get(node.uri) : undefined;
  const uri = meant ?? (prefix === '' ? byPosition(node, parent) : null) ?? spelt(node.uri);
  if (uri !== node.uri) onRepair(node, `The namespace ${node.uri} is read as ${uri}.`);
  return uri;
}
