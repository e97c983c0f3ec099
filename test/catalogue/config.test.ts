import { execFile } from 'node:child_process';
import { appendFile, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { compilePattern } from '../../src/codec/pattern/pattern.js';
import { compile } from '../../src/compile.js';
import { loadConfig } from '../../src/config/load.js';
import { ConfigurationError } from '../../src/core/diagnostic.js';
import { desk, startDesk } from '../acceptance/desk.js';
import { MAIN, startProcess } from '../kit/gateway-process.js';
import { post, sendRaw } from '../kit/raw-client.js';
import { until } from '../kit/until.js';
import { useGateway } from '../kit/use.js';
import { Rows } from './rows.js';

const rows = new Rows('config');

const SERVICES = 'services: { desk: { url: "https://127.0.0.1:9/" } }\n';

async function fileWith(t: Test, yaml: string): Promise<string> {
  const file = join(t.testdir({}), 'soapstone.yaml');
  await writeFile(file, yaml);
  return file;
}

/** The errors in a configuration, as one text. */
async function errorsIn(
  t: Test,
  yaml: string,
  environment: Record<string, string> = {},
): Promise<string> {
  try {
    await loadConfig(await fileWith(t, yaml), environment);
  } catch (error) {
    if (error instanceof ConfigurationError) return error.message;
    throw error;
  }
  return 'none';
}

async function warningsOf(t: Test, yaml: string): Promise<string> {
  const compiled = await compile(await loadConfig(await fileWith(t, yaml), {}));
  await compiled.close();
  return compiled.warnings.map(({ what }) => what).join('\n');
}

t.test('C07: patterns that cannot be translated', async (t) => {
  for (const pattern of [
    '\\p{IsNowhere}',
    '(?=a)',
    '\\bword\\b',
    '[z-a]',
    '(a',
    'x'.repeat(100_000),
  ])
    t.match(
      compilePattern(pattern),
      { unsupported: String },
      rows.answer('C07', 'a pattern that cannot be translated'),
    );
});

t.test('C07: patterns of a WSDL that cannot be translated', async (t) => {
  const simple = (name: string, pattern: string): string =>
    `<xs:simpleType name="${name}"><xs:restriction base="xs:string">` +
    `<xs:pattern value="${pattern}"/></xs:restriction></xs:simpleType>`;
  const patterns = {
    Bad: '\\bword\\b',
    Deep: `${'('.repeat(5000)}a${')'.repeat(5000)}`,
    Slow: '(a+)+',
    Open: '(a',
  };
  const names = Object.keys(patterns);
  const { ask, gateway } = await startDesk(
    t,
    {
      'desk.wsdl': desk({
        types: Object.entries(patterns)
          .map(([name, pattern]) => simple(name, pattern))
          .join(''),
        request: names
          .map((name) => `<xs:element name="a${name}" type="t:${name}" minOccurs="0"/>`)
          .join(''),
      }),
    },
    '    mode: enforce\n',
  );
  const warnings = gateway
    .compiled()
    .warnings.map(({ what }) => what)
    .join();
  for (const name of ['Bad', 'Open'])
    t.match(warnings, new RegExp(`facet of ${name}`), rows.answer('C07', 'in a WSDL'));
  const began = process.cpuUsage();
  const value = `${'a'.repeat(50_000)}b`;
  const answer = await ask(
    'query ($v: String) { get(aSlow: $v) }',
    '<t:GetResponse><t:result>x</t:result></t:GetResponse>',
    {
      v: value,
    },
  );
  t.match(
    answer.errors,
    [{ extensions: { code: 'BAD_USER_INPUT' } }],
    rows.answer('C07', 'a slow one'),
  );
  t.ok(process.cpuUsage(began).user < 5_000_000);
});

t.test('C10: keys and values', async (t) => {
  const lines = Array.from(
    { length: 20 },
    (_, at) => `b${at}: &b${at} [${`*b${at - 1},`.repeat(10)}]`,
  ).slice(1);
  const bomb = `${SERVICES}b0: &b0 [x]\n${lines.join('\n')}\n`;
  for (const [name, yaml, expected] of [
    [
      'an unknown key',
      `${SERVICES}lisen: 127.0.0.1:0\n`,
      /soapstone\.yaml:2:1: Unknown key `lisen`.*`listen`/,
    ],
    [
      'a wrong type',
      `${SERVICES}workers: [1]\n`,
      /soapstone\.yaml:2:10: `workers` must be a whole number/,
    ],
    ['an anchor bomb', bomb, /aliases of this file expand to too much/],
    ['a `__proto__` key', `${SERVICES}__proto__: { polluted: 1 }\n`, /Unknown key `__proto__`/],
    [
      'a `constructor` key',
      `${SERVICES}constructor: { prototype: { polluted: 1 } }\n`,
      /Unknown key `constructor`/,
    ],
  ] as const)
    t.match(await errorsIn(t, yaml), expected, `${name}: ${rows.answer('C10', name)}`);
  t.notOk('polluted' in {});
});

t.test('C11: secrets', async (t) => {
  const key = (value: string): string =>
    `${SERVICES}clients: { apiKeys: { clients: { erp: { class: all, keys: [${value}] } } }, ` +
    'classes: { all: {} } }\n';
  for (const [name, value, expected] of [
    ['no such variable', '"$' + '{ABSENT_KEY}"', /ABSENT_KEY/],
    ['no such file', '{ file: absent.key }', /absent\.key/],
    ['a value of the wrong form', '"$' + '{SHORT_KEY}"', /keys\[0\]` is not valid/],
  ] as const) {
    const errors = await errorsIn(t, key(value), { SHORT_KEY: 'canary' });
    t.match(errors, expected, `${name}: ${rows.answer('C11', name)}`);
    t.notMatch(errors, 'canary');
  }
});

t.test('C12: half a file', async (t) => {
  const gateway = await useGateway(t, SERVICES);
  const before = gateway.compiled();
  for (const cut of ['services: { desk: { url: "htt', 'services:', ''])
    await t.rejects(
      gateway.reload(() => cut),
      ConfigurationError,
      rows.answer('C12', 'half a file'),
    );
  t.equal(gateway.compiled(), before);
  await gateway.reload();
  t.not(gateway.compiled(), before, 'the whole file is used');
});

t.test('C11: secrets that are missing when a process starts', async (t) => {
  const yaml = SERVICES.replace(
    'desk: {',
    'desk: { headers: { x-key: "$' + '{ABSENT_KEY}", x-other: "$' + '{PRESENT_KEY}" },',
  );
  const file = await fileWith(t, yaml);
  for (const command of ['start', 'check'])
    await t.rejects(
      promisify(execFile)(process.execPath, [MAIN, command, '-c', file], {
        env: { PRESENT_KEY: 'canary-value' },
      }),
      { code: 2, stderr: /soapstone\.yaml:1:\d+:.*ABSENT_KEY/ },
      `${command}: ${rows.answer('C11', 'a process')}`,
    );
});

t.test('C12: a file that is written while it is watched', async (t) => {
  const started = await startProcess(t, `${SERVICES}reload: { watch: true }\n`);
  const good = await readFile(started.file, 'utf8');
  const renamed = (path: string): string => good.replace('desk: {', `desk: { path: ${path},`);
  const isUsed = async (path: string): Promise<boolean> =>
    (await sendRaw(started.url, post(path, 'text/xml', '<a/>', { Connection: 'close' }))).status !==
    404;
  // In pieces, as slow editors and copies write: what is read between is no configuration.
  const text = renamed('/soap/pieces');
  await writeFile(started.file, '');
  for (let at = 0; at < text.length; at += 20) {
    await appendFile(started.file, text.slice(at, at + 20));
    t.ok(
      (await isUsed('/soap/desk')) || (await isUsed('/soap/pieces')),
      'always one that is whole',
    );
  }
  await until(() => isUsed('/soap/pieces'));
  t.pass(rows.answer('C12', 'written in pieces'));
  // Removed, and renamed into its place.
  const refused = (): Promise<number> =>
    started.metric('soapstone_config_loads_total{result="refused"}');
  const loads = await refused();
  await rm(started.file);
  await until(async () => (await refused()) > loads);
  t.equal(await isUsed('/soap/pieces'), true, 'without a file the earlier one goes on');
  await writeFile(`${started.file}.new`, renamed('/soap/renamed'));
  await rename(`${started.file}.new`, started.file);
  await until(() => isUsed('/soap/renamed'));
  t.pass(rows.answer('C12', 'removed, then renamed'));
  const before = await started.metric('soapstone_generation');
  for (let at = 0; at < 50; at++) await writeFile(started.file, renamed(`/soap/storm${at}`));
  await until(() => isUsed('/soap/storm49'));
  const made = (await started.metric('soapstone_generation')) - before;
  t.ok(made < 25, `${rows.answer('C12', '50 changes at once')}: ${made}`);
});

t.test('C13: the admin address', async (t) => {
  const { config } = await loadConfig(await fileWith(t, SERVICES), {});
  t.equal(config.admin, rows.answer('C13', 'the default'));
  const ask = async (
    url: string,
    request: string,
    fields: Record<string, string>,
  ): Promise<string> => {
    const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
    const head = `${request} HTTP/1.1\r\n${lines.join('')}Connection: close\r\nContent-Length: 0\r\n\r\n`;
    return String((await sendRaw(url, head)).status);
  };
  const start = async (admin: string): Promise<string> => {
    const gateway = await useGateway(t, `admin: ${admin}\n${SERVICES}`);
    return gateway.adminUrl;
  };
  const open = await start('0.0.0.0:0');
  const name = 'another name (DNS rebinding)';
  t.equal(
    await ask(open, 'GET /metrics', { Host: 'rebound.example' }),
    rows.answer('C13', name),
    name,
  );
  const { adminUrl } = await startProcess(t, SERVICES, { adminHost: '0.0.0.0' });
  t.equal(
    await ask(adminUrl, 'POST /reload', { Host: 'localhost' }),
    rows.answer('C13', 'other machines, no token'),
  );
  t.match(
    await warningsOf(t, `admin: 0.0.0.0:0\n${SERVICES}`),
    /reach the admin address .* without credentials: .* refuses reloads/,
    rows.answer('C13', 'other machines, no token'),
  );
  const known = await start(
    '{ address: "0.0.0.0:0", bearer: { tokens: [right-token-0123456789] } }',
  );
  const wrong = { Host: 'localhost', Authorization: 'Bearer wrong-token-0123456789' };
  const token = 'other machines, a wrong token';
  for (const request of ['GET /metrics', 'GET /'])
    t.equal(await ask(known, request, wrong), rows.answer('C13', token), request);
});

t.test('C14: options that weaken the gateway', async (t) => {
  for (const [name, yaml] of [
    ['limits that are off', 'limits: off\n'],
    ['a limit beyond its ceiling', 'limits: { xml: { depth: 1000000000 } }\n'],
    ['HTTP/2', 'listen: { address: "127.0.0.1:0", http2: true }\n'],
  ] as const)
    t.not(await errorsIn(t, `${SERVICES}${yaml}`), 'none', `${name}: ${rows.answer('C14', name)}`);
  const clients = (authorize: string): string =>
    'clients: { address: { class: all }, classes: { all: {} }, authorize: { url: ' +
    `"https://127.0.0.1:9/", ${authorize} } }`;
  const FAULTS = 'details of Faults that pass';
  const SERVER = 'a server that is not verified';
  const weak = (service: string, more = ''): string =>
    `services: { desk: { url: "https://127.0.0.1:9/", ${service} } }\n${more}\n`;
  for (const [name, prefix] of [
    ['details of Faults that pass, without the prefix', ''],
    ['a server that is not verified, without the prefix', ''],
    [FAULTS, 'unsafe:'],
    [SERVER, 'unsafe:'],
  ] as const) {
    const unverified = `tls: { verify: ${prefix}none }`;
    const yaml = name.startsWith(FAULTS)
      ? weak(`faultDetail: ${prefix}pass`)
      : weak(
          unverified,
          `redis: { url: "rediss://127.0.0.1:9", ${unverified} }\n${clients(unverified)}`,
        );
    const count = name.startsWith(FAULTS) ? 1 : 3;
    const text = prefix === '' ? await errorsIn(t, yaml) : await warningsOf(t, yaml);
    const expected =
      prefix === ''
        ? /yaml:\d:\d+: .* must be one of .*`unsafe:(pass|none)`.* It weakens the gateway: write `unsafe:\1` if/g
        : /passes the whole detail of Faults, stack traces too|does not verify the certificate of/g;
    t.equal(text.match(expected)?.length, count, `${name}: ${rows.answer('C14', name)}: ${text}`);
  }
  for (const [name, yaml, expected] of [
    [
      'monitor mode',
      weak('mode: monitor'),
      /monitor mode: messages that break rules are only counted/,
    ],
    [
      'a decision point that fails',
      weak('', clients('onError: allow')),
      /pass while the decision point does not/,
    ],
    [
      'a limit of 0',
      weak('', 'limits: { http: { bodyRateBytes: 0 } }'),
      /`limits.http.bodyRateBytes: 0` switches a protection off/,
    ],
  ] as const)
    t.match(await warningsOf(t, yaml), expected, `${name}: ${rows.answer('C14', name)}`);
  const { line } = await startProcess(
    t,
    SERVICES.replace('desk: {', 'desk: { faultDetail: unsafe:pass, mode: monitor,'),
  );
  const warning = await line(({ note }) => /stack traces/.test(String(note)));
  t.match(
    warning,
    { level: 'warn', msg: 'configuration warning' },
    rows.answer('C14', 'in the log'),
  );
});

t.test('the part is complete', async (t) => rows.assertComplete(t));
