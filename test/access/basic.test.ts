import t from 'tap';

import { UNRESTRICTED } from '../../src/access/access.js';
import { BasicUsers } from '../../src/access/basic.js';
import type { Client, ClientClass } from '../../src/access/client.js';
import { NetworkClients } from '../../src/access/network-clients.js';
import { Networks } from '../../src/access/networks.js';
import { hashPassword, type PasswordHash, parsePasswordHash } from '../../src/access/scrypt.js';
import { Refusal } from '../../src/base/refusal.js';
import { printPasswordHash } from '../../src/cli/hash-password.js';
import { startTestGateway } from '../kit/gateway.js';

const RIGHTS: ClientClass = { ...UNRESTRICTED, name: 'internal' };
const HASH = await hashPassword('päss:word');

const field = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;
const caller = (authorization?: string) => ({ headers: { authorization }, address: '127.0.0.1' });

function users(parameters: Partial<PasswordHash> = {}): BasicUsers {
  const password = parsePasswordHash(HASH);
  if (password === null) throw new Error('no hash');
  return new BasicUsers([{ name: 'erp', rights: RIGHTS, password: { ...password, ...parameters } }]);
}

t.test('a password is verified once, then remembered', async (t) => {
  const basic = users();
  const first = basic.identify(caller(field('erp:päss:word')));
  t.ok(first instanceof Promise);
  t.match(await first, { id: 'basic:erp', by: 'basic', className: 'internal' });
  const again = basic.identify(caller(field('erp:päss:word').replace('Basic', 'basic')));
  t.match(again, { id: 'basic:erp' });
  t.notOk(again instanceof Promise);
  t.equal(basic.identify(caller('Bearer abc')), null);
  t.equal(basic.identify(caller()), null);
  for (const text of [field('erp:x'), field('erp:x').replace(' ', '\t')]) {
    const head = { headers: { authorization: text }, address: '' };
    basic.withhold(head);
    t.same(head.headers, {}, text);
  }
});

t.test('a wrong password and an unknown user are refused alike, after the same work', async (t) => {
  const basic = users();
  for (const text of [
    'erp:pass',
    'erp:päss:word\0',
    'erp:päss:word\n',
    'erp:',
    'crm:päss:word',
    '__proto__:x',
    'erp',
    '',
  ]) {
    const before = process.cpuUsage();
    const refusal = await Promise.resolve(basic.identify(caller(field(text)))).catch((error: unknown) => error);
    const { user } = process.cpuUsage(before);
    t.match(refusal, { code: 'UNAUTHENTICATED', challenge: 'Basic realm="soapstone", charset="UTF-8"' }, text);
    t.ok(user > 10_000, `${text} took ${user} µs`);
  }
  t.throws(() => basic.identify(caller(field('x'.repeat(2000)))), { code: 'UNAUTHENTICATED' });
});

t.test('after a reload a password is known of users whose hash is the same', async (t) => {
  const before = users();
  await before.identify(caller(field('erp:päss:word')));
  const same = users();
  same.keep(before);
  t.match(same.identify(caller(field('erp:päss:word'))), { id: 'basic:erp' }, 'at once');
  for (const text of ['erp:wrong', 'crm:päss:word'])
    await t.rejects(Promise.resolve(same.identify(caller(field(text)))), { code: 'UNAUTHENTICATED' }, text);
  const other = users({ salt: Buffer.from('another salt of it') });
  other.keep(same);
  await t.rejects(Promise.resolve(other.identify(caller(field('erp:päss:word')))), { code: 'UNAUTHENTICATED' });
  const none = new BasicUsers([]);
  none.keep(same);
  await t.rejects(Promise.resolve(none.identify(caller(field('erp:päss:word')))), { code: 'UNAUTHENTICATED' });
});

t.test('verifications that wait are bounded', async (t) => {
  const basic = users({ blockSize: 1, parallelization: 1 });
  const all = await Promise.all(
    Array.from({ length: 100 }, (_, index) =>
      Promise.resolve(basic.identify(caller(field(`erp:wrong-${index % 80}`)))).catch((error: unknown) =>
        error instanceof Refusal ? error.code : error,
      ),
    ),
  );
  t.ok(all.includes('OVERLOADED'));
  t.ok(all.filter((code) => code === 'UNAUTHENTICATED').length >= 64);
});

t.test('clients are of the first network that their address is in', (t) => {
  const network = (name: string, ...texts: string[]) => ({ name, rights: RIGHTS, addresses: new Networks(texts) });
  const clients = new NetworkClients(
    [network('office', '10.1.0.0/16'), network('all', '10.0.0.0/8', 'fd00::/8')],
    new Networks(['10.9.9.9']),
  );
  const of = (address: string, forwarded?: string): Client | null =>
    clients.identify({ headers: { 'x-forwarded-for': forwarded }, address });
  t.equal(of('10.1.2.3')?.id, 'network:office:10.1.2.3');
  t.equal(of('10.2.2.3')?.id, 'network:all:10.2.2.3');
  t.equal(of('fd00::1:2:3:4')?.id, 'network:all:fd00:0:0:0::/64');
  t.equal(of('10.9.9.9', '10.1.0.1')?.id, 'network:office:10.1.0.1');
  t.equal(of('192.0.2.1', '10.1.0.1'), null, 'no proxy of ours');
  t.end();
});

async function* input(text: string): AsyncGenerator<string> {
  yield text;
}

t.test('a hash is printed for a password, and works in a gateway', async (t) => {
  const lines: string[] = [];
  const terminal = { out: (text: string) => void lines.push(text), error: () => {} };
  t.equal(await printPasswordHash(input(''), terminal), 2);
  t.equal(await printPasswordHash(input('secret\n'), terminal), 0);
  const gateway = await startTestGateway(`services: { a: { url: "http://127.0.0.1:9/" } }
clients:
  basic: { users: { erp: { class: internal, password: "${lines[0]}" } } }
  networks: { local: { class: reader, addresses: [127.0.0.2] } }
  classes: { internal: {}, reader: {} }
`);
  t.teardown(() => gateway.close());
  const ask = (authorization: string): Promise<Response> =>
    fetch(`${gateway.url}/graphql?query=%7B__typename%7D`, { headers: { authorization, accept: 'application/json' } });
  t.equal((await ask(field('erp:secret'))).status, 200);
  t.match(await gateway.accessLine(), { caller: 'basic:erp', class: 'internal' });
  const refused = await ask(field('erp:other'));
  t.equal(refused.status, 401);
  t.match(refused.headers.get('www-authenticate'), /^Basic realm="soapstone", charset="UTF-8"/);
});
