import t, { type Test } from 'tap';

import { answerWith } from '../kit/backend.js';
import { runConfigured } from '../kit/command.js';
import { useBackend } from '../kit/use.js';

const SDL = `type Query {
  customer(id: ID!): Customer
  customers(ids: [ID!]!): [Customer!]
  order: String
  secretary: String
}
type Mutation { rename(id: ID!): Customer }
type Customer { id: ID!, fullName: String, orderId: ID, ssn: String, order: Order }
type Order { number: Int }
`;

const SOAP = `  orders:
    url: http://127.0.0.1:9/orders
    namespace: urn:orders
    types: |
      type Query { order(id: ID!): Order }
      type Order { id: ID!, customerId: ID }
    operations: { GetOrder: { field: Query.order } }
`;

/** Runs a command beside a configuration. The paths in what it says are relative to it. */
async function say(t: Test, yaml: string, command: readonly string[], sdl = SDL) {
  const { code, all } = await runConfigured(t, yaml, command, { 'crm.graphql': sdl });
  return { code, out: `${all}\n` };
}

const crm = (keys = '', url = 'http://127.0.0.1:9/graphql'): string =>
  `services:\n${SOAP}  crm:\n    kind: graphql\n    url: ${url}\n    schema: crm.graphql\n${keys}`;

const KEYS = `    prefix: crm
    rename: { Customer: Client, Customer.fullName: name, Query.customer: client }
    hide: [Customer.ssn, Query.secretary, Mutation.rename]
`;

const LINKS = `links:
  Order.client: { operation: crm.customer, arguments: { id: customerId } }
  Client.bought: { operation: orders.GetOrder, arguments: { id: orderId } }
`;

t.test('the schema has the names that the configuration gives', async (t) => {
  const { code, out } = await say(t, crm(KEYS) + LINKS, ['schema']);
  t.equal(code, 0, out);
  for (const part of [
    /client\(id: ID!\): Client\n/,
    /crmCustomers\(ids: \[ID!\]!\): \[Client!\]/,
    /type Client \{\n {2}id: ID!\n {2}name: String\n {2}orderId: ID\n {2}order: CrmOrder\n {2}bought: Order\n\}/,
    /type CrmOrder \{\n {2}number: Int\n\}/,
    /type Order \{\n {2}id: ID!\n {2}customerId: ID\n {2}client: Client\n\}/,
    /crmOrder: String/,
  ]) {
    t.match(out, part);
  }
  t.notMatch(out, /ssn|ecretary|rename|type Mutation|CrmQuery/);
});

t.test('names that are taken get that of the service, with a warning', async (t) => {
  const { out } = await say(t, crm(), ['schema']);
  t.match(out, /order\(id: ID!\): Order/);
  t.match(out, /crmOrder: String/);
  t.match(out, /type CrmOrder/);
  const checked = await say(t, crm(), ['check']);
  t.equal(checked.code, 0);
  for (const part of [
    /service crm: GraphQL, 5 fields, schema from crm\.graphql/,
    /rename +Mutation\.rename/,
    /warning: Service crm: Query\.order is Query\.crmOrder, as order is taken\. Give it a name/,
    /warning: Service crm: the name of type Order is taken, it is called CrmOrder\./,
    /is fine: 2 services, 1 operation, 6 GraphQL fields, 2 warnings\./,
  ]) {
    t.match(checked.out, part);
  }
});

t.test('what would be sent has the names of the service', async (t) => {
  const query = `query ($id: ID!) {
    client(id: $id) { name bought { id client { id } } }
    order(id: "7") { client { name } }
  }`;
  const { code, out } = await say(t, crm(KEYS) + LINKS, [
    'explain',
    query,
    '--variables',
    '{"id":"3"}',
  ]);
  t.equal(code, 0, out);
  for (const part of [
    /client: crm\.customer\n {2}GraphQL, POST http:\/\/127\.0\.0\.1:9\/graphql\n/,
    /customer\(id: \$/,
    /fullName/,
    /soapstone_f0: orderId/,
    /variables: \{"\w+":"3"\}/,
    /then for each bought: orders\.GetOrder\(id: orderId\)/,
    /then for each order\.client: crm\.customer\(id: customerId\)/,
    /\{customerId\}/,
  ]) {
    t.match(out, part);
  }
});

t.test('what would be subscribed to, and where', async (t) => {
  const sdl = `${SDL}type Subscription { renamed(id: ID!): Customer, gone: String }`;
  const keys =
    `${KEYS.replace('Query.customer: client', 'Subscription.renamed: named').replace('Mutation.rename]', 'Subscription.gone]')}    ` +
    'subscriptions: { url: "wss://crm.internal/events" }\n';
  const query = 'subscription { named(id: 7) { name bought { id } } }';
  const links = LINKS.replace(/^ {2}Order.*\n/m, '');
  const { code, out } = await say(t, crm(keys) + links, ['explain', query], sdl);
  t.equal(code, 0, out);
  for (const part of [
    /named: crm\.renamed\n {2}GraphQL over graphql-transport-ws, wss:\/\/crm\.internal\/events\n/,
    /subscription \(\$\w+: ID!\) \{\s+\w+: renamed\(id: \$/,
    /then for each bought: orders\.GetOrder/,
  ]) {
    t.match(out, part);
  }
  const { out: schema } = await say(t, crm(keys), ['schema'], sdl);
  t.match(schema, /type Subscription \{\n {2}named\(id: ID!\): Client\n\}/);
  const own = (name: string): string =>
    `subscriptions: { ${name}: { poll: { operation: orders.GetOrder } } }\n`;
  const { out: taken } = await say(t, crm('    prefix: crm\n') + own('crmRenamed'), ['check'], sdl);
  t.match(
    taken,
    /warning: Service crm: Subscription\.renamed is Subscription\.crmCrmRenamed, as crmRenamed is taken\./,
  );
  const { out: chosen } = await say(t, crm(keys) + own('named'), ['check'], sdl);
  t.match(chosen, /`Subscription\.renamed` cannot be `named`: that name is taken\./);
  const { out: none } = await say(t, crm('    subscriptions: false\n'), ['schema'], sdl);
  t.notMatch(none, /Subscription/);
  const { out: linked } = await say(
    t,
    `${crm()}links: { Order.c: { operation: crm.renamed, arguments: { id: id } } }\n`,
    ['check'],
    sdl,
  );
  t.match(linked, /There is no operation `crm\.renamed`/);
});

t.test('errors are reported at their positions', async (t) => {
  for (const [name, yaml, expected, sdl] of [
    [
      'an unknown key',
      crm('    wsdl: a.wsdl\n'),
      /:13:5: Unknown key `wsdl` in `services\.crm`\. Known here: `kind`/,
    ],
    [
      'an unknown kind',
      crm().replace('graphql', 'grpc'),
      /`services\.crm\.kind` must be one of `soap`, `graphql`/,
    ],
    ['no address', crm().replace(/ {4}url: .*graphql\n/, ''), /`services\.crm` has no backend/],
    [
      'an unknown name',
      crm('    rename: { Custmer: X }\n'),
      /:13:24: Service `crm`: .* no `Custmer`\. Did you mean `Customer`/,
    ],
    [
      'an unknown field',
      crm('    hide: [Customer.snn]\n'),
      /no `Customer\.snn`\. Did you mean `Customer\.ssn`/,
    ],
    [
      'a root',
      crm('    hide: [Query]\n'),
      /:13:12: .*`Query` is where requests begin.* Name its fields: Query\.customer/,
    ],
    [
      'a header of ours',
      crm('    headers: { Host: a }\n'),
      /:13:16: .*names a header field that the gateway writes/,
    ],
    [
      'a header twice',
      crm('    headers: { a: b }\n    forwardHeaders: [A]\n'),
      /is one of `headers` already/,
    ],
    [
      'a header that splits',
      crm('    headers: { a: "b\\r\\nc: d" }\n'),
      /`services\.crm\.headers\.a` is not valid/,
    ],
    [
      'a header of the handshake',
      crm('    headers: { Sec-WebSocket-Key: a }\n'),
      /gateway writes itself/,
    ],
    [
      'no address of subscriptions',
      crm('    subscriptions: { url: ftp://a }\n'),
      /:13:27: `services\.crm\.subscriptions\.url` is not valid\. Write an http, https, ws or wss URL/,
    ],
    [
      'another protocol',
      crm('    subscriptions: { protocol: graphql-ws }\n'),
      /must be one of `sse`, `graphql-transport-ws`/,
    ],
    [
      'events at a WebSocket',
      crm('    subscriptions: { url: "ws://a/", protocol: sse }\n'),
      /:13:48: .*works over HTTP, but the address is that of a WebSocket/,
    ],
    [
      'parameters of nothing',
      crm('    subscriptions: { connectionParams: { a: b } }\n'),
      /:13:22: .*connectionParams` are for a WebSocket\. Give `protocol: graphql-transport-ws`/,
    ],
    [
      'no subscriptions',
      crm('    subscriptions: yes, please\n'),
      /must be true, false or a map of keys/,
    ],
    [
      'no file',
      crm().replace('crm.graphql', 'no.graphql'),
      /:12:13: Service `crm`: The schema no\.graphql cannot be read \(ENOENT\)/,
    ],
    ['no SDL', crm(), /^crm\.graphql:1:\d+: Syntax Error/, 'type Query {'],
    ['no schema', crm(), /^crm\.graphql: Unknown type "Nothing"/, 'type Query { a: Nothing }'],
    ['no query', crm(), /Query root type must be provided/, 'type A { a: Int }'],
    ['deep', crm(), /nested too deep|Syntax Error/, `type Query { a: ${'['.repeat(200_000)}Int }`],
    [
      'a link to nothing',
      `${crm()}links: { Order.c: { operation: crm.custmer, arguments: { id: id } } }\n`,
      /Did you mean `crm\.customer`/,
    ],
    [
      'a link that writes',
      `${crm()}links: { Order.c: { operation: crm.rename, arguments: { id: id } } }\n`,
      /is a field of Mutation: a link only reads/,
    ],
    [
      'a wrong client',
      `${crm()}clients: { order: [address], address: { class: a }, classes: { a: ` +
        '{ allow: [crm.custmer] } } }\n',
      /Did you mean `crm\.customer`/,
    ],
  ] as const) {
    const { code, out } = await say(t, yaml, ['check'], sdl ?? SDL);
    t.equal(code, 2, name);
    t.match(out, expected, name);
  }
});

t.test('a schema that cannot be had at start-up says what to do', async (t) => {
  const backend = await useBackend(t);
  const keys = '    limits: { remote: { schemaMillis: 2000, schemaBytes: 4KiB } }\n';
  const yaml = crm(keys, `${backend.url}/`).replace('    schema: crm.graphql\n', '');
  for (const [text, expected] of [
    ['{"errors":[{"message":"introspection is off, secret"}]}', /it does not answer introspection/],
    ['{"data":{"__schema":{}}}', /what it answers is no schema/],
    ['{"data":{"__schema":{"queryType":{"name":"Q"},"types":[]}}}', /what it answers is no schema/],
    ['nothing', /The service gave no valid answer/],
    ['x'.repeat(5000), /larger than allowed/],
  ] as const) {
    backend.answer = answerWith(text, 'application/json');
    const { code, out } = await say(t, yaml, ['check']);
    t.equal(code, 2);
    t.match(out, expected);
    t.match(out, /^soapstone\.yaml:11:10: Service `crm`: Its schema cannot be had \(/);
    t.match(out, /Start it first; or save its schema as SDL/);
    t.notMatch(out, /secret/);
  }
  const away = await say(t, yaml.replace(new URL(backend.url).port, '1'), ['check']);
  t.match(away.out, /The service cannot be reached/);
});
