import t, { type Test } from 'tap';

import { answerWith, type RecordingBackend, startRecordingBackend } from '../kit/backend.js';
import { startTestGateway, type TestGateway } from '../kit/gateway.js';
import { type GraphqlServer, startGraphqlServer } from '../kit/graphql-server.js';

/** A service that speaks GraphQL beside one that speaks SOAP, joined by links in both directions. */
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
    { id: '1', name: 'Ada', friends: ['2', '3'], orderId: 'o1', ref: { order: 'o2' }, status: 'ACTIVE', age: 36 },
    { id: '2', name: 'Bob', friends: [], orderId: null, ref: null, status: 'GONE', age: 7 },
    { id: '3', name: 'Eve', friends: ['1'], orderId: 'o3', ref: { order: 'o1' }, status: 'ACTIVE', age: 20 },
  ].map((person): [string, Person] => [
    person.id,
    {
      __typename: 'Customer',
      ...person,
      since: '2026-11-21T00:00:00Z',
      extra: { deep: [1, { two: 2 }] },
      friends: () => person.friends.map((id) => people.get(id)),
      query: {},
    },
  ]),
);

const rootValue = {
  customer: ({ id }: { id: string }) => people.get(id) ?? null,
  customers: ({ ids }: { ids: string[] }) => [...ids].reverse().flatMap((id) => people.get(id) ?? []),
  page: ({ ids }: { ids: string[] }) => ({ rows: ids.flatMap((id) => people.get(id) ?? []), total: ids.length }),
  found: ({ filter }: { filter?: { status: string } }) => [
    ...[...people.values()].filter(({ status }) => filter === undefined || status === filter.status),
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
function orderDesk(): RecordingBackend['answer'] {
  return (message, response) => {
    const body = message.body.toString();
    const id = /<(?:\w+:)?id>([^<]*)</.exec(body)?.[1] ?? '';
    const isList = body.includes('ListOrders');
    const owner = id === 'o2' ? '2' : '1';
    const inner = isList
      ? ['o1', 'o2', 'o3'].map((each, at) => `<order>${orderXml(each, String(at + 1))}</order>`).join('')
      : orderXml(id, owner);
    const name = isList ? 'ListOrdersResponse' : 'GetOrderResponse';
    const xml =
      '<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body>' +
      `<${name} xmlns="urn:orders">${inner}</${name}></e:Body></e:Envelope>`;
    answerWith(xml)(message, response);
  };
}

interface Desk {
  readonly crm: GraphqlServer;
  readonly soap: RecordingBackend;
  readonly gateway: TestGateway;
  ask(query: string, variables?: object, headers?: Record<string, string>): Promise<unknown>;
}

/** Starts a CRM, a SOAP backend and a gateway before both. `keys` are those of the service `crm`. */
async function desk(t: Test, keys: string, rest: string): Promise<Desk> {
  const crm = await startGraphqlServer({ sdl: SDL, rootValue });
  const soap = await startRecordingBackend(orderDesk());
  t.teardown(() => Promise.all([crm.close(), soap.close()]));
  const limits = 'limits: { graphql: { rootFields: 20, aliases: 100, cost: 20000 } }\n';
  const yaml = `${rest.includes('limits:') ? '' : limits}services:${soapService(soap.url)}  crm:\n    kind: graphql\n    url: ${crm.url}\n${keys}${rest}`;
  const gateway = await startTestGateway(yaml);
  t.teardown(() => gateway.close());
  crm.requests.length = 0;
  return {
    crm,
    soap,
    gateway,
    async ask(query, variables = {}, headers = {}) {
      const response = await fetch(`${gateway.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ query, variables }),
      });
      const { extensions: _, ...answer } = Object(await response.json());
      return answer;
    },
  };
}

void LINKS;

t.test('a service that speaks GraphQL is asked beside one that speaks SOAP, in one query', async (t) => {
  const { ask, crm, soap } = await desk(t, '', '');
  const answer = await ask(
    `query ($id: ID!, $with: Boolean!, $unused: Filter) {
      a: customer(id: $id) { ...Person friends { n: name ... @include(if: $with) { age } } }
      order(id: "o1") { id total }
      b: customer(id: "2") { __typename name extra since status }
      found(filter: { status: GONE }) { kind: __typename ... on Customer { name } ... on CrmOrder { title } }
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
});
