import { createHash } from 'node:crypto';
import { join } from 'node:path';
import t from 'tap';

import { pagesOf } from '../../src/graphql/schema/docs/docs-pages.js';
import { answerWith } from '../kit/backend.js';
import { compileText } from '../kit/configuration.js';
import { envelope, faultOf, operationIn } from '../kit/envelope.js';
import { postGraphql } from '../kit/graphql-client.js';
import {
  answerTo,
  callOf,
  customers,
  federation,
  KEYS,
  services,
  startSubgraph,
} from '../kit/subgraph.js';
import { useFolder, useGraphqlServer, useService } from '../kit/use.js';
import { element, wrapper, wsdlOf } from '../kit/wsdl.js';

const WIDE = 'limits:\n  graphql: { cost: 100000 }\n';
const QUERY =
  'query ($r: [_Any!]!) { _entities(representations: $r) { ... on Customer { name } } }';

t.test('persisted and trusted documents ask for entities', async (t) => {
  const hash = createHash('sha256').update(QUERY).digest('hex');
  const folder = await useFolder(t, { 'known.json': JSON.stringify({ entities: QUERY }) });
  const trusted = `  trusted: { manifest: ${join(folder, 'known.json')}, only: true }\n`;
  const closed = await startSubgraph(t, '', `${KEYS}${trusted}`);
  const variables = { r: customers(1) };
  const known = await postGraphql(closed.gateway.url, { documentId: 'entities', variables });
  t.match(await known.json(), { data: { _entities: [{ name: 'C1' }] } });
  const sdl = await closed.ask('{ _service { sdl } }');
  t.match(sdl.errors, [{ extensions: { code: 'PERSISTED_QUERY_ONLY' } }]);

  const open = await startSubgraph(t, '', `${KEYS}  persisted: { automatic: true }\n`);
  const extensions = { persistedQuery: { version: 1, sha256Hash: hash } };
  await postGraphql(open.gateway.url, { query: QUERY, variables, extensions });
  const again = await postGraphql(open.gateway.url, { variables, extensions });
  t.match(await again.json(), { data: { _entities: [{ name: 'C1' }] } });
  t.same(open.calls(), ['GetCustomers 1', 'GetCustomers 1']);
});

/** Codes and states as a legacy backend writes them. */
const LEGACY = (url: string): string => `services:
  stock:
    url: ${url}
    namespace: urn:stock
    types: |
      type Query {
        part(code: String, state: String, hall: Int): Part
        parts(codes: [String]): [Part]
      }
      type Part { code: String, state: String, since: String, place: Place }
      type Place { hall: Int }
    operations:
      GetPart: { field: Query.part }
      GetParts: { field: Query.parts }
    schema:
      types:
        Part:
          name: Item
          fields:
            code: { name: number, convert: { integer: true, digits: 6 } }
            state: { convert: { enum: { IN: "1", OUT: "0" } } }
            hall: { path: place/hall }
graphql:
  federation:
    keys:
      Item:
        - fields: number
          operation: stock.GetPart
          arguments: { code: number }
          batch: { operation: stock.GetParts, argument: codes, key: number }
        - fields: state hall
          operation: stock.GetPart
          arguments: { state: state, hall: hall }
`;

t.test('keys of renamed, converted and lifted values have their texts on the wire', async (t) => {
  const part = (code: string, state: string): string =>
    `<code>${code}</code><state>${state}</state><place><hall>7</hall></place>`;
  const sent: string[] = [];
  const { ask } = await useService(
    t,
    (message, response) => {
      const text = String(message.body);
      const values = [...text.matchAll(/<(?:\w+:)?(?:codes?|state)>([^<]*)</g)].map(([, v]) => v);
      const operation = operationIn(text);
      sent.push(`${operation} ${values.join()}`);
      const inner =
        operation === 'GetPart'
          ? part('000009', values[0] ?? '')
          : values.map((code = '') => `<parts>${part(code, '1')}</parts>`).join('');
      const reply = `<${operation}Response xmlns="urn:stock">${inner}</${operation}Response>`;
      answerWith(envelope(reply))(message, response);
    },
    LEGACY,
  );
  const { data, errors } = await ask(
    'query ($r: [_Any!]!) { _entities(representations: $r) { ... on Item { number state hall } } }',
    {
      r: [
        { __typename: 'Item', number: 42 },
        { __typename: 'Item', number: 7 },
        { __typename: 'Item', state: 'OUT', hall: 7 },
        { __typename: 'Item', state: 'GONE', hall: 7 },
      ],
    },
  );
  t.same(data?.['_entities'], [
    { number: 42, state: 'IN', hall: 7 },
    { number: 7, state: 'IN', hall: 7 },
    { number: 9, state: 'OUT', hall: 7 },
    null,
  ]);
  t.match(errors, [
    { path: ['_entities', 3], message: /state: must be a value of type ItemState/ },
  ]);
  t.same(sent.sort(), ['GetPart 0', 'GetParts 000042,000007']);
});

t.test('a service that speaks GraphQL answers keys as well', async (t) => {
  const sdl = `type Query { film(id: ID!): Film, films(ids: [ID!]!): [Film] }
    type Film { id: ID!, title: String, year: Int }`;
  const film = (id: string) => ({ id, title: `Film ${id}`, year: 1999 });
  const server = await useGraphqlServer(t, {
    sdl,
    rootValue: {
      film: ({ id }: { readonly id: string }) => film(id),
      films: ({ ids }: { readonly ids: readonly string[] }) => ids.map(film).reverse(),
    },
  });
  const films = `  films:
    kind: graphql
    url: ${server.url}
    schema: films.graphql
`;
  const folder = await useFolder(t, { 'films.graphql': sdl });
  const keys = `
      Film:
        fields: id
        operation: films.film
        batch: { operation: films.films, argument: ids, key: id }
      Customer: { fields: id, operation: crm.GetCustomer, arguments: { code: id } }
`;
  const { ask, backend } = await useService(
    t,
    (message, response) => answerWith(answerTo(callOf(message)))(message, response),
    (url) => services(url) + films + federation(keys),
    folder,
  );
  const { data, errors } = await ask(
    `query ($r: [_Any!]!) {
      _entities(representations: $r) { __typename ...F ... on Customer { name } }
    } fragment F on Film { title year }`,
    { r: [{ __typename: 'Film', id: '1' }, ...customers(5), { __typename: 'Film', id: '2' }] },
  );
  t.equal(errors, undefined);
  t.same(data?.['_entities'], [
    { __typename: 'Film', title: 'Film 1', year: 1999 },
    { __typename: 'Customer', name: 'C5' },
    { __typename: 'Film', title: 'Film 2', year: 1999 },
  ]);
  t.equal(server.requests.length, 1, 'one request for both films');
  t.same(backend.complete.map(callOf), ['GetCustomer 5']);
});

t.test('REST, agents and documentation do not show what is for routers', async (t) => {
  const mcp = 'mcp: { operations: [crm.GetBranch] }\n';
  const { gateway } = await startSubgraph(t, mcp, KEYS, (url) =>
    services(url).replace('namespace: urn:crm', 'namespace: urn:crm\n    rest: true'),
  );
  const openapi = await (await fetch(`${gateway.url}/rest/openapi.json`)).text();
  const { schema, fields, subgraph } = gateway.compiled().graph;
  const pages = JSON.stringify(pagesOf(schema, fields, subgraph !== null));
  for (const text of [openapi, pages]) {
    t.match(text, /branch/i);
    t.notMatch(text, /_entities|_service|_Any|_Entity|_Service/);
  }
});

t.test('a reload with other keys answers by them', async (t) => {
  const { gateway, entities, calls } = await startSubgraph(t);
  const branch = [{ __typename: 'Branch', id: 1, country: 'CH' }];
  t.match((await entities('... on Branch { city }', branch)).data, { _entities: [{}] });
  await gateway.reload((yaml) => yaml.replace(/ +Branch: .*\n/, ''));
  const { errors } = await entities('... on Branch { city }', branch);
  t.match(errors, [{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }]);
  t.same(calls(), ['GetBranch 1,CH']);
  t.match((await entities('... on Customer { name }', customers(1))).data, {
    _entities: [{ name: 'C1' }],
  });
});

t.test('the keys may be in an included file, and name operations of another', async (t) => {
  const folder = await useFolder(t, { 'keys.yaml': federation(KEYS) });
  const { ask } = await useService(
    t,
    (message, response) => answerWith(answerTo(callOf(message)))(message, response),
    (url) => `include: [keys.yaml]\n${services(url)}`,
    folder,
  );
  const { data } = await ask(QUERY, { r: customers(3) });
  t.same(data, { _entities: [{ name: 'C3' }] });
});

t.test('operations that are no fields answer keys, of types that a WSDL makes', async (t) => {
  const { graph } = await compileText(
    t,
    `services:
  orders:
    wsdl: demo:legacy.wsdl
    url: http://127.0.0.1:1/
    operations: { GetCustomer: false }
graphql:
  federation:
    keys:
      Customer: { fields: code, operation: orders.GetCustomer }
      Order: { fields: id, operation: orders.GetOrder }
`,
  );
  t.notOk(graph.schema.getQueryType()?.getFields()['getCustomer']);
  t.same([...(graph.subgraph?.entities.keys() ?? [])], ['Customer', 'Order']);
  t.match(graph.subgraph?.sdl, 'type Customer @key(fields: "code") {');
});

t.test('a subgraph without keys has its SDL alone', async (t) => {
  const { ask, gateway } = await startSubgraph(t, '', '{}\n');
  const { data } = await ask('{ _service { sdl } }');
  t.match(JSON.stringify(data), 'type Customer {');
  const { schema } = gateway.compiled().graph;
  t.notOk(schema.getQueryType()?.getFields()['_entities']);
  t.notOk(schema.getType('_Any'));
});

t.test('a list operation that fails is an error at each of its representations', async (t) => {
  const graph = await startSubgraph(t);
  graph.special = () => envelope(faultOf('s:Server', 'Down.'));
  const { data, errors } = await graph.entities('... on Customer { name }', customers(1, 2, 1));
  t.same(data?.['_entities'], [null, null, null]);
  t.match(
    errors,
    [0, 1, 2].map((at) => ({ path: ['_entities', at], extensions: { code: 'SOAP_FAULT' } })),
  );
  t.same(graph.calls(), ['GetCustomers 1,2']);
});

t.test('more keys than `batchItems` are more calls', async (t) => {
  const { entities, calls } = await startSubgraph(t, 'limits: { graphql: { batchItems: 2 } }\n');
  const { errors } = await entities('... on Customer { name }', customers(1, 2, 3));
  t.equal(errors, undefined);
  t.same(calls().sort(), ['GetCustomers 1,2', 'GetCustomers 3']);
});

t.test('a nested field before a plain one in a key pairs with the key of the batch', async (t) => {
  const text = (url: string): string => `services:
  crm:
    url: ${url}/crm
    namespace: urn:crm
    types: |
      type Query { office(owner: ID!, country: String!): Office, offices(keys: [Key!]): [Office!] }
      input Key { owner: ID!, country: String! }
      type Office { owner: Owner, country: String, city: String }
      type Owner { id: ID! }
    operations:
      GetOffice: { field: Query.office }
      GetOffices: { field: Query.offices }
`;
  const keys = `
      Office:
        fields: owner { id } country
        operation: crm.GetOffice
        arguments: { owner: owner.id, country: country }
        batch: { operation: crm.GetOffices, argument: keys, key: owner.id country }
`;
  const graph = await startSubgraph(t, WIDE, keys, text);
  const office = (id: string, country: string): string =>
    `<offices><owner><id>${id}</id></owner><country>${country}</country>` +
    `<city>${id} ${country}</city></offices>`;
  graph.special = () =>
    envelope(
      `<GetOfficesResponse xmlns="urn:crm">${office('b', 'CH')}${office('a', 'AT')}` +
        `</GetOfficesResponse>`,
    );
  const answer = await graph.entities('... on Office { city }', [
    { __typename: 'Office', owner: { id: 'a' }, country: 'AT' },
    { __typename: 'Office', owner: { id: 'b' }, country: 'CH' },
  ]);
  t.same(answer, { data: { _entities: [{ city: 'a AT' }, { city: 'b CH' }] } });
  t.same(graph.calls(), ['GetOffices a,AT,b,CH']);
});

t.test('fragments on a union and on an interface apply to the entities in them', async (t) => {
  const extended = (name: string, base: string, more: string): string =>
    `<xs:complexType name="${name}"><xs:complexContent><xs:extension base="t:${base}">` +
    `<xs:sequence>${more}</xs:sequence></xs:extension></xs:complexContent></xs:complexType>`;
  const schema = [
    '<xs:complexType name="Result" abstract="true"><xs:sequence/></xs:complexType>',
    extended('Film', 'Result', element('id', 'xs:string') + element('title', 'xs:string')),
    extended('Show', 'Result', element('id', 'xs:string')),
    '<xs:complexType name="Titled"><xs:sequence>',
    element('title', 'xs:string'),
    '</xs:sequence></xs:complexType>',
    extended('Book', 'Titled', element('id', 'xs:string')),
    wrapper('GetFilm', element('id', 'xs:string')),
    wrapper('GetFilmResponse', element('film', 't:Film')),
    wrapper('GetBook', element('id', 'xs:string')),
    wrapper('GetBookResponse', element('book', 't:Book')),
    wrapper('Find', element('text', 'xs:string')),
    wrapper('FindResponse', element('found', 't:Result') + element('titled', 't:Titled')),
  ].join('');
  const operations = ['GetFilm', 'GetBook', 'Find'];
  const folder = await useFolder(t, { 'crm.wsdl': wsdlOf('urn:crm', schema, operations) });
  const text = (url: string): string =>
    `services:\n  crm: { url: ${url}/crm, wsdl: ${join(folder, 'crm.wsdl')} }\n`;
  const keys = `
      Film: { fields: id, operation: crm.GetFilm }
      Book: { fields: id, operation: crm.GetBook }
`;
  const graph = await startSubgraph(t, WIDE, keys, text);
  graph.special = (call) =>
    envelope(
      call.startsWith('GetFilm')
        ? '<GetFilmResponse xmlns="urn:crm"><film><id>7</id><title>T7</title></film>' +
            '</GetFilmResponse>'
        : '<GetBookResponse xmlns="urn:crm"><book><title>T7</title><id>7</id></book>' +
            '</GetBookResponse>',
    );
  const expected = { data: { _entities: [{ title: 'T7' }] } };
  for (const [type, selection] of [
    ['Film', '... on Film { title }'],
    ['Film', '... on Result { ... on Film { title } }'],
    ['Film', '... on _Entity { ... on Result { ... on Film { title } } }'],
    ['Book', '... on Titled { title }'],
  ] as const) {
    t.same(await graph.entities(selection, [{ __typename: type, id: '7' }]), expected, selection);
  }
});
