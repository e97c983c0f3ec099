import type { ServiceConfig } from '../../../config/schema.js';
import type { ConfigSection } from '../../../config/section.js';
import { ConfigurationError, type Diagnostic } from '../../../core/index.js';
import type { Port, WsdlModel } from '../../../wsdl/index.js';
import { type ChosenPorts, withOwnNames } from './own-names.js';
import type { Versions } from './versions.js';

/**
 * Chooses the ports that the configuration names, else the first one that speaks the dialect used
 * for calls, else the first. Throws `ConfigurationError` for a name that the WSDL does not have.
 */
export function choosePorts(
  service: ConfigSection<ServiceConfig>,
  wsdl: WsdlModel,
  [callVersion]: Versions,
): ChosenPorts {
  const config = service.value;
  const all = wsdl.services.flatMap((described) => described.ports);
  if (config.ports !== undefined) return withOwnNames(wsdl, namedPorts(service, config.ports, all));
  if (config.port !== undefined) return { wsdl, ports: namedPorts(service, [config.port], all) };
  const first = all.find((port) => port.dialect === callVersion) ?? all[0];
  return { wsdl, ports: first === undefined ? [] : [first] };
}

function namedPorts(
  service: ConfigSection<ServiceConfig>,
  names: readonly string[],
  all: readonly Port[],
): readonly Port[] {
  const byName = new Map(all.map((port) => [port.name, port]));
  const key = service.value.ports === undefined ? 'port' : 'ports';
  const diagnostics: Diagnostic[] = [];
  const found = names.flatMap((name, index) => {
    const port = byName.get(name);
    if (port !== undefined) return [port];
    const what = `The WSDL of service \`${service.name}\` has no SOAP port \`${name}\`.`;
    const known = all.slice(0, PORTS_SHOWN).map((each) => `\`${each.name}\``);
    const remedy = `It has ${known.join(', ')}${all.length > PORTS_SHOWN ? ', ...' : ''}.`;
    diagnostics.push(service.diagnostic(key === 'port' ? [key] : [key, index], what, remedy));
    return [];
  });
  if (diagnostics.length > 0) throw new ConfigurationError(diagnostics);
  return found;
}

const PORTS_SHOWN = 20;
