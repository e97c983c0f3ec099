import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import t, { type Test } from 'tap';
import { defaultsOf } from '../../src/core/limit.js';
import { Refusal } from '../../src/core/refusals/refusal.js';
import type { RefusalCode } from '../../src/core/refusals/refusals.js';
import { UPSTREAM_LIMITS, type UpstreamLimits } from '../../src/upstream/limits.js';
import { FixedQuery } from '../../src/upstream/query.js';
import type {
  ReplyHead,
  UpstreamCall,
  UpstreamReceiver,
  UpstreamRequest,
} from '../../src/upstream/reply.js';
import { Upstream } from '../../src/upstream/upstream.js';
import { refusalOfError, TIMEOUT_KEYS } from '../../src/upstream/upstream-refusals.js';
import { answerWith, startScriptedBackend } from '../kit/backend.js';
import { until } from '../kit/until.js';
import { useBackend } from '../kit/use.js';

const LIMITS = defaultsOf(UPSTREAM_LIMITS);

/** How one call went. Waiting for any of it is waiting for the event itself. */
class Heard implements UpstreamReceiver {
  readonly ended: Promise<'end' | RefusalCode>;
  readonly begun: Promise<ReplyHead>;
  readonly chunks: Buffer[] = [];
  readonly events: string[] = [];
  onData: () => void = () => {};
  onHead: () => void = () => {};
  #end: (how: 'end' | RefusalCode) => void = () => {};
  #begin: (head: ReplyHead) => void = () => {};

  constructor() {
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    this.begun = new Promise((resolve) => {
      this.#begin = resolve;
    });
  }

  head(head: ReplyHead): void {
    this.events.push('head');
    this.onHead();
    this.#begin(head);
  }

  data(chunk: Buffer): void {
    this.events.push('data');
    this.chunks.push(chunk);
    this.onData();
  }

  end(): void {
    this.events.push('end');
    this.#end('end');
  }

  failed(refusal: Refusal): void {
    this.events.push('failed');
    this.#end(refusal.code);
  }

  get text(): string {
    return Buffer.concat(this.chunks).toString();
  }
}

t.test("a parameter of the address is not the caller's to say again", async (t) => {
  const joined = (own: string, given: string): string => new FixedQuery(own).with(given);
  for (const [own, given, expected] of [
    ['', '', ''],
    ['', '?tenant=2', '?tenant=2'],
    ['?tenant=1', '', '?tenant=1'],
    ['?tenant=1', '?', '?tenant=1&'],
    ['?tenant=1', '?a=2&b;c', '?tenant=1&a=2&b;c'],
    ['?tenant=1', '?tenants=2&atenant=3&a=tenant', '?tenant=1&tenants=2&atenant=3&a=tenant'],
    ['?tenant=1', '?tenant=2', '?tenant=1'],
    ['?tenant=1', '?tenant', '?tenant=1'],
    ['?tenant=1', '?a=1&tenant=2&b=3&tenant=4', '?tenant=1&a=1&b=3'],
    ['?tenant=1', '?Tenant=2&%74EN%61nt=2&+tenant=2&%20tenant=2', '?tenant=1'],
    ['?tenant=1', '?tenant[]=2&tenant%5B0%5D=2&tenant%00a=2&tenant[=2', '?tenant=1'],
    ['?tenant=1', '?a=1;tenant=2&b=3', '?tenant=1&a=1&b=3'],
    ['?tenant=1', '?tenant=2;a=1', '?tenant=1&a=1'],
    ['?tenant=1', '?a;tenant=2;b', '?tenant=1&a;b'],
    ['?tenant=1', '?tenant?=2&?tenant=2', '?tenant=1&tenant?=2&?tenant=2'],
    ['?api.key=1', '?api_key=2&api%20key=2&api+key=2&apikey=3', '?api.key=1&apikey=3'],
    ['?filter[a]=1&b', '?filter[b]=2&b=1&[b]=1', '?filter[a]=1&b&[b]=1'],
    ['?caf%C3%A9=1', '?caf%c3%a9=2', '?caf%C3%A9=1'],
    ['?wsdl', '?%zz=1&%=2', '?wsdl&%zz=1&%=2'],
  ] as const) {
    t.equal(joined(own, given), expected, `${own} and ${given}`);
  }
  const backend = await useBackend(t, answerWith('fine', 'text/plain'));
  const upstream = makeUpstream(t, [`${backend.url}/x?tenant=1`]);
  const heard = new Heard();
  upstream.call({ ...GET, query: '?tenant=2&a=3' }, heard);
  await heard.ended;
  t.equal(backend.complete[0]?.target, '/x?tenant=1&a=3');
  const started = process.cpuUsage();
  joined(
    '?tenant=1',
    `?${'tenant['.repeat(100_000)}${'%5B'.repeat(100_000)}${'&;'.repeat(100_000)}`,
  );
  t.ok(process.cpuUsage(started).user < 1_000_000, 'in linear time');
});

const GET: UpstreamRequest = { method: 'GET', query: '', headers: [], body: null };

function makeUpstream(
  t: Test,
  urls: readonly string[],
  limits: Partial<UpstreamLimits> = {},
): Upstream {
  const upstream = new Upstream(urls, { ...LIMITS, ...limits });
  t.teardown(() => upstream.close());
  return upstream;
}

function call(
  upstream: Upstream,
  request: Partial<UpstreamRequest> = {},
): Heard & { readonly call: UpstreamCall } {
  const heard = new Heard();
  return Object.assign(heard, { call: upstream.call({ ...GET, ...request }, heard) });
}

/** A backend that keeps its answers back until told. */
async function startHolding(t: Test) {
  const held: ServerResponse[] = [];
  const backend = await useBackend(t, (_message, response) => held.push(response));
  return { url: backend.url, held, arrived: (count: number) => until(() => held.length >= count) };
}

/** A body of which half has come. */
function halfBody(): Readable {
  const body = new Readable({ read() {} });
  body.on('error', () => {}).push('half');
  return body;
}

t.test('an answer comes whole, with its head', async (t) => {
  const backend = await useBackend(t, (message, response) => {
    response.setHeader('x-two', ['a', 'b']);
    answerWith(message.target, 'text/plain', 202)(message, response);
  });
  const upstream = makeUpstream(t, [`${backend.url}/base`]);
  const heard = call(upstream, {
    method: 'POST',
    query: '?a=1',
    headers: ['x-a', 'b'],
    body: Buffer.from('hello'),
  });
  const head = await heard.begun;
  t.equal(await heard.ended, 'end');
  t.equal(head.status, 202);
  t.equal(head.header('content-type'), 'text/plain');
  t.equal(head.header('x-two'), 'a, b');
  t.equal(head.header('x-three'), null);
  t.equal(heard.text, '/base?a=1');
  t.equal(backend.complete[0]?.body.toString(), 'hello');
  t.equal(backend.complete[0]?.headers['x-a'], 'b');
  t.equal(upstream.active, 0);
});

t.test('the query of the address and the query of the caller become one', async (t) => {
  const backend = await useBackend(t, (message, response) =>
    answerWith(message.target)(message, response),
  );
  const ask = async (url: string, query: string): Promise<string> => {
    const heard = call(makeUpstream(t, [url]), { query });
    await heard.ended;
    return heard.text;
  };
  t.equal(await ask(`${backend.url}/a?key=1`, ''), '/a?key=1');
  t.equal(await ask(`${backend.url}/a?key=1`, '?b=2?c'), '/a?key=1&b=2?c');
  t.equal(await ask(`${backend.url}/a`, '?b=2'), '/a?b=2');
  t.equal(await ask(backend.url, ''), '/');
});

t.test('several addresses take turns', async (t) => {
  const backends = await Promise.all(
    ['a', 'b', 'c'].map((name) => useBackend(t, answerWith(name, 'text/plain'))),
  );
  const upstream = makeUpstream(
    t,
    backends.map(({ url }) => url),
  );
  const answers: string[] = [];
  for (let index = 0; index < 6; index++) {
    const heard = call(upstream);
    await heard.ended;
    answers.push(heard.text);
  }
  t.equal(answers.join(''), 'abcabc');
});

t.test(
  'an address that is slow holds its own places only, and one that fails is passed over',
  async (t) => {
    const slow = await startHolding(t);
    const quick = await useBackend(t, answerWith('quick'));
    const upstream = makeUpstream(t, [slow.url, quick.url], { connections: 1, pending: 0 });
    const first = call(upstream);
    await slow.arrived(1);
    for (let count = 0; count < 5; count++) {
      const heard = call(upstream);
      t.equal(await heard.ended, 'end');
      t.equal(heard.text, 'quick');
    }
    slow.held[0]?.end();
    t.equal(await first.ended, 'end');

    const dead = await startScriptedBackend(() => {});
    await dead.close();
    const half = makeUpstream(t, [dead.url, quick.url], { breakerFailures: 2 });
    for (let count = 0; count < 6; count++)
      t.equal(await call(half).ended, 'end', 'made at the other address');
    t.equal(half.count('open'), 1);
    const none = makeUpstream(t, [dead.url], { breakerFailures: 2 });
    const codes: string[] = [];
    for (let count = 0; count < 3; count++) codes.push(await call(none).ended);
    t.same(codes, ['UPSTREAM_UNREACHABLE', 'UPSTREAM_UNREACHABLE', 'CIRCUIT_OPEN']);
  },
);

t.test('a caller that sends slowly does not make the backend a failing one', async (t) => {
  const backend = await useBackend(t, answerWith('late'));
  const upstream = makeUpstream(t, [backend.url], { breakerFailures: 1, totalMillis: 30 });
  const body = halfBody();
  t.equal(await call(upstream, { method: 'POST', body }).ended, 'UPSTREAM_TIMEOUT');
  t.equal(upstream.count('open'), 0);
  t.equal(backend.complete.length, 0);
});

t.test(
  'a long upload has a connection of its own, and an aborted one takes it along',
  async (t) => {
    const backend = await useBackend(t, answerWith('fine'));
    const upstream = makeUpstream(t, [backend.url]);
    t.equal(await call(upstream).ended, 'end');
    const body = halfBody();
    const heard = call(upstream, { method: 'POST', headers: ['content-length', '8'], body });
    await until(() => backend.begun >= 2);
    heard.call.abort(new Refusal('CLIENT_GONE'));
    const next = call(upstream, { method: 'POST', body: Buffer.from('next') });
    t.equal(await next.ended, 'end');
    await until(() => backend.aborted > 0);
    t.same(
      backend.complete.map((message) => message.body.toString()),
      ['', 'next'],
      'the half is part of nothing',
    );
  },
);

t.test('a paused call leaves the rest with the backend until it is resumed', async (t) => {
  const total = 32 * 1024 * 1024;
  let sent = 0;
  let stuck = (): void => {};
  const isStuck = new Promise<void>((resolve) => {
    stuck = resolve;
  });
  const backend = await useBackend(t, (_message, response) => {
    const piece = Buffer.alloc(256 * 1024, 'a');
    const write = (): void => {
      while (sent < total) {
        sent += piece.length;
        if (!response.write(piece)) {
          // No drain within many turns of the loop: whoever should read does not.
          const timer = setTimeout(stuck, 100);
          response.once('drain', () => {
            clearTimeout(timer);
            write();
          });
          return;
        }
      }
      response.end();
    };
    response.writeHead(200);
    write();
  });
  const heard = call(makeUpstream(t, [backend.url]));
  heard.onData = () => {
    heard.onData = () => {};
    heard.call.pause();
  };
  await isStuck;
  const received = heard.text.length;
  t.ok(received <= 1024 * 1024, `${received} bytes came in spite of the pause`);
  t.ok(sent < total, 'the backend waits');
  heard.call.resume();
  t.equal(await heard.ended, 'end');
  t.equal(heard.text.length, total);
});

for (const [end, framing, how] of [
  ['end', 'Connection: close\r\n', 'end'],
  ['end', 'Content-Length: 200000\r\nConnection: close\r\n', 'end'],
  ['end', 'Content-Length: 200000\r\n', 'end'],
  ['end', 'Content-Length: 200001\r\nConnection: close\r\n', 'UPSTREAM_TRUNCATED'],
  ['resetAndDestroy', 'Connection: close\r\n', 'UPSTREAM_TRUNCATED'],
  ['resetAndDestroy', 'Content-Length: 200001\r\n', 'UPSTREAM_TRUNCATED'],
] as const)
  t.test(`a backend may close while its answer waits: ${framing.trim()}, by ${end}`, async (t) => {
    const backend = await startScriptedBackend((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\n${framing}\r\n${'a'.repeat(200_000)}`, () => {
        if (end === 'end') socket.end();
      });
    });
    t.teardown(() => backend.close());
    const heard = call(makeUpstream(t, [backend.url]));
    // Each piece waits a turn, as for a caller that reads slowly: the last one too, when nothing is
    // left behind it.
    heard.onData = () => {
      heard.call.pause();
      const isLast = heard.text.length === 200_000;
      if (isLast && end !== 'end') for (const socket of backend.sockets) socket.resetAndDestroy();
      setTimeout(() => heard.call.resume(), isLast ? 50 : 1);
    };
    t.equal(await heard.ended, how);
    t.equal(heard.text.length, 200_000);
  });

t.test('an aborted call ends with its refusal, and its connection is gone', async (t) => {
  const backend = await startHolding(t);
  const upstream = makeUpstream(t, [backend.url]);
  const heard = call(upstream);
  await backend.arrived(1);
  const closed = new Promise((resolve) => backend.held[0]?.once('close', resolve));
  heard.call.abort(new Refusal('CLIENT_GONE'));
  heard.call.abort(new Refusal('INTERNAL'));
  t.equal(await heard.ended, 'CLIENT_GONE');
  await closed;
  t.same(heard.events, ['failed'], 'told once');
  t.equal(upstream.active, 0);
  // The next call is none the worse for it.
  const next = call(upstream);
  await backend.arrived(2);
  backend.held[1]?.end('fine');
  t.equal(await next.ended, 'end');
});

t.test('an aborted upload is no message, and its source is let go', async (t) => {
  const backend = await useBackend(t, answerWith('late'));
  const upstream = makeUpstream(t, [backend.url]);
  const body = halfBody();
  const heard = call(upstream, { method: 'POST', headers: ['content-length', '8'], body });
  await until(() => backend.begun > 0);
  heard.call.abort(new Refusal('CLIENT_GONE'));
  t.equal(await heard.ended, 'CLIENT_GONE');
  await until(() => backend.aborted > 0);
  t.equal(backend.complete.length, 0);
  t.ok(body.destroyed);
});

t.test('a body that is refused on its way says why, and is no message', async (t) => {
  const backend = await useBackend(t, answerWith('late'));
  const body = halfBody();
  const heard = call(makeUpstream(t, [backend.url]), { method: 'POST', body });
  await until(() => backend.begun > 0);
  body.destroy(new Refusal('XML_DEPTH_LIMIT'));
  t.equal(await heard.ended, 'XML_DEPTH_LIMIT');
  await until(() => backend.aborted > 0);
  t.equal(backend.complete.length, 0);
});

t.test(
  'what a receiver throws ends the call: a refusal as it is, anything else as a bug',
  async (t) => {
    const backend = await useBackend(t, answerWith('body'));
    const upstream = makeUpstream(t, [backend.url]);
    for (const [thrown, code] of [
      [new Refusal('UPSTREAM_REDIRECT'), 'UPSTREAM_REDIRECT'],
      [new TypeError('oops'), 'INTERNAL'],
    ] as const) {
      const heard = new Heard();
      heard.onHead = () => {
        throw thrown;
      };
      upstream.call(GET, heard);
      t.equal(await heard.ended, code);
      t.same(heard.events, ['head', 'failed']);
      t.equal(upstream.active, 0);
    }
  },
);

t.test(
  'more calls than the limits allow are refused, at once or when they waited too long',
  async (t) => {
    const backend = await startHolding(t);
    const upstream = makeUpstream(t, [backend.url], {
      connections: 1,
      pending: 1,
      pendingMillis: 20,
    });
    const first = call(upstream);
    await backend.arrived(1);
    const second = call(upstream);
    const third = call(upstream);
    t.equal(upstream.active, 1);
    t.equal(upstream.waiting, 1);
    t.equal(await third.ended, 'POOL_EXHAUSTED', 'no place to wait');
    t.equal(await second.ended, 'POOL_EXHAUSTED', 'waited too long');
    const fourth = call(upstream);
    backend.held[0]?.end();
    t.equal(await first.ended, 'end');
    await backend.arrived(2);
    backend.held[1]?.end();
    t.equal(await fourth.ended, 'end', 'waited, and was let through');
    t.equal(backend.held.length, 2, 'who was refused never arrived');
    t.equal(upstream.active, 0);
    t.equal(upstream.waiting, 0);
  },
);

t.test('a caller that gives up while waiting never reaches the backend', async (t) => {
  const backend = await startHolding(t);
  const upstream = makeUpstream(t, [backend.url], { connections: 1 });
  const first = call(upstream);
  await backend.arrived(1);
  const second = call(upstream);
  second.call.abort(new Refusal('CLIENT_GONE'));
  t.equal(await second.ended, 'CLIENT_GONE');
  t.equal(upstream.waiting, 0);
  // Given up between being let in and being sent.
  const third = new Heard();
  backend.held[0]?.end();
  await first.ended;
  upstream.call(GET, third).abort(new Refusal('CLIENT_GONE'));
  t.equal(await third.ended, 'CLIENT_GONE');
  const fourth = call(upstream);
  await backend.arrived(2);
  backend.held[1]?.end();
  t.equal(await fourth.ended, 'end');
  t.equal(backend.held.length, 2);
});

t.test('each step has its time', async (t) => {
  const silent = await startScriptedBackend(() => {});
  const half = await startScriptedBackend((socket) =>
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf'),
  );
  const slow = await startScriptedBackend((socket) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n');
    const timer = setInterval(() => socket.write('a'), 5);
    socket.once('close', () => clearInterval(timer));
  });
  for (const backend of [silent, half, slow]) t.teardown(() => backend.close());
  const ended = (url: string, limits: Partial<UpstreamLimits>) =>
    call(makeUpstream(t, [url], limits)).ended;
  const [headers, total, idle, whole] = await Promise.all([
    ended(silent.url, { headersMillis: 20 }),
    ended(silent.url, { totalMillis: 20 }),
    ended(half.url, { idleMillis: 20 }),
    ended(slow.url, { totalMillis: 60 }),
  ]);
  t.equal(headers, 'UPSTREAM_TIMEOUT');
  t.equal(total, 'UPSTREAM_TIMEOUT');
  t.equal(idle, 'UPSTREAM_IDLE_TIMEOUT');
  t.equal(whole, 'UPSTREAM_TIMEOUT', 'however lively the answer is');
});

t.test('whatever breaks on the wire has its name', async (t) => {
  const cases: readonly (readonly [string, string, RefusalCode])[] = [
    ['nothing', '', 'UPSTREAM_RESET'],
    ['half a status line', 'HTTP/1.1 20', 'UPSTREAM_RESET'],
    ['half a body', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf', 'UPSTREAM_TRUNCATED'],
    [
      'half a chunk',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nhalf',
      'UPSTREAM_TRUNCATED',
    ],
    [
      'no last chunk',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n',
      'UPSTREAM_TRUNCATED',
    ],
    ['another protocol', 'SSH-2.0-OpenSSH_9.6\r\n', 'UPSTREAM_INVALID_RESPONSE'],
    [
      'two lengths',
      'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
      'UPSTREAM_INVALID_RESPONSE',
    ],
    [
      'a head without end',
      `HTTP/1.1 200 OK\r\n${'X-A: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n'.repeat(2000)}\r\n`,
      'UPSTREAM_RESPONSE_LIMIT',
    ],
  ];
  for (const [name, bytes, code] of cases) {
    const backend = await startScriptedBackend((socket) => socket.end(bytes));
    const upstream = makeUpstream(t, [backend.url], { headersMillis: 2000 });
    t.equal(await call(upstream).ended, code, name);
    t.equal(upstream.active, 0, name);
    await backend.close();
  }
  const gone = await startScriptedBackend(() => {});
  await gone.close();
  t.equal(await call(makeUpstream(t, [gone.url])).ended, 'UPSTREAM_UNREACHABLE', 'nobody listens');
});

t.test('a backend that speaks no TLS where TLS is expected is not trusted', async (t) => {
  const plain = await useBackend(t, answerWith('secret'));
  const ended = await call(makeUpstream(t, [plain.url.replace('http:', 'https:')])).ended;
  t.equal(ended, 'UPSTREAM_TLS');
  t.equal(plain.complete.length, 0);
});

t.test(
  'an answer that ends with its connection is whole, and what came before the answer is none',
  async (t) => {
    const backend = await startScriptedBackend((socket) =>
      socket.end('HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.0 200 OK\r\n\r\nto the end'),
    );
    t.teardown(() => backend.close());
    const heard = call(makeUpstream(t, [backend.url]));
    t.equal(await heard.ended, 'end');
    t.same(heard.events.filter((event) => event === 'head').length, 1);
    t.equal(heard.text, 'to the end');
  },
);

t.test('an error is known by its code, never by its words', async (t) => {
  const error = (code: string): Error => Object.assign(new Error('10.0.0.1 secret'), { code });
  const cases: readonly (readonly [unknown, RefusalCode, RefusalCode])[] = [
    [error('ECONNREFUSED'), 'UPSTREAM_UNREACHABLE', 'UPSTREAM_UNREACHABLE'],
    [error('ENOTFOUND'), 'UPSTREAM_UNREACHABLE', 'UPSTREAM_UNREACHABLE'],
    [error('ETIMEDOUT'), 'UPSTREAM_CONNECT_TIMEOUT', 'UPSTREAM_CONNECT_TIMEOUT'],
    [error('UND_ERR_CONNECT_TIMEOUT'), 'UPSTREAM_CONNECT_TIMEOUT', 'UPSTREAM_CONNECT_TIMEOUT'],
    [error('UND_ERR_HEADERS_TIMEOUT'), 'UPSTREAM_TIMEOUT', 'UPSTREAM_TIMEOUT'],
    [error('UND_ERR_BODY_TIMEOUT'), 'UPSTREAM_IDLE_TIMEOUT', 'UPSTREAM_IDLE_TIMEOUT'],
    [error('ECONNRESET'), 'UPSTREAM_RESET', 'UPSTREAM_TRUNCATED'],
    [error('UND_ERR_SOCKET'), 'UPSTREAM_RESET', 'UPSTREAM_TRUNCATED'],
    [
      error('UND_ERR_RES_CONTENT_LENGTH_MISMATCH'),
      'UPSTREAM_INVALID_RESPONSE',
      'UPSTREAM_TRUNCATED',
    ],
    [error('HPE_INVALID_CONSTANT'), 'UPSTREAM_INVALID_RESPONSE', 'UPSTREAM_INVALID_RESPONSE'],
    [error('DEPTH_ZERO_SELF_SIGNED_CERT'), 'UPSTREAM_TLS', 'UPSTREAM_TLS'],
    [error('CERT_HAS_EXPIRED'), 'UPSTREAM_TLS', 'UPSTREAM_TLS'],
    [error('ERR_TLS_CERT_ALTNAME_INVALID'), 'UPSTREAM_TLS', 'UPSTREAM_TLS'],
    [error('SOMETHING_NEW'), 'UPSTREAM_UNREACHABLE', 'UPSTREAM_TRUNCATED'],
    [new Refusal('XML_PI_FORBIDDEN'), 'XML_PI_FORBIDDEN', 'XML_PI_FORBIDDEN'],
    [null, 'UPSTREAM_UNREACHABLE', 'UPSTREAM_TRUNCATED'],
    ['text', 'UPSTREAM_UNREACHABLE', 'UPSTREAM_TRUNCATED'],
    [{ code: 7 }, 'UPSTREAM_UNREACHABLE', 'UPSTREAM_TRUNCATED'],
  ];
  for (const [caught, before, after] of cases) {
    const refusals = [refusalOfError(caught, false), refusalOfError(caught, true)];
    t.same(
      refusals.map(({ code }) => code),
      [before, after],
    );
    for (const { message, detail } of refusals) t.notMatch(`${message} ${detail}`, 'secret');
  }
});

t.test('a timeout names its limit', async (t) => {
  const limits = {
    ...defaultsOf(UPSTREAM_LIMITS),
    connectMillis: 11,
    headersMillis: 12,
    idleMillis: 13,
  };
  const cases = [
    ['UND_ERR_CONNECT_TIMEOUT', 'connectMillis', 11],
    ['UND_ERR_HEADERS_TIMEOUT', 'headersMillis', 12],
    ['UND_ERR_BODY_TIMEOUT', 'idleMillis', 13],
  ] as const;
  for (const [code, name, value] of cases) {
    const error = Object.assign(new Error('timeout'), { code });
    const { limit } = refusalOfError(error, false, { limits, keys: TIMEOUT_KEYS });
    t.same(limit, { key: `limits.upstream.${name}`, value });
    t.equal(refusalOfError(error, false).limit, null, 'unless it is not known');
  }
  const silent = await startScriptedBackend(() => {});
  t.teardown(() => silent.close());
  const upstream = makeUpstream(t, [silent.url], { headersMillis: 20 });
  const refusal = await new Promise<Refusal>((resolve) => {
    upstream.call(
      { method: 'POST', query: '', headers: [], body: Buffer.from('x') },
      { head: () => {}, data: () => {}, end: () => {}, failed: resolve },
    );
  });
  t.same(refusal.limit, { key: 'limits.upstream.headersMillis', value: 20 });
});
