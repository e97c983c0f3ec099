import { createHash } from 'node:crypto';
import t, { type Test } from 'tap';
import { answerWith, type RecordingBackend } from '../kit/backend.js';
import { envelope, MEDIA, SOAP, type Version } from '../kit/envelope.js';
import { WSSE } from '../kit/signed-message.js';
import { STOCK, useStockShop } from '../kit/stock-shop.js';

const SECRET = 'pä<ss>"wörd';

const message = (header: string, sku = '1', version: Version = '1.1'): string =>
  envelope(`<GetStock xmlns="urn:shop"><sku>${sku}</sku></GetStock>`, '', SOAP[version]).replace(
    '<s:Body>',
    `${header}$&`,
  );

async function startShop(t: Test, make: string, keys = '') {
  process.env['MAKE_PASSWORD'] = SECRET;
  const answer: RecordingBackend['answer'] = (asked, response) => {
    const version = String(asked.headers['content-type']).includes('soap+xml') ? '1.2' : '1.1';
    answerWith(envelope(STOCK, '', SOAP[version]), MEDIA[version])(asked, response);
  };
  const yaml = `    security: { make: ${make} }\n${keys}`;
  const { backend, gateway, ask } = await useStockShop(
    t,
    yaml,
    'read: {}, idempotent: true',
    answer,
  );
  return {
    backend,
    gateway,
    ask: (sku?: string) => ask({}, sku),
    send(body: string | Buffer, version: Version = '1.1', type: string = MEDIA[version]) {
      const headers = { 'content-type': type, ...(version === '1.1' ? { soapaction: '""' } : {}) };
      return fetch(`${gateway.url}/soap/shop`, { method: 'POST', headers, body });
    },
  };
}

const plainText = (text: string): string =>
  text
    .replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)))
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&amp;/g, '&');

const textIn = (body: string, element: string): string =>
  plainText(new RegExp(`<${element}(?: [^>]*)?>([^<]*)</`).exec(body)?.[1] ?? '');

/**
 * Verifies the block as a receiver does (UsernameToken Profile 1.1 section 3.1). Returns its nonce.
 */
function verify(t: Test, body: string, type: 'text' | 'digest'): string {
  t.equal(body.split('Security ').length - 1, 1, 'one Security block');
  t.equal(body.split('Header').length - 1, 2, 'one Header, before the Body');
  t.ok(body.indexOf('Header') < body.indexOf('Body'));
  const token = body.slice(body.indexOf('<wsse:UsernameToken'));
  t.equal(textIn(token, 'wsse:Username'), 'erp & co');
  const nonce = Buffer.from(textIn(token, 'wsse:Nonce'), 'base64');
  t.equal(nonce.length, 16);
  const created = textIn(token, 'wsu:Created');
  t.ok(Math.abs(Date.parse(created) - Date.now()) < 60_000);
  const digest = createHash('sha1').update(nonce).update(created).update(SECRET).digest('base64');
  t.equal(textIn(token, 'wsse:Password'), type === 'text' ? SECRET : digest);
  t.match(token, type === 'text' ? '#PasswordText"' : '#PasswordDigest"');
  return nonce.toString('hex');
}

const token = (type: string): string =>
  '{ timestamp: true, expiresMillis: 60000, replace: true, usernameToken: { username: ' +
  `erp & co, password: "\${MAKE_PASSWORD}", type: ${type} } }`;

t.test('calls of GraphQL fields carry a token and a timestamp, in both dialects', async (t) => {
  for (const version of ['1.1', '1.2'] as const) {
    for (const type of ['text', 'digest'] as const) {
      const shop = await startShop(t, token(type), `    versions: ["${version}"]`);
      t.match(await shop.ask(), '"stock":7');
      const body = String(shop.backend.complete[0]?.body);
      t.match(body, `xmlns:e="${SOAP[version]}" e:mustUnderstand="1"`);
      verify(t, body, type);
      const lifetime =
        Date.parse(textIn(body, 'wsu:Expires')) - Date.parse(textIn(body, 'wsu:Created'));
      t.equal(lifetime, 60_000);
      t.match(body, /<wsu:Timestamp wsu:Id="TS-[0-9a-f]{32}">/);
    }
  }
});

t.test("SOAP calls get the block in place of the caller's", async (t) => {
  const shop = await startShop(t, token('digest'), '    versions: ["1.1", "1.2"]');
  const own =
    `<w:Security xmlns:w="${WSSE}" s:mustUnderstand="1"><w:UsernameToken>` +
    '<w:Username>caller</w:Username></w:UsernameToken></w:Security>';
  const other = '<o:Other xmlns:o="urn:o">kept</o:Other>';
  for (const version of ['1.1', '1.2'] as const) {
    for (const header of [
      '',
      '<s:Header/>',
      '<s:Header></s:Header>',
      `<s:Header>${own}</s:Header>`,
      `<s:Header> ${other}${own}${other} </s:Header>`,
    ]) {
      t.equal((await shop.send(message(header, '1', version), version)).status, 200);
      const last = shop.backend.complete.at(-1);
      const body = String(last?.body);
      verify(t, body, 'digest');
      t.equal(Number(last?.headers['content-length']), last?.body.length);
      t.notMatch(body, 'caller');
      t.equal(body.split('kept').length, header.split('kept').length);
    }
  }
});

t.test(
  'a block for another receiver stays, and `replace: false` leaves SOAP calls as they are',
  async (t) => {
    const shop = await startShop(t, token('text'));
    const other = `<w:Security xmlns:w="${WSSE}" s:actor="urn:other"><w:UsernameToken/></w:Security>`;
    await shop.send(message(`<s:Header>${other}</s:Header>`));
    t.match(String(shop.backend.complete.at(-1)?.body), 's:actor="urn:other"');
    const silent = await startShop(t, token('text').replace('replace: true', 'replace: false'));
    const sent = message('<s:Header/>');
    await silent.send(sent);
    t.equal(String(silent.backend.complete.at(-1)?.body), sent);
  },
);

t.test('long messages and other encodings get the block as well', async (t) => {
  const shop = await startShop(t, token('digest'));
  for (const header of [
    '',
    '<s:Header/>',
    '<s:Header><o:Other xmlns:o="urn:o">é</o:Other></s:Header>',
  ]) {
    t.equal((await shop.send(message(header, '1'.repeat(300_000)))).status, 200);
    const long = shop.backend.complete.at(-1);
    verify(t, String(long?.body), 'digest');
    t.equal(Number(long?.headers['content-length']), long?.body.length);
    const wide = Buffer.from(`\ufeff${message(header)}`, 'utf16le');
    t.equal((await shop.send(wide, '1.1', 'text/xml; charset=utf-16')).status, 200);
    verify(t, shop.backend.complete.at(-1)?.body.toString('utf16le') ?? '', 'digest');
    const latin = Buffer.from(
      `<?xml version="1.0" encoding="ISO-8859-1"?>${message(header)}`,
      'latin1',
    );
    t.equal((await shop.send(latin, '1.1', 'text/xml; charset=iso-8859-1')).status, 200);
    verify(t, shop.backend.complete.at(-1)?.body.toString('latin1') ?? '', 'digest');
  }
});

t.test('each call and each repetition of one has a nonce of its own', async (t) => {
  const shop = await startShop(t, token('digest'));
  const { answer } = shop.backend;
  let isBroken = false;
  shop.backend.answer = (message, response) => {
    if (isBroken) response.destroy();
    else answer(message, response);
    isBroken = false;
  };
  for (let call = 0; call < 20; call++) await shop.ask(`s${call}`);
  isBroken = true;
  t.match(await shop.ask('1'), '"stock":7', 'repeated after its connection broke');
  t.equal(shop.backend.complete.length, 22);
  const nonces = shop.backend.complete.map(({ body }) => verify(t, String(body), 'digest'));
  t.equal(new Set(nonces).size, nonces.length);
});

t.test('identical calls are one call, whatever nonce they would have', async (t) => {
  const shop = await startShop(t, token('digest'));
  await Promise.all([
    shop.ask(),
    shop.ask(),
    shop.ask(),
    shop.send(message('')),
    shop.send(message('<s:Header/>')),
  ]);
  t.equal(shop.backend.complete.length, 2, 'one by GraphQL and one by SOAP');
});

t.test('monitor mode leaves SOAP messages as they came', async (t) => {
  const shop = await startShop(t, token('text'), '    mode: monitor');
  await shop.send(message('<s:Header/>'));
  t.equal(String(shop.backend.complete.at(-1)?.body), message('<s:Header/>'));
});

t.test('the password is in no output of the gateway', async (t) => {
  const shop = await startShop(t, token('text'));
  await shop.ask();
  shop.backend.answer = (message, response) =>
    response.writeHead(500, { 'content-type': 'text/html' }).end(message.body);
  const answers = [await shop.ask('2'), await (await shop.send(message(''))).text()];
  const output = JSON.stringify([answers, shop.gateway.logLines(), await shop.gateway.metrics()]);
  t.notMatch(output, /wörd|w&#246;rd|ss&gt;/);
});
