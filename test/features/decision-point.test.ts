import { existsSync, readFileSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import t, { type Test } from 'tap';

import { verifyAudit } from '../../src/cli/audit.js';
import { answerWith } from '../kit/backend.js';
import { keyOf, SECRETS, useBank } from '../kit/bank.js';
import { recordedTerminal } from '../kit/command.js';
import { envelope } from '../kit/envelope.js';
import type { TestGateway } from '../kit/gateway.js';
import { postGraphql } from '../kit/graphql-client.js';
import { running } from '../kit/live-desk.js';
import { post, RawClient } from '../kit/raw-client.js';
import { until } from '../kit/until.js';
import { useBackend, useFolder, useService } from '../kit/use.js';

/** A decision point that is asked about each call, and the record of decisions. */

type Input = Readonly<Record<string, unknown>>;

interface Point {
  readonly url: string;
  readonly inputs: { readonly input: Input }[];
  answer: (input: Input) => string | null;
  /** The answers that were not given. */
  readonly held: ServerResponse[];
}

async function startPoint(t: Test): Promise<Point> {
  const inputs: Point['inputs'] = [];
  const server = await useBackend(t, ({ body, headers }, response) => {
    const asked = JSON.parse(String(body));
    inputs.push({ ...asked, token: headers['authorization'] });
    const text = point.answer(asked.input);
    if (text === null) point.held.push(response);
    else response.end(text);
  });
  const url = `${server.url}/v1/data/soapstone/allow`;
  const point: Point = { url, inputs, answer: () => '{"result": true}', held: [] };
  return point;
}

const isBoss = ({ client }: Input): boolean => Object(client).name === 'boss';
const SECRET = '{ getSecret(id: "1") }';

const CLASSES = { plain: '{ scopes: [a] }', boss: '{ deny: [bank.Find] }' };

async function start(t: Test, keys: string, more = '') {
  const point = await startPoint(t);
  const bank = await useBank(t, CLASSES, '', more, `  authorize: { url: "${point.url}"${keys} }\n`);
  /** The texts of the answers to a call. */
  const soap = async (name: string): Promise<string> => (await bank.call('GetSecret', name)).text();
  const graphql = async (query: string, name: string): Promise<string> =>
    (await bank.ask(query, name)).text;
  return { bank, point, soap, graphql };
}

t.test('no field is hidden from a decision point by many others', async (t) => {
  const point = await startPoint(t);
  point.answer = ({ fields }) =>
    JSON.stringify({ result: !String(fields).includes('Customer.iban') });
  const names = Array.from({ length: 10_000 }, (_, at) => `f${at}`);
  const { ask, backend } = await useService(
    t,
    answerWith(
      envelope('<GetCustomerResponse xmlns="urn:crm"><iban>1</iban></GetCustomerResponse>'),
    ),
    (url) => `services:
  crm:
    url: ${url}/crm
    namespace: urn:crm
    types: "type Query { customer(id: ID): Customer } type Customer { iban: \
String ${names.map((name) => `${name}: String`).join(' ')} }"
    operations: { GetCustomer: { field: Query.customer } }
limits: { graphql: { tokens: 20000, characters: 100000, selections: 20000, cost: 1000000 } }
clients: { address: { class: all }, classes: { all: {} }, authorize: { url: "${point.url}", \
timeoutMillis: 5000 } }
`,
  );
  const query = (count: number, more = ''): string =>
    `{ customer(id: 1) { ${names.slice(0, count).join(' ')} ${more} } }`;
  const codeOf = async (text: string): Promise<unknown> =>
    (await ask(text)).errors?.[0]?.extensions?.code;
  t.equal(await codeOf(query(1)), undefined);
  t.equal(await codeOf(query(2000)), undefined);
  t.equal(await codeOf(query(2000, 'iban')), 'FORBIDDEN', 'it is told of all');
  const [asked, called] = [point.inputs.length, backend.complete.length];
  t.equal(await codeOf(query(10_000, 'iban')), 'FORBIDDEN', 'of too many it is not asked');
  t.same([point.inputs.length, backend.complete.length], [asked, called]);
});

t.test('a decision point decides on each SOAP call and GraphQL operation', async (t) => {
  const { bank, point, soap, graphql } = await start(
    t,
    ', timeoutMillis: 5000, token: secret-token',
  );
  point.answer = (input) => JSON.stringify({ result: { allow: isBoss(input) } });
  t.match(await soap('plain'), 'code="FORBIDDEN"', 'a Fault');
  t.match(await graphql(SECRET, 'plain'), '"code":"FORBIDDEN"', 'an error');
  t.same(bank.called(), [], 'nothing is called');
  t.match(await soap('boss'), SECRETS.secret);
  t.match(await graphql('{ getCustomer(id: "1") { id friend { iban } } }', 'boss'), SECRETS.iban);
  t.match(
    await graphql('{ find(ids: ["1"]) { id } }', 'boss'),
    '"code":"FORBIDDEN"',
    'the class comes first',
  );
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
  t.match(
    await bank.gateway.metrics(),
    /soapstone_authorization_decisions_total\{result="denied"\} 2/,
  );
});

t.test('plain routes, WSDLs and pages are asked about', async (t) => {
  const files = await useBackend(t, answerWith('a file', 'text/plain'));
  const routes = `routes: [{ path: /files, url: "${files.url}" }]\n`;
  const { bank, point } = await start(t, ', timeoutMillis: 5000', routes);
  const get = (path: string): Promise<Response> =>
    fetch(bank.gateway.url + path, { headers: keyOf('boss') });
  point.answer = () => '{"result": false}';
  for (const path of ['/files/a.txt?key=s', '/soap/bank?wsdl', '/soap/bank'])
    t.equal((await get(path)).status, 403, `${path} is refused`);
  t.equal(files.begun, 0, 'nothing is called');
  t.match(
    point.inputs.map(({ input: { protocol, service, operation, path } }) => [
      protocol,
      service,
      operation,
      path,
    ]),
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

t.test(
  'without an answer in time requests are refused, or pass where the configuration says so',
  async (t) => {
    for (const [onError, code] of [
      ['deny', /FORBIDDEN/],
      ['allow', SECRETS.secret],
    ] as const) {
      const { point, soap, graphql } = await start(t, `, timeoutMillis: 100, onError: ${onError}`);
      for (const answer of [() => null, () => 'nonsense']) {
        point.answer = answer;
        t.match(await soap('plain'), code, onError);
      }
      point.answer = () => '{}';
      t.match(await graphql(SECRET, 'plain'), 'FORBIDDEN', 'no result is no right');
    }
  },
);

const connectionsOf = async (gateway: TestGateway): Promise<string> =>
  /^soapstone_client_connections(?:\{.*\})? (\d+)/m.exec(await gateway.metrics())?.[1] ?? '';

/** Sends a request and leaves while the decision point is asked; what lets the request pass. */
async function leaveUndecided(
  t: Test,
  gateway: TestGateway,
  point: Point,
  request: string | Buffer,
): Promise<() => void> {
  const before = await connectionsOf(gateway);
  point.answer = () => null;
  const client = await RawClient.connect(gateway.url);
  await client.send(request);
  await until(() => point.held.length === 1);
  t.not(await connectionsOf(gateway), before);
  client.close();
  await until(async () => (await connectionsOf(gateway)) === before);
  point.answer = () => '{"result": true}';
  return () => point.held.pop()?.end('{"result": true}');
}

t.test(
  'for a caller that leaves while the decision point is asked nothing is called',
  async (t) => {
    const files = await useBackend(t, answerWith('a file', 'text/plain'));
    const routes = `routes:\n  - { path: /files, url: "${files.url}" }\n`;
    const { bank, point, soap } = await start(t, ', timeoutMillis: 60000', routes);
    const { gateway } = bank;
    const call = envelope('<GetSecret xmlns="urn:bank"><id>1</id></GetSecret>');
    const requests = [
      post('/soap/bank', 'text/xml', call, keyOf('plain')),
      post('/graphql', 'application/json', JSON.stringify({ query: SECRET }), keyOf('plain')),
      'GET /files/a.txt HTTP/1.1\r\nHost: a\r\n\r\n',
    ];
    for (const [n, request] of requests.entries()) {
      await soap('boss');
      const decide = await leaveUndecided(t, gateway, point, request);
      bank.backend.complete.length = 0;
      decide();
      await until(
        () => gateway.logLines().filter(({ code }) => code === 'CLIENT_GONE').length === n + 1,
      );
      await soap('boss');
      t.same(
        bank.called(),
        ['GetSecret'],
        `that of the caller who stayed, and not ${request.slice(0, 30)}`,
      );
    }
    t.equal(files.complete.length, 0);
  },
);

t.test(
  'a notification is delivered although its sender leaves while the decision point is asked',
  async (t) => {
    const subscriptions =
      'subscriptions: { noted: { callback: { operation: bank.GetSecret, fields: ' +
      '{ id: request.id } } } }\n';
    const { bank, point } = await start(t, ', timeoutMillis: 60000', subscriptions);
    const { gateway } = bank;
    const query = 'subscription { noted { id } }';
    const events = await postGraphql(
      gateway.url,
      { query },
      { ...keyOf('boss'), accept: 'text/event-stream' },
    );
    await running(gateway, 'noted', 1);
    const note = envelope('<GetSecret xmlns="urn:bank"><id>7</id></GetSecret>');
    const decide = await leaveUndecided(
      t,
      gateway,
      point,
      post('/callback/bank', 'text/xml', note, keyOf('boss')),
    );
    decide();
    const reader = events.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (!text.includes('"noted"')) text += (await reader?.read())?.value ?? '';
    t.match(text, '"noted":{"id":"7"}');
    await reader?.cancel();
  },
);

t.test('decisions are remembered for equal requests as long as configured', async (t) => {
  const { point, soap } = await start(t, ', timeoutMillis: 5000, cacheMillis: 60000');
  await Promise.all([1, 2, 3].map(() => soap('plain')));
  await soap('plain');
  t.equal(point.inputs.length, 1, 'asked once');
  await soap('boss');
  t.equal(point.inputs.length, 2, 'another client is another question');
});

t.test(
  'a subscription is asked about again while it goes on, and ends when it is denied',
  async (t) => {
    const subscriptions =
      'subscriptions: { polled: { poll: { operation: bank.GetCustomer, everyMillis: 1000 } } }\n';
    const { bank, point } = await start(
      t,
      ', timeoutMillis: 5000, recheckMillis: 100',
      subscriptions,
    );
    const ask = (name: string, field = 'id') =>
      postGraphql(
        bank.gateway.url,
        { query: `subscription { polled(id: "1") { ${field} } }` },
        { ...keyOf(name), accept: 'text/event-stream' },
      );
    const [plain, boss] = await Promise.all([ask('plain'), ask('boss')]);
    await until(() => point.inputs.length >= 8);
    t.match(
      point.inputs.at(-1)?.input,
      { ...point.inputs[0]?.input, client: { name: String } },
      'the same question',
    );
    point.answer = (input) => JSON.stringify({ result: isBoss(input) });
    t.match(await plain.text(), /"code":"FORBIDDEN".*event: complete/s);
    t.match(await bank.gateway.logLine('subscription ended'), { why: 'denied' });
    const asked = point.inputs.length;
    await until(() => point.inputs.length >= asked + 2);
    t.ok(point.inputs.slice(asked + 1).every(({ input }) => isBoss(input)));
    await boss.body?.cancel();
    await until(
      () => bank.gateway.logLines().filter(({ msg }) => msg === 'subscription ended').length === 2,
    );
    const last = point.inputs.length;
    // As often as it would be asked about both.
    const other = await ask('boss', 'iban');
    const asksOther = ({ input }: Point['inputs'][number]): boolean =>
      /iban/.test(String(input['fields']));
    await until(() => point.inputs.slice(last).filter(asksOther).length >= 4);
    const about = point.inputs.slice(last).filter((each) => !asksOther(each));
    t.ok(about.length <= 1, 'nothing is asked about a subscription that is over');
    await other.body?.cancel();
  },
);

t.test('each request is asked about, however many questions had no answer', async (t) => {
  const { point, graphql } = await start(t, ', timeoutMillis: 50');
  point.answer = () => null;
  for (let n = 0; n < 8; n++) t.match(await graphql(SECRET, 'plain'), 'FORBIDDEN');
  point.answer = () => '{"result": true}';
  await until(async () => (await graphql(SECRET, 'plain')).includes(SECRETS.secret));
  t.equal(point.inputs.length, 9);
});

t.test('decisions are recorded in a chain that shows changes', async (t) => {
  const home = await useFolder(t);
  const file = join(home, 'audit.log');
  const service = `    operations: { GetSecret: { scopes: [secret] }, GetCustomer: {} }
    schema: { types: { Customer: { fields: { iban: { mask: { plain: last4 } }, tax: \
{ scopes: [tax] } } } } }`;
  const bank = await useBank(
    t,
    CLASSES,
    service,
    `audit: { file: ${file} }`,
    '  trustedProxies: [127.0.0.1]\n',
  );
  const lines = (): Record<string, unknown>[] =>
    readFileSync(file, 'utf8')
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  await bank.call('GetSecret', 'plain');
  await bank.ask(
    'query Secret { getCustomer(id: "1") { iban tax id } getSecret(id: "SECRET-ARGUMENT") }',
    'plain',
  );
  await bank.call('GetCustomer', 'boss');
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
    {
      seq: 4,
      address: '203.0.113.9',
      peer: '127.0.0.1',
      decision: 'denied',
      rule: 'wsse:FailedAuthentication',
    },
  ]);
  const text = await readFile(file, 'utf8');
  t.notMatch(text, /SECRET|x{20}/, 'without values');
  await rename(file, `${file}.1`);
  while (!existsSync(file)) {
    await bank.call('GetSecret', 'plain');
    await setTimeout(100);
  }
  await bank.gateway.close();
  const verify = async (files: readonly string[], isContinued = false) => {
    const terminal = recordedTerminal();
    const code = await verifyAudit(files, { isContinued, keyFile: null }, terminal);
    return { code, out: terminal.printed.lines.join('\n') };
  };
  t.match(
    await verify([`${file}.1`, file]),
    { code: 0, out: /is whole: lines \d+, chains 1/ },
    'over both files',
  );
  t.equal((await verify([file], true)).code, 0, 'a file alone may go on from another');
  t.match(
    await verify([file]),
    { code: 1, out: /begins with line \d+.*--continued/s },
    'its beginning is missing',
  );
  const own = (await readFile(`${file}.1`, 'utf8')).split('\n');
  const broken = join(home, 'broken.log');
  for (const [what, edited] of [
    [
      'a changed line',
      own.map((line, index) => (index === 1 ? line.replace('plain', 'other') : line)),
    ],
    ['a missing line', own.filter((_line, index) => index !== 2)],
    ['lines out of order', [own[1] ?? '', own[0] ?? '', ...own.slice(2)]],
    ['another line', ['{"a":1}', ...own]],
  ] as const) {
    await writeFile(broken, edited.join('\n'));
    t.equal((await verify([broken])).code, 1, what);
  }
  t.equal((await verify([join(home, 'none.log')])).code, 2, 'no file');
});
