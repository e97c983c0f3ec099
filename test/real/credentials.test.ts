import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { register } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import type { RecordingBackend } from '../kit/backend.js';
import { postSoap } from '../kit/envelope.js';
import { startTestGateway, type TestGateway } from '../kit/gateway.js';
import { postGraphql } from '../kit/graphql-client.js';
import { Caller, envelope, replyOf } from '../kit/ntlm-caller.js';
import { useBackend, useFolder, useGateway } from '../kit/use.js';
import { schemaWith, wsdlWith } from '../wsdl/written.js';
import { HOST, REALM, startApache, startKdc } from './apache.js';
import { after, callUntil } from './load.js';
import { KERBEROS, missing, PYTHON, startProgram, useProgram } from './programs.js';
import { STACKS } from './stacks.js';

/** Credentials of the gateway and of its callers, at servers that others wrote. */

async function folder(t: Test): Promise<string> {
  const home = await useFolder(t);
  chmodSync(home, 0o755);

  return home;
}

const CHANGED = wsdlWith({ types: schemaWith('').replace('"xs:string"', '"xs:int"') });

/**
 * A backend without credentials: it shows another WSDL than is served, and its reply names the user
 * that the server in front of it found.
 */
async function startBackend(t: Test): Promise<RecordingBackend> {
  return useBackend(t, ({ method, headers, body }, response) => {
    if (method === 'GET') return void response.end(CHANGED);
    const sku = /<(?:\w+:)?sku(?: [^>]*)?>(.*)<\/(?:\w+:)?sku>/.exec(String(body))?.[1] ?? '';
    response
      .writeHead(200, { 'content-type': 'text/xml' })
      .end(replyOf(String(headers['x-user']), sku.slice(0, 9)));
  });
}

async function startShop(t: Test, url: string, auth: string): Promise<TestGateway> {
  return useGateway(
    t,
    `services:
  shop:
    url: ${url}
    namespace: urn:shop
    types: "type Query { stock(sku: String!): String }"
    operations:
      GetStock: { field: Query.stock, read: {} }
    auth: ${auth}
`,
  );
}

const ask = async (gateway: TestGateway, sku = '1'): Promise<string> =>
  (
    await postGraphql(gateway.url, {
      query: 'query ($sku: String!) { stock(sku: $sku) }',
      variables: { sku },
    })
  ).text();

const send = async (gateway: TestGateway, sku = '1'): Promise<string> => {
  return (await postSoap(`${gateway.url}/soap/shop`, envelope(sku))).text();
};

/** Calls by GraphQL and by SOAP in turns. */
function inTurns(gateway: TestGateway, ...calls: readonly (typeof ask)[]): () => Promise<string> {
  let turn = 0;
  return () => calls[turn++ % calls.length]?.(gateway) ?? Promise.resolve('');
}

const APACHE = missing('apache', 'mod_auth_gssapi', 'gss-ntlmssp', 'kdc');

t.test('Apache httpd', { skip: APACHE }, async (t) => {
  const directory = await folder(t);
  const backend = await startBackend(t);
  const kdc = await useProgram(t, startKdc(directory));
  const apache = await startApache({
    directory,
    backend: backend.url,
    ntlm: [
      { username: 'web', password: 'Pässword1' },
      { username: 'other', password: 'Password2' },
    ],
    digest: { username: 'web', password: 's3cret' },
  });
  t.teardown(() => apache.stop());
  const url = `http://127.0.0.1:${apache.port}`;

  await t.test('NTLM by gss-ntlmssp: connections of the gateway', async (t) => {
    const gateway = await startShop(
      t,
      `${url}/ntlm`,
      '{ ntlm: { username: web, password: Pässword1, domain: CORP } }',
    );
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        (index % 2 === 0 ? ask : send)(gateway, String(index)),
      ),
    );
    for (const [index, answer] of answers.entries())
      t.match(answer, `CORP\\${index % 2 === 0 ? '\\' : ''}web ${index}`);
    const refused = await startShop(
      t,
      `${url}/ntlm`,
      '{ ntlm: { username: web, password: wrong, domain: CORP } }',
    );
    t.match(await ask(refused), 'UPSTREAM_AUTH');
  });

  await t.test('NTLM by gss-ntlmssp: callers keep their identities', async (t) => {
    const gateway = await startShop(t, `${url}/ntlm`, '{ passthrough: true }');
    const callers = ['web', 'other', 'web', 'other'].map((user, index) => ({
      user,
      caller: new Caller(gateway.url),
      index,
    }));
    await Promise.all(
      callers.map(async ({ user, caller, index }) => {
        const password = user === 'web' ? 'Pässword1' : 'Password2';
        const first = await caller.login(user, password, envelope(`${index}`));
        t.match(first.text, `CORP\\${user} ${index}`);
        for (let count = 0; count < 20; count++) {
          const { text } = await caller.post(envelope(`${index}.${count}`));
          t.match(text, `CORP\\${user} ${index}.${count}`);
        }
        caller.close();
      }),
    );
    const stranger = new Caller(gateway.url);
    t.equal((await stranger.post(envelope('1'))).head.statusCode, 401);
    t.equal((await stranger.login('web', 'wrong', envelope('1'))).head.statusCode, 401);
    stranger.close();
  });

  await t.test(
    'Negotiate: a caller with a ticket of its own',
    { skip: missing('curl') },
    async (t) => {
      const gateway = await startShop(t, `${url}/negotiate`, '{ passthrough: true }');
      const env = {
        ...process.env,
        KRB5_CONFIG: kdc.configuration,
        KRB5_CLIENT_KTNAME: kdc.keytab,
      };
      const { stdout } = await promisify(execFile)(
        'curl',
        [
          '-sS',
          '--negotiate',
          '-u',
          ':',
          '--connect-to',
          `${HOST}:80:${new URL(gateway.url).host}`,
          '-H',
          'content-type: text/xml',
          '-H',
          'soapaction: ""',
          '--data-binary',
          envelope('7'),
          `http://${HOST}/soap/shop`,
        ],
        { env },
      );
      t.match(stdout, `web@${REALM} 7`);
    },
  );

  await t.test(
    'Negotiate: the gateway has a ticket for each call',
    { skip: missing('kerberos') },
    async (t) => {
      process.env['KRB5_CONFIG'] = kdc.configuration;
      t.teardown(() => {
        delete process.env['KRB5_CONFIG'];
        delete process.env['KRB5_CLIENT_KTNAME'];
      });
      const main = JSON.stringify(pathToFileURL(join(KERBEROS, 'lib', 'index.js')).href);
      const hook =
        "export const resolve = (name, context, next) => next(name === 'kerberos' ? " +
        `${main} : name, context);`;
      register(`data:text/javascript,${encodeURIComponent(hook)}`);
      const auth = `{ negotiate: { principal: HTTP/${HOST}, keytab: { file: ${kdc.keytab} } } }`;
      const gateway = await startShop(t, `${url}/negotiate`, auth);
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          (index % 2 === 0 ? ask : send)(gateway, String(index)),
        ),
      );
      for (const [index, answer] of answers.entries()) t.match(answer, `web@${REALM} ${index}`);
      for (let count = 0; count < 3; count++)
        t.match(await send(gateway, '1'.repeat(2 ** 20)), `web@${REALM} 1`, 'a message of a MiB');
      const drifting = await useGateway(
        t,
        `services: { a: { wsdl: a.wsdl, url: ${url}/negotiate, auth: ${auth}, drift: { url: ` +
          `'${url}/negotiate?wsdl' } } }`,
        t.testdir({ 'a.wsdl': wsdlWith({}) }),
      );
      t.match(await drifting.logLine('the backend shows another WSDL than is served'), {
        counts: { breaking: 1 },
      });
      const wrong = await startShop(
        t,
        `${url}/negotiate`,
        auth.replace(HOST, 'other.corp.example'),
      );
      t.match(await ask(wrong), 'UPSTREAM_AUTH');
      t.match(await wrong.accessLine(), { code: 'UPSTREAM_AUTH' });
    },
  );

  await t.test('Digest by mod_auth_digest, over the end of a nonce', async (t) => {
    const gateway = await startShop(
      t,
      `${url}/digest`,
      '{ digest: { username: web, password: s3cret } }',
    );
    t.match(
      await send(gateway, '1'.repeat(200_000)),
      'web 1',
      'a message that is sent while it comes in',
    );
    const { calls, failed } = await callUntil(after(1_500), () => ask(gateway), 'web 1');
    t.same(failed, []);
    t.ok(calls > 10);
    const refused = await startShop(
      t,
      `${url}/digest`,
      '{ digest: { username: web, password: wrong } }',
    );
    t.match(await ask(refused), 'UPSTREAM_AUTH');
  });
});

t.test('Digest by lighttpd: SHA-256 and SHA-512-256', { skip: missing('lighttpd') }, async (t) => {
  const directory = await folder(t);
  const backend = await startBackend(t);
  for (const [algorithm, hash] of [
    ['SHA-256', 'sha256'],
    ['SHA-512-256', 'sha512-256'],
  ] as const) {
    const secret = createHash(hash).update('web:shop:s3cret').digest('hex');
    const [users, file] = [join(directory, `${hash}.users`), join(directory, `${hash}.conf`)];
    await writeFile(users, `web:shop:${secret}\n`);
    const lighttpd = await startProgram({
      command: (port) => {
        writeFileSync(
          file,
          `server.document-root = "${directory}"
server.bind = "127.0.0.1"
server.port = ${port}
server.modules = ("mod_auth", "mod_authn_file", "mod_proxy")
auth.backend = "htdigest"
auth.backend.htdigest.userfile = "${users}"
auth.require = ("" => ("method" => "digest", "algorithm" => "${algorithm}", "realm" => "shop", \
"require" => "valid-user"))
proxy.server = ("" => (("host" => "127.0.0.1", "port" => ${new URL(backend.url).port})))
`,
        );
        return ['/usr/sbin/lighttpd', '-D', '-f', file];
      },
    });
    t.teardown(() => lighttpd.stop());
    const url = `http://127.0.0.1:${lighttpd.port}/shop`;
    const gateway = await startShop(t, url, '{ digest: { username: web, password: s3cret } }');
    for (const call of [ask, send])
      t.match(await call(gateway), 'undefined 1', 'lighttpd names no user');
    t.match(
      await ask(await startShop(t, url, '{ digest: { username: web, password: wrong } }')),
      'UPSTREAM_AUTH',
    );
  }
});

t.test(
  'OAuth 2.0 by oidc-provider: tokens end under load',
  { skip: missing('oidc-provider') },
  async (t) => {
    const lifeSeconds = 1;
    const server = await startProgram({
      command: (port) => [
        process.execPath,
        join(STACKS, 'oidc', 'server.mjs'),
        String(port),
        String(lifeSeconds),
      ],
    });
    t.teardown(() => server.stop());
    const url = `http://127.0.0.1:${server.port}`;
    const auth = (secret: string): string =>
      `{ oauth2: { tokenUrl: ${url}/token, clientId: gateway, clientSecret: ` +
      `'${secret}', scopes: [stock:read] } }`;
    const gateway = await startShop(t, `${url}/shop`, auth('s3cret:with+signs'));
    const { calls, failed } = await callUntil(after(2_500), inTurns(gateway, ask, send), '7');
    t.same(failed, []);
    t.ok(calls > 10);
    const issued = Number(await (await fetch(`${url}/issued`)).text());
    t.ok(issued >= 3 && issued <= 8, `${issued} tokens`);
    const wrong = await startShop(t, `${url}/shop`, auth('canary'));
    t.match(await ask(wrong), 'UPSTREAM_AUTH');
    t.notMatch(JSON.stringify([...wrong.logLines(), ...gateway.logLines()]), /canary|s3cret/);
  },
);

t.test('clients are identified by the introspection of oidc-provider', async (t) => {
  const server = await startProgram({
    command: (port) => [process.execPath, join(STACKS, 'oidc', 'server.mjs'), String(port), '3'],
  });
  t.teardown(() => server.stop());
  const url = `http://127.0.0.1:${server.port}`;
  const gateway = await useGateway(
    t,
    `services:
  shop: { url: "${url}/shop", types: "type Query { stock: Int }", operations: { GetStock: { field: \
Query.stock } } }
clients:
  introspection: { url: "${url}/token/introspection", clientId: gateway, clientSecret: \
's3cret:with+signs', clientClaim: client_id, class: all }
  classes: { all: {} }
`,
  );
  const basic = Buffer.from('gateway:s3cret%3Awith%2Bsigns').toString('base64');
  const granted = await fetch(`${url}/token`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${basic}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: 'grant_type=client_credentials&scope=stock:read',
  });
  const { access_token: token } = (await granted.json()) as { access_token: string };
  const ask = async (bearer: string): Promise<number> => {
    const headers = { authorization: `Bearer ${bearer}`, accept: 'application/json' };
    return (await fetch(`${gateway.url}/graphql?query=%7B__typename%7D`, { headers })).status;
  };
  t.same([await ask(token), await ask(`${token}x`)], [200, 401]);
  t.match(
    gateway.logLines().find(({ msg }) => msg === 'request'),
    { caller: /^introspection:/ },
  );
  while ((await ask(token)) === 200);
  t.equal(await ask(token), 401, 'a token that has ended');
});

t.test('login sessions of spyne: they end under load', { skip: missing('spyne') }, async (t) => {
  const directory = await folder(t);
  const server = await startProgram({
    command: (port) => [PYTHON, join(STACKS, 'spyne', 'sessions.py'), String(port), '0.7'],
  });
  t.teardown(() => server.stop());
  const url = `http://127.0.0.1:${server.port}/shop`;
  await writeFile(join(directory, 'shop.wsdl'), await (await fetch(`${url}?wsdl`)).text());
  const login = (
    password: string,
  ): string => `operation: Login, arguments: { user: web, password: ${password} },
        token: reply.LoginResult, place: "header:{urn:shop}Session/token", renewOn: \
[Client.InvalidSession], logout: Logout`;
  const start = (password: string): Promise<TestGateway> =>
    startTestGateway(
      `services:\n  shop: { wsdl: shop.wsdl, url: "${url}", auth: { login: ` +
        `{ ${login(password)} } } }\n`,
      directory,
    );
  const gateway = await start('s3cret');
  const askStock = async ({ url }: TestGateway): Promise<string> =>
    (await postGraphql(url, { query: '{ getStock(sku: "1") }' })).text();
  const { calls, failed } = await callUntil(
    after(2_000),
    inTurns(gateway, askStock, send),
    '7 of 1',
  );
  t.same(failed, []);
  t.ok(calls > 10);
  await gateway.close();
  const [begun = 0, ended] = (await (await fetch(new URL('/sessions', url))).text())
    .split(' ')
    .map(Number);
  t.ok(begun >= 3 && begun <= 8, `${begun} sessions`);
  t.equal(ended, 1, 'the last one is ended with the gateway');
  const wrong = await start('canary');
  t.match(await askStock(wrong), 'UPSTREAM_AUTH');
  t.notMatch(JSON.stringify([...wrong.logLines(), ...gateway.logLines()]), /canary|s3cret/);
  await wrong.close();
});
