import { isRecord, jsonValues, Refusal } from '../../core/index.js';
import type { GraphqlParams } from './admit.js';

/** One HTTP request for GraphQL, of whatever server. Header names are in lower case. */
export interface GraphqlRequest {
  readonly method: string;
  /** The request target: path and query. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The request is from a page that is allowed to use the endpoint, whatever its origin. */
  readonly isOfAllowedPage?: boolean;
  /** The whole body as text; rejects with a `Refusal` if it is too long or not UTF-8. */
  body(): Promise<string>;
  /**
   * Reads a multipart form, with files in its variables; null or absent where the body is none, or
   * none is taken.
   */
  readonly form?: ((bounds: jsonValues.JsonBounds) => Promise<unknown>) | null;
}

/** The parameters of a request, which may name its document by an id only. */
export interface RawParams extends Omit<GraphqlParams, 'query'> {
  /** Null for a document that is only named. */
  readonly query: string | null;
  /** The id of a stored document; null without one. */
  readonly document: DocumentName | null;
}

export interface DocumentName {
  readonly id: string;
  /** It is the hash of the text. */
  readonly isHash: boolean;
}

/**
 * Reads the JSON of a request, for `rawParams`; a list is a batch. Throws a `Refusal` that has a
 * status of its own where this is no GraphQL request at all (`HTTP_...`), or `BAD_REQUEST`,
 * `CSRF_PREVENTED`.
 */
export async function readParams(
  request: GraphqlRequest,
  bounds: jsonValues.JsonBounds = DEFAULT_BOUNDS,
): Promise<unknown> {
  if (request.method === 'GET') {
    preventForgery(request);
    return paramsOfUrl(request.url, bounds);
  }
  if (request.method !== 'POST') throw new Refusal('HTTP_METHOD');
  const { 'content-type': type, 'content-encoding': coding } = request.headers;
  const { form = null } = request;
  // RFC 9110 section 8.4: an encoded body must not be parsed as it stands.
  if (form === null) {
    checkJsonType(single(type));
  }
  checkNoCoding(single(coding));
  if (form !== null) {
    // A form of any page may be sent without a preflight.
    if (request.isOfAllowedPage !== true && !hasPreflightHeader(request)) {
      throw new Refusal('CSRF_PREVENTED', WITHOUT_PREFLIGHT);
    }
    return form(bounds);
  }
  return parseJson(await request.body(), bounds);
}

/** For tests and tools without limits. */
const DEFAULT_BOUNDS: jsonValues.JsonBounds = { levels: 250, parts: 50_000, members: 10_000 };

/**
 * The bounds of a request, or of a batch of `times`, whose variables are checked against these
 * limits later.
 */
export const boundsOf = (
  {
    variableDepth,
    variableKeys,
    variableValues,
  }: Record<'variableDepth' | 'variableKeys' | 'variableValues', number>,
  times: number,
): jsonValues.JsonBounds => ({
  // Around the variables, and beside them: a query, an operation's name, extensions.
  levels: variableDepth + 200,
  parts: times * (2 * variableValues + 1000),
  members: times * (variableKeys + 1000),
});

/**
 * A page of another site can make a browser send a GET. It changes nothing, for mutations are POST
 * only, but it costs a call. Browsers send the site of such a request, to https and localhost only;
 * elsewhere Origin or Referer name the page. Only same-origin pages and extensions can add one of
 * these headers, or a media type that forms have not, without a preflight. A POST needs no such
 * rule: JSON from another site needs a preflight as well.
 */
export function preventForgery({ headers, isOfAllowedPage }: GraphqlRequest): void {
  if (isOfAllowedPage === true) return;
  if (hasPreflightHeader({ headers })) return;
  if (isJson(single(headers['content-type']))) return;
  const site = single(headers['sec-fetch-site']);
  const isOwn = site === undefined ? isOwnPage(headers) : site === 'same-origin' || site === 'none';
  if (!isOwn) throw new Refusal('CSRF_PREVENTED', WITHOUT_PREFLIGHT, { found: site ?? null });
}

/** Whether browsers ask before they send a request of another site with these header fields. */
const hasPreflightHeader = ({ headers }: Pick<GraphqlRequest, 'headers'>): boolean =>
  PREFLIGHT_HEADERS.some((name) => headers[name] !== undefined);

/** Whether a request without `Sec-Fetch-Site` comes from a page of this host, or from no page. */
function isOwnPage(headers: GraphqlRequest['headers']): boolean {
  const page = single(headers['origin']) ?? single(headers['referer']);
  if (page !== undefined) return hostOf(page) === single(headers['host'])?.toLowerCase();
  // A page can suppress Referer and choose Accept: a browser without them may come from any site.
  if (/^Mozilla\//i.test(single(headers['user-agent']) ?? '')) return false;
  const accept = single(headers['accept']);
  return accept === undefined || /json|(?:event|octet)-stream|^\s*\*\/\*\s*$/i.test(accept);
}

/** Null for an invalid address. */
function hostOf(page: string): string | null {
  try {
    return new URL(page).host;
  } catch {
    return null;
  }
}

const PREFLIGHT_HEADERS = [
  'graphql-require-preflight',
  'apollo-require-preflight',
  'x-apollo-operation-name',
  'x-requested-with',
] as const;

/** For the log: what would have been enough. */
const WITHOUT_PREFLIGHT = `none of the header fields ${PREFLIGHT_HEADERS.join(', ')}`;

const single = (value: string | readonly string[] | undefined): string | undefined =>
  typeof value === 'string' ? value : undefined;

/**
 * Throws `HTTP_MEDIA_TYPE` unless a Content-Type is `application/json`, with no charset but UTF-8.
 */
export function checkJsonType(contentType: string | undefined): void {
  if (isJson(contentType)) return;
  const isOfCharset = /^\s*application\/json\s*;/i.test(contentType ?? '');
  throw new Refusal('HTTP_MEDIA_TYPE', isOfCharset ? 'charset' : null);
}

/** Throws `HTTP_MEDIA_TYPE` for a content coding: bodies of JSON come as they are. */
export function checkNoCoding(coding = 'identity'): void {
  if (coding.trim().toLowerCase() !== 'identity') {
    throw new Refusal('HTTP_MEDIA_TYPE', 'content coding of JSON');
  }
}

/** Whether a Content-Type is that of JSON in UTF-8. */
function isJson(contentType: string | undefined): boolean {
  if (contentType === 'application/json') return true;
  const [mediaType, ...parameters] = (contentType ?? '').toLowerCase().split(';');
  if (mediaType?.trim() !== 'application/json') return false;
  return parameters.every((parameter) => {
    const [name, value] = parameter.split('=');
    return name?.trim() !== 'charset' || /^"?utf-?8"?$/.test(value?.trim() ?? '');
  });
}

const PARAMETERS = [
  'query',
  'operationName',
  'variables',
  'extensions',
  'documentId',
  'id',
] as const;

function paramsOfUrl(url: string, bounds: jsonValues.JsonBounds): unknown {
  const question = url.indexOf('?');
  const search = new URLSearchParams(question === -1 ? '' : url.slice(question + 1));
  // Readers disagree about which one counts.
  if (PARAMETERS.some((name) => search.getAll(name).length > 1)) {
    throw new Refusal('BAD_REQUEST', 'A parameter must not be present twice.');
  }
  const json = (name: string): unknown => {
    const text = search.get(name);
    return text === null || text === '' ? null : parseJson(text, bounds);
  };
  return {
    query: search.get('query'),
    operationName: search.get('operationName'),
    variables: json('variables'),
    extensions: json('extensions'),
    documentId: search.get('documentId'),
    id: search.get('id'),
  };
}

export function parseJson(text: string, bounds: jsonValues.JsonBounds): unknown {
  try {
    return jsonValues.parseStrictJson(text, bounds);
  } catch (error) {
    if (error instanceof jsonValues.JsonBoundsError) {
      throw new Refusal('BAD_REQUEST', 'There is more in it than allowed.');
    }
    throw new Refusal('BAD_REQUEST', 'It is not JSON, or has two members of one name.');
  }
}

/**
 * Checks the shape of a request's parameters, of any transport. Throws `BAD_REQUEST`, or
 * `BATCHING_NOT_SUPPORTED`.
 */
export function rawParams(raw: unknown): RawParams {
  if (Array.isArray(raw)) throw new Refusal('BATCHING_NOT_SUPPORTED');
  if (!isRecord(raw)) throw new Refusal('BAD_REQUEST', 'It must be an object.');
  const { operationName = null, variables = null, extensions = null } = raw;
  if (operationName !== null && typeof operationName !== 'string') {
    throw new Refusal('BAD_REQUEST', 'The operationName must be a string.');
  }
  if (variables !== null && !isRecord(variables)) {
    throw new Refusal('BAD_REQUEST', 'The variables must be an object.');
  }
  if (extensions !== null && !isRecord(extensions)) {
    throw new Refusal('BAD_REQUEST', 'The extensions must be an object.');
  }
  const document = documentName(raw, extensions ?? {});
  const query = document !== null && raw['query'] === '' ? null : (raw['query'] ?? null);
  if (typeof query !== 'string' && (query !== null || document === null)) {
    throw new Refusal('BAD_REQUEST', 'It needs a query, a string.');
  }
  return { query, document, operationName, variables: variables ?? {} };
}

/**
 * The id of a stored document: the hash of Apollo's automatic persisted queries, the `documentId`
 * of the draft of GraphQL over HTTP, or the `id` of older clients. The last two are ignored beside
 * a query: clients use these names for other things.
 */
function documentName(
  raw: Readonly<Record<string, unknown>>,
  extensions: Readonly<Record<string, unknown>>,
): DocumentName | null {
  const { persistedQuery = null } = extensions;
  if (persistedQuery !== null) {
    if (!isRecord(persistedQuery) || persistedQuery['version'] !== 1) {
      throw new Refusal('BAD_REQUEST', 'The persistedQuery must be an object with version 1.');
    }
    const { sha256Hash } = persistedQuery;
    if (typeof sha256Hash !== 'string') {
      throw new Refusal('BAD_REQUEST', 'The sha256Hash must be a string.');
    }
    return { id: sha256Hash, isHash: true };
  }
  if (typeof raw['query'] === 'string' && raw['query'] !== '') return null;
  const id = raw['documentId'] ?? raw['id'];
  return typeof id === 'string' && id !== '' ? { id, isHash: false } : null;
}
