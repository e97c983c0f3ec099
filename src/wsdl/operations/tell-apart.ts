import { collections } from '../../core/index.js';
import { headerBlocks } from '../../soap/index.js';
import { WSDL } from '../documents/namespaces.js';
import { childOf, diagnosticAtNode } from '../documents/xml-tree.js';
import { type Operation, typeKey } from '../model.js';
import { namedActionIn } from './addressing-use.js';
import type { OperationPair } from './operation-pairs.js';

/** An operation with the elements that describe it. */
export interface PairedOperation {
  readonly operation: Operation;
  readonly pair: OperationPair;
}

/**
 * The operations of a binding, with what tells apart those whose requests have the same Body and
 * SOAPAction: their action in WS-Addressing, where the WSDL declares it (`actionNamespace`).
 * Without it a backend cannot know which one is called: these are partial.
 */
export function tellApart(all: readonly PairedOperation[]): readonly Operation[] {
  const groups = collections.groupBy(all, ({ operation }) => requestKey(operation));
  const told = new Map<Operation, Operation>();
  for (const group of groups.values()) {
    if (group.length < 2) continue;
    const uri = namespaceOf(group);
    const actions = new Set(group.map(({ operation }) => operation.addressingAction));
    const isTold = uri !== null && actions.size === group.length;
    for (const each of group) {
      const { operation } = each;
      if (operation.status === 'disabled') continue;
      told.set(operation, isTold ? { ...operation, actionNamespace: uri } : partial(each, group));
    }
  }
  return all.map(({ operation }) => told.get(operation) ?? operation);
}

/** Parts and header blocks of one request that are compared: many operations may share many. */
const NAMES_COMPARED = 20;

/**
 * Overloads of rpc style differ in the content of their wrapper. A disabled operation may be
 * anything.
 */
function requestKey({ name, style, status, input, soapAction }: Operation): string {
  if (style !== 'document' || status === 'disabled') return `name ${name}`;
  const { body, several, headers } = input;
  const parts = several?.parts ?? (body === null ? [] : [{ element: body }]);
  const names = [parts, headers].map((all) => [
    all.length,
    ...all.slice(0, NAMES_COMPARED).map(({ element }) => typeKey(element.name)),
  ]);
  return JSON.stringify([soapAction ?? '', ...names]);
}

/** The namespace of the blocks of these operations; null where none of them has any by the WSDL. */
function namespaceOf(group: readonly PairedOperation[]): string | null {
  const declared = group.find(({ operation }) => operation.addressing !== undefined);
  if (declared !== undefined) return declared.operation.addressing?.uri ?? headerBlocks.WSA_1_0;
  const named = group.map(({ pair: { abstract } }) => {
    const input = abstract === null ? null : childOf(abstract, WSDL, 'input');
    return input === null ? null : namedActionIn(input);
  });
  return named.find((each) => each !== null)?.uri ?? null;
}

const REMEDY =
  'Set another `soapAction` of the operation, or `addressing.calls: send` of the service, ' +
  'as its backend reads it.';

/** Names in one reason. */
const NAMES_MAX = 3;

function partial(each: PairedOperation, group: readonly PairedOperation[]): Operation {
  const { operation, pair } = each;
  // Thousands of operations may have one request: only the first ones are looked at.
  const shown = group.slice(0, NAMES_MAX + 1).filter((other) => other !== each);
  const names = shown.slice(0, NAMES_MAX).map((other) => other.operation.name);
  const left = group.length - 1 - names.length;
  const named = `${names.join(', ')}${left > 0 ? ` and ${left} more` : ''}`;
  const what =
    `The requests of ${operation.name} are those of ${named}: the same Body, the same ` +
    'SOAPAction, no other action.';
  const reasons = [...operation.reasons, diagnosticAtNode(pair.node, what, REMEDY)];
  return { ...operation, status: 'partial', reasons };
}
