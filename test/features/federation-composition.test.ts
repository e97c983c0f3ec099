import {
  assertCompositionSuccess,
  composeServices,
  compositionHasErrors,
} from '@theguild/federation-composition';
import { parse } from 'graphql';
import t, { type Test } from 'tap';

import { compileText } from '../kit/configuration.js';
import { federation, KEYS, services } from '../kit/subgraph.js';
import { element, wrapper, wsdlOf } from '../kit/wsdl.js';

/**
 * Compositions of the SDL of the gateway with that of another subgraph, by a composition of others.
 */

const LINK =
  'extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", ' +
  'import: ["@key", "@shareable", "@external", "@requires", "@interfaceObject"])';

async function compose(
  t: Test,
  yaml: string,
  other: string,
  files: Readonly<Record<string, string>> = {},
) {
  const { graph } = await compileText(t, yaml, files);
  return composeServices([
    { name: 'soap', typeDefs: parse(graph.subgraph?.sdl ?? ''), url: 'http://127.0.0.1:1' },
    { name: 'other', typeDefs: parse(`${LINK}\n${other}`), url: 'http://127.0.0.1:2' },
  ]);
}

const messages = (composed: Awaited<ReturnType<typeof compose>>): readonly string[] =>
  compositionHasErrors(composed) ? composed.errors.map(({ message }) => message) : [];

const URL = 'http://127.0.0.1:3';
const OTHER = `
  type Query { reviews: [Review] }
  type Review { text: String, by: Customer, of: Product, at: Branch }
  type Customer @key(fields: "id") { id: Long!, loyal: Boolean }
  type Branch @key(fields: "country id") { id: Int!, country: String!, open: Boolean }
  type Product @key(fields: "sku") { sku: ID!, weight: Int, price: Int }
  scalar Long
`;

t.test('types with one, several and composite keys compose with another subgraph', async (t) => {
  const types = `    types:
      Product:
        fields:
          weight: { external: true }
          price: { external: true }
          shipping: { requires: weight price }
`;
  const composed = await compose(t, services(URL) + federation(KEYS + types), OTHER);
  t.same(messages(composed), []);
  assertCompositionSuccess(composed);
  t.match(composed.supergraphSdl, /join__type\(graph: SOAP, key: "mail"/);
  t.match(composed.supergraphSdl, /requires: "weight price"/);
});

t.test('fields that two subgraphs answer are shareable, or they do not compose', async (t) => {
  const other = `
    type Query { customer(code: Long!): Customer @shareable }
    type Customer @key(fields: "id") { id: Long!, name: String @shareable }
    type Owner @shareable { id: ID }
    scalar Long
  `;
  const plain = await compose(t, services(URL) + federation(KEYS), other);
  t.match(messages(plain).join(), /Query.customer|non-shareable/i);
  const types = `    types:
      Query: { fields: { customer: { shareable: true } } }
      Customer: { fields: { name: { shareable: true } } }
      Owner: { shareable: true }
`;
  t.same(messages(await compose(t, services(URL) + federation(KEYS + types), other)), []);
});

t.test('enumerations, tags, what is inaccessible, rights and prices compose', async (t) => {
  const text = services(URL)
    .replace(
      'type Owner { id: ID }',
      `type Owner { id: ID, state: State, secret: String }
      enum State { OPEN CLOSED }
      input Criteria { id: Int, name: String }`,
    )
    .replace(
      'owner(id: ID!): Account',
      'owner(id: ID!): Account\n        find(by: Criteria): Owner',
    )
    .concat(`      Find: { field: Query.find, cost: 7 }
    schema:
      types:
        Owner:
          cost: 2
          fields: { secret: { scopes: [[a, b], [c]], authenticated: true, cost: 3 } }
`);
  const types = `    types:
      Owner:
        tags: [internal]
        fields: { secret: { inaccessible: true } }
      State: { fields: { CLOSED: { tags: [old], inaccessible: true } } }
`;
  const other = `
    type Query { state: State }
    enum State { OPEN }
    type Owner2 { id: ID }
  `;
  const composed = await compose(t, text + federation(KEYS + types), other);
  t.same(messages(composed), []);
  assertCompositionSuccess(composed);
  t.match(composed.supergraphSdl, /@requiresScopes|requiresScopes/);
  t.notMatch(composed.publicSdl, /secret|CLOSED/, 'the public schema lacks what is inaccessible');
});

t.test('an object stands for an interface of another subgraph', async (t) => {
  const types = '    types: { Branch: { interfaceObject: true } }\n';
  const other = `
    type Query { places: [Branch] }
    interface Branch @key(fields: "id country") { id: Int!, country: String! }
    type Shop implements Branch @key(fields: "id country") { id: Int!, country: String! }
  `;
  t.same(messages(await compose(t, services(URL) + federation(KEYS + types), other)), []);
});

t.test('a key that is only referred to composes with the one that resolves it', async (t) => {
  const keys = `
      Product: { fields: sku, resolvable: false }
`;
  const other = `
    type Query { products: [Product] }
    type Product @key(fields: "sku") {
      sku: ID! @shareable weight: Int @shareable price: Int @shareable shipping: Int @shareable
    }
  `;
  const types = '    types: { Product: { shareable: true } }\n';
  t.same(messages(await compose(t, services(URL) + federation(keys + types), other)), []);
});

t.test('rights and prices of an inherited field compose: its interface has none', async (t) => {
  const extended = (name: string, more: string): string =>
    `<xs:complexType name="${name}"><xs:complexContent><xs:extension base="t:Doc">` +
    `<xs:sequence>${more}</xs:sequence></xs:extension></xs:complexContent></xs:complexType>`;
  const schema = [
    '<xs:complexType name="Doc"><xs:sequence>',
    element('id', 'xs:string') + element('note', 'xs:string', 'minOccurs="0"'),
    '</xs:sequence></xs:complexType>',
    extended('Bill', element('sum', 'xs:int')),
    extended('Memo', ''),
    ...['Bill', 'Doc'].map(
      (name) =>
        wrapper(`Get${name}`, element('id', 'xs:string')) +
        wrapper(`Get${name}Response`, element('found', `t:${name}`)),
    ),
  ].join('');
  const text = `services:
  shop:
    url: ${URL}/shop
    wsdl: shop.wsdl
    schema:
      types:
        Doc: { fields: { note: { scopes: [notes], cost: 3 } } }
        Bill: { fields: { sum: { authenticated: true } } }
`;
  const keys = ' { Bill: { fields: id, operation: shop.GetBill } }\n';
  const other = 'type Query { bills: [Bill] } type Bill @key(fields: "id") { id: String! }';
  const files = { 'shop.wsdl': wsdlOf('urn:shop', schema, ['GetBill', 'GetDoc']) };
  const composed = await compose(t, text + federation(keys), other, files);
  t.same(messages(composed), []);
  assertCompositionSuccess(composed);
  t.match(composed.supergraphSdl, 'requiresScopes');
});

t.test('a required field below one of this subgraph is external itself', async (t) => {
  const text = `services:
  shop:
    url: ${URL}/shop
    namespace: urn:shop
    types: |
      type Query { product(sku: ID!, weight: Int): Product }
      type Product { sku: ID!, shipping: Int, maker: Maker }
      type Maker { id: ID!, weight: Int }
    operations: { GetProduct: { field: Query.product } }
`;
  const keys = `
      Product:
        fields: sku
        operation: shop.GetProduct
        arguments: { sku: sku, weight: maker.weight }
      Maker: { fields: id, resolvable: false }
    types:
      Product: { fields: { shipping: { requires: "maker { weight }" } } }
      Maker: { fields: { weight: { external: true } } }
`;
  const other = `
    type Query { makers: [Maker] }
    type Maker @key(fields: "id") { id: ID!, weight: Int }
  `;
  t.same(messages(await compose(t, text + federation(keys), other)), []);
});
