import type { Test } from 'tap';

import { answerWith, type RecordedMessage, type RecordingBackend } from './backend.js';
import { envelope, operationIn } from './envelope.js';
import { useService } from './use.js';

/** Customers and products of SOAP services, as a part of a supergraph. */
export const services = (url: string): string => `services:
  crm:
    url: ${url}/crm
    namespace: urn:crm
    types: |
      type Query {
        customer(code: Long!): Customer
        customers(ids: [Long!]): [Customer!]
        byMail(mail: String!): Customer
        branch(id: Int!, country: String!): Branch
        quote(sku: ID!, weight: Int!, price: Int): Product
        owner(id: ID!): Account
        branches(keys: [BranchKey!]): [Branch!]
        quotes(of: [Sku!]): [Product]
      }
      input BranchKey { id: Int!, country: String! }
      input Sku { sku: ID!, weight: Int!, price: Int }
      type Customer { id: Long!, mail: String, name: String, age: Int, friendId: Long }
      type Branch { id: Int!, country: String!, city: String }
      type Product { sku: ID!, weight: Int, price: Int, shipping: Int }
      type Account { owner: Owner, balance: Int }
      type Owner { id: ID }
    operations:
      GetCustomer: { field: Query.customer }
      GetCustomers: { field: Query.customers }
      FindByMail: { field: Query.byMail }
      GetBranch: { field: Query.branch }
      Quote: { field: Query.quote }
      GetOwner: { field: Query.owner }
      GetBranches: { field: Query.branches }
      GetQuotes: { field: Query.quotes }
`;

export const KEYS = `
      Customer:
        - fields: id
          operation: crm.GetCustomer
          arguments: { code: id }
          batch: { operation: crm.GetCustomers, argument: ids, key: id }
        - { fields: mail, operation: crm.FindByMail }
      Branch: { fields: id country, operation: crm.GetBranch }
      Product:
        fields: sku
        operation: crm.Quote
        arguments: { sku: sku, weight: weight, price: price }
      Account: { fields: "owner { id }", operation: crm.GetOwner, arguments: { id: owner.id } }
`;

export const federation = (keys: string, more = ''): string => `graphql:
  federation:
    keys: ${keys}${more}`;

/** One call as the backend saw it: `GetCustomers 1,2`. */
export function callOf({ body }: Pick<RecordedMessage, 'body'>): string {
  const text = body.toString();
  const values = [...text.matchAll(/<(?:\w+:)?\w+>([^<]*)(?=<)/g)].map((found) => found[1] ?? '');
  return [operationIn(text), values.filter((value) => value !== '').join()].join(' ').trim();
}

const customer = (id: string): string =>
  `<id>${id}</id><mail>m${id}@x</mail><name>C${id}</name><age>30</age><friendId>${id}0</friendId>`;

const pairsOf = (values: readonly string[]): readonly (readonly string[])[] =>
  values.flatMap((value, at) => (at % 2 === 0 ? [[value, values[at + 1] ?? '']] : []));

/** The reply to a call. */
export function answerTo(call: string): string {
  const [operation = '', given = ''] = call.split(' ');
  const values = given.split(',');
  const [first = '', second = ''] = values;
  const own = (content: string): string =>
    envelope(`<${operation}Response xmlns="urn:crm">${content}</${operation}Response>`);
  switch (operation) {
    case 'GetCustomer':
      return own(customer(first));
    case 'FindByMail':
      return own(customer('77'));
    case 'GetCustomers':
      return own(values.map((id) => `<customers>${customer(id)}</customers>`).join(''));
    case 'GetBranch':
      return own(`<id>${first}</id><country>${second}</country><city>City ${second}</city>`);
    case 'Quote':
      return own(`<sku>${first}</sku><shipping>${Number(second) * 2}</shipping>`);
    case 'GetBranches':
      return own(
        pairsOf(values)
          .map(
            ([id, country]) =>
              `<branches><id>0${id}</id><country>${country}</country>` +
              `<city>${id} ${country}</city></branches>`,
          )
          .reverse()
          .join(''),
      );
    case 'GetQuotes':
      return own(
        pairsOf(values)
          .map(
            ([sku, weight]) =>
              `<quotes><sku>${sku}</sku>` + `<shipping>${Number(weight) * 2}</shipping></quotes>`,
          )
          .join(''),
      );
    case 'GetOwner':
      return own(`<owner><id>${first}</id></owner><balance>5</balance>`);
    default:
      throw new Error(`no answer to ${call}`);
  }
}

export async function startSubgraph(t: Test, more = '', keys = KEYS, text = services) {
  const subgraph = { special: (_call: string): string | null => null };
  const answer: RecordingBackend['answer'] = (message, response) => {
    const call = callOf(message);
    answerWith(subgraph.special(call) ?? answerTo(call))(message, response);
  };
  const { backend, gateway, ask } = await useService(
    t,
    answer,
    (url) => text(url) + federation(keys) + more,
  );
  const entities = (selection: string, representations: readonly unknown[], headers = {}) =>
    ask(
      `query ($r: [_Any!]!) { _entities(representations: $r) { ${selection} } }`,
      { r: representations },
      headers,
    );
  /** `calls`: the calls since the last time. */
  return Object.assign(subgraph, {
    gateway,
    ask,
    entities,
    calls: () => backend.complete.splice(0).map(callOf),
  });
}

/** Representations of customers. */
export const customers = (...ids: readonly unknown[]): readonly unknown[] =>
  ids.map((id) => ({ __typename: 'Customer', id }));
