import { WSDL } from '../documents/namespaces.js';
import type { Warnings } from '../documents/warnings.js';
import { childOf, childrenOf, nameOfNode, type XmlNode } from '../documents/xml-tree.js';

/** An operation as a binding and a port type describe it. */
export interface OperationPair {
  /** The node to which diagnostics refer: that of the binding, else of the port type. */
  readonly node: XmlNode;
  readonly bound: XmlNode | null;
  readonly abstract: XmlNode | null;
  /** The name as the WSDL writes it. */
  readonly written: string;
  /** Unique within the port: a further overload is `name2`, `name3`, ... */
  readonly name: string;
  /** The binding describes it again. */
  readonly isRepeated: boolean;
}

/** The operations of a port type by name. */
export interface PortTypeOperations {
  readonly byName: ReadonlyMap<string, readonly XmlNode[]>;
  readonly count: number;
}

/** Maximum overloads of a name; each is compared with each. */
const OVERLOADS = 50;

export function operationsOfPortType(portType: XmlNode): PortTypeOperations {
  const byName = new Map<string, XmlNode[]>();
  const operations = childrenOf(portType, WSDL, 'operation');
  for (const node of operations) {
    const same = byName.get(nameOfNode(node));
    if (same === undefined) {
      byName.set(nameOfNode(node), [node]);
    } else if (same.length < OVERLOADS) {
      same.push(node);
    }
  }
  return { byName, count: operations.length };
}

/**
 * The operations of a binding with those of its port type. Overloaded ones are distinguished by the
 * names of their messages (WSDL 1.1 section 2.5), else by their order.
 */
export function pairOperations(
  binding: XmlNode,
  portType: PortTypeOperations | null,
  warnings: Warnings,
): readonly OperationPair[] {
  const operations = childrenOf(binding, WSDL, 'operation');
  const nameFor = namesFor(operations);
  const used = new Set<XmlNode>();
  const pairs = operations.map((bound): OperationPair => {
    const written = nameOfNode(bound);
    const candidates = portType?.byName.get(written) ?? [];
    const free = candidates.filter((candidate) => !used.has(candidate));
    const found =
      free.find((candidate) => fits(candidate, bound)) ?? (free.length === 1 ? free[0] : undefined);
    if (found !== undefined) {
      used.add(found);
    }
    const isRepeated = found === undefined && candidates.length > 0;
    const known = found ?? candidates[0] ?? null;
    return { node: bound, bound, abstract: known, written, name: nameFor(written), isRepeated };
  });
  const missing = (portType?.count ?? 0) - used.size;
  if (missing > 0) {
    const what =
      `The binding ${nameOfNode(binding)} leaves out ${missing} of the ` +
      'operations of its port type.';
    warnings.addAt(binding, what);
  }
  return pairs;
}

/** The operations of a port type that no binding describes. */
export function unboundOperations(portType: XmlNode): readonly OperationPair[] {
  const operations = childrenOf(portType, WSDL, 'operation');
  const nameFor = namesFor(operations);
  return operations.map((abstract) => {
    const written = nameOfNode(abstract);
    return {
      node: abstract,
      bound: null,
      abstract,
      written,
      name: nameFor(written),
      isRepeated: false,
    };
  });
}

const fits = (abstract: XmlNode, bound: XmlNode): boolean =>
  ['input', 'output'].every((local) => {
    const name = childOf(bound, WSDL, local)?.attributes.get('name');
    const own = childOf(abstract, WSDL, local)?.attributes.get('name');
    return name === undefined || own === undefined || own === name;
  });

/**
 * The first operation of a name keeps it; numbers never take the name that another one is written
 * with.
 */
function namesFor(operations: readonly XmlNode[]): (written: string) => string {
  const written = new Set(operations.map(nameOfNode));
  const last = new Map<string, number>();
  return (name) => {
    const before = last.get(name);
    let number = (before ?? 0) + 1;
    while (number > 1 && written.has(`${name}${number}`)) {
      number++;
    }
    last.set(name, number);
    return number === 1 ? name : `${name}${number}`;
  };
}
