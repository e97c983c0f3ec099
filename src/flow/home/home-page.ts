import { createHash } from 'node:crypto';
import { escapeQuoted } from '../../xml/index.js';

/** A line of the page: an address of this gateway, and what there is to read about it. */
export interface HomeLink {
  /** Null for an address that browsers cannot show. */
  readonly path: string | null;
  readonly text: string;
  readonly note?: string;
  readonly more: readonly { readonly path: string; readonly text: string }[];
}

export interface HomeSection {
  readonly heading: string;
  readonly links: readonly HomeLink[];
}

/** The colours and fonts of the console, light and dark. */
const STYLE = `
:root { color-scheme: light dark; --text: #373c44; --back: #fff; --link: #0172ad; --line: #e7eaf0;
  --soft: #646b79; }
@media (prefers-color-scheme: dark) {
  :root { --text: #c2c7d0; --back: #13171f; --link: #01aaff; --line: #202632; --soft: #8891a4; }
}
body { margin: 0 auto; max-width: 48rem; padding: 1.5rem 1rem 3rem; background: var(--back);
  color: var(--text); font: 1rem/1.5 system-ui, "Segoe UI", Roboto, Helvetica, Arial, sans-serif; }
h1 { margin: 0 0 1rem; font-size: 1.25rem; }
h2 { margin: 1.5rem 0 0.5rem; font-size: 1.15rem; }
ul { margin: 0; padding: 0; list-style: none; }
li { display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; padding: 0.4rem 0;
  border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
a { color: var(--link); }
code { font-family: ui-monospace, Consolas, monospace; font-size: 0.9em; }
small { color: var(--soft); }
`;

/** The Content-Security-Policy of the page, which has a style of its own and nothing else. */
export const HOME_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Sections without a line are left out. */
export function printHome(sections: readonly HomeSection[]): string {
  const shown = sections.filter(({ links }) => links.length > 0);
  const body =
    shown.length === 0
      ? '<p>There is nothing here that you may call.</p>\n'
      : shown.map(printSection).join('');
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Services</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
<h1>Services</h1>
${body}</html>
`;
}

const printSection = ({ heading, links }: HomeSection): string =>
  `<h2>${escapeQuoted(heading)}</h2>\n<ul>\n${links.map(printLink).join('')}</ul>\n`;

function printLink({ path, text, note, more }: HomeLink): string {
  const name = path === null ? `<code>${escapeQuoted(text)}</code>` : anchor(path, text);
  const notes = note === undefined ? '' : ` <small>${escapeQuoted(note)}</small>`;
  return `<li>${name}${notes}${more.map((each) => ` ${anchor(each.path, each.text)}`).join('')}\n`;
}

/** Relative, so that the page also works where a proxy in front adds to the path. */
const anchor = (path: string, text: string): string =>
  `<a href=".${escapeQuoted(path)}">${escapeQuoted(text)}</a>`;
