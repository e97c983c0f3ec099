import { ConfigurationError } from '../base/diagnostic.js';
import type { LoadedConfig } from '../config/load.js';
import type { Port, WsdlModel } from '../wsdl/model.js';
import { diagnosticAt } from './diagnostic-at.js';

/**
 * The port whose operations a service offers: the one the configuration names, else the first one that speaks the
 * dialect used for calls, else the first. Throws `ConfigurationError` for a name the WSDL does not have.
 */
export function choosePort(loaded: LoadedConfig, service: string, wsdl: WsdlModel): Port {
  const config = loaded.config.services[service];
  const ports = wsdl.services.flatMap((described) => described.ports);
  const found =
    config?.port === undefined
      ? (ports.find((port) => port.dialect === config?.versions[0]) ?? ports[0])
      : ports.find((port) => port.name === config.port);
  if (found !== undefined) return found;
  const what = `The WSDL of service \`${service}\` has no SOAP port \`${config?.port}\`.`;
  const remedy = `It has ${ports.map((port) => `\`${port.name}\``).join(', ')}.`;
  throw new ConfigurationError([diagnosticAt(loaded, ['services', service, 'port'], what, remedy)]);
}
