import { Buffer } from 'node:buffer';
import { OPENAPI_PAGE } from '../../../config/rest/rest-rules.js';
import { pages } from '../../../graphql/index.js';
import type { OpenEndpoint } from '../../calls/http-exchange.js';
import { pageAnswerer } from '../../graphql/send-page.js';
import { OPENAPI_FILES, OPENAPI_FOLDER } from './openapi-files.js';

/** The page that shows the description beside it. */
const PAGE_PATH = OPENAPI_PAGE;

/** No service has a name with a dot: no operation is below it. */
const FOLDER = `${PAGE_PATH}/`;

/**
 * A page to read the description and to try operations, without files of other hosts. It knows
 * nothing that needs a credential: people give theirs on the page. Its files are read when the
 * first browser comes.
 */
export const makeOpenApiPage = (): OpenEndpoint => ({
  isFor: (path) => path === PAGE_PATH || path.startsWith(FOLDER),
  answer: pageAnswerer(PAGE_PATH, readOpenApiPage),
});

async function readOpenApiPage(): Promise<pages.Page> {
  const { version, byName } = await pages.readAssets(OPENAPI_FOLDER, OPENAPI_FILES);
  // Relative, so that the page also works where a proxy in front adds to the path.
  const relative = `openapi.html/${version}/`;
  return {
    html: Buffer.from(printOpenApiPage(relative)),
    tag: `"${version}"`,
    assets: new Map([...byName].map(([name, asset]) => [`${FOLDER}${version}/${name}`, asset])),
  };
}

function printOpenApiPage(folder: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>OpenAPI</title>
<link rel="icon" href="data:,">
${pages.printLinks(OPENAPI_FILES, folder)}<form class="credentials">
<label for="field">Header field of all requests</label>
<input id="field" autocomplete="off" spellcheck="false"
  placeholder="x-api-key: ... or authorization: Bearer ...">
<button>Use it</button>
</form>
<div id="openapi">
<p>This page shows the operations of services, which needs scripts. The description is
<a href="openapi.json">openapi.json</a>.</p>
</div>
</html>
`;
}
