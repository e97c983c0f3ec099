import { type Definitions, referredBy, targetOf } from './definitions.js';
import { soapChildren } from './messages.js';
import type { Operation, Port, WsdlService } from './model.js';
import { WSDL, WSDL_HTTP, WSDL_SOAP12 } from './namespaces.js';
import type { Notices } from './notices.js';
import { type OperationContext, readOperations } from './operations.js';
import { attributeOf, childrenOf, problemAt, type XmlNode } from './tree.js';

/** Reads every service that has a SOAP port. A port that is none, or is broken, is left out with a notice. */
export function readServices(definitions: Definitions, context: OperationContext, notices: Notices): WsdlService[] {
  const read = new Map<XmlNode, readonly Operation[]>();
  const operationsOf = (binding: XmlNode, portType: XmlNode): readonly Operation[] => {
    const known = read.get(binding);
    if (known !== undefined) return known;
    const operations = readOperations(binding, portType, context);
    read.set(binding, operations);
    return operations;
  };
  return definitions.services
    .map((service) => ({
      name: { uri: targetOf(service), local: attributeOf(service, 'name') ?? '' },
      ports: childrenOf(service, WSDL, 'port')
        .map((port) => readPort(port, definitions, operationsOf, notices))
        .filter((port) => port !== null),
    }))
    .filter(({ ports }) => ports.length > 0);
}

function readPort(
  port: XmlNode,
  definitions: Definitions,
  operationsOf: (binding: XmlNode, portType: XmlNode) => readonly Operation[],
  notices: Notices,
): Port | null {
  const name = attributeOf(port, 'name') ?? '';
  const leave = (node: XmlNode, why: string): null => {
    notices.add(problemAt(node, `The port ${name} is left out: ${why}.`));
    return null;
  };
  const binding = referredBy(port, 'binding', definitions.bindings);
  if (binding === null) return leave(port, `the binding ${attributeOf(port, 'binding') ?? ''} is not defined`);
  const [soap] = soapChildren(binding, 'binding');
  if (soap === undefined) {
    const isHttp = binding.children.some(({ uri }) => uri === WSDL_HTTP);
    return leave(port, `its binding is ${isHttp ? 'for plain HTTP' : 'not for SOAP'}`);
  }
  if (/[/:](jms|smtp|mail|tcp|msmq)\/?$/i.test(attributeOf(soap, 'transport') ?? '')) {
    return leave(soap, 'its transport is not HTTP');
  }
  const portType = referredBy(binding, 'type', definitions.portTypes);
  if (portType === null) return leave(binding, `the port type ${attributeOf(binding, 'type') ?? ''} is not defined`);
  const [address] = soapChildren(port, 'address');
  return {
    name,
    dialect: soap.uri === WSDL_SOAP12 ? '1.2' : '1.1',
    address: address === undefined ? null : attributeOf(address, 'location'),
    operations: operationsOf(binding, portType),
  };
}
