import { createServer as createTcpServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import t, { type Test } from 'tap';
import { Breaker } from '../../src/upstream/breaker.js';
import { answerWith } from '../kit/backend.js';
import { Authority, hasOpenssl } from '../kit/certificates.js';
import { startTestGateway } from '../kit/gateway.js';
import { listen } from '../kit/listen.js';
import { sendRaw } from '../kit/raw-client.js';
import { useBackend, useFolder } from '../kit/use.js';
import { expectAnswer } from './expect.js';
import type { Rows } from './rows.js';
import { answerOf, envelope, http, requestOf, startScripted } from './upstream-kit.js';

const FINE = http(envelope(answerOf('Ping')));

/** Backends that are not there, cannot be trusted, fail again and again, or have no place left. */
export function testRest(rows: Rows): void {
  const expectCode = (t: Test, row: string, name: string, code: string | undefined): void => {
    t.equal(`G:${code}`, rows.answer(row, name), `${row} ${name}`);
  };

  t.test('U02 to U05: a backend that cannot be reached', async (t) => {
    const server = createTcpServer();
    const gone = await listen(t, server);
    server.close();
    const silent = await listen(t, createTcpServer());
    const plain = await listen(
      t,
      createTcpServer((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n')),
    );
    const cases = [
      ['U02', 'connection refused', `${gone.url}/`],
      ['U03', 'takes the connection and never speaks', `https://127.0.0.1:${silent.port}/`],
      ['U04', 'no such name', 'http://no-such-host.invalid/'],
      ['U05', 'speaks no TLS', `https://127.0.0.1:${plain.port}/`],
    ] as const;
    for (const [row, name, url] of cases) {
      const scripted = await startScripted(t, {
        url,
        limits: 'connectMillis: 1500, breakerFailures: 0',
      });
      expectAnswer(t, await scripted.ask('Ping'), rows.answer(row, name), '1.1', `${row} ${name}`);
      if (row === 'U02')
        expectCode(
          t,
          row,
          'GraphQL',
          (await scripted.graphql('{ order }')).errors?.[0]?.extensions.code,
        );
    }
    rows.answer('U04', 'NUL in the name');
    for (const url of ['http://a%00b/', '"http://a\\0b/"']) {
      await t.rejects(startTestGateway(`services:\n  a: { url: ${url} }\n`), url);
    }
  });

  t.test('U05: a certificate of an unknown authority, for another host, or expired', async (t) => {
    for (const [name, subject, days] of [
      ['unknown issuer', 'IP:127.0.0.1', 1],
      ['another name', 'DNS:elsewhere.invalid', 1],
      ['expired', 'IP:127.0.0.1', -1],
    ] as const) {
      const answer = rows.answer('U05', name);
      if (!hasOpenssl()) {
        t.comment(`${name}: not run, install openssl`);
        continue;
      }
      const authority = new Authority(await useFolder(t));
      const ca =
        name === 'unknown issuer' ? '' : `    tls: { ca: ${JSON.stringify(authority.ca.cert)} }\n`;
      let said = '';
      const tls = createTlsServer(
        authority.sign('backend', days, '/CN=backend', subject),
        (socket) =>
          socket
            .on('data', (chunk) => {
              said += chunk.toString();
            })
            .on('error', () => {}),
      );
      tls.on('tlsClientError', () => {});
      const { port } = await listen(t, tls);
      const scripted = await startScripted(t, {
        url: `https://127.0.0.1:${port}/`,
        perService: ca,
      });
      expectAnswer(t, await scripted.ask('Ping'), answer, '1.1', name);
      t.equal(said, '', 'nothing was told to it');
    }
  });

  t.test('U22: Retry-After is kept when it is one', async (t) => {
    const scripted = await startScripted(t);
    for (const [name, value, kept] of [
      ['seconds', '120', true],
      ['a date', 'Wed, 21 Oct 2026 07:28:00 GMT', true],
      ['many digits', '12345678901', false],
      ['no time at all', 'soon; <secret>', false],
    ] as const) {
      scripted.play((socket) =>
        socket.write(http('', { 'Content-Type': 'text/html', 'Retry-After': value }, '503 Busy')),
      );
      const reply = await scripted.ask('Ping');
      expectAnswer(t, reply, rows.answer('U22', name), '1.1', name);
      t.equal(reply.headers.get('retry-after'), kept ? value : undefined, name);
    }
  });

  t.test('U23 and U24: after five failures in a row the address has a rest', async (t) => {
    const scripted = await startScripted(t, { limits: 'breakerMillis: 200' });
    scripted.play((socket) => socket.write(http('', {}, '502 Bad')));
    for (let count = 0; count < 5; count++) await scripted.ask('Ping');
    const before = scripted.requests();
    const reply = await scripted.ask('Ping');
    expectAnswer(t, reply, rows.answer('U23', 'the sixth'), '1.1', 'the sixth');
    t.equal(reply.headers.get('retry-after'), '1');
    t.equal(scripted.requests(), before, 'the backend heard nothing of it');
    t.match(await scripted.gateway.metrics(), 'soapstone_upstream_breakers_open{service="s11"} 1');
    scripted.play((socket) => socket.write(FINE));
    let after = await scripted.ask('Ping');
    while (after.status !== 200) after = await scripted.ask('Ping');
    expectAnswer(t, after, rows.answer('U23', 'after the rest'), '1.1', 'after the rest');
    scripted.play((socket) =>
      socket.write(
        http(envelope('<E:Fault><faultcode>E:Server</faultcode></E:Fault>'), {}, '500 Oops'),
      ),
    );
    for (let count = 0; count < 9; count++) await scripted.ask('Ping');
    expectAnswer(
      t,
      await scripted.ask('Ping'),
      rows.answer('U23', 'Faults are answers'),
      '1.1',
      'Faults are answers',
    );
    testBreaker(t, rows);
  });

  t.test('U25: in a storm a fifth is asked again at most', async (t) => {
    const scripted = await startScripted(t);
    rows.answer('U25', 'every tenth dies');
    rows.answer('U25', 'all die');
    for (const [name, every] of [
      ['every tenth dies', 10],
      ['all die', 1],
    ] as const) {
      const before = scripted.requests();
      scripted.play((socket) => {
        if (scripted.requests() % every === 0) socket.destroy();
        else socket.write(http(envelope(answerOf('GetOrder'))));
      });
      for (let count = 0; count < 100; count++) await scripted.ask('GetOrder');
      const asked = scripted.requests() - before;
      t.ok(asked >= 100 && asked <= 130, `${name}: ${asked} requests for 100 calls`);
    }
  });

  t.test(
    'U26: with every place taken others wait, and those of other backends do not',
    async (t) => {
      const scripted = await startScripted(t, {
        limits: 'connections: 2, pending: 1, pendingMillis: 100',
      });
      const held: Socket[] = [];
      let arrived = (): void => {};
      const both = new Promise<void>((resolve) => {
        arrived = () => held.length === 2 && resolve();
      });
      scripted.play((socket, request) => {
        if (request.includes('/soap/s12') || request.includes('2003/05')) {
          socket.write(
            http(envelope(answerOf('Ping'), '1.2'), { 'Content-Type': 'application/soap+xml' }),
          );
          return;
        }
        held.push(socket);
        arrived();
      });
      const taken = [scripted.ask('Ping'), scripted.ask('Ping')];
      await both;
      const waiting = scripted.ask('Ping');
      while (
        !(await scripted.gateway.metrics()).includes(
          'soapstone_upstream_calls_waiting{service="s11"} 1',
        )
      )
        await Promise.resolve();
      expectAnswer(
        t,
        await scripted.ask('Ping'),
        rows.answer('U26', 'no place to wait'),
        '1.1',
        'no place to wait',
      );
      expectAnswer(
        t,
        await scripted.ask('Ping', { dialect: '1.2' }),
        rows.answer('U26', 'another backend'),
        '1.2',
        'another backend',
      );
      expectAnswer(
        t,
        await waiting,
        rows.answer('U26', 'waited too long'),
        '1.1',
        'waited too long',
      );
      for (const socket of held) socket.write(FINE);
      for (const reply of await Promise.all(taken))
        expectAnswer(t, reply, rows.answer('U26', 'had a place'), '1.1', 'had a place');
    },
  );

  t.test(
    'U28 and U29: what a good answer brings with it, and a server that closes early',
    async (t) => {
      const backend = await useBackend(t, (message, response) => {
        response.setHeader('set-cookie', ['a=1', 'b=2']);
        response.setHeader('location', 'http://secret/');
        response.setHeader('server', 'secret');
        answerWith(envelope(answerOf('Ping')))(message, response);
      });
      const scripted = await startScripted(t, { url: `${backend.url}/` });
      const reply = await scripted.ask('Ping');
      expectAnswer(t, reply, rows.answer('U28', 'cookies, Location, Server'), '1.1', 'cookies');
      for (const name of ['set-cookie', 'location', 'server'])
        t.equal(reply.headers.get(name), undefined, name);
      rows.answer('U29', 'a server of Node');
      const replies = await Promise.all(
        Array.from({ length: 200 }, () => sendRaw(scripted.gateway.url, requestOf('Ping'))),
      );
      t.ok(
        replies.every(({ status }) => status === 200),
        'none is lost',
      );
    },
  );
}

function testBreaker(t: Test, rows: Rows): void {
  rows.answer('U24', '1, 2, 4 at once');
  rows.answer('U24', 'fails again');
  const breaker = new Breaker(5, 30_000, 8);
  const run = (now: number, result: 'answered' | 'failed'): void =>
    void breaker.end(breaker.begin(), result, now);
  for (let count = 0; count < 4; count++) run(0, 'failed');
  run(0, 'answered');
  for (let count = 0; count < 5; count++) run(0, 'failed');
  t.notOk(breaker.admits(23_999), 'a rest of 30 s, less a fifth');
  t.ok(breaker.admits(36_001), 'or more a fifth');
  const late = breaker.begin();
  t.notOk(breaker.admits(36_001), 'one at first');
  breaker.end(late, 'failed', 36_001);
  t.notOk(breaker.admits(59_000), 'failed again: rests again');
  for (const atOnce of [1, 2, 4, 8]) {
    const begun: number[] = [];
    while (begun.length < 20 && breaker.admits(80_000)) begun.push(breaker.begin());
    t.equal(begun.length, atOnce, `${atOnce} at once`);
    for (const epoch of begun) breaker.end(epoch, 'answered', 80_000);
  }
  t.equal(breaker.stateAt(80_000), 'closed', 'as before');
}
