import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';

import { KEYS, startSubgraph } from '../kit/subgraph.js';
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
  entities: { Customer: { loyal: true }, Branch: { open: true } },
};

t.test(
  'Apollo Gateway joins objects by their keys, with what other subgraphs answer',
  { skip: missing('apollo-gateway') },
  async (t) => {
    const { gateway, calls } = await startSubgraph(t, CLIENTS, KEYS + TYPES);
    const { sdl = '' } = gateway.compiled().graph.subgraph ?? {};
    const task = {
      folder: FEDERATION_ROUTERS,
      soap: { url: `${gateway.url}/graphql`, sdl },
      other: OTHER,
      headers: { 'x-api-key': 'key-of-the-user-1' },
      queries: [
        '{ reviews { text by { name } of { shipping } at { city open } } }',
        '{ customer(code: 5) { name loyal } }',
      ],
    };
    const program = join(STACKS, 'federation', 'apollo-gateway.mjs');
    const ran = await run(process.execPath, [program, JSON.stringify(task)], { timeout: 60_000 });
    const at = { city: 'City CH', open: true };
    t.same(JSON.parse(ran.stdout), {
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
