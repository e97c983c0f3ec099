import { answerIn, type GraphqlAnswer } from './answers.js';

/** What a client says that knows the media type of GraphQL answers. */
export const TYPED = { accept: 'application/graphql-response+json' };

/** One request to the GraphQL endpoint of the gateway at `url`. */
export const postGraphql = (
  url: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
  signal: AbortSignal | null = null,
): Promise<Response> =>
  fetch(`${url}/graphql`, {
    signal,
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

/** The answer to a question, without what it has cost. */
export const askGraphql = async <T extends object = GraphqlAnswer>(
  url: string,
  query: string,
  variables: Readonly<Record<string, unknown>> = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<T> => answerIn<T>(await (await postGraphql(url, { query, variables }, headers)).text());

/** The whole text of the answer to a question. */
export const askText = async (
  url: string,
  query: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<string> => (await postGraphql(url, { query }, headers)).text();

/** A POST of JSON, as clients of REST send it. */
export const postJson = (
  url: string,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof value === 'string' ? value : JSON.stringify(value),
  });
