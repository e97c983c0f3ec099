import { type ConfigPath, printPath } from '../keys/config-path.js';
import { configSchema, type SchemaNode } from './schema-node.js';

/** Places that are named for one key, those nearest to the top. */
const PLACES_SHOWN = 2;
/** A key that many maps have says nothing about where it belongs. */
const PLACES_MAX = 12;

/**
 * Names the maps that a misplaced key belongs to; null for a key that is none anywhere, and for one
 * that another kind of this very map has.
 */
export function placesOfKey(key: string, path: ConfigPath): string | null {
  places ??= placesIn(configSchema());
  const found = places.get(key);
  if (found === undefined || found.length > PLACES_MAX) return null;
  if (found.some((place) => isPlaceOf(place, printPath(path)))) return null;
  const nearest = [...new Set(found)].sort((a, b) => rankOf(a) - rankOf(b));
  return `It is a key of ${nearest.slice(0, PLACES_SHOWN).join(' and of ')}.`;
}

/** Whether a printed path is at this place, in which any name stands for `<name>`. */
function isPlaceOf(place: string, path: string): boolean {
  const [steps, taken] = [place, path].map((each) => each.replaceAll('`', '').split('.'));
  if (steps === undefined || taken === undefined || steps.length !== taken.length) return false;
  return steps.every((step, at) => step === '<name>' || step === taken[at]);
}

/** Most keys are those of services. */
const rankOf = (path: string): number =>
  path.split('.').length - (path.startsWith('`services.') ? 1 : 0);

let places: ReadonlyMap<string, readonly string[]> | null = null;

/** The maps that have each key, without those that repeat the keys of another one. */
function placesIn(root: SchemaNode): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  const stack: { readonly node: SchemaNode; readonly path: readonly string[] }[] = [
    { node: root, path: [] },
  ];
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    const { node, path } = top;
    for (const branch of [node, node.else]) {
      for (const [key, child] of Object.entries(branch?.properties ?? {})) {
        if (child.internal === true) continue;
        if (path.length > 0) {
          found.set(key, [...(found.get(key) ?? []), printPath(path)]);
        }
        if (child.like === undefined) stack.push({ node: child, path: [...path, key] });
      }
      for (const child of Object.values(branch?.patternProperties ?? {})) {
        stack.push({ node: child, path: [...path, '<name>'] });
      }
    }
    if (node.items !== undefined) stack.push({ node: node.items, path: [...path, '[]'] });
  }
  return found;
}
