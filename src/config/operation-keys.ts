import { type Static, Type } from '@sinclair/typebox';
import { GRAPHQL_NAME } from './formats.js';

const MAPPED_OPERATION = Type.Object({
  field: Type.Optional(
    Type.String({
      description: 'Root type and name of the field: `Query.order`, `Mutation.placeOrder`; by default from its name.',
      pattern: `^(Query|Mutation)\\.${GRAPHQL_NAME}$`,
      hint: 'Write Query or Mutation, a dot and a GraphQL name: Query.order.',
    }),
  ),
  idempotent: Type.Optional(
    Type.Boolean({
      description:
        'Calling it twice does no harm: it is called again, once, when a connection broke without an answer.',
    }),
  ),
  request: Type.Optional(
    Type.String({
      description: 'Local name of the request element; without a WSDL, the name of the operation unless given.',
      minLength: 1,
    }),
  ),
  response: Type.Optional(
    Type.String({
      description: 'Local name of the reply element; without a WSDL, the request element plus `Response` unless given.',
      minLength: 1,
    }),
  ),
  namespace: Type.Optional(
    Type.String({ description: 'Namespace of the request and reply elements, instead of that of the service.' }),
  ),
  qualified: Type.Optional(
    Type.Boolean({ description: 'Whether the children are in the namespace too (without a WSDL; default true).' }),
  ),
  soapAction: Type.Optional(Type.String({ description: 'The action to send, instead of that of the WSDL.' })),
});

/** One schema instead of a union, so that a mistake inside the object is reported there and not as "matches none". */
export const OPERATION = Type.Unsafe<boolean | Static<typeof MAPPED_OPERATION>>({
  description:
    '`true`: a GraphQL field under its default name; `false`: no GraphQL field, SOAP only; or how it is mapped.',
  ...MAPPED_OPERATION,
  type: ['boolean', 'object'],
  additionalProperties: false,
});
