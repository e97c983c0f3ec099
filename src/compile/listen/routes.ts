import { type Finding, finding } from '../../config/keys/finding.js';
import type { AnyService, Config, RouteConfig } from '../../config/schema.js';

type RouteContext = Pick<Config, 'services' | 'graphqlServices' | 'routes' | 'clients' | 'graphql'>;

/** Warns of plain routes to the very address of a service whose calls are validated or charged. */
export function warningsOfRoutes(config: RouteContext): readonly Finding[] {
  const services: readonly [string, AnyService][] = [
    ...Object.entries(config.services),
    ...Object.entries(config.graphqlServices),
  ];
  return config.routes.flatMap((route, index) =>
    services.flatMap(([name, service]): readonly Finding[] => {
      const path = service.urls.flatMap((url) => wayTo(config, route, url))[0];
      const rules = rulesOf(config, route.path, name, service);
      if (path === undefined || rules.length === 0) return [];
      const what =
        `Calls to \`${path}\` reach the backend of service \`${name}\` by this route: ` +
        `they pass by its ${rules.join(', ')}.`;
      const remedy = `Let the route begin elsewhere; or make ${path} the path of a service.`;
      return [finding(['routes', index, 'path'], what, remedy)];
    }),
  );
}

/**
 * The rules for calls of a service by clients that may take the route, as keys of the
 * configuration.
 */
function rulesOf(
  { clients }: RouteContext,
  route: string,
  name: string,
  service: AnyService,
): readonly string[] {
  const concerns = (entry: string): boolean => entry === name || entry.startsWith(`${name}.`);
  const classes = Object.values(clients?.classes ?? {}).filter(
    ({ allow, deny }) => !deny.includes(route) && allow?.includes(route) !== false,
  );
  const rules: readonly (readonly [rule: string, holds: boolean])[] = [
    ['`allow`', classes.some(({ allow }) => allow !== undefined)],
    ['`deny`', classes.some(({ deny }) => deny.some(concerns))],
    ['`budget`', classes.some(({ budget }) => budget !== undefined)],
    ['`validate`', 'validate' in service && service.validate.requests !== 'off'],
  ];
  return rules.flatMap(([rule, holds]) => (holds ? [rule] : []));
}

/**
 * The path by which a route leads to this very address, unless something else of the gateway is
 * there: [] or one.
 */
function wayTo(
  { services, graphql, routes }: RouteContext,
  route: RouteConfig,
  address: string,
): readonly string[] {
  const target = new URL(route.url);
  const backend = new URL(address);
  const base = target.pathname.replace(/\/+$/, '');
  if (target.origin !== backend.origin || !backend.pathname.startsWith(`${base}/`)) return [];
  const path = backend.pathname.slice(base.length);
  const taken = [graphql.path, ...Object.values(services).map((service) => service.path)];
  const nearest = routes
    .filter((each) => hasPathPrefix(path, each.path))
    .reduce(
      (longest: RouteConfig | null, each) =>
        each.path.length > (longest?.path.length ?? 0) ? each : longest,
      null,
    );
  return taken.includes(path) || nearest !== route ? [] : [path];
}

/**
 * Whether a path is the prefix itself, or below it: `/a/b` is below `/a` and `/a/`, and `/ab` below
 * neither.
 */
export const hasPathPrefix = (path: string, prefix: string): boolean =>
  path.startsWith(prefix) &&
  (prefix.endsWith('/') || path.length === prefix.length || path[prefix.length] === '/');
