import { createServer } from 'node:http';
import { connect } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import t, { type Test } from 'tap';
import { Authority } from '../../kit/certificates.js';
import { listen } from '../../kit/listen.js';
import { startSubscriptionServer } from '../../kit/subscription-server.js';
import { codesOf, SDL, startUpstreamDesk, toldBy } from '../../kit/upstream-desk.js';
import { useGateway } from '../../kit/use.js';

const SUBSCRIPTION = 'subscription { tick }';

/** A proxy that opens tunnels to callers with a password. */
async function startProxy(t: Test, port: number) {
  const asked: string[] = [];
  const proxy = createServer((_request, response) => response.writeHead(400).end());
  proxy.on('connect', ({ url = '', headers }, socket) => {
    asked.push(`${url} ${headers['proxy-authorization']}`);
    const onward = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      onward.pipe(socket).pipe(onward);
    });
    onward.on('error', () => socket.destroy());
    socket.on('error', () => onward.destroy());
  });
  return { asked, url: `http://u:p@127.0.0.1:${(await listen(t, proxy)).port}` };
}

t.test(
  'a subscription over wss has the TLS, the certificate and the proxy of the service',
  async (t) => {
    const remote = await startSubscriptionServer(SDL);
    const folder = t.testdir({ 'crm.graphql': SDL });
    const authority = new Authority(folder);
    const [server, client] = [authority.sign('crm.example'), authority.sign('gateway')];
    const names: string[] = [];
    const tls = createTlsServer(
      { ...server, ca: authority.ca.cert, requestCert: true },
      (socket) => {
        names.push(String(socket.getPeerCertificate().subject.CN));
        const onward = connect(Number(new URL(remote.url).port), '127.0.0.1');
        onward.pipe(socket).pipe(onward);
        onward.on('error', () => socket.destroy());
        socket.on('error', () => onward.destroy());
      },
    );
    const { asked, url } = await startProxy(t, (await listen(t, tls)).port);
    const pem = (text: string): string => JSON.stringify(text);
    const keys =
      `tls: { ca: ${pem(authority.ca.cert)}, cert: ${pem(client.cert)}, ` +
      `key: ${pem(client.key)} }`;
    const gateway = await useGateway(
      t,
      `services:
  crm:
    kind: graphql
    url: https://crm.example:1234/graphql
    schema: crm.graphql
    subscriptions: { url: "wss://crm.example:1234/graphql" }
    headers: { x-system: web }
    auth: { basic: { username: web, password: secret } }
    proxy: ${url}
    ${keys}
`,
      folder,
    );
    t.teardown(() => remote.close());
    const response = await fetch(
      `${gateway.url}/graphql?query=${encodeURIComponent(SUBSCRIPTION)}`,
      {
        headers: { accept: 'text/event-stream' },
      },
    );
    await remote.runs(1);
    remote.tell('tick', 7);
    const reader = response.body?.getReader();
    let text = '';
    while (!text.includes('"tick":7'))
      text += Buffer.from((await reader?.read())?.value ?? []).toString();
    t.strictSame(names, ['gateway']);
    t.strictSame(asked, ['crm.example:1234 Basic dTpw']);
    const [{ headers } = {}] = remote.subscribed;
    t.match(headers, {
      host: 'crm.example:1234',
      authorization: 'Basic d2ViOnNlY3JldA==',
      'x-system': 'web',
    });
    await reader?.cancel();
  },
);

t.test(
  'a handshake that is answered with status 401 is made again with credentials, once',
  async (t) => {
    const auth = '    auth: { digest: { username: web, password: secret } }\n';
    const { remote, events } = await startUpstreamDesk(t, 'graphql-transport-ws', auth);
    let refusals = 0;
    const refuse = (socket: { end(text: string): void }): void => {
      refusals++;
      const challenge = 'WWW-Authenticate: Digest realm=r, nonce=1, qop=auth\r\n';
      socket.end(`HTTP/1.1 401 Unauthorized\r\n${challenge}Content-Length: 0\r\n\r\n`);
    };
    remote.insteadOfUpgrade = (_request, socket) => {
      remote.insteadOfUpgrade = null;
      refuse(socket);
    };
    const first = events('sse', SUBSCRIPTION);
    const told = toldBy(first);
    await remote.runs(1);
    remote.tell('tick', 1);
    t.same((await told).data, { tick: 1 });
    t.match(
      remote.subscribed[0]?.headers.authorization,
      /^Digest username="web", .*uri="\/graphql"/,
    );
    t.equal(refusals, 1);
    await first.return?.();
    remote.insteadOfUpgrade = (_request, socket) => refuse(socket);
    t.strictSame(codesOf([await toldBy(events('sse', SUBSCRIPTION))]), ['UPSTREAM_AUTH']);
    t.equal(refusals, 3);
  },
);
