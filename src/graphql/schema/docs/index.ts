/** The schema as documentation, with examples. */

export { entriesOf, pagesOf } from './docs-pages.js';
export { EXAMPLE_TEXTS, exampleCalls, exampleQuery } from './example.js';
export { exampleOfOperation, validArguments } from './example-arguments.js';
export type { DocsPage, InlineText, PageBlock, PageEntry } from './page-block.js';
