import {
  assertCompositionSuccess,
  composeServices,
  compositionHasErrors,
} from '@theguild/federation-composition';
import { parse } from 'graphql';
import t, { type Test } from 'tap';

import { compileText } from '../kit/configuration.js';
import { federation, KEYS, services } from '../kit/subgraph.js';

/**
 * Compositions of the SDL of the gateway with that of another subgraph, by a composition of others.
 */

const LINK =
  'extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", ' +
  'import: ["@key", "@shareable", "@external", "@requires", "@interfaceObject"])';

async function compose(t: Test, yaml: string, other: string) {
  const { graph } = await compileText(t, yaml);
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
