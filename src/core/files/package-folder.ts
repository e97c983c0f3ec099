import { existsSync, readFileSync } from 'node:fs';

/**
 * The folder of this package, with a slash at its end: of the folders above this file the first
 * with a `package.json`.
 */
export const PACKAGE_FOLDER: URL = nearestPackage(new URL('../../base', import.meta.url));

function nearestPackage(start: URL): URL {
  let folder = start;
  while (!existsSync(new URL('package.json', folder)) && folder.pathname !== '/') {
    folder = new URL('../..', folder);
  }
  return folder;
}

/** The version of this package, from its `package.json`. */
export function packageVersion(): string {
  const { version = '' }: { version?: string } = JSON.parse(
    readFileSync(new URL('package.json', PACKAGE_FOLDER), 'utf8'),
  );
  return version;
}
