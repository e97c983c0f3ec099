import { buildSchema as buildGraphqlSchema, getIntrospectionQuery } from 'graphql';
import t from 'tap';
import { defaultsOf } from '../../../src/core/limit.js';
import { Refusal } from '../../../src/core/refusals/refusal.js';
import { type Admission, type Admitted, admit } from '../../../src/graphql/admission/admit.js';
import { CostTable } from '../../../src/graphql/admission/cost/cost-table.js';
import { DocumentCache } from '../../../src/graphql/admission/document-cache.js';
import { refusalErrors } from '../../../src/graphql/errors.js';
import { GRAPHQL_LIMITS, type GraphqlLimits } from '../../../src/graphql/limits.js';
import { buildSchema } from '../../../src/graphql/schema/schema.js';
import { complex, elements, INT, LONG, one, operation, STRING, service, shop } from '../models.js';

const node = complex('Node', elements());
node.content = elements(
  one('id', INT),
  one('name', STRING, '?'),
  one('next', node, '?'),
  one('items', node, '*'),
);

const { schema } = buildSchema([
  service([
    ...shop(),
    operation('GetNode', [one('id', INT, '?')], [one('n', node)]),
    operation('PutNode', [one('node', node), one('big', LONG, '?')], [one('ok', INT)]),
  ]),
]);

function admission(given: Partial<GraphqlLimits> = {}, introspection = true): Admission {
  const limits = { ...defaultsOf(GRAPHQL_LIMITS), ...given };
  return {
    schema,
    limits,
    introspection,
    documents: new DocumentCache(),
    costs: new CostTable({ schema, limits }),
  };
}

const run = (
  query: string,
  variables: Record<string, unknown> = {},
  held = admission(),
): Admitted => admit({ query, operationName: null, variables }, held);

interface Refused {
  readonly code: string;
  readonly messages: readonly string[];
  readonly millis: number;
}

function refused(
  query: string,
  variables: Record<string, unknown> = {},
  held = admission(),
): Refused {
  const started = performance.now();
  try {
    run(query, variables, held);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const messages = refusalErrors(error).map((each) => each.message);
    return { code: error.code, messages, millis: performance.now() - started };
  }
  return { code: 'admitted', messages: [], millis: performance.now() - started };
}

const codeOf = (
  query: string,
  variables: Record<string, unknown> = {},
  held = admission(),
): string => refused(query, variables, held).code;

/** `getNode` and that many levels in all. */
const nested = (levels: number): string =>
  `{getNode${'{next'.repeat(levels - 2)}{id}${'}'.repeat(levels - 2)}}`;

t.test('depth counts levels of fields, through fragments of both kinds', async (t) => {
  t.equal(codeOf(nested(10)), 'admitted');
  t.equal(codeOf(nested(11)), 'MAX_DEPTH_LIMIT');
  const inside = `next{next{next{next{next{next{id}}}}}}`;
  const throughFragments = (outer: string): string =>
    `{getNode{${outer}}} fragment F on Node {${inside}}`;
  t.equal(codeOf(throughFragments('next{next{...F}}')), 'admitted');
  t.equal(codeOf(throughFragments('next{next{...on Node{next{...F}}}}')), 'MAX_DEPTH_LIMIT');
  t.equal(
    codeOf(throughFragments('...F next{next{next{...F}}}')),
    'MAX_DEPTH_LIMIT',
    'the second use counts in full',
  );
});

t.test('no name is exempt: fragments and operations may be called __schema', async (t) => {
  const deep = nested(11).slice('{getNode{'.length, -2);
  t.equal(
    codeOf(`query __schema {getNode{...__schema}} fragment __schema on Node {${deep}}`),
    'MAX_DEPTH_LIMIT',
  );
  t.equal(codeOf(`{getNode{__schema: ${deep}}}`), 'MAX_DEPTH_LIMIT', 'nor an alias');
  t.equal(codeOf(`{__schema: getNode{${deep}}}`), 'MAX_DEPTH_LIMIT');
});

t.test('introspection has a depth of its own', async (t) => {
  t.equal(codeOf(getIntrospectionQuery()), 'admitted', 'the query that tools send passes');
  t.equal(
    codeOf(getIntrospectionQuery({ inputValueDeprecation: true, specifiedByUrl: true })),
    'admitted',
  );
  const deep = `{__type(name:"Node"){${'ofType{'.repeat(19)}name${'}'.repeat(19)}}}`;
  t.equal(codeOf(deep), 'MAX_DEPTH_LIMIT');
});

t.test('introspection that is off is refused, __typename stays', async (t) => {
  const off = admission({}, false);
  t.equal(codeOf('{__schema{queryType{name}}}', {}, off), 'INTROSPECTION_DISABLED');
  t.equal(codeOf('{__type(name:"Node"){name}}', {}, off), 'INTROSPECTION_DISABLED');
  t.equal(codeOf('{__typename getNode{__typename}}', {}, off), 'admitted');
});

t.test('aliases count wherever they are, also those of __typename', async (t) => {
  const aliases = (count: number): string =>
    Array.from({ length: count }, (_, at) => `a${at}:__typename`).join(' ');
  t.equal(codeOf(`{getNode{${aliases(15)}}}`), 'admitted');
  t.equal(codeOf(`{getNode{${aliases(16)}}}`), 'MAX_ALIASES_LIMIT');
  t.equal(
    codeOf(`{getNode{...F next{...F}}} fragment F on Node{${aliases(8)}}`),
    'MAX_ALIASES_LIMIT',
  );
});

t.test('root fields count, through fragments too', async (t) => {
  const fields = (count: number): string =>
    Array.from({ length: count }, (_, at) => `a${at}:countOrders`).join(' ');
  t.equal(codeOf(`{${fields(5)}}`), 'admitted');
  t.equal(codeOf(`{${fields(6)}}`), 'MAX_ROOT_FIELDS_LIMIT');
  t.equal(
    codeOf(
      `{${fields(3)} ...F} fragment F on Query{b:countOrders ...on ` +
        'Query{c:countOrders d:countOrders}}',
    ),
    'MAX_ROOT_FIELDS_LIMIT',
  );
});

t.test('directives count in the whole document', async (t) => {
  const skips = (count: number): string => ' @skip(if:false)'.repeat(count);
  const fields = (count: number): string => Array(count).fill('id @skip(if:false)').join(' ');
  t.equal(codeOf(`{getNode{${fields(50)}}}`), 'admitted');
  t.equal(codeOf(`{getNode{${fields(51)}}}`), 'MAX_DIRECTIVES_LIMIT');
  t.equal(
    codeOf(`query($v:Int${skips(51)}){getNode(id:$v){id}}`),
    'MAX_DIRECTIVES_LIMIT',
    'on variables',
  );
  t.equal(codeOf(`query ${skips(51)}{getNode{id}}`), 'MAX_DIRECTIVES_LIMIT', 'on operations');
  t.equal(
    codeOf(`{getNode{...F}} fragment F on Node${skips(51)} {id}`),
    'MAX_DIRECTIVES_LIMIT',
    'on fragments',
  );
});

t.test('tokens are counted while they are read', async (t) => {
  const ids = (count: number): string => `{getNode{${'id '.repeat(count)}}}`;
  const held = admission({ tokens: 105 });
  t.equal(codeOf(ids(100), {}, held), 'admitted');
  t.equal(codeOf(ids(101), {}, held), 'MAX_TOKENS_LIMIT');
  const long = refused(ids(600_000));
  t.equal(long.code, 'MAX_TOKENS_LIMIT');
  t.comment(`a long chain: ${Math.round(long.millis)} ms`);
  t.equal(
    codeOf('{ getNode { id '),
    'GRAPHQL_PARSE_FAILED',
    'a short broken document is broken, not long',
  );
});

t.test('operations count', async (t) => {
  const operations = (count: number): string =>
    Array.from({ length: count }, (_, at) => `query Q${at}{countOrders}`).join(' ');
  const params = { operationName: 'Q1', variables: {} };
  t.equal(admit({ ...params, query: operations(5) }, admission()).operation.name?.value, 'Q1');
  t.equal(codeOf(operations(6)), 'GRAPHQL_VALIDATION_FAILED');
});

t.test(
  'fragments that contain themselves or double each other are refused before they are written out',
  async (t) => {
    run('{countOrders}');
    const bombs = {
      self: '{getNode{...A}} fragment A on Node{id ...A}',
      pair: '{getNode{...A}} fragment A on Node{...B} fragment B on Node{next{...A}}',
      unused: '{countOrders} fragment A on Node{...B} fragment B on Node{...A}',
      ring: `{getNode{...F0}} ${Array.from(
        { length: 100 },
        (_, at) => `fragment F${at} on \
Node{...F${(at + 1) % 100}}`,
      ).join(' ')}`,
      doubling:
        `{getNode{...F0}} ${Array.from(
          { length: 60 },
          (_, at) => `fragment F${at} on \
Node{...F${at + 1} ...F${at + 1}}`,
        ).join(' ')} ` + 'fragment F60 on Node{id}',
      aliased:
        `{getNode{...F0}} ${Array.from(
          { length: 30 },
          (_, at) => `fragment F${at} on \
Node{a:next{...F${at + 1}} b:next{...F${at + 1}}}`,
        ).join(' ')} ` + 'fragment F30 on Node{id}',
      wide:
        `{getNode{...F0}} ${Array.from(
          { length: 7 },
          (_, at) => `fragment F${at} on \
Node{${`...F${at + 1} `.repeat(30)}}`,
        ).join(' ')} ` + 'fragment F7 on Node{id}',
    };
    for (const [name, bomb] of Object.entries(bombs)) {
      t.equal(codeOf(bomb), 'GRAPHQL_VALIDATION_FAILED', name);
      t.comment(`${name}: ${refused(bomb).millis.toFixed(1)} ms`);
    }
  },
);

t.test('fragments that are spread twice side by side are no cycle', async (t) => {
  const document = `{getNode{...A ...B next{...B ...A}}}
    fragment A on Node{...C id} fragment B on Node{...C ...D} fragment C on Node{...D} \
fragment D on Node{name}`;
  t.equal(codeOf(document), 'admitted');
});

t.test('fields that are repeated to be merged cost little time', async (t) => {
  t.equal(codeOf(`{${'getNode{next{id}} '.repeat(5)}}`), 'admitted');
  t.equal(codeOf(`{getNode{${'next{id} '.repeat(50)}}}`), 'admitted');
  t.equal(codeOf(`{getNode{${'id '.repeat(990)}}}`), 'admitted');
});

t.test('validation errors are few, and help only where introspection does', async (t) => {
  const many = refused(
    `{${Array.from({ length: 200 }, (_, at) => `x${at}`).join(' ')}}`,
    {},
    admission({ rootFields: 1000 }),
  );
  t.equal(many.code, 'GRAPHQL_VALIDATION_FAILED');
  t.equal(many.messages.length, 11);
  t.match(many.messages[10], /more errors/);

  const typos = [
    '{getNod{id}}',
    '{getNode{idd}}',
    '{getNode(idd:1){id}}',
    '{listOrders(status:NEWW){tag}}',
    '{listOrders{...on Ordr{tag}}}',
    'mutation{putNode(node:{id:1,items:[],nam:"x"})}',
    'query($v:Nodee){getNode{id}}',
    '{getNode{id @skp(if:true)}}',
    '{getNode}',
  ];
  for (const typo of typos) {
    const { code, messages } = refused(typo, {}, admission({}, false));
    t.equal(code, 'GRAPHQL_VALIDATION_FAILED', typo);
    t.notMatch(messages.join(), /did you mean/i, typo);
  }
  t.match(
    refused('{getNode{idd}}').messages.join(),
    /Did you mean "id"/,
    'with introspection on it may help',
  );
});

t.test('no message tells a value back', async (t) => {
  const literals = [
    '{getNode(id:"s3cret"){id}}',
    '{getNode(id:[s3cret]){id}}',
    '{listOrders(status:s3cret){tag}}',
    '{listOrders(status:"s3cret"){tag}}',
    'mutation{putNode(node:"s3cret")}',
    'mutation{putNode(node:{id:1}, big:{a:"s3cret"})}',
    '{getNode(id:"s3cret',
    '{getNode(id:1 "s3cret"){id}}',
  ];
  for (const literal of literals) {
    const { code, messages } = refused(literal);
    t.match(code, /GRAPHQL_(VALIDATION|PARSE)_FAILED/, literal);
    t.notMatch(messages.join(), 's3cret', literal);
  }
  const node = 'mutation($n:NodeInput!){putNode(node:$n)}';
  for (const n of [
    's3cret',
    { id: 's3cret' },
    { id: 1, s3cret: 1 },
    { id: 1, items: [{ id: 's3cret' }] },
    null,
  ]) {
    const { code, messages } = refused(node, { n });
    t.equal(code, 'BAD_USER_INPUT');
    t.notMatch(messages.join(), 's3cret');
  }
});

t.test('variables are coerced strictly, and errors name the place', async (t) => {
  const node = 'mutation($n:NodeInput! $b:Long){putNode(node:$n, big:$b)}';
  const place = (n: unknown): string => refused(node, { n }).messages.join();
  t.equal(
    place({ id: 1, items: [{ id: 2 }, { id: '3' }] }),
    'Variable "$n" at "n.items[1].id" must be a value of type "Int!".',
  );
  t.equal(place({ name: 'x' }), 'Variable "$n" lacks the required "id".');
  t.equal(
    place({ id: 1, next: { id: 1, foo: 2 } }),
    'Variable "$n" at "n.next" has a field that is not defined by type "NodeInput".',
  );
  t.equal(place(undefined), 'Variable "$n" must be a value of type "NodeInput!".');
  t.equal(refused(node).messages.join(), 'Variable "$n" of type "NodeInput!" has no value.');
  const big = (b: unknown): string => codeOf(node, { n: { id: 1 }, b });
  t.equal(big('9007199254740993'), 'admitted');
  t.equal(big(12), 'admitted');
  t.equal(big(2 ** 53), 'BAD_USER_INPUT', 'JSON may have rounded it');
  t.equal(big(['1']), 'BAD_USER_INPUT');
  t.equal(big({ toString: 1 }), 'BAD_USER_INPUT');
  t.equal(codeOf('query($id:Int){getNode(id:$id){id}}', { id: '1' }), 'BAD_USER_INPUT');
  t.equal(codeOf('query($id:Int){getNode(id:$id){id}}', { id: 1.5 }), 'BAD_USER_INPUT');
  t.equal(codeOf('query($id:Int){getNode(id:$id){id}}', { id: null, other: 1 }), 'admitted');
});

t.test('cost counts calls and what a reply brings, and leaves out what will not run', async (t) => {
  t.equal(run('{countOrders}').cost, 10);
  t.equal(run('{getNode{id next{id}}}').cost, 12);
  t.equal(run('{getNode{items{id next{id}}}}').cost, 10 + 1 + 10 * 2);
  t.equal(run('{a:countOrders b:countOrders __typename}').cost, 20);
  t.equal(
    run('{getNode{...F ...on Node{next{id}}}} fragment F on Node{items{id}}').cost,
    10 + 1 + 1 + 10,
  );
  const query = 'query($yes:Boolean!){getNode{items@include(if:$yes){items{items{id}}}}}';
  t.equal(run(query, { yes: false }).cost, 11);
  t.equal(run(query, { yes: true }).cost, 10 + 1 + 100, 'one reply, however its lists are nested');
  const held = admission({ cost: 100 });
  t.equal(codeOf(query, { yes: true }, held), 'MAX_COST_LIMIT');
  t.equal(run(query, { yes: false }, held).cost, 11, 'the cached document is costed again');
  t.equal(run('{getNode{items{items{items{items{items{items{items{id}}}}}}}}}').cost, 10 + 1 + 100);
});

t.test('an operation must be there, and its kind', async (t) => {
  t.equal(codeOf('query A{countOrders} query B{countOrders}'), 'BAD_REQUEST');
  const named = (operationName: string | null): Admitted =>
    admit(
      { query: 'query A{countOrders} mutation B{forget(orderID:1)}', operationName, variables: {} },
      admission(),
    );
  t.equal(named('B').operation.operation, 'mutation');
  t.throws(() => named('C'), { code: 'BAD_REQUEST' });
  t.equal(
    admit({ query: '{countOrders}', operationName: '', variables: {} }, admission()).cost,
    10,
  );
  t.equal(codeOf('subscription{countOrders}'), 'GRAPHQL_VALIDATION_FAILED');
  t.equal(codeOf('type T{a:Int}'), 'GRAPHQL_VALIDATION_FAILED');
  t.equal(codeOf(''), 'GRAPHQL_PARSE_FAILED');
});

t.test('where many tokens are allowed, nesting cannot overflow the stack', async (t) => {
  const generous = admission({ tokens: 100_000, characters: 10_000_000 });
  t.match(codeOf(nested(20_000), {}, generous), /MAX_DEPTH_LIMIT/);
  t.match(
    codeOf(`{getNode(id:${'['.repeat(45_000)}${']'.repeat(45_000)}){id}}`, {}, generous),
    /MAX_DEPTH_LIMIT|VALIDATION/,
  );
});

t.test('a document is parsed once for each generation', async (t) => {
  const held = admission();
  const first = run('{countOrders}', {}, held);
  t.equal(run('{countOrders}', {}, held).document, first.document);
  t.not(run('{countOrders}').document, first.document);
});

t.test('the cache is bounded by what it holds', async (t) => {
  const documents = new DocumentCache();
  const held = { ...admission(), documents };
  const first = run('{countOrders}', {}, held).document;
  for (let at = 0; at < 1001; at++) documents.set(`${at}`, first);
  t.equal(documents.get('{countOrders}'), undefined);
  documents.set('x'.repeat(1_000_000), first);
  t.equal(documents.get('x'.repeat(1_000_000)), undefined, 'what is too big for it is not kept');
});

t.test(
  'an error is found in little time, however long it is and however many lines precede it',
  async (t) => {
    const lines = '\n'.repeat(29_000);
    const put = 'mutation($n:NodeInput!){putNode(node:$n)}';
    const cpuMillis = (query: string, variables: Record<string, unknown> = {}): number => {
      const before = process.cpuUsage();
      t.not(codeOf(query, variables), 'admitted');
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1000;
    };
    const names = ['a', 'b', 'c', 'd', 'e'];
    const lists = names.map((name) => `$${name}:[NodeInput]`).join(' ');
    const puts = names.map((name) => `${name}:putNode(node:{id:1,items:$${name}})`).join(' ');
    const wrong = Object.fromEntries(
      names.map((name) => [name, Array.from({ length: 999 }, () => 'x')]),
    );
    t.ok(cpuMillis(`${lines}mutation(${lists}){${puts}}`, wrong) < 50, 'values');
    const members = Object.fromEntries(Array.from({ length: 900 }, (_, at) => [`x${at}`, 1]));
    t.ok(cpuMillis(`${lines}${put}`, { n: members }) < 50, 'members of one object');
    const same = Array.from({ length: 300 }, () => '$a:Int').join(' ');
    t.ok(cpuMillis(`${lines}query(${same}){getNode{id}}`) < 50, 'an error with many places');
    const fields = Array.from({ length: 300 }, (_, at) => `x${at}`).join(' ');
    t.ok(cpuMillis(`${lines}{getNode{${fields}}}`) < 50, 'fields');
  },
);

t.test('places are right, whatever ends the lines', async (t) => {
  const placeOf = (query: string, variables: Record<string, unknown> = {}): unknown => {
    try {
      run(query, variables);
    } catch (error) {
      if (error instanceof Refusal) return refusalErrors(error)[0]?.toJSON().locations;
    }
    return null;
  };
  t.same(placeOf('{\n  getNode {\r\n\r    idd }}'), [{ line: 4, column: 5 }]);
  t.same(placeOf('{idd}'), [{ line: 1, column: 2 }]);
  t.same(placeOf('\n\n query(\n$n:Int!){getNode{id}}'), [{ line: 4, column: 1 }]);
  t.same(placeOf('{\n getNode(}'), [{ line: 2, column: 10 }], 'of what cannot be parsed');
  t.same(placeOf('query(\n$a:Int\n$a:Int){getNode(id:$a){id}}'), [
    { line: 2, column: 2 },
    { line: 3, column: 2 },
  ]);
});

t.test(
  'an object with many unknown members is reported once, with the number of unchecked ones',
  async (t) => {
    const members = Object.fromEntries(Array.from({ length: 900 }, (_, at) => [`x${at}`, 1]));
    const { messages } = refused('mutation($n:NodeInput!){putNode(node:$n)}', { n: members });
    t.same(messages, [
      'Variable "$n" lacks the required "id".',
      'There are more errors than are listed.',
    ]);
    const some = refused('mutation($n:[NodeInput!]){putNode(node:{id:1,items:$n})}', {
      n: Array.from({ length: 11 }, () => 'x'),
    });
    t.equal(some.messages.length, 11);
    t.match(some.messages[10], /more errors/);
    t.equal(
      refused('mutation($n:[NodeInput!]){putNode(node:{id:1,items:$n})}', {
        n: Array.from({ length: 10 }, () => 'x'),
      }).messages.length,
      10,
    );
  },
);

t.test('suggestions are made as long as they cost little', async (t) => {
  const types = Array.from(
    { length: 1500 },
    (_, at) => `type TransactionLineItemRecordReferenceType${at} { a: Int }`,
  );
  const all = types.map((_, at) => `a${at}:TransactionLineItemRecordReferenceType${at}`).join(' ');
  const large = buildGraphqlSchema(
    `type Query { small: Small ${all} } type Small { name: String } ${types.join(' ')}`,
  );
  const limits = defaultsOf(GRAPHQL_LIMITS);
  const held = { ...admission(), schema: large, costs: new CostTable({ schema: large, limits }) };
  const unknown = Array.from(
    { length: 12 },
    (_, at) => `$v${at}:TransactionLineItemRecordReferenceTypo${at}`,
  ).join(' ');
  const before = process.cpuUsage();
  const { messages } = refused(`query(${unknown}){__typename}`, {}, held);
  const { user, system } = process.cpuUsage(before);
  t.ok(user + system < 100_000);
  t.notMatch(messages.join(), /Did you mean/);
  t.match(messages[0], /Unknown type "TransactionLineItemRecordReferenceTypo0"/);
  t.match(
    refused('{small{nam}}', {}, held).messages.join(),
    /Did you mean "name"/,
    'of what is small',
  );
  t.match(refused('query($v:Nodee){getNode{id}}').messages.join(), /Did you mean "Node/);
  t.match(refused('{getNode(idd:1){id}}').messages.join(), /Did you mean "id"/);
  t.match(
    refused('mutation{putNode(node:{id:1,items:[],nam:"x"})}').messages.join(),
    /Did you mean "name"/,
  );
});
