import { once } from 'node:events';
import { Socket } from 'node:net';
import t, { type Test } from 'tap';
import { Networks } from '../../../src/access/network/networks.js';
import { recordOf } from '../../../src/flow/http/connection-record.js';
import { type Cost, PenaltyBox } from '../../../src/flow/http/penalty-box.js';
import { answerWith } from '../../kit/backend.js';
import type { TestGateway } from '../../kit/gateway.js';
import { postGraphql } from '../../kit/graphql-client.js';
import { acknowledged, envelope, startDesk, subscribe } from '../../kit/live-desk.js';
import { RawClient, sendRaw } from '../../kit/raw-client.js';
import { useBackend, useGateway } from '../../kit/use.js';

/**
 * Refusals of one address are answered at a bounded rate; what is in order never waits for them.
 */

const A = '192.0.2.1';
const B = '192.0.2.2';

t.test('two seconds of the rate are answered at once, then the rate is kept', async (t) => {
  const penaltyBox = new PenaltyBox({ refusalsPerSecond: 10, refusalHoldMillis: 1000 });
  for (let n = 0; n < 20; n++) t.equal(penaltyBox.delayMillis(A, 1, 1000), 0, `refusal ${n}`);
  t.equal(penaltyBox.delayMillis(A, 1, 1000), 100, 'the first that waits');
  t.equal(penaltyBox.delayMillis(A, 1, 1000), 200);
  t.equal(penaltyBox.delayMillis(B, 1, 1000), 0, 'another address has its own');
  t.equal(penaltyBox.delayMillis(A, 1, 1200), 100, 'time pays');
  t.equal(penaltyBox.delayMillis(A, 1, 60_000), 0, 'and everything is forgotten');
});

t.test('no refusal waits longer than the limit', async (t) => {
  const penaltyBox = new PenaltyBox({ refusalsPerSecond: 10, refusalHoldMillis: 1000 });
  t.equal(penaltyBox.delayMillis(A, 20, 0), 0, '20 at a stroke');
  t.equal(penaltyBox.delayMillis(A, 1, 0), 100, 'the next one');
  penaltyBox.delayMillis(A, 2 ** 14, 0);
  const waits = Array.from({ length: 50 }, () => penaltyBox.delayMillis(A, 2 ** 14, 0));
  t.ok(
    Math.min(...waits) >= 500 && Math.max(...waits) <= 1000,
    'half of the limit at least, the limit at most',
  );
  t.ok(new Set(waits).size > 40, 'not all until the same moment');
  t.ok(penaltyBox.delayMillis(A, 1, 1000) <= 100, 'what was never waited for is not owed');
});

t.test('an address whose refusals wait is reported once a period', async (t) => {
  const reported: string[] = [];
  const limits = { refusalsPerSecond: 10, refusalHoldMillis: 1000 };
  const penaltyBox = new PenaltyBox(limits, new Networks([]), (address) => reported.push(address));
  for (let n = 0; n < 20; n++) penaltyBox.delayMillis(A, 1, 1000);
  t.same(reported, [], 'not before one waits');
  for (let n = 0; n < 100; n++) penaltyBox.delayMillis(A, 1, 1000);
  t.same(reported, [A]);
  for (let n = 0; n < 100; n++) penaltyBox.delayMillis(A, 1, 40_000);
  t.same(reported, [A, A], 'again in the next period');
});

t.test('without a rate nothing waits', async (t) => {
  const penaltyBox = new PenaltyBox({ refusalsPerSecond: 0, refusalHoldMillis: 1000 });
  for (let n = 0; n < 10_000; n++) if (penaltyBox.delayMillis(A, 2 ** 20, 0) !== 0) t.fail('waits');
  t.equal(penaltyBox.addresses, 0);
});

t.test('ten thousand addresses are remembered, those refused last', async (t) => {
  const penaltyBox = new PenaltyBox({ refusalsPerSecond: 1, refusalHoldMillis: 1000 });
  const refuse = (address: number): number => penaltyBox.delayMillis(String(address), 11, 0);
  t.equal(refuse(0), 0, 'what it costs is owed by those after it');
  for (let n = 1; n < 10_000; n++) refuse(n);
  t.ok(refuse(0) >= 500, 'the ten thousandth is the last that fits');
  for (let n = 10_000; n < 20_000; n++) refuse(n);
  t.equal(penaltyBox.addresses, 10_000);
  t.equal(penaltyBox.delayMillis('0', 1, 0), 0, 'forgotten');
});

/** A box with this rate that holds refusals for a minute. */
function useBox(t: Test, refusalsPerSecond: number): PenaltyBox {
  const penaltyBox = new PenaltyBox({ refusalsPerSecond, refusalHoldMillis: 60_000 });
  t.teardown(() => penaltyBox.close());
  return penaltyBox;
}

/** A socket as the penalty box sees it. */
const socketOf = (remoteAddress: string | undefined): Socket =>
  Object.defineProperty(new Socket(), 'remoteAddress', { value: remoteAddress });

/** One refusal that takes so many of the rate. */
const units = (count: number): Cost => ({ bytes: 64 * 1024 * (count - 1), workMillis: 0 });

t.test('bytes and time of the event loop count', async (t) => {
  for (const [cost, isDelayed] of [
    [{ bytes: 0, workMillis: 0 }, false],
    [{ bytes: 64 * 1024 * 20, workMillis: 0 }, true],
    [{ bytes: 0, workMillis: 0.25 * 20 }, true],
    [{ bytes: 64 * 1024 * 9, workMillis: 0.25 * 9 }, false],
  ] as const) {
    const penaltyBox = new PenaltyBox({ refusalsPerSecond: 10, refusalHoldMillis: 1000 });
    t.equal(penaltyBox.penalise(socketOf(A), cost), null, 'one long mistake is answered at once');
    t.equal(
      penaltyBox.penalise(socketOf(A), units(1)) !== null,
      isDelayed,
      `behind ${JSON.stringify(cost)}`,
    );
    penaltyBox.close();
  }
});

t.test(
  'a flood of long mistakes is delayed, on one connection and on a new one for each',
  async (t) => {
    for (const isNew of [false, true]) {
      const penaltyBox = new PenaltyBox({ refusalsPerSecond: 10, refusalHoldMillis: 60_000 });
      const socket = socketOf(A);
      t.equal(penaltyBox.penalise(socket, units(1000)), null, 'the first');
      for (let n = 0; n < 5; n++) {
        t.not(penaltyBox.penalise(isNew ? socketOf(A) : socket, units(1000)), null, 'one after it');
      }
      penaltyBox.close();
    }
  },
);

t.test(
  'a connection with good requests is not delayed for its neighbours, and a new one is',
  async (t) => {
    const penaltyBox = useBox(t, 10);
    const [attacker, neighbour, silent] = [socketOf(A), socketOf(A), socketOf(A)];
    for (let n = 0; n < 3; n++) penaltyBox.forgive(neighbour);
    t.equal(penaltyBox.penalise(attacker, units(1000)), null);
    t.not(penaltyBox.penalise(attacker, units(1000)), null);
    t.equal(recordOf(attacker).isPenalised, true);
    t.equal(penaltyBox.penalise(neighbour, units(1)), null);
    t.equal(penaltyBox.penalise(neighbour, units(2)), null);
    t.equal(recordOf(neighbour).isPenalised, false, 'its long messages are read as before');
    t.equal(recordOf(silent).isPenalised, false, 'those of connections without history as well');
    t.not(penaltyBox.penalise(neighbour, units(1)), null, 'its good requests are used up');
    t.not(
      penaltyBox.penalise(socketOf(A), units(1)),
      null,
      'a new connection of the address waits',
    );
    t.equal(penaltyBox.penalise(socketOf(B), units(1)), null, 'one of another does not');
  },
);

t.test(
  'good requests cover refusals of their own connection alone, thirty-two at most',
  async (t) => {
    const penaltyBox = useBox(t, 10);
    const [attacker, neighbour] = [socketOf(A), socketOf(A)];
    t.equal(penaltyBox.penalise(attacker, units(1000)), null);
    t.not(penaltyBox.penalise(attacker, units(1000)), null);
    for (let n = 0; n < 100; n++) penaltyBox.forgive(neighbour);
    t.not(
      penaltyBox.penalise(attacker, units(1)),
      null,
      'the attacker gains nothing by its neighbours',
    );
    for (let n = 0; n < 32; n++)
      t.equal(penaltyBox.penalise(neighbour, units(1)), null, `refusal ${n}`);
    t.not(penaltyBox.penalise(neighbour, units(1)), null);
  },
);

t.test('refusals that good requests cover are not charged to the address', async (t) => {
  const penaltyBox = useBox(t, 10);
  const socket = socketOf(A);
  for (let n = 0; n < 100; n++) {
    penaltyBox.forgive(socket);
    t.equal(penaltyBox.penalise(socket, units(1)), null);
  }
  t.equal(penaltyBox.addresses, 0);
  for (let n = 0; n < 10; n++) penaltyBox.forgive(socket);
  t.equal(penaltyBox.penalise(socket, units(30)), null);
  t.equal(penaltyBox.addresses, 1, 'what they do not cover is');
});

t.test('the end of the gateway ends all penalties', async (t) => {
  const penaltyBox = new PenaltyBox({ refusalsPerSecond: 1, refusalHoldMillis: 60_000 });
  const socket = socketOf(A);
  penaltyBox.penalise(socket, units(10));
  const delayed = penaltyBox.penalise(socket, units(10));
  t.equal(recordOf(socket).isPenalised, true);
  penaltyBox.close();
  await delayed;
  t.equal(recordOf(socket).isPenalised, false);
});

t.test('what comes through a trusted proxy is neither held nor counted', async (t) => {
  const penaltyBox = new PenaltyBox(
    { refusalsPerSecond: 1, refusalHoldMillis: 60_000 },
    new Networks(['10.0.0.0/8', '::1']),
  );
  t.teardown(() => penaltyBox.close());
  for (const proxy of ['10.1.2.3', '::1']) {
    const socket = socketOf(proxy);
    t.equal(penaltyBox.penalise(socket, units(1000)), null, proxy);
    t.equal(socket.isPaused(), false);
  }
  t.equal(penaltyBox.addresses, 0);
  t.equal(penaltyBox.penalise(socketOf('192.0.2.1'), units(1000)), null);
  const other = penaltyBox.penalise(socketOf('192.0.2.1'), units(1000));
  t.not(other, null, 'others are');
  penaltyBox.close();
  await other;
});

t.test('a connection that is closed is not held', async (t) => {
  const penaltyBox = useBox(t, 1);
  t.equal(
    penaltyBox.penalise(socketOf(undefined), units(1000)),
    null,
    'it was gone when it was looked at first',
  );
  const gone = socketOf('192.0.2.1');
  gone.destroy();
  t.equal(penaltyBox.penalise(gone, units(1000)), null);
  t.equal(penaltyBox.delayed, 0);
  t.equal(penaltyBox.addresses, 0, 'what has no address any more is not counted as one');
});

t.test('a connection with many delayed refusals has one listener, and waits for all', async (t) => {
  const penaltyBox = useBox(t, 1);
  const socket = socketOf('192.0.2.1');
  const listeners = socket.listenerCount('close');
  penaltyBox.penalise(socket, units(1000));
  const delays = Array.from({ length: 12 }, () => penaltyBox.penalise(socket, units(1)));
  t.equal(penaltyBox.delayed, 12);
  t.equal(socket.listenerCount('close'), listeners + 1);
  t.ok(socket.isPaused());
  socket.destroy();
  await Promise.all(delays);
  t.equal(penaltyBox.delayed, 0, 'they end with the connection');
});

const LIMITS = 'limits: { http: { refusalsPerSecond: 1, refusalHoldMillis: 60000 } }\n';

/** A gateway whose backend answers everything, with these lines. */
async function start(t: Test, lines: string): Promise<TestGateway> {
  const backend = await useBackend(t, answerWith(envelope('<r xmlns="urn:r"/>')));
  return useGateway(t, `services: { s: { url: "${backend.url}/s" } }\n${lines}`);
}

t.test(
  'refused envelopes, documents and heads wait together, good requests of the same address pass',
  async (t) => {
    const gateway = await start(t, LIMITS);
    const post = (path: string, type: string, body: string): string =>
      `POST ${path} HTTP/1.1\r\nHost: g\r\nContent-Type: ${type}\r\nSOAPAction: ""\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
    const rubbish = post('/soap/s', 'text/xml', '<a></b>');
    await spend(gateway);
    const waiting = [
      rubbish,
      post('/graphql', 'application/json', '{"query":"{ nothing }"}'),
      'POST /soap/s HTTP/9.9\r\nHost: g\r\n\r\n',
      'GET /nowhere HTTP/1.1\r\nHost: g\r\n\r\n',
    ];
    const clients = await Promise.all(waiting.map(() => RawClient.connect(gateway.url)));
    let answered = 0;
    for (const [index, client] of clients.entries()) {
      client.socket.on('data', () => answered++);
      client.socket.write(waiting[index] ?? '');
    }
    await held(gateway, 4);
    const good = await sendRaw(
      gateway.url,
      post('/soap/s', 'text/xml', envelope('<q xmlns="urn:q"/>')),
    );
    t.equal(good.status, 200, 'good requests do not wait');
    t.equal(answered, 0, 'the others do');
    clients[0]?.socket.destroy();
    await held(gateway, 3);
    t.pass('who leaves is not waited for');
    await gateway.drain();
    t.equal(answered, 3, 'the end lets all go');
  },
);

t.test('a body in tiny chunks has no new connection of its address wait', async (t) => {
  const gateway = await start(t, LIMITS);
  const head = 'POST /soap/s HTTP/1.1\r\nHost: g\r\nContent-Type: text/xml\r\nSOAPAction: ""\r\n';
  const body = envelope('<q xmlns="urn:q"/>');
  const tiny = `${head}Transfer-Encoding: chunked\r\n\r\n${'1\r\n \r\n'.repeat(10_000)}`;
  for (let n = 0; n < 5; n++) {
    const client = await RawClient.connect(gateway.url);
    t.teardown(() => client.close());
    await client.send(tiny);
  }
  while (!/soapstone_refusals_held [1-5]\n/.test(await gateway.metrics()));
  for (let n = 0; n < 32; n++) {
    const good = await sendRaw(gateway.url, `${head}Content-Length: ${body.length}\r\n\r\n${body}`);
    t.equal(good.status, 200, `neighbour ${n}`);
  }
});

t.test(
  'a trusted proxy may have as many connections as there are, and is trusted without classes',
  async (t) => {
    const limits =
      'clients: { trustedProxies: [127.0.0.1] }\nlimits: { http: { connectionsPerClient: 2 } }\n';
    const gateway = await start(t, limits);
    const body = envelope('<q xmlns="urn:q"/>');
    for (let n = 0; n < 5; n++) {
      const client = await RawClient.connect(gateway.url);
      t.teardown(() => client.close());
      await client.send(
        `POST /soap/s HTTP/1.1\r\nHost: g\r\nX-Forwarded-For: 192.0.2.${n}\r\n` +
          `Content-Type: text/xml\r\nSOAPAction: ""\r\nContent-Length: ${body.length}\r\n\r\n` +
          `${body}`,
      );
      t.equal((await client.reply()).status, 200, `connection ${n}`);
    }
    t.match(
      await gateway.accessLine(),
      { caller: 'address:192.0.2.0', class: 'default' },
      'the log has the client',
    );
  },
);

t.test('callers behind a trusted proxy do not wait for each other', async (t) => {
  const clients =
    'clients: { trustedProxies: [127.0.0.1], address: { class: all }, classes: { all: {} } }\n' as const;
  const gateway = await start(t, LIMITS + clients);
  const proxy = await RawClient.connect(gateway.url);
  t.teardown(() => proxy.close());
  const from = (address: string, path: string, body: string): string =>
    `POST ${path} HTTP/1.1\r\nHost: g\r\nX-Forwarded-For: ${address}\r\n` +
    `Content-Type: ${path === '/graphql' ? 'application/json' : 'text/xml'}\r\n` +
    `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
  const exchanges = async (): Promise<void> => {
    for (let n = 0; n < 10; n++) {
      for (const path of ['/soap/s', '/graphql']) {
        await proxy.send(from('192.0.2.1', path, '<a></b>'));
        await proxy.reply();
      }
      await proxy.send(from('192.0.2.2', '/soap/s', envelope('<q xmlns="urn:q"/>')));
      t.equal((await proxy.reply()).status, 200);
    }
  };
  let isOver = false;
  const all = exchanges().then(() => {
    isOver = true;
  });
  while (!isOver) {
    if (!(await gateway.metrics()).includes('soapstone_refusals_held 0\n'))
      return t.fail('somebody is held');
  }
  return all;
});

t.test('a client that leaves in the middle of a request is not held', async (t) => {
  const gateway = await start(t, LIMITS);
  const head =
    'POST /soap/s HTTP/1.1\r\nHost: g\r\nContent-Type: text/xml\r\nContent-Length: 30000\r\n' +
    'Expect: 100-continue\r\n\r\n';
  const all = 20;
  for (let n = 0; n < all; n++) {
    const client = await RawClient.connect(gateway.url);
    const invited = once(client.socket, 'data');
    await client.send(head);
    await invited;
    client.socket.resetAndDestroy();
  }
  const gone = (): number =>
    gateway.logLines().filter((line) => JSON.stringify(line).includes('CLIENT_GONE')).length;
  while (gone() < all) {
    if (!(await gateway.metrics()).includes('soapstone_refusals_held 0\n'))
      return t.fail('a refusal is delayed');
  }
  return t.pass('all are over');
});

/**
 * Uses up the refusals that are answered at once, by requests that cost nothing: reading XML or
 * GraphQL first is slow.
 */
async function spend(gateway: { readonly url: string }): Promise<void> {
  for (let n = 0; n < 2; n++) await fetch(`${gateway.url}/nowhere`);
}

/** Waits until so many wait. */
const held = async (gateway: { metrics(): Promise<string> }, count: number): Promise<void> => {
  while (!(await gateway.metrics()).includes(`soapstone_refusals_held ${count}\n`));
};

t.test('refusals wait over server-sent events as well', async (t) => {
  const desk = await startDesk(t, LIMITS);
  const ask = (query: string): Promise<string> =>
    postGraphql(desk.gateway.url, { query }, { accept: 'text/event-stream' }).then((response) =>
      response.text(),
    );
  await spend(desk.gateway);
  let answered = 0;
  const later = ['{ nothing }', '{ order }', 'subscription { nothing }'].map((query) =>
    ask(query).then((text) => {
      answered++;
      return text;
    }),
  );
  await held(desk.gateway, 3);
  t.match(await ask('{ order(id: 1) { id } }'), /"id":1/, 'what is in order does not wait');
  t.equal(answered, 0);
  await desk.gateway.drain();
  for (const text of await Promise.all(later)) t.match(text, /event: next\ndata: \{"errors"/);
});

t.test('refusals wait over WebSockets as well, and nothing else does', async (t) => {
  const desk = await startDesk(t, LIMITS);
  await spend(desk.gateway);
  const one = await acknowledged(desk);
  one.say(subscribe('a', '{ nothing }'));
  one.say(subscribe('b', '{'));
  one.say(subscribe('c', '{ order(id: 1) { id } }'));
  await one.heard(3);
  t.match(
    one.messages.slice(1),
    [
      { id: 'c', type: 'next' },
      { id: 'c', type: 'complete' },
    ],
    'what is in order',
  );
  await held(desk.gateway, 2);
  one.say({ id: 'a', type: 'complete' });
  one.say(subscribe('a', '{ order(id: 2) { id } }'));
  await one.heard(5);
  t.match(
    one.messages.slice(3),
    [
      { id: 'a', type: 'next' },
      { id: 'a', type: 'complete' },
    ],
    'a name used again',
  );
  t.match(
    await desk.gateway.metrics(),
    'soapstone_refusals_held 2\n',
    'who does not want to hear has to wait as well',
  );
  one.say(subscribe('b', '{ order(id: 2) { id } }'));
  t.equal(await one.closed, 4409, 'the other is not over yet');
  await held(desk.gateway, 0);
});

t.test('where too many refusals of a WebSocket wait nothing more is taken from it', async (t) => {
  const desk = await startDesk(
    t,
    'limits: { http: { refusalsPerSecond: 1, refusalHoldMillis: 500 }, subscriptions: ' +
      '{ perConnection: 2 } }\n',
  );
  await spend(desk.gateway);
  const one = await acknowledged(desk);
  for (const id of ['a', 'b', 'c', 'd']) one.say(subscribe(id, '{ nothing }'));
  one.say(subscribe('e', '{ order(id: 1) { id } }'));
  await one.heard(7);
  const told = one.messages.slice(1).map(({ id, type }) => `${id} ${type}`);
  t.same([...told].sort(), ['a error', 'b error', 'c error', 'd error', 'e complete', 'e next']);
  t.ok(told.indexOf('e next') >= 3, `only one of four may still wait: ${told}`);
  one.say(subscribe('f', '{ order(id: 1) { id } }'));
  await one.heard(9);
  t.match(one.messages.at(-1), { id: 'f', type: 'complete' }, 'and it goes on');
});
