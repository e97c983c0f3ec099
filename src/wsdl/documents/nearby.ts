import { homedir } from 'node:os';
import { basename, dirname, extname, join, relative, sep } from 'node:path';

/**
 * Levels above the folder of a WSDL in which its files may lie; Travelport, ONVIF, Axis and CXF go
 * up one to four.
 */
const LEVELS_UP = 4;

/**
 * Whether a file outside the folder of a WSDL that the WSDL names may be read without `--root`
 * (catalogue C02).
 * - It may be a schema or WSDL by its name (`isDocumentName`); by its content, `documents.ts` makes
 *   sure.
 * - The folder that holds both is at most `LEVELS_UP` above that of the WSDL. It is neither the
 *   root of the file system nor a folder in it, and neither a home directory nor a folder above
 *   one.
 * - Below that folder, no part of the path is hidden (`.git`, `.ssh`).
 */
export function isNearby(folder: string, file: string, home: string = homedir()): boolean {
  const shared = sharedFolder([folder, dirname(file)]);
  const steps = (from: string, to: string): readonly string[] =>
    relative(from, to).split(sep).filter(Boolean);
  return (
    isDocumentName(file) &&
    steps(shared, folder).length <= LEVELS_UP &&
    shared.split(sep).filter(Boolean).length >= 2 &&
    !`${home}${sep}`.startsWith(`${shared}${sep}`) &&
    !steps(shared, file).some((step) => step.startsWith('.'))
  );
}

/**
 * Whether a file may be a schema or WSDL by its name: by its extension or `.xml`, without one, or
 * as tools keep what an address with a query answers (`S.svc?xsd=xsd0`).
 */
const isDocumentName = (file: string): boolean =>
  /\.(?:xsd|wsdl|xml)$|\?(?:xsd|wsdl)\b[^/]*$/i.test(file) || extname(file) === '';

/** Segments of the path of a URL that are looked for along the tree of a WSDL. */
const SEGMENTS = 6;

/** The schemes of a reference, and the letter of a drive: `jar:file:`, `classpath:`, `C:`. */
const SCHEMES = /^(?:[a-z][a-z0-9+.*-]{0,20}:){1,3}/i;

/**
 * Paths of the files that a reference may mean which leads to none, in the folders of its document
 * and of the WSDL and along the tree of the WSDL. Those with more of the path come first:
 * `v2/types.xsd` before `types.xsd`.
 */
export function sameNamedFiles(href: string, document: string, main: string): readonly string[] {
  const written = /^[a-z][a-z0-9+.-]+:\/\//i.test(href)
    ? urlPath(href)
    : queriedFile(href.replace(SCHEMES, ''));
  const segments = written.split(/[/\\]/).filter(Boolean).slice(-SEGMENTS);
  if (!isDocumentName(segments.at(-1) ?? '.')) return [];
  const first = segments.findLastIndex((each) => each.startsWith('.') || each.includes(':'));
  const own = segments.slice(first + 1);
  const folders = [dirname(document), dirname(main)];
  for (let up = 0; up < LEVELS_UP; up++) {
    folders.push(dirname(folders.at(-1) ?? ''));
  }
  const suffixes = own.map((_, from) => own.slice(from).join(sep));
  return suffixes.flatMap((suffix) => folders.map((folder) => join(folder, suffix)));
}

/**
 * Patterns for files of the name that a reference ends with, in folders beside its document and
 * beside the folder of the WSDL: trees keep schemas in a folder of their own.
 */
export function besideFolders(href: string, document: string, main: string): readonly string[] {
  const [name] = sameNamedFiles(href, document, main).map((path) => basename(path));
  if (name === undefined || /[*?[\]{}]/.test(name)) return [];
  const folders = [dirname(document), dirname(main), dirname(dirname(main))];
  return [...new Set(folders)].map((folder) => join(folder, '*', name));
}

/** The path of a URL, or the file that its query names. */
function urlPath(href: string): string {
  const url = URL.canParse(href) ? new URL(href) : null;
  if (url === null) return '';
  try {
    return queriedFile(decodeURIComponent(url.pathname) + url.search);
  } catch {
    return '';
  }
}

/**
 * A path without its query, or the file that its query names: `?xsd=types.xsd`, and `?xsd=xsd0`,
 * which tools keep as `xsd0.xsd`.
 */
function queriedFile(path: string): string {
  const [own = '', query = ''] = path.split('?', 2);
  const named = [...new URLSearchParams(query)].find(([name]) => /^(?:xsd|wsdl)$/i.test(name));
  const value = named?.[1] ?? '';
  if (value === '') return own;
  return /\.(?:xsd|wsdl)$/i.test(value) ? value : `${value}.${named?.[0].toLowerCase() ?? ''}`;
}

/**
 * A pattern for the files whose path differs from the written one in the case of letters alone.
 * `..` stays.
 */
export const anyCase = (folder: string, written: string): string =>
  [
    folder,
    ...written.split('/').map((step) => (/^\.*$/.test(step) ? step : unknownName(step))),
  ].join('/');

const unknownName = (name: string): string => name.replaceAll(/[^.]/g, '?');

/** The innermost folder that holds all of these folders, which are absolute paths. */
export function sharedFolder(folders: readonly string[]): string {
  const [first = '', ...others] = folders;
  let shared = first.split(sep);
  for (const folder of others) {
    const parts = folder.split(sep);
    const differing = shared.findIndex((part, at) => part !== parts[at]);
    if (differing !== -1) {
      shared = shared.slice(0, differing);
    }
  }
  return shared.length < 2 ? `${shared[0] ?? ''}${sep}` : shared.join(sep);
}

/** A path as a shell reads it. */
export const shellWord = (path: string): string =>
  /^[\w./@:+,-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
