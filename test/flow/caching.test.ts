import type { ServerResponse } from 'node:http';
import t, { type Test } from 'tap';

import { type RecordedMessage, type RecordingBackend, startRecordingBackend } from '../kit/backend.js';
import { startTestGateway, type TestGateway } from '../kit/gateway.js';

const SOAP = 'http://schemas.xmlsoap.org/soap/envelope/';

const mapping = (url: string, { read = '{ cacheMillis: 60000, scope: shared }', more = '' } = {}): string => `services:
  shop:
    url: ${url}/shop
    versions: ["1.1", "1.2"]
    namespace: urn:shop
    types: |
      type Query { article(sku: String!): Article, stock(sku: String!): Int, fresh(sku: String!): Int }
      type Mutation { rename(sku: String!, name: String): Article }
      type Article { sku: String!, name: String }
    operations:
      GetArticle: { field: Query.article, read: ${read} }
      GetStock: { field: Query.stock, read: {} }
      GetFresh: { field: Query.fresh }
      Rename: { field: Mutation.rename, write: { invalidates: [GetArticle, shop.GetStock] } }
${more}`;

interface Shop {
  readonly backend: RecordingBackend;
  readonly gateway: TestGateway;
  /** Answers that wait to be given; empty unless `hold` is on. */
  readonly held: (() => void)[];
  hold: boolean;
  ask(query: string, headers?: Record<string, string>): Promise<GraphqlAnswer>;
  send(envelope: string, headers?: Record<string, string>): Promise<SoapAnswer>;
  /** Resolves when the backend has got this many messages. */
  reached(count: number): Promise<void>;
}

interface GraphqlAnswer {
  readonly body: {
    readonly data?: unknown;
    readonly errors?: readonly { readonly extensions: { readonly code: string } }[];
  };
  readonly control: string | null;
}

interface SoapAnswer {
  readonly status: number;
  readonly text: string;
  readonly age: string | null;
}

const envelope = (content: string, header = '', uri = SOAP): string =>
  `<s:Envelope xmlns:s="${uri}">${header}<s:Body>${content}</s:Body></s:Envelope>`;
const getArticle = (sku: string): string => `<GetArticle xmlns="urn:shop"><sku>${sku}</sku></GetArticle>`;

async function startShop(t: Test, options: Parameters<typeof mapping>[1] = {}, top = ''): Promise<Shop> {
  let serial = 0;
  let wake = (): void => {};
  const held: (() => void)[] = [];
  const answer = (message: RecordedMessage, response: ServerResponse): void => {
    const body = message.body.toString();
    const name = /<(?:\w+:)?(Get\w+|Rename)\b/.exec(body)?.[1] ?? '';
    const sku = /sku>([^<]*)</.exec(body)?.[1] ?? '';
    const n = ++serial;
    const content =
      name === 'GetArticle' || name === 'Rename'
        ? `<sku>${sku}</sku><name>n${n}</name>`
        : `<${name.slice(3).toLowerCase()}>${n}</${name.slice(3).toLowerCase()}>`;
    const uri = /xmlns:?\w*="(http:[^"]*envelope[^"]*)"/.exec(body)?.[1] ?? SOAP;
    const reply = envelope(`<${name}Response xmlns="urn:shop">${content}</${name}Response>`, '', uri);
    const give = (): void => {
      response.writeHead(200, { 'content-type': uri === SOAP ? 'text/xml; charset=utf-8' : 'application/soap+xml' });
      response.end(reply);
    };
    if (shop.hold) held.push(give);
    else give();
    wake();
  };
  const backend = await startRecordingBackend(answer);
  const gateway = await startTestGateway(top + mapping(backend.url, options));
  t.teardown(async () => {
    await gateway.close();
    await backend.close();
  });
  const shop: Shop = {
    backend,
    gateway,
    held,
    hold: false,
    async ask(query, headers = {}) {
      const response = await fetch(`${gateway.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/graphql-response+json', ...headers },
        body: JSON.stringify({ query }),
      });
      return { body: Object(await response.json()), control: response.headers.get('cache-control') };
    },
    async send(body, headers = {}) {
      const contentType = body.includes(SOAP) ? 'text/xml' : 'application/soap+xml';
      const response = await fetch(`${gateway.url}/soap/shop`, {
        method: 'POST',
        headers: { 'content-type': contentType, ...headers },
        body,
      });
      return { status: response.status, text: await response.text(), age: response.headers.get('age') };
    },
    async reached(count) {
      while (backend.complete.length < count) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
  return shop;
}

const nameIn = ({ text }: SoapAnswer): string => /<name>(\w+)</.exec(text)?.[1] ?? text;

t.test('what one door asked for, the other has from memory', async (t) => {
  const { backend, gateway, ask, send } = await startShop(t);
  t.same((await ask('{ article(sku: "a") { name } }')).body.data, { article: { name: 'n1' } });
  const soap = await send(envelope(getArticle('a')), { soapaction: '""' });
  t.same([soap.status, nameIn(soap), soap.age], [200, 'n1', '0'], 'SOAP has what GraphQL asked for');
  const pretty = `<?xml version="1.0"?>\n<e:Envelope xmlns:e='${SOAP}' xmlns:q="urn:shop">\n <e:Body><!-- again -->\n  <q:GetArticle>\n   <q:sku><![CDATA[a]]></q:sku>\n  </q:GetArticle>\n </e:Body>\n</e:Envelope>`;
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
  t.match(metrics, 'soapstone_cache_requests_total{service="shop",operation="GetArticle",outcome="hit"} 3');
  t.match(metrics, 'soapstone_cache_entries 2');
  t.match(metrics, /soapstone_cache_bytes [1-9]/);
});
