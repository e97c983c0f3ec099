import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import t, { type Test } from 'tap';
import type { RecordingBackend } from '../kit/backend.js';
import { Authority } from '../kit/certificates.js';
import type { TestGateway } from '../kit/gateway.js';
import { postGraphql } from '../kit/graphql-client.js';
import { listen } from '../kit/listen.js';
import { replyOf } from '../kit/ntlm-caller.js';
import { until } from '../kit/until.js';
import { useBackend, useFolder, useGateway } from '../kit/use.js';
import { callUntil } from './load.js';
import { missing, type RunningProgram, startProgram, useProgram } from './programs.js';
import { startNginx } from './proxies.js';

/** TLS and proxies between the gateway and its backends, by servers that others wrote. */

async function folder(t: Test): Promise<string> {
  const home = await useFolder(t);
  // Servers that are started by root read their files as another user.
  chmodSync(home, 0o777);

  return home;
}

async function startBackend(t: Test): Promise<RecordingBackend> {
  return useBackend(t, ({ headers }, response) => {
    response
      .writeHead(200, { 'content-type': 'text/xml' })
      .end(replyOf(String(headers['x-subject'] ?? '-'), '1'));
  });
}

async function startShop(t: Test, url: string, keys: string, home: string): Promise<TestGateway> {
  return useGateway(
    t,
    `services:
  shop:
    url: ${url}/shop
    namespace: urn:shop
    types: "type Query { stock(sku: String!): String }"
    operations:
      GetStock: { field: Query.stock, idempotent: true }
${keys}
`,
    home,
  );
}

const ask = async (gateway: TestGateway): Promise<string> =>
  (await postGraphql(gateway.url, { query: '{ stock(sku: "1") }' })).text();

/**
 * What stands in nginx that wants a certificate, by the files `server.crt`, `server.key` and
 * `clients.crt` of a folder.
 */
const httpOf = (home: string, backend: string, port: number): string => `
  keepalive_requests 10;
  server {
    listen 127.0.0.1:${port} ssl;
    ssl_certificate ${home}/server.crt;
    ssl_certificate_key ${home}/server.key;
    ssl_client_certificate ${home}/clients.crt;
    ssl_verify_client on;
    location / {
      proxy_pass ${backend};
      proxy_set_header x-subject $ssl_client_s_dn;
    }
  }
`;

t.test('nginx with ssl_verify_client', { skip: missing('nginx', 'openssl') }, async (t) => {
  const home = await folder(t);
  const backend = await startBackend(t);
  const put = async (name: string, content: string): Promise<void> => {
    await writeFile(join(home, 'next'), content);
    await rename(join(home, 'next'), join(home, name));
  };
  const old = new Authority(await folder(t), 'old authority');
  const next = new Authority(await folder(t), 'next authority');
  const certify = async (authority: Authority, name: string, file: string): Promise<void> => {
    const { cert, key } = authority.sign(name);
    await put(`${file}.crt`, cert);
    await put(`${file}.key`, key);
  };
  await certify(old, 'backend.example', 'server');
  await certify(old, 'first', 'client');
  const both = old.ca.cert + next.ca.cert;
  await put('clients.crt', both);
  await put('ca.crt', old.ca.cert);
  const nginx = await startNginx(home, (port) => ({ http: httpOf(home, backend.url, port) }));
  t.teardown(() => nginx.stop());
  const url = `https://127.0.0.1:${nginx.port}`;
  const trusted = 'ca: { file: ca.crt }';
  const own = 'cert: { file: client.crt }, key: { file: client.key }';

  await t.test(
    'an authority that is not known, no certificate, and one of a stranger',
    async (t) => {
      t.match(await ask(await startShop(t, url, `    tls: { ${own} }`, home)), 'UPSTREAM_TLS');
      t.equal(backend.begun, 0);
      const anonymous = await startShop(t, url, `    tls: { ${trusted} }`, home);
      t.match(await ask(anonymous), 'UPSTREAM_INVALID_RESPONSE', 'nginx answers 400 with a page');
      const stranger = new Authority(await folder(t), 'stranger').sign('stranger');
      await put('stranger.crt', stranger.cert);
      await put('stranger.key', stranger.key);
      const strange = `    tls: { ${trusted}, ${own.replaceAll('client', 'stranger')} }`;
      t.match(await ask(await startShop(t, url, strange, home)), 'UPSTREAM_');
      t.equal(backend.begun, 0);
    },
  );

  await t.test('authorities and certificates of both sides rotate under load', async (t) => {
    const gateway = await startShop(t, url, `    tls: { ${trusted}, ${own} }`, home);
    const subject = (): unknown => backend.complete.at(-1)?.headers['x-subject'];
    let isOver = false;
    const load = callUntil(
      () => isOver,
      () => ask(gateway),
      '"stock":"CN=',
    );
    await until(() => subject() === 'CN=first');
    await certify(next, 'second', 'client');
    await until(() => subject() === 'CN=second');
    await put('ca.crt', both);
    // A file is read again after a second, when a connection is made.
    await wait(1_500);
    await certify(next, 'backend.example', 'server');
    await put('clients.crt', next.ca.cert);
    nginx.signal('SIGHUP');
    await put('ca.crt', next.ca.cert);
    await wait(1_500);
    isOver = true;
    const { calls, failed } = await load;
    t.same(failed, []);
    t.ok(calls > 50);
    await put('next.crt', next.ca.cert);
    const rotated = await startShop(t, url, `    tls: { ca: { file: next.crt }, ${own} }`, home);
    t.match(await ask(rotated), 'CN=second', 'both sides use the new authority');
  });
});

/** squid that wants Basic credentials for whatever it is asked for. */
async function startSquid(home: string): Promise<RunningProgram & { requests(): string }> {
  const secret = execFileSync('openssl', ['passwd', '-apr1', 'p@ss:w0rd'], {
    encoding: 'utf8',
  }).trim();
  const users = join(home, 'users');
  writeFileSync(users, `web:${secret}\n`);
  chmodSync(users, 0o644);
  const squid = await startProgram({
    command: (port) => {
      writeFileSync(
        join(home, 'squid.conf'),
        `http_port 127.0.0.1:${port}
visible_hostname proxy.corp.example
pid_filename none
access_log stdio:${home}/access.log
cache_log ${home}/cache.log
cache_mem 8 MB
cache deny all
max_filedescriptors 1024
pinger_enable off
auth_param basic program /usr/lib/squid/basic_ncsa_auth ${users}
auth_param basic children 1
auth_param basic realm corp
acl known proxy_auth REQUIRED
http_access allow known
http_access deny all
`,
      );
      return ['/usr/sbin/squid', '-N', '-f', join(home, 'squid.conf')];
    },
  });
  return { ...squid, requests: () => readFileSync(join(home, 'access.log'), 'utf8') };
}

t.test('squid with Basic', { skip: missing('squid', 'openssl') }, async (t) => {
  const home = await folder(t);
  const squid = await useProgram(t, startSquid(home));
  const authority = new Authority(home);
  const { cert, key } = authority.sign('backend.example');
  const tls = createServer({ cert, key }, (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/xml' }).end(replyOf('-', '1'));
  });
  const { port } = await listen(t, tls);
  await writeFile(join(home, 'ca.crt'), authority.ca.cert);
  const backend = await startBackend(t);
  for (const [url, target] of [
    [backend.url, `POST ${backend.url}/shop web`],
    [`https://127.0.0.1:${port}`, 'CONNECT 127.0.0.1:\\d+ web'],
  ] as const) {
    const keys = (credentials: string): string =>
      `${url.startsWith('https') ? '    tls: { ca: { file: ca.crt } }\n' : ''}    proxy: ` +
      `"http://${credentials}127.0.0.1:${squid.port}"\n    limits: { upstream: ` +
      '{ requestsPerConnection: 1 } }';
    const gateway = await startShop(t, url, keys('web:p%40ss%3Aw0rd@'), home);
    const answers = await Promise.all(Array.from({ length: 5 }, () => ask(gateway)));
    for (const answer of answers) t.match(answer, '"stock":"- 1"');
    const isLogged = new RegExp(target);
    // A tunnel is logged when it ends.
    await until(() => isLogged.test(squid.requests()));
    for (const credentials of ['', 'web:canary@']) {
      const refused = await startShop(t, url, keys(credentials), home);
      t.match(await ask(refused), 'UPSTREAM_AUTH');
      const line = await refused.accessLine();
      t.match(line, { code: 'UPSTREAM_AUTH', detail: 'proxy: status 407' });
      t.notMatch(JSON.stringify(refused.logLines()), 'canary');
    }
  }
});
