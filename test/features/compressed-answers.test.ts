import { type IncomingHttpHeaders, request } from 'node:http';
import { resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import t, { type Test } from 'tap';

import { hashPassword } from '../../src/access/passwords/password-hash.js';
import { answerOperations } from '../kit/backend.js';
import { envelope } from '../kit/envelope.js';
import { useService } from '../kit/use.js';

/** Answers of GraphQL, WSDLs and the pages of operators, compressed; and to whom they are not. */

const KEY = 'key-of-the-shop-00001';
const PASSWORD = 'a-password-of-erp';
const INTROSPECTION = '{ __schema { types { name description fields { name description } } } }';

type Setting = Awaited<ReturnType<typeof start>>;

const start = (t: Test, clients = '', rows = 100) =>
  useService(
    t,
    answerOperations('urn:t', () => '<row>a row of a list</row>'.repeat(rows)),
    (url) => `services:
  orders: { url: "${url}", wsdl: "${resolve('config/demo/legacy.wsdl')}" }
  lists:
    url: ${url}
    namespace: urn:t
    types: "type Query { list: Listing } type Listing { row: [String] }"
    operations: { List: { field: Query.list } }
${clients}`,
  );

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** By `node:http`, because `fetch` decompresses by itself. */
function ask(
  url: string,
  headers: Record<string, string> = {},
  body: string | null = null,
  method?: string,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      { method: method ?? (body === null ? 'GET' : 'POST'), headers, agent: false },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('end', () =>
          resolve({
            status: answer.statusCode ?? 0,
            headers: answer.headers,
            body: Buffer.concat(chunks),
          }),
        );
        answer.on('error', reject);
      },
    );
    sent.on('error', reject);
    sent.end(body ?? undefined);
  });
}

const GZIP = { 'accept-encoding': 'gzip, deflate, br' };

const graphql = (
  { gateway }: Setting,
  query: string,
  headers: Record<string, string> = {},
): Promise<Answer> =>
  ask(
    `${gateway.url}/graphql`,
    { 'content-type': 'application/json', ...headers },
    JSON.stringify({ query }),
  );

const codingOf = ({ headers }: Answer): string | undefined => headers['content-encoding'];

t.test(
  'GraphQL, introspection and WSDL answers are compressed for clients that take gzip',
  async (t) => {
    const setting = await start(t);
    const wsdl = `${setting.gateway.url}/soap/orders?wsdl`;
    const cases: readonly (readonly [
      string,
      (headers: Record<string, string>) => Promise<Answer>,
    ])[] = [
      ['a query', (headers) => graphql(setting, '{ list { row } }', headers)],
      ['introspection', (headers) => graphql(setting, INTROSPECTION, headers)],
      [
        'a query by GET',
        (headers) => ask(`${setting.gateway.url}/graphql?query=%7Blist%7Brow%7D%7D`, headers),
      ],
      ['a WSDL', (headers) => ask(wsdl, headers)],
    ];
    for (const [name, get] of cases) {
      const plain = await get({});
      const compressed = await get(GZIP);
      t.equal(codingOf(plain), undefined, `${name}: not without Accept-Encoding`);
      t.equal(
        codingOf(await get({ 'accept-encoding': 'gzip;q=0' })),
        undefined,
        `${name}: not where it is forbidden`,
      );
      t.equal(codingOf(compressed), 'gzip', name);
      t.equal(compressed.headers['content-length'], String(compressed.body.length), name);
      t.ok(compressed.body.length < plain.body.length / 2, `${name} is shorter`);
      t.equal(gunzipSync(compressed.body).toString(), plain.body.toString(), `${name} is the same`);
      t.equal(compressed.headers['content-type'], plain.headers['content-type'], name);
    }
  },
);

t.test(
  'a long answer is compressed beside the event loop, a short one goes out as it is',
  async (t) => {
    const setting = await start(t, '', 9_000);
    const long = await graphql(setting, '{ list { row } }', GZIP);
    t.equal(codingOf(long), 'gzip');
    t.equal(JSON.parse(gunzipSync(long.body).toString()).data.list.row.length, 9_000);
    const short = await graphql(setting, '{ __typename }', GZIP);
    t.equal(codingOf(short), undefined);
    t.match(short.body.toString(), /^\{"data":\{"__typename":"Query"\}/);
  },
);

t.test('a compressed WSDL has an entity tag of its own, which is known again', async (t) => {
  const { gateway } = await start(t);
  const url = `${gateway.url}/soap/orders?wsdl`;
  const [plain, compressed] = [await ask(url), await ask(url, GZIP)];
  t.equal(compressed.headers.etag, `W/${plain.headers.etag}`);
  for (const { headers } of [plain, compressed]) t.match(headers.vary, /accept-encoding/);
  const again = await ask(url, { ...GZIP, 'if-none-match': compressed.headers.etag ?? '' });
  t.equal(again.status, 304);
  t.equal(again.body.length, 0);
  const head = await ask(url, GZIP, null, 'HEAD');
  t.equal(head.headers['content-length'], compressed.headers['content-length']);
  t.equal(head.body.length, 0);
});

t.test(
  'answers for callers that are known by what a browser sends by itself are not compressed',
  async (t) => {
    const clients = `clients:
  apiKeys: { clients: { shop: { class: all, keys: [${KEY}] } } }
  basic: { users: { erp: { password: "${await hashPassword(PASSWORD)}", class: all } } }
  address: { class: all }
  classes: { all: {} }
`;
    const setting = await start(t, clients);
    const basic = { authorization: `Basic ${Buffer.from(`erp:${PASSWORD}`).toString('base64')}` };
    const cases: readonly (readonly [string, Record<string, string>, string | undefined])[] = [
      ['unknown', {}, 'gzip'],
      ['by its key', { 'x-api-key': KEY }, 'gzip'],
      ['by its key, with a cookie', { 'x-api-key': KEY, cookie: 'a=b' }, 'gzip'],
      ['with a cookie', { cookie: 'session=1' }, undefined],
      ['by its password', basic, undefined],
    ];
    for (const [name, headers, coding] of cases) {
      for (const answer of [
        await graphql(setting, '{ list { row } }', { ...GZIP, ...headers }),
        await ask(`${setting.gateway.url}/soap/orders?wsdl`, { ...GZIP, ...headers }),
      ]) {
        t.equal(answer.status, 200, name);
        t.equal(codingOf(answer), coding, name);
      }
    }
  },
);

t.test('answers for a network that has rights are not compressed', async (t) => {
  const clients = `clients:
  networks: { office: { addresses: [127.0.0.0/8], class: all } }
  classes: { all: {} }
`;
  const setting = await start(t, clients);
  const answer = await graphql(setting, '{ list { row } }', GZIP);
  t.equal(answer.status, 200);
  t.equal(codingOf(answer), undefined);
});

t.test('SOAP replies and event streams are not compressed', async (t) => {
  const setting = await start(t);
  const soap = await ask(
    `${setting.gateway.url}/soap/lists`,
    { ...GZIP, 'content-type': 'text/xml' },
    envelope('<List xmlns="urn:t"/>'),
  );
  t.equal(soap.status, 200);
  t.equal(codingOf(soap), undefined);
  const stream = await graphql(setting, '{ list { row } }', {
    ...GZIP,
    accept: 'text/event-stream',
  });
  t.match(stream.headers['content-type'], /text\/event-stream/);
  t.equal(codingOf(stream), undefined);
});

t.test('pages of the admin address are compressed, but not for a password', async (t) => {
  const password = await hashPassword(PASSWORD);
  const token = 'token-of-operators-0001';
  const setting = await start(
    t,
    `admin: { address: "127.0.0.1:0", basic: { users: { ops: { password: "${password}" } } }, ` +
      `bearer: { tokens: [${token}] } }\n`,
  );
  const basic = `Basic ${Buffer.from(`ops:${PASSWORD}`).toString('base64')}`;
  for (const path of ['/metrics', '/console/description']) {
    const compressed = await ask(setting.gateway.adminUrl + path, {
      ...GZIP,
      authorization: `Bearer ${token}`,
    });
    t.equal(codingOf(compressed), 'gzip', path);
    t.match(compressed.headers.vary, /accept-encoding/, path);
    t.ok(gunzipSync(compressed.body).length > 1024, path);
    const plain = await ask(setting.gateway.adminUrl + path, { ...GZIP, authorization: basic });
    t.equal(plain.status, 200, path);
    t.equal(codingOf(plain), undefined, path);
  }
  t.equal(codingOf(await ask(`${setting.gateway.adminUrl}/live`, GZIP)), undefined, 'short');
});
