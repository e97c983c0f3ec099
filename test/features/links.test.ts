import t, { type Test } from 'tap';

import { answerWith, type RecordedMessage, type RecordingBackend } from '../kit/backend.js';
import { envelope, faultOf, operationIn } from '../kit/envelope.js';
import { postGraphql } from '../kit/graphql-client.js';
import { until } from '../kit/until.js';
import { useService } from '../kit/use.js';

/** Two backends of their own, joined by links. */
const services = (url: string): string => `services:
  orders:
    url: ${url}/orders
    namespace: urn:orders
    types: |
      type Query {
        order(id: ID!): Order
        orders(customerId: Long): [Order!]
      }
      type Mutation { place(sku: String): Order }
      type Order { id: ID!, customerId: Int, buyer: Buyer, lines: [Line!], skus: [String], note: \
String }
      type Buyer { ref: Int, name: String }
      type Line { sku: String!, customerId: Int, count: Int! }
    operations:
      GetOrder: { field: Query.order }
      ListOrders: { field: Query.orders }
      PlaceOrder: { field: Mutation.place }
  customers:
    url: ${url}/customers
    namespace: urn:customers
    types: |
      type Query {
        customer(id: Long!, region: String): Customer
        customers(ids: [Long!]): [Customer!]
        page(ids: [Long!]): Page
        articles(skus: [String!]): [Article!]
        vip(id: Long): Boolean
      }
      type Customer { id: Long!, name: String!, region: String, friendId: Int, age: Int! }
      type Page { total: Int, rows: [Customer!] }
      type Article { sku: String, title: String }
    operations:
      GetCustomer: { field: Query.customer }
      GetCustomers: { field: Query.customers }
      GetPage: { field: Query.page }
      GetArticles: { field: Query.articles }
      IsVip: { field: Query.vip }
`;

const LINKS = `links:
  Order.customer:
    operation: customers.GetCustomer
    arguments: { id: customerId }
    description: Who ordered it.
  Order.batched:
    operation: customers.GetCustomer
    arguments: { id: customerId }
    batch: { operation: customers.GetCustomers, argument: ids, key: id }
  Order.paged:
    operation: customers.GetCustomer
    arguments: { id: buyer.ref }
    batch: { operation: customers.GetPage, argument: ids, key: id, items: rows }
  Order.vip: { operation: customers.IsVip, arguments: { id: buyer.ref }, deprecated: Nobody asks. }
  Order.articles: { operation: customers.GetArticles, arguments: { skus: skus } }
  Line.customer: { operation: customers.GetCustomer, arguments: { id: customerId } }
  Customer.orders: { operation: orders.ListOrders, arguments: { customerId: id } }
  Customer.friend:
    operation: customers.GetCustomer
    arguments: { id: friendId }
    batch: { operation: customers.GetCustomers, argument: ids, key: id }
`;

const FAULT = envelope(faultOf('s:Server', 'No.'));

const reply = (name: string, uri: string, content: string): string =>
  envelope(`<${name}Response xmlns="${uri}">${content}</${name}Response>`);

/** One call as the backend saw it: `GetCustomers 1,2`. */
function callOf({ body }: RecordedMessage): string {
  const text = body.toString();
  const values = [...text.matchAll(/<(?:\w+:)?\w+>([^<]*)</g)].map((found) => found[1] ?? '');
  return [operationIn(text), values.filter((value) => value !== '').join()]
    .filter((part) => part !== '')
    .join(' ');
}

const customer = (id: number): string =>
  `<id>${id}</id><name>C${id}</name><region>north</region><friendId>` +
  `${id + 1}</friendId><age>${id + 30}</age>`;

function answerTo(call: string): string {
  const [operation = '', given = ''] = call.split(' ');
  const ids = given === '' ? [] : given.split(',').map(Number);
  const order = (id: number): string =>
    `<id>${id}</id><customerId>${(id % 3) + 1}</customerId><buyer><ref>${id}</ref>` +
    `<name>B</name></buyer><lines><sku>s${id}</sku><customerId>${id}</customerId>` +
    `<count>1</count></lines><skus>a</skus><skus>b${id}</skus>`;
  const orders = (count: number, tag = 'orders'): string =>
    Array.from({ length: count }, (_, index) => `<${tag}>${order(index + 1)}</${tag}>`).join('');
  const own = (uri: string, content: string): string => reply(operation, uri, content);
  switch (operation) {
    case 'GetOrder':
    case 'PlaceOrder':
      return own('urn:orders', order(ids[0] || 7));
    case 'ListOrders':
      return own('urn:orders', orders(given === '' ? 6 : 2));
    case 'GetCustomer':
      return own('urn:customers', customer(ids[0] ?? 0));
    case 'GetCustomers': {
      const found = ids.map((id) => `<customers>${customer(id)}</customers>`);
      return own('urn:customers', found.reverse().join(''));
    }
    case 'GetPage': {
      const rows = ids.map((id) => `<rows>${customer(id)}</rows>`);
      return own('urn:customers', `<total>9</total>${rows.join('')}`);
    }
    case 'GetArticles': {
      const found = given
        .split(',')
        .map((sku) => `<articles><sku>${sku}</sku><title>T ${sku}</title></articles>`);
      return own('urn:customers', found.join(''));
    }
    case 'IsVip':
      return own('urn:customers', `<vip>${(ids[0] ?? 0) % 2 === 1}</vip>`);
    default:
      throw new Error(`nobody answers ${call}`);
  }
}

async function startGraph(t: Test, more = '', links = LINKS) {
  const graph = { special: (_call: string): string | null => null };
  const answer: RecordingBackend['answer'] = (message, response) => {
    const call = callOf(message);
    const given = graph.special(call);
    if (given !== 'wait') answerWith(given ?? answerTo(call))(message, response);
  };
  const { backend, gateway, ask } = await useService(
    t,
    answer,
    (url) => services(url) + links + more,
  );
  /**
   * `calls`: the calls since the last time. `special`: what the backends answer to a call, or null
   * for the usual.
   */
  return Object.assign(graph, {
    gateway,
    ask,
    calls: () => backend.complete.splice(0).map(callOf),
  });
}

/** The pattern of errors at these places of the field `customer` of orders. */
const customersWith = (code: string, ...places: readonly number[]): readonly unknown[] =>
  places.map((index) => [['orders', index, 'customer'], code]);

t.test(
  'a link is a field that another service answers, in its place among the others',
  async (t) => {
    const { ask, calls } = await startGraph(t);
    const { data, errors } = await ask(
      '{ order(id: "7") { note: id customer { name id } lines { sku } } }',
    );
    t.equal(errors, undefined);
    t.equal(
      JSON.stringify(data),
      JSON.stringify({
        order: { note: '7', customer: { name: 'C2', id: '2' }, lines: [{ sku: 's7' }] },
      }),
      'what the call needs is not in the answer',
    );
    t.same(calls(), ['GetOrder 7', 'GetCustomer 2']);
    await ask('{ order(id: "7") { id customerId } }');
    t.same(calls(), ['GetOrder 7'], 'fields that need no call stay local');
  },
);

t.test('one call serves all fields that need the same object', async (t) => {
  const { ask, calls } = await startGraph(t);
  const { data, errors } = await ask(
    '{ orders { id c: customer { name } other: customer { name } } }',
  );
  t.equal(errors, undefined);
  const expected = [2, 3, 1, 2, 3, 1].map((id, index) => {
    const customer = { name: `C${id}` };
    return { id: String(index + 1), c: customer, other: customer };
  });
  t.same(data?.['orders'], expected);
  t.same(calls().sort(), ['GetCustomer 1', 'GetCustomer 2', 'GetCustomer 3', 'ListOrders']);
  const { data: two } = await ask(
    '{ order(id: "7") { a: customer { name } b: customer { age id } } }',
  );
  t.same(
    two,
    { order: { a: { name: 'C2' }, b: { age: 32, id: '2' } } },
    'two selections, each as it was made',
  );
});

t.test(
  'a list operation answers all objects of a level in one call, in whatever order',
  async (t) => {
    const { ask, calls } = await startGraph(t);
    const { data, errors } = await ask(
      '{ orders { batched { name friend { name friend { id } } } } }',
    );
    t.equal(errors, undefined);
    t.same(
      data?.['orders'],
      [2, 3, 1, 2, 3, 1].map((id) => ({
        batched: { name: `C${id}`, friend: { name: `C${id + 1}`, friend: { id: String(id + 2) } } },
      })),
    );
    t.same(calls(), [
      'ListOrders',
      'GetCustomers 2,3,1',
      'GetCustomers 3,4,2',
      'GetCustomers 4,5,3',
    ]);
    const paged = await ask('{ orders { paged { name } } }');
    t.same(
      paged.data?.['orders'],
      [1, 2, 3, 4, 5, 6].map((id) => ({ paged: { name: `C${id}` } })),
    );
    t.same(calls(), ['ListOrders', 'GetPage 1,2,3,4,5,6'], 'where the list is inside the answer');
  },
);

t.test('arguments: paths, lists, variables of the link itself', async (t) => {
  const { ask, calls } = await startGraph(t);
  const { data, errors } = await ask(
    'query ($r: String) { order(id: "7") { vip articles { title } customer(region: ' +
      '$r) { name } } }',
    { r: 'south' },
  );
  t.equal(errors, undefined);
  t.same(data?.['order'], {
    vip: true,
    articles: [{ title: 'T a' }, { title: 'T b7' }],
    customer: { name: 'C2' },
  });
  t.same(calls().sort(), ['GetArticles a,b7', 'GetCustomer 2,south', 'GetOrder 7', 'IsVip 7']);
  const wrong = await ask(
    'query ($r: String) { order(id: "7") { customer(region: [$r]) { name } } }',
  );
  t.equal(wrong.errors?.[0]?.extensions['code'], 'GRAPHQL_VALIDATION_FAILED');
});

t.test('links beneath links, in lists, fragments and both directions', async (t) => {
  const { ask, calls } = await startGraph(t, 'limits:\n  graphql: { cost: 10000 }\n');
  const { data, errors } = await ask(
    `
    query ($yes: Boolean!) { order(id: "7") { ...Who lines { ... on Line { customer { orders { id \
customer { name } } } } } } }
    fragment Who on Order { customer @include(if: $yes) { orders { id } } }`,
    { yes: true },
  );
  t.equal(errors, undefined);
  t.same(data, {
    order: {
      customer: { orders: [{ id: '1' }, { id: '2' }] },
      lines: [
        {
          customer: {
            orders: [
              { id: '1', customer: { name: 'C2' } },
              { id: '2', customer: { name: 'C3' } },
            ],
          },
        },
      ],
    },
  });
  t.same(calls().slice(0, 3).sort(), ['GetCustomer 2', 'GetCustomer 7', 'GetOrder 7']);
  const { data: none } = await ask(
    'query ($yes: Boolean!) { order(id: "7") { id customer @include(if: $yes) { name } } }',
    { yes: false },
  );
  t.same(none, { order: { id: '7' } });
  t.same(calls().at(-1), 'GetOrder 7');
});

t.test('a response key may have any name', async (t) => {
  const { ask } = await startGraph(t);
  const { data, errors } = await ask(
    '{ orders(customerId: 1) { __proto__: customer { constructor: friend { __proto__: ' +
      'name } } hasOwnProperty: id } }',
  );
  t.equal(errors, undefined);
  t.equal(
    JSON.stringify(data),
    '{"orders":[{"__proto__":{"constructor":{"__proto__":"C3"}},"hasOwnProperty":"1"},' +
      '{"__proto__":{"constructor":{"__proto__":"C4"}},"hasOwnProperty":"2"}]}',
  );
});

t.test('without a value there is no call; without an answer the link is null', async (t) => {
  const graph = await startGraph(t);
  const orders = '<orders><id>1</id></orders><orders><id>2</id><customerId>9</customerId></orders>';
  graph.special = (call) =>
    call.startsWith('ListOrders')
      ? reply('ListOrders', 'urn:orders', orders)
      : call.startsWith('GetCustomers')
        ? reply('GetCustomers', 'urn:customers', `<customers>${customer(4)}</customers>`)
        : null;
  const { data, errors } = await graph.ask(
    '{ orders { id customer { name } batched { name } paged { name } articles { sku } } }',
  );
  t.equal(errors, undefined);
  t.same(data?.['orders'], [
    { id: '1', customer: null, batched: null, paged: null, articles: null },
    { id: '2', customer: { name: 'C9' }, batched: null, paged: null, articles: null },
  ]);
  t.same(graph.calls().sort(), ['GetCustomer 9', 'GetCustomers 9', 'ListOrders']);
});

t.test('a link without its key is null, a further argument that is null is left out', async (t) => {
  const { backend, ask } = await useService(
    t,
    answerWith(reply('Find', 'urn:keys', '<name>Ada</name>')),
    (url) => `services:
  keys:
    url: ${url}
    namespace: urn:keys
    types: |
      type Query {
        find(number: String, region: String): Person
        row(number: String, region: String): Row
      }
      type Person { name: String }
      type Row { number: String, region: String }
    operations: { Find: { field: Query.find }, Row: { field: Query.row } }
links:
  Row.person: { operation: keys.Find, arguments: { number: number, region: region } }
  Row.byRegion: { operation: keys.Find, arguments: { region: region, number: number } }
`,
  );
  const row = (content: string): void => {
    const find = answerWith(reply('Find', 'urn:keys', '<name>Ada</name>'));
    const own = answerWith(reply('Row', 'urn:keys', content));
    backend.answer = (message, response) =>
      (callOf(message).startsWith('Row') ? own : find)(message, response);
    backend.complete.length = 0;
  };
  const links = async () => {
    const { data } = await ask('{ row { person { name } byRegion { name } } }');
    return { row: data?.['row'], calls: backend.complete.map(callOf).sort() };
  };
  row('<region>north</region>');
  t.same(await links(), {
    row: { person: null, byRegion: { name: 'Ada' } },
    calls: ['Find north', 'Row'],
  });
  row('<number>7</number>');
  t.same(await links(), {
    row: { person: { name: 'Ada' }, byRegion: null },
    calls: ['Find 7', 'Row'],
  });
  row('');
  t.same(await links(), { row: { person: null, byRegion: null }, calls: ['Row'] });
});

t.test('errors stand at every place the answer would have', async (t) => {
  const graph = await startGraph(t);
  graph.special = (call) =>
    call === 'GetCustomer 2' || call.startsWith('GetCustomers') ? FAULT : null;
  const one = await graph.ask('{ orders { customer { name } } }');
  t.same(one.data?.['orders'], [
    ...[null, { name: 'C3' }, { name: 'C1' }, null, { name: 'C3' }, { name: 'C1' }].map(
      (customer) => ({ customer }),
    ),
  ]);
  t.match(one.errors, [
    { path: ['orders', 0, 'customer'], message: 'No.', extensions: { code: 'SOAP_FAULT' } },
    { path: ['orders', 3, 'customer'] },
  ]);
  const all = await graph.ask('{ orders { batched { name } } }');
  t.same(
    all.errors?.map(({ path }) => path),
    [0, 1, 2, 3, 4, 5].map((index) => ['orders', index, 'batched']),
  );
});

t.test('a key that the other service would not take has its own error', async (t) => {
  const links = `links:
  Order.tagged:
    operation: customers.GetArticles
    arguments: { skus: id }
    batch: { operation: customers.GetArticles, argument: skus, key: sku }
`;
  const graph = await startGraph(t, 'limits:\n  codec: { stringChars: 1024 }\n', links);
  const long = 'x'.repeat(1100);
  const orders = ['a', long, 'b'].map((id) => `<orders><id>${id}</id></orders>`).join('');
  graph.special = (call) =>
    call === 'ListOrders' ? reply('ListOrders', 'urn:orders', orders) : null;
  const { data, errors } = await graph.ask('{ orders { tagged { title } } }');
  t.same(data, {
    orders: [{ tagged: [{ title: 'T a' }] }, { tagged: null }, { tagged: [{ title: 'T b' }] }],
  });
  t.match(errors, [{ path: ['orders', 1, 'tagged'], extensions: { code: 'BAD_USER_INPUT' } }]);
  t.same(graph.calls(), ['ListOrders', 'GetArticles a,b']);
});

t.test('a null that may not be makes the link null, not what is around it', async (t) => {
  const graph = await startGraph(t);
  graph.special = (call) => {
    if (call.startsWith('GetCustomers')) {
      const ids = ['2', '3', '1'];
      const nameOf = (id: string): string => (id === '3' ? '' : '<name>N</name>');
      const items = ids.map(
        (id) => `<customers><id>${id}</id>${nameOf(id)}<age>x</age></customers>`,
      );
      return reply('GetCustomers', 'urn:customers', items.join(''));
    }
    return call.startsWith('GetCustomer')
      ? reply('GetCustomer', 'urn:customers', '<id>1</id>')
      : null;
  };
  const single = await graph.ask('{ order(id: "7") { id customer { friend { id } name } } }');
  t.same(single.data, { order: { id: '7', customer: null } });
  t.match(single.errors, [
    { path: ['order', 'customer', 'name'], extensions: { code: 'UPSTREAM_SCHEMA_INVALID' } },
  ]);
  const batch = await graph.ask('{ orders { batched { name } } }');
  t.same(
    batch.data?.['orders'],
    [1, 0, 1, 1, 0, 1].map((there) => ({ batched: there === 1 ? { name: 'N' } : null })),
  );
  t.same(
    batch.errors?.map(({ path }) => path),
    [1, 4].map((index) => ['orders', index, 'batched', 'name']),
  );
  graph.special = (call) =>
    call.startsWith('GetOrder')
      ? reply('GetOrder', 'urn:orders', '<id>1</id><customerId>many</customerId>')
      : null;
  const hidden = await graph.ask('{ order(id: "7") { customer { name } } }');
  t.same(hidden.data, { order: { customer: null } });
  t.match(
    hidden.errors,
    [{ path: ['order', 'customer'] }],
    'a value that is read for the call only has no path of its own',
  );
});

t.test(
  'calls, places and repetition are bounded; calls run side by side only so many',
  async (t) => {
    const few = await startGraph(
      t,
      'limits:\n  graphql: { calls: 3, batchItems: 2, callsAtOnce: 1 }\n',
    );
    const cut = await few.ask('{ orders { customer { name } } }');
    t.same(few.calls(), ['ListOrders', 'GetCustomer 2', 'GetCustomer 3']);
    t.same(
      cut.errors?.map(({ path, extensions }) => [path, extensions['code']]),
      customersWith('MAX_CALLS_LIMIT', 2, 5),
    );
    t.match(await few.gateway.accessLine(), {
      outcome: 'refused',
      code: 'MAX_CALLS_LIMIT',
      upstreamCalls: 3,
    });
    const batch = await few.ask('{ orders { paged { name } } }');
    t.same(few.calls(), ['ListOrders', 'GetPage 1,2', 'GetPage 3,4']);
    t.equal(batch.errors?.length, 2);

    const places = await startGraph(t, 'limits:\n  graphql: { links: 4 }\n');
    const limited = await places.ask('{ orders { customer { name } } }');
    t.same(
      limited.errors?.map(({ path, extensions }) => [path, extensions['code']]),
      customersWith('MAX_LINKS_LIMIT', 4, 5),
    );

    const repeated = await startGraph(t, 'limits:\n  graphql: { repeatedChars: 1024 }\n');
    repeated.special = (call) =>
      call.startsWith('GetCustomer')
        ? reply(
            'GetCustomer',
            'urn:customers',
            `<id>1</id><name>${'x'.repeat(700)}</name><age>1</age>`,
          )
        : null;
    const long = await repeated.ask('{ orders { customer { name } } }');
    t.same(
      long.errors?.map(({ path, extensions }) => [path, extensions['code']]),
      customersWith('MAX_LINKS_LIMIT', 4, 5),
      'each of three answers stands in two places: the second time counts',
    );
  },
);

t.test('links count in the cost, for as many objects as lists are taken to have', async (t) => {
  const { ask, calls } = await startGraph(t, 'limits:\n  graphql: { cost: 129 }\n');
  const refused = await ask('{ orders { customer { name } } }');
  t.equal(
    refused.errors?.[0]?.extensions['code'],
    'MAX_COST_LIMIT',
    '10 + 10 orders + 10 customers + 100 for calls',
  );
  t.same(calls(), []);
  t.equal((await ask('{ orders { batched { name } } }')).errors, undefined, 'one call for all');
});

t.test('links of a mutation run before its next field', async (t) => {
  const { ask, calls } = await startGraph(t);
  const { errors } = await ask(
    'mutation { a: place(sku: "1") { customer { name } } b: place(sku: "2") { customer { age } } }',
  );
  t.equal(errors, undefined);
  t.same(calls(), ['PlaceOrder 1', 'GetCustomer 2', 'PlaceOrder 2', 'GetCustomer 3']);
  await ask(
    'mutation { a: place(sku: "1") { customer { name } } b: place(sku: ' +
      '"1") { customer { name } } }',
  );
  const again = ['PlaceOrder 1', 'GetCustomer 2'];
  t.same(calls(), [...again, ...again], 'what was read before a change is read again');
});

t.test('nothing further is called when the client has gone', async (t) => {
  const graph = await startGraph(t, 'limits:\n  graphql: { callsAtOnce: 1 }\n');
  const departure = new AbortController();
  let isWaiting = false;
  graph.special = (call) => {
    isWaiting = call.startsWith('GetCustomer');
    return isWaiting ? 'wait' : null;
  };
  const asked = postGraphql(
    graph.gateway.url,
    { query: '{ orders { customer { name } } }' },
    {},
    departure.signal,
  );
  await until(() => isWaiting);
  departure.abort();
  await t.rejects(asked);
  t.match(await graph.gateway.accessLine(), { outcome: 'aborted', upstreamCalls: 2 });
  t.same(graph.calls(), ['ListOrders', 'GetCustomer 2']);
});

t.test('tools see links as fields', async (t) => {
  const { ask } = await startGraph(t);
  const { data } = await ask(
    '{ __type(name: "Order") { fields(includeDeprecated: true) { name description ' +
      'isDeprecated args { name } type { name kind } } } }',
  );
  const fields = (Object(data?.['__type'])['fields'] ?? []) as readonly Record<string, unknown>[];
  t.match(
    fields.find(({ name }) => name === 'customer'),
    {
      description: 'Who ordered it.',
      args: [{ name: 'region' }],
      type: { name: 'Customer', kind: 'OBJECT' },
    },
  );
  t.match(
    fields.find(({ name }) => name === 'vip'),
    { isDeprecated: true, args: [], type: { name: 'Boolean' } },
  );
});
