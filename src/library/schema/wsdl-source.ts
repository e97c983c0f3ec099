import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { importSourceOf, NO_SOURCE_OPTIONS } from '../../cli/import/import-source.js';
import { diagnosis } from '../../core/index.js';
import { copyWsdl, readWsdl, type WsdlModel } from '../../wsdl/index.js';
import type { SchemaOptions } from './schema-options.js';

/** A WSDL that was read, and a file that holds it. */
export interface WsdlFile {
  /** A path, or the URL as it was given. */
  readonly location: string;
  readonly model: WsdlModel;
  /** The file, whose folder holds all its documents. */
  readonly file: string;
  /** The file is a copy in a temporary folder. */
  readonly isCopy: boolean;
  /** Removes what was written for it. */
  remove(): Promise<void>;
}

const pathOf = (given: string): string =>
  /^file:\/\//i.test(given) ? fileURLToPath(given) : given;

const isWeb = (location: string): boolean => /^https?:\/\//i.test(location);

/**
 * Reads a WSDL from a file or URL with all its documents. One that is not whole in the folder of a
 * file is copied into a temporary folder. Throws `ConfigurationError`.
 */
export async function wsdlFileOf(
  location: string | URL,
  { folder = '.', environment = process.env }: SchemaOptions,
): Promise<WsdlFile> {
  checkLocation(location);
  const given = String(location);
  const path = isWeb(given) ? given : resolve(folder, pathOf(given));
  const model = await readWsdl(path, await importSourceOf(path, NO_SOURCE_OPTIONS, environment));
  if (!isWeb(path) && (await isWhole(model, path))) {
    return { location: path, model, file: path, isCopy: false, remove: async () => {} };
  }
  const copy = await mkdtemp(join(tmpdir(), 'soapstone-wsdl-'));
  const remove = (): Promise<void> => rm(copy, { recursive: true, force: true });
  try {
    const file = join(copy, await copyWsdl(model, copy));
    return { location: path, model, file, isCopy: true, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Throws `ConfigurationError` for what is no path, and no URL that is read. */
function checkLocation(location: unknown): void {
  const remedy = 'Give a path, or a URL with `file:`, `http:` or `https:`.';
  if (typeof location !== 'string' && !(location instanceof URL)) {
    throw diagnosis.unplacedError('The location of the WSDL is no text and no URL.', remedy);
  }
  const scheme = /^([a-z][a-z0-9+.-]+):\/\//i.exec(String(location))?.[1]?.toLowerCase();
  if (scheme !== undefined && !READ_SCHEMES.has(scheme)) {
    throw diagnosis.unplacedError(
      `A WSDL is not read from an address with \`${scheme}:\`.`,
      remedy,
    );
  }
}

const READ_SCHEMES: ReadonlySet<string> = new Set(['file', 'http', 'https']);

/** Whether all documents lie in the folder of the WSDL. */
async function isWhole({ documents }: WsdlModel, path: string): Promise<boolean> {
  const folder = `${await realpath(dirname(path))}${sep}`;
  return documents.every(({ location }) => !isWeb(location) && isIn(folder, path, location));
}

const isIn = (folder: string, path: string, location: string): boolean => {
  const inPlace = resolve(dirname(path), location);
  return inPlace.startsWith(folder) || inPlace.startsWith(`${dirname(path)}${sep}`);
};
