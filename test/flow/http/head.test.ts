import t, { type Test } from 'tap';
import { answerWith } from '../../kit/backend.js';
import { envelope } from '../../kit/envelope.js';
import type { TestGateway } from '../../kit/gateway.js';
import { sendRaw } from '../../kit/raw-client.js';
import { useBackend, useGateway } from '../../kit/use.js';

/**
 * What Node's parser lets through and two servers could read in two ways: refused at every endpoint
 * before anything else.
 */

const ENVELOPE = envelope('<m:Ping xmlns:m="urn:m"/>');

t.test('heads that can be read in two ways are refused at every endpoint', async (t) => {
  const backend = await useBackend(t, answerWith(ENVELOPE));
  const gateway = await useGateway(
    t,
    `services:\n  s:\n    url: ${backend.url}\nroutes:\n  - path: /files\n` +
      `    url: ${backend.url}\n`,
  );
  const good = [
    'Host: a',
    'Content-Type: text/xml',
    'SOAPAction: ""',
    `Content-Length: ${ENVELOPE.length}`,
  ];
  const ask = (path: string, fields: readonly string[]) =>
    sendRaw(gateway.url, `POST ${path} HTTP/1.1\r\n${fields.join('\r\n')}\r\n\r\n${ENVELOPE}`);
  // Framing, Host and version are tested by the catalogue (H01 to H07).
  const cases = {
    'H16 two types': [...good, 'Content-Type: text/xml'],
    'S09 two actions': [...good, 'SOAPAction: "b"'],
    'S09 a long action': good.with(2, `SOAPAction: "${'a'.repeat(1024)}"`),
  };
  let arrived = 0;
  for (const path of ['/soap/s', '/files/a', '/graphql']) {
    for (const [name, fields] of Object.entries(cases)) {
      const answer = await ask(path, fields);
      t.equal(answer.status, 400, `${path}: ${name}`);
      t.match(answer.body, /^[A-Z][\w .,:;/+=()'-]+\.\n$/, `${path}: ${name}: one sentence`);
      t.equal(answer.headers.get('connection')?.toLowerCase(), 'close', `${path}: ${name}: closed`);
    }
    t.equal(backend.begun, arrived, `${path}: nothing arrived`);
    if (path === '/graphql') continue;
    t.equal((await ask(path, good)).status, 200, 'the same without the trick');
    arrived = backend.begun;
  }
});

const OWN = [
  'API.example',
  'api.example.:8443',
  '127.0.0.1:4000',
  '10.1.2.3',
  '[::1]:4000',
  '[2001:DB8::1]',
  'localhost:80',
];
const FOREIGN = [
  'rebound.example',
  'rebound.example:4000',
  'x.api.example',
  '127.0.0.1.example',
  'api.example..',
];

/** The statuses of one request for each address that callers ask for, which names `host`. */
async function statuses(
  t: Test,
  gateway: TestGateway,
  host: string,
  target = '',
): Promise<Record<string, number>> {
  const ask = async (
    name: string,
    line: string,
    fields: string,
    body = '',
  ): Promise<[string, number]> => {
    const [method = '', path = ''] = line.split(' ');
    const head =
      `${method} ${target}${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: ` + `${fields}\r\n`;
    const answer = await sendRaw(
      gateway.url,
      `${head}Content-Length: ${body.length}\r\n\r\n${body}`.replace(NO_BODY, ''),
    );
    if (answer.status === 421) {
      t.match(answer.body, /^[A-Z][\w .,:;/+=()'-]+\.\n$/, `${host}: ${name}: one sentence`);
      t.equal(answer.headers.get('connection')?.toLowerCase(), 'close', `${host}: ${name}: closed`);
    }
    return [name, answer.status];
  };
  const json = 'close\r\nContent-Type: application/json';
  return Object.fromEntries([
    await ask('graphql', 'POST /graphql', json, '{"query":"{__typename}"}'),
    await ask('page', 'GET /graphql', 'close\r\nAccept: text/html'),
    await ask('asset', 'GET /graphql/assets/none', 'close'),
    await ask('socket', 'GET /graphql', `Upgrade\r\n${HANDSHAKE}`),
    await ask(
      'soap',
      'POST /soap/s',
      'close\r\nContent-Type: text/xml\r\nSOAPAction: ""',
      ENVELOPE,
    ),
    await ask('wsdl', 'GET /soap/s?wsdl', 'close'),
    await ask('route', 'GET /files/a', 'close'),
    await ask('nothing', 'GET /none', 'close'),
  ]);
}

const NO_BODY = 'Content-Length: 0\r\n';
const HANDSHAKE = [
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Protocol: graphql-transport-ws',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
].join('\r\n');

const ANSWERED = {
  graphql: 200,
  page: 200,
  asset: 404,
  socket: 101,
  soap: 200,
  wsdl: 404,
  route: 200,
  nothing: 404,
};
const BROWSERS_REFUSED = { ...ANSWERED, graphql: 421, page: 421, asset: 421, socket: 421 };
const ALL_REFUSED = { ...BROWSERS_REFUSED, soap: 421, wsdl: 421, route: 421, nothing: 421 };

t.test('the Host of a request is one of those configured', async (t) => {
  const backend = await useBackend(t, answerWith(ENVELOPE));
  const start = (t: Test, keys: string): Promise<TestGateway> =>
    useGateway(
      t,
      `${keys}services:\n  s:\n    url: ${backend.url}\nroutes:\n  - path: /files\n` +
        `    url: ${backend.url}\n`,
    );

  await t.test('any, where none is', async (t) => {
    const gateway = await start(t, '');
    for (const host of [...OWN, ...FOREIGN])
      t.match(await statuses(t, gateway, host), ANSWERED, host);
  });

  await t.test('with `publicUrl`, at addresses that browsers use', async (t) => {
    const gateway = await start(t, 'publicUrl: https://Api.example./base\n');
    for (const host of OWN) t.match(await statuses(t, gateway, host), ANSWERED, host);
    for (const host of FOREIGN) t.match(await statuses(t, gateway, host), BROWSERS_REFUSED, host);
    const lines = gateway.logLines().filter(({ code }) => code === 'HTTP_MISDIRECTED');
    t.equal(lines.length, 4 * FOREIGN.length);
    t.match(lines[0], {
      level: 'warn',
      route: 'graphql',
      status: 421,
      detail: 'a host that neither `publicUrl` nor `hosts` names',
      found: FOREIGN[0],
    });
  });

  await t.test('with `hosts`, at every address', async (t) => {
    const gateway = await start(t, 'listen: localhost:0\nhosts: [api.Example]\n');
    const { begun } = backend;
    for (const host of FOREIGN) t.match(await statuses(t, gateway, host), ALL_REFUSED, host);
    t.equal(backend.begun, begun, 'nothing arrived');
    for (const host of OWN) t.match(await statuses(t, gateway, host), ANSWERED, host);
  });

  await t.test('with both, either name', async (t) => {
    const gateway = await start(t, 'publicUrl: https://public.example\nhosts: [api.example]\n');
    for (const host of [...OWN, 'public.example'])
      t.match(await statuses(t, gateway, host), ANSWERED, host);
    for (const host of FOREIGN) t.match(await statuses(t, gateway, host), ALL_REFUSED, host);
  });

  await t.test('also where the target names it', async (t) => {
    const gateway = await start(t, 'hosts: [api.example]\n');
    const target = (host: string) => statuses(t, gateway, host, `http://${host}`);
    // A WebSocket is asked for by path.
    t.match(await target('api.example:80'), { ...ANSWERED, socket: 400 });
    t.match(await target('rebound.example'), ALL_REFUSED);
  });

  await t.test('HTTP/1.0 names none: no browser sends that', async (t) => {
    const gateway = await start(t, 'hosts: [api.example]\n');
    t.equal((await sendRaw(gateway.url, 'GET /files/a HTTP/1.0\r\n\r\n')).status, 200);
    t.equal(
      (await sendRaw(gateway.url, 'GET /files/a HTTP/1.0\r\nHost: rebound.example\r\n\r\n')).status,
      421,
    );
  });
});
