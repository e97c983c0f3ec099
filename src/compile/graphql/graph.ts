import type { GraphQLDirective } from 'graphql';
import { type Finding, FindingsError, finding } from '../../config/keys/finding.js';
import type { Config } from '../../config/schema.js';
import { AT_ONCE, getOrMake, type Pace, type Steps } from '../../core/index.js';
import { type fieldRights, graphqlSchema, type schemaMapping } from '../../graphql/index.js';
import { type Keeping, Kept } from '../keep.js';
import {
  blocksOf,
  mappedOperations,
  mappedTypes,
  mappingFindings,
  unknownOperations,
} from '../soap/mapping.js';
import { requirementOfCall, rightsRules } from '../soap/rights.js';
import type { ConfiguredService } from '../soap/service.js';
import { entryFindings } from './entry-errors.js';
import { federationOf } from './federation.js';
import type { GraphqlUpstream } from './graphql-upstream.js';
import { linkSizeFindings, linksOf } from './links.js';
import { subscriptionsOf } from './subscriptions.js';

/** The one GraphQL endpoint over all services. */
export interface Graph
  extends Omit<
    graphqlSchema.BuiltSchema,
    'findings' | 'linkErrors' | 'subscriptionErrors' | 'keyErrors' | 'directiveErrors'
  > {
  readonly path: string;
  /** The rules of fields and operations: where there are none, all callers have the same rights. */
  readonly rules: readonly fieldRights.FieldRule[];
}

/**
 * Builds the schema over all services, or keeps that of the generation before. Throws
 * `ConfigurationError` for mappings that name what is not there.
 */
export async function compileGraph(
  config: GraphConfig,
  services: readonly ConfiguredService[],
  graphqlUpstreams: readonly GraphqlUpstream[],
  keeping: Keeping,
  pace: Pace,
): Promise<Graph> {
  const { links: linkKeys, subscriptions: subscriptionKeys } = config;
  const { path, downloads, federation } = config.graphql;
  const hasDownloads = downloads !== undefined;
  const directives = hasDownloads ? [graphqlSchema.URL_DIRECTIVE] : [];
  const configured = [linkKeys, subscriptionKeys, hasDownloads, federation ?? null];
  const keep = (graph: Graph): Graph =>
    graphqlUpstreams.length > 0
      ? graph
      : SCHEMAS.set(keeping, '', configured, { services, graph }).graph;
  const kept = graphqlUpstreams.length > 0 ? null : SCHEMAS.find(keeping, '', configured);
  if (kept !== null && areSame(services, kept.services)) return keep({ ...kept.graph, path });
  const built = await pace.run(
    build(
      services,
      graphqlUpstreams,
      linksOf(config),
      subscriptionsOf(config),
      directives,
      federationOf(config),
    ),
  );
  await pace.pause();
  const findings = findingsOf(config, services, built);
  if (findings.length > 0) throw new FindingsError(findings, { isInFileOrder: true });
  const errors = (await pace.run(graphqlSchema.validating(built.schema))).slice(0, ERRORS_SHOWN);
  // No request could be answered with it.
  if (errors.length > 0) {
    throw new FindingsError(errors.map(({ message }) => schemaFinding(message)));
  }
  const { schema, fields, links, subschemaFields, subgraph } = built;
  const { subscriptions, replyRules, warnings } = built;
  const rules = [
    ...rightsRules(services),
    ...graphqlUpstreams.flatMap(({ subschema }) => [...subschema.rules.values()]),
  ];
  return keep({
    path,
    schema,
    fields,
    links,
    subschemaFields,
    subgraph,
    subscriptions,
    rules,
    replyRules,
    warnings,
  });
}

type GraphConfig = Pick<Config, 'graphql' | 'links' | 'subscriptions'>;

/** A schema, and the services that it was made from. */
interface KeptSchema {
  readonly services: readonly ConfiguredService[];
  readonly graph: Graph;
}

export const SCHEMAS = new Kept<KeptSchema>(
  'the GraphQL schema',
  'if the operations of all services, `links`, `subscriptions` and whether there is ' +
    '`graphql.downloads` are the same, and no service speaks GraphQL',
);

/** Whether the schema would be the same: operations that are kept are the same objects. */
const areSame = (
  services: readonly ConfiguredService[],
  before: readonly ConfiguredService[],
): boolean =>
  services.length === before.length &&
  services.every(
    ({ name, operations }, at) => name === before[at]?.name && operations === before[at].operations,
  );

const ERRORS_SHOWN = 5;

const schemaFinding = (message: string): Finding =>
  finding(
    ['services'],
    `The GraphQL schema over all services is not valid: ${message}`,
    'See what renames and hides the parts that it names.',
  );

/**
 * Configuration errors in the mappings of those services that could be read. Links and
 * subscriptions may lead to one of the others: they are not checked.
 */
export const mappingError = (
  config: GraphConfig,
  services: readonly ConfiguredService[],
  graphqlUpstreams: readonly GraphqlUpstream[],
): FindingsError => {
  const built = AT_ONCE.finish(build(services, graphqlUpstreams, [], []));
  return new FindingsError(findingsOf(config, services, built), { isInFileOrder: true });
};

const build = (
  services: readonly ConfiguredService[],
  graphqlUpstreams: readonly GraphqlUpstream[],
  links: readonly schemaMapping.LinkMapping[],
  subscriptions: readonly schemaMapping.SubscriptionMapping[],
  directives: readonly GraphQLDirective[] = [],
  federation: ReturnType<typeof federationOf> = null,
): Steps<graphqlSchema.BuiltSchema> => {
  const owners = typeOwners(services);
  return graphqlSchema.buildingSchema(
    services.map((service) => ({
      name: service.name,
      operations: service.operations,
      mapping: mappedOperations(service),
      blocks: blocksOf(service),
      replyHeaders: service.config.replyHeaders ?? false,
      hasReferences: service.config.dataContractReferences,
      naming: namingOf(service),
      choices: service.config.schema.choices,
      nullable:
        service.toleranceOf(null).has('missing') || (service.config.schema.nullable ?? null),
      nullableReplies: service.operations.filter((operation) =>
        service.toleranceOf(operation).has('missing'),
      ),
      types: mappedTypes(service),
      knownTypes: [...(service.wsdl?.types.values() ?? [])],
      elements: [...(service.wsdl?.elements.values() ?? [])],
      typesOf: owners.get(service) ?? service.name,
      callCost: service.config.callCost ?? null,
      reads: service.config.reads,
      requirementOf: (operation) => requirementOfCall(service, operation),
    })),
    links,
    subscriptions,
    graphqlUpstreams.map(({ subschema }) => subschema),
    directives,
    federation,
  );
};

/** Maps a service to an earlier one of the same WSDL whose configuration shapes the types alike. */
function typeOwners(
  services: readonly ConfiguredService[],
): ReadonlyMap<ConfiguredService, string> {
  const owners = new Map<ConfiguredService, string>();
  const first = new Map<object, Map<string, string>>();
  for (const service of services) {
    if (service.wsdl === null) continue;
    const { naming, schema } = service.config;
    const shape = JSON.stringify([naming, schema]);
    const byShape = getOrMake(first, service.wsdl.types, () => new Map<string, string>());
    const owner = byShape.get(shape);
    if (owner === undefined) {
      byShape.set(shape, service.name);
    } else {
      owners.set(service, owner);
    }
  }
  return owners;
}

/** Names in SDL types are exactly those. */
function namingOf({ wsdl, config }: ConfiguredService): graphqlSchema.Naming {
  return wsdl === null ? 'exact' : config.naming;
}

const findingsOf = (
  config: GraphConfig,
  services: readonly ConfiguredService[],
  built: graphqlSchema.BuiltSchema,
): readonly Finding[] => [
  ...services.flatMap(unknownOperations),
  ...mappingFindings(built.findings, (name) => ['services', name]),
  ...entryFindings('links', built.linkErrors),
  ...linkSizeFindings(config, built.links),
  ...entryFindings('subscriptions', built.subscriptionErrors),
  ...entryFindings('keys', built.keyErrors),
  ...entryFindings('types', built.directiveErrors),
];
