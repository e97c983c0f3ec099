import type { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

const FILES = [
  { name: 'console.css', type: 'text/css; charset=utf-8' },
  { name: 'console.js', type: 'text/javascript; charset=utf-8' },
] as const;

/** Their folder, seen from a file of this one: the build puts them there. */
const FOLDER = new URL('./page/', import.meta.url);

export interface ConsoleAsset {
  readonly type: string;
  readonly plain: Buffer;
  readonly gzipped: Buffer;
}

/** The page, and its files by path: a file never changes under its path. */
export interface ConsoleAssets {
  readonly html: string;
  readonly files: ReadonlyMap<string, ConsoleAsset>;
}

/** Rejects when the build has left out the files. */
export async function readAssets(): Promise<ConsoleAssets> {
  const read = await Promise.all(
    FILES.map(async ({ name, type }) => {
      const plain = await readFile(new URL(name, FOLDER));
      return { name, type, plain, gzipped: await promisify(gzip)(plain) };
    }),
  );
  const hash = createHash('sha256');
  for (const { plain } of read) hash.update(plain);
  // Relative, so that the page also works below a path of a proxy in front.
  const folder = `console/${hash.digest('hex').slice(0, 16)}/`;
  return {
    html: `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Soapstone</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${folder}console.css">
<script type="module" src="${folder}console.js"></script>
<body>
<noscript>The console needs scripts. Metrics are at /metrics.</noscript>
</body>
</html>
`,
    files: new Map(read.map(({ name, ...asset }) => [`/${folder}${name}`, asset])),
  };
}
