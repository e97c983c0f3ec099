import { createHash } from 'node:crypto';
import t, { type Test } from 'tap';
import { ConfigurationError } from '../../src/core/diagnostic.js';
import { codesOf, errorWith, type GraphqlAnswer } from '../kit/answers.js';
import { answerOperations } from '../kit/backend.js';
import { compileText } from '../kit/configuration.js';
import { textIn } from '../kit/envelope.js';
import { postGraphql, TYPED } from '../kit/graphql-client.js';
import { until } from '../kit/until.js';
import { useFolder, useService } from '../kit/use.js';

/** Documents that requests only name, and requests that come in batches. */

const services = (url: string): string => `services:
  shop:
    url: ${url}/shop
    namespace: urn:shop
    types: |
      type Query { article(sku: String!): Article, stock(sku: String): Int }
      type Mutation { rename(sku: String!, name: String): Article }
      type Article { sku: String!, name: String }
    operations:
      GetArticle: { field: Query.article }
      GetStock: { field: Query.stock }
      RenameArticle: { field: Mutation.rename }
`;

const answerArticle = answerOperations('urn:shop', () => '<sku>A1</sku>');

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly json: GraphqlAnswer;
}

async function startShop(t: Test, more: string, directory: string | null = null) {
  const { backend, gateway } = await useService(
    t,
    answerArticle,
    (url) => services(url) + more,
    directory,
  );
  const read = async (response: Response): Promise<Answer> => {
    const { status, headers } = response;
    const text = await response.text();
    // A refusal of HTTP has a sentence.
    const isText = headers.get('content-type')?.startsWith('text/plain') === true;
    const json: unknown = JSON.parse(isText ? 'null' : text || 'null');
    // What things cost is told in every answer, and tested elsewhere.
    for (const each of Array.isArray(json) ? json : [json])
      if (each !== null) delete each.extensions;
    return { status, headers, json: json as Answer['json'] };
  };
  return {
    backend,
    gateway,
    post: async (body: unknown, headers: Record<string, string> = TYPED): Promise<Answer> =>
      read(await postGraphql(gateway.url, body, headers)),
    get: async (params: Record<string, string>): Promise<Answer> =>
      read(
        await fetch(`${gateway.url}/graphql?${new URLSearchParams(params)}`, { headers: TYPED }),
      ),
  };
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const apq = (sha256Hash: string, version = 1) => ({ persistedQuery: { version, sha256Hash } });
const codesIn = ({ json }: Answer): readonly (string | undefined)[] => codesOf(json);

const AUTOMATIC = 'graphql: { persisted: { automatic: true } }\n';
const QUERY = '{ article(sku: "a") { sku } }';
const DATA = { article: { sku: 'A1' } };

t.test('a document is sent once, and named from then on', async (t) => {
  const { post, get } = await startShop(t, AUTOMATIC);
  const hash = sha256(QUERY);
  const unknown = await post({ extensions: apq(hash) });
  t.equal(unknown.status, 404);
  t.match(unknown.headers.get('content-type'), 'application/graphql-response+json');
  t.equal(unknown.headers.get('cache-control'), 'no-store');
  t.match(unknown.json.errors, [
    {
      message: 'PersistedQueryNotFound',
      extensions: { code: 'PERSISTED_QUERY_NOT_FOUND', id: String },
    },
  ]);
  t.equal(
    (await post({ extensions: apq(hash) }, {})).status,
    200,
    'clients that read application/json alone',
  );

  t.same((await post({ query: QUERY, extensions: apq(hash) })).json, { data: DATA });
  t.same((await post({ extensions: apq(hash) })).json, { data: DATA });
  t.same(
    (await post({ query: '', extensions: apq(hash) })).json,
    { data: DATA },
    'an empty text is none',
  );
  t.same((await get({ extensions: JSON.stringify(apq(hash)) })).json, { data: DATA });

  const other = '{ stock }';
  t.same((await get({ query: other, extensions: JSON.stringify(apq(sha256(other))) })).json, {
    data: { stock: null },
  });
  t.equal(
    (await get({ extensions: JSON.stringify(apq(sha256(other))) })).status,
    200,
    'remembered by GET as well',
  );
});

t.test(
  'variables and names of operations belong to the request, not to the document',
  async (t) => {
    const { post, backend } = await startShop(t, AUTOMATIC);
    const query = 'query A($sku: String!) { article(sku: $sku) { sku } } query B { stock }';
    const extensions = apq(sha256(query));
    await post({ query, extensions, operationName: 'B' });
    t.same((await post({ extensions, operationName: 'A', variables: { sku: 'x1' } })).json, {
      data: DATA,
    });
    t.match(backend.complete.at(-1)?.body.toString(), 'x1');
    t.same(codesIn(await post({ extensions, operationName: 'C' })), ['BAD_REQUEST']);
    const written = 'mutation { rename(sku: "a") { sku } }';
    await post({ query: written, extensions: apq(sha256(written)) });
  },
);

t.test(
  'an id that is no name of a document is refused, and nothing is stored under it',
  async (t) => {
    const { post, get, backend } = await startShop(
      t,
      `${AUTOMATIC}limits: { graphql: { characters: 100000 } }\n`,
    );
    const hash = sha256(QUERY);
    const cases: readonly (readonly [string, unknown, string])[] = [
      [
        'the hash of another text',
        { query: '{ stock }', extensions: apq(hash) },
        'PERSISTED_QUERY_HASH_MISMATCH',
      ],
      ['no hash', { query: QUERY, extensions: apq('abc') }, 'PERSISTED_QUERY_HASH_MISMATCH'],
      [
        'upper case',
        { query: QUERY, extensions: apq(hash.toUpperCase()) },
        'PERSISTED_QUERY_HASH_MISMATCH',
      ],
      [
        'of a long text',
        { query: `${QUERY}${'#'.repeat(70_000)}`, extensions: apq(hash) },
        'PERSISTED_QUERY_HASH_MISMATCH',
      ],
      ['no hash, alone', { extensions: apq('__proto__') }, 'BAD_REQUEST'],
      ['version 2', { query: QUERY, extensions: apq(hash, 2) }, 'BAD_REQUEST'],
      [
        'a number',
        { query: QUERY, extensions: { persistedQuery: { version: 1, sha256Hash: 1 } } },
        'BAD_REQUEST',
      ],
      ['a list', { query: QUERY, extensions: { persistedQuery: [] } }, 'BAD_REQUEST'],
      ['a text', { query: QUERY, extensions: { persistedQuery: hash } }, 'BAD_REQUEST'],
      ['a query that is no text', { query: 5, extensions: apq(hash) }, 'BAD_REQUEST'],
      ['an id, where none are known', { documentId: 'x' }, 'PERSISTED_QUERY_NOT_FOUND'],
    ];
    for (const [name, body, code] of cases) {
      const answer = await post(body);
      t.same(codesIn(answer), [code], name);
      t.equal(answer.status, code === 'PERSISTED_QUERY_NOT_FOUND' ? 404 : 400, name);
    }
    t.equal(
      (await get({ extensions: JSON.stringify(apq(hash)), id: 'a' })).status,
      404,
      'the hash was never taken',
    );
    t.equal(
      (await get({ query: QUERY, id: 'anything' })).status,
      200,
      'other people have ids of their own',
    );
    const long = `${QUERY} #${'x'.repeat(70_000)}`;
    t.same((await post({ query: long, extensions: apq(sha256(long)) })).json, { data: DATA });
    t.same(
      codesIn(await post({ extensions: apq(sha256(long)) })),
      ['PERSISTED_QUERY_NOT_FOUND'],
      'too long to be kept',
    );
    for (const query of ['{ nothing }', '{ a', `{ ${'x: stock '.repeat(30)} }`]) {
      const extensions = apq(sha256(query));
      t.equal((await post({ query, extensions })).status, 400);
      t.same(
        codesIn(await post({ extensions })),
        ['PERSISTED_QUERY_NOT_FOUND'],
        'only what runs is kept',
      );
    }
    t.equal(backend.complete.length, 2);
  },
);

t.test(
  'where no documents are stored, clients get the error that makes them send documents whole',
  async (t) => {
    const { post } = await startShop(t, '');
    const answer = await post({ extensions: apq(sha256(QUERY)) });
    t.match(answer.json.errors, [
      {
        message: 'PersistedQueryNotSupported',
        extensions: { code: 'PERSISTED_QUERY_NOT_SUPPORTED', id: String },
      },
    ]);
    t.same((await post({ query: QUERY, extensions: apq(sha256(QUERY)) })).json, { data: DATA });
    t.same(codesIn(await post({ extensions: apq(sha256(QUERY)) })), [
      'PERSISTED_QUERY_NOT_SUPPORTED',
    ]);
    t.same(codesIn(await post({ id: 'x' })), ['PERSISTED_QUERY_NOT_SUPPORTED']);
    t.same(codesIn(await post({ query: '{ stock }', extensions: apq('0'.repeat(64)) })), [
      'PERSISTED_QUERY_HASH_MISMATCH',
    ]);
  },
);

t.test(
  'a flood of documents is paid for, and pushes out no more than there is room for',
  async (t) => {
    const clients = `clients:
  address: { class: public }
  classes: { public: { budget: { maximum: 100, restoreRate: 1 } } }
limits: { persisted: { registrationCost: 40 } }
`;
    const { post } = await startShop(t, AUTOMATIC + clients);
    const kept: string[] = [];
    for (let index = 0; index < 5; index++) {
      const query = `{ a${index}: __typename }`;
      t.equal(
        (await post({ query, extensions: apq(sha256(query)) })).status,
        200,
        'runs all the same',
      );
      if ((await post({ extensions: apq(sha256(query)) })).status === 200) kept.push(query);
      // What is known already costs nothing more.
      if (index === 0) await post({ query, extensions: apq(sha256(query)) });
    }
    t.equal(kept.length, 2, 'as many as the client could pay');

    const small = await startShop(t, `${AUTOMATIC}limits: { persisted: { entries: 2 } }\n`);
    const texts = ['{ a: __typename }', '{ b: __typename }', '{ c: __typename }'];
    for (const query of texts) await small.post({ query, extensions: apq(sha256(query)) });
    const found = await Promise.all(
      texts.map((query) => small.post({ extensions: apq(sha256(query)) })),
    );
    t.same(
      found.map(({ status }) => status),
      [404, 200, 200],
    );
  },
);

const filesOf = (manifest: unknown): Readonly<Record<string, string>> => ({
  'documents.json': typeof manifest === 'string' ? manifest : JSON.stringify(manifest, null, 1),
});

const MUTATION = 'mutation Rename($sku: String!) { rename(sku: $sku) { sku } }';
const RELAY = { [sha256(QUERY)]: QUERY, 'md5-of-relay': MUTATION };
const APOLLO = {
  format: 'apollo-persisted-query-manifest',
  version: 1,
  operations: [
    { id: sha256(QUERY), name: 'Article', type: 'query', body: QUERY },
    { id: 'md5-of-relay', name: 'Rename', type: 'mutation', body: MUTATION },
  ],
};

for (const [format, manifest] of Object.entries({ RELAY, APOLLO })) {
  t.test(`trusted documents are run by their id, whatever it is called: ${format}`, async (t) => {
    const directory = await useFolder(t, filesOf(manifest));
    const { post, get, backend } = await startShop(
      t,
      'graphql: { trusted: { manifest: documents.json } }\n',
      directory,
    );
    for (const body of [
      { documentId: sha256(QUERY) },
      { documentId: `sha256:${sha256(QUERY)}` },
      { id: sha256(QUERY) },
      { extensions: apq(sha256(QUERY)) },
    ]) {
      t.same((await post(body)).json, { data: DATA });
    }
    t.same((await get({ documentId: sha256(QUERY) })).json, { data: DATA });
    t.equal(
      (await get({ id: 'md5-of-relay', variables: '{"sku":"a"}' })).status,
      405,
      'still nothing is written by GET',
    );
    const written = await post({ id: 'md5-of-relay', variables: { sku: 'b7' } });
    t.same(written.json, { data: { rename: { sku: 'A1' } } });
    t.match(backend.complete.at(-1)?.body.toString(), 'b7');
    t.same(codesIn(await post({ id: 'md5-of-relay' })), ['BAD_USER_INPUT']);
    t.same(codesIn(await post({ id: 'constructor' })), ['PERSISTED_QUERY_NOT_FOUND']);
    t.same(codesIn(await post({ query: '{ stock }', extensions: apq('md5-of-relay') })), [
      'PERSISTED_QUERY_HASH_MISMATCH',
    ]);
    t.same(
      (await post({ query: '{ stock }' })).json,
      { data: { stock: null } },
      'others run as well',
    );
  });
}

t.test('with only trusted documents nothing else is run', async (t) => {
  const directory = await useFolder(t, filesOf(RELAY));
  const only = 'graphql: { trusted: { manifest: documents.json, only: true }, batch: 10 }\n';
  const { post, get, backend, gateway } = await startShop(t, only, directory);
  t.same((await post({ documentId: sha256(QUERY) })).json, { data: DATA });
  t.same(
    (await post({ query: QUERY })).json,
    { data: DATA },
    'the text of one is as good as its id',
  );
  const calls = backend.complete.length;
  for (const query of [
    '{ stock }',
    `${QUERY} `,
    '{ __typename }',
    '{ __schema { description } }',
    '{',
  ]) {
    t.same(codesIn(await post({ query })), ['PERSISTED_QUERY_ONLY'], query);
    t.same(codesIn(await get({ query })), ['PERSISTED_QUERY_ONLY']);
    t.same(codesIn(await post({ query, extensions: apq(sha256(query)) })), [
      'PERSISTED_QUERY_ONLY',
    ]);
  }
  const batch = await post([{ query: '{ stock }' }, { id: sha256(QUERY) }], {});
  t.match(batch.json, [errorWith('PERSISTED_QUERY_ONLY'), { data: DATA }]);
  t.equal(backend.complete.length, calls + 1);
  const page = await fetch(`${gateway.url}/graphql`, { headers: { accept: 'text/html' } });
  t.notOk(page.ok, 'there is nothing to ask from a browser');
});

/** What is wrong, or noted, of a configuration. */
async function told(t: Test, graphql: string, manifest: unknown): Promise<readonly string[]> {
  const yaml = `${services('http://127.0.0.1:1')}graphql: ${graphql}\n`;
  const shown = (text: string): string => text.replaceAll(/\S*\/(?=documents|soapstone\.)/g, '');
  try {
    const { warnings } = await compileText(t, yaml, filesOf(manifest));
    return warnings.map(({ file, line, column, what }) =>
      shown(`${file}:${line}:${column}: note: ${what}`),
    );
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return shown(error.message).split('\n');
  }
}

t.test(
  'documents of the manifest that do not fit are noted at the start, all at once',
  async (t) => {
    const manifest = {
      good: QUERY,
      old: '{ article(sku: "a") { gone } }',
      cut: '{ article',
      deep: `{ ${'a: stock '.repeat(20)}}`,
    };
    const notes = await told(t, '{ trusted: { manifest: documents.json } }', manifest);
    t.equal(notes.length, 3);
    t.match(
      notes[0],
      /^documents\.json:3:2: note: The trusted document `old` will be refused \(GRAPHQL_VALIDATION_FAILED\): /,
    );
    t.match(notes[1], /^documents\.json:4:2: .*`cut` will be refused \(GRAPHQL_PARSE_FAILED\)/);
    t.match(notes[2], /^documents\.json:5:2: .*`deep` will be refused \(MAX_/);
    const many = Object.fromEntries(
      Array.from({ length: 150 }, (_, index) => [`d${index}`, '{ gone }']),
    );
    const cut = await told(t, '{ trusted: { manifest: documents.json } }', many);
    t.equal(cut.length, 101);
    t.match(cut.at(-1), '50 more');
  },
);

t.test(
  'a manifest that cannot be read keeps the gateway from starting, with the place',
  async (t) => {
    const cases: readonly (readonly [string, unknown, RegExp])[] = [
      [
        'text',
        '{\n "a": "{ stock }",\n "b" }',
        /^documents\.json:(3:6|1:1): The manifest is not JSON\./,
      ],
      ['empty', '', /^documents\.json:1:1: The manifest is not JSON\./],
      [
        'twice',
        '{"a": "x", "a": "y"}',
        /^documents\.json:1:1: .*two members of one name\. Each id/,
      ],
      ['a list', [], /^documents\.json:1:1: .*It is not a map\. Give a map/],
      ['a number', { a: '{ stock }', b: 7 }, /^documents\.json:3:2: .*A document is not a text\./],
      ['no id', { '': '{ stock }' }, /An id is missing/],
      [
        'another format',
        { format: 'x', version: 1, operations: [] },
        /Its format or version is not known\./,
      ],
      ['another version', { ...APOLLO, version: 2 }, /Its format or version is not known\./],
      ['no operations', { ...APOLLO, operations: {} }, /It has no list of operations\./],
      ['an operation', { ...APOLLO, operations: [5] }, /An operation is not a map\./],
      [
        'no body',
        { ...APOLLO, operations: [{ id: 'i1', name: 'A' }] },
        /^documents\.json:6:10: .*An operation has no body\./,
      ],
      [
        'two',
        { ...APOLLO, operations: [...APOLLO.operations, ...APOLLO.operations] },
        /Two operations have the same id\./,
      ],
    ];
    for (const [name, manifest, expected] of cases) {
      const problems = await told(t, '{ trusted: { manifest: documents.json } }', manifest);
      t.equal(problems.length, 1, name);
      t.match(problems[0], expected, name);
    }
    const missing = await told(t, '{ trusted: { manifest: nothing.json } }', {});
    t.match(missing, [
      /^soapstone\.yaml:\d+:33: The manifest of trusted documents cannot be read \(ENOENT\)\./,
    ]);
    const both =
      '{ trusted: { manifest: documents.json, only: true }, persisted: { automatic: true } }';
    t.match(await told(t, both, {}), [
      /^soapstone\.yaml:\d+:76: `graphql\.persisted` remembers what/,
    ]);
    t.match(await told(t, '{ trusted: { only: true } }', {}), [
      /`graphql\.trusted\.manifest` is missing\./,
    ]);
    t.match(await told(t, '{ batch: 101 }', {}), [/`graphql\.batch` must be between 0 and 100\./]);
  },
);

const BATCH = 'graphql: { batch: 10 }\n';

t.test('batches are refused unless they are wanted', async (t) => {
  const { post } = await startShop(t, '');
  const refused = await post([{ query: QUERY }]);
  t.equal(refused.status, 400);
  t.same(codesIn(refused), ['BATCHING_NOT_SUPPORTED']);
});

t.test('each request of a batch is answered as if it came alone, in order', async (t) => {
  const { post, gateway, backend } = await startShop(t, BATCH);
  const answer = await post([
    { query: QUERY },
    { query: '{ nothing }' },
    { query: 'query ($a: String) { article(sku: $a) { sku } }', variables: { a: 1 } },
    { query: '{ a: __typename }' },
    5,
    { query: '{ stock(sku: "b") }' },
  ]);
  t.equal(answer.status, 200);
  t.match(answer.json, [
    { data: DATA },
    errorWith('GRAPHQL_VALIDATION_FAILED'),
    errorWith('GRAPHQL_VALIDATION_FAILED'),
    { data: { a: 'Query' } },
    errorWith('BAD_REQUEST'),
    { data: { stock: null } },
  ]);
  t.equal(backend.complete.length, 2);
  t.match(await gateway.accessLine(), { route: 'graphql', status: 200, upstreamCalls: 2 });
  const alike = await post([{ query: '{ x }' }, { query: '{ y }' }]);
  t.equal(alike.status, 400, 'a status that all have is that of the batch');
  t.match(alike.headers.get('content-type'), 'application/graphql-response+json');
  t.equal((await post([{ query: '{ x }' }], {})).status, 200);
  t.equal((await post([{ query: QUERY }], { accept: 'text/plain' })).status, 406);
  t.equal((await post([{ query: QUERY }], { 'content-type': 'text/plain' })).status, 415);
});

t.test('a batch that is too long, empty or nested is refused as a whole', async (t) => {
  const { post, get, backend } = await startShop(t, BATCH);
  const item = { query: QUERY };
  for (const batch of [[], Array.from({ length: 11 }, () => item), [item, [item]], [[]]]) {
    const answer = await post(batch);
    t.equal(answer.status, 400);
    t.same(codesIn(answer), ['BATCHING_NOT_SUPPORTED']);
  }
  t.equal((await post(Array.from({ length: 10 }, () => item))).status, 200);
  t.equal(backend.complete.length, 10);
  t.equal((await get({ query: JSON.stringify([item]) })).status, 400, 'never by GET');
});

t.test(
  'each request of a batch is charged, and together they cost no more than one may',
  async (t) => {
    const clients = `clients:
  address: { class: public }
  classes: { public: { budget: { maximum: 45, restoreRate: 1 } } }
`;
    const eachOf = ({ json }: Answer) => (json as GraphqlAnswer[]).map(codesOf);
    const poor = await startShop(t, BATCH + clients);
    const items = Array.from({ length: 5 }, (_, index) => ({
      query: `{ stock(sku: "${index}") }`,
    }));
    const charged = await poor.post(items);
    t.equal(charged.status, 200);
    t.same(eachOf(charged), [[], [], [], [], ['RATE_LIMITED']]);
    t.equal(poor.backend.complete.length, 4);
    t.match(charged.headers.get('retry-after'), /^\d+$/);
    const nothing = await poor.post(items);
    t.equal(nothing.status, 429);

    const small = await startShop(t, `${BATCH}limits: { graphql: { cost: 35 } }\n`);
    const together = await small.post(items);
    t.same(eachOf(together), [[], [], [], ['MAX_COST_LIMIT'], ['MAX_COST_LIMIT']]);
    t.equal(small.backend.complete.length, 3);
  },
);

t.test('queries of a batch run side by side, and mutations in their turn', async (t) => {
  const { post, backend } = await startShop(t, BATCH);
  const order: string[] = [];
  const held: (() => void)[] = [];
  backend.answer = (message, response) => {
    const sku = textIn(message.body, 'sku');
    order.push(`${sku} asked`);
    held.push(() => {
      order.push(`${sku} told`);
      answerArticle(message, response);
    });
  };
  const arrived = (count: number): Promise<void> => until(() => held.length >= count);
  const query = (sku: string) => ({ query: `{ article(sku: "${sku}") { sku } }` });
  const write = { query: 'mutation { rename(sku: "w") { sku } }' };
  const answer = post([query('a'), query('b'), write, query('c')]);
  await arrived(2);
  held[1]?.();
  held[0]?.();
  await arrived(3);
  held[2]?.();
  await arrived(4);
  held[3]?.();
  t.equal((await answer).status, 200);
  t.same(order.slice(0, 2).toSorted(), ['a asked', 'b asked']);
  t.same(order.slice(2), ['b told', 'a told', 'w asked', 'w told', 'c asked', 'c told']);
});
