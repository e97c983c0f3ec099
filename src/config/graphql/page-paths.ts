import { isRecord } from '../../core/index.js';
import { pages } from '../../graphql/index.js';
import type { EndpointPath } from '../listen/path-rules.js';

/** The paths of the files of GraphiQL, where it is served. */
export function pagePaths(graphql: unknown): readonly EndpointPath[] {
  if (!isRecord(graphql) || graphql['graphiql'] !== true) return [];
  const { path } = graphql;
  return typeof path !== 'string'
    ? []
    : [
        {
          path: ['graphql', 'path'],
          claimed: pages.assetsPath(path),
          endpoint: 'assets',
          reach: 'below',
          isDerived: true,
        },
      ];
}
