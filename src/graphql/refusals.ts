import type { refusals } from '../core/index.js';

/**
 * Refusals of GraphQL requests: `status` is that of an answer in
 * application/graphql-response+json with no data.
 */
export const GRAPHQL_REFUSALS = {
  GRAPHQL_PARSE_FAILED: {
    blame: 'client',
    status: 400,
    text: 'The document is not valid GraphQL.',
  },
  GRAPHQL_VALIDATION_FAILED: {
    blame: 'client',
    status: 400,
    text: 'The document does not fit the schema.',
  },
  MAX_DEPTH_LIMIT: {
    blame: 'client',
    status: 400,
    text: 'The operation is nested deeper than allowed.',
  },
  MAX_ALIASES_LIMIT: {
    blame: 'client',
    status: 400,
    text: 'The operation has more aliases than allowed.',
  },
  MAX_ROOT_FIELDS_LIMIT: {
    blame: 'client',
    status: 400,
    text: 'The operation has too many root fields.',
  },
  MAX_DIRECTIVES_LIMIT: {
    blame: 'client',
    status: 400,
    text: 'The document has too many directives.',
  },
  MAX_TOKENS_LIMIT: { blame: 'client', status: 400, text: 'The document is longer than allowed.' },
  MAX_CALLS_LIMIT: {
    blame: 'client',
    status: 400,
    text: 'The operation needs more calls to services than allowed.',
  },
  MAX_PAGES_LIMIT: {
    blame: 'client',
    status: 400,
    text: 'A field needs more pages from its service than allowed.',
  },
  MAX_LINKS_LIMIT: {
    blame: 'client',
    status: 400,
    text: 'The links of the operation bring more than allowed.',
  },
  MAX_COST_LIMIT: { blame: 'client', status: 400, text: 'The operation costs more than allowed.' },
  INTROSPECTION_DISABLED: { blame: 'client', status: 400, text: 'Introspection is switched off.' },
  CSRF_PREVENTED: {
    blame: 'client',
    status: 400,
    text: 'The request lacks a header that proves its origin.',
  },
  BATCHING_NOT_SUPPORTED: {
    blame: 'client',
    status: 400,
    text: 'Batches are not accepted, or not as long and deep as this one.',
  },
  PERSISTED_QUERY_NOT_FOUND: {
    blame: 'client',
    status: 404,
    text: 'No document is known by what the request names.',
  },
  PERSISTED_QUERY_NOT_SUPPORTED: {
    blame: 'client',
    status: 400,
    text: 'Documents are not kept here: each request has to bring its own.',
  },
  PERSISTED_QUERY_HASH_MISMATCH: {
    blame: 'client',
    status: 400,
    text: 'The hash is not that of the document.',
  },
  PERSISTED_QUERY_ONLY: {
    blame: 'client',
    status: 400,
    text: 'Only the documents that the gateway was given are run.',
  },

  // Subscriptions.
  SUBSCRIPTION_TRANSPORT: {
    blame: 'client',
    status: 400,
    text: 'A subscription needs server-sent events or a WebSocket.',
  },
  SUBSCRIPTION_OVERFLOW: {
    blame: 'client',
    text: 'Events came faster than they were taken: the subscription ends.',
  },
  GATEWAY_DRAINING: {
    blame: 'us',
    level: 'warn',
    httpStatus: 503,
    text: 'The gateway is stopping: subscribe again.',
  },
  SCHEMA_UNAVAILABLE: {
    blame: 'us',
    level: 'warn',
    httpStatus: 503,
    retryAfterSeconds: 1,
    text: 'There is no GraphQL schema at present.',
    shows: ['retryAfter'],
    remedy: 'Send the request again later.',
  },
  SUBSCRIPTION_GAP: { blame: 'us', text: 'Events were lost: what is shown may be out of date.' },
} as const satisfies Record<string, refusals.RefusalKind>;

type GraphqlRefusals = typeof GRAPHQL_REFUSALS;

declare module '../core/refusals/refusals.js' {
  interface RefusalTable extends GraphqlRefusals {}
}
