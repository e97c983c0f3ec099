import { type PlannedService, planServices, withBackend } from '../../cli/import/import-plan.js';
import { isHttpUrl } from '../../config/keys/address.js';
import { NO_FOLDER } from '../../config/process/compiled-keys.js';
import { diagnosis, isRecord } from '../../core/index.js';
import { FOREIGN_SECTIONS, type SchemaOptions, serviceKeysIn } from './schema-options.js';
import type { WsdlFile } from './wsdl-source.js';

/** The address of a service that has none in its WSDL: a name that no resolver has (RFC 6761). */
const NO_ADDRESS = 'http://no-address-in-the-wsdl.invalid/';

/** Ways to know a caller, which a function does here. */
const ADDRESS = 'address';

/**
 * The configuration of a gateway for the services of one WSDL: ports by the rules of `import`,
 * unless the options name them. Throws `ConfigurationError`.
 */
export function schemaConfiguration(wsdl: WsdlFile, options: SchemaOptions): Sections {
  const configuration: Sections = { ...options.configuration };
  const foreign = FOREIGN_SECTIONS.filter((name) => configuration[name] !== undefined);
  if (foreign.length > 0) {
    throw diagnosis.unplacedError(
      `\`configuration.${foreign[0]}\` has no effect on a schema.`,
      'Remove it; the keys of the service are options beside `configuration`.',
    );
  }
  const { graphql, clients } = options.configuration ?? {};
  return {
    ...configuration,
    // Whether callers may see the schema is for the server that has it.
    graphql: { introspection: true, ...(isRecord(graphql) ? graphql : {}) },
    ...(isRecord(clients) ? { clients: withoutWay(clients) } : {}),
    // Another start has another copy, and none may outlive it: it was read with credentials.
    ...(wsdl.isCopy ? { compiled: NO_FOLDER } : {}),
    services: servicesOf(wsdl, options),
  };
}

/** The sections of a configuration, as its file has them. */
type Sections = Readonly<Record<string, unknown>>;

/** A class needs a way to get into it. */
function withoutWay(clients: Sections): Sections {
  const [first] = isRecord(clients['classes']) ? Object.keys(clients['classes']) : [];
  return first === undefined ? clients : { ...clients, [ADDRESS]: { class: first } };
}

function servicesOf(wsdl: WsdlFile, options: SchemaOptions): Readonly<Record<string, unknown>> {
  const keys = serviceKeysIn(options);
  const own = { wsdl: wsdl.file, ...keys };
  const planned = plannedServices(wsdl, options);
  if (keys['port'] !== undefined || keys['ports'] !== undefined) {
    const [first] = planned;
    return { [first?.name ?? 'service']: { ...addressOf(first, keys), ...own } };
  }
  return Object.fromEntries(
    planned.map((service) => [
      service.name,
      {
        ...portsOf(service),
        ...addressOf(service, keys),
        ...own,
        ...(keys['url'] === undefined ? {} : { url: service.address }),
      },
    ]),
  );
}

/** The services of the WSDL at the address of the options. */
function plannedServices(
  { model, location }: WsdlFile,
  { name, url, port, ports }: SchemaOptions,
): readonly PlannedService[] {
  const named = [port, ...(Array.isArray(ports) ? ports : [])].filter(isText);
  const planned = planServices(model, { name: name ?? null, ports: named, location });
  if (url === undefined || named.length > 0) return planned;
  const isWhole = planned.length < 2 || new URL(url).pathname === '/';
  return isWhole ? withBackend(planned, url) : planned.map((each) => ({ ...each, address: url }));
}

const isText = (value: unknown): value is string => typeof value === 'string';

const portsOf = ({ ports }: PlannedService): Readonly<Record<string, unknown>> => {
  const names = ports.map((port) => port.name);
  return names.length === 1 ? { port: names[0] } : { ports: names };
};

/** The address of the WSDL, where the options have none. */
function addressOf(
  service: PlannedService | undefined,
  keys: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  if (keys['url'] !== undefined || keys['urls'] !== undefined) return {};
  const address = service?.address ?? null;
  return { url: address !== null && isHttpUrl(address) ? address : NO_ADDRESS };
}
