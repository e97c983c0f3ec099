import type { ClientClass } from '../access/client.js';
import { type Problem, Problems } from '../base/problem.js';
import type { LoadedConfig } from '../config/load.js';
import { didYouMean } from '../config/nearest.js';
import type { Config } from '../config/schema.js';
import type { Price } from './prices.js';
import { problemAt } from './problem-at.js';
import type { SoapService } from './service.js';

type ClientsConfig = NonNullable<Config['clients']>;
type ClassConfig = NonNullable<ClientsConfig['classes']>[string];

/** What clients may call, of whatever kind. */
export interface Callable {
  readonly name: string;
  readonly operations: readonly { readonly name: string }[];
  /** Of a SOAP service. */
  readonly soap?: SoapService;
}

/** The classes of clients by name. Throws `Problems` for services and operations that are not there. */
export function compileClasses(
  loaded: LoadedConfig,
  clients: ClientsConfig,
  services: readonly Callable[],
  prices: readonly Price[],
): ReadonlyMap<string, ClientClass> {
  const problems: Problem[] = [];
  const classes = new Map<string, ClientClass>();
  const twins = twinsIn(services);
  for (const [name, config] of Object.entries(clients.classes ?? {})) {
    for (const list of ['allow', 'deny'] as const) {
      for (const [index, entry] of (config[list] ?? []).entries()) {
        const problem = entryProblem(loaded, ['clients', 'classes', name, list, index], entry, services);
        if (problem !== null) problems.push(problem);
      }
    }
    const rights = classOf(name, config, twins);
    const tooSmall = smallBudget(loaded, rights, prices);
    problems.push(...(tooSmall === null ? weightProblems(loaded, rights, services) : [tooSmall]));
    classes.set(name, rights);
  }
  if (problems.length > 0) throw new Problems(problems);
  return classes;
}

/** By `service.operation`, those that have the same request, where there are several. */
type Twins = ReadonlyMap<string, readonly string[]>;

/** By its messages one cannot be told from the other: a rule for one alone would be passed by naming the other. */
function twinsIn(services: readonly Callable[]): Twins {
  const groups = new Map<string, string[]>();
  for (const { name, soap } of services) {
    for (const operation of soap?.operations ?? []) {
      const found = soap?.requests.find(operation.input.body?.name ?? null)?.operation ?? operation;
      const key = `${name}.${found.name}`;
      const group = groups.get(key) ?? [key];
      group.push(`${name}.${operation.name}`);
      groups.set(key, group);
    }
  }
  return new Map(
    [...groups.values()].flatMap((group) => {
      const names = [...new Set(group)];
      return names.length === 1 ? [] : names.map((one): [string, readonly string[]] => [one, names]);
    }),
  );
}

/** What is denied is denied, whatever is allowed. */
function classOf(
  name: string,
  { allow, deny, budget, requestsAtOnce, costBreakdown }: ClassConfig,
  twins: Twins,
): ClientClass {
  const withTwins = (entries: readonly string[]): ReadonlySet<string> =>
    new Set(entries.flatMap((entry) => twins.get(entry) ?? [entry]));
  const allowed = allow === undefined ? null : withTwins(allow);
  const denied = withTwins(deny);
  const holds = (set: ReadonlySet<string>, service: string, operation: string | null): boolean =>
    set.has(service) || (operation !== null && set.has(`${service}.${operation}`));
  // Of what is not known it is not known either that it is none of those that are denied.
  const deniesSome = new Set(
    deny.flatMap((entry) => (entry.includes('.') ? [entry.slice(0, entry.indexOf('.'))] : [])),
  );
  return Object.freeze({
    name,
    budget: budget === undefined ? null : { maximum: budget.maximum, restoreRate: budget.restoreRate },
    requestsAtOnce: requestsAtOnce ?? null,
    costBreakdown,
    permitsAll: allow === undefined && deny.length === 0,
    permits(service: string, operation: string | null): boolean {
      if (holds(denied, service, operation) || (operation === null && deniesSome.has(service))) return false;
      return allowed === null || holds(allowed, service, operation);
    },
  });
}

function entryProblem(
  loaded: LoadedConfig,
  path: readonly (string | number)[],
  entry: string,
  services: readonly Callable[],
): Problem | null {
  const dot = entry.indexOf('.');
  const serviceName = dot < 0 ? entry : entry.slice(0, dot);
  const service = services.find(({ name }) => name === serviceName);
  if (service === undefined) {
    const known = services.map(({ name }) => name);
    return problemAt(loaded, path, `There is no service \`${serviceName}\`.`, didYouMean(serviceName, known));
  }
  if (dot < 0) return null;
  const name = entry.slice(dot + 1);
  const operation = service.operations.find((one) => one.name === name);
  if (operation === undefined) {
    const known = service.operations.map((one) => one.name);
    const what = `Service \`${serviceName}\` has no operation \`${name}\` that is known.`;
    return problemAt(loaded, path, what, didYouMean(name, known, `${serviceName}.`));
  }
  return null;
}

/** The budget of a class that may call something and can pay for none of it. */
function smallBudget(
  loaded: LoadedConfig,
  { name, budget, permits }: ClientClass,
  prices: readonly Price[],
): Problem | null {
  if (budget === null) return null;
  const permitted = prices.filter(({ service, operation }) => permits(service, operation));
  const least = permitted.reduce((low, { points }) => Math.min(low, points), Number.POSITIVE_INFINITY);
  if (permitted.length === 0 || least <= budget.maximum) return null;
  const path = ['clients', 'classes', name, 'budget', 'maximum'];
  const what = `The budget holds ${budget.maximum}, but the cheapest call costs ${least}: clients of class \`${name}\` could never call anything.`;
  return problemAt(loaded, path, what, 'Make it more, or the calls cheaper (`callCost`, `cost`, `weight`).');
}

/** A client can never have more than its budget holds. */
function weightProblems(
  loaded: LoadedConfig,
  { name, budget, permits }: ClientClass,
  services: readonly Callable[],
): readonly Problem[] {
  if (budget === null) return [];
  return services.flatMap((service) =>
    Object.entries(service.soap?.config.operations ?? {}).flatMap(([operation, mapping]): readonly Problem[] => {
      const weight = typeof mapping === 'object' ? (mapping.weight ?? mapping.cost ?? 0) : 0;
      if (weight <= budget.maximum || !permits(service.name, operation)) return [];
      const path = ['services', service.name, 'operations', operation];
      const what = `The weight is beyond the budget of clients of class \`${name}\`: they could never call it.`;
      return [problemAt(loaded, path, what, 'Make it less, the budget more, or deny them the operation.')];
    }),
  );
}
