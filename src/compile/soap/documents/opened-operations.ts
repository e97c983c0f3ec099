import { type Finding, finding } from '../../../config/keys/finding.js';
import type { ServicePlan } from '../../../config/plans/service-plan.js';
import type { Config } from '../../../config/schema.js';
import { getOrMake } from '../../../core/index.js';
import { allOperations, type Operation, requestKey, type WsdlModel } from '../../../wsdl/index.js';
import type { KnownModel } from './named-wsdl.js';

/** The model of a service without the operations that are closed. */
interface OpenedOperations {
  readonly model: WsdlModel;
  readonly warnings: readonly Finding[];
}

/**
 * The versions of each model, by the names of the removed operations: a reload keeps what was made
 * of them.
 */
const reduced = new WeakMap<WsdlModel, Map<string, WsdlModel>>();

/**
 * Closes the operations that only the WSDL taken from a backend has, until the mapping of a service
 * with rights names them: no rule of the operator could know them.
 */
export function openedOperations(
  service: ServicePlan,
  clients: Config['clients'],
  { model, written, taken }: Pick<KnownModel, 'model' | 'written' | 'taken'>,
): OpenedOperations {
  if (taken === null || !hasRights(service, clients)) return { model, warnings: [] };
  const known = new Set(allOperations(written).map(requestKey));
  const named = new Set(Object.keys(service.config.operations));
  const isOpen = (operation: Operation, port: string): boolean =>
    known.has(requestKey(operation)) ||
    [operation.name, operation.distinctName ?? operation.name, `${port}.${operation.name}`].some(
      (name) => named.has(name),
    );
  const closed = new Set<string>();
  const services = model.services.map((described) => ({
    ...described,
    ports: described.ports.map((port) => ({
      ...port,
      operations: port.operations.filter((operation) => {
        const isKept = isOpen(operation, port.name);
        if (!isKept) {
          closed.add(operation.name);
        }
        return isKept;
      }),
    })),
  }));
  if (closed.size === 0) return { model, warnings: [] };
  const names = [...closed];
  const versions = getOrMake(reduced, model, () => new Map<string, WsdlModel>());
  const without = getOrMake(versions, JSON.stringify(names), () =>
    Object.freeze({ ...model, services }),
  );
  const shown = names.slice(0, NAMES_SHOWN).map((name) => `\`${name}\``);
  const what =
    `Service \`${service.name}\`: the WSDL that was taken from the backend has operations that ` +
    'are closed, for the service has rights: ' +
    `${shown.join(', ')}${names.length > NAMES_SHOWN ? ', ...' : ''}.`;
  const remedy =
    'Name them in `operations` to open them, or replace the file by `soapstone import`.';
  return { model: without, warnings: [finding(['drift'], what, remedy)] };
}

const NAMES_SHOWN = 10;

/** Whether the configuration says who may call or see what of a service. */
function hasRights({ name, config }: ServicePlan, clients: Config['clients']): boolean {
  const isOfService = (entry: string): boolean => entry === name || entry.startsWith(`${name}.`);
  const classes = Object.values(clients?.classes ?? {});
  if (classes.some(({ allow = [], deny }) => [...allow, ...deny].some(isOfService))) return true;
  const { operations, schema } = config;
  const fields = Object.values(schema.types).flatMap((type) => Object.values(type.fields));
  return [...Object.values(operations), ...fields].some(
    (keys) =>
      typeof keys === 'object' &&
      (keys.scopes !== undefined ||
        keys.authenticated === true ||
        ('mask' in keys && keys.mask !== undefined)),
  );
}
