import type { GraphQLFieldMap, GraphQLSchema } from 'graphql';

/** What a browser may do on the page: send its one form back here. Nothing is loaded from anywhere. */
export const PAGE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'";

/**
 * A page for people who open the endpoint in a browser: what can be asked, and a form to ask it with. Plain HTML, so it
 * needs no script and no other host.
 */
export function printPage(schema: GraphQLSchema, path: string): string {
  const queries = schema.getQueryType()?.getFields() ?? {};
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>GraphQL</title>
<style>
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #222 }
  textarea { width: 100%; box-sizing: border-box; font: 14px/1.5 monospace; padding: .5rem }
  button { font: inherit; padding: .3rem 1.2rem; margin: .5rem 0 }
  code { font-size: 14px } dt { margin-top: .8rem } dd { margin: 0 0 0 1.5rem; color: #555 }
</style>
<h1>GraphQL</h1>
<form action="${escapeHtml(path)}" method="get">
  <label for="query">A query. Mutations are sent by POST.</label>
  <textarea id="query" name="query" rows="8" spellcheck="false" autofocus>${escapeHtml(EXAMPLE)}</textarea>
  <button>Run</button>
</form>
${printFields('Queries', queries)}${printFields('Mutations', schema.getMutationType()?.getFields() ?? {})}</html>
`;
}

/** Works on any schema, and shows what to write next. */
const EXAMPLE = `{
  __schema {
    queryType { fields { name description args { name } } }
  }
}`;

function printFields(title: string, fields: GraphQLFieldMap<unknown, unknown>): string {
  const rows = Object.values(fields).map((field) => {
    const given = field.args.map((argument) => `${argument.name}: ${argument.type}`);
    const call = given.length === 0 ? field.name : `${field.name}(${given.join(', ')})`;
    return `<dt><code>${escapeHtml(`${call}: ${field.type}`)}</code><dd>${escapeHtml(field.description ?? '')}\n`;
  });
  return rows.length === 0 ? '' : `<h2>${title}</h2>\n<dl>\n${rows.join('')}</dl>\n`;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
