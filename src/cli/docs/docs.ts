import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { compile } from '../../compile.js';
import { loadConfig } from '../../config/load.js';
import { schemaDocs } from '../../graphql/index.js';
import type { ExitCode, Terminal } from '../../process/terminal.js';
import { printHtml, printMarkdown } from './print-pages.js';

/**
 * Writes the schema as pages: Markdown, and one HTML page with a search. Throws
 * `ConfigurationError`.
 */
export async function docs(file: string, directory: string, terminal: Terminal): Promise<ExitCode> {
  const { graph, close } = await compile(await loadConfig(file, process.env));
  await close();
  const pages = schemaDocs.pagesOf(graph.schema, graph.fields, graph.subgraph !== null);
  if (pages.length === 0) {
    terminal.error('The configuration offers no operation.');
    return 1;
  }
  await mkdir(directory, { recursive: true });
  const files = [
    ...pages.map((page) => ({ name: `${page.file}.md`, text: printMarkdown(page) })),
    { name: 'index.html', text: printHtml(pages, randomBytes(16).toString('base64url')) },
  ];
  for (const { name, text } of files) {
    await writeFile(join(directory, name), text);
  }
  terminal.out(`Written to ${directory}: ${files.map(({ name }) => name).join(', ')}`);
  return 0;
}
