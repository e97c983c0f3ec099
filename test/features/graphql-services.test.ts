// biome-ignore-all lint/suspicious/noExplicitAny: answers are what they are
import t, { type Test } from 'tap';

import { errorWith } from '../kit/answers.js';
import { answerOperations } from '../kit/backend.js';
import { textIn } from '../kit/envelope.js';
import { useGraphqlServer, useService } from '../kit/use.js';

/**
 * A service that speaks GraphQL beside one that speaks SOAP, joined by links in both directions.
 */
const SDL = `
  type Query {
    customer(id: ID!): Customer
    customers(ids: [ID!]!, first: Int = 10): [Customer!]!
    found(text: String, filter: Filter): [Thing!]
    node(id: ID!): Node
    broken(how: String): String!
    page(ids: [ID!]!): Page
    now: DateTime
    internal: String
  }
  type Mutation {
    rename(id: ID!, name: String!): Customer
  }
  input Filter { status: Status = ACTIVE, ids: [ID!] }
  interface Node { id: ID! }
  union Thing = Customer | Order
  enum Status { ACTIVE GONE }
  scalar DateTime
  scalar Any
  type Page { rows: [Customer!], total: Int }
  type Customer implements Node {
    id: ID!
    name: String!
    status: Status
    since: DateTime
    extra: Any
    friends: [Customer!]
    orderId: String
    ref: Ref
    ssn: String
    age: Int
    query: Query
  }
  type Ref { order: String }
  type Order implements Node { id: ID!, title: String }
`;

interface Person {
  readonly [field: string]: unknown;
}

const people: ReadonlyMap<string, Person> = new Map(
  [
    {
      id: '1',
      name: 'Ada',
      friends: ['2', '3'],
      orderId: 'o1',
      ref: { order: 'o2' },
      status: 'ACTIVE',
      age: 36,
    },
    { id: '2', name: 'Bob', friends: [], orderId: null, ref: null, status: 'GONE', age: 7 },
    {
      id: '3',
      name: 'Eve',
      friends: ['1'],
      orderId: 'o3',
      ref: { order: 'o1' },
      status: 'ACTIVE',
      age: 20,
    },
  ].map((person): [string, Person] => [
    person.id,
    {
      __typename: 'Customer',
      ...person,
      since: '2026-11-21T00:00:00Z',
      extra: { deep: [1, { two: 2 }] },
      friends: () => person.friends.map((id) => people.get(id)),
      query: () => rootValue,
    },
  ]),
);

const rootValue = {
  customer: ({ id }: { id: string }) => people.get(id) ?? null,
  customers: ({ ids }: { ids: string[] }) =>
    [...ids].reverse().flatMap((id) => people.get(id) ?? []),
  page: ({ ids }: { ids: string[] }) => ({
    rows: ids.flatMap((id) => people.get(id) ?? []),
    total: ids.length,
  }),
  found: ({ filter }: { filter?: { status: string } }) => [
    ...[...people.values()].filter(
      ({ status }) => filter?.status === undefined || status === filter.status,
    ),
    { __typename: 'Order', id: 'o9', title: 'Chair' },
  ],
  node: ({ id }: { id: string }) => people.get(id) ?? { __typename: 'Order', id, title: 'Table' },
  broken: ({ how }: { how?: string }) => {
    throw new Error(how ?? 'out of order');
  },
  now: () => '2026-11-21T07:00:00Z',
  internal: () => 'secret',
  rename: ({ id, name }: { id: string; name: string }) => ({ ...people.get(id), name }),
};

const soapService = (url: string): string => `
  orders:
    url: ${url}
    namespace: urn:orders
    types: |
      type Query {
        order(id: ID!): Order
        orders: [Order!]
      }
      type Order { id: ID!, customerId: String, total: Int }
    operations:
      GetOrder: { field: Query.order }
      ListOrders: { field: Query.orders }
`;

const LINKS = `links:
  Order.customer:
    operation: crm.customer
    arguments: { id: customerId }
  Order.owner:
    operation: crm.customer
    arguments: { id: customerId }
    batch: { operation: crm.customers, argument: ids, key: id }
  Order.paged:
    operation: crm.customer
    arguments: { id: customerId }
    batch: { operation: crm.page, argument: ids, key: id, items: rows }
  Customer.order:
    operation: orders.GetOrder
    arguments: { id: orderId }
  Customer.refOrder:
    operation: orders.GetOrder
    arguments: { id: ref.order }
`;

const orderXml = (id: string, customerId: string): string =>
  `<id>${id}</id><customerId>${customerId}</customerId><total>5</total>`;

/** Answers GetOrder and ListOrders. */
const answerOrders = answerOperations('urn:orders', (name, text) => {
  const id = textIn(text, 'id') ?? '';
  if (name === 'GetOrder') return orderXml(id, id === 'o2' ? '2' : '1');
  return ['o1', 'o2', 'o3']
    .map((each, at) => `<orders>${orderXml(each, String(at + 1))}</orders>`)
    .join('');
});

/**
 * Starts a CRM, a SOAP backend and a gateway before both. `keys` are those of the service `crm`.
 */
async function desk(t: Test, keys: string, rest: string) {
  const crm = await useGraphqlServer(t, { sdl: SDL, rootValue });
  const limits = 'limits: { graphql: { rootFields: 20, aliases: 100, cost: 20000 } }\n';
  const service = `  crm:\n    kind: graphql\n    url: ${crm.url}\n${keys}${rest}`;
  const yaml = (url: string): string =>
    `${rest.includes('limits:') ? '' : limits}services:${soapService(url)}${service}`;
  const { backend: soap, gateway, ask } = await useService(t, answerOrders, yaml);
  crm.requests.length = 0;
  return {
    crm,
    soap,
    gateway,
    ask: (...args: Parameters<typeof ask>): Promise<any> => ask(...args),
    /** Asks while the CRM answers this text. */
    askBeside(
      text: string,
      query: string,
      type = 'application/json',
      status = 200,
      headers = {},
    ): Promise<any> {
      crm.instead = (_request, response) => {
        response.writeHead(status, { 'content-type': type, ...headers }).end(text);
      };
      return ask(query);
    },
  };
}

t.test(
  'a service that speaks GraphQL is asked beside one that speaks SOAP, in one query',
  async (t) => {
    const { ask, crm, soap } = await desk(t, '', '');
    const answer = await ask(
      `query ($id: ID!, $with: Boolean!, $unused: Filter) {
      a: customer(id: $id) { ...Person friends { n: name ... @include(if: $with) { age } } }
      order(id: "o1") { id total }
      b: customer(id: "2") { __typename name extra since status }
      found(filter: { status: GONE }) { kind: __typename ... on Customer { name } ... \
on CrmOrder { title } }
      node(id: "7") { id ... on CrmOrder { title } }
      u: found(filter: $unused) @skip(if: true) { __typename }
      __typename
    }
    fragment Person on Customer { id name }`,
      { id: '1', with: true },
    );
    t.same(answer, {
      data: {
        a: {
          id: '1',
          name: 'Ada',
          friends: [
            { n: 'Bob', age: 7 },
            { n: 'Eve', age: 20 },
          ],
        },
        order: { id: 'o1', total: 5 },
        b: {
          __typename: 'Customer',
          name: 'Bob',
          extra: { deep: [1, { two: 2 }] },
          since: '2026-11-21T00:00:00Z',
          status: 'GONE',
        },
        found: [
          { kind: 'Customer', name: 'Bob' },
          { kind: 'CrmOrder', title: 'Chair' },
        ],
        node: { id: '7', title: 'Table' },
        __typename: 'Query',
      },
    });
    t.equal(crm.requests.length, 1, 'its fields are one call');
    t.equal(soap.complete.length, 1);
  },
);

t.test(
  'links lead to a service that speaks GraphQL, one by one or with a list ' +
    'operation, in one call each',
  async (t) => {
    const { ask, crm, soap } = await desk(t, '', LINKS);
    const answer = await ask(`{
    orders {
      id
      customer { n: name ...F }
      owner { id friends { name } }
      paged { name }
    }
  } fragment F on Customer { age }`);
    t.same(answer, {
      data: {
        orders: [
          {
            id: 'o1',
            customer: { n: 'Ada', age: 36 },
            owner: { id: '1', friends: [{ name: 'Bob' }, { name: 'Eve' }] },
            paged: { name: 'Ada' },
          },
          {
            id: 'o2',
            customer: { n: 'Bob', age: 7 },
            owner: { id: '2', friends: [] },
            paged: { name: 'Bob' },
          },
          {
            id: 'o3',
            customer: { n: 'Eve', age: 20 },
            owner: { id: '3', friends: [{ name: 'Ada' }] },
            paged: { name: 'Eve' },
          },
        ],
      },
    });
    t.equal(soap.complete.length, 1);
    t.ok(
      crm.requests.length <= 2,
      `what is asked at the same time is one call: ${crm.requests.length}`,
    );
  },
);

t.test('links lead from a service that speaks GraphQL, and on from there', async (t) => {
  const { ask, crm, soap } = await desk(t, '', LINKS);
  const answer = await ask(
    `query ($yes: Boolean!, $no: Boolean!) {
      found(text: "x") {
        __typename
        ... on Customer { id o: order { id } ...More }
        ... on CrmOrder { t: title }
      }
      node(id: "2") { id ... on Customer { order { id } refOrder { id } } }
      customer(id: "1") {
        skipped: order @skip(if: $yes) { id }
        order @include(if: $yes) { id customer { name order { total } } }
        gone: order @include(if: $no) { id }
      }
    }
    fragment More on Customer { friends { name refOrder { id } order { id total } \
} o: order { total } }`,
    { yes: true, no: false },
  );
  const o = (id: string) => ({ id, total: 5 });
  t.same(answer, {
    data: {
      found: [
        {
          __typename: 'Customer',
          id: '1',
          o: o('o1'),
          friends: [
            { name: 'Bob', refOrder: null, order: null },
            { name: 'Eve', refOrder: { id: 'o1' }, order: o('o3') },
          ],
        },
        { __typename: 'Customer', id: '2', o: null, friends: [] },
        {
          __typename: 'Customer',
          id: '3',
          o: o('o3'),
          friends: [{ name: 'Ada', refOrder: { id: 'o2' }, order: o('o1') }],
        },
        { __typename: 'CrmOrder', t: 'Chair' },
      ],
      node: { id: '2', order: null, refOrder: null },
      customer: { order: { id: 'o1', customer: { name: 'Ada', order: { total: 5 } } } },
    },
  });
  t.same(
    Object.keys(Object(answer).data.found[0]),
    ['__typename', 'id', 'o', 'friends'],
    'in the order of the document',
  );
  t.equal(crm.requests.length, 2);
  t.notMatch(JSON.stringify(answer), 'soapstone', 'nothing that was asked for links only is left');
  t.ok(soap.complete.length <= 10, `the same thing is asked once: ${soap.complete.length}`);
  for (const { query } of crm.requests) t.notMatch(query, /skipped|gone/);
});

t.test('what is asked for links cannot be asked for by a caller', async (t) => {
  const { ask } = await desk(t, '', LINKS);
  const answer = await ask(`{
    customer(id: "1") { soapstone_t: name soapstone__f0: name soapstone_f0: age order { id } }
  }`);
  t.same(answer, {
    data: {
      customer: { soapstone_t: 'Ada', soapstone__f0: 'Ada', soapstone_f0: 36, order: { id: 'o1' } },
    },
  });
});

t.test('errors keep their messages and places, and nothing else', async (t) => {
  const { ask, askBeside } = await desk(t, '', LINKS);
  const one = await ask('{ broken(how: "no stock") order(id: "o1") { id } }');
  t.match(one, {
    data: null,
    errors: [
      { message: 'no stock', path: ['broken'], extensions: { code: 'GRAPHQL_UPSTREAM_ERROR' } },
    ],
  });
  const upstream = {
    data: { customer: { id: '1', friends: [{ name: null }], age: 'old' } },
    errors: [
      {
        message: 'at db-7.internal',
        path: ['customer', 'friends', 0, 'name'],
        extensions: { stacktrace: ['secret'] },
        locations: [{ line: 1, column: 2 }],
      },
    ],
  };
  const send = (query: string) =>
    askBeside(JSON.stringify(upstream), query, 'application/json; charset=utf-8');
  const two = await send('{ customer(id: "1") { id f: friends { name } age } }');
  t.same(two.data, { customer: { id: '1', f: null, age: null } }, 'no alias came back');
  const three = await send('{ customer(id: "1") { id friends { name } age } }');
  t.same(three.data, { customer: { id: '1', friends: null, age: null } });
  const errors = three.errors.map(
    ({ message, path, extensions: { id: _, ...extensions } }: any) => ({
      message,
      path,
      extensions,
    }),
  );
  t.same(
    errors.find((error: any) => error.extensions.code === 'GRAPHQL_UPSTREAM_ERROR'),
    {
      message: 'at db-7.internal',
      path: ['customer', 'friends', 0, 'name'],
      extensions: { code: 'GRAPHQL_UPSTREAM_ERROR' },
    },
  );
  t.match(
    errors.find((error: any) => error.extensions.code === 'UPSTREAM_SCHEMA_INVALID'),
    { path: ['customer', 'age'] },
  );
  t.notMatch(JSON.stringify(three), /secret|old/);
});

t.test('whatever becomes of the service has the answer that it has behind SOAP', async (t) => {
  const limits =
    'limits: { graphql: { rootFields: 20, aliases: 100 }, remote: { responseBytes: ' +
    '4KiB, responseDepth: 10, responseValues: 100 }, upstream: { headersMillis: ' +
    '300, breakerFailures: 0 } }\n';
  const { ask, askBeside, crm, gateway } = await desk(t, '', limits);
  const codeOf = async (
    status: number,
    type: string,
    body: string,
    headers = {},
  ): Promise<string> => {
    const query = '{ customer(id: "1") { name extra } order(id: "o1") { id } }';
    const answer = await askBeside(body, query, type, status, headers);
    t.same(answer.data, { customer: null, order: { id: 'o1' } }, 'the other service is not harmed');
    t.notMatch(JSON.stringify(answer), /secret/);
    return answer.errors[0].extensions.code;
  };
  const json = 'application/json';
  const good = '{"data":{"customer":{"name":"Ada","extra":EXTRA}}}';
  const cases: readonly (readonly [string, string, number, string, string, object?])[] = [
    ['a page', 'UPSTREAM_INVALID_RESPONSE', 502, 'text/html', '<h1>secret</h1>'],
    ['no JSON', 'UPSTREAM_INVALID_RESPONSE', 200, json, '{"data":{secret'],
    ['a list', 'UPSTREAM_INVALID_RESPONSE', 200, json, '[]'],
    ['nothing', 'UPSTREAM_INVALID_RESPONSE', 200, json, '{}'],
    ['null', 'UPSTREAM_INVALID_RESPONSE', 200, json, '{"data":null}'],
    [
      'two members of one name',
      'UPSTREAM_INVALID_RESPONSE',
      200,
      json,
      '{"data":null,"data":{"customer":null}}',
    ],
    ['another charset', 'UPSTREAM_INVALID_RESPONSE', 200, 'application/json; charset=latin1', good],
    ['compressed', 'UPSTREAM_INVALID_RESPONSE', 200, json, good, { 'content-encoding': 'br' }],
    ['errors without paths', 'GRAPHQL_UPSTREAM_ERROR', 400, json, '{"errors":[{"message":"no"}]}'],
    [
      'errors that are none',
      'GRAPHQL_UPSTREAM_ERROR',
      200,
      json,
      '{"errors":[7,null,{"message":{}}]}',
    ],
    [
      'a foreign path',
      'GRAPHQL_UPSTREAM_ERROR',
      200,
      json,
      '{"errors":[{"message":"no","path":["_v7_x",{}]}]}',
    ],
    ['another type', 'UPSTREAM_SCHEMA_INVALID', 200, json, '{"data":{"customer":["secret"]}}'],
    ['no object', 'UPSTREAM_SCHEMA_INVALID', 200, json, '{"data":{"customer":"secret"}}'],
    ['a redirect', 'UPSTREAM_REDIRECT', 302, json, '{}', { location: 'http://127.0.0.1:1/' }],
    ['no credentials', 'UPSTREAM_AUTH', 401, json, '{"errors":[{"message":"secret"}]}'],
    ['too much to do', 'UPSTREAM_OVERLOADED', 503, json, '{"errors":[{"message":"secret"}]}'],
    [
      'too long',
      'UPSTREAM_RESPONSE_LIMIT',
      200,
      json,
      good.replace('EXTRA', `"${'x'.repeat(5000)}"`),
    ],
    [
      'too deep',
      'UPSTREAM_RESPONSE_LIMIT',
      200,
      json,
      good.replace('EXTRA', '['.repeat(20) + ']'.repeat(20)),
    ],
    [
      'too many values',
      'UPSTREAM_RESPONSE_LIMIT',
      200,
      json,
      good.replace('EXTRA', `[${'1,'.repeat(200)}1]`),
    ],
  ];
  for (const [name, code, status, type, body, headers] of cases) {
    t.equal(await codeOf(status, type, body, headers), code, name);
  }
  crm.instead = () => {};
  const late = await ask('{ customer(id: "1") { name } }');
  t.equal(late.errors[0].extensions.code, 'UPSTREAM_TIMEOUT');
  crm.instead = (request) => request.socket.destroy();
  const cut = await ask('mutation { rename(id: "1", name: "x") { name } }');
  t.equal(cut.errors[0].extensions.code, 'UPSTREAM_RESET');
  await crm.close();
  const away = await ask('{ customer(id: "1") { name } }');
  t.equal(away.errors[0].extensions.code, 'UPSTREAM_UNREACHABLE');
  t.match(await gateway.metrics(), 'soapstone_upstream_calls_active{service="crm"}');
});

t.test('a value that is none of its type is reported without the value', async (t) => {
  const { askBeside } = await desk(t, '', LINKS);
  const send = (customer: unknown) =>
    askBeside(
      JSON.stringify({ data: { customer } }),
      '{ customer(id: "1") { id name age status friends { id } order { id } } }',
      'application/graphql-response+json; charset=utf-8',
    );
  const links = { soapstone_t: 'Customer', soapstone_f0: null };
  const fine = { id: '1', name: 'n', age: 1, status: 'ACTIVE', friends: [], ...links };
  t.same((await send(fine)).errors, undefined);
  for (const [wrong, path, data] of [
    [{ age: 'zzz' }, ['customer', 'age'], { age: null }],
    [{ age: 1.5 }, ['customer', 'age'], { age: null }],
    [{ status: 'zzz' }, ['customer', 'status'], { status: null }],
    [{ friends: { id: 'zzz' } }, ['customer', 'friends'], { friends: null }],
    [{ soapstone_f0: { id: 'zzz' } }, ['customer'], {}],
  ] as const) {
    const answer = await send({ ...fine, ...wrong });
    t.match(
      answer.errors?.[0],
      { path, extensions: { code: 'UPSTREAM_SCHEMA_INVALID' } },
      JSON.stringify(wrong),
    );
    t.match(answer.data.customer, data);
    t.notMatch(JSON.stringify(answer), /zzz/);
  }
  const lost = await send({ ...fine, name: null });
  t.same(lost.data, { customer: null }, 'what may not be null takes what it is in with it');
  t.match(lost.errors[0], {
    path: ['customer', 'name'],
    extensions: { code: 'UPSTREAM_SCHEMA_INVALID' },
  });
});

t.test('secrets and the allowed fields of the caller are sent, and no others', async (t) => {
  const keys = '    headers: { authorization: Bearer s3cret }\n    forwardHeaders: [X-Tenant]\n';
  const { ask, crm } = await desk(t, keys, '');
  await ask('{ now }', {}, { 'x-tenant': 'acme', cookie: 'c=1', 'x-other': 'o' });
  const headers = crm.requests[0]?.headers ?? {};
  t.match(headers, {
    authorization: 'Bearer s3cret',
    'x-tenant': 'acme',
    'content-type': 'application/json',
  });
  t.notOk(headers['cookie'] ?? headers['x-other']);
});

t.test(
  'its fields are held to the limits, cost what calls cost and count against budgets and rights',
  async (t) => {
    const rest =
      'limits: { graphql: { callCost: 100, calls: 3, rootFields: ' +
      '20, aliases: 50, cost: 2000 } }\n' +
      LINKS +
      'clients: { order: [apiKey], apiKeys: { clients: { a: { class: a, keys: ' +
      '[key-of-a-0123456789] }, b: { class: b, keys: [key-of-b-0123456789] } } }, ' +
      'classes: { a: { allow: [crm, orders], budget: { maximum: 300, restoreRate: 1 } }, b: ' +
      '{ deny: [crm.node, crm.customer] } } }\n';
    const { ask, crm, gateway } = await desk(t, '', rest);
    const as = (name: 'a' | 'b', query: string) =>
      ask(query, {}, { 'x-api-key': `key-of-${name}-0123456789` });
    t.same((await as('b', '{ now }')).data, { now: '2026-11-21T07:00:00Z' });
    for (const query of [
      '{ now node(id: "1") { id } }',
      '{ order(id: "o1") { customer { name } } }',
      '{ customers(ids: ["1"]) { order { customer { name } } } }',
      '{ customers(ids: ["1"]) { query { ...F } } } fragment F on CrmQuery { ' +
        'node(id: "1") { id } }',
      '{ customers(ids: ["1"]) { query { customers(ids: ' +
        '[]) { query { customer(id: "1") { id } } } } } }',
    ]) {
      t.match(await as('b', query), errorWith('FORBIDDEN'), query);
    }
    t.equal(crm.requests.length, 1, 'nothing of it was asked');
    t.match(
      await as('b', '{ customers(ids: ["1", "2", "3"]) { order { id } refOrder { id } } }'),
      errorWith('MAX_CALLS_LIMIT'),
    );
    t.match(
      await as('b', `{ ${Array.from({ length: 25 }, (_, at) => `a${at}: now`).join(' ')} }`),
      errorWith('MAX_ROOT_FIELDS_LIMIT'),
    );
    t.same((await as('a', '{ a: now b: now }')).data.a, '2026-11-21T07:00:00Z');
    t.same((await as('a', '{ a: now b: now }')).data.a, '2026-11-21T07:00:00Z');
    t.match(await as('a', '{ a: now b: now }'), errorWith('RATE_LIMITED'));
    const line = await gateway.accessLine(1);
    t.match(line, { upstreamCalls: 1 });
  },
);

t.test('what changes something is asked in order, each by itself', async (t) => {
  const { ask, crm } = await desk(t, '', LINKS);
  const answer = await ask(`mutation {
    a: rename(id: "1", name: "x") { name order { id } }
    b: rename(id: "2", name: "y") { name }
  }`);
  t.same(answer, { data: { a: { name: 'x', order: { id: 'o1' } }, b: { name: 'y' } } });
  t.equal(crm.requests.length, 2);
  for (const { query } of crm.requests) t.match(query, /^mutation/);
});

t.test('its types are part of the schema that callers see', async (t) => {
  const { ask } = await desk(t, '    prefix: crm\n', '');
  const { data } = await ask(
    '{ __type(name: "CrmCustomer") { kind interfaces { name } fields { name } } }',
  );
  t.match(data.__type, { kind: 'OBJECT', interfaces: [{ name: 'CrmNode' }] });
  const answer = await ask(`{
    crmFound(filter: { status: ACTIVE, ids: ["1"] }) { __typename ... on CrmNode { id } }
    crmCustomer(id: "1") { query { crmNow crmCustomer(id: "2") { __typename name } } }
  }`);
  t.match(answer, {
    data: {
      crmFound: [{ __typename: 'CrmCustomer' }, { id: '3' }, { __typename: 'CrmOrder', id: 'o9' }],
      crmCustomer: {
        query: {
          crmNow: '2026-11-21T07:00:00Z',
          crmCustomer: { __typename: 'CrmCustomer', name: 'Bob' },
        },
      },
    },
  });
});

t.test('what is renamed and hidden is asked under its own name, wherever it stands', async (t) => {
  const keys = `    prefix: c
    rename: { Filter: Wanted, Filter.ids: only, Status: State, Customer.name: called, Node.id: \
key, Customer.id: key, Order.id: key, Query.found: things }
    hide: [Ref, Customer.ssn, Any, Filter.status]
`;
  const { ask, crm } = await desk(
    t,
    keys,
    LINKS.replace(/Order\.paged[\s\S]*$/, '').replaceAll(
      'argument: ids, key: id',
      'argument: ids, key: key',
    ),
  );
  const answer = await ask(
    `query ($w: Wanted, $s: ID!) {
      things(filter: $w) { ... on CNode { key } ... on CCustomer { called status } }
      cNode(id: $s) { __typename key ... on CCustomer { called friends { key } } }
      order(id: "o1") { customer { called } owner { key called } }
      t: __type(name: "Wanted") { inputFields { name } }
      c: __type(name: "CCustomer") { fields { name } }
    }`,
    { w: { only: ['1'] }, s: '1' },
  );
  t.same(answer.errors, undefined);
  t.match(answer.data, {
    things: [
      { key: '1', called: 'Ada', status: 'ACTIVE' },
      { key: '3', called: 'Eve' },
      { key: 'o9' },
    ],
    cNode: {
      __typename: 'CCustomer',
      key: '1',
      called: 'Ada',
      friends: [{ key: '2' }, { key: '3' }],
    },
    order: { customer: { called: 'Ada' }, owner: { key: '1', called: 'Ada' } },
    t: { inputFields: [{ name: 'only' }] },
  });
  t.notMatch(JSON.stringify(answer.data.c), /ssn|ref|extra/);
  t.match(crm.requests[0]?.query, /Filter/);
  t.same(
    Object.values(crm.requests[0]?.variables ?? {}).find((value) => typeof value === 'object'),
    { ids: ['1'] },
  );
});

t.test('names that mean something to JavaScript mean nothing here', async (t) => {
  const { askBeside: send } = await desk(t, '', LINKS);
  const query = '{ customer(id: "1") { id name extra friends { id } order { id } } }';
  const answer = await send(
    '{"data":{"__proto__":{"a":1},"customer":{"id":"1","name":"n","friends":null,' +
      '"extra":{"__proto__":{"polluted":1}},"__proto__":{"polluted":1,"order":{}},' +
      '"constructor":{"prototype":{"polluted":1}},"soapstone_t":"Customer",' +
      '"soapstone_f0":null}}}',
    query,
  );
  t.match(answer.data.customer, { id: '1', name: 'n', order: null });
  t.equal(Object.getPrototypeOf({}).polluted, undefined);
  t.equal(({} as Record<string, unknown>)['polluted'], undefined);
  for (const name of ['Nope', 'constructor', '__proto__', 'Query', '__Type', 'Page']) {
    const found = await send(
      `{"data":{"node":{"__typename":"${name}","id":"1"}}}`,
      '{ node(id: "1") { id } }',
    );
    t.same(found.data, { node: null }, name);
    t.match(
      found.errors?.[0],
      { path: ['node'], extensions: { code: 'UPSTREAM_SCHEMA_INVALID' } },
      name,
    );
  }
  const inside = await send(
    '{"data":{"customer":{"id":"1","soapstone_t":"x","query":{"node":{"__typename":"Nope",' +
      '"id":"1"}}}}}',
    '{ customer(id: "1") { id query { node(id: "1") { id } } } }',
  );
  t.match(inside.errors?.[0], {
    path: ['customer', 'query', 'node'],
    extensions: { code: 'UPSTREAM_SCHEMA_INVALID' },
  });
});
