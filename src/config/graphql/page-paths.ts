import { isRecord } from '../../base/record.js';
import type { EndpointPath } from '../listen/path-rules.js';

/** Returns the folder of the files of GraphiQL, which is below the path of GraphQL. */
export const assetsPath = (path: string): string => `${path === '/' ? '' : path}/assets/`;

/** The paths of the files of GraphiQL, where it is served. */
export function pagePaths(graphql: unknown): readonly EndpointPath[] {
  if (!isRecord(graphql) || graphql['graphiql'] !== true) return [];
  const { path } = graphql;
  return typeof path !== 'string'
    ? []
    : [
        {
          path: ['graphql', 'path'],
          claimed: assetsPath(path),
          endpoint: 'assets',
          reach: 'below',
          isDerived: true,
        },
      ];
}
