import t from 'tap';

import { hashPassword } from '../../src/access/passwords/password-hash.js';
import { Log } from '../../src/observe/log/log.js';
import { serveGateway } from '../../src/server.js';
import { compileText } from '../kit/configuration.js';
import { freePort } from '../kit/free-port.js';
import { sendRaw } from '../kit/raw-client.js';
import { useGateway } from '../kit/use.js';

/** What the admin address answers, by the host that is named. */

t.test('the admin address answers known hosts only', async (t) => {
  const gateway = await useGateway(
    t,
    'adminHosts: [Metrics.Internal]\nservices: { a: { url: "http://127.0.0.1:1/" } }\n',
  );
  const ask = async (path: string, host: string): Promise<number> =>
    (
      await sendRaw(
        gateway.adminUrl,
        `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
      )
    ).status;
  for (const host of [
    '127.0.0.1:4001',
    '10.1.2.3',
    '[::1]:4001',
    'localhost',
    'metrics.internal:80',
    'METRICS.internal.',
  ])
    t.equal(await ask('/metrics', host), 200, host);
  for (const host of [
    'rebound.example',
    'rebound.example:4001',
    'a.metrics.internal',
    '127.0.0.1.example',
    'a b',
    '',
  ])
    for (const path of ['/metrics', '/']) t.equal(await ask(path, host), 421, `${host} ${path}`);
  for (const path of ['/live', '/ready'])
    t.equal(await ask(path, 'rebound.example'), 200, 'probes may name any');
  const line = await gateway.logLine(
    'a request to the admin address was refused: its Host is not known',
  );
  t.match(line, { level: 'warn', key: 'adminHosts', found: String });
  t.equal(gateway.logLines().filter(({ key }) => key === 'adminHosts').length, 12);
});

const SERVICES = 'services: { a: { url: "http://127.0.0.1:1/" } }\n';
const TOKEN = 'canary-token-0123456789';

async function ask(url: string, request: string, headers: Record<string, string> = {}) {
  const fields = Object.entries({ Host: 'localhost', Connection: 'close', ...headers });
  return sendRaw(
    url,
    `${request} HTTP/1.1\r\n${fields
      .map(
        ([name, value]) => `${name}: \
${value}\r\n`,
      )
      .join('')}Content-Length: ` + '0\r\n\r\n',
  );
}

t.test(
  'an admin address with credentials answers probes, and nothing else without them',
  async (t) => {
    const hash = await hashPassword('canary-password');
    const gateway = await useGateway(
      t,
      `admin: { address: "127.0.0.1:0", basic: { users: { ops: { password: "${hash}" } } }, ` +
        `bearer: { tokens: [${TOKEN}] } }\n${SERVICES}`,
    );
    const basic = (pair: string) => ({
      Authorization: `Basic ${Buffer.from(pair).toString('base64')}`,
    });
    for (const path of ['/live', '/ready'])
      t.equal((await ask(gateway.adminUrl, `GET ${path}`)).status, 200, path);
    for (const headers of [
      basic('ops:canary-password'),
      { Authorization: `Bearer ${TOKEN}` },
      { authorization: `bearer ${TOKEN}` },
    ])
      t.equal((await ask(gateway.adminUrl, 'GET /metrics', headers)).status, 200);
    for (const headers of [
      {},
      basic('ops:canary-other'),
      basic('other:canary-password'),
      { Authorization: `Bearer ${TOKEN}x` },
      { Authorization: `Bearer x` },
      { Authorization: `Bearer ${'x'.repeat(10_000)}` },
      { 'X-Api-Key': TOKEN },
      { Token: TOKEN },
    ]) {
      for (const request of ['GET /metrics', 'GET /', 'GET /absent']) {
        const reply = await ask(gateway.adminUrl, request, headers);
        t.equal(reply.status, 401, `${request} ${Object.values(headers)}`.slice(0, 80));
        t.match(reply.headers.get('www-authenticate'), /^(?:Basic|Bearer) realm="soapstone"/);
        t.equal(reply.body, '');
      }
    }
    const line = await gateway.logLine(
      'a request to the admin address was refused: its credentials were not accepted',
    );
    t.match(line, { level: 'warn', key: 'admin', found: '127.0.0.1' });
    t.notMatch(JSON.stringify(gateway.logLines()), 'canary');
  },
);

t.test('a reload needs credentials where other machines could ask for it', async (t) => {
  const start = async (admin: string) => {
    const compiled = await compileText(t, `listen: 127.0.0.1:0\nadmin: ${admin}\n${SERVICES}`);
    let reloads = 0;
    const gateway = await serveGateway(compiled, new Log('error', { write() {} }), {
      reload: async () => ({ generation: ++reloads, problems: [] }),
    });
    t.teardown(() => gateway.drain());
    return {
      gateway,
      warnings: compiled.warnings.map(({ what }) => what).join('\n'),
      reloads: () => reloads,
    };
  };
  const own = await start('127.0.0.1:0');
  t.equal((await ask(own.gateway.adminUrl, 'POST /reload')).status, 200);
  t.notMatch(own.warnings, 'admin');

  const open = await start('0.0.0.0:0');
  t.equal((await ask(open.gateway.adminUrl, 'POST /reload')).status, 403);
  t.equal((await ask(open.gateway.adminUrl, 'GET /metrics')).status, 200);
  t.equal(open.reloads(), 0);
  t.match(
    open.warnings,
    /Other machines can reach the admin address 0\.0\.0\.0:0 without credentials/,
  );

  const known = await start(`{ address: "0.0.0.0:0", bearer: { tokens: [${TOKEN}] } }`);
  t.notMatch(known.warnings, /Other machines/);
  t.equal((await ask(known.gateway.adminUrl, 'POST /reload')).status, 401);
  t.equal(known.reloads(), 0);
  const headers = { Authorization: `Bearer ${TOKEN}` };
  t.equal((await ask(known.gateway.adminUrl, 'POST /reload', headers)).status, 200);
  t.equal(
    (
      await ask(known.gateway.adminUrl, 'POST /reload', {
        ...headers,
        Origin: 'http://other.example',
      })
    ).status,
    403,
  );
});

t.test('each admin address has credentials of its own', async (t) => {
  const other = await freePort();
  const gateway = await useGateway(
    t,
    `admin: ["127.0.0.1:0", { address: "127.0.0.1:${other}", bearer: { tokens: ` +
      `[${TOKEN}] } }]\n${SERVICES}`,
  );
  t.equal((await ask(gateway.adminUrl, 'GET /metrics')).status, 200);
  t.equal((await ask(`http://127.0.0.1:${other}`, 'GET /metrics')).status, 401);
});
