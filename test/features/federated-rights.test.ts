import t, { type Test } from 'tap';

import { keyOf } from '../kit/bank.js';
import { askText } from '../kit/graphql-client.js';
import { useFolder, useGateway, useGraphqlServer } from '../kit/use.js';

/** Directives about rights that a schema links under other names (specs.apollo.dev/link). */

const SDL = `
type Query { open: String card: Card cards(first: Int, secret: Int): [Card!] hidden: Hidden any: \
Any level: Level }
type Card implements Node { id: ID! code: String pin: String }
type Hidden implements Node { id: ID! code: String }
interface Node { id: ID! }
union Any = Card | Hidden
enum Level { LOW HIGH }
`;

const card = { __typename: 'Card', id: '1', code: 'SECRET-CODE', pin: 'SECRET-PIN' };
const rootValue = {
  open: 'open',
  card,
  cards: [card],
  hidden: { __typename: 'Hidden', id: '2', code: 'SECRET-HIDDEN' },
  any: card,
  level: 'LOW',
};

async function startShop(t: Test, sdl: string, service = '') {
  const home = await useFolder(t, { 'shop.graphql': sdl });
  const server = await useGraphqlServer(t, { sdl: SDL, rootValue });
  const gateway = await useGateway(
    t,
    `clients:
  address: { class: plain }
  apiKeys: { clients: { boss: { class: boss, keys: [boss-key-0000000000] } } }
  classes: { plain: {}, boss: { scopes: [admin] } }
services:
  shop: { kind: graphql, url: "${server.url}", schema: shop.graphql${service} }`,
    home,
  );
  return {
    asked: () => server.requests.map(({ query }) => query).join('\n'),
    async ask(
      query: string,
      name?: string,
    ): Promise<{ readonly text: string; readonly data?: unknown }> {
      const text = await askText(gateway.url, query, name === undefined ? {} : keyOf(name));
      return { ...JSON.parse(text), text };
    },
  };
}

/** The schema with a directive on `Card.pin`, and links. */
const ruled = (links: string, directive: string, more = ''): string =>
  `extend schema ${links}\n${more}\n${SDL.replace('pin: String', `pin: String ${directive}`)}`;

const FEDERATION = 'https://specs.apollo.dev/federation/v2.9';
const ADMIN = '(scopes: [["admin"]])';

const LINKED: readonly (readonly [
  what: string,
  links: string,
  directive: string,
  more?: string,
])[] = [
  [
    'an import with another name',
    `@link(url: "${FEDERATION}", import: ["@key", { name: "@requiresScopes", as: "@needs" }])`,
    `@needs${ADMIN}`,
  ],
  [
    'definitions of the names in the file',
    `@link(url: "${FEDERATION}", import: [{ name: "@requiresScopes", as: "@needs" }])`,
    `@needs${ADMIN}`,
    `directive @link(url: String!, as: String, for: link__Purpose, import: \
[link__Import]) repeatable on SCHEMA
     scalar link__Import
     scalar federation__Scope
     enum link__Purpose { SECURITY EXECUTION }
     directive @needs(scopes: [[federation__Scope!]!]!) on FIELD_DEFINITION | OBJECT | \
INTERFACE | SCALAR | ENUM`,
  ],
  ['another prefix', `@link(url: "${FEDERATION}", as: "fed")`, `@fed__requiresScopes${ADMIN}`],
  [
    'the prefix of the specification',
    `@link(url: "${FEDERATION}")`,
    `@federation__requiresScopes${ADMIN}`,
  ],
  [
    'a specification of its own',
    '@link(url: "https://specs.apollo.dev/requiresScopes/v0.1", for: SECURITY)',
    `@requiresScopes${ADMIN}`,
  ],
  [
    'a specification of its own with another name',
    '@link(url: "https://specs.apollo.dev/requiresScopes/v0.1", as: "needs", for: SECURITY)',
    `@needs${ADMIN}`,
  ],
  [
    'a specification at another address',
    '@link(url: "https://specs.acme.example/acl/v3", import: [{ name: ' +
      '"@requiresScopes", as: "@needs" }])',
    `@needs${ADMIN}`,
  ],
  [
    'the prefix of federation at another address',
    '@link(url: "https://specs.acme.example/federation/v2.5")',
    `@federation__requiresScopes${ADMIN}`,
  ],
  [
    'a prefix with underscores',
    `@link(url: "${FEDERATION}", as: "a__b_")`,
    `@a__b___requiresScopes${ADMIN}`,
  ],
  [
    'names that are exchanged',
    `@link(url: "${FEDERATION}", import: [{ name: "@requiresScopes", as: "@shareable" }, ` +
      '{ name: "@shareable", as: "@requiresScopes" }])',
    `@shareable${ADMIN}`,
  ],
  [
    '@link under another name',
    `@is(url: "https://specs.apollo.dev/link/v1.0", as: "is") @is(url: "${FEDERATION}", as: "fed")`,
    `@fed__requiresScopes${ADMIN}`,
  ],
  [
    '@link that is imported under another name',
    '@is(url: "https://specs.apollo.dev/link/v1.0", import: [{ name: "@link", as: ' +
      `"@is" }]) @is(url: "${FEDERATION}", as: "fed")`,
    `@fed__requiresScopes${ADMIN}`,
  ],
  [
    '@core of older schemas',
    '@core(feature: "https://specs.apollo.dev/core/v0.2") @core(feature: ' +
      '"https://specs.apollo.dev/requiresScopes/v0.1", as: "needs")',
    `@needs${ADMIN}`,
  ],
];

for (const [what, links, directive, more] of LINKED) {
  t.test(`@requiresScopes is enforced under ${what}`, async (t) => {
    const { ask, asked } = await startShop(t, ruled(links, directive, more));
    const plain = await ask('{ open card { id pin } }');
    t.match(plain.data, { open: 'open', card: { id: '1', pin: null } }, 'null without the scope');
    t.match(plain.text, 'FORBIDDEN');
    t.notMatch(asked(), /pin/, 'and not asked for');
    t.match(
      (await ask('{ card { pin } }', 'boss')).data,
      { card: { pin: 'SECRET-PIN' } },
      'with the scope',
    );
  });
}

t.test('a subgraph that defines none of its directives is taken as it is', async (t) => {
  const sdl = ruled(
    `@link(url: "${FEDERATION}", import: ["@key", "@shareable", "@authenticated"])`,
    '@shareable @authenticated @federation__tag(name: "x")',
  ).replace('type Card implements Node', 'type Card implements Node @key(fields: "id")');
  const { ask } = await startShop(t, sdl);
  t.match((await ask('{ card { id pin } }')).data, { card: { id: '1', pin: null } });
  t.match((await ask('{ card { pin } }', 'boss')).data, { card: { pin: 'SECRET-PIN' } });
});

t.test('@inaccessible parts are not offered', async (t) => {
  const link = `@link(url: "${FEDERATION}", import: [{ name: "@inaccessible", as: "@internal" }])`;
  const sdl = ruled(link, '@internal')
    .replace('secret: Int', 'secret: Int @internal')
    .replace('hidden: Hidden', 'hidden: Hidden @federation__inaccessible')
    .replace('type Hidden implements Node', 'type Hidden implements Node @internal')
    .replace('LOW HIGH', 'LOW HIGH @internal');
  const { ask, asked } = await startShop(t, sdl);
  for (const query of [
    '{ card { pin } }',
    '{ cards(secret: 1) { id } }',
    '{ hidden { id } }',
    '{ any { ...on Hidden { id } } }',
  ]) {
    t.match((await ask(query)).text, 'GRAPHQL_VALIDATION_FAILED', query);
  }
  t.match((await ask('{ __type(name: "Level") { enumValues { name } } }')).data, {
    __type: { enumValues: [{ name: 'LOW' }] },
  });
  t.match((await ask('{ any { ...on Card { id } } cards(first: 1) { id } level }')).data, {
    any: { id: '1' },
    cards: [{ id: '1' }],
    level: 'LOW',
  });
  t.notMatch(asked(), /pin|secret|Hidden/);
});

t.test('a cost is counted under the name that the schema links it by', async (t) => {
  const link = `@link(url: "${FEDERATION}", import: [{ name: "@cost", as: "@price" }])`;
  const { ask } = await startShop(t, ruled(link, '@price(weight: 40)'));
  const { text } = await ask('{ card { pin } }');
  t.match(text, /"requestedQueryCost":(4\d|5\d)/);
});

t.test('what a schema links and the gateway cannot resolve is refused at start-up', async (t) => {
  const federation = (more: string): string => `@link(url: "${FEDERATION}"${more})`;
  const rule = '@rule(policies: [["x"]])';
  for (const [links, directive, what] of [
    [federation(', import: [{ name: "@policy", as: "@rule" }]'), rule, /@policy is not supported/],
    [federation(', as: "fed"'), '@fed__policy(policies: [["x"]])', /@policy is not supported/],
    ['@link(url: "https://specs.apollo.dev/policy/v0.1", as: "rule")', rule, /is not supported/],
    [federation(', as: "fed"'), '@fed__mayRead(roles: "x")', /@fed__mayRead is not known/],
    [federation(', import: ["@mayRead"]'), '@mayRead(roles: "x")', /@mayRead is not known/],
    [federation(', import: ["requiresScopes"]'), '', /"@requiresScopes"/],
    [federation(', import: [{ name: "@requiresScopes", as: "needs" }]'), '', /begins with @/],
    [
      federation(', import: [{ name: "@requiresScopes", as: "@a" }, { name: "@key", as: "@a" }]'),
      '',
      /@a/,
    ],
    [federation(', import: [{ as: "@a" }]'), '', /import/],
    [federation(', import: "@requiresScopes"'), '', /import/],
    [federation(', as: 7'), '', /`as`/],
    ['@link(url: 7)', '', /`url`/],
    ['@link(url: "https://specs.apollo.dev/federation/v3.0")', '', /v3.0/],
    ['@link(url: "https://specs.apollo.dev/requiresScopes/v1.0")', '', /v1.0/],
    ['@link(url: "https://specs.acme.example/acl/v1.0", for: SECURITY)', '', /SECURITY/],
    ['@link(url: "https://specs.acme.example/acl/v1.0", for: "SECURITY")', '', /SECURITY/],
    [
      federation(', import: [{ name: "@cost", as: "@price" }]'),
      '@price(weight: 4) @cost(in: EUR)',
      /@cost/,
    ],
  ] as const) {
    const more = directive.includes('@cost')
      ? 'directive @cost(in: String) on FIELD_DEFINITION'
      : '';
    await t.rejects(
      startShop(t, ruled(links, directive, more)),
      { message: what },
      `${links} ${directive}`,
    );
  }
});

t.test('links of other specifications change nothing', async (t) => {
  const { ask } = await startShop(
    t,
    ruled(
      '@link(url: "https://specs.acme.example/units/v1.0", import: ["@unit"]) @link(url: ' +
        '"https://specs.apollo.dev/join/v0.3", for: EXECUTION)',
      '@unit(of: "m") @units__old',
      'directive @link(url: String, for: String, import: [String]) repeatable on SCHEMA ' +
        'directive @unit(of: String) on FIELD_DEFINITION directive ' +
        '@units__old on FIELD_DEFINITION',
    ),
  );
  t.match((await ask('{ card { pin } }')).data, { card: { pin: 'SECRET-PIN' } });
});
