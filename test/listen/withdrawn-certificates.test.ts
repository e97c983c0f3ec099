import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import t, { type Test } from 'tap';
import { Authority, type Identity, WITH_OPENSSL } from '../kit/certificates.js';
import { acknowledged, holdAnswers, running, startDesk, subscribe } from '../kit/live-desk.js';
import { until } from '../kit/until.js';
import { useFolder } from '../kit/use.js';

type Place = Awaited<ReturnType<typeof startPlace>>;

/** A gateway whose clients have certificates of an authority with a revocation list. */
async function startPlace(t: Test) {
  const directory = await useFolder(t);
  const authority = new Authority(directory);
  const own = authority.sign('a.example');
  const [gone, stays] = [authority.sign('gone'), authority.sign('stays')];
  const [ca, crl] = [join(directory, 'clients.pem'), join(directory, 'clients.crl')];
  await writeFile(ca, authority.ca.cert);
  await writeFile(crl, authority.revoke([]));
  await writeFile(join(directory, 'own.crt'), own.cert);
  await writeFile(join(directory, 'own.key'), own.key);
  const file = (name: string): string => `{ file: ${join(directory, name)} }`;
  const desk = await startDesk(
    t,
    `listen: [{ address: "127.0.0.1:0", tls: { cert: ${file('own.crt')}, key: ${file('own.key')}, \
clientCertificate: optional, clientCa: ${file('clients.pem')}, clientCrl: ${file('clients.crl')} } \
}]
clients: { certificate: { clients: { gone: { class: all, subject: CN=gone }, stays: { class: \
all, subject: CN=stays } } }, classes: { all: {} } }
`,
  );
  return { desk, authority, crl, ca, gone, stays };
}

const HEAD =
  'GET /graphql?query=%7B__typename%7D HTTP/1.1\r\nHost: a.example\r\nAccept: application/json\r\n';

/** A kept connection that has had an answer, and when it closes. */
async function kept(
  { desk, authority }: Place,
  identity: Identity,
): Promise<{ socket: TLSSocket; closed: Promise<unknown> }> {
  const { hostname, port } = new URL(desk.gateway.url);
  const socket = connect({
    host: hostname,
    port: Number(port),
    ca: authority.ca.cert,
    servername: 'a.example',
    ...identity,
  });
  socket.on('error', () => {});
  const closed = once(socket, 'close');
  await once(socket, 'secureConnect');
  await ask(socket);
  return { socket, closed };
}

/** The first line of the answer to a request. */
async function ask(socket: TLSSocket): Promise<string> {
  socket.write(`${HEAD}\r\n`);
  const [data]: unknown[] = await once(socket, 'data');
  return String(data).split('\r\n')[0] ?? '';
}

/** Opens all that can be open with a certificate, and withdraws it. */
async function withdraw(
  t: Test,
  place: Place,
  change: () => Promise<unknown>,
  staysOpen = true,
): Promise<void> {
  const { desk, authority, gone, stays } = place;
  const tls = { ca: authority.ca.cert, servername: 'a.example' };
  const [idle, other] = [await kept(place, gone), await kept(place, stays)];
  const socket = await acknowledged(desk, {}, { ...tls, ...gone });
  const another = await acknowledged(desk, {}, { ...tls, ...stays });
  for (const each of [socket, another])
    each.say(subscribe('1', 'subscription { orderPlaced { id } }'));
  await running(desk.gateway, 'orderPlaced', 2);
  const agent = new Agent({ keepAlive: true, ...tls, ...gone });
  t.teardown(() => agent.destroy());
  const post = (accept: string, query: string): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json', accept };
      request(desk.url, { method: 'POST', agent, headers }, resolve)
        .on('error', reject)
        .end(JSON.stringify({ query }));
    });
  const stream = await post('text/event-stream', 'subscription { receipts { id } }');
  const { held, arrived } = holdAnswers(desk);
  const inProgress = post('application/json', '{ order(id: 1) { id } }');
  await arrived(1);
  await change();
  t.equal(await socket.closed, 4403, 'the WebSocket');
  await idle.closed;
  t.match(await textOf(stream), /"code":"UNAUTHENTICATED".*event: complete/s, 'the event stream');
  held[0]?.();
  const answer = await inProgress;
  t.equal(answer.statusCode, 200, 'a request in progress gets its answer');
  t.equal(answer.headers.connection, 'close');
  t.match(await textOf(answer), '"order"');
  await running(desk.gateway, 'orderPlaced', staysOpen ? 1 : 0);
  if (staysOpen) {
    t.equal(await ask(other.socket), 'HTTP/1.1 200 OK', 'another client');
    t.equal(another.socket.readyState, another.socket.OPEN);
  }
  t.match(await desk.gateway.logLine('certificates of open connections are no longer accepted'), {
    connections: staysOpen ? 4 : 6,
    client: '127.0.0.1',
  });
  another.socket.terminate();
  other.socket.destroy();
}

async function textOf(message: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of message) text += chunk;
  return text;
}

t.test(
  'a certificate that a new revocation list names ends what is open, at a reload',
  WITH_OPENSSL,
  async (t) => {
    const place = await startPlace(t);
    await withdraw(t, place, async () => {
      await writeFile(place.crl, place.authority.revoke(['gone']));
      await place.desk.gateway.reload();
    });
  },
);

t.test(
  'so it does when the list is read for the handshake of another client, or by itself',
  WITH_OPENSSL,
  async (t) => {
    const place = await startPlace(t);
    await withdraw(t, place, () => writeFile(place.crl, place.authority.revoke(['gone'])));
  },
);

t.test('an authority that is withdrawn ends all of its clients', WITH_OPENSSL, async (t) => {
  const place = await startPlace(t);
  const directory = await useFolder(t);
  const other = new Authority(directory, 'other');
  other.sign('somebody');
  const change = async (): Promise<void> => {
    await writeFile(place.ca, other.ca.cert);
    await writeFile(place.crl, other.revoke([]));
    await place.desk.gateway.reload();
  };
  await withdraw(t, place, change, false);
});

t.test('a list that revokes no connected client ends no connection', WITH_OPENSSL, async (t) => {
  const place = await startPlace(t);
  const { socket } = await kept(place, place.stays);
  place.authority.sign('unknown');
  await writeFile(place.crl, place.authority.revoke(['unknown']));
  await place.desk.gateway.reload();
  await until(async () => (await ask(socket)) === 'HTTP/1.1 200 OK');
  await place.desk.gateway.reload();
  t.equal(await ask(socket), 'HTTP/1.1 200 OK');
  socket.destroy();
});
