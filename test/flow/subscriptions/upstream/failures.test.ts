import t, { type Test } from 'tap';
import { type WebSocket, WebSocketServer } from 'ws';

import { running } from '../../../kit/live-desk.js';
import {
  allOf,
  BOTH,
  codesOf,
  EVENTS,
  type Protocol,
  type Reply,
  reply,
  type Setting,
  startUpstreamDesk,
} from '../../../kit/upstream-desk.js';

/**
 * One gateway for each kind of failure: a machine that is slow with everything must not meet the
 * limits of another.
 */
async function settings(
  t: Test,
  protocol: Protocol,
): Promise<(code: string | undefined) => Setting> {
  const make = (limits: string): Promise<Setting> =>
    startUpstreamDesk(
      t,
      protocol,
      '',
      `limits:\n  remote: { eventBytes: 2000, responseDepth: 8${limits} }\n  subscriptions: ` +
        '{ pingMillis: 1000 }\n  upstream: { breakerFailures: 0 }\n',
    );
  const patient = await make('');
  const late = await make(', acceptMillis: 200');
  const silent = await make(', silenceMillis: 300');
  return (code) =>
    code === 'UPSTREAM_TIMEOUT' ? late : code === 'UPSTREAM_IDLE_TIMEOUT' ? silent : patient;
}

const TICK = 'event: next\ndata: {"data":{"tick":1}}\n\n';

const EVENT_CASES: readonly (readonly [string, Reply, readonly string[]])[] = [
  ['no credentials', reply(401, {}, ''), ['UPSTREAM_AUTH']],
  ['elsewhere', reply(307, { location: 'http://169.254.169.254/' }, ''), ['UPSTREAM_REDIRECT']],
  ['too much to do', reply(503, {}, ''), ['UPSTREAM_OVERLOADED']],
  ['a page', reply(404, { 'content-type': 'text/html' }, '<p>'), ['UPSTREAM_INVALID_RESPONSE']],
  [
    'JSON',
    reply(200, { 'content-type': 'application/json' }, '{"data":{"tick":1}}'),
    ['UPSTREAM_INVALID_RESPONSE'],
  ],
  ['events with another status', reply(500, EVENTS, TICK), ['UPSTREAM_INVALID_RESPONSE']],
  [
    'compressed',
    reply(200, { ...EVENTS, 'content-encoding': 'gzip' }, TICK),
    ['UPSTREAM_INVALID_RESPONSE'],
  ],
  ['nothing', (response) => response.destroy(), ['UPSTREAM_RESET']],
  ['no answer', () => {}, ['UPSTREAM_TIMEOUT']],
  ['no event', reply(200, EVENTS, ''), ['UPSTREAM_TRUNCATED']],
  ['no end', reply(200, EVENTS, TICK), ['sent', 'UPSTREAM_TRUNCATED']],
  [
    'a hundred and no end',
    reply(200, EVENTS, TICK.repeat(100)),
    [...Array(100).fill('sent'), 'UPSTREAM_TRUNCATED'],
  ],
  ['an end', reply(200, EVENTS, `${TICK}event: complete\ndata:\n\n`), ['sent']],
  ['more after the end', reply(200, EVENTS, `event: complete\n\n${TICK}`), []],
  [
    'a cut event',
    reply(200, EVENTS, `${TICK}${TICK.slice(0, -5)}`),
    ['sent', 'UPSTREAM_TRUNCATED'],
  ],
  ['no JSON', reply(200, EVENTS, 'event: next\ndata: {]\n\n'), ['UPSTREAM_INVALID_RESPONSE']],
  ['rubbish', reply(200, EVENTS, '\0\0\0rubbish\n\n\n'), ['UPSTREAM_TRUNCATED']],
  [
    'two of one name',
    reply(200, EVENTS, 'event: next\ndata: {"data":1,"data":{}}\n\n'),
    ['UPSTREAM_INVALID_RESPONSE'],
  ],
  [
    'no result',
    reply(200, EVENTS, 'event: next\ndata: {"x":1}\n\nevent: complete\n\n'),
    ['UPSTREAM_INVALID_RESPONSE'],
  ],
  [
    'too long',
    reply(200, EVENTS, `event: next\ndata: {"data":{"tick":"${'x'.repeat(2000)}"}}\n\n`),
    ['UPSTREAM_RESPONSE_LIMIT'],
  ],
  [
    'too deep',
    reply(200, EVENTS, `event: next\ndata: ${'['.repeat(20)}${']'.repeat(20)}\n\n`),
    ['UPSTREAM_RESPONSE_LIMIT'],
  ],
  [
    'silence after an event',
    (response) => {
      response.writeHead(200, EVENTS);
      response.write(TICK);
    },
    ['sent', 'UPSTREAM_IDLE_TIMEOUT'],
  ],
  [
    'a head and silence',
    (response) => {
      response.writeHead(200, EVENTS);
      response.flushHeaders();
    },
    ['UPSTREAM_IDLE_TIMEOUT'],
  ],
  [
    'a cut',
    (response) => {
      response.writeHead(200, EVENTS);
      response.write(TICK, () => response.destroy());
    },
    ['sent', 'UPSTREAM_TRUNCATED'],
  ],
];

t.test('every failure of an event stream is reported, and ends it', async (t) => {
  const settingFor = await settings(t, 'sse');
  for (const [what, answer, expected] of EVENT_CASES) {
    const { remote, gateway, events } = settingFor(expected.at(-1));
    for (const transport of BOTH) {
      remote.instead = (_request, response) => answer(response);
      const told = await allOf(events(transport, 'subscription { tick }'));
      t.strictSame(codesOf(told), expected, `${what}, ${transport}`);
      await running(gateway, 'tick', 0);
    }
    t.match(await gateway.metrics(), 'soapstone_upstream_subscriptions{service="crm"} 0\n');
  }
});

type Script = (socket: WebSocket, say: (message: unknown) => void, id: string) => void;

const ack = { type: 'connection_ack' };
const next = (id: string, payload: unknown = { data: { tick: 1 } }): unknown => ({
  id,
  type: 'next',
  payload,
});

/** When it is connected, and when it is subscribed. */
const SOCKET_CASES: readonly (readonly [
  string,
  Script | null,
  Script | null,
  readonly string[],
])[] = [
  ['no ack', () => {}, null, ['UPSTREAM_TIMEOUT']],
  ['forbidden', (socket) => socket.close(4403, 'Forbidden'), null, ['UPSTREAM_AUTH']],
  ['closed at once', (socket) => socket.close(1000), null, ['UPSTREAM_RESET']],
  ['cut', (socket) => socket.terminate(), null, ['UPSTREAM_RESET']],
  ['an event first', (_socket, say) => say(next('1')), null, ['UPSTREAM_INVALID_RESPONSE']],
  ['no JSON', (socket) => socket.send('{'), null, ['UPSTREAM_INVALID_RESPONSE']],
  [
    'binary',
    (socket) => socket.send(Buffer.from('{"type":"connection_ack"}')),
    null,
    ['UPSTREAM_INVALID_RESPONSE'],
  ],
  [
    'two of one name',
    (socket) => socket.send('{"type":"connection_ack","type":"ping"}'),
    null,
    ['UPSTREAM_INVALID_RESPONSE'],
  ],
  ['its end', null, (_socket, say, id) => say({ id, type: 'complete' }), []],
  [
    'the end of another',
    null,
    (_socket, say) => say({ id: 'x', type: 'complete' }),
    ['UPSTREAM_INVALID_RESPONSE'],
  ],
  ['an event of another', null, (_socket, say) => say(next('x')), ['UPSTREAM_INVALID_RESPONSE']],
  [
    'a quiet farewell',
    null,
    (socket, say, id) => {
      say(next(id));
      socket.close(1000);
    },
    ['sent', 'UPSTREAM_TRUNCATED'],
  ],
  [
    'a restart',
    null,
    (socket, say, id) => {
      say(next(id));
      socket.close(1012);
    },
    ['sent', 'UPSTREAM_TRUNCATED'],
  ],
  [
    'expired',
    null,
    (socket, say, id) => {
      say(next(id));
      socket.close(4403);
    },
    ['sent', 'UPSTREAM_AUTH'],
  ],
  ['full', null, (socket) => socket.close(1013), ['UPSTREAM_OVERLOADED']],
  ['a list', null, (_socket, say, id) => say(next(id, [1])), ['UPSTREAM_INVALID_RESPONSE']],
  [
    'no result',
    null,
    (_socket, say, id) => {
      say(next(id, { x: 1 }));
      say({ id, type: 'complete' });
    },
    ['UPSTREAM_INVALID_RESPONSE'],
  ],
  [
    'a name of JavaScript',
    null,
    (_socket, say) => say(next('__proto__')),
    ['UPSTREAM_INVALID_RESPONSE'],
  ],
  ['another message', null, (_socket, say) => say({ type: 'data' }), ['UPSTREAM_INVALID_RESPONSE']],
  [
    'refused',
    null,
    (_socket, say, id) =>
      say({ id, type: 'error', payload: [{ message: 'not you', path: ['tick'] }] }),
    ['GRAPHQL_UPSTREAM_ERROR'],
  ],
  [
    'too long',
    null,
    (_socket, say, id) => say(next(id, { data: { tick: 'x'.repeat(4000) } })),
    ['UPSTREAM_RESPONSE_LIMIT'],
  ],
  [
    'too deep',
    null,
    (_socket, say, id) => say(next(id, JSON.parse(`{"data":${'['.repeat(20)}${']'.repeat(20)}}`))),
    ['UPSTREAM_RESPONSE_LIMIT'],
  ],
];

t.test('every failure of a WebSocket is reported, and ends it', async (t) => {
  const settingFor = await settings(t, 'graphql-transport-ws');
  const server = new WebSocketServer({ noServer: true });
  for (const [what, connected, subscribed, expected] of SOCKET_CASES) {
    const { remote, gateway, events } = settingFor(expected.at(-1));
    for (const transport of BOTH) {
      remote.insteadOfUpgrade = (request, raw) => {
        server.handleUpgrade(request, raw, Buffer.alloc(0), (socket) => {
          const say = (message: unknown): void => socket.send(JSON.stringify(message));
          socket.on('message', (data) => {
            const { type, id } = JSON.parse(String(data));
            if (type === 'subscribe') subscribed?.(socket, say, id);
            else if (type === 'connection_init')
              (connected ?? ((_socket, tell) => tell(ack)))(socket, say, '');
          });
        });
      };
      const told = await allOf(events(transport, 'subscription { tick }'));
      t.strictSame(codesOf(told), expected, `${what}, ${transport}`);
      await running(gateway, 'tick', 0);
    }
  }
  for (const [what, head, expected] of [
    ['no credentials', 'HTTP/1.1 401 Unauthorized\r\n', 'UPSTREAM_AUTH'],
    [
      'elsewhere',
      'HTTP/1.1 302 Found\r\nlocation: http://169.254.169.254/\r\n',
      'UPSTREAM_REDIRECT',
    ],
    ['too much to do', 'HTTP/1.1 503 Unavailable\r\n', 'UPSTREAM_OVERLOADED'],
    ['no such thing', 'HTTP/1.1 404 Not Found\r\n', 'UPSTREAM_INVALID_RESPONSE'],
    [
      'a wrong handshake',
      'HTTP/1.1 101 X\r\nupgrade: websocket\r\nconnection: upgrade\r\n',
      'UPSTREAM_INVALID_RESPONSE',
    ],
    ['no HTTP', 'SSH-2.0\r\n', 'UPSTREAM_INVALID_RESPONSE'],
    ['nothing', '', 'UPSTREAM_RESET'],
    ['no answer', null, 'UPSTREAM_TIMEOUT'],
  ] as const) {
    const { remote, events } = settingFor(expected);
    remote.insteadOfUpgrade = (_request, raw) => {
      if (head !== null) raw.end(head === '' ? '' : `${head}content-length: 0\r\n\r\n`);
    };
    t.strictSame(codesOf(await allOf(events('sse', 'subscription { tick }'))), [expected], what);
  }
  const { remote, gateway, events } = settingFor('UPSTREAM_IDLE_TIMEOUT');
  remote.insteadOfUpgrade = (request, raw) => {
    server.handleUpgrade(request, raw, Buffer.alloc(0), (socket) => {
      socket.on('message', () => {
        socket.send(JSON.stringify(ack));
        // From here on it is as if the machine were gone.
        raw.pause();
      });
    });
  };
  t.strictSame(
    codesOf(await allOf(events('sse', 'subscription { tick }'))),
    ['UPSTREAM_IDLE_TIMEOUT'],
    'no pong',
  );
  while (
    !(await gateway.metrics()).includes('soapstone_upstream_subscriptions{service="crm"} 0\n')
  );
});
