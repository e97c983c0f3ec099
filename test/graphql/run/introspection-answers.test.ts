import { buildSchema, execute, getIntrospectionQuery, parse } from 'graphql';
import t from 'tap';

import { defaultsOf } from '../../../src/core/limit.js';
import { GRAPHQL_LIMITS } from '../../../src/graphql/limits.js';
import { introspectionAnswers } from '../../../src/graphql/run/introspection-answers.js';
import {
  createGraphqlHandler,
  type GraphqlHandler,
} from '../../../src/graphql/run/operations/http.js';

const TYPES = 800;
const sdl = `directive @note(text: String = "a") repeatable on FIELD
  type Query { record(id: ID, filter: Filter): Record0 either: Either named(name: \
String @deprecated(reason: "é")): Named }
  "Über" input Filter { a: Int = 3, and: [Filter!] }
  union Either = Record0 | Record1
  interface Named { name: String }
  enum Colour { RED GREEN @deprecated }
  ${Array.from(
    { length: TYPES },
    (_, at) => `type Record${at} implements Named { name: String \
${Array.from(
  { length: 20 },
  (_, f) => `referenceNumber${f}: \
${f === 7 ? `[Record${(at * 7 + 1) % TYPES}!]!` : f === 3 ? 'Colour' : 'String'}`,
).join(' ')} \
}`,
  ).join('\n')}`;

const schema = buildSchema(sdl);
const limits = defaultsOf(GRAPHQL_LIMITS);

const handler = (): GraphqlHandler =>
  createGraphqlHandler({
    built: { schema, fields: new Map(), links: new Map() },
    limits,
    introspection: true,
    batch: 10,
  });

const ask = async (given: unknown, by = handler()) =>
  by(
    {
      method: 'POST',
      url: '/',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: async () => JSON.stringify(given),
    },
    { callField: () => Promise.reject(new Error('called')), signal: new AbortController().signal },
  );

const WHOLE = getIntrospectionQuery({
  inputValueDeprecation: true,
  directiveIsRepeatable: true,
  specifiedByUrl: true,
});

t.test('introspection answers as graphql-js does', async (t) => {
  const queries: [string, Record<string, unknown>][] = [
    [WHOLE, {}],
    [
      'query($n:String! $d:Boolean){a:__type(name:$n){name ' +
        'fields(includeDeprecated:$d){name}} __typename}',
      { n: 'Record5' },
    ],
    ['query($n:String!){a:__type(name:$n){name}}', { n: 'None' }],
    ['query($d:Boolean){__schema{types{enumValues(includeDeprecated:$d){name}}}}', { d: true }],
    ['query($d:Boolean){__schema{types{enumValues(includeDeprecated:$d){name}}}}', { d: false }],
    [
      '{__schema{...F}} fragment F on __Schema{queryType{name} ' +
        'directives{name args{defaultValue}}}',
      {},
    ],
    ['{a:__schema{types{name}} b:__schema{types{kind}}}', {}],
  ];
  for (const [query, variables] of queries) {
    const expected = await execute({ schema, document: parse(query), variableValues: variables });
    for (let times = 0; times < 2; times++) {
      const { status, body } = await ask({ query, variables });
      t.equal(status, 200);
      t.equal(
        JSON.stringify(JSON.parse(body ?? '').data),
        JSON.stringify(expected.data),
        query.slice(0, 60),
      );
    }
  }
});

t.test('introspection is charged for what it answers, remembered or not', async (t) => {
  const cost = async (query: string): Promise<unknown> =>
    JSON.parse((await ask({ query })).body ?? '').extensions.cost;
  const { requestedQueryCost, actualQueryCost } = (await cost(WHOLE)) as Record<string, number>;
  t.ok((requestedQueryCost ?? 0) > 100, `${requestedQueryCost} points`);
  t.equal(actualQueryCost, requestedQueryCost);
  t.same(await cost(WHOLE), { requestedQueryCost, actualQueryCost }, 'each time');
  t.same(await cost('{__typename}'), { requestedQueryCost: 0, actualQueryCost: 0 });
  const batch = await ask(Array.from({ length: 10 }, () => ({ query: WHOLE })));
  t.match(batch.body, 'MAX_COST_LIMIT', 'ten in a batch are too expensive');
});

t.test('others have their turn while it is made, and it is made once', async (t) => {
  // Another text, the same question.
  const queries = [`  ${WHOLE}`, WHOLE.replaceAll('\n', ' '), `#\n${WHOLE}`];
  const fresh = buildSchema(sdl);
  const by = createGraphqlHandler({
    built: { schema: fresh, fields: new Map(), links: new Map() },
    limits,
    introspection: true,
  });
  // What is admitted once is remembered: here only the answers count.
  for (const query of queries)
    await ask({ query: query.replace('__schema', '__schema @skip(if:true)') }, by);
  let turns = 0;
  let isDone = false;
  const tick = (): void => {
    turns++;
    if (!isDone) setImmediate(tick);
  };
  tick();
  const before = process.cpuUsage();
  const all = await Promise.all(queries.map((query) => ask({ query }, by)));
  const made = process.cpuUsage(before);
  isDone = true;
  t.ok(turns > 5, `${turns} turns of others`);
  t.equal(new Set(all.map(({ body }) => body)).size, 1);
  const again = process.cpuUsage();
  await ask({ query: queries[0] }, by);
  const remembered = process.cpuUsage(again);
  t.ok(
    (remembered.user + remembered.system) * 5 < made.user + made.system,
    'the second answer costs next to nothing',
  );
});

t.test('no answer is made for clients that have gone', async (t) => {
  const gone = AbortSignal.abort();
  const document = parse('{__schema{types{name kind description}}}');
  const answers = introspectionAnswers(schema);
  await t.rejects(answers.answer('__schema', document, {}, gone), { code: 'CLIENT_GONE' });
  const both = [
    answers.answer('__schema', document, {}, gone),
    answers.answer('__schema', document, {}, new AbortController().signal),
  ];
  const [one, other] = await Promise.all(both);
  t.equal(one, other, 'but one is for a client that waits as well');
  t.equal(JSON.stringify(one?.value), one?.value?.text, 'it is written the same again');
});
