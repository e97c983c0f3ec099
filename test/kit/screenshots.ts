import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDemoBackend } from '../../config/demo/backend.js';
import { type BrowserPage, startBrowser } from './browser.js';
import { startTestGateway } from './gateway.js';
import { postJson } from './graphql-client.js';

/**
 * Makes the pictures of the console, GraphiQL and the page of REST in `deploy/images`, light and
 * dark, from the demonstration:
 * `npm run screenshots`.
 */

const WIDTH = 1200;
const QUERY = `{
  order(id: 7) {
    status
    total
    customer { name }
    lines { sku quantity }
  }
}`;
/** One client sends all requests. */
const PATIENCE =
  'limits: { http: { refusalsPerSecond: 1000 }, overload: { eventLoopMillis: 5000 } }\n';
/** A chart needs some readings. */
const TRAFFIC_MILLIS = 20_000;

const folder = mkdtempSync(join(tmpdir(), 'soapstone-pictures-'));
cpSync('config/demo', join(folder, 'demo'), { recursive: true });
const backend = await startDemoBackend('127.0.0.1', 0);
const gateway = await startTestGateway(
  readFileSync('config/soapstone.yaml', 'utf8')
    .replaceAll('127.0.0.1:8081', new URL(backend.url).host)
    .replace(/^(?:listen|admin|demo): .*\n/gm, '')
    .concat(PATIENCE),
  folder,
);
const browser = await startBrowser();
/** A page in both colour schemes: `NAME-light.png` and `NAME-dark.png`. */
async function picture(
  name: string,
  url: string,
  prepare: (page: BrowserPage) => Promise<void>,
): Promise<void> {
  for (const scheme of ['light', 'dark'] as const) {
    const page = await browser.open('about:blank');
    // Charts take the colour of the text when they are made.
    await page.show(WIDTH, scheme);
    await page.evaluate(`location.href = ${JSON.stringify(url)}`);
    const isThere = () => page.until(`location.href.startsWith(${JSON.stringify(url)})`);
    // The expression ends with the page that is left.
    await isThere().catch(isThere);
    await prepare(page);
    writeFileSync(`deploy/images/${name}-${scheme}.png`, await page.screenshot());
  }
}

async function sendRequests(millis: number): Promise<void> {
  const untilMillis = Date.now() + millis;
  while (Date.now() < untilMillis) {
    await postJson(`${gateway.url}/graphql`, JSON.stringify({ query: QUERY }));
    await postJson(`${gateway.url}/graphql`, JSON.stringify({ query: '{ nothing }' }));
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function runQuery(page: BrowserPage): Promise<void> {
  await page.until('document.querySelector(".CodeMirror") !== null');
  await page.evaluate(
    `document.querySelector('.graphiql-query-editor .CodeMirror')` +
      `.CodeMirror.setValue(${JSON.stringify(QUERY)})`,
  );
  await page.evaluate('document.querySelector(".graphiql-execute-button").click()');
  await page.until('document.body.innerText.includes("SHIPPED")');
}

try {
  await picture('console', `${gateway.adminUrl}/`, () => sendRequests(TRAFFIC_MILLIS));
  await picture('graphiql', `${gateway.url}/graphql`, runQuery);
  await picture('rest', `${gateway.url}/rest/openapi.html`, (page) =>
    page.until('document.querySelector(".opblock") !== null'),
  );
} finally {
  await browser.close();
  await gateway.close();
  await backend.close();
  rmSync(folder, { recursive: true, force: true });
}
