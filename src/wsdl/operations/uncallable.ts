import { WSDL } from '../documents/namespaces.js';
import { childrenOf, diagnosticAtNode, nameOfNode, type XmlNode } from '../documents/xml-tree.js';
import type { UncallableOperation } from '../model.js';
import { type Definitions, referredBy } from './definitions.js';
import { type BindingReader, refusalOf } from './services.js';

/** Operations that are listed for one WSDL at most: any number of ports may share a binding. */
const MOST_UNCALLABLE = 20_000;

/**
 * Lists the operations that no SOAP port offers, each once with the reason: those of ports with
 * other bindings, of bindings without a port, and of port types that no binding describes. To be
 * called when all ports have been read.
 */
export function readUncallable(
  definitions: Definitions,
  bindings: BindingReader,
): readonly UncallableOperation[] {
  const list = new UncallableList();
  const described = new Set<XmlNode>();
  const describe = (binding: XmlNode, place: string, why: string): void => {
    const portType = bindings.portTypeOf(binding);
    const names = childrenOf(binding, WSDL, 'operation').map(nameOfNode);
    for (const [index, node] of childrenOf(binding, WSDL, 'operation').entries()) {
      list.add(names[index] ?? '', place, node, `It cannot be called: ${why}.`);
    }
    const written = new Set(names);
    for (const node of portType === null ? [] : childrenOf(portType, WSDL, 'operation')) {
      if (written.has(nameOfNode(node))) {
        described.add(node);
      }
    }
  };
  const withPort = new Set<XmlNode>();
  for (const port of definitions.services.flatMap((service) => childrenOf(service, WSDL, 'port'))) {
    const binding = referredBy(port, 'binding', definitions.bindings);
    if (binding === null) continue;
    withPort.add(binding);
    const refusal = refusalOf(binding);
    if (refusal !== null && !bindings.hasRead(binding)) {
      describe(binding, `port ${nameOfNode(port)}`, refusal);
    }
  }
  for (const binding of definitions.bindings.values()) {
    if (withPort.has(binding) || bindings.hasRead(binding)) continue;
    describe(
      binding,
      `binding ${nameOfNode(binding)}`,
      refusalOf(binding) ?? 'no port has its binding',
    );
  }
  for (const portType of definitions.portTypes.values()) {
    for (const node of childrenOf(portType, WSDL, 'operation')) {
      if (bindings.covered.has(node) || described.has(node)) continue;
      list.add(
        nameOfNode(node),
        `port type ${nameOfNode(portType)}`,
        node,
        'It cannot be called: no binding describes it.',
      );
    }
  }
  return list.operations;
}

class UncallableList {
  readonly operations: UncallableOperation[] = [];

  add(name: string, place: string, node: XmlNode, what: string): void {
    if (this.operations.length >= MOST_UNCALLABLE) return;
    this.operations.push({ name, place, reason: diagnosticAtNode(node, what) });
  }
}
