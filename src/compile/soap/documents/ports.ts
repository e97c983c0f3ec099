import { type Finding, FindingsError, finding } from '../../../config/keys/finding.js';
import type { ServicePlan } from '../../../config/plans/service-plan.js';
import type { Port, WsdlModel } from '../../../wsdl/index.js';
import { type ChosenPorts, withOwnNames } from './own-names.js';
import type { Versions } from './versions.js';

/**
 * Chooses the ports that the configuration names, else the first one that speaks the dialect used
 * for calls, else the first. Throws `FindingsError` for a name that the WSDL does not have.
 */
export function choosePorts(
  service: ServicePlan,
  wsdl: WsdlModel,
  [callVersion]: Versions,
): ChosenPorts {
  const { name, config } = service;
  const all = wsdl.services.flatMap((described) => described.ports);
  if (config.ports !== undefined)
    return withOwnNames(wsdl, namedPorts({ name, key: 'ports' }, config.ports, all));
  if (config.port !== undefined)
    return { wsdl, ports: namedPorts({ name, key: 'port' }, [config.port], all) };
  const first = all.find((port) => port.dialect === callVersion) ?? all[0];
  return { wsdl, ports: first === undefined ? [] : [first] };
}

function namedPorts(
  { name: service, key }: { readonly name: string; readonly key: 'port' | 'ports' },
  names: readonly string[],
  all: readonly Port[],
): readonly Port[] {
  const byName = new Map(all.map((port) => [port.name, port]));
  const findings: Finding[] = [];
  const found = names.flatMap((name, index) => {
    const port = byName.get(name);
    if (port !== undefined) return [port];
    const what = `The WSDL of service \`${service}\` has no SOAP port \`${name}\`.`;
    const known = all.slice(0, PORTS_SHOWN).map((each) => `\`${each.name}\``);
    const remedy = `It has ${known.join(', ')}${all.length > PORTS_SHOWN ? ', ...' : ''}.`;
    findings.push(finding(key === 'port' ? [key] : [key, index], what, remedy));
    return [];
  });
  if (findings.length > 0) throw new FindingsError(findings);
  return found;
}

const PORTS_SHOWN = 20;
