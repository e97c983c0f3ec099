import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { codesOf, type GraphqlAnswer } from '../kit/answers.js';
import { answerWith } from '../kit/backend.js';
import { runCommand } from '../kit/command.js';
import { envelope } from '../kit/envelope.js';
import { postGraphql } from '../kit/graphql-client.js';
import { useService } from '../kit/use.js';

const order = (id: number, lines: number): string =>
  `<row><id>${id}</id><customerId>${id}</customerId>` +
  `${'<line><sku>a</sku></line>'.repeat(lines)}</row>`;
const orders = (...lines: readonly number[]): string =>
  envelope(
    `<ListResponse xmlns="urn:o">${lines.map((count, id) => order(id, count)).join('')}` +
      '</ListResponse>',
  );
const customer = envelope(
  '<GetCustomerResponse xmlns="urn:c"><name>n</name></GetCustomerResponse>',
);

const config = (url: string, more: string, keys = ''): string => `services:
  orders:
    url: ${url}/orders
    namespace: urn:o
    types: |
      type Query { list(first: Int): [Order] @xml(name: "row") @listSize(slicingArguments: \
["first"]) }
      type Order @cost(weight: "2") { id: Int, customerId: Int, line: [Line!] }
      type Line { sku: String @cost(weight: "3") }
    operations: { List: { field: Query.list, cost: 7 } }
  customers:
    url: ${url}/customers
    namespace: urn:c
    types: "type Query { customer(id: Int): Customer } type Customer { name: String }"
    operations: { GetCustomer: { field: Query.customer${keys} } }
links: { Order.customer: { operation: customers.GetCustomer, arguments: { id: customerId } } }
${more}`;

interface Answer {
  readonly status: number;
  readonly codes: readonly unknown[];
  readonly cost: unknown;
}

async function start(t: Test, more = '', keys = '') {
  let list = orders();
  const { gateway } = await useService(
    t,
    (message, response) =>
      answerWith(message.target === '/orders' ? list : customer)(message, response),
    (url) => config(url, more, keys),
  );
  return {
    gateway,
    lists(...lines: readonly number[]) {
      list = orders(...lines);
    },
    async ask(query: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
      const response = await postGraphql(gateway.url, { query }, headers);
      const answer: GraphqlAnswer & { extensions?: { cost?: unknown } } = JSON.parse(
        await response.text(),
      );
      return { status: response.status, codes: codesOf(answer), cost: answer.extensions?.cost };
    },
  };
}

const ALL = '{ list(first: 5) { id line { sku } customer { name } } }';

t.test(
  'what an operation came to counts the objects, calls and fields that really were',
  async (t) => {
    const { ask, lists } = await start(t);
    const requested = 7 + 5 * 2 + 5 * 10 * (1 + 3) + 5 * 10 + 5;
    lists();
    t.same((await ask(ALL)).cost, { requestedQueryCost: requested, actualQueryCost: 7 });
    lists(1, 0, 2);
    const actual = 7 + 3 * 2 + 3 * (1 + 3) + 3 * 10 + 3;
    t.same((await ask(ALL)).cost, { requestedQueryCost: requested, actualQueryCost: actual });
    t.same((await ask('{ __typename }')).cost, { requestedQueryCost: 0, actualQueryCost: 0 });
    lists(1, 1, 1, 1, 1, 1, 1);
    const low = await ask('{ list(first: 1) { id } }');
    t.same(
      low.cost,
      { requestedQueryCost: 9, actualQueryCost: 7 + 7 * 2 },
      'more than was asked for is told (G15)',
    );
  },
);

t.test('what a link fills costs as much before as after', async (t) => {
  const { ask, lists } = await start(t, '', ', argumentCosts: { id: 300 }');
  lists(0, 0);
  const cost = 7 + 2 * 2 + 2 * (10 + 300) + 2;
  t.same((await ask('{ list(first: 2) { customer { name } } }')).cost, {
    requestedQueryCost: cost,
    actualQueryCost: cost,
  });
});

t.test('the refusal of an operation that is too expensive has its cost', async (t) => {
  const { ask } = await start(t, 'limits: { graphql: { cost: 100 } }\n');
  const refused = await ask(ALL);
  t.same(refused.codes, ['MAX_COST_LIMIT']);
  t.same(refused.cost, { requestedQueryCost: 272, actualQueryCost: 0 });
  t.equal((await ask('{ list(first: 5) { id } }')).status, 200);
});

t.test('budgets are settled by what it came to', async (t) => {
  const budget =
    'clients: { address: { class: all }, classes: { all: { budget: { maximum: ' +
    '300, restoreRate: 1 } } } }\n';
  const { ask, lists } = await start(t, budget);
  lists(1);
  const first = await ask(ALL);
  t.match(first.cost, {
    requestedQueryCost: 272,
    actualQueryCost: 24,
    throttleStatus: { maximumAvailable: 300, restoreRate: 1 },
  });
  t.match(
    await ask('{ list(first: 100) { id } }'),
    { status: 200 },
    'what was not needed came back',
  );
});

t.test('a client with the right gets the cost of each field', async (t) => {
  const asks = { 'soapstone-cost-breakdown': '1' };
  const silent = await start(t);
  t.same((await silent.ask(ALL, asks)).cost, { requestedQueryCost: 272, actualQueryCost: 7 });
  const { ask, lists } = await start(t, 'graphql: { costBreakdown: true }\n');
  lists(1);
  t.same((await ask(ALL)).cost, { requestedQueryCost: 272, actualQueryCost: 24 });
  t.match((await ask(ALL, asks)).cost, {
    requestedQueryCost: 272,
    actualQueryCost: 24,
    calls: 2,
    fields: { list: 17, 'list.line': 50, 'list.line.sku': 150, 'list.customer': 55 },
  });
});

t.test('a class of clients may get the cost of each field while others do not', async (t) => {
  const clients = `clients:
  apiKeys: { clients: { desk: { class: staff, keys: [0123456789abcdef] } } }
  address: { class: public }
  classes: { staff: { costBreakdown: true }, public: {} }
`;
  const { ask, lists } = await start(t, clients);
  lists(1);
  const asks = { 'soapstone-cost-breakdown': '1' };
  t.notMatch((await ask(ALL, asks)).cost, { fields: {} });
  lists(1);
  t.match((await ask(ALL, { ...asks, 'x-api-key': '0123456789abcdef' })).cost, {
    fields: { list: 17 },
  });
  lists(1);
  t.notMatch(
    (await ask(ALL, { 'x-api-key': '0123456789abcdef' })).cost,
    { fields: {} },
    'only who asks',
  );
});

t.test('how long lists and replies are is counted, and suggested', async (t) => {
  const { gateway, ask, lists } = await start(t, 'limits: { graphql: { kibCost: 2 } }\n');
  lists(4, 0, 2, 0, 0, 0, 0);
  const { cost } = await ask(ALL);
  const replyKib = Math.ceil((orders(4, 0, 2, 0, 0, 0, 0).length + 7 * customer.length) / 1024);
  t.match(
    cost,
    { actualQueryCost: 7 + 14 + 24 + 70 + 7 + 2 * replyKib },
    'replies cost by what they take',
  );
  await gateway.accessLine();
  const metrics = await gateway.metrics();
  for (const line of [
    'soapstone_list_items_max{service="orders",operation="List",list=""} 7',
    'soapstone_list_items_max{service="orders",operation="List",list="Order/line"} 4',
    'soapstone_list_items_total{service="orders",operation="List",list="Order/line"} 6',
    'soapstone_lists_total{service="orders",operation="List",list="Order/line"} 7',
    'soapstone_reply_items_max{service="orders",operation="List"} 13',
    'soapstone_replies_total{service="customers",operation="GetCustomer"} 7',
    'soapstone_graphql_cost_actual_count 1',
  ]) {
    t.ok(metrics.includes(line), line);
  }
  const { code, all: out } = await runCommand('suggest', gateway.adminUrl);
  t.equal(code, 0);
  const bytes = (length: number): string => String(Math.round((length / 1024) * 10) / 10);
  t.equal(
    out,
    `services:
  customers:
    operations:
      GetCustomer:
        replyKib: 1 # of 7 replies the longest had ${bytes(customer.length)} KiB, on average \
${bytes(customer.length)}
  orders:
    operations:
      List:
        listSize: { assumedSize: 8 } # of 1 lists the longest had 7 items, on average 7
        replySize: 20 # of 1 replies the longest had 13 objects in lists, on average 13
        replyKib: 1 # of 1 replies the longest had ${bytes(orders(4, 0, 2, 0, 0, 0, 0).length)} \
KiB, on average ${bytes(orders(4, 0, 2, 0, 0, 0, 0).length)}
    schema:
      types:
        Order:
          fields:
            line:
              listSize: { assumedSize: 5 } # of 7 lists the longest had 4 items, on average 0.9`,
  );
  const file = join(t.testdir(), 'metrics.txt');
  await writeFile(file, metrics);
  t.equal((await runCommand('suggest', file)).all, out, 'a file of metrics says the same');
  await writeFile(file, metrics.replace(/(soapstone_reply_items_max.*) 13/, '$1 2300'));
  const larger = (await runCommand('suggest', file)).all;
  t.match(larger, 'replySize: 3000 # ', 'a larger reply');
  t.match(larger, '`limits.graphql.cost` must be above it, its default is 1000');
  t.equal((await runCommand('suggest', join(t.testdir(), 'absent'))).code, 2);
  await writeFile(
    file,
    'soapstone_lists_total 3\nsoapstone_replies_total{service="_other",operation="_other"} 3\n',
  );
  t.equal((await runCommand('suggest', file)).code, 1);
});
