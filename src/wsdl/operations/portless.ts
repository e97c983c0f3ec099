import { collections } from '../../core/index.js';
import type { LoadedDocument } from '../documents/documents.js';
import { WSDL } from '../documents/namespaces.js';
import {
  attributeOf,
  childrenOf,
  diagnosticAtNode,
  nameOfNode,
  type XmlNode,
} from '../documents/xml-tree.js';
import type { Port, WsdlService } from '../model.js';
import { type Definitions, referredBy, targetOf } from './definitions.js';
import { unboundOperations } from './operation-pairs.js';
import { type OperationContext, readOperations } from './operations.js';
import { addressOf, type BindingReader, refusalOf } from './services.js';

/**
 * Makes one service of a WSDL without a SOAP port. Many describe only the binding, or only the port
 * type, and leave the rest to another document that is not at hand:
 *
 *   - a SOAP binding is offered as if a port of its name had it;
 *   - else a port type that no binding describes is taken as literal SOAP 1.1, in document style
 *     unless parts name types;
 *   - operations of other bindings are listed as disabled.
 */
export function readPortless(
  main: LoadedDocument,
  definitions: Definitions,
  bindings: BindingReader,
  context: OperationContext,
): WsdlService {
  const ports: PortCollection = { ports: [], names: new Set(), definitions, bindings, context };
  for (const binding of definitions.bindings.values()) {
    if (refusalOf(binding) === null) {
      addBinding(ports, binding);
    }
  }
  if (ports.ports.length === 0) {
    const described = addOtherBindings(ports);
    for (const portType of definitions.portTypes.values()) {
      if (!described.has(portType)) {
        addPortType(ports, portType);
      }
    }
  }
  if (ports.ports.length === 0) {
    context.warnings.addAt(
      main.root,
      'The WSDL describes no operations.',
      'Name the WSDL that has the service.',
    );
    ports.ports.push({ name: 'none', dialect: '1.1', address: null, operations: [] });
  }
  const [service] = definitions.services;
  const local =
    (service && attributeOf(service, 'name')) ?? attributeOf(main.root, 'name') ?? 'Service';
  return { name: { uri: targetOf(service ?? main.root), local }, ports: ports.ports };
}

interface PortCollection {
  readonly ports: Port[];
  readonly names: Set<string>;
  readonly definitions: Definitions;
  readonly bindings: BindingReader;
  readonly context: OperationContext;
}

/** Ports are chosen by their names, so these are unique. */
function addPort({ ports, names }: PortCollection, named: XmlNode, port: Omit<Port, 'name'>): void {
  const wanted = attributeOf(named, 'name') ?? named.local;
  let name = wanted;
  for (let number = 2; names.has(name); number++) {
    name = `${wanted}${number}`;
  }
  names.add(name);
  ports.push({ name, ...port });
}

function addBinding(ports: PortCollection, binding: XmlNode): void {
  const name = nameOfNode(binding);
  const what =
    `No service has a SOAP port for the binding ${name}: ` +
    'it is offered as a port without an address.';
  const cause =
    'No service has a SOAP port for the binding: it is offered as a port without an address.';
  ports.context.warnings.add({ ...diagnosticAtNode(binding, what), cause });
  addPort(ports, binding, { ...ports.bindings.read(binding), address: null });
}

/**
 * Bindings of other protocols, under the names of their ports where they have any. The port types
 * they describe.
 */
function addOtherBindings(ports: PortCollection): ReadonlySet<XmlNode> {
  const { definitions, bindings } = ports;
  const portsOf = new Map<XmlNode, XmlNode[]>();
  for (const port of definitions.services.flatMap((service) => childrenOf(service, WSDL, 'port'))) {
    const binding = referredBy(port, 'binding', definitions.bindings);
    if (binding !== null) {
      collections.addToGroup(portsOf, binding, port);
    }
  }
  const described = new Set<XmlNode>();
  for (const binding of definitions.bindings.values()) {
    const portType = bindings.portTypeOf(binding);
    if (portType !== null) {
      described.add(portType);
    }
    const refusal = refusalOf(binding) ?? 'it has no port';
    const why = diagnosticAtNode(binding, `The operation cannot be called: ${refusal}.`);
    const read = bindings.read(binding, why);
    for (const port of portsOf.get(binding) ?? []) {
      addPort(ports, port, { ...read, address: addressOf(port) });
    }
    if (!portsOf.has(binding)) {
      addPort(ports, binding, { ...read, address: null });
    }
  }
  return described;
}

function addPortType(ports: PortCollection, portType: XmlNode): void {
  const { context } = ports;
  const name = nameOfNode(portType);
  const what = `The port type ${name} has no binding: it is taken as literal SOAP 1.1.`;
  const cause = 'The port type has no binding: it is taken as literal SOAP 1.1.';
  const remedy = 'Name the WSDL that has the binding, if there is one.';
  context.warnings.add({ ...diagnosticAtNode(portType, what, remedy), cause });
  const pairs = unboundOperations(portType);
  for (const { node } of pairs) {
    ports.bindings.covered.add(node);
  }
  const operations = readOperations(pairs, context, null);
  addPort(ports, portType, { dialect: '1.1', address: null, operations });
}
