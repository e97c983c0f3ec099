import { FIELD_NAME } from '../keys/formats.js';
import {
  closed,
  flag,
  list,
  mapOf,
  optional,
  points,
  type StaticOf,
  string,
  whole,
} from '../keys/key-types.js';

/**
 * Keys about what calls, objects and lists cost in GraphQL: the part of the table of keys for it.
 */

const PATH = `^${FIELD_NAME}(\\.${FIELD_NAME}){0,15}$`;

const paths = (description: string) =>
  list(
    string({
      pattern: PATH,
      hint: 'Write GraphQL names, those of a path with a dot between them: page.first.',
    }),
    description,
    { maxItems: 16, uniqueItems: true, default: [] },
  );

/** Points for something. */
export const costPoints = (description: string) => points(description, [0, 1_000_000]);

/** `@listSize` of the specification of IBM. */
export const listSize = (description: string) =>
  closed(
    {
      assumedSize: optional(
        whole(
          'Where no argument sets it; `limits.graphql.assumedListSize` unless set.',
          [0, 1_000_000],
        ),
      ),
      slicingArguments: paths(
        'Arguments, or paths into them (`page.first`), that set it, from 1 to ' +
          '`limits.graphql.sliceItems`.',
      ),
      sizedFields: paths(
        'Fields below this one, or paths to them, that are the list; ' +
          'by default it is the field itself.',
      ),
      requireOneSlicingArgument: flag(
        'Whether exactly one of `slicingArguments` must be provided; otherwise the largest counts.',
        true,
      ),
    },
    description,
  );

/** `@listSize` of a field. */
export const LIST_SIZE = listSize(
  'How long the list is, for the cost before anything is called: `@listSize`.',
);

export type ListSizeKeys = StaticOf<typeof LIST_SIZE>;

/** The keys of one operation that determine its cost. */
export const OPERATION_COST_KEYS = {
  cost: optional(
    costPoints(
      'The cost of one call from GraphQL; by default its `weight`, or `callCost` of the ' +
        'service or of `limits.graphql`.',
    ),
  ),
  argumentCosts: optional(
    mapOf(
      PATH,
      costPoints('Its cost; of a list, each item.'),
      'Further cost of arguments that are present, by GraphQL name or path ' +
        'into them: `filter.text`.',
      { names: 'Write GraphQL names, those of a path with a dot between them: filter.text.' },
    ),
  ),
  listSize: optional(LIST_SIZE),
  replySize: optional(
    whole(
      'The most objects of a reply, in lists without slicing arguments; ' +
        'by default `limits.graphql.assumedReplySize`, in lists without `listSize`.',
      [0, 10_000_000],
    ),
  ),
  replyKib: optional(
    whole(
      'KiB that a reply is taken to have, for the cost before it is called: ' +
        'see `limits.graphql.kibCost`.',
      [0, 2_097_152],
    ),
  ),
};
