import { isRecord, recordEntries } from '../../base/record.js';
import { type ConfigPath, printPath } from '../keys/config-path.js';
import type { Finding } from '../keys/finding.js';

/** A path of the traffic address, and the key that claims it. */
export interface ClaimedPath {
  readonly path: ConfigPath;
  readonly claimed: unknown;
}

/** Services, GraphQL and plain routes share one address. */
export function claimedPaths({
  graphql,
  services,
  routes,
}: Record<string, unknown>): readonly ClaimedPath[] {
  const claims: ClaimedPath[] = [];
  if (isRecord(graphql)) claims.push({ path: ['graphql', 'path'], claimed: graphql['path'] });
  for (const [name, service] of recordEntries(services)) {
    if (isRecord(service))
      claims.push({ path: ['services', name, 'path'], claimed: service['path'] });
  }
  for (const [index, route] of Array.isArray(routes) ? routes.entries() : []) {
    if (isRecord(route)) claims.push({ path: ['routes', index, 'path'], claimed: route['path'] });
  }
  return claims;
}

/** Paths are compared as they are written; some are refused for every client. */
export const pathRules = (claims: readonly ClaimedPath[]): readonly Finding[] =>
  claims.flatMap(({ path, claimed }): readonly Finding[] => {
    // The schema has reported what is no path.
    if (typeof claimed !== 'string' || !/^\/[^\s?#]*$/.test(claimed)) return [];
    const fault = faultOf(claimed);
    if (fault === null) return [];
    const [why, remedy] = fault;
    return [
      { path, part: 'value', what: `No request could reach ${printPath(path)}: ${why}.`, remedy },
    ];
  });

function faultOf(path: string): readonly [why: string, remedy: string] | null {
  if (path.includes('//')) return ['it has an empty segment', 'Write one `/` between segments.'];
  if (/\/\.{1,2}(?:[/;]|%3b|$)/i.test(path))
    return ['it has a segment of dots', 'Write the path without `.` and `..`.'];
  if (/[\\@]/.test(path)) return ['it has a `\\` or a `@`', 'Choose another.'];
  if (/[^!-~]/.test(path))
    return ['it is not as it is sent', 'Write what is not US-ASCII percent-encoded, as UTF-8.'];
  if (/%(?![0-9a-f]{2})/i.test(path))
    return ['it has a `%` that encodes nothing', 'Write `%25` for the sign itself.'];
  if (/%(?:2f|5c|00|25(?:2e|2f|5c|00))/i.test(path))
    return ['it has an encoded slash or NUL', 'Choose another.'];
  // RFC 3986 section 6.2.2.2: clients write these as they are.
  if (/%(?:2d|2e|3\d|4[1-9a-f]|5[0-9af]|6[1-9a-f]|7[0-9ae])/i.test(path)) {
    return [
      'it encodes what clients write as it is',
      'Write letters, digits and `-._~` themselves.',
    ];
  }
  return null;
}
