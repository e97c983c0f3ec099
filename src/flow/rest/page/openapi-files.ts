import { pages } from '../../../graphql/index.js';

/**
 * The files of the page that shows the OpenAPI description, in the order in which it needs them.
 */
export const OPENAPI_FILES = [
  { name: 'swagger-ui.css', type: pages.STYLE, source: 'swagger-ui-dist/swagger-ui.css' },
  { name: 'page.css', type: pages.STYLE, source: null },
  { name: 'swagger-ui.js', type: pages.SCRIPT, source: 'swagger-ui-dist/swagger-ui-bundle.js' },
  { name: 'start.js', type: pages.SCRIPT, source: null },
  { name: 'operations.js', type: pages.SCRIPT, source: null },
] as const satisfies readonly pages.PageFile[];

/** Their folder, seen from a file of this one. */
export const OPENAPI_FOLDER = new URL('./swagger/', import.meta.url);
