import { createHash } from 'node:crypto';
import type { Test } from 'tap';

import { defaultsOf } from '../../src/core/limit.js';
import { MemoryPersistedStore } from '../../src/graphql/admission/document-cache.js';
import { PersistedDocuments } from '../../src/graphql/admission/persisted.js';
import { PERSISTED_LIMITS } from '../../src/graphql/admission/persisted-limits.js';
import { GRAPHQL_LIMITS, type GraphqlLimits } from '../../src/graphql/limits.js';
import { createGraphqlHandler } from '../../src/graphql/run/operations/http.js';
import { buildSchema } from '../../src/graphql/schema/schema.js';
import { INT, one, operation } from '../graphql/models.js';
import { askRaw, codesOf, type Reply, type Shop, startShop } from './graphql-kit.js';
import type { Rows } from './rows.js';

/** Rows of group G about batches and about documents that requests only name. */

const ITEM = { query: '{article{sku}}' };

const shownCodes = (result: unknown): string =>
  (Array.isArray(result) ? result : [result])
    .map((each) => codesOf(each).join('+') || 'data')
    .join(', ');

const answered = ({ raw, result }: Reply): string => `${raw.status}: ${shownCodes(result)}`;

export async function batchesThatAreOn(t: Test, rows: Rows): Promise<void> {
  const clients =
    'clients: { address: { class: a }, classes: { a: { budget: { maximum: ' +
    '1000, restoreRate: 1 } } } }\n';
  const shop = await startShop(t, `graphql: { batch: 10 }\n${clients}`);
  const send = (body: unknown): Promise<Reply> => askRaw(shop, JSON.stringify(body));
  for (const [name, body] of [
    ['on: of eleven', Array(11).fill(ITEM)],
    ['on: within a batch', [ITEM, [ITEM]]],
    ['on: of nothing', []],
    ['on: of two, one of them broken', [ITEM, { query: '{' }]],
  ] as const) {
    t.equal(answered(await send(body)), rows.answer('G13', name), name);
  }
  t.equal(shop.backend.begun, 1);
  const before = await left(shop);
  await send(Array(10).fill(ITEM));
  const spent = before - (await left(shop));
  const alone = await cost(shop);
  t.ok(spent >= 9 * alone && spent <= 10 * alone, `${spent} points for ten of ${alone}`);
  t.equal(rows.answer('G13', 'on: of ten'), 'each is charged');
}

const costOf = ({ result }: Reply): Readonly<Record<string, unknown>> => {
  const { extensions } = result as {
    readonly extensions?: { readonly cost?: Readonly<Record<string, unknown>> };
  };
  return extensions?.cost ?? {};
};

async function left(shop: Shop): Promise<number> {
  const { throttleStatus } = costOf(await askRaw(shop, '{"query":"{__typename}"}'));
  return Number(Object(throttleStatus).currentlyAvailable);
}

async function cost(shop: Shop): Promise<number> {
  return Number(costOf(await askRaw(shop, JSON.stringify(ITEM)))['actualQueryCost']);
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');
const named = (sha256Hash: string, version = 1) => ({
  extensions: { persistedQuery: { version, sha256Hash } },
});

export async function persistedDocuments(t: Test, rows: Rows): Promise<void> {
  const shop = await startShop(
    t,
    'graphql: { persisted: { automatic: true } }\nlimits: { persisted: { entries: 3 } }\n',
  );
  const { query } = ITEM;
  const vectors: readonly (readonly [string, unknown, Readonly<Record<string, string>>?])[] = [
    ['a hash nobody has sent', named(hashOf(query))],
    ['the same, plain JSON', named(hashOf(query)), { Accept: 'application/json' }],
    ['the hash of something else', { query, ...named(hashOf(`${query} `)) }],
    ['version 2', { query, ...named(hashOf(query), 2) }],
    ['no hash', named('x')],
    ['after all that', named(hashOf(query))],
    ['sent with its text', { query, ...named(hashOf(query)) }],
    ['sent without', named(hashOf(query))],
  ];
  for (const [name, body, headers] of vectors) {
    t.equal(
      answered(await askRaw(shop, JSON.stringify(body), headers)),
      rows.answer('G24', name),
      name,
    );
  }
  for (let at = 0; at < 20; at++) {
    const flood = `{a${at}:__typename}`;
    await askRaw(shop, JSON.stringify({ query: flood, ...named(hashOf(flood)) }));
  }
  const first = await askRaw(shop, JSON.stringify(named(hashOf('{a0:__typename}'))));
  const last = await askRaw(shop, JSON.stringify(named(hashOf('{a19:__typename}'))));
  t.equal(`${answered(first)}; ${answered(last)}`, rows.answer('G24', 'a flood of hashes'));
}

/** Two generations over the same remembered documents. */
export async function newLimits(t: Test, rows: Rows): Promise<void> {
  const store = new MemoryPersistedStore(defaultsOf(PERSISTED_LIMITS));
  const generation = (limits: Partial<GraphqlLimits>, fields: readonly string[]) => {
    const operations = fields.map((name) => operation(name, [], [one('n', INT)]));
    return createGraphqlHandler({
      built: buildSchema([{ name: 'shop', operations, mapping: new Map(), naming: 'camel' }]),
      limits: { ...defaultsOf(GRAPHQL_LIMITS), ...limits },
      introspection: false,
      persisted: new PersistedDocuments(null, store, defaultsOf(PERSISTED_LIMITS)),
    });
  };
  const query = '{a:getOne b:getOne}';
  const ask = async (
    handler: ReturnType<typeof createGraphqlHandler>,
    body: unknown,
  ): Promise<string> => {
    const headers = {
      'content-type': 'application/json',
      accept: 'application/graphql-response+json',
    };
    const answer = await handler(
      { method: 'POST', url: '/', headers, body: async () => JSON.stringify(body) },
      {
        callField: async () => ({ value: 1, errors: [], furtherErrors: 0 }),
        signal: new AbortController().signal,
      },
    );
    return `${answer.status}: ${shownCodes(JSON.parse(answer.body ?? 'null'))}`;
  };
  t.equal(await ask(generation({}, ['GetOne']), { query, ...named(hashOf(query)) }), '200: data');
  for (const [name, handler] of [
    ['the same limits', generation({}, ['GetOne'])],
    ['fewer aliases', generation({ aliases: 1 }, ['GetOne'])],
    ['a smaller cost', generation({ cost: 1 }, ['GetOne'])],
    ['without the field', generation({}, ['GetTwo'])],
  ] as const) {
    t.equal(await ask(handler, named(hashOf(query))), rows.answer('G25', name), name);
  }
}
