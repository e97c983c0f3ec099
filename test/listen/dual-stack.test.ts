import { readFile } from 'node:fs/promises';
import { connect as connectTcp, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { connect } from 'node:tls';
import t, { type Test } from 'tap';
import { answerWith, type RecordingBackend } from '../kit/backend.js';
import { Authority, WITH_OPENSSL } from '../kit/certificates.js';
import { envelope } from '../kit/envelope.js';
import type { TestGateway } from '../kit/gateway.js';
import { ofKind, startReceiver, valuesOf } from '../kit/otlp.js';
import { until } from '../kit/until.js';
import { useBackend, useGateway } from '../kit/use.js';

const ENVELOPE = envelope('<GetOrder xmlns="urn:a"/>');
const SERVER_SPANS = 2;

/** Whether the system names a client of IPv4 `::ffff:127.0.0.1` on a socket that takes both. */
const hasBoth = await new Promise<boolean>((resolve) => {
  const server = createServer((socket) => {
    resolve(socket.remoteAddress === '::ffff:127.0.0.1');
    socket.destroy();
    server.close();
  });
  server.once('error', () => resolve(false));
  server.listen(0, '::', () => {
    const probe = connectTcp(portOf(server.address()), '127.0.0.1');
    probe.once('error', () => resolve(false)).resume();
  });
});
const skip = hasBoth ? false : 'no socket of this system takes IPv6 and IPv4';

function portOf(address: unknown): number {
  return typeof address === 'object' && address !== null && 'port' in address
    ? Number(address.port)
    : 0;
}

async function start(
  t: Test,
  yaml: string,
): Promise<{ gateway: TestGateway; backend: RecordingBackend }> {
  const backend = await useBackend(t, answerWith(envelope('')));
  const gateway = await useGateway(
    t,
    `services: { orders: { url: "${backend.url}/orders" } }\n${yaml}`,
  );
  return { gateway, backend };
}

/** A connection over IPv4. */
const overIpv4 = ({ url }: TestGateway): Socket =>
  connectTcp(Number(new URL(url).port), '127.0.0.1');

/** The status of the answer to a SOAP request. `before` is sent first. */
function post(socket: Socket, fields = '', before = ''): Promise<number> {
  return new Promise((resolve) => {
    let text = '';
    socket.on('data', (piece) => {
      text += piece.toString('latin1');
    });
    socket
      .on('error', () => {})
      .once('close', () => resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0)));
    const head =
      'POST /soap/orders HTTP/1.1\r\nHost: a.example\r\nContent-Type: text/xml\r\n' +
      `${fields}Connection: close\r\n`;
    socket.write(`${before}${head}Content-Length: ${ENVELOPE.length}\r\n\r\n${ENVELOPE}`);
  });
}

t.test(
  'on a socket of both families a client of IPv4 has its address of IPv4',
  { skip },
  async (t) => {
    const { url, received } = await startReceiver(t);
    const { gateway, backend } = await start(
      t,
      `listen: "[::]:0"
traces: { otlp: "${url}", sample: 1 }
clients: { networks: { office: { addresses: [127.0.0.0/8], class: \
internal } }, classes: { internal: {} } }
`,
    );
    t.equal(await post(overIpv4(gateway)), 200);
    const line = await gateway.accessLine();
    t.hasStrict(line, {
      client: '127.0.0.1',
      caller: 'network:office:127.0.0.1',
      class: 'internal',
    });
    t.notOk('peer' in line);
    const { headers } = backend.complete[0] ?? {};
    t.equal(headers?.['x-forwarded-for'], '127.0.0.1');
    t.match(headers?.['forwarded'], /^for=127\.0\.0\.1;/);
    const [span] = ofKind(await received(2), SERVER_SPANS);
    t.equal(span && valuesOf(span).get('client.address'), '127.0.0.1');
  },
);

t.test('refusals are recorded and delayed by the address of IPv4', { skip }, async (t) => {
  const file = join(t.testdir(), 'audit.log');
  const { gateway } = await start(
    t,
    `listen: "[::]:0"
audit: { file: "${file}" }
limits: { http: { refusalsPerSecond: 1, refusalHoldMillis: 1 } }
clients: { networks: { office: { addresses: [10.0.0.0/8], class: \
internal } }, classes: { internal: {} } }
`,
  );
  for (let count = 0; count < 4; count++) await post(overIpv4(gateway));
  t.hasStrict(await gateway.logLine('refusals of an address are delayed'), { client: '127.0.0.1' });
  const text = (): Promise<string> => readFile(file, 'utf8').catch(() => '');
  await until(async () => (await text()).includes('\n'));
  t.hasStrict(JSON.parse((await text()).split('\n')[0] ?? ''), {
    address: '127.0.0.1',
    decision: 'denied',
  });
});

t.test('a proxy in front is trusted by its address of IPv4', { skip }, async (t) => {
  const { gateway, backend } = await start(
    t,
    'listen: "[::]:0"\nclients: { trustedProxies: [127.0.0.1], address: { class: ' +
      'all }, classes: { all: {} } }\n',
  );
  t.equal(await post(overIpv4(gateway), 'X-Forwarded-For: 203.0.113.9\r\n'), 200);
  t.hasStrict(await gateway.accessLine(), {
    client: '203.0.113.9',
    peer: '127.0.0.1',
    caller: 'address:203.0.113.9',
  });
  t.equal(backend.complete[0]?.headers['x-forwarded-for'], '203.0.113.9, 127.0.0.1');
});

t.test(
  'a PROXY header may come from an address of IPv4, and name one within IPv6',
  { skip },
  async (t) => {
    const { gateway } = await start(
      t,
      'listen: [{ address: "[::]:0", proxyProtocol: [127.0.0.1] }]\n',
    );
    t.equal(await post(overIpv4(gateway), '', 'PROXY TCP4 203.0.113.7 127.0.0.1 4711 80\r\n'), 200);
    t.hasStrict(await gateway.accessLine(1), { client: '203.0.113.7' });
    t.equal(
      await post(overIpv4(gateway), '', 'PROXY TCP6 ::ffff:203.0.113.8 ::1 4711 80\r\n'),
      200,
    );
    t.hasStrict(await gateway.accessLine(2), { client: '203.0.113.8' });
  },
);

t.test('over TLS it is the same', { skip: WITH_OPENSSL.skip || skip }, async (t) => {
  const directory = t.testdir();
  const { cert, key } = new Authority(directory).sign('a.example');
  const identity = `cert: ${JSON.stringify(cert)}, key: ${JSON.stringify(key)}`;
  const { gateway, backend } = await start(
    t,
    `listen: [{ address: "[::]:0", tls: { ${identity} } }]\n`,
  );
  const socket = connect({ socket: overIpv4(gateway), rejectUnauthorized: false });
  t.equal(await post(socket), 200);
  t.hasStrict(await gateway.accessLine(), { client: '127.0.0.1' });
  t.equal(backend.complete[0]?.headers['x-forwarded-for'], '127.0.0.1');
});
