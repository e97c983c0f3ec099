import { extendSchema, graphql, isObjectType, parse } from 'graphql';
import t from 'tap';
import { schemaFromWsdl } from '../../src/library/schema/schema-from-wsdl.js';
import { LINKS, useSameGateway, useSchemaDesk } from './schema-desk.js';
import { QUESTIONS } from './schema-questions.js';

/** A WSDL as a schema that graphql-js runs, beside a gateway with the same keys. */

t.test('graphql-js answers as the gateway does', async (t) => {
  const desk = await useSchemaDesk(t);
  const askGateway = await useSameGateway(t, desk);
  for (const [title, query, variables] of QUESTIONS) {
    const expected = await askGateway(query, variables);
    const asked = desk.backend.complete.length;
    t.same(await desk.ask(query, variables), expected, title);
    const bodies = desk.backend.complete.map(({ body }) => String(body));
    const calls = bodies.length - asked;
    t.same(bodies.slice(asked).sort(), bodies.slice(asked - calls, asked).sort(), title);
  }
});

t.test('fields of a query have their links in common', async (t) => {
  const desk = await useSchemaDesk(t, { configuration: { links: LINKS } });
  const askGateway = await useSameGateway(t, desk, { links: LINKS });
  const query = `{ a: getCustomer(id: 1) { orders { number } }
    b: getCustomer(id: 1) { id orders { number } } }`;
  const answer = await desk.ask(query);
  t.equal(desk.backend.complete.length, 3, 'the orders of one customer are asked for once');
  t.same(answer, await askGateway(query));
  t.match(answer, { data: { b: { orders: [{ number: 10 }] } } });
});

t.test('a resolver that wraps a field passes other arguments', async (t) => {
  const desk = await useSchemaDesk(t);
  const field = desk.schema.getQueryType()?.getFields()['getCustomer'];
  const own = field?.resolve;
  if (field === undefined || own === undefined) throw new Error('no field');
  field.resolve = (source, _given, context, info) => own(source, { id: 5 }, context, info);
  t.match(await desk.ask('{ getCustomer(id: 1) { id } }'), { data: { getCustomer: { id: 5 } } });
});

t.test(
  'fields and directives that a program adds to the schema are not asked of a backend',
  async (t) => {
    const desk = await useSchemaDesk(t);
    const schema = extendSchema(
      desk.schema,
      parse(`directive @live on FIELD | QUERY
      extend type Customer { shown: String }
      extend type Query { own: String }`),
    );
    const shown = schema.getType('Customer');
    if (isObjectType(shown)) {
      const { shown: field } = shown.getFields();
      if (field !== undefined) field.resolve = () => 'here';
    }
    const source =
      'query @live { own getCustomer(id: 1) { shown ...F } } fragment F on Customer { shown }';
    const answer = await graphql({ schema, source, rootValue: { own: 'mine' } });
    t.same(JSON.parse(JSON.stringify(answer)), {
      data: { own: 'mine', getCustomer: { shown: 'here' } },
    });
    t.equal(desk.backend.complete.length, 1);
  },
);

t.test('a call ends when its client has gone', async (t) => {
  const controller = new AbortController();
  const desk = await useSchemaDesk(t, { caller: () => ({ signal: controller.signal }) });
  desk.backend.answer = () => controller.abort();
  t.match(await desk.ask('{ getCustomer(id: 1) { id } }'), {
    data: { getCustomer: null },
    errors: [{ extensions: { code: 'CLIENT_GONE' } }],
  });
});

t.test('calls of one schema end with it, and those of another go on', async (t) => {
  const lines: string[] = [];
  const one = await useSchemaDesk(t, { log: (line) => lines.push(line) });
  const other = await useSchemaDesk(t);
  await one.ask('{ getCustomer(id: 404) { id } }');
  await one.close();
  await one.close();
  const logged = lines.length;
  t.match(
    lines.map((line) => JSON.parse(line)),
    [{ msg: 'request', serviceOperation: 'GetCustomer' }],
  );
  t.match(await one.ask('{ getCustomer(id: 1) { id } }'), { errors: [{ path: ['getCustomer'] }] });
  t.match(await other.ask('{ getCustomer(id: 1) { id } }'), { data: { getCustomer: { id: 1 } } });
  t.ok(lines.length <= logged + 1);
});

t.test('a schema that is closed lets calls finish that are under way', async (t) => {
  const desk = await useSchemaDesk(t);
  const { answer } = desk.backend;
  let release = (): void => {};
  const late = new Promise<void>((resolve) => {
    release = resolve;
  });
  let begin = (): void => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  desk.backend.answer = (...given) => {
    begin();
    void late.then(() => answer(...given));
  };
  const answering = desk.ask('{ getCustomer(id: 1) { id } }');
  await begun;
  const closing = desk.close();
  release();
  t.match(await answering, { data: { getCustomer: { id: 1 } } });
  await closing;
});

t.test('a class bounds the operations of a caller at once', async (t) => {
  const desk = await useSchemaDesk(t, {
    configuration: { clients: { classes: { office: { requestsAtOnce: 1 } } } },
    caller: () => ({ class: 'office', id: 'one' }),
  });
  const answers = await Promise.all(
    [1, 2].map((id) => desk.ask(`{ getCustomer(id: ${id}) { id } }`)),
  );
  const codes = answers.map((answer) => JSON.stringify(answer).includes('RATE_LIMITED'));
  t.same(codes.sort(), [false, true]);
});

t.test('a backend that is away is an error with its code', async (t) => {
  const desk = await useSchemaDesk(t);
  await desk.backend.close();
  t.match(await desk.ask('{ getCustomer(id: 1) { id } }'), {
    errors: [{ extensions: { code: 'UPSTREAM_UNREACHABLE' } }],
  });
});

t.test('a limit of the configuration holds for an operation', async (t) => {
  const desk = await useSchemaDesk(t, { configuration: { limits: { graphql: { depth: 3 } } } });
  t.match(await desk.ask('{ getCustomer(id: 1) { id order { number choice { __typename } } } }'), {
    data: { getCustomer: null },
    errors: [{ path: ['getCustomer'], extensions: { code: 'MAX_DEPTH_LIMIT' } }],
  });
  t.equal(desk.backend.complete.length, 0);
});

t.test('options that have no effect, or are wrong, are refused', async (t) => {
  for (const [options, problem] of [
    [{ urls: ['http://127.0.0.1:1'], operatons: {} }, /operatons/],
    [{ configuration: { listen: '127.0.0.1:0' } }, /`configuration.listen` has no effect/],
    [{ configuration: { include: ['more.yaml'] } }, /`configuration.include` has no effect/],
    [{ configuration: { audit: {} } }, /`audit` has no `file`/],
    [{ operations: { GetCustomr: false } }, /GetCustomr/],
    [{ port: 'Nowhere' }, /Nowhere/],
  ] as const) {
    const untyped: object = options;
    await t.rejects(schemaFromWsdl('config/demo/legacy.wsdl', untyped), problem);
  }
  await t.rejects(schemaFromWsdl('nowhere.wsdl'), /nowhere.wsdl/);
});

t.test('a schema is a subgraph of a federation, as that of the gateway', async (t) => {
  const keys = { Customer: { fields: 'id', operation: 'desk.GetCustomer' } };
  const graphqlKeys = { federation: { keys } };
  const desk = await useSchemaDesk(t, { configuration: { graphql: graphqlKeys } });
  const askGateway = await useSameGateway(t, desk, { graphql: graphqlKeys });
  const variables = { of: [{ __typename: 'Customer', id: 1 }] };
  for (const query of [
    'query ($of: [_Any!]!) { _entities(representations: $of) { ... on Customer { name } } }',
    '{ _entities(representations: [{ __typename: "Customer", id: 404 }]) { __typename } }',
    '{ _service { sdl } }',
  ]) {
    t.same(await desk.ask(query, variables), await askGateway(query, variables));
  }
});
