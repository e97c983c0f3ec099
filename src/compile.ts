import type { Access } from './access/client.js';
import { type Problem, Problems } from './base/problem.js';
import { ReplyCache } from './cache/reply-cache.js';
import type { CacheRules } from './cache/rules.js';
import { compileAccess } from './compile/access.js';
import { compileCaching } from './compile/caching.js';
import { type Callable, noticesOfRights } from './compile/classes.js';
import { compileGraph, type Graph, mappingProblems } from './compile/graph.js';
import { LateNotices } from './compile/late-notices.js';
import { noticesOfConfig } from './compile/notes.js';
import { pricesOf } from './compile/prices.js';
import { compileRemote, type RemoteUpstream } from './compile/remote-upstream.js';
import { noticesOfRoutes } from './compile/routes.js';
import { compileService, type SoapService } from './compile/service.js';
import { compileTrusted, readTrusted } from './compile/trusted.js';
import type { LoadedConfig } from './config/load.js';
import type { Config } from './config/schema.js';
import type { TrustedDocuments } from './graphql/admission/trusted-documents.js';
import { rootTypes } from './graphql/types/roots.js';
import type { Operation } from './wsdl/model.js';

/**
 * One generation of the gateway: everything the configuration and the WSDLs mean, frozen. Requests read nothing else.
 *
 *     load config -> per service: read WSDL + XSD -> rules, pools, operations -> schema over all -> routes -> Compiled
 */
export interface Compiled {
  readonly config: Config;
  readonly services: readonly SoapService[];
  /** Those that speak GraphQL. */
  readonly remotes: readonly RemoteUpstream[];
  /** By the path callers use. */
  readonly byPath: ReadonlyMap<string, SoapService>;
  readonly graph: Graph;
  readonly access: Access;
  /** What operations are declared to read and to write, and what is remembered of them. */
  readonly caching: CacheRules<Operation>;
  readonly cache: ReplyCache;
  /** Null where no documents are known beforehand. */
  readonly trusted: TrustedDocuments | null;
  /** What was left out or approximated: nothing here stops the gateway. */
  readonly notices: readonly Problem[];
  readonly lateNotices: LateNotices;
  close(): Promise<void>;
}

/** Compiles a configuration. Throws `Problems` with everything that is wrong, in all services at once. */
export async function compile(loaded: LoadedConfig): Promise<Compiled> {
  const { config } = loaded;
  const results = await Promise.allSettled(
    Object.entries(config.services).map(([name, service]) => compileService(loaded, name, service)),
  );
  const remoteResults = await Promise.allSettled(
    Object.entries(config.graphqlServices).map(([name, service]) => compileRemote(loaded, name, service)),
  );
  const [manifest] = await Promise.allSettled([readTrusted(loaded)]);
  const services = valuesOf(results);
  const remotes = valuesOf(remoteResults);
  const close = async (): Promise<void> => {
    await Promise.all([...services, ...remotes].map((service) => service.upstream.close()));
  };
  try {
    const reasons = [...results, ...remoteResults, manifest].flatMap((result): readonly unknown[] =>
      result.status === 'rejected' ? [result.reason] : [],
    );
    if (reasons.length > 0) throw problemsIn(reasons, mappingProblems(loaded, services, remotes));
    const lateNotices = new LateNotices();
    const problems: Problem[] = [];
    const graph = attempt(problems, () => compileGraph(loaded, services, remotes));
    const callables = [...services.map(soapOf), ...remotes.map(callableOf)];
    const access = attempt(problems, () => {
      const prices = graph === null ? [] : pricesOf(config, services, graph);
      return compileAccess(loaded, callables, prices, lateNotices);
    });
    const caching = attempt(problems, () => compileCaching(loaded, services));
    if (graph === null || access === null || caching === null) throw new Problems(problems);
    const { trusted, notices } = compileTrusted(loaded, manifest.status === 'fulfilled' ? manifest.value : null, graph);
    return Object.freeze({
      config,
      services,
      remotes,
      byPath: new Map(services.map((service) => [service.path, service])),
      graph,
      access,
      caching,
      cache: new ReplyCache(config.limits.cache),
      trusted,
      notices: [
        ...services.flatMap((service) => service.notices),
        ...graph.warnings,
        ...notices,
        ...noticesOfConfig(loaded, graph),
        ...noticesOfRoutes(loaded),
        ...noticesOfRights(loaded, callables),
      ],
      lateNotices,
      close,
    });
  } catch (error) {
    await close();
    throw error;
  }
}

/** What is made, or null and the problems that kept it from being made: others may have some too. */
function attempt<T>(problems: Problem[], make: () => T): T | null {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof Problems)) throw error;
    problems.push(...error.problems);
    return null;
  }
}

const soapOf = (soap: SoapService): Callable => ({
  name: soap.name,
  operations: [...soap.requests.names].map((name) => ({ name })),
  soap,
});

/** The operations of a service that speaks GraphQL are the fields of its root, as it calls them. */
const callableOf = ({ name, subschema }: RemoteUpstream): Callable => ({
  name,
  operations: rootTypes(subschema.schema).flatMap((root) =>
    Object.keys(root.getFields()).map((field) => ({ name: field })),
  ),
});

const valuesOf = <T>(results: readonly PromiseSettledResult<T>[]): readonly T[] =>
  results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));

/** Problems of several services become one list; anything else is a bug and is thrown as it is. */
function problemsIn(reasons: readonly unknown[], more: readonly Problem[]): Problems {
  const problems: Problem[] = [];
  for (const reason of reasons) {
    if (!(reason instanceof Problems)) throw reason;
    problems.push(...reason.problems);
  }
  return new Problems([...problems, ...more]);
}
