import {
  distinctName,
  type Operation,
  type Port,
  requestKey,
  type WsdlModel,
} from '../../../wsdl/index.js';

/**
 * The ports that a service offers, and its WSDL with the names that operations have in this
 * service.
 */
export interface ChosenPorts {
  readonly wsdl: WsdlModel;
  readonly ports: readonly Port[];
}

/**
 * Makes operation names unique among several ports of one service. An operation that an earlier
 * port has too, with the same request and action, is that port's. Others that share a name take
 * that of their request element, else `Port.name`. Ports that are not chosen call the same messages
 * by the same names.
 */
export function withOwnNames(wsdl: WsdlModel, chosen: readonly Port[]): ChosenPorts {
  if (chosen.length < 2) return { wsdl, ports: chosen };
  const shared = sharedNames(chosen);
  const taken = new Set(chosen.flatMap(({ operations }) => operations.map(({ name }) => name)));
  for (const name of shared) {
    taken.delete(name);
  }
  const byMessage = new Map<string, string>();
  const ports = chosen.map((port) => {
    const operations = port.operations.flatMap((operation) => {
      const message = messageOf(operation);
      if (byMessage.has(message)) return [];
      const { name } = operation;
      const own = shared.has(name)
        ? freeName([distinctName(operation), `${port.name}.${name}`], taken)
        : name;
      taken.add(own);
      byMessage.set(message, own);
      const request = requestKey(operation);
      if (!byMessage.has(request)) {
        byMessage.set(request, own);
      }
      return [renamed(operation, own)];
    });
    return { ...port, operations };
  });
  const nameOf = (operation: Operation): string =>
    byMessage.get(messageOf(operation)) ?? byMessage.get(requestKey(operation)) ?? operation.name;
  const own = new Map(ports.map((port) => [port.name, port]));
  const services = wsdl.services.map((described) => ({
    name: described.name,
    ports: described.ports.map(
      (port): Port =>
        own.get(port.name) ?? {
          ...port,
          operations: port.operations.map((each) => renamed(each, nameOf(each))),
        },
    ),
  }));
  return { wsdl: Object.freeze({ ...wsdl, services }), ports };
}

/** Names that different messages have. */
function sharedNames(ports: readonly Port[]): ReadonlySet<string> {
  const first = new Map<string, string>();
  const shared = new Set<string>();
  for (const operation of ports.flatMap(({ operations }) => operations)) {
    const message = messageOf(operation);
    const known = first.get(operation.name);
    if (known === undefined) {
      first.set(operation.name, message);
    } else if (known !== message) {
      shared.add(operation.name);
    }
  }
  return shared;
}

function freeName(candidates: readonly [string, string], taken: ReadonlySet<string>): string {
  const free = candidates.find((name) => !taken.has(name));
  if (free !== undefined) return free;
  let number = 2;
  while (taken.has(`${candidates[1]}${number}`)) {
    number++;
  }
  return `${candidates[1]}${number}`;
}

const renamed = (operation: Operation, name: string): Operation =>
  operation.name === name ? operation : Object.freeze({ ...operation, name });

const messageOf = (operation: Operation): string =>
  JSON.stringify([requestKey(operation), operation.soapAction ?? '']);
