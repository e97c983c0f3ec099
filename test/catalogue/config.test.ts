import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';

import { ConfigurationError } from '../../src/base/diagnostic.js';
import { compilePattern } from '../../src/codec/pattern/pattern.js';
import { compile } from '../../src/compile.js';
import { loadConfig } from '../../src/config/load.js';
import { startTestGateway } from '../kit/gateway.js';
import { sendRaw } from '../kit/raw-client.js';
import { Rows } from './rows.js';

const rows = new Rows('config');

const SERVICES = 'services: { desk: { url: "https://127.0.0.1:9/" } }\n';

async function fileWith(t: Test, yaml: string): Promise<string> {
  const file = join(t.testdir({}), 'soapstone.yaml');
  await writeFile(file, yaml);
  return file;
}

/** The errors in a configuration, as one text. */
async function errorsIn(t: Test, yaml: string, environment: Record<string, string> = {}): Promise<string> {
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
  for (const pattern of ['\\p{IsNowhere}', '(?=a)', '\\bword\\b', '[z-a]', '(a', 'x'.repeat(100_000)])
    t.match(
      compilePattern(pattern),
      { unsupported: String },
      rows.answer('C07', 'a pattern that cannot be translated'),
    );
});

t.test('C10: keys and values', async (t) => {
  const lines = Array.from({ length: 20 }, (_, at) => `b${at}: &b${at} [${`*b${at - 1},`.repeat(10)}]`).slice(1);
  const bomb = `${SERVICES}b0: &b0 [x]\n${lines.join('\n')}\n`;
  for (const [name, yaml, expected] of [
    ['an unknown key', `${SERVICES}lisen: 127.0.0.1:0\n`, /soapstone\.yaml:2:1: Unknown key `lisen`.*`listen`/],
    ['a wrong type', `${SERVICES}workers: [1]\n`, /soapstone\.yaml:2:10: `workers` must be a whole number/],
    ['an anchor bomb', bomb, /aliases of this file expand to too much/],
    ['a `__proto__` key', `${SERVICES}__proto__: { polluted: 1 }\n`, /Unknown key `__proto__`/],
    ['a `constructor` key', `${SERVICES}constructor: { prototype: { polluted: 1 } }\n`, /Unknown key `constructor`/],
  ] as const)
    t.match(await errorsIn(t, yaml), expected, `${name}: ${rows.answer('C10', name)}`);
  t.notOk('polluted' in {});
});

t.test('C11: secrets', async (t) => {
  const key = (value: string): string =>
    `${SERVICES}clients: { apiKeys: { clients: { erp: { class: all, keys: [${value}] } } }, classes: { all: {} } }\n`;
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
  const gateway = await startTestGateway(SERVICES);
  t.teardown(() => gateway.close());
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

t.test('C13: the admin address', async (t) => {
  const { config } = await loadConfig(await fileWith(t, SERVICES), {});
  t.equal(config.admin, rows.answer('C13', 'the default'));
  const ask = async (url: string, request: string, fields: Record<string, string>): Promise<string> => {
    const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
    const head = `${request} HTTP/1.1\r\n${lines.join('')}Connection: close\r\nContent-Length: 0\r\n\r\n`;
    return String((await sendRaw(url, head)).status);
  };
  const start = async (admin: string): Promise<string> => {
    const gateway = await startTestGateway(`admin: ${admin}\n${SERVICES}`);
    t.teardown(() => gateway.close());
    return gateway.adminUrl;
  };
  const open = await start('0.0.0.0:0');
  const name = 'another name (DNS rebinding)';
  t.equal(await ask(open, 'GET /metrics', { Host: 'rebound.example' }), rows.answer('C13', name), name);
  // Its reload is tried where one can be asked for: `observe/admin.test.ts`.
  t.match(
    await warningsOf(t, `admin: 0.0.0.0:0\n${SERVICES}`),
    /reach the admin address .* without credentials: .* refuses reloads/,
    rows.answer('C13', 'other machines, no token'),
  );
  const known = await start('{ address: "0.0.0.0:0", bearer: { tokens: [right-token-0123456789] } }');
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
  for (const [name, keys, expected] of [
    ['monitor mode', 'mode: monitor', /monitor mode: messages that break rules are only counted/],
    ['a backend that is not verified', 'tls: { verify: none }', /does not verify the certificate/],
  ] as const) {
    const yaml = `services: { desk: { url: "https://127.0.0.1:9/", ${keys} } }\n`;
    t.match(await warningsOf(t, yaml), expected, `${name}: ${rows.answer('C14', name)}`);
  }
});

t.test('the part is complete', async (t) => rows.assertComplete(t));
