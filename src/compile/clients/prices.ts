import type { Config } from '../../config/schema.js';
import type { Graph } from '../graphql/graph.js';
import type { ConfiguredService } from '../soap/service.js';

/** The target of a call, and the least it takes from a budget. */
export interface Price {
  readonly service: string;
  /** Null: of what is no operation that is known. */
  readonly operation: string | null;
  readonly points: number;
}

/**
 * The least cost of each operation and field, by SOAP or GraphQL. Events of subscriptions cost
 * nothing.
 */
export function pricesOf(
  { limits, subscriptions }: Config,
  services: readonly ConfiguredService[],
  { fields, subschemaFields }: Graph,
): readonly Price[] {
  const inSoap = services.flatMap(({ name: service, operations, weightOf }): readonly Price[] => [
    { service, operation: null, points: weightOf(null) },
    ...operations.map((each) => ({ service, operation: each.name, points: weightOf(each) })),
  ]);
  const inGraphql = [...fields.values(), ...subschemaFields.values()].map(
    ({ service, operation, parent, cost }): Price => {
      const points = parent === 'Subscription' ? 0 : (cost?.weight ?? limits.graphql.callCost);
      return { service, operation: operation.name, points };
    },
  );
  const subscribed = Object.values(subscriptions).flatMap(
    ({ poll, on, callback }): readonly Price[] => {
      const source = (poll ?? on ?? callback)?.operation ?? '';
      const dot = source.indexOf('.');
      return [{ service: source.slice(0, dot), operation: source.slice(dot + 1), points: 0 }];
    },
  );
  return [...inSoap, ...inGraphql, ...subscribed];
}
