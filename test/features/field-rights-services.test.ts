import t, { type Test } from 'tap';

import { codesAt } from '../kit/answers.js';
import { keyOf } from '../kit/bank.js';
import { askGraphql } from '../kit/graphql-client.js';
import { useFolder, useGateway, useGraphqlServer } from '../kit/use.js';

/**
 * Rights to the fields of services that speak GraphQL: by directives of their schema and by the
 * configuration.
 */

const SDL = `
type Query { customer(id: ID!): Customer node: Node any: [Any!] secret: String customers(ids: \
[ID!]): [Customer!] }
type Mutation { rename(name: String): Customer }
interface Node { id: ID! token: String }
type Customer implements Node { id: ID! name: String! iban(country: String): String! token: \
String phone: String friend: Customer vault: Vault }
type Robot implements Node { id: ID! token: String model: String }
type Vault { code: String }
union Any = Customer | Robot
`;

const RULED = SDL.replace(
  'iban(country: String): String!',
  'iban(country: String): String! @requiresScopes(scopes: [["bank", "read"], ["admin"]])',
)
  .replace('secret: String', 'secret: String @authenticated @requiresScopes(scopes: [["admin"]])')
  .replace(
    'interface Node { id: ID! token: String }',
    'interface Node { id: ID! token: String @requiresScopes(scopes: [["admin"]]) }',
  )
  .replace('type Vault', 'type Vault @requiresScopes(scopes: [["admin"]])');

const person = (id: string): object => ({
  __typename: 'Customer',
  id,
  name: 'Ann',
  iban: 'SECRET-IBAN-3000',
  token: 'SECRET-TOKEN',
  phone: '+49-SECRET-PHONE-1234',
  friend: () => person('f'),
  vault: { code: 'SECRET-CODE' },
});

const rootValue = {
  customer: ({ id }: { id: string }) => person(id),
  customers: ({ ids }: { ids: string[] }) => ids.map(person),
  node: () => person('n'),
  any: () => [person('1'), { __typename: 'Robot', id: 'r', token: 'SECRET-TOKEN', model: 'R2' }],
  secret: () => 'SECRET-TEXT',
  rename: () => person('1'),
};

async function startCrm(t: Test, sdl: string, service = '', more = '') {
  const home = await useFolder(t, { 'crm.graphql': sdl });
  const server = await useGraphqlServer(t, { sdl: SDL, rootValue });
  const names = ['plain', 'clerk', 'boss'];
  const gateway = await useGateway(
    t,
    `clients:
  address: { class: plain }
  apiKeys:
    clients:
${names.map((name) => `      ${name}: { class: ${name}, keys: [${name}-key-0000000000] }`).join('\n')}
  classes: { plain: {}, clerk: { scopes: [bank, read] }, boss: { scopes: [admin] } }
services:
  crm: { kind: graphql, url: "${server.url}", schema: crm.graphql${service} }
${more}`,
    home,
  );
  const ask = async (
    query: string,
    name?: string,
    variables: Readonly<Record<string, unknown>> = {},
  ) => {
    const answer = await askGraphql(
      gateway.url,
      query,
      variables,
      name === undefined ? {} : keyOf(name),
    );
    return { ...answer, text: JSON.stringify(answer) };
  };
  return { gateway, server, ask };
}

t.test(
  '@requiresScopes and @authenticated withhold fields, which the service is not asked for',
  async (t) => {
    const { ask, server } = await startCrm(t, RULED);
    const query =
      'query ($c: String) { customer(id: 1) { id friend { name i: iban(country: ' +
      '$c) ...F } } secret } fragment F on Customer { token vault { code } }';
    const plain = await ask(query, 'plain', { c: 'DE' });
    t.same(
      plain.data,
      { customer: { id: '1', friend: null }, secret: null },
      'null, up to where it may be',
    );
    t.same(
      [...codesAt(plain)].sort(),
      ['FORBIDDEN customer.friend.i', 'FORBIDDEN secret'],
      'with errors',
    );
    t.equal(server.requests.length, 1, 'one call');
    t.notMatch(
      server.requests[0]?.query,
      /iban|token|secret|vault|\$c/,
      'without the forbidden fields and what they used',
    );
    const clerk = await ask(query, 'clerk', { c: 'DE' });
    t.match(clerk.data, {
      customer: { friend: { i: 'SECRET-IBAN-3000', token: null, vault: null } },
      secret: null,
    });
    const boss = await ask(query, 'boss', { c: 'DE' });
    t.notOk(boss.errors, 'no error');
    t.match(boss.data, {
      customer: { friend: { token: 'SECRET-TOKEN', vault: { code: 'SECRET-CODE' } } },
      secret: 'SECRET-TEXT',
    });
  },
);

t.test('no selection of an interface, union or fragment delivers a forbidden value', async (t) => {
  const { ask } = await startCrm(t, RULED, '', 'graphql: { batch: 2 }');
  for (const query of [
    '{ node { id t: token ...on Customer { phone vault { c: code } } } }',
    '{ any { __typename ...on Node { token } ...on Robot { model token } ...on Customer { id ' +
      'friend { x: token vault { code } } } } }',
    '{ a: customer(id: 1) { vault { code } } b: customer(id: 1) { ...A } } fragment A on Node ' +
      '{ ...B } fragment B on Node { token }',
    'mutation { rename { id token vault { code } } }',
  ]) {
    const { text } = await ask(query);
    t.notMatch(text, /SECRET-(IBAN|TOKEN|CODE|TEXT)/, query);
    t.match(text, 'FORBIDDEN', 'with errors');
    t.match((await ask(query, 'boss')).text, /SECRET-(TOKEN|CODE)/, 'with the scope');
  }
});

t.test(
  'fields of the configuration are withheld and masked; links are fed with them',
  async (t) => {
    const { ask, server } = await startCrm(
      t,
      SDL,
      ', fields: { Customer.phone: { mask: { plain: last4, clerk: hash } }, Customer.iban: ' +
        '{ mask: { plain: "null" } }, Customer.token: { scopes: [admin] } }',
      'links: { Customer.twin: { operation: crm.customer, arguments: { id: token } } }',
    );
    const plain = await ask(
      '{ customer(id: 1) { phone iban twin { id } } customers(ids: [1]) { phone } }',
      'plain',
    );
    t.same(
      plain.data,
      {
        customer: { phone: '****1234', iban: null, twin: { id: 'SECRET-TOKEN' } },
        customers: [{ phone: '****1234' }],
      },
      'masked',
    );
    t.notOk(plain.errors);
    const clerk = await ask('{ customer(id: 1) { phone } }', 'clerk');
    t.match(clerk.data, { customer: { phone: /^[\w-]{22}$/ } }, 'hash');
    t.match((await ask('{ customer(id: 1) { token } }', 'clerk')).text, 'FORBIDDEN');
    t.notMatch(server.requests.at(-1)?.query, 'token', 'not asked for');
  },
);

t.test('a root field that is masked by null is no fault of the service', async (t) => {
  const { ask, server } = await startCrm(
    t,
    SDL,
    ', fields: { Query.secret: { mask: { plain: "null" } }, Query.customers: ' +
      '{ mask: { plain: "null" } } }',
  );
  const masked = await ask(
    '{ secret a: customers(ids: [1]) { id } customer(id: 1) { id } }',
    'plain',
  );
  t.same(masked.data, { secret: null, a: null, customer: { id: '1' } });
  t.notOk(masked.errors);
  t.notMatch(server.requests[0]?.query, /secret|customers/, 'not asked for');
  t.same((await ask('{ secret }', 'clerk')).data, { secret: 'SECRET-TEXT' });
});

t.test('a mask of an interface that cannot be is reported once, where it stands', async (t) => {
  const sdl = SDL.replace('interface Node { id: ID!', 'interface Node { n: Int id: ID!')
    .replace('implements Node { id: ID! name', 'implements Node { n: Int id: ID! name')
    .replace('Robot implements Node {', 'Robot implements Node { n: Int');
  const error: Error = await startCrm(
    t,
    sdl,
    ', fields: { Node.n: { mask: { plain: last4 } } }',
  ).then(
    () => new Error('it starts'),
    (caught: Error) => caught,
  );
  t.equal(error.message.match(/Only text/g)?.length, 1, error.message);
});

t.test('directives that cannot be enforced are refused at start-up', async (t) => {
  for (const [sdl, service, what] of [
    [
      SDL.replace('secret: String', 'secret: String @policy(policies: [["x"]])'),
      '',
      /@policy is not supported/,
    ],
    [
      SDL.replace('secret: String', 'secret: String @requiresScopes(scopes: "x")'),
      '',
      /lists of texts/,
    ],
    [SDL.replace('ids: [ID!]', 'ids: [ID!] @authenticated'), '', /has no effect here/],
    [SDL, ', fields: { Customer.nix: { scopes: [a] } }', /no `Customer.nix`/],
    [SDL, ', fields: { Customer.friend: { mask: { plain: last4 } } }', /Only text/],
  ] as const) {
    await t.rejects(startCrm(t, sdl, service), { message: what }, String(what));
  }
});
