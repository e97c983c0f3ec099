import type { schemaDocs } from '../../graphql/index.js';
import { escapeQuoted } from '../../xml/index.js';

/** Prints a page as Markdown. Texts of the WSDL are texts: they make no headings, links or HTML. */
export function printMarkdown({ title, entries }: schemaDocs.DocsPage): string {
  const parts = entries.map(({ name, blocks }) =>
    [`## ${escapeMarkdown(name)}`, ...blocks.map(markdownOf)].join('\n\n'),
  );
  return `# ${title}\n\n${parts.join('\n\n')}\n`;
}

function markdownOf(block: schemaDocs.PageBlock): string {
  switch (block.kind) {
    case 'text':
      return inMarkdown(block.text);
    case 'code': {
      // No run of backticks in the text ends it.
      const runs = block.text.match(/`+/g) ?? [];
      const fence = '`'.repeat(Math.max(3, ...runs.map(({ length }) => length + 1)));
      return `${fence}${block.language}\n${block.text}\n${fence}`;
    }
    case 'table': {
      const rows = [
        block.head,
        block.head.map(() => '---'),
        ...block.rows.map((row) => row.map(cellOf)),
      ];
      return rows.map((row) => `| ${row.join(' | ')} |`).join('\n');
    }
  }
}

const cellOf = (text: schemaDocs.InlineText): string => inMarkdown(text).replace(/\s*\n\s*/g, ' ');

/** Names of GraphQL have no backtick; what else a type is written with has none either. */
const inMarkdown = (text: schemaDocs.InlineText): string =>
  text
    .map((part) => (typeof part === 'string' ? escapeMarkdown(part) : `\`${part.code}\``))
    .join('');

/**
 * Escapes every sign that has a meaning in Markdown, and those that have one at the beginning of a
 * line.
 */
const escapeMarkdown = (text: string): string =>
  text
    .replace(/[\\`*_{}[\]<>#|~=&]/g, '\\$&')
    .replace(/^[ \t]+/gm, '')
    .replace(/^(\d*)([-+.)])/gm, '$1\\$2');

/** Prints all pages as one HTML page with a search, which needs no other file and no network. */
export function printHtml(pages: readonly schemaDocs.DocsPage[], nonce: string): string {
  const sections = pages.map(({ title, file, entries }) => {
    const parts = entries.map(
      ({ name, blocks }) =>
        `<article id="${escapeQuoted(`${file}-${name}`)}"><h3>${escapeQuoted(name)}</h3>` +
        `${blocks.map(htmlOf).join('')}</article>`,
    );
    return `<section id="${file}"><h2>${escapeQuoted(title)}</h2>${parts.join('\n')}</section>`;
  });
  const links = pages
    .map(({ title, file }) => `<a href="#${file}">${escapeQuoted(title)}</a>`)
    .join(' ');
  const policy = `default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>API</title>
<style nonce="${nonce}">${STYLE}</style>
</head>
<body>
<header><label>Search <input type="search" id="search" autofocus></label> <nav>${links}</nav>
<output id="count"></output></header>
<main>
${sections.join('\n')}
</main>
<script nonce="${nonce}">${SCRIPT}</script>
</body>
</html>
`;
}

function htmlOf(block: schemaDocs.PageBlock): string {
  switch (block.kind) {
    case 'text':
      return `<p>${inHtml(block.text).replace(/\n\s*\n/g, '</p><p>')}</p>`;
    case 'code':
      return `<pre><code>${escapeQuoted(block.text)}</code></pre>`;
    case 'table': {
      const head = block.head.map((text) => `<th>${escapeQuoted(text)}</th>`).join('');
      const rows = block.rows.map(
        (row) => `<tr>${row.map((text) => `<td>${inHtml(text)}</td>`).join('')}</tr>`,
      );
      return `<table><thead><tr>${head}</tr></thead><tbody>${rows.join('')}</tbody></table>`;
    }
  }
}

const inHtml = (text: schemaDocs.InlineText): string =>
  text
    .map((part) =>
      typeof part === 'string' ? escapeQuoted(part) : `<code>${escapeQuoted(part.code)}</code>`,
    )
    .join('');

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 0 auto; max-width: 60rem; padding: 0 1rem 4rem; }
header { position: sticky; top: 0; padding: .75rem 0; background: Canvas;
  border-bottom: 1px solid GrayText; }
article { margin: 0 0 2.5rem; }
h3 { margin: 0 0 .25rem; font-family: ui-monospace, monospace; }
pre { overflow: auto; padding: .75rem; border: 1px solid GrayText; border-radius: .25rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .25rem .75rem .25rem 0;
  border-bottom: 1px solid GrayText; }
[hidden] { display: none; }
`;

/** Shows the entries that have all words that are searched for. */
const SCRIPT = `
const entries = [...document.querySelectorAll('article')].map((element) => ({
  element,
  text: element.textContent.toLowerCase(),
}));
const count = document.getElementById('count');
document.getElementById('search').addEventListener('input', ({ target }) => {
  const words = target.value.toLowerCase().split(/\\s+/).filter(Boolean);
  let shown = 0;
  for (const { element, text } of entries) {
    element.hidden = !words.every((word) => text.includes(word));
    if (!element.hidden) shown++;
  }
  for (const section of document.querySelectorAll('section'))
    section.hidden = section.querySelector('article:not([hidden])') === null;
  count.textContent = words.length === 0 ? '' : shown + ' of ' + entries.length;
});
`;
