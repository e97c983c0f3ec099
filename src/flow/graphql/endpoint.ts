import type { Policy } from '../../access/policy.js';
import type { Invalidator } from '../../cache/invalidator.js';
import { scalars } from '../../codec/index.js';
import type { GraphqlUpstream } from '../../compile/graphql/graphql-upstream.js';
import type { SoapService } from '../../compile/soap/service.js';
import type { Compiled } from '../../compile.js';
import type { sharedState } from '../../core/index.js';
import { admission, lifecycle, namedOperations } from '../../graphql/index.js';
import { fieldsThatReach } from '../calls/caller-parts.js';
import type { KeyedStarter } from '../calls/declared-call.js';
import type { Observers } from '../calls/observation.js';
import { SharedCalls } from '../calls/shared-calls.js';
import type { ConcurrencyLimits } from '../http/concurrency.js';
import type { PenaltyBox } from '../http/penalty-box.js';
import { type CallerCaching, compileCallerCaching } from './caller-caching.js';
import { type Cors, makeCors } from './cors.js';
import { ContentAddresses } from './downloads/content-addresses.js';
import { RightsTable } from './rights-table.js';
import type { UploadLimits } from './uploads/upload-form.js';

/** The parts of a GraphQL endpoint that outlive it. */
export interface SharedParts {
  readonly penaltyBox: PenaltyBox;
  /** Null where no subscription waits for what calls bring. */
  readonly observers: Observers | null;
  readonly persisted: admission.PersistedStore;
  readonly invalidator: Invalidator;
  /** Calls by idempotency key. */
  readonly keyed: KeyedStarter;
  readonly suspicions: sharedState.Suspicions;
  /** The limits on concurrent requests of each client, whatever endpoint gets them. */
  readonly concurrency: ConcurrencyLimits;
}

/** The one GraphQL endpoint over all services, made once a generation. */
export interface GraphqlEndpoint
  extends Omit<SharedParts, 'persisted' | 'invalidator' | 'keyed' | 'suspicions'> {
  /** For every transport. */
  readonly operations: lifecycle.Operations;
  /** For HTTP. */
  readonly handler: lifecycle.GraphqlHandler;
  readonly services: ReadonlyMap<string, SoapService>;
  readonly graphqlUpstreams: ReadonlyMap<string, GraphqlUpstream>;
  readonly bodyBytesMax: number;
  /** Null where no argument can be a file. */
  readonly uploadLimits: UploadLimits | null;
  readonly codec: Compiled['config']['limits']['codec'];
  /** All callers may ask for the cost of each field. */
  readonly costBreakdown: boolean;
  /** Coalesced and cached calls, shared with SOAP callers. */
  readonly calls: SharedCalls;
  /** Null where no pages of other origins are allowed. */
  readonly cors: Cors | null;
  /** Null where no decision point is asked. */
  readonly policy: Policy | null;
  /** Null where all callers have the same rights to fields. */
  readonly rights: RightsTable | null;
  /** The class of clients that may always read the SDL of the subgraph; null where none may. */
  readonly routerClass: string | null;
  /** An operation with a forbidden field is refused. */
  readonly rejectsUnauthorized: boolean;
  /** Null where no binary content has an address. */
  readonly addresses: ContentAddresses | null;
  /** How answers may differ from caller to caller. */
  readonly callerCaching: CallerCaching;
}

export function makeGraphqlEndpoint(
  { config, graph, services, graphqlUpstreams, trusted, caching, cache, policy }: Compiled,
  { persisted, invalidator, keyed, suspicions, penaltyBox, observers, concurrency }: SharedParts,
): GraphqlEndpoint {
  const { limits, graphql } = config;
  const options = {
    built: graph,
    limits: limits.graphql,
    measured: graphql.measure,
    introspection: graphql.introspection,
    batch: graphql.batch,
    persisted: new admission.PersistedDocuments(
      trusted,
      graphql.persisted.automatic ? persisted : null,
      limits.persisted,
    ),
    trusted,
  };
  const operations = lifecycle.operationsOf(options);
  const servicesByName = new Map(services.map((service) => [service.name, service]));
  return {
    operations,
    handler: lifecycle.createGraphqlHandler(options, operations),
    services: servicesByName,
    addresses:
      graphql.downloads === undefined
        ? null
        : new ContentAddresses({
            ...graphql.downloads,
            publicUrl: config.publicUrl ?? '',
            described: namedOperations.describedOperations(graph),
            services: servicesByName,
          }),
    graphqlUpstreams: new Map(graphqlUpstreams.map((service) => [service.name, service])),
    bodyBytesMax: limits.graphql.bodyBytes,
    uploadLimits: graph.schema.getType(scalars.BASE64_SCALAR.name) === undefined ? null : limits,
    codec: limits.codec,
    costBreakdown: graphql.costBreakdown,
    calls: new SharedCalls(caching, cache, invalidator, keyed, suspicions),
    cors: makeCors(config),
    rights:
      graph.rules.length === 0
        ? null
        : new RightsTable(graph.rules, config.clients?.maskKey ?? null),
    policy,
    routerClass: graphql.federation?.router ?? null,
    rejectsUnauthorized: graphql.rejectUnauthorized,
    callerCaching: compileCallerCaching(
      config,
      services.flatMap(fieldsThatReach),
      graph.rules.length > 0,
    ),
    penaltyBox,
    observers,
    concurrency,
  };
}
