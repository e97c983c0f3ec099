import { Refusal } from '../../base/refusal.js';
import type { Admitted } from '../admission/admit.js';
import type { RemotePlan, RemoteRequest } from '../fields/subschema.js';
import type { RootPlan } from './root-plan.js';
import { RemoteRun } from './subschema-run.js';

/**
 * What a service that speaks GraphQL would be sent, in its own names; null where the values, by argument, are of another
 * type than the arguments.
 */
export async function remoteRequestOf(
  plan: RemotePlan,
  values: Readonly<Record<string, unknown>>,
  { document, variables, params }: Admitted,
  { select }: RootPlan,
): Promise<RemoteRequest | null> {
  const requests: RemoteRequest[] = [];
  const send = (request: RemoteRequest): Promise<never> => {
    requests.push(request);
    return Promise.reject(new Refusal('CLIENT_GONE', 'nothing is sent'));
  };
  const { fragments } = document;
  const context = { fragments, coerced: variables, given: params.variables, select, maxErrors: 1 };
  await new RemoteRun(send, context).answer(plan, values).catch((caught: unknown) => {
    if (!(caught instanceof Refusal)) throw caught;
  });
  return requests[0] ?? null;
}
