import type { IncomingHttpHeaders } from 'node:http';
import t, { type Test } from 'tap';
import { codesOf, errorWith, type GraphqlAnswer } from '../kit/answers.js';
import { answerBy, answerOperations, answerWith } from '../kit/backend.js';
import { problemsOf } from '../kit/configuration.js';
import { envelope, operationIn, SOAP_11, SOAP_12, textIn } from '../kit/envelope.js';
import { postGraphql } from '../kit/graphql-client.js';
import { RawClient, sendRaw } from '../kit/raw-client.js';
import { makeIssuer } from '../kit/token-issuer.js';
import { useBackend, useFolder, useGraphqlServer, useService } from '../kit/use.js';

const services = (url: string, more = ''): string => `services:
  orders:
    url: ${url}/orders
    versions: ["1.1", "1.2"]
    namespace: urn:orders
${more}    types: |
      type Query { order(id: ID!): Order, stock(sku: String): Order }
      type Mutation { place(sku: String): Order, cancel(id: ID): Order }
      type Order { id: ID, customerId: ID }
    operations:
      GetOrder: { field: Query.order }
      GetStock: { field: Query.stock, weight: 300 }
      PlaceOrder: { field: Mutation.place }
      Cancel: { field: Mutation.cancel, cost: 40 }
  customers:
    url: ${url}/customers
    namespace: urn:customers
    types: |
      type Query { customer(id: ID!): Customer }
      type Customer { id: ID }
    operations:
      GetCustomer: { field: Query.customer }
links:
  Order.customer: { operation: customers.GetCustomer, arguments: { id: customerId } }
`;

const KEYS = {
  erp: 'key-of-the-erp-000001',
  web: 'key-of-the-web-000001',
  shop: 'key-of-the-shop-00001',
};

const CLIENTS = `clients:
  apiKeys:
    clients:
      erp: { class: internal, keys: [${KEYS.erp}] }
      web: { class: partner, keys: [${KEYS.web}] }
      shop: { class: partner, keys: [${KEYS.shop}] }
  address: { class: public }
  trustedProxies: [127.0.0.1]
  classes:
    internal: {}
    partner:
      budget: { maximum: 1000, restoreRate: 1 }
      deny: [orders.PlaceOrder]
    public:
      budget: { maximum: 100, restoreRate: 1 }
      allow: [orders.GetOrder]
`;

type Perimeter = Awaited<ReturnType<typeof startPerimeter>>;

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: GraphqlAnswer & {
    readonly extensions?: {
      readonly cost?: {
        readonly requestedQueryCost: number;
        readonly actualQueryCost: number;
        readonly throttleStatus: {
          readonly maximumAvailable: number;
          readonly currentlyAvailable: number;
        };
      };
    };
  };
}

async function answerOf(response: Response): Promise<Answer> {
  const { status, headers } = response;
  const text = await response.text();
  return { status, headers, text, json: text.startsWith('{') ? JSON.parse(text) : {} };
}

async function startPerimeter(
  t: Test,
  clients: string | ((url: string) => string) = CLIENTS,
  more = '',
) {
  const answer = answerBy((text, { target }) => {
    const name = operationIn(text) || 'GetOrder';
    const uri = target.startsWith('/customers') ? 'urn:customers' : 'urn:orders';
    return `<${name}Response xmlns="${uri}"><id>1</id><customerId>7</customerId></${name}Response>`;
  });
  const yaml = (url: string): string =>
    services(url, more) + (typeof clients === 'string' ? clients : clients(url));
  const { backend, gateway, send } = await useService(t, answer, yaml);
  return {
    backend,
    gateway,
    async soap(
      operation: string,
      headers: Record<string, string> = {},
      uri: string = SOAP_11,
      content = '',
    ) {
      const body = `<m:${operation} xmlns:m="urn:orders"><m:id>1</m:id>${content}</m:${operation}>`;
      return answerOf(await send(envelope(body, '', uri), headers));
    },
    graphql: async (query: string, headers: Record<string, string> = {}): Promise<Answer> =>
      answerOf(await postGraphql(gateway.url, { query }, headers)),
  };
}

const as = (name: keyof typeof KEYS): Record<string, string> => ({ 'x-api-key': KEYS[name] });
const at = (address: string): Record<string, string> => ({ 'x-forwarded-for': address });
const codeOf = ({ json }: Answer): string | undefined => codesOf(json)[0];

t.test(
  'credentials that are no good get nowhere by either endpoint, and the backend hears nothing',
  async (t) => {
    const { backend, gateway, soap, graphql } = await startPerimeter(t);
    const wrong = { 'x-api-key': 'no-such-key-anywhere' };
    const fault = await soap('GetOrder', wrong);
    t.equal(fault.status, 500);
    t.match(fault.text, '<faultcode>soap:Client</faultcode>');
    t.match(fault.text, 'code="wsse:FailedAuthentication"');
    const fault12 = await soap('GetOrder', wrong, SOAP_12);
    t.equal(fault12.status, 400);
    t.match(fault12.text, 'soap:Sender');
    const refused = await graphql('{ order(id: 1) { id } }', wrong);
    t.equal(refused.status, 401);
    t.ok(refused.headers.get('www-authenticate'));
    t.equal(codeOf(refused), 'UNAUTHENTICATED');
    t.equal(
      (await soap('GetOrder', { ...wrong, 'content-type': 'text/plain' })).status,
      500,
      'before the head is looked at',
    );
    t.equal(backend.begun, 0);
    const lines = JSON.stringify(gateway.logLines());
    t.notMatch(lines, 'no-such-key', 'keys are not logged');
    t.notMatch(await gateway.metrics(), 'no-such-key');
  },
);

t.test(
  'credentials that are missing read otherwise than those that are not accepted',
  async (t) => {
    const keys =
      `clients: { apiKeys: { clients: { erp: { class: all, keys: [${KEYS.erp}] } } }, ` +
      'classes: { all: {} } }\n';
    const { soap, graphql } = await startPerimeter(t, keys);
    const ask = async (given: Record<string, string>): Promise<readonly unknown[]> => {
      const { text } = await soap('GetOrder', given);
      const { json, headers } = await graphql('{ order(id: 1) { id } }', given);
      return [
        textIn(text, 'faultstring'),
        json.errors?.[0]?.message,
        headers.get('www-authenticate'),
      ];
    };
    const missing = 'Credentials are required.';
    t.same(await ask({}), [missing, missing, 'Bearer realm="soapstone"']);
    const wrong = 'The credentials were not accepted.';
    t.same(await ask({ 'x-api-key': 'wrong' }), [
      wrong,
      wrong,
      'Bearer realm="soapstone", error="invalid_token"',
    ]);
  },
);

t.test('nothing is invited that will not be let in', async (t) => {
  const { gateway } = await startPerimeter(t);
  const client = await RawClient.connect(gateway.url);
  const head = [
    'POST /soap/orders HTTP/1.1',
    'Host: x',
    'Content-Type: text/xml',
    'Content-Length: 100',
    'X-Api-Key: wrong',
  ];
  await client.send(`${[...head, 'Expect: 100-continue'].join('\r\n')}\r\n\r\n`);
  const answer = await client.reply();
  t.equal(answer.status, 500, 'no 100');
  t.match(answer.body, 'wsse:FailedAuthentication');
  client.close();
});

t.test(
  'what a class may call holds for the operation, by whatever name and endpoint',
  async (t) => {
    const { backend, soap, graphql } = await startPerimeter(t);
    t.equal((await soap('PlaceOrder', as('erp'))).status, 200);
    t.equal((await soap('GetOrder', as('web'))).status, 200);
    t.equal(backend.complete.length, 2);
    const denied = await soap('PlaceOrder', { ...as('web'), soapaction: '""' });
    t.equal(denied.status, 500);
    t.match(denied.text, 'code="FORBIDDEN"');
    t.equal((await soap('PlaceOrder', at('203.0.113.1'))).status, 500, 'not allowed either');
    const queries = [
      'mutation { place(sku: "x") { id } }',
      'mutation Order { order: place(sku: "x") { id } }',
      'mutation { ...All } fragment All on Mutation { a: place { id } }',
      'mutation { ... on Mutation { ... { place { id } } } }',
      'mutation ($no: Boolean = false) { place @skip(if: $no) { id } }',
    ];
    for (const query of queries) {
      const answer = await graphql(query, as('web'));
      t.equal(answer.status, 403, query);
      t.equal(codeOf(answer), 'FORBIDDEN', query);
    }
    t.equal(
      (await graphql('{ order(id: 1) { id customer { id } } }', at('203.0.113.1'))).status,
      403,
      'a link',
    );
    t.equal(
      (await graphql('{ order(id: 1) { id } customer(id: 1) { id } }', at('203.0.113.1'))).status,
      403,
      'one of two',
    );
    t.equal(backend.complete.length, 2, 'the backend hears of none');
    t.same((await graphql('{ order(id: 1) { id } }', at('203.0.113.1'))).json.data, {
      order: { id: '1' },
    });
    t.same((await graphql('{ order(id: 1) { customer { id } } }', as('web'))).json.data, {
      order: { customer: { id: '1' } },
    });
    t.same((await graphql('mutation { place { id } }', as('erp'))).json.data, {
      place: { id: '1' },
    });
    t.equal(
      (await graphql('{ __typename }', at('203.0.113.2'))).status,
      200,
      'what calls nothing is for everybody',
    );
  },
);

t.test('one bucket for both endpoints (G14)', async (t) => {
  const { backend, gateway, soap, graphql } = await startPerimeter(t);
  const first = await graphql('{ order(id: 1) { id } }', as('web'));
  const cost = first.json.extensions?.cost;
  t.match(cost, {
    requestedQueryCost: 11,
    throttleStatus: { maximumAvailable: 1000, restoreRate: 1 },
  });
  const before = cost?.throttleStatus.currentlyAvailable ?? 0;
  t.equal((await soap('GetStock', as('web'))).status, 200);
  const then =
    (await graphql('{ __typename }', as('web'))).json.extensions?.cost?.throttleStatus
      .currentlyAvailable ?? 0;
  t.ok(
    before - then >= 298 && before - then <= 300,
    `300 points less, but for what came back: ${before - then}`,
  );
  for (let time = 0; time < 2; time++) t.equal((await soap('GetStock', as('web'))).status, 200);
  const arrived = backend.complete.length;
  const fault = await soap('GetStock', as('web'));
  t.equal(fault.status, 500);
  t.match(fault.text, 'code="RATE_LIMITED"');
  t.match(fault.headers.get('retry-after'), /^[1-9]\d*$/);
  const fault12 = await soap('GetStock', as('web'), SOAP_12);
  t.equal(fault12.status, 400);
  t.match(fault12.text, 'soap:Sender');
  let denied = await graphql('{ order(id: 1) { id } }', as('web'));
  while (denied.status === 200) denied = await graphql('{ order(id: 1) { id } }', as('web'));
  t.equal(denied.status, 429);
  t.equal(codeOf(denied), 'RATE_LIMITED');
  t.match(denied.headers.get('retry-after'), /^\d+$/);
  const { throttleStatus, ...asked } = denied.json.extensions?.cost ?? {};
  t.same(asked, { requestedQueryCost: 11, actualQueryCost: 0 });
  t.ok((throttleStatus?.currentlyAvailable ?? 1000) < 11);
  const heard = backend.complete.length;
  for (let time = 0; time < 20; time++) await soap('GetStock', as('web'));
  t.equal(backend.complete.length, heard, 'the backend hears of none that was denied');
  t.ok(heard > arrived, 'and heard of those that were not');
  t.equal(
    (await soap('GetStock', as('shop'))).status,
    200,
    'another client of the class has its own',
  );
  t.equal((await soap('GetStock', as('erp'))).status, 200, 'a class without a budget');

  const metrics = await gateway.metrics();
  t.match(metrics, /soapstone_budget_points_total\{class="partner",outcome="spent"\} \d{3,}/);
  t.match(metrics, /soapstone_budget_points_total\{class="partner",outcome="denied"\} \d{3,}/);
  t.match(metrics, /soapstone_refusals_total\{route="orders",code="RATE_LIMITED"\} \d+/);
  const line = gateway.logLines().find((one) => one['caller'] === 'apiKey:web');
  t.match(line, { class: 'partner' });
  t.notMatch(JSON.stringify(gateway.logLines()), 'key-of-the', 'keys are not logged');
});

t.test(
  'what a call weighs: as the operation says, as GraphQL pays for it, or as all do',
  async (t) => {
    const weigh = async (operation: string, more = ''): Promise<number> => {
      const { soap, graphql } = await startPerimeter(t, CLIENTS, more);
      t.equal((await soap(operation, as('web'))).status, 200, operation);
      const { json } = await graphql('{ __typename }', as('web'));
      return 1000 - (json.extensions?.cost?.throttleStatus.currentlyAvailable ?? 0);
    };
    const about = async (points: number, found: Promise<number>, name: string): Promise<void> => {
      const spent = await found;
      t.ok(spent <= points && spent >= points - 2, `${name}: ${spent}`);
    };
    await about(300, weigh('GetStock'), 'weight');
    await about(40, weigh('Cancel'), 'cost');
    await about(10, weigh('GetOrder'), 'callCost of the limits');
    await about(25, weigh('GetOrder', '    callCost: 25\n'), 'callCost of the service');
  },
);

t.test(
  'an operation dearer than the bucket is too expensive, and does not come back for ever',
  async (t) => {
    const { graphql } = await startPerimeter(t);
    const many =
      `{ ${Array.from({ length: 5 }, (_, index) => `a${index}: order(id: 1) { id }`).join(' ')} ` +
      '}';
    t.equal((await graphql(many, at('203.0.113.5'))).status, 200, '55 of 100');
    const dear = `clients:
  address: { class: public }
  classes: { public: { deny: [orders.GetStock, orders.Cancel], budget: { maximum: \
20, restoreRate: 1 } } }
`;
    const small = await startPerimeter(t, dear);
    const answer = await small.graphql(many);
    t.equal(codeOf(answer), 'MAX_COST_LIMIT');
    t.equal(answer.headers.get('retry-after'), null);
    t.equal(small.backend.complete.length, 0);
  },
);

t.test(
  'a client behind a trusted proxy has one budget, whatever header fields it sends (H34)',
  async (t) => {
    const { soap } = await startPerimeter(t);
    const spend = async (headers: Record<string, string>): Promise<number> => {
      let passed = 0;
      while (passed < 50 && (await soap('GetOrder', headers)).status === 200) passed++;
      return passed;
    };
    t.equal(await spend(at('203.0.113.10')), 10);
    t.equal(await spend(at('203.0.113.11')), 10, 'another client');
    t.ok(
      (await spend(at('198.51.100.1, 203.0.113.10'))) <= 1,
      'with another address before its own',
    );
    t.ok((await spend(at('2001:db8::1'))) === 10);
    t.ok((await spend(at('2001:db8::2'))) <= 1, 'the same subscriber');
    const strict = await startPerimeter(t, CLIENTS.replace('127.0.0.1', '192.0.2.1'));
    const open = async (address: string): Promise<number> =>
      (await strict.soap('GetOrder', at(address))).status;
    let passed = 0;
    for (let index = 0; index < 30; index++)
      if ((await open(`203.0.113.${index}`)) === 200) passed++;
    t.ok(passed <= 11, `of strangers the field means nothing: ${passed}`);
  },
);

t.test('without clients every caller may call everything, and no warning appears', async (t) => {
  const { gateway, soap, graphql } = await startPerimeter(t, '');
  for (let time = 0; time < 5; time++)
    t.equal((await soap('GetStock', { 'x-api-key': 'anything' })).status, 200);
  const answer = await graphql('{ order(id: 1) { id customer { id } } }');
  t.same(answer.json.data, { order: { id: '1', customer: { id: '1' } } });
  t.equal(answer.json.extensions?.cost?.throttleStatus, undefined);
  t.notMatch(JSON.stringify(gateway.logLines()), '"caller"');
});

t.test('plain routes need a right, and each request of one costs a point', async (t) => {
  const rights = `clients:
  apiKeys:
    clients:
      erp: { class: internal, keys: [${KEYS.erp}] }
      web: { class: partner, keys: [${KEYS.web}] }
      shop: { class: shop, keys: [${KEYS.shop}] }
  classes:
    internal: {}
    partner: { allow: [orders.GetOrder, /files], budget: { maximum: 10, restoreRate: 1 } }
    shop: { deny: [/files] }
`;
  const { backend, gateway } = await startPerimeter(
    t,
    (url) =>
      `routes: [{ path: /files, url: "${url}" }, { path: /files/own.d, url: "${url}" }]\n${rights}`,
  );
  const get = async (path: string, headers: Record<string, string>) => {
    const response = await fetch(gateway.url + path, { headers });
    const text = response.ok ? '' : await response.text();
    return { status: response.status, text, retryAfter: response.headers.get('retry-after') };
  };
  t.equal((await get('/files/a', {})).status, 401);
  t.equal((await get('/files/a', as('erp'))).status, 200);
  t.match(await get('/files/a', as('shop')), { status: 403, text: '' });
  t.equal((await get('/files/own.d/a', as('shop'))).status, 200, 'another route');
  t.match(await get('/files/own.d/a', as('web')), { status: 403, text: '' }, 'not allowed');
  for (let time = 0; time < 10; time++) t.equal((await get('/files/a', as('web'))).status, 200);
  let denied = await get('/files/a', as('web'));
  while (denied.status === 200) denied = await get('/files/a', as('web'));
  t.match(denied, { status: 429, text: '', retryAfter: /^[1-9]/ });
  const heard = backend.begun;
  await get('/files/a', as('web'));
  t.equal(backend.begun, heard, 'the backend hears of none that was denied');

  const nowhere = rights.replace('/files]', '/fies]');
  const start = startPerimeter(t, (url) => `routes: [{ path: /files, url: "${url}" }]\n${nowhere}`);
  await t.rejects(start, /There is no plain route `\/fies`\./);
});

t.test(
  'what is no call is refused as HTTP refuses, and needs a right to one operation',
  async (t) => {
    const { backend, gateway } = await startPerimeter(
      t,
      CLIENTS.replace('allow: [orders.GetOrder]', 'allow: [customers]'),
    );
    const get = async (query: string, headers: Record<string, string> = {}) => {
      const response = await fetch(`${gateway.url}/soap/orders${query}`, { headers });
      return {
        status: response.status,
        text: await response.text(),
        challenge: response.headers.get('www-authenticate'),
      };
    };
    for (const query of ['?wsdl', '?xsd=1', '']) {
      t.match(
        await get(query, { 'x-api-key': 'no-such-key' }),
        { status: 401, text: '', challenge: /^Bearer/ },
        query,
      );
      t.match(
        await get(query, at('203.0.113.1')),
        { status: 403, text: '' },
        'may call nothing of it',
      );
      t.equal(
        (await get(query, as('web'))).status,
        query === '' ? 200 : 404,
        'where there is no WSDL',
      );
    }
    t.match(
      (await get('', as('web'))).text,
      /^orders is a SOAP service\.\nSend envelopes to this address by POST: /,
    );
    t.equal(backend.begun, 0);
    const enveloped = { ...as('erp'), accept: 'application/soap+xml' };
    t.equal((await get('', enveloped)).status, 200, 'GET for an envelope goes on');
    t.equal((await get('?op=GetOrder', as('erp'))).status, 200, 'so does one with a query');
    t.equal(backend.complete.length, 2);
    backend.answer = answerWith('<html>a page</html>', 'text/html', 500);
    const failed = await get('?op=GetOrder', as('erp'));
    t.match(
      failed,
      { status: 500, text: /code="UPSTREAM_INVALID_RESPONSE"/ },
      'what is no envelope becomes a Fault',
    );
    t.notMatch(failed.text, 'a page');
    let left = 100;
    while (left > 0 && (await get('', as('web'))).status === 200) left--;
    t.ok(left === 0, 'a page costs one of 1,000 points');
  },
);

t.test(
  'behind a trusted proxy the log names the client that it forwards for, and the proxy as the peer',
  async (t) => {
    const { gateway, backend, soap, graphql } = await startPerimeter(t);
    const [client, peer, proxy] = ['203.0.113.9', '127.0.0.1', at('203.0.113.9')];
    await soap('GetOrder', proxy);
    t.equal(
      backend.complete[0]?.headers['x-forwarded-for'],
      `${client}, ${peer}`,
      'backends get the chain',
    );
    await graphql('{ order(id: 1) { id } }', proxy);
    t.equal(backend.complete[1]?.headers['x-forwarded-for'], `${client}, ${peer}`);
    await soap('PlaceOrder', proxy);
    for (const count of [1, 2, 3])
      t.match(await gateway.accessLine(count), { client, peer, caller: `address:${client}` });
    const upgrade =
      `GET /graphql HTTP/1.1\r\nHost: a\r\nOrigin: http://b\r\nX-Forwarded-For: ${client}\r\n` +
      'Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
    t.equal((await sendRaw(gateway.url, upgrade)).status, 403);
    t.match(
      await gateway.accessLine(4),
      { client, peer, code: 'HTTP_ORIGIN' },
      'a refused upgrade',
    );
    await soap('GetOrder', at('203.0.113.9, 127.0.0.1, not an address'));
    const line = await gateway.accessLine(5);
    t.equal(line['client'], peer, 'what is no address is not taken over');
    t.notOk('peer' in line);
  },
);

t.test('monitor mode is about messages, not about the rights of callers', async (t) => {
  const { backend, soap } = await startPerimeter(t, CLIENTS, '    mode: monitor\n');
  t.equal((await soap('GetOrder', { 'x-api-key': 'no-such-key-anywhere' })).status, 500);
  t.match((await soap('PlaceOrder', as('web'))).text, 'code="FORBIDDEN"');
  t.match(
    (await soap('Unknown', at('203.0.113.20'))).text,
    'code="FORBIDDEN"',
    'what is not known is not allowed',
  );
  const two =
    '</m:GetOrder><m:PlaceOrder xmlns:m="urn:orders"><m:sku>x</m:sku></m:PlaceOrder>' +
    '<m:GetOrder xmlns:m="urn:orders">';
  t.match(
    (await soap('GetOrder', at('203.0.113.20'), SOAP_11, two)).text,
    'code="SOAP_MULTI_BODY"',
    'nor beside what is',
  );
  t.match(
    (await soap('GetOrder', at('203.0.113.20'), SOAP_11, '</x>')).text,
    'code="XML_NOT_WELLFORMED"',
  );
  t.equal(backend.begun, 0);
  for (let time = 0; time < 3; time++) t.equal((await soap('GetStock', as('web'))).status, 200);
  t.match((await soap('GetStock', as('web'))).text, 'code="RATE_LIMITED"');
  t.equal((await soap('Unknown', as('erp'))).status, 200, 'which is what monitor mode is for');
  t.equal(
    (await soap('GetOrder', as('erp'), SOAP_11, two)).status,
    200,
    'for those who may call all',
  );
});

t.test('a long message is denied before it flows, in either mode', async (t) => {
  const padding = `<m:note>${'x'.repeat(500_000)}</m:note>`;
  for (const mode of ['', '    mode: monitor\n', '    bufferRequests: true\n']) {
    const { backend, soap } = await startPerimeter(t, CLIENTS, mode);
    t.match((await soap('PlaceOrder', as('web'), SOAP_11, padding)).text, 'code="FORBIDDEN"', mode);
    t.equal(backend.begun, 0, mode);
    t.equal((await soap('PlaceOrder', as('erp'), SOAP_11, padding)).status, 200, mode);
  }
});

t.test(
  'what a class may call of a service that speaks GraphQL, wherever its root is come by',
  async (t) => {
    const crm = await useGraphqlServer(t, {
      sdl: `type Query { customer(id: ID): Customer, secret: String, ledger(id: ID): Ledger }
          type Customer { id: ID, ledgerId: ID, root: Query }
          type Ledger { id: ID }`,
      rootValue: {
        customer: () => ({ id: '1', ledgerId: '2', root: { secret: 'told', customer: null } }),
        secret: () => 'told',
        ledger: () => ({ id: '2' }),
      },
    });
    const { gateway } = await useService(
      t,
      answerOperations('urn:orders', () => '<id>1</id><customerId>7</customerId>'),
      (url) => `services:
  orders:
    url: ${url}/orders
    namespace: urn:orders
    types: |
      type Query { order(id: ID!): Order }
      type Order { id: ID, customerId: ID }
    operations:
      GetOrder: { field: Query.order }
  crm: { kind: graphql, url: "${crm.url}" }
links:
  Order.customer: { operation: crm.customer, arguments: { id: customerId } }
  Customer.ledger: { operation: crm.ledger, arguments: { id: ledgerId } }
clients:
  address: { class: all }
  classes: { all: { deny: [crm.secret, crm.ledger] } }
`,
    );
    crm.requests.length = 0;
    const ask = async (query: string): Promise<Answer> =>
      answerOf(await postGraphql(gateway.url, { query }));
    t.equal((await ask('{ secret }')).status, 403);
    t.equal((await ask('{ customer { id } x: secret }')).status, 403);
    for (const query of [
      '{ customer { root { secret } } }',
      '{ customer { root { id: secret } } }',
      '{ customer { root { ... { root: customer { root { secret } } } } } }',
      '{ customer { ledger { id } } }',
      '{ order(id: 1) { customer { ledger { id } } } }',
      '{ order(id: 1) { customer { root { secret } } } }',
    ]) {
      const answer = await ask(query);
      t.equal(codeOf(answer), 'FORBIDDEN', query);
      t.notMatch(answer.text, 'told', query);
    }
    t.notOk(
      crm.requests.some(({ query }) => /secret|ledger\b/.test(query)),
      'the service is not even asked',
    );
    t.same((await ask('{ customer { root { customer { id } } } }')).json.errors, undefined);
    t.same((await ask('{ order(id: 1) { customer { id } } }')).json.data, {
      order: { customer: { id: '1' } },
    });
  },
);

t.test('tokens, with the keys of an issuer that is asked', async (t) => {
  const issuer = await makeIssuer();
  const server = await useBackend(t, answerWith(issuer.keySet));
  const { backend, gateway, soap, graphql } = await startPerimeter(
    t,
    `clients:
  ${issuer.yaml('classClaim: tier', `${server.url}/keys`)}
  classes:
    gold: {}
    silver: { allow: [orders.GetOrder] }
`,
  );
  const sign = (claims: Record<string, unknown>) =>
    issuer.bearer({ sub: 'alice@example.com', ...claims });
  const gold = await sign({ tier: 'gold' });
  t.equal((await soap('PlaceOrder', gold)).status, 200);
  t.equal((await graphql('mutation { place { id } }', gold)).status, 200);
  t.equal((await graphql('mutation { place { id } }', await sign({ tier: 'silver' }))).status, 403);
  t.equal(
    (await graphql('{ order(id: 1) { id } }', await sign({ tier: 'bronze' }))).status,
    401,
    'a class there is not',
  );
  t.equal((await graphql('{ order(id: 1) { id } }')).status, 401, 'nobody at all');
  t.match(
    (await soap('GetOrder', { authorization: 'Bearer a.b.c' })).text,
    'wsse:FailedAuthentication',
  );
  t.equal(server.begun, 1);
  t.equal(backend.complete.length, 2);
  await gateway.reload((yaml) =>
    yaml.replace('silver: { allow: [orders.GetOrder] }', 'silver: {}'),
  );
  t.equal((await graphql('mutation { place { id } }', await sign({ tier: 'silver' }))).status, 200);
  t.equal(server.begun, 2, 'the issuer is asked again after a reload');
  await gateway.reload((yaml) => yaml.replace('/keys', '/other'));
  t.equal((await soap('PlaceOrder', gold)).status, 200);
  t.equal(server.begun, 3, 'another address is asked');
  const lines = JSON.stringify(gateway.logLines());
  t.notMatch(lines, 'alice', 'who it is, the log does not tell');
  t.notMatch(lines, gold.authorization.slice(-40), 'nor its token');
});

t.test('unusable keys of an issuer are logged once, when they are fetched', async (t) => {
  const issuer = await useBackend(t, answerWith('{"keys":[{"kty":"oct","k":"c2VjcmV0"}]}'));
  const clients = `clients:
  jwt: { issuer: i, audience: a, class: all, jwksUrl: "${issuer.url}/keys" }
  classes: { all: {} }
`;
  const token = ['{"alg":"RS256"}', '{"iss":"i"}', 'x']
    .map((part) => Buffer.from(part).toString('base64url'))
    .join('.');
  const notes = async (): Promise<readonly unknown[]> => {
    const { gateway, graphql } = await startPerimeter(t, clients);
    for (let count = 0; count < 2; count++) {
      const answer = await graphql('{ order(id: 1) { id } }', {
        authorization: `Bearer ${token}`,
      });
      t.equal(answer.status, 401);
    }
    return gateway.logLines().filter((line) => line['msg'] === 'configuration warning');
  };
  const [note, ...others] = await notes();
  t.match(note, {
    level: 'warn',
    note: /:\d+:\d+: The key set of `clients\.jwt\.jwksUrl` has no public key for RS256 or ES256: no token /,
  });
  t.same(others, []);
  issuer.answer = answerWith('<html>');
  t.match(await notes(), [{ note: /is no JSON Web Key Set/ }]);
  await issuer.close();
  t.match(await notes(), [{ note: /cannot be fetched \(ECONNREFUSED\)\.$/ }]);
});

t.test('credentials of a caller are not forwarded, unless the configuration says so', async (t) => {
  const issuer = await makeIssuer();
  const tokenFor = async (aud: string | string[], claims = {}): Promise<string> =>
    (await issuer.bearer({ sub: 'alice', aud, ...claims })).authorization;
  const bearer = await tokenFor('soapstone');
  const ofGateway = [
    bearer,
    await tokenFor(['backend', 'soapstone']),
    bearer.replace('Bearer ', 'bearer\t'),
  ];
  const foreign = await tokenFor('soapstone', { iss: 'else' });
  const ofBackend = ['Bearer opaque', 'Bearer a.b.c', await tokenFor('backend'), foreign];
  const startWith = (forward: boolean, order: string | null = null): Promise<Perimeter> =>
    startPerimeter(
      t,
      (url) => `routes: [{ path: /files, url: "${url}" }]
clients:
  ${order === null ? '' : `order: ${order}`}
  ${issuer.yaml(`class: all, forward: ${forward}`)}
  apiKeys: { clients: { erp: { class: all, keys: [${KEYS.erp}] } } }
  address: { class: all }
  classes: { all: {} }
`,
    );
  for (const forward of [false, true]) {
    const first = await startWith(forward);
    const { backend, gateway, soap } = first;
    const sent = (): string | string[] | undefined =>
      backend.complete.at(-1)?.headers['authorization'];
    const file = (headers: Record<string, string>): Promise<Response> =>
      fetch(`${gateway.url}/files`, { headers });
    const passes = forward ? bearer : undefined;
    t.equal((await soap('GetOrder', { authorization: bearer })).status, 200);
    t.equal(sent(), passes, 'a token, SOAP');
    await file({ authorization: bearer });
    t.equal(sent(), passes, 'a token, a plain route');
    t.equal((await soap('GetOrder', { authorization: 'Basic dTpw' })).status, 200);
    t.equal(sent(), 'Basic dTpw', 'what is for the backend');
    for (const order of [null, '[apiKey, jwt, address]', '[jwt, apiKey, address]']) {
      const both = order === null ? first : await startWith(forward, order);
      const last = (): IncomingHttpHeaders | undefined => both.backend.complete.at(-1)?.headers;
      for (const authorization of ofGateway) {
        const headers = { authorization, 'x-api-key': KEYS.erp };
        t.equal(
          (await both.soap('GetOrder', headers)).status,
          200,
          `${order}: ${authorization.slice(0, 7)}`,
        );
        t.equal(
          last()?.authorization,
          forward ? authorization : undefined,
          'whatever it is known by, SOAP',
        );
        t.equal(last()?.['x-api-key'], undefined);
        t.equal((await fetch(`${both.gateway.url}/files`, { headers })).status, 200);
        t.equal(last()?.authorization, forward ? authorization : undefined, 'and a plain route');
        t.equal(last()?.['x-api-key'], undefined);
        t.equal((await both.graphql('{ order(id: 1) { id } }', headers)).status, 200);
        t.equal(last()?.authorization, undefined, 'GraphQL');
        t.equal(last()?.['x-api-key'], undefined);
      }
    }
    for (const authorization of ofBackend) {
      t.equal((await soap('GetOrder', { authorization, 'x-api-key': KEYS.erp })).status, 200);
      t.equal(sent(), authorization, 'a token of others is for the backend');
      await file({ authorization, 'x-api-key': KEYS.erp });
      t.equal(sent(), authorization);
    }
    await file({ 'x-api-key': KEYS.erp });
    t.equal(backend.complete.at(-1)?.headers['x-api-key'], undefined, 'an API key');
  }
});

t.test('a claim of the token is a value of the request, never the answer of another', async (t) => {
  const issuer = await makeIssuer();
  const service = await useService(
    t,
    answerOperations('urn:orders', (_name, text) => `<id>${textIn(text, 'sku') ?? 'none'}</id>`),
    (url) => `services:
  orders:
    url: ${url}/orders
    namespace: urn:orders
    types: |
      type Query { mine(sku: String!): Order, maybe(sku: String): Order }
      type Order { id: ID }
    operations:
      GetStock: { field: Query.mine, read: { cacheMillis: 60000, scope: shared }, arguments: \
{ sku: { claim: sub } } }
      GetOrder: { field: Query.maybe, arguments: { sku: { claim: tenant } } }
clients:
  jwt:
    issuer: https://login.example
    audience: soapstone
    algorithms: [ES256]
    jwks: { file: keys.json }
    class: all
  address: { class: all }
  classes:
    all: {}
`,
    await useFolder(t, { 'keys.json': issuer.keySet }),
  );
  const { backend } = service;
  const ask = async (query: string, sub: string | null): Promise<unknown> =>
    service.ask(query, {}, sub === null ? {} : await issuer.bearer({ sub }));
  t.match(await ask('{ mine { id } }', 'alice'), { data: { mine: { id: 'alice' } } });
  t.match(
    await ask('{ mine { id } }', 'bob'),
    { data: { mine: { id: 'bob' } } },
    'though what is read is for all',
  );
  t.match(await ask('{ mine { id } }', 'alice'), { data: { mine: { id: 'alice' } } });
  t.equal(backend.complete.length, 2, 'the second time from memory');
  t.match(await ask('{ mine(sku: "x") { id } }', 'bob'), errorWith('GRAPHQL_VALIDATION_FAILED'));
  t.match(await ask('{ mine { id } }', null), {
    data: { mine: null },
    errors: [{ extensions: { code: 'FORBIDDEN' } }],
  });
  t.match(
    await ask('{ maybe { id } }', 'bob'),
    { data: { maybe: { id: 'none' } } },
    'an optional one is left out',
  );
  t.equal(backend.complete.length, 3);
});

t.test(
  'what is wrong with `clients` is said at the start, all at once and without secrets',
  async (t) => {
    const mistakesIn = (clients: string): Promise<string> =>
      problemsOf(t, services('http://127.0.0.1:1') + clients);
    const wrong = await mistakesIn(`clients:
  order: [apiKey]
  apiKeys:
    clients:
      erp: { class: intern, keys: [same-key-of-two-000001] }
      web: { class: internal, keys: [same-key-of-two-000001, short] }
  address: { class: internal }
  certificate: { class: internal }
  jwt: { issuer: x, audience: y, algorithms: [HS256] }
  trustedProxies: [10.0.0.0/40]
  classes: { internal: {} }
`);
    t.match(
      wrong,
      'clients.apiKeys.clients.erp.class` is none of `clients.classes`. Did you mean `internal`?',
    );
    t.match(wrong, 'has a key that `erp` has too');
    t.match(wrong, 'A key has 16 to 512 visible characters');
    t.match(wrong, '`clients.address` has no effect');
    t.match(wrong, 'one of `jwks` and `jwksUrl`');
    t.match(wrong, 'gives no client a class');
    t.match(wrong, 'clients.jwt.algorithms[0]` must be one of');
    t.match(wrong, 'Write an IP address, or a network');
    t.notMatch(wrong, 'same-key', 'no key is told');
    const rights = await mistakesIn(`clients:
  address: { class: all }
  classes:
    all: { allow: [order, orders.GetOrdr], deny: [orders.GetOrder.x], budget: { maximum: 200 } }
`);
    t.match(rights, 'There is no service `order`. Did you mean `orders`?');
    t.match(rights, 'no operation `GetOrdr` that is known. Did you mean `orders.GetOrder`?');
    t.match(rights, 'no operation `GetOrder.x`');
    t.match(
      await mistakesIn(
        'clients:\n  address: { class: all }\n  classes: { all: { budget: { maximum: 200 } } }\n',
      ),
      'weight is beyond the budget',
    );
    t.match(await mistakesIn('clients:\n  classes: { all: {} }\n'), 'No client could call');
    t.match(
      await mistakesIn('clients:\n  certificate: { class: a }\n  classes: { a: {} }\n'),
      '`clients.certificate` needs `trustedProxies`',
    );
    t.match(
      await mistakesIn(`clients:
  apiKeys: { header: Authorization, clients: { a: { class: a, keys: [0123456789abcdef] } } }
  classes: { a: {} }
`),
      '`clients.apiKeys.header` names a header field that has a meaning of its own',
    );
    t.match(
      await mistakesIn(
        'clients:\n  jwt: { issuer: x, audience: y, class: a, jwks: "{}" }\n  classes: { a: {} }\n',
      ),
      'is no JSON Web Key Set',
    );
  },
);
