import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDemoBackend } from '../../config/demo/backend.js';
import { startBrowser } from './browser.js';
import { startTestGateway } from './gateway.js';
import { postJson } from './graphql-client.js';

/**
 * Makes the pictures of the console and of GraphiQL in `deploy/images`, from the demonstration:
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
try {
  const page = await browser.open(`${gateway.adminUrl}/`);
  await page.show(WIDTH, 'light');
  const untilMillis = Date.now() + TRAFFIC_MILLIS;
  while (Date.now() < untilMillis) {
    await postJson(`${gateway.url}/graphql`, JSON.stringify({ query: QUERY }));
    await postJson(`${gateway.url}/graphql`, JSON.stringify({ query: '{ nothing }' }));
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  writeFileSync('deploy/images/console.png', await page.screenshot());

  const graphiql = await browser.open(`${gateway.url}/graphql`);
  await graphiql.show(WIDTH, 'light');
  await graphiql.until('document.querySelector(".CodeMirror") !== null');
  await graphiql.evaluate(
    `document.querySelector('.graphiql-query-editor .CodeMirror')` +
      `.CodeMirror.setValue(${JSON.stringify(QUERY)})`,
  );
  await graphiql.evaluate('document.querySelector(".graphiql-execute-button").click()');
  await graphiql.until('document.body.innerText.includes("SHIPPED")');
  writeFileSync('deploy/images/graphiql.png', await graphiql.screenshot());
} finally {
  await browser.close();
  await gateway.close();
  await backend.close();
  rmSync(folder, { recursive: true, force: true });
}
