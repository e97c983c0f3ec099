import type { MatchedRoute } from '../../compile/rest/rest-routes.js';
import type { DescribedOperation } from '../../graphql/index.js';

/** The operation that a request over REST is for. */
export interface RestTarget {
  readonly described: DescribedOperation;
  /** The methods of its address. */
  readonly methods: readonly string[];
  /** Arguments in the path, still encoded. */
  readonly texts: ReadonlyMap<string, string>;
}

const NO_TEXTS: ReadonlyMap<string, string> = new Map();

/** The target of a path that names the operation. */
export const namedTarget = (described: DescribedOperation): RestTarget => ({
  described,
  methods: described.isRead ? ['GET', 'POST'] : ['POST'],
  texts: NO_TEXTS,
});

/**
 * The target among the routes that a path matches: that of the method, else any, which refuses the
 * method. Null for none.
 */
export function routedTarget(matching: readonly MatchedRoute[], method: string): RestTarget | null {
  const found = matching.find(({ route }) => route.method === method) ?? matching[0];
  if (found === undefined) return null;
  return {
    described: found.route.described,
    methods: matching.map(({ route }) => route.method),
    texts: found.texts,
  };
}
