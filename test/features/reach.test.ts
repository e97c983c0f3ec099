import { rename, writeFile } from 'node:fs/promises';
import {
  createServer as createHttpServer,
  request as httpRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { createServer, type ServerOptions } from 'node:https';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { TLSSocket } from 'node:tls';
import t, { type Test } from 'tap';
import { Authority, WITH_OPENSSL } from '../kit/certificates.js';
import { compileText } from '../kit/configuration.js';
import { envelope, postSoap } from '../kit/envelope.js';
import type { TestGateway } from '../kit/gateway.js';
import { askText } from '../kit/graphql-client.js';
import { listen } from '../kit/listen.js';
import { answerStock, STOCK_REPLY, stockShop } from '../kit/stock-shop.js';
import { useBackend, useFolder, useGateway } from '../kit/use.js';

const mapping = (url: string, keys: string): string =>
  stockShop(`${url}/shop`, `    limits: { upstream: { requestsPerConnection: 1 } }\n${keys}`);

const answer = (_request: IncomingMessage, response: ServerResponse): void => {
  response.writeHead(200, { 'content-type': 'text/xml' }).end(STOCK_REPLY);
};

const ask = ({ url }: TestGateway): Promise<string> => askText(url, '{ stock(sku: "1") }');

/** An https backend that notes the subject of each client certificate; '' for none. */
async function startTlsBackend(t: Test, options: ServerOptions, onHandshake = (): void => {}) {
  const subjects: string[] = [];
  const server = createServer(options, (request, response) => {
    const { subject } = (request.socket as TLSSocket).getPeerCertificate();
    subjects.push(String(subject?.CN ?? ''));
    request.resume().on('end', () => answer(request, response));
  });
  server.on('tlsClientError', () => {}).on('secureConnection', onHandshake);
  return { subjects, url: `https://127.0.0.1:${(await listen(t, server)).port}` };
}

const start = (
  t: Test,
  url: string,
  keys: string,
  home: string | null = null,
): Promise<TestGateway> => useGateway(t, mapping(url, keys), home);

t.test('TLS to a backend', WITH_OPENSSL, async (t) => {
  const home = await useFolder(t);
  const authority = new Authority(home);
  const server = authority.sign('backend.example');
  const put = (name: string, content: string | Buffer): Promise<void> =>
    writeFile(join(home, name), content);
  await put('authority.crt', authority.ca.cert);
  const first = authority.sign('first');
  await put('client.crt', first.cert);
  await put('client.key', first.key);
  const backend = await startTlsBackend(t, {
    ...server,
    ca: authority.ca.cert,
    requestCert: true,
    rejectUnauthorized: false,
  });

  await t.test(
    'an authority that is not known is refused, one that is named is trusted',
    async (t) => {
      t.match(await ask(await start(t, backend.url, '')), 'UPSTREAM_TLS');
      const gateway = await start(t, backend.url, '    tls: { ca: { file: authority.crt } }', home);
      t.match(await ask(gateway), '"stock":7');
      t.equal(backend.subjects.at(-1), '');
      t.match(
        await gateway.metrics(),
        /soapstone_upstream_certificate_expiry_timestamp_seconds{service="shop"} \d{10}/,
      );
    },
  );

  await t.test(
    'the name in the certificate must be that of the address, or the one that is given',
    async (t) => {
      const wrong = '    tls: { ca: { file: authority.crt }, servername: other.example }';
      t.match(await ask(await start(t, backend.url, wrong, home)), 'UPSTREAM_TLS');
      const right = '    tls: { ca: { file: authority.crt }, servername: backend.example }';
      t.match(await ask(await start(t, backend.url, right, home)), '"stock":7');
      const chain =
        '    tls: { ca: { file: authority.crt }, servername: other.example, verify: chain }';
      t.match(await ask(await start(t, backend.url, chain, home)), '"stock":7');
      t.match(await ask(await start(t, backend.url, '    tls: { verify: chain }')), 'UPSTREAM_TLS');
      t.match(
        await ask(await start(t, backend.url, '    tls: { verify: unsafe:none }')),
        '"stock":7',
      );
    },
  );

  await t.test(
    'a common name counts only in a certificate without names of other kinds',
    async (t) => {
      const answerTo = async (name: string, alternatives: string): Promise<string> => {
        const named = await startTlsBackend(
          t,
          authority.sign(name, 365, '/CN=cn.example', alternatives),
        );
        const keys = '    tls: { ca: { file: authority.crt }, servername: cn.example }';
        return ask(await start(t, named.url, keys, home));
      };
      t.match(await answerTo('none', ''), '"stock":7', 'no other names');
      t.match(await answerTo('mail', 'email:ops@cn.example'), '"stock":7', 'of no server');
      t.match(await answerTo('uri', 'URI:spiffe://example/erp'), 'UPSTREAM_TLS', 'a URI');
      t.match(await answerTo('ip', 'IP:127.0.0.1'), 'UPSTREAM_TLS', 'an address');
      t.match(
        await answerTo('srv', 'otherName:1.3.6.1.5.5.7.8.7;IA5:_soap.cn.example'),
        'UPSTREAM_TLS',
        'a service',
      );
      t.match(await answerTo('dns', 'DNS:other.example'), 'UPSTREAM_TLS', 'another name');
      t.match(await answerTo('both', 'URI:spiffe://example/erp,DNS:cn.example'), '"stock":7');
    },
  );

  await t.test(
    'messages of a MiB share connections with a client certificate, as many as allowed on each',
    async (t) => {
      const handshakes = async (perConnection: number): Promise<number> => {
        let count = 0;
        const onHandshake = (): void => void count++;
        const own = await startTlsBackend(
          t,
          { ...server, ca: authority.ca.cert, requestCert: true },
          onHandshake,
        );
        const keys = `    tls: { ca: { file: authority.crt }, cert: { file: client.crt }, key: \
{ file: client.key } }
    limits: { upstream: { requestsPerConnection: ${perConnection} } }`;
        const gateway = await useGateway(t, stockShop(`${own.url}/shop`, keys), home);
        const message = envelope(
          `<GetStock xmlns="urn:shop"><sku>${'x'.repeat(2 ** 20)}</sku></GetStock>`,
        );
        for (let sent = 0; sent < 6; sent++) {
          t.equal((await postSoap(`${gateway.url}/soap/shop`, message)).status, 200);
          // Longer than a connection rests after a long request.
          await delay(150);
        }
        t.same(new Set(own.subjects), new Set(['first']));
        return count;
      };
      t.equal(await handshakes(100), 1);
      t.equal(await handshakes(2), 3);
    },
  );

  await t.test(
    'a client certificate that rotates is used by the next connection, without a failed call',
    async (t) => {
      const keys =
        '    tls: { ca: { file: authority.crt }, cert: { file: client.crt }, key: ' +
        '{ file: client.key } }';
      const gateway = await start(t, backend.url, keys, home);
      t.match(await ask(gateway), '"stock":7');
      t.equal(backend.subjects.at(-1), 'first');
      const second = authority.sign('second');
      for (const [name, content] of Object.entries({
        'client.crt': second.cert,
        'client.key': second.key,
      })) {
        await put('next', content);
        await rename(join(home, 'next'), join(home, name));
        // Between the two files they do not fit together.
        t.match(await ask(gateway), '"stock":7');
      }
      while (backend.subjects.at(-1) !== 'second') t.match(await ask(gateway), '"stock":7');
    },
  );

  await t.test('a certificate in PKCS #12, with its password', async (t) => {
    authority.sign('packed');
    await put('client.pfx', authority.pack('packed', 'p4ss'));
    const keys =
      '    tls: { ca: { file: authority.crt }, pfx: { file: client.pfx }, passphrase: p4ss }';
    t.match(await ask(await start(t, backend.url, keys, home)), '"stock":7');
    t.equal(backend.subjects.at(-1), 'packed');
    await t.rejects(start(t, backend.url, keys.replace('p4ss', 'other'), home), /cannot be read/);
  });

  await t.test('a certificate that ends soon is warned of', async (t) => {
    const old = authority.sign('old', 3);
    const keys = '    tls: { cert: { file: old.crt }, key: { file: old.key } }';
    const files = { 'old.crt': old.cert, 'old.key': old.key };
    const compiled = await compileText(t, mapping(backend.url, keys), files);
    t.match(compiled.warnings, [{ what: /a certificate of `tls` ends on/ }]);
  });

  await t.test('https through a proxy is a tunnel', async (t) => {
    const proxy = await startProxy(t, 'Basic dXNlcjpwQHNz');
    const route = (credentials: string): string =>
      `    tls: { ca: { file: authority.crt } }\n    proxy: "http://${credentials}${proxy.host}"`;
    const gateway = await start(t, backend.url, route('user:p%40ss@'), home);
    t.match(await ask(gateway), '"stock":7');
    t.same(proxy.targets, [`CONNECT ${new URL(backend.url).host}`]);
    const refused = await start(t, backend.url, route(''), home);
    t.match(await ask(refused), 'UPSTREAM_AUTH');
    t.notMatch(
      JSON.stringify([...gateway.logLines(), ...refused.logLines()]),
      /p@ss|p%40ss|dXNlcjpwQHNz/,
    );
  });
});

t.test(
  'http through a proxy names the whole address, and the credentials stay with the proxy',
  async (t) => {
    const backend = await useBackend(t, answerStock);
    const proxy = await startProxy(t, 'Basic dTpw');
    const gateway = await start(t, backend.url, `    proxy: "http://u:p@${proxy.host}"`);
    t.match(await ask(gateway), '"stock":7');
    t.same(proxy.targets, [`POST ${backend.url}/shop`]);
    t.match(backend.complete[0]?.headers, { host: new URL(backend.url).host });
    t.equal(backend.complete[0]?.headers['proxy-authorization'], undefined);
    const refused = await start(t, backend.url, `    proxy: "http://${proxy.host}"`);
    t.match(await ask(refused), 'UPSTREAM_AUTH');
    t.match(await refused.accessLine(), { detail: 'proxy: status 407' });
  },
);

t.test('a proxy of the environment is used unless NO_PROXY names the host', async (t) => {
  const backend = await useBackend(t, answerStock);
  const proxy = await startProxy(t, null);
  process.env['HTTP_PROXY'] = `http://${proxy.host}`;
  t.teardown(() => {
    delete process.env['HTTP_PROXY'];
    delete process.env['NO_PROXY'];
  });
  t.match(await ask(await start(t, backend.url, '    proxy: environment')), '"stock":7');
  t.equal(proxy.targets.length, 1);
  t.match(await ask(await start(t, backend.url, '')), '"stock":7');
  process.env['NO_PROXY'] = '127.0.0.1';
  t.match(await ask(await start(t, backend.url, '    proxy: environment')), '"stock":7');
  t.equal(proxy.targets.length, 1, 'both went straight');
});

t.test('a proxy that is away, or answers nonsense, is a failure of the way', async (t) => {
  const scripts: readonly ((socket: Socket) => void)[] = [
    (socket) => socket.end('HTTP/1.1 503 no\r\n\r\n'),
    (socket) => socket.write('x'.repeat(20_000)),
    (socket) => socket.destroy(),
    (socket) => socket.write('HTTP/1.1 200 OK\r\n\r\nbehind the head'),
  ];
  for (const script of scripts) {
    const server = createHttpServer();
    server.on('connect', (_request, socket: Socket) => {
      socket.on('error', () => {});
      script(socket);
    });
    const host = `127.0.0.1:${(await listen(t, server)).port}`;
    const gateway = await start(t, 'https://127.0.0.1:9', `    proxy: "http://${host}"`);
    t.match(await ask(gateway), /UPSTREAM_(UNREACHABLE|INVALID_RESPONSE)/);
  }
});

/** A proxy that wants these credentials. */
async function startProxy(t: Test, wanted: string | null) {
  const targets: string[] = [];
  const isWanted = ({ headers }: IncomingMessage): boolean =>
    wanted === null || headers['proxy-authorization'] === wanted;
  const server = createHttpServer((request, response) => {
    if (!isWanted(request)) {
      response.writeHead(407).end();
      return;
    }
    targets.push(`${request.method} ${request.url}`);
    const { 'proxy-authorization': _own, ...headers } = request.headers;
    const onward = httpRequest(request.url ?? '', { method: request.method, headers }, (reply) => {
      response.writeHead(reply.statusCode ?? 0, reply.headers);
      reply.pipe(response);
    });
    request.pipe(onward);
  });
  server.on('connect', (request, socket: Socket) => {
    socket.on('error', () => {});
    if (!isWanted(request)) {
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
      return;
    }
    targets.push(`CONNECT ${request.url}`);
    const [host = '', port = ''] = (request.url ?? '').split(':');
    const onward = connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      socket.pipe(onward).pipe(socket);
    });
    onward.on('error', () => socket.destroy());
  });
  return { targets, host: `127.0.0.1:${(await listen(t, server)).port}` };
}
