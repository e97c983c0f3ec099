import type { Problem } from '../base/problem.js';
import { targetOf } from './definitions.js';
import {
  type MessageContext,
  type MessageUse,
  nameBody,
  readBody,
  readFaults,
  readHeaders,
  soapChildren,
} from './messages.js';
import type { Operation, Payload } from './model.js';
import { WSDL } from './namespaces.js';
import { attributeOf, childOf, childrenOf, documentationIn, problemAt, type XmlNode } from './tree.js';

/** The problems that the schema types behind an operation bring with them. */
export type ReachableProblems = (operation: Pick<Operation, 'input' | 'output' | 'faults'>) => readonly Problem[];

export interface OperationContext extends MessageContext {
  readonly reach: ReachableProblems;
}

/** Reads the operations of a binding. Each is ok, partial or disabled on its own; none of them throws. */
export function readOperations(binding: XmlNode, portType: XmlNode, context: OperationContext): readonly Operation[] {
  const names = new Set<string>();
  const abstract = new Map<string, XmlNode[]>();
  for (const node of childrenOf(portType, WSDL, 'operation')) {
    const name = attributeOf(node, 'name') ?? '';
    const same = abstract.get(name);
    if (same === undefined) abstract.set(name, [node]);
    else same.push(node);
  }
  return childrenOf(binding, WSDL, 'operation').map((bound) => {
    const name = attributeOf(bound, 'name') ?? '';
    const candidates = abstract.get(name) ?? [];
    const found =
      candidates.length > 1 ? (candidates.find((node) => fits(node, bound)) ?? null) : (candidates[0] ?? null);
    const overloaded = names.has(name);
    names.add(name);
    return readOperation(name, bound, found, overloaded, context);
  });
}

/** Overloaded operations are told apart by the names of their messages (WSDL 1.1 section 2.5). */
const fits = (abstract: XmlNode, bound: XmlNode): boolean =>
  ['input', 'output'].every((local) => {
    const name = childOf(bound, WSDL, local)?.attributes.get('name');
    const own = childOf(abstract, WSDL, local)?.attributes.get('name');
    return name === undefined || own === undefined || own === name;
  });

function readOperation(
  name: string,
  bound: XmlNode,
  abstract: XmlNode | null,
  overloaded: boolean,
  context: OperationContext,
): Operation {
  const [soap] = soapChildren(bound, 'operation');
  const documentation = documentationIn(abstract, WSDL) ?? documentationIn(bound, WSDL);
  const soapAction = (soap === undefined ? undefined : soap.attributes.get('soapAction')) ?? null;
  const input = abstract === null ? null : childOf(abstract, WSDL, 'input');
  const addressingAction = input === null ? null : addressingActionOf(name, input);
  const style = styleOf(bound, soap ?? null);
  const common = { name, documentation, soapAction, addressingAction, style };
  const use = (side: XmlNode, wrapper: string): MessageUse => ({
    abstract: side,
    bound: childOf(bound, WSDL, side.local),
    style,
    wrapper,
  });
  const output = abstract === null ? null : childOf(abstract, WSDL, 'output');
  const request = input === null ? null : use(input, name);
  const reply = output === null ? null : use(output, `${name}Response`);
  const named = (side: MessageUse): Payload => ({ body: nameBody(side, context), headers: [] });
  const disabled = (reason: Problem): Operation => ({
    ...common,
    status: 'disabled',
    reasons: [reason],
    input: request === null ? { body: null, headers: [] } : named(request),
    output: reply === null ? null : named(reply),
    faults: [],
  });
  if (abstract === null) return disabled(problemAt(bound, `The port type has no operation ${name}.`));
  if (overloaded) {
    return disabled(problemAt(bound, `The operation ${name} is overloaded; only the first one is offered.`));
  }
  if (request === null || (reply !== null && reply.abstract.start < request.abstract.start)) {
    return disabled(problemAt(abstract, `The operation ${name} is started by the server: it cannot be called.`));
  }
  const asked = readSide(request, context);
  if ('disabled' in asked) return disabled(asked.disabled);
  const answered = reply === null ? null : readSide(reply, context);
  if (answered !== null && 'disabled' in answered) return disabled(answered.disabled);
  const { faults, problems } = readFaults(abstract, context);
  const content = { input: asked.payload, output: answered === null ? null : answered.payload, faults };
  const own = [...asked.problems, ...(answered === null ? [] : answered.problems), ...problems];
  const reasons = [...own, ...context.reach(content)];
  return { ...common, ...content, status: reasons.length === 0 ? 'ok' : 'partial', reasons };
}

/** Namespaces in which a WSDL names the action of a message: the recommendation, and the drafts stacks still write. */
const ACTION_ATTRIBUTES = [
  '{http://www.w3.org/2007/05/addressing/metadata}Action',
  '{http://www.w3.org/2006/05/addressing/wsdl}Action',
  '{http://www.w3.org/2005/08/addressing}Action',
  '{http://schemas.xmlsoap.org/ws/2004/08/addressing}Action',
];

/** The action the input of a port type's operation names, or has by default when it names none. */
function addressingActionOf(name: string, input: XmlNode): string {
  for (const attribute of ACTION_ATTRIBUTES) {
    const named = input.attributes.get(attribute)?.trim();
    if (named !== undefined) return named;
  }
  const uri = targetOf(input);
  const delimiter = uri.startsWith('urn:') ? ':' : '/';
  const portType = attributeOf(input.parent?.parent ?? input, 'name') ?? '';
  const isOneWay = input.parent === null || childOf(input.parent, WSDL, 'output') === null;
  const message = attributeOf(input, 'name') ?? (isOneWay ? name : `${name}Request`);
  return [uri.endsWith(delimiter) ? uri.slice(0, -1) : uri, portType, message].join(delimiter);
}

function styleOf(bound: XmlNode, soap: XmlNode | null): 'document' | 'rpc' {
  const own = soap === null ? null : attributeOf(soap, 'style');
  const [binding] = soapChildren(bound.parent, 'binding');
  return (own ?? (binding === undefined ? null : attributeOf(binding, 'style'))) === 'rpc' ? 'rpc' : 'document';
}

function readSide(
  use: MessageUse,
  context: OperationContext,
): { readonly payload: Payload; readonly problems: readonly Problem[] } | { readonly disabled: Problem } {
  const read = readBody(use, context);
  if ('disabled' in read) return read;
  const { headers, problems } = readHeaders(use.bound, context);
  return { payload: { body: read.body, headers }, problems };
}
