/** Pages with their files: GraphiQL, and that of the OpenAPI description. */

export { type Asset, assetsPath, readAssets } from './assets.js';
export { copyFiles } from './copy-files.js';
export { PAGE_POLICY, type Page, printLinks, readPage } from './page.js';
export { type PageFile, SCRIPT, STYLE } from './page-files.js';
