import { createServer as createSecureServer } from 'node:https';
import { connect, type Socket } from 'node:net';
import type { Test } from 'tap';

import { answerWith } from '../kit/backend.js';
import { Authority } from '../kit/certificates.js';
import { startProcess } from '../kit/gateway-process.js';
import { listen } from '../kit/listen.js';
import { sendRaw } from '../kit/raw-client.js';
import { makeIssuer } from '../kit/token-issuer.js';
import { until } from '../kit/until.js';
import { useBackend } from '../kit/use.js';
import { goodRequest, PLAIN, SOAP } from './http-endpoints.js';
import { contentTypeOf, replyOf } from './messages.js';
import type { Rows } from './rows.js';

/** H27: more connections than there are descriptors. */
export async function fewDescriptors(t: Test, rows: Rows): Promise<void> {
  const answer = 'the process lives, and answers as soon as there is room';
  t.equal(rows.answer('H27', 'more connections than descriptors'), answer);
  const backend = await useBackend(t, answerWith(replyOf('1.1'), contentTypeOf('1.1')));
  const limits = 'limits: { http: { connectionsPerClient: 100000, connections: 100000 } }\n';
  const yaml = `services:\n  s11:\n    url: ${backend.url}\n${limits}`;
  const { child, url } = await startProcess(t, yaml, { before: 'ulimit -n 400;' });
  const { hostname, port } = new URL(url);
  const sockets: Socket[] = [];
  for (let index = 0; index < 600; index++) {
    const socket = connect(Number(port), hostname).on('error', () => {});
    sockets.push(socket);
    await new Promise((resolve) => socket.once('connect', resolve).once('close', resolve));
  }
  t.equal(child.exitCode, null, 'it lives');
  for (const socket of sockets) socket.destroy();
  const started = performance.now();
  let status = 0;
  while (status !== 200 && performance.now() - started < 60_000)
    status = (await sendRaw(url, goodRequest())).status;
  t.equal(status, 200, 'it answers again');
  t.equal(child.exitCode, null, 'it still lives');
}

/** H10: nobody opens from outside what is closed here. */
export async function strictDespiteFlags(t: Test): Promise<void> {
  const backend = await useBackend(t, (_message, response) => {
    response.socket?.end(
      'HTTP/1.1 200 OK\r\nX-A : b\r\nTransfer-Encoding: chunked\r\n' +
        'Content-Length: 5\r\n\r\n0\r\n\r\n',
    );
  });
  const environment = { NODE_OPTIONS: '--insecure-http-parser --max-http-header-size=1000000' };
  const yaml =
    `services:\n  s11:\n    url: ${backend.url}\nroutes: [{ path: ` +
    `/files, url: "${backend.url}" }]\n`;
  const { url } = await startProcess(t, yaml, { environment });
  for (const [name, head] of [
    ['a blank before the colon', 'X-A : b\r\n'],
    ['two framings', 'Transfer-Encoding: chunked\r\n'],
    ['a NUL', 'X-A: b\u0000c\r\n'],
  ] as const) {
    const bytes = goodRequest().toString('latin1').replace('\r\n', `\r\n${head}`);
    t.equal((await sendRaw(url, Buffer.from(bytes, 'latin1'))).status, 400, name);
  }
  const long = goodRequest(SOAP, { 'X-Long': 'x'.repeat(17_000) });
  t.equal((await sendRaw(url, long)).status, 431, 'a long head');
  t.equal(backend.begun, 0);
  t.equal(
    (await sendRaw(url, goodRequest(PLAIN))).status,
    502,
    'nor in what a plain backend answers',
  );
}

/** Certificates of servers are verified, whatever the environment tells Node. */
export async function verifiedDespiteEnvironment(t: Test): Promise<void> {
  const asked: string[] = [];
  const identity = new Authority(t.testdir()).sign('localhost');
  const server = createSecureServer(identity, ({ url = '' }, response) => {
    asked.push(url);
    response.writeHead(200, { 'content-type': contentTypeOf('1.1') }).end(replyOf('1.1'));
  });
  let ended = 0;
  server.on('connection', (socket) => socket.once('close', () => ended++));
  const url = `https://localhost:${(await listen(t, server)).port}`;
  const environment = { NODE_TLS_REJECT_UNAUTHORIZED: '0', NODE_NO_WARNINGS: '1' };
  const jwt = `{ issuer: i, audience: a, class: all, jwksUrl: "${url}/keys" }`;
  const open =
    `services: { s11: { url: "${url}/soap" } }\nroutes: [{ path: ` +
    `/files, url: "${url}/files" }]\n`;
  const gateway = await startProcess(t, `${open}traces: { otlp: "${url}/traces" }\n`, {
    environment,
  });
  t.match((await sendRaw(gateway.url, goodRequest())).body, 'UPSTREAM_TLS', 'a service');
  t.equal((await sendRaw(gateway.url, goodRequest(PLAIN))).status, 502, 'a plain route');
  await until(() => ended > 2);
  const guarded = `${open}clients: { jwt: ${jwt}, classes: { all: {} } }\n`;
  const behind = await startProcess(t, guarded, { environment });
  const { authorization } = await (await makeIssuer()).bearer({ iss: 'i', aud: 'a' });
  const before = ended;
  t.match(
    (await sendRaw(behind.url, goodRequest(SOAP, { Authorization: authorization }))).body,
    'wsse:',
    'an issuer',
  );
  await until(() => ended > before);
  t.same(asked, [], 'nor the receiver of traces');
}
