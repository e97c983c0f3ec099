import type { ServerResponse } from 'node:http';
import t, { type Test } from 'tap';
import type { RecordedMessage } from '../kit/backend.js';
import { problemsOf } from '../kit/configuration.js';
import { envelope, faultOf } from '../kit/envelope.js';
import { until } from '../kit/until.js';
import { useService } from '../kit/use.js';

const ponged = (status: string): string =>
  envelope(
    `<PingResponse xmlns="urn:shop"><ping><status> ${status} </status></ping></PingResponse>`,
  );
const fault = (code: string): string => envelope(faultOf(`s:${code}`));

const xml =
  (status: number, body: string) =>
  (response: ServerResponse): void =>
    void response.writeHead(status, { 'content-type': 'text/xml' }).end(body);

const serviceOf = (url: string, health: string, keys = ''): string => `services:
  shop:
    url: ${url}/shop?tenant=1
    namespace: urn:shop
    types: |
      type Query { ping(depth: Int!): Ping, session(user: String!): Session }
      type Ping { status: String }
      type Session { id: String }
    operations:
      Ping: { field: Query.ping }
      Login: { field: Query.session }
    health: { everyMillis: 100, up: 1, down: 1, ${health} }
${keys}
`;

async function startOne(t: Test, health: string, keys = '') {
  const setting = {
    reply: (response: ServerResponse, _message: RecordedMessage): void =>
      xml(200, ponged('OK'))(response),
  };
  const { backend, gateway } = await useService(
    t,
    (message, response) => setting.reply(response, message),
    (url) => serviceOf(url, health, keys),
  );
  return Object.assign(setting, {
    gateway,
    backend,
    /** Waits until the address is found healthy, or not. */
    isUp: (expected: boolean) =>
      until(
        () => gateway.compiled().services[0]?.upstream.addresses.all[0]?.isHealthy === expected,
      ),
  });
}

t.test('an operation checks an address: its reply must match, and a Fault does not', async (t) => {
  const setting = await startOne(
    t,
    'operation: Ping, arguments: { depth: "2" }, expect: { reply.status: OK }',
  );
  const { backend, isUp } = setting;
  await until(() => backend.complete.length > 1);
  const [{ method = '', target = '', body = Buffer.alloc(0) } = {}] = backend.complete;
  t.equal(`${method} ${target}`, 'POST /shop?tenant=1');
  t.match(body.toString(), /<([a-z0-9]+):Ping><\1:depth>2</);
  for (const bad of [
    xml(200, ponged('DOWN')),
    xml(200, envelope('<PingResponse xmlns="urn:shop"/>')),
    xml(500, fault('Server')),
    xml(503, ''),
    xml(200, '<no'),
    (response: ServerResponse): void => void response.destroy(),
  ]) {
    setting.reply = xml(200, ponged('OK'));
    await isUp(true);
    setting.reply = bad;
    await isUp(false);
  }
  t.match(await setting.gateway.metrics(), /ejections_total\{[^}]*reason="health"[^}]*\} 6/);
});

t.test('a Fault is healthy where the configuration says so', async (t) => {
  const setting = await startOne(t, 'operation: Ping, arguments: { depth: "2" }, faults: up');
  setting.reply = xml(500, ponged('OK'));
  await setting.isUp(false);
  setting.reply = xml(500, fault('Client'));
  await setting.isUp(true);
  t.pass();
});

t.test(
  'checks by an operation carry the credentials of the service, and its Security block',
  async (t) => {
    const keys = `    auth: { basic: { username: web, password: secret } }
    headers: { X-System: gateway }
    security: { make: { timestamp: true, usernameToken: { username: web, password: \
secret, type: digest } } }`;
    const { backend } = await startOne(t, 'operation: Ping, arguments: { depth: "2" }', keys);
    await until(() => backend.complete.length > 1);
    const [first, second] = backend.complete;
    t.equal(first?.headers['authorization'], 'Basic d2ViOnNlY3JldA==');
    t.equal(first?.headers['x-system'], 'gateway');
    const nonceOf = (message: RecordedMessage | undefined) =>
      /Nonce[^>]*>([^<]+)</.exec(String(message?.body))?.[1];
    t.ok(nonceOf(first));
    t.not(nonceOf(first), nonceOf(second), 'a nonce of its own each time');
  },
);

t.test(
  'checks use the login session of the service, and renew a token that is refused',
  async (t) => {
    const keys = `    auth:
      login: { operation: Login, arguments: { user: web }, token: reply.id, place: \
"http:x-session", renewOn: [EXPIRED] }`;
    const setting = await startOne(t, 'operation: Ping, arguments: { depth: "2" }', keys);
    const { backend } = setting;
    let logins = 0;
    setting.reply = (response, { body, headers }) => {
      if (String(body).includes('Login')) {
        const session =
          `<LoginResponse xmlns="urn:shop"><session><id>t${++logins}</id>` +
          '</session></LoginResponse>';
        xml(200, envelope(session))(response);
      } else if (headers['x-session'] === `t${logins}`) xml(200, ponged('OK'))(response);
      else xml(500, fault('EXPIRED'))(response);
    };
    const pings = () =>
      backend.complete.filter(({ body }) => String(body).includes('depth')).length;
    await until(() => logins >= 1 && pings() > 2);
    const before = logins;
    t.equal(before, 1, 'one login for all checks');
    logins++;
    await until(() => logins === 3);
    const after = pings();
    await until(() => pings() > after + 2);
    await setting.isUp(true);
    t.equal(logins, 3);
  },
);

t.test('?wsdl is healthy as long as it has a WSDL, of any length', async (t) => {
  const setting = await startOne(t, 'wsdl: true');
  const wsdl =
    '<?xml version="1.0"?><!-- about -->' +
    '<w:definitions xmlns:w="http://schemas.xmlsoap.org/wsdl/">';
  const { backend, isUp } = setting;
  for (const [isHealthy, reply] of [
    [false, xml(200, '<html><body>Sign in</body></html>')],
    [true, xml(200, `${wsdl}<w:types>${' '.repeat(4_000_000)}</w:types></w:definitions>`)],
    [false, xml(404, `${wsdl}</w:definitions>`)],
    [true, xml(200, `<description xmlns="http://www.w3.org/ns/wsdl"/>`)],
    [false, xml(200, '')],
  ] as const) {
    setting.reply = reply;
    await isUp(isHealthy);
  }
  t.equal(backend.complete.at(-1)?.target, '/shop?tenant=1&wsdl');
});

t.test('a check that cannot be made is a mistake of the configuration', async (t) => {
  const problemOf = (health: string): Promise<string> =>
    problemsOf(t, serviceOf('http://127.0.0.1:1', health));
  t.match(await problemOf('operation: Pingg'), /no operation `Pingg`/);
  t.match(await problemOf('operation: Ping'), /`Ping` cannot be called/);
  t.match(await problemOf('operation: Ping, arguments: { deep: "1" }'), /deep/);
  t.match(await problemOf('operation: Ping, wsdl: true'), /one of them/);
  t.match(await problemOf('tcp: true, expect: { reply.a: b }'), /is for checks by an `operation`/);
  t.equal(await problemOf('operation: Ping, arguments: { depth: "1" }'), '');
});
