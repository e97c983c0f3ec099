import { graphqlSchema } from '../../graphql/index.js';
import { GRAPHQL_NAME } from '../keys/formats.js';
import {
  closed,
  flag,
  mapOf,
  oneOf,
  optional,
  type StaticOf,
  section,
  text,
} from '../keys/key-types.js';
import { FIELD_RIGHTS_KEYS } from '../keys/rights-keys.js';
import { CONVERT_KEY } from './convert-keys.js';
import { costPoints, LIST_SIZE } from './cost-keys.js';
import { liftPath } from './lift-keys.js';

const name = (description: string) =>
  optional(text(description, { pattern: `^${GRAPHQL_NAME}$`, hint: 'Write a GraphQL name.' }));
const sentence = (description: string) =>
  optional(text(description, { minLength: 1, maxLength: 2000 }));

const nullable = (description: string) => optional(flag(description));

const FIELD = closed({
  name: name('Its name in GraphQL.'),
  type: optional(
    oneOf(
      graphqlSchema.RETYPE_TARGETS,
      'The scalar it is shown as. Every value must survive: ' +
        'a number may be an `ID`, text no `Int`.',
    ),
  ),
  convert: CONVERT_KEY,
  path: liftPath(
    'The way from an element of the type to the value, which the field shows without the ' +
      'elements around it: `address/cityName`. The key is a new name then. An element of which ' +
      'nothing else is left is not shown.',
  ),
  hide: flag('Leaves it out of replies, and of requests unless it must be provided.', false),
  nullable: nullable(
    '`true`: replies may leave it out, or send nil, although the WSDL requires it. `false`: ' +
      'it is never null, although the WSDL declares it nillable or optional; ' +
      'a reply without it is an error. By default as its type.',
  ),
  deprecated: sentence('Marks it as deprecated, for this reason.'),
  description: sentence('Instead of its documentation.'),
  cost: optional(costPoints('Its cost each time it is selected of an object; nothing by default.')),
  listSize: optional(LIST_SIZE),
  ...FIELD_RIGHTS_KEYS,
});

export type FieldKeys = StaticOf<typeof FIELD>;

const TYPE = closed({
  name: name('Its name in GraphQL; that of the input type ends in `Input`.'),
  description: sentence('Instead of its documentation.'),
  hide: flag('Leaves out every field of this type.', false),
  nullable: nullable(
    '`true`: every field in this type may be null in replies; `false`: as the WSDL declares ' +
      'it. By default as the service.',
  ),
  cost: optional(costPoints('The cost of each object of the type; 1 by default.')),
  fields: mapOf(
    '^@?[^\\s:{}@]{1,256}$',
    FIELD,
    'By the XML name of an element or attribute; `@name` is the attribute where both exist.',
    { names: 'Use the name of an element or an attribute (`@name`) of the type.', default: {} },
  ),
});

/**
 * Keys of a service about the types that its schema is made of: the part of the table of keys for
 * them.
 */
export const SCHEMA_KEYS = section('How GraphQL shows what the WSDL declares.', {
  choices: oneOf(
    ['fields', 'union'],
    'A choice in replies: `fields` has one for each branch, which may be null; ' +
      '`union` has one field `choice`, of a type for each branch, in the order of the ' +
      'message where it is repeated.',
    'fields',
  ),
  nullable: nullable(
    'Every field may be null in replies: for a backend that leaves out what its WSDL ' +
      'requires. By default true for structs of the SOAP encoding and maps of JAXB, else false.',
  ),
  restrictedReplies: optional(
    oneOf(
      ['pass', 'refuse'],
      'SOAP calls whose replies may hold fields that the caller may not read, or that are ' +
        'masked for its class: `pass` (default) lets replies pass as they are, ' +
        '`refuse` refuses the calls.',
    ),
  ),
  types: mapOf(
    '^(\\{[^{}]*\\})?[^\\s:{}]{1,256}$',
    TYPE,
    'By the XML name of a type, or of the element of a type without a name; ' +
      '`{uri}name` where that is ambiguous.',
    { names: 'Use the name of a type of the WSDL: Customer or {uri}Customer.', default: {} },
  ),
});
