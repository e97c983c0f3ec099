import { isRecord } from '../../base/record.js';
import type { ClaimedPath } from '../listen/path-rules.js';

/** The path that operations of a service are below over REST; null without REST. */
export function restPathOf(name: string, rest: unknown): string | null {
  if (rest === undefined || rest === false || (rest !== true && !isRecord(rest))) return null;
  const path = isRecord(rest) ? rest['path'] : undefined;
  return typeof path === 'string' ? path.replace(/\/+$/, '') : `/rest/${name}`;
}

/** The paths of services over REST. */
export function restPaths(services: unknown): readonly ClaimedPath[] {
  if (!isRecord(services)) return [];
  return Object.entries(services).flatMap(([name, service]): ClaimedPath[] => {
    const rest = isRecord(service) ? service['rest'] : undefined;
    const path = isRecord(rest) && rest['path'] !== undefined ? ['path'] : [];
    return [
      { path: ['services', name, 'rest', ...path], claimed: restPathOf(name, rest) ?? undefined },
    ];
  });
}
