import { scryptSync } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import t, { type Test } from 'tap';
import type { GraphqlAnswer } from '../kit/answers.js';
import { answerOperations, answerWith, type RecordedMessage } from '../kit/backend.js';
import { problemsOf } from '../kit/configuration.js';
import {
  envelope,
  faultOf,
  MEDIA,
  operationIn,
  postSoap,
  SOAP,
  SOAP_11,
  SOAP_12,
  textIn,
  WSA,
} from '../kit/envelope.js';
import { postGraphql, TYPED } from '../kit/graphql-client.js';
import { until } from '../kit/until.js';
import { useService } from '../kit/use.js';

const mapping = (
  url: string,
  { read = '{ cacheMillis: 60000, scope: shared }', mode = 'enforce', more = '' } = {},
): string => `services:
  shop:
    url: ${url}/shop
    mode: ${mode}
    versions: ["1.1", "1.2"]
    namespace: urn:shop
    types: |
      type Query { article(sku: String!): Article, stock(sku: String!): Int, fresh(sku: String!): \
Int }
      type Mutation { rename(sku: String!, name: String): Article }
      type Article { sku: String!, name: String }
    operations:
      GetArticle: { field: Query.article, read: ${read} }
      GetStock: { field: Query.stock, read: {} }
      GetFresh: { field: Query.fresh }
      Rename: { field: Mutation.rename, write: { invalidates: [GetArticle, shop.GetStock] } }
${more}`;

type Shop = Awaited<ReturnType<typeof startShop>>;

const getArticle = (sku: string): string =>
  `<GetArticle xmlns="urn:shop"><sku>${sku}</sku></GetArticle>`;

async function startShop(t: Test, options: Parameters<typeof mapping>[1] = {}, top = '') {
  let serial = 0;
  const held: (() => void)[] = [];
  const answer = (message: RecordedMessage, response: ServerResponse): void => {
    const name = operationIn(message.body);
    const sku = textIn(message.body, 'sku') ?? '';
    const [n, result] = [++serial, name.slice(3).toLowerCase()];
    const isArticle = name === 'GetArticle' || name === 'Rename';
    const content = isArticle
      ? `<sku>${sku}</sku><name>n${n}</name>`
      : `<${result}>${n}</${result}>`;
    const version = message.body.includes(SOAP_12) ? '1.2' : '1.1';
    const body = envelope(
      `<${name}Response xmlns="urn:shop">${content}</${name}Response>`,
      '',
      SOAP[version],
    );
    const give = (): void => answerWith(body, MEDIA[version])(message, response);
    if (shop.hold) held.push(give);
    else give();
  };
  const { backend, gateway, send } = await useService(
    t,
    answer,
    (url) => top + mapping(url, options),
  );
  const shop = {
    backend,
    gateway,
    /** Answers that wait to be given; empty unless `hold` is on. */
    held,
    hold: false,
    async ask(query: string, headers: Record<string, string> = {}) {
      const response = await postGraphql(gateway.url, { query }, { ...TYPED, ...headers });
      const body: GraphqlAnswer = JSON.parse(await response.text());
      return { body, control: response.headers.get('cache-control') };
    },
    async send(message: string, headers: Record<string, string> = {}) {
      const response = await send(message, headers);
      return {
        status: response.status,
        text: await response.text(),
        age: response.headers.get('age'),
      };
    },
    /** Resolves when the backend has got this many messages. */
    reached: (count: number) => until(() => backend.complete.length >= count),
    /** Collects answers that are to be given; `give` gives those that wait. */
    collect() {
      const waiting: ServerResponse[] = [];
      backend.answer = (_message, response) => void waiting.push(response);
      return {
        waiting,
        give(text: string): void {
          for (const response of waiting.splice(0))
            response.writeHead(200, { 'content-type': 'text/xml' }).end(text);
        },
      };
    },
  };
  return shop;
}

/** The reply of GetArticle with this content. */
const articleReply = (content: string, header = ''): string =>
  envelope(`<GetArticleResponse xmlns="urn:shop">${content}</GetArticleResponse>`, header);

const nameIn = ({ text }: { readonly text: string }): string =>
  /<name>(\w+)</.exec(text)?.[1] ?? text;

t.test('a header block that the mapping or the caller gives is part of the question', async (t) => {
  let serial = 0;
  const answer = answerOperations(
    'urn:bridge',
    () => `<values><number>${++serial}</number></values>`,
  );
  const wsdl = `${process.cwd()}/test/catalogue/fixtures/bridge.wsdl`;
  const read = 'read: { cacheMillis: 60000, scope: shared }';
  const { ask, backend } = await useService(
    t,
    answer,
    (url) => `services:
  fixed:
    wsdl: ${wsdl}
    url: ${url}/bridge
    operations: { Echo: { field: Query.fixed, ${read}, headers: { Session/token: { value: \
secret } } } }
  given:
    wsdl: ${wsdl}
    url: ${url}/other
    operations: { Echo: { field: Query.given, ${read} } }
`,
  );
  const number = async (field: string): Promise<unknown> => {
    const { data } = await ask(`{ answer: ${field} { number } }`);
    return Object(data?.['answer']).number ?? data;
  };
  t.equal(await number('fixed(values: {})'), 1);
  t.equal(await number('fixed(values: {})'), 1, 'remembered');
  t.equal(await number('given(values: {}, headers: { session: { token: "a" } })'), 2);
  t.equal(
    await number('given(values: {}, headers: { session: { token: "b" } })'),
    3,
    'another session',
  );
  t.equal(await number('given(values: {}, headers: { session: { token: "a" } })'), 2);
  t.equal(backend.complete.length, 3);
});

t.test('a call that is made after all counts as one', async (t) => {
  const shop = await startShop(t, { more: 'limits: { cache: { replyBytes: 1KiB } }\n' });
  const { give } = shop.collect();
  const long = articleReply(`<sku>${'x'.repeat(2000)}</sku>`);
  const query =
    '{ a: article(sku: "a") { sku } b: article(sku: "a") { sku } c: article(sku: "a") { sku } }';
  const answer = postGraphql(shop.gateway.url, { query });
  await shop.reached(1);
  give(long);
  await shop.reached(3);
  give(long);
  const { requestedQueryCost, actualQueryCost } = Object(await (await answer).json()).extensions
    .cost;
  t.equal(actualQueryCost, requestedQueryCost, 'three calls were estimated, three were made');
});

t.test('a remembered reply that cannot be read is asked for anew', async (t) => {
  const { backend, ask } = await startShop(t);
  backend.answer = answerWith(articleReply('<sku>a</sku><sku>b</sku><name>n</name>'));
  t.same((await ask('{ article(sku: "a") { name } }')).body.data, { article: { name: 'n' } });
  t.same((await ask('{ article(sku: "a") { name } }')).body.data, { article: { name: 'n' } });
  t.equal(backend.complete.length, 1, 'remembered for those who do not look');
  await ask('{ article(sku: "a") { sku } }');
  await ask('{ article(sku: "a") { sku } }');
  t.equal(backend.complete.length, 2, 'who looks forgets it');
});

t.test(
  'after a write without an answer, no reply is stored until the write must be over',
  async (t) => {
    const shop = await startShop(t, { more: 'limits: { upstream: { totalMillis: 60000 } }\n' });
    const { backend, gateway, ask } = shop;
    shop.hold = true;
    const leaving = new AbortController();
    const gone = postGraphql(
      gateway.url,
      { query: 'mutation { rename(sku: "a", name: "b") { name } }' },
      {},
      leaving.signal,
    ).catch(() => 'gone');
    await shop.reached(1);
    leaving.abort();
    await gone;
    await gateway.accessLine();
    shop.hold = false;
    for (let n = 0; n < 2; n++) await ask('{ article(sku: "a") { name } }');
    t.equal(backend.complete.length, 3, 'asked each time');
    for (let n = 0; n < 2; n++) await ask('{ stock(sku: "a") }');
  },
);

t.test('what one endpoint asked for, the other has from memory', async (t) => {
  const { backend, gateway, ask, send } = await startShop(t);
  t.same((await ask('{ article(sku: "a") { name } }')).body.data, { article: { name: 'n1' } });
  const soap = await send(envelope(getArticle('a')), { soapaction: '""' });
  t.same(
    [soap.status, nameIn(soap), soap.age],
    [200, 'n1', soap.age],
    'SOAP has what GraphQL asked for',
  );
  t.match(soap.age, /^\d+$/);
  const pretty =
    `<?xml version="1.0"?>\n<e:Envelope xmlns:e='${SOAP_11}' xmlns:q="urn:shop">\n` +
    ' <e:Body><!-- again -->\n  <q:GetArticle>\n   <q:sku><![CDATA[a]]></q:sku>\n' +
    '  </q:GetArticle>\n </e:Body>\n</e:Envelope>';
  t.equal(nameIn(await send(pretty)), 'n1', 'however it is written');
  t.equal(backend.complete.length, 1);

  t.equal(nameIn(await send(envelope(getArticle('b')))), 'n2', 'another question');
  const other = await ask('{ article(sku: "b") { sku name } }');
  t.same(other.body.data, { article: { sku: 'b', name: 'n2' } }, 'GraphQL has what SOAP asked for');
  t.match(other.control, /^max-age=(59|60), public$/);
  t.equal(backend.complete.length, 2);

  const lines = gateway.logLines().filter(({ msg }) => msg === 'request');
  t.same(
    lines.map((line) => line['cache']),
    ['miss', 'hit', 'hit', 'miss', 'hit'],
  );
  t.same(
    lines.map((line) => line['upstreamCalls']),
    [1, undefined, undefined, 1, undefined],
  );
  const metrics = await gateway.metrics();
  t.match(
    metrics,
    'soapstone_cache_requests_total{service="shop",operation="GetArticle",outcome="hit"} 3',
  );
  t.match(metrics, 'soapstone_cache_entries 2');
  t.match(metrics, /soapstone_cache_bytes [1-9]/);
});

/** Waits until so many callers wait for calls that others made. */
async function joined({ gateway }: Shop, count: number): Promise<void> {
  while (!(await gateway.metrics()).includes(`soapstone_call_sharers ${count}\n`));
}

const getStock = (sku: string): string => `<GetStock xmlns="urn:shop"><sku>${sku}</sku></GetStock>`;

t.test('calls that mean the same are one call while it is under way', async (t) => {
  const shop = await startShop(t);
  const { backend, gateway, held, ask, send } = shop;
  shop.hold = true;
  const first = ask('{ stock(sku: "a") }');
  await shop.reached(1);
  const others = [ask('{ again: stock(sku: "a") }'), send(envelope(getStock('a')))];
  await joined(shop, 2);
  for (const give of held.splice(0)) give();
  t.same((await first).body.data, { stock: 1 });
  t.match(await Promise.all(others), [{ body: { data: { again: 1 } } }, { text: '<stock>1<' }]);
  t.equal(backend.complete.length, 1);
  const lines = gateway.logLines().filter(({ msg }) => msg === 'request');
  t.same(lines.map((line) => line['cache']).sort(), ['coalesced', 'coalesced', 'miss']);

  shop.hold = false;
  const next = await ask('{ stock(sku: "a") }');
  t.same(next.body.data, { stock: 2 }, 'and nothing is remembered after it');
  t.equal(next.control, 'no-store');
  t.match(await gateway.metrics(), 'soapstone_cache_entries 0');
});

t.test('a call goes on as long as one waits for it', async (t) => {
  const shop = await startShop(t);
  const { backend, gateway, held, send } = shop;
  shop.hold = true;
  const departure = new AbortController();
  const body = envelope(getStock('a'));
  const leave = (signal: AbortSignal): Promise<unknown> =>
    postSoap(`${gateway.url}/soap/shop`, body, {}, signal);
  const first = leave(departure.signal).catch(() => 'left');
  await shop.reached(1);
  const second = send(body);
  await joined(shop, 1);
  departure.abort();
  t.equal(await first, 'left');
  await gateway.accessLine();
  held.shift()?.();
  t.match((await second).text, '<stock>1<', 'the first has left');

  const both = [new AbortController(), new AbortController()];
  const gone = both.map(({ signal }) => leave(signal).catch(() => 'left'));
  await shop.reached(2);
  await joined(shop, 1);
  for (const each of both) each.abort();
  t.same(await Promise.all(gone), ['left', 'left']);
  await gateway.accessLine(4);
  const active = async (): Promise<boolean> =>
    (await gateway.metrics()).includes('soapstone_upstream_calls_active{service="shop"} 0\n');
  while (!(await active()));
  t.equal(backend.complete.length, 2, 'nobody waits: the call ends');
});

t.test('a failure reaches all callers that waited for it, and no later ones', async (t) => {
  const shop = await startShop(t);
  const { backend, ask, send } = shop;
  const { answer } = backend;
  const { waiting } = shop.collect();
  const answers = [ask('{ article(sku: "a") { name } }'), send(envelope(getArticle('a')))] as const;
  await shop.reached(1);
  await joined(shop, 1);
  t.equal(backend.complete.length, 1);
  waiting.shift()?.socket?.destroy();
  t.equal((await answers[0]).body.errors?.[0]?.extensions.code, 'UPSTREAM_RESET');
  t.match(await answers[1], { status: 500, text: /Fault/ });

  const fault = envelope(faultOf('s:Server'));
  const faulty = [ask('{ article(sku: "a") { name } }'), send(envelope(getArticle('a')))] as const;
  await shop.reached(2);
  await joined(shop, 1);
  waiting.shift()?.writeHead(500, { 'content-type': 'text/xml' }).end(fault);
  t.equal((await faulty[0]).body.errors?.[0]?.extensions.code, 'SOAP_FAULT');
  t.equal((await faulty[0]).control, 'no-store');
  t.match(await faulty[1], { status: 500, text: /faultstring>no</ });
  backend.answer = answer;
  t.equal(nameIn(await send(envelope(getArticle('a')))), 'n1');
  t.equal(backend.complete.length, 3);

  backend.answer = answerWith(articleReply('<sku>').slice(0, 200));
  t.match(await send(envelope(getArticle('broken'))), { status: 500 });
  backend.answer = answer;
  t.equal(nameIn(await send(envelope(getArticle('broken')))), 'n2', 'nothing broken is remembered');
});

t.test('what is written by either endpoint makes old what was read by either', async (t) => {
  const { backend, ask, send } = await startShop(t);
  const read = async (): Promise<unknown> =>
    Object((await ask('{ article(sku: "a") { name } }')).body.data).article.name;
  t.equal(await read(), 'n1');
  t.equal(await read(), 'n1');
  await ask('mutation { rename(sku: "a", name: "x") { name } }');
  t.equal(await read(), 'n3', 'written by GraphQL');
  t.equal(nameIn(await send(envelope(getArticle('a')))), 'n3');
  await send(envelope('<Rename xmlns="urn:shop"><sku>a</sku></Rename>'));
  t.equal(nameIn(await send(envelope(getArticle('a')))), 'n5', 'written by SOAP');
  t.equal(await read(), 'n5');

  const { answer } = backend;
  backend.answer = (_message, response) => response.socket?.destroy();
  await send(envelope('<Rename xmlns="urn:shop"><sku>a</sku></Rename>'));
  backend.answer = answer;
  t.equal(await read(), 'n6', 'nobody knows whether it was written');
});

t.test('a call made before a write does not answer requests after the write', async (t) => {
  const shop = await startShop(t);
  const { backend, held, ask, send } = shop;
  shop.hold = true;
  const before = send(envelope(getArticle('a')));
  await shop.reached(1);
  const write = ask('mutation { rename(sku: "a") { name } }');
  await shop.reached(2);
  const during = send(envelope(getArticle('a')));
  await shop.reached(3);
  held.splice(0, 1)[0]?.();
  t.equal(nameIn(await before), 'n1');
  const still = send(envelope(getArticle('a')));
  await joined(shop, 1);
  held.splice(0, 1)[0]?.();
  await write;
  const after = send(envelope(getArticle('a')));
  await shop.reached(4);
  for (const give of held.splice(0)) give();
  t.same([nameIn(await during), nameIn(await still), nameIn(await after)], ['n3', 'n3', 'n4']);
  shop.hold = false;
  t.equal(nameIn(await send(envelope(getArticle('a')))), 'n4', 'only the last is remembered');
  t.equal(backend.complete.length, 4);
});

const CLIENTS = `clients:
  apiKeys:
    clients:
      one: { class: all, keys: [key-of-client-one-1] }
      two: { class: all, keys: [key-of-client-two-2] }
      three: { class: few, keys: [key-of-client-three] }
  classes:
    all: {}
    few: { deny: [shop.GetArticle] }
`;
const ONE = { 'x-api-key': 'key-of-client-one-1' };
const TWO = { 'x-api-key': 'key-of-client-two-2' };

t.test('what is for one client is never for another', async (t) => {
  const shop = await startShop(t, { read: '{ cacheMillis: 60000 }' }, CLIENTS);
  const { held, ask, send, backend } = shop;
  const own = await ask('{ article(sku: "a") { name } }', ONE);
  t.match(own, {
    body: { data: { article: { name: 'n1' } } },
    control: /^max-age=(59|60), private$/,
  });
  t.equal(
    nameIn(await send(envelope(getArticle('a')), ONE)),
    'n1',
    'its own, by the other endpoint',
  );
  t.equal(nameIn(await send(envelope(getArticle('a')), TWO)), 'n2');
  t.same((await ask('{ article(sku: "a") { name } }', TWO)).body.data, { article: { name: 'n2' } });
  shop.hold = true;
  const both = [send(envelope(getArticle('b')), ONE), send(envelope(getArticle('b')), TWO)];
  await shop.reached(4);
  for (const give of held.splice(0)) give();
  t.same((await Promise.all(both)).map(nameIn).sort(), ['n3', 'n4'], 'nor while it is under way');
  t.equal(backend.complete.length, 4);
});

t.test(
  'shared replies are for callers with the right, and for those the backend cannot distinguish',
  async (t) => {
    const { ask, send, backend } = await startShop(t, {}, CLIENTS);
    t.match(await ask('{ article(sku: "a") { name } }', ONE), {
      control: /^max-age=(59|60), private$/,
    });
    t.equal(nameIn(await send(envelope(getArticle('a')), TWO)), 'n1');
    t.equal(backend.complete.length, 1);
    const denied = await send(envelope(getArticle('a')), { 'x-api-key': 'key-of-client-three' });
    t.match(denied.text, 'may not call');
    const basic = { ...ONE, authorization: 'Basic b25lOm9uZQ==' };
    t.equal(
      nameIn(await send(envelope(getArticle('a')), basic)),
      'n2',
      'the backend knows who asks',
    );
    t.equal(
      nameIn(
        await send(envelope(getArticle('a')), { ...basic, authorization: 'Basic dHdvOnR3bw==' }),
      ),
      'n3',
    );
    t.equal(
      nameIn(await send(envelope(getArticle('a')), { ...TWO, authorization: basic.authorization })),
      'n2',
    );
    t.equal(
      nameIn(await send(envelope(getArticle('a')), { ...ONE, 'accept-language': 'de' })),
      'n4',
    );
  },
);

t.test('header blocks', async (t) => {
  const { send, backend } = await startShop(t);
  const withHeader = (header: string) => send(envelope(getArticle('a'), header));
  const wsa = (id: number): string =>
    `<w:MessageID xmlns:w="${WSA}">urn:${id}</w:MessageID><w:To xmlns:w="${WSA}">` +
    `${WSA}/anonymous</w:To>`;
  t.equal(nameIn(await send(envelope(getArticle('a')))), 'n1');
  t.equal(nameIn(await withHeader('<h:who xmlns:h="urn:h">me</h:who>')), 'n2', 'may mean anything');
  t.equal(nameIn(await withHeader('<h:who xmlns:h="urn:h">me</h:who>')), 'n3');
  t.equal(
    nameIn(await withHeader(wsa(1))),
    'n4',
    'whoever numbers messages may expect the number back',
  );
  t.equal(nameIn(await withHeader(wsa(2))), 'n4', 'which does not come');
  const parameter = `<h:p xmlns:h="urn:h" xmlns:w="${WSA}" w:IsReferenceParameter="true">1</h:p>`;
  t.equal(nameIn(await withHeader(wsa(3) + parameter)), 'n5');
  const reply =
    `<w:ReplyTo xmlns:w="${WSA}"><w:Address>${WSA}/anonymous</w:Address><w:ReferenceParameters>` +
    '<a/></w:ReferenceParameters></w:ReplyTo>';
  t.equal(nameIn(await withHeader(wsa(4) + reply)), 'n6');

  let serial = 0;
  backend.answer = (message, response) => {
    const header =
      `<w:RelatesTo xmlns:w="${WSA}">` + `${textIn(message.body, 'MessageID')}</w:RelatesTo>`;
    answerWith(articleReply(`<sku>b</sku><name>r${++serial}</name>`, header))(message, response);
  };
  const numbered = (id: number) => send(envelope(getArticle('b'), wsa(id)));
  t.match(await numbered(7), { text: /urn:7</ });
  t.match(
    await numbered(8),
    { text: /urn:8<.*r2/ },
    'a reply to one message is no reply to another',
  );
  const lines = ['Body q="1"', 'Envelope q="1"'].map((tag) =>
    envelope(getArticle('c')).replace(new RegExp(`<s:${tag.split(' ')[0]}`), `<s:${tag}`),
  );
  for (const line of lines) {
    await send(line);
    await send(line);
  }
  t.equal(serial, 6, 'attributes may mean anything too');
});

t.test('compressed replies, dialects, queries of addresses', async (t) => {
  const { backend, gateway, ask, send } = await startShop(t);
  const plain = articleReply('<sku>z</sku><name>zip</name>');
  const { answer } = backend;
  const answerZipped = (bytes: Buffer): void => {
    backend.answer = (_message, response) =>
      response
        .writeHead(200, { 'content-type': 'text/xml', 'content-encoding': 'gzip' })
        .end(bytes);
  };
  answerZipped(gzipSync(plain));
  t.same((await ask('{ article(sku: "z") { name } }')).body.data, { article: { name: 'zip' } });
  t.equal((await send(envelope(getArticle('z')))).text, plain);
  t.equal(backend.complete.length, 1);
  answerZipped(gzipSync(plain).subarray(0, 60));
  t.match(await send(envelope(getArticle('y'))), { status: 500 }, 'cut off');
  backend.answer = answer;
  t.equal(nameIn(await send(envelope(getArticle('y')))), 'n1');

  t.match(
    await send(envelope(getArticle('y'), '', SOAP_12)),
    { text: /2003\/05.*n2/ },
    'a reply is of one dialect',
  );
  t.match(await send(envelope(getArticle('y'), '', SOAP_12)), { text: /2003\/05.*n2/ });
  const there = await postSoap(`${gateway.url}/soap/shop?tenant=7`, envelope(getArticle('y')));
  t.match(await there.text(), /n3/, 'another address');
});

t.test('a long reply is for one, as it comes', async (t) => {
  const shop = await startShop(t, { more: 'limits: { cache: { replyBytes: 1KiB } }\n' });
  const { backend, gateway, ask, send } = shop;
  const reply = (padding: number): string => articleReply(`<sku>${'x'.repeat(padding)}</sku>`);
  const room = 1024 - reply(0).length;
  const { waiting, give } = shop.collect();
  const chunked = (padding: number): void => give(reply(padding));
  const both = [ask('{ article(sku: "a") { sku } }'), send(envelope(getArticle('a')))] as const;
  await shop.reached(1);
  await joined(shop, 1);
  chunked(room + 1);
  await shop.reached(2);
  chunked(room + 1);
  t.match(Object((await both[0]).body.data).article.sku, /^x+$/);
  t.equal((await both[1]).text, reply(room + 1));
  t.equal((await both[0]).control, 'no-store');
  const third = send(envelope(getArticle('a')));
  await shop.reached(3);
  const [response] = waiting.splice(0);
  response
    ?.writeHead(200, { 'content-type': 'text/xml', 'content-length': reply(200_000).length })
    .end(reply(200_000));
  t.equal((await third).text.length, reply(200_000).length, 'said in advance');

  const fits = send(envelope(getArticle('b')));
  await shop.reached(4);
  chunked(room);
  await fits;
  t.equal((await send(envelope(getArticle('b')))).text, reply(room), 'at the limit');
  t.equal(backend.complete.length, 4);
  t.match(await gateway.metrics(), 'soapstone_cache_entries 1');
});

t.test('an old reply is better than none', async (t) => {
  const shop = await startShop(t, {
    read: '{ cacheMillis: 1, staleMillis: 60000, scope: shared }',
  });
  const { backend, gateway, ask, send } = shop;
  const past = (): void => {
    for (const start = performance.now(); performance.now() < start + 2; );
  };
  await send(envelope(getArticle('a')));
  past();
  t.equal(
    nameIn(await send(envelope(getArticle('a')))),
    'n2',
    'as long as there is a new one, that is it',
  );
  past();
  const { answer } = backend;
  backend.answer = (_message, response) => response.socket?.destroy();
  const stale = await send(envelope(getArticle('a')));
  t.match(stale, { status: 200, text: /n2/, age: '0' });
  t.match(await gateway.accessLine(3), { cache: 'stale', outcome: 'ok' });
  const told = await ask('{ article(sku: "a") { name } }');
  t.same([told.body.data, told.control], [{ article: { name: 'n2' } }, 'no-store']);
  await ask('mutation { rename(sku: "a") { sku } }');
  t.match(
    await send(envelope(getArticle('a'))),
    { status: 500 },
    'but not what is known to be wrong',
  );
  backend.answer = answer;
});

t.test('Cache-Control of GraphQL answers', async (t) => {
  const { ask, gateway } = await startShop(t);
  const control = async (query: string): Promise<string | null> => (await ask(query)).control;
  t.match(await control('{ article(sku: "a") { name } }'), /^max-age=(59|60), public$/);
  t.match(
    await control('{ article(sku: "a") { name } b: article(sku: "b") { name } __typename }'),
    /^max-age=(59|60), public$/,
  );
  t.equal(
    await control('{ article(sku: "a") { name } fresh(sku: "a") }'),
    'no-store',
    'a part that is not declared',
  );
  t.equal(
    await control('{ article(sku: "a") { name } stock(sku: "a") }'),
    'no-store',
    'a part that is not remembered',
  );
  t.equal(await control('{ __typename }'), 'no-store');
  t.equal(await control('{ nothing }'), 'no-store');
  t.equal(await control('mutation { rename(sku: "a") { name } }'), 'no-store');
  const got = await fetch(
    `${gateway.url}/graphql?query=${encodeURIComponent('{ article(sku: "a") { name } }')}`,
  );
  t.equal(got.headers.get('vary'), 'accept');
  t.match(got.headers.get('cache-control'), /^max-age=(59|60), public$/);
  const explained = await startShop(t, { more: 'graphql: { costBreakdown: true }\n' });
  const { headers } = await fetch(
    `${explained.gateway.url}/graphql?query=%7Barticle(sku:%22a%22)%7Bname%7D%7D`,
  );
  t.equal(
    headers.get('vary'),
    'accept, soapstone-cost-breakdown',
    'who asks what it costs has another answer',
  );
});

t.test('an answer that depends on its caller is not for the next user of a browser', async (t) => {
  const query = '/graphql?query=%7Barticle(sku:%22a%22)%7Bname%7D%7D';
  const get = async (
    top: string,
    more: string,
    headers: Record<string, string>,
  ): Promise<readonly unknown[]> => {
    const { gateway } = await startShop(t, {}, top);
    await gateway.reload((yaml) => yaml.replace('    namespace:', `${more}    namespace:`));
    const response = await fetch(gateway.url + query, { headers });
    t.equal(response.status, 200);
    return [
      response.headers.get('cache-control')?.replace(/=\d+/, ''),
      response.headers.get('vary'),
    ];
  };
  const tenant = '    forwardHeaders: [X-Tenant]\n';
  const clients = (ways: string): string =>
    `clients:\n  classes: { any: {} }\n  address: { class: any }\n${ways}`;
  const salt = Buffer.from('salt-of-16-bytes');
  const key = scryptSync('pw', salt, 32, { N: 2 ** 14, r: 8, p: 1 });
  const hash = `scrypt:14:8:1:${salt.toString('base64url')}:${key.toString('base64url')}`;
  const user = clients(`  basic: { users: { ann: { password: "${hash}", class: any } } }\n`);
  const ann = { authorization: `Basic ${Buffer.from('ann:pw').toString('base64')}` };
  const KEPT = 'max-age, private';
  t.same(await get('', '', {}), ['max-age, public', 'accept'], 'for all');
  t.same(await get('', tenant, {}), [KEPT, 'accept, x-tenant'], 'a field that goes on');
  t.same(await get(CLIENTS, '', ONE), [KEPT, 'accept, x-api-key'], 'a key');
  t.same(await get(CLIENTS, tenant, TWO), [KEPT, 'accept, x-api-key, x-tenant']);
  t.same(await get(clients(''), '', {}), [KEPT, 'accept'], 'an address is no user');
  t.same(await get(user, '', {}), [KEPT, 'accept, authorization'], 'no password');
  t.same(
    await get(user, '', ann),
    ['no-store', null],
    'a password, which a browser adds by itself',
  );
  const network = clients('  networks: { office: { addresses: [127.0.0.0/8], class: any } }\n');
  t.same(await get(network, '', {}), ['no-store', null], 'a network');
  const proxied = clients(
    '  trustedProxies: [127.0.0.1]\n  certificate: { header: ' +
      'x-subject, class: any, clients: {} }\n',
  );
  t.same(await get(proxied, '', { 'x-subject': 'CN=ann' }), ['no-store', null], 'a certificate');
  const authorization = '    forwardHeaders: [authorization]\n';
  t.same(
    await get('', authorization, { authorization: 'Bearer t' }),
    [KEPT, 'accept, authorization'],
    'a token',
  );
  t.same(await get('', authorization, ann), ['no-store', null], 'a password for the backend');
  t.same(await get('', '    callerHeaders: [cookie]\n', {}), ['no-store', null], 'cookies');
});

t.test('a call for all clients does not say from which of them it comes', async (t) => {
  const from = async (read: string): Promise<readonly unknown[]> => {
    const { ask, send, backend } = await startShop(t, { read });
    await ask('{ article(sku: "a") { name } }');
    await send(envelope(getArticle('b')));
    return backend.complete.map(({ headers }) => [
      headers['x-forwarded-for'],
      headers['forwarded'] !== undefined,
    ]);
  };
  t.same(await from('{ cacheMillis: 60000, scope: shared }'), Array(2).fill([undefined, false]));
  t.same(await from('{ cacheMillis: 60000 }'), Array(2).fill(['127.0.0.1', true]));
});

t.test('a reply that varies by a field that keys do not compare is for one call', async (t) => {
  const { ask, send, backend } = await startShop(t);
  const { answer } = backend;
  const varying = (vary: string): void => {
    backend.answer = (message, response) => {
      response.setHeader('vary', vary);
      answer(message, response);
    };
  };
  varying('Accept-Encoding');
  t.equal(nameIn(await send(envelope(getArticle('a')))), 'n1');
  t.equal(nameIn(await send(envelope(getArticle('a')))), 'n1', 'which does not go on');
  varying('accept-encoding, User-Agent');
  t.equal(nameIn(await send(envelope(getArticle('b')))), 'n2');
  t.equal(nameIn(await send(envelope(getArticle('b')))), 'n3');
  varying('*');
  t.equal(nameIn(await send(envelope(getArticle('b')))), 'n4');
  t.equal((await ask('{ article(sku: "b") { name } }')).control, 'no-store');
});

t.test('monitor mode remembers nothing, and what is declared in vain is a problem', async (t) => {
  const { backend, send } = await startShop(t, { mode: 'monitor' });
  await send(envelope(getArticle('a')));
  await send(envelope(getArticle('a')));
  t.equal(backend.complete.length, 2);
  const problems = (operations: string): Promise<string> =>
    problemsOf(t, mapping('http://127.0.0.1:1').replace(/ {4}operations:[\s\S]*/, operations));
  const found = await problems(`    operations:
      GetArticle: { field: Query.article, read: { cacheMillis: 1 }, write: { invalidates: \
[GetArticle] } }
      GetStock: { field: Query.stock, read: { staleMillis: 5 } }
      GetFresh: { field: Query.fresh }
      Rename: { field: Mutation.rename, write: { invalidates: [GetArticel, GetFresh, \
shop.GetStock, store.X] } }
`);
  t.match(found, /yaml:\d+:\d+: Operation `GetArticle` is declared to read and to write/);
  t.match(found, /`staleMillis` is of no use where nothing is remembered/);
  t.match(
    found,
    /There is no operation `GetArticel` that could be forgotten. Did you mean `GetArticle`/,
  );
  t.match(found, /Operation `GetFresh` is not declared to read/);
  t.match(found, /There is no operation `store.X`/);
  t.match(
    await problems(
      '    operations:\n      GetArticle: { field: Query.article, read: { cacheMilis: 1 } }\n',
    ),
    /Did you mean `cacheMillis`/,
  );
});

t.test('a reply with header blocks is for its own caller, even among equal requests', async (t) => {
  const shop = await startShop(t);
  const { backend, ask, send } = shop;
  const { waiting } = shop.collect();
  const give = (name: string): void => {
    const header = '<h:session xmlns:h="urn:h">secret</h:session>';
    const reply = articleReply(`<sku>a</sku><name>${name}</name>`, header);
    waiting.shift()?.writeHead(200, { 'content-type': 'text/xml' }).end(reply);
  };
  const first = send(envelope(getArticle('a')));
  await shop.reached(1);
  const others = [send(envelope(getArticle('a'))), ask('{ article(sku: "a") { name } }')] as const;
  await joined(shop, 2);
  give('one');
  t.equal(nameIn(await first), 'one');
  await shop.reached(3);
  give('two');
  give('three');
  const got = [nameIn(await others[0]), Object((await others[1]).body.data).article.name];
  t.same([...got].sort(), ['three', 'two']);
  t.equal(backend.complete.length, 3);
});
