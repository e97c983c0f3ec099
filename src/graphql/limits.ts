import { internal, KIB, type Limits, type LimitTable, limit, MIB } from '../core/index.js';

/**
 * Limits of GraphQL requests and answers. All but the last are checked before anything is called.
 */
export const GRAPHQL_LIMITS = {
  bodyBytes: limit(
    2_000_000,
    [KIB, 64 * MIB],
    'bytes',
    'HTTP_TOO_LARGE',
    'Bytes of the body of one POST. Apollo allows 2 MB.',
  ),
  uploads: limit(
    10,
    [0, 1000],
    'count',
    'BAD_REQUEST',
    'Files of one multipart request; 0 refuses such requests.',
  ),
  uploadBytes: limit(
    1024 * MIB,
    [KIB, 1048576 * MIB],
    'bytes',
    'HTTP_TOO_LARGE',
    'Bytes of all files of one multipart request. They flow to the backend and are not kept.',
  ),
  uploadHeldBytes: limit(
    MIB,
    [64 * KIB, 64 * MIB],
    'bytes',
    'BAD_REQUEST',
    'Bytes of files that come before their turn: each request holds so many.',
  ),
  tokens: limit(
    1000,
    [10, 100_000],
    'count',
    'MAX_TOKENS_LIMIT',
    'Tokens of one document, comments too, counted while it is read. ' +
      'GraphQL Armor allows 1,000, Apollo 15,000.',
  ),
  characters: internal(
    30_000,
    [100, 64 * MIB],
    'chars',
    'MAX_TOKENS_LIMIT',
    'UTF-16 units of one document. GraphQL Armor allows 15,000; long values belong into variables.',
  ),
  operations: internal(
    5,
    [1, 1000],
    'count',
    'GRAPHQL_VALIDATION_FAILED',
    'Operations in one document.',
  ),
  selections: limit(
    10_000,
    [10, 1_000_000],
    'count',
    'GRAPHQL_VALIDATION_FAILED',
    'Fields of one operation with every fragment written out: ' +
      'small fragments can double each other.',
  ),
  fragmentHeight: internal(
    20,
    [1, 1000],
    'levels',
    'GRAPHQL_VALIDATION_FAILED',
    'Fragments within each other, whether they have names or stand where they are used.',
  ),
  depth: limit(
    10,
    [1, 100],
    'levels',
    'MAX_DEPTH_LIMIT',
    'Levels of fields, fragments written out. Selections of __schema and ' +
      '__type have their own limit.',
  ),
  introspectionDepth: limit(
    20,
    [1, 100],
    'levels',
    'MAX_DEPTH_LIMIT',
    'Levels of fields inside __schema and __type of the query itself. ' +
      'The query that tools send has 14.',
  ),
  aliases: limit(
    15,
    [0, 10_000],
    'count',
    'MAX_ALIASES_LIMIT',
    'Aliases of one operation, fragments written out; no name is exempt. GraphQL Armor allows 15.',
  ),
  rootFields: limit(
    5,
    [1, 1000],
    'count',
    'MAX_ROOT_FIELDS_LIMIT',
    'Fields at the root of one operation, each of which may be a call to a backend.',
  ),
  directives: limit(
    50,
    [0, 10_000],
    'count',
    'MAX_DIRECTIVES_LIMIT',
    'Directives in the whole document, and in one operation with fragments written out. ' +
      'GraphQL Armor allows 50.',
  ),
  variableDepth: limit(
    50,
    [1, 200],
    'levels',
    'BAD_REQUEST',
    'Levels of objects and lists in the input values of one operation, ' +
      'in variables or in the document.',
  ),
  variableKeys: internal(
    1000,
    [1, 1_000_000],
    'count',
    'BAD_REQUEST',
    'Members of all objects in input values, arguments included; ' +
      'a fragment counts as often as it is used.',
  ),
  variableValues: limit(
    10_000,
    [1, 10_000_000],
    'count',
    'BAD_REQUEST',
    'Input values of all kinds, counted alike.',
  ),
  listItems: limit(
    1000,
    [1, 1_000_000],
    'count',
    'BAD_USER_INPUT',
    'Items of any one list of the input.',
  ),
  cost: limit(
    1000,
    [1, 1_000_000_000],
    'points',
    'MAX_COST_LIMIT',
    'Estimated cost of one operation: each call `callCost`, and the objects that its ' +
      'reply can bring, 1 each.',
  ),
  callCost: limit(10, [0, 1_000_000], 'points', null, 'Cost of one call to a backend.'),
  assumedListSize: limit(
    10,
    [1, 1_000_000],
    'count',
    null,
    'How many items a list without `listSize` is taken to have when cost is ' +
      'estimated. Apollo assumes 10.',
  ),
  assumedReplySize: limit(
    100,
    [1, 10_000_000],
    'count',
    null,
    'Objects that one SOAP reply is taken to bring at most in lists without `listSize`, ' +
      'however they are nested. Its bytes are bounded by `limits.xml.messageBytes`.',
  ),
  sliceItems: limit(
    100,
    [1, 1_000_000],
    'count',
    'BAD_USER_INPUT',
    'The most items that a slicing argument of a list (`listSize`) may ask for; ' +
      'the least is 1. GitHub allows 100.',
  ),
  kibCost: limit(
    0,
    [0, 1_000_000],
    'points',
    null,
    'Cost of each KiB of the replies of backends: of what is read, and before that of ' +
      '`replyKib` of the operations.',
  ),
  calls: limit(
    50,
    [1, 10_000],
    'count',
    'MAX_CALLS_LIMIT',
    'Calls to backends for one request, links included; fields that would need another one ' +
      'are null with an error. The pages of a field are one.',
  ),
  callsAtOnce: limit(
    10,
    [1, 1000],
    'count',
    null,
    'Calls for the links of one request that run side by side, and for pages as ' +
      'many; further ones wait.',
  ),
  pages: limit(
    100,
    [1, 10_000],
    'count',
    'MAX_PAGES_LIMIT',
    'Pages of one field (`pages` of its operation) for one answer: `first` may ask for as ' +
      'many rows as they hold.',
  ),
  batchItems: limit(
    100,
    [1, 10_000],
    'count',
    null,
    'Keys in one call of a list operation; more keys are more calls.',
  ),
  links: limit(
    10_000,
    [1, 1_000_000],
    'count',
    'MAX_LINKS_LIMIT',
    'Positions in one answer that links fill.',
  ),
  representations: limit(
    1000,
    [1, 10_000],
    'count',
    'BAD_USER_INPUT',
    'Representations of one `_entities`: each is an object that a router asks a subgraph for.',
  ),
  repeatedChars: internal(
    8 * MIB,
    [KIB, 256 * MIB],
    'chars',
    'MAX_LINKS_LIMIT',
    'Length of what links put into one answer again: one answer of a backend ' +
      'may stand in many places.',
  ),
  planBytes: limit(
    64 * MIB,
    [MIB, 4096 * MIB],
    'bytes',
    null,
    'Memory for what is worked out for documents, their plans above all, in each process; ' +
      'the least recently used go first. One that takes more than an eighth is made ' +
      'for each request anew.',
  ),
  errors: limit(
    10,
    [1, 1000],
    'count',
    null,
    'Errors listed in one answer; one more announces that there were others.',
  ),
} satisfies LimitTable;

export type GraphqlLimits = Limits<typeof GRAPHQL_LIMITS>;

/**
 * The limits that may be measured only: a count over one is reported and admitted, up to its
 * ceiling.
 */
export const MEASURABLE_LIMITS = [
  'tokens',
  'characters',
  'operations',
  'selections',
  'fragmentHeight',
  'depth',
  'introspectionDepth',
  'aliases',
  'rootFields',
  'directives',
  'variableDepth',
  'variableKeys',
  'variableValues',
  'listItems',
  'cost',
] as const satisfies readonly (keyof GraphqlLimits)[];

export type MeasurableLimit = (typeof MEASURABLE_LIMITS)[number];
