import { type Finding, findingsBelow, type Problem } from '../config/keys/finding.js';
import type { GatewayPlan } from '../config/plans/gateway-plan.js';
import type { Config } from '../config/schema.js';
import type { Diagnostic } from '../core/index.js';
import type { Listener } from '../listen/listeners.js';
import type { CompiledRedis } from './backend/redis.js';
import { type Callable, warningsOfRights } from './clients/classes.js';
import type { Graph } from './graphql/graph.js';
import { warningsOfAdmin } from './listen/admin.js';
import { warningsOfListeners } from './listen/listeners.js';
import { warningsOfRoutes } from './listen/routes.js';
import { takenProblemsOf, type WsdlReader } from './soap/documents/named-wsdl.js';
import type { ConfiguredService } from './soap/service.js';
import { rightsWarnings } from './warnings/soap-rights.js';
import { warningsOfConfig, warningsOfFields } from './warnings/warnings.js';

/** The compiled parts that have warnings, or that warnings are about. */
interface WarningParts {
  /** The warnings about the schema. */
  readonly ofSchema: readonly Problem[];
  readonly services: readonly ConfiguredService[];
  readonly traffic: readonly Listener[];
  readonly admin: readonly Listener[];
  readonly redis: CompiledRedis;
  readonly callables: readonly Callable[];
  readonly wsdls: WsdlReader;
  readonly trusted: readonly Diagnostic[];
  readonly ofForms: readonly Finding[];
}

/** The warnings about a schema. */
export const warningsOfSchema = (config: Config, graph: Graph): readonly Problem[] => [
  ...warningsOfFields(config, graph),
  ...rightsWarnings(config, graph),
  ...graph.warnings,
];

/** All warnings, in the order of their report. */
export const warningsOf = (
  { config, listen, admin: adminPlans, secrets }: GatewayPlan,
  { traffic, admin, redis, callables, wsdls, services, ...found }: WarningParts,
): readonly Problem[] => [
  // First what a thousand warnings of WSDLs must not hide.
  ...takenProblemsOf(wsdls.known),
  ...warningsOfConfig(config, secrets),
  ...warningsOfAdmin(adminPlans),
  ...warningsOfListeners(listen, traffic),
  ...warningsOfListeners(adminPlans, admin),
  ...findingsBelow(['redis'], redis.warnings),
  ...warningsOfRoutes(config),
  ...warningsOfRights(config, callables),
  ...found.ofForms,
  ...found.trusted,
  ...found.ofSchema.filter((each) => 'path' in each),
  ...new Set(services.flatMap((service) => service.warnings)),
  ...found.ofSchema.filter((each) => !('path' in each)),
];
