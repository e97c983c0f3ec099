import { print } from 'graphql';

import type { subschemas } from '../graphql/index.js';

/**
 * The operation that a service which speaks GraphQL would be sent, as text; where the values that
 * stand in for those of an answer are of another type, in the names that things have here.
 */
export function printSubschemaRequest(
  request: subschemas.SubschemaRequest | null,
  plan: subschemas.SubschemaPlan,
): string {
  if (request === null) return print(plan.document);
  const values =
    Object.keys(request.variables).length === 0
      ? ''
      : `\nvariables: ${JSON.stringify(request.variables)}`;
  return request.query.trim() + values;
}
