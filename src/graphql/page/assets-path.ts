/** Returns the folder of the files of GraphiQL, which is below the path of GraphQL. */
export const assetsPath = (path: string): string => `${path === '/' ? '' : path}/assets/`;
