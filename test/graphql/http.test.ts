import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { serverAudits } from 'graphql-http';
import t from 'tap';
import type { Decoded } from '../../src/codec/plan/reply/reply-plan.js';
import { InputError } from '../../src/codec/write/input-error.js';
import { JsonBoundsError, parseStrictJson } from '../../src/core/json/strict-json.js';
import { defaultsOf } from '../../src/core/limit.js';
import { Refusal } from '../../src/core/refusals/refusal.js';
import type { Admitted } from '../../src/graphql/admission/admit.js';
import { readText } from '../../src/graphql/admission/read-text.js';
import { GRAPHQL_LIMITS, type GraphqlLimits } from '../../src/graphql/limits.js';
import type { GraphqlResponse } from '../../src/graphql/run/batch.js';
import type { CallField, FieldCall } from '../../src/graphql/run/field-call.js';
import { createGraphqlHandler, type RequestHost } from '../../src/graphql/run/operations/http.js';
import type { GraphqlOptions } from '../../src/graphql/run/operations/operation.js';
import { buildSchema } from '../../src/graphql/schema/schema.js';
import { SoapFaultError } from '../../src/soap/fault/fault.js';
import { listen } from '../kit/listen.js';
import {
  complex,
  element,
  elements,
  INT,
  one,
  operation,
  STRING,
  service,
  shop,
} from './models.js';

const session = element('Session', complex('', elements(one('token', STRING))));
const signed = operation('GetSigned', [one('id', INT)], [one('x', INT)]);

const built = buildSchema([
  service([...shop(), { ...signed, input: { ...signed.input, headers: [{ element: session }] } }]),
]);

const options = (limits: Partial<GraphqlLimits> = {}, introspection = true): GraphqlOptions => ({
  built,
  introspection,
  limits: { ...defaultsOf(GRAPHQL_LIMITS), ...limits },
});

const decoded = (value: unknown, about: Partial<Decoded> = {}): Decoded => ({
  value,
  errors: [],
  furtherErrors: 0,
  ...about,
});

const answers: CallField = async ({ bound }) => decoded(bound.name === 'countOrders' ? '3' : null);

interface Sent {
  readonly method?: string;
  readonly url?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
  readonly callField?: CallField;
  readonly context?: Partial<RequestHost>;
}

const atOnce = async (): Promise<void> => {};

const JSON_TYPE = { 'content-type': 'application/json' };
const GRAPHQL_TYPE = { accept: 'application/graphql-response+json' };

function send(sent: Sent, given: GraphqlOptions = options()): Promise<GraphqlResponse> {
  const {
    method = 'POST',
    url = '/graphql',
    headers = JSON_TYPE,
    body = '',
    callField = answers,
  } = sent;
  const request = {
    method,
    url,
    headers,
    body: () => readText(Readable.from([Buffer.from(body)]), 10_000, null, atOnce),
  };
  const context = { callField, signal: new AbortController().signal, ...sent.context };
  return createGraphqlHandler(given)(request, context);
}

interface Result {
  readonly data?: unknown;
  readonly errors?: readonly {
    readonly message: string;
    readonly path?: readonly unknown[];
    readonly locations?: unknown;
    readonly extensions?: Readonly<Record<string, unknown>>;
  }[];
}

const resultOf = ({ body }: GraphqlResponse): Result => JSON.parse(body ?? 'null');

const ask = async (
  query: string,
  callField: CallField = answers,
  variables: unknown = null,
): Promise<Result> =>
  resultOf(await send({ body: JSON.stringify({ query, variables }), callField }));

const codes = (result: Result): unknown[] =>
  (result.errors ?? []).map((error) => error.extensions?.['code']);

t.test('every audit of graphql-http passes', async (t) => {
  const handler = createGraphqlHandler(options());
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const answer = await handler(
      {
        method: request.method ?? '',
        url: request.url ?? '',
        headers: request.headers,
        body: () => readText(request, 2_000_000, null, atOnce),
      },
      { callField: answers, signal: new AbortController().signal },
    );
    response.writeHead(answer.status, answer.headers).end(answer.body);
  };
  const server = createServer((request, response) => void respond(request, response));
  const { url } = await listen(t, server);
  const audits = serverAudits({ url: `${url}/graphql` });
  t.ok(audits.length >= 61, `${audits.length} audits`);
  for (const audit of audits) {
    const result = await audit.fn();
    t.equal(result.status, 'ok', `${audit.name} ${'reason' in result ? result.reason : ''}`);
  }
});

t.test('a plain GET works, and cannot write', async (t) => {
  const get = (query: string, headers: Record<string, string> = {}): Promise<GraphqlResponse> =>
    send({ method: 'GET', url: `/graphql?query=${encodeURIComponent(query)}`, headers });
  const read = await get('{countOrders}');
  t.match(read, { status: 200, headers: { 'x-content-type-options': 'nosniff' } });
  t.same(resultOf(read), {
    data: { countOrders: '3' },
    extensions: { cost: { requestedQueryCost: 10, actualQueryCost: 10 } },
  });
  const write = await get('mutation{forget(orderID:1)}', { 'x-requested-with': 'me' });
  t.match(write, { status: 405, headers: { allow: 'POST' } });
  t.same(codes(resultOf(write)), ['HTTP_METHOD']);
});

t.test('a GET that another site sends is refused unless it was asked for first', async (t) => {
  const get = (headers: Record<string, string>): Promise<GraphqlResponse> =>
    send({ method: 'GET', url: '/graphql?query={countOrders}', headers });
  for (const site of ['cross-site', 'same-site', 'nonsense']) {
    const refused = await get({ 'sec-fetch-site': site });
    t.equal(refused.status, 400);
    t.same(codes(resultOf(refused)), ['CSRF_PREVENTED']);
    t.equal((await get({ 'sec-fetch-site': site, 'apollo-require-preflight': '1' })).status, 200);
  }
  t.equal((await get({ 'sec-fetch-site': 'none' })).status, 200);
  t.equal((await get({ 'sec-fetch-site': 'same-origin' })).status, 200);
});

t.test(
  'a GET of a browser that does not say which site sends it is validated by its ' +
    'page, and by what it takes',
  async (t) => {
    const get = async (headers: Record<string, string>): Promise<number> =>
      (
        await send({
          method: 'GET',
          url: '/graphql?query={countOrders}',
          headers: { host: 'gw.test:4000', ...headers },
        })
      ).status;
    const refused: Record<string, string>[] = [
      { origin: 'http://evil.test' },
      { origin: 'null' },
      { origin: 'http://gw.test:4001' },
      { referer: 'http://evil.test/gw.test:4000' },
      { referer: 'http://evil.test/', accept: 'application/json' },
      { referer: 'nonsense' },
      { accept: 'image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8' },
      { accept: 'text/css,*/*;q=0.1' },
      { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' },
      { 'sec-fetch-site': 'cross-site', accept: 'application/json' },
      { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64)', accept: 'application/json' },
      { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64)', accept: '*/*' },
      { origin: 'http://evil.test', 'content-type': 'text/plain' },
    ];
    for (const headers of refused) t.equal(await get(headers), 400, JSON.stringify(headers));
    const taken: Record<string, string>[] = [
      {},
      { accept: '*/*' },
      { accept: 'application/json' },
      { accept: 'application/graphql-response+json;charset=utf-8, application/json;charset=utf-8' },
      { accept: 'text/event-stream' },
      { origin: 'http://gw.test:4000' },
      { origin: 'https://GW.test:4000' },
      { referer: 'http://gw.test:4000/graphql', 'user-agent': 'Mozilla/5.0' },
      { 'user-agent': 'curl/8.5', accept: '*/*' },
      { 'sec-fetch-site': 'same-origin', accept: 'image/png' },
      { origin: 'http://evil.test', 'content-type': 'application/json' },
      { origin: 'http://evil.test', 'apollo-require-preflight': '1' },
    ];
    for (const headers of taken) t.not(await get(headers), 400, JSON.stringify(headers));
  },
);

t.test('only JSON is read', async (t) => {
  const body = '{"query":"{countOrders}"}';
  const refused = [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/graphql',
    'application/json; charset=iso-8859-1',
    'text/plain; application/json',
    '',
  ];
  for (const type of refused) {
    const response = await send({ body, headers: { 'content-type': type } });
    t.match(response, { status: 415, body: null }, type);
  }
  t.equal((await send({ body, headers: {} })).status, 415);
  for (const [coding, status] of [
    ['gzip', 415],
    ['br', 415],
    ['identity, gzip', 415],
    ['Identity', 200],
  ] as const) {
    const headers = { 'content-type': 'application/json', 'content-encoding': coding };
    t.equal((await send({ body, headers })).status, status, coding);
  }
  for (const type of [
    'application/json',
    'Application/JSON ; charset="UTF-8"',
    'application/json; foo=bar',
  ]) {
    t.equal((await send({ body, headers: { 'content-type': type } })).status, 200, type);
  }
  t.match(await send({ method: 'PUT', body }), { status: 405, headers: { allow: 'GET, POST' } });
  const [json, graphql] = ['application/json', 'application/graphql-response+json'];
  for (const [accept, expected] of [
    ['', json],
    [`${json}, ${graphql}`, json],
    [`${graphql}, ${json}`, graphql],
    [`${json};q=0.9, ${graphql}`, graphql],
    [`*/*;q=0.1, ${graphql};q=0.5, ${json};q=0.4`, graphql],
    [`${json};q=0, ${graphql};q=0.001`, graphql],
    ['text/html', null],
    [`${json};q=0`, null],
    [`${json};q=none`, null],
  ] as const) {
    const { status, headers } = await send({ body, headers: { ...JSON_TYPE, accept } });
    t.equal(status, expected === null ? 406 : 200, accept);
    if (expected !== null) t.equal(headers['content-type']?.split(';')[0], expected, accept);
  }
});

t.test('a body that is too long is answered without a document', async (t) => {
  t.match(await send({ body: ' '.repeat(10_001) }), { status: 413, body: null });
});

t.test('what is no request for GraphQL is 400, whatever is accepted', async (t) => {
  const deep = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;
  const bodies = {
    '[{"query":"{countOrders}"}]': 'BATCHING_NOT_SUPPORTED',
    '[]': 'BATCHING_NOT_SUPPORTED',
    '{"query":"{countOrders}"': 'BAD_REQUEST',
    '': 'BAD_REQUEST',
    '1': 'BAD_REQUEST',
    '{}': 'BAD_REQUEST',
    '{"query":1}': 'BAD_REQUEST',
    '{"query":"{countOrders}","variables":[]}': 'BAD_REQUEST',
    '{"query":"{countOrders}","variables":"{}"}': 'BAD_REQUEST',
    '{"query":"{countOrders}","variables":{"a":{"__proto__":{"x":1}}}}': 'BAD_REQUEST',
    '{"query":"{countOrders}","query":"{countOrders}"}': 'BAD_REQUEST',
    '{"query":"{countOrders}","variables":{"a":[1,{"b":1,"c":{"b":1},"\\u0062":2}]}}':
      'BAD_REQUEST',
    [`{"query":"{countOrders}","variables":{"a":${deep(51)}}}`]: 'BAD_REQUEST',
    [`{"query":"{countOrders}","variables":{${Array.from({ length: 1001 }, (_, at) => `"a${at}":1`)}}}`]:
      'BAD_REQUEST',
  };
  for (const [body, code] of Object.entries(bodies)) {
    for (const accept of [{}, GRAPHQL_TYPE]) {
      const response = await send({ body, headers: { ...JSON_TYPE, ...accept } });
      t.equal(response.status, 400, body.slice(0, 60));
      t.same(codes(resultOf(response)), [code], body.slice(0, 60));
    }
  }
  t.equal(({} as Record<string, unknown>)['x'], undefined);
  t.equal((await send({ method: 'GET', url: '/graphql', headers: {} })).status, 400);
});

t.test(
  'refused documents are 400 or, where JSON is accepted, 200; nothing is called',
  async (t) => {
    const refusals: Refusal[] = [];
    const callField: CallField = async () => {
      t.fail('called');
      return decoded(null);
    };
    const body = JSON.stringify({ query: `{${'a:countOrders '.repeat(6)}}` });
    const context = { refused: (refusal: Refusal) => void refusals.push(refusal) };
    const plain = await send({ body, callField, context });
    t.equal(plain.status, 200);
    t.notOk(Object.hasOwn(resultOf(plain), 'data'));
    const typed = await send({
      body,
      callField,
      context,
      headers: { ...JSON_TYPE, ...GRAPHQL_TYPE },
    });
    t.equal(typed.status, 400);
    t.match(typed.headers['content-type'], 'application/graphql-response+json');
    t.same(codes(resultOf(typed)), ['MAX_ROOT_FIELDS_LIMIT']);
    t.same(
      refusals.map((refusal) => refusal.code),
      ['MAX_ROOT_FIELDS_LIMIT', 'MAX_ROOT_FIELDS_LIMIT'],
    );
  },
);

t.test('answers stand under their response keys, in the order of the document', async (t) => {
  const admitted: Admitted[] = [];
  const callField: CallField = async ({ bound }) => decoded(`of ${bound.name}`);
  const query =
    '{b:countOrders ...F __typename a:countOrders t:__typename} fragment F on ' +
    'Query{getSigned(id:1)}';
  const response = await send({
    body: JSON.stringify({ query }),
    callField,
    context: { authorizeAndCharge: (each: Admitted) => void admitted.push(each) },
  });
  t.equal(
    response.body,
    '{"data":{"b":"of countOrders","getSigned":"of getSigned","__typename":"Query","a":"of ' +
      'countOrders","t":"Query"},' +
      '"extensions":{"cost":{"requestedQueryCost":30,"actualQueryCost":30}}}',
  );
  t.match(admitted, [{ cost: 30, operation: { operation: 'query' } }]);
});

t.test(
  'arguments come from literals, variables and defaults, header blocks on their own',
  async (t) => {
    const calls: FieldCall[] = [];
    const callField: CallField = async (call) => {
      calls.push(call);
      return decoded(null);
    };
    const query = `query($id:Int=7 $t:String! $s:Status){
    getSigned(id:$id headers:{session:{token:$t}}) listOrders(status:$s limit:3){tag} \
c:listOrders(status:_1st){tag}
  }`;
    await ask(query, callField, { t: 'x' });
    t.same(
      calls.map((call) => [call.arguments, call.headers]),
      [
        [{ id: 7 }, { session: { token: 'x' } }],
        [{ limit: 3 }, {}],
        [{ status: '_1st' }, {}],
      ],
    );
  },
);

t.test('fields of a query run side by side, those of a mutation in order', async (t) => {
  let running = 0;
  let most = 0;
  const callField: CallField = async () => {
    running++;
    most = Math.max(most, running);
    await new Promise((resolve) => setImmediate(resolve));
    running--;
    return decoded(true);
  };
  await ask('{a:countOrders b:countOrders c:countOrders}', callField);
  t.equal(most, 3);
  most = 0;
  await ask('mutation{a:forget(orderID:1) b:forget(orderID:2)}', callField);
  t.equal(most, 1);
});

t.test('a failed field is null with an error, the others are answered', async (t) => {
  const fault = {
    code: 'Client',
    subcode: null,
    string: 'No such order',
    actor: null,
    detail: { OrderFault: '404' },
  };
  const failures = [
    new SoapFaultError(fault),
    new Refusal('UPSTREAM_TIMEOUT', 'backend 10.0.0.1'),
    new InputError(['arguments', 'order', 'lines', 2, 'qty'], 'must be an integer'),
    new Error('secret internals'),
  ];
  const callField: CallField = async () => {
    const failure = failures.shift();
    if (failure !== undefined) throw failure;
    return decoded(1);
  };
  const result = await ask(
    '{a:countOrders b:countOrders c:countOrders d:countOrders e:countOrders}',
    callField,
  );
  t.same(result.data, { a: null, b: null, c: null, d: null, e: 1 });
  t.same(result.errors, [
    {
      message: 'No such order',
      locations: [{ line: 1, column: 2 }],
      path: ['a'],
      extensions: {
        code: 'SOAP_FAULT',
        soap: {
          code: 'Client',
          string: 'No such order',
          actor: null,
          detail: { OrderFault: '404' },
        },
      },
    },
    {
      message: 'The service did not answer in time.',
      locations: [{ line: 1, column: 16 }],
      path: ['b'],
      extensions: { code: 'UPSTREAM_TIMEOUT' },
    },
    {
      message: 'An argument has no valid value. order.lines[2].qty: must be an integer.',
      locations: [{ line: 1, column: 30 }],
      path: ['c'],
      extensions: { code: 'BAD_USER_INPUT', argument: ['order', 'lines', 2, 'qty'] },
    },
    {
      message: 'Unexpected error.',
      locations: [{ line: 1, column: 44 }],
      path: ['d'],
      extensions: { code: 'INTERNAL' },
    },
  ]);
});

t.test(
  'where introspection is off, what cannot be written tells no names but the ' +
    'argument that was given',
  async (t) => {
    const told = async (
      path: readonly (string | number)[],
      introspection: boolean,
    ): Promise<unknown> => {
      const callField: CallField = () =>
        Promise.reject(
          new InputError(path, 'exactly one must be provided of taxId, socialSecurityNumber'),
        );
      const body = JSON.stringify({ query: '{getSigned(id:1)}' });
      return resultOf(await send({ body, callField }, options({}, introspection))).errors?.[0];
    };
    t.match(await told(['arguments', 'id', 'taxId'], true), {
      message: /of taxId/,
      extensions: { argument: ['id', 'taxId'] },
    });
    const closed = await told(['arguments', 'id', 'taxId'], false);
    t.match(closed, {
      message: /Of the argument id, something is not valid/,
      extensions: { code: 'BAD_USER_INPUT', argument: ['id'] },
    });
    t.match(closed, { path: ['getSigned'], locations: [{ line: 1, column: 2 }] });
    t.notMatch(JSON.stringify(closed), /taxId|social|exactly/);
    const missing = await told(['arguments', 'secretZone'], false);
    t.match(missing, {
      message: /Of the arguments, something is not valid/,
      extensions: { argument: [] },
    });
    t.notMatch(JSON.stringify(missing), /secretZone/);
  },
);

t.test('what a reply left open is an error at its path', async (t) => {
  const errors = [
    { code: 'UPSTREAM_SCHEMA_INVALID', path: ['lines', 3, 'no'], rule: 'missing' },
  ] as const;
  const callField: CallField = async () => decoded({ lines: null }, { errors });
  const result = await ask('{o:getOrder(orderID:1){lines{no}}}', callField);
  t.same(result.data, { o: { lines: null } });
  t.match(result.errors, [
    {
      path: ['o', 'lines', 3, 'no'],
      message: 'The service left its own contract. (missing)',
      extensions: { code: 'UPSTREAM_SCHEMA_INVALID' },
    },
  ]);
});

t.test('a bounded number of errors is listed, and the number of the others', async (t) => {
  const errors = Array.from(
    { length: 8 },
    (_, at) => ({ code: 'UPSTREAM_SCHEMA_INVALID', path: [at], rule: 'x' }) as const,
  );
  const callField: CallField = async () => decoded([], { errors });
  const two = await ask('{a:listOrders{tag} b:listOrders{tag}}', callField);
  t.equal(two.errors?.length, 11);
  t.equal(codes(two)[10], 'TOO_MANY_ERRORS');
  const further = await ask('{a:listOrders{tag}}', async () =>
    decoded([], { errors, furtherErrors: 90 }),
  );
  t.equal(codes(further)[8], 'TOO_MANY_ERRORS');
});

t.test(
  'a root field that may not be null takes the data with it, and ends a mutation',
  async (t) => {
    let calls = 0;
    const callField: CallField = async () => {
      calls++;
      throw new Refusal('UPSTREAM_RESET');
    };
    const result = await ask('mutation{a:forget(orderID:1) b:forget(orderID:2)}', callField);
    t.equal(result.data, null);
    t.same(codes(result), ['UPSTREAM_RESET']);
    t.equal(calls, 1);
  },
);

t.test('introspection runs beside calls, with fragments and variables', async (t) => {
  const query = `query($n:String!){
    countOrders __type(name:$n){...T} s:__schema{queryType{name}}
  } fragment T on __Type{name fields{name}}`;
  const result = await ask(query, answers, { n: 'ArrayOfLine' });
  t.match(result, {
    data: { countOrders: '3', __type: null, s: { queryType: { name: 'Query' } } },
  });
  const part = await ask(query, answers, { n: 'Part' });
  t.match(part.data, { __type: { name: 'Part', fields: [{ name: 'sku' }, { name: 'weight' }] } });
});

t.test('a client that has gone ends the request', async (t) => {
  const controller = new AbortController();
  const body = JSON.stringify({
    query: 'mutation{placeOrder(order:{orderID:1,serial:"1",status:NEW}){total}}',
  });
  let calls = 0;
  const callField: CallField = async () => {
    calls++;
    controller.abort();
    throw new Refusal('CLIENT_GONE');
  };
  await t.rejects(send({ body, callField, context: { signal: controller.signal } }), {
    code: 'CLIENT_GONE',
  });
  await t.rejects(send({ body, callField, context: { signal: controller.signal } }), {
    code: 'CLIENT_GONE',
  });
  t.equal(calls, 1);
});

t.test('aliases with names of JavaScript are answered', async (t) => {
  const response = await send({
    body: '{"query":"{constructor:countOrders toString:countOrders}"}',
  });
  t.equal(
    response.body,
    '{"data":{"constructor":"3","toString":"3"},"extensions":{"cost":{"requestedQueryCost":20,' +
      '"actualQueryCost":20}}}',
  );
});

t.test('what is remembered of a document is right for other variables', async (t) => {
  const handler = createGraphqlHandler(options());
  const run = async (query: string, variables: unknown, callField: CallField): Promise<Result> =>
    resultOf(
      await handler(
        {
          method: 'POST',
          url: '/',
          headers: JSON_TYPE,
          body: async () => JSON.stringify({ query, variables }),
        },
        { callField, signal: new AbortController().signal },
      ),
    );
  const query = 'query($yes:Boolean! $id:Int!){getSigned(id:$id) @include(if:$yes) countOrders}';
  const echo: CallField = async (call) => decoded(call.arguments['id'] ?? 'none');
  t.same((await run(query, { yes: true, id: 1 }, echo)).data, {
    getSigned: 1,
    countOrders: 'none',
  });
  t.same((await run(query, { yes: false, id: 2 }, echo)).data, { countOrders: 'none' });
  const still = 'query($id:Int!){getSigned(id:$id)}';
  t.same((await run(still, { id: 1 }, echo)).data, { getSigned: 1 });
  t.same((await run(still, { id: 2 }, echo)).data, { getSigned: 2 });
});

t.test('strict JSON has what JSON has, but no name twice in one object', async (t) => {
  const good = [
    '{"a":{"a":[{"a":1},{"a":"a"}],"b":"a"},"c":"}\\",\\"a\\":"}',
    '["a","a"]',
    '"a"',
    '{}',
    '{"":{"":1}}',
    '[{},{}]',
    ` [ 1e5 , -0.5,\n"${'\\"'.repeat(40)}" , true,"${'\\\\'.repeat(40)}",null, ` +
      `"${'a\\"'.repeat(16)}]"] `,
    `{"${'\\"'.repeat(20)}":1,"${'\\"'.repeat(21)}":"${'\\"'.repeat(15)}"}`,
  ];
  for (const text of good) t.same(parseStrictJson(text), JSON.parse(text));
  const bad = [
    '{"a":1,"a":1}',
    '[[{"b":[],"a":{},"b":1}]]',
    '{"":1, "" :1}',
    '{"a":{"x":1},"\\u0061":1}',
    '{"a":1',
  ];
  bad.push(`{"${'\\"'.repeat(20)}":1,"${'\\"'.repeat(20)}":1}`, `"${'\\"'.repeat(40)}`);
  const bounds = { levels: 10, parts: 3, members: 2 };
  t.same(parseStrictJson('{"a":"x","b":"y"}', bounds), { a: 'x', b: 'y' });
  t.throws(
    () => parseStrictJson(`[${'""'.repeat(100)}]`, bounds),
    JsonBoundsError,
    'strings that nothing parts',
  );
  for (const text of bad) t.throws(() => parseStrictJson(text), SyntaxError);
  fc.assert(
    fc.property(fc.json(), (text) => {
      if (JSON.stringify(parseStrictJson(text)) !== JSON.stringify(JSON.parse(text)))
        throw new Error(text);
    }),
    { numRuns: 50 },
  );
  const wide = `{${Array.from({ length: 100_000 }, (_, at) => `"k${at}":${at}`).join(',')}}`;
  const started = performance.now();
  parseStrictJson(wide);
  t.comment(`took ${Math.round(performance.now() - started)} ms`);
});
