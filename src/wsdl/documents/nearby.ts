import { homedir } from 'node:os';
import { dirname, extname, relative, sep } from 'node:path';

/** Levels above the folder of a WSDL in which its files may lie; Travelport, ONVIF and Axis go up one to three. */
const LEVELS_UP = 4;

/**
 * Whether a file outside the folder of a WSDL may be read without `--root`: it is a schema or WSDL by its name or has no extension, no part of
 * its path is hidden, and the folder that both share is at most `LEVELS_UP` above, neither the root of the file system nor
 * a folder in it, and does not hold the home directory. A WSDL from a stranger so leads to nothing but schemas beside it.
 */
export function isNearby(folder: string, file: string, home: string = homedir()): boolean {
  const shared = sharedFolder([folder, dirname(file)]);
  const steps = (from: string, to: string): readonly string[] => relative(from, to).split(sep).filter(Boolean);
  return (
    (/\.(?:xsd|wsdl)$/i.test(file) || extname(file) === '') &&
    steps(shared, folder).length <= LEVELS_UP &&
    shared.split(sep).filter(Boolean).length >= 2 &&
    !`${home}${sep}`.startsWith(`${shared}${sep}`) &&
    !steps(shared, file).some((step) => step.startsWith('.'))
  );
}

/** The innermost folder that holds all of these folders, which are absolute paths. */
export function sharedFolder(folders: readonly string[]): string {
  const [first = '', ...others] = folders;
  let shared = first.split(sep);
  for (const folder of others) {
    const parts = folder.split(sep);
    const differing = shared.findIndex((part, at) => part !== parts[at]);
    if (differing !== -1) shared = shared.slice(0, differing);
  }
  return shared.length < 2 ? `${shared[0] ?? ''}${sep}` : shared.join(sep);
}

/** A path as a shell reads it. */
export const shellWord = (path: string): string =>
  /^[\w./@:+,-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
