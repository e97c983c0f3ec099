import type { ServerResponse } from 'node:http';
import t, { type Test } from 'tap';
import { errorWith, type GraphqlAnswer } from '../kit/answers.js';
import { answerOperations, type RecordingBackend } from '../kit/backend.js';
import { envelope, faultOf, operationIn, textIn } from '../kit/envelope.js';
import { postGraphql } from '../kit/graphql-client.js';
import { mostInSecond } from '../kit/most-in-second.js';
import { until } from '../kit/until.js';
import { useService } from '../kit/use.js';

/** Backends that hand out pages: the field is a connection over all of them. */

interface Asked {
  /** What the message has in an element; null without it. */
  of(name: string): string | null;
}

/** The rows of a page, and what stands beside them. */
type Answer = (asked: Asked, response: ServerResponse) => string | null;

const row = (id: number): string => `<row><id>${id}</id><secret>key-${id}</secret></row>`;
const rows = (from: number, to: number): string =>
  Array.from({ length: Math.max(0, to - from) }, (_, at) => row(from + at)).join('');

const SDL = `
      type Query {
        rows(page: Int!, size: Int!, filter: String): RowPage
        owner(id: Int!): Owner
      }
      type RowPage { row: [Row!], pages: Int, total: Int, next: String, first: String }
      type Row { id: Int!, secret: String }
      type Owner { name: String }`;

const TOTAL = ', total: { pages: pages }';
const PAGES = `page: page, size: { size: 10 }, items: row${TOTAL}`;
const OFFSET = 'offset: page, size: { size: 10 }, items: row';

const KEYS = {
  one: { 'x-api-key': 'key-of-one-0000000' },
  two: { 'x-api-key': 'key-of-two-0000000' },
};

/** The clients of `KEYS`: one of class `full`, with these rights, and one of another. */
const clientsWith = (full: string): string => `clients:
  classes: { full: ${full}, default: {} }
  apiKeys:
    clients:
      one: { class: full, keys: [key-of-one-0000000] }
      two: { class: default, keys: [key-of-two-0000000] }`;

async function useRows(
  t: Test,
  answer: Answer,
  { pages = PAGES, more = '', rest = '', service = '', sdl = SDL, field = 'Query.rows' } = {},
) {
  const asked: Asked[] = [];
  const answerRows: RecordingBackend['answer'] = (message, response) => {
    const of = (name: string): string | null => textIn(message.body, name);
    const isOwner = operationIn(message.body) === 'GetOwner';
    if (!isOwner) asked.push({ of });
    const content = isOwner ? `<name>N${of('id')}</name>` : answer({ of }, response);
    if (content !== null) answerOperations('urn:list', () => content)(message, response);
  };
  const { backend, gateway } = await useService(
    t,
    answerRows,
    (url) => `services:
  list:
    url: ${url}/list
    namespace: urn:list
    rest: true
    types: |${sdl}
    operations:
      ListRows: { field: ${field}, pages: { ${pages} } }
      GetOwner: { field: Query.owner }${service}
${more}
limits:
  graphql: { cost: 1000000${rest} }`,
  );
  const query = async (
    text: string,
    headers: Record<string, string> = {},
    signal: AbortSignal | null = null,
  ): Promise<Answered> =>
    JSON.parse(await (await postGraphql(gateway.url, { query: text }, headers, signal)).text());
  return { backend, gateway, asked, query };
}

interface Answered extends Pick<GraphqlAnswer, 'errors'> {
  readonly data: {
    readonly rows: {
      readonly nodes: readonly { readonly id: number }[];
      readonly edges: readonly {
        readonly cursor: string;
        readonly node: { readonly id: number };
      }[];
      readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
      readonly totalCount: number | null;
    } | null;
  };
}

/** Pages by number from 1, of so many rows in all. */
const byNumber =
  (count: number, told = true): Answer =>
  ({ of }) => {
    const [page, size] = [Number(of('page')), Number(of('size'))];
    const part = rows((page - 1) * size, Math.min(count, page * size));
    return told ? `${part}<pages>${Math.ceil(count / size)}</pages><total>${count}</total>` : part;
  };

const byOffset =
  (count: number): Answer =>
  ({ of }) => {
    const [offset, size] = [Number(of('page')), Number(of('size'))];
    const part = rows(offset, Math.min(count, offset + size));
    return `${part}<pages>${Math.ceil(count / size)}</pages><total>${count}</total>`;
  };

const byCursor =
  (count: number): Answer =>
  ({ of }) => {
    const from = Number((of('page') ?? '') ? of('page')?.slice(1) : 0);
    const to = Math.min(count, from + Number(of('size')));
    return `${rows(from, to)}<total>${count}</total>${to < count ? `<next>n${to}</next>` : ''}`;
  };

const ids = ({ data }: Answered): readonly number[] => data.rows?.nodes.map(({ id }) => id) ?? [];
const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at);

const CURSOR_SDL = SDL.replace('page: Int!', 'page: String');
const CURSOR = 'cursor: { argument: page, next: next }, size: { size: 10 }, items: row';

/** The kinds of pages, and what tells their end. */
const WAYS = [
  { name: 'page, total by pages', answer: byNumber, options: {} },
  {
    name: 'page, total by items',
    answer: byNumber,
    options: { pages: PAGES.replace('pages: pages', 'items: total') },
  },
  { name: 'page without a total', answer: byNumber, options: { pages: PAGES.replace(TOTAL, '') } },
  {
    name: 'offset, total by items',
    answer: byOffset,
    options: { pages: `${OFFSET}, total: { items: total }` },
  },
  { name: 'offset, total by pages', answer: byOffset, options: { pages: OFFSET + TOTAL } },
  { name: 'offset without a total', answer: byOffset, options: { pages: OFFSET } },
  { name: 'cursor', answer: byCursor, options: { pages: CURSOR, sdl: CURSOR_SDL } },
] as const;

for (const { name, answer, options } of WAYS) {
  t.test(`${name}: rows of many pages come in order, and as many as are asked for`, async (t) => {
    const { query, asked } = await useRows(t, answer(95), options);
    const all = await query(
      '{ rows(first: 200) { nodes { id } pageInfo { hasNextPage endCursor } totalCount } }',
    );
    t.strictSame(ids(all), upTo(95));
    t.notOk(all.errors);
    t.match(all.data.rows, { pageInfo: { hasNextPage: false }, totalCount: 95 });
    t.equal(asked.length, 10);
    const some = await query('{ rows(first: 25) { nodes { id } pageInfo { hasNextPage } } }');
    t.strictSame(ids(some), upTo(25));
    t.equal(some.data.rows?.pageInfo.hasNextPage, true);
    t.equal(asked.length, 13, 'no further page is asked for');
  });

  for (const step of [1, 7, 10, 13, 30]) {
    t.test(`${name}: a walk by ${step} loses no row and doubles none`, async (t) => {
      const { query } = await useRows(t, answer(33), options);
      const seen: number[] = [];
      let after = '';
      for (let turns = 0; turns < 40; turns++) {
        const answered = await query(
          `{ rows(first: ${step}${after}) { nodes { id } pageInfo { hasNextPage endCursor } } }`,
        );
        seen.push(...ids(answered));
        const { hasNextPage = false, endCursor = null } = answered.data.rows?.pageInfo ?? {};
        if (!hasNextPage) break;
        after = `, after: "${endCursor}"`;
      }
      t.strictSame(seen, upTo(33));
    });
  }

  t.test(`${name}: each edge has its cursor`, async (t) => {
    const { query } = await useRows(t, answer(25), options);
    const all = await query(
      '{ rows(first: 25) { edges { cursor node { id } } pageInfo { endCursor } } }',
    );
    const edges = all.data.rows?.edges ?? [];
    t.equal(new Set(edges.map(({ cursor }) => cursor)).size, 25);
    for (const [at, { cursor }] of edges.entries()) {
      if (at % 4 > 0 && at % 10 !== 9) continue;
      const rest = await query(`{ rows(first: 3, after: "${cursor}") { nodes { id } } }`);
      t.strictSame(ids(rest), upTo(25).slice(at + 1, at + 4), `behind ${at}`);
    }
  });
}

t.test('without first the client gets one page, by one call', async (t) => {
  const { query, asked } = await useRows(t, byNumber(95));
  const answered = await query(
    '{ rows { nodes { id } pageInfo { hasNextPage endCursor } totalCount } }',
  );
  t.strictSame(ids(answered), upTo(10));
  t.equal(
    answered.data.rows?.totalCount,
    null,
    'the number of pages does not tell the number of rows',
  );
  t.equal(asked.length, 1);
  const next = await query(
    `{ rows(after: "${answered.data.rows?.pageInfo.endCursor}") { nodes { id } } }`,
  );
  t.strictSame(ids(next), upTo(20).slice(10));
  t.equal(asked.length, 2);
});

t.test('pages are counted from 0 where the backend does', async (t) => {
  const fromZero: Answer = ({ of }) => {
    const page = Number(of('page'));
    return `${rows(page * 10, Math.min(35, page * 10 + 10))}<pages>4</pages>`;
  };
  const { query, asked } = await useRows(t, fromZero, { pages: `${PAGES}, first: 0` });
  t.strictSame(ids(await query('{ rows(first: 100) { nodes { id } } }')), upTo(35));
  t.strictSame(
    asked.map(({ of }) => of('page')).sort(),
    ['0', '1', '2', '3'],
    'those behind the first come in any order',
  );
});

t.test('aliases, fragments, __typename and empty selections of rows are answered', async (t) => {
  const { query } = await useRows(t, byNumber(12));
  const answered = await query(`{
    rows(first: 12) { __typename a: nodes { id } b: nodes { __typename secret } ...E n: totalCount }
  } fragment E on ListRowsConnection { edges { __typename n: node { id } } i: \
pageInfo { __typename h: hasNextPage } }`);
  t.notOk(answered.errors);
  t.match(answered.data.rows, {
    __typename: 'ListRowsConnection',
    a: upTo(12).map((id) => ({ id })),
    b: upTo(12).map((id) => ({ __typename: 'Row', secret: `key-${id}` })),
    edges: upTo(12).map((id) => ({ __typename: 'ListRowsEdge', n: { id } })),
    i: { __typename: 'PageInfo', h: false },
    n: 12,
  });
  t.match(await query('{ rows(first: 0) { pageInfo { hasNextPage } } }'), {
    data: { rows: { pageInfo: { hasNextPage: true } } },
  });
});

t.test(
  'ten thousand rows come over a hundred pages, in order, a bounded number at once',
  async (t) => {
    let under = 0;
    let most = 0;
    const held: (() => void)[] = [];
    const { query, asked } = await useRows(
      t,
      (given, response) => {
        under++;
        most = Math.max(most, under);
        const content = byNumber(10_000)(given, response);
        const give = (): void => {
          under--;
          response.end(
            envelope(`<ListRowsResponse xmlns="urn:list">${content}</ListRowsResponse>`),
          );
        };
        response.writeHead(200, { 'content-type': 'text/xml' });
        // After the first page nothing is given before so many are asked for as may be.
        if (asked.length > 1 && most < 6) held.push(give);
        else
          for (const each of [...held.splice(0), give])
            setTimeout(each, Number(given.of('page')) % 3);
        return null;
      },
      { pages: PAGES.replace('size: 10', 'size: 100'), rest: ', callsAtOnce: 6' },
    );
    const answered = await query('{ rows(first: 10000) { nodes { id } totalCount } }');
    t.notOk(answered.errors);
    t.strictSame(ids(answered), upTo(10_000));
    t.equal(asked.length, 100);
    t.equal(most, 6);
    t.match(await query('{ rows(first: 10001) { nodes { id } } }'), errorWith('MAX_PAGES_LIMIT'));
    t.equal(asked.length, 100, 'nothing is called for more pages than allowed');
  },
);

t.test('a page that fails fails the rest with its error', async (t) => {
  const { query } = await useRows(t, (given, response) =>
    given.of('page') === '3'
      ? faultOf('s:Server', 'page 3 is gone')
      : byNumber(95)(given, response),
  );
  const answered = await query(
    '{ rows(first: 95) { nodes { id } pageInfo { hasNextPage endCursor } } }',
  );
  t.strictSame(ids(answered), upTo(20), 'the rows before it stand');
  t.match(answered.errors, [
    { message: 'page 3 is gone', path: ['rows'], extensions: { code: 'SOAP_FAULT' } },
  ]);
  t.equal(answered.data.rows?.pageInfo.hasNextPage, true);
  const { endCursor } = answered.data.rows?.pageInfo ?? {};
  const first = await query(`{ rows(first: 5, after: "${endCursor}") { nodes { id } } }`);
  t.match(first, { data: { rows: null }, errors: [{ message: 'page 3 is gone' }] });
});

t.test('a page that repeats itself ends it, whatever is selected of it', async (t) => {
  const stuck: Answer = ({ of }) => {
    const from = Math.min(30, Number(of('page')) * 10);
    return `${rows(from, from + 10)}<pages>50</pages>`;
  };
  const { query, asked } = await useRows(t, stuck, { rest: ', callsAtOnce: 1' });
  const answered = await query('{ rows(first: 400) { nodes { id } pageInfo { hasNextPage } } }');
  t.strictSame(ids(answered), upTo(40).slice(10));
  t.match(answered.data.rows, { pageInfo: { hasNextPage: false } });
  t.ok(asked.length < 8, 'no page is asked for behind it');
  const names = await query('{ rows(first: 400) { nodes { __typename } } }');
  t.equal(names.data.rows?.nodes.length, 30, 'rows of which the same is selected are not the same');
});

t.test('a cursor that leads back ends it', async (t) => {
  const loop: Answer = ({ of }) => {
    const at = of('page') === 'b' ? 10 : 0;
    return `${rows(at, at + 10)}<next>${of('page') === 'b' ? 'a' : 'b'}</next>`;
  };
  const { query } = await useRows(t, loop, { pages: CURSOR, sdl: CURSOR_SDL });
  t.strictSame(ids(await query('{ rows(first: 100) { nodes { id } } }')), upTo(20));
});

t.test('a page in the middle with fewer rows loses and doubles none', async (t) => {
  const parts = [rows(0, 10), rows(10, 13), '', rows(13, 23), rows(23, 28)];
  for (const total of ['pages: pages', 'items: total']) {
    const given = total === 'pages: pages' ? parts : parts.filter((part) => part !== '');
    const short: Answer = ({ of }) =>
      `${given[Number(of('page')) - 1] ?? ''}<pages>${given.length}</pages><total>28</total>`;
    const { query } = await useRows(t, short, { pages: PAGES.replace('pages: pages', total) });
    t.strictSame(ids(await query('{ rows(first: 100) { nodes { id } } }')), upTo(28), total);
    const first = await query('{ rows(first: 12) { nodes { id } pageInfo { endCursor } } }');
    const rest = await query(
      `{ rows(first: 16, after: "${first.data.rows?.pageInfo.endCursor}") { nodes { id } } }`,
    );
    t.strictSame([...ids(first), ...ids(rest)], upTo(28), total);
  }
  // A backend that never hands out as many as it is asked for.
  const capped: Answer = ({ of }) => {
    const offset = Number(of('page'));
    return `${rows(offset, Math.min(40, offset + (offset === 10 ? 3 : 7)))}<total>40</total>`;
  };
  const { query } = await useRows(t, capped, { pages: `${OFFSET}, total: { items: total }` });
  t.strictSame(ids(await query('{ rows(first: 100) { nodes { id } } }')), upTo(40));
});

t.test('no page is asked for once the client has left', async (t) => {
  const waiting: (() => void)[] = [];
  const { query, asked } = await useRows(
    t,
    (given, response) => {
      if (given.of('page') === '1') return byNumber(1000)(given, response);
      waiting.push(() => response.destroy());
      return null;
    },
    { rest: ', callsAtOnce: 2' },
  );
  const gone = new AbortController();
  const answered = query('{ rows(first: 1000) { nodes { id } } }', {}, gone.signal);
  await until(() => asked.length === 3);
  gone.abort();
  await t.rejects(answered);
  for (const end of waiting) end();
  await query('{ owner(id: 1) { name } }');
  t.equal(asked.length, 3);
});

t.test('a field ends at limits.graphql.pages, with what it has', async (t) => {
  const { query, asked } = await useRows(
    t,
    ({ of }) => `${row(Number(of('page')))}<pages>40</pages>`,
    {
      rest: ', pages: 4',
    },
  );
  const answered = await query('{ rows(first: 40) { nodes { id } pageInfo { hasNextPage } } }');
  t.strictSame(ids(answered), [1, 2, 3, 4]);
  t.match(answered, {
    errors: [{ extensions: { code: 'MAX_PAGES_LIMIT' } }],
    data: { rows: { pageInfo: { hasNextPage: true } } },
  });
  t.equal(asked.length, 4);
  t.match(await query('{ rows(first: 41) { nodes { id } } }'), errorWith('MAX_PAGES_LIMIT'));
  t.equal(asked.length, 4);
});

t.test('a wrong cursor is an error, and nothing is called', async (t) => {
  const { query, asked } = await useRows(t, byNumber(95));
  const known = await query('{ rows(first: 3) { pageInfo { endCursor } } }');
  const cursor = known.data.rows?.pageInfo.endCursor ?? '';
  const calls = asked.length;
  const forged = Buffer.from('[1,"x",-4,0,0]').toString('base64url');
  for (const after of ['', 'nonsense', '!', `${cursor}x`, forged, 'W10', 'A'.repeat(9000)]) {
    const answered = await query(`{ rows(first: 3, after: "${after}") { nodes { id } } }`);
    t.match(
      answered,
      { errors: [{ extensions: { code: 'BAD_USER_INPUT', argument: ['after'] } }] },
      after.slice(0, 20),
    );
  }
  const other = await query(`{ rows(filter: "x", first: 3, after: "${cursor}") { nodes { id } } }`);
  t.match(other, errorWith('BAD_USER_INPUT'), 'of other arguments');
  t.match(await query('{ rows(first: -1) { nodes { id } } }'), errorWith('BAD_USER_INPUT'));
  t.match(
    await query('{ rows(page: 2) { nodes { id } } }'),
    errorWith('GRAPHQL_VALIDATION_FAILED'),
  );
  t.equal(asked.length, calls);
});

t.test('links lead out of rows, and into pages', async (t) => {
  const { query, asked } = await useRows(t, byNumber(23), {
    more: `links:
  Row.owner: { operation: list.GetOwner, arguments: { id: id } }
  Owner.rows: { operation: list.ListRows, arguments: { filter: name } }`,
  });
  const answered = await query(
    '{ rows(first: 12) { nodes { id owner { name } } edges { node { o: owner { name } } } } }',
  );
  t.notOk(answered.errors);
  t.match(
    answered.data.rows?.nodes,
    upTo(12).map((id) => ({ id, owner: { name: `N${id}` } })),
  );
  t.match(
    answered.data.rows?.edges,
    upTo(12).map((id) => ({ node: { o: { name: `N${id}` } } })),
  );
  const into = await query(
    '{ owner(id: 7) { rows(first: 22) { nodes { id owner { name } } pageInfo { endCursor } } } }',
  );
  t.notOk(into.errors);
  t.match(into, {
    data: { owner: { rows: { nodes: upTo(22).map((id) => ({ id, owner: { name: `N${id}` } })) } } },
  });
  t.equal(asked.at(-1)?.of('filter'), 'N7');
});

t.test('masks and rights hold for rows of all pages', async (t) => {
  const { query } = await useRows(t, byNumber(15), {
    service: `
    schema: { types: { Row: { fields: { secret: { mask: { default: last4, full: none } } } } } }`,
    more: clientsWith('{}'),
  });
  const ask = (name: 'one' | 'two'): Promise<Answered> =>
    query('{ rows(first: 15) { nodes { secret } edges { node { secret } } } }', KEYS[name]);
  const open = upTo(15).map((id) => ({ secret: `key-${id}` }));
  t.match((await ask('one')).data.rows, { nodes: open, edges: open.map((node) => ({ node })) });
  const { nodes = [], edges = [] } = (await ask('two')).data.rows ?? {};
  t.equal(nodes.length, 15);
  for (const shown of [...nodes, ...edges.map(({ node }) => node)])
    t.notMatch(JSON.stringify(shown), 'key-');
});

t.test('the cost of a paged field counts its calls and its rows', async (t) => {
  const { query } = await useRows(t, byNumber(95));
  const costOf = async (rows: string): Promise<unknown> =>
    Object(await query(`{ ${rows} { nodes { id } } }`)).extensions?.cost;
  // A call of each page, and a point for each row.
  for (const [rows, requestedQueryCost, actualQueryCost] of [
    ['rows', 10 + 10, 10 + 10],
    ['rows(first: 40)', 40 + 40, 40 + 40],
    ['rows(first: 95)', 100 + 95, 100 + 95],
    ['rows(first: 200)', 200 + 200, 100 + 95],
  ] as const)
    t.match(await costOf(rows), { requestedQueryCost, actualQueryCost }, rows);
});

t.test('over REST the field takes first and after, and answers the connection', async (t) => {
  const { gateway } = await useRows(t, byNumber(35));
  const get = async (search: string): Promise<Record<string, unknown>> =>
    JSON.parse(await (await fetch(`${gateway.url}/rest/list/ListRows${search}`)).text());
  const answered = await get('?first=12');
  t.match(answered, { nodes: upTo(12).map((id) => ({ id })), pageInfo: { hasNextPage: true } });
  const { endCursor } = Object(answered['pageInfo']);
  const rest = await get(`?first=30&after=${endCursor}&fields=nodes/id,pageInfo`);
  t.strictSame(rest, {
    nodes: upTo(35)
      .slice(12)
      .map((id) => ({ id })),
    pageInfo: { hasNextPage: false, endCursor: Object(rest['pageInfo']).endCursor },
  });
});

const NESTED = `
      type Query { rows(criteria: Criteria): Answer, owner(id: Int!): Owner }
      input Criteria { text: String, paging: Paging }
      input Paging { page: Int, size: Int, sort: String }
      type Answer { found: Found, results: Results }
      type Found { row: [Row!], note: String }
      type Results { total: Int }
      type Row { id: Int! }
      type Owner { name: String }`;

t.test('paths lead into arguments and replies', async (t) => {
  const nested: Answer = ({ of }) => {
    const page = Number(of('page'));
    return (
      `<found>${rows(page * 10 - 10, Math.min(23, page * 10))}</found><results>` +
      '<total>23</total></results>'
    );
  };
  const { query, asked, gateway } = await useRows(t, nested, {
    sdl: NESTED,
    pages:
      'page: criteria/paging/page, size: { criteria/paging/size: 10 }, items: ' +
      'found/row, total: { items: results/total }',
  });
  for (const given of [
    '',
    ', criteria: null',
    ', criteria: {}',
    ', criteria: { text: "t", paging: { sort: "s" } }',
  ]) {
    const answered = await query(`{ rows(first: 30${given}) { nodes { id } totalCount } }`);
    t.strictSame(ids(answered), upTo(23), given);
    t.equal(answered.data.rows?.totalCount, 23);
  }
  t.equal(asked.at(-1)?.of('sort'), 's');
  const schema = await query('{ __schema { types { name inputFields { name } } } }');
  const text = JSON.stringify(schema);
  t.notMatch(text, '"page"');
  t.notMatch(text, '"Answer"', 'the type of the reply is not there');
  t.ok(gateway);
});

t.test('a reply that is nothing but rows is followed with or without its own name', async (t) => {
  const sdl = `
      type Query { rows(page: Int!, size: Int!): [Int!], owner(id: Int!): Owner }
      type Owner { name: String }`;
  const numbers: Answer = ({ of }) =>
    upTo(25)
      .slice(Number(of('page')), Number(of('page')) + 10)
      .map((id) => `<rows>${id}</rows>`)
      .join('');
  const { query } = await useRows(t, numbers, {
    sdl,
    pages: 'offset: page, size: { size: 10 }, items: rows',
  });
  const answered = await query('{ rows(first: 30) { nodes edges { node } totalCount } }');
  t.match(answered.data.rows, {
    nodes: upTo(25),
    edges: upTo(25).map((node) => ({ node })),
    totalCount: 25,
  });
});

t.test('a right to the rows is a right to the field', async (t) => {
  const { query, asked } = await useRows(t, byNumber(15), {
    service: `
    schema: { types: { RowPage: { fields: { row: { scopes: [rows] } } } } }`,
    more: clientsWith('{ scopes: [rows] }'),
  });
  const ask = (name: 'one' | 'two'): Promise<Answered> =>
    query('{ rows(first: 15) { nodes { id } } }', KEYS[name]);
  t.strictSame(ids(await ask('one')), upTo(15));
  const calls = asked.length;
  t.match(await ask('two'), errorWith('FORBIDDEN'));
  t.equal(asked.length, calls);
});

/** Pages that do not fit, with what is reported of them. */
const WRONG = [
  {
    pages: PAGES.replace('page: page', 'page: pag'),
    what: ['There is no `pag` to map. Did you mean `page`?'],
  },
  {
    pages: PAGES.replace('page: page', 'page: filter'),
    what: ['The argument is no whole number.'],
  },
  { pages: PAGES.replace('size: 10', 'siz: 10'), what: ['There is no `siz` to map.'] },
  { pages: PAGES.replace('items: row', 'items: rows'), what: ['The reply has no `rows` there.'] },
  { pages: PAGES.replace('items: row', 'items: pages'), what: ['`pages` is not repeated.'] },
  { pages: PAGES.replace('pages: pages', 'pages: next'), what: ['`next` is no whole number.'] },
  { pages: PAGES.replace('pages: pages', 'items: row'), what: ['`row` is no single value.'] },
  {
    pages: PAGES.replace('pages: pages', 'items: x, pages: y'),
    what: ['needs one of `items` and `pages`'],
  },
  { pages: PAGES.replace('page: page, ', ''), what: ['names no argument for the page'] },
  { pages: `offset: page, ${PAGES}`, what: ['has both `page` and `offset`'] },
  {
    pages: `cursor: { argument: filter, next: nex }, ${PAGES.slice(12)}`,
    what: ['counts pages, which `cursor` does not'],
  },
  {
    pages: 'page: pag, size: { siz: 10 }, items: ro, total: { items: tota }',
    what: ['`pag`', '`siz`', '`ro`', '`tota`'],
  },
];

for (const { pages, what } of WRONG) {
  t.test(
    `pages that do not fit are reported with their line, all at once: ${what[0]}`,
    async (t) => {
      const error = await useRows(t, byNumber(5), { pages }).then(() => '', String);
      for (const each of what) t.ok(error.includes(each), `${each} in ${error}`);
      t.match(error, /yaml:\d+:\d+/);
    },
  );
}

t.test('pages of a mutation, of a subscription and of a list operation are errors', async (t) => {
  const failing = (options: Parameters<typeof useRows>[2]): Promise<string> =>
    useRows(t, byNumber(5), options).then(() => '', String);
  const poll = 'subscriptions:\n  rows: { poll: { operation: list.ListRows, everyMillis: 1000 } }';
  t.match(await failing({ more: poll }), 'hands out pages: a subscription reads one reply');
  const link =
    'links:\n  Row.owner: { operation: list.GetOwner, arguments: { id: id }, batch: ' +
    '{ operation: list.ListRows, argument: filter, key: id } }';
  t.match(
    await failing({ more: link }),
    'hands out pages: one call of it does not answer many keys',
  );
  const mutation = SDL.replace(
    'type Query {',
    'type Mutation { rows(page: Int!, size: Int!): RowPage }\n      type Query {',
  );
  t.match(await failing({ sdl: mutation, field: 'Mutation.rows' }), 'is for operations that read');
  const own = SDL.replace('filter: String', 'first: Int, filter: String');
  t.match(await failing({ sdl: own }), 'has an argument `first` of its own');
});

t.test('pages keep to the rate of their service', async (t) => {
  const times: number[] = [];
  const { query } = await useRows(
    t,
    (given, response) => {
      times.push(performance.now());
      return byNumber(200)(given, response);
    },
    {
      service: '\n    rate: { perSecond: 20, burst: 1, waitMillis: 5000 }',
      rest: ', callsAtOnce: 8',
    },
  );
  const answered = await query('{ rows(first: 200) { nodes { id } } }');
  t.strictSame(ids(answered), upTo(200));
  t.ok(mostInSecond(times) <= 21, `${mostInSecond(times)} in a second`);
});

t.test('pages come from the reply cache, each by itself', async (t) => {
  const { query, asked } = await useRows(t, byNumber(50), {
    pages: `${PAGES} }, read: { cacheMillis: 60000`,
  });
  for (let turn = 0; turn < 3; turn++)
    t.strictSame(ids(await query('{ rows(first: 30) { nodes { id } } }')), upTo(30));
  t.equal(asked.length, 3, 'each page is asked for once');
  t.strictSame(ids(await query('{ rows(first: 50) { nodes { id } } }')), upTo(50));
  t.equal(asked.length, 5, 'and those that are new');
});

t.test('a cursor is for the caller that got it, whom the backend tells apart', async (t) => {
  const { query } = await useRows(t, byCursor(25), {
    pages: 'cursor: { argument: page, next: next }, size: { size: 10 }, items: row',
    service: '\n    forwardHeaders: [x-tenant, x-request-id]',
  });
  const ask = (after: string | null, headers: Record<string, string>) =>
    query(
      `{ rows(first: 3${after === null ? '' : `, after: "${after}"`}) { nodes { id } ` +
        'pageInfo { endCursor } } }',
      headers,
    );
  const first = await ask(null, { 'x-tenant': 'a', 'x-request-id': '1' });
  const cursor = String(first.data.rows?.pageInfo.endCursor);
  t.match(await ask(cursor, { 'x-tenant': 'a', 'x-request-id': '2' }), {
    data: { rows: { nodes: [{ id: 3 }, { id: 4 }, { id: 5 }] } },
  });
  for (const headers of [{ 'x-tenant': 'b' }, {}])
    t.match(await ask(cursor, headers), errorWith('BAD_USER_INPUT'));
});
