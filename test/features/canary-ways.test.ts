import t, { type Test } from 'tap';

import { answerWith, type RecordingBackend } from '../kit/backend.js';
import { envelope, operationIn, postSoap } from '../kit/envelope.js';
import { postJson } from '../kit/graphql-client.js';
import { useLiveClient } from '../kit/live-client.js';
import { until } from '../kit/until.js';
import { FORM_TYPE, uploadForm } from '../kit/upload-form.js';
import { useBackend, useGateway } from '../kit/use.js';

/** Calls of every kind reach the new backend of a service, and the log names it. */

const CONTENTS = {
  old: Buffer.from('old').toString('base64'),
  new: Buffer.from('new').toString('base64'),
} as const;

const backendNamed =
  (name: keyof typeof CONTENTS): RecordingBackend['answer'] =>
  (message, response) => {
    const operation = operationIn(message.body);
    const content =
      operation === 'GetFile'
        ? `<content>${CONTENTS[name]}</content>`
        : `<item><name>${name}</name><ownerId>1</ownerId></item>`;
    const reply = envelope(
      `<${operation}Response xmlns="urn:shop">${content}</${operation}Response>`,
    );
    answerWith(reply, 'text/xml')(message, response);
  };

async function useShop(t: Test, keys: string) {
  const stable = await useBackend(t, backendNamed('old'));
  const fresh = await useBackend(t, backendNamed('new'));
  const gateway = await useGateway(
    t,
    `services:
  shop:
    url: ${stable.url}/shop
    namespace: urn:shop
    rest: true
    types: |
      type Query { item(id: String!): ItemHolder, owner(id: String!): ItemHolder, file: File }
      type Mutation { put(content: Base64!): ItemHolder }
      type ItemHolder { item: Item }
      type Item { name: String, ownerId: String }
      type File { content: Base64 }
    operations:
      GetItem: { field: Query.item }
      GetOwner: { field: Query.owner }
      GetFile: { field: Query.file }
      PutItem: { field: Mutation.put, response: PutItemResponse }
    canary: { url: "${fresh.url}/shop", ${keys} }
links:
  Item.owner: { operation: shop.GetOwner, arguments: { id: ownerId } }
graphql: { batch: 10, downloads: { keys: ["${'k'.repeat(32)}"] } }
mcp: { operations: [shop.GetItem] }
subscriptions:
  itemChanged: { poll: { operation: shop.GetItem, everyMillis: 50 } }
`,
  );
  return { stable, fresh, gateway };
}

type Shop = Awaited<ReturnType<typeof useShop>>;
type Headers = Readonly<Record<string, string>>;

const ITEM = '{ item(id: "1") { item { name } } }';

/** One call of each kind. Resolves to the answer; how many calls of a backend it is. */
const WAYS: Readonly<
  Record<string, { readonly calls: number; ask(shop: Shop, headers: Headers): Promise<string> }>
> = {
  SOAP: {
    calls: 1,
    ask: async ({ gateway }, headers) => {
      const message = envelope('<GetItem xmlns="urn:shop"><id>1</id></GetItem>');
      return (await postSoap(`${gateway.url}/soap/shop`, message, headers)).text();
    },
  },
  GraphQL: { calls: 1, ask: (shop, headers) => post(shop, { query: ITEM }, headers) },
  'a batch': {
    calls: 2,
    ask: (shop, headers) =>
      post(shop, [{ query: ITEM }, { query: ITEM.replace('"1"', '"2"') }], headers),
  },
  'a link': {
    calls: 2,
    ask: (shop, headers) =>
      post(shop, { query: '{ item(id: "1") { item { owner { item { name } } } } }' }, headers),
  },
  REST: {
    calls: 1,
    ask: async ({ gateway }, headers) =>
      (await fetch(`${gateway.url}/rest/shop/GetItem?id=1`, { headers })).text(),
  },
  MCP: {
    calls: 1,
    ask: async ({ gateway }, headers) => {
      const params = { name: 'item', arguments: { id: '1' } };
      const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
      const own = {
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2025-11-25',
      };
      return (await postJson(`${gateway.url}/mcp`, body, { ...own, ...headers })).text();
    },
  },
  'an upload': {
    calls: 1,
    ask: async ({ gateway }, headers) => {
      const query = 'mutation($content: Base64!) { put(content: $content) { item { name } } }';
      const response = await fetch(`${gateway.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': FORM_TYPE, 'graphql-require-preflight': '1', ...headers },
        body: new Uint8Array(uploadForm(query, { content: 'bytes' })),
      });
      return response.text();
    },
  },
  'a download': {
    calls: 2,
    ask: async (shop, headers) => {
      const { gateway } = shop;
      const answer = await post(shop, { query: '{ file { content @url } }' }, headers);
      const [url = ''] = /\/downloads\/[\w-]+/.exec(answer) ?? [];
      return (await fetch(gateway.url + url, { headers })).text();
    },
  },
};

const post = async ({ gateway }: Shop, body: unknown, headers: Headers): Promise<string> =>
  (await postJson(`${gateway.url}/graphql`, body, headers)).text();

/** Makes each call, and counts those of both backends and the lines that name the new one. */
async function checkWays(t: Test, keys: string, headers: Headers, name: 'old' | 'new') {
  const shop = await useShop(t, keys);
  const { stable, fresh, gateway } = shop;
  const backend = name === 'new' ? 'canary' : 'stable';
  const named = (): number =>
    gateway.logLines().filter((line) => line['backend'] === backend).length;
  for (const [way, { calls, ask }] of Object.entries(WAYS)) {
    const before = [stable.complete.length, fresh.complete.length, named()] as const;
    t.match(await ask(shop, headers), name, way);
    const [old = 0, another = 0] = [stable.complete.length, fresh.complete.length];
    t.equal(old - before[0], name === 'old' ? calls : 0, `${way}: calls of the old backend`);
    t.equal(another - before[1], name === 'new' ? calls : 0, `${way}: calls of the new backend`);
    await until(() => named() > before[2]);
  }
}

t.test('calls of every kind go to the new backend at a share of 1', (t) =>
  checkWays(t, 'share: 1', {}, 'new'),
);

t.test('calls of every kind go to the old backend at a share of 0', (t) =>
  checkWays(t, 'share: 0, header: "x-canary: yes"', {}, 'old'),
);

t.test('a header field moves calls of every kind', (t) =>
  checkWays(t, 'share: 0, header: "x-canary: yes"', { 'x-canary': 'yes' }, 'new'),
);

t.test('a poll follows the share, and is left by a backend that goes back', async (t) => {
  const shop = await useShop(t, 'share: 1, back: { failures: 2 }');
  const { gateway, fresh } = shop;
  const client = useLiveClient(t, gateway.url);
  const seen: string[] = [];
  const query = 'subscription { itemChanged(id: "1") { item { name } } }';
  client.subscribe(
    { query },
    { next: (value) => void seen.push(JSON.stringify(value)), error: () => {}, complete: () => {} },
  );
  await until(() => seen.some((event) => event.includes('"new"')));
  fresh.answer = (_message, response) => void response.destroy();
  await until(() => seen.some((event) => event.includes('"old"')));
  t.match(await gateway.logLine('canary went back'), { service: 'shop', cause: 'failures' });
});
