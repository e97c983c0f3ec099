import { Refusal } from '../base/refusal.js';
import type { GraphqlParams } from './admit.js';
import { parseStrictJson } from './json.js';

/** One HTTP request for GraphQL, of whatever server. Header names are in lower case. */
export interface GraphqlRequest {
  readonly method: string;
  /** The request target: path and query. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The whole body as text; rejects with a `Refusal` if it is too long or not UTF-8. */
  body(): Promise<string>;
}

/**
 * What a request asks for. Throws a `Refusal` that has a status of its own where this is no GraphQL request at all
 * (`HTTP_...`), or `BAD_REQUEST`, `BATCHING_NOT_SUPPORTED`, `CSRF_PREVENTED`.
 */
export async function readParams(request: GraphqlRequest): Promise<GraphqlParams> {
  if (request.method === 'GET') {
    preventForgery(request);
    return checkParams(paramsOfUrl(request.url));
  }
  if (request.method !== 'POST') throw new Refusal('HTTP_METHOD');
  if (!isJson(single(request.headers['content-type']))) throw new Refusal('HTTP_MEDIA_TYPE');
  const body = parseJson(await request.body());
  if (Array.isArray(body)) throw new Refusal('BATCHING_NOT_SUPPORTED');
  return checkParams(body);
}

/**
 * A page of another site can make a browser send a GET. Nothing is changed by one, for mutations are POST only, but it
 * costs a call; browsers say where such a request comes from, and only same-origin pages and extensions can add one of
 * these headers without asking first. A POST needs no such rule: JSON from another site is asked for first as well.
 */
function preventForgery({ headers }: GraphqlRequest): void {
  const site = single(headers['sec-fetch-site']);
  if (site === undefined || site === 'same-origin' || site === 'none') return;
  if (PREFLIGHT_HEADERS.some((name) => headers[name] !== undefined)) return;
  throw new Refusal('CSRF_PREVENTED');
}

const PREFLIGHT_HEADERS = [
  'graphql-require-preflight',
  'apollo-require-preflight',
  'x-apollo-operation-name',
  'x-requested-with',
] as const;

const single = (value: string | readonly string[] | undefined): string | undefined =>
  typeof value === 'string' ? value : undefined;

/** `application/json`, in UTF-8 if it says so. */
function isJson(contentType: string | undefined): boolean {
  const [mediaType, ...parameters] = (contentType ?? '').toLowerCase().split(';');
  if (mediaType?.trim() !== 'application/json') return false;
  return parameters.every((parameter) => {
    const [name, value] = parameter.split('=');
    return name?.trim() !== 'charset' || /^"?utf-?8"?$/.test(value?.trim() ?? '');
  });
}

const PARAMETERS = ['query', 'operationName', 'variables', 'extensions'] as const;

function paramsOfUrl(url: string): unknown {
  const question = url.indexOf('?');
  const search = new URLSearchParams(question === -1 ? '' : url.slice(question + 1));
  // Readers disagree about which of them counts.
  if (PARAMETERS.some((name) => search.getAll(name).length > 1))
    throw new Refusal('BAD_REQUEST', 'A parameter must not be given twice.');
  const json = (name: string): unknown => {
    const text = search.get(name);
    return text === null || text === '' ? null : parseJson(text);
  };
  return {
    query: search.get('query'),
    operationName: search.get('operationName'),
    variables: json('variables'),
    extensions: json('extensions'),
  };
}

function parseJson(text: string): unknown {
  try {
    return parseStrictJson(text);
  } catch {
    throw new Refusal('BAD_REQUEST', 'It is not JSON, or has two members of one name.');
  }
}

/** What is asked for, of whatever transport. Throws `BAD_REQUEST`. */
export function checkParams(given: unknown): GraphqlParams {
  if (!isRecord(given)) throw new Refusal('BAD_REQUEST', 'It must be an object.');
  const { query, operationName = null, variables = null, extensions = null } = given;
  if (typeof query !== 'string') throw new Refusal('BAD_REQUEST', 'It needs a query, a string.');
  if (operationName !== null && typeof operationName !== 'string')
    throw new Refusal('BAD_REQUEST', 'The operationName must be a string.');
  if (variables !== null && !isRecord(variables)) throw new Refusal('BAD_REQUEST', 'The variables must be an object.');
  if (extensions !== null && !isRecord(extensions))
    throw new Refusal('BAD_REQUEST', 'The extensions must be an object.');
  return { query, operationName, variables: variables ?? {} };
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
