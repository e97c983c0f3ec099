import { errorBelow } from '../config/keys/finding.js';
import type { GatewayPlan } from '../config/plans/gateway-plan.js';
import { graphqlSchema } from '../graphql/index.js';
import type { authentication } from '../upstream/index.js';
import type { Callable } from './clients/classes.js';
import {
  type ConfiguredGraphqlUpstream,
  compileGraphqlUpstream,
} from './graphql/graphql-upstream.js';
import { type ConfiguredService, compileService, type ServiceParts } from './soap/service.js';

/** The services of a generation, by their kind. */
export interface Backends {
  readonly services: readonly ConfiguredService[];
  readonly graphqlUpstreams: readonly ConfiguredGraphqlUpstream[];
}

/**
 * Compiles all services, those that speak SOAP first: the others may call these to log in. The
 * errors of services that cannot be used are beside the rest.
 */
export async function compileServices(
  { config, services, graphqlServices }: GatewayPlan,
  parts: ServiceParts,
): Promise<Backends & { readonly errors: readonly unknown[] }> {
  const soap = await Promise.allSettled(
    services.map((plan) => compileService(plan, parts).catch(ofService(plan.name))),
  );
  const callables = { services: valuesOf(soap), limits: config.limits.codec };
  const graphql = await Promise.allSettled(
    graphqlServices.map((plan) =>
      compileGraphqlUpstream(plan, callables, parts).catch(ofService(plan.name)),
    ),
  );
  return {
    services: callables.services,
    graphqlUpstreams: valuesOf(graphql),
    errors: [...soap, ...graphql].flatMap((result) =>
      result.status === 'rejected' ? [result.reason] : [],
    ),
  };
}

const ofService =
  (name: string) =>
  (error: unknown): never => {
    throw errorBelow(['services', name], error);
  };

const valuesOf = <T>(results: readonly PromiseSettledResult<T>[]): readonly T[] =>
  results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));

/** What a generation has to end beside the upstreams of its services. */
export interface Closing {
  readonly sessions: authentication.TokenSource[];
  readonly others: (() => Promise<void>)[];
}

/** Ends login sessions, then the connections that their calls use. */
export async function closeBackends(
  { services, graphqlUpstreams }: Backends,
  { sessions, others }: Closing,
): Promise<void> {
  await Promise.all(sessions.map((session) => session.close()));
  await Promise.all([
    ...others.map((end) => end()),
    ...[...services, ...graphqlUpstreams].map((service) => service.upstream.close()),
    ...services.map((service) => service.second.canary?.upstream.close()),
    ...services.map((service) => service.second.shadow?.upstream.close()),
    ...services.map((service) => service.bound?.close()),
    ...services.map((service) => service.verification?.users?.close()),
  ]);
}

/** The services with the names of their operations, which rights of clients are about. */
export const callablesOf = ({ services, graphqlUpstreams }: Backends): readonly Callable[] => [
  ...services.map(soapOf),
  ...graphqlUpstreams.map(callableOf),
];

const soapOf = (soap: ConfiguredService): Callable => ({
  name: soap.name,
  operations: [...soap.requests.names].map((name) => ({ name })),
  soap,
});

/** The operations of a service that speaks GraphQL are the fields of its root, as it calls them. */
const callableOf = ({ name, subschema }: ConfiguredGraphqlUpstream): Callable => ({
  name,
  operations: graphqlSchema
    .rootTypes(subschema.schema)
    .flatMap((root) => Object.keys(root.getFields()).map((field) => ({ name: field }))),
});
