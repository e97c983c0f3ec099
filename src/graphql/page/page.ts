import { Buffer } from 'node:buffer';

import { escapeQuoted } from '../../xml/index.js';
import { type Asset, assetsPath, readAssets } from './assets.js';
import { PAGE_FILES, PAGE_FOLDER, type PageFile, STYLE } from './page-files.js';

/**
 * The Content-Security-Policy: own scripts and styles, images and fonts in `data:`, requests to the
 * gateway only.
 */
export const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  'font-src data:',
  'img-src data:',
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** GraphiQL, for browsers at the endpoint, without files of other hosts. */
export interface Page {
  readonly html: Buffer;
  /** The ETag of all files, with its quotes. */
  readonly tag: string;
  /** Maps paths, as the page names them, to files: a file never changes under its path. */
  readonly assets: ReadonlyMap<string, Asset>;
}

/**
 * Reads the page of the endpoint at `path`, with `example` in its editor. Rejects when the build
 * has left out the files of GraphiQL.
 */
export async function readPage(path: string, example: string): Promise<Page> {
  const { version, byName } = await readAssets(PAGE_FOLDER, PAGE_FILES);
  const folder = `${assetsPath(path)}${version}/`;
  // Relative, so that the page also works where a proxy in front adds to the path.
  const relative = folder.slice(path.lastIndexOf('/') + 1);
  return {
    html: Buffer.from(printPage(relative, example)),
    tag: `"${version}"`,
    assets: new Map([...byName].map(([name, asset]) => [`${folder}${name}`, asset])),
  };
}

function printPage(folder: string, example: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>GraphQL</title>
<link rel="icon" href="data:,">
${printLinks(PAGE_FILES, folder)}<div id="graphiql" data-example="${escapeQuoted(example)}">
<p>This is a GraphQL endpoint. In a browser it is GraphiQL, which needs scripts.</p>
</div>
</html>
`;
}

/** The elements of a page that load its files, `start.js` as a module that imports others. */
export const printLinks = (files: readonly PageFile[], folder: string): string =>
  files
    .filter(({ name }) => !OF_START.has(name))
    .map(({ name, type }) => {
      const address = escapeQuoted(`${folder}${name}`);
      if (type === STYLE) return `<link rel="stylesheet" href="${address}">\n`;
      return `<script ${name === START ? 'type="module"' : 'defer'} src="${address}"></script>\n`;
    })
    .join('');

const START = 'start.js';

/** Modules that it imports itself. */
const OF_START: ReadonlySet<string> = new Set(['fetcher.js', 'operations.js']);
