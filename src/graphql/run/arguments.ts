import { type FieldNode, GraphQLError, type GraphQLField, getArgumentValues } from 'graphql';
import { isRecord } from '../../base/record.js';
import { Refusal } from '../../base/refusal.js';
import type { Variables } from '../output/reply-plan.js';
import type { FieldCall } from './field-call.js';

/** What a field is given in the document, coerced, the header blocks apart. Throws `BAD_USER_INPUT`. */
export function argumentsOf(
  definition: GraphQLField<unknown, unknown>,
  node: FieldNode,
  variables: Variables,
  headersArgument: string | null,
): Pick<FieldCall, 'arguments' | 'headers'> {
  const given = argumentValues(definition, node, variables);
  if (headersArgument === null) return { arguments: given, headers: {} };
  const { [headersArgument]: headers, ...others } = given;
  return { arguments: others, headers: isRecord(headers) ? headers : {} };
}

/** graphql-js would tell the value back that a variable has put where it may not stand. */
function argumentValues(...given: Parameters<typeof getArgumentValues>): Record<string, unknown> {
  try {
    return getArgumentValues(...given);
  } catch (error) {
    if (error instanceof GraphQLError) throw new Refusal('BAD_USER_INPUT', 'argument', { cause: error });
    throw error;
  }
}
