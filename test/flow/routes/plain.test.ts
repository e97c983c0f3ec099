import t, { type Test } from 'tap';

import { answerWith, type RecordingBackend, startScriptedBackend } from '../../kit/backend.js';
import type { TestGateway } from '../../kit/gateway.js';
import { chunked, RawClient, sendRaw } from '../../kit/raw-client.js';
import { useBackend, useGateway } from '../../kit/use.js';

/**
 * Paths with no envelope go through a package with a history: here are the guards around it, over
 * real sockets.
 */

const CONFIG = (url: string): string => `
services:
  s:
    url: ${url}/soap
routes:
  - path: /files
    url: ${url}
  - path: /files/deep
    url: ${url}/elsewhere
  - path: /tenants
    url: ${url}/fixed?tenant=1
`;

const startGateway = (t: Test, url: string): Promise<TestGateway> => useGateway(t, CONFIG(url));

async function startBoth(
  t: Test,
  answer: RecordingBackend['answer'] = answerWith('fine', 'text/plain'),
): Promise<{ readonly backend: RecordingBackend; readonly gateway: TestGateway }> {
  const backend = await useBackend(t, answer);
  return { backend, gateway: await startGateway(t, backend.url) };
}

const request = (
  method: string,
  target: string,
  fields: readonly string[] = [],
  body = '',
): string =>
  `${method} ${target} HTTP/1.1\r\n` +
  `${['Host: gateway.example', ...fields].join('\r\n')}\r\n\r\n${body}`;

t.test('a path below a route goes where the route says, the longest one first', async (t) => {
  const { backend, gateway } = await startBoth(t);
  for (const [path, target] of [
    ['/files', '/files'],
    ['/files/a?b=c', '/files/a?b=c'],
    ['/files/deep/a', '/elsewhere/files/deep/a'],
    ['/tenants', '/fixed/tenants?tenant=1'],
    ['/tenants?a=b', '/fixed/tenants?tenant=1&a=b'],
    ['/tenants?a=b&Tenant=2', '/fixed/tenants?tenant=1&a=b'],
    ['/tenants?tenant=2', '/fixed/tenants?tenant=1'],
  ] as const) {
    const answer = await sendRaw(gateway.url, request('GET', path));
    t.equal(answer.status, 200, path);
    t.equal(answer.body, 'fine');
    t.equal(backend.complete.at(-1)?.target, target, path);
  }
  t.match(await gateway.accessLine(), {
    route: '/files',
    status: 200,
    outcome: 'ok',
    method: 'GET',
  });
  const before = backend.begun;
  for (const path of ['/filesystem', '/f', '/file', '/FILES/a']) {
    t.equal((await sendRaw(gateway.url, request('GET', path))).status, 404, path);
  }
  for (const path of [
    '/files/../soap',
    '/files/%2e%2e/soap',
    '/files/..%2fsoap',
    '/files//a',
    '/files/./a',
    '/files/a%5cb',
    '/files/a\\b',
    '/files/%00',
    '/files/a@b',
    '/files/..',
    '/files/..;/soap',
    '/files/%252e%252e/soap',
    '/files/%zz',
    '/files/a#b',
    '/files/\u00e9',
  ]) {
    t.equal((await sendRaw(gateway.url, request('GET', path))).status, 400, path);
  }
  t.equal(backend.begun, before, 'none of them arrived');
});

t.test('F01: a body on a method that has none never arrives', async (t) => {
  const { backend, gateway } = await startBoth(t);
  for (const method of ['DELETE', 'OPTIONS', 'GET', 'HEAD']) {
    const smuggled = 'GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n';
    const framings = [
      request(method, '/files', [`Content-Length: ${smuggled.length}`], smuggled),
      request(method, '/files', ['Transfer-Encoding: chunked'], chunked(smuggled).toString()),
    ];
    for (const bytes of framings) {
      const answer = await sendRaw(gateway.url, bytes);
      t.match(String(answer.status), /^40[05]$/, method);
      t.equal(answer.headers.get('connection'), 'close');
    }
  }
  for (const method of ['TRACE', 'CONNECT']) {
    const client = await RawClient.connect(gateway.url);
    await client.send(request(method, '/files'));
    const answer = await client.reply();
    t.notMatch(String(answer.status), /^2/, method);
    client.close();
  }
  t.equal(backend.begun, 0);
  t.equal(
    (await sendRaw(gateway.url, request('DELETE', '/files/a'))).status,
    200,
    'without a body it passes',
  );
  const posted = await sendRaw(
    gateway.url,
    request('POST', '/files', ['Transfer-Encoding: chunked'], chunked('a', 'b').toString()),
  );
  t.equal(posted.status, 200);
  t.equal(backend.complete.at(-1)?.body.toString(), 'ab');
});

t.test(
  'a reply that switches protocols, or has another transfer coding than chunked, is a bad gateway',
  async (t) => {
    let answer = '';
    let lines = 0;
    const backend = await startScriptedBackend((socket) => socket.write(answer));
    t.teardown(() => backend.close());
    const gateway = await startGateway(t, backend.url);
    for (const [text, detail] of [
      [
        'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: a\r\n\r\nbytes',
        'status',
      ],
      [
        'HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n1\r\na\r\n0\r\n\r\n',
        'transfer coding',
      ],
      ['HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\na', 'transfer coding'],
    ] as const) {
      answer = text;
      t.equal((await sendRaw(gateway.url, request('GET', '/files'))).status, 502, text);
      t.match(
        await gateway.accessLine(++lines),
        { code: 'UPSTREAM_INVALID_RESPONSE', detail },
        text,
      );
    }
  },
);

t.test('a plain backend that is not there, or hangs up, is a bad gateway', async (t) => {
  const backend = await startScriptedBackend((socket) => socket.destroy());
  t.teardown(() => backend.close());
  const gateway = await startGateway(t, backend.url);
  t.equal((await sendRaw(gateway.url, request('GET', '/files'))).status, 502);
  t.match(await gateway.accessLine(), { outcome: 'failed', code: 'UPSTREAM_RESET' });
  await backend.close();
  const answer = await sendRaw(gateway.url, request('GET', '/files'));
  t.equal(answer.status, 502);
  t.equal(answer.body, '', 'no address in it');
  t.match(await gateway.accessLine(2), { outcome: 'failed', code: 'UPSTREAM_UNREACHABLE' });
});

t.test(
  'F06: a whole address that names this host is sent on as a path, and another is not repeated',
  async (t) => {
    const { backend, gateway } = await startBoth(t);
    const own = await sendRaw(gateway.url, request('GET', 'http://gateway.example/files/a?b=c'));
    t.equal(own.status, 200);
    t.equal(backend.complete[0]?.target, '/files/a?b=c');
    for (const target of [
      'http://gateway.example@other.example/files',
      'ftp://gateway.example/files',
    ]) {
      const answer = await sendRaw(gateway.url, request('GET', target));
      t.equal(answer.status, 400, target);
      t.equal(answer.headers.get('content-type'), 'text/plain; charset=utf-8');
      t.notMatch(answer.body, 'example', 'nothing of the target');
    }
    t.equal(backend.begun, 1);
  },
);

t.test('a caller that wants its connection closed has it closed', async (t) => {
  const { gateway } = await startBoth(t);
  const client = await RawClient.connect(gateway.url);
  await client.send(request('GET', '/files', ['Connection: close']));
  t.equal((await client.reply()).headers.get('connection'), 'close');
  await client.ended();
  const kept = await RawClient.connect(gateway.url);
  for (let index = 0; index < 2; index++) {
    await kept.send(request('GET', '/files'));
    t.not((await kept.reply()).headers.get('connection'), 'close', 'else it is kept');
  }
  kept.close();
});

t.test('nothing is upgraded, and no answer is taken for the next caller', async (t) => {
  const { backend, gateway } = await startBoth(t);
  const fields = [
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Key: a',
    'Sec-WebSocket-Version: 13',
  ];
  const answer = await sendRaw(gateway.url, request('GET', '/files', fields));
  t.equal(answer.status, 200);
  t.equal(backend.complete[0]?.headers['upgrade'], undefined);
  t.equal(backend.complete[0]?.headers['connection'], 'close', 'one connection, one request');
});
