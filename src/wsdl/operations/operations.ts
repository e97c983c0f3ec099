import type { Diagnostic } from '../../base/diagnostic.js';
import { WSDL } from '../documents/namespaces.js';
import { attributeOf, childOf, diagnosticAt, documentationIn, type XmlNode } from '../documents/tree.js';
import type { Operation, Payload } from '../model.js';
import { defaultActionOf, namedActionOf } from './addressing-action.js';
import { readFaults } from './declared-faults.js';
import { referredBy } from './definitions.js';
import { readHeaders } from './headers.js';
import { type Disabled, type MessageContext, type MessageUse, nameBody, readBody, soapChildren } from './messages.js';
import type { OperationPair } from './operation-pairs.js';

/** The diagnostics that the schema types behind an operation bring with them. */
export type ReachableDiagnostics = (operation: Pick<Operation, 'input' | 'output' | 'faults'>) => readonly Diagnostic[];

export interface OperationContext extends MessageContext {
  readonly reach: ReachableDiagnostics;
}

/** Both directions of an operation; null where the port type has none. */
interface Directions {
  readonly request: MessageUse | null;
  readonly reply: MessageUse | null;
}

/**
 * Reads operations: each is ok, partial or disabled on its own, and none of them throws. `why`, unless null, disables
 * all of them.
 */
export function readOperations(
  pairs: readonly OperationPair[],
  context: OperationContext,
  why: Diagnostic | null,
): readonly Operation[] {
  const styles = new Map<XmlNode | null, string | null>();
  return pairs.map((pair) => {
    const soap = soapChildren(pair.bound, 'operation')[0] ?? null;
    const style = pair.bound === null ? likelyStyle(pair, context) : styleOf(pair.bound.parent, soap, styles);
    const directions = directionsOf(pair, style);
    const common = commonOf(pair, soap, style);
    const read = why === null ? readContent(pair, directions, context) : { disabled: why };
    return { ...common, ...('disabled' in read ? disabledContent(read.disabled, directions, context) : read) };
  });
}

type Common = Pick<
  Operation,
  'name' | 'writtenName' | 'documentation' | 'soapAction' | 'addressingAction' | 'namesAction' | 'style'
>;

function commonOf(pair: OperationPair, soap: XmlNode | null, style: 'document' | 'rpc'): Common {
  const { bound, abstract, written, name } = pair;
  const input = abstract === null ? null : childOf(abstract, WSDL, 'input');
  const named = input === null ? null : namedActionOf(input);
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
function likelyStyle({ node }: OperationPair, { definitions, parts }: OperationContext): 'document' | 'rpc' {
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

function directionsOf({ bound, abstract, written }: OperationPair, style: 'document' | 'rpc'): Directions {
  const use = (local: 'input' | 'output', wrapper: string): MessageUse | null => {
    const side = abstract === null ? null : childOf(abstract, WSDL, local);
    return side === null
      ? null
      : { abstract: side, bound: bound === null ? null : childOf(bound, WSDL, local), style, wrapper };
  };
  return { request: use('input', written), reply: use('output', `${written}Response`) };
}

type Content = Pick<Operation, 'status' | 'reasons' | 'input' | 'output' | 'faults'> & { readonly use?: 'encoded' };

function readContent(
  pair: OperationPair,
  { request, reply }: Directions,
  context: OperationContext,
): Content | Disabled {
  const { node, bound, abstract, written } = pair;
  const disable = (at: XmlNode, what: string): Disabled => ({ disabled: diagnosticAt(at, what) });
  if (abstract === null) return disable(node, `The port type has no operation ${written}.`);
  if (pair.isRepeated) return disable(node, `The operation ${written} stands in the binding already.`);
  if (request === null || (reply !== null && reply.abstract.start < request.abstract.start)) {
    return disable(abstract, `The operation ${written} is started by the server: it cannot be called.`);
  }
  const asked = readSide(request, context);
  if ('disabled' in asked) return asked;
  const answered = reply === null ? null : readSide(reply, context);
  if (answered !== null && 'disabled' in answered) return answered;
  const uses = new Set([asked.use, answered?.use ?? null]);
  if (uses.has('encoded') && uses.has('literal')) {
    return disable(node, `The operation ${written} is literal one way and encoded the other.`);
  }
  if (answered !== null) warnOfReplyHeaders(answered.payload, reply?.bound ?? abstract, context);
  const { faults, diagnostics } = readFaults(abstract, bound, context);
  const content = { input: asked.payload, output: answered === null ? null : answered.payload, faults };
  const own = [...asked.diagnostics, ...(answered === null ? [] : answered.diagnostics), ...diagnostics];
  const reasons = [...own, ...context.reach(content)];
  const encoded = uses.has('encoded') ? ({ use: 'encoded' } as const) : {};
  return { ...encoded, status: reasons.length === 0 ? 'ok' : 'partial', reasons, ...content };
}

/** The remedy of warnings about header blocks of replies, by which a configuration that has it finds them. */
export const SELECT_HEADERS = 'With `replyHeaders: true` it can be selected.';

/** Warns of header blocks in replies: by default GraphQL shows only the Body. */
function warnOfReplyHeaders({ headers }: Payload, at: XmlNode, { warnings }: OperationContext): void {
  for (const { element } of headers) {
    const what = `The header block ${element.name.local} of replies is not in GraphQL.`;
    warnings.addOnce(diagnosticAt(at, what, SELECT_HEADERS));
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

function disabledContent(reason: Diagnostic, { request, reply }: Directions, context: OperationContext): Content {
  const named = (side: MessageUse): Payload => ({ body: nameBody(side, context), headers: [] });
  return {
    status: 'disabled',
    reasons: [reason],
    input: request === null ? { body: null, headers: [] } : named(request),
    output: reply === null ? null : named(reply),
    faults: [],
  };
}
