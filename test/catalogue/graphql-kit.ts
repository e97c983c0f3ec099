import type { ServerResponse } from 'node:http';
import type { Test } from 'tap';

import { answerWith, type RecordedMessage, type RecordingBackend } from '../kit/backend.js';
import type { TestGateway } from '../kit/gateway.js';
import { post, type RawReply, sendRaw } from '../kit/raw-client.js';
import { useBackend, useGateway } from '../kit/use.js';

/**
 * A mapping written by hand with what attacks like: recursion, lists, paging, an enumeration, input
 * types.
 */
export const shopMapping = (url: string): string => `services:
  shop:
    url: ${url}/shop
    namespace: urn:shop
    types: |
      type Query {
        article(sku: String, id: Int, serial: Long, colour: Colour, filter: Filter, tags: \
[String], text: String): Article
        articles(limit: Int): [Article!]
        search(first: Int, last: Int, page: Page): [Article!] @listSize(slicingArguments: \
["first", "last", "page.size"])
        newest(first: Int = 50, last: Int): [Article!] @listSize(slicingArguments: \
["first", "last"], requireOneSlicingArgument: false)
      }
      type Mutation { rename(sku: String!, name: String): Article }
      enum Colour { RED GREEN SECRETIVE }
      input Filter { colour: Colour, inStock: Boolean, and: [Filter!], hiddenFlag: Int }
      input Page { size: Int, from: Int }
      type Article { sku: String, name: String, price: Float, tags: [String!], parts: \
[Article!], related: Article, secretPart: Article }
    operations:
      GetArticle: { field: Query.article }
      ListArticles: { field: Query.articles }
      Search: { field: Query.search }
      Newest: { field: Query.newest }
      Rename: { field: Mutation.rename }
`;

export interface Shop {
  readonly backend: RecordingBackend;
  readonly gateway: TestGateway;
}

/** `more` is the rest of the configuration. */
export async function startShop(t: Test, more = ''): Promise<Shop> {
  const backend = await useBackend(t, replyEmpty);
  const gateway = await useGateway(t, shopMapping(backend.url) + more);
  return { backend, gateway };
}

/** Answers every operation with nothing in it. */
function replyEmpty(message: RecordedMessage, response: ServerResponse): void {
  const [, name = 'None'] = /Body>\s*<(?:\w+:)?(\w+)/.exec(message.body.toString()) ?? [];
  answerWith(replyWith(`<${name}Response xmlns="urn:shop"/>`))(message, response);
}

export const replyWith = (content: string): string =>
  '<E:Envelope xmlns:E="http://schemas.xmlsoap.org/soap/envelope/"><E:Body>' +
  `${content}</E:Body></E:Envelope>`;

/** What a caller asks, by whatever way. */
export interface Asked {
  readonly query: string;
  readonly variables?: unknown;
  readonly operationName?: string;
}

export interface Result {
  readonly data?: Readonly<Record<string, unknown>> | null;
  readonly errors?: readonly {
    readonly message: string;
    readonly path?: readonly unknown[];
    readonly extensions: Readonly<Record<string, unknown>>;
  }[];
}

export interface Reply {
  readonly raw: RawReply;
  readonly result: Result;
}

const TYPED = { Accept: 'application/graphql-response+json' };

/** One question, as JSON by POST. */
export async function ask(
  { gateway }: Shop,
  asked: Asked,
  headers: Readonly<Record<string, string>> = TYPED,
) {
  return read(
    await sendRaw(
      gateway.url,
      post('/graphql', 'application/json', JSON.stringify(asked), headers),
    ),
  );
}

/** A body as it is. */
export async function askRaw(
  { gateway }: Shop,
  body: string | Buffer,
  headers: Readonly<Record<string, string | null>> = TYPED,
): Promise<Reply> {
  return read(await sendRaw(gateway.url, post('/graphql', 'application/json', body, headers)));
}

/** A question in the address. */
export async function askByGet(
  { gateway }: Shop,
  asked: Asked,
  headers: Readonly<Record<string, string>> = TYPED,
) {
  const search = new URLSearchParams({ query: asked.query });
  if (asked.variables !== undefined) search.set('variables', JSON.stringify(asked.variables));
  if (asked.operationName !== undefined) search.set('operationName', asked.operationName);
  return getRaw(gateway, `/graphql?${search}`, headers);
}

export async function getRaw(
  gateway: TestGateway,
  target: string,
  headers: Readonly<Record<string, string>> = TYPED,
): Promise<Reply> {
  const fields = Object.entries({ Host: 'localhost', ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return read(await sendRaw(gateway.url, `GET ${target} HTTP/1.1\r\n${fields.join('')}\r\n`));
}

/** A refusal of HTTP has a sentence. */
const read = (raw: RawReply): Reply => {
  const isText = raw.headers.get('content-type')?.startsWith('text/plain') === true;
  return { raw, result: raw.body === '' || isText ? {} : JSON.parse(raw.body) };
};

export const codesOf = ({ errors = [] }: Result): readonly unknown[] => [
  ...new Set(errors.map(({ extensions }) => extensions['code'])),
];
