import { entities, type FederationSuite } from './suite.js';

/**
 * Suites of Hive's federation audit about keys and entity calls, with one subgraph of a SOAP
 * backend.
 */

const product = (pid: string, price: number): string =>
  `<id>p${pid}</id><pid>q${pid}</pid><category><id>c${pid}</id><tag>t${pid}</tag></category>` +
  `<price><price>${price}</price></price>`;

const composite = (id: string): object => ({
  __typename: 'Product',
  id: `p${id}`,
  pid: `q${id}`,
  category: { id: `c${id}`, tag: `t${id}` },
});

const a = (id: string): string =>
  `<id>${id}</id><pId>p${id}</pId><compositeId><one>1${id}</one><two>2${id}</two>` +
  `<three>3${id}</three></compositeId><name>A${id}</name>`;

export const ENTITY_SUITES: readonly FederationSuite[] = [
  {
    name: 'simple-entity-call',
    types: `type Query { byEmail(email: ID!): User }
      type User { email: ID!, nickname: String }`,
    operations: 'FindUser: { field: Query.byEmail }',
    keys: 'User: { fields: email, operation: crm.FindUser }',
    replies: { 'FindUser a@x': '<email>a@x</email><nickname>Ann</nickname>' },
    others: [
      {
        name: 'accounts',
        sdl: `type Query { user: User }
          type User @key(fields: "id") @key(fields: "email") { id: ID!, email: ID! }`,
        roots: { user: { __typename: 'User', id: 'u1', email: 'a@x' } },
      },
    ],
    requests: [
      {
        query: entities('... on User { __typename nickname }'),
        representations: [{ __typename: 'User', email: 'a@x' }],
        data: { _entities: [{ __typename: 'User', nickname: 'Ann' }] },
        calls: ['FindUser a@x'],
      },
    ],
    queries: [['{ user { id nickname } }', { user: { id: 'u1', nickname: 'Ann' } }]],
  },
  {
    name: 'complex-entity-call',
    types: `type Query { price(id: ID!, pid: ID!, category: CategoryKey!): Product }
      input CategoryKey { id: ID!, tag: ID! }
      type Product { id: ID!, pid: ID!, category: Category!, price: Price }
      type Category { id: ID!, tag: ID! }
      type Price { price: Float }`,
    operations: 'GetPrice: { field: Query.price }',
    keys: `Product:
        fields: id pid category { id tag }
        operation: crm.GetPrice
        arguments: { id: id, pid: pid, category.id: category.id, category.tag: category.tag }`,
    directives: 'Category: { shareable: true }',
    replies: {
      'GetPrice p1,q1,c1,t1': product('1', 100),
      'GetPrice p2,q2,c2,t2': product('2', 200),
    },
    others: [
      {
        name: 'products',
        sdl: `type Query { topProducts: ProductList! }
          type ProductList { products: [Product!]!, first: Product }
          type Product @key(fields: "id pid category { id tag }") {
            id: ID!, pid: ID!, category: Category!
          }
          type Category @key(fields: "id tag") {
            id: ID! @shareable, tag: ID! @shareable, mainProduct: Product
          }`,
        roots: {
          topProducts: {
            products: ['1', '2'].map((id) => ({
              ...composite(id),
              category: { id: `c${id}`, tag: `t${id}`, mainProduct: composite('1') },
            })),
            first: composite('1'),
          },
        },
      },
    ],
    requests: [
      {
        query: entities('... on Product { price { price } }'),
        representations: [composite('1'), composite('2'), composite('1')],
        data: {
          _entities: [100, 200, 100].map((price) => ({ price: { price } })),
        },
        calls: ['GetPrice p1,q1,c1,t1', 'GetPrice p2,q2,c2,t2'],
      },
    ],
    queries: [
      [
        `{ topProducts { first { id price { price } }
          products { price { price } category { id mainProduct { id price { price } } } } } }`,
        {
          topProducts: {
            first: { id: 'p1', price: { price: 100 } },
            products: [100, 200].map((price, at) => ({
              price: { price },
              category: { id: `c${at + 1}`, mainProduct: { id: 'p1', price: { price: 100 } } },
            })),
          },
        },
      ],
    ],
  },
  {
    name: 'keys-mashup',
    types: `type Query {
        a(id: ID!): A, byPid(pId: ID!): A, byPair(one: ID!, two: ID!): A
        byIdAndPair(id: ID!, two: ID!, three: ID!): A
      }
      type A { id: ID!, pId: ID!, compositeId: CompositeID!, name: String }
      type CompositeID { one: ID!, two: ID!, three: ID! }`,
    operations: `GetA: { field: Query.a }
      ByPid: { field: Query.byPid }
      ByPair: { field: Query.byPair }
      ByIdAndPair: { field: Query.byIdAndPair }`,
    keys: `A:
        - { fields: id, operation: crm.GetA }
        - { fields: pId, operation: crm.ByPid }
        - fields: compositeId { one two }
          operation: crm.ByPair
          arguments: { one: compositeId.one, two: compositeId.two }
        - fields: id compositeId { two three }
          operation: crm.ByIdAndPair
          arguments: { id: id, two: compositeId.two, three: compositeId.three }`,
    directives: 'CompositeID: { shareable: true }',
    replies: { 'GetA 1': a('1'), 'ByPid p2': a('2'), 'ByPair 13,23': a('3') },
    others: [
      {
        name: 'b',
        sdl: `type Query { b: B }
          type B { id: ID!, a: [A!]! }
          type A @key(fields: "id compositeId { two three }") {
            id: ID!, compositeId: CompositeID!, name: String @external
            nameInB: String @requires(fields: "name")
          }
          type CompositeID @shareable { two: ID!, three: ID! }`,
        roots: {
          b: {
            id: '100',
            a: [{ __typename: 'A', id: '1', compositeId: { two: '21', three: '31' } }],
          },
        },
        entities: { A: [{ id: '1', nameInB: 'A1 in b' }] },
      },
    ],
    requests: [
      {
        query: entities('... on A { name }'),
        representations: [
          { __typename: 'A', id: '1' },
          { __typename: 'A', pId: 'p2' },
          { __typename: 'A', compositeId: { one: '13', two: '23' } },
          { __typename: 'A', id: '1', compositeId: { two: '21', three: '31' } },
        ],
        data: { _entities: [1, 2, 3, 1].map((id) => ({ name: `A${id}` })) },
        calls: ['ByPair 13,23', 'ByPid p2', 'GetA 1'],
      },
    ],
    queries: [
      [
        '{ b { id a { id name nameInB } } }',
        { b: { id: '100', a: [{ id: '1', name: 'A1', nameInB: 'A1 in b' }] } },
      ],
    ],
  },
  {
    name: 'null-keys',
    types: `type Query { book(id: ID!): Book, person(number: ID): Author }
      type Book { id: ID!, author: Author }
      type Author { number: ID, name: String }`,
    operations: `GetBook: { field: Query.book }
      GetPerson: { field: Query.person }`,
    keys: `Book: { fields: id, operation: crm.GetBook }
      Author: { fields: number, operation: crm.GetPerson }`,
    replies: {
      'GetBook 1': '<id>1</id><author><number>7</number><name>Ada</name></author>',
      'GetBook 2': '<id>2</id>',
    },
    others: [
      {
        name: 'shelves',
        sdl: `type Query { bookContainers: [BookContainer] }
          type BookContainer { book: Book }
          type Book @key(fields: "upc") { upc: ID! }`,
        roots: {
          bookContainers: ['b1', 'b2', 'b3'].map((upc) => ({
            book: { __typename: 'Book', upc },
          })),
        },
      },
      {
        name: 'codes',
        sdl: `type Query { codes: Int }
          type Book @key(fields: "id") @key(fields: "upc") { id: ID!, upc: ID! }`,
        entities: {
          Book: [
            { upc: 'b1', id: '1' },
            { upc: 'b2', id: '2' },
          ],
        },
      },
    ],
    requests: [
      {
        query: entities('... on Book { author { name } } ... on Author { name }'),
        representations: [
          { __typename: 'Book', id: '1' },
          { __typename: 'Book', id: '2' },
          { __typename: 'Author', number: null },
        ],
        data: { _entities: [{ author: { name: 'Ada' } }, { author: null }, null] },
        calls: ['GetBook 1', 'GetBook 2'],
      },
    ],
    queries: [
      [
        '{ bookContainers { book { upc author { name } } } }',
        {
          bookContainers: [
            { book: { upc: 'b1', author: { name: 'Ada' } } },
            { book: { upc: 'b2', author: null } },
            { book: { upc: 'b3', author: null } },
          ],
        },
      ],
    ],
  },
  {
    name: 'typename',
    types: `type Query { users: [User], user(id: ID!): User }
      type User { id: ID!, name: String }`,
    operations: `GetUsers: { field: Query.users }
      GetUser: { field: Query.user }`,
    keys: 'User: { fields: id, operation: crm.GetUser }',
    replies: {
      GetUsers: '<users><id>1</id><name>Ann</name></users><users><id>2</id></users>',
      'GetUser 1': '<id>1</id><name>Ann</name>',
    },
    others: [
      {
        name: 'b',
        sdl: 'type Query { me: User } type User @key(fields: "id") { id: ID!, loyal: Boolean }',
        roots: { me: { __typename: 'User', id: '1' } },
        entities: { User: [{ loyal: true }] },
      },
    ],
    requests: [
      {
        query: '{ root: __typename users { type: __typename id } }',
        data: {
          root: 'Query',
          users: [
            { type: 'User', id: '1' },
            { type: 'User', id: '2' },
          ],
        },
        calls: ['GetUsers'],
      },
      {
        query: entities('type: __typename'),
        representations: [{ __typename: 'User', id: '1' }],
        data: { _entities: [{ type: 'User' }] },
        calls: ['GetUser 1'],
      },
    ],
    queries: [
      ['{ me { __typename name } }', { me: { __typename: 'User', name: 'Ann' } }],
      [
        '{ users { __typename loyal } }',
        {
          users: [
            { __typename: 'User', loyal: true },
            { __typename: 'User', loyal: true },
          ],
        },
      ],
    ],
  },
];
