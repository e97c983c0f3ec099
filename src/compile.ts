import type { Access } from './access/client.js';
import { Forwarding } from './access/network/forwarding.js';
import { Networks } from './access/network/networks.js';
import { Via } from './access/network/via.js';
import type { Policy } from './access/policy.js';
import { ReplyCache } from './cache/reply-cache.js';
import { compileRedis } from './compile/backend/redis.js';
import { compileAccess } from './compile/clients/access.js';
import { LateWarnings } from './compile/clients/access-parts.js';
import { type Callable, warningsOfRights } from './compile/clients/classes.js';
import { compilePolicy } from './compile/clients/policy.js';
import { pricesOf } from './compile/clients/prices.js';
import { protectionOf } from './compile/clients/protection.js';
import { type Caching, compileCaching, REPLY_CACHE } from './compile/graphql/caching.js';
import { compileGraph, type Graph, mappingErrors } from './compile/graphql/graph.js';
import {
  type ConfiguredGraphqlUpstream,
  compileGraphqlUpstream,
} from './compile/graphql/graphql-upstream.js';
import { compileTrusted, readTrusted } from './compile/graphql/trusted.js';
import { Keeping } from './compile/keep.js';
import { type AdminListener, compileAdmin, warningsOfAdmin } from './compile/listen/admin.js';
import { compileListeners, warningsOfListeners } from './compile/listen/listeners.js';
import { warningsOfRoutes } from './compile/listen/routes.js';
import { compileMcp, type McpTable } from './compile/mcp/mcp-table.js';
import { withHealth } from './compile/own-calls/health.js';
import { withLogins } from './compile/own-calls/login.js';
import { auditTargetOf } from './compile/process/audit.js';
import { compileRest, type RestTable } from './compile/rest/rest-table.js';
import {
  type KnownModel,
  takenProblemsOf,
  WsdlReader,
} from './compile/soap/documents/named-wsdl.js';
import { DeclaredOutputs } from './compile/soap/operations/declared-outputs.js';
import {
  type ConfiguredService,
  compileService,
  type ServiceParts,
  type SoapService,
} from './compile/soap/service.js';
import { closedReplies, rightsWarnings } from './compile/warnings/soap-rights.js';
import { warningsOfConfig } from './compile/warnings/warnings.js';
import { errorBelow, FindingsError, type Problem, problemsOf } from './config/keys/finding.js';
import { type LoadedConfig, rootSection } from './config/load.js';
import { REFUSALS } from './config/refusal-tables.js';
import type { Config } from './config/schema.js';
import type { ConfigSection } from './config/section.js';
import {
  AT_ONCE,
  type Diagnostic,
  firstProblem,
  installRefusals,
  type Pace,
  type Steps,
  TimeSlices,
} from './core/index.js';
import {
  describedOperations,
  type FieldRule,
  rootTypes,
  type TrustedDocuments,
} from './graphql/index.js';
import type { Listener } from './listen/listeners.js';
import type { AuditTarget } from './observe/audit/chain-writer.js';
import type { LabelNames } from './observe/metrics/retired-labels.js';
import type { SharedStateSettings } from './redis/shared-state.js';
import type { TokenSource } from './upstream/index.js';

// Every process that serves compiles first.
installRefusals(REFUSALS);

/**
 * One generation of the gateway: everything the configuration and the WSDLs mean, frozen. Requests
 * read nothing else.
 *
 *     load config -> per service: read WSDL + XSD -> rules, pools, operations
 *                 -> schema over all -> routes -> Compiled
 */
export interface Compiled {
  /** For what is made once for a generation; requests read the tables. */
  readonly config: Config;
  readonly limits: Config['limits'];
  /** The configuration has `clients`. */
  readonly identifiesClients: boolean;
  /** Refusals are explained to callers. */
  readonly explainsRefusals: boolean;
  readonly services: readonly ConfiguredService[];
  /** Those that speak GraphQL. */
  readonly graphqlUpstreams: readonly ConfiguredGraphqlUpstream[];
  /**
   * Heads that cannot be parsed are answered with a sentence: no service speaks the dialect whose
   * 400 is empty.
   */
  readonly explainsHeads: boolean;
  /** The services by the path callers use. */
  readonly byPath: ReadonlyMap<string, SoapService>;
  readonly graph: Graph;
  /** Null where no service is offered over REST. */
  readonly rest: RestTable | null;
  /** Null where no operation is a tool for agents. */
  readonly mcp: McpTable | null;
  readonly access: Access;
  /** Equal for two generations whose rules about fields, operations and pages are the same. */
  readonly protection: string;
  /** The proxies in front whose X-Forwarded-For names the client. */
  readonly trustedProxies: Networks;
  /** Finds requests that have passed this gateway before. */
  readonly via: Via;
  /** What SOAP callers need for the replies of an operation, by `service.operation`. */
  readonly closedReplies: ReadonlyMap<string, FieldRule>;
  /** Null where no decision point is asked. */
  readonly policy: Policy | null;
  /** The declared reads and writes of operations, and which replies are cached. */
  readonly caching: Caching;
  readonly cache: ReplyCache;
  /** The addresses for callers, and those for operators. */
  readonly listeners: {
    readonly traffic: readonly Listener[];
    readonly admin: readonly AdminListener[];
  };
  /** How Redis is reached; null without it. */
  readonly redis: SharedStateSettings | null;
  /** Where decisions are recorded, `file` null for standard output; null: nowhere. */
  readonly audit: AuditTarget | null;
  /** What the next generation may keep of this one. */
  readonly keeping: Keeping;
  /** The WSDLs that were read, by location. */
  readonly wsdls: ReadonlyMap<string, KnownModel>;
  /** Null where no documents are known beforehand. */
  readonly trusted: TrustedDocuments | null;
  /** Parts that were left out or approximated: none stops the gateway. */
  readonly warnings: readonly Diagnostic[];
  readonly lateWarnings: LateWarnings;
  close(): Promise<void>;
}

/** The names of a configuration that are values of labels in metrics. */
export function labelNamesOf({ config, services, graphqlUpstreams, graph }: Compiled): LabelNames {
  const none = new Set<string>();
  return {
    routes: new Map([
      ...services.map(
        ({ name, operations }) => [name, new Set(operations.map((each) => each.name))] as const,
      ),
      ...graphqlUpstreams.map(({ name }) => [name, none] as const),
      ...config.routes.map(({ path }) => [path, none] as const),
    ]),
    fields: new Set(graph.subscriptions.subscriptions.keys()),
    classes: new Set(Object.keys(config.clients?.classes ?? {})),
  };
}

/**
 * Compiles a configuration; `earlier` is the one in use, of which connections and nonces are kept,
 * and whose requests go on meanwhile. Throws
 * `ConfigurationError` with everything that is wrong, in all services at once. WSDLs that the
 * gateway has taken from backends cannot be wrong: where the configuration fails with them, it is
 * compiled without, and a warning has the reason.
 */
export async function compile(
  loaded: LoadedConfig,
  earlier: Compiled | null = null,
  pace: Pace = earlier === null ? AT_ONCE : new TimeSlices(),
): Promise<Compiled> {
  const keeping = new Keeping(earlier?.keeping ?? null);
  const wsdls = new WsdlReader(keeping, pace);
  const root = rootSection(loaded);
  const placed = (error: unknown): never => {
    throw root.placed(error);
  };
  try {
    return await compileFrom(root, wsdls, keeping, pace).catch(placed);
  } catch (error) {
    if (!wsdls.hasTaken) throw error;
    const why = `the configuration fails with what was taken: ${firstProblem(error)}`;
    const again = new Keeping(earlier?.keeping ?? null);
    return await compileFrom(root, new WsdlReader(again, pace, why), again, pace).catch(placed);
  }
}

async function compileFrom(
  root: ConfigSection<Config>,
  wsdls: WsdlReader,
  keeping: Keeping,
  pace: Pace,
): Promise<Compiled> {
  const { value: config } = root;
  const trustedProxies = new Networks(config.clients?.trustedProxies ?? []);
  const via = new Via(identityOf(config));
  const [results, upstreamResults] = await compileServices(root, {
    gateway: config,
    wsdls,
    forwarding: new Forwarding(trustedProxies),
    via,
    pace,
    keeping,
    outputs: new DeclaredOutputs(),
  });
  const [manifest] = await Promise.allSettled([readTrusted(root)]);
  await pace.pause();
  const compiled = valuesOf(results);
  const graphqlUpstreams = valuesOf(upstreamResults);
  const sessions: TokenSource[] = graphqlUpstreams.flatMap(({ session }) => session ?? []);
  const closing: (() => Promise<void>)[] = [];
  const close = (): Promise<void> => closeBackends(compiled, graphqlUpstreams, sessions, closing);
  try {
    const reasons = reasonsOf([...results, ...upstreamResults, manifest]);
    if (reasons.length > 0) {
      const more = mappingErrors(config, compiled, graphqlUpstreams);
      throw problemsIn(reasons, inFileOrder(root.locateAll(more)));
    }
    const services = withHealth(
      root,
      config.limits.codec,
      withLogins(root, config.limits.codec, compiled),
    );
    sessions.push(...services.flatMap(({ session }) => session?.login ?? []));
    const lateWarnings = new LateWarnings();
    const problems: Problem[] = [];
    // Without a function around it, for the reason of `compileServices`.
    const graph = await caught(
      problems,
      compileGraph(config, services, graphqlUpstreams, keeping, pace),
      (found) => inFileOrder(root.locateAll(found)),
    );
    await pace.pause();
    const offered =
      graph === null ? null : await attempt(problems, () => compileOffered(config, graph));
    const callables = [...services.map(soapOf), ...graphqlUpstreams.map(callableOf)];
    const prices = graph === null ? [] : pricesOf(config, services, graph);
    const collect = { late: lateWarnings, closing, keeping, pace };
    const access = await attempt(problems, () =>
      compileAccess(root, callables, prices, trustedProxies, collect),
    );
    await pace.pause();
    const caching = await caught(problems, compileCaching(config, services, keeping, pace));
    await pace.pause();
    const addresses = await compileAddresses(root, problems);
    if (
      graph === null ||
      offered === null ||
      access === null ||
      caching === null ||
      addresses === null
    ) {
      throw new FindingsError(problems);
    }
    const { traffic, admin, redis } = addresses;
    const { trusted, warnings } = compileTrusted(config, valuesOf([manifest])[0] ?? null, graph);
    const found = await pace.run(
      warningsOf(root, {
        graph,
        traffic,
        admin,
        redis,
        callables,
        wsdls,
        services,
        trusted: warnings,
      }),
    );
    return Object.freeze({
      config,
      limits: config.limits,
      identifiesClients: config.clients !== undefined,
      explainsRefusals: config.faults.explain,
      services,
      graphqlUpstreams,
      explainsHeads: explainsHeads(config, services),
      byPath: new Map(services.map((service) => [service.path, service])),
      graph,
      ...offered,
      access,
      protection: protectionOf(config, services, graphqlUpstreams),
      trustedProxies,
      via,
      policy: compilePolicy(root, closing),
      closedReplies: closedReplies(config, graph),
      caching,
      listeners: { traffic, admin },
      redis: redis.settings,
      audit: auditTargetOf(root),
      cache: REPLY_CACHE.keep(
        keeping,
        '',
        config.limits.cache,
        () => new ReplyCache(config.limits.cache),
      ),
      trusted,
      wsdls: wsdls.known,
      keeping,
      warnings: root.locateAll(found),
      lateWarnings,
      close,
    });
  } catch (error) {
    await close();
    throw error;
  } finally {
    keeping.end();
  }
}

/** The listeners and Redis; null where one has errors, which go to `problems`. */
async function compileAddresses(root: ConfigSection<Config>, problems: Problem[]) {
  const traffic = await attempt(problems, () => compileListeners(root, 'listen'));
  const admin = await attempt(problems, () => compileAdmin(root));
  const redis = await attempt(problems, () => compileRedis(root));
  return traffic === null || admin === null || redis === null ? null : { traffic, admin, redis };
}

/**
 * The endpoints that offer operations of GraphQL by their names. Throws the problems of all of them
 * at once.
 */
async function compileOffered(
  config: Config,
  graph: Graph,
): Promise<Pick<Compiled, 'rest' | 'mcp'>> {
  const problems: Problem[] = [];
  const described = describedOperations(graph);
  const rest = await attempt(problems, () => compileRest(config, described, graph.schema));
  const mcp = await attempt(problems, () => compileMcp(config, described));
  if (problems.length > 0) throw new FindingsError(problems);
  return { rest, mcp };
}

function* warningsOf(
  root: ConfigSection<Config>,
  { graph, traffic, admin, redis, callables, wsdls, services, trusted }: WarningParts,
): Steps<readonly Problem[]> {
  // First what a thousand warnings of WSDLs must not hide.
  const taken = takenProblemsOf(wsdls.known);
  const ofConfig = yield* warningsOfConfig(root, graph);
  return [
    ...taken,
    ...ofConfig,
    ...warningsOfListening(root, { traffic, admin }),
    ...redis.warnings,
    ...warningsOfRoutes(root.value),
    ...warningsOfRights(root.value, callables),
    ...rightsWarnings(root.value, graph),
    ...trusted,
    ...new Set(services.flatMap((service) => service.warnings)),
    ...graph.warnings,
  ];
}

/** The compiled parts that have warnings, or that warnings are about. */
interface WarningParts extends Pick<Compiled, 'graph' | 'services'> {
  readonly traffic: Compiled['listeners']['traffic'];
  readonly admin: Compiled['listeners']['admin'];
  readonly redis: { readonly warnings: readonly Diagnostic[] };
  readonly callables: readonly Callable[];
  readonly wsdls: WsdlReader;
  readonly trusted: readonly Diagnostic[];
}

const reasonsOf = (results: readonly PromiseSettledResult<unknown>[]): readonly unknown[] =>
  results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));

/** Ends login sessions, then the connections that their calls use. */
async function closeBackends(
  services: readonly ConfiguredService[],
  upstreams: readonly ConfiguredGraphqlUpstream[],
  sessions: readonly TokenSource[],
  closing: readonly (() => Promise<void>)[],
): Promise<void> {
  await Promise.all(sessions.map((session) => session.close()));
  await Promise.all([
    ...closing.map((end) => end()),
    ...[...services, ...upstreams].map((service) => service.upstream.close()),
    ...services.map((service) => service.bound?.close()),
    ...services.map((service) => service.verification?.users?.close()),
  ]);
}

/**
 * A service of 2001-12 answers heads that it cannot read with an empty 400, so that no head gets a
 * sentence.
 */
const explainsHeads = ({ faults }: Config, services: readonly ConfiguredService[]): boolean =>
  faults.explain &&
  !services.some(({ dialects }) => dialects.some(({ undecodable }) => undecodable === 'empty 400'));

const warningsOfListening = (
  root: ConfigSection<Config>,
  { traffic, admin }: Compiled['listeners'],
): readonly Diagnostic[] => [
  ...warningsOfAdmin(root),
  ...warningsOfListeners(root, 'listen', traffic),
  ...warningsOfListeners(root, 'admin', admin),
];

/** The result, or null and the problems that prevented it: other attempts may add some too. */
async function attempt<T>(problems: Problem[], make: () => T | Promise<T>): Promise<T | null> {
  return caught(problems, (async () => make())());
}

async function caught<T>(
  problems: Problem[],
  making: Promise<T>,
  ordered: (found: readonly Problem[]) => readonly Problem[] = (found) => found,
): Promise<T | null> {
  try {
    return await making;
  } catch (error) {
    problems.push(...ordered(problemsOf(error)));
    return null;
  }
}

const inFileOrder = (diagnostics: readonly Diagnostic[]): readonly Diagnostic[] =>
  diagnostics.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0));

/**
 * A function of its own: what `compile` returns has closures, and would hold all generations before
 * it.
 */
async function compileServices(
  root: ConfigSection<Config>,
  parts: ServiceParts,
): Promise<
  [PromiseSettledResult<ConfiguredService>[], PromiseSettledResult<ConfiguredGraphqlUpstream>[]]
> {
  const { services, graphqlServices, limits } = root.value;
  const soap = await Promise.allSettled(
    Object.entries(services).map(([name, service]) =>
      compileService(root.at(service, 'services', name), parts).catch(ofService(name)),
    ),
  );
  const callables = { services: valuesOf(soap), limits: limits.codec };
  const graphql = await Promise.allSettled(
    Object.entries(graphqlServices).map(([name, service]) =>
      compileGraphqlUpstream(
        root.at(service, 'services', name),
        callables,
        parts.keeping,
        parts.via,
      ).catch(ofService(name)),
    ),
  );
  return [soap, graphql];
}

const ofService =
  (name: string) =>
  (error: unknown): never => {
    throw errorBelow(['services', name], error);
  };

const soapOf = (soap: ConfiguredService): Callable => ({
  name: soap.name,
  operations: [...soap.requests.names].map((name) => ({ name })),
  soap,
});

/** The operations of a service that speaks GraphQL are the fields of its root, as it calls them. */
const callableOf = ({ name, subschema }: ConfiguredGraphqlUpstream): Callable => ({
  name,
  operations: rootTypes(subschema.schema).flatMap((root) =>
    Object.keys(root.getFields()).map((field) => ({ name: field })),
  ),
});

const valuesOf = <T>(results: readonly PromiseSettledResult<T>[]): readonly T[] =>
  results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));

/** The errors of several services as one; anything else is a bug and is thrown as it is. */
const problemsIn = (reasons: readonly unknown[], more: readonly Problem[]): FindingsError =>
  // Services of one WSDL fail with one error.
  new FindingsError([...[...new Set(reasons)].flatMap(problemsOf), ...more]);

/** Differs between the gateways of one host, and not between the processes of one. */
const identityOf = ({ listen, services, graphqlServices }: Config): string =>
  JSON.stringify([
    listen,
    [services, graphqlServices].map((each) =>
      Object.entries(each).map(([name, { urls }]) => [name, urls]),
    ),
  ]);
