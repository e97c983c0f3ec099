import { Refusal } from '../../core/index.js';
import type { Admitted } from '../admission/admit.js';
import type { SubschemaPlan, SubschemaRequest } from '../schema/fields/subschema.js';
import type { RootPlan } from './root-plan.js';
import { SubschemaRun } from './subschema-run.js';

/**
 * The request that a subschema would be sent, in its own names; null where a value has not the type
 * of its argument.
 */
export async function subschemaRequestOf(
  plan: SubschemaPlan,
  values: Readonly<Record<string, unknown>>,
  { document, variables, params, rights }: Admitted,
  { select }: RootPlan,
): Promise<SubschemaRequest | null> {
  const requests: SubschemaRequest[] = [];
  const send = (request: SubschemaRequest): Promise<never> => {
    requests.push(request);
    return Promise.reject(new Refusal('CLIENT_GONE', 'nothing is sent'));
  };
  const { fragments } = document;
  const context = {
    fragments,
    variables,
    rawVariables: params.variables,
    select,
    rights,
    maxErrors: 1,
  };
  await new SubschemaRun(send, context).answer(plan, values).catch((caught: unknown) => {
    if (!(caught instanceof Refusal)) throw caught;
  });
  return requests[0] ?? null;
}
