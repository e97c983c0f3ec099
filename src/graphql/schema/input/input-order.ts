import type { requestPlans } from '../../../codec/index.js';
import { collections } from '../../../core/index.js';

/** One place of a content model where a particle stands, in the order of the schema. */
export interface ParticlePosition {
  readonly key: string;
  readonly min: number;
  readonly max: number;
  /**
   * The choice, or the group that may be left out, which it stands in; null where it stands in any
   * case.
   */
  readonly scope: number | null;
  /** True if the position depends on the other values. */
  readonly isTangled?: boolean;
}

/** The order of writing: a particle stands there again where it has several places. */
export interface InputOrder {
  readonly places: readonly {
    readonly key: string;
    readonly share: requestPlans.ItemRange | null;
  }[];
  /** Particles whose positions depend on the other values: all of each is written at the first. */
  readonly tangled: readonly string[];
}

/** Null where every particle has one place, in the order of `keys`. */
export function orderOf(
  places: readonly ParticlePosition[],
  keys: Iterable<string>,
): InputOrder | null {
  const joined = withoutNeighbours(places);
  const byKey = new Map<string, ParticlePosition[]>();
  for (const place of joined) {
    collections.addToGroup(byKey, place.key, place);
  }
  const isPlain =
    byKey.size === joined.length && !joined.some(({ isTangled }) => isTangled === true);
  if (isPlain && [...keys].every((key, at) => joined[at]?.key === key)) return null;
  const tangled = new Set<string>();
  const shares = new Map<ParticlePosition, requestPlans.ItemRange>();
  for (const [key, own] of byKey) {
    if (own.some(({ scope, isTangled }) => isTangled === true || scope !== own[0]?.scope)) {
      tangled.add(key);
    } else if (own.length > 1) {
      for (const [place, share] of sharesOf(own)) {
        shares.set(place, share);
      }
    }
  }
  const kept = joined.filter(
    (place) => !tangled.has(place.key) || byKey.get(place.key)?.[0] === place,
  );
  return {
    places: kept.map((place) => ({ key: place.key, share: shares.get(place) ?? null })),
    tangled: [...tangled],
  };
}

/** The elements as they are written, some of them in several places. */
export function inOrder(
  order: InputOrder | null,
  elements: ReadonlyMap<string, requestPlans.EncodeElement>,
): readonly requestPlans.EncodeElement[] {
  if (order === null) return [...elements.values()];
  const written = new Set<requestPlans.EncodeElement>();
  return order.places.flatMap(({ key, share }): readonly requestPlans.EncodeElement[] => {
    const element = elements.get(key);
    if (element === undefined || share === null) return element === undefined ? [] : [element];
    // Attributes of a list are written with its first items.
    const { counts: _counts, ...again } = { ...element, required: false };
    const own = written.has(element) ? again : element;
    written.add(element);
    return [{ ...own, itemRange: share }];
  });
}

/** Each place takes the most it may that leaves the later ones the least they need. */
function sharesOf(
  places: readonly ParticlePosition[],
): readonly (readonly [ParticlePosition, requestPlans.ItemRange])[] {
  let rest = 0;
  for (const { min } of places) {
    rest += min;
  }
  let most = 0;
  return places.map((place, at) => {
    const from = { most, rest };
    most = at === places.length - 1 ? Number.POSITIVE_INFINITY : most + place.max;
    rest -= place.min;
    return [place, { from, to: { most, rest } }];
  });
}

/** Neighbours are one place. */
function withoutNeighbours(places: readonly ParticlePosition[]): readonly ParticlePosition[] {
  const joined: ParticlePosition[] = [];
  for (const place of places) {
    const last = joined.at(-1);
    if (last === undefined || last.key !== place.key || last.scope !== place.scope) {
      joined.push(place);
    } else {
      joined[joined.length - 1] = { ...last, min: last.min + place.min, max: last.max + place.max };
    }
  }
  return joined;
}

/** Makes the positions of a group optional: they occur together only, unless there is only one. */
export function optionalPlaces(
  places: readonly ParticlePosition[],
  scope: number,
): readonly ParticlePosition[] {
  const [only, ...others] = places;
  if (only !== undefined && others.length === 0 && only.min < 2) return [{ ...only, min: 0 }];
  return places.map((place) => ({ ...place, scope: place.scope ?? scope }));
}
