import { join } from 'node:path';
import t, { type Test } from 'tap';

import { indent } from '../../src/cli/indent.js';
import { runCommand, runConfigured } from '../kit/command.js';
import { useBackend, useFolder } from '../kit/use.js';

const config = (url: string): string => `services:
  orders:
    url: ${url}/orders
    versions: ["1.2"]
    callerHeaders: [x-tenant]
    namespace: urn:orders
    types: |
      type Query { order(id: Int!, filter: Filter): Order, orders: [Order!] }
      type Mutation { place(sku: String, password: Int, tenant: String): Order }
      input Filter { state: String, inner: Filter }
      type Order { id: Int!, customerId: Int, lines: [Line!] }
      type Line { sku: String }
    operations:
      GetOrder: { field: Query.order, soapAction: "urn:get" }
      ListOrders: { field: Query.orders, read: { cacheMillis: 5000, scope: shared } }
      PlaceOrder:
        field: Mutation.place
        write: { invalidates: [ListOrders] }
        arguments: { password: { value: "31337" }, tenant: { header: x-tenant } }
  customers:
    url: ${url}/customers
    namespace: urn:customers
    types: |
      type Query { customer(id: Long!, region: String): Customer, customers(ids: [Long!]): \
[Customer!] }
      type Customer { id: Long!, name: String }
    operations:
      GetCustomer: { field: Query.customer, soapAction: "urn:customer" }
      GetCustomers: { field: Query.customers }
links:
  Order.customer: { operation: customers.GetCustomer, arguments: { id: customerId } }
  Order.buyer:
    operation: customers.GetCustomer
    arguments: { id: customerId }
    batch: { operation: customers.GetCustomers, argument: ids, key: id }
  Customer.orders: { operation: orders.ListOrders, arguments: {} }
`;

/** Runs `explain` against a backend that must hear nothing. */
async function explainer(t: Test, more = '') {
  const backend = await useBackend(t);
  const file = join(
    await useFolder(t, { 'soapstone.yaml': config(backend.url) + more }),
    'soapstone.yaml',
  );
  const explain = async (...args: readonly string[]) => {
    const { code, out, error } = await runCommand('explain', '-c', file, ...args);
    return { code, out: out.replaceAll(new URL(backend.url).port, 'PORT'), error };
  };
  return { explain, heard: () => backend.begun };
}

t.test('each call with its address, action and envelope, links by what fills them', async (t) => {
  const { explain, heard } = await explainer(t);
  const { code, out, error } = await explain(
    'query ($f: Filter) { o: order(id: 7, filter: $f) { id customer(region: ' +
      '"x") { orders { buyer { name } } } } __typename }',
    '--variables',
    '{"f": {"state": "<open>"}}',
  );
  t.equal(error, '');
  t.equal(code, 0);
  t.equal(
    out,
    `query: cost 62 of 1000, depth 5 of 10
cache: the document is not cached, answers are not cached
root fields: 2, side by side
calls: at most 4; cost by field: o.customer.orders 20, o.customer.orders.buyer 20, o 11, \
o.customer 11

o: orders.GetOrder
  SOAP 1.2, POST http://127.0.0.1:PORT/orders
  content-type: application/soap+xml; charset=utf-8; action="urn:get"
  <s:Envelope xmlns:s="http://www.w3.org/2003/05/soap-envelope" xmlns:n1="urn:orders">
    <s:Body>
      <n1:GetOrder>
        <n1:id>7</n1:id>
        <n1:filter>
          <n1:state>&lt;open&gt;</n1:state>
        </n1:filter>
      </n1:GetOrder>
    </s:Body>
  </s:Envelope>

  then for each o.customer: customers.GetCustomer(id: customerId)
    SOAP 1.1, POST http://127.0.0.1:PORT/customers
    content-type: text/xml; charset=utf-8
    soapaction: "urn:customer"
    <s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" xmlns:n1="urn:customers">
      <s:Body>
        <n1:GetCustomer>
          <n1:id>{customerId}</n1:id>
          <n1:region>x</n1:region>
        </n1:GetCustomer>
      </s:Body>
    </s:Envelope>

  then for each o.customer.orders: orders.ListOrders()
    SOAP 1.2, POST http://127.0.0.1:PORT/orders
    content-type: application/soap+xml; charset=utf-8
    cache: one call for all clients for 5000 ms
    <s:Envelope xmlns:s="http://www.w3.org/2003/05/soap-envelope" xmlns:n1="urn:orders">
      <s:Body>
        <n1:ListOrders/>
      </s:Body>
    </s:Envelope>

  then for each o.customer.orders[].buyer: customers.GetCustomers(ids: customerId), batched by 100
    SOAP 1.1, POST http://127.0.0.1:PORT/customers
    content-type: text/xml; charset=utf-8
    soapaction: ""
    <s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" xmlns:n1="urn:customers">
      <s:Body>
        <n1:GetCustomers>
          <n1:ids>{customerId}</n1:ids>
        </n1:GetCustomers>
      </s:Body>
    </s:Envelope>

__typename: no call, the gateway answers`,
  );
  const mutation = await explain('mutation { place(sku: "a") { id } }');
  t.match(mutation.out, 'root fields: 1, one after the other');
  t.match(mutation.out, '<n1:password>***</n1:password>', 'what may be a secret is not shown');
  t.match(mutation.out, '<n1:tenant>{header x-tenant}</n1:tenant>');
  t.equal(heard(), 0, 'nothing was sent');
});

t.test('representations of a subgraph are answered by the calls of their keys', async (t) => {
  const { explain, heard } = await explainer(
    t,
    `graphql:
  federation:
    keys:
      Customer:
        fields: id
        operation: customers.GetCustomer
        batch: { operation: customers.GetCustomers, argument: ids, key: id }
`,
  );
  const query = `query ($r: [_Any!]!) { _entities(representations: $r) { ... on Customer { name } } }`;
  const variables = JSON.stringify({ r: [{ __typename: 'Customer', id: 1 }] });
  const { code, out } = await explain(query, '--variables', variables);
  t.equal(code, 0);
  t.match(out, '_entities: answered by the calls of its objects');
  t.match(out, /then for each _entities.*: customers.GetCustomers\(ids: id\), batched by 100/);
  t.notMatch(out, 'no call');
  t.equal(heard(), 0);
});

t.test(
  'what the server refuses is refused with its words, and 1; what cannot be read with 2',
  async (t) => {
    const { explain, heard } = await explainer(t);
    const cases: readonly (readonly [readonly string[], number, RegExp])[] = [
      [
        ['{ order(id: 1) { idd } }'],
        1,
        /^GRAPHQL_VALIDATION_FAILED: .*"idd".* \(line 1, column 18\)$/,
      ],
      [
        ['{ order(id: 1) {'],
        1,
        /^GRAPHQL_PARSE_FAILED: Syntax error at line 1, column 17: Expected Name, found <EOF>\./,
      ],
      [['query ($i: Int!) { order(id: $i) { id } }'], 1, /^BAD_USER_INPUT: /],
      [
        ['{ orders { customer { orders { customer { orders { id } } } } } }'],
        1,
        /^MAX_COST_LIMIT: The operation costs more than allowed: \d+ points.*\n.*the limit is 1000 \(limits\.graphql\.cost\)\n {2}Query: .* Configuration: /s,
      ],
      [
        ['{ customer(id: "x") { id } }'],
        1,
        /^customer: BAD_USER_INPUT: An argument has no valid value\. id: /,
      ],
      [['{ orders { id } }', '--variables', '{'], 2, /^The variables are not valid JSON\.$/],
      [['{ orders { id } }', '--variables', '[1]'], 1, /^BAD_REQUEST: /],
    ];
    for (const [args, code, error] of cases) {
      const said = await explain(...args);
      t.equal(said.code, code, args.join(' '));
      t.match(said.error, error);
      t.notMatch(said.out, 'Envelope');
    }
    t.equal(heard(), 0);
    t.equal((await runCommand('explain', '-c', '/nowhere', '{ a }')).code, 2);
  },
);

t.test('limits that are only measured refuse nothing here either', async (t) => {
  const query = '{ orders { customer { orders { customer { orders { id } } } } } }';
  const { explain } = await explainer(t, 'graphql: { measure: [cost, depth] }\n');
  const { code, error } = await explain(query);
  t.equal(error, '');
  t.equal(code, 0);
});

t.test('XML on lines', async (t) => {
  t.equal(
    indent('<?xml version="1.0"?>\n<a><b>x</b><c/><d><e></e></d></a>', ' '),
    ' <a>\n   <b>x</b>\n   <c/>\n   <d>\n     <e></e>\n   </d>\n </a>',
  );
});

t.test('what is remembered of a call, and what a call makes old', async (t) => {
  const { explain } = await explainer(t);
  t.match(
    (await explain('{ orders { id } }')).out,
    /answers are cached by the rules of the calls[\s\S]*cache: one call for all clients for 5000 ms/,
  );
  t.match(
    (await explain('mutation { place(sku: "a") { id } }')).out,
    'cache: makes old orders.ListOrders',
  );
});

t.test(
  'how a backend is reached: addresses, limits and the kind of credentials, no values',
  async (t) => {
    const yaml = `services:
  shop:
    urls: [http://127.0.0.1:8/a, { url: "http://127.0.0.1:9/a", weight: 2, backup: true }]
    balance: { hash: client }
    auth: { basic: { username: someone, password: hunter2 } }
    proxy: http://user:swordfish@127.0.0.1:3128
    timeoutMillis: 5s
    requestsAtOnce: 8
    health: { path: /health }
    namespace: urn:shop
    types: |
      type Query { stock(sku: String!): Int }
    operations:
      GetStock: { field: Query.stock, idempotent: true, timeoutMillis: 1s, retry: { times: \
2, perTryMillis: 200 } }
`;
    const { code, all } = await runConfigured(t, yaml, ['explain', '{ stock(sku: "1") }']);
    t.equal(code, 0, all);
    for (const line of [
      'balance: hash of client: 127.0.0.1:8, 127.0.0.1:9 weight 2 backup',
      'limits: timeout 1000 ms; 2 retries on refused, reset, 200 ms each; ' +
        '8 calls of the service at once',
      'health: /health every 5000 ms',
      'credentials: basic',
      'proxy: http://127.0.0.1:3128',
    ]) {
      t.ok(`${all}\n`.includes(`\n  ${line}\n`), line);
    }
    t.notMatch(all, /hunter2|swordfish|someone/);
  },
);
