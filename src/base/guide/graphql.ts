import type { RefusalGuide } from './guide.js';

/** Why requests are refused, and the remedies: GraphQL. */
export const GRAPHQL_GUIDE = {
  BAD_REQUEST: {
    why: 'The body is no GraphQL request: JSON with `query`, `variables`, `operationName`, `extensions`.',
    change: 'Correct the request; an error message names the member. Limits bound variables.',
  },
  BAD_USER_INPUT: {
    why: 'A variable or argument has a value that its type or the schema of the service does not admit.',
    change: 'The error names the place and what is admitted. Lists and texts have limits.',
  },
  GRAPHQL_PARSE_FAILED: {
    why: 'The document breaks the grammar of GraphQL.',
    change: 'The error has line and column.',
  },
  GRAPHQL_VALIDATION_FAILED: {
    why: 'The document asks for what the schema does not have, or breaks a rule of validation.',
    change:
      'Compare with `soapstone schema`; the error names the field. Limits bound operations, selections and fragments.',
  },
  MAX_DEPTH_LIMIT: {
    why: 'Deep selections multiply the answer.',
    change: 'Ask in two operations, or raise the limit. `graphql.measure` counts without refusing.',
  },
  MAX_ALIASES_LIMIT: {
    why: 'Aliases ask for the same many times.',
    change: 'Ask for less at once, or raise the limit.',
  },
  MAX_ROOT_FIELDS_LIMIT: {
    why: 'Each root field is a call of a service.',
    change: 'Ask in several operations, or raise the limit.',
  },
  MAX_DIRECTIVES_LIMIT: {
    why: 'Directives cost time in validation and mean little beyond `@skip` and `@include`.',
    change: 'Remove directives, or raise the limit.',
  },
  MAX_TOKENS_LIMIT: {
    why: 'A long document takes the parser long.',
    change: 'Shorten the document, pass data as variables, or raise the limit.',
  },
  MAX_CALLS_LIMIT: {
    why: 'One operation may not make the gateway call services without bound.',
    change: 'Ask for fewer links, use `batch` of the link, or raise the limit.',
  },
  MAX_LINKS_LIMIT: {
    why: 'Links below long lists multiply.',
    change: 'Ask for shorter lists or fewer links, or raise the limit.',
  },
  MAX_COST_LIMIT: {
    why: 'The estimated cost is above what one operation may take.',
    change:
      '`extensions.cost` of the error names the dearest field and the remedy: shorter lists, fewer links. `soapstone explain` prints the cost of each field.',
  },
  INTROSPECTION_DISABLED: {
    why: 'The schema is not shown to callers.',
    change: 'Use the output of `soapstone schema`, or set `graphql.introspection: true`.',
  },
  CSRF_PREVENTED: {
    why: 'A page of another site can send this request with the cookies of a user.',
    change: 'Send `graphql-require-preflight: 1`, or `content-type: application/json`.',
  },
  BATCHING_NOT_SUPPORTED: {
    why: 'A batch is many operations at the price of one request.',
    change: 'Send single requests, or set `graphql.batch` to the longest batch.',
  },
  PERSISTED_QUERY_NOT_FOUND: {
    why: 'The hash or id is known by no document here.',
    change: 'Send the document with its hash once; for trusted documents check the manifest (`graphql.trusted`).',
  },
  PERSISTED_QUERY_NOT_SUPPORTED: {
    why: 'Documents are not stored at the request of callers.',
    change: 'Send the document, or set `graphql.persisted.automatic: true`.',
  },
  PERSISTED_QUERY_HASH_MISMATCH: {
    why: 'A wrong hash would let one caller replace the document of another.',
    change: 'Send the SHA-256 of the document as it is sent, in hexadecimal.',
  },
  PERSISTED_QUERY_ONLY: {
    why: 'Only trusted documents are run here.',
    change: 'Add the document to the manifest, or set `graphql.trusted.only: false`.',
  },
  SUBSCRIPTION_TRANSPORT: {
    why: 'One answer cannot carry the events of a subscription.',
    change: 'Send `accept: text/event-stream`, or use a WebSocket with `graphql-transport-ws`.',
  },
  SUBSCRIPTION_OVERFLOW: {
    why: 'The client reads more slowly than events come, and its queue is full.',
    change: 'Read faster, select less, or raise the limit.',
  },
  GATEWAY_DRAINING: {
    why: 'The process stops, or a new one takes its place. Subscriptions over server-sent events end with this error, and new ones and new WebSockets are refused with it.',
    change: 'Subscribe again: the request goes to another process. Open WebSockets are closed with 1001 instead.',
  },
  SUBSCRIPTION_GAP: {
    why: 'Events were lost between services, processes or clients, or the id of `Last-Event-ID` is no longer known.',
    change: 'Ask for the present value and go on. Where it happens often, raise the limit.',
  },
} as const satisfies Record<string, RefusalGuide>;
