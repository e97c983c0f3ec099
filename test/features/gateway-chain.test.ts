import t from 'tap';
import { HOPS_MAX, Via } from '../../src/access/network/via.js';
import { answerBy, answerStatus } from '../kit/backend.js';
import { envelope, postSoap } from '../kit/envelope.js';
import { freePort } from '../kit/free-port.js';
import { postJson } from '../kit/graphql-client.js';
import { useBackend, useGateway } from '../kit/use.js';

/** Gateways that call themselves, and gateways in a row. */

const GET = envelope('<GetItem xmlns="urn:shop"><id>1</id></GetItem>');
const QUERY = { query: '{ item(id: 1) }' };

const shopAt = (url: string, more = ''): string => `services:
  shop:
    url: ${url}
    namespace: urn:shop
    rest: true
    types: |
      type Query { item(id: Int!): String }
    operations:
      GetItem: { field: Query.item }
${more}`;

t.test('a gateway that calls itself makes one call of one request', async (t) => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const gateway = await useGateway(t, `listen: 127.0.0.1:${port}\n${shopAt(`${url}/soap/shop`)}`);
  const answer = await postSoap(`${url}/soap/shop`, GET);
  t.equal(answer.status, 500);
  t.match(await answer.text(), /<error xmlns="urn:soapstone:error" code="LOOP_DETECTED"/);
  t.match(await gateway.metrics(), /soapstone_requests_total\{[^}]*route="shop"[^}]*\} 1\n/);
});

t.test('a loop of several servers ends at the first one that it comes back to', async (t) => {
  let isLoop = true;
  const backend = await useBackend(t);
  const gateway = await useGateway(t, shopAt(`${backend.url}/shop`));
  backend.answer = (message, response) => {
    const via = `${message.headers['via']}, 1.1 other`;
    const next = isLoop ? postSoap(`${gateway.url}/soap/shop`, GET, { via }) : null;
    void Promise.resolve(next).then(async (answer) => {
      response.writeHead(answer?.status ?? 200, { 'content-type': 'text/xml' });
      response.end((await answer?.text()) ?? envelope('<GetItemResponse xmlns="urn:shop"/>'));
    });
  };
  t.match(await (await postSoap(`${gateway.url}/soap/shop`, GET)).text(), 'LOOP_DETECTED');
  t.equal(backend.complete.length, 1);
  isLoop = false;
  const own = String(backend.complete[0]?.headers['via']);
  t.match(own, /^1\.1 soapstone-[0-9a-f]{12}$/);
  const via = '1.0 edge, 1.1 inner (a comment)';
  t.equal((await postSoap(`${gateway.url}/soap/shop`, GET, { via })).status, 200);
  t.equal(backend.complete.at(-1)?.headers['via'], own, 'names that a caller wrote are left out');
  await postJson(`${gateway.url}/graphql`, QUERY, { via });
  t.equal(backend.complete.at(-1)?.headers['via'], own, 'GraphQL');
  for (const [path, body] of [
    ['/graphql', QUERY],
    ['/rest/shop/GetItem', { id: 1 }],
  ] as const) {
    const sent = backend.complete.length;
    const refused = await postJson(`${gateway.url}${path}`, body, { via: own });
    t.equal(refused.status, 508, path);
    t.equal(backend.complete.length, sent);
  }
});

t.test('a service may do without the field', async (t) => {
  const backend = await useBackend(
    t,
    answerBy(() => '<GetItemResponse xmlns="urn:shop"/>'),
  );
  const gateway = await useGateway(t, shopAt(`${backend.url}/shop`, '    via: false\n'));
  await postSoap(`${gateway.url}/soap/shop`, GET);
  t.equal(backend.complete[0]?.headers['via'], undefined);
});

t.test('the way of a request is bounded', async (t) => {
  const via = new Via('a');
  const way = (hops: number): string => Array.from({ length: hops }, () => '1.1 p').join(', ');
  via.check(way(HOPS_MAX));
  t.throws(() => via.check(way(HOPS_MAX + 1)), { code: 'LOOP_DETECTED' });
  t.throws(() => via.check('x'.repeat(3000)), { code: 'LOOP_DETECTED' });
  t.throws(() => via.check(via.next('1.1 p')), { code: 'LOOP_DETECTED' });
  t.not(via.next(undefined), new Via('b').next(undefined));
  const other = new Via('b').next(undefined);
  t.equal(via.next(other), `${other}, ${via.next(undefined)}`);
  for (const written of ['1.1 \u00fc', '1.1 inner', `1.1 x${other}`, `${other}x`])
    t.equal(via.next(written), via.next(undefined), `${written} is of no gateway`);
});

t.test('the code, id and Retry-After of a gateway behind a gateway reach the caller', async (t) => {
  const backend = await useBackend(t, answerStatus(503, { 'retry-after': '7' }));
  const rear = await useGateway(t, shopAt(`${backend.url}/shop`));
  const front = await useGateway(t, shopAt(`${rear.url}/soap/shop`));
  const soap = await postSoap(`${front.url}/soap/shop`, GET);
  t.equal(soap.status, 500);
  t.equal(soap.headers.get('retry-after'), '7');
  const text = await soap.text();
  const [, id = ''] =
    /<error xmlns="urn:soapstone:error" code="UPSTREAM_OVERLOADED" id="([^"]+)"/.exec(text) ?? [];
  t.equal(id, (await rear.accessLine(1))['id']);
  t.not(id, (await front.accessLine(1))['id']);

  const graphql = await postJson(`${front.url}/graphql`, QUERY);
  t.equal(graphql.headers.get('retry-after'), '7');
  t.match(await graphql.json(), {
    errors: [
      {
        extensions: {
          code: 'SOAP_FAULT',
          soap: { detail: { error: { code: 'UPSTREAM_OVERLOADED', id: String } } },
        },
      },
    ],
  });
  const rest = await postJson(`${front.url}/rest/shop/GetItem`, { id: 1 });
  t.equal(rest.headers.get('retry-after'), '7');
  t.match(await rest.text(), 'UPSTREAM_OVERLOADED');
});

t.test('so do those of a gateway that is wrapped as a service of GraphQL', async (t) => {
  const backend = await useBackend(t, answerStatus(503, { 'retry-after': '7' }));
  const rear = await useGateway(
    t,
    `graphql: { introspection: true }\n${shopAt(`${backend.url}/shop`)}`,
  );
  const front = await useGateway(
    t,
    `services:\n  shop: { kind: graphql, url: "${rear.url}/graphql" }\n`,
  );
  const answer = await postJson(`${front.url}/graphql`, QUERY);
  t.equal(answer.headers.get('retry-after'), '7');
  t.match(await answer.json(), {
    errors: [
      {
        extensions: {
          code: 'GRAPHQL_UPSTREAM_ERROR',
          upstream: { code: 'UPSTREAM_OVERLOADED', id: String },
        },
      },
    ],
  });
});
