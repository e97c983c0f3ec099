import { isRecord, jsonValues } from '../../core/index.js';
import type { ConfigPath } from '../keys/config-path.js';
import type { EndpointPath } from '../listen/path-rules.js';

/** The path that operations of a service are below over REST; null without REST. */
export function restPathOf(name: string, rest: unknown): string | null {
  if (rest === undefined || rest === false || (rest !== true && !isRecord(rest))) return null;
  const path = isRecord(rest) ? rest['path'] : undefined;
  return typeof path === 'string' ? path.replace(/\/+$/, '') : `/rest/${name}`;
}

/** The paths of the OpenAPI description and its page; the files of the page are below it. */
export const OPENAPI_JSON = '/rest/openapi.json';
export const OPENAPI_YAML = '/rest/openapi.yaml';
export const OPENAPI_PAGE = '/rest/openapi.html';

/** The paths of services over REST, of their operations, and of the description of all of them. */
export function restPaths(services: unknown): readonly EndpointPath[] {
  const claims: EndpointPath[] = [];
  let first: ConfigPath | null = null;
  for (const [name, service] of jsonValues.recordEntries(services)) {
    const rest = isRecord(service) ? service['rest'] : undefined;
    const base = restPathOf(name, rest);
    if (!isRecord(service) || base === null) continue;
    const hasPath = isRecord(rest) && rest['path'] !== undefined;
    const path = ['services', name, 'rest', ...(hasPath ? ['path'] : [])];
    first ??= path;
    claims.push(
      { path, claimed: base, endpoint: 'rest', reach: 'exact' },
      { path, claimed: `${base}/`, endpoint: 'rest', reach: 'below' },
      ...routePaths(service['operations'], ['services', name, 'operations']),
    );
  }
  return first === null ? claims : [...claims, ...openApiPaths(first)];
}

/** The paths that operations have of their own: `GET /orders/{id}`. */
const routePaths = (operations: unknown, path: ConfigPath): readonly EndpointPath[] =>
  jsonValues.recordEntries(operations).flatMap(([operation, mapping]): EndpointPath[] => {
    const route = isRecord(mapping) ? mapping['rest'] : undefined;
    if (typeof route !== 'string') return [];
    const claimed = route.slice(route.indexOf(' ') + 1);
    return [{ path: [...path, operation, 'rest'], claimed, endpoint: 'rest', reach: 'template' }];
  });

function openApiPaths(path: ConfigPath): readonly EndpointPath[] {
  const own = { path, endpoint: 'openapi', isDerived: true } as const;
  return [
    ...[OPENAPI_JSON, OPENAPI_YAML, OPENAPI_PAGE].map(
      (claimed): EndpointPath => ({ ...own, claimed, reach: 'exact' }),
    ),
    { ...own, claimed: `${OPENAPI_PAGE}/`, reach: 'below' },
  ];
}
