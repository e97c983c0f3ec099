import { getOrMake } from '../core/index.js';
import { inlineSchemas, type LoadedDocument } from './documents/documents.js';
import { SOAP_ENCODINGS, WSDL, XSD } from './documents/namespaces.js';
import {
  attributeOf,
  childOf,
  childrenOf,
  diagnosticAtNode,
  nameOfNode,
  qNameAt,
  type XmlNode,
} from './documents/xml-tree.js';
import { typeKey } from './model.js';
import { type Definitions, referredBy, targetOf } from './operations/definitions.js';
import { soapChildren } from './operations/messages.js';
import type { ProfileFinding, ProfileRule } from './profile-rules.js';

/** Parts of messages that one check reads: operations may share messages of many parts. */
const PARTS_MAX = 200_000;

const TRANSPORT = 'http://schemas.xmlsoap.org/soap/http';

const NO_OPERATIONS: ReadonlyMap<string, XmlNode> = new Map();

/** Checks the documents of a WSDL, without those of its schemas that it shares with others. */
export class ProfileCheck {
  readonly #definitions: Definitions;
  #partsLeft = PARTS_MAX;
  readonly #operations = new Map<XmlNode, ReadonlyMap<string, XmlNode>>();
  readonly #found = new Map<ProfileRule, { readonly first: XmlNode; count: number }>();

  constructor(documents: readonly LoadedDocument[], definitions: Definitions) {
    this.#definitions = definitions;
    for (const document of documents) {
      if (document.kind === 'wsdl') {
        this.#document(document, documents);
      }
    }
    for (const message of definitions.messages.values()) {
      this.#message(message);
    }
    for (const portType of definitions.portTypes.values()) {
      this.#portType(portType);
    }
    for (const binding of definitions.bindings.values()) {
      this.#binding(binding);
    }
    this.#addresses();
  }

  findings(): readonly ProfileFinding[] {
    return [...this.#found]
      .map(([rule, { first, count }]) => ({ rule, first: diagnosticAtNode(first, ''), count }))
      .sort((a, b) => (a.rule < b.rule ? -1 : 1));
  }

  #breaks(rule: ProfileRule, node: XmlNode): void {
    const known = this.#found.get(rule);
    if (known === undefined) {
      this.#found.set(rule, { first: node, count: 1 });
    } else {
      known.count++;
    }
  }

  #document({ root, references }: LoadedDocument, documents: readonly LoadedDocument[]): void {
    let isBehindImports = false;
    let isBehindTypes = false;
    for (const node of root.children) {
      if (node.uri !== WSDL) continue;
      if (node.local === 'import') {
        if (isBehindImports || isBehindTypes) {
          this.#breaks('R2022', node);
        }
        const target = references.get(node);
        this.#import(node, target === undefined ? null : (documents[target] ?? null));
      } else if (node.local === 'types') {
        if (isBehindTypes) {
          this.#breaks('R2023', node);
        }
        isBehindImports = true;
        this.#types(node);
      } else if (node.local !== 'documentation') {
        isBehindTypes = true;
      }
    }
    for (const schema of inlineSchemas(root)) {
      this.#schema(schema);
    }
  }

  #import(node: XmlNode, target: LoadedDocument | null): void {
    const namespace = attributeOf(node, 'namespace') ?? '';
    if ((attributeOf(node, 'location') ?? '') === '') {
      this.#breaks('R2007', node);
    }
    if (!isAbsolute(namespace)) {
      this.#breaks('R2803', node);
    }
    if (target === null) return;
    if (target.kind !== 'wsdl') {
      this.#breaks('R2001', node);
    } else if (attributeOf(target.root, 'targetNamespace') !== namespace) {
      this.#breaks('R2005', node);
    }
  }

  #types(types: XmlNode): void {
    for (const node of types.children) {
      if (node.uri === XSD && node.local === 'import') {
        this.#breaks('R2003', node);
      }
      if (node.local === 'schema' && writtenUri(node) !== XSD) {
        this.#breaks('R2801', node);
      }
    }
  }

  #schema(schema: XmlNode): void {
    const declares = schema.children.some(
      ({ local }) => local !== 'import' && local !== 'annotation',
    );
    if (attributeOf(schema, 'targetNamespace') === null && declares) {
      this.#breaks('R2105', schema);
    }
    const nodes = [schema];
    // It grows while it is walked.
    for (const node of nodes) {
      if (node.attributes.has(`{${WSDL}}arrayType`)) {
        this.#breaks('R2111', node);
      }
      if (node.local === 'restriction' || node.local === 'extension') {
        const base = qNameAt(node, attributeOf(node, 'base') ?? '');
        if (base?.local === 'Array' && SOAP_ENCODINGS.includes(base.uri)) {
          this.#breaks('R2110', node);
        }
      }
      for (const child of node.children) {
        nodes.push(child);
      }
    }
  }

  #message(message: XmlNode): void {
    for (const part of childrenOf(message, WSDL, 'part')) {
      if (attributeOf(part, 'type') !== null && attributeOf(part, 'element') !== null) {
        this.#breaks('R2306', part);
      }
    }
  }

  #portType(portType: XmlNode): void {
    const names = new Set<string>();
    for (const operation of childrenOf(portType, WSDL, 'operation')) {
      if (names.has(nameOfNode(operation))) {
        this.#breaks('R2304', operation);
      }
      names.add(nameOfNode(operation));
      const [input, output] = [
        childOf(operation, WSDL, 'input'),
        childOf(operation, WSDL, 'output'),
      ];
      if (input === null || (output !== null && output.start < input.start)) {
        this.#breaks('R2303', operation);
      }
    }
  }

  #binding(binding: XmlNode): void {
    const [soap] = soapChildren(binding, 'binding');
    if (soap === undefined) {
      this.#breaks('R2401', binding);
      return;
    }
    const transport = attributeOf(soap, 'transport') ?? '';
    if (transport === '') {
      this.#breaks('R2701', soap);
    } else if (transport !== TRANSPORT) {
      this.#breaks('R2702', soap);
    }
    const portType = referredBy(binding, 'type', this.#definitions.portTypes);
    const styles = new Set<string>();
    const signatures = new Set<string>();
    const operations = childrenOf(binding, WSDL, 'operation');
    const shared = attributeOf(soap, 'style') ?? 'document';
    const abstract = portType === null ? NO_OPERATIONS : this.#operationsOf(portType);
    for (const operation of operations) {
      const [bound] = soapChildren(operation, 'operation');
      const style = (bound === undefined ? null : attributeOf(bound, 'style')) ?? shared;
      styles.add(style);
      this.#operation(operation, abstract.get(nameOfNode(operation)) ?? null, style, signatures);
    }
    if (styles.size > 1) {
      this.#breaks('R2705', binding);
    }
    const bound = new Set(operations.map(nameOfNode));
    const isWhole =
      portType === null ||
      (bound.size === abstract.size && [...abstract.keys()].every((name) => bound.has(name)));
    if (!isWhole) {
      this.#breaks('R2718', binding);
    }
  }

  /** The operations of a port type by their names; many bindings may be of one. */
  #operationsOf(portType: XmlNode): ReadonlyMap<string, XmlNode> {
    return getOrMake(
      this.#operations,
      portType,
      () =>
        new Map(childrenOf(portType, WSDL, 'operation').map((each) => [nameOfNode(each), each])),
    );
  }

  #operation(
    operation: XmlNode,
    abstract: XmlNode | null,
    style: string,
    signatures: Set<string>,
  ): void {
    for (const local of ['input', 'output'] as const) {
      const bound = childOf(operation, WSDL, local);
      if (bound === null) continue;
      const side = abstract === null ? null : childOf(abstract, WSDL, local);
      const signature = this.#side(bound, side, style);
      if (local === 'output' || signature === null) continue;
      const own = style === 'rpc' ? nameOfNode(operation) : signature;
      if (signatures.has(own)) {
        this.#breaks('R2710', operation);
      }
      signatures.add(own);
    }
    const faults = childrenOf(operation, WSDL, 'fault');
    for (const fault of faults) {
      this.#fault(fault, style);
    }
    if (abstract === null) return;
    const names = new Set(faults.map(nameOfNode));
    for (const fault of childrenOf(abstract, WSDL, 'fault')) {
      if (!names.has(nameOfNode(fault))) {
        this.#breaks('R2740', operation);
      }
      this.#typed(referredBy(fault, 'message', this.#definitions.messages), null);
    }
  }

  #fault(bound: XmlNode, style: string): void {
    for (const fault of soapChildren(bound, 'fault')) {
      this.#use(fault);
      const name = attributeOf(fault, 'name');
      if (name === null) {
        this.#breaks('R2721', fault);
      } else if (name !== nameOfNode(bound)) {
        this.#breaks('R2754', fault);
      }
      this.#namespace(fault, style);
    }
  }

  /** Checks one direction: the names of the elements of its Body, null where they are not known. */
  #side(bound: XmlNode, side: XmlNode | null, style: string): string | null {
    for (const header of soapChildren(bound, 'header')) {
      this.#header(header, style);
      for (const fault of soapChildren(header, 'headerfault')) {
        this.#header(fault, style);
      }
    }
    const [body] = soapChildren(bound, 'body');
    if (body !== undefined) {
      this.#body(body, style);
    }
    const message = side === null ? null : referredBy(side, 'message', this.#definitions.messages);
    if (message === null) return null;
    const listed = body === undefined ? null : attributeOf(body, 'parts');
    const names = listed === null ? null : new Set(listed.split(/\s+/));
    const parts = this.#partsOf(message).filter(
      (part) => names === null || names.has(nameOfNode(part)),
    );
    if (style !== 'rpc' && parts.length > 1) {
      this.#breaks(listed === null ? 'R2210' : 'R2201', message);
    }
    return parts.map((part) => this.#part(part, style)).join(' ');
  }

  /** Checks a `soap:header` or `soap:headerfault`. */
  #header(header: XmlNode, style: string): void {
    this.#use(header);
    this.#namespace(header, style);
    const part = attributeOf(header, 'part');
    if (part === null) {
      this.#breaks('R2720', header);
    }
    if (attributeOf(header, 'parts') !== null) {
      this.#breaks('R2749', header);
    }
    this.#typed(referredBy(header, 'message', this.#definitions.messages), part);
  }

  /** Neither style names a namespace at headers and faults. */
  #namespace(node: XmlNode, style: string): void {
    if (attributeOf(node, 'namespace') !== null) {
      this.#breaks(style === 'rpc' ? 'R2726' : 'R2716', node);
    }
  }

  #body(body: XmlNode, style: string): void {
    this.#use(body);
    const namespace = attributeOf(body, 'namespace');
    if (style === 'rpc' && !isAbsolute(namespace ?? '')) {
      this.#breaks('R2717', body);
    }
    if (style !== 'rpc' && namespace !== null) {
      this.#breaks('R2716', body);
    }
  }

  #part(part: XmlNode, style: string): string {
    const element = attributeOf(part, 'element');
    if (style === 'rpc' && element !== null) {
      this.#breaks('R2203', part);
    }
    if (style !== 'rpc' && element === null) {
      this.#breaks('R2204', part);
    }
    const name = element === null ? null : qNameAt(part, element);
    return name === null ? `{${targetOf(part)}}${nameOfNode(part)}` : typeKey(name);
  }

  #typed(message: XmlNode | null, name: string | null): void {
    for (const part of message === null ? [] : this.#partsOf(message)) {
      if ((name === null || nameOfNode(part) === name) && attributeOf(part, 'element') === null) {
        this.#breaks('R2205', part);
      }
    }
  }

  #partsOf(message: XmlNode): readonly XmlNode[] {
    if (this.#partsLeft <= 0) return [];
    this.#partsLeft -= message.children.length;
    return childrenOf(message, WSDL, 'part');
  }

  #use(node: XmlNode): void {
    if ((attributeOf(node, 'use') ?? 'literal') !== 'literal') {
      this.#breaks('R2706', node);
    }
  }

  #addresses(): void {
    const known = new Set<string>();
    const ports = this.#definitions.services.flatMap((service) =>
      childrenOf(service, WSDL, 'port'),
    );
    for (const address of ports.flatMap((port) => soapChildren(port, 'address'))) {
      const location = attributeOf(address, 'location') ?? '';
      if (known.has(location)) {
        this.#breaks('R2711', address);
      }
      known.add(location);
    }
  }
}

/** The namespace in the text of a document: schemas of drafts are read as those of 2001. */
function writtenUri(node: XmlNode): string {
  const [name = ''] =
    /[^\s/>]+/.exec(node.source.text.slice(node.start + 1, node.start + 256)) ?? [];
  return qNameAt(node, name)?.uri ?? node.uri;
}

const isAbsolute = (uri: string): boolean => /^[a-z][a-z0-9+.-]*:/i.test(uri);
