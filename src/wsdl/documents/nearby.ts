import { homedir } from 'node:os';
import { dirname, extname, relative, sep } from 'node:path';

/** Levels above the folder of a WSDL in which its files may lie; Travelport, ONVIF and Axis go up one to three. */
const LEVELS_UP = 4;

/** Folders that commonly lie beside that of a WSDL, for what it shares with others. */
const SHARED_FOLDERS =
  /^(?:(?:xsds?|schemas?|wsdls?|types|commons?|shared|includes?)(?:[\d._-].*)?|v(?:er)?\d.*)$/i;

/**
 * Whether a file outside the folder of a WSDL may be read without `--root`. Its path must be one of a tree made for schemas:
 * it leads back by a folder of the WSDL's own path (`../../ver10/schema`) or by one that is named for what it holds
 * (`../xsd`), or it is a schema in a folder beside that of the WSDL (`../hotel/types.xsd`). It is a schema or WSDL by its
 * name or has no extension, no part of its path is hidden, and the folder that both share is at most `LEVELS_UP` above,
 * neither the root of the file system nor a folder in it, and does not hold the home directory. A file merely somewhere
 * above is not read (catalogue C02).
 */
export function isNearby(folder: string, file: string, home: string = homedir()): boolean {
  const shared = sharedFolder([folder, dirname(file)]);
  const steps = (from: string, to: string): readonly string[] =>
    relative(from, to).split(sep).filter(Boolean);
  const [back = '', ...below] = steps(shared, dirname(file));
  const levelsUp = steps(shared, folder).length;
  const isBeside = levelsUp === 1 && below.length === 0 && /\.xsd$/i.test(file);
  return (
    back !== '' &&
    (isBeside || SHARED_FOLDERS.test(back) || folder.split(sep).includes(back)) &&
    (/\.(?:xsd|wsdl)$/i.test(file) || extname(file) === '') &&
    levelsUp <= LEVELS_UP &&
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
