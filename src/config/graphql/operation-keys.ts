import { tolerated } from '../../core/index.js';
import { CALL_KEYS } from '../backend/call-keys.js';
import { GRAPHQL_NAME } from '../keys/formats.js';
import {
  closed,
  flag,
  flagOr,
  list,
  oneOf,
  optional,
  type StaticOf,
  text,
  unsafe,
} from '../keys/key-types.js';
import { SCOPE_KEYS } from '../keys/rights-keys.js';
import { CACHE_KEYS } from './cache-keys.js';
import { costPoints, OPERATION_COST_KEYS } from './cost-keys.js';
import { IDEMPOTENCY_KEYS } from './idempotency-keys.js';
import { PAGE_KEYS } from './page-keys.js';
import { REPLY_HEADERS, REQUEST_KEYS } from './request-keys.js';

const NAMES = unsafe<tolerated.Deviation>({
  type: 'string',
  enum: tolerated.DEVIATION_NAMES,
});

/** `tolerate` of a service, and of an operation. */
export const toleratedNames = (description: string) =>
  list(NAMES, description, { maxItems: tolerated.DEVIATION_NAMES.length, uniqueItems: true });

/** Keys of one operation of a service: the part of the table of keys for it. */
const MAPPED = closed({
  field: optional(
    text(
      'Root type and name of the field: `Query.order`, `Mutation.placeOrder`; ' +
        'by default from its name.',
      {
        pattern: `^(Query|Mutation)\\.${GRAPHQL_NAME}$`,
        hint: 'Write Query or Mutation, a dot and a GraphQL name: Query.order.',
      },
    ),
  ),
  description: optional(
    text('Description of the field, instead of the documentation of the WSDL.', {
      maxLength: 2000,
    }),
  ),
  deprecated: optional(
    text('Marks the field as deprecated, for this reason.', { minLength: 1, maxLength: 2000 }),
  ),
  idempotent: optional(
    flag(
      'Calling it twice does no harm: it is called again, once, when a connection broke ' +
        'without an answer, or as `retry` says.',
    ),
  ),
  weight: optional(
    costPoints(
      'Points that one call of a SOAP client takes from its budget; by default its `cost`, ' +
        'or `callCost` of the service or of `limits.graphql`.',
    ),
  ),
  ...IDEMPOTENCY_KEYS,
  ...PAGE_KEYS,
  ...CACHE_KEYS,
  request: optional(
    text(
      'Local name of the request element; without a WSDL by default the name of the operation.',
      { minLength: 1 },
    ),
  ),
  response: optional(
    text(
      'Local name of the reply element; without a WSDL by default the request ' +
        'element plus `Response`.',
      { minLength: 1 },
    ),
  ),
  namespace: optional(
    text('Namespace of the request and reply elements, instead of that of the service.'),
  ),
  qualified: optional(
    flag('Whether the children are in the namespace too (without a WSDL; default true).'),
  ),
  oneWay: optional(
    flag(
      'The backend answers without an envelope: the field is `true` once it has accepted the ' +
        'message, whatever output the WSDL declares.',
    ),
  ),
  tolerate: optional(
    toleratedNames('Deviations of its replies that pass, besides those of the service.'),
  ),
  soapAction: optional(text('The action to send, instead of that of the WSDL.')),
  faults: optional(
    oneOf(
      ['errors', 'union'],
      'How callers meet the Faults that the WSDL declares: `errors` (default) with the typed ' +
        'detail in their extensions, or `union`: as data, in a union with the answer. ' +
        'Other Faults are errors.',
    ),
  ),
  rest: optional(
    text(
      'Its own method and path over REST: `GET /orders/{id}`. Segments in braces are ' +
        'arguments. The service needs `rest`.',
      {
        pattern:
          '^(?:GET|POST|PUT|PATCH|DELETE) ' +
          '(?:/(?:[A-Za-z0-9._~-]{1,128}|\\{[_A-Za-z][_0-9A-Za-z]{0,127}\\})){1,16}$',
        hint: 'Write a method, a blank and a path: GET /orders/{id}.',
      },
    ),
  ),
  ...SCOPE_KEYS,
  ...CALL_KEYS,
  ...OPERATION_COST_KEYS,
  ...REQUEST_KEYS,
  replyHeaders: REPLY_HEADERS,
});

export type MappedOperation = StaticOf<typeof MAPPED>;

export const OPERATION_KEYS = flagOr(
  '`true`: a GraphQL field under its default name; `false`: no GraphQL field, ' +
    'SOAP only; or how it is mapped.',
  MAPPED,
);
