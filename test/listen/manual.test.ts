import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';

import { hashPassword } from '../../src/access/passwords/password-hash.js';
import { Authority, WITH_OPENSSL } from '../kit/certificates.js';
import { useGateway } from '../kit/use.js';

/**
 * The page about listeners in the manual, followed word for word: only ports and the password are
 * filled in.
 */

const run = promisify(execFile);
const page = readFileSync('config/manual/listeners.md', 'utf8');
const [example = '', , certificates = ''] = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map(
  ([, text = '']) => text,
);
const commands = [...page.matchAll(/^ {4}((?:curl|openssl) .*)$/gm)].map(([, text = '']) => text);

/** The files that the examples name. */
function writeFiles(directory: string): string {
  const authority = new Authority(directory);
  const put = (file: string, name: string, subject?: string): void => {
    const { cert, key } = authority.sign(name, 365, subject);
    writeFileSync(join(directory, `${file}.pem`), cert);
    writeFileSync(join(directory, `${file}.key`), key);
  };
  for (const [file, name] of [
    ['a', 'a.example'],
    ['b', 'b.example'],
    ['c', 'c.example'],
    ['ops', 'ops.example'],
  ] as const)
    put(file, name);
  writeFileSync(
    join(directory, 'both.pem'),
    readFileSync(join(directory, 'a.pem'), 'utf8') + readFileSync(join(directory, 'a.key'), 'utf8'),
  );
  put('erp', 'erp', '/O=Example/CN=erp');
  writeFileSync(join(directory, 'clients.crl'), authority.revoke([]));
  for (const file of ['ca.pem', 'clients.pem'])
    writeFileSync(join(directory, file), authority.ca.cert);
  return directory;
}

/**
 * Starts the gateway of the examples, and returns how to run their commands: each resolves to what
 * it printed.
 */
async function follow(t: Test, edit: (yaml: string) => string = (yaml) => yaml) {
  // The path of a Unix socket is short.
  const directory = writeFiles(mkdtempSync(join(tmpdir(), 'soapstone-')));
  const environment = {
    METRICS_TOKEN: 'secret-of-a-test-0123456789',
    OPS_HASH: await hashPassword('secret'),
  };
  Object.assign(process.env, environment);
  const yaml = `${example}${certificates}services:
  orders:
    url: http://127.0.0.1:9/
    types: "type Query { order: Int }"
    operations: { GetOrder: { field: Query.order } }
`
    .replace('/run/soapstone/traffic.sock', join(directory, 's'))
    .replaceAll(/(?:127\.0\.0\.1|0\.0\.0\.0|10\.0\.0\.7):4\d{3}/g, '127.0.0.1:0')
    .replace('AB:CD:...', Array(32).fill('AB').join(':'));
  const gateway = await useGateway(t, edit(yaml), directory);
  t.teardown(async () => {
    for (const name of Object.keys(environment)) delete process.env[name];
    rmSync(directory, { recursive: true });
  });
  const portOf = (url: string | undefined): string => new URL(url ?? '').port;
  const ports = new Map([
    ['a.example:4443', `a.example:${portOf(gateway.urls.find((url) => url.startsWith('https:')))}`],
    ['ops.example:4001', `ops.example:${portOf(gateway.adminUrl)}`],
  ]);
  const resolved = [...ports.values()].map((host) => `resolve = ${host}:127.0.0.1\n`).join('');
  writeFileSync(join(directory, '.curlrc'), `${resolved}silent\nwrite-out = " %{http_code}"\n`);
  return async (command: string): Promise<string> => {
    let text = command.replace('--user ops', '--user ops:secret');
    for (const [named, here] of ports) text = text.replaceAll(named, here);
    const env = { ...process.env, ...environment, CURL_HOME: directory };
    return run('bash', ['-c', text], { cwd: directory, env }).then(
      ({ stdout }) => stdout.trim(),
      (error: unknown) => String(error),
    );
  };
}

t.test('the commands of the manual do with its listeners as they say', WITH_OPENSSL, async (t) => {
  const ask = await follow(t);
  const [plain = '', erp = '', metrics = '', reload = '', openssl = ''] = commands;
  t.equal(commands.length, 6);
  t.match(await ask(plain), /UNAUTHENTICATED.* 401$/, 'the clients of the page have certificates');
  t.match(await ask(erp), /"Query".* 200$/);
  t.match(await ask(metrics), / 200$/);
  t.match(await ask(metrics.replace(/-H ".*?" /, '')), /401$/, 'without the token');
  t.match(await ask(`${metrics} -H 'Host: other.example'`), /421$/, 'by a name that is not listed');
  // The gateway of a test reads no file again.
  t.match(
    await ask(reload.replace('-X POST ', '').replace('/reload', '/metrics')),
    / 200$/,
    'by the password',
  );
  t.match(await ask(openssl), /subject=CN=erp,O=Example\n.*Fingerprint=(?:[0-9A-F]{2}:){31}/);
});

t.test(
  'a PROXY header by curl, and a file with both certificate and key',
  WITH_OPENSSL,
  async (t) => {
    const ask = await follow(t, (yaml) =>
      yaml
        .replace('    tls:\n', '    proxyProtocol: [127.0.0.1]\n    tls:\n')
        .replaceAll(/\{ file: a\.(?:pem|key) \}/g, '{ file: both.pem }'),
    );
    const proxied = commands.at(-1) ?? '';
    t.match(
      await ask(proxied.replace('--cacert', '--cert erp.pem --key erp.key --cacert')),
      /"Query".* 200$/,
    );
    t.match(
      await ask(proxied.replace('--haproxy-protocol ', '')),
      /^Error/,
      'a listed proxy must send one',
    );
  },
);
