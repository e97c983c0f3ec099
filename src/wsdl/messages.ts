import type { Problem } from '../base/problem.js';
import { opaqueType } from './builtin.js';
import { type Definitions, referredBy, targetOf } from './definitions.js';
import type { ElementDeclaration, FaultDeclaration, HeaderDeclaration, Particle, XsdType } from './model.js';
import { typeKey } from './model.js';
import { isSoapBindingNamespace, WSDL, WSDL_MIME } from './namespaces.js';
import type { Schema } from './schema.js';
import { attributeOf, childrenOf, problemAt, qNameAt, type XmlNode } from './tree.js';

/** What the readers of messages look things up in. */
export interface MessageContext {
  readonly definitions: Definitions;
  readonly schema: Schema;
}

/** One direction of an operation: what the port type and the binding say of it. */
export interface MessageUse {
  /** `input` or `output` of the port type. */
  readonly abstract: XmlNode;
  /** The same of the binding, or null when the binding leaves it out. */
  readonly bound: XmlNode | null;
  readonly style: 'document' | 'rpc';
  /** Local name of the rpc wrapper. */
  readonly wrapper: string;
}

export type Body = { readonly body: ElementDeclaration | null } | { readonly disabled: Problem };

/** SOAP extension elements stand in the namespace of either version, whatever the binding's own version is. */
export const soapChildren = (node: XmlNode | null, local: string): readonly XmlNode[] =>
  node === null ? [] : node.children.filter((child) => child.local === local && isSoapBindingNamespace(child.uri));

/** The child of Body, or why it cannot be made. */
export function readBody(use: MessageUse, context: MessageContext): Body {
  const disable = (node: XmlNode, what: string): Body => ({ disabled: problemAt(node, what) });
  const message = referredBy(use.abstract, 'message', context.definitions.messages);
  if (message === null)
    return disable(use.abstract, `The message ${attributeOf(use.abstract, 'message') ?? ''} is not defined.`);
  const multipart = use.bound?.children.find(({ uri }) => uri === WSDL_MIME);
  const [body] = soapChildren(use.bound, 'body');
  if (body === undefined && multipart !== undefined) return disable(multipart, 'The message is a MIME multipart.');
  if (body !== undefined && attributeOf(body, 'use') === 'encoded') {
    return disable(body, `The message is ${use.style}/encoded; only literal messages are offered.`);
  }
  const parts = bodyParts(use, message, body ?? null);
  const listed = body === undefined ? null : attributeOf(body, 'parts');
  if (body !== undefined && listed !== null && listed !== '' && parts.length === 0) {
    return disable(body, `The body parts ${listed} are not in the message.`);
  }
  if (use.style === 'rpc') return rpcBody(use, parts, body ?? null, context);
  const [part] = parts;
  if (part === undefined) return { body: null };
  if (parts.length > 1) return disable(message, 'The message has several body parts in document style.');
  const element = elementOf(part, context);
  return 'disabled' in element ? element : { body: element.element };
}

function bodyParts(use: MessageUse, message: XmlNode, body: XmlNode | null): readonly XmlNode[] {
  const all = childrenOf(message, WSDL, 'part');
  const listed = body === null ? null : attributeOf(body, 'parts');
  if (listed !== null) {
    const names = listed.split(/\s+/);
    return all.filter((part) => names.includes(attributeOf(part, 'name') ?? ''));
  }
  const name = attributeOf(message, 'name');
  const inHeaders = soapChildren(use.bound, 'header')
    .filter((header) => attributeOf(header, 'message')?.split(':').at(-1) === name)
    .map((header) => attributeOf(header, 'part'));
  return all.filter((part) => !inHeaders.includes(attributeOf(part, 'name')));
}

/** The element that a part names, or why there is none. */
function elementOf(
  part: XmlNode,
  { schema }: MessageContext,
): { readonly element: ElementDeclaration } | { readonly disabled: Problem } {
  const partName = attributeOf(part, 'name') ?? '';
  const value = attributeOf(part, 'element');
  if (value === null) {
    return { disabled: problemAt(part, `The part ${partName} names a type, not an element, in document style.`) };
  }
  const name = qNameAt(part, value);
  const element = name === null ? undefined : schema.elements.get(typeKey(name));
  if (element === undefined) return { disabled: problemAt(part, `The element ${value} is not declared.`) };
  return { element };
}

/**
 * The child of Body of a message that is not offered, as far as its name can be told: opaque, but enough to know the
 * operation by when it passes as SOAP.
 */
export function nameBody(use: MessageUse, context: MessageContext): ElementDeclaration | null {
  const body = soapChildren(use.bound, 'body')[0] ?? nestedBody(use.bound);
  if (use.style === 'rpc') return elementWith(rpcNamespace(use, body), use.wrapper, opaqueType(null));
  const message = referredBy(use.abstract, 'message', context.definitions.messages);
  const part = message === null ? undefined : bodyParts(use, message, body)[0];
  const value = part === undefined ? null : attributeOf(part, 'element');
  const name = part === undefined || value === null ? null : qNameAt(part, value);
  return name === null ? null : elementWith(name.uri, name.local, opaqueType(null));
}

/** The `soap:body` inside a `mime:part`. */
function nestedBody(bound: XmlNode | null): XmlNode | null {
  const parts = (bound?.children ?? []).filter(({ uri }) => uri === WSDL_MIME).flatMap(({ children }) => children);
  return parts.flatMap((part) => soapChildren(part, 'body'))[0] ?? null;
}

const rpcNamespace = (use: MessageUse, body: XmlNode | null): string =>
  (body === null ? null : attributeOf(body, 'namespace')) ?? targetOf(use.bound ?? use.abstract);

/** The wrapper of rpc/literal (WS-I Basic Profile 4.7): its children are the parts, unqualified. */
function rpcBody(use: MessageUse, parts: readonly XmlNode[], body: XmlNode | null, context: MessageContext): Body {
  const particles: Particle[] = [];
  for (const part of parts) {
    const type = attributeOf(part, 'type');
    const local = attributeOf(part, 'name') ?? '';
    if (type === null) return { disabled: problemAt(part, `The part ${local} names an element in rpc style.`) };
    particles.push({
      kind: 'one',
      element: elementWith('', local, context.schema.typeNamed(part, type)),
      min: 1,
      max: 1,
    });
  }
  return { body: elementWith(rpcNamespace(use, body), use.wrapper, wrapperType(particles)) };
}

const elementWith = (uri: string, local: string, type: XsdType): ElementDeclaration => ({
  kind: 'element',
  name: { uri, local },
  type,
  nillable: false,
  default: null,
  fixed: null,
  abstract: false,
  constraints: [],
  documentation: null,
});

const wrapperType = (particles: readonly Particle[]): XsdType => ({
  kind: 'complex',
  name: null,
  abstract: false,
  base: null,
  derivation: null,
  derived: [],
  attributes: [],
  anyAttribute: null,
  content:
    particles.length === 0
      ? { kind: 'empty' }
      : { kind: 'elements', particle: { kind: 'sequence', particles, min: 1, max: 1 } },
  documentation: null,
});

/** The header blocks of one direction; one that cannot be read is left out with a problem. */
export function readHeaders(
  bound: XmlNode | null,
  context: MessageContext,
): { readonly headers: readonly HeaderDeclaration[]; readonly problems: readonly Problem[] } {
  const headers: HeaderDeclaration[] = [];
  const problems: Problem[] = [];
  const seen = new Set<string>();
  for (const header of soapChildren(bound, 'header')) {
    const message = referredBy(header, 'message', context.definitions.messages);
    const partName = attributeOf(header, 'part');
    const part =
      message && childrenOf(message, WSDL, 'part').find((candidate) => attributeOf(candidate, 'name') === partName);
    const leave = (what: string): number => problems.push(problemAt(header, `${what} The header is left out.`));
    if (part === null || part === undefined) leave(`The header part ${partName ?? ''} is not defined.`);
    else if (attributeOf(header, 'use') === 'encoded') leave(`The header part ${partName ?? ''} is encoded.`);
    else {
      const read = elementOf(part, context);
      if ('disabled' in read)
        problems.push({ ...read.disabled, what: `${read.disabled.what} The header is left out.` });
      else if (!seen.has(typeKey(read.element.name))) headers.push({ element: read.element });
      if ('element' in read) seen.add(typeKey(read.element.name));
    }
  }
  return { headers, problems };
}

/** The declared faults; one that cannot be read is left out with a problem. */
export function readFaults(
  operation: XmlNode,
  context: MessageContext,
): { readonly faults: readonly FaultDeclaration[]; readonly problems: readonly Problem[] } {
  const faults: FaultDeclaration[] = [];
  const problems: Problem[] = [];
  for (const fault of childrenOf(operation, WSDL, 'fault')) {
    const message = referredBy(fault, 'message', context.definitions.messages);
    const part = message && childrenOf(message, WSDL, 'part')[0];
    const name = attributeOf(fault, 'name') ?? '';
    if (part === null || part === undefined) {
      problems.push(problemAt(fault, `The message of the fault ${name} is not defined. The fault is left out.`));
      continue;
    }
    const read = elementOf(part, context);
    if ('element' in read) faults.push({ name, element: read.element });
    else problems.push({ ...read.disabled, what: `${read.disabled.what} The fault is left out.` });
  }
  return { faults, problems };
}
