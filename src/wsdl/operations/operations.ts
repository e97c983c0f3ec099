import type { Diagnostic } from '../../core/index.js';
import { isSoapBindingNamespace, WSDL } from '../documents/namespaces.js';
import {
  attributeOf,
  childOf,
  childrenOf,
  diagnosticAtNode,
  documentationIn,
  nameOfNode,
  type XmlNode,
} from '../documents/xml-tree.js';
import {
  type ElementDeclaration,
  type FaultDeclaration,
  type HeaderDeclaration,
  type Operation,
  type Payload,
  typeKey,
} from '../model.js';
import { plainElement } from '../plain.js';
import { namedActionIn } from './addressing-use.js';
import { referredBy, targetOf } from './definitions.js';
import {
  type Disabled,
  elementOf,
  type MessageContext,
  type MessageUse,
  messageExtensions,
  nameBody,
  readBody,
  soapChildren,
  typeOf,
} from './messages.js';
import type { OperationPair } from './operation-pairs.js';

/** The diagnostics that the schema types behind an operation bring with them. */
export type ReachableDiagnostics = (
  operation: Pick<Operation, 'input' | 'output' | 'faults'>,
) => readonly Diagnostic[];

export interface OperationContext extends MessageContext {
  readonly reach: ReachableDiagnostics;
}

/** Both directions of an operation; null where the port type has none. */
interface Directions {
  readonly request: MessageUse | null;
  readonly reply: MessageUse | null;
}

/**
 * Reads operations: each is ok, partial or disabled on its own, and none of them throws. `why`,
 * unless null, disables all of them.
 */
export function readOperations(
  pairs: readonly OperationPair[],
  context: OperationContext,
  why: Diagnostic | null,
): readonly Operation[] {
  const styles = new Map<XmlNode | null, string | null>();
  return pairs.map((pair) => {
    const soap = soapChildren(pair.bound, 'operation')[0] ?? null;
    const style =
      pair.bound === null ? likelyStyle(pair, context) : styleOf(pair.bound.parent, soap, styles);
    const directions = directionsOf(pair, style);
    const common = commonOf(pair, soap, style);
    const read = why === null ? readContent(pair, directions, context) : { disabled: why };
    return {
      ...common,
      ...('disabled' in read ? disabledContent(read.disabled, directions, context) : read),
    };
  });
}

type Common = Pick<
  Operation,
  | 'name'
  | 'writtenName'
  | 'documentation'
  | 'soapAction'
  | 'addressingAction'
  | 'namesAction'
  | 'style'
>;

function commonOf(pair: OperationPair, soap: XmlNode | null, style: 'document' | 'rpc'): Common {
  const { bound, abstract, written, name } = pair;
  const input = abstract === null ? null : childOf(abstract, WSDL, 'input');
  const named = input === null ? null : (namedActionIn(input)?.action ?? null);
  return {
    name,
    ...(name === written ? {} : { writtenName: written }),
    documentation: documentationIn(abstract, WSDL) ?? documentationIn(bound, WSDL),
    soapAction: soap?.attributes.get('soapAction') ?? null,
    addressingAction: input === null ? null : (named ?? defaultActionOf(written, input)),
    ...(named === null ? {} : { namesAction: true }),
    style,
  };
}

/** Without a binding: parts that name types are those of rpc style. */
function likelyStyle(
  { node }: OperationPair,
  { definitions, parts }: OperationContext,
): 'document' | 'rpc' {
  const messages = ['input', 'output'].map((side) => {
    const direction = childOf(node, WSDL, side);
    return direction === null ? null : referredBy(direction, 'message', definitions.messages);
  });
  const all = messages.flatMap((message) => (message === null ? [] : (parts.of(message) ?? [])));
  return all.some((part) => attributeOf(part, 'type') !== null) ? 'rpc' : 'document';
}

/** `known` has the styles of bindings: each has all of its operations as children. */
function styleOf(
  binding: XmlNode | null,
  soap: XmlNode | null,
  known: Map<XmlNode | null, string | null>,
): 'document' | 'rpc' {
  let shared = known.get(binding);
  if (shared === undefined) {
    const [declared] = soapChildren(binding, 'binding');
    shared = declared === undefined ? null : attributeOf(declared, 'style');
    known.set(binding, shared);
  }
  const style = (soap === null ? null : attributeOf(soap, 'style')) ?? shared;
  return style?.toLowerCase() === 'rpc' ? 'rpc' : 'document';
}

function directionsOf(
  { bound, abstract, written }: OperationPair,
  style: 'document' | 'rpc',
): Directions {
  const use = (local: 'input' | 'output', wrapper: string): MessageUse | null => {
    const side = abstract === null ? null : childOf(abstract, WSDL, local);
    return side === null
      ? null
      : {
          abstract: side,
          bound: bound === null ? null : childOf(bound, WSDL, local),
          style,
          wrapper,
        };
  };
  return { request: use('input', written), reply: use('output', `${written}Response`) };
}

type Content = Pick<Operation, 'status' | 'reasons' | 'input' | 'output' | 'faults'> & {
  readonly use?: 'encoded';
};

function readContent(
  pair: OperationPair,
  { request, reply }: Directions,
  context: OperationContext,
): Content | Disabled {
  const { node, bound, abstract, written } = pair;
  const disable = (at: XmlNode, what: string): Disabled => ({
    disabled: diagnosticAtNode(at, what),
  });
  if (abstract === null) return disable(node, `The port type has no operation ${written}.`);
  if (pair.isRepeated) {
    return disable(node, `The operation ${written} stands in the binding already.`);
  }
  if (request === null || (reply !== null && reply.abstract.start < request.abstract.start)) {
    return disable(
      abstract,
      `The operation ${written} is started by the server: it cannot be called.`,
    );
  }
  const asked = readSide(request, context);
  if ('disabled' in asked) return asked;
  const answered = reply === null ? null : readSide(reply, context);
  if (answered !== null && 'disabled' in answered) return answered;
  const uses = new Set([asked.use, answered?.use ?? null]);
  if (uses.has('encoded') && uses.has('literal')) {
    return disable(node, `The operation ${written} is literal one way and encoded the other.`);
  }
  if (answered !== null) {
    warnOfReplyHeaders(answered.payload, reply?.bound ?? abstract, context);
  }
  const { faults, diagnostics } = readFaults(abstract, bound, context);
  const content = {
    input: asked.payload,
    output: answered === null ? null : answered.payload,
    faults,
  };
  const own = [
    ...asked.diagnostics,
    ...(answered === null ? [] : answered.diagnostics),
    ...diagnostics,
  ];
  const reasons = [...own, ...context.reach(content)];
  const encoded = uses.has('encoded') ? ({ use: 'encoded' } as const) : {};
  return { ...encoded, status: reasons.length === 0 ? 'ok' : 'partial', reasons, ...content };
}

/**
 * The remedy of warnings about header blocks of replies, by which a configuration that has it finds
 * them.
 */
export const SELECT_HEADERS = 'With `replyHeaders: true` it can be selected.';

/** Warns of header blocks in replies: by default GraphQL shows only the Body. */
function warnOfReplyHeaders(
  { headers }: Payload,
  at: XmlNode,
  { warnings }: OperationContext,
): void {
  for (const { element } of headers) {
    const what = `The header block ${element.name.local} of replies is not in GraphQL.`;
    warnings.addOnce(diagnosticAtNode(at, what, SELECT_HEADERS));
  }
}

interface Side {
  readonly payload: Payload;
  readonly use: 'literal' | 'encoded' | null;
  readonly diagnostics: readonly Diagnostic[];
}

function readSide(use: MessageUse, context: OperationContext): Side | Disabled {
  const read = readBody(use, context);
  if ('disabled' in read) return read;
  const { headers, diagnostics } = readHeaders(use, context);
  const { body, several, attachments } = read;
  const payload: Payload = {
    body,
    ...(several === undefined ? {} : { several }),
    headers,
    ...(attachments === undefined ? {} : { attachments }),
  };
  return { payload, use: read.use, diagnostics: [...read.diagnostics, ...diagnostics] };
}

function disabledContent(
  reason: Diagnostic,
  { request, reply }: Directions,
  context: OperationContext,
): Content {
  const named = (side: MessageUse): Payload => ({ body: nameBody(side, context), headers: [] });
  return {
    status: 'disabled',
    reasons: [reason],
    input: request === null ? { body: null, headers: [] } : named(request),
    output: reply === null ? null : named(reply),
    faults: [],
  };
}

/** The action of an input that names none. */
function defaultActionOf(name: string, input: XmlNode): string {
  const uri = targetOf(input);
  const delimiter = uri.startsWith('urn:') ? ':' : '/';
  const portType = nameOfNode(input.parent?.parent ?? input);
  const isOneWay = input.parent === null || childOf(input.parent, WSDL, 'output') === null;
  const message = attributeOf(input, 'name') ?? (isOneWay ? name : `${name}Request`);
  return [uri.endsWith(delimiter) ? uri.slice(0, -1) : uri, portType, message].join(delimiter);
}

/**
 * The declared faults; one that cannot be read is left out with a diagnostic. `bound` is the
 * operation of the binding, or null. A fault whose part names a type is in `detail` under the name
 * of the part, as rpc stacks write it.
 */
function readFaults(
  operation: XmlNode,
  bound: XmlNode | null,
  context: MessageContext,
): { readonly faults: readonly FaultDeclaration[]; readonly diagnostics: readonly Diagnostic[] } {
  const faults: FaultDeclaration[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const fault of childrenOf(operation, WSDL, 'fault')) {
    const name = nameOfNode(fault);
    const message = referredBy(fault, 'message', context.definitions.messages);
    if (message === null) {
      diagnostics.push(
        diagnosticAtNode(
          fault,
          `The message of the fault ${name} is not defined. The fault is left out.`,
        ),
      );
      continue;
    }
    const { part, count } = context.parts.first(message);
    if (part === null) {
      context.warnings.addAt(
        message,
        `The message of the fault ${name} has no part: it has no detail.`,
      );
      continue;
    }
    if (count > 1) {
      context.warnings.addAt(
        message,
        `The message of the fault ${name} has several parts: the first is used.`,
      );
    }
    const named = elementOf(part, context);
    if (named === null) {
      const wire = { uri: namespaceOf(name, bound), local: nameOfNode(part) };
      faults.push({ name, element: plainElement(wire, typeOf(part, context)) });
    } else if ('element' in named) {
      faults.push({ name, element: named.element });
    } else {
      diagnostics.push({
        ...named.disabled,
        what: `${named.disabled.what} The fault is left out.`,
      });
    }
  }
  return { faults, diagnostics };
}

/**
 * The namespace of the detail's child by `soap:fault`, or if it is encoded; literal ones are not
 * qualified.
 */
function namespaceOf(name: string, bound: XmlNode | null): string {
  const same =
    bound === null
      ? []
      : childrenOf(bound, WSDL, 'fault').filter((each) => attributeOf(each, 'name') === name);
  const [soap] = same.flatMap((each) => soapChildren(each, 'fault'));
  if (soap === undefined) return '';
  return (
    attributeOf(soap, 'namespace') ?? (attributeOf(soap, 'use') === 'encoded' ? targetOf(soap) : '')
  );
}

/** The header blocks of one direction; one that cannot be read is left out with a diagnostic. */
function readHeaders(
  use: MessageUse,
  context: MessageContext,
): { readonly headers: readonly HeaderDeclaration[]; readonly diagnostics: readonly Diagnostic[] } {
  const headers: HeaderDeclaration[] = [];
  const diagnostics: Diagnostic[] = [];
  const seen = new Set<string>();
  for (const header of messageExtensions(use.bound, 'header')) {
    warnOfHeaderFaults(header, context);
    const read = readHeader(header, use, context);
    if ('what' in read) {
      diagnostics.push({ ...read, what: `${read.what} The header is left out.` });
    } else if (!seen.has(typeKey(read.name))) {
      seen.add(typeKey(read.name));
      headers.push({ element: read });
    }
  }
  return { headers, diagnostics };
}

/**
 * Without a message it is one of the operation's own parts. A part that names a type gives the
 * block its own name.
 */
function readHeader(
  header: XmlNode,
  use: MessageUse,
  context: MessageContext,
): ElementDeclaration | Diagnostic {
  const { messages } = context.definitions;
  const isOwn = attributeOf(header, 'message') === null;
  const message = isOwn
    ? referredBy(use.abstract, 'message', messages)
    : referredBy(header, 'message', messages);
  const name = attributeOf(header, 'part') ?? '';
  const part = message === null ? null : context.parts.named(message, name);
  if (part === null) return diagnosticAtNode(header, `The header part ${name} is not defined.`);
  const named = elementOf(part, context);
  if (named !== null) return 'element' in named ? named.element : named.disabled;
  const uri = attributeOf(header, 'namespace') ?? targetOf(part);
  return plainElement({ uri, local: name }, typeOf(part, context));
}

/** Warns of header faults: they pass as SOAP, but GraphQL errors do not show them. */
function warnOfHeaderFaults(header: XmlNode, { warnings }: MessageContext): void {
  for (const fault of header.children) {
    if (fault.local !== 'headerfault' || !isSoapBindingNamespace(fault.uri)) continue;
    const part = attributeOf(fault, 'part') ?? '';
    warnings.addAt(
      fault,
      `The header fault ${part} passes as SOAP; errors in GraphQL do not show it.`,
    );
  }
}
