import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { Problems } from '../../src/base/problem.js';
import { loadConfig } from '../../src/config/load.js';

const directory = await mkdtemp(join(tmpdir(), 'soapstone-rules-'));
t.teardown(() => rm(directory, { recursive: true }));

/** What is wrong with a file, as `line:column: what remedy`. */
async function problems(yaml: string): Promise<readonly string[]> {
  const file = join(directory, 'soapstone.yaml');
  await writeFile(file, yaml);
  try {
    await loadConfig(file, {});
  } catch (error) {
    if (!(error instanceof Problems)) throw error;
    return error.message.split('\n').map((line) => line.slice(file.length + 1));
  }
  return [];
}

const SERVICE = 'services: { a: { url: http://a } }\n';
const clients = (...lines: readonly string[]): string =>
  `${SERVICE}clients:\n${lines.map((line) => `  ${line}\n`).join('')}`;
const KEYS = 'apiKeys: { clients: { erp: { class: c, keys: [0123456789abcdef] } } }';
const JWT = 'jwt: { issuer: i, audience: a, jwksUrl: "http://i/", class: c }';
const PROXIES = 'trustedProxies: [10.0.0.0/8]';
const CLASSES = 'classes: { c: {} }';

t.test('what stands behind the address in the order of clients is never looked at', async (t) => {
  const behind = (at: number, names: string): string =>
    `3:${at}: \`clients.order[${at === 11 ? 0 : 1}]\`: everybody has an address, so nothing behind it is ever looked at: ${names}. Put \`address\` last.`;
  const order = (ways: string, ...more: readonly string[]): Promise<readonly string[]> =>
    problems(clients(`order: ${ways}`, ...more, CLASSES));
  const address = 'address: { class: c }';
  t.same(await order('[address, apiKey]', KEYS, address), [behind(11, '`apiKey`')]);
  t.same(await order('[apiKey, address, jwt]', KEYS, JWT, address), [behind(19, '`jwt`')]);
  t.same(await order('[address, jwt, apiKey, certificate]', KEYS, JWT, address), [behind(11, '`jwt`, `apiKey`')]);
  t.same(await order('[apiKey, jwt, address, certificate]', KEYS, JWT, address), [], 'what is not configured');
  t.same(await order('[address, apiKey]', KEYS), [], 'the address does not count');
  t.same(await problems(clients(KEYS, JWT, address, CLASSES)), [], 'the order that is usual');
});

t.test('a header field tells one thing of a client', async (t) => {
  const same = '`clients.certificate.header` is the same header field as `clients.apiKeys.header`. Give each its own.';
  const keys = (header: string): string => KEYS.replace('{', `{ header: ${header},`);
  const certificate = 'certificate: { header: X-Id, class: c }';
  t.same(await problems(clients(keys('x-id'), certificate, PROXIES, CLASSES)), [`4:26: ${same}`]);
  t.same(await problems(clients(keys('x-client-certificate'), 'certificate: { class: c }', PROXIES, CLASSES)), [
    `4:3: ${same}`,
  ]);
  t.same(await problems(clients(keys('x-other'), certificate, PROXIES, CLASSES)), []);
  t.same(await problems(clients(certificate, PROXIES, CLASSES)), []);
});
