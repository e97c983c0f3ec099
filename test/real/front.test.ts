import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import t, { type Test } from 'tap';
import { WebSocket } from 'ws';
import { parse } from 'yaml';
import { startDemoBackend } from '../../config/demo/backend.js';
import { answerWith } from '../kit/backend.js';
import { Authority } from '../kit/certificates.js';
import { until } from '../kit/until.js';
import { useBackend, useFolder, useGateway } from '../kit/use.js';
import { missing, PYTHON, useProgram } from './programs.js';
import { startEnvoy, startHaproxy, startNginx } from './proxies.js';

/**
 * What stands in front of a gateway: the proxies with the configurations of deploy/README.md, and
 * clients with TLS.
 */

const README = readFileSync('deploy/README.md', 'utf8');

/** The code block of deploy/README.md that begins with these words. */
function configurationOf(start: string): string {
  const blocks = README.split('```').filter((_part, index) => index % 2 === 1);
  const found = blocks.find((block) => block.replace(/^\w*\n/, '').startsWith(start));
  if (found === undefined)
    throw new Error(`deploy/README.md has no configuration that begins with ${start}`);
  return found.replace(/^\w*\n/, '');
}

const ENVELOPE =
  '<E:Envelope xmlns:E="http://schemas.xmlsoap.org/soap/envelope/"><E:Body>_</E:Body></E:Envelope>';
const CALL = ENVELOPE.replace('_', '<m:GetOrder xmlns:m="urn:desk"/>');
const REPLY = ENVELOPE.replace(
  '_',
  '<r:GetOrderResponse xmlns:r="urn:desk"><r:id>7</r:id></r:GetOrderResponse>',
);
/** The address that clients come from: that of the proxies is 127.0.0.1. */
const CLIENT = '127.0.0.2';

type Place = Awaited<ReturnType<typeof start>>;

async function start(t: Test, more: string) {
  const home = await useFolder(t);
  const authority = new Authority(home);
  const file = (name: string, text: string): void => writeFileSync(join(home, name), text);
  const own = authority.sign('a.example');
  file('a.pem', own.cert);
  file('a.key', own.key);
  file('both.pem', own.cert + own.key);
  file('ca.crt', authority.ca.cert);
  const backend = await useBackend(t, answerWith(REPLY));
  const gateway = await useGateway(
    t,
    `services:
  desk:
    url: ${backend.url}/desk
    namespace: urn:desk
    types: "type Query { order: Order } type Order { id: ID }"
    operations: { GetOrder: { field: Query.order } }
subscriptions: { polled: { poll: { operation: desk.GetOrder, everyMillis: 1000 } } }
${more}`,
    home,
  );
  return {
    home,
    authority,
    backend,
    gateway,
    /**
     * Runs curl from the address of the client; its output, and the version of HTTP with the
     * status.
     */
    curl: (
      url: string,
      ...args: readonly string[]
    ): Promise<{ readonly text: string; readonly answer: string }> =>
      new Promise((resolve) => {
        const own = ['-sS', '--interface', CLIENT, '--cacert', join(home, 'ca.crt'), '-m', '20'];
        const all = [...own, '-w', '\n%{http_version} %{http_code}', ...args, url];
        execFile('curl', all, (_error, stdout, stderr) => {
          const [text = '', answer = ''] = stdout.split(/\n(?=[^\n]*$)/);
          resolve({ text: text + stderr, answer });
        });
      }),
  };
}

const soapArgs = ['-X', 'POST', '-H', 'content-type: text/xml', '-d', CALL];

const TRUSTED =
  'clients: { trustedProxies: [127.0.0.1], address: { class: all }, classes: { all: {} } }\n';

/** Every kind of request through a proxy that speaks TLS and HTTP/2 to clients. */
async function useThrough(t: Test, place: Place, url: string): Promise<void> {
  const { curl, gateway, backend, authority } = place;
  for (const [at, [version, forged]] of (
    [
      ['2', []],
      ['1.1', []],
      ['2', ['-H', 'x-forwarded-for: 198.51.100.1', '-H', 'x-forwarded-proto: http']],
    ] as const
  ).entries()) {
    const spoken = version === '2' ? '--http2' : '--http1.1';
    const { text, answer } = await curl(`${url}/soap/desk`, spoken, ...soapArgs, ...forged);
    t.match(text, 'GetOrderResponse', answer);
    t.equal(answer, `${version} 200`);
    t.match(
      await gateway.accessLine(at + 1),
      { caller: `address:${CLIENT}` },
      'rights and budgets are those of the client',
    );
    t.match(backend.complete.at(-1)?.headers, {
      'x-forwarded-proto': 'https',
      'x-forwarded-for': /127\.0\.0\.2, 127\.0\.0\.1$/,
    });
  }
  const graphql = await curl(
    `${url}/graphql`,
    '--http2',
    '-H',
    'content-type: application/json',
    '-d',
    '{"query":"{ order { id } }"}',
  );
  t.match(graphql, { text: /"order":\{"id":"7"\}/, answer: '2 200' });
  const query = 'subscription { polled { id } }';

  const events = await curl(
    `${url}/graphql`,
    ...[
      '--http2',
      '-N',
      '-m',
      '4',
      '-H',
      'accept: text/event-stream',
      '-H',
      'content-type: application/json',
    ],
    ...['-d', JSON.stringify({ query })],
  );
  t.match(
    events.text,
    /event: next\ndata: \{"data":\{"polled":\{"id":"7"\}\}/,
    'events come while the answer goes on',
  );

  const socket = new WebSocket(`${url.replace('https', 'wss')}/graphql`, ['graphql-transport-ws'], {
    ca: authority.ca.cert,
    localAddress: CLIENT,
  });
  const heard: string[] = [];
  socket.on('message', (data) => heard.push(String(data)));
  await once(socket, 'open');
  socket.send('{"type":"connection_init"}');
  socket.send(JSON.stringify({ type: 'subscribe', id: '1', payload: { query } }));
  await until(() => heard.some((message) => message.includes('"polled"')));
  const began = gateway.logLines().filter(({ msg }) => msg === 'subscription began');
  t.same(
    began.map(({ caller, transport }) => [caller, transport]),
    [
      [`address:${CLIENT}`, 'sse'],
      [`address:${CLIENT}`, 'websocket'],
    ],
  );
  socket.terminate();
}

t.test(
  'nginx in front, as deploy/README.md configures it',
  { skip: missing('nginx', 'openssl', 'curl') },
  async (t) => {
    const place = await start(t, TRUSTED);
    const { home, gateway } = place;
    const block = configurationOf('map $http_upgrade')
      .replace('http://127.0.0.1:4000', gateway.url)
      .replaceAll('/etc/ssl/', `${home}/`);
    const nginx = await startNginx(home, (port) => ({
      http: block.replace('listen 443', `listen 127.0.0.1:${port}`),
    }));
    t.teardown(() => nginx.stop());
    await useThrough(t, place, `https://127.0.0.1:${nginx.port}`);
  },
);

t.test(
  'nginx that verifies client certificates, as deploy/README.md configures it',
  { skip: missing('nginx', 'openssl', 'curl') },
  async (t) => {
    const clients = configurationOf('clients:\n  trustedProxies: [127.0.0.1]');
    const place = await start(
      t,
      `${clients.replace('CN=erp,O=Example', 'O=Example,CN=erp')}  address: { class: internal }\n`,
    );
    const { home, gateway, authority, curl } = place;
    const put = (name: string, text: string): string => {
      writeFileSync(join(home, name), text);
      return join(home, name);
    };
    put('clients.pem', authority.ca.cert);
    put('clients.crl', authority.revoke([]));
    const [gone, stays] = ['gone', 'stays'].map((name) =>
      authority.sign(name, 1, `/O=Example/CN=${name === 'gone' ? 'erp' : name}`),
    );
    const certificate = [
      '--cert',
      put('gone.pem', gone?.cert ?? ''),
      '--key',
      put('gone.key', gone?.key ?? ''),
    ];
    const other = [
      '--cert',
      put('stays.pem', stays?.cert ?? ''),
      '--key',
      put('stays.key', stays?.key ?? ''),
    ];
    const map = configurationOf('map $http_upgrade').split('\n')[0] ?? '';
    const block = configurationOf(
      'server {                                            # client certificates',
    )
      .replace('http://127.0.0.1:4000', gateway.url)
      .replaceAll('/etc/ssl/', `${home}/`);
    const nginx = await startNginx(home, (port) => ({
      main: configurationOf('worker_shutdown_timeout').replace('10s', '1s'),
      http: `${map}\n${block.replace('listen 443', `listen 127.0.0.1:${port}`)}`,
    }));
    t.teardown(() => nginx.stop());
    const url = `https://127.0.0.1:${nginx.port}`;
    const forged = ['-H', 'x-client-certificate: CN=erp,O=Example'];
    for (const [at, [args, caller, status]] of (
      [
        [certificate, 'certificate:erp', 200],
        [[], `address:${CLIENT}`, 200],
        [forged, `address:${CLIENT}`, 200],
        [[...certificate, ...['-H', 'x-client-certificate: CN=another']], 'certificate:erp', 200],
      ] as const
    ).entries()) {
      t.equal(
        (await curl(`${url}/soap/desk`, '--http1.1', ...soapArgs, ...args)).answer,
        `1.1 ${status}`,
      );
      t.match(await gateway.accessLine(at + 1), { caller });
    }
    t.equal(
      (await curl(`${url}/soap/desk`, '--http1.1', ...soapArgs, ...other)).answer,
      '1.1 500',
      'not listed',
    );
    const direct = await curl(`${gateway.url}/soap/desk`, ...soapArgs, ...forged);
    t.equal(direct.answer, '1.1 200');
    t.match(await gateway.accessLine(6), { caller: `address:${CLIENT}` }, 'not through the proxy');

    const socket = new WebSocket(
      `${url.replace('https', 'wss')}/graphql`,
      ['graphql-transport-ws'],
      {
        ca: authority.ca.cert,
        localAddress: CLIENT,
        ...gone,
      },
    );
    const heard: string[] = [];
    socket.on('message', (data) => heard.push(String(data))).on('error', () => {});
    const closed = once(socket, 'close');
    await once(socket, 'open');
    socket.send('{"type":"connection_init"}');
    await until(() => heard.length === 1);
    put('clients.crl', authority.revoke(['gone']));
    process.kill(Number(readFileSync(join(home, 'nginx.pid'), 'utf8')), 'SIGHUP');
    await closed;
    await until(
      async () =>
        (await curl(`${url}/soap/desk`, '--http1.1', ...soapArgs, ...certificate)).answer ===
        '1.1 400',
    );
  },
);

const TIMEOUTS = 'defaults\n  timeout connect 5s\n  timeout client 60s\n  timeout server 60s\n';

t.test(
  'HAProxy in front, as deploy/README.md configures it',
  { skip: missing('haproxy', 'openssl', 'curl') },
  async (t) => {
    const place = await start(t, TRUSTED);
    const { home, gateway } = place;
    const block = configurationOf('frontend callers')
      .replace(
        '127.0.0.1:4000 check port 4001',
        `${new URL(gateway.url).host} check port ${new URL(gateway.adminUrl).port}`,
      )
      .replace('/etc/ssl/a.pem', `${home}/both.pem`);
    const haproxy = await startHaproxy(
      home,
      (port) => TIMEOUTS + block.replace('bind :443', `bind 127.0.0.1:${port}`),
    );
    t.teardown(() => haproxy.stop());
    await useThrough(t, place, `https://127.0.0.1:${haproxy.port}`);
  },
);

const TLS =
  'tls: { cert: { file: a.pem }, key: { file: a.key }, clientCertificate: ' +
  'optional, clientCa: { file: ca.crt } }';
const CERTIFICATES =
  'clients: { certificate: { clients: { erp: { class: all, subject: CN=erp } } }, address: ' +
  '{ class: all }, classes: { all: {} } }\n';

/** TLS to the gateway through a proxy of connections, which names the client in a PROXY header. */
async function usePassedOn(
  t: Test,
  { curl, gateway, authority, home, backend }: Place,
  url: string,
): Promise<void> {
  const { cert, key } = authority.sign('erp');
  writeFileSync(join(home, 'erp.pem'), cert);
  writeFileSync(join(home, 'erp.key'), key);
  for (const [at, [args, caller]] of (
    [
      [[], /^address:/],
      [['--cert', join(home, 'erp.pem'), '--key', join(home, 'erp.key')], 'certificate:erp'],
    ] as const
  ).entries()) {
    const { answer } = await curl(`${url}/soap/desk`, '--http2', ...soapArgs, ...args);
    t.equal(answer, '1.1 200', 'the gateway speaks HTTP/1.1');
    t.match(await gateway.accessLine(at + 1), { client: CLIENT, caller });
    t.match(backend.complete.at(-1)?.headers, {
      'x-forwarded-for': CLIENT,
      'x-forwarded-proto': 'https',
    });
  }
}

const passedOn =
  `listen: [{ address: "127.0.0.1:0", ${TLS}, proxyProtocol: ` + `[127.0.0.1] }]\n${CERTIFICATES}`;
const [haproxyLine = '', nginxLine = ''] = configurationOf('server a 10.0.0.7:4443')
  .split('\n')
  .map((line) => line.replace(/#.*/, '').trim());

for (const version of ['v1', 'v2'] as const)
  t.test(
    `PROXY ${version} from HAProxy`,
    { skip: missing('haproxy', 'openssl', 'curl') },
    async (t) => {
      const place = await start(t, passedOn);
      const line =
        version === 'v2' ? haproxyLine : haproxyLine.replace('send-proxy-v2', 'send-proxy');
      const server = line.replace('10.0.0.7:4443', new URL(place.gateway.url).host);
      const haproxy = await startHaproxy(
        place.home,
        (port) => `${TIMEOUTS}listen callers\n  mode tcp\n  bind 127.0.0.1:${port}\n  ${server}\n`,
      );
      t.teardown(() => haproxy.stop());
      await usePassedOn(t, place, `https://127.0.0.1:${haproxy.port}`);
    },
  );

t.test('PROXY from nginx', { skip: missing('nginx-stream', 'openssl', 'curl') }, async (t) => {
  const place = await start(t, passedOn);
  const server = nginxLine.replace('10.0.0.7:4443', new URL(place.gateway.url).host);
  const nginx = await startNginx(place.home, (port) => ({
    stream: `server { listen 127.0.0.1:${port}; ${server} }`,
  }));
  t.teardown(() => nginx.stop());
  await usePassedOn(t, place, `https://127.0.0.1:${nginx.port}`);
});

t.test(
  'Envoy in front, as deploy/README.md configures it',
  { skip: missing('envoy', 'openssl', 'curl') },
  async (t) => {
    const place = await start(t, TRUSTED);
    const { home, gateway } = place;
    const { filter_chains, clusters } = parse(
      configurationOf('filter_chains:')
        .replaceAll('/etc/ssl/', `${home}/`)
        .replace('port_value: 4000', `port_value: ${new URL(gateway.url).port}`)
        .replace('port_value: 4001', `port_value: ${new URL(gateway.adminUrl).port}`),
    );
    const envoy = await useProgram(t, startEnvoy(home, filter_chains, clusters));
    await useThrough(t, place, `https://127.0.0.1:${envoy.port}`);
  },
);

t.test('PROXY from Envoy', { skip: missing('envoy', 'openssl', 'curl') }, async (t) => {
  const place = await start(t, passedOn);
  const endpoint = {
    address: {
      socket_address: { address: '127.0.0.1', port_value: Number(new URL(place.gateway.url).port) },
    },
  };
  const cluster = {
    ...parse(configurationOf('transport_socket:')),
    name: 'soapstone',
    load_assignment: { cluster_name: 'soapstone', endpoints: [{ lb_endpoints: [{ endpoint }] }] },
  };
  const proxy = {
    '@type': 'type.googleapis.com/envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy',
    stat_prefix: 'door',
    cluster: 'soapstone',
  };
  const filters = [{ name: 'envoy.filters.network.tcp_proxy', typed_config: proxy }];
  const envoy = await useProgram(t, startEnvoy(place.home, [{ filters }], [cluster]));
  await usePassedOn(t, place, `https://127.0.0.1:${envoy.port}`);
});

const listener = (kind: string, more = ''): string =>
  '{ address: "127.0.0.1:0", tls: { cert: { file: a.pem }, key: { file: ' +
  `a.key }, clientCertificate: ${kind}, clientCa: { file: ca.crt }${more} } }`;

async function startListeners(
  t: Test,
): Promise<Place & { readonly certificates: ReadonlyMap<string, readonly string[]> }> {
  const home = await useFolder(t);
  const clients = new Authority(home, 'clients');
  const certificates = new Map<string, readonly string[]>([['none', []]]);
  for (const [name, authority] of [
    ['erp', clients],
    ['gone', clients],
    ['stranger', new Authority(await mkdtemp(join(home, 'other-')), 'other')],
  ] as const) {
    const { cert, key } = authority.sign(name);
    writeFileSync(join(home, `${name}-own.pem`), cert);
    writeFileSync(join(home, `${name}-own.key`), key);
    certificates.set(name, [join(home, `${name}-own.pem`), join(home, `${name}-own.key`)]);
  }
  writeFileSync(join(home, 'list.crl'), clients.revoke(['gone']));
  writeFileSync(join(home, 'authority.crt'), clients.ca.cert);
  const verified = (kind: string): string =>
    listener(kind, `, clientCrl: { file: ${home}/list.crl }`).replace(
      'file: ca.crt',
      `file: ${home}/authority.crt`,
    );
  const place = await start(
    t,
    `listen: [${listener('none').replace(', clientCa: { file: ca.crt }', '')}, ` +
      `${verified('optional')}, ${verified('required')}]\n${CERTIFICATES}`,
  );
  return { ...place, certificates };
}

t.test(
  'curl and openssl s_client at listeners of every kind',
  { skip: missing('openssl', 'curl') },
  async (t) => {
    const { curl, gateway, certificates, home } = await startListeners(t);
    const [open = '', optional = '', required = ''] = gateway.urls;
    const statusOf = async (
      url: string,
      name: string,
      ...args: readonly string[]
    ): Promise<string> => {
      const [cert, key] = certificates.get(name) ?? [];
      const own = cert === undefined || key === undefined ? [] : ['--cert', cert, '--key', key];
      return (await curl(`${url}/soap/desk`, ...soapArgs, ...own, ...args)).answer.slice(-3);
    };
    for (const [url, name, expected] of [
      [open, 'none', '200'],
      [open, 'erp', '200'],
      [optional, 'none', '200'],
      [optional, 'erp', '200'],
      [optional, 'gone', '000'],
      [optional, 'stranger', '000'],
      [required, 'none', '000'],
      [required, 'erp', '200'],
      [required, 'gone', '000'],
      [required, 'stranger', '000'],
    ] as const)
      for (const version of ['1.2', '1.3'])
        t.equal(
          await statusOf(url, name, '--tls-max', version, `--tlsv${version}`),
          expected,
          `${[open, optional, required].indexOf(url)} ${name} TLS ${version}`,
        );
    t.ok(gateway.logLines().some(({ reason }) => reason === 'CERT_REVOKED'));

    const connect = (url: string, ...args: readonly string[]): Promise<string> =>
      new Promise((resolve) => {
        const own = [
          's_client',
          '-connect',
          new URL(url).host,
          '-CAfile',
          join(home, 'ca.crt'),
          '-servername',
          'a.example',
        ];
        const child = execFile(
          'openssl',
          [...own, ...args],
          { timeout: 20_000 },
          (_error, stdout, stderr) => resolve(stdout + stderr),
        );
        child.stdin?.end();
      });
    for (const [flag, expected] of [
      ['-tls1_3', /TLSv1\.3, Cipher is TLS_AES_/],
      ['-tls1_2', /TLSv1\.2, Cipher is ECDHE-.*-GCM-|TLSv1\.2, Cipher is ECDHE-.*CHACHA20/],
      ['-tls1_1', /Cipher is \(NONE\)/],
    ] as const) {
      const said = await connect(
        open,
        flag,
        ...(flag === '-tls1_1' ? ['-cipher', 'ALL:@SECLEVEL=0'] : []),
      );
      t.match(said, expected, flag);
      if (flag !== '-tls1_1') t.match(said, 'Verify return code: 0 (ok)', flag);
    }
    t.match(await connect(open, '-alpn', 'h2,http/1.1'), 'ALPN protocol: http/1.1');
    t.match(await connect(optional, '-tls1_2'), 'Acceptable client certificate CA names');
    t.match(await connect(open, '-tls1_2'), 'No client certificate CA names sent');
    t.match(
      await connect(open, '-tls1_2', '-cipher', 'AES128-SHA'),
      'Cipher is (NONE)',
      'without forward secrecy',
    );
  },
);

const SOAP_CLIENTS = {
  php: `$context = ['cafile' => $argv[2]] + (isset($argv[3]) ? ['local_cert' => $argv[3], \
'local_pk' => $argv[4]] : []);
    $about = ['location' => $argv[1], 'cache_wsdl' => WSDL_CACHE_NONE, 'stream_context' => \
stream_context_create(['ssl' => $context])];
    try { echo 'id ', @(new SoapClient($argv[1] . '?wsdl', $about))->GetOrder(['id' => \
7])->order->id; } catch (Throwable $error) { echo 'failed ', $error->getMessage(); }`,
  zeep: `import sys, zeep, requests
session = requests.Session()
session.trust_env, session.verify = False, sys.argv[2]
if len(sys.argv) > 3: session.cert = (sys.argv[3], sys.argv[4])
try:
    client = zeep.Client(sys.argv[1] + '?wsdl', transport=zeep.Transport(session=session))
    print('id', client.service.GetOrder(id=7)['id'])
except Exception as error: print('failed', error)`,
} as const;

for (const [client, file, option] of [
  ['php', 'php', '-r'],
  ['zeep', PYTHON, '-c'],
] as const)
  t.test(
    `${client} over https with a client certificate`,
    { skip: missing(client, 'openssl') },
    async (t) => {
      const { home, authority } = await start(t, '');
      const erp = authority.sign('erp');
      writeFileSync(join(home, 'erp.pem'), erp.cert);
      writeFileSync(join(home, 'erp.key'), erp.key);
      const legacy = await startDemoBackend('127.0.0.1', 0);
      t.teardown(() => legacy.close());
      const gateway = await useGateway(
        t,
        `services: { orders: { wsdl: ${resolve('config/demo/legacy.wsdl')}, url: "${legacy.url}" } }
listen: [${listener('required')}]\n${CERTIFICATES.replace('address: { class: all }, ', '')}`,
        home,
      );
      const run = (...args: readonly string[]): Promise<string> =>
        new Promise((resolve) => {
          const all = [
            option,
            SOAP_CLIENTS[client],
            ...(client === 'php' ? ['--'] : []),
            `${gateway.url}/soap/orders`,
            join(home, 'ca.crt'),
            ...args,
          ];
          execFile(file, all, { timeout: 30_000 }, (_error, stdout, stderr) =>
            resolve(stdout + stderr),
          );
        });
      t.match(await run(), 'failed', 'without a certificate');
      t.same(
        gateway.logLines().filter(({ msg }) => msg === 'request'),
        [],
      );
      const said = await run(join(home, 'erp.pem'), join(home, 'erp.key'));
      t.equal(said.trim(), 'id 7');
      const called = gateway
        .logLines()
        .filter(({ msg, method }) => msg === 'request' && method === 'POST');
      t.match(called, [{ caller: 'certificate:erp' }]);
    },
  );
