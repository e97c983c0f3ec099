/** A file that the page for browsers loads. */
export interface PageFile {
  readonly name: string;
  readonly type: string;
  /**
   * The file of a development dependency that the build takes the text from; null for our own
   * files.
   */
  readonly source: string | null;
}

export const SCRIPT = 'text/javascript; charset=utf-8';
export const STYLE = 'text/css; charset=utf-8';

/**
 * The files of GraphiQL, in the order in which the page needs them. They are copied beside the
 * compiled code, so that an installation of the gateway needs none of the packages they come from.
 */
export const PAGE_FILES = [
  { name: 'graphiql.css', type: STYLE, source: 'graphiql/graphiql.min.css' },
  { name: 'react.js', type: SCRIPT, source: 'react/umd/react.production.min.js' },
  { name: 'react-dom.js', type: SCRIPT, source: 'react-dom/umd/react-dom.production.min.js' },
  { name: 'graphiql.js', type: SCRIPT, source: 'graphiql/graphiql.min.js' },
  { name: 'fetcher.js', type: SCRIPT, source: null },
  { name: 'start.js', type: SCRIPT, source: null },
] as const satisfies readonly PageFile[];

/** Their folder, seen from a file of this one. */
export const PAGE_FOLDER = new URL('./graphiql/', import.meta.url);
