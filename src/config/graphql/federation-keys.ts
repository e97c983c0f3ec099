import { FIELD_NAME, FIELD_PATH, NAME_FORMAT } from '../keys/formats.js';
import {
  closed,
  flag,
  list,
  mapOf,
  optional,
  type StaticOf,
  string,
  text,
  unsafe,
} from '../keys/key-types.js';
import { LINK_BATCH, linkedOperation } from './link-keys.js';

/**
 * Keys about the schema as a part of a supergraph: the part of the table of keys for Apollo
 * Federation.
 */

const ONE_PATH = FIELD_PATH.pattern.slice(1, -1);
const FIELD_PATHS = `^${ONE_PATH}( ${ONE_PATH}){0,15}$`;

const fieldSet = (description: string) =>
  text(description, {
    minLength: 1,
    maxLength: 1000,
    pattern: '^[_0-9A-Za-z{}\\s,]+$',
    hint: 'Write names of fields with blanks between them: `id country`, or `owner { id }`.',
  });

const BATCH = closed(
  {
    ...LINK_BATCH.properties,
    argument: text(
      'Its list argument, which takes the keys: values, or objects with members that are called ' +
        'like the `arguments`, where these are several.',
      FIELD_PATH,
    ),
    key: text(
      'The field of the items that holds the key, or the fields, in the order of the key: ' +
        'answers may come in any order.',
      { pattern: FIELD_PATHS, maxLength: 2048, hint: 'Write fields with a blank between them.' },
    ),
  },
  'A list operation that answers many objects in one call.',
);

const KEY = closed({
  fields: fieldSet('Its fields: `id`, `id country`, `owner { id }`.'),
  resolvable: flag(
    'Whether other subgraphs may ask for objects by it. `false`: they are only referred to, and ' +
      'no operation is named.',
    true,
  ),
  operation: optional(
    linkedOperation(
      'Service and operation that answers with the object: `crm.GetCustomer`. ' +
        'It needs no field of its own.',
    ),
  ),
  arguments: optional(
    mapOf(
      FIELD_PATH.pattern,
      string(FIELD_PATH),
      'By argument of the operation, or path into it, the field of the representation, or path, ' +
        'that fills it: of the key, or of `requires`. By default arguments are called like the ' +
        'fields of the key.',
      { names: FIELD_PATH.hint },
    ),
  ),
  batch: optional(BATCH),
});

export type FederationKey = StaticOf<typeof KEY>;

/** Unsafe because a union would report an error inside a key as "matches none". */
const KEYS_OF_TYPE = unsafe<FederationKey | readonly FederationKey[]>({
  ...KEY,
  type: ['object', 'array'],
  items: KEY,
  minItems: 1,
  maxItems: 16,
});

const tags = list(
  string({
    pattern: '^[_A-Za-z][_A-Za-z0-9/-]{0,127}$',
    hint: 'Write letters, digits, `_`, `-` and `/`, a letter first.',
  }),
  'Tags for contracts of the router: `@tag`.',
  { maxItems: 16, uniqueItems: true, default: [] },
);
const inaccessible = flag('Whether the supergraph hides it: `@inaccessible`.', false);
const shareable = (what: string) => flag(`${what}: \`@shareable\`.`, false);

const OVERRIDE = closed(
  {
    from: text('The name of the other subgraph.', { minLength: 1, maxLength: 256 }),
    label: optional(
      text('The part of requests that it answers: `percent(10)`.', {
        minLength: 1,
        maxLength: 256,
      }),
    ),
  },
  'Takes the field over from another subgraph: `@override`.',
);

const FIELD = closed({
  shareable: shareable('Other subgraphs may answer it too'),
  external: flag(
    'Whether other subgraphs answer it, and it is here for `requires` or `provides` only: ' +
      '`@external`.',
    false,
  ),
  type: optional(
    text(
      'The type of a field that is `external`, where no reply has it: `Int`. It is added to the ' +
        'schema for `requires`, and is null.',
      { minLength: 1, maxLength: 256, hint: 'Write a type of GraphQL: Int.' },
    ),
  ),
  override: optional(OVERRIDE),
  requires: optional(
    fieldSet(
      'Fields of other subgraphs that representations have for it: `@requires`. ' +
        '`arguments` of a key passes them on.',
    ),
  ),
  provides: optional(fieldSet('Fields below it that are answered here too: `@provides`.')),
  inaccessible,
  tags,
});

const TYPE = closed({
  shareable: shareable('Other subgraphs may answer all its fields too'),
  interfaceObject: flag(
    'Whether it is an interface in other subgraphs, with an object for each of its types here: ' +
      '`@interfaceObject`.',
    false,
  ),
  inaccessible,
  tags,
  fields: mapOf(
    `^${FIELD_NAME}$`,
    FIELD,
    'By field; by value of an enumeration, or field of an input, with `tags` and ' +
      '`inaccessible` only.',
    { names: 'Write the name of a field, as `soapstone schema` prints it.', default: {} },
  ),
});

export const FEDERATION_KEYS = closed(
  {
    keys: mapOf(
      `^${FIELD_NAME}$`,
      KEYS_OF_TYPE,
      'By type in GraphQL, the key of its objects, or a list of several: `@key`. ' +
        'The first whose fields a representation has is used.',
      { names: 'Write the name of a type, as `soapstone schema` prints it.', default: {} },
    ),
    types: mapOf(
      `^${FIELD_NAME}$`,
      TYPE,
      'By type in GraphQL, what a composition has to know of it and its fields.',
      { names: 'Write the name of a type, as `soapstone schema` prints it.', default: {} },
    ),
    router: optional(
      text('The class of clients that may read `_service` while `introspection` is off.', {
        pattern: NAME_FORMAT,
      }),
    ),
  },
  'Makes the schema a subgraph of Apollo Federation 2: `_service` answers its SDL, ' +
    '`_entities` the objects of keys.',
);

export type FederationConfig = StaticOf<typeof FEDERATION_KEYS>;
