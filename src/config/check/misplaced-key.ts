import { collections } from '../../core/index.js';
import { type ConfigPath, printPath } from '../keys/config-path.js';
import { configSchema, type SchemaNode } from './schema-node.js';

/** Places that are named for one key, those nearest to the top. */
const PLACES_SHOWN = 2;
const TOP = 'the top of the file';
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
  if (found.some((place) => isPlaceOf(place, path))) return null;
  const nearest = found
    .toSorted((a, b) => rankOf(a) - rankOf(b))
    .map((place) => (place.length === 0 ? TOP : printPath(place)));
  return `It is a key of ${[...new Set(nearest)].slice(0, PLACES_SHOWN).join(' and of ')}.`;
}

/** Whether a path is at this place, in which any name stands for `<name>`. */
const isPlaceOf = (place: Place, path: ConfigPath): boolean =>
  place.length === path.length && place.every((step, at) => step === '<name>' || step === path[at]);

/** Most keys are those of services. */
const rankOf = (place: Place): number => place.length - (place[0] === 'services' ? 1 : 0);

/** The path of a map; `<name>` stands for the names that an operator chooses. */
type Place = readonly string[];

let places: ReadonlyMap<string, readonly Place[]> | null = null;

/** The maps that have each key, without those that repeat the keys of another one. */
function placesIn(root: SchemaNode): ReadonlyMap<string, readonly Place[]> {
  const found = new Map<string, Place[]>();
  const stack: { readonly node: SchemaNode; readonly path: Place }[] = [{ node: root, path: [] }];
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    const { node, path } = top;
    for (const branch of [node, node.else]) {
      for (const [key, child] of Object.entries(branch?.properties ?? {})) {
        if (child.internal === true) continue;
        collections.addToGroup(found, key, path);
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
