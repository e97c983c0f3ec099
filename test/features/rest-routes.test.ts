import t, { type Test } from 'tap';
import { type Crm, useCrm } from '../kit/crm.js';

/** Operations at methods and paths of their own over REST. */

const ROUTES =
  'GetCustomer: { rest: "GET /customers/{id}" }, FindCustomers: { rest: "GET /customers" }, ' +
  'SetCustomer: { rest: "PUT /customers/{id}" }';

const start = (t: Test, operations: string, more = ''): Promise<Crm> =>
  useCrm(t, `, rest: true, operations: { ${operations} }`, more);

t.test('segments of the path are arguments, beside those of the query and the body', async (t) => {
  const crm = await start(t, ROUTES);
  const { url } = crm.gateway;
  const got = await fetch(`${url}/customers/7?fields=id,name`);
  t.equal(got.status, 200);
  t.same(await got.json(), { id: 7, name: 'Ada "A" Ghent' });
  t.match(await (await fetch(`${url}/customers?ids=1&ids=2`)).json(), [{ id: 1 }, { id: 2 }]);
  const put = await fetch(`${url}/customers/7`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Ada' }),
  });
  t.equal(put.status, 200);
  t.match(String(crm.backend.complete.at(-1)?.body), /id>7<.*name>Ada</s);
  t.equal(
    (await fetch(`${url}/rest/crm/GetCustomer?id=7`)).status,
    200,
    'the name of the operation stays an address',
  );
});

t.test('requests that do not fit are refused with the reason, and nothing is sent', async (t) => {
  const crm = await start(t, ROUTES);
  const { url } = crm.gateway;
  const problem = await fetch(`${url}/customers/x`);
  t.equal(problem.status, 400);
  t.match(await problem.json(), { errors: [{ pointer: '/id' }] });
  t.equal((await fetch(`${url}/customers/%ff`)).status, 400);
  t.equal((await fetch(`${url}/customers/7/more`)).status, 404);
  t.equal((await fetch(`${url}/customers/`)).status, 404);
  const method = await fetch(`${url}/customers/7`, { method: 'DELETE' });
  t.equal(method.status, 405);
  t.equal(method.headers.get('allow'), 'GET, PUT');
  const twice = await fetch(`${url}/customers/7`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: '{"id":8,"name":"x"}',
  });
  t.equal(twice.status, 400);
  t.match(await twice.json(), { detail: /argument id is in the path/ });
  const asked = await fetch(`${url}/customers/7?name=x`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  });
  t.equal(asked.status, 400);
  t.match(await asked.json(), { detail: /arguments must be in the body/ });
  t.equal(crm.backend.complete.length, 0);
});

t.test('OpenAPI has the paths, with their parameters', async (t) => {
  const crm = await start(t, ROUTES);
  const { paths, components } = (await (
    await fetch(`${crm.gateway.url}/rest/openapi.json`)
  ).json()) as {
    paths: Record<
      string,
      Record<string, { parameters: { name: string; in: string }[]; requestBody?: object }>
    >;
    components: { schemas: object };
  };
  const { get, put } = paths['/customers/{id}'] ?? {};
  t.match(get?.parameters[0], { name: 'id', in: 'path', required: true, schema: {} });
  t.equal(get?.parameters.filter(({ name }) => name === 'id').length, 1);
  const body = '#/components/schemas/setCustomer_2.Arguments';
  t.match(put?.requestBody, { content: { 'application/json': { schema: { $ref: body } } } });
  t.match(components.schemas, { 'setCustomer_2.Arguments': { required: ['name'] } });
  t.ok(paths['/rest/crm/GetCustomer']);
});

t.test(
  'DELETE has the arguments that are not in its path in the query, since it may have no body',
  async (t) => {
    const crm = await start(t, 'SetCustomer: { rest: "DELETE /customers/{id}" }');
    const { url } = crm.gateway;
    const headers = { 'content-type': 'application/json' };
    const removed = await fetch(`${url}/customers/7?name=Ada`, { method: 'DELETE', headers });
    t.equal(removed.status, 200);
    t.match(String(crm.backend.complete.at(-1)?.body), /id>7<.*name>Ada</s);
    t.equal(
      (await fetch(`${url}/customers/7`, { method: 'DELETE' })).status,
      400,
      'an argument is missing',
    );
    t.equal(
      (await fetch(`${url}/customers/7?name=A&id=8`, { method: 'DELETE' })).status,
      400,
      'the path has it',
    );
    const { paths } = (await (await fetch(`${url}/rest/openapi.json`)).json()) as {
      paths: Record<
        string,
        Record<string, { parameters: { name: string; in: string }[]; requestBody?: object }>
      >;
    };
    const { delete: described } = paths['/customers/{id}'] ?? {};
    t.match(described?.parameters, [
      { name: 'id', in: 'path', required: true },
      { name: 'name', in: 'query', required: true },
    ]);
    t.notOk(described?.requestBody);
  },
);

t.test('pages of allowed origins may use the methods', async (t) => {
  const crm = await start(t, ROUTES, 'graphql: { cors: { origins: ["https://shop.example"] } }\n');
  const preflight = await fetch(`${crm.gateway.url}/customers/7`, {
    method: 'OPTIONS',
    headers: { origin: 'https://shop.example', 'access-control-request-method': 'PUT' },
  });
  t.equal(preflight.headers.get('access-control-allow-methods'), 'GET, POST, PUT');
  t.match(preflight.headers.get('access-control-allow-headers'), /(?:^|, )if-none-match(?:,|$)/);
  const answer = await fetch(`${crm.gateway.url}/customers/7`, {
    headers: { origin: 'https://shop.example' },
  });
  t.equal(
    answer.headers.get('access-control-expose-headers'),
    'x-request-id, etag, retry-after, soapstone-errors',
  );
});

t.test('mistakes in routes are errors', async (t) => {
  for (const [operations, problem] of [
    ['GetCustomer: { rest: "GET /c/{no}" }', /no simple argument is called no/],
    ['FindCustomers: { rest: "GET /c/{ids}" }', /no simple argument is called ids/],
    ['SetCustomer: { rest: "GET /c/{id}" }', /the operation writes/],
    [
      'GetCustomer: { rest: "GET /c/{id}" }, FindCustomers: { rest: "GET /c/{active}" }',
      /is the path of crm\.GetCustomer too/,
    ],
    ['GetCustomer: { rest: "FETCH /c" }', /Write a method, a blank and a path/],
  ] as const)
    await t.rejects(start(t, operations), problem, operations);
  await t.rejects(
    useCrm(t, ', operations: { GetCustomer: { rest: "GET /c/{id}" } }'),
    /the service has no `rest`/,
  );
});
