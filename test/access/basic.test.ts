import { scryptSync } from 'node:crypto';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import t from 'tap';
import { WebSocket } from 'ws';
import { UNRESTRICTED } from '../../src/access/access.js';
import type { Client, ClientClass } from '../../src/access/client.js';
import { Networks } from '../../src/access/network/networks.js';
import { networkClients } from '../../src/access/network-clients.js';
import { BasicUsers } from '../../src/access/passwords/basic.js';
import { FailureRate, KEYS_MAX } from '../../src/access/passwords/failure-rate.js';
import {
  hashPassword,
  type PasswordHash,
  parsePasswordHash,
} from '../../src/access/passwords/password-hash.js';
import {
  RUNNING_MAX,
  VerificationQueue,
  WAITING_ADDRESSES_MAX,
  WAITING_PER_ADDRESS_MAX,
} from '../../src/access/passwords/verification-queue.js';
import { printPasswordHash } from '../../src/cli/hash-password.js';
import { Refusal } from '../../src/core/refusals/refusal.js';
import { answerWith } from '../kit/backend.js';
import { envelope } from '../kit/envelope.js';
import { until } from '../kit/until.js';
import { useBackend, useGateway } from '../kit/use.js';

const RIGHTS: ClientClass = { ...UNRESTRICTED, name: 'internal' };
const PASSWORD = 'päss:word';
const HASH = await hashPassword(PASSWORD);

const hashOf = (cost: number): PasswordHash => {
  const parameters = {
    cost,
    blockSize: 8,
    parallelization: 1,
    salt: Buffer.from('a salt of it all'),
  };
  return { ...parameters, hash: scryptSync(PASSWORD, parameters.salt, 32, parameters) };
};
/** Takes 2 ms. */
const CHEAP = hashOf(2 ** 10);
/** Takes 30 ms. */
const DEAR = hashOf(2 ** 14);

const field = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;
const caller = (authorization?: string, address = '127.0.0.1') => ({
  headers: { authorization },
  address,
});

function users(password: PasswordHash, proxies: readonly string[] = []): BasicUsers {
  const known = ['erp', 'crm'].map((name) => ({ name, rights: RIGHTS, password }));
  return new BasicUsers(known, new Networks(proxies));
}

/** `ok`, or the code of the refusal. */
async function outcomeOf(basic: BasicUsers, text: string, address?: string): Promise<string> {
  try {
    await basic.identify(caller(field(text), address));
    return 'ok';
  } catch (caught) {
    return caught instanceof Refusal ? caught.code : String(caught);
  }
}

t.test('a password is verified once, then remembered', async (t) => {
  const parsed = parsePasswordHash(HASH);
  t.not(parsed, null);
  if (parsed === null) return;
  const basic = users(parsed);
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
  const basic = users(DEAR);
  for (const text of [
    'erp:pass',
    'erp:päss:word\0',
    'erp:päss:word\n',
    'erp:',
    'hrm:päss:word',
    '__proto__:x',
    'erp',
    '',
  ]) {
    const before = process.cpuUsage();
    const refusal = await Promise.resolve(basic.identify(caller(field(text)))).catch(
      (error: unknown) => error,
    );
    const { user } = process.cpuUsage(before);
    t.match(
      refusal,
      { code: 'UNAUTHENTICATED', challenge: 'Basic realm="soapstone", charset="UTF-8"' },
      text,
    );
    t.ok(user > 10_000, `${text} took ${user} µs`);
  }
  t.throws(() => basic.identify(caller(field('x'.repeat(2000)))), { code: 'UNAUTHENTICATED' });
});

t.test('after a reload a password is known of users whose hash is the same', async (t) => {
  const before = users(CHEAP);
  await before.identify(caller(field('erp:päss:word')));
  const same = users(CHEAP);
  same.keep(before);
  t.match(same.identify(caller(field('erp:päss:word'))), { id: 'basic:erp' }, 'at once');
  for (const text of ['erp:wrong', 'hrm:päss:word'])
    await t.rejects(
      Promise.resolve(same.identify(caller(field(text)))),
      { code: 'UNAUTHENTICATED' },
      text,
    );
  const other = users({ ...CHEAP, salt: Buffer.from('another salt of it') });
  other.keep(same);
  await t.rejects(Promise.resolve(other.identify(caller(field('erp:päss:word')))), {
    code: 'UNAUTHENTICATED',
  });
  const none = new BasicUsers([], new Networks([]));
  none.keep(same);
  await t.rejects(Promise.resolve(none.identify(caller(field('erp:päss:word')))), {
    code: 'UNAUTHENTICATED',
  });
});

t.test(
  'an address with many verifications delays no other, and waits with a few at most',
  async (t) => {
    const basic = users(CHEAP);
    const outcomes: string[] = [];
    const attack = Array.from({ length: 90 }, async (_, index) => {
      outcomes.push(await outcomeOf(basic, `user-${index}:wrong`, '192.0.2.1'));
    });
    t.equal(await outcomeOf(basic, 'erp:päss:word', '192.0.2.2'), 'ok');
    const before = outcomes.filter((outcome) => outcome === 'UNAUTHENTICATED').length;
    t.ok(before <= 2 * RUNNING_MAX, `${before} wrong passwords were verified before`);
    await Promise.all(attack);
    const verified = outcomes.filter((outcome) => outcome === 'UNAUTHENTICATED').length;
    t.ok(verified >= 20 && verified < 20 + RUNNING_MAX, `${verified}: no more than may fail`);
    t.equal(
      outcomes.filter((outcome) => outcome === 'RATE_LIMITED').length,
      90 - verified,
      'all others',
    );
  },
);

t.test('addresses take turns, and only so many wait', async (t) => {
  const queue = new VerificationQueue();
  const order: string[] = [];
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const run = (address: string): Promise<string> =>
    queue.run(address, async () => {
      order.push(address);
      await held;
      return 'ran';
    });
  const all = ['a', 'a', 'a', 'a', 'a', 'b', 'b', 'c'].map(run);
  const others = Array.from({ length: WAITING_ADDRESSES_MAX - 3 }, (_, index) =>
    run(String(index)),
  );
  await t.rejects(run('one more'), { code: 'OVERLOADED' });
  const more = Array.from({ length: WAITING_PER_ADDRESS_MAX - 1 }, () => run('c'));
  await t.rejects(run('c'), { code: 'RATE_LIMITED', retryAfter: '1' });
  release();
  await Promise.all([...all, ...others, ...more]);
  t.same(order.slice(0, 5), ['a', 'a', 'a', 'b', 'c']);
  t.same(order.slice(2 + WAITING_ADDRESSES_MAX, 5 + WAITING_ADDRESSES_MAX), ['a', 'b', 'c']);
  t.equal(await queue.run('one more', async () => 'ran'), 'ran');
});

t.test(
  'wrong passwords of one address are refused without a verification beyond a rate',
  async (t) => {
    const basic = users(CHEAP);
    for (let index = 0; index < 5; index++)
      t.equal(await outcomeOf(basic, `erp:${index}`, '2001:db8::1'), 'UNAUTHENTICATED');
    const right = basic.identify(caller(field('erp:päss:word'), '2001:db8::1:2'));
    await t.rejects(
      Promise.resolve(right),
      { code: 'RATE_LIMITED', retryAfter: /^(9|10)$/ },
      'of the same /64',
    );
    t.equal(
      await outcomeOf(basic, 'erp:x', '2001:db8:0:1::1'),
      'UNAUTHENTICATED',
      'other addresses are not affected',
    );
    for (let index = 5; index < 20; index++) {
      t.equal(await outcomeOf(basic, `user-${index}:x`, '2001:db8::1'), 'UNAUTHENTICATED');
    }
    t.equal(
      await outcomeOf(basic, 'another:x', '2001:db8::1'),
      'RATE_LIMITED',
      'whichever the user',
    );
    const reloaded = users(CHEAP);
    reloaded.keep(basic);
    t.equal(
      await outcomeOf(reloaded, 'crm:päss:word', '2001:db8::1'),
      'RATE_LIMITED',
      'after a reload too',
    );
    t.equal(
      await outcomeOf(reloaded, 'erp:päss:word', '192.0.2.1'),
      'ok',
      'the user is not shut out',
    );
    t.equal(
      await outcomeOf(reloaded, 'erp:päss:word', '2001:db8::1'),
      'ok',
      'nor where its password was verified',
    );
  },
);

t.test(
  'a wrong password that comes again and again is verified once, and counted once',
  async (t) => {
    const basic = users(DEAR);
    t.equal(await outcomeOf(basic, 'erp:old'), 'UNAUTHENTICATED');
    const before = process.cpuUsage();
    for (let index = 0; index < 50; index++)
      t.equal(await outcomeOf(basic, 'erp:old'), 'UNAUTHENTICATED');
    t.ok(process.cpuUsage(before).user < 500_000);
    t.equal(await outcomeOf(basic, 'erp:päss:word'), 'ok');
  },
);

t.test(
  'failures behind a trusted proxy are counted by the address of X-Forwarded-For',
  async (t) => {
    const basic = users(CHEAP, ['10.0.0.1']);
    const codeOf = async (text: string, forwarded?: string): Promise<unknown> => {
      const headers = { authorization: field(text), 'x-forwarded-for': forwarded };
      const found = Promise.resolve(basic.identify({ headers, address: '10.0.0.1' }));
      return found
        .then(() => 'ok')
        .catch((caught: unknown) => (caught instanceof Refusal ? caught.code : caught));
    };
    for (let index = 0; index < 5; index++)
      t.equal(await codeOf(`erp:${index}`, '192.0.2.1'), 'UNAUTHENTICATED');
    t.equal(await codeOf('erp:x', '192.0.2.1'), 'RATE_LIMITED');
    t.equal(await codeOf('erp:y', '192.0.2.2'), 'UNAUTHENTICATED');
    for (let index = 0; index < 30; index++)
      t.equal(await codeOf(`erp:p${index}`), 'UNAUTHENTICATED', 'the proxy itself');
  },
);

t.test('failures are permitted in a burst, then at a rate, of so many keys', async (t) => {
  const rate = new FailureRate(3, 1000);
  for (let count = 0; count < 3; count++) {
    t.equal(rate.waitMillis('a', 0), 0);
    rate.add('a', 0);
  }
  t.equal(rate.waitMillis('a', 0), 1000);
  t.equal(rate.waitMillis('b', 0), 0);
  t.equal(rate.waitMillis('a', 1000), 0);
  rate.add('a', 1000);
  t.equal(rate.waitMillis('a', 1000), 1000);
  for (let index = 1; index < KEYS_MAX; index++) rate.add(String(index), 1000);
  t.equal(rate.waitMillis('a', 1000), 1000, 'at the limit');
  rate.add('one more', 1000);
  t.equal(rate.waitMillis('a', 1000), 0, 'the oldest begins anew');
  for (let count = 0; count < 3; count++) rate.add('c', 0);
  rate.forget('c');
  t.equal(rate.waitMillis('c', 0), 0);
});

t.test('clients are of the first network that their address is in', async (t) => {
  const network = (name: string, ...texts: string[]) => ({
    name,
    rights: RIGHTS,
    addresses: new Networks(texts),
  });
  const clients = networkClients(
    [network('office', '10.1.0.0/16'), network('all', '10.0.0.0/8', 'fd00::/8')],
    new Networks(['10.9.9.9']),
  );
  const of = (address: string, forwarded?: string) =>
    clients.identify({ headers: { 'x-forwarded-for': forwarded }, address }) as Client | null;
  t.equal(of('10.1.2.3')?.id, 'network:office:10.1.2.3');
  t.equal(of('10.2.2.3')?.id, 'network:all:10.2.2.3');
  t.equal(of('fd00::1:2:3:4')?.id, 'network:all:fd00:0:0:0::/64');
  t.equal(of('10.9.9.9', '10.1.0.1')?.id, 'network:office:10.1.0.1');
  t.equal(of('192.0.2.1', '10.1.0.1'), null, 'no proxy of ours');
});

async function* input(text: string): AsyncGenerator<string> {
  yield text;
}

t.test('a hash is printed for a password, and works in a gateway', async (t) => {
  const lines: string[] = [];
  const terminal = { out: (text: string) => void lines.push(text), error: () => {} };
  t.equal(await printPasswordHash(input(''), terminal), 2);
  t.equal(await printPasswordHash(input('secret\n'), terminal), 0);
  const gateway = await useGateway(
    t,
    `services: { a: { url: "http://127.0.0.1:9/" } }
clients:
  basic: { users: { erp: { class: internal, password: "${lines[0]}" } } }
  networks: { local: { class: reader, addresses: [127.0.0.2] } }
  classes: { internal: {}, reader: {} }
`,
  );
  const ask = (authorization: string): Promise<Response> =>
    fetch(`${gateway.url}/graphql?query=%7B__typename%7D`, {
      headers: { authorization, accept: 'application/json' },
    });
  t.equal((await ask(field('erp:secret'))).status, 200);
  t.match(await gateway.accessLine(), { caller: 'basic:erp', class: 'internal' });
  const refused = await ask(field('erp:other'));
  t.equal(refused.status, 401);
  t.match(refused.headers.get('www-authenticate'), /^Basic realm="soapstone", charset="UTF-8"/);
});

t.test(
  'wrong passwords over 90 connections of one address do not keep new clients of others waiting',
  async (t) => {
    const backend = await useBackend(t, answerWith(envelope('<b/>')));
    const text = `scrypt:14:8:1:${DEAR.salt.toString('base64url')}:${DEAR.hash.toString('base64url')}`;
    const users = ['erp', 'crm', 'web']
      .map((name) => `${name}: { class: internal, password: "${text}" }`)
      .join(', ');
    const gateway = await useGateway(
      t,
      `services: { a: { url: "${backend.url}" } }
clients:
  basic: { users: { ${users} } }
  classes: { internal: {} }
limits: { http: { refusalsPerSecond: 50 } }
`,
    );
    const { host } = new URL(gateway.url);
    const send = (
      agent: Agent,
      authorization: string,
      path: string,
      body: string,
    ): Promise<number> =>
      new Promise((resolve, reject) => {
        const type = path === '/graphql' ? 'application/json' : 'text/xml';
        const headers = { authorization, host, 'content-type': type, accept: type };
        const sent = request(`${gateway.url}${path}`, { agent, method: 'POST', headers });
        sent.once('error', reject).once('response', (response) => {
          response.resume().once('end', () => resolve(response.statusCode ?? 0));
        });
        sent.end(body);
      });
    const message = envelope('<a/>');
    const attackers = new Agent({ keepAlive: true, maxSockets: 90, localAddress: '127.0.0.1' });
    const honest = new Agent({ localAddress: '127.0.0.2' });
    const statuses = new Map<number, number>();
    let isOver = false;
    const attack = Array.from({ length: 90 }, async (_, client) => {
      for (let count = 0; !isOver; count++) {
        const status = await send(
          attackers,
          field(`erp:${client}-${count}`),
          '/soap/a',
          message,
        ).catch(() => 0);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    });
    await until(() => statuses.size > 0);
    t.equal(await send(honest, field('erp:päss:word'), '/soap/a', message), 200, 'SOAP');
    t.equal(
      await send(honest, field('crm:päss:word'), '/graphql', '{"query":"{__typename}"}'),
      200,
      'GraphQL',
    );
    const socket = new WebSocket(
      `${gateway.url.replace('http', 'ws')}/graphql`,
      'graphql-transport-ws',
      {
        localAddress: '127.0.0.2',
        headers: { authorization: field('web:päss:word') },
      },
    );
    t.teardown(() => socket.terminate());
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    socket.send('{"type":"connection_init"}');
    const [answer] = await Promise.race([once(socket, 'message'), once(socket, 'close')]);
    t.match(String(answer), 'connection_ack', 'WebSocket');
    const refused = [...statuses].map(([status, count]) => `${status}: ${count}`).join(', ');
    t.match(
      await gateway.metrics(),
      /soapstone_refusals_total\{[^}]*code="RATE_LIMITED"[^}]*\} [1-9]/,
      refused,
    );
    isOver = true;
    attackers.destroy();
    await Promise.all(attack);
  },
);
