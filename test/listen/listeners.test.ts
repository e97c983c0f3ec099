import { execFile, spawn } from 'node:child_process';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { connect as connectTcp, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { compile } from '../../src/compile.js';
import { loadConfig } from '../../src/config/load.js';
import { certificateEndMillis } from '../../src/core/tls/first-end.js';
import { bind } from '../../src/listen/bind.js';
import { listEndMillis } from '../../src/listen/server-tls.js';
import { TicketKeys } from '../../src/listen/ticket-keys.js';
import { Log } from '../../src/observe/log/log.js';
import { serveGateway } from '../../src/server.js';
import { answerWith } from '../kit/backend.js';
import { Authority, type Identity, WITH_OPENSSL } from '../kit/certificates.js';
import { envelope } from '../kit/envelope.js';
import { until } from '../kit/until.js';
import { useBackend, useFolder, useGateway } from '../kit/use.js';

const run = promisify(execFile);

interface Place {
  readonly directory: string;
  readonly authority: Authority;
  readonly own: Identity;
  readonly other: Identity;
  readonly erp: Identity;
}

/**
 * Certificates for all tests; made while the file loads, because groups of files have no hooks of
 * their own.
 */
const place = await makePlace();
t.teardown(() => rm(place.directory, { recursive: true }));

async function makePlace(): Promise<Place> {
  const directory = await mkdtemp(join(tmpdir(), 'soapstone-listen-'));
  if (WITH_OPENSSL.skip !== false) {
    const none = { cert: '', key: '' };
    return { directory, authority: Object.create(null), own: none, other: none, erp: none };
  }
  const authority = new Authority(directory);
  const own = authority.sign('a.example');
  const [other, erp] = [authority.sign('b.example'), authority.sign('erp')];
  await putIdentity(directory, 'own', own);
  await putIdentity(directory, 'other', other);
  await putIdentity(directory, 'erp', erp);
  await writeFile(join(directory, 'clients.pem'), authority.ca.cert);
  return { directory, authority, own, other, erp };
}

/** By renaming, as agents for certificates do. */
async function putIdentity(
  directory: string,
  name: string,
  { cert, key }: Identity,
): Promise<void> {
  for (const [kind, text] of [
    ['key', key],
    ['crt', cert],
  ] as const) {
    const file = join(directory, `${name}.${kind}`);
    await writeFile(`${file}.new`, text);
    await rename(`${file}.new`, file);
  }
}

const TLS = 'cert: { file: own.crt }, key: { file: own.key }';

async function start(t: Test, yaml: string) {
  const backend = await useBackend(t, answerWith(envelope('')));
  const services = `services: { orders: { url: "${backend.url}/orders" } }\n`;
  const gateway = await useGateway(t, services + yaml, place.directory);
  return { gateway, backend };
}

t.test('a thousand clients that connect at once wait until they are accepted', async (t) => {
  const server = createServer();
  const asked: unknown[] = [];
  const { listen } = server;
  const value = (...given: unknown[]): unknown => {
    asked.push(given[0]);
    return Reflect.apply(listen, server, given);
  };
  Object.defineProperty(server, 'listen', { value });
  await bind(server, { host: '127.0.0.1', port: 0 }, 'http');
  t.teardown(() => server.close());
  t.match(asked, [{ backlog: 4_096 }], "the queue of the system is longer than Node's 511");
});

const portOf = (url: string | undefined): number => Number(new URL(url ?? '').port);

function secure(url: string | undefined, options: ConnectionOptions = {}): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connect({
      port: portOf(url),
      ca: place.authority.ca.cert,
      servername: 'a.example',
      ...options,
    });
    socket.once('secureConnect', () => resolve(socket)).once('error', reject);
  });
}

const ENVELOPE = envelope('<GetOrder xmlns="urn:a"/>');
const POST =
  'POST /soap/orders HTTP/1.1\r\nHost: a.example\r\nContent-Type: text/xml\r\n' +
  `Content-Length: ${ENVELOPE.length}\r\n\r\n${ENVELOPE}`;
const GRAPHQL =
  'GET /graphql?query=%7B__typename%7D HTTP/1.1\r\nHost: a\r\nAccept: application/json\r\n\r\n';

/** The status of the answer on a connection; 0 where it ends without one. */
function exchange(socket: Socket, request: string | Buffer): Promise<number> {
  return new Promise((resolve) => {
    let text = '';
    const end = (): void => resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0));
    socket.on('data', (piece) => {
      text += piece.toString('latin1');
      if (text.includes('\r\n\r\n')) end();
    });
    socket.on('error', end).on('close', end);
    socket.write(request);
  });
}

t.test('several addresses, clear and encrypted, serve the same', WITH_OPENSSL, async (t) => {
  const path = join(place.directory, 'traffic.sock');
  const { gateway, backend } = await start(
    t,
    `listen:\n- 127.0.0.1:0\n- { address: 127.0.0.1:0, tls: { ${TLS} } }\n- unix:${path}\n`,
  );
  t.match(gateway.urls, [/^http:/, /^https:/, `unix:${path}`]);
  const sockets = [
    connectTcp(portOf(gateway.urls[0])),
    await secure(gateway.urls[1]),
    connectTcp(path),
  ];
  for (const [index, proto] of ['http', 'https', 'http'].entries()) {
    const socket = sockets[index];
    if (socket === undefined) throw new Error('no socket');
    t.teardown(() => socket.destroy());
    t.equal(await exchange(socket, POST), 200);
    const { headers } = backend.complete[index] ?? {};
    t.match(headers, { 'x-forwarded-proto': proto, 'x-forwarded-for': '127.0.0.1' });
    t.match(headers?.['forwarded'], new RegExp(`proto=${proto}$`));
    t.match(await gateway.accessLine(index + 1), { client: '127.0.0.1', status: 200 });
  }
});

t.test(
  'the certificate is that of the server name, and files that rotate are used',
  WITH_OPENSSL,
  async (t) => {
    const names =
      'names: { b.example: { cert: { file: other.crt }, key: { file: other.key } }, ' +
      '"*.c.example": { cert: { file: erp.crt }, key: { file: erp.key } } }';
    const { gateway } = await start(
      t,
      `listen: [{ address: "127.0.0.1:0", tls: { ${TLS}, ${names} } }]\n`,
    );
    const nameFor = async (servername: string): Promise<unknown> => {
      const socket = await secure(gateway.url, {
        servername,
        checkServerIdentity: () => undefined,
      });
      const { CN } = socket.getPeerCertificate().subject;
      t.equal(socket.alpnProtocol, false);
      socket.destroy();
      return CN;
    };
    for (const [servername, expected] of [
      ['a.example', 'a.example'],
      ['b.example', 'b.example'],
      ['B.Example', 'b.example'],
      ['x.c.example', 'erp'],
      ['x.y.c.example', 'a.example'],
      ['other.example', 'a.example'],
    ] as const) {
      t.equal(await nameFor(servername), expected, servername);
    }
    await putIdentity(place.directory, 'own', place.authority.sign('rotated.example'));
    const end = Date.now() + 60_000;
    while ((await nameFor('a.example')) !== 'rotated.example' && Date.now() < end)
      await setTimeout(50);
    t.equal(await nameFor('a.example'), 'rotated.example');
    t.equal(await nameFor('b.example'), 'b.example');
    await writeFile(join(place.directory, 'own.crt'), 'broken');
    await setTimeout(1100);
    t.equal(await nameFor('a.example'), 'rotated.example', 'the last that could be read stays');
    await putIdentity(place.directory, 'own', place.own);
  },
);

t.test(
  'only current versions and ciphers of TLS are spoken, and no protocol but HTTP/1.1',
  WITH_OPENSSL,
  async (t) => {
    const listen = (more: string): string => `{ address: "127.0.0.1:0", tls: { ${TLS}${more} } }`;
    const { gateway } = await start(
      t,
      `listen: [${listen('')}, ${listen(', minVersion: "1.3"')}]\n`,
    );
    const [both, modern] = gateway.urls;
    const outcome = (url: string | undefined, options: ConnectionOptions): Promise<unknown> =>
      secure(url, options).then(
        (socket) => {
          const version = socket.getProtocol();
          socket.destroy();
          return version;
        },
        () => 'refused',
      );
    t.equal(await outcome(both, { maxVersion: 'TLSv1.2' }), 'TLSv1.2');
    t.equal(await outcome(both, {}), 'TLSv1.3');
    t.equal(await outcome(modern, { maxVersion: 'TLSv1.2' }), 'refused');
    const old: ConnectionOptions = {
      minVersion: 'TLSv1',
      maxVersion: 'TLSv1.1',
      ciphers: 'ALL:@SECLEVEL=0',
    };
    t.equal(await outcome(both, old), 'refused');
    const cbc: ConnectionOptions = { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-SHA' };
    t.equal(await outcome(both, cbc), 'refused');
    t.equal(await outcome(both, { ALPNProtocols: ['h2'] }), 'refused');
    const spoken = await secure(both, { ALPNProtocols: ['h2', 'http/1.1'] });
    t.equal(spoken.alpnProtocol, 'http/1.1');
    spoken.destroy();
  },
);

t.test('a verified certificate identifies its client', WITH_OPENSSL, async (t) => {
  const listen = (kind: string): string =>
    `{ address: "127.0.0.1:0", tls: { ${TLS}, clientCertificate: ${kind}, clientCa: ` +
    '{ file: clients.pem } } }';
  const { gateway } = await start(
    t,
    `listen: [${listen('optional')}, ${listen('required')}]
clients:
  certificate: { clients: { erp: { class: internal, subject: CN=erp }, b: { class: \
internal, subject: "DNS:b.example" } } }
  classes: { internal: {} }
`,
  );
  const [optional, required] = gateway.urls;
  const stranger = new Authority(await useFolder(t), 'stranger').sign('erp');
  const ask = async (
    url: string | undefined,
    identity: Partial<Identity>,
    head = GRAPHQL,
  ): Promise<number> => {
    const socket = await secure(url, identity).catch(() => null);
    if (socket === null) return 0;
    const status = await exchange(socket, head);
    socket.destroy();
    return status;
  };
  t.equal(await ask(optional, place.erp), 200);
  t.match(await gateway.accessLine(1), { caller: 'certificate:erp' });
  t.equal(await ask(required, place.other), 200);
  t.match(await gateway.accessLine(2), { caller: 'certificate:b' });
  t.equal(await ask(optional, place.own), 401, 'verified, but not listed');
  t.equal(await ask(optional, {}), 401, 'no certificate');
  const forged = GRAPHQL.replace('Host: a', 'Host: a\r\nX-Client-Certificate: CN=erp');
  t.equal(await ask(optional, {}, forged), 401, 'the header of a client counts for nothing');
  t.equal(await ask(required, {}), 0);
  t.equal(await ask(optional, stranger), 0, 'of another authority');
  t.equal(await ask(required, stranger), 0, 'of another authority');
});

t.test('a subject is known as openssl prints it, and as it reads', WITH_OPENSSL, async (t) => {
  const { authority, directory } = place;
  const identity = authority.sign('bank.example', 1, '/C=CH/O=Bank Zürich, AG/CN=Jörg+OU=R\\+D');
  const file = join(directory, 'printed.pem');
  await writeFile(file, identity.cert);
  const form = ['x509', '-in', file, '-noout', '-subject', '-nameopt', 'RFC2253'];
  const printed = (await run('openssl', form)).stdout.trim().replace('subject=', '');
  for (const subject of [printed, 'CN=Jörg+OU=R\\+D,O=Bank Zürich\\, AG,C=CH']) {
    const { gateway } = await start(
      t,
      `listen: [{ address: "127.0.0.1:0", tls: { ${TLS}, clientCertificate: required, clientCa: \
{ file: clients.pem } } }]
clients: { certificate: { clients: { bank: { class: internal, subject: '${subject}' } } }, \
classes: { internal: {} } }
`,
    );
    const socket = await secure(gateway.url, identity);
    t.equal(await exchange(socket, GRAPHQL), 200, subject);
    socket.destroy();
    t.match(await gateway.accessLine(1), { caller: 'certificate:bank' });
  }
});

t.test(
  'a revoked certificate ends the connection, also in a session from before',
  WITH_OPENSSL,
  async (t) => {
    const file = join(place.directory, 'clients.crl');
    await writeFile(file, place.authority.revoke(['b.example']));
    const listen = (kind: string): string =>
      `{ address: "127.0.0.1:0", tls: { ${TLS}, clientCertificate: ${kind}, clientCa: { file: ` +
      'clients.pem }, clientCrl: { file: clients.crl } } }';
    const { gateway } = await start(t, `listen: [${listen('optional')}, ${listen('required')}]\n`);
    /**
     * The status on a new connection, whether its session was known, and the session for the next
     * one.
     */
    const ask = async (url: string | undefined, identity: Partial<Identity>, session?: Buffer) => {
      const socket = await secure(url, {
        ...identity,
        ...(session !== undefined && { session }),
      }).catch(() => null);
      if (socket === null) return { status: 0, isReused: false };
      let latest: Buffer | undefined;
      socket.on('session', (next) => {
        latest = next;
      });
      const status = await exchange(socket, GRAPHQL);
      const isReused = socket.isSessionReused();
      socket.destroy();
      return { status, isReused, session: latest };
    };
    for (const url of gateway.urls) {
      t.match(await ask(url, place.other), { status: 0 }, 'revoked');
      const first = await ask(url, place.erp);
      t.match(first, { status: 200, isReused: false });
      t.match(await ask(url, place.erp, first.session), { status: 200, isReused: true });
    }
    t.match(await gateway.logLine('the certificate of a client was refused'), {
      level: 'warn',
      client: '127.0.0.1',
      reason: 'CERT_REVOKED',
    });
    const sessions = await Promise.all(gateway.urls.map((url) => ask(url, place.erp)));
    await writeFile(file, place.authority.revoke(['erp']));
    for (const [index, url] of gateway.urls.entries()) {
      const { session } = sessions[index] ?? {};
      // The file is read once in a second.
      let last = await ask(url, place.erp, session);
      while (last.status === 200) last = await ask(url, place.erp, session);
      t.equal(
        (await ask(url, place.erp, session)).status,
        0,
        'with a session that was verified before',
      );
      t.match(await ask(url, place.authority.sign('new')), { status: 200 }, 'others go on');
    }
    await writeFile(file, place.authority.revoke([], 1));
    const late = place.authority.sign('late');
    let last = await ask(gateway.url, late);
    while (last.status === 200) last = await ask(gateway.url, late);
    t.equal(last.status, 0, 'a list that has expired refuses all');
  },
);

t.test(
  'the ends of certificates and revocation lists are warned of and are metrics',
  WITH_OPENSSL,
  async (t) => {
    const file = join(place.directory, 'short.crl');
    const list = place.authority.revoke([], 3_600);
    await writeFile(file, list);
    const short = place.authority.sign('short', 3);
    await writeFile(join(place.directory, 'short.crt'), short.cert);
    await writeFile(join(place.directory, 'short.key'), short.key);
    const tls =
      'cert: { file: short.crt }, key: { file: short.key }, clientCertificate: ' +
      'optional, clientCa: { file: clients.pem }, clientCrl: { file: short.crl }';
    const { gateway } = await start(
      t,
      `listen: [{ address: "127.0.0.1:0", tls: { ${tls} } }, 127.0.0.1:0]\n`,
    );
    const warnings = gateway.compiled().warnings.map(({ what }) => what);
    t.match(
      warnings.filter((what) => what.includes('ends on')),
      [
        /^A certificate of 127\.0\.0\.1:0 ends on .*Z\.$/,
        /^A revocation list of 127\.0\.0\.1:0 ends on .*refused\.$/,
      ],
    );
    const secondsOf = async (name: string): Promise<number> =>
      Number(
        new RegExp(`^soapstone_listener_${name}{listener="127.0.0.1:0"} (\\d+)$`, 'm').exec(
          await gateway.metrics(),
        )?.[1],
      ) -
      Date.now() / 1000;
    const certificate = await secondsOf('certificate_expiry_timestamp_seconds');
    t.ok(Math.abs(certificate - 3 * 86_400) < 120, `${certificate} s`);
    const ends = await secondsOf('crl_expiry_timestamp_seconds');
    t.ok(Math.abs(ends - 3_600) < 120, `${ends} s`);
    await writeFile(file, place.authority.revoke([], 30 * 86_400));
    await until(async () => (await secondsOf('crl_expiry_timestamp_seconds')) > 86_400);

    const both = `${list}\n${place.authority.revoke([], 60)}`;
    t.ok(
      Math.abs((listEndMillis(both) ?? 0) - Date.now() - 60_000) < 20_000,
      'the first of several',
    );
    const bytes = Buffer.from(list.replace(/-----.*-----/g, ''), 'base64');
    const pem = (der: Buffer): string =>
      `-----BEGIN X509 CRL-----\n${der.toString('base64')}\n-----END X509 CRL-----`;
    t.equal(listEndMillis(pem(bytes)), listEndMillis(list));
    for (let length = 0; length < bytes.length; length++)
      if (listEndMillis(pem(bytes.subarray(0, length))) !== null)
        t.fail(`${length} bytes of a list`);
    for (let at = 0; at < 100; at++)
      listEndMillis(
        pem(Buffer.concat([bytes.subarray(0, at), Buffer.alloc(1, 0xff), bytes.subarray(at + 1)])),
      );
    t.equal(listEndMillis('none'), null);
    t.equal(
      certificateEndMillis('-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----'),
      null,
    );
  },
);

t.test(
  'sessions go on where keys and rules are the same, and nowhere else',
  WITH_OPENSSL,
  async (t) => {
    const begin = async (tickets: TicketKeys, tls: string): Promise<string> => {
      const home = join(place.directory, `tickets-${Math.random()}.yaml`);
      const services =
        'services: { orders: { url: "http://127.0.0.1:9/orders" } }\nadmin: 127.0.0.1:0\n';
      await writeFile(
        home,
        `${services}listen: { address: "127.0.0.1:0", tls: { ${TLS}${tls} } }\n`,
      );
      const compiled = await compile(await loadConfig(home, {}));
      const gateway = await serveGateway(compiled, new Log('error', { write() {} }), { tickets });
      t.teardown(() => gateway.drain());
      return gateway.url;
    };
    const first = new TicketKeys();
    const shared = new TicketKeys(first.share());
    const one = await begin(first, '');
    const session = await new Promise<Buffer>((resolve) => {
      void secure(one).then((socket) => {
        socket.once('session', resolve);
        void exchange(socket, GRAPHQL).then(() => socket.end());
      });
    });
    const isReused = async (url: string): Promise<boolean> => {
      const socket = await secure(url, { session });
      const isKnown = socket.isSessionReused();
      socket.destroy();
      return isKnown;
    };
    t.equal(await isReused(one), true);
    t.equal(await isReused(await begin(shared, '')), true, 'another worker');
    t.equal(await isReused(await begin(new TicketKeys(), '')), false, 'another gateway');
    const verified = ', clientCertificate: optional, clientCa: { file: clients.pem }';
    t.equal(await isReused(await begin(shared, verified)), false, 'a listener that verifies more');
  },
);

t.test(
  'ticket keys are new every hour, and earlier ones cannot be computed from later ones',
  async (t) => {
    const HOUR = 3_600_000;
    const keys = new TicketKeys(null, HOUR, 0);
    const other = new TicketKeys(keys.share(0), HOUR, 0);
    const first = keys.keyFor('a', 0);
    t.equal(first.length, 48);
    t.same(other.keyFor('a', HOUR - 1), first);
    t.notSame(keys.keyFor('b', 0), first);
    const later = keys.keyFor('a', 5 * HOUR);
    t.notSame(later, first);
    t.same(other.keyFor('a', 5 * HOUR), later, 'whenever it is asked');
    t.same(
      new TicketKeys(keys.share(5 * HOUR), HOUR, 5 * HOUR).keyFor('a', 5 * HOUR),
      later,
      'a worker that begins later',
    );
    t.notSame(new TicketKeys(keys.share(5 * HOUR), HOUR, 0).keyFor('a', 0), first, 'the past');
    t.ok(keys.keyFor('a', 1e12), 'a clock that was set does not take long');
    const quick = new TicketKeys(null, 60_000, 0);
    t.same(quick.keyFor('a', 59_999), quick.keyFor('a', 0), 'a period that is configured');
    t.notSame(quick.keyFor('a', 60_000), first);
    t.equal(quick.share(120_000).period, 2);
  },
);

const proxied = (address: string, tls = ''): string =>
  `listen: [{ address: "127.0.0.1:0", proxyProtocol: [${address}]${tls} }]\n`;

const V2 = Buffer.from('0d0a0d0a000d0a515549540a', 'hex');
const binary = (rest: string): Buffer => Buffer.concat([V2, Buffer.from(rest, 'hex')]);

t.test(
  'a PROXY header of a listed proxy gives the address of the client',
  WITH_OPENSSL,
  async (t) => {
    const { gateway } = await start(t, proxied('127.0.0.1'));
    const headers: readonly (readonly [string, string | Buffer, string])[] = [
      ['version 1', 'PROXY TCP4 203.0.113.7 127.0.0.1 4711 80\r\n', '203.0.113.7'],
      ['version 1, IPv6', 'PROXY TCP6 2001:db8::7 ::1 4711 80\r\n', '2001:db8::7'],
      ['version 1, unknown', 'PROXY UNKNOWN\r\n', '127.0.0.1'],
      ['version 2', binary('2111000ccb0071077f00000112670050'), '203.0.113.7'],
      [
        'version 2, with an extension',
        binary('2111000fcb0071077f00000112670050040000'),
        '203.0.113.7',
      ],
      [
        'version 2, IPv6',
        binary(`21210024${'20010db8'.padEnd(31, '0')}7${'0'.repeat(31)}112670050`),
        '2001:db8:0:0:0:0:0:7',
      ],
      ['version 2, local', binary('20000000'), '127.0.0.1'],
    ];
    for (const [index, [name, header, client]] of headers.entries()) {
      const socket = connectTcp(portOf(gateway.url));
      t.teardown(() => socket.destroy());
      t.equal(
        await exchange(socket, Buffer.concat([Buffer.from(header), Buffer.from(GRAPHQL)])),
        200,
        name,
      );
      t.match(await gateway.accessLine(index + 1), { client }, name);
    }
  },
);

t.test('a PROXY header may come byte by byte, and TLS follows it', WITH_OPENSSL, async (t) => {
  const { gateway } = await start(t, proxied('127.0.0.1', `, tls: { ${TLS} }`));
  const raw = connectTcp(portOf(gateway.url));
  raw.setNoDelay(true);
  for (const byte of 'PROXY TCP4 203.0.113.7 127.0.0.1 4711 443\r\n') {
    await new Promise((resolve) => raw.write(byte, resolve));
  }
  const socket = await secure(gateway.url, { socket: raw });
  t.teardown(() => socket.destroy());
  t.equal(await exchange(socket, GRAPHQL), 200);
  t.match(await gateway.accessLine(), { client: '203.0.113.7' });
});

t.test(
  'other beginnings of a listed proxy end the connection, other peers have none',
  WITH_OPENSSL,
  async (t) => {
    const { gateway } = await start(
      t,
      `limits: { http: { handshakeMillis: 500 } }\n${proxied('127.0.0.1')}`,
    );
    for (const bytes of [
      GRAPHQL,
      'PROXY TCP4 203.0.113.7 127.0.0.1 4711\r\n',
      'PROXY TCP4 2001:db8::7 ::1 4711 80\r\n',
      'PROXY TCP4 203.0.113.7 127.0.0.1 4711 65536\r\n',
      'PROXY TCP4 203.0.113.7 127.0.0.1 04711 80\r\n',
      `PROXY UNKNOWN${' '.repeat(200)}\r\n`,
      'PROXY TCP4 203.0.113.7',
      binary('3111000ccb0071077f00000112670050'),
      binary('2111000bcb0071077f000001126700'),
      binary('2112000ccb0071077f00000112670050'),
      binary('2111ffffcb0071077f00000112670050'),
      '',
    ]) {
      const socket = connectTcp(portOf(gateway.url));
      t.equal(
        await exchange(socket, bytes),
        0,
        JSON.stringify(bytes.toString('latin1')).slice(0, 60),
      );
      socket.destroy();
    }
    const { gateway: other } = await start(t, proxied('10.0.0.0/8'));
    const socket = connectTcp(portOf(other.url));
    t.equal(await exchange(socket, `PROXY TCP4 203.0.113.7 127.0.0.1 4711 80\r\n${GRAPHQL}`), 400);
    socket.destroy();
  },
);

t.test('a handshake has its time, and those of one address a rate', WITH_OPENSSL, async (t) => {
  const { gateway } = await start(
    t,
    'limits: { http: { handshakeMillis: 1000, handshakesPerSecond: 5 } }\nlisten: [{ address: ' +
      `"127.0.0.1:0", tls: { ${TLS} } }]\n`,
  );
  const idle = connectTcp(portOf(gateway.url));
  await new Promise((resolve) => idle.once('close', resolve));
  const results = await Promise.all(
    Array.from({ length: 30 }, () =>
      secure(gateway.url).then(
        (socket) => socket.destroy() !== undefined,
        () => false,
      ),
    ),
  );
  const done = results.filter(Boolean).length;
  t.ok(done >= 4 && done <= 16, `${done} of 30: a burst of a second, and those that can wait`);
  t.match(await gateway.metrics(), /soapstone_client_connections_dropped_total [1-9]/);
});

t.test('the admin address may be encrypted as well', WITH_OPENSSL, async (t) => {
  const { gateway } = await start(t, `admin: [{ address: "127.0.0.1:0", tls: { ${TLS} } }]\n`);
  t.match(gateway.adminUrl, /^https:/);
  const socket = await secure(gateway.adminUrl);
  t.equal(await exchange(socket, 'GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'), 200);
  socket.destroy();
  const ends = (await gateway.listMetrics()).find(({ name }) =>
    name.startsWith('soapstone_listener_certificate_'),
  );
  t.match(
    ends,
    { labels: ['listener'], rows: [{ values: ['127.0.0.1:0'], numbers: [Number] }] },
    'its certificate is a metric, too',
  );
});

t.test(
  'slow heads, tiny chunks and stalled readers are found over TLS too',
  WITH_OPENSSL,
  async (t) => {
    const { gateway } = await start(
      t,
      'limits: { http: { headerMillis: 400, bodyGraceMillis: 400, stallMillis: 400 } }\n' +
        `listen: [{ address: "127.0.0.1:0", tls: { ${TLS} } }]\n`,
    );
    const slow = await secure(gateway.url);
    t.equal(await exchange(slow, 'GET /graphql HTTP/1.1\r\n'), 408);
    const chunks = await secure(gateway.url);
    const head =
      'POST /soap/orders HTTP/1.1\r\nHost: a\r\nContent-Type: text/xml\r\n' +
      'Transfer-Encoding: chunked\r\n\r\n';
    t.equal(await exchange(chunks, head + '1\r\n \r\n'.repeat(5000)), 400);
    t.match(await gateway.accessLine(2), { code: 'HTTP_TINY_CHUNKS' });
    for (const socket of [slow, chunks]) socket.destroy();
  },
);

t.test('programs of others agree: curl and openssl', WITH_OPENSSL, async (t) => {
  const { gateway } = await start(t, `listen: [{ address: "127.0.0.1:0", tls: { ${TLS} } }]\n`);
  const port = portOf(gateway.url);
  const file = (name: string): string => join(place.directory, name);
  const curl = ['-sS', '--cacert', file('clients.pem'), '--resolve', `a.example:${port}:127.0.0.1`];
  const wsdl = await run('curl', [
    ...curl,
    '-w',
    '%{http_code} %{ssl_verify_result}',
    `https://a.example:${port}/graphql?query=%7B__typename%7D`,
  ]).catch((error: unknown) => error);
  t.match(wsdl, { stdout: /200 0$/ });
  const client = spawn('openssl', [
    's_client',
    '-connect',
    `127.0.0.1:${port}`,
    '-tls1_2',
    '-cipher',
    'ECDHE-ECDSA-AES128-GCM-SHA256',
    '-brief',
  ]);
  let said = '';
  client.stderr.on('data', (piece) => {
    said += String(piece);
  });
  await until(() => said.includes('CONNECTION ESTABLISHED'));
  t.match(said, /Protocol version: TLSv1\.2/);
  client.stdin.end();
  client.kill();
});
