import type { GraphQLDirective } from 'graphql';
import type { Config } from '../../config/schema.js';
import type { ConfigSection } from '../../config/section.js';
import {
  ConfigurationError,
  type Diagnostic,
  getOrMake,
  type Pace,
  runAtOnce,
  type Steps,
} from '../../core/index.js';
import {
  type BuiltSchema,
  buildingSchema,
  type FieldRule,
  type LinkMapping,
  type Naming,
  type SubscriptionMapping,
  URL_DIRECTIVE,
  validating,
} from '../../graphql/index.js';
import { type Keeping, Kept } from '../keep.js';
import {
  blocksOf,
  findingDiagnostics,
  mappedOperations,
  mappedTypes,
  unknownOperations,
} from '../soap/mapping.js';
import { requirementOfCall, rightsRules } from '../soap/rights.js';
import type { ConfiguredService } from '../soap/service.js';
import { entryDiagnostics } from './entry-errors.js';
import type { GraphqlUpstream } from './graphql-upstream.js';
import { linkSizeDiagnostics, linksOf } from './links.js';
import { subscriptionsOf } from './subscriptions.js';

/** The one GraphQL endpoint over all services. */
export interface Graph extends Omit<BuiltSchema, 'findings' | 'linkErrors' | 'subscriptionErrors'> {
  readonly path: string;
  /** The rules of fields and operations: where there are none, all callers have the same rights. */
  readonly rules: readonly FieldRule[];
}

/**
 * Builds the schema over all services, or keeps that of the generation before. Throws
 * `ConfigurationError` for mappings that name what is not there.
 */
export async function compileGraph(
  root: GraphSection,
  services: readonly ConfiguredService[],
  graphqlUpstreams: readonly GraphqlUpstream[],
  keeping: Keeping,
  pace: Pace,
): Promise<Graph> {
  const { links: linkKeys, subscriptions: subscriptionKeys } = root.value;
  const { path, downloads } = root.value.graphql;
  const hasDownloads = downloads !== undefined;
  const directives = hasDownloads ? [URL_DIRECTIVE] : [];
  const configured = [linkKeys, subscriptionKeys, hasDownloads];
  const keep = (graph: Graph): Graph =>
    graphqlUpstreams.length > 0
      ? graph
      : SCHEMAS.set(keeping, '', configured, { services, graph }).graph;
  const kept = graphqlUpstreams.length > 0 ? null : SCHEMAS.find(keeping, '', configured);
  if (kept !== null && areSame(services, kept.services)) return keep({ ...kept.graph, path });
  const built = await pace.run(
    build(services, graphqlUpstreams, linksOf(root.value), subscriptionsOf(root.value), directives),
  );
  await pace.pause();
  const diagnostics = diagnosticsOf(root, services, built);
  if (diagnostics.length > 0) throw new ConfigurationError(diagnostics);
  const invalid = (await pace.run(validating(built.schema))).slice(0, ERRORS_SHOWN);
  // No request could be answered with it.
  if (invalid.length > 0) {
    throw new ConfigurationError(invalid.map(({ message }) => schemaDiagnostic(root, message)));
  }
  const { schema, fields, links, subschemaFields, subscriptions, replyRules, warnings } = built;
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
    subscriptions,
    rules,
    replyRules,
    warnings,
  });
}

type GraphConfig = Pick<Config, 'graphql' | 'links' | 'subscriptions'>;
type GraphSection = ConfigSection<GraphConfig>;

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

const schemaDiagnostic = (root: GraphSection, message: string): Diagnostic =>
  root.diagnostic(
    ['services'],
    `The GraphQL schema over all services is not valid: ${message}`,
    'See what renames and hides the parts that it names.',
  );

/**
 * Configuration errors in the mappings of those services that could be read. Links and
 * subscriptions may lead to one of the others: they are not checked.
 */
export const mappingDiagnostics = (
  root: GraphSection,
  services: readonly ConfiguredService[],
  graphqlUpstreams: readonly GraphqlUpstream[],
): readonly Diagnostic[] =>
  diagnosticsOf(root, services, runAtOnce(build(services, graphqlUpstreams, [], [])));

const build = (
  services: readonly ConfiguredService[],
  graphqlUpstreams: readonly GraphqlUpstream[],
  links: readonly LinkMapping[],
  subscriptions: readonly SubscriptionMapping[],
  directives: readonly GraphQLDirective[] = [],
): Steps<BuiltSchema> => {
  const owners = typeOwners(services);
  return buildingSchema(
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
function namingOf({ wsdl, config }: ConfiguredService): Naming {
  return wsdl === null ? 'exact' : config.naming;
}

/** In the order of the file. */
const diagnosticsOf = (
  root: GraphSection,
  services: readonly ConfiguredService[],
  { findings, links, linkErrors, subscriptionErrors }: BuiltSchema,
): readonly Diagnostic[] =>
  [
    ...services.flatMap((service) =>
      unknownOperations(root.at(service.config, 'services', service.name), service),
    ),
    ...findingDiagnostics((name) => root.at(null, 'services', name), findings),
    ...entryDiagnostics(root, 'links', linkErrors),
    ...linkSizeDiagnostics(root, links),
    ...entryDiagnostics(root, 'subscriptions', subscriptionErrors),
  ].toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0));
