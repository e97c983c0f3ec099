import { printSchema } from 'graphql';
import t, { type Test } from 'tap';

import { compileText, diagnosticsOf } from '../kit/configuration.js';

const SERVICES = `services:
  orders:
    url: http://127.0.0.1:9/orders
    namespace: urn:orders
    types: |
      type Query { order(id: Int!, region: String): Order, list: [Order!], ping: Boolean }
      type Mutation { place(input: OrderInput!, tags: [String!]): Receipt }
      type Order { id: Int!, status: String, buyer: Buyer, lines: [Line!] }
      type Buyer { name: String }
      type Line { sku: String }
      type Receipt { orderId: Int!, codes: [String!], order: Order }
      input OrderInput { customer: String!, address: AddressInput }
      input AddressInput { city: String }
    operations:
      GetOrder: { field: Query.order }
      ListOrders: { field: Query.list }
      Ping: { field: Query.ping }
      PlaceOrder: { field: Mutation.place }
subscriptions:
`;

/** Each problem as `line: what remedy`, the line counted from `subscriptions` on. */
async function problemsOf(
  t: Test,
  subscriptions: string,
  workers: number | null = null,
): Promise<readonly string[]> {
  const offset = SERVICES.split('\n').length - 1;
  const found = await diagnosticsOf(compileText(t, SERVICES + subscriptions, {}, workers));
  return found.map(({ line, what, remedy }) => `${(line ?? 0) - offset}: ${what} ${remedy}`);
}

t.test('each error is reported at its position, with a remedy', async (t) => {
  const cases: readonly (readonly [yaml: string, problem: RegExp])[] = [
    ['a: { description: x }', /^1: `?subscriptions.a`? has no source\. Give it one of/],
    [
      'a: { poll: { operation: orders.GetOrder }, on: { operation: ' +
        'orders.Ping, fields: {a: request.a} } }',
      /has both `poll` and `on`/,
    ],
    [
      'a: { poll: { operation: orders.GetOrdre } }',
      /no operation `orders.GetOrdre`\. Did you mean `orders.GetOrder`\?/,
    ],
    [
      'a: { poll: { operation: orders.PlaceOrder } }',
      /is a field of Mutation: a subscription only reads/,
    ],
    [
      'a: { poll: { operation: orders.GetOrder, changed: stauts } }',
      /has no field `stauts`\. Did you mean `status`\?/,
    ],
    ['a: { poll: { operation: orders.GetOrder, changed: buyer } }', /`buyer` is no simple value/],
    [
      'a: { poll: { operation: orders.ListOrders, changed: status } }',
      /`status` cannot be a field of \[Order!\]/,
    ],
    ['a: { poll: { operation: orders.Ping, changed: x } }', /./],
    ['a: { poll: { operation: orders.GetOrder, everyMillis: 10 } }', /everyMillis/],
    [
      'a: { on: { operation: orders.PlaceOrder } }',
      /sends nothing\. Name the operation to call as `answer`/,
    ],
    [
      'a: { on: { operation: orders.PlaceOrder, answer: orders.GetOrder, fields: ' +
        '{ x: reply.orderId } } }',
      /has both `answer` and `fields`/,
    ],
    [
      'a: { on: { operation: orders.PlaceOrder, arguments: { id: reply.orderId }, fields: ' +
        '{ x: reply.orderId } } }',
      /has `arguments` but no `answer`/,
    ],
    [
      'a: { on: { operation: orders.PlaceOrder, answer: orders.GetOrder, arguments: ' +
        '{ idd: reply.orderId } } }',
      /no argument `idd`\. Did you mean `id`\?/,
    ],
    [
      'a: { on: { operation: orders.PlaceOrder, answer: orders.GetOrder, arguments: { id: ' +
        'request.input.customer } } }',
      /`request.input.customer` is String, `id` takes Int/,
    ],
    [
      'a: { on: { operation: orders.PlaceOrder, fields: { x: reply.ordrId } } }',
      /`Receipt` has no field `ordrId`\. Did you mean `orderId`\?/,
    ],
    [
      'a: { on: { operation: orders.PlaceOrder, fields: { x: reply.order } } }',
      /`reply.order` is no simple value/,
    ],
    [
      'a: { on: { operation: orders.PlaceOrder, fields: { x: reply.order.lines.sku } } }',
      /cannot be a field of \[Line!\]/,
    ],
    [
      'a: { on: { operation: orders.PlaceOrder, fields: { x: request.input.adress.city } } }',
      /Did you mean `address`\?/,
    ],
    [
      'a: { on: { operation: orders.PlaceOrder, fields: { x: request } } }',
      /`request` is no simple value/,
    ],
    [
      'a: { on: { operation: orders.PlaceOrder, where: { reply.x: "1" }, fields: ' +
        '{ x: reply.orderId } } }',
      /`Receipt` has no field `x`/,
    ],
    [
      'a: { on: { operation: orders.PlaceOrder, filter: { region: reply.orderId }, answer: ' +
        'orders.GetOrder, arguments: { id: reply.orderId } } }',
      /has an argument `region` already/,
    ],
    [
      'a: { on: { operation: orders.PlaceOrder, where: { reply.orderId: abc }, fields: ' +
        '{ x: reply.orderId } } }',
      /`reply.orderId` is never equal to this\. Write a whole number/,
    ],
    [
      'a: { on: { operation: orders.PlaceOrder, where: { reply.orderId: "07" }, fields: ' +
        '{ x: reply.orderId } } }',
      /never equal/,
    ],
    [
      'a: { on: { operation: orders.Ping, where: { reply: "yes" }, fields: { x: reply } } }',
      /`reply` is never equal to this\. Write true or false\./,
    ],
    [
      'a: { on: { operation: orders.PlaceOrder, fields: { x: answer.y } } }',
      /Write `request\.` or `reply\.`/,
    ],
    [
      'a: { callback: { operation: orders.PlaceOrder, fields: { x: reply.orderId } } }',
      /is of the reply, but a notification has none/,
    ],
    [
      'a: { callback: { operation: orders.Ping, where: { reply.orderId: ' +
        '"1" }, fields: { x: request.y } } }',
      /is of the reply/,
    ],
    ['"a-b": { poll: { operation: orders.GetOrder } }', /GraphQL name/],
  ];
  for (const [yaml, problem] of cases) {
    const problems = await problemsOf(t, `  ${yaml}\n`);
    t.match(problems[0] ?? 'no problem', problem, yaml);
    for (const each of problems) t.match(each, /^1: /, 'at its line');
  }
});

t.test(
  'the schema has the answers of the operations, their open arguments and the ' +
    'values of the messages',
  async (t) => {
    const subscriptions = `  watched: { poll: { operation: orders.GetOrder, changed: buyer.name } }
  placed:
    deprecated: Soon.
    on:
      operation: orders.PlaceOrder
      answer: orders.GetOrder
      arguments: { id: reply.orderId }
      filter: { city: request.input.address.city }
  codes: { on: { operation: orders.PlaceOrder, fields: { codes: reply.codes, tags: \
request.tags, status: reply.order.status } } }
`;
    const printed = printSchema((await compileText(t, SERVICES + subscriptions)).graph.schema);
    t.match(printed, '  watched(id: Int!, region: String): Order\n');
    t.match(
      printed,
      /placed\(\n? *region: String,?\n?\s*(?:"""Only events with this value\."""\s*)?city: String\n? *\): Order @deprecated\(reason: "Soon\."\)/,
    );
    t.match(printed, 'type CodesEvent {\n  codes: [String]\n  tags: [String]\n  status: String\n}');
  },
);

t.test('events that one worker has would be lost for the others', async (t) => {
  const polled = '  a: { poll: { operation: orders.GetOrder } }\n';
  const heard = '  a: { on: { operation: orders.PlaceOrder, fields: { x: reply.orderId } } }\n';
  const [problem = ''] = await problemsOf(t, `${heard}workers: 2\n`);
  t.match(problem, /^1: .*the subscribers of one process only\. Give `redis` a `secret`/);
  t.same(await problemsOf(t, `${heard}workers: 1\n`), []);
  t.same(await problemsOf(t, `${polled}workers: 2\n`), [], 'each worker asks for itself');
  const redis = (more: string): string => `redis: { url: "redis://127.0.0.1:1"${more} }\n`;
  const secret = ', secret: 0123456789abcdef';
  t.equal(
    (await problemsOf(t, `${heard}workers: 2\n${redis('')}`)).length,
    1,
    'nobody can sign what is told',
  );
  t.equal(
    (await problemsOf(t, `${heard}${redis(', replicas: 4')}`)).length,
    1,
    'replicas are processes too',
  );
  t.same(await problemsOf(t, `${heard}workers: auto\n${redis(secret)}`), []);
  t.same(await problemsOf(t, `${heard}${redis('')}`), [], 'there is one process');
  const given = await problemsOf(t, heard, 2);
  t.match(
    given,
    [/^1: .*the subscribers of one process only\./],
    'as many as the command line wants',
  );
  t.same(await problemsOf(t, `${heard}workers: 2\n`, 1), []);
});

t.test('what a value may be equal to is no error', async (t) => {
  const validate = (operation: string, where: string): Promise<readonly string[]> =>
    problemsOf(
      t,
      `  a: { on: { operation: orders.${operation}, where: { ${where} }, ` +
        'fields: { x: reply } } }\n',
    );
  t.same(await validate('Ping', 'reply: "true"'), []);
  t.same(await validate('Ping', 'reply: "false"'), []);
  const placed = (where: string): Promise<readonly string[]> =>
    problemsOf(
      t,
      `  a: { on: { operation: orders.PlaceOrder, where: { ${where} }, fields: ` +
        '{ x: reply.orderId } } }\n',
    );
  t.same(await placed('reply.orderId: "-7"'), []);
  t.same(await placed('reply.orderId: "0"'), []);
  t.same(await placed('reply.codes: anything'), [], 'a text');
});

t.test('the size of a link is that of a list', async (t) => {
  const link = (operation: string, size: string): Promise<readonly string[]> =>
    problemsOf(
      t,
      (
        '  a: { poll: { operation: orders.GetOrder } }\nlinks: { Receipt.more: { operation: ' +
        `orders.${operation}, listSize: ${size} } }\n`
      ).replace(
        ', listSize',
        operation === 'GetOrder'
          ? ', arguments: { id: orderId }, listSize'
          : ', arguments: {}, listSize',
      ),
    );
  t.match(await link('GetOrder', '{ assumedSize: 4 }'), [/^2: Link `Receipt.more` is no list: /]);
  t.same(await link('GetOrder', '{ assumedSize: 4, sizedFields: [lines] }'), []);
  t.same(await link('ListOrders', '{ assumedSize: 4 }'), []);
});
