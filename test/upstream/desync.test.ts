import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { defaultsOf } from '../../src/core/limit.js';
import { Refusal } from '../../src/core/refusals/refusal.js';
import { ConnectionReuse } from '../../src/upstream/connection-reuse.js';
import { UPSTREAM_LIMITS } from '../../src/upstream/limits.js';
import type { UpstreamRequest } from '../../src/upstream/reply.js';
import { Upstream } from '../../src/upstream/upstream.js';
import { startDesyncBackend } from '../kit/desync-backend.js';
import { runDesyncCallers } from '../kit/desync-callers.js';
import { BEHAVIOURS, behaviourOf, HEADERS_MILLIS, requestBytesOf } from '../kit/desync-calls.js';
import { listen } from '../kit/listen.js';
import { until } from '../kit/until.js';
import { useGateway } from '../kit/use.js';

const MIB = 2 ** 20;
/** More than two sockets hold. */
const LONG = Buffer.alloc(24 * MIB, 'a');
const OWN = 'own';
const FOREIGN = 'of another exchange';

const answer = (text: string): string =>
  `HTTP/1.1 200 OK\r\nContent-Length: ${text.length}\r\n\r\n${text}`;

/**
 * A backend whose connections are given to `script`, the first one with 0; `connections`: how many
 * there may be.
 */
async function startDesk(
  t: Test,
  script: (socket: Socket, count: number) => void,
  connections = defaultsOf(UPSTREAM_LIMITS).connections,
) {
  const sockets: Socket[] = [];
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.push(socket);
    script(socket, sockets.length - 1);
  });
  const upstream = new Upstream([`${(await listen(t, server)).url}/`], {
    ...defaultsOf(UPSTREAM_LIMITS),
    breakerFailures: 0,
    connections,
  });
  t.teardown(() => upstream.close());
  return {
    upstream,
    /** Connections, in their order. */
    sockets,
    call: (body: UpstreamRequest['body'] = null) => post(upstream, body),
  };
}

/** Resolves to the content of the reply, or the code of the refusal. */
function post(upstream: Upstream, body: UpstreamRequest['body']): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    upstream.call(
      { method: 'POST', query: '', headers: [], body },
      {
        head() {},
        data(chunk) {
          text += chunk.toString();
        },
        end: () => resolve(text),
        failed: (refusal) => resolve(refusal.code),
      },
    );
  });
}

/** Resolves to the refusal of a call. */
function refusalOf(upstream: Upstream, body: UpstreamRequest['body']): Promise<Refusal> {
  return new Promise((resolve, reject) => {
    upstream.call(
      { method: 'POST', query: '', headers: [], body },
      { head() {}, data() {}, end: () => reject(new Error('answered')), failed: resolve },
    );
  });
}

/** Answers each request that ends with its head. */
const answerHeads = (socket: Socket): void =>
  void socket.on('data', () => socket.write(answer(OWN)));

/**
 * Answers the first request early, and the next one on the same connection as if it were still the
 * first.
 */
function answerEarly(socket: Socket, first: string, rest: string): void {
  let bytes = 0;
  socket.once('data', () => {
    socket.pause();
    socket.write(first);
    // The gateway reads that while it cannot write.
    if (rest === '') setTimeout(() => socket.resume(), 50);
    else setImmediate(() => socket.resume());
  });
  socket.on('data', (chunk) => {
    const before = bytes;
    bytes += chunk.length;
    if (before < LONG.length && bytes >= LONG.length) socket.write(rest);
    else if (before >= LONG.length) socket.write(answer(FOREIGN));
  });
}

for (const [name, makeBody] of [
  ['one buffer', () => LONG],
  ['a stream', () => stream(LONG)],
] as const) {
  for (const [end, cut] of [
    ['before the rest of the request', OWN.length],
    ['after it', OWN.length - 1],
  ] as const) {
    t.test(
      `an answer before its request is out is the last of its connection: ${name}, it ends ${end}`,
      async (t) => {
        const whole = answer(OWN);
        const at = whole.length - OWN.length + cut;
        const desk = await startDesk(t, (socket, count) => {
          if (count > 0) answerHeads(socket);
          else answerEarly(socket, whole.slice(0, at), whole.slice(at));
        });
        t.equal(await desk.call(makeBody()), OWN);
        t.equal(await desk.call(), OWN);
        t.equal(desk.sockets.length, 2);
      },
    );
  }
}

/**
 * Answers the first request whole, and each later one on the connection before more than its
 * beginning is read.
 */
function answerEarlyLater(socket: Socket, early: string): void {
  let bytes = 0;
  socket.on('data', (chunk) => {
    const before = bytes;
    bytes += chunk.length;
    if (before < MIB && bytes >= MIB) socket.write(answer(OWN));
    else if (before >= MIB && before < 2 * MIB) {
      socket.pause();
      bytes = 2 * MIB;
      socket.write(early);
    }
  });
}

/** Answers each MiB. */
function answerMebibytes(socket: Socket): void {
  let bytes = 0;
  socket.on('data', (chunk) => {
    bytes += chunk.length;
    if (bytes < MIB) return;
    bytes = 0;
    socket.write(answer(OWN));
  });
}

/** Longer than a connection rests after a long request. */
const rested = (): Promise<void> => delay(150);
const stream = (bytes: Buffer): Readable => Readable.from([bytes], { objectMode: false });

t.test('a connection carries one long request after another', async (t) => {
  const desk = await startDesk(t, answerMebibytes);
  for (let count = 0; count < 4; count++) {
    t.equal(await desk.call(stream(Buffer.alloc(MIB, 'a'))), OWN);
    await rested();
  }
  t.equal(desk.sockets.length, 1);
});

t.test('after a burst of long requests the others of its connections grow old', async (t) => {
  const desk = await startDesk(t, answerMebibytes);
  const burst = await Promise.all(
    Array.from({ length: 8 }, () => desk.call(stream(Buffer.alloc(MIB, 'a')))),
  );
  t.strictSame(burst, Array(8).fill(OWN));
  await rested();
  const before = desk.sockets.map((socket) => socket.bytesRead);
  for (let count = 0; count < 4; count++) {
    t.equal(await desk.call(stream(Buffer.alloc(MIB, 'a'))), OWN);
    await rested();
  }
  t.equal(desk.sockets.length, 8);
  const used = desk.sockets.filter((socket, index) => socket.bytesRead > (before[index] ?? 0));
  t.equal(used.length, 1, 'one connection is used again and again');
});

for (const [status, refusal] of [
  ['413 Content Too Large', 'UPSTREAM_INVALID_RESPONSE'],
  ['401 Unauthorized', 'UPSTREAM_AUTH'],
  ['503 Service Unavailable', 'UPSTREAM_OVERLOADED'],
  ['200 OK', 'UPSTREAM_DESYNC'],
  ['4x3 Odd', 'UPSTREAM_DESYNC'],
  ['600 Odd', 'UPSTREAM_DESYNC'],
  ['101 Switching Protocols', 'UPSTREAM_DESYNC'],
] as const) {
  t.test(
    `of an early answer on a connection used before, nothing but the status of an error: ${status}`,
    async (t) => {
      const early = answer(FOREIGN).replace('200 OK', status);
      const desk = await startDesk(
        t,
        (socket, count) => {
          if (count === 0) answerEarlyLater(socket, early);
          else answerHeads(socket);
        },
        1,
      );
      t.equal(await desk.call(Buffer.alloc(MIB, 'a')), OWN);
      await rested();
      const refused = await refusalOf(desk.upstream, stream(LONG));
      t.equal(refused.code, refusal);
      t.equal(
        refused.message.includes(status.slice(0, 3)),
        refusal !== 'UPSTREAM_DESYNC',
        'the status is named',
      );
      t.notMatch(refused.message + refused.detail, FOREIGN);
      t.equal(desk.sockets.length, 1, 'it came on the connection of the first call');
      const [first] = desk.sockets;
      first?.resume();
      if (first !== undefined && !first.closed) await once(first, 'close');
      for (let count = 0; count < 3; count++) t.equal(await desk.call(), OWN);
      t.equal(
        desk.sockets.length,
        refusal === 'UPSTREAM_DESYNC' ? 4 : 2,
        'an honest error does not end reuse',
      );
    },
  );
}

t.test('an interim answer that comes early does not end the connection', async (t) => {
  const desk = await startDesk(t, (socket) => {
    let left = 0;
    socket.on('data', (chunk: Buffer) => {
      if (left === 0) {
        socket.write('HTTP/1.1 100 Continue\r\n\r\n');
        left = chunk.indexOf('\r\n\r\n') + 4 + LONG.length;
      }
      left -= chunk.length;
      if (left === 0) socket.write(answer(OWN));
    });
  });
  t.equal(await desk.call(LONG), OWN);
  await rested();
  t.equal(await desk.call(LONG), OWN);
  t.equal(desk.sockets.length, 1);
});

t.test('behind an interim answer it is still early', async (t) => {
  const desk = await startDesk(t, (socket, count) => {
    if (count > 0) return answerHeads(socket);
    socket.once('data', () => {
      socket.pause();
      socket.write('HTTP/1.1 100 Continue\r\n\r\n');
      socket.write(answer(OWN));
    });
  });
  t.equal(await desk.call(LONG), OWN);
  desk.sockets[0]?.resume();
  t.equal(await desk.call(), OWN);
  t.equal(desk.sockets.length, 2);
});

t.test(
  'after a long request a connection is idle for a while, so that a second answer meets no request',
  async (t) => {
    const body = Buffer.alloc(60_000, 'a');
    const desk = await startDesk(t, (socket, count) => {
      if (count > 0) return answerHeads(socket);
      let bytes = 0;
      socket.on('data', (chunk) => {
        if (bytes === 0) socket.write(answer(OWN));
        bytes += chunk.length;
      });
    });
    t.equal(await desk.call(body), OWN);
    const [first] = desk.sockets;
    const next = desk.call();
    // On the connection of the first one this would be read as its answer.
    first?.write(answer(FOREIGN));
    t.equal(await next, OWN);
    t.equal(desk.sockets.length, 2);
  },
);

t.test('a short request leaves the connection to the next call', async (t) => {
  const desk = await startDesk(t, answerHeads, 1);
  for (let count = 0; count < 5; count++) t.equal(await desk.call(Buffer.from('short')), OWN);
  t.equal(desk.sockets.length, 1);
});

for (const [name, spoil] of [
  ['bytes that no request waits for', (socket: Socket) => socket.write('H')],
  ['a whole answer that no request waits for', (socket: Socket) => socket.write(answer(FOREIGN))],
] as const) {
  t.test(`after ${name} each call gets a connection of its own`, async (t) => {
    const desk = await startDesk(t, answerHeads, 1);
    t.equal(await desk.call(), OWN);
    t.equal(await desk.call(), OWN);
    t.equal(desk.sockets.length, 1);
    const [first] = desk.sockets;
    if (first !== undefined) {
      spoil(first);
      await once(first, 'close');
    }
    for (let count = 2; count < 6; count++) {
      t.equal(await desk.call(), OWN);
      t.equal(desk.sockets.length, count);
    }
  });
}

t.test('after two answers to one request each call gets a connection of its own', async (t) => {
  const desk = await startDesk(
    t,
    (socket, count) => {
      let answers = 0;
      socket.on('data', () =>
        socket.write(answer(OWN).repeat(count === 0 && answers++ === 1 ? 2 : 1)),
      );
    },
    1,
  );
  t.equal(await desk.call(), OWN);
  t.equal(await desk.call(), 'UPSTREAM_DESYNC', 'neither can be trusted');
  for (let count = 2; count < 6; count++) {
    t.equal(await desk.call(), OWN);
    t.equal(desk.sockets.length, count);
  }
});

t.test('after a reply to another call each call gets a connection of its own', async (t) => {
  const desk = await startDesk(t, answerHeads, 1);
  await new Promise<void>((resolve) => {
    desk.upstream.call(
      { method: 'POST', query: '', headers: [], body: null },
      {
        head() {},
        data() {},
        end() {
          throw new Refusal('UPSTREAM_DESYNC', 'reply of another operation');
        },
        failed: () => resolve(),
      },
    );
  });
  for (let count = 2; count < 6; count++) {
    t.equal(await desk.call(), OWN);
    t.equal(desk.sockets.length, count);
  }
});

t.test('connections are used again when the address was in step for ten minutes', async (t) => {
  const reuse = new ConnectionReuse();
  const reported: boolean[] = [];
  reuse.listen((isSuspended) => reported.push(isSuspended));
  t.notOk(reuse.isSuspended(performance.now()));
  reuse.suspend();
  reuse.suspend();
  t.ok(reuse.isSuspended(performance.now() + 599_000));
  t.strictSame(reported, [true], 'reported once');
  t.notOk(reuse.isSuspended(performance.now() + 600_001));
  t.strictSame(reported, [true, false]);
});

t.test('a connection that was idle longest is used until its address is proven', async (t) => {
  const used: Socket[] = [];
  const desk = await startDesk(
    t,
    (socket) => {
      socket.on('data', () => {
        used.push(socket);
        socket.write(answer(OWN));
      });
    },
    2,
  );
  const callTwice = () => Promise.all([desk.call(), desk.call()]);
  await callTwice();
  for (let count = 0; count < 4; count++) t.equal(await desk.call(), OWN);
  const [first, second] = used.slice(-2);
  t.not(first, second);
  t.same(used.slice(-4), [first, second, first, second]);
  for (let count = 0; count < 1_000; count++) await desk.call();
  for (let count = 0; count < 4; count++) t.equal(await desk.call(), OWN);
  t.equal(new Set(used.slice(-4)).size, 1, 'then the latest, so that the others close');
  t.equal(desk.sockets.length, 2);
});

t.test('once calls have waited for long enough, they open connections', async (t) => {
  const desk = await startDesk(t, answerHeads, 3);
  while (desk.sockets.length < 2) t.equal(await desk.call(), OWN);
  for (let count = 0; count < 6; count++) t.equal(await desk.call(), OWN);
  t.equal(desk.sockets.length, 3, 'up to their limit, then the one that was idle longest is used');
});

for (const [name, millis] of [
  ['at once', 0],
  ['after 30 ms', 30],
  ['after 45 ms, as Nagle holds it back', 45],
] as const) {
  t.test(`a second answer meets no request where the address is not proven: ${name}`, async (t) => {
    const desk = await startDesk(t, (socket, count) => {
      if (count > 0) return answerHeads(socket);
      let answers = 0;
      socket.on('data', () => {
        socket.write(answer(OWN));
        if (answers++ === 0) setTimeout(() => socket.write(answer(FOREIGN)), millis);
      });
    });
    t.equal(await desk.call(), OWN);
    for (let count = 2; count < 5; count++) {
      t.equal(await desk.call(), OWN);
      t.equal(desk.sockets.length, count);
    }
  });
}

t.test('the rests of an address that is not proven are bounded in all', async (t) => {
  const reuse = new ConnectionReuse();
  const takeAll = (): readonly (number | null)[] =>
    Array.from({ length: 20 }, () => reuse.takeRest(10));
  t.equal(reuse.takeRest(0), 50);
  t.equal(reuse.takeRest(49), 1);
  t.equal(reuse.takeRest(50), 0, 'it has rested');
  t.same(takeAll(), [...Array(11).fill(40), ...Array(9).fill(null)]);
  t.equal(reuse.takeRest(0), null);
  reuse.suspend();
  t.equal(reuse.takeRest(0), 50, 'a sign begins them anew');
  for (let count = 0; count < 1_000; count++) reuse.answeredShort();
  t.equal(reuse.takeRest(0), 0, 'a proven address pays nothing');
});

t.test('a call that is given up while its connection rests sends nothing', async (t) => {
  let asked = 0;
  const desk = await startDesk(
    t,
    (socket) => {
      socket.on('data', () => {
        asked++;
        socket.write(answer(OWN));
      });
    },
    1,
  );
  t.equal(await desk.call(), OWN);
  const refusal = await new Promise<Refusal>((resolve) => {
    desk.upstream
      .call(
        { method: 'POST', query: '', headers: [], body: null },
        { head() {}, data() {}, end() {}, failed: resolve },
      )
      .abort(new Refusal('CLIENT_GONE'));
  });
  t.equal(refusal.code, 'CLIENT_GONE');
  t.equal(await desk.call(), OWN);
  await delay(100);
  t.equal(asked, 2);
  t.equal(desk.sockets.length, 1, 'its connection goes on');
});

t.test('a relapse doubles the time in which no connection is used again', async (t) => {
  let nowMillis = 0;
  const reuse = new ConnectionReuse('a:80/x', () => nowMillis);
  const suspended: number[] = [];
  reuse.listenSigns(({ suspendedMillis }) => suspended.push(suspendedMillis / 60_000));
  for (const minutes of [10, 20, 40]) {
    reuse.suspend();
    t.ok(reuse.isSuspended(nowMillis + minutes * 60_000 - 1));
    nowMillis += minutes * 60_000;
    t.notOk(reuse.isSuspended(nowMillis));
  }
  nowMillis += 24 * 3_600_000;
  reuse.suspend();
  t.same(suspended, [10, 20, 40, 10], 'after a day in step it is no relapse');
});

t.test('a sign reaches back as far as connections live, and at least ten minutes', async (t) => {
  for (const [ageMillis, reach] of [
    [60_000, 600_000],
    [3_600_000, 3_600_000],
  ] as const) {
    const reuse = new ConnectionReuse('a:80/x', undefined, ageMillis);
    const reaches: number[] = [];
    reuse.listenSigns(({ reachMillis }) => reaches.push(reachMillis));
    reuse.suspend();
    t.same(reaches, [reach]);
  }
});

t.test('the sign that another process has found suspends reuse for as long', async (t) => {
  const reuse = new ConnectionReuse('a:80/x');
  const signs: unknown[] = [];
  reuse.listenSigns((sign) => signs.push(sign));
  const reachMillis = 600_000;
  reuse.learn({
    address: 'a:80/x',
    atMillis: Date.now() - 2_000,
    suspendedMillis: 1_000,
    reachMillis,
  });
  t.notOk(reuse.isSuspended(), 'it is over');
  reuse.learn({ address: 'a:80/x', atMillis: Date.now(), suspendedMillis: 60_000, reachMillis });
  t.ok(reuse.isSuspended(performance.now() + 59_000));
  t.notOk(reuse.isSuspended(performance.now() + 61_000));
  t.same(signs, [], 'it is not passed on');
});

t.test(
  'connections rest longer until a thousand long requests in a row were answered in order',
  async (t) => {
    for (const doubt of ['suspend', 'answeredEarly'] as const) {
      const reuse = new ConnectionReuse();
      for (let round = 0; round < 2; round++) {
        for (let count = 0; count < 1_000; count++) t.equal(reuse.answeredLong(200), 100);
        t.equal(reuse.answeredLong(200), 2);
        t.equal(reuse.answeredLong(500), 100, 'what is answered early is mostly an error');
        reuse[doubt]();
      }
    }
  },
);

t.test(
  'no caller gets the reply of another, whatever the backend does with the connection of each',
  async (t) => {
    const backend = await startDesyncBackend();
    const gateway = await useGateway(
      t,
      `services:
  calls: { url: "${backend.url}/", versions: ["1.1"] }
limits:
  upstream: { headersMillis: ${HEADERS_MILLIS}, breakerFailures: 0 }
  overload: { eventLoopMillis: 0 }
  xml: { messageBytes: 33554432, textBytes: 33554432 }
`,
    );
    t.teardown(() => backend.close());
    /**
     * What a caller alone could tell, once in a hundred times before the first sign
     * (`test/bench/desync.ts`).
     */
    const isHidden = (call: number): boolean =>
      ['twice, later', 'on another connection'].includes(behaviourOf(call));
    const calls = Array.from({ length: 2_000 }, (_, call) => call).filter(
      (call) =>
        !isHidden(call) &&
        (behaviourOf(call) !== 'once' || call % 4 === 0) &&
        requestBytesOf(call) < 2 * MIB,
    );
    const seen = new Set(calls.map(behaviourOf));
    t.equal(seen.size, BEHAVIOURS.length - 2);
    const found = await runDesyncCallers(`${gateway.url}/soap/calls`, calls, 20);
    t.strictSame(found.foreign, []);
    t.ok(
      found.own > calls.length * 0.8,
      `${found.own} of ${calls.length} got their own; ${[...found.faults].join(' ')}`,
    );
    await until(async () =>
      (await gateway.metrics()).includes('soapstone_upstream_calls_active{service="calls"} 0'),
    );
  },
);
