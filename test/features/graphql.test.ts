import t, { type Test } from 'tap';

import type { GraphqlAnswer } from '../kit/answers.js';
import { answerWith, type RecordingBackend } from '../kit/backend.js';
import { envelope, SOAP, textIn } from '../kit/envelope.js';
import { postGraphql, TYPED } from '../kit/graphql-client.js';
import { post, RawClient, sendRaw } from '../kit/raw-client.js';
import { until } from '../kit/until.js';
import { useService } from '../kit/use.js';

/** A backend without a WSDL, mapped by hand, as an operator writes it from the README. */
const mapping = (url: string, version: string): string => `services:
  shop:
    url: ${url}/shop
    versions: ["${version}"]
    namespace: urn:shop
    types: |
      type Query {
        "One article."
        article(sku: String!): Article
        articles(limit: Int): [Article!]
        stock(sku: String!): Int
      }
      type Mutation { rename(sku: String!, name: String): Article }
      type Article { sku: String!, name: String, price: Float, tags: [String!], parts: \
[Part!], related: Article }
      type Part { no: Int! @xml(attribute: true), label: String }
    operations:
      GetArticle: { field: Query.article }
      ListArticles: { field: Query.articles }
      GetStock: { field: Query.stock, response: StockAnswer }
      RenameArticle: { field: Mutation.rename, soapAction: "urn:shop/rename" }
`;

const ENVELOPE: Readonly<Record<string, string>> = {
  ...SOAP,
  '2001-12': 'http://www.w3.org/2001/12/soap-envelope',
};

const reply = (name: string, content: string): string =>
  envelope(`<${name} xmlns="urn:shop">${content}</${name}>`);
const article = (sku: string): string =>
  reply(
    'GetArticleResponse',
    `<sku>${sku}</sku><name>Bolt &amp; nut</name><price>1.5</price><tags>a</tags>` +
      '<parts no="1"><label>x</label></parts>',
  );

async function startShop(t: Test, more = '', version = '1.1') {
  const { backend, gateway } = await useService(
    t,
    answerWith(article('A1')),
    (url) => mapping(url, version) + more,
  );
  return {
    backend,
    gateway,
    async ask(
      query: string,
      variables: Record<string, unknown> = {},
    ): Promise<GraphqlAnswer & { readonly status: number }> {
      const response = await postGraphql(gateway.url, { query, variables }, TYPED);
      return { status: response.status, ...JSON.parse(await response.text()) };
    },
  };
}

t.test(
  'a mapping written by hand: arguments become children, the reply is named Response',
  async (t) => {
    const { backend, gateway, ask } = await startShop(t);
    const answer = await ask('{ article(sku: "A<1>") { price name tags parts { label no } sku } }');
    t.same(answer, {
      status: 200,
      extensions: { cost: { requestedQueryCost: 21, actualQueryCost: 12 } },
      data: {
        article: {
          price: 1.5,
          name: 'Bolt & nut',
          tags: ['a'],
          parts: [{ label: 'x', no: 1 }],
          sku: 'A1',
        },
      },
    });
    t.same(
      Object.keys(Object(answer.data?.['article'])),
      ['price', 'name', 'tags', 'parts', 'sku'],
      'in the order asked',
    );
    const [message] = backend.complete;
    t.equal(message?.target, '/shop');
    t.equal(message?.headers['content-type'], 'text/xml; charset=utf-8');
    t.equal(message?.headers['soapaction'], '""');
    t.match(
      message?.body.toString(),
      /<(\w+):GetArticle><\1:sku>A&lt;1&gt;<\/\1:sku><\/\1:GetArticle>/,
    );
    t.match(await gateway.accessLine(), {
      route: 'graphql',
      operation: 'query',
      status: 200,
      outcome: 'ok',
      upstreamCalls: 1,
    });

    backend.answer = answerWith(reply('StockAnswer', '<stock>7</stock>'));
    t.same(
      (await ask('{ stock(sku: "a") }')).data,
      { stock: 7 },
      'a reply that is named otherwise',
    );
    backend.answer = answerWith(reply('RenameArticleResponse', '<sku>A1</sku><name/>'));
    t.same((await ask('mutation { rename(sku: "A1", name: null) { name } }')).data, {
      rename: { name: '' },
    });
    t.equal(backend.complete.at(-1)?.headers['soapaction'], '"urn:shop/rename"');
  },
);

t.test('GET asks, and never changes anything', async (t) => {
  const { backend, gateway } = await startShop(t);
  const get = (query: string) => fetch(`${gateway.url}/graphql?query=${encodeURIComponent(query)}`);
  t.match(await (await get('{ article(sku: "a") { sku } }')).json(), {
    data: { article: { sku: 'A1' } },
  });
  const refused = await get('mutation { rename(sku: "a") { sku } }');
  t.equal(refused.status, 405);
  t.equal(refused.headers.get('allow'), 'POST');
  t.equal(backend.complete.length, 1);
});

t.test('introspection works', async (t) => {
  const { backend, ask } = await startShop(t);
  const answer = await ask(
    '{ __schema { queryType { fields { name } } } __type(name: ' +
      '"Part") { fields { name } } __typename }',
  );
  t.match(answer.data, {
    __type: { fields: [{ name: 'label' }, { name: 'no' }] },
    __typename: 'Query',
  });
  t.equal(backend.complete.length, 0);
});

/** The first dialect requires the declaration of this namespace. */
const ENCODING = ' xmlns:c="http://www.w3.org/2001/12/soap-encoding"';

const FAULTS: Readonly<Record<string, string>> = {
  '1.1':
    '<s:Fault><faultcode>s:Client.Gone</faultcode><faultstring>Sold &amp; gone</faultstring>' +
    '<faultactor>urn:desk</faultactor><detail><why xmlns="urn:w"><code>4</code><code>5</code>' +
    '</why></detail></s:Fault>',
  '2001-12':
    '<s:Fault><faultcode>Client</faultcode><faultstring>Sold &amp; gone</faultstring>' +
    '<faultactor>urn:desk</faultactor><detail><why><code>4</code><code>5</code>' +
    '</why></detail></s:Fault>',
  '1.2':
    '<s:Fault><s:Code><s:Value>s:Sender</s:Value><s:Subcode>' +
    '<s:Value xmlns:q="urn:q">q:Gone</s:Value></s:Subcode></s:Code><s:Reason>' +
    '<s:Text xml:lang="en">Sold &amp; gone</s:Text><s:Text xml:lang="de">Weg</s:Text>' +
    '</s:Reason><s:Role>urn:desk</s:Role><s:Detail><why><code>4</code><code>5</code>' +
    '</why></s:Detail></s:Fault>',
};

t.test('a Fault on any HTTP status is an error with its parts, in each dialect', async (t) => {
  const codes: Readonly<Record<string, string>> = {
    '1.1': 'Client.Gone',
    '2001-12': 'Client',
    '1.2': 'Sender',
  };
  for (const [version, code] of Object.entries(codes)) {
    const { backend, gateway, ask } = await startShop(t, '', version);
    for (const status of [200, 400, 500]) {
      const fault = envelope(FAULTS[version] ?? '', '', ENVELOPE[version]).replace(
        ' xmlns:s',
        `${ENCODING}$&`,
      );
      backend.answer = answerWith(fault, 'text/xml', status);
      const { data, errors } = await ask('{ article(sku: "a") { sku } }');
      t.same(data, { article: null });
      t.equal(errors?.length, 1);
      t.match(errors?.[0], {
        message: 'Sold & gone',
        path: ['article'],
        extensions: {
          code: 'SOAP_FAULT',
          soap: {
            code,
            string: 'Sold & gone',
            actor: 'urn:desk',
            detail: { why: { code: ['4', '5'] } },
          },
        },
      });
    }
    t.match(await gateway.accessLine(), { outcome: 'fault', status: 200, code: 'SOAP_FAULT' });
    t.notMatch(
      await gateway.metrics(),
      'soapstone_upstream_attempts_failed_total{',
      'a Fault is an answer',
    );
  }
});

t.test(
  'other trouble of the backend has its own code and tells nothing of the backend',
  async (t) => {
    const { backend, ask, gateway } = await startShop(
      t,
      'limits:\n  upstream: { headersMillis: 300, idleMillis: 300, breakerFailures: 0 }\n',
    );
    const XML = { 'content-type': 'text/xml' };
    const cases: readonly [string, RecordingBackend['answer']][] = [
      ['UPSTREAM_INVALID_RESPONSE', answerWith('<html>secret</html>', 'text/html', 502)],
      ['UPSTREAM_INVALID_RESPONSE', answerWith('{"secret":1}', 'application/json')],
      ['UPSTREAM_INVALID_RESPONSE', answerWith('')],
      ['UPSTREAM_INVALID_RESPONSE', answerWith(article('secret').slice(0, -4))],
      ['UPSTREAM_INVALID_RESPONSE', answerWith(`<!DOCTYPE a>${article('secret')}`)],
      ['UPSTREAM_SCHEMA_INVALID', answerWith(reply('Other', ''))],
      ['UPSTREAM_INVALID_RESPONSE', answerWith(envelope(''))],
      ['UPSTREAM_RESET', (_message, response) => response.destroy()],
      ['UPSTREAM_TIMEOUT', () => {}],
      ['UPSTREAM_IDLE_TIMEOUT', (_message, response) => response.writeHead(200, XML).write('<E')],
      ['UPSTREAM_OVERLOADED', answerWith('busy', 'text/plain', 503)],
    ];
    for (const [code, answer] of cases) {
      backend.answer = answer;
      const { data, errors } = await ask('{ article(sku: "a") { sku } }');
      t.same(data, { article: null }, code);
      t.match(errors, [{ path: ['article'], extensions: { code } }], code);
      t.notMatch(JSON.stringify(errors), /secret|127\.0\.0\.1/);
    }
    await backend.close();
    t.match((await ask('{ article(sku: "a") { sku } }')).errors, [
      { extensions: { code: 'UPSTREAM_UNREACHABLE' } },
    ]);
    t.match(
      await gateway.metrics(),
      'soapstone_refusals_total{route="graphql",code="UPSTREAM_UNREACHABLE"} 1',
    );
  },
);

t.test(
  'root fields of a query run side by side, those of a mutation one after the other',
  async (t) => {
    const { backend, ask } = await startShop(t);
    const open: (() => void)[] = [];
    const { answer } = backend;
    backend.answer = (...asked) => void open.push(() => answer(...asked));
    const asked = ask(
      '{ a: article(sku: "1") { sku } b: article(sku: "2") { sku } c: article(sku: "3") { sku } }',
    );
    await until(() => open.length === 3);
    for (const give of open.reverse()) give();
    t.same(
      Object.keys((await asked).data ?? {}),
      ['a', 'b', 'c'],
      'keys in the order asked, whoever answered first',
    );

    const order: string[] = [];
    let busy = 0;
    backend.answer = (message, response) => {
      t.equal(++busy, 1, 'never two at once');
      order.push(textIn(message.body, 'name') ?? '');
      setImmediate(() => {
        busy--;
        answerWith(reply('RenameArticleResponse', '<sku>A1</sku>'))(message, response);
      });
    };
    await ask(
      'mutation { a: rename(sku: "1", name: "x") { sku } b: rename(sku: "1", name: ' +
        '"y") { sku } c: rename(sku: "1", name: "z") { sku } }',
    );
    t.same(order, ['x', 'y', 'z']);
  },
);

t.test('what is over a limit never reaches a backend', async (t) => {
  const { backend, ask, gateway } = await startShop(
    t,
    'limits:\n  graphql: { depth: 3, aliases: 2, rootFields: 2, tokens: 60, cost: 100 }\n',
  );
  const field = 'article(sku: "a")';
  const cases: readonly [string, string][] = [
    ['MAX_TOKENS_LIMIT', `{ ${field} { ${'sku '.repeat(60)} } }`],
    ['MAX_ALIASES_LIMIT', `{ ${field} { a: sku b: sku c: sku } }`],
    ['MAX_ROOT_FIELDS_LIMIT', `{ stock(sku: "a") ${field} { sku } articles { sku } }`],
    [
      'MAX_DEPTH_LIMIT',
      `{ ${field} { ...A } } fragment A on Article { ...B } fragment B on Article { related { ` +
        '... { related { ...C } } } } fragment C on Article { sku }',
    ],
    ['MAX_COST_LIMIT', '{ articles { parts { no } } }'],
    ['GRAPHQL_VALIDATION_FAILED', '{ nothing }'],
    ['GRAPHQL_PARSE_FAILED', '{'],
    ['BAD_USER_INPUT', 'query($a: String!) { article(sku: $a) { sku } }'],
  ];
  for (const [code, query] of cases) {
    const answer = await ask(query);
    t.equal(answer.status, 400, code);
    t.match(answer.errors, [{ extensions: { code } }], code);
    t.notOk('data' in answer, 'no data');
  }
  t.equal(backend.complete.length, 0, 'not one call was made');
  t.match(
    await gateway.metrics(),
    'soapstone_refusals_total{route="graphql",code="MAX_TOKENS_LIMIT"} 1',
  );
  t.match(await gateway.accessLine(), {
    outcome: 'refused',
    code: 'MAX_TOKENS_LIMIT',
    status: 400,
  });
});

t.test('a caller that leaves ends the call upstream', async (t) => {
  const { backend, gateway } = await startShop(t);
  const client = await RawClient.connect(gateway.url);
  const gone = new Promise<void>((resolve) => {
    backend.answer = (_message, response) => {
      response.once('close', resolve);
      client.close();
    };
  });
  await client.send(
    post('/graphql', 'application/json', '{"query":"{ article(sku: \\"a\\") { sku } }"}'),
  );
  await gone;
  t.match(await gateway.accessLine(), { outcome: 'aborted', code: 'CLIENT_GONE' });
});

t.test('a body that is too long, no JSON or no UTF-8 is refused', async (t) => {
  const { backend, gateway } = await startShop(t, 'limits:\n  graphql: { bodyBytes: 2000 }\n');
  const send = (body: string | Buffer, headers: Record<string, string | null> = {}) =>
    sendRaw(gateway.url, post('/graphql', 'application/json', body, headers));
  t.equal((await send(`{"query":"{ stock(sku: 1) }","a":"${'x'.repeat(2000)}"}`)).status, 413);
  t.equal((await send('{')).status, 400);
  t.equal((await send(Buffer.from([0x7b, 0xff]))).status, 400);
  t.equal((await sendRaw(gateway.url, post('/graphql', 'text/plain', '{}'))).status, 415);
  t.equal(
    (await sendRaw(gateway.url, 'PUT /graphql HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n'))
      .status,
    405,
  );
  t.equal(backend.complete.length, 0);
});

t.test('unselected parts of a reply are read past without being built', async (t) => {
  const { backend, gateway, ask } = await startShop(t, 'limits:\n  graphql: { cost: 100000 }\n');
  const record =
    '<articles><sku>s</sku><name>some name</name><price>1</price><parts no="1">' +
    '<label>x</label></parts></articles>';
  backend.answer = answerWith(reply('ListArticlesResponse', record.repeat(5000)));
  const { data } = await ask('{ articles { sku } }');
  const articles = data?.['articles'];
  t.equal(Array.isArray(articles) && articles.length, 5000);
  t.same(Array.isArray(articles) && articles[4999], { sku: 's' });
  const skipped =
    /soapstone_bytes_total\{route="graphql",operation="query",direction="skipped"\} (\d+)/.exec(
      await gateway.metrics(),
    );
  t.ok(Number(skipped?.[1]) > 5000 * 20, 'most bytes were skipped');
});
