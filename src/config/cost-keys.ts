/** Keys about what calls, objects and lists cost in GraphQL: the part of the table of keys for it. */

export interface ListSizeKeys {
  assumedSize?: number;
  slicingArguments: readonly string[];
  sizedFields: readonly string[];
  requireOneSlicingArgument: boolean;
}

const NAME = '[_A-Za-z][_0-9A-Za-z]{0,127}';
const PATHS = {
  type: 'array',
  items: {
    type: 'string',
    pattern: `^${NAME}(\\.${NAME}){0,15}$`,
    hint: 'Write GraphQL names, those of a path with a dot between them: page.first.',
  },
  maxItems: 16,
  uniqueItems: true,
  default: [],
} as const;

/** Points for something; unless given it costs what `usual` says. */
export const points = (description: string) =>
  ({ type: 'integer', description, unit: 'points', minimum: 0, maximum: 1_000_000 }) as const;

/** `@listSize` of the specification of IBM. */
export const LIST_SIZE = {
  type: 'object',
  description: 'How long the list is, for the cost before anything is called: `@listSize`.',
  additionalProperties: false,
  required: ['slicingArguments', 'sizedFields', 'requireOneSlicingArgument'],
  properties: {
    assumedSize: {
      type: 'integer',
      description: 'Where no argument says it; `limits.graphql.assumedListSize` unless given.',
      minimum: 0,
      maximum: 1_000_000,
    },
    slicingArguments: {
      ...PATHS,
      description: 'Arguments, or paths into them (`page.first`), that say it, from 1 to `limits.graphql.sliceItems`.',
    },
    sizedFields: {
      ...PATHS,
      description: 'Fields below this one, or paths to them, that are the list; by default it is the field itself.',
    },
    requireOneSlicingArgument: {
      type: 'boolean',
      description: 'Whether exactly one of `slicingArguments` must be given; otherwise the largest counts.',
      default: true,
    },
  },
} as const;

/** Of one operation. */
export interface OperationCostKeys {
  cost?: number;
  argumentCosts?: Readonly<Record<string, number>>;
  listSize?: ListSizeKeys;
  replyKib?: number;
}

export const OPERATION_COST_KEYS = {
  cost: points(
    'What one call from GraphQL costs; unless given its `weight`, or `callCost` of the service or of `limits.graphql`.',
  ),
  argumentCosts: {
    type: 'object',
    description: 'What arguments cost besides, where they are given, by GraphQL name or path into them: `filter.text`.',
    names: 'Write GraphQL names, those of a path with a dot between them: filter.text.',
    additionalProperties: false,
    patternProperties: { [`^${NAME}(\\.${NAME}){0,15}$`]: points('What it costs; of a list, each item.') },
  },
  listSize: LIST_SIZE,
  replyKib: {
    type: 'integer',
    description: 'KiB that a reply is taken to have, for the cost before it is called: see `limits.graphql.kibCost`.',
    minimum: 0,
    maximum: 2_097_152,
  },
} as const;
