import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import t, { type Test } from 'tap';
import {
  authenticateMessage,
  negotiateMessage,
  readChallengeMessage,
} from '../../src/upstream/credentials/ntlm/messages.js';
import { startTestGateway, type TestGateway } from '../kit/gateway.js';
import { type NtlmMessage, type NtlmServer, type NtlmServerOptions, startNtlmServer } from '../kit/ntlm-server.js';
import { until } from '../kit/until.js';

const SOAP = 'http://schemas.xmlsoap.org/soap/envelope/';
const envelope = (sku: string): string =>
  `<s:Envelope xmlns:s="${SOAP}"><s:Body><GetStock xmlns="urn:shop"><sku>${sku}</sku></GetStock></s:Body></s:Envelope>`;
const reply = (text: string): string =>
  `<s:Envelope xmlns:s="${SOAP}"><s:Body><GetStockResponse xmlns="urn:shop"><by>${text}</by></GetStockResponse></s:Body></s:Envelope>`;

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

/** A caller with one connection, unless it may have more. */
class Caller {
  readonly #agent: HttpAgent;
  readonly #url: string;

  constructor(gateway: TestGateway, maxSockets = 1) {
    this.#agent = new HttpAgent({ keepAlive: true, maxSockets });
    this.#url = `${gateway.url}/soap/shop`;
  }

  async post(
    body: string,
    authorization: string | null = null,
  ): Promise<{ readonly head: IncomingMessage; readonly text: string }> {
    const headers = {
      'content-type': 'text/xml',
      'content-length': Buffer.byteLength(body),
      soapaction: '""',
      ...(authorization !== null && { authorization }),
    };
    const request: ClientRequest = httpRequest(this.#url, { method: 'POST', agent: this.#agent, headers });
    request.end(body);
    const head = await new Promise<IncomingMessage>((resolve, reject) => {
      request.on('response', resolve).on('error', reject);
    });
    let text = '';
    for await (const chunk of head) text += String(chunk);
    return { head, text };
  }

  /** The handshake of clients: the body comes with the last message. */
  async login(
    user: string,
    password: string,
    body: string,
  ): Promise<{ readonly head: IncomingMessage; readonly text: string }> {
    const negotiate = negotiateMessage();
    const { head } = await this.post('', `NTLM ${negotiate.toString('base64')}`);
    const token = /^NTLM (.+)$/.exec(head.headers['www-authenticate'] ?? '')?.[1] ?? '';
    const message = authenticateMessage(
      { user, domain: 'CORP', password },
      negotiate,
      readChallengeMessage(Buffer.from(token, 'base64')),
      { name: 'HTTP/shop', channelBindings: null },
      { clientChallenge: Buffer.alloc(8, user), time: Buffer.alloc(8) },
    );
    return this.post(body, `NTLM ${message.toString('base64')}`);
  }

  close(): void {
    this.#agent.destroy();
  }
}

interface Shop {
  readonly server: NtlmServer;
  readonly gateway: TestGateway;
  readonly messages: NtlmMessage[];
  /** The text of the answer. */
  send(sku?: string, authorization?: string): Promise<string>;
}

async function startShop(t: Test, auth: string, options: Partial<NtlmServerOptions> = {}, more = ''): Promise<Shop> {
  const messages: NtlmMessage[] = [];
  const server = await startNtlmServer({
    accounts: { web: CANARY },
    answer: (message, response) => {
      messages.push(message);
      const sku = /<sku>(.*)<\/sku>/.exec(message.body)?.[1] ?? '';
      response.writeHead(200, { 'content-type': 'text/xml' }).end(reply(`${message.user} ${sku}`));
    },
    ...options,
  });
  const gateway = await startTestGateway(mapping(server.url, auth, more));
  const caller = new Caller(gateway, Number.POSITIVE_INFINITY);
  t.teardown(async () => {
    caller.close();
    await gateway.close();
    await server.close();
  });
  return {
    server,
    gateway,
    messages,
    send: async (sku = '1', authorization) => (await caller.post(envelope(sku), authorization)).text,
  };
}

const ntlm = (keys: string): string => `{ ntlm: { ${keys} } }`;
const WEB = ntlm(`username: web, password: "${CANARY}", domain: CORP`);

t.test('a connection is authenticated before the first byte of a message, and once', async (t) => {
  const shop = await startShop(t, WEB);
  for (const sku of ['1', '2', '3']) {
    t.match(await shop.send(sku, 'Basic Zm9yZ2Vk'), `<by>CORP\\web ${sku}</by>`);
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
    const shop = await startShop(t, ntlm(keys), { accounts: { web: CANARY, 'web@corp.example': CANARY } });
    t.match(await shop.send(), `<by>${user} 1</by>`);
  }
});

t.test('servers without a time of their own, and such that offer Negotiate alone, are answered', async (t) => {
  for (const options of [{ hasTime: false }, { scheme: 'Negotiate' as const }]) {
    const shop = await startShop(t, WEB, options);
    for (const sku of ['1', '2']) t.match(await shop.send(sku), `<by>CORP\\web ${sku}</by>`);
    t.equal(shop.server.failed, 0);
  }
});

t.test('calls at once are each on an authenticated connection', async (t) => {
  const shop = await startShop(t, WEB);
  const texts = await Promise.all(Array.from({ length: 40 }, (_, index) => shop.send(String(index))));
  for (const [index, text] of texts.entries()) t.match(text, `<by>CORP\\web ${index}</by>`);
  t.match(shop.server, { failed: 0, early: 0 });
});

t.test('a backend that forgets a connection gets another handshake', async (t) => {
  const shop = await startShop(t, WEB);
  await shop.send();
  shop.server.forget();
  t.match(await shop.send('2'), '<by>CORP\\web 2</by>');
  t.match(shop.server, { begun: 2, failed: 0 });
});

t.test('a handshake starts over where the backend closes the connection, three times at most', async (t) => {
  const shop = await startShop(t, WEB);
  shop.server.closesAfterChallenge = 2;
  t.match(await shop.send(), '<by>CORP\\web 1</by>');
  t.match(shop.server, { begun: 3, failed: 0, early: 0 });

  const closing = await startShop(t, WEB);
  closing.server.closesAfterChallenge = 100;
  t.match(await closing.send(), 'UPSTREAM_AUTH');
  t.match(closing.server, { begun: 3, early: 0 });
});

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

t.test('a message that is sent while it comes in goes over an authenticated connection', async (t) => {
  const shop = await startShop(t, WEB);
  const sku = 'x'.repeat(200_000);
  for (let count = 0; count < 2; count++) t.match(await shop.send(sku), `${sku}</by>`);
  t.match(shop.server, { failed: 0, early: 0 });
});

t.test('a caller that leaves in the handshake leaves no half authenticated connection', async (t) => {
  const shop = await startShop(t, WEB, {}, 'limits: { upstream: { connections: 1 } }');
  for (let count = 0; count < 20; count++) {
    const controller = new AbortController();
    const left = fetch(`${shop.gateway.url}/soap/shop`, {
      method: 'POST',
      headers: { 'content-type': 'text/xml', soapaction: '""' },
      body: envelope('gone'),
      signal: controller.signal,
    }).catch(() => null);
    setTimeout(() => controller.abort(), count / 2);
    await left;
    t.match(await shop.send(String(count)), `<by>CORP\\web ${count}</by>`);
    shop.server.forget();
  }
  t.match(shop.server, { failed: 0 });
});

// Callers that authenticate themselves.

const ACCOUNTS = { anna: 'a-word', otto: 'o-word' };

t.test('a caller that authenticates itself has a connection of its own for as long as its own lasts', async (t) => {
  const shop = await startShop(t, '{ passthrough: true }', { accounts: ACCOUNTS });
  const [anna, otto, other] = [new Caller(shop.gateway), new Caller(shop.gateway), new Caller(shop.gateway)];
  const refused = await anna.post(envelope('0'));
  t.equal(refused.head.statusCode, 401);
  t.equal(refused.head.headers['www-authenticate'], 'NTLM');
  t.equal(refused.text, '');
  t.match((await anna.login('anna', 'a-word', envelope('1'))).text, '<by>CORP\\anna 1</by>');
  t.match((await otto.login('otto', 'o-word', envelope('2'))).text, '<by>CORP\\otto 2</by>');
  const texts = await Promise.all([anna.post(envelope('3')), otto.post(envelope('3'))]);
  t.match(
    texts.map(({ text }) => text),
    [/CORP\\anna 3/, /CORP\\otto 3/],
    'equal messages are not coalesced',
  );
  t.equal((await other.post(envelope('3'))).head.statusCode, 401, 'a caller without credentials has none');
  t.equal((await other.login('otto', 'wrong', envelope('4'))).head.statusCode, 401);
  t.equal(shop.server.sockets.size, 2);
  anna.close();
  await until(() => shop.server.sockets.size === 1);
  otto.close();
  other.close();
  await until(() => shop.server.sockets.size === 0);
});

t.test('messages of a caller that are longer than the window keep its connection', async (t) => {
  const shop = await startShop(t, '{ passthrough: true }', { accounts: ACCOUNTS });
  const anna = new Caller(shop.gateway);
  const sku = 'x'.repeat(200_000);
  t.match((await anna.login('anna', 'a-word', envelope(sku))).text, 'CORP\\anna x');
  t.match((await anna.post(envelope(sku))).text, 'CORP\\anna x');
  t.equal(shop.server.begun, 1);
  anna.close();
});

t.test('callers beyond the limit of bound connections are refused', async (t) => {
  const shop = await startShop(
    t,
    '{ passthrough: true }',
    { accounts: ACCOUNTS },
    'limits: { upstream: { boundConnections: 1 } }',
  );
  const [anna, otto] = [new Caller(shop.gateway), new Caller(shop.gateway)];
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
  const anna = new Caller(shop.gateway);
  await anna.post(envelope('1'), `NTLM ${negotiateMessage().toString('base64')}`);
  await anna.post(envelope('1'), 'Negotiate YIIabc');
  t.equal(shop.server.begun, 0);
  t.same(shop.messages, []);
  anna.close();
});
