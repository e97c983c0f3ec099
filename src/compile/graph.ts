import type { GraphQLSchema } from 'graphql';

import { type Problem, Problems } from '../base/problem.js';
import type { LoadedConfig } from '../config/load.js';
import type { BoundField } from '../graphql/fields/bound-field.js';
import type { LinkTable } from '../graphql/graph/link.js';
import type { RemoteField } from '../graphql/graph/remote.js';
import { buildSchema } from '../graphql/schema.js';
import type { SubscriptionTable } from '../graphql/subscription/subscription.js';
import { linksOf } from './links.js';
import { findingProblems, operationsOf, typesOf, unknownOperations } from './mapping.js';
import { mistakeProblems } from './mistakes.js';
import type { RemoteUpstream } from './remote-upstream.js';
import type { SoapService } from './service.js';
import { subscriptionsOf } from './subscriptions.js';

/** The one GraphQL endpoint over all services. */
export interface Graph {
  readonly path: string;
  readonly schema: GraphQLSchema;
  readonly fields: ReadonlyMap<string, BoundField>;
  readonly links: LinkTable;
  readonly remotes: ReadonlyMap<string, RemoteField>;
  readonly subscriptions: SubscriptionTable;
  readonly notices: readonly Problem[];
}

/** Builds the schema over all services. Throws `Problems` for mappings that name what is not there. */
export function compileGraph(
  loaded: LoadedConfig,
  services: readonly SoapService[],
  remoteServices: readonly RemoteUpstream[],
): Graph {
  const { schema, fields, links, remotes, linkMistakes, subscriptions, subscriptionMistakes, findings, notices } =
    buildSchema(
      services.map((service) => ({
        name: service.name,
        operations: service.operations,
        mapping: operationsOf(service),
        naming: service.wsdl === null ? 'exact' : service.config.naming,
        choices: service.config.schema.choices,
        types: typesOf(service),
        knownTypes: service.wsdl?.types.values() ?? [],
        callCost: service.config.callCost ?? null,
      })),
      linksOf(loaded),
      subscriptionsOf(loaded),
      remoteServices.map(({ remote }) => remote),
    );
  const problems = [
    ...services.flatMap((service) => unknownOperations(loaded, service)),
    ...findingProblems(loaded, findings),
    ...mistakeProblems(loaded, 'links', linkMistakes),
    ...mistakeProblems(loaded, 'subscriptions', subscriptionMistakes),
  ];
  if (problems.length > 0) throw new Problems(problems.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0)));
  return { path: loaded.config.graphql.path, schema, fields, links, remotes, subscriptions, notices };
}
