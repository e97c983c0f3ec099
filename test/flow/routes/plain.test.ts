import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import t, { type Test } from 'tap';

import { answerWith, type RecordingBackend, startScriptedBackend } from '../../kit/backend.js';
import type { TestGateway } from '../../kit/gateway.js';
import { chunked, RawClient, sendRaw } from '../../kit/raw-client.js';
import { useBackend, useGateway } from '../../kit/use.js';

/** Paths with no envelope go through a package with a history: here are the guards around it, over real sockets. */

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

async function startGateway(t: Test, url: string): Promise<TestGateway> {
  const gateway = await useGateway(t, CONFIG(url));
  return gateway;
}

async function startBoth(
  t: Test,
  answer: RecordingBackend['answer'] = answerWith('fine', 'text/plain'),
): Promise<{ readonly backend: RecordingBackend; readonly gateway: TestGateway }> {
  const backend = await useBackend(t, answer);
  return { backend, gateway: await startGateway(t, backend.url) };
}

const request = (method: string, target: string, fields: readonly string[] = [], body = ''): string =>
  `${method} ${target} HTTP/1.1\r\n${['Host: gateway.example', ...fields].join('\r\n')}\r\n\r\n${body}`;

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

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
  t.match(await gateway.accessLine(), { route: '/files', status: 200, outcome: 'ok', method: 'GET' });
  const before = backend.begun;
  for (const path of ['/filesystem', '/', '/file', '/FILES/a']) {
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
  t.equal((await sendRaw(gateway.url, request('DELETE', '/files/a'))).status, 200, 'without a body it passes');
  const posted = await sendRaw(
    gateway.url,
    request('POST', '/files', ['Transfer-Encoding: chunked'], chunked('a', 'b').toString()),
  );
  t.equal(posted.status, 200);
  t.equal(backend.complete.at(-1)?.body.toString(), 'ab');
});

t.test('F02: fields of one connection stay on it, both ways', async (t) => {
  const backend = await startScriptedBackend((socket, received) => {
    socket.write(
      [
        'HTTP/1.1 200 OK',
        'Trailer: X-Checksum',
        'Content-Length: 4',
        'Keep-Alive: timeout=77',
        'Proxy-Authenticate: Basic',
        'Connection: X-Inner, keep-alive',
        'X-Inner: 1',
        'X-Outer: 1',
        '',
        'fine',
      ].join('\r\n'),
    );
    seen.push(received);
  });
  t.teardown(() => backend.close());
  const seen: string[] = [];
  const gateway = await startGateway(t, backend.url);
  const fields = [
    'Trailer: X-Checksum',
    'TE: trailers',
    'Keep-Alive: timeout=5',
    'Proxy-Authorization: Basic YTpi',
    'Proxy-Connection: keep-alive',
    'Expect: 100-continue',
    'Connection: X-Inner',
    'X-Inner: 1',
    'X-Outer: 1',
    'Content-Length: 2',
  ];
  const client = await RawClient.connect(gateway.url);
  await client.send(request('POST', '/files', fields, 'hi'));
  let answer = await client.reply();
  if (answer.status === 100) answer = await client.reply();
  client.close();
  t.equal(answer.status, 200);
  t.equal(answer.body, 'fine');
  for (const name of ['trailer', 'proxy-authenticate', 'x-inner']) t.notOk(answer.headers.has(name), `back: ${name}`);
  t.not(answer.headers.get('keep-alive'), 'timeout=77');
  t.equal(answer.headers.get('x-outer'), '1');
  const [arrived = ''] = seen;
  t.notMatch(arrived, /^(?:trailer|te|keep-alive|proxy-.*|expect|x-inner):/im, 'forth');
  t.match(arrived, /^x-outer: 1\r$/im);
  t.match(arrived, /^content-length: 2\r$/im);
});

t.test('F03: an answer that breaks off does not look like one that ended', async (t) => {
  for (const head of ['Content-Length: 100', 'Transfer-Encoding: chunked']) {
    const backend = await startScriptedBackend((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\n${head}\r\n\r\n4\r\nhalf\r\n`, () => socket.destroy());
    });
    const gateway = await startGateway(t, backend.url);
    const answer = await sendRaw(gateway.url, request('GET', '/files'));
    t.ok(answer.isCut, head);
    t.match(await gateway.accessLine(), { outcome: 'aborted', code: 'UPSTREAM_TRUNCATED' }, head);
    await backend.close();
  }
});

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

t.test('F04: a caller that leaves takes the upstream request with it', async (t) => {
  let left = (): void => {};
  const hasLeft = new Promise<void>((resolve) => {
    left = resolve;
  });
  const { backend, gateway } = await startBoth(t, (_message, response: ServerResponse) => {
    response.once('close', left);
  });
  const waiting = await RawClient.connect(gateway.url);
  await waiting.send(request('GET', '/files'));
  while (backend.begun < 1) await turn();
  waiting.close();
  await hasLeft;
  t.match(await gateway.accessLine(), { outcome: 'aborted', code: 'CLIENT_GONE' });
  const uploading = await RawClient.connect(gateway.url);
  await uploading.send(request('POST', '/files', ['Content-Length: 100'], 'half'));
  while (backend.begun < 2) await turn();
  uploading.close();
  while (backend.aborted < 1) await turn();
  t.equal(backend.complete.length, 1, 'the upload is no message');
  t.match(await gateway.accessLine(2), { outcome: 'refused', code: 'HTTP_BAD_REQUEST' }, 'shorter than it said');
});

t.test('F06: a whole address as the target is a path when it names this host, and refused when not', async (t) => {
  const { backend, gateway } = await startBoth(t);
  const own = await sendRaw(gateway.url, request('GET', 'http://gateway.example/files/a?b=c'));
  t.equal(own.status, 200);
  t.equal(backend.complete[0]?.target, '/files/a?b=c', 'sent on as a path');
  for (const target of [
    'http://other.example/files',
    'http://gateway.example:81/files',
    'http://user@gateway.example/files',
    'http://gateway.example@other.example/files',
    'https://gateway.example/files',
    'ftp://gateway.example/files',
    'http:///files',
  ]) {
    const answer = await sendRaw(gateway.url, request('GET', target));
    t.equal(answer.status, 400, target);
    t.equal(answer.headers.get('content-type'), 'text/plain; charset=utf-8');
    t.notMatch(answer.body, 'example', 'nothing of the target');
  }
  t.equal(backend.begun, 1);
});

t.test('F07: cookies stay as many as they were', async (t) => {
  const { gateway } = await startBoth(t, (_message, response) => {
    response.writeHead(200, [
      ['set-cookie', 'a=1; Path=/'],
      ['set-cookie', 'b=2'],
      ['content-length', '0'],
    ]);
    response.end();
  });
  const lines: string = await new Promise((resolve) => {
    const { hostname, port } = new URL(gateway.url);
    const socket = connect(Number(port), hostname, () => {
      socket.write(request('GET', '/files', ['Connection: close']));
    });
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk;
    });
    socket.on('close', () => resolve(received));
  });
  t.same(lines.match(/^set-cookie: .*$/gim), ['set-cookie: a=1; Path=/', 'set-cookie: b=2']);
});

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
  const fields = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Key: a', 'Sec-WebSocket-Version: 13'];
  const answer = await sendRaw(gateway.url, request('GET', '/files', fields));
  t.equal(answer.status, 200);
  t.equal(backend.complete[0]?.headers['upgrade'], undefined);
  t.equal(backend.complete[0]?.headers['connection'], 'close', 'one connection, one request');
});
