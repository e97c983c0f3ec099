import { entities, type FederationSuite } from './suite.js';

/**
 * Suites of Hive's federation audit about directives, shared roots and mutations, with one subgraph
 * of a SOAP backend.
 */

const stock = (upc: number): string =>
  `<stocks><upc>${upc}</upc><inStock>true</inStock>` +
  `<shippingEstimate>${upc * 10}</shippingEstimate>` +
  `<shippingEstimateTag>#${upc}#</shippingEstimateTag></stocks>`;

export const DIRECTIVE_SUITES: readonly FederationSuite[] = [
  {
    name: 'simple-requires-provides',
    types: `type Query {
        stock(upc: ID!, price: Int, weight: Int): Product
        stocks(of: [StockKey!]!): [Product]
      }
      input StockKey { upc: ID!, price: Int, weight: Int }
      type Product {
        upc: ID!, weight: Int, price: Int, inStock: Boolean, shippingEstimate: Int
        shippingEstimateTag: String
      }`,
    operations: `GetStock: { field: Query.stock }
      GetStocks: { field: Query.stocks }`,
    keys: `Product:
        fields: upc
        operation: crm.GetStock
        arguments: { upc: upc, price: price, weight: weight }
        batch: { operation: crm.GetStocks, argument: of, key: upc }`,
    directives: `Product:
        fields:
          weight: { external: true }
          price: { external: true }
          shippingEstimate: { requires: price weight }
          shippingEstimateTag: { requires: price weight }`,
    replies: {
      'GetStocks 1,100,3,2,200,5': stock(2) + stock(1),
      'GetStocks 1,2': stock(1) + stock(2),
    },
    others: [
      {
        name: 'products',
        sdl: `type Query { products: [Product] }
          type Product @key(fields: "upc") { upc: ID!, name: String, price: Int, weight: Int }`,
        roots: {
          products: [
            { __typename: 'Product', upc: '1', name: 'Table', price: 100, weight: 3 },
            { __typename: 'Product', upc: '2', name: 'Chair', price: 200, weight: 5 },
          ],
        },
      },
      {
        name: 'accounts',
        sdl: `type Query { me: User }
          type User @key(fields: "id") { id: ID!, username: String @shareable }`,
        entities: { User: [{ id: 'u1', username: 'of accounts' }] },
      },
      {
        name: 'reviews',
        sdl: `type Query { reviews: [Review] }
          type Review { product: Product, author: User @provides(fields: "username") }
          type User @key(fields: "id") { id: ID!, username: String @external }
          type Product @key(fields: "upc") { upc: ID!, reviews: [Review] }`,
        roots: {
          reviews: [
            {
              product: { __typename: 'Product', upc: '1' },
              author: { __typename: 'User', id: 'u1', username: 'of reviews' },
            },
          ],
        },
      },
    ],
    requests: [
      {
        query: entities('... on Product { shippingEstimate shippingEstimateTag }'),
        representations: [
          { __typename: 'Product', upc: '1', price: 100, weight: 3 },
          { __typename: 'Product', upc: '2', price: 200, weight: 5 },
        ],
        data: {
          _entities: [1, 2].map((upc) => ({
            shippingEstimate: upc * 10,
            shippingEstimateTag: `#${upc}#`,
          })),
        },
        calls: ['GetStocks 1,100,3,2,200,5'],
      },
      {
        query: entities('... on Product { inStock }'),
        representations: ['1', '2'].map((upc) => ({ __typename: 'Product', upc })),
        data: { _entities: [{ inStock: true }, { inStock: true }] },
        calls: ['GetStocks 1,2'],
      },
    ],
    queries: [
      [
        '{ products { name shippingEstimate shippingEstimateTag } }',
        {
          products: [
            { name: 'Table', shippingEstimate: 10, shippingEstimateTag: '#1#' },
            { name: 'Chair', shippingEstimate: 20, shippingEstimateTag: '#2#' },
          ],
        },
      ],
      [
        '{ reviews { author { username } } }',
        { reviews: [{ author: { username: 'of reviews' } }] },
      ],
    ],
  },
  {
    name: 'requires-requires',
    types: `type Query { product(id: ID!, price: Float): Product }
      type Product { id: ID!, price: Float, hasDiscount: Boolean }`,
    operations: 'GetProduct: { field: Query.product }',
    keys: `Product: { fields: id, operation: crm.GetProduct, arguments: { id: id, price: price } }`,
    directives: `Product:
        fields: { price: { external: true }, hasDiscount: { requires: price } }`,
    replies: { 'GetProduct p1,9.5': '<id>p1</id><hasDiscount>true</hasDiscount>' },
    others: [
      {
        name: 'prices',
        sdl: `type Query { top: Product }
          type Product @key(fields: "id") { id: ID!, price: Float }`,
        roots: { top: { __typename: 'Product', id: 'p1', price: 9.5 } },
      },
      {
        name: 'labels',
        sdl: `type Query { labels: Int }
          type Product @key(fields: "id") {
            id: ID!, hasDiscount: Boolean @external
            label: String @requires(fields: "hasDiscount")
          }`,
        entities: {
          Product: [
            { hasDiscount: true, label: 'cheap' },
            { hasDiscount: false, label: 'usual' },
          ],
        },
      },
    ],
    requests: [
      {
        query: entities('... on Product { hasDiscount }'),
        representations: [{ __typename: 'Product', id: 'p1', price: 9.5 }],
        data: { _entities: [{ hasDiscount: true }] },
        calls: ['GetProduct p1,9.5'],
      },
    ],
    queries: [['{ top { label hasDiscount } }', { top: { label: 'cheap', hasDiscount: true } }]],
  },
  {
    name: 'parent-entity-call-complex',
    types: `type Query { details(id: ID!, name: String): Product }
      type Product { id: ID!, name: String, category: Category }
      type Category { details: String }`,
    operations: 'GetDetails: { field: Query.details }',
    keys: 'Product: { fields: id, operation: crm.GetDetails, arguments: { id: id, name: name } }',
    directives: `Product:
        fields: { name: { external: true }, category: { requires: name, shareable: true } }`,
    replies: {
      'GetDetails 1,Product#1':
        '<id>1</id><category><details>Details for Product#1</details></category>',
    },
    others: [
      {
        name: 'names',
        sdl: `type Query { names: Int }
          type Product @key(fields: "id") { id: ID!, name: String }`,
        entities: { Product: [{ id: '1', name: 'Product#1' }] },
      },
      {
        name: 'catalogue',
        sdl: `type Query { productFromD(id: ID!): Product }
          type Product @key(fields: "id") { id: ID! }`,
        roots: { productFromD: { __typename: 'Product', id: '1' } },
      },
    ],
    requests: [
      {
        query: entities('... on Product { category { details } }'),
        representations: [{ __typename: 'Product', id: '1', name: 'Product#1' }],
        data: { _entities: [{ category: { details: 'Details for Product#1' } }] },
        calls: ['GetDetails 1,Product#1'],
      },
    ],
    queries: [
      [
        '{ productFromD(id: "1") { id name category { details } } }',
        {
          productFromD: {
            id: '1',
            name: 'Product#1',
            category: { details: 'Details for Product#1' },
          },
        },
      ],
    ],
  },
  {
    name: 'shared-root',
    types: `type Query { product: Product }
      type Product { id: ID!, category: Category }
      type Category { id: ID!, name: String }`,
    operations: 'GetProduct: { field: Query.product }',
    keys: '{}',
    directives: `Query: { fields: { product: { shareable: true } } }
      Product: { fields: { id: { shareable: true } } }`,
    replies: { GetProduct: '<id>1</id><category><id>c1</id><name>Tools</name></category>' },
    others: [
      {
        name: 'names',
        sdl: `type Query { product: Product @shareable }
          type Product { id: ID! @shareable, name: Name }
          type Name { brand: String, model: String }`,
        roots: { product: { id: '1', name: { brand: 'B', model: 'M' } } },
      },
    ],
    requests: [
      {
        query: '{ product { id category { id name } } }',
        data: { product: { id: '1', category: { id: 'c1', name: 'Tools' } } },
        calls: ['GetProduct'],
      },
    ],
    queries: [
      [
        '{ product { id name { brand model } category { name } } }',
        { product: { id: '1', name: { brand: 'B', model: 'M' }, category: { name: 'Tools' } } },
      ],
    ],
  },
  {
    name: 'enum-intersection',
    types: `type Query { users: [User], user(id: ID!): User }
      type User { id: ID!, type: UserType }
      enum UserType { REGULAR ANONYMOUS }`,
    operations: `GetUsers: { field: Query.users }
      GetUser: { field: Query.user }`,
    keys: 'User: { fields: id, operation: crm.GetUser }',
    directives: `User: { fields: { type: { shareable: true } } }
      UserType: { fields: { ANONYMOUS: { inaccessible: true } } }`,
    replies: {
      GetUsers: '<users><id>1</id><type>REGULAR</type></users>',
      'GetUser 2': '<id>2</id><type>ANONYMOUS</type>',
    },
    others: [
      {
        name: 'b',
        sdl: `type Query { usersB: [User] }
          type User @key(fields: "id") { id: ID!, type: UserType @shareable }
          enum UserType { REGULAR }`,
        roots: { usersB: [{ __typename: 'User', id: '2', type: 'REGULAR' }] },
      },
    ],
    requests: [
      {
        query: entities('... on User { type }'),
        representations: [{ __typename: 'User', id: '2' }],
        data: { _entities: [{ type: 'ANONYMOUS' }] },
        calls: ['GetUser 2'],
      },
    ],
    queries: [
      ['{ users { id type } }', { users: [{ id: '1', type: 'REGULAR' }] }],
      ['{ usersB { id type } }', { usersB: [{ id: '2', type: 'REGULAR' }] }],
    ],
  },
  {
    name: 'simple-override',
    types: `type Query { bFeed: [Post], post(id: ID!): Post }
      type Post { id: ID!, createdAt: String }`,
    operations: `GetFeed: { field: Query.bFeed }
      GetPost: { field: Query.post }`,
    keys: 'Post: { fields: id, operation: crm.GetPost }',
    directives: `Post: { fields: { createdAt: { override: { from: a }, shareable: true } } }`,
    replies: {
      GetFeed: '<bFeed><id>1</id><createdAt>b1</createdAt></bFeed>',
      'GetPost 1': '<id>1</id><createdAt>b1</createdAt>',
    },
    others: [
      {
        name: 'a',
        sdl: `type Query { aFeed: [Post] }
          type Post @key(fields: "id") { id: ID!, createdAt: String @shareable }`,
        roots: { aFeed: [{ __typename: 'Post', id: '1', createdAt: 'a1' }] },
      },
    ],
    requests: [
      {
        query: entities('... on Post { createdAt }'),
        representations: [{ __typename: 'Post', id: '1' }],
        data: { _entities: [{ createdAt: 'b1' }] },
        calls: ['GetPost 1'],
      },
    ],
    queries: [
      [
        '{ aFeed { createdAt } bFeed { createdAt } }',
        { aFeed: [{ createdAt: 'b1' }], bFeed: [{ createdAt: 'b1' }] },
      ],
    ],
  },
  {
    name: 'simple-inaccessible',
    types: `type Query { usersInA: [User], user(id: ID!): User }
      type User { id: ID!, name: String, age: Int }`,
    operations: `GetUsers: { field: Query.usersInA }
      GetUser: { field: Query.user }`,
    keys: 'User: { fields: id, operation: crm.GetUser }',
    directives: 'User: { fields: { age: { inaccessible: true } } }',
    replies: {
      GetUsers: '<usersInA><id>1</id><name>Ann</name><age>30</age></usersInA>',
      'GetUser 1': '<id>1</id><name>Ann</name><age>30</age>',
    },
    others: [
      {
        name: 'b',
        sdl: `type Query { usersInB: [User] }
          type User @key(fields: "id") {
            id: ID!, age: Int @external, isAdult: Boolean @requires(fields: "age")
          }`,
        roots: { usersInB: [{ __typename: 'User', id: '1' }] },
        entities: { User: [{ age: 30, isAdult: true }] },
      },
    ],
    requests: [
      {
        query: entities('... on User { age }'),
        representations: [{ __typename: 'User', id: '1' }],
        data: { _entities: [{ age: 30 }] },
        calls: ['GetUser 1'],
      },
    ],
    queries: [
      [
        '{ usersInA { name isAdult } usersInB { name } }',
        { usersInA: [{ name: 'Ann', isAdult: true }], usersInB: [{ name: 'Ann' }] },
      ],
    ],
  },
  {
    name: 'interface-object-with-requires',
    types: `type Query { anotherUsers: [NodeWithName], node(id: ID!, name: String): NodeWithName }
      type NodeWithName { id: ID!, name: String, username: String }`,
    operations: `GetUsers: { field: Query.anotherUsers }
      GetNode: { field: Query.node }`,
    keys: `NodeWithName:
        fields: id
        operation: crm.GetNode
        arguments: { id: id, name: name }`,
    directives: `NodeWithName:
        interfaceObject: true
        fields: { name: { external: true }, username: { requires: name } }`,
    replies: {
      GetUsers: '<anotherUsers><id>u1</id></anotherUsers>',
      'GetNode u1,Ann': '<id>u1</id><username>ann-1</username>',
    },
    others: [
      {
        name: 'a',
        sdl: `type Query { users: [NodeWithName] }
          interface NodeWithName @key(fields: "id") { id: ID!, name: String }
          type User implements NodeWithName @key(fields: "id") {
            id: ID!, name: String, age: Int
          }`,
        roots: { users: [{ __typename: 'User', id: 'u1', name: 'Ann', age: 30 }] },
        entities: {
          User: [{ id: 'u1', name: 'Ann', age: 30 }],
          NodeWithName: [{ __typename: 'User', id: 'u1', name: 'Ann', age: 30 }],
        },
      },
    ],
    requests: [
      {
        query: entities('... on NodeWithName { username }'),
        representations: [{ __typename: 'NodeWithName', id: 'u1', name: 'Ann' }],
        data: { _entities: [{ username: 'ann-1' }] },
        calls: ['GetNode u1,Ann'],
      },
    ],
    queries: [
      ['{ users { id username } }', { users: [{ id: 'u1', username: 'ann-1' }] }],
      [
        '{ anotherUsers { ... on User { age } name username } }',
        { anotherUsers: [{ age: 30, name: 'Ann', username: 'ann-1' }] },
      ],
    ],
  },
  {
    name: 'mutations',
    types: `type Query { product(id: ID!): Product }
      type Mutation { addProduct(name: String!, price: Float!): Product }
      type Product { id: ID!, name: String, price: Float }`,
    operations: `GetProduct: { field: Query.product }
      AddProduct: { field: Mutation.addProduct }`,
    keys: 'Product: { fields: id, operation: crm.GetProduct }',
    replies: { 'AddProduct new,599.99': '<id>p1</id><name>new</name><price>599.99</price>' },
    others: [
      {
        name: 'b',
        sdl: `type Query { b: Int }
          type Product @key(fields: "id") {
            id: ID!, price: Float @external, isExpensive: Boolean @requires(fields: "price")
          }`,
        entities: { Product: [{ id: 'p1', price: 599.99, isExpensive: true }] },
      },
    ],
    requests: [
      {
        query: 'mutation { addProduct(name: "new", price: 599.99) { __typename id price } }',
        data: { addProduct: { __typename: 'Product', id: 'p1', price: 599.99 } },
        calls: ['AddProduct new,599.99'],
      },
    ],
    queries: [
      [
        'mutation { addProduct(name: "new", price: 599.99) { name isExpensive } }',
        { addProduct: { name: 'new', isExpensive: true } },
      ],
    ],
  },
];
