import type { ClientClass } from '../../access/client.js';
import type { ConfigPath } from '../../config/keys/config-path.js';
import { type Finding, FindingsError, finding } from '../../config/keys/finding.js';
import type { Config } from '../../config/schema.js';
import { spelling } from '../../core/index.js';
import type { ConfiguredService } from '../soap/service.js';
import type { Price } from './prices.js';

type ClientsConfig = NonNullable<Config['clients']>;
/** Entries of classes name services, operations and plain routes. */
type ClassKeys = Pick<Config, 'clients' | 'routes'>;
type ClassConfig = NonNullable<ClientsConfig['classes']>[string];

/** A service that clients may call, of whatever kind. */
export interface Callable {
  readonly name: string;
  readonly operations: readonly { readonly name: string }[];
  /** The configured service, where it is one of SOAP. */
  readonly soap?: ConfiguredService;
}

/**
 * The operations that a call of this one may be taken for, by name, itself among them: those with
 * the same request and SOAPAction. A right to all of them is needed.
 */
function takenFor({ soap }: Callable, operation: string): readonly string[] {
  const found = soap?.operations.find(({ name }) => name === operation);
  const known = found === undefined ? null : (soap?.requests.called(found) ?? null);
  return known?.candidates.map(({ name }) => name) ?? [operation];
}

/**
 * The classes of clients by name. Throws `ConfigurationError` for services and operations that are
 * not there.
 */
export function compileClasses(
  { clients, routes }: ClassKeys,
  services: readonly Callable[],
  prices: readonly Price[],
): ReadonlyMap<string, ClientClass> {
  const findings: Finding[] = [];
  const classes = new Map<string, ClientClass>();
  for (const [name, config] of Object.entries(clients?.classes ?? {})) {
    for (const list of ['allow', 'deny'] as const) {
      for (const [index, entry] of (config[list] ?? []).entries()) {
        const found = entryFinding(
          ['clients', 'classes', name, list, index],
          entry,
          services,
          routes,
        );
        if (found !== null) {
          findings.push(found);
        }
      }
    }
    const rights = classOf(name, config, services);
    const tooSmall = smallBudget(rights, services, prices);
    findings.push(...(tooSmall === null ? weightFindings(rights, services) : [tooSmall]));
    classes.set(name, rights);
  }
  if (findings.length > 0) throw new FindingsError(findings);
  return classes;
}

/** `deny` wins over `allow`. */
function classOf(
  name: string,
  { allow, deny, budget, requestsAtOnce, costBreakdown, scopes }: ClassConfig,
  services: readonly Callable[],
): ClientClass {
  const allowed = allow === undefined ? null : new Set(allow);
  const denied = new Set(deny);
  const holds = (set: ReadonlySet<string>, service: string, operation: string | null): boolean =>
    set.has(service) || (operation !== null && set.has(`${service}.${operation}`));
  // An unknown operation may be one of those that are denied.
  const deniesSome = new Set(
    deny.flatMap((entry) => (isOfOperation(entry) ? [entry.slice(0, entry.indexOf('.'))] : [])),
  );
  const permits = (service: string, operation: string | null): boolean => {
    if (holds(denied, service, operation) || (operation === null && deniesSome.has(service))) {
      return false;
    }
    return allowed === null || holds(allowed, service, operation);
  };
  const callable = services.filter(
    (each) =>
      permits(each.name, null) ||
      each.operations.some((operation) => mayCall(permits, each, operation.name)),
  );
  const callableNames = new Set(callable.map((each) => each.name));
  return Object.freeze({
    name,
    key: JSON.stringify([allow?.toSorted() ?? null, deny.toSorted(), scopes.toSorted()]),
    budget:
      budget === undefined ? null : { maximum: budget.maximum, restoreRate: budget.restoreRate },
    requestsAtOnce: requestsAtOnce ?? null,
    costBreakdown,
    scopes: new Set(scopes),
    permitsAll: allow === undefined && deny.length === 0,
    permits,
    permitsSome: (service: string) => callableNames.has(service),
    permitsRoute: (path: string) => !denied.has(path) && (allowed === null || allowed.has(path)),
  });
}

/** Entries that begin with a slash are paths of plain routes, which may hold dots. */
const isRoute = (entry: string): boolean => entry.startsWith('/');
const isOfOperation = (entry: string): boolean => !isRoute(entry) && entry.includes('.');

type Permits = ClientClass['permits'];

const mayCall = (permits: Permits, service: Callable, operation: string): boolean =>
  takenFor(service, operation).every((name) => permits(service.name, name));

/**
 * Warns where a class may call an operation but not another that the backend may take its calls
 * for.
 */
export function warningsOfRights(
  { clients }: ClassKeys,
  services: readonly Callable[],
): readonly Finding[] {
  return Object.entries(clients?.classes ?? {}).flatMap(([name, config]) => {
    const { permits } = classOf(name, config, services);
    return services.flatMap((service) =>
      service.operations.flatMap((operation): readonly Finding[] => {
        if (!permits(service.name, operation.name)) return [];
        const others = takenFor(service, operation.name).filter(
          (other) => !permits(service.name, other),
        );
        if (others.length === 0) return [];
        const entries = [operation.name, ...others].map((each) => `${service.name}.${each}`);
        const list = config.allow === undefined ? 'deny' : 'allow';
        const index =
          config[list]?.findIndex((entry) => entries.includes(entry) || entry === service.name) ??
          -1;
        const path = ['clients', 'classes', name, ...(index === -1 ? [] : [list, index])];
        const denied = others.map((each) => `\`${each}\``).join(', ');
        const what =
          `Calls of \`${operation.name}\` look like calls of ${denied}, which class \`${name}\` ` +
          `may not call: it cannot call \`${operation.name}\` either.`;
        return [
          finding(path, what, 'Allow all of them or none; or give each a SOAPAction of its own.'),
        ];
      }),
    );
  });
}

function entryFinding(
  path: ConfigPath,
  entry: string,
  services: readonly Callable[],
  routes: Config['routes'],
): Finding | null {
  if (isRoute(entry)) {
    const paths = routes.map((route) => route.path);
    if (paths.includes(entry)) return null;
    return finding(
      path,
      `There is no plain route \`${entry}\`.`,
      spelling.didYouMean(entry, paths),
    );
  }
  const dot = entry.indexOf('.');
  const serviceName = dot < 0 ? entry : entry.slice(0, dot);
  const service = services.find(({ name }) => name === serviceName);
  if (service === undefined) {
    const known = services.map(({ name }) => name);
    return finding(
      path,
      `There is no service \`${serviceName}\`.`,
      spelling.didYouMean(serviceName, known),
    );
  }
  if (dot < 0) return null;
  const name = entry.slice(dot + 1);
  const operation = service.operations.find((one) => one.name === name);
  if (operation === undefined) {
    const known = service.operations.map((one) => one.name);
    const what = `Service \`${serviceName}\` has no operation \`${name}\` that is known.`;
    return finding(path, what, spelling.didYouMean(name, known, `${serviceName}.`));
  }
  return null;
}

/** The budget of a class that may call something and can pay for none of it. */
function smallBudget(
  { name, budget, permits }: ClientClass,
  services: readonly Callable[],
  prices: readonly Price[],
): Finding | null {
  if (budget === null) return null;
  const permitted = prices.filter(({ service, operation }) => {
    const callable = services.find((each) => each.name === service);
    if (operation === null || callable === undefined) return permits(service, operation);
    return mayCall(permits, callable, operation);
  });
  const least = permitted.reduce(
    (low, { points }) => Math.min(low, points),
    Number.POSITIVE_INFINITY,
  );
  if (permitted.length === 0 || least <= budget.maximum) return null;
  const path = ['clients', 'classes', name, 'budget', 'maximum'];
  const what =
    `The budget holds ${budget.maximum}, but the cheapest call costs ${least}: ` +
    `clients of class \`${name}\` could never call anything.`;
  return finding(path, what, 'Make it more, or the calls cheaper (`callCost`, `cost`, `weight`).');
}

/** A client can never have more than its budget holds. */
function weightFindings(
  { name, budget, permits }: ClientClass,
  services: readonly Callable[],
): readonly Finding[] {
  if (budget === null) return [];
  return services.flatMap((service) =>
    Object.entries(service.soap?.config.operations ?? {}).flatMap(
      ([operation, mapping]): readonly Finding[] => {
        const weight = typeof mapping === 'object' ? (mapping.weight ?? mapping.cost ?? 0) : 0;
        if (weight <= budget.maximum || !mayCall(permits, service, operation)) return [];
        const path = ['services', service.name, 'operations', operation];
        const what =
          `The weight is beyond the budget of clients of class \`${name}\`: ` +
          'they could never call it.';
        return [finding(path, what, 'Make it less, the budget more, or deny them the operation.')];
      },
    ),
  );
}
