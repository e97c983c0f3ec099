import { buildSchema, parse } from 'graphql';
import t, { type Test } from 'tap';

import { type Admission, admit } from '../../../src/graphql/admission/admit.js';
import { costOf } from '../../../src/graphql/admission/cost/cost.js';
import { printWithCosts } from '../../../src/graphql/admission/cost/cost-print.js';
import { CostTable } from '../../../src/graphql/admission/cost/cost-table.js';
import { AdmittedDocument, DocumentCache } from '../../../src/graphql/admission/document-cache.js';
import { refusalErrors } from '../../../src/graphql/errors.js';
import { compileText, diagnosticsOf } from '../../kit/configuration.js';

const SHOP = `services:
  orders:
    url: http://127.0.0.1:1/
    callCost: 20
    types: |
      type Query {
        order(id: ID!): Order
        first(first: Int, last: Int): [Order] @listSize(slicingArguments: ["first", "last"], \
assumedSize: 7)
        either(first: Int, last: Int): [Order]
          @listSize(slicingArguments: ["first", "last"], assumedSize: \
7, requireOneSlicingArgument: false)
        paged(page: Page, text: String @cost(weight: "4")): Orders
          @listSize(slicingArguments: ["page.size"], sizedFields: ["rows.row"])
        usual(first: Int = 4): [Order] @listSize(slicingArguments: ["first"])
        dear: Order @cost(weight: "100.5")
        sized: [Order] @listSize(assumedSize: 30)
      }
      input Page { size: Int = 5, number: Long }
      type Orders { rows: Rows, others: [Order] }
      type Rows { row: [Order], rest: [Order] }
      type Order @cost(weight: "2") { id: ID!, customerId: Int, image: String @cost(weight: \
"3"), lines: [Line!] }
      type Line { sku: String, tags: [String] }
      type Unused @cost(weight: "9") { a: Int @cost(weight: "9") }
    operations:
      GetOrder: { field: Query.order }
      First: { field: Query.first }
      Either: { field: Query.either }
      Paged: { field: Query.paged }
      Usual: { field: Query.usual }
      Dear: { field: Query.dear }
      Sized: { field: Query.sized, cost: 5, argumentCosts: {} }
    schema:
      types:
        Order: { fields: { lines: { listSize: { assumedSize: 4 } } } }
        Line: { cost: 0 }
  customers:
    url: http://127.0.0.1:1/
    types: |
      type Query { customer(id: Int): Customer, customers(ids: [Int]): [Customer], history(id: \
Int, top: Int): [Note] }
      type Customer { id: Int, name: String }
      type Note { text: String }
    operations:
      GetCustomer: { field: Query.customer, weight: 3 }
      GetCustomers: { field: Query.customers, cost: 50, replyKib: 8 }
      GetHistory: { field: Query.history, listSize: { slicingArguments: \
[top], requireOneSlicingArgument: false, assumedSize: 6 } }
links:
  Order.customer: { operation: customers.GetCustomer, arguments: { id: customerId } }
  Order.buyer:
    operation: customers.GetCustomer
    arguments: { id: customerId }
    batch: { operation: customers.GetCustomers, argument: ids, key: id }
  Customer.history: { operation: customers.GetHistory, arguments: { id: id } }
  Customer.notes: { operation: customers.GetHistory, arguments: { id: id }, listSize: \
{ assumedSize: 2 } }
limits:
  graphql: { cost: 1000000, kibCost: 1, rootFields: 100, aliases: 100 }
`;

async function admission(t: Test, yaml = SHOP): Promise<Admission> {
  const { config, graph } = await compileText(t, yaml);
  const costs = new CostTable({ ...graph, limits: config.limits.graphql });
  const { limits } = config;
  return {
    ...graph,
    limits: limits.graphql,
    introspection: true,
    documents: new DocumentCache(),
    costs,
  };
}

/** The cost of a query, or what it is refused for. */
function cost(
  given: Admission,
  query: string,
  variables: Readonly<Record<string, unknown>> = {},
): number | string {
  try {
    return admit({ query, operationName: null, variables }, given).cost;
  } catch (caught) {
    if (caught instanceof Error && 'kind' in caught) {
      return refusalErrors(caught as Parameters<typeof refusalErrors>[0])
        .map((error) => `${String(error.extensions['code'])}: ${error.message}`)
        .join(' ');
    }
    throw caught;
  }
}

t.test('objects, fields and calls cost what the mapping or the type definitions say', async (t) => {
  const given = await admission(t);
  const of = (query: string): number | string => cost(given, query);
  t.equal(of('{order(id:1){id}}'), 20 + 2, 'callCost of the service, weight of the type');
  t.equal(of('{order(id:1){a:image b:image}}'), 20 + 2 + 6, 'a field each time it is selected');
  t.equal(of('{order(id:1){lines{sku tags}}}'), 22, 'objects of a type may cost nothing');
  t.equal(of('{dear{id}}'), 103, 'fractions are rounded up once');
  t.equal(
    of('{customer(id:1){id}}'),
    3 + 1,
    'the weight of SOAP callers where nothing else is said',
  );
  t.equal(of('{customers(ids:[1]){id}}'), 50 + 8 + 10, 'a call and the KiB it is taken to bring');
  t.equal(of('{sized{id}}'), 5 + 30 * 2);
  t.equal(of('{order(id:1){customer{name}}}'), 20 + 2 + 3 + 1);
  t.equal(of('{sized{customer{name} buyer{name}}}'), 5 + 60 + 30 * (3 + 1) + 58 + 30);
  t.equal(of('{order(id:1){customer{history{text} notes{text}}}}'), 22 + 4 + 10 + 6 + 10 + 2);
  t.equal(of('{__typename}'), 0);
  t.equal(of('{__typename __schema{types{name}}}'), 1, 'introspection costs by what it answers');

  t.equal(of('{__schema{types{name}} order(id:1){id}}'), 23);
});

const TREE = `services:
  tree:
    url: http://127.0.0.1:1/
    types: |
      type Query {
        node: Node
        nodes: [Node]
        page(first: Int): [Node] @listSize(slicingArguments: ["first"])
        sized: [Node] @listSize(assumedSize: 30)
        matrix: [Cell]
        small: [Node]
      }
      type Node { id: ID, next: Node, nodes: [Node], thirty: [Node] @listSize(assumedSize: \
30), heavy: [Heavy], image: String @cost(weight: "5") }
      type Heavy @cost(weight: "3") { id: ID }
      type Cell { id: ID, cells: [Cell] }
    operations:
      Get: { field: Query.node }
      List: { field: Query.nodes }
      Page: { field: Query.page }
      Sized: { field: Query.sized }
      Matrix: { field: Query.matrix }
      Small: { field: Query.small, replySize: 20 }
links:
  Cell.node: { operation: tree.Get, arguments: {} }
  Cell.list: { operation: tree.List, arguments: {} }
limits:
  graphql: { cost: 1000000, rootFields: 100, aliases: 100, depth: 100 }
`;

t.test(
  'lists of unknown size in one reply bring so many objects together, however they are nested',
  async (t) => {
    const given = await admission(t, TREE);
    const of = (query: string): number | string => cost(given, query);
    t.equal(of('{nodes{id}}'), 10 + 10);
    t.equal(of('{nodes{nodes{id}}}'), 10 + 100, '10 and 100 objects, but 100 at most');
    t.equal(of('{nodes{nodes{nodes{nodes{id}}}}}'), 10 + 100);
    t.equal(
      of('{nodes{nodes{id next{id}} more:next{next{nodes{id}}}}}'),
      10 + 100 + 100,
      'an alias repeats a part',
    );
    t.equal(of('{node{a:nodes{nodes{id}} b:nodes{nodes{id}}}}'), 10 + 1 + 200);
    t.equal(
      of('{node{...F ...F}} fragment F on Node{nodes{nodes{id}}}'),
      10 + 1 + 100,
      'fragments are of the same reply',
    );
    t.equal(of('{nodes{nodes{id}} b:nodes{nodes{id}}}'), 110 * 2, 'each call has a reply');
    t.equal(
      of('{nodes{nodes{nodes{image}}}}'),
      10 + 100 + 100 * 5,
      'weights count for each object',
    );
    t.equal(of('{nodes{heavy{id}}}'), 10 + 100 + 100 * 2, 'what a type costs beyond one point too');
  },
);

t.test(
  'lists of known size multiply in full, and bring room for lists of unknown size',
  async (t) => {
    const given = await admission(t, TREE);
    const of = (query: string): number | string => cost(given, query);
    t.equal(of('{sized{thirty{id}}}'), 10 + 30 + 900);
    t.equal(of('{page(first:100){thirty{thirty{id}}}}'), 10 + 100 + 3000 + 90_000);
    t.equal(of('{page(first:5){nodes{nodes{id}}}}'), 10 + 5 + 100);
    t.equal(
      of('{page(first:50){nodes{nodes{id}}}}'),
      10 + 50 + 500,
      '10 for each object of known number',
    );
    t.equal(
      of('{nodes{thirty{id}}}'),
      10 + 100,
      'below a list of unknown size they are part of it',
    );
    t.equal(of('{small{nodes{nodes{id}}}}'), 10 + 20, 'replySize of the operation');
    t.equal(of('{small{thirty{id}}}'), 10 + 20);
  },
);

t.test('links are calls: they are multiplied, and each has a reply', async (t) => {
  const given = await admission(t, TREE);
  const of = (query: string): number | string => cost(given, query);
  t.equal(of('{matrix{node{id}}}'), 10 + 10 + 10 * 11);
  t.equal(of('{matrix{list{nodes{id}}}}'), 10 + 10 + 10 * 110);
  t.equal(of('{matrix{cells{node{id}}}}'), 10 + 100 + 100 + 490, '50 calls at most');
});

t.test(
  'the refusal of an expensive operation has its figures, the most expensive field, and the key',
  async (t) => {
    const refusalOf = async (query: string, isOpen = true) => {
      const given = await admission(t, TREE.replace('cost: 1000000', 'cost: 200'));
      try {
        return admit(
          { query, operationName: null, variables: {} },
          { ...given, introspection: isOpen },
        );
      } catch (caught) {
        const [error] = refusalErrors(caught as Parameters<typeof refusalErrors>[0]);
        return {
          message: error?.message,
          locations: error?.locations?.length,
          ...(error?.extensions ?? {}),
        };
      }
    };
    t.match(await refusalOf('{matrix{id list{id}}}'), {
      code: 'MAX_COST_LIMIT',
      message:
        'The operation costs more than allowed: 220 points, and 200 are. The dearest field is ' +
        '`Cell.list`: 200 points by 10 calls.',
      locations: 1,
      cost: {
        requestedQueryCost: 220,
        limit: 200,
        key: 'limits.graphql.cost',
        dearest: { field: 'Cell.list', calls: 10, points: 200 },
        remedy: /`batch` of the link .* `limits\.graphql\.cost` is the limit\.$/,
      },
    });
    t.match(
      await refusalOf('{matrix{id list{id}}}', false),
      { cost: { dearest: { field: 'list' } } },
      'no type of a closed schema',
    );
    t.match(await refusalOf('{page(first:100){id thirty{id}}}'), {
      cost: {
        dearest: { field: 'Node.thirty', calls: 1, points: 3000 },
        remedy: /`replySize` of the operation/,
      },
    });
  },
);

t.test('arguments that a link fills are given', async (t) => {
  const yaml = SHOP.replace('weight: 3', 'weight: 3, argumentCosts: { id: 100 }').replace(
    'replyKib: 8',
    'replyKib: 8, argumentCosts: { ids: 7 }',
  );
  const given = await admission(t, yaml);
  t.equal(cost(given, '{customer(id:1){id}}'), 103 + 1);
  t.equal(cost(given, '{customer{id}}'), 3 + 1);
  t.equal(cost(given, '{order(id:1){customer{name}}}'), 20 + 2 + 103 + 1);
  t.equal(cost(given, '{sized{buyer{name}}}'), 5 + 60 + 58 + 30 * 7 + 30, 'each key of a list');
});

t.test('slicing arguments count however they are given (G08)', async (t) => {
  const given = await admission(t);
  const of = (query: string, variables?: Readonly<Record<string, unknown>>) =>
    cost(given, query, variables);
  const three = 20 + 3 * 2;
  t.equal(of('{first(first:3){id}}'), three, 'literally');
  t.equal(of('query($n:Int){first(first:$n){id}}', { n: 3 }), three, 'by a variable');
  t.equal(of('query($n:Int=3){first(first:$n){id}}'), three, 'by the default of a variable');
  t.equal(of('query($n:Int!){first(last:$n){id}}', { n: 100 }), 20 + 200);
  for (const n of [5, 50, 7, 5, 50])
    t.equal(of('query($n:Int!){first(last:$n){id}}', { n }), 20 + 2 * n, 'cached');
  t.equal(of('{either(first:3 last:40){id}}'), 20 + 80, 'the largest counts');
  t.equal(of('query($a:Int $b:Int){either(first:$a last:$b){id}}', { a: 30, b: 4 }), 20 + 60);
  t.equal(of('{either{id}}'), 20 + 14, 'assumedSize without any');
  t.equal(of('query($a:Int){either(first:$a){id}}', { a: null }), 20 + 14);
  t.equal(of('{usual{id}}'), 20 + 4 * 2, 'the default of the argument');
  t.equal(of('query($n:Int){usual(first:$n){id}}'), 20 + 4 * 2);
  t.equal(of('{usual(first:9){id}}'), 20 + 9 * 2);
  t.equal(
    of('{paged(page:{}){rows{row{id}}}}'),
    20 + 1 + 1 + 5 * 2,
    'the default of the input field',
  );
  t.equal(
    of('{paged(page:{size:9}){rows{row{id} rest{id}} others{id}}}'),
    20 + 2 + 9 * 2 + 20 + 20,
    'sizedFields only',
  );
  t.equal(of('query($p:Page){paged(page:$p){rows{row{id}}}}', { p: { size: 9 } }), 20 + 2 + 18);
  t.equal(of('query($p:Page){paged(page:$p){rows{row{id}}}}', { p: {} }), 20 + 2 + 10);
  t.equal(of('query($n:Int){paged(page:{size:$n}){rows{row{id}}}}', { n: 9 }), 20 + 2 + 18);
  t.equal(
    of(
      'query($n:Int){paged(page:{size:$n}){...F}} fragment F on Orders{...on ' +
        'Orders{rows{...G}}} fragment G on Rows{row{id}}',
      { n: 9 },
    ),
    20 + 2 + 18,
    'through fragments',
  );
  t.equal(
    of('{paged(page:{size:1} text:"x"){rows{row{id}}}}'),
    20 + 4 + 2 + 2,
    'arguments may cost',
  );
  t.equal(
    of('query($t:String){paged(page:{size:1} text:$t){rows{row{id}}}}'),
    20 + 2 + 2,
    'only where they are given',
  );
  t.equal(of('{customer(id:1){history(top:50){text}}}'), 3 + 1 + 10 + 50, 'of a link');
});

t.test('what is remembered of a document is not the cost of less than is given', async (t) => {
  const given = await admission(t);
  const of = (query: string, variables?: Readonly<Record<string, unknown>>) =>
    cost(given, query, variables);
  const texts = 'query($t:String){paged(page:{size:1} text:$t){rows{row{id}}}}';
  for (let times = 0; times < 2; times++) {
    t.equal(of(texts), 24, 'without the argument');
    t.equal(of(texts, { t: null }), 24);
    t.equal(of(texts, { t: 'x' }), 28, 'and with it');
  }
});

t.test('slicing arguments that cannot be are refused (G09)', async (t) => {
  const given = await admission(t);
  const of = (query: string, variables?: Readonly<Record<string, unknown>>) =>
    cost(given, query, variables);
  const range = (name: string): string =>
    `BAD_USER_INPUT: "${name}" must be a number from 1 to 100.`;
  for (const n of [0, -1, 101, 1_000_000_000]) {
    t.equal(of(`{first(first:${n}){id}}`), range('first'));
    t.equal(of('query($n:Int){first(first:$n){id}}', { n }), range('first'));
    t.equal(of('query($n:Int){either(last:1 first:$n){id}}', { n }), range('first'));
    t.equal(of(`{paged(page:{size:${n}}){rows{row{id}}}}`), range('page.size'));
  }
  const one = 'BAD_USER_INPUT: One of "first", "last" must be provided.';
  t.equal(of('{first{id}}'), one);
  t.equal(of('query($n:Int){first(first:$n){id}}', {}), one);
  t.equal(of('query($n:Int){first(first:$n){id}}', { n: null }), one);
  t.equal(
    of('{first(first:1 last:1){id}}'),
    'BAD_USER_INPUT: Only one of "first", "last" can be provided.',
  );
  t.equal(
    of('query($n:Int){a:first(first:2){id} b:first(first:1 last:$n){id}}', { n: 1 }),
    'BAD_USER_INPUT: Only one of "first", "last" can be provided.',
  );
  t.equal(
    of('query($s:Boolean!){first @skip(if:$s){id} order(id:1){id}}', { s: true }),
    22,
    'what does not run is not validated',
  );
});

t.test('sums saturate, and a fragment is walked once', async (t) => {
  const { graph, config } = await compileText(
    t,
    SHOP.replace(
      'kibCost: 1',
      'kibCost: 1, depth: 100, selections: 1000000, assumedListSize: ' +
        '1000000, assumedReplySize: 10000000, calls: 10000',
    ),
  );
  const table = new CostTable({ ...graph, limits: config.limits.graphql });
  const of = (text: string): number => {
    const document = new AdmittedDocument(parse(text));
    const operation = document.document.definitions[0];
    if (operation?.kind !== 'OperationDefinition') throw new Error('no operation');
    return costOf(table, operation, document.fragments, {}).points;
  };
  const deep = `{paged(page:{size:1}){others{customer{${'h:history{text} '.repeat(3)}}}}}`;
  t.equal(
    of(deep),
    1 + 1e6 * 2 + 1e6 + 3 * 1e6 * 6 + 10_000 * 20,
    'the dearest calls, as many as are made',
  );
  const names = Array.from({ length: 1000 }, (_, at) => at);
  const chain = names.map(
    (at) => `fragment F${at} on Order{${at === 999 ? 'image' : `...F${at + 1} ...F${at + 1}`}}`,
  );
  const startedMillis = performance.now();
  t.ok(of(`{order(id:1){...F0}} ${chain.join(' ')}`) >= 1e12);
  t.ok(performance.now() - startedMillis < 1000, 'a bomb is walked in its length');
});

t.test('costs are part of the printed schema', async (t) => {
  const { graph } = await compileText(t, SHOP);
  const sdl = printWithCosts(graph.schema);
  for (const line of [
    'directive @cost(weight: String!) on ARGUMENT_DEFINITION | FIELD_DEFINITION | OBJECT',
    'type Order @cost(weight: "2") {',
    '  image: String @cost(weight: "3")',
    '  lines: [Line!] @listSize(assumedSize: 4)',
    '  first(first: Int, last: Int): [Order] @listSize(assumedSize: ' +
      '7, slicingArguments: ["first", "last"])',
    '@listSize(slicingArguments: ["page.size"], sizedFields: ["rows.row"])',
    'text: String @cost(weight: "4")',
    '  dear: Order @cost(weight: "100.5")',
    '  notes(top: Int): [Note] @listSize(assumedSize: 2)',
  ]) {
    t.ok(sdl.includes(line), line);
  }
  t.same(buildSchema(sdl).getDirective('listSize')?.args.length, 4, 'what is printed can be read');
});

t.test('sizes of unknown fields are errors at their positions', async (t) => {
  const yaml = SHOP.replace('slicingArguments: [top],', 'slicingArguments: [tip],')
    .replace('cost: 50, replyKib: 8', 'argumentCosts: { ids: 1, idz: 1 }')
    .replace(
      'GetCustomer: { field: Query.customer',
      'GetCustomer: { listSize: { assumedSize: 3 }, field: Query.customer',
    )
    .replace('sizedFields: ["rows.row"]', 'sizedFields: ["rows.rwo", "rows"]')
    .replace('slicingArguments: ["page.size"]', 'slicingArguments: ["page.sise"]');
  const problems = await diagnosticsOf(compileText(t, yaml));
  t.strictSame(
    problems.map(({ what, remedy }) => `${what} ${remedy ?? ''}`.trim()),
    [
      'Service `orders`: `page.sise` leads to nothing in the arguments of `paged`.',
      'Service `orders`: `rows.rwo` leads to no list.',
      'Service `orders`: `rows` leads to no list.',
      'Service `customers`: `customer` is no list: name the fields below it that ' +
        'are, as `sizedFields`.',
      'Service `customers`: `customers` has no argument `idz`. Did you mean `ids`?',
      'Service `customers`: `history` has no argument `tip`. Did you mean `top`?',
    ],
  );
  t.ok(problems.every(({ line }) => line !== null));
});

t.test('errors in cost directives are reported at their positions', async (t) => {
  const yaml = `services:
  a:
    url: http://127.0.0.1:1/
    types: |
      directive @cost(weight: String!) on FIELD_DEFINITION
      type Query {
        a(n: Int): [Int] @cost
        b: Int @cost(weight: "-1")
        c: [Int] @listSize(assumedSize: "3", slicing: ["n"], slicingArguments: 3)
        d(in: In @cost(weight: "1"), colour: Colour @listSize(assumedSize: 3)): D
      }
      input In { text: String @cost(weight: "500"), n: Int }
      input Other @cost(weight: "3") { a: In }
      enum Colour @cost(weight: "7") { RED @cost(weight: "2") GREEN }
      type D @cost(weight: "3") { a: Int @cost(weight: "2"), b(n: Int @cost(weight: "2")): Int }
      extend type Query @cost(weight: "4") { e: Int }
    operations: { A: { field: Query.a }, B: { field: Query.b }, C: { field: Query.c }, D: { field: \
Query.d }, E: { field: Query.e } }
`;
  const problems = await diagnosticsOf(compileText(t, yaml));
  t.strictSame(
    problems.map(({ line, what }) => `${line}: ${what}`),
    [
      '7: @cost needs its weight.',
      '8: The argument weight of @cost must be a number that is not negative: "2.5".',
      '9: The argument assumedSize of @listSize must be a whole number up to 1,000,000.',
      '9: @listSize has no argument slicing.',
      '9: The argument slicingArguments of @listSize must be a list of names.',
      '10: @listSize is for fields only.',
      ...[12, 13, 14, 14, 16].map(
        (line) => `${line}: @cost counts for objects, for fields and for arguments only.`,
      ),
    ],
  );
});
