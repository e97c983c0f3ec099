import { getNamedType, getNullableType, isLeafType, isListType } from 'graphql';
import { collections } from '../../core/index.js';
import type { DescribedOperation } from '../../graphql/index.js';

/** An operation at a method and a path of its own: `GET /orders/{id}`. */
export interface RestRoute {
  readonly method: string;
  /** The path as OpenAPI has it, with parameters in braces. */
  readonly template: string;
  /** A text, or the name of an argument that the segment holds. */
  readonly segments: readonly (string | { readonly argument: string })[];
  readonly described: DescribedOperation;
}

/** A route that a path matches, with the texts of its parameters, still encoded. */
export interface MatchedRoute {
  readonly route: RestRoute;
  readonly texts: ReadonlyMap<string, string>;
}

/** Reads `GET /orders/{id}`. */
export function parseRoute(text: string, described: DescribedOperation): RestRoute {
  const [method = '', template = ''] = text.split(' ');
  const segments = template
    .slice(1)
    .split('/')
    .map((segment) => (segment.startsWith('{') ? { argument: segment.slice(1, -1) } : segment));
  return { method, template, segments, described };
}

/** The arguments of a route that its operation does not have, or that no segment can hold. */
export function wrongParameters({ segments, described }: RestRoute): readonly string[] {
  return segments.flatMap((segment) => {
    if (typeof segment === 'string') return [];
    const found = described.field.args.find(({ name }) => name === segment.argument);
    const isHeld =
      found !== undefined &&
      isLeafType(getNamedType(found.type)) &&
      !isListType(getNullableType(found.type));
    return isHeld ? [] : [segment.argument];
  });
}

/** Equal for routes that would match the same requests. */
export const routeShape = ({ method, segments }: RestRoute): string =>
  JSON.stringify([
    method,
    ...segments.map((segment) => (typeof segment === 'string' ? segment : null)),
  ]);

/** Finds routes by paths: a segment that is written comes before a parameter. */
export class RestRoutes {
  readonly all: readonly RestRoute[];
  readonly #byLength = new Map<number, RestRoute[]>();

  constructor(routes: readonly RestRoute[]) {
    this.all = routes;
    const parameters = (route: RestRoute): string =>
      route.segments.map((segment) => (typeof segment === 'string' ? '0' : '1')).join('');
    for (const route of [...routes].sort((one, other) =>
      parameters(one) < parameters(other) ? -1 : 1,
    )) {
      collections.addToGroup(this.#byLength, route.segments.length, route);
    }
  }

  has(path: string): boolean {
    return this.matching(path).length > 0;
  }

  /** The routes of the first template that a path matches, one for each method. */
  matching(path: string): readonly MatchedRoute[] {
    if (this.all.length === 0) return [];
    const parts = path.slice(1).split('/');
    const found: MatchedRoute[] = [];
    for (const route of this.#byLength.get(parts.length) ?? []) {
      const texts = textsOf(route, parts);
      if (texts !== null && !found.some((each) => each.route.method === route.method)) {
        found.push({ route, texts });
      }
    }
    return found;
  }
}

/** Null for another path. A parameter has some text. */
function textsOf(
  { segments }: RestRoute,
  parts: readonly string[],
): ReadonlyMap<string, string> | null {
  const texts = new Map<string, string>();
  for (const [at, segment] of segments.entries()) {
    const part = parts[at] ?? '';
    if (typeof segment === 'string') {
      if (segment !== part) return null;
    } else if (part === '') {
      return null;
    } else {
      texts.set(segment.argument, part);
    }
  }
  return texts;
}
