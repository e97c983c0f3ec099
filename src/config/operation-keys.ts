import { CACHE_KEYS, type ReadKeys, type WriteKeys } from './cache-keys.js';
import { OPERATION_COST_KEYS, type OperationCostKeys } from './cost-keys.js';
import { GRAPHQL_NAME } from './formats.js';
import { REQUEST_KEYS, type RequestEntries } from './request-keys.js';

/** Keys of one operation of a service: the part of the table of keys for it. */

export interface MappedOperation extends OperationCostKeys {
  field?: string;
  description?: string;
  deprecated?: string;
  idempotent?: boolean;
  weight?: number;
  read?: ReadKeys;
  write?: WriteKeys;
  request?: string;
  response?: string;
  namespace?: string;
  qualified?: boolean;
  soapAction?: string;
  faults?: 'errors' | 'union';
  arguments?: RequestEntries;
  headers?: RequestEntries;
}

const text = (description: string) => ({ type: 'string', description }) as const;
const flag = (description: string) => ({ type: 'boolean', description }) as const;

const PROPERTIES = {
  field: {
    ...text('Root type and name of the field: `Query.order`, `Mutation.placeOrder`; by default from its name.'),
    pattern: `^(Query|Mutation)\\.${GRAPHQL_NAME}$`,
    hint: 'Write Query or Mutation, a dot and a GraphQL name: Query.order.',
  },
  description: { ...text('Description of the field, instead of the documentation of the WSDL.'), maxLength: 2000 },
  deprecated: { ...text('Marks the field as deprecated, for this reason.'), minLength: 1, maxLength: 2000 },
  idempotent: flag(
    'Calling it twice does no harm: it is called again, once, when a connection broke without an answer.',
  ),
  weight: {
    type: 'integer',
    description:
      'What one call of a SOAP client takes from its budget; unless given its `cost`, or `callCost` of the service or of `limits.graphql`.',
    unit: 'points',
    minimum: 0,
    maximum: 1_000_000,
  },
  ...CACHE_KEYS,
  request: {
    ...text('Local name of the request element; without a WSDL, the name of the operation unless given.'),
    minLength: 1,
  },
  response: {
    ...text('Local name of the reply element; without a WSDL, the request element plus `Response` unless given.'),
    minLength: 1,
  },
  namespace: text('Namespace of the request and reply elements, instead of that of the service.'),
  qualified: flag('Whether the children are in the namespace too (without a WSDL; default true).'),
  soapAction: text('The action to send, instead of that of the WSDL.'),
  faults: {
    ...text(
      'How callers meet the Faults that the WSDL declares: `errors` (default) with the typed detail in their extensions, or `union`: as data, in a union with the answer. Other Faults are errors.',
    ),
    enum: ['errors', 'union'],
  },
  ...OPERATION_COST_KEYS,
  ...REQUEST_KEYS,
} as const;

/** One schema instead of a union, so that a mistake inside the object is reported there and not as "matches none". */
export const OPERATION_KEYS = {
  description:
    '`true`: a GraphQL field under its default name; `false`: no GraphQL field, SOAP only; or how it is mapped.',
  type: ['boolean', 'object'],
  properties: PROPERTIES,
  additionalProperties: false,
} as const;
