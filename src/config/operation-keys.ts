import { GRAPHQL_NAME } from './formats.js';

/** Keys of one operation of a service: the part of the table of keys for it. */

export interface MappedOperation {
  field?: string;
  description?: string;
  deprecated?: string;
  idempotent?: boolean;
  request?: string;
  response?: string;
  namespace?: string;
  qualified?: boolean;
  soapAction?: string;
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
} as const;

/** One schema instead of a union, so that a mistake inside the object is reported there and not as "matches none". */
export const OPERATION_KEYS = {
  description:
    '`true`: a GraphQL field under its default name; `false`: no GraphQL field, SOAP only; or how it is mapped.',
  type: ['boolean', 'object'],
  properties: PROPERTIES,
  additionalProperties: false,
} as const;
