import { type admission, type CallInput, run } from '../../../graphql/index.js';
import type { GraphqlEndpoint } from '../../graphql/endpoint.js';
import { callPoints, type PricedCall } from '../polling/poll-account.js';

/** The arguments of a subscribed field, coerced. */
export function fieldArguments(
  { nodes, name }: run.RootField,
  headersArgument: string | null,
  { variables }: admission.Admitted,
  { operations }: GraphqlEndpoint,
): CallInput {
  const definition = operations.built.schema.getSubscriptionType()?.getFields()[name];
  const [node] = nodes;
  if (definition === undefined || node === undefined) throw new Error('admitted without a field');
  return run.argumentsOf(definition, node, variables, headersArgument);
}

/** Points of one call of a field, without the objects of its answer. */
export const fieldCallPoints = (
  cost: PricedCall['cost'],
  input: CallInput,
  { operations }: GraphqlEndpoint,
): number => callPoints({ cost, arguments: input.arguments }, operations.limits);
