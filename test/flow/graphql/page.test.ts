import t, { type Test } from 'tap';
import { answerWith } from '../../kit/backend.js';
import { missingBrowser, startBrowser } from '../../kit/browser.js';
import { envelope } from '../../kit/envelope.js';
import type { TestGateway } from '../../kit/gateway.js';
import { place, running, startDesk } from '../../kit/live-desk.js';
import { linksIn } from '../../kit/page-links.js';
import { useBackend, useGateway } from '../../kit/use.js';

/** GraphiQL for browsers, from the gateway itself. */

const services = (url: string): string => `services:
  shop:
    url: ${url}/shop
    namespace: urn:shop
    types: |
      type Query {
        "One <article> of the shop."
        article(sku: String!): Article
      }
      type Mutation { rename(sku: String!, name: String): Article }
      type Article { sku: String!, name: String, related: Article }
    operations:
      GetArticle: { field: Query.article }
      RenameArticle: { field: Mutation.rename }
`;

const ARTICLE = envelope(
  '<GetArticleResponse xmlns="urn:shop"><sku>A1</sku><name>Bolt</name></GetArticleResponse>',
);

async function start(t: Test, more = ''): Promise<TestGateway> {
  const backend = await useBackend(t, answerWith(ARTICLE));
  return useGateway(t, services(backend.url) + more);
}

const HTML = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

t.test('the page and all it needs come from the gateway', async (t) => {
  const gateway = await start(t);
  const url = `${gateway.url}/graphql`;
  const response = await fetch(url, { headers: HTML });
  const page = await response.text();
  t.match(response.headers.get('content-type'), 'text/html');
  const policy = response.headers.get('content-security-policy') ?? '';
  t.match(policy, "default-src 'none'; script-src 'self'; style-src 'self';");
  t.notMatch(policy, /unsafe|http|\*/);
  t.match(policy, "frame-ancestors 'none'");
  t.notMatch(
    page,
    /https?:|\/\/[a-z]|<style|<script[^>]*>[^<]/,
    'nothing of other hosts, nothing inline',
  );
  t.match(page, 'article(sku: &quot;A&quot;) {', 'an example to begin with');

  const links = linksIn(page, url);
  t.equal(links.length, 5);
  for (const link of [
    ...links,
    ...['fetcher.js'].map((name) => new URL(name, links.at(-1)).href),
  ]) {
    const asset = await fetch(link, { headers: { 'accept-encoding': 'identity' } });
    const text = await asset.text();
    t.equal(asset.status, 200, link);
    t.match(
      asset.headers.get('content-type'),
      link.endsWith('.css') ? 'text/css' : 'text/javascript',
    );
    t.equal(asset.headers.get('cache-control'), 'public, max-age=31536000, immutable');
    t.equal(asset.headers.get('x-content-type-options'), 'nosniff');
    t.notOk(text.includes('sourceMappingURL'), 'no map is asked for');
    if (link.endsWith('.css'))
      t.notOk(/@import|url\((?!["']?data:)/.test(text), 'a style loads nothing else');

    const zipped = await fetch(link, { headers: { 'accept-encoding': 'br, gzip;q=0.5' } });
    t.equal(zipped.headers.get('content-encoding'), 'gzip');
    t.equal(zipped.headers.get('vary'), 'accept-encoding');
    t.ok((await zipped.text()) === text, 'the same in either coding');
    const tag = asset.headers.get('etag') ?? '';
    const known = await fetch(link, { headers: { 'if-none-match': `"other", ${tag}` } });
    t.equal(known.status, 304);
    t.equal(await known.text(), '');
    const head = await fetch(link, { method: 'HEAD', headers: { 'accept-encoding': 'gzip;q=0' } });
    t.equal(head.headers.get('content-length'), String(Buffer.byteLength(text)));
  }
  t.equal((await fetch(links[0] ?? '', { method: 'POST', body: '{}' })).status, 405);
  for (const other of [
    '/graphql/assets/',
    '/graphql/assets/0/react.js',
    '/graphql/assets',
    '/graphql/x',
  ]) {
    t.equal((await fetch(gateway.url + other)).status, 404, other);
  }
  t.equal(
    (await fetch(new URL('LICENSE.react', links[0]))).status,
    404,
    'what the page does not name is not there',
  );
});

t.test('where the endpoint is somewhere else, so is the page', async (t) => {
  for (const path of ['/', '/api/v1/graphql']) {
    const gateway = await start(t, `graphql: { path: ${path} }\n`);
    const url = gateway.url + path;
    const links = linksIn(await (await fetch(url, { headers: HTML })).text(), url);
    t.equal(links.length, 5);
    for (const link of links) t.equal((await fetch(link)).status, 200, link);
  }
});

t.test('only a browser that wants a page gets one', async (t) => {
  const gateway = await start(t);
  const url = `${gateway.url}/graphql`;
  for (const accept of ['*/*', 'application/json', 'application/json, text/html']) {
    t.notMatch(
      (await fetch(url, { headers: { accept } })).headers.get('content-type'),
      'html',
      accept,
    );
  }
  const typed = { ...HTML, 'sec-fetch-site': 'none' };
  const asked = await fetch(`${url}?query={__typename}`, { headers: typed });
  t.match(await asked.json(), { data: { __typename: 'Query' } }, 'a question has an answer');
});

t.test('switched off, nothing of it is left', async (t) => {
  const gateway = await start(t, 'graphql: { graphiql: false }\n');
  const response = await fetch(`${gateway.url}/graphql`, { headers: HTML });
  t.equal(response.status, 400);
  t.notMatch(response.headers.get('content-type'), 'html');
  t.equal((await fetch(`${gateway.url}/graphql/assets/0/react.js`)).status, 404);
});

t.test(
  'the page shows nothing of the schema to clients without the right to introspection',
  async (t) => {
    const clients = `clients:
  apiKeys: { clients: { web: { class: all, keys: [key-of-the-web-000001] } } }
  classes: { all: {} }
`;
    for (const more of ['graphql: { introspection: false }\n', clients]) {
      const gateway = await start(t, more);
      const response = await fetch(`${gateway.url}/graphql`, { headers: HTML });
      t.equal(response.status, 200, 'people are asked who they are on the page');
      const page = await response.text();
      t.notMatch(page, /article|rename/i);
      for (const link of linksIn(page, response.url)) t.equal((await fetch(link)).status, 200);
    }
  },
);

t.test('in a browser: documentation, answers and errors', { skip: missingBrowser() }, async (t) => {
  const gateway = await start(t);
  const browser = await startBrowser();
  t.teardown(() => browser.close());
  const page = await browser.open(`${gateway.url}/graphql`);

  // Its own answer to the introspection query makes the documentation.
  await page.until(
    'document.querySelector(\'[aria-label="Show Documentation Explorer"]\') !== null',
  );
  await page.evaluate(
    'document.querySelector(\'[aria-label="Show Documentation Explorer"]\').click()',
  );
  await page.until("document.querySelector('.graphiql-doc-explorer')?.innerText.includes('Query')");
  await page.evaluate(
    "[...document.querySelectorAll('.graphiql-doc-explorer-type-name')].find((a) => " +
      "a.innerText === 'Query').click()",
  );
  await page.until(
    "document.querySelector('.graphiql-doc-explorer')?.innerText.includes('One " +
      "<article> of the shop.')",
  );

  const editor = "document.querySelector('.graphiql-query-editor .CodeMirror').CodeMirror";
  const result = "document.querySelector('.result-window .CodeMirror').CodeMirror.getValue()";
  t.match(await page.evaluate(`${editor}.getValue()`), 'article(sku: "A") {');
  const run = async (query: string | null, expected: string): Promise<void> => {
    if (query !== null) await page.evaluate(`${editor}.setValue(${JSON.stringify(query)})`);
    await page.evaluate("document.querySelector('.graphiql-execute-button').click()");
    await page.until(`${result}.includes(${JSON.stringify(expected)})`);
  };
  await run(null, '"name": "Bolt"');
  const picture = await page.screenshot();
  t.equal(picture.readUInt32BE(16), 1300, 'as wide as the window');
  // Letters, colours and icons: an empty page of this size has less than a tenth of it.
  t.ok(picture.length > 30_000, `${picture.length} bytes`);
  await run('{ article(sku: 5) { sku } }', 'GRAPHQL_VALIDATION_FAILED');
  await run('mutation { rename(sku: "a") { sku } }', '"rename"');
  await run('{ __typename', 'GRAPHQL_PARSE_FAILED');

  const { origin } = new URL(gateway.url);
  const foreign = page.loaded.filter(
    ({ url }) => !url.startsWith('data:') && new URL(url).origin !== origin,
  );
  t.same(foreign, [], 'no other host is asked');
  t.same(
    page.loaded.filter(({ status }) => status >= 400),
    [],
    'nothing is missing',
  );
  t.same(page.complaints, [], 'the policy allows all that it does');
});

t.test(
  'in a browser: a subscription tells what happens, until it is stopped',
  { skip: missingBrowser() },
  async (t) => {
    const { gateway, url } = await startDesk(t);
    const browser = await startBrowser();
    t.teardown(() => browser.close());
    const page = await browser.open(url);
    const button = "document.querySelector('.graphiql-execute-button')";
    const result = "document.querySelector('.result-window .CodeMirror').CodeMirror.getValue()";
    await page.until(`${button} !== null`);
    const query = 'subscription { orderPlaced { id customer } }';
    await page.evaluate(
      "document.querySelector('.graphiql-query-editor " +
        `.CodeMirror').CodeMirror.setValue(${JSON.stringify(query)})`,
    );
    await page.evaluate(`${button}.click()`);
    await running(gateway, 'orderPlaced', 1);
    for (const id of [101, 102]) {
      await place(gateway, 'Ann');
      await page.until(`${result}.includes('"id": ${id}')`);
    }
    // The same button stops it.
    await page.evaluate(`${button}.click()`);
    await running(gateway, 'orderPlaced', 0);
    t.same(page.complaints, []);
  },
);
