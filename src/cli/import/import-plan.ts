import { withOwnNames } from '../../compile/soap/documents/own-names.js';
import { isHttpUrl } from '../../config/keys/address.js';
import { collections, diagnosis } from '../../core/index.js';
import { graphqlSchema } from '../../graphql/index.js';
import type { DialectName } from '../../soap/index.js';
import type { Port, WsdlModel } from '../../wsdl/index.js';
import { oneLine } from '../table.js';

/** A service of the configuration that `import` writes: ports of one address and version. */
export interface PlannedService {
  readonly name: string;
  /** The address that the ports claim, or null. */
  readonly address: string | null;
  readonly versions: readonly DialectName[];
  /** With the names that operations have in this service. */
  readonly ports: readonly Port[];
}

export interface PlanOptions {
  /** Name of the first service; null: that of the WSDL. */
  readonly name: string | null;
  /** The ports to take, and no others; [] for those by rule. */
  readonly ports: readonly string[];
  /** Path or URL of the WSDL. */
  readonly location: string;
}

interface Candidate {
  readonly service: string;
  readonly port: Port;
}

/**
 * Chooses ports and makes a service for each address. Throws `ConfigurationError` for names that
 * cannot be used.
 *
 * Of the ports that share a port type, the first in this order is taken: SOAP 1.1 before 1.2, the
 * scheme and host of the WSDL's own URL before others, https before http, the order of the WSDL. A
 * further one is taken only for operations that the former ones do not have.
 */
export function planServices(model: WsdlModel, options: PlanOptions): readonly PlannedService[] {
  if (options.name !== null && !SERVICE_NAME.test(options.name)) {
    const remedy = 'Begin it with a letter; then letters, digits, - and _.';
    throw diagnosis.unplacedError('The name of --name cannot be used.', remedy);
  }
  const all = model.services.flatMap(({ name, ports }) =>
    ports.map((port) => ({ service: name.local, port })),
  );
  const chosen = options.ports.length > 0 ? named(all, options) : byRule(all, options.location);
  const byAddress = collections.groupBy(
    chosen,
    ({ port }) => `${port.dialect} ${port.address ?? ''}`,
  );
  const scope = new graphqlSchema.NameScope();
  return [...byAddress.values()].flatMap((candidates): PlannedService[] => {
    const [first] = candidates;
    if (first === undefined) return [];
    const { ports } = withOwnNames(
      model,
      candidates.map(({ port }) => port),
    );
    const { address, dialect } = first.port;
    const others = all
      .filter(({ port }) => port.address === address)
      .map(({ port }) => port.dialect);
    return [
      {
        name: nameOf(first, options.name, scope),
        address,
        versions: [...new Set([dialect, ...others])],
        ports,
      },
    ];
  });
}

/**
 * The services with another backend. A URL with a path is the address of the one service; one
 * without a path replaces scheme, host and port, and each service keeps its path. Throws
 * `ConfigurationError`.
 */
export function withBackend(
  planned: readonly PlannedService[],
  url: string | null,
): readonly PlannedService[] {
  if (url === null) return planned;
  if (!isHttpUrl(url)) {
    throw diagnosis.unplacedError(
      `${oneLine(url)} is no address of a backend.`,
      'Give one that begins with http:// or https://.',
    );
  }
  const { origin, pathname, search } = new URL(url);
  const isOrigin = pathname === '/' && search === '';
  if (!isOrigin && planned.length > 1) {
    const what = `The WSDL has ${planned.length} services at addresses of their own.`;
    throw diagnosis.unplacedError(
      what,
      `Give a URL without a path, such as ${origin}: each service keeps its path.`,
    );
  }
  return planned.map((service) => {
    if (!isOrigin || service.address === null || !isHttpUrl(service.address)) {
      return { ...service, address: url };
    }
    const { pathname: path, search: query } = new URL(service.address);
    return { ...service, address: `${origin}${path}${query}` };
  });
}

function named(all: readonly Candidate[], { ports, location }: PlanOptions): readonly Candidate[] {
  return [...new Set(ports)].map((wanted) => {
    const found = all.find(({ port }) => port.name === wanted);
    if (found !== undefined) return found;
    const known = all.map(({ port }) => oneLine(port.name)).join(', ');
    throw diagnosis.unplacedError(
      `The WSDL has no SOAP port ${oneLine(wanted)}.`,
      `Its SOAP ports: ${known}.`,
      location,
    );
  });
}

/** In the order of the WSDL. Where no operation can be called, the first port stands for all. */
function byRule(all: readonly Candidate[], location: string): readonly Candidate[] {
  const origin = isHttpUrl(location) ? new URL(location).origin : null;
  const byPortType = collections.groupBy(all, ({ port }) => port.portType ?? ` ${port.name}`);
  const taken = new Set([...byPortType.values()].flatMap((same) => covering(same, origin)));
  const chosen = all.filter((candidate) => taken.has(candidate));
  return chosen.length === 0 ? all.slice(0, 1) : chosen;
}

function covering(candidates: readonly Candidate[], origin: string | null): readonly Candidate[] {
  const offered = new Set<string>();
  const ranked = candidates.toSorted((a, b) => rankOf(a.port, origin) - rankOf(b.port, origin));
  return ranked.filter(({ port }) => {
    const fresh = port.operations.filter(
      ({ name, status }) => status !== 'disabled' && !offered.has(name),
    );
    for (const { name } of fresh) {
      offered.add(name);
    }
    return fresh.length > 0;
  });
}

/** Less is better. */
function rankOf({ dialect, address }: Port, origin: string | null): number {
  const isUsable = address !== null && isHttpUrl(address);
  const url = isUsable ? new URL(address) : null;
  return (
    (isUsable ? 0 : 8) +
    (dialect === '1.1' ? 0 : 4) +
    (url !== null && url.origin === origin ? 0 : 2) +
    (url?.protocol === 'https:' ? 0 : 1)
  );
}

const SERVICE_NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

/**
 * That of the WSDL's service, else of the port; behind the name that was asked for, where that is
 * taken.
 */
function nameOf(
  { service, port }: Candidate,
  wanted: string | null,
  scope: graphqlSchema.NameScope,
): string {
  const own = [service, port.name]
    .map((each) => graphqlSchema.fieldName(each, 'camel').slice(0, 56))
    .filter(isServiceName);
  if (wanted === null) return scope.take(own[0] ?? 'service', own[1] ?? 'service');
  return scope.has(wanted)
    ? scope.take(`${wanted.slice(0, 31)}-${(own[1] ?? own[0] ?? 'service').slice(0, 31)}`)
    : scope.take(wanted);
}

const isServiceName = (name: string): boolean => SERVICE_NAME.test(name);
