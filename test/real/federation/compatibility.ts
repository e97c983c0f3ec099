import { entities, type OtherSubgraph } from './suite.js';

/**
 * The subgraph of Apollo's compatibility tests over a SOAP backend: its schema, its data, and what
 * is asked of it.
 */

export const TYPES = `type Query {
        product(id: ID!): Product
        bySku(sku: ID!, package: String!): Product
        byVariation(sku: ID!, variation: ID!): Product
        deprecatedProduct(sku: String!, package: String!): DeprecatedProduct
        research(caseNumber: ID!): ProductResearch
        user(email: ID!, total: Int, years: Int): User
        inventory(id: ID!): Inventory
      }
      type Product {
        id: ID!, sku: String, package: String, variation: ProductVariation
        dimensions: ProductDimension, createdBy: User, notes: String
        research: [ProductResearch!]
      }
      type DeprecatedProduct { sku: String!, package: String!, reason: String, createdBy: User }
      type ProductVariation { id: ID! }
      type ProductResearch { study: CaseStudy!, outcome: String }
      type CaseStudy { caseNumber: ID!, description: String }
      type ProductDimension { size: String, weight: Float, unit: String }
      type User {
        email: ID!, name: String, averageProductsCreatedPerYear: Int, totalProductsCreated: Int
        yearsOfEmployment: Int
      }
      type Inventory { id: ID!, deprecatedProducts: [DeprecatedProduct!] }`;

export const OPERATIONS = `GetProduct: { field: Query.product }
      BySku: { field: Query.bySku }
      ByVariation: { field: Query.byVariation }
      GetDeprecated: { field: Query.deprecatedProduct, deprecated: Use product query instead }
      GetResearch: { field: Query.research }
      GetUser: { field: Query.user }
      GetInventory: { field: Query.inventory }`;

export const KEYS = `Product:
        - { fields: id, operation: crm.GetProduct }
        - { fields: sku package, operation: crm.BySku }
        - fields: sku variation { id }
          operation: crm.ByVariation
          arguments: { sku: sku, variation: variation.id }
      DeprecatedProduct: { fields: sku package, operation: crm.GetDeprecated }
      ProductResearch:
        fields: study { caseNumber }
        operation: crm.GetResearch
        arguments: { caseNumber: study.caseNumber }
      User:
        fields: email
        operation: crm.GetUser
        arguments: { email: email, total: totalProductsCreated, years: yearsOfEmployment }
      Inventory: { fields: id, operation: crm.GetInventory }`;

export const DIRECTIVES = `Product:
        fields: { createdBy: { provides: totalProductsCreated }, notes: { tags: [internal] } }
      ProductDimension: { shareable: true, fields: { unit: { inaccessible: true } } }
      Inventory: { interfaceObject: true }
      User:
        fields:
          name: { override: { from: users } }
          totalProductsCreated: { external: true }
          yearsOfEmployment: { external: true }
          averageProductsCreatedPerYear: { requires: totalProductsCreated yearsOfEmployment }`;

const element = (name: string, content: string | number): string => `<${name}>${content}</${name}>`;

const USER =
  '<email>support@apollographql.com</email><name>Jane Smith</name>' +
  '<totalProductsCreated>1337</totalProductsCreated>';
const DEPRECATED =
  '<sku>apollo-federation-v1</sku><package>@apollo/federation-v1</package>' +
  `<reason>Migrate to Federation V2</reason><createdBy>${USER}</createdBy>`;
const study = (number: number, name: string): string =>
  `<study><caseNumber>${number}</caseNumber><description>${name} Study</description></study>`;
const product = (id: string, sku: string, package_: string, variation: string): string =>
  `<id>${id}</id><sku>${sku}</sku><package>${package_}</package>` +
  `<variation><id>${variation}</id></variation>` +
  '<dimensions><size>small</size><weight>1</weight><unit>kg</unit></dimensions>' +
  `<createdBy>${USER}</createdBy><research>${study(1234, 'Federation')}</research>`;
const FEDERATION = product('apollo-federation', 'federation', '@apollo/federation', 'OSS');

export const REPLIES: Readonly<Record<string, string>> = {
  'GetProduct apollo-federation': FEDERATION,
  'BySku federation,@apollo/federation': FEDERATION,
  'ByVariation studio,platform': product('apollo-studio', 'studio', '', 'platform'),
  'GetDeprecated apollo-federation-v1,@apollo/federation-v1': DEPRECATED,
  'GetResearch 1234': study(1234, 'Federation'),
  'GetUser support@apollographql.com': USER,
  'GetUser support@apollographql.com,1337,10': USER + element('averageProductsCreatedPerYear', 134),
  'GetInventory apollo-oss':
    element('id', 'apollo-oss') + element('deprecatedProducts', DEPRECATED),
};

/** The subgraphs that the tests have beside it. */
export const OTHERS: readonly OtherSubgraph[] = [
  {
    name: 'users',
    sdl: `type Query { users: Int }
      type User @key(fields: "email") {
        email: ID!, name: String, totalProductsCreated: Int @shareable, yearsOfEmployment: Int
      }`,
    entities: { User: [{ totalProductsCreated: 1337, yearsOfEmployment: 10 }] },
  },
  {
    name: 'inventory',
    sdl: `type Query { inventories: [Inventory] }
      type Product @key(fields: "id") {
        id: ID!, dimensions: ProductDimension @external
        delivery(zip: String): DeliveryEstimates @requires(fields: "dimensions { size weight }")
      }
      type ProductDimension @shareable { size: String, weight: Float }
      type DeliveryEstimates { estimatedDelivery: String, fastestDelivery: String }
      interface Inventory @key(fields: "id") { id: ID! }
      type Depot implements Inventory @key(fields: "id") { id: ID! }`,
    roots: { inventories: [{ __typename: 'Depot', id: 'apollo-oss' }] },
    entities: { Product: [{ delivery: { estimatedDelivery: '5/1/2026' } }] },
  },
];

/** One case of the compatibility tests: what its SDL has, or what a request answers. */
export interface CompatibilityCase {
  readonly name: string;
  readonly sdl?: readonly RegExp[];
  readonly query?: string;
  readonly representations?: readonly object[];
  readonly data?: object;
}

const key = (type: string, ...fields: readonly string[]): readonly RegExp[] =>
  fields.map(
    (each) => new RegExp(`type ${type}\\b[^{]*(?:\\{[^}]*"\\)[^{]*)*@key\\(fields: "${each}"`),
  );

const byId = (selection: string): string => `{ product(id: "apollo-federation") { ${selection} } }`;

export const CASES: readonly CompatibilityCase[] = [
  {
    name: '_service',
    query: '{ _service { __typename } }',
    data: { _service: { __typename: '_Service' } },
  },
  {
    name: '@link',
    sdl: [
      /@link\(url: "https:\/\/specs.apollo.dev\/federation\/v2\.\d+"/,
      /import: \[[^\]]*"@key"/,
    ],
  },
  { name: '@key single: SDL', sdl: key('User', 'email') },
  {
    name: '@key single: entity',
    query: entities('... on User { email name }'),
    representations: [{ __typename: 'User', email: 'support@apollographql.com' }],
    data: { _entities: [{ email: 'support@apollographql.com', name: 'Jane Smith' }] },
  },
  { name: '@key multiple fields: SDL', sdl: key('DeprecatedProduct', 'sku package') },
  {
    name: '@key multiple fields: entity',
    query: entities('... on DeprecatedProduct { sku package reason }'),
    representations: [
      {
        __typename: 'DeprecatedProduct',
        sku: 'apollo-federation-v1',
        package: '@apollo/federation-v1',
      },
    ],
    data: {
      _entities: [
        {
          sku: 'apollo-federation-v1',
          package: '@apollo/federation-v1',
          reason: 'Migrate to Federation V2',
        },
      ],
    },
  },
  { name: '@key composite: SDL', sdl: key('ProductResearch', 'study { caseNumber }') },
  {
    name: '@key composite: entity',
    query: entities('... on ProductResearch { study { caseNumber description } }'),
    representations: [{ __typename: 'ProductResearch', study: { caseNumber: '1234' } }],
    data: { _entities: [{ study: { caseNumber: '1234', description: 'Federation Study' } }] },
  },
  { name: '@key repeated: SDL', sdl: key('Product', 'id', 'sku package', 'sku variation { id }') },
  {
    name: '@key repeated: entities',
    query: entities('... on Product { id sku }'),
    representations: [
      { __typename: 'Product', id: 'apollo-federation' },
      { __typename: 'Product', sku: 'federation', package: '@apollo/federation' },
      { __typename: 'Product', sku: 'studio', variation: { id: 'platform' } },
    ],
    data: {
      _entities: [
        { id: 'apollo-federation', sku: 'federation' },
        { id: 'apollo-federation', sku: 'federation' },
        { id: 'apollo-studio', sku: 'studio' },
      ],
    },
  },
  {
    name: '@external: SDL',
    sdl: [/totalProductsCreated: Int @external/, /yearsOfEmployment: Int @external/],
  },
  {
    name: '@requires: SDL',
    sdl: [/PerYear: Int @requires\(fields: "totalProductsCreated yearsOfEmployment"\)/],
  },
  {
    name: '@requires: entity',
    query: entities('... on User { averageProductsCreatedPerYear email }'),
    representations: [
      {
        __typename: 'User',
        email: 'support@apollographql.com',
        totalProductsCreated: 1337,
        yearsOfEmployment: 10,
      },
    ],
    data: {
      _entities: [{ averageProductsCreatedPerYear: 134, email: 'support@apollographql.com' }],
    },
  },
  { name: '@provides: SDL', sdl: [/createdBy: User @provides\(fields: "totalProductsCreated"\)/] },
  {
    name: '@provides: query',
    query: byId('createdBy { email totalProductsCreated }'),
    data: {
      product: { createdBy: { email: 'support@apollographql.com', totalProductsCreated: 1337 } },
    },
  },
  { name: '@tag: SDL', sdl: [/notes: String @tag\(name: "internal"\)/] },
  { name: '@tag: query', query: byId('notes'), data: { product: { notes: null } } },
  { name: '@shareable: SDL', sdl: [/type ProductDimension[^{]*@shareable/] },
  {
    name: '@shareable: query',
    query: byId('dimensions { size weight }'),
    data: { product: { dimensions: { size: 'small', weight: 1 } } },
  },
  { name: '@override: SDL', sdl: [/name: String @override\(from: "users"\)/] },
  {
    name: '@override: query',
    query: byId('createdBy { name }'),
    data: { product: { createdBy: { name: 'Jane Smith' } } },
  },
  { name: '@inaccessible: SDL', sdl: [/unit: String @inaccessible/] },
  {
    name: '@inaccessible: query',
    query: byId('dimensions { unit }'),
    data: { product: { dimensions: { unit: 'kg' } } },
  },
  { name: '@interfaceObject: SDL', sdl: [/type Inventory[^{]*@interfaceObject/] },
  {
    name: '@interfaceObject: entity',
    query: entities('... on Inventory { deprecatedProducts { sku } }'),
    representations: [{ __typename: 'Inventory', id: 'apollo-oss' }],
    data: { _entities: [{ deprecatedProducts: [{ sku: 'apollo-federation-v1' }] }] },
  },
  {
    name: 'introspection',
    query: '{ any: __type(name: "_Any") { kind } entity: __type(name: "_Entity") { kind } }',
    data: { any: { kind: 'SCALAR' }, entity: { kind: 'UNION' } },
  },
];
