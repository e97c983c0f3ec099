import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import t, { type Test } from 'tap';

import { verifyAudit } from '../../src/cli/audit.js';
import { answerWith } from '../kit/backend.js';
import { type Bank, keyOf, SECRETS, startBank } from '../kit/bank.js';
import { postSoap } from '../kit/envelope.js';
import { postGraphql } from '../kit/graphql-client.js';
import { until } from '../kit/until.js';
import { useBackend } from '../kit/use.js';

/** A decision point that is asked about each call, and the record of decisions. */

interface Point {
  readonly url: string;
  readonly inputs: { readonly input: Record<string, unknown> }[];
  answer: (input: Record<string, unknown>) => string | null;
}

async function startPoint(t: Test): Promise<Point> {
  const point: Point & { url: string } = { url: '', inputs: [], answer: () => '{"result": true}' };
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => {
      body += chunk;
    });
    request.on('end', () => {
      const asked = JSON.parse(body);
      point.inputs.push({ ...asked, token: request.headers.authorization });
      const text = point.answer(asked.input);
      if (text !== null) response.end(text);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  point.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/data/soapstone/allow`;
  return point;
}

const soap = (bank: Bank, name: string, operation = 'GetSecret'): Promise<Response> =>
  postSoap(
    `${bank.gateway.url}/soap/bank`,
    `<E:Envelope xmlns:E="http://schemas.xmlsoap.org/soap/envelope/"><E:Body><${operation} xmlns="urn:bank"><id>1</id></${operation}></E:Body></E:Envelope>`,
    { soapaction: `"${operation}"`, ...keyOf(name) },
  );

const graphql = async (bank: Bank, query: string, name: string): Promise<string> =>
  (await postGraphql(bank.gateway.url, { query }, keyOf(name))).text();

const CLASSES = { plain: '{ scopes: [a] }', boss: '{ deny: [bank.Find] }' };

async function start(t: Test, keys: string): Promise<{ readonly bank: Bank; readonly point: Point }> {
  const point = await startPoint(t);
  const bank = await startBank(CLASSES, '', '', `  authorize: { url: "${point.url}"${keys} }\n`);
  t.teardown(() => bank.close());
  return { bank, point };
}

t.test('a decision point decides on each SOAP call and GraphQL operation', async (t) => {
  const { bank, point } = await start(t, ', timeoutMillis: 5000, token: secret-token');
  point.answer = ({ client }) => JSON.stringify({ result: { allow: (client as { name: string }).name === 'boss' } });
  const refused = await soap(bank, 'plain');
  t.match(await refused.text(), 'code="FORBIDDEN"', 'a Fault');
  t.match(await graphql(bank, '{ getSecret(id: "1") }', 'plain'), '"code":"FORBIDDEN"', 'an error');
  t.same(bank.called(), [], 'nothing is called');
  t.match(await (await soap(bank, 'boss')).text(), SECRETS.secret);
  t.match(await graphql(bank, '{ getCustomer(id: "1") { id friend { iban } } }', 'boss'), SECRETS.iban);
  t.match(await graphql(bank, '{ find(ids: ["1"]) { id } }', 'boss'), '"code":"FORBIDDEN"', 'the class comes first');
  t.equal(point.inputs.length, 4, 'each once, none about what the class denies');
  t.match(point.inputs[0], {
    token: 'Bearer secret-token',
    input: {
      client: { name: 'plain', class: 'plain', by: 'apiKey', authenticated: true, scopes: ['a'] },
      address: '127.0.0.1',
      method: 'POST',
      protocol: 'soap',
      service: 'bank',
      operation: 'GetSecret',
      operations: ['bank.GetSecret'],
    },
  });
  t.match(point.inputs[3]?.input, {
    protocol: 'graphql',
    operation: 'query',
    operations: ['bank.GetCustomer'],
    fields: ['Query.getCustomer', /\.id$/, /\.id$/],
  });
  t.match(await bank.gateway.metrics(), /soapstone_authorization_decisions_total\{result="denied"\} 2/);
});

t.test('plain routes, WSDLs and pages are asked about', async (t) => {
  const point = await startPoint(t);
  const files = await useBackend(t, answerWith('a file', 'text/plain'));
  const routes = `routes: [{ path: /files, url: "${files.url}" }]\n`;
  const bank = await startBank(CLASSES, '', routes, `  authorize: { url: "${point.url}", timeoutMillis: 5000 }\n`);
  t.teardown(() => bank.close());
  const get = (path: string): Promise<Response> => fetch(bank.gateway.url + path, { headers: keyOf('boss') });
  point.answer = () => '{"result": false}';
  for (const path of ['/files/a.txt?key=s', '/soap/bank?wsdl', '/soap/bank'])
    t.equal((await get(path)).status, 403, `${path} is refused`);
  t.equal(files.begun, 0, 'nothing is called');
  t.match(
    point.inputs.map(({ input: { protocol, service, operation, path } }) => [protocol, service, operation, path]),
    [
      ['http', null, null, '/files/a.txt'],
      ['http', 'bank', null, '/soap/bank'],
      ['http', 'bank', null, '/soap/bank'],
    ],
  );
  t.notMatch(JSON.stringify(point.inputs), 'key=s', 'a query may hold a secret');
  point.answer = () => '{"result": true}';
  t.equal(await (await get('/files/a.txt')).text(), 'a file');
  t.match(await (await get('/soap/bank?wsdl')).text(), 'definitions');
});

t.test('without an answer in time requests are refused, or pass where the configuration says so', async (t) => {
  for (const [onError, code] of [
    ['deny', /FORBIDDEN/],
    ['allow', SECRETS.secret],
  ] as const) {
    const { bank, point } = await start(t, `, timeoutMillis: 100, onError: ${onError}`);
    for (const answer of [() => null, () => 'nonsense']) {
      point.answer = answer;
      t.match(await (await soap(bank, 'plain')).text(), code, onError);
    }
    point.answer = () => '{}';
    t.match(await graphql(bank, '{ getSecret(id: "1") }', 'plain'), 'FORBIDDEN', 'no result is no right');
  }
});

t.test('decisions are remembered for equal requests as long as configured', async (t) => {
  const { bank, point } = await start(t, ', timeoutMillis: 5000, cacheMillis: 60000');
  await Promise.all([1, 2, 3].map(() => soap(bank, 'plain')));
  await soap(bank, 'plain');
  t.equal(point.inputs.length, 1, 'asked once');
  await soap(bank, 'boss');
  t.equal(point.inputs.length, 2, 'another client is another question');
});

t.test('a subscription is asked about again while it goes on, and ends when it is denied', async (t) => {
  const point = await startPoint(t);
  const subscriptions = 'subscriptions: { polled: { poll: { operation: bank.GetCustomer, everyMillis: 1000 } } }\n';
  const keys = 'timeoutMillis: 5000, recheckMillis: 100';
  const bank = await startBank(CLASSES, '', subscriptions, `  authorize: { url: "${point.url}", ${keys} }\n`);
  t.teardown(() => bank.close());
  const ask = (name: string, field = 'id') =>
    postGraphql(
      bank.gateway.url,
      { query: `subscription { polled(id: "1") { ${field} } }` },
      { ...keyOf(name), accept: 'text/event-stream' },
    );
  const [plain, boss] = await Promise.all([ask('plain'), ask('boss')]);
  await until(() => point.inputs.length >= 8);
  t.match(point.inputs.at(-1)?.input, { ...point.inputs[0]?.input, client: { name: String } }, 'the same question');
  point.answer = ({ client }) => JSON.stringify({ result: (client as { name: string }).name === 'boss' });
  t.match(await plain.text(), /"code":"FORBIDDEN".*event: complete/s);
  t.match(await bank.gateway.logLine('subscription ended'), { why: 'denied' });
  const asked = point.inputs.length;
  await until(() => point.inputs.length >= asked + 2);
  t.notOk(point.inputs.slice(asked + 1).some(({ input }) => (input['client'] as { name: string }).name === 'plain'));
  await boss.body?.cancel();
  await until(() => bank.gateway.logLines().filter(({ msg }) => msg === 'subscription ended').length === 2);
  const last = point.inputs.length;
  // As often as it would be asked about both.
  const other = await ask('boss', 'iban');
  const asksOther = ({ input }: Point['inputs'][number]): boolean => /iban/.test(String(input['fields']));
  await until(() => point.inputs.slice(last).filter(asksOther).length >= 4);
  const about = point.inputs.slice(last).filter((each) => !asksOther(each));
  t.ok(about.length <= 1, 'nothing is asked about a subscription that is over');
  await other.body?.cancel();
});

const terminal = () => {
  const lines: string[] = [];
  const take = (text: string): void => void lines.push(text);
  return { lines, out: take, error: take, environment: {}, directory: '.', isInteractive: false };
};

t.test('each request is asked about, however many questions had no answer', async (t) => {
  const { bank, point } = await start(t, ', timeoutMillis: 50');
  point.answer = () => null;
  for (let n = 0; n < 8; n++) t.match(await graphql(bank, '{ getSecret(id: "1") }', 'plain'), 'FORBIDDEN');
  point.answer = () => '{"result": true}';
  await until(async () => (await graphql(bank, '{ getSecret(id: "1") }', 'plain')).includes(SECRETS.secret));
  t.equal(point.inputs.length, 9);
});

t.test('decisions are recorded in a chain that shows changes', async (t) => {
  const home = await mkdtemp(join(tmpdir(), 'soapstone-'));
  t.teardown(() => rm(home, { recursive: true }));
  const file = join(home, 'audit.log');
  const service = `    operations: { GetSecret: { scopes: [secret] }, GetCustomer: {} }
    schema: { types: { Customer: { fields: { iban: { mask: { plain: last4 } }, tax: { scopes: [tax] } } } } }`;
  const bank = await startBank(CLASSES, service, `audit: { file: ${file} }`, '  trustedProxies: [127.0.0.1]\n');
  const lines = (): Record<string, unknown>[] =>
    readFileSync(file, 'utf8')
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  await soap(bank, 'plain');
  await graphql(
    bank,
    'query Secret { getCustomer(id: "1") { iban tax id } getSecret(id: "SECRET-ARGUMENT") }',
    'plain',
  );
  await soap(bank, 'boss', 'GetCustomer');
  const forwarded = { 'x-api-key': 'x'.repeat(20), 'x-forwarded-for': '203.0.113.9' };
  await fetch(`${bank.gateway.url}/soap/bank`, { method: 'POST', headers: forwarded });
  await until(() => lines().length === 4);
  t.match(lines(), [
    {
      seq: 1,
      previous: null,
      client: 'apiKey:plain',
      class: 'plain',
      decision: 'denied',
      rule: 'FORBIDDEN',
      of: ['bank.GetSecret'],
    },
    { seq: 2, decision: 'withheld', of: ['Customer.tax', 'bank.GetSecret'] },
    { seq: 3, decision: 'masked', of: ['Customer.iban'] },
    { seq: 4, address: '203.0.113.9', peer: '127.0.0.1', decision: 'denied', rule: 'wsse:FailedAuthentication' },
  ]);
  const text = await readFile(file, 'utf8');
  t.notMatch(text, /SECRET|x{20}/, 'without values');
  await rename(file, `${file}.1`);
  while (!existsSync(file)) {
    await soap(bank, 'plain');
    await setTimeout(100);
  }
  await bank.close();
  const whole = terminal();
  t.equal(
    await verifyAudit([`${file}.1`, file], { isContinued: false, keyFile: null }, whole),
    0,
    'whole, over both files',
  );
  t.match(whole.lines.join('\n'), /is whole: lines \d+, chains 1/);
  t.equal(
    await verifyAudit([file], { isContinued: true, keyFile: null }, terminal()),
    0,
    'a file alone may go on from another',
  );
  const alone = terminal();
  t.equal(await verifyAudit([file], { isContinued: false, keyFile: null }, alone), 1, 'its beginning is missing');
  t.match(alone.lines.join('\n'), /begins with line \d+.*--continued/s);
  const own = (await readFile(`${file}.1`, 'utf8')).split('\n');
  const broken = join(home, 'broken.log');
  for (const [what, edited] of [
    ['a changed line', own.map((line, index) => (index === 1 ? line.replace('plain', 'other') : line))],
    ['a missing line', own.filter((_line, index) => index !== 2)],
    ['lines out of order', [own[1] ?? '', own[0] ?? '', ...own.slice(2)]],
    ['another line', ['{"a":1}', ...own]],
  ] as const) {
    await writeFile(broken, edited.join('\n'));
    t.equal(await verifyAudit([broken], { isContinued: false, keyFile: null }, terminal()), 1, what);
  }
  t.equal(await verifyAudit([join(home, 'none.log')], { isContinued: false, keyFile: null }, terminal()), 2, 'no file');
});
