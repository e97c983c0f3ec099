import t, { type Test } from 'tap';
import { REMEMBERED_MAX } from '../../src/graphql/run/described/operation-document.js';
import { type Crm, clientsOf, keyOf, useCrm } from '../kit/crm.js';

/** REST: the operations of a service by their names, with JSON in both directions. */

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: JSON of any shape
  readonly json: any;
}

async function ask(crm: Crm, path: string, options: RequestInit = {}): Promise<Answer> {
  const response = await fetch(`${crm.gateway.url}${path}`, options);
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    json: text === '' ? null : JSON.parse(text),
  };
}

const post = (crm: Crm, path: string, body: unknown): Promise<Answer> =>
  ask(crm, path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

const start = (t: Test, service = ', rest: true', more = ''): Promise<Crm> =>
  useCrm(t, service, more);

t.test('an operation by POST and by GET', async (t) => {
  const crm = await start(t);
  const posted = await post(crm, '/rest/crm/GetCustomer', { id: 7 });
  t.equal(posted.status, 200);
  t.match(posted.headers.get('content-type'), /^application\/json/);
  t.match(posted.json, {
    id: 7,
    name: 'Ada "A" Ghent',
    kind: 'company',
    address: { city: 'Ghent' },
    tags: ['a', 'b'],
  });
  t.notOk('parent' in posted.json, 'no type within itself by default');
  const got = await ask(crm, '/rest/crm/GetCustomer?id=7');
  t.same(got.json, posted.json);
  const found = await ask(
    crm,
    '/rest/crm/FindCustomers?ids=1&ids=2&near.street=Main&near.city=Ghent&active=true',
  );
  t.equal(found.json.length, 2);
  const sent = crm.backend.complete.at(-1)?.body.toString() ?? '';
  t.match(sent, /ids>1<.*ids>2<.*street>Main<.*city>Ghent<.*active>true</);
  await ask(crm, '/rest/crm/FindCustomers?near%5Bstreet%5D=Side&near[city]=Bruges');
  t.match(crm.backend.complete.at(-1)?.body.toString(), /street>Side<.*city>Bruges</);
  const none = await ask(crm, '/rest/crm/GetCustomer?id=0');
  t.equal(none.status, 200);
  t.equal(none.json, null);
  const written = await post(crm, '/rest/crm/SetCustomer', { id: 7, name: 'B' });
  t.equal(written.status, 200);
  t.equal(written.json, true);
});

t.test('fields', async (t) => {
  const crm = await start(t);
  const chosen = async (fields: string): Promise<unknown> =>
    (await ask(crm, `/rest/crm/GetCustomer?id=7&fields=${encodeURIComponent(fields)}`)).json;
  t.same(await chosen('name'), { name: 'Ada "A" Ghent' });
  t.same(await chosen('id,address/city'), { id: 7, address: { city: 'Ghent' } });
  t.same(await chosen('id address { city }'), { id: 7, address: { city: 'Ghent' } });
  t.same(await chosen('address'), { address: { street: 'Main 1', city: 'Ghent' } });
  t.same(await chosen('parent/id,parent/name'), { parent: { id: 1, name: 'Ada "A" Ghent' } });
  const posted = await post(crm, '/rest/crm/GetCustomer?fields=name', { id: 7 });
  t.same(posted.json, { name: 'Ada "A" Ghent' });
  const before = crm.backend.begun;
  const unknown = await ask(crm, '/rest/crm/GetCustomer?id=7&fields=nam,address/town');
  t.equal(unknown.status, 400);
  t.same(
    unknown.json.errors.map(({ parameter }: { parameter: string }) => parameter),
    ['fields', 'fields'],
  );
  t.match(unknown.json.errors[0].detail, /`nam` is no field of the answer: did you mean `name`\?/);
  for (const broken of ['', 'a{', 'a}', '/a', 'a//b', '"', 'a{b}{c}', '{']) {
    const answer = await ask(
      crm,
      `/rest/crm/GetCustomer?id=7&fields=${encodeURIComponent(broken)}`,
    );
    t.equal(answer.status, 400, broken);
    t.match(answer.json.detail, /^The (?:list of|parameter) fields /, broken);
  }
  const deep = await ask(crm, `/rest/crm/GetCustomer?id=7&fields=${'parent/'.repeat(50)}id`);
  t.equal(deep.status, 400);
  t.equal(crm.backend.begun, before, 'nothing is sent');
});

t.test('lists of fields are remembered for each kind of callers, and only so many', async (t) => {
  const hidden = ', schema: { types: { Customer: { fields: { tags: { scopes: [tags] } } } } }';
  const crm = await start(
    t,
    `, rest: true${hidden}`,
    clientsOf({ full: '{ scopes: [tags] }', reader: '{}' }),
  );
  const as = async (name: string, fields: string): Promise<Answer> =>
    ask(crm, `/rest/crm/GetCustomer?id=7&fields=${fields}`, {
      headers: { 'x-api-key': keyOf(name) },
    });
  for (let times = 0; times < 2; times++) {
    t.same((await as('full', 'id,tags')).json, { id: 7, tags: ['a', 'b'] });
    t.same((await as('reader', 'id,tags')).json, { id: 7, tags: null });
    t.equal((await as('reader', 'id,tag')).status, 400);
  }
  const statuses = new Set<number>();
  for (let commas = 1; commas <= REMEMBERED_MAX + 1; commas++) {
    const list = `id${','.repeat(commas % 500)}${' '.repeat(Math.floor(commas / 500))}`;
    statuses.add((await as('full', encodeURIComponent(list))).status);
  }
  t.same(statuses, new Set([200]));
  t.same((await as('full', 'id,tags')).json, { id: 7, tags: ['a', 'b'] });
});

t.test('bad input is reported with all pointers, and nothing is sent', async (t) => {
  const crm = await start(t);
  const bad = await post(crm, '/rest/crm/GetCustomer', { id: 'seven', code: 'x', colour: 1 });
  t.equal(bad.status, 400);
  t.equal(bad.headers.get('content-type'), 'application/problem+json');
  t.match(bad.json, {
    type: 'urn:soapstone:problem:BAD_USER_INPUT',
    title: String,
    status: 400,
    detail: String,
    code: 'BAD_USER_INPUT',
  });
  t.equal(bad.json.requestId, bad.headers.get('x-request-id'));
  t.same(bad.json.errors.map(({ pointer }: { pointer: string }) => pointer).sort(), [
    '/code',
    '/colour',
    '/id',
  ]);
  t.match(
    bad.json.errors.find(({ pointer }: { pointer: string }) => pointer === '/id'),
    { detail: /whole number/ },
  );
  const missing = await post(crm, '/rest/crm/SetCustomer', { address: { city: 5 } });
  t.equal(missing.status, 400);
  t.same(
    new Set(missing.json.errors.map(({ pointer }: { pointer: string }) => pointer)),
    new Set(['/id', '/name', '/address', '/address/city']),
  );
  const facet = await ask(crm, '/rest/crm/GetCustomer?id=7&code=lower');
  t.match(facet.json.errors, [{ pointer: '/code', detail: String }]);
  const query = await ask(
    crm,
    '/rest/crm/FindCustomers?ids=1&ids=x&near.streets=Main&__proto__.a=1',
  );
  t.equal(query.status, 400);
  t.ok(query.json.errors.some(({ pointer }: { pointer: string }) => pointer === '/ids/1'));
  t.ok(query.json.errors.some(({ pointer }: { pointer: string }) => pointer === '/__proto__'));
  for (const body of ['[]', '7', '{"id":7', '{"id":7,"id":8}']) {
    const answer = await post(crm, '/rest/crm/GetCustomer', body);
    t.equal(answer.status, 400, body);
    t.equal(answer.json.code, 'BAD_REQUEST', body);
  }
  t.equal(crm.backend.begun, 0);
});

t.test('methods, paths and media types', async (t) => {
  const crm = await start(t);
  const write = await ask(crm, '/rest/crm/SetCustomer?id=7&name=B');
  t.equal(write.status, 405);
  t.equal(write.headers.get('allow'), 'POST');
  t.equal(write.json.code, 'HTTP_METHOD');
  const removed = await ask(crm, '/rest/crm/GetCustomer?id=7', { method: 'DELETE' });
  t.equal(removed.status, 405);
  t.equal(removed.headers.get('allow'), 'GET, POST');
  for (const path of ['/rest/crm/Nothing', '/rest/crm/', '/rest/crm/getCustomer']) {
    const answer = await ask(crm, path);
    t.equal(answer.status, 404, path);
    t.equal(answer.json.status, 404, path);
  }
  const form = await ask(crm, '/rest/crm/GetCustomer', { method: 'POST', body: 'id=7' });
  t.equal(form.status, 415);
  const forged = await ask(crm, '/rest/crm/GetCustomer?id=7', {
    headers: { 'sec-fetch-site': 'cross-site' },
  });
  t.equal(forged.status, 400);
  t.equal(forged.json.code, 'CSRF_PREVENTED');
  t.equal(crm.backend.begun, 0);
});

t.test('Faults and failures of the backend', async (t) => {
  const crm = await start(t);
  const sender = await ask(crm, '/rest/crm/GetCustomer?id=404');
  t.equal(sender.status, 422);
  t.match(sender.json, {
    code: 'SOAP_FAULT',
    detail: 'No such customer',
    fault: { code: 'Client' },
  });
  const receiver = await ask(crm, '/rest/crm/GetCustomer?id=500');
  t.equal(receiver.status, 502);
  t.match(receiver.json, { code: 'SOAP_FAULT', detail: 'The database is away' });
  crm.backend.answer = (_message, response) => response.end('<html>');
  const broken = await ask(crm, '/rest/crm/GetCustomer?id=7');
  t.equal(broken.status, 502);
  t.notMatch(JSON.stringify(broken.json), /html/);
});

t.test('rights, masks and budgets', async (t) => {
  const crm = await start(
    t,
    ', rest: true, schema: { types: { Customer: { fields: { iban: { mask: { default: ' +
      'last4, full: none } }, tags: { scopes: [tags] } } } } }',
    clientsOf({
      full: '{ allow: [crm], scopes: [tags] }',
      reader: '{ allow: [crm.GetCustomer] }',
      poor: '{ allow: [crm], budget: { maximum: 20, restoreRate: 1 } }',
    }),
  );
  const as = (name: string, path: string): Promise<Answer> =>
    ask(crm, path, { headers: { 'x-api-key': keyOf(name) } });
  const anonymous = await ask(crm, '/rest/crm/GetCustomer?id=7', {
    headers: { 'x-api-key': 'wrong' },
  });
  t.equal(anonymous.status, 401);
  t.ok(anonymous.headers.get('www-authenticate'));
  t.match(anonymous.json, { code: 'UNAUTHENTICATED', status: 401 });
  t.equal((await as('full', '/rest/crm/GetCustomer?id=7')).json.iban, 'DE00-SECRET');
  const masked = await as('reader', '/rest/crm/GetCustomer?id=7');
  t.equal(masked.status, 200);
  t.notMatch(masked.json.iban, /DE00/);
  t.notOk('tags' in masked.json, 'a field that it may not read is not selected');
  t.equal(masked.headers.get('soapstone-errors'), null);
  const asked = await as('reader', '/rest/crm/GetCustomer?id=7&fields=id,tags');
  t.same(asked.json, { id: 7, tags: null });
  t.equal(asked.headers.get('soapstone-errors'), 'FORBIDDEN;pointer="/tags"');
  const before = crm.backend.begun;
  const forbidden = await as('reader', '/rest/crm/FindCustomers?ids=x');
  t.equal(forbidden.status, 403);
  t.equal(forbidden.json.code, 'FORBIDDEN');
  t.equal(forbidden.json.errors, undefined);
  t.equal(crm.backend.begun, before);
  t.equal((await as('poor', '/rest/crm/GetCustomer?id=7')).status, 200);
  const limited = await as('poor', '/rest/crm/GetCustomer?id=7');
  t.equal(limited.status, 429);
  t.ok(limited.headers.get('retry-after'));
  t.equal(limited.json.code, 'RATE_LIMITED');
});

t.test('the log and metrics', async (t) => {
  const crm = await start(t);
  await ask(crm, '/rest/crm/GetCustomer?id=7');
  await ask(crm, '/rest/crm/GetCustomer?id=404');
  await ask(crm, '/rest/crm/GetCustomer?id=x');
  t.match(await crm.gateway.accessLine(1), {
    route: 'rest',
    operation: 'query',
    operationName: 'getCustomer',
    status: 200,
  });
  t.match(await crm.gateway.accessLine(2), { outcome: 'fault', status: 422 });
  t.match(await crm.gateway.accessLine(3), {
    outcome: 'refused',
    code: 'BAD_USER_INPUT',
    status: 400,
  });
  t.match(await crm.gateway.metrics(), /soapstone_requests_total\{[^}]*route="rest"[^}]*\} 1/);
});

t.test('keys of the configuration', async (t) => {
  const own = await start(t, ', rest: { path: /api/v1, operations: [GetCustomer] }');
  t.equal((await ask(own, '/api/v1/GetCustomer?id=7')).status, 200);
  t.equal((await ask(own, '/api/v1/FindCustomers')).status, 404);
  for (const [service, problem] of [
    [', rest: { operations: [GetCustomers] }', /no operation `GetCustomers`[\s\S]*GetCustomer/],
    [', rest: { path: /graphql }', /same path/],
    [
      ', rest: true, path: /rest/crm/GetCustomer',
      /crm\.GetCustomer over REST, \/rest\/crm\/GetCustomer, is the same path as `services\.crm\.path`/,
    ],
    [
      ', rest: true, operations: { GetCustomer: { rest: "GET /rest/crm/FindCustomers" } }',
      /of crm\.GetCustomer is the path of crm\.FindCustomers over REST/,
    ],
    [
      ', rest: true, operations: { GetCustomer: { rest: "GET /graphql" } }',
      /`services\.crm\.operations\.GetCustomer\.rest` \(\/graphql\) matches the path of `graphql\.path`/,
    ],
    [
      ', rest: true, operations: { GetCustomer: false, FindCustomers: false, SetCustomer: false }',
      /no operation of service crm/,
    ],
  ] as const)
    await t.rejects(start(t, service), problem);
  const off = await start(t, '');
  t.equal((await fetch(`${off.gateway.url}/rest/crm/GetCustomer?id=7`)).status, 404);
});

t.test('without introspection no answer holds a name', async (t) => {
  const crm = await start(t, ', rest: true', 'graphql: { introspection: false }\n');
  t.equal((await ask(crm, '/rest/crm/GetCustomer?id=7')).status, 200);
  const closed = await post(crm, '/rest/crm/SetCustomer', { address: { town: 'x' } });
  t.equal(closed.status, 400);
  t.notMatch(JSON.stringify(closed.json.errors), /street|name/);
});

t.test('the description of the operations that a client may call', async (t) => {
  const crm = await start(
    t,
    ', rest: true',
    clientsOf({ full: '{}', some: '{ allow: [crm.GetCustomer] }' }),
  );
  const as = (name: string): Promise<Answer> =>
    ask(crm, '/rest/openapi.json', { headers: { 'x-api-key': keyOf(name) } });
  t.equal((await ask(crm, '/rest/openapi.json')).status, 401);
  const { json } = await as('full');
  t.equal(json.openapi, '3.1.0');
  t.same(
    Object.keys(json.paths).sort(),
    ['FindCustomers', 'GetCustomer', 'SetCustomer'].map((name) => `/rest/crm/${name}`),
  );
  t.same(Object.keys((await as('some')).json.paths), ['/rest/crm/GetCustomer']);
  t.same(json.components.securitySchemes, {
    apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' },
  });
  const { get, post: posted } = json.paths['/rest/crm/GetCustomer'];
  t.match(get.parameters[0], {
    name: 'id',
    in: 'query',
    required: true,
    schema: { type: 'integer' },
  });
  const body = { $ref: '#/components/schemas/getCustomer.Arguments' };
  t.same(posted.requestBody.content['application/json'].schema, body);
  t.match(json.components.schemas['getCustomer.Arguments'], { type: 'object', required: ['id'] });
  t.notOk('get' in json.paths['/rest/crm/SetCustomer'], 'what writes is no GET');
  const near = json.paths['/rest/crm/FindCustomers'].get.parameters.map(({ name = '' }) => name);
  t.same(near, ['ids', 'near', 'active', 'fields']);
  t.match(json.paths['/rest/crm/FindCustomers'].get.parameters[1], {
    style: 'deepObject',
    explode: true,
  });
  t.ok(get.parameters.at(-1).schema.items.enum.includes('address/city'));
  t.same(json.components.schemas.CustomerKind ?? json.components.schemas.Kind, {
    type: 'string',
    enum: ['private', 'company'],
  });
  const yaml = await fetch(`${crm.gateway.url}/rest/openapi.yaml`, {
    headers: { 'x-api-key': keyOf('full') },
  });
  t.match(await yaml.text(), /^openapi: 3\.1\.0\n/);
});

t.test('without introspection there is no description', async (t) => {
  const crm = await start(t, ', rest: true', 'graphql: { introspection: false }\n');
  t.equal((await ask(crm, '/rest/openapi.json')).status, 404);
});
