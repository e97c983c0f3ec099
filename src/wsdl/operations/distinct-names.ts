import { getOrMake } from '../../core/index.js';
import type { Operation, WsdlService } from '../model.js';

/**
 * Gives operations that share a name and differ in the request element the name of that element:
 * some WSDLs call every operation `service`, and one port may overload a name. Others stay as they
 * are.
 */
export function withDistinctNames(services: readonly WsdlService[]): readonly WsdlService[] {
  const shared = sharedNames(services);
  if (shared.size === 0) return services;
  // Ports that share a binding share its operations.
  const named = new Map<readonly Operation[], readonly Operation[]>();
  const rename = (operations: readonly Operation[]): readonly Operation[] =>
    getOrMake(named, operations, () => namedApart(operations, shared));
  return services.map(({ name, ports }) => ({
    name,
    ports: ports.map((port) => ({ ...port, operations: rename(port.operations) })),
  }));
}

/** The names that operations with differently named request elements have. */
function sharedNames(services: readonly WsdlService[]): ReadonlySet<string> {
  const first = new Map<string, string>();
  const shared = new Set<string>();
  for (const { operations } of services.flatMap(({ ports }) => ports)) {
    for (const { name, writtenName = name, status, input } of operations) {
      if (input.body === null || status === 'disabled') continue;
      const { local } = input.body.name;
      const known = first.get(writtenName);
      if (known === undefined) {
        first.set(writtenName, local);
      } else if (known !== local) {
        shared.add(writtenName);
      }
    }
  }
  return shared;
}

/**
 * Names stay unique within the port: of several with one request element the first is named after
 * it.
 */
function namedApart(
  operations: readonly Operation[],
  shared: ReadonlySet<string>,
): readonly Operation[] {
  const taken = new Set(operations.map(({ name }) => name));
  return operations.map((operation) => {
    const { name, writtenName = name, input } = operation;
    const local = input.body?.name.local;
    if (local === undefined || !shared.has(writtenName) || taken.has(local)) return operation;
    taken.add(local);
    return { ...operation, distinctName: local };
  });
}
