import type { Access } from './access/client.js';
import { Forwarding } from './access/network/forwarding.js';
import { Networks } from './access/network/networks.js';
import { Via } from './access/network/via.js';
import type { Policy } from './access/policy.js';
import { ReplyCache } from './cache/reply-cache.js';
import { warningsOf, warningsOfSchema } from './compile/all-warnings.js';
import { checkInspected } from './compile/backend/inspection.js';
import { compileRedis } from './compile/backend/redis.js';
import {
  type Backends,
  type Closing,
  callablesOf,
  closeBackends,
  compileServices,
} from './compile/backends.js';
import { compileAccess } from './compile/clients/access.js';
import { LateWarnings } from './compile/clients/access-parts.js';
import { compilePolicy } from './compile/clients/policy.js';
import { pricesOf } from './compile/clients/prices.js';
import { protectionOf } from './compile/clients/protection.js';
import { type Caching, compileCaching, REPLY_CACHE } from './compile/graphql/caching.js';
import { compileGraph, type Graph, mappingError } from './compile/graphql/graph.js';
import type { ConfiguredGraphqlUpstream } from './compile/graphql/graphql-upstream.js';
import { SchemaMemory } from './compile/graphql/schema-memory.js';
import { compileTrusted, readTrusted } from './compile/graphql/trusted.js';
import { Keeping } from './compile/keep.js';
import { type AdminListener, compileAdmin } from './compile/listen/admin.js';
import { compileListeners } from './compile/listen/listeners.js';
import { compileMcp, type McpTable } from './compile/mcp/mcp-table.js';
import { withHealth } from './compile/own-calls/health.js';
import { withLogins } from './compile/own-calls/login.js';
import { Problems } from './compile/problems.js';
import { compileRest, type RestTable } from './compile/rest/rest-table.js';
import { CompiledWsdls } from './compile/soap/documents/compiled-wsdls.js';
import type { KnownSchema } from './compile/soap/documents/known-schema.js';
import { type KnownModel, WsdlReader } from './compile/soap/documents/named-wsdl.js';
import { DeclaredOutputs } from './compile/soap/operations/declared-outputs.js';
import { withCanaries } from './compile/soap/second/canary.js';
import { withShadows } from './compile/soap/second/shadow.js';
import type { ConfiguredService, SoapService } from './compile/soap/service.js';
import { closedReplies } from './compile/warnings/soap-rights.js';
import { type Finding, FindingsError, within } from './config/keys/finding.js';
import { type LoadedConfig, rootSection } from './config/load.js';
import { type GatewayPlan, readPlan } from './config/plans/gateway-plan.js';
import { processCount } from './config/process-count.js';
import { REFUSALS } from './config/refusal-tables.js';
import type { Config } from './config/schema.js';
import {
  AT_ONCE,
  type Diagnostic,
  diagnosis,
  type Pace,
  refusals,
  TimeSlices,
} from './core/index.js';
import { type admission, type fieldRights, namedOperations } from './graphql/index.js';
import type { Listener } from './listen/listeners.js';
import type { AuditTarget } from './observe/audit/chain-writer.js';
import type { LabelNames } from './observe/metrics/retired-labels.js';
import type { SharedStateSettings } from './redis/shared-state.js';

// Every process that serves compiles first.
refusals.installRefusals(REFUSALS);

/**
 * One generation of the gateway: everything the configuration and the WSDLs mean, frozen. Requests
 * read nothing else.
 *
 *     load config -> plans -> per service: read WSDL + XSD -> rules, pools, operations
 *                          -> schema over all -> routes -> Compiled
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
  /**
   * The services are compiled, and their schema is not: only SOAP can be answered. What compiles
   * beside this compiles all of it.
   */
  readonly isForSoap: boolean;
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
  readonly closedReplies: ReadonlyMap<string, fieldRights.FieldRule>;
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
  /** The record of decisions, `file` null for standard output; null for none. */
  readonly audit: AuditTarget | null;
  /** What the next generation may keep of this one. */
  readonly keeping: Keeping;
  /** The WSDLs that were read, by location. */
  readonly wsdls: ReadonlyMap<string, KnownModel>;
  /** Null where no documents are known beforehand. */
  readonly trusted: admission.TrustedDocuments | null;
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
export const compile = (
  loaded: LoadedConfig,
  earlier: Compiled | null = null,
  pace: Pace = earlier === null ? AT_ONCE : new TimeSlices(),
): Promise<Compiled> => compileLoaded(loaded, earlier, pace, false);

/**
 * Compiles what takes SOAP requests, where an earlier compilation of the same has found no errors
 * in the GraphQL schema; all of it where none has.
 */
export const compileFirst = (loaded: LoadedConfig): Promise<Compiled> =>
  compileLoaded(loaded, null, AT_ONCE, true);

async function compileLoaded(
  loaded: LoadedConfig,
  earlier: Compiled | null,
  pace: Pace,
  isFirst: boolean,
): Promise<Compiled> {
  const plan = await pace.run(readPlan(rootSection(loaded)));
  const forms = plan.compiled === null ? null : new CompiledWsdls(plan.compiled, plan.inputs, pace);
  const before = earlier?.keeping ?? null;
  try {
    const compiled = await compileRead(plan, loaded, { before, forms, pace, isFirst });
    return forms === null ? compiled : closedAfter(compiled, forms.write());
  } catch (error) {
    await forms?.write();
    throw error;
  }
}

/** Closing waits for the forms that are being written: a command ends behind it. */
function closedAfter(compiled: Compiled, writing: Promise<void>): Compiled {
  const { close } = compiled;
  const closeWritten = async (): Promise<void> => {
    await close();
    await writing;
  };
  return Object.freeze({ ...compiled, close: closeWritten });
}

/** How the WSDLs of one compilation are read. */
interface Reading {
  readonly before: Keeping | null;
  readonly forms: CompiledWsdls | null;
  readonly pace: Pace;
  /** The schema may be compiled later, where it is known to have no errors. */
  readonly isFirst: boolean;
}

async function compileRead(
  plan: GatewayPlan,
  loaded: LoadedConfig,
  { before, forms, pace, isFirst }: Reading,
): Promise<Compiled> {
  const root = rootSection(loaded);
  const ofForms = (await forms?.warnings()) ?? [];
  const keeping = new Keeping(before);
  const wsdls = new WsdlReader(plan.inputs, keeping, pace, forms);
  const common = { forms, pace, ofForms, isFirst };
  try {
    return await compilePlan(plan, new Problems(root), { ...common, wsdls, keeping });
  } catch (error) {
    if (!wsdls.hasTaken) throw error;
    const why = `the configuration fails with what was taken: ${diagnosis.firstProblem(error)}`;
    const again = new Keeping(before);
    const without = new WsdlReader(plan.inputs, again, pace, forms, why);
    const means = { ...common, wsdls: without, keeping: again };
    return compilePlan(plan, new Problems(root), means);
  }
}

/** The means of one compilation. */
interface Means extends Omit<Reading, 'before'> {
  readonly wsdls: WsdlReader;
  readonly keeping: Keeping;
  /** Warnings of the folder for compiled forms. */
  readonly ofForms: readonly Finding[];
}

/** Throws `ConfigurationError`. */
async function compilePlan(plan: GatewayPlan, problems: Problems, means: Means): Promise<Compiled> {
  const { config, inputs } = plan;
  const trustedProxies = new Networks(config.clients?.trustedProxies ?? []);
  const callers = { trustedProxies, via: new Via(identityOf(config)) };
  const { errors, ...backends } = await compileServices(plan, {
    ...means,
    gateway: config,
    inputs,
    forwarding: new Forwarding(trustedProxies),
    via: callers.via,
    outputs: new DeclaredOutputs(),
  });
  const closing: Closing = {
    sessions: backends.graphqlUpstreams.flatMap(({ session }) => session ?? []),
    others: [],
  };
  try {
    for (const error of errors) {
      problems.add(error);
    }
    const tables = await compileTables(plan, backends, { ...means, ...callers, problems, closing });
    return Object.freeze({ ...tables, close: closerOf(tables, closing) });
  } catch (error) {
    await closeBackends(backends, closing);
    if (error instanceof FindingsError) {
      problems.add(error);
      throw problems.error();
    }
    throw error;
  } finally {
    means.keeping.end();
  }
}

/** A function of its own: its closure would hold all generations before it. */
const closerOf =
  ({ services, graphqlUpstreams }: Backends, closing: Closing): (() => Promise<void>) =>
  () =>
    closeBackends({ services, graphqlUpstreams }, closing);

/** What the tables of a generation are compiled with, beside its plan and its services. */
interface TableParts extends Means, Pick<Compiled, 'trustedProxies' | 'via'> {
  readonly problems: Problems;
  readonly closing: Closing;
}

/** The tables of a generation. Steps after a failed one still run, for what they find. */
async function compileTables(
  plan: GatewayPlan,
  backends: Backends,
  { problems, closing, wsdls, keeping, pace, trustedProxies, via, ...more }: TableParts,
): Promise<Omit<Compiled, 'close'>> {
  const { config } = plan;
  const { limits } = config;
  const { graphqlUpstreams } = backends;
  const manifest = await problems.settle(readTrusted(plan.manifest, plan.inputs));
  await pace.pause();
  if (!problems.areNone) {
    problems.add(mappingError(config, backends.services, graphqlUpstreams));
    throw problems.error();
  }
  const called = withHealth(limits.codec, withLogins(limits.codec, backends.services));
  const services = withCanaries(withShadows(called), {
    keeping,
    forwarding: new Forwarding(trustedProxies),
    via,
    processes: processCount(config),
  });
  closing.sessions.push(...services.flatMap(({ session }) => session?.login ?? []));
  const sources = { config, services, wsdls: [...wsdls.known.values()] };
  const memory = await SchemaMemory.open(sources, more.forms, more.isFirst);
  const { known } = memory;
  const shown = known === null ? services : [];
  // Without a closure: that of a step would hold the generations before this one.
  const building = compileGraph(config, shown, graphqlUpstreams, keeping, pace);
  const graph = await problems.settle(building);
  await pace.pause();
  const offered = graph === null ? null : compileOffered(config, graph, known, problems);
  const callables = callablesOf({ services, graphqlUpstreams });
  const prices = graph === null || known !== null ? [] : pricesOf(config, services, graph);
  const lateWarnings = new LateWarnings();
  const access = await problems.settle(
    compileAccess(plan, callables, prices, trustedProxies, {
      late: lateWarnings,
      closing: closing.others,
      keeping,
      pace,
    }),
  );
  await pace.pause();
  const caching = await problems.settle(compileCaching(config, services, keeping, pace));
  await pace.pause();
  const addresses = compileAddresses(plan, problems);
  problems.attempt(() => checkInspected(config, services));
  if (
    graph === null ||
    offered === null ||
    access === null ||
    caching === null ||
    addresses === null ||
    !problems.areNone
  ) {
    throw problems.error();
  }
  const { traffic, admin, redis } = addresses;
  const { trusted, warnings } = compileTrusted(config, manifest, graph);
  const ofSchema = known?.warnings ?? warningsOfSchema(config, graph);
  memory.keep({ warnings: ofSchema });
  const found = { ofForms: more.ofForms, trusted: warnings, ofSchema };
  const parts = { traffic, admin, redis, callables, wsdls, services, ...found };
  return {
    config,
    limits,
    identifiesClients: config.clients !== undefined,
    explainsRefusals: config.faults.explain,
    services,
    graphqlUpstreams,
    explainsHeads: explainsHeads(config, services),
    byPath: new Map(services.map((service) => [service.path, service])),
    isForSoap: known !== null,
    graph,
    ...offered,
    access,
    protection: protectionOf(config, services, graphqlUpstreams),
    trustedProxies,
    via,
    policy: compilePolicy(plan.clients.authorize, limits.upstream, closing.others),
    closedReplies: closedReplies(config, graph),
    caching,
    listeners: { traffic, admin },
    redis: redis.settings,
    audit: plan.audit,
    cache: REPLY_CACHE.keep(keeping, '', limits.cache, () => new ReplyCache(limits.cache)),
    trusted,
    wsdls: wsdls.known,
    keeping,
    warnings: await pace.run(problems.located(warningsOf(plan, parts))),
    lateWarnings,
  };
}

/** The endpoints that offer operations of GraphQL by their names. */
function compileOffered(
  config: Config,
  graph: Graph,
  known: KnownSchema | null,
  problems: Problems,
): Pick<Compiled, 'rest' | 'mcp'> {
  if (known !== null) return { rest: null, mcp: null };
  const described = namedOperations.describedOperations(graph);
  return {
    rest: problems.attempt(() => compileRest(config, described, graph.schema)),
    mcp: problems.attempt(() => compileMcp(config, described)),
  };
}

/** The listeners and Redis; null where one has errors. */
function compileAddresses(
  { listen, admin: adminPlans, redis: redisPlan }: GatewayPlan,
  problems: Problems,
) {
  const traffic = problems.attempt(() => compileListeners(listen));
  const admin = problems.attempt(() => compileAdmin(adminPlans));
  const redis = problems.attempt(() => within(['redis'], () => compileRedis(redisPlan)));
  return traffic === null || admin === null || redis === null ? null : { traffic, admin, redis };
}

/**
 * A service of 2001-12 answers heads that it cannot read with an empty 400, so that no head gets a
 * sentence.
 */
const explainsHeads = ({ faults }: Config, services: readonly ConfiguredService[]): boolean =>
  faults.explain &&
  !services.some(({ dialects }) => dialects.some(({ undecodable }) => undecodable === 'empty 400'));

/** Differs between the gateways of one host, and not between the processes of one. */
const identityOf = ({ listen, services, graphqlServices }: Config): string =>
  JSON.stringify([
    listen,
    [services, graphqlServices].map((each) =>
      Object.entries(each).map(([name, { urls }]) => [name, urls]),
    ),
  ]);
