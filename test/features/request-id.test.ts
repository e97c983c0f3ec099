import t, { type Test } from 'tap';

import { answerStatus } from '../kit/backend.js';
import type { TestGateway } from '../kit/gateway.js';
import { sendRaw } from '../kit/raw-client.js';
import { useService } from '../kit/use.js';

/**
 * An operator finds the log line of an answer by its id, and reads there what was found and which
 * limit was exceeded.
 */

const ENVELOPE = 'http://schemas.xmlsoap.org/soap/envelope/';
const envelope = (content: string): string =>
  `<Envelope xmlns="${ENVELOPE}"><Body>${content}</Body></Envelope>`;
const REPLY = envelope('<GetArticleResponse xmlns="urn:shop"><sku>A1</sku></GetArticleResponse>');

const CONFIG = (url: string): string => `services:
  shop:
    url: ${url}/shop
    namespace: urn:shop
    types: |
      type Query { article(sku: String!): Article }
      type Article { sku: String! }
    operations: { GetArticle: { field: Query.article } }
  desk: { url: "${url}/desk", wsdl: ${process.cwd()}/config/demo/legacy.wsdl, operations: \
{ GetOrder: false } }
  gone: { url: "http://127.0.0.1:1/", namespace: urn:gone, types: "type Query { lost: \
String }", operations: { Lose: { field: Query.lost } } }
routes: [{ path: /docs, url: "${url}/docs" }]
limits: { xml: { depth: 20 }, graphql: { depth: 5 }, http: { uriBytes: 100, headerCount: 30 } }
`;

async function start(t: Test): Promise<TestGateway> {
  const answer = answerStatus(
    200,
    { 'content-type': 'text/xml', 'x-request-id': 'of-the-backend' },
    REPLY,
  );
  return (await useService(t, answer, CONFIG)).gateway;
}

const soap = (body: string, more: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'text/xml', 'x-request-id': 'of-the-caller', ...more },
  body,
});
const graphql = (body: unknown, accept = 'application/json'): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', accept },
  body: typeof body === 'string' ? body : JSON.stringify(body),
});
const NEXT = 'http://schemas.xmlsoap.org/soap/actor/next';
const HEADER =
  `<Header><h:H xmlns:h="urn:h" xmlns:e="${ENVELOPE}" e:mustUnderstand="1" e:actor="${NEXT}"/>` +
  '</Header>';
const PING = envelope('<m:Ping xmlns:m="urn:m"/>');
const ALIASES = Array.from({ length: 20 }, (_, n) => `a${n}: article(sku: "1") { sku }`);
const DEEP = envelope(`${'<a>'.repeat(30)}${'</a>'.repeat(30)}`);

t.test('every answer has the id of its log line in x-request-id', async (t) => {
  const gateway = await start(t);
  const asked: readonly (readonly [string, string, RequestInit?])[] = [
    ['SOAP', '/soap/shop', soap(PING)],
    ['a Fault', '/soap/shop', soap(DEEP)],
    ['a failing service', '/soap/gone', soap(PING)],
    ['the HTTP layer', '/nothing'],
    ['another method', '/soap/shop', { method: 'PUT' }],
    ['a WSDL', '/soap/desk?wsdl'],
    ['a plain route', '/docs/a'],
    ['GraphiQL', '/graphql', { headers: { accept: 'text/html' } }],
    ['GraphQL', '/graphql', graphql({ query: '{ article(sku: "A1") { sku } }' })],
    ['GraphQL refused', '/graphql', graphql({ query: '{' })],
    [
      'GraphQL events',
      '/graphql',
      graphql({ query: '{ article(sku: "A1") { sku } }' }, 'text/event-stream'),
    ],
  ];
  let count = 0;
  for (const [name, path, init] of asked) {
    const answer = await fetch(gateway.url + path, init);
    await answer.text();
    const { id } = await gateway.accessLine(++count);
    t.equal(answer.headers.get('x-request-id'), id, name);
  }
  const raw = await sendRaw(gateway.url, 'GET / HTTP/9.9\r\n\r\n');
  t.equal(
    raw.headers.get('x-request-id'),
    (await gateway.accessLine(++count))['id'],
    'what is no HTTP',
  );
});

t.test('every GraphQL error has the id of the request', async (t) => {
  const gateway = await start(t);
  const asked: readonly (readonly [string, RequestInit])[] = [
    ['BAD_REQUEST', graphql('{')],
    ['BAD_REQUEST', graphql({ query: '{ __typename }', operationName: 'A' })],
    ['GRAPHQL_PARSE_FAILED', graphql({ query: '{' })],
    ['GRAPHQL_VALIDATION_FAILED', graphql({ query: '{ nothing }' })],
    ['GRAPHQL_VALIDATION_FAILED', graphql({ query: '{ nothing }' }, 'text/event-stream')],
    ['BAD_USER_INPUT', graphql({ query: 'query A($s: String!) { article(sku: $s) { sku } }' })],
    ['UPSTREAM_UNREACHABLE', graphql({ query: 'query Lost { lost }' })],
  ];
  let count = 0;
  for (const [code, init] of asked) {
    const answer = await (await fetch(`${gateway.url}/graphql`, init)).text();
    const { id } = await gateway.accessLine(++count);
    const json = /\{"(?:data|errors)".*/.exec(answer)?.[0] ?? '';
    const { extensions, locations } = JSON.parse(json).errors[0];
    t.match(extensions, { code, id }, code);
    if (code === 'GRAPHQL_PARSE_FAILED')
      t.same(locations, [{ line: 1, column: 2 }], 'and its place');
  }
  t.match(await gateway.accessLine(count), {
    operationName: 'Lost',
    service: 'gone',
    serviceOperation: 'Lose',
  });
});

t.test('the log line of a refusal has what was found, the limit and its key', async (t) => {
  const gateway = await start(t);
  const expected: readonly (readonly [string, RequestInit, Record<string, unknown>])[] = [
    ['/soap/desk', soap(PING), { code: 'UNKNOWN_OPERATION', found: '{urn:m}Ping' }],
    [
      '/soap/desk',
      soap(envelope('<GetOrder xmlns="http://legacy.example.com/desk"><id>7</id></GetOrder>'), {
        soapaction: '"urn:other"',
      }),
      { code: 'ACTION_MISMATCH', found: 'urn:other' },
    ],
    [
      '/soap/shop',
      soap(PING.replace('<Body>', `${HEADER}<Body>`)),
      { code: 'MUST_UNDERSTAND', found: '{urn:h}H' },
    ],
    [
      '/soap/shop',
      soap(PING.replace(ENVELOPE, 'urn:e')),
      { code: 'VERSION_MISMATCH', found: '{urn:e}Envelope' },
    ],
    ['/soap/shop', soap(DEEP), { code: 'XML_DEPTH_LIMIT', limit: 20, key: 'limits.xml.depth' }],
    [
      '/soap/shop',
      soap(PING, { 'content-type': 'text/plain' }),
      { code: 'HTTP_MEDIA_TYPE', found: 'text/plain' },
    ],
    ['/nothing?secret=1', {}, { code: 'HTTP_NOT_FOUND', found: '/nothing' }],
    [
      `/${'a'.repeat(100)}`,
      {},
      { code: 'HTTP_URI_TOO_LONG', found: 101, limit: 100, key: 'limits.http.uriBytes' },
    ],
    [
      '/graphql',
      graphql({ query: `{${ALIASES.join(' ')}}` }),
      { code: 'MAX_ALIASES_LIMIT', found: 20, limit: 15, key: 'limits.graphql.aliases' },
    ],
  ];
  let count = 0;
  for (const [path, init, line] of expected) {
    const answer = await fetch(gateway.url + path, init);
    const text = await answer.text();
    t.match(await gateway.accessLine(++count), line, JSON.stringify(line));
    const { code, found } = line;
    if (String(code).startsWith('HTTP_') && typeof found === 'string')
      t.notMatch(text, found, 'answers outside SOAP repeat nothing of a request');
  }
});
