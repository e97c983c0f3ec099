import { createClient as createEventClient } from 'graphql-sse';
import t from 'tap';
import { postGraphql } from '../kit/graphql-client.js';
import {
  acknowledged,
  INIT,
  PROTOCOL,
  place,
  rawSocket,
  running,
  startDesk,
  subscribe,
} from '../kit/live-desk.js';
import { AUDIENCE, ISSUER, makeIssuer } from '../kit/token-issuer.js';
import { Rows } from './rows.js';

const rows = new Rows('subscriptions');

/** What the table says of the end of a WebSocket. */
const closeOf = (row: string, name: string): number =>
  Number(rows.answer(row, name).replace('close ', ''));

t.test(
  'G26: a client that breaks the protocol is closed with the code that the protocol names',
  async (t) => {
    const desk = await startDesk(t, 'limits: { subscriptions: { initMillis: 100 } }\n');
    const silent = await rawSocket(desk, PROTOCOL);
    t.equal(await silent.closed, closeOf('G26', 'nothing is said'));
    const twice = await rawSocket(desk, PROTOCOL);
    twice.say(INIT);
    twice.say(INIT);
    t.equal(await twice.closed, closeOf('G26', 'said twice'));
    t.equal(await (await rawSocket(desk, [])).closed, closeOf('G26', 'no protocol'));
    await t.rejects(
      rawSocket(desk, ['graphql-ws']),
      'a client that speaks another one only does not agree',
    );
    const early = await rawSocket(desk, PROTOCOL);
    early.say(subscribe('1', '{ order(id: 1) { id } }'));
    t.equal(await early.closed, closeOf('G26', 'asked before it was said'));
    const same = await acknowledged(desk);
    same.say(subscribe('1', 'subscription { orderPlaced { id } }'));
    await running(desk.gateway, 'orderPlaced', 1);
    same.say(subscribe('1', 'subscription { orderPlaced { id } }'));
    t.equal(await same.closed, closeOf('G26', 'an id twice'));
    await running(desk.gateway, 'orderPlaced', 0);
    const strange = [
      '{',
      '[]',
      '{"type":"nothing"}',
      '{"type":"connection_init","type":"ping"}',
      '{"type":"subscribe"}',
    ];
    for (const message of strange) {
      const socket = await rawSocket(desk, PROTOCOL);
      socket.socket.send(message);
      t.equal(await socket.closed, closeOf('G26', 'no message of the protocol'), message);
    }
    const many = await acknowledged(desk);
    for (let id = 1; id <= 21; id++)
      many.say(subscribe(String(id), 'subscription { orderPlaced { id } }'));
    await many.heard(2);
    const code = rows.answer('G26', '21 operations');
    t.match(many.messages[1], { id: '21', type: 'error', payload: [{ extensions: { code } }] });
    await running(desk.gateway, 'orderPlaced', 20);
    many.socket.terminate();
    await running(desk.gateway, 'orderPlaced', 0);
  },
);

const times = (count: number, text: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => text(at)).join(' ');

let nested: unknown = 1;
for (let level = 0; level < 60; level++) nested = [nested];

const REFUSED: Readonly<
  Record<string, { readonly query: string; readonly variables?: Record<string, unknown> }>
> = {
  'no GraphQL': { query: '{' },
  'no such field': { query: 'subscription { nothing }' },
  'a variable without a value': {
    query: 'subscription($id: Int!) { orderWatched(id: $id) { id } }',
  },
  '6 root fields': { query: `{ ${times(6, (at) => `a${at}: __typename`)} }` },
  '16 aliases': { query: `subscription { orderPlaced { ${times(16, (at) => `a${at}: id`)} } }` },
  '11 levels': {
    query: `subscription { orderPlaced { ${times(10, () => 'again {')} id ${'}'.repeat(10)} } }`,
  },
  '1,001 tokens': { query: `subscription { orderPlaced { ${times(1000, () => 'id')} } }` },
  '51 directives': {
    query: `subscription { orderPlaced { ${times(51, () => 'id @include(if: true)')} } }`,
  },
  'beyond the cost': { query: 'subscription { costly: orderPlaced { id status } }' },
  '51 levels of variables': {
    query: 'subscription($x: [Int]) { orderPlaced { id } }',
    variables: { x: nested },
  },
};

t.test(
  'G27: what is refused over HTTP is refused over a WebSocket and over server-sent events',
  async (t) => {
    const roomy = await startDesk(t);
    const poor = await startDesk(t, 'limits: { graphql: { cost: 5 } }\n');
    for (const [name, { query, variables }] of Object.entries(REFUSED)) {
      const code = rows.answer('G27', name);
      const desk = name === 'beyond the cost' ? poor : roomy;
      const asked = variables === undefined ? { query } : { query, variables };
      const overSocket = await desk
        .socket()
        .iterate(asked)
        .next()
        .catch((caught: unknown) => caught);
      t.match(overSocket, [{ extensions: { code } }], `${name} over a WebSocket`);
      const events = createEventClient({ url: desk.url, retryAttempts: 0 });
      const told: unknown[] = [];
      for await (const result of events.iterate(asked)) told.push(result);
      t.match(told, [{ errors: [{ extensions: { code } }] }], `${name} over server-sent events`);
      events.dispose();
      const answer = await postGraphql(desk.gateway.url, asked);
      t.match(await answer.json(), { errors: [{ extensions: { code } }] }, `${name} over HTTP`);
      t.equal(desk.backend.begun, 0, 'nothing was asked');
    }
  },
);

const FRAMES: Readonly<Record<string, readonly number[]>> = {
  'an unmasked frame': [0x81, 0x01, 0x61],
  'a reserved bit': [0xc1, 0x81, 0, 0, 0, 0, 0x61],
  'an unknown opcode': [0x83, 0x80, 0, 0, 0, 0],
  'no beginning': [0x80, 0x80, 0, 0, 0, 0],
  'a ping in pieces': [0x09, 0x80, 0, 0, 0, 0],
};

t.test('G28: frames that are broken, too long or compressed end the WebSocket', async (t) => {
  const desk = await startDesk(t);
  const long = await rawSocket(desk, PROTOCOL);
  t.equal(long.socket.extensions, '', rows.answer('G28', 'compression'));
  long.socket.send('x'.repeat(64 * 1024 + 1));
  t.equal(await long.closed, closeOf('G28', 'a message of 64 KiB and a byte'));
  for (const [name, frame] of Object.entries(FRAMES)) {
    const broken = await rawSocket(desk, PROTOCOL);
    broken.write(Buffer.from(frame));
    t.equal(await broken.closed, closeOf('G28', name), name);
  }
  const pieces = await rawSocket(desk, PROTOCOL);
  for (let count = 0; count < 1100; count++) pieces.socket.send('', { fin: false });
  t.equal(await pieces.closed, closeOf('G28', 'a thousand pieces'));
  const binary = await rawSocket(desk, PROTOCOL);
  binary.socket.send(Buffer.from(JSON.stringify(INIT)));
  t.equal(await binary.closed, closeOf('G28', 'binary'));
  while (!(await desk.gateway.metrics()).includes('soapstone_websockets 0\n'));
});

t.test('G29: a client that takes events too slowly gets a gap, and no more events', async (t) => {
  for (const [name, limits] of [
    ['more events than fit', 'queueEvents: 3'],
    ['more bytes than fit', 'queueBytes: 1024'],
  ] as const) {
    const desk = await startDesk(t, `limits: { subscriptions: { ${limits} } }\n`);
    const stream = await postGraphql(
      desk.gateway.url,
      { query: 'subscription { orderPlaced { id } }' },
      { accept: 'text/event-stream' },
    );
    await running(desk.gateway, 'orderPlaced', 1);
    // The answer to the first event does not come: the others wait behind it.
    const { answer } = desk.backend;
    let letGo = (): void => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    desk.backend.answer = (message, response) => {
      if (message.body.toString().includes('GetOrder'))
        void held.then(() => answer(message, response));
      else answer(message, response);
    };
    for (let count = 0; count < 6; count++) await place(desk.gateway, 'A'.repeat(300));
    letGo();
    const text = await stream.text();
    t.equal(text.match(/event: next/g)?.length, 2, 'the one that was begun, and the end');
    t.match(text, new RegExp(`${rows.answer('G29', name)}.*\\n\\nevent: complete`, 's'));
    t.match(await desk.gateway.logLine('subscription ended'), { why: 'overflow' });
  }
});

t.test('G30: a subscription ends with the token', async (t) => {
  const issuer = await makeIssuer();
  const desk = await startDesk(
    t,
    `clients:
  jwt: { issuer: "${ISSUER}", audience: ${AUDIENCE}, class: all, algorithms: [ES256], jwks: \
'${issuer.keySet}', toleranceMillis: 0, requireNotBefore: false }
  classes: { all: {} }
`,
  );
  const nobody = await rawSocket(desk, PROTOCOL);
  nobody.say(INIT);
  t.equal(await nobody.closed, 4403, 'nobody at all');
  const wrong = await rawSocket(desk, PROTOCOL);
  wrong.say({ ...INIT, payload: { authorization: 'Bearer a.b.c' } });
  t.equal(await wrong.closed, 4403, 'no good');
  const authorization = `Bearer ${await issuer.sign({ exp: Math.ceil(Date.now() / 1000) + 1 })}`;
  const alice = await acknowledged(desk, { Authorization: authorization });
  alice.say(subscribe('1', 'subscription { orderPlaced { id } }'));
  await running(desk.gateway, 'orderPlaced', 1);
  const stream = await postGraphql(
    desk.gateway.url,
    { query: 'subscription { receipts { id } }' },
    { accept: 'text/event-stream', authorization },
  );
  t.equal(await alice.closed, closeOf('G30', 'over a WebSocket'));
  t.match(await stream.text(), rows.answer('G30', 'over server-sent events'));
  await running(desk.gateway, 'orderPlaced', 0);
  await running(desk.gateway, 'receipts', 0);
});

t.test('G31: events for one client reach no other', async (t) => {
  const desk = await startDesk(t);
  const as = (user: string, query: string): AsyncIterableIterator<unknown> =>
    createEventClient({ url: desk.url, retryAttempts: 0, headers: { 'x-user': user } }).iterate({
      query,
    });
  const poll = 'subscription { ownWatched(id: 1) { customer } }';
  const polled = [as('Bob', poll), as('Cleo', poll), as('Bob', poll)];
  const [bob, cleo, again] = await Promise.all(
    polled.map(async (events) => (await events.next()).value),
  );
  t.match(
    bob,
    { data: { ownWatched: { customer: 'Bob' } } },
    rows.answer('G31', 'the same poll by two users'),
  );
  t.match(cleo, { data: { ownWatched: { customer: 'Cleo' } } });
  t.same(again, bob);
  t.match(await desk.gateway.metrics(), 'soapstone_subscription_pollers 2\n');
  for (const events of polled) await events.return?.();
  const event = 'subscription { ownPlaced { customer id } }';
  const waiting = [as('Bob', event), as('Cleo', event)];
  const answers = waiting.map(async (events) => (await events.next()).value);
  await running(desk.gateway, 'ownPlaced', 2);
  await place(desk.gateway, 'Zoe');
  const expected = ['Bob', 'Cleo'].map((customer) => ({
    data: { ownPlaced: { customer, id: 101 } },
  }));
  t.match(await Promise.all(answers), expected, rows.answer('G31', 'the same event for two users'));
  for (const events of waiting) await events.return?.();
});

t.test('G32: a page of another site opens no WebSocket', async (t) => {
  const desk = await startDesk(t, 'graphql: { origins: ["https://shop.example"] }\n');
  const own = new URL(desk.url).origin;
  const origins: Readonly<Record<string, string>> = {
    'another site': 'https://evil.example',
    'no origin of its own': 'null',
    'the address as a beginning': 'https://shop.example.evil',
    'another port': `${own}0`,
    'an origin that is listed': 'https://shop.example',
    'its own site': own,
    'no browser': '',
  };
  for (const [name, origin] of Object.entries(origins)) {
    const answer = rows.answer('G32', name);
    const opening = rawSocket(desk, PROTOCOL, origin === '' ? {} : { origin });
    if (answer === 'open') {
      const { socket, closed } = await opening;
      socket.close();
      t.equal(await closed, 1005, name);
    } else await t.rejects(opening, { message: `Unexpected server response: ${answer}` }, name);
  }
});

t.test('the rows are complete', async (t) => rows.assertComplete(t));
