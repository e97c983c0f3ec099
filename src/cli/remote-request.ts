import { print } from 'graphql';
import { Refusal } from '../base/refusal.js';
import type { RemotePlan, RemoteRequest } from '../graphql/graph/remote.js';
import type { Admitted } from '../graphql/run/admit.js';
import { RemoteRun } from '../graphql/run/remote-run.js';
import type { RootPlan } from '../graphql/run/root-plan.js';

/**
 * The operation that a service which speaks GraphQL would be sent, in its own names; where the values that stand in for
 * those of an answer are of another type, in the names that things have here.
 */
export async function remoteRequestOf(
  plan: RemotePlan,
  values: Readonly<Record<string, unknown>>,
  { document, variables, params }: Admitted,
  { select }: RootPlan,
): Promise<string> {
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
  const [request] = requests;
  if (request === undefined) return print(plan.document);
  const given = Object.keys(request.variables).length === 0 ? '' : `\nvariables: ${JSON.stringify(request.variables)}`;
  return request.query.trim() + given;
}
