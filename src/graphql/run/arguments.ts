import {
  type FieldNode,
  GraphQLError,
  type GraphQLField,
  getArgumentValues,
  Kind,
  type ValueNode,
} from 'graphql';
import { isRecord, Refusal } from '../../core/index.js';
import type { Variables } from '../schema/output/reply-plan.js';
import type { FieldCall } from './field-call.js';

export type CallArguments = Pick<FieldCall, 'arguments' | 'headers'>;

/** Coerces the arguments of a field; the header blocks stand apart. Throws `BAD_USER_INPUT`. */
export function argumentsOf(
  definition: GraphQLField<unknown, unknown>,
  node: FieldNode,
  variables: Variables,
  headersArgument: string | null,
): CallArguments {
  const values = argumentValues(definition, node, variables);
  if (headersArgument === null) return { arguments: values, headers: {} };
  const { [headersArgument]: headers, ...others } = values;
  return { arguments: others, headers: isRecord(headers) ? headers : {} };
}

/** Whether the arguments of a field depend on variables. */
export function hasVariables(node: FieldNode): boolean {
  const open: ValueNode[] = (node.arguments ?? []).map(({ value }) => value);
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (value.kind === Kind.VARIABLE) return true;
    if (value.kind === Kind.LIST) {
      for (const item of value.values) {
        open.push(item);
      }
    }
    if (value.kind === Kind.OBJECT) {
      for (const field of value.fields) {
        open.push(field.value);
      }
    }
  }
  return false;
}

/** Messages of graphql-js contain the value of a variable that is invalid at its place. */
function argumentValues(
  ...parameters: Parameters<typeof getArgumentValues>
): Record<string, unknown> {
  try {
    return getArgumentValues(...parameters);
  } catch (error) {
    if (error instanceof GraphQLError) {
      throw new Refusal('BAD_USER_INPUT', 'argument', { cause: error });
    }
    throw error;
  }
}
