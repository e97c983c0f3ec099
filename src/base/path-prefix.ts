/**
 * Whether a path is the prefix itself, or below it: `/a/b` is below `/a` and `/a/`, and `/ab` below
 * neither.
 */
export const hasPathPrefix = (path: string, prefix: string): boolean =>
  path.startsWith(prefix) &&
  (prefix.endsWith('/') || path.length === prefix.length || path[prefix.length] === '/');
