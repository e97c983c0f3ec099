import { isRecord } from '../../core/index.js';
import type { ConfigPath } from '../keys/config-path.js';

/** Without these keys a service is another one, and names in it mean nothing. */
const MAIN_KEYS: ReadonlySet<unknown> = new Set([
  ...[
    'kind',
    'wsdl',
    'types',
    'url',
    'urls',
    'port',
    'ports',
    'namespace',
    'schema',
    'prefix',
    'rename',
  ],
]);

/**
 * Removes what a finding is about: the value, or what lacks it. Returns false for what cannot be
 * left out.
 */
export function removeFinding(data: unknown, path: ConfigPath): boolean {
  const [section, , key] = path;
  if (
    section === 'include' ||
    (section === 'services' && (path.length < 3 || MAIN_KEYS.has(key)))
  ) {
    return false;
  }
  let owner: unknown = data;
  let depth = 0;
  // The entries of a list go with the list: their numbers would change.
  while (depth < path.length - 1 && typeof path[depth + 1] !== 'number') {
    const next = isRecord(owner) ? owner[String(path[depth])] : undefined;
    if (!isRecord(next) || isLast(next, path, depth)) break;
    owner = next;
    depth++;
  }
  if (!isRecord(owner) || depth >= path.length) return false;
  return delete owner[String(path[depth])];
}

/** Whether the map at this depth lacks the last key of the path: the map goes. */
const isLast = (map: Record<string, unknown>, path: ConfigPath, depth: number): boolean =>
  depth === path.length - 2 && !Object.hasOwn(map, String(path.at(-1)));
