import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';

import {
  type Desk,
  INIT,
  PROTOCOL,
  type Raw,
  rawSocket,
  startDesk,
  subscribe,
} from '../../kit/live-desk.js';
import { until } from '../../kit/until.js';

const CLIENTS = `clients:
  apiKeys: { header: X-Api-Key, clients: { one: { class: all, keys: [the-key-of-one-client] } } }
  classes: { all: {} }
`;

async function greeted(desk: Desk, payload: unknown, headers: object = {}): Promise<Raw> {
  const raw = await rawSocket(desk, PROTOCOL, { headers });
  raw.say({ ...INIT, payload });
  return raw;
}

/** The lines about WebSockets that were refused. */
const refused = ({ gateway }: Desk): readonly Record<string, unknown>[] =>
  gateway
    .logLines()
    .filter(({ msg, operation, code }) => msg === 'request' && operation === 'websocket' && code);

async function countOf({ gateway }: Desk, code: string): Promise<number> {
  const text = await gateway.metrics();
  return Number(
    new RegExp(`^soapstone_refusals_total\\{[^}]*code="${code}"[^}]*\\} (\\d+)$`, 'm').exec(
      text,
    )?.[1] ?? 0,
  );
}

t.test('refused credentials of a WebSocket are logged, counted and recorded', async (t) => {
  const file = join(tmpdir(), `audit-${process.pid}-${Math.random().toString(36).slice(2)}.log`);
  t.teardown(() => rm(file, { force: true }));
  const desk = await startDesk(t, `${CLIENTS}audit: { file: ${file} }\n`);
  const wrong = await greeted(desk, { 'x-api-key': 'another-key-that-is-wrong' });
  t.equal(await wrong.closed, 4403);
  const none = await greeted(desk, {});
  t.equal(await none.closed, 4403);
  await until(() => refused(desk).length === 2);
  t.match(refused(desk), [
    {
      route: 'graphql',
      outcome: 'refused',
      code: 'UNAUTHENTICATED',
      detail: 'API key',
      client: '127.0.0.1',
    },
    { outcome: 'refused', code: 'UNAUTHENTICATED', detail: 'no credentials' },
  ]);
  t.equal(await countOf(desk, 'UNAUTHENTICATED'), 2);
  await until(async () => (await readFile(file, 'utf8')).split('UNAUTHENTICATED').length === 3);
});

t.test('an address that guesses keys over WebSockets is delayed, and no other', async (t) => {
  const limits = 'limits: { http: { refusalsPerSecond: 1, refusalHoldMillis: 60000 } }\n';
  const desk = await startDesk(t, CLIENTS + limits);
  const guesses = await Promise.all(
    Array.from({ length: 5 }, () => greeted(desk, { 'x-api-key': 'a-guess-of-some-length' })),
  );
  await until(async () => /^soapstone_refusals_held [1-9]/m.test(await desk.gateway.metrics()));
  t.match(await desk.gateway.logLine('refusals of an address are delayed'), {
    client: '127.0.0.1',
  });
  t.ok(guesses.some(({ socket }) => socket.readyState === socket.OPEN));
  const good = await greeted(desk, { 'x-api-key': 'the-key-of-one-client' });
  await good.heard(1);
  t.match(good.messages, [{ type: 'connection_ack' }], 'good credentials');
  // What a refused client says meanwhile is not looked at.
  const waiting = guesses.find(({ socket }) => socket.readyState === socket.OPEN);
  waiting?.say(subscribe('1', '{ order(id: 1) { id } }'));
  waiting?.say({ ...INIT, payload: { 'x-api-key': 'the-key-of-one-client' } });
  for (const { socket } of guesses) socket.terminate();
  await until(async () => /^soapstone_refusals_held 0$/m.test(await desk.gateway.metrics()));
  t.equal(desk.backend.begun, 0);
});

const ENDS: readonly (readonly [
  what: string,
  close: number,
  code: string,
  act: (desk: Desk) => Promise<Raw>,
])[] = [
  ['no JSON', 4400, 'BAD_REQUEST', async (desk) => saying(await rawSocket(desk, PROTOCOL), '{')],
  [
    'no message',
    4400,
    'BAD_REQUEST',
    async (desk) => saying(await rawSocket(desk, PROTOCOL), '{"type":"nothing"}'),
  ],
  [
    'a message of servers',
    4400,
    'BAD_REQUEST',
    async (desk) =>
      saying(await rawSocket(desk, PROTOCOL), '{"type":"next","id":"1","payload":{}}'),
  ],
  [
    'before the first message',
    4401,
    'UNAUTHENTICATED',
    async (desk) =>
      saying(await rawSocket(desk, PROTOCOL), JSON.stringify(subscribe('1', '{ __typename }'))),
  ],
  ['no protocol', 4406, 'BAD_REQUEST', (desk) => rawSocket(desk, [])],
  ['silence', 4408, 'HTTP_TIMEOUT', (desk) => rawSocket(desk, PROTOCOL)],
  [
    'twice',
    4429,
    'RATE_LIMITED',
    async (desk) =>
      saying(saying(await rawSocket(desk, PROTOCOL), JSON.stringify(INIT)), JSON.stringify(INIT)),
  ],
];

function saying(raw: Raw, text: string): Raw {
  raw.socket.send(text);
  return raw;
}

for (const [what, close, code, act] of ENDS) {
  t.test(`a WebSocket that is closed with ${close} (${what}) leaves a trace`, async (t) => {
    const desk = await startDesk(t, 'limits: { subscriptions: { initMillis: 100 } }\n');
    t.equal(await (await act(desk)).closed, close);
    await until(() => refused(desk).length === 1);
    t.match(refused(desk), [{ outcome: 'refused', code, detail: `closed with ${close}` }]);
    t.equal(await countOf(desk, code), 1);
  });
}

t.test('frames that are none, and binary ones, leave a trace', async (t) => {
  const desk = await startDesk(t);
  const broken = await rawSocket(desk, PROTOCOL);
  broken.write(Buffer.from([0x83, 0x80, 0, 0, 0, 0]));
  await broken.closed;
  const binary = await rawSocket(desk, PROTOCOL);
  binary.socket.send(Buffer.from('{}'));
  t.equal(await binary.closed, 1003);
  await until(() => refused(desk).length === 2);
  t.match(refused(desk), [{ code: 'BAD_REQUEST' }, { code: 'BAD_REQUEST' }]);
});

t.test('upgrades that are refused leave a trace', async (t) => {
  const desk = await startDesk(t);
  await t.rejects(rawSocket(desk, PROTOCOL, { origin: 'https://evil.example' }));
  await until(() => desk.gateway.logLines().some(({ code }) => code === 'HTTP_ORIGIN'));
  t.match(
    desk.gateway.logLines().find(({ code }) => code === 'HTTP_ORIGIN'),
    { outcome: 'refused', status: 403 },
  );
  t.equal(await countOf(desk, 'HTTP_ORIGIN'), 1);
});

t.test('credentials that cannot be verified now are no bad ones', async (t) => {
  const desk = await startDesk(
    t,
    `clients:
  introspection: { url: "http://127.0.0.1:1/", clientId: a, clientSecret: b, class: all }
  classes: { all: {} }
`,
  );
  const socket = await greeted(desk, { authorization: 'Bearer token' });
  t.equal(await socket.closed, 1013);
  await until(() => refused(desk).length === 1);
  t.match(refused(desk), [{ outcome: 'failed', code: 'CREDENTIALS_UNVERIFIED' }]);
});

/** Whether the first message with this content is accepted; `headers` are those of the upgrade. */
async function isAccepted(t: Test, payload: unknown, headers: object = {}): Promise<boolean> {
  const desk = await startDesk(t, CLIENTS);
  const socket = await greeted(desk, payload, headers);
  const first = await Promise.race([
    socket.heard(1).then(() => true),
    socket.closed.then(() => false),
  ]);
  socket.socket.terminate();
  return first;
}

t.test(
  'credentials may stand in the first message, as browsers and clients of Apollo send them',
  async (t) => {
    const key = 'the-key-of-one-client';
    t.equal(await isAccepted(t, { 'x-api-key': key }), true);
    t.equal(await isAccepted(t, { 'X-API-Key': key }), true);
    t.equal(await isAccepted(t, { headers: { 'X-Api-Key': key } }), true);
    t.equal(
      await isAccepted(t, { headers: { 'X-Api-Key': key }, 'x-api-key': key }),
      true,
      'the same twice',
    );
    t.equal(
      await isAccepted(t, { headers: { 'X-Api-Key': key, 'x-forwarded-for': '10.0.0.1' } }),
      true,
    );
    t.equal(
      await isAccepted(t, { headers: { 'X-Api-Key': key }, 'x-api-key': `${key}-2` }),
      false,
      'two values',
    );
    t.equal(await isAccepted(t, { headers: { headers: { 'X-Api-Key': key } } }), false, 'deeper');
    t.equal(await isAccepted(t, { headers: [['X-Api-Key', key]] }), false);
    t.equal(await isAccepted(t, { headers: { 'X-Api-Key': [key] } }), false);
    t.equal(
      await isAccepted(t, { headers: { 'X-Api-Key': null } }, { 'x-api-key': key }),
      true,
      'that of the upgrade',
    );
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`x-${n}`, 'x']));
    t.equal(
      await isAccepted(t, { headers: { ...many, 'x-api-key': key } }),
      false,
      'more members than are looked at',
    );
  },
);
