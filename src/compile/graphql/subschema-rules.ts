import type { GraphQLSchema } from 'graphql';
import type { GraphqlServiceConfig } from '../../config/schema.js';
import type { scopeRules } from '../../core/index.js';
import { fieldRights, subschemas } from '../../graphql/index.js';
import { fieldRuleOf } from '../soap/rights.js';

/** The rules of a GraphQL upstream, those of its schema and of the configuration together. */
export function subschemaRules(
  requirements: ReadonlyMap<string, scopeRules.Requirement>,
  schema: GraphQLSchema,
  keys: GraphqlServiceConfig['fields'],
): ReadonlyMap<string, fieldRights.FieldRule> {
  const rules = new Map(
    [...requirements].map(([part, requires]) => [part, new fieldRights.FieldRule(part, requires)]),
  );
  for (const [name, rights] of Object.entries(keys)) {
    const [typeName = '', field] = name.split('.');
    const type = schema.getType(typeName);
    const part = `${type === undefined ? typeName : subschemas.partName(schema, type)}.${field}`;
    const rule = fieldRights.bothRules(rules.get(part) ?? null, fieldRuleOf(part, rights));
    if (rule !== null) {
      rules.set(part, rule);
    }
  }
  return rules;
}
