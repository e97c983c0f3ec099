import { setTimeout as delay } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { negotiateMessage } from '../../src/upstream/credentials/ntlm/messages.js';
import { problemsOf } from '../kit/configuration.js';
import { postSoap } from '../kit/envelope.js';
import { askText } from '../kit/graphql-client.js';
import { Caller, envelope, replyOf, runCallers } from '../kit/ntlm-caller.js';
import { type NtlmMessage, type NtlmServerOptions, startNtlmServer } from '../kit/ntlm-server.js';
import { until } from '../kit/until.js';
import { useGateway } from '../kit/use.js';

const CANARY = 'c4nary-Pässword';

const mapping = (url: string, auth: string, more = ''): string => `services:
  shop:
    url: ${url}/shop
    namespace: urn:shop
    types: |
      type Query { stock(sku: String!): String }
    operations:
      GetStock: { field: Query.stock, read: {} }
    auth: ${auth}
${more}
`;

type Shop = Awaited<ReturnType<typeof startShop>>;

async function startShop(
  t: Test,
  auth: string,
  options: Partial<NtlmServerOptions> = {},
  more = '',
) {
  const messages: NtlmMessage[] = [];
  const server = await startNtlmServer({
    accounts: { web: CANARY },
    answer: (message, response) => {
      messages.push(message);
      const sku = /<(?:\w+:)?sku(?: [^>]*)?>(.*)<\/(?:\w+:)?sku>/.exec(message.body)?.[1] ?? '';
      response.writeHead(200, { 'content-type': 'text/xml' }).end(replyOf(message.user, sku));
    },
    ...options,
  });
  const gateway = await useGateway(t, mapping(server.url, auth, more));
  const caller = new Caller(gateway.url, Number.POSITIVE_INFINITY);
  t.teardown(async () => {
    caller.close();
    await server.close();
  });
  return {
    server,
    gateway,
    messages,
    /** The text of the answer. */
    send: async (sku: string = '1', authorization?: string) =>
      (await caller.post(envelope(sku), authorization)).text,
  };
}

const ntlm = (keys: string): string => `{ ntlm: { ${keys} } }`;
const WEB = ntlm(`username: web, password: "${CANARY}", domain: CORP`);

t.test('a connection is authenticated before the first byte of a message, and once', async (t) => {
  const shop = await startShop(t, WEB);
  for (const sku of ['1', '2', '3']) {
    t.match(await shop.send(sku, 'Basic Zm9yZ2Vk'), `<stock>CORP\\web ${sku}</stock>`);
  }
  t.match(shop.server, { begun: 1, failed: 0, early: 0 });
  t.same(
    shop.messages.map(({ authorization }) => authorization?.slice(0, 5) ?? null),
    ['NTLM ', null, null],
  );
});

t.test('names of users have a domain in three ways', async (t) => {
  for (const [keys, user] of [
    [`username: 'CORP\\web', password: "${CANARY}"`, 'CORP\\web'],
    [`username: web@corp.example, password: "${CANARY}"`, 'web@corp.example'],
    [`username: web, password: "${CANARY}"`, 'web'],
  ] as const) {
    const shop = await startShop(t, ntlm(keys), {
      accounts: { web: CANARY, 'web@corp.example': CANARY },
    });
    t.match(await shop.send(), `<stock>${user} 1</stock>`);
  }
});

t.test(
  'servers without a time of their own, and such that offer Negotiate alone, are answered',
  async (t) => {
    for (const options of [{ hasTime: false }, { scheme: 'Negotiate' as const }]) {
      const shop = await startShop(t, WEB, options);
      for (const sku of ['1', '2'])
        t.match(await shop.send(sku), `<stock>CORP\\web ${sku}</stock>`);
      t.equal(shop.server.failed, 0);
    }
  },
);

t.test('calls at once are each on an authenticated connection', async (t) => {
  const shop = await startShop(t, WEB);
  const texts = await Promise.all(
    Array.from({ length: 40 }, (_, index) => shop.send(String(index))),
  );
  for (const [index, text] of texts.entries()) t.match(text, `<stock>CORP\\web ${index}</stock>`);
  t.match(shop.server, { failed: 0, early: 0 });
});

t.test('a backend that forgets a connection gets another handshake', async (t) => {
  const shop = await startShop(t, WEB);
  await shop.send();
  shop.server.forget();
  t.match(await shop.send('2'), '<stock>CORP\\web 2</stock>');
  t.match(shop.server, { begun: 2, failed: 0 });
});

t.test(
  'a handshake starts over where the backend closes the connection, three times at most',
  async (t) => {
    const shop = await startShop(t, WEB);
    shop.server.closesAfterChallenge = 2;
    t.match(await shop.send(), '<stock>CORP\\web 1</stock>');
    t.match(shop.server, { begun: 3, failed: 0, early: 0 });

    const closing = await startShop(t, WEB);
    closing.server.closesAfterChallenge = 100;
    t.match(await closing.send(), 'UPSTREAM_AUTH');
    t.match(closing.server, { begun: 3, early: 0 });
  },
);

t.test('a password that is wrong is tried once, and no output has it', async (t) => {
  const shop = await startShop(t, WEB, { accounts: { web: 'another' } });
  const outputs: string[] = [];
  for (let count = 0; count < 5; count++) outputs.push(await shop.send());
  for (const output of outputs) t.match(output, 'UPSTREAM_AUTH');
  t.equal(shop.server.failed, 1);
  await shop.gateway.accessLine(5);
  outputs.push(JSON.stringify(shop.gateway.logLines()), await shop.gateway.metrics());
  t.notMatch(outputs.join(''), /c4nary|NTLM TlR/);
});

t.test('a password that is refused before the end of a long message is tried once', async (t) => {
  const limits = 'limits: { xml: { messageBytes: 33554432, textBytes: 33554432 } }';
  const shop = await startShop(t, WEB, { refusesProofs: true }, limits);
  for (let count = 0; count < 3; count++)
    t.match(await shop.send('x'.repeat(24 * 2 ** 20)), 'UPSTREAM_AUTH');
  t.match(shop.server, { begun: 1, failed: 1 });
});

t.test(
  'a message that is sent while it comes in goes over an authenticated connection',
  async (t) => {
    const shop = await startShop(t, WEB);
    const sku = 'x'.repeat(200_000);
    for (let count = 0; count < 2; count++) t.match(await shop.send(sku), `${sku}</stock>`);
    t.match(shop.server, { failed: 0, early: 0 });
  },
);

t.test('messages of a MiB go over one authenticated connection, one after another', async (t) => {
  const limits = 'limits: { xml: { textBytes: 4194304 } }';
  const shop = await startShop(t, WEB, {}, limits);
  const sku = 'x'.repeat(2 ** 20);
  for (let count = 0; count < 4; count++) {
    t.match(await shop.send(sku), `${sku}</stock>`);
    // Longer than a connection rests after a long request.
    await delay(150);
  }
  t.match(shop.server, { begun: 1, failed: 0, early: 0 });
});

t.test(
  'a caller that leaves in the handshake leaves no half authenticated connection',
  async (t) => {
    const shop = await startShop(t, WEB, {}, 'limits: { upstream: { connections: 1 } }');
    for (let count = 0; count < 20; count++) {
      const controller = new AbortController();
      const left = postSoap(
        `${shop.gateway.url}/soap/shop`,
        envelope('gone'),
        {},
        controller.signal,
      ).catch(() => null);
      setTimeout(() => controller.abort(), count / 2);
      await left;
      t.match(await shop.send(String(count)), `<stock>CORP\\web ${count}</stock>`);
      shop.server.forget();
    }
    t.match(shop.server, { failed: 0 });
  },
);

// Callers that authenticate themselves.

const ACCOUNTS = { anna: 'a-word', otto: 'o-word' };

t.test(
  'a caller that authenticates itself has a connection of its own for as long as its own lasts',
  async (t) => {
    const shop = await startShop(t, '{ passthrough: true }', { accounts: ACCOUNTS });
    const { url } = shop.gateway;
    const [anna, otto, other] = [new Caller(url), new Caller(url), new Caller(url)];
    const refused = await anna.post(envelope('0'));
    t.equal(refused.head.statusCode, 401);
    t.equal(refused.head.headers['www-authenticate'], 'NTLM');
    t.equal(refused.text, '');
    t.match(
      (await anna.login('anna', 'a-word', envelope('1'))).text,
      '<stock>CORP\\anna 1</stock>',
    );
    t.match(
      (await otto.login('otto', 'o-word', envelope('2'))).text,
      '<stock>CORP\\otto 2</stock>',
    );
    const texts = await Promise.all([anna.post(envelope('3')), otto.post(envelope('3'))]);
    t.match(
      texts.map(({ text }) => text),
      [/CORP\\anna 3/, /CORP\\otto 3/],
      'equal messages are not coalesced',
    );
    t.equal(
      (await other.post(envelope('3'))).head.statusCode,
      401,
      'a caller without credentials has none',
    );
    t.equal((await other.login('otto', 'wrong', envelope('4'))).head.statusCode, 401);
    t.equal(shop.server.sockets.size, 2);
    anna.close();
    await until(() => shop.server.sockets.size === 1);
    otto.close();
    other.close();
    await until(() => shop.server.sockets.size === 0);
  },
);

t.test('messages of a caller that are longer than the window keep its connection', async (t) => {
  const shop = await startShop(t, '{ passthrough: true }', { accounts: ACCOUNTS });
  const anna = new Caller(shop.gateway.url);
  const sku = 'x'.repeat(200_000);
  t.match((await anna.login('anna', 'a-word', envelope(sku))).text, 'CORP\\anna x');
  t.match((await anna.post(envelope(sku))).text, 'CORP\\anna x');
  t.equal(shop.server.begun, 1);
  anna.close();
});

t.test('callers beyond the limit of bound connections are refused', async (t) => {
  const limits = 'limits: { upstream: { boundConnections: 1 } }';
  const shop = await startShop(t, '{ passthrough: true }', { accounts: ACCOUNTS }, limits);
  const [anna, otto] = [new Caller(shop.gateway.url), new Caller(shop.gateway.url)];
  t.match((await anna.login('anna', 'a-word', envelope('1'))).text, 'CORP\\anna 1');
  const negotiate = `NTLM ${negotiateMessage().toString('base64')}`;
  t.match((await otto.post('', negotiate)).text, 'POOL_EXHAUSTED');
  anna.close();
  await until(() => shop.server.sockets.size === 0);
  t.match((await otto.login('otto', 'o-word', envelope('2'))).text, 'CORP\\otto 2');
  otto.close();
});

t.test('without passthrough no caller can authenticate a connection that others use', async (t) => {
  const shop = await startShop(t, '{ passthrough: false }', { accounts: ACCOUNTS });
  const anna = new Caller(shop.gateway.url);
  await anna.post(envelope('1'), `NTLM ${negotiateMessage().toString('base64')}`);
  await anna.post(envelope('1'), 'Negotiate YIIabc');
  t.equal(shop.server.begun, 0);
  t.same(shop.messages, []);
  anna.close();
});

t.test('no call of many callers is made or answered as that of another', async (t) => {
  const found = await runCallers({ identities: 5, callers: 4, calls: 20, cutEvery: 50 });
  t.match(found, {
    calls: 400,
    wrongIdentity: 0,
    wrongReply: 0,
    refused: 0,
    lost: 0,
    cut: found.cutByBackend,
  });
  t.ok(found.cutByBackend > 0);
});

const mistakesIn = (t: Test, yaml: string): Promise<string> =>
  problemsOf(t, yaml, { 'k.keytab': 'keys' });

t.test('credentials of connections that cannot work are errors of the configuration', async (t) => {
  const kerberos = '{ negotiate: { principal: HTTP/shop } }';
  t.match(
    await mistakesIn(t, mapping('http://127.0.0.1:9', kerberos)),
    /yaml:\d+:\d+: .*package `kerberos`.* Run `npm install kerberos`/,
  );
  const written = '{ negotiate: { principal: HTTP/shop, keytab: a2V5cw== } }';
  t.match(
    await mistakesIn(t, mapping('http://127.0.0.1:9', written)),
    '`shop`: a keytab is a file.',
  );
  for (const auth of [WEB, '{ passthrough: true }']) {
    const proxied = mapping('http://10.0.0.7', auth, '    proxy: http://127.0.0.1:3128');
    t.match(await mistakesIn(t, proxied), 'a proxy may share');
    t.equal(await mistakesIn(t, proxied.replace('http://10', 'https://10')), '');
  }
  const twice = ntlm(`username: 'CORP\\web', password: x, domain: CORP`);
  t.match(await mistakesIn(t, mapping('http://127.0.0.1:9', twice)), 'names a domain');
  const graphql =
    'services: { crm: { kind: graphql, url: "http://127.0.0.1:9", auth: { passthrough: true } } }';
  t.match(await mistakesIn(t, graphql), 'is for callers of SOAP services');
});

t.test(
  'GraphQL calls are authenticated by NTLM, and carry nothing of a caller that passes through',
  async (t) => {
    const ask = (shop: Shop): Promise<string> =>
      askText(shop.gateway.url, '{ stock(sku: "1") }', { authorization: 'Basic YTpi' });
    t.match(await ask(await startShop(t, WEB)), 'CORP\\\\web 1');
    const through = await startShop(t, '{ passthrough: true }', { accounts: ACCOUNTS });
    t.match(await ask(through), 'UPSTREAM_AUTH');
    t.same(through.messages, []);
  },
);
