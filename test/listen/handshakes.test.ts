import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect as connectTcp, type Socket } from 'node:net';
import { join } from 'node:path';
import { type ConnectionOptions, connect } from 'node:tls';
import t, { type Test } from 'tap';

import { handshakeFailureOf } from '../../src/listen/handshake-failure.js';
import { LimitedEvents } from '../../src/observe/log/limited-events.js';
import { Authority, WITH_OPENSSL } from '../kit/certificates.js';
import type { TestGateway } from '../kit/gateway.js';
import { until } from '../kit/until.js';
import { useFolder, useGateway } from '../kit/use.js';

/** TLS handshakes that fail: each is counted, and the log has them at a bounded rate. */

async function start(t: Test, http = ''): Promise<{ gateway: TestGateway; authority: Authority }> {
  const folder = await useFolder(t);
  const authority = new Authority(folder);
  const { cert, key } = authority.sign('a.example');
  for (const [name, text] of Object.entries({
    'own.crt': cert,
    'own.key': key,
    'ca.pem': authority.ca.cert,
  }))
    writeFileSync(join(folder, name), text);
  const tls =
    'cert: { file: own.crt }, key: { file: own.key }, clientCertificate: ' +
    'required, clientCa: { file: ca.pem }';
  const gateway = await useGateway(
    t,
    `listen: { address: "127.0.0.1:0", tls: { ${tls}, minVersion: "1.3" } }
${http}services: { orders: { url: http://127.0.0.1:9/ } }
clients: { certificate: { clients: { erp: { class: internal, subject: \
CN=erp } } }, classes: { internal: {} } }
`,
    folder,
  );
  return { gateway, authority };
}

/** Ends when the connection does. */
async function attempt({ url }: TestGateway, options: ConnectionOptions): Promise<void> {
  const { hostname, port } = new URL(url);
  const socket = connect({
    host: hostname,
    port: Number(port),
    rejectUnauthorized: false,
    ...options,
  });
  socket.on('error', () => {}).resume();
  await closed(socket);
}

/** `once` of Node would reject with the error of the socket. */
const closed = (socket: Socket): Promise<void> =>
  new Promise((resolve) => void socket.once('close', () => resolve()));

async function write({ url }: TestGateway, text: string): Promise<void> {
  const { hostname, port } = new URL(url);
  const socket = connectTcp({ host: hostname, port: Number(port) });
  socket.on('error', () => {}).resume();
  await once(socket, 'connect');
  if (text === '') socket.destroy();
  else socket.write(text);
  await closed(socket);
}

/** Reasons that are found out when the time for a handshake is over. */
const LATE: ReadonlySet<string> = new Set(['timeout', 'ended']);

/** As the metrics count them. */
async function failedHandshakes(gateway: TestGateway, reason: string): Promise<number> {
  const line = `^soapstone_tls_handshakes_failed_total\\{reason="${reason}"\\} (\\d+)$`;
  return Number(new RegExp(line, 'm').exec(await gateway.metrics())?.[1] ?? 0);
}

t.test('handshakes that fail are counted by reason, and logged', WITH_OPENSSL, async (t) => {
  const { gateway: patient } = await start(t, 'limits: { http: { handshakeMillis: 60000 } }\n');
  // Here the other handshakes would be late on a busy machine.
  const { gateway: hasty } = await start(t, 'limits: { http: { handshakeMillis: 300 } }\n');
  const strangers = await useFolder(t);
  const stranger = new Authority(strangers, 'stranger').sign('erp');
  const attempts: Record<string, (gateway: TestGateway) => Promise<void>> = {
    certificate_missing: (gateway) => attempt(gateway, {}),
    certificate_refused: (gateway) => attempt(gateway, stranger),
    clear_text: (gateway) => write(gateway, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'),
    protocol: (gateway) => attempt(gateway, { maxVersion: 'TLSv1.2' }),
    timeout: (gateway) => write(gateway, '\x16'),
    ended: (gateway) => write(gateway, ''),
  };
  for (const [reason, fail] of Object.entries(attempts)) {
    const gateway = LATE.has(reason) ? hasty : patient;
    await fail(gateway);
    await until(async () => (await failedHandshakes(gateway, reason)) > 0);
    t.equal(await failedHandshakes(gateway, reason), 1, reason);
    if (reason === 'ended') continue;
    if (reason === 'certificate_refused')
      t.match(await gateway.logLine('the certificate of a client was refused'), {
        client: '127.0.0.1',
      });
    else
      await until(() =>
        gateway
          .logLines()
          .some(({ msg, reason: said }) => msg === 'a TLS handshake failed' && said === reason),
      );
  }
  t.equal(
    hasty.logLines().filter((line) => line['reason'] === 'ended').length,
    0,
    'who leaves is only counted',
  );
});

t.test('a certificate that is listed nowhere is named in the log', WITH_OPENSSL, async (t) => {
  const { gateway, authority } = await start(t);
  const { hostname, port } = new URL(gateway.url);
  const socket = connect({
    host: hostname,
    port: Number(port),
    rejectUnauthorized: false,
    ...authority.sign('guest'),
  });
  socket.on('error', () => {}).resume();
  await once(socket, 'secureConnect');
  socket.write(
    'GET /graphql?query=%7B__typename%7D HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
  );
  await once(socket, 'close');
  const { detail } = await gateway.accessLine(1);
  t.match(
    detail,
    /^the certificate is listed nowhere: CN=guest, SHA-256 (?:[0-9A-F]{2}:){31}[0-9A-F]{2}$/,
  );
});

t.test('errors of every kind have a reason of the closed list', async (t) => {
  const of = (code: string, isLate = false): string =>
    handshakeFailureOf(Object.assign(new Error('failed'), { code }), isLate).reason;
  t.equal(of('ERR_SSL_TLSV1_ALERT_UNKNOWN_CA'), 'alert');
  t.equal(of('ERR_TLS_HANDSHAKE_TIMEOUT'), 'timeout');
  t.equal(of('ECONNRESET', true), 'timeout');
  t.equal(of('ERR_SSL_SOMETHING_NEW'), 'other');
  t.equal(handshakeFailureOf(null, false).reason, 'other');
});

t.test(
  'lines that strangers cause come at a bounded rate, with the number of those left out',
  async (t) => {
    const lines: string[] = [];
    let now = 0;
    const log = {
      event: (_level: string, message: string, fields: object = {}) =>
        void lines.push(message + JSON.stringify(fields)),
    };
    const events = new LimitedEvents(log, () => now);
    for (let number = 0; number < 1000; number++) events.warn('a', 'm', {});
    t.same(lines, ['m{}']);
    now = 10_000;
    events.warn('a', 'm', {});
    t.equal(lines.pop(), 'm{"leftOut":999}');
    for (let number = 0; number < 5000; number++) events.warn(`of ${number}`, 'm', {});
    t.equal(lines.length, 20, 'of all keys twenty in a second');
  },
);
