import { resolve } from 'node:path';

import type { Access } from './access/client.js';
import { type Problem, Problems } from './base/problem.js';
import { compileAccess } from './compile/access.js';
import { compileGraph, type Graph } from './compile/graph.js';
import { compileService, type SoapService } from './compile/service.js';
import type { LoadedConfig } from './config/load.js';
import type { Config } from './config/schema.js';

/**
 * One generation of the gateway: everything the configuration and the WSDLs mean, frozen. Requests read nothing else.
 *
 *     load config -> per service: read WSDL + XSD -> rules, pools, operations -> schema over all -> routes -> Compiled
 */
export interface Compiled {
  readonly config: Config;
  readonly services: readonly SoapService[];
  /** By the path callers use. */
  readonly byPath: ReadonlyMap<string, SoapService>;
  readonly graph: Graph;
  readonly access: Access;
  /** What was left out or approximated: nothing here stops the gateway. */
  readonly notices: readonly Problem[];
  close(): Promise<void>;
}

/** Compiles a configuration. Throws `Problems` with everything that is wrong, in all services at once. */
export async function compile(loaded: LoadedConfig): Promise<Compiled> {
  const { config } = loaded;
  const results = await Promise.allSettled(
    Object.keys(config.services).map((name) => compileService(loaded, name, resolve(loaded.directory))),
  );
  const services = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const close = async (): Promise<void> => {
    await Promise.all(services.map((service) => service.upstream.close()));
  };
  try {
    const reasons = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    if (reasons.length > 0) throwProblems([...reasons, ...mappingReasons(loaded, services)]);
    const graph = compileGraph(loaded, services);
    const access = compileAccess(loaded, services);
    return Object.freeze({
      config,
      services,
      byPath: new Map(services.map((service) => [service.path, service])),
      graph,
      access,
      notices: [...services.flatMap((service) => service.notices), ...graph.notices],
      close,
    });
  } catch (error) {
    await close();
    throw error;
  }
}

/** What is wrong in the mappings of the services that could be read. Links may lead to one of the others: not judged. */
function mappingReasons(loaded: LoadedConfig, services: readonly SoapService[]): readonly unknown[] {
  try {
    compileGraph({ ...loaded, config: { ...loaded.config, links: {}, subscriptions: {} } }, services);
    return [];
  } catch (error) {
    return [error];
  }
}

/** Problems of several services become one list; anything else is a bug and is thrown as it is. */
function throwProblems(reasons: readonly unknown[]): void {
  const problems: Problem[] = [];
  for (const reason of reasons) {
    if (!(reason instanceof Problems)) throw reason;
    problems.push(...reason.problems);
  }
  if (problems.length > 0) throw new Problems(problems);
}
