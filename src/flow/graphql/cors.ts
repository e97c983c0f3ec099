import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Config } from '../../config/schema.js';
import type { Exchange } from '../../gateway/exchange.js';
import { endLingering, REQUEST_ID } from '../http/linger.js';

/**
 * Cross-origin resource sharing (CORS protocol of the Fetch standard) for GraphQL, REST and MCP.
 */
export class Cors {
  readonly #origins: ReadonlySet<string>;
  readonly #isForAll: boolean;
  readonly #hasCredentials: boolean;
  readonly #methods: string;
  readonly #requestFields: readonly string[];
  readonly #answerFields: readonly string[];
  readonly #maxAgeSeconds: number;

  constructor(
    { origins, credentials, maxAgeMillis }: CorsConfig,
    requestHeaders: ReadonlySet<string>,
    methods: ReadonlySet<string>,
    answerFields: readonly string[],
  ) {
    this.#isForAll = origins.includes('*');
    this.#origins = exactOrigins(origins);
    this.#hasCredentials = credentials;
    this.#methods = [...methods].join(', ');
    this.#requestFields = [...requestHeaders];
    this.#answerFields = answerFields;
    this.#maxAgeSeconds = Math.floor(maxAgeMillis / 1000);
  }

  /** Whether a request is from a page of an origin that is listed by itself. */
  isListed({ headers: { origin } }: Pick<IncomingMessage, 'headers'>): boolean {
    return origin !== undefined && this.#origins.has(origin);
  }

  /** Whether a request is the preflight of a browser. */
  isPreflight({ method, headers }: IncomingMessage): boolean {
    return (
      method === 'OPTIONS' &&
      headers.origin !== undefined &&
      headers['access-control-request-method'] !== undefined
    );
  }

  /**
   * Sets the fields that every answer has, refusals too: a page may read those as well, and the
   * fields `exposed`.
   */
  prepare(
    request: IncomingMessage,
    response: ServerResponse,
    exposed: readonly string[] = [],
  ): void {
    // A cache must not give one origin the answer of another, or that of a request without one.
    if (!this.#isForAll) {
      response.setHeader('vary', 'origin');
    }
    const origin = this.#allowed(request);
    if (origin === null) return;
    response.setHeader('access-control-allow-origin', origin);
    response.setHeader(
      'access-control-expose-headers',
      [REQUEST_ID, ...this.#answerFields, ...exposed].join(', '),
    );
    if (this.#hasCredentials) {
      response.setHeader('access-control-allow-credentials', 'true');
    }
  }

  /**
   * Answers a preflight; `more` are names of its endpoint. For an origin that is not allowed
   * without the fields that allow.
   */
  answerPreflight(
    exchange: Exchange,
    request: IncomingMessage,
    response: ServerResponse,
    more: readonly string[] = [],
  ): void {
    exchange.operation = 'preflight';
    const fields = this.#allowed(request) === null ? [] : this.#preflight(more);
    endLingering(exchange, response, 204, fields, null);
  }

  /** Names are listed, never echoed; `*` would not include authorization. */
  #preflight(more: readonly string[]): readonly string[] {
    return [
      ...['access-control-allow-methods', this.#methods],
      ...['access-control-allow-headers', [...this.#requestFields, ...more].join(', ')],
      ...['access-control-max-age', String(this.#maxAgeSeconds)],
    ];
  }

  #allowed({ headers: { origin } }: IncomingMessage): string | null {
    if (origin === undefined) return null;
    if (this.#isForAll) return '*';
    return this.#origins.has(origin) ? origin : null;
  }
}

type CorsConfig = NonNullable<Config['graphql']['cors']>;

/** Null where no pages of other origins are allowed. */
export function makeCors({ graphql: { cors }, clients, services }: Config): Cors | null {
  if (cors === undefined) return null;
  const ofServices = Object.values(services).flatMap(
    ({ callerHeaders, forwardHeaders, operations }) => [
      ...callerHeaders,
      ...forwardHeaders,
      ...Object.values(operations).flatMap((each) =>
        typeof each === 'object' ? (each.idempotency?.header ?? []) : [],
      ),
    ],
  );
  const apiKey = clients?.apiKeys === undefined ? [] : [clients.apiKeys.header];
  const hasTokens = clients?.jwt !== undefined || clients?.introspection !== undefined;
  const proof = hasTokens ? ['dpop'] : [];
  const names = [...REQUEST_HEADERS, ...apiKey, ...proof, ...ofServices, ...cors.headers].map(
    (name) => name.toLowerCase(),
  );
  const own = Object.values(services).flatMap(({ operations }) =>
    Object.values(operations).flatMap((each) =>
      typeof each === 'object' ? (each.rest?.split(' ', 1) ?? []) : [],
    ),
  );
  const answerFields = hasTokens ? ['www-authenticate', 'dpop-nonce'] : [];
  return new Cors(cors, new Set(names), new Set(['GET', 'POST', ...own]), answerFields);
}

/** The origins that are listed by themselves, as browsers write them. */
export const exactOrigins = (urls: readonly string[]): ReadonlySet<string> =>
  new Set(urls.flatMap((url) => originOf(url) ?? []));

/** The origin of a URL; null for a text that is none. */
export function originOf(url: string): string | null {
  const { origin } = URL.canParse(url) ? new URL(url) : { origin: 'null' };
  return origin === 'null' ? null : origin;
}

/** Header fields that GraphQL clients in browsers send. */
const REQUEST_HEADERS = [
  'accept',
  'content-type',
  'authorization',
  'graphql-require-preflight',
  'apollo-require-preflight',
  'x-apollo-operation-name',
  'apollographql-client-name',
  'apollographql-client-version',
  'x-requested-with',
  REQUEST_ID,
  'soapstone-cost-breakdown',
  'traceparent',
  'tracestate',
  'baggage',
  'cache-control',
  'last-event-id',
];
