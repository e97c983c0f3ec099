import { isRecord, jsonValues } from '../../core/index.js';
import { type ConfigPath, printPath } from '../keys/config-path.js';
import type { Finding } from '../keys/finding.js';

/** A value that one key alone may have, and the key that claims it. */
export interface ClaimedPath {
  readonly path: ConfigPath;
  readonly claimed: unknown;
}

/** The kinds of endpoints in the order in which `request.ts` asks them whether a path is theirs. */
export const ENDPOINTS = [
  'soap',
  'callback',
  'graphql',
  'openapi',
  'rest',
  'mcp',
  'resource',
  'downloads',
  'assets',
  'plain',
] as const;

type EndpointKind = (typeof ENDPOINTS)[number];

/** A path of the traffic address, the key that claims it, and the endpoint that answers it. */
export interface EndpointPath extends ClaimedPath {
  readonly endpoint: EndpointKind;
  /**
   * The path alone; all paths that begin with it; or those that match it, where `{name}` is one
   * segment.
   */
  readonly reach: 'exact' | 'below' | 'template';
  /** The key does not have the path itself: it follows from its value. */
  readonly isDerived?: true;
}

/** The paths of services, GraphQL and plain routes. */
export function claimedPaths({
  graphql,
  services,
  routes,
}: Record<string, unknown>): readonly EndpointPath[] {
  const claims: EndpointPath[] = [];
  const claim = (path: ConfigPath, claimed: unknown, endpoint: EndpointKind): void =>
    void claims.push({ path, claimed, endpoint, reach: 'exact' });
  if (isRecord(graphql)) {
    claim(['graphql', 'path'], graphql['path'], 'graphql');
  }
  for (const [name, service] of jsonValues.recordEntries(services)) {
    if (isRecord(service)) {
      claim(['services', name, 'path'], service['path'], 'soap');
    }
  }
  for (const [index, route] of Array.isArray(routes) ? routes.entries() : []) {
    if (isRecord(route)) {
      claim(['routes', index, 'path'], route['path'], 'plain');
    }
  }
  return claims;
}

/** The schema has reported what is no path. */
export const isWrittenPath = (claimed: unknown): claimed is string =>
  typeof claimed === 'string' && /^\/[^\s?#]*$/.test(claimed);

/** Paths are compared as they are written; some are refused for every client. */
export const pathRules = (claims: readonly EndpointPath[]): readonly Finding[] =>
  claims.flatMap(({ path, claimed, isDerived }): readonly Finding[] => {
    if (!isWrittenPath(claimed) || isDerived === true) return [];
    const fault = faultOf(claimed);
    if (fault === null) return [];
    const [why, remedy] = fault;
    return [
      { path, part: 'value', what: `No request could reach ${printPath(path)}: ${why}.`, remedy },
    ];
  });

function faultOf(path: string): readonly [why: string, remedy: string] | null {
  if (path.includes('//')) return ['it has an empty segment', 'Write one `/` between segments.'];
  if (/\/\.{1,2}(?:[/;]|%3b|$)/i.test(path)) {
    return ['it has a segment of dots', 'Write the path without `.` and `..`.'];
  }
  if (/[\\@]/.test(path)) return ['it has a `\\` or a `@`', 'Choose another.'];
  if (/[^!-~]/.test(path)) {
    return ['it is not as it is sent', 'Write what is not US-ASCII percent-encoded, as UTF-8.'];
  }
  if (/%(?![0-9a-f]{2})/i.test(path)) {
    return ['it has a `%` that encodes nothing', 'Write `%25` for the sign itself.'];
  }
  if (/%(?:2f|5c|00|25(?:2e|2f|5c|00))/i.test(path)) {
    return ['it has an encoded slash or NUL', 'Choose another.'];
  }
  // RFC 3986 section 6.2.2.2: clients write these as they are.
  if (/%(?:2d|2e|3\d|4[1-9a-f]|5[0-9af]|6[1-9a-f]|7[0-9ae])/i.test(path)) {
    return [
      'it encodes what clients write as it is',
      'Write letters, digits and `-._~` themselves.',
    ];
  }
  return null;
}
