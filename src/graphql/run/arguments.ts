import { type FieldNode, GraphQLError, type GraphQLField, getArgumentValues } from 'graphql';
import { isRecord } from '../../base/record.js';
import { Refusal } from '../../base/refusal.js';
import type { Variables } from '../output/reply-plan.js';
import type { FieldCall } from './field-call.js';

/** Coerces the arguments of a field; the header blocks stand apart. Throws `BAD_USER_INPUT`. */
export function argumentsOf(
  definition: GraphQLField<unknown, unknown>,
  node: FieldNode,
  variables: Variables,
  headersArgument: string | null,
): Pick<FieldCall, 'arguments' | 'headers'> {
  const values = argumentValues(definition, node, variables);
  if (headersArgument === null) return { arguments: values, headers: {} };
  const { [headersArgument]: headers, ...others } = values;
  return { arguments: others, headers: isRecord(headers) ? headers : {} };
}

/** Messages of graphql-js contain the value of a variable that is invalid at its place. */
function argumentValues(...parameters: Parameters<typeof getArgumentValues>): Record<string, unknown> {
  try {
    return getArgumentValues(...parameters);
  } catch (error) {
    if (error instanceof GraphQLError) throw new Refusal('BAD_USER_INPUT', 'argument', { cause: error });
    throw error;
  }
}
