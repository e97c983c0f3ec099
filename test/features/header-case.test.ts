import { connect, createServer, type Socket } from 'node:net';
import { type Test, t } from 'tap';
import { usualName } from '../../src/core/http/field-names.js';
import { freePort } from '../kit/free-port.js';
import { startTestGateway, type TestGateway } from '../kit/gateway.js';
import { postGraphql } from '../kit/graphql-client.js';
import { startNtlmServer } from '../kit/ntlm-server.js';
import { until } from '../kit/until.js';

const envelope = (content: string): string =>
  '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>' +
  `${content}</s:Body></s:Envelope>`;

const ANSWER = envelope('<t:GetItResponse xmlns:t="urn:t"><t:r>x</t:r></t:GetItResponse>');
const ASKED = envelope('<t:GetIt xmlns:t="urn:t"/>');
const TYPES = `type Query { getIt: GetItResponse }
type GetItResponse { r: String }`;

interface Heads {
  readonly url: string;
  /** The heads of all requests, as they came. */
  readonly heads: string[];
}

/** A backend that keeps the heads of requests letter by letter. */
async function useHeads(
  t: Test,
  answerTo: (head: string) => string = () => reply(ANSWER),
): Promise<Heads> {
  const heads: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let text = '';
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      const end = text.indexOf('\r\n\r\n');
      if (end < 0) return;
      const head = text.slice(0, end);
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
      const isChunked = /transfer-encoding/i.test(head);
      if (isChunked ? !text.endsWith('0\r\n\r\n') : text.length < end + 4 + length) return;
      heads.push(head);
      text = '';
      socket.write(answerTo(head));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  return { url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`, heads };
}

const reply = (body: string, type = 'text/xml', more = '', status = '200 OK'): string =>
  `HTTP/1.1 ${status}\r\nContent-Type: ${type}\r\n${more}Content-Length: ` +
  `${body.length}\r\n\r\n${body}`;

/** The names of the fields of a head. */
const namesIn = (head: string): readonly string[] =>
  head
    .split('\r\n')
    .slice(1)
    .map((line) => line.slice(0, line.indexOf(':')));

/**
 * Sends bytes on a connection of their own; resolves to all that comes back, up to the end of the
 * connection.
 */
const sendRaw = (url: string, bytes: string): Promise<string> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname, () => socket.write(bytes, 'latin1'));
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
    });
    socket.on('error', () => {}).on('close', () => resolve(text));
  });

const request = (method: string, target: string, fields: readonly string[], body = ''): string =>
  [`${method} ${target} HTTP/1.1`, 'Host: gw.test', 'Connection: close', ...fields, '', body].join(
    '\r\n',
  );

const post = (target: string, body: string, fields: readonly string[] = []): string =>
  request(
    'POST',
    target,
    ['Content-Type: text/xml', 'SOAPAction: ""', `Content-Length: ${body.length}`, ...fields],
    body,
  );

const headOf = (answer: string): string => answer.slice(0, answer.indexOf('\r\n\r\n'));

const useGateway = async (t: Test, yaml: string): Promise<TestGateway> => {
  const gateway = await startTestGateway(yaml);
  t.teardown(() => gateway.close());
  return gateway;
};

const serviceAt = (url: string, more = ''): string => `services:
  s:
    url: ${url}/s
    namespace: urn:t
    types: |
      ${TYPES.replace('\n', '\n      ')}
    operations: { GetIt: { field: Query.getIt } }
${more}`;

t.test(
  'Field names of calls are written in the usual case, those of the caller as they came',
  async (t) => {
    const backend = await useHeads(t);
    const gateway = await useGateway(
      t,
      serviceAt(
        backend.url,
        `    forwardHeaders: [x-tenant, x-lower, x-loud]
    headers: { X-API-KEY: k, x-plain-key: l }`,
      ),
    );
    await sendRaw(
      gateway.url,
      post('/soap/s', ASKED, [
        'user-agent: a',
        'ACCEPT-LANGUAGE: de',
        'X-Tenant: t',
        'x-lower: l',
        'X-LOUD: content-length: 7',
      ]),
    );
    await sendRaw(
      gateway.url,
      request(
        'POST',
        '/graphql',
        ['content-type: application/json', 'content-length: 25', 'X-LOUD: 1'],
        '{"query":"{getIt{r}}   "}',
      ),
    );
    const [soap = '', graphql = ''] = backend.heads;
    t.strictSame(namesIn(soap).slice(0, 2), ['Host', 'Connection']);
    t.match(soap, '\r\nX-LOUD: content-length: 7\r\n', 'a value is no name');
    const own = [
      'Host',
      'Connection',
      'X-API-KEY',
      'X-Plain-Key',
      'Content-Type',
      'SOAPAction',
      'Accept-Encoding',
      'X-Forwarded-For',
      'X-Forwarded-Proto',
      'X-Forwarded-Host',
      'Forwarded',
      'Content-Length',
      'Via',
    ];
    const passed = ['user-agent', 'ACCEPT-LANGUAGE', 'X-Tenant', 'x-lower', 'X-LOUD'];
    t.strictSame([...namesIn(soap)].sort(), [...own, ...passed].sort());
    t.strictSame([...namesIn(graphql)].sort(), [...own, 'Accept', 'X-LOUD'].sort());
  },
);

t.test('The head of a chunked request has the usual names', async (t) => {
  const backend = await useHeads(t);
  const gateway = await useGateway(t, serviceAt(backend.url));
  const long = envelope(`<t:GetIt xmlns:t="urn:t">${'<!-- long -->'.repeat(20_000)}</t:GetIt>`);
  const chunked = `${long.length.toString(16)}\r\n${long}\r\n0\r\n\r\n`;
  const answer = await sendRaw(
    gateway.url,
    request(
      'POST',
      '/soap/s',
      ['Content-Type: text/xml', 'SOAPAction: ""', 'Transfer-Encoding: chunked'],
      chunked,
    ),
  );
  t.match(answer, /^HTTP\/1.1 200/);
  t.equal(namesIn(backend.heads[0] ?? '').at(-1), 'Transfer-Encoding');
});

t.test('Health checks, tokens and the decision point get the usual names', async (t) => {
  const backend = await useHeads(t, (head) => {
    if (head.startsWith('POST /token')) {
      return reply(
        '{"access_token":"a","token_type":"bearer","expires_in":60}',
        'application/json',
      );
    }
    return head.startsWith('POST /opa')
      ? reply('{"result":true}', 'application/json')
      : reply(ANSWER);
  });
  const gateway = await useGateway(
    t,
    `${serviceAt(
      backend.url,
      `    health: { path: /alive, everyMillis: 1000 }
    auth: { oauth2: { tokenUrl: "${backend.url}/token", clientId: c, clientSecret: secret-of-c } }`,
    )}
clients: { classes: { any: {} }, address: { class: any }, authorize: { url: \
"${backend.url}/opa" } }`,
  );
  await sendRaw(gateway.url, post('/soap/s', ASKED));
  await until(() => backend.heads.some((head) => head.startsWith('GET /alive')));
  const targets = new Set(backend.heads.map((head) => head.split(' ')[1]));
  for (const target of ['/s', '/token', '/opa', '/alive']) t.ok(targets.has(target), target);
  for (const head of backend.heads) {
    const names = namesIn(head);
    t.strictSame(
      names,
      names.map((name) => usualName(name.toLowerCase())),
      head,
    );
    t.equal(new Set(names).size, names.length, `no field comes twice: ${head}`);
  }
});

const ANSWERS: readonly (readonly [string, string])[] = [
  ['a reply', post('/soap/s', ASKED)],
  ['a Fault', post('/soap/s', envelope('<t:No xmlns:t="urn:t"/>'))],
  ['an unknown address', post('/nowhere', ASKED)],
  ['415', post('/soap/s', ASKED).replace('text/xml', 'text/plain')],
  ['405', request('PUT', '/soap/s', ['Content-Length: 0'])],
  ['a broken head', 'POST /soap/s HTTP/1.1\r\nHost : x\r\n\r\n'],
  ['GraphiQL', request('GET', '/graphql', ['Accept: text/html'])],
  [
    'GraphQL',
    request(
      'POST',
      '/graphql',
      ['Content-Type: application/json', 'Content-Length: 25'],
      '{"query":"{getIt{r}}   "}',
    ),
  ],
  [
    'events',
    request(
      'POST',
      '/graphql',
      ['Content-Type: application/json', 'Accept: text/event-stream', 'Content-Length: 25'],
      '{"query":"{getIt{r}}   "}',
    ),
  ],
  ['OpenAPI', request('GET', '/rest/openapi.json', [])],
  ['REST', request('GET', '/rest/s/getIt', [])],
  ['a REST problem', request('GET', '/rest/s/Other', [])],
  [
    'a preflight',
    request('OPTIONS', '/graphql', [
      'Origin: https://page.test',
      'Access-Control-Request-Method: POST',
    ]),
  ],
  [
    'a WebSocket',
    request('GET', '/graphql', [
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==',
      'Sec-WebSocket-Protocol: graphql-transport-ws',
    ]).replace('Connection: close', 'Connection: Upgrade'),
  ],
];

/** Sends a request until its head is answered. */
const answeredHead = (url: string, bytes: string): Promise<string> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname, () => socket.write(bytes, 'latin1'));
    let text = '';
    const end = (): void => {
      socket.destroy();
      resolve(headOf(text));
    };
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      if (text.includes('\r\n\r\n')) end();
    });
    socket.on('error', () => {}).on('close', end);
  });

t.test('Field names of answers are written in the usual case', async (t) => {
  const backend = await useHeads(t);
  const gateway = await useGateway(
    t,
    `${serviceAt(backend.url, '    rest: true')}
graphql: { cors: { origins: ["https://page.test"] } }`,
  );
  for (const [title, bytes] of ANSWERS) {
    const head = await answeredHead(gateway.url, bytes);
    const names = namesIn(head);
    t.ok(names.length > 0, title);
    t.strictSame(
      names,
      names.map((name) => usualName(name.toLowerCase())),
      `${title}: ${head}`,
    );
  }
  for (const path of ['/metrics', '/live', '/nothing', '/']) {
    const names = namesIn(await answeredHead(gateway.adminUrl, request('GET', path, [])));
    t.ok(names.length > 0, path);
    t.strictSame(
      names,
      names.map((name) => usualName(name.toLowerCase())),
      path,
    );
  }
});

t.test('A 401 has WWW-Authenticate, a cookie of the backend Set-Cookie', async (t) => {
  const backend = await useHeads(t, () => reply(ANSWER, 'text/xml', 'set-cookie: a=b\r\n'));
  const gateway = await useGateway(t, `${serviceAt(backend.url, '    cookies: forward')}`);
  t.match(await answeredHead(gateway.url, post('/soap/s', ASKED)), /\r\nSet-Cookie: a=b\r\n/);
  const closed = await useGateway(
    t,
    `${serviceAt(backend.url)}
clients: { classes: { any: {} }, apiKeys: { clients: { one: { class: any, keys: \
[key-of-client-one-1] } } } }`,
  );
  t.match(
    await answeredHead(
      closed.url,
      request('POST', '/graphql', ['Content-Type: application/json', 'Content-Length: 2'], '{}'),
    ),
    /\r\nWWW-Authenticate: /,
  );
});

t.test('headerCase: lower writes names in lower case, of a service and at the root', async (t) => {
  const backend = await useHeads(t);
  const gateway = await useGateway(
    t,
    `headerCase: lower
${serviceAt(backend.url, '    headerCase: lower')}`,
  );
  const head = await answeredHead(gateway.url, post('/soap/s', ASKED, ['User-Agent: a']));
  t.match(head, /\r\ncontent-type: text\/xml/);
  t.match(head, /\r\nx-request-id: /);
  const names = namesIn(backend.heads[0] ?? '');
  t.strictSame(
    names,
    names.map((name) => name.toLowerCase()),
  );
  await gateway.reload((yaml) => yaml.replace('headerCase: lower\n', ''));
  t.match(
    await answeredHead(gateway.url, post('/soap/s', ASKED)),
    /\r\nContent-Type: text\/xml/,
    'a reload changes it',
  );
});

t.test('Fields of plain routes go both ways as they came', async (t) => {
  const backend = await useHeads(t, () => reply('page', 'text/plain', 'x-odd: 1\r\nX-LOUD: 2\r\n'));
  const port = await freePort();
  const gateway = await useGateway(
    t,
    `${serviceAt(`http://127.0.0.1:${port}`)}
routes: [{ path: /docs, url: "${backend.url}/docs" }]`,
  );
  const head = await answeredHead(
    gateway.url,
    request('GET', '/docs/a', ['x-lower: 1', 'X-MIXED-case: 2', 'user-agent: u']),
  );
  const back = namesIn(head);
  for (const name of ['x-odd', 'X-LOUD', 'Content-Type', 'X-Request-Id'])
    t.ok(back.includes(name), `${name} in ${head}`);
  const sent = namesIn(backend.heads[0] ?? '');
  for (const name of [
    'x-lower',
    'X-MIXED-case',
    'user-agent',
    'Host',
    'Connection',
    'X-Forwarded-For',
  ])
    t.ok(sent.includes(name), `${name} in ${sent.join()}`);
});

const BASE = ['Host', 'Content-Type', 'Accept', 'Accept-Encoding', 'SOAPAction', 'Content-Length'];

/** Names of a head that are not written as HTTP does. */
const unusualIn = (names: readonly string[]): readonly string[] =>
  names.filter((name) => name !== usualName(name.toLowerCase()));

const ask = async (gateway: TestGateway): Promise<string> =>
  (await postGraphql(gateway.url, { query: '{ getIt { r } }' })).text();

t.test('Requests with credentials of Digest and NTLM have the usual names', async (t) => {
  const challenge = 'WWW-Authenticate: Digest realm="r", nonce="n", qop="auth"\r\n';
  const backend = await useHeads(t, (head) =>
    /^authorization:/im.test(head)
      ? reply(ANSWER)
      : reply('', 'text/xml', challenge, '401 Unauthorized'),
  );
  const auth = (kind: string): string => `    auth: { ${kind}: { username: u, password: p } }\n`;
  t.match(await ask(await useGateway(t, serviceAt(backend.url, auth('digest')))), '"r":"x"');
  const digest = backend.heads.map(namesIn).find((names) => names.includes('Authorization')) ?? [];
  t.same(
    BASE.filter((name) => !digest.includes(name)),
    [],
    digest.join(),
  );
  t.same(unusualIn(digest), []);
  const ntlm: string[] = [];
  const server = await startNtlmServer({
    accounts: { u: 'p' },
    answer({ request: { rawHeaders } }, response) {
      ntlm.push(...rawHeaders.filter((_, at) => at % 2 === 0));
      response.writeHead(200, { 'content-type': 'text/xml' }).end(ANSWER);
    },
  });
  t.teardown(() => server.close());
  t.match(await ask(await useGateway(t, serviceAt(server.url, auth('ntlm')))), '"r":"x"');
  t.same(
    [...BASE, 'Authorization'].filter((name) => !ntlm.includes(name)),
    [],
    ntlm.join(),
  );
  t.same(unusualIn(ntlm), []);
});

t.test('CONNECT to a proxy has the usual names', async (t) => {
  const proxy = await useHeads(t, () => reply('', 'text/plain', '', '407 Proxy'));
  const more = `    proxy: "${proxy.url.replace('//', '//u:p@')}"\n`;
  const gateway = await useGateway(t, serviceAt('https://backend.test', more));
  t.match(await ask(gateway), 'UPSTREAM_AUTH');
  t.same(namesIn(proxy.heads[0] ?? ''), ['Host', 'Proxy-Authorization']);
});
