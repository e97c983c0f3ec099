import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import t, { type Test } from 'tap';

import { Networks } from '../src/access/network/networks.js';
import { HTTP_LIMITS, type HttpLimits } from '../src/config/listen/http-limits.js';
import { defaultsOf } from '../src/core/limit.js';
import { asRefusal, Refusal } from '../src/core/refusals/refusal.js';
import { wireStatus } from '../src/core/refusals/wire-status.js';
import { parserRefusal } from '../src/flow/http/parser-error.js';
import { PenaltyBox } from '../src/flow/http/penalty-box.js';
import type { UpgradeEndpoint } from '../src/flow/http/request-class.js';
import { TicketKeys } from '../src/listen/ticket-keys.js';
import { TrafficServer } from '../src/traffic.js';
import { RawClient, sendRaw } from './kit/raw-client.js';
import { until } from './kit/until.js';

/** The server for callers without the gateway behind it: what a handler is told, and who is cut. */

const ANY_PORT = {
  address: { host: '127.0.0.1', port: 0 },
  text: '127.0.0.1:0',
  tls: null,
  proxies: new Networks([]),
};
const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
const UPGRADE = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
const POST = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n';

const HOOKS = {
  handshakeFailed: () => {},
  certificatesWithdrawn: () => {},
  tickets: new TicketKeys(),
};

async function start(
  t: Test,
  handler: (request: IncomingMessage, response: ServerResponse) => void,
  limits: Partial<HttpLimits> = {},
  upgrades: UpgradeEndpoint | null = null,
) {
  const refused: string[] = [];
  const traffic = new TrafficServer(
    async (request, response) => handler(request, response),
    { ...defaultsOf(HTTP_LIMITS), ...limits },
    {
      ...HOOKS,
      refused: (_client, _method, refusal) => ({
        id: String(refused.push(refusal.code)),
        isExplained: false,
      }),
    },
    new PenaltyBox({ refusalsPerSecond: 0, refusalHoldMillis: 0 }),
    upgrades,
  );
  const url = await traffic.listen(ANY_PORT);
  t.teardown(() => traffic.drain(0));
  return { traffic, url /** Codes of the requests that no handler saw. */, refused };
}

t.test(
  'a long answer written in one piece: a slow reader is served, one that stops is cut',
  async (t) => {
    const bytes = 48 * 1024 * 1024;
    let closed = (_wasWritten: boolean): void => {};
    const { url } = await start(
      t,
      (_request, response) => {
        response.once('close', () =>
          closed(response.writableFinished && response.errored === null),
        );
        response.writeHead(200, ['content-length', String(bytes)]).end(Buffer.alloc(bytes, 'x'));
      },
      { stallMillis: 1000 },
    );
    for (const isSteady of [true, false]) {
      const whether = new Promise<boolean>((resolve) => {
        closed = resolve;
      });
      const client = await RawClient.connect(url);
      const { socket } = client;
      let received = 0;
      let pause = 0;
      socket.removeAllListeners('data').on('data', (chunk) => {
        received += chunk.length;
        // A pause after every 8 MiB, each shorter than the limit and all of them longer.
        if (received / (8 * 1024 * 1024) < pause + 1) return;
        pause++;
        socket.pause();
        if (isSteady) setTimeout(() => socket.resume(), 300);
      });
      await client.send(GET);
      t.equal(await whether, isSteady, isSteady ? 'read to its end' : 'cut');
      socket.destroy();
    }
  },
);

t.test('the reader of a body gets its error, also if it begins to read late', async (t) => {
  const told: unknown[] = [];
  const { url, refused } = await start(
    t,
    (request, response) => {
      const read = (): void => {
        request.resume().on('error', (error) => {
          told.push(error);
          if (!response.headersSent)
            response.writeHead(400, ['content-length', '0', 'connection', 'close']).end();
        });
      };
      if (request.headers['x-late'] === undefined) read();
      else setTimeout(read, 50);
    },
    { stallMillis: 200, bodyGraceMillis: 200 },
  );
  for (const field of ['', 'X-Late: 1\r\n']) {
    const client = await RawClient.connect(url);
    client.socket.end(POST.replace('\r\n\r\n', `\r\n${field}\r\n`));
    t.equal((await client.reply()).status, 400, field);
    client.close();
    const slow = await RawClient.connect(url);
    await slow.send(POST.replace('\r\n\r\n', `\r\n${field}\r\n`));
    t.equal((await slow.reply()).status, 400, `${field}: too slow`);
    slow.close();
  }
  t.ok(told.every((error) => error instanceof Refusal));
  t.match(told, [
    { code: 'HTTP_BAD_REQUEST' },
    { code: 'HTTP_TIMEOUT' },
    { code: 'HTTP_BAD_REQUEST' },
  ]);
  t.same(refused, [], 'the handler tells of them');
});

t.test('an error of a request without a listener ends nothing', async (t) => {
  const { url } = await start(t, (request, response) => {
    if (request.method === 'GET') response.end('fine');
    else request.on('error', () => {}).removeAllListeners('data');
  });
  for (let round = 0; round < 5; round++) {
    const client = await RawClient.connect(url);
    await client.send(POST);
    client.socket.resetAndDestroy();
  }
  t.equal((await sendRaw(url, GET)).body, 'fine');
});

t.test('tunnels, whole or behind a request, are refused in their turn', async (t) => {
  const { url, refused } = await start(t, (_request, response) => {
    setImmediate(() => response.end('fine'));
  });
  const client = await RawClient.connect(url);
  await client.send(`${GET}CONNECT a:80 HTTP/1.1\r\nHost: a:80\r\n\r\nhello`);
  t.equal((await client.reply()).body, 'fine');
  const answer = await client.reply();
  t.equal(answer.status, 405);
  t.equal(answer.headers.get('allow'), 'GET, POST');
  await client.ended();
  t.same(refused, ['HTTP_METHOD']);
  client.close();
});

t.test(
  'requests behind the last answer are reported, and connections that are not taken are counted',
  async (t) => {
    const { url, refused, traffic } = await start(t, (_request, response) => response.end('fine'), {
      requestsPerConnection: 2,
      connections: 1,
    });
    const client = await RawClient.connect(url);
    const dropped = await RawClient.connect(url);
    await dropped.ended();
    await client.send(GET.repeat(5));
    t.equal((await client.reply()).headers.get('connection'), 'keep-alive');
    t.equal((await client.reply()).headers.get('connection'), 'close');
    await client.ended();
    t.same(refused, ['CLIENT_GONE', 'CLIENT_GONE', 'CLIENT_GONE']);
    t.equal(traffic.droppedConnections, 1);
    client.close();
  },
);

t.test('deadlines may be in any order of size', async (t) => {
  const { url } = await start(t, (_request, response) => response.end('fine'), {
    headerMillis: 9000,
    totalMillis: 1000,
  });
  t.equal((await sendRaw(url, GET)).status, 200);
});

t.test('a drain answers requests that lie unread while the event loop is late', async (t) => {
  const { url, traffic } = await start(t, (_request, response) => response.end('fine'));
  const clients = await Promise.all(Array.from({ length: 20 }, () => RawClient.connect(url)));
  for (const client of clients) await client.send(GET);
  for (const client of clients)
    t.equal((await client.reply()).headers.get('connection'), 'keep-alive');
  const drained = traffic.drain(10_000);
  await until(() => !traffic.isListening);
  const sent = clients.map((client) => client.send(GET));
  // Longer than kept connections have to bring something; then timers run before sockets are read.
  const end = performance.now() + 600;
  while (performance.now() < end);
  await Promise.all(sent);
  for (const client of clients) t.equal((await client.reply()).headers.get('connection'), 'close');
  t.equal(await drained, 0);
});

t.test(
  'a drain says close to requests in flight, and leaves their connections time to be reused',
  async (t) => {
    const answers: (() => void)[] = [];
    const { url, traffic } = await start(
      t,
      (_request, response) => void answers.push(() => response.end('fine')),
    );
    const clients = await Promise.all(Array.from({ length: 5 }, () => RawClient.connect(url)));
    const reused = await RawClient.connect(url);
    for (const client of [...clients, reused]) await client.send(GET);
    await until(() => answers.length === 6);
    answers.pop()?.();
    t.equal((await reused.reply()).headers.get('connection'), 'keep-alive', 'before the drain');
    const drained = traffic.drain(10_000);
    await until(() => !traffic.isListening);
    // The loop is late: the timer that looks for idle connections runs first, then the answers go
    // out.
    const sent = reused.send(GET);
    const end = performance.now() + 600;
    while (performance.now() < end);
    for (const answer of answers.splice(0)) answer();
    await sent;
    for (const client of clients)
      t.equal((await client.reply()).headers.get('connection'), 'close');
    await until(() => answers.length === 1);
    answers.pop()?.();
    t.equal(
      (await reused.reply()).status,
      200,
      'the next request of a client that knew nothing of the drain',
    );
    t.equal(await drained, 0);
  },
);

t.test(
  'an upgrade that comes at a drain is refused with 503, and may be tried again',
  async (t) => {
    const answers: (() => void)[] = [];
    const { url, traffic, refused } = await start(
      t,
      (_request, response) => void answers.push(() => response.end('fine')),
      {},
      {
        wants: ({ headers }) => headers.upgrade === 'websocket',
        take: () => new Refusal('INTERNAL'),
      },
    );
    const [busy, idle] = [await RawClient.connect(url), await RawClient.connect(url)];
    for (const client of [busy, idle]) await client.send(GET);
    await until(() => answers.length === 2);
    answers.pop()?.();
    t.equal((await idle.reply()).headers.get('connection'), 'keep-alive', 'before the drain');
    const drained = traffic.drain(10_000);
    await until(() => !traffic.isListening);
    await idle.send(UPGRADE);
    const { status, headers } = await idle.reply();
    t.equal(status, 503);
    t.equal(headers.get('connection'), 'close');
    t.equal(headers.get('retry-after'), '1');
    t.same(refused, ['GATEWAY_DRAINING']);
    answers.pop()?.();
    t.equal((await busy.reply()).status, 200);
    t.equal(await drained, 0);
  },
);

t.test(
  'a refused upgrade is answered with the status that is logged, and only ' +
    'what the client did counts',
  async (t) => {
    for (const [refusal, status, counted] of [
      [new Refusal('OVERLOADED'), 503, 0],
      [asRefusal(new Error('a bug')), 500, 0],
      [new Refusal('HTTP_ORIGIN'), 403, 1],
      [new Refusal('HTTP_BAD_REQUEST'), 400, 1],
    ] as const) {
      const penaltyBox = new PenaltyBox({ refusalsPerSecond: 1, refusalHoldMillis: 0 });
      const logged: number[] = [];
      const traffic = new TrafficServer(
        async () => {},
        defaultsOf(HTTP_LIMITS),
        {
          ...HOOKS,
          refused: (_client, _method, told) => ({
            id: String(logged.push(wireStatus(told, 'http'))),
            isExplained: true,
          }),
        },
        penaltyBox,
        { wants: () => true, take: () => refusal },
      );
      const url = await traffic.listen(ANY_PORT);
      t.teardown(() => traffic.drain(0));
      const reply = await sendRaw(url, UPGRADE);
      t.equal(reply.status, status, refusal.code);
      t.same(logged, [status]);
      t.equal(penaltyBox.addresses, counted, `counted: ${counted}`);
      t.equal(reply.headers.get('retry-after') ?? null, status === 503 ? '1' : null);
    }
    t.equal(wireStatus(new Refusal('CLIENT_GONE'), 'http'), 0, 'nothing is answered');
  },
);

t.test('timeouts and sizes that Node reports name their limit', async (t) => {
  const limits = {
    ...defaultsOf(HTTP_LIMITS),
    headerMillis: 100,
    totalMillis: 2000,
    headerBytes: 1024,
  };
  const limitOf = (code: string, hasHead: boolean) =>
    parserRefusal(new Error(code), code, limits, hasHead).limit;
  t.same(limitOf('ERR_HTTP_REQUEST_TIMEOUT', false), {
    key: 'limits.http.headerMillis',
    value: 100,
  });
  t.same(limitOf('ERR_HTTP_REQUEST_TIMEOUT', true), {
    key: 'limits.http.totalMillis',
    value: 2000,
  });
  t.same(limitOf('HPE_HEADER_OVERFLOW', false), { key: 'limits.http.headerBytes', value: 1024 });
  t.equal(limitOf('HPE_INVALID_METHOD', false), null);
});

t.test('one address has no more than half of all connections, or a hundred', async (t) => {
  const { url, refused } = await start(t, (_request, response) => response.end(), {
    connections: 240,
  });
  const sockets = Array.from({ length: 121 }, () =>
    connect(Number(new URL(url).port), '127.0.0.1'),
  );
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
  });
  await until(() => refused.length > 0);
  t.same(refused, ['HTTP_CONNECTIONS'], 'the 121st');
});
