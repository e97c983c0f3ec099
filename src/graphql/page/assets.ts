import type { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

/** Returns the folder of the files of GraphiQL, which is below the path of GraphQL. */
export const assetsPath = (path: string): string => `${path === '/' ? '' : path}/assets/`;

/** A file that a page loads. */
export interface Asset {
  readonly type: string;
  readonly plain: Buffer;
  readonly gzipped: Buffer;
}

/** The files of a page. */
export interface Assets {
  /** The hash of all files: it is in their paths, so that a file never changes under its path. */
  readonly version: string;
  readonly byName: ReadonlyMap<string, Asset>;
}

const compress = promisify(gzip);

/** Reads the files of a folder that the build has filled. Rejects when it has left one out. */
export async function readAssets(
  folder: URL,
  files: readonly { readonly name: string; readonly type: string }[],
): Promise<Assets> {
  const hash = createHash('sha256');
  const assets = await Promise.all(
    files.map(async ({ name, type }): Promise<[string, Asset]> => {
      const plain = await readFile(new URL(name, folder));
      return [name, { type, plain, gzipped: await compress(plain) }];
    }),
  );
  for (const [, { plain }] of assets) {
    hash.update(plain);
  }
  return { version: hash.digest('hex').slice(0, 16), byName: new Map(assets) };
}
