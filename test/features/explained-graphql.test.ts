import t, { type Test } from 'tap';
import { answerOperations } from '../kit/backend.js';
import { useService } from '../kit/use.js';

async function startShop(t: Test, more = '') {
  const order =
    '<id>1</id><customer><name>Ann</name><iban>DE1</iban></customer><line><sku>A</sku>' +
    '<count>x</count></line>';
  return useService(
    t,
    answerOperations('urn:shop', () => order),
    (url) => `services:
  shop:
    url: ${url}/
    namespace: urn:shop
    types: |
      type Query { order(id: ID!, filter: Filter): Order, salary: Order }
      input Filter { customerName: String, lineCount: Int }
      "An order."
      type Order { id: ID, customer: Customer, line: [Line] }
      type Customer { name: String, iban: String }
      type Line { sku: String, count: Int }
    operations:
      GetOrder: { field: Query.order }
      GetSalary: { field: Query.salary, scopes: [payroll] }
    schema:
      types:
        Customer: { fields: { iban: { scopes: [bank], description: "The account." }, name: { mask: \
{ public: last4 } } } }
clients: { address: { class: public }, classes: { public: {} } }
${more}`,
  );
}

const OPEN = 'graphql: { introspection: true }\n';
const CLOSED = 'graphql: { introspection: false }\n';
const FILTERED = 'query($f: Filter) { order(id: 1, filter: $f) { id } }';

t.test('an unknown field of a variable is named, with the nearest one', async (t) => {
  const open = await startShop(t, OPEN);
  const near = await open.ask(FILTERED, { f: { customrName: 's3cret' } });
  t.equal(
    near.errors?.[0]?.message,
    'Variable "$f" has the field "customrName", which type "Filter" does not have; ' +
      'did you mean "customerName"?',
  );
  for (const name of ['s3cret', `"\u202e${'x'.repeat(200)}`, '__proto__', 'customerName ']) {
    const far = await open.ask(FILTERED, JSON.parse(`{"f":{${JSON.stringify(name)}:1}}`));
    const [error] = far.errors ?? [];
    if (error?.extensions['code'] === 'BAD_REQUEST') continue;
    t.equal(
      error?.message,
      'Variable "$f" has a field that is not defined by type "Filter".',
      name,
    );
  }
  const closed = await startShop(t, CLOSED);
  const hidden = await closed.ask(FILTERED, { f: { customrName: 's3cret' } });
  t.notMatch(JSON.stringify(hidden), /customerName|s3cret/);
});

t.test('a syntax error says what graphql-js says', async (t) => {
  const { ask, gateway } = await startShop(t, CLOSED);
  const { errors } = await ask('{\n  order(id: 1) {\n    id\n');
  t.match(errors, [
    {
      message: 'Syntax error at line 4, column 1: Expected Name, found <EOF>.',
      locations: [{ line: 4 }],
    },
  ]);
  await ask('{ order(id: 1) "s3cret" }');
  t.notMatch(JSON.stringify(await gateway.accessLine(2)), 's3cret', 'the log has the place alone');
});

t.test('an error within an answer has the location of its own field', async (t) => {
  const { ask } = await startShop(t, OPEN);
  const { errors } = await ask(
    '{\n  order(id: 1) {\n    ...F\n  }\n}\nfragment F on Order {\n  line {\n' +
      '    many: count\n  }\n}',
  );
  t.match(errors, [{ path: ['order', 'line', 0, 'many'], locations: [{ line: 8, column: 5 }] }]);
});

t.test(
  'a refused field names the scope that the client lacks, where the schema may be known',
  async (t) => {
    const query = '{\n  order(id: 1) {\n    customer {\n      iban\n    }\n  }\n}';
    const open = await startShop(t, OPEN);
    const { errors, data } = await open.ask(query);
    t.same(data, { order: { customer: { iban: null } } });
    t.match(errors, [
      {
        message: 'The client may not read this field: the client lacks the scope "bank".',
        locations: [{ line: 4, column: 7 }],
        extensions: { code: 'FORBIDDEN', missingScopes: ['bank'] },
      },
    ]);
    const whole = await open.ask('{ salary { id } }');
    t.match(whole.errors, [
      {
        message: /the client lacks the scope "payroll"\.$/,
        extensions: { missingScopes: ['payroll'] },
      },
    ]);
    const closed = await startShop(t, CLOSED);
    const hidden = await closed.ask(query);
    t.match(hidden.errors, [{ message: 'The client may not read this field.' }]);
    t.notMatch(JSON.stringify([hidden, await closed.ask('{ salary { id } }')]), /bank|payroll/);
  },
);

t.test('scopes and masks stand in the descriptions of fields', async (t) => {
  const { ask } = await startShop(t, OPEN);
  const { data } = await ask(
    '{ customer: __type(name: "Customer") { fields { name description } } query: __type(name: ' +
      '"Query") { fields { name description } } }',
  );
  t.match(data, {
    customer: {
      fields: [
        { name: 'name', description: 'Some clients see it masked (last4).' },
        { name: 'iban', description: 'The account.\n\nRequires the scope "bank".' },
      ],
    },
    query: {
      fields: [
        { name: 'order', description: null },
        { name: 'salary', description: 'Requires the scope "payroll".' },
      ],
    },
  });
});

t.test(
  'GraphiQL begins with a query that works: of a field that all may read, with its arguments',
  async (t) => {
    const { ask, gateway, sent } = await useService(
      t,
      answerOperations('urn:find', () => '<id>7</id>'),
      (url) => `services:
  find:
    url: ${url}/
    namespace: urn:find
    types: |
      type Query { anyone(key: String): Found, find(id: Int, name: String): Found }
      type Found { secret: String, id: ID }
    operations:
      Anyone: { field: Query.anyone, scopes: [admin] }
      Find: { field: Query.find }
    schema: { types: { Found: { fields: { secret: { scopes: [admin] } } } } }
graphql: { introspection: true }
`,
    );
    const page = await fetch(`${gateway.url}/graphql`, { headers: { accept: 'text/html' } });
    const example =
      /data-example="([^"]*)"/.exec(await page.text())?.[1]?.replaceAll('&quot;', '"') ?? '';
    t.match(example, 'find(id: 7, name: "A") {\n    id\n');
    t.match(await ask(example), { data: { find: { id: '7' } } });
    t.match(sent(), /<[^>]*id>7<.*name>A</);
  },
);
