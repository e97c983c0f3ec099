import { ConfigurationError, type Diagnostic } from '../base/diagnostic.js';
import type { LoadedConfig } from '../config/load.js';
import { distinctName, type Operation, type Port, typeKey, type WsdlModel } from '../wsdl/model.js';
import { diagnosticAt } from './diagnostic-at.js';

/** The ports that a service offers, and its WSDL with the names that operations have in this service. */
export interface ChosenPorts {
  readonly wsdl: WsdlModel;
  readonly ports: readonly Port[];
}

/**
 * Chooses the ports that the configuration names, else the first one that speaks the dialect used for calls, else the
 * first. Throws `ConfigurationError` for a name that the WSDL does not have.
 */
export function choosePorts(loaded: LoadedConfig, service: string, wsdl: WsdlModel): ChosenPorts {
  const config = loaded.config.services[service];
  const all = wsdl.services.flatMap((described) => described.ports);
  if (config?.ports !== undefined) return withOwnNames(wsdl, namedPorts(loaded, service, config.ports, all));
  if (config?.port !== undefined) return { wsdl, ports: namedPorts(loaded, service, [config.port], all) };
  const first = all.find((port) => port.dialect === config?.versions[0]) ?? all[0];
  return { wsdl, ports: first === undefined ? [] : [first] };
}

function namedPorts(
  loaded: LoadedConfig,
  service: string,
  names: readonly string[],
  all: readonly Port[],
): readonly Port[] {
  const byName = new Map(all.map((port) => [port.name, port]));
  const key = loaded.config.services[service]?.ports === undefined ? 'port' : 'ports';
  const diagnostics: Diagnostic[] = [];
  const found = names.flatMap((name, index) => {
    const port = byName.get(name);
    if (port !== undefined) return [port];
    const what = `The WSDL of service \`${service}\` has no SOAP port \`${name}\`.`;
    const known = all.slice(0, PORTS_SHOWN).map((each) => `\`${each.name}\``);
    const remedy = `It has ${known.join(', ')}${all.length > PORTS_SHOWN ? ', ...' : ''}.`;
    const path = ['services', service, ...(key === 'port' ? [key] : [key, index])];
    diagnostics.push(diagnosticAt(loaded, path, what, remedy));
    return [];
  });
  if (diagnostics.length > 0) throw new ConfigurationError(diagnostics);
  return found;
}

const PORTS_SHOWN = 20;

/**
 * Makes operation names unique among several ports of one service. An operation that an earlier port has too, with the
 * same request and action, is that port's. Others that share a name take that of their request element, else
 * `Port.name`. Ports that are not chosen call the same messages by the same names.
 */
export function withOwnNames(wsdl: WsdlModel, chosen: readonly Port[]): ChosenPorts {
  if (chosen.length < 2) return { wsdl, ports: chosen };
  const shared = sharedNames(chosen);
  const taken = new Set(chosen.flatMap(({ operations }) => operations.map(({ name }) => name)));
  for (const name of shared) taken.delete(name);
  const byMessage = new Map<string, string>();
  const ports = chosen.map((port) => {
    const operations = port.operations.flatMap((operation) => {
      const message = messageOf(operation);
      if (byMessage.has(message)) return [];
      const { name } = operation;
      const own = shared.has(name) ? freeName([distinctName(operation), `${port.name}.${name}`], taken) : name;
      taken.add(own);
      byMessage.set(message, own);
      const request = requestOf(operation);
      if (!byMessage.has(request)) byMessage.set(request, own);
      return [renamed(operation, own)];
    });
    return { ...port, operations };
  });
  const nameOf = (operation: Operation): string =>
    byMessage.get(messageOf(operation)) ?? byMessage.get(requestOf(operation)) ?? operation.name;
  const own = new Map(ports.map((port) => [port.name, port]));
  const services = wsdl.services.map((described) => ({
    name: described.name,
    ports: described.ports.map(
      (port): Port =>
        own.get(port.name) ?? { ...port, operations: port.operations.map((each) => renamed(each, nameOf(each))) },
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
    if (known === undefined) first.set(operation.name, message);
    else if (known !== message) shared.add(operation.name);
  }
  return shared;
}

function freeName(candidates: readonly [string, string], taken: ReadonlySet<string>): string {
  const free = candidates.find((name) => !taken.has(name));
  if (free !== undefined) return free;
  let number = 2;
  while (taken.has(`${candidates[1]}${number}`)) number++;
  return `${candidates[1]}${number}`;
}

const renamed = (operation: Operation, name: string): Operation =>
  operation.name === name ? operation : Object.freeze({ ...operation, name });

const requestOf = ({ name, input }: Operation): string =>
  JSON.stringify([name, input.body === null ? null : typeKey(input.body.name)]);

const messageOf = (operation: Operation): string => JSON.stringify([requestOf(operation), operation.soapAction ?? '']);
