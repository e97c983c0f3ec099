import type { GraphQLSchema } from 'graphql';
import { callbackPaths } from '../../config/graphql/callback-paths.js';
import { printPath } from '../../config/keys/config-path.js';
import { type Finding, FindingsError, finding } from '../../config/keys/finding.js';
import { claimedPaths } from '../../config/listen/path-rules.js';
import { restPathOf } from '../../config/rest/rest-rules.js';
import type { Config } from '../../config/schema.js';
import { spelling } from '../../core/index.js';
import type { DescribedOperation } from '../../graphql/index.js';
import { type OpenApiFrame, openApiFrame } from './openapi.js';
import {
  parseRoute,
  type RestRoute,
  RestRoutes,
  routeShape,
  wrongParameters,
} from './rest-routes.js';

/** The operations that are offered over REST. */
export interface RestTable {
  /** The operations by their path. */
  readonly operations: ReadonlyMap<string, DescribedOperation>;
  /** Operations at methods and paths of their own. */
  readonly routes: RestRoutes;
  /** What the paths begin with, each with a slash at its end. */
  readonly bases: readonly string[];
  readonly frame: OpenApiFrame;
  /** Bytes of the descriptions that are kept, and of their parts in each form. */
  readonly descriptionBytes: number;
  /** Browsers get a page of the description. */
  readonly hasPage: boolean;
}

/**
 * Null where no service has `rest`. Throws `ConfigurationError` for operations that are not there.
 */
export function compileRest(
  config: Config,
  described: ReadonlyMap<string, DescribedOperation>,
  schema: GraphQLSchema,
): RestTable | null {
  const operations = new Map<string, DescribedOperation>();
  const bases: string[] = [];
  const findings: Finding[] = [];
  const routes = routesOf(config, described, findings);
  const taken = takenPaths(config);
  for (const [name, { rest }] of Object.entries(config.services)) {
    const base = restPathOf(name, rest);
    if (base === null) continue;
    const offered = [...described.values()].filter(({ service }) => service === name);
    const known = offered.map((each) => each.name);
    const listed = typeof rest === 'object' ? (rest.operations ?? null) : null;
    for (const [at, wanted] of (listed ?? []).entries()) {
      if (known.includes(wanted)) continue;
      const what = `GraphQL offers no operation \`${wanted}\` of service ${name}.`;
      const path = ['services', name, 'rest', 'operations', at];
      findings.push(finding(path, what, spelling.didYouMean(wanted, known) ?? REMEDY));
    }
    if (offered.length === 0) {
      findings.push(
        finding(
          ['services', name, 'rest'],
          `GraphQL offers no operation of service ${name}.`,
          REMEDY,
        ),
      );
    }
    bases.push(`${base}/`);
    for (const each of offered) {
      if (!(listed?.includes(each.name) ?? true)) continue;
      const path = `${base}/${encodeURIComponent(each.name)}`;
      const owner = taken.get(path);
      if (owner === undefined) {
        operations.set(path, each);
      } else {
        findings.push(
          finding(
            ['services', name, 'rest'],
            `The path of ${name}.${each.name} over REST, ${path}, is the same path as ${owner}.`,
            'Give each its own path.',
          ),
        );
      }
    }
  }
  reportHidden(routes.all, operations, findings);
  if (findings.length > 0) throw new FindingsError(findings);
  if (bases.length === 0) return null;
  const { graphiql, introspection } = config.graphql;
  const hasPage = graphiql && introspection;
  return {
    operations,
    routes,
    bases,
    frame: openApiFrame(schema, config),
    descriptionBytes: config.limits.rest.descriptionBytes,
    hasPage,
  };
}

/** The paths of other endpoints that are asked before REST, with the names of their keys. */
const takenPaths = (config: Config): ReadonlyMap<string, string> =>
  new Map(
    [...claimedPaths({ ...config }), ...callbackPaths(config.subscriptions)].flatMap(
      ({ path, claimed, endpoint }) =>
        typeof claimed === 'string' && endpoint !== 'plain' ? [[claimed, printPath(path)]] : [],
    ),
  );

/** Reports routes at the path of an operation, which is found first, whatever the method. */
function reportHidden(
  routes: readonly RestRoute[],
  operations: ReadonlyMap<string, DescribedOperation>,
  findings: Finding[],
): void {
  for (const { method, template, described } of routes) {
    const owner = operations.get(template);
    if (owner === undefined) continue;
    const path = ['services', described.service, 'operations', described.name, 'rest'];
    const what =
      `\`${method} ${template}\` of ${described.service}.${described.name} is the path of ` +
      `${owner.service}.${owner.name} over REST.`;
    findings.push(finding(path, what, 'Give each its own path.'));
  }
}

/** Reads the routes of all services, and reports what is wrong with them. */
function routesOf(
  config: Config,
  described: ReadonlyMap<string, DescribedOperation>,
  findings: Finding[],
): RestRoutes {
  const routes: RestRoute[] = [];
  const owners = new Map<string, string>();
  for (const [service, { rest, operations }] of Object.entries(config.services)) {
    for (const [name, mapping] of Object.entries(operations)) {
      if (typeof mapping !== 'object' || mapping.rest === undefined) continue;
      const path = ['services', service, 'operations', name, 'rest'];
      const report = (what: string, remedy: string): void =>
        void findings.push(finding(path, what, remedy));
      const label = `\`${mapping.rest}\` of ${service}.${name}`;
      const operation = described.get(`${service}.${name}`);
      if (restPathOf(service, rest) === null) {
        report(`${label}: the service has no \`rest\`.`, 'Write `rest: true`.');
      }
      if (operation === undefined) {
        report(`${label}: GraphQL does not offer the operation.`, REMEDY);
        continue;
      }
      const route = parseRoute(mapping.rest, operation);
      const known = operation.field.args.map((each) => each.name);
      for (const wrong of wrongParameters(route)) {
        report(
          `${label}: no simple argument is called ${wrong}.`,
          spelling.didYouMean(wrong, known) ?? `It has ${known.join(', ')}.`,
        );
      }
      if (route.method === 'GET' && !operation.isRead) {
        report(
          `${label}: the operation writes.`,
          'Take POST, PUT, PATCH or DELETE, or name it in `reads`.',
        );
      }
      const owner = owners.get(routeShape(route));
      if (owner !== undefined) {
        report(`${label} is the path of ${owner} too.`, 'Give each its own.');
      }
      owners.set(routeShape(route), `${service}.${name}`);
      routes.push(route);
    }
  }
  return new RestRoutes(routes);
}

const REMEDY =
  'REST has the operations that are fields of GraphQL: see `operations` of the service.';
