const ORDER = '{ number total choice { __typename ... on OrderIban { iban } } }';

/** A question to the service of `schema-desk.ts`: what it is about, its document, its variables. */
export type Question = readonly [string, string, Readonly<Record<string, unknown>>?];

export const QUESTIONS: readonly Question[] = [
  ['one field', '{ getCustomer(id: 1) { id name since } }'],
  ['response keys', '{ a: getCustomer(id: 1) { b: id id: name } c: getCustomer(id: 2) { id } }'],
  [
    'fragments and variables',
    `query Q($id: Int!, $no: Boolean = false) {
       getCustomer(id: $id) { ...F since @include(if: $no) } }
     fragment F on Customer { name order ${ORDER} ...G } fragment G on Customer { id }`,
    { id: 3 },
  ],
  [
    'a union without its type',
    '{ getCustomer(id: 1) { order { choice { ... on OrderIban { iban } } } } }',
  ],
  ['types', '{ __typename getCustomer(id: 1) { __typename order { __typename } } }'],
  [
    'skipped fields',
    '{ getCustomer(id: 1) @skip(if: true) { id } findOrders(customer: [4]) { number } }',
  ],
  ['a Fault', '{ getCustomer(id: 404) { id } findOrders(customer: [1]) { number } }'],
  ['a value that is not valid', '{ getCustomer(id: 13) { name since } }'],
  ['a null that is not allowed', '{ getCustomer(id: 13) { name order { number } } }'],
  ['an argument of a list', '{ findOrders(customer: [1, 2]) { number customer } }'],
  [
    'numbers with all digits',
    '{ findOrders(customer: 1, least: 12345678901234567890.10) { number } }',
  ],
  ['an enumeration', '{ getCustomer(id: 1, kind: a_b) { id } }'],
  [
    'a variable of a list',
    'query ($ids: [Int!]) { findOrders(customer: $ids) { number } }',
    { ids: [5] },
  ],
  ['a mutation', 'mutation { a: setName(id: 1, name: "x") b: setName(id: 2, name: "y") }'],
];
