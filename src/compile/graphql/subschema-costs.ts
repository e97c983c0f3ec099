import type { GraphQLSchema } from 'graphql';
import type { GraphqlServiceConfig } from '../../config/schema.js';
import { subschemas } from '../../graphql/index.js';
import { subschemaFieldCost } from '../soap/costs.js';

/** The costs of a GraphQL upstream: those of the configuration, else those of its schema. */
export function withConfiguredCosts(
  costs: subschemas.SubschemaCosts,
  schema: GraphQLSchema,
  keys: GraphqlServiceConfig['costs'],
  service: string,
): subschemas.SubschemaCosts {
  const fields = new Map(costs.fields);
  const types = new Map(costs.types);
  for (const [name, costKeys] of Object.entries(keys)) {
    const [typeName = '', field] = name.split('.');
    const type = schema.getType(typeName);
    const owner = type === undefined ? typeName : subschemas.partName(schema, type);
    if (field === undefined) {
      // Kept also where it is empty: unknown types are reported.
      types.set(owner, costKeys.cost ?? types.get(owner) ?? 1);
      continue;
    }
    const part = `${owner}.${field}`;
    const cost = subschemaFieldCost(costKeys, { service, path: ['costs', name] });
    if (cost !== null) {
      fields.set(part, cost.or(fields.get(part) ?? null));
    }
  }
  return { fields, types };
}
