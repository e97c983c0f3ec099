import { existsSync } from 'node:fs';

/** The folder of this package, with a slash at its end: of the folders above this file the first with a `package.json`. */
export const PACKAGE_FOLDER: URL = nearestPackage(new URL('./', import.meta.url));

function nearestPackage(start: URL): URL {
  let folder = start;
  while (!existsSync(new URL('package.json', folder)) && folder.pathname !== '/') folder = new URL('../', folder);
  return folder;
}
