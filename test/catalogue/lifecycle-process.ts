import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { Test } from 'tap';
import { WebSocket } from 'ws';
import { answerWith } from '../kit/backend.js';
import { envelope } from '../kit/envelope.js';
import {
  areAnswering,
  childrenOf,
  type GatewayProcess,
  startProcess,
} from '../kit/gateway-process.js';
import { postGraphql, TYPED } from '../kit/graphql-client.js';
import { listen } from '../kit/listen.js';
import { post, RawClient, sendRaw } from '../kit/raw-client.js';
import { makeIssuer } from '../kit/token-issuer.js';
import { until } from '../kit/until.js';
import { useBackend } from '../kit/use.js';
import { expectAnswer } from './expect.js';
import type { Rows } from './rows.js';

/**
 * Group L of the catalogue, as far as a process of its own is needed: signals, exit codes, workers,
 * stacks.
 */

const CALL = envelope('<m:GetOrder xmlns:m="urn:desk"/>');
const REPLY = answerWith(envelope('<m:GetOrderResponse xmlns:m="urn:desk"/>'));

interface Started extends GatewayProcess {
  readonly exit: Promise<readonly unknown[]>;
}

async function start(t: Test, yaml: string, nodeOptions: readonly string[] = []): Promise<Started> {
  const gateway = await startProcess(t, yaml, { nodeOptions });
  return { ...gateway, exit: once(gateway.child, 'exit') };
}

const services = (url: string): string => `services: { desk: { url: "${url}/desk" } }\n`;

/** L03, L06: a long upload at SIGTERM. */
export async function uploads(t: Test, rows: Rows): Promise<void> {
  const backend = await useBackend(t, REPLY);
  const [head = '', tail = ''] = envelope('<m:GetOrder xmlns:m="urn:desk">_</m:GetOrder>').split(
    '_',
  );
  const half = 'x'.repeat(8 * 1024 * 1024);
  const begin = async (gateway: GatewayProcess): Promise<RawClient> => {
    const client = await RawClient.connect(gateway.url);
    const length = String(head.length + 2 * half.length + tail.length);
    const fields = post('/soap/desk', 'text/xml', '', { 'Content-Length': length });
    const before = backend.begun;
    await client.send(Buffer.concat([fields, Buffer.from(head + half)]));
    await until(() => backend.begun > before);
    return client;
  };
  const limits = 'xml: { messageBytes: 64MiB, textBytes: 64MiB }';
  const patient = await start(t, `${services(backend.url)}limits: { ${limits} }\n`);
  const client = await begin(patient);
  patient.child.kill('SIGTERM');
  await patient.line('draining');
  await client.send(half + tail);
  t.equal(String((await client.reply()).status), rows.answer('L03', 'an upload that ends in time'));
  t.same(await patient.exit, [0, null]);
  t.match(await patient.line('stopped'), { cut: 0 });
  t.equal(backend.complete.length, 1);

  const hasty = await start(
    t,
    `${services(backend.url)}limits: { ${limits}, http: { drainMillis: 300 } }\n`,
  );
  const late = await begin(hasty);
  hasty.child.kill('SIGTERM');
  t.ok((await late.reply()).isCut, rows.answer('L03', 'an upload that does not'));
  t.same(await hasty.exit, [1, null], rows.answer('L06', 'the exit code'));
  t.match(await hasty.line('stopped'), { cut: 1 });
  await until(() => backend.aborted === 1);
  t.equal(backend.complete.length, 1, 'the backend gets no complete message');

  const several = await start(
    t,
    `${services(backend.url)}workers: 2\nlimits: { ${limits}, http: { drainMillis: 300 } }\n`,
  );
  const other = await begin(several);
  several.child.kill('SIGTERM');
  t.ok((await other.reply()).isCut);
  t.same(await several.exit, [1, null], 'with workers as well');
}

/** L04: subscriptions at SIGTERM. */
export async function subscriptions(t: Test, rows: Rows): Promise<void> {
  const backend = await useBackend(t, REPLY);
  const types = 'namespace: "urn:desk", types: "type Query { order: ID }"';
  const gateway = await start(
    t,
    `services: { desk: { url: "${backend.url}/desk", ${types}, operations: { GetOrder: { field: \
Query.order } } } }
subscriptions: { polled: { poll: { operation: desk.GetOrder, everyMillis: 1000 } } }\n`,
  );
  const query = 'subscription { polled }';
  const stream = await postGraphql(gateway.url, { query }, { accept: 'text/event-stream' });
  const socket = new WebSocket(`${gateway.url.replace('http', 'ws')}/graphql`, [
    'graphql-transport-ws',
  ]);
  const messages: string[] = [];
  socket.on('open', () => socket.send('{"type":"connection_init"}'));
  socket.on('message', (data) => {
    const { type } = JSON.parse(String(data));
    messages.push(type);
    if (type === 'connection_ack')
      socket.send(JSON.stringify({ type: 'subscribe', id: '1', payload: { query } }));
  });
  const closed = once(socket, 'close');
  await until(
    async () => (await gateway.metric('soapstone_subscriptions_active{field="polled"}')) === 2,
  );
  const began = performance.now();
  gateway.child.kill('SIGTERM');
  const [code] = await closed;
  t.equal(`close ${code}`, rows.answer('L04', 'over a WebSocket'));
  t.notOk(messages.includes('complete'), 'a client that is told `complete` would not come again');
  const text = await stream.text();
  t.match(
    text,
    /"code":"GATEWAY_DRAINING".*event: complete/s,
    rows.answer('L04', 'over server-sent events'),
  );
  t.ok(performance.now() - began < 30_000, 'it does not wait for the drain to end');
  t.same(await gateway.exit, [0, null]);
}

/** L05: what signals do. */
export async function signals(t: Test, rows: Rows): Promise<void> {
  const { url } = await listen(t, createServer());
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    const gateway = await start(t, services(url));
    gateway.child.kill('SIGPIPE');
    gateway.child.kill('SIGHUP');
    await until(async () => (await gateway.metric('soapstone_generation')) === 2);
    t.equal(rows.answer('L05', 'SIGHUP'), 'a reload');
    t.equal(gateway.child.exitCode, null, rows.answer('L05', 'SIGPIPE'));
    const client = await RawClient.connect(gateway.url);
    await client.send(post('/soap/desk', 'text/xml', CALL));
    await until(async () => (await gateway.metric('soapstone_client_connections')) >= 1);
    gateway.child.kill(signal);
    await gateway.line('draining');
    const began = performance.now();
    gateway.child.kill(signal);
    await gateway.exit;
    t.ok(
      performance.now() - began < 15_000,
      `a second ${signal}: ${rows.answer('L05', `a second ${signal}`)}`,
    );
    t.notOk(gateway.lines.some(({ msg }) => msg === 'stopped'));
    client.close();
  }
}

/** L08, L10: reloads that are refused, and many of them. */
export async function reloads(t: Test, rows: Rows): Promise<void> {
  const backend = await useBackend(t, REPLY);
  const gateway = await start(t, services(backend.url));
  const ask = async (path = '/soap/desk') =>
    (await sendRaw(gateway.url, post(path, 'text/xml', CALL))).status;
  const good = await readFile(gateway.file, 'utf8');
  const reload = () => fetch(`${gateway.adminUrl}/reload`, { method: 'POST' });
  const broken: Readonly<Record<string, string>> = {
    'a port that changed': good.replace(/^listen: .*$/m, 'listen: 127.0.0.1:1'),
    'a certificate that is none':
      `${good}clients: { certificate: { clients: { a: { class: all, subject: CN=a } }, header: ` +
      'x-c }, classes: { all: {} }, trustedProxies: [nowhere] }\n',
    'a secret that is missing': good.replace(
      'desk: {',
      'desk: { headers: { x-key: "$' + '{ABSENT}" },',
    ),
  };
  for (const [name, yaml] of Object.entries(broken)) {
    await writeFile(gateway.file, yaml);
    const answer = await reload();
    t.equal(String(answer.status), rows.answer('L08', name), name);
    t.match(await answer.json(), { generation: 1, problems: [{ line: Number }] }, name);
    t.equal(await ask(), 200, 'the earlier one goes on');
  }
  t.equal(await gateway.metric('soapstone_config_loads_total{result="refused"}'), 3);

  const statuses: number[] = [];
  let isOver = false;
  const asking = (async () => {
    while (!isOver) statuses.push(await ask());
  })();
  for (let at = 0; at < 100; at++) {
    await writeFile(gateway.file, good.replace('desk: {', `desk: { headers: { x-at: "${at}" },`));
    gateway.child.kill('SIGHUP');
    if (at % 10 === 0) void reload().then((answer) => answer.arrayBuffer());
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  await until(async () => {
    await ask();
    return backend.complete.at(-1)?.headers['x-at'] === '99';
  });
  isOver = true;
  await asking;
  t.same(
    new Set(statuses),
    new Set([200]),
    rows.answer('L10', '100 a second, by signals and by requests'),
  );
  const generation = await gateway.metric('soapstone_generation');
  t.ok(generation > 1 && generation < 111, `${generation} generations`);
}

/** L12, L13: errors that no code caught, and workers that die. */
export async function crashes(t: Test, rows: Rows): Promise<void> {
  const held: (() => void)[] = [];
  const backend = await useBackend(t, (message, response) =>
    held.push(() => REPLY(message, response)),
  );
  const bug =
    'process.on("SIGURG",()=>{throw new Error("a ' +
    'bug")});process.on("SIGWINCH",()=>Promise.reject(7))';
  for (const [signal, name, cause] of [
    ['SIGURG', 'an exception', 'uncaughtException'],
    ['SIGWINCH', 'a rejection', 'unhandledRejection'],
  ] as const) {
    const gateway = await start(t, services(backend.url), [
      `--import=data:text/javascript,${encodeURIComponent(bug)}`,
    ]);
    const client = await RawClient.connect(gateway.url);
    await client.send(post('/soap/desk', 'text/xml', CALL));
    await until(() => held.length === 1);
    gateway.child.kill(signal);
    const err = signal === 'SIGURG' ? /a bug/ : String;
    t.match(await gateway.line('a bug'), { level: 'error', cause, err });
    await gateway.line('draining');
    gateway.child.kill(signal === 'SIGURG' ? 'SIGWINCH' : 'SIGURG');
    await gateway.line((line) => line['cause'] !== undefined && line['cause'] !== cause);
    held.pop()?.();
    t.equal(
      (await client.reply()).status,
      200,
      'what is in flight is answered, also after a second one',
    );
    t.same(await gateway.exit, [1, null], `${name}: ${rows.answer('L12', name)}`);
  }

  const gateway = await start(t, `${services(backend.url)}workers: 2\n`);
  await areAnswering(gateway, 2);
  const clients: RawClient[] = [];
  // Connections go to the workers in turn.
  for (let at = 0; at < 12; at++) {
    const client = await RawClient.connect(gateway.url);
    await client.send(post('/soap/desk', 'text/xml', CALL));
    clients.push(client);
  }
  await until(() => held.length === 12);
  const [victim = 0] = childrenOf(gateway.child);
  process.kill(victim, 'SIGKILL');
  await gateway.line('a worker ended');
  for (const answer of held.splice(0)) answer();
  const replies = await Promise.all(clients.map((client) => client.reply()));
  t.same(
    [...new Set(replies.map(({ isCut }) => isCut))].sort(),
    [false, true],
    rows.answer('L13', 'requests in flight'),
  );
  const status = sendRaw(gateway.url, post('/soap/desk', 'text/xml', CALL));
  await until(() => held.length === 1);
  held.pop()?.();
  t.equal(String((await status).status), rows.answer('L13', 'the next request'));
  await areAnswering(gateway, 2);
  t.notOk(childrenOf(gateway.child).includes(victim), rows.answer('L13', 'the worker'));
}

/** Inputs that are nested as deeply as their sizes allow, by case of the table. */
const DEEP: Readonly<Record<string, (depth: number) => unknown>> = {
  selections: (depth) => ({ query: '{a'.repeat(depth) + '}'.repeat(depth) }),
  'inline fragments': (depth) => ({ query: `{${'...{'.repeat(depth)}a${'}'.repeat(depth)}}` }),
  'lists in a document': (depth) => ({
    query: `{ order(id: ${'['.repeat(depth)}1${']'.repeat(depth)}) }`,
  }),
  'objects in a document': (depth) => ({
    query: `{ order(id: ${'{a:'.repeat(depth)}1${'}'.repeat(depth)}) }`,
  }),
  'types of a variable': (depth) => ({
    query: `query ($a: ${'['.repeat(depth)}ID${']'.repeat(depth)}) { order(id: $a) }`,
  }),
  'fragments in fragments': (depth) => ({
    query: `{ ...F0 } ${Array.from(
      { length: depth / 10 },
      (_, at) => `fragment F${at} on Query { \
...F${at + 1} }`,
    ).join(' ')}`,
  }),
  'a chain of fragments within the limits': () => ({
    query:
      `{ ...F0 } ${Array.from(
        { length: 10 },
        (_, at) => `fragment F${at} on Query { ...F${at + 1} \
}`,
      ).join(' ')} ` + 'fragment F10 on Query { order(id: 1) }',
  }),
};

/** The same as text of JSON, of which `JSON.stringify` would run out of stack itself. */
const DEEP_JSON: Readonly<Record<string, (depth: number) => string>> = {
  variables: (depth) =>
    `{"query":"{ order(id: 1) }","variables":{"a":${'['.repeat(depth)}${']'.repeat(depth)}}}`,
  'objects in variables': (depth) =>
    `{"query":"{ order(id: 1) }","variables":${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}}`,
  extensions: (depth) =>
    `{"query":"{ order(id: 1) }","extensions":${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}}`,
  'a batch of batches': (depth) => '['.repeat(depth) + ']'.repeat(depth),
};

const HOOKS =
  'import{createHook}from"node:async_hooks";createHook({init(){},destroy(){}}).enable();';

/**
 * L15: with hooks of `async_hooks`, Node ends a process whose stack overflows: no code can catch
 * that.
 */
export async function deepInput(t: Test, rows: Rows): Promise<void> {
  const deepReply = (depth: number) => answerWith(`<a>`.repeat(depth) + `</a>`.repeat(depth));
  const backend = await useBackend(t, REPLY);
  const types = 'namespace: "urn:desk", types: "type Query { order(id: ID): XML }"';
  const { keySet } = await makeIssuer();
  const gateway = await start(
    t,
    `services: { desk: { url: "${backend.url}/desk", ${types}, operations: { GetOrder: { field: \
Query.order } } } }
clients: { jwt: { issuer: "https://login.example", audience: a, jwks: '${keySet}', class: \
all }, address: { class: all }, classes: { all: {} } }
limits: { xml: { messageBytes: 64MiB } }\n`,
    [`--import=data:text/javascript,${encodeURIComponent(HOOKS)}`, '--stack-size=600'],
  );
  const depth = 300_000;
  const isAlive = async (name: string): Promise<void> => {
    backend.answer = REPLY;
    t.equal(
      (await sendRaw(gateway.url, post('/soap/desk', 'text/xml', CALL))).status,
      200,
      `${name}: it lives`,
    );
    t.equal(gateway.child.exitCode, null, name);
  };
  const soap = await sendRaw(
    gateway.url,
    post('/soap/desk', 'text/xml', envelope('<a>'.repeat(depth) + '</a>'.repeat(depth))),
  );
  expectAnswer(t, soap, rows.answer('L15', 'an envelope of great depth'), '1.1', 'envelope');
  const bodies = [
    ...Object.entries(DEEP).map(([name, make]) => [name, JSON.stringify(make(depth))] as const),
    ...Object.entries(DEEP_JSON).map(([name, make]) => [name, make(depth)] as const),
  ];
  for (const [name, body] of bodies) {
    const reply = await sendRaw(gateway.url, post('/graphql', 'application/json', body, TYPED));
    const isFine = name.endsWith('within the limits');
    t.ok(
      isFine ? reply.status === 200 : reply.status >= 400 && reply.status < 500,
      `${name}: ${reply.status} ${reply.body.slice(0, 200)}`,
    );
    t.ok(rows.answer('L15', name), name);
    await isAlive(name);
  }
  const claims = Buffer.from(`${'['.repeat(2500)}${']'.repeat(2500)}`).toString('base64url');
  const header = Buffer.from('{"alg":"ES256"}').toString('base64url');
  const token = await sendRaw(
    gateway.url,
    post('/soap/desk', 'text/xml', CALL, { Authorization: `Bearer ${header}.${claims}.AA` }),
  );
  t.ok(token.status >= 400, rows.answer('L15', 'a token'));
  await isAlive('a token');
  backend.answer = deepReply(depth);
  const reply = await postGraphql(gateway.url, { query: '{ order(id: 1) }' });
  t.match(await reply.text(), '"UPSTREAM_INVALID_RESPONSE"', rows.answer('L15', 'a reply'));
  await isAlive('a reply');
  const socket = new WebSocket(`${gateway.url.replace('http', 'ws')}/graphql`, [
    'graphql-transport-ws',
  ]);
  await once(socket, 'open');
  socket.send(
    `{"type":"connection_init","payload":${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}}`,
  );
  t.ok(
    await Promise.race([once(socket, 'close'), once(socket, 'message')]),
    rows.answer('L15', 'a message of a WebSocket'),
  );
  socket.terminate();
  await isAlive('a message of a WebSocket');
}
