import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';

import { KEYS, services, startSubgraph } from '../kit/subgraph.js';
import { makeIssuer } from '../kit/token-issuer.js';
import { FEDERATION_ROUTERS, missing } from './programs.js';
import { STACKS } from './stacks.js';

/** Routers of Apollo Federation in front of a gateway that is one of their subgraphs. */

const run = promisify(execFile);

const TYPES = `    types:
      Product:
        fields:
          weight: { external: true }
          price: { external: true }
          shipping: { requires: weight price }
`;
const CLIENTS = `clients:
  apiKeys: { clients: { user: { class: users, keys: [key-of-the-user-1] } } }
  classes: { users: {} }
`;

const OTHER = {
  name: 'other',
  sdl: `extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key"])
    type Query { reviews: [Review] }
    type Review { text: String, by: Customer, of: Product, at: Branch }
    type Customer @key(fields: "id") { id: Long!, loyal: Boolean }
    type Branch @key(fields: "country id") { id: Int!, country: String!, open: Boolean }
    type Product @key(fields: "sku") { sku: ID!, weight: Int, price: Int }
    scalar Long`,
  roots: {
    reviews: [1, 2, 3].map((n) => ({
      text: `t${n}`,
      by: { __typename: 'Customer', id: String(n) },
      of: { __typename: 'Product', sku: `s${n}`, weight: n, price: 10 },
      at: { __typename: 'Branch', id: 1, country: 'CH', open: true },
    })),
  },
  entities: { Customer: [{ loyal: true }], Branch: [{ open: true }] },
};

t.test(
  'Apollo Gateway joins objects by their keys, with what other subgraphs answer',
  { skip: missing('apollo-gateway') },
  async (t) => {
    const { gateway, calls } = await startSubgraph(t, CLIENTS, KEYS + TYPES);
    const { sdl = '' } = gateway.compiled().graph.subgraph ?? {};
    const task = {
      soap: { url: `${gateway.url}/graphql`, sdl },
      others: [OTHER],
      headers: { 'x-api-key': 'key-of-the-user-1' },
      queries: [
        '{ reviews { text by { name } of { shipping } at { city open } } }',
        '{ customer(code: 5) { name loyal } }',
      ],
    };
    const program = join(STACKS, 'federation', 'apollo-gateway.mjs');
    const ran = await run(
      process.execPath,
      [program, JSON.stringify({ folder: FEDERATION_ROUTERS, tasks: [task] })],
      { timeout: 60_000 },
    );
    const at = { city: 'City CH', open: true };
    const [result] = JSON.parse(ran.stdout);
    t.same(result, {
      answers: [
        {
          data: {
            reviews: [1, 2, 3].map((n) => ({
              text: `t${n}`,
              by: { name: `C${n}` },
              of: { shipping: 2 * n },
              at,
            })),
          },
        },
        { data: { customer: { name: 'C5', loyal: true } } },
      ],
    });
    t.same(calls().sort(), [
      'GetBranch 1,CH',
      'GetCustomer 5',
      'GetCustomers 1,2,3',
      ...['Quote s1,1,10', 'Quote s2,2,10', 'Quote s3,3,10'],
    ]);
  },
);

t.test(
  'the token of a caller of Apollo Gateway has its rights at the subgraph',
  { skip: missing('apollo-gateway') },
  async (t) => {
    const issuer = await makeIssuer();
    const rights = '{ types: { Customer: { fields: { name: { scopes: [crm] } } } } }';
    const ruled = (url: string): string => `${services(url)}    schema: ${rights}\n`;
    const clients = `clients: { classes: { users: {} }, ${issuer.yaml('class: users')} }\n`;
    const { gateway, calls } = await startSubgraph(t, clients, KEYS + TYPES, ruled);
    const { sdl = '' } = gateway.compiled().graph.subgraph ?? {};
    const scopes = ' @requiresScopes(scopes: [["crm"]])';
    t.match(sdl, `name: String${scopes}`);
    // This router has no rights of its own, and takes no supergraph with them.
    const open = sdl.replaceAll(scopes, '').replace(', "@requiresScopes"', '');
    const task = (headers: object) => ({
      soap: { url: `${gateway.url}/graphql`, sdl: open },
      others: [OTHER],
      headers,
      queries: ['{ reviews { text by { name } } }', '{ reviews { by { age } } }'],
    });
    const tasks = [
      task(await issuer.bearer({ scope: 'crm' })),
      task(await issuer.bearer()),
      task(await (await makeIssuer()).bearer({ scope: 'crm' })),
    ];
    const program = join(STACKS, 'federation', 'apollo-gateway.mjs');
    const given = JSON.stringify({ folder: FEDERATION_ROUTERS, tasks });
    const { stdout } = await run(process.execPath, [program, given], { timeout: 60_000 });
    const reviews = (field: string, of: (n: number) => unknown): object => ({
      reviews: [1, 2, 3].map((n) => ({
        ...(field === 'name' ? { text: `t${n}` } : {}),
        by: { [field]: of(n) },
      })),
    });
    const none = (): null => null;
    t.match(JSON.parse(stdout), [
      {
        answers: [{ data: reviews('name', (n) => `C${n}`) }, { data: reviews('age', () => 30) }],
      },
      {
        answers: [
          { data: reviews('name', none), errors: [{ extensions: { code: 'FORBIDDEN' } }] },
          { data: reviews('age', () => 30) },
        ],
      },
      {
        answers: [
          { data: reviews('name', none), errors: [{}] },
          { data: reviews('age', none), errors: [{}] },
        ],
      },
    ]);
    t.same(calls(), Array(4).fill('GetCustomers 1,2,3'), 'a forged token calls nothing');
  },
);
