import { Buffer } from 'node:buffer';
import t, { type Test } from 'tap';
import { largeWsdl } from '../bench/wsdl.js';
import { missingBrowser, startBrowser } from '../kit/browser.js';
import { type Crm, clientsOf, keyOf, useCrm } from '../kit/crm.js';
import { linksIn } from '../kit/page-links.js';
import { useGateway } from '../kit/use.js';

/** The page of the OpenAPI description, from the gateway itself. */

const start = (t: Test, more = '', service = ', rest: true'): Promise<Crm> =>
  useCrm(t, service, more);

const PAGE = '/rest/openapi.html';

t.test('the page and all it needs come from the gateway', async (t) => {
  const crm = await start(t, clientsOf({ full: '{}' }));
  const url = crm.gateway.url + PAGE;
  const response = await fetch(url);
  const page = await response.text();
  t.equal(response.status, 200, 'people are asked who they are on the page');
  const policy = response.headers.get('content-security-policy') ?? '';
  t.match(policy, "default-src 'none'; script-src 'self'; style-src 'self';");
  t.notMatch(policy, /unsafe|http|\*/);
  t.notMatch(
    page,
    /https?:|\/\/[a-z]|<style|style=|<script[^>]*>[^<]/,
    'nothing of other hosts, nothing inline',
  );
  t.notMatch(page, /crm|customer/i, 'no name of an operation');
  const links = linksIn(page, url).filter((link) => !link.endsWith('openapi.json'));
  t.equal(links.length, 4);
  for (const link of links) {
    const asset = await fetch(link, { headers: { 'accept-encoding': 'identity' } });
    const text = await asset.text();
    t.equal(asset.status, 200, link);
    t.match(
      asset.headers.get('content-type'),
      link.endsWith('.css') ? 'text/css' : 'text/javascript',
    );
    t.equal(asset.headers.get('cache-control'), 'public, max-age=31536000, immutable');
    t.notOk(text.includes('sourceMappingURL='), `${link} asks for no map`);
    const known = await fetch(link, {
      headers: { 'if-none-match': asset.headers.get('etag') ?? '' },
    });
    t.equal(known.status, 304);
    t.equal((await fetch(link, { method: 'HEAD' })).status, 200);
  }
  t.equal((await fetch(url, { method: 'POST', body: '{}' })).status, 405);
  t.equal((await fetch(new URL('LICENSE.swagger-ui-dist', links[0]))).status, 404);
});

t.test(
  'there is none without REST, nor where it or names of the schema are not shown',
  async (t) => {
    for (const [more, service] of [
      ['', ''],
      ['graphql: { graphiql: false }\n', ', rest: true'],
      ['graphql: { introspection: false }\n', ', rest: true'],
    ] as const) {
      const crm = await start(t, more, service);
      t.equal((await fetch(crm.gateway.url + PAGE)).status, 404, more);
    }
  },
);

t.test('a browser shows the operations and calls one', { skip: missingBrowser() }, async (t) => {
  const crm = await start(t, clientsOf({ full: '{}' }));
  const browser = await startBrowser();
  t.teardown(() => browser.close());
  const page = await browser.open(crm.gateway.url + PAGE);
  await page.until(`document.body?.innerText.includes('Unauthorized') === true`);
  await page.evaluate(`(() => {
    document.querySelector('#field').value = 'x-api-key: ${keyOf('full')}';
    document.querySelector('.credentials button').click();
  })()`);
  await page.until(`document.querySelector('.opblock-get .opblock-summary-control') !== null`);
  const names = await page.evaluate(
    "[...document.querySelectorAll('.opblock-summary-path')].map((each) => " +
      "each.textContent.replace(/\\u200b/g, ''))",
  );
  t.ok(Array.isArray(names) && names.includes('/rest/crm/GetCustomer'), String(names));
  const click = (selector: string): Promise<unknown> =>
    page.evaluate(`document.querySelector(${JSON.stringify(selector)}).click()`);
  const block = '[id$="-getCustomer"]';
  await click(`${block} .opblock-summary-control`);
  await page.until(`document.querySelector('${block} .try-out__btn') !== null`);
  await click(`${block} .try-out__btn`);
  await page.until(`document.querySelector('${block} tr[data-param-name="id"] input') !== null`);
  await page.evaluate(`(() => {
    const input = document.querySelector('${block} tr[data-param-name="id"] input');
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(input, '7');
    input.dispatchEvent(new Event('input', { bubbles: true }));
  })()`);
  // The page takes what is typed a little later, and sends the example before.
  await page.until(`(() => {
    const sent = document.querySelector('${block} .request-url');
    if (sent?.innerText.includes('id=7') !== true) {
      document.querySelector('${block} .execute').click();
      return false;
    }
    return document.querySelector('${block} .live-responses-table')?.innerText.includes('Ada') === true;
  })()`);
  t.match(crm.backend.complete.at(-1)?.body.toString(), /id>7</);
  const policies = page.complaints.filter((each) => /policy/i.test(each));
  t.same(policies, [], 'the policy of the page is kept');
  const origin = new URL(crm.gateway.url).origin;
  t.same(
    page.loaded.filter(({ url }) => !url.startsWith(origin) && !url.startsWith('data:')),
    [],
  );
  t.ok(Buffer.byteLength(await page.screenshot()) > 0);
});

t.test(
  'the document has all operations, a filter finds them, and each has an address',
  { skip: missingBrowser() },
  async (t) => {
    const folder = t.testdir({
      'large.wsdl': largeWsdl(120, 100).replaceAll('name="Op', 'name="GetItem'),
    });
    const gateway = await useGateway(
      t,
      `services: { large: { wsdl: ${folder}/large.wsdl, url: "http://127.0.0.1:1", rest: ` +
        `true } }\n`,
    );
    const browser = await startBrowser();
    t.teardown(() => browser.close());
    const page = await browser.open(gateway.url + PAGE);
    // Each reads, so that it may be asked for by GET and by POST.
    await page.until(`document.querySelectorAll('.opblock').length === 200`);
    await page.evaluate(`(() => {
      const input = document.querySelector('.operation-filter-input');
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set
        .call(input, 'getitem99');
      input.dispatchEvent(new Event('input', { bubbles: true }));
    })()`);
    await page.until(`document.querySelectorAll('.opblock').length === 2`);
    await page.evaluate(`document.querySelector('.opblock-summary-control').click()`);
    await page.until(`location.hash === '#/large/getItem99'`);
    t.same(
      page.complaints.filter((each) => /policy/i.test(each)),
      [],
    );
  },
);
