import { type Diagnostic, getOrMake } from '../../core/index.js';
import type { mime } from '../../soap/index.js';
import type { QName } from '../../xml/index.js';
import { isSoapBindingNamespace, WSDL_MIME, XSD } from '../documents/namespaces.js';
import type { Warnings } from '../documents/warnings.js';
import {
  attributeOf,
  childrenOf,
  diagnosticAtNode,
  nameOfNode,
  qNameAt,
  type XmlNode,
} from '../documents/xml-tree.js';
import {
  type BodyPart,
  type ElementDeclaration,
  type Particle,
  type Payload,
  type SeveralParts,
  typeKey,
  type XsdType,
} from '../model.js';
import { plainComplexType, plainElement, sequenceOf } from '../plain.js';
import { opaqueType } from '../xsd/builtin.js';
import type { Schema } from '../xsd/schema.js';
import { type Definitions, referredBy, targetOf } from './definitions.js';
import type { MessageParts } from './message-parts.js';
import { OnlyNamed } from './only-named.js';

/** The definitions, types and warnings that the readers of messages share. */
export interface MessageContext {
  readonly definitions: Definitions;
  readonly schema: Schema;
  readonly warnings: Warnings;
  readonly parts: MessageParts;
}

/** One direction of an operation in the port type and the binding. */
export interface MessageUse {
  /** `input` or `output` of the port type. */
  readonly abstract: XmlNode;
  /** `input` or `output` of the binding; null when the binding leaves it out. */
  readonly bound: XmlNode | null;
  readonly style: 'document' | 'rpc';
  /** Local name of the rpc wrapper. */
  readonly wrapper: string;
}

export interface Body extends Pick<Payload, 'body' | 'several' | 'attachments'> {
  /** Null where the message has no parts: then it is the same in either. */
  readonly use: 'literal' | 'encoded' | null;
  /** Why the operation is no more than partial. */
  readonly diagnostics: readonly Diagnostic[];
}

export interface Disabled {
  readonly disabled: Diagnostic;
}

const disabledAt = (node: XmlNode, what: string): Disabled => ({
  disabled: diagnosticAtNode(node, what),
});

/**
 * SOAP extension elements stand in the namespace of either version, whatever the binding's own
 * version is.
 */
export const soapChildren = (node: XmlNode | null, local: string): readonly XmlNode[] =>
  node === null
    ? []
    : node.children.filter((child) => child.local === local && isSoapBindingNamespace(child.uri));

/**
 * SOAP extension elements of one direction, also those within the root part of a MIME package (WSDL
 * 1.1 section 5.4).
 */
export function messageExtensions(bound: XmlNode | null, local: string): readonly XmlNode[] {
  return [
    ...soapChildren(bound, local),
    ...mimeParts(bound).flatMap((part) => soapChildren(part, local)),
  ];
}

const mimeParts = (bound: XmlNode | null): readonly XmlNode[] =>
  bound === null
    ? []
    : childrenOf(bound, WSDL_MIME, 'multipartRelated').flatMap((related) =>
        childrenOf(related, WSDL_MIME, 'part'),
      );

/** The children of Body, or the diagnostic for which they are unknown. */
export function readBody(use: MessageUse, context: MessageContext): Body | Disabled {
  const message = messageOf(use, context);
  if (message === null) return elementOfMessage(use, context);
  const [body] = messageExtensions(use.bound, 'body');
  const other = use.bound?.children.find(({ uri }) => uri === WSDL_MIME);
  if (body === undefined && other !== undefined) {
    return disabledAt(other, 'The message is MIME content of its own, without an envelope.');
  }
  const parts = bodyParts(use, message, body ?? null, context);
  if (parts === null) {
    return disabledAt(message, 'The messages of this WSDL are used with more parts than allowed.');
  }
  let encoded = isEncoded(body ?? null);
  if (body !== undefined && encoded && use.style === 'document') {
    if (!parts.every((part) => attributeOf(part, 'element') !== null)) {
      return disabledAt(
        body,
        'The message is document/encoded; only rpc style is offered in an encoding.',
      );
    }
    encoded = false;
    const what = 'The message is document/encoded, and its parts are elements: it is read as';
    context.warnings.addAt(body, `${what} document/literal.`);
  }
  const diagnostics: Diagnostic[] = [];
  const attached = attachmentsOf(use, message, new Set(parts), context, diagnostics);
  const attachments = attached.length === 0 ? {} : { attachments: attached };
  const written: Body['use'] = parts.length === 0 ? null : encoded ? 'encoded' : 'literal';
  if (use.style === 'rpc') {
    return {
      body: rpcBody(use, parts, body ?? null, context, diagnostics),
      ...attachments,
      use: written,
      diagnostics,
    };
  }
  const children: BodyPart[] = [];
  for (const part of parts) {
    const content = documentContent(part, context, diagnostics);
    if ('disabled' in content) return content;
    const { element } = content;
    if (element !== null) {
      children.push({ name: attributeOf(part, 'name') ?? element.name.local, element });
    }
  }
  const [first, ...others] = children;
  const several = others.length === 0 ? {} : { several: severalParts(children) };
  return { body: first?.element ?? null, ...several, ...attachments, use: written, diagnostics };
}

/** The element that has the name of a message that is not defined, in document style. */
function elementOfMessage(use: MessageUse, { schema, warnings }: MessageContext): Body | Disabled {
  const value = attributeOf(use.abstract, 'message') ?? '';
  const what = `The message ${value} is not defined`;
  const name = use.style === 'document' ? qNameAt(use.abstract, value) : null;
  const element = name === null ? undefined : schema.elements.get(typeKey(name));
  if (element === undefined) return disabledAt(use.abstract, `${what}.`);
  warnings.addAt(use.abstract, `${what}; the element of that name is taken.`);
  return { body: element, use: 'literal', diagnostics: [] };
}

function severalParts(parts: readonly BodyPart[]): SeveralParts {
  const particles = parts.map(
    ({ element }): Particle => ({ kind: 'one', element, min: 1, max: 1 }),
  );
  return {
    parts,
    whole: plainElement({ uri: '', local: 'Body' }, plainComplexType(null, sequenceOf(particles))),
  };
}

/** The case is ignored: some WSDLs have `Encoded`. */
const isEncoded = (body: XmlNode | null): boolean =>
  body !== null && attributeOf(body, 'use')?.toLowerCase() === 'encoded';

const messageOf = (use: MessageUse, { definitions }: MessageContext): XmlNode | null =>
  referredBy(use.abstract, 'message', definitions.messages);

/** The content that a MIME package carries beside the envelope (WSDL 1.1 section 5.2). */
const attachedContents = (bound: XmlNode | null): readonly XmlNode[] =>
  mimeParts(bound).flatMap((part) => childrenOf(part, WSDL_MIME, 'content'));

/** The attachments of a message, each once: several bindings of one part are alternatives. */
function attachmentsOf(
  { bound, abstract }: MessageUse,
  message: XmlNode,
  inBody: ReadonlySet<XmlNode>,
  { parts }: MessageContext,
  diagnostics: Diagnostic[],
): readonly mime.AttachedPart[] {
  const found = new Map<string, Set<string>>();
  for (const content of attachedContents(bound)) {
    const name = attributeOf(content, 'part');
    const part = name === null ? null : parts.named(message, name);
    if (name === null || part === null) {
      const handling = abstract.local === 'input' ? 'sent' : 'read';
      const what =
        `An attachment of the ${abstract.local} (${name ?? 'without a name'}) is no part of its ` +
        `message: it is not ${handling}.`;
      diagnostics.push(diagnosticAtNode(content, what));
    } else if (!inBody.has(part)) {
      const types = getOrMake(found, name, () => new Set());
      const type = attributeOf(content, 'type');
      if (type !== null && types.size < MEDIA_TYPES_MAX) {
        types.add(type.toLowerCase());
      }
    }
  }
  return [...found].map(([name, types]) => ({ name, mediaTypes: [...types] }));
}

/** Alternatives of one attachment; each part of a reply is compared with them. */
const MEDIA_TYPES_MAX = 100;

function bodyParts(
  use: MessageUse,
  message: XmlNode,
  body: XmlNode | null,
  context: MessageContext,
): readonly XmlNode[] | null {
  const all = context.parts.of(message);
  if (all === null) return null;
  const listed = body === null ? null : attributeOf(body, 'parts');
  if (body !== null && listed !== null) {
    const names = new Set(listed.split(/\s+/).filter((name) => name !== ''));
    const isOrdered = use.style === 'document';
    const found = isOrdered
      ? [...names].flatMap((name) => context.parts.named(message, name) ?? [])
      : all.filter((part) => names.has(nameOfNode(part)));
    if (found.length > 0 || names.size === 0) return found;
    context.warnings.addAt(
      body,
      `The body parts ${listed} are not in the message; those that stand nowhere else are used.`,
    );
  }
  const elsewhere = new Set(
    attachedContents(use.bound).map((content) => attributeOf(content, 'part')),
  );
  for (const header of messageExtensions(use.bound, 'header')) {
    const isOwn =
      attributeOf(header, 'message') === null ||
      referredBy(header, 'message', context.definitions.messages);
    if (isOwn === true || isOwn === message) {
      elsewhere.add(attributeOf(header, 'part'));
    }
  }
  return all.filter((part) => !elsewhere.has(attributeOf(part, 'name')));
}

/** The element that a part names; null when it names a type instead. */
export function elementOf(
  part: XmlNode,
  { schema, warnings }: MessageContext,
): { readonly element: ElementDeclaration } | Disabled | null {
  const value = attributeOf(part, 'element');
  if (value === null) return null;
  const name = qNameAt(part, value);
  const known = name === null ? undefined : schema.elements.get(typeKey(name));
  if (known !== undefined) return { element: known };
  const local = value.slice(value.indexOf(':') + 1);
  const isOpen = name === null || !value.includes(':');
  const own = isOpen ? schema.elements.get(typeKey({ uri: targetOf(part), local })) : undefined;
  const element = own ?? (name === null ? ONLY.in(schema.elements, local) : null);
  if (element === null) return disabledAt(part, `The element ${value} is not declared.`);
  const why = name === null ? 'uses a prefix that is not declared' : 'is not declared';
  const taken = `{${element.name.uri}}${local} is taken`;
  warnings.addAt(part, `The element ${value} ${why}; ${taken}.`);
  return { element };
}

const ONLY = new OnlyNamed<ElementDeclaration>(({ name }) => name.local);

/** The type that a part names; opaque when there is none. */
export const typeOf = (part: XmlNode, { schema }: MessageContext): XsdType =>
  schema.typeNamed(part, attributeOf(part, 'type') ?? '');

/**
 * The child of Body for one part of document style. A part that names a type is the type of Body
 * itself (WSDL 1.1 section 3.5). Where that would not be one element, the stacks that accept it
 * write an element with the part's name.
 */
function documentContent(
  part: XmlNode,
  context: MessageContext,
  diagnostics: Diagnostic[],
): { readonly element: ElementDeclaration | null } | Disabled {
  const named = elementOf(part, context);
  if (named !== null) return named;
  const type = typeOf(part, context);
  const content = type.kind === 'complex' && type.attributes.length === 0 ? type.content : null;
  if (content?.kind === 'empty') return { element: null };
  let particle: Particle | null = content?.kind === 'elements' ? content.particle : null;
  while (particle !== null && particle.kind !== 'one') {
    const inner: readonly Particle[] =
      particle.kind === 'any' || particle.max !== 1 ? [] : particle.particles;
    particle = inner.length === 1 ? (inner[0] ?? null) : null;
  }
  if (particle !== null && particle.max === 1) return { element: particle.element };
  const name = nameOfNode(part);
  diagnostics.push(
    diagnosticAtNode(
      part,
      `The part ${name} names a type in document style (WS-I R2204): ` +
        'it is taken as an element of that name.',
      'Check with the backend which element it wants.',
    ),
  );
  return { element: plainElement({ uri: '', local: name }, type) };
}

/**
 * The child of Body of a disabled operation, if its name is known: opaque, but enough to recognise
 * the operation when it passes as SOAP.
 */
export function nameBody(use: MessageUse, context: MessageContext): ElementDeclaration | null {
  const body = messageExtensions(use.bound, 'body')[0] ?? null;
  if (use.style === 'rpc') return plainElement(rpcWrapper(use, body), opaqueType(null));
  const message = messageOf(use, context);
  const part = (message === null ? null : bodyParts(use, message, body, context))?.[0];
  const value = part === undefined ? null : attributeOf(part, 'element');
  const name = part === undefined || value === null ? null : qNameAt(part, value);
  return name === null ? null : plainElement(name, opaqueType(null));
}

const rpcWrapper = (use: MessageUse, body: XmlNode | null): QName => ({
  uri:
    (body === null ? null : attributeOf(body, 'namespace')) ?? targetOf(use.bound ?? use.abstract),
  local: use.wrapper,
});

/**
 * The wrapper of rpc style: its children are the parts, unqualified (WS-I Basic Profile 4.7; SOAP
 * 1.1 section 7.1). A part that names an element, which the profile forbids, stands there as that
 * element.
 */
function rpcBody(
  use: MessageUse,
  parts: readonly XmlNode[],
  body: XmlNode | null,
  context: MessageContext,
  diagnostics: Diagnostic[],
): ElementDeclaration {
  const encoded = isEncoded(body);
  const particles = parts.map((part): Particle => {
    const local = nameOfNode(part);
    const named = elementOf(part, context);
    if (named !== null && 'element' in named) {
      context.warnings.addAt(
        part,
        `The part ${local} names an element in rpc style (WS-I R2203): it stands there itself.`,
      );
      return { kind: 'one', element: named.element, min: 1, max: 1 };
    }
    if (named !== null) {
      diagnostics.push({ ...named.disabled, what: `${named.disabled.what} It is kept as XML.` });
    }
    const type = named === null ? typeOf(part, context) : opaqueType(null);
    const element = plainElement({ uri: '', local }, type, {
      nillable: encoded && !isPrimitive(type),
    });
    return { kind: 'one', element, min: 1, max: 1 };
  });
  return plainElement(rpcWrapper(use, body), plainComplexType(null, sequenceOf(particles)));
}

const PRIMITIVES: ReadonlySet<string> = new Set(
  (
    'boolean byte short int long float double unsignedByte unsignedShort ' +
    'unsignedInt unsignedLong'
  ).split(' '),
);

/**
 * A part of an encoding may be nil (SOAP 1.1 section 5.1) unless it is one of the types that no
 * language of the time had a null for (JAX-RPC 1.1 section 4.2.1): WSDL has no construct for it.
 */
const isPrimitive = ({ kind, name }: XsdType): boolean =>
  kind === 'simple' && name !== null && name.uri === XSD && PRIMITIVES.has(name.local);
