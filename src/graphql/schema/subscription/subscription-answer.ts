import {
  type GraphQLFieldConfig,
  type GraphQLFieldConfigArgumentMap,
  GraphQLList,
  GraphQLObjectType,
  type GraphQLOutputType,
  getNullableType,
} from 'graphql';
import type { Report } from '../feeds/entry-error.js';
import type { CallTarget, FieldFeed } from '../feeds/feed.js';
import { feedOf, feedSteps, missingFeedParts } from '../feeds/feed-types.js';
import type { BoundField } from '../fields/bound-field.js';
import { describedWith, ruleExtensions, ruleOf } from '../rights/field-rule.js';
import { plainShape, SINGLE } from '../types/plain-shape.js';
import type { FieldShape } from '../types/shape.js';
import type { ServiceNames } from '../types/type-names.js';
import type { EventValue } from './event-values.js';
import type { EventMapping } from './subscription.js';

export type FieldConfig = GraphQLFieldConfig<unknown, unknown>;

/** A value of a message with the argument or field that it fills. */
export interface Keyed {
  /** An argument or a field. */
  readonly key: string;
  readonly value: EventValue;
}

/** The field of a subscription to events, and how an event fills it. */
export interface EventAnswer {
  readonly type: GraphQLOutputType;
  readonly args: GraphQLFieldConfigArgumentMap;
  readonly description: string | null;
  readonly extensions: FieldConfig['extensions'];
  readonly bound: BoundField;
  readonly feeds: readonly { readonly feed: FieldFeed; readonly path: string }[];
}

/**
 * The answer of an operation that is called with values of the event. Its other arguments are the
 * subscription's.
 */
export function calledAnswer(
  name: string,
  { kind }: EventMapping,
  called: CallTarget,
  values: readonly Keyed[],
  report: Report,
): EventAnswer {
  const feeds = values.flatMap(({ key, value }) => {
    const owner = new GraphQLObjectType({
      name: 'Event',
      fields: { value: { type: typeOf(value) } },
    });
    const reportPath: Report = (path, what, ...rest) =>
      report(path, what.replaceAll('`value`', `\`${value.path}\``), ...rest);
    const at = [kind, 'arguments', key];
    const argument = { config: called.config, steps: feedSteps(key), path: at };
    const feed = feedOf(argument, { owner, steps: ['value'], path: at }, 'event', reportPath);
    if (feed?.asText === true && isConverted(value)) {
      const what =
        `\`${value.path}\` is converted to ${String(value.type)}, ` + `\`${key}\` takes a text.`;
      report(at, what, 'Convert the argument as well.');
      return [];
    }
    return feed === null ? [] : [{ feed, path: value.path }];
  });
  const of = new GraphQLObjectType({
    name: 'Called',
    fields: { field: called.config },
  }).getFields()['field'];
  const args = { ...called.config.args };
  for (const argument of of?.args ?? []) {
    const filled = feeds.map(({ feed }) => feed);
    if (!filled.some((feed) => feed.argument[0] === argument.name)) continue;
    delete args[argument.name];
    for (const missing of missingFeedParts(argument, filled)) {
      report(
        [kind, 'arguments'],
        `Nothing fills \`${missing}\`, which the answer requires.`,
        'Add it.',
        null,
        'key',
      );
    }
  }
  return {
    type: getNullableType(called.config.type),
    args,
    description: called.config.description ?? null,
    extensions: called.config.extensions,
    bound: boundAs(name, called.bound),
    feeds,
  };
}

/** Whether a value of an event is not known as it is on the wire. */
function isConverted({ steps }: EventValue): boolean {
  const last = steps.at(-1)?.value;
  return last?.kind === 'scalar' && (last.scalar.converts ?? last.scalar.item?.converts) != null;
}

/** An object of the values themselves. */
export function ownAnswer(
  name: string,
  values: readonly Keyed[],
  target: CallTarget,
  names: ServiceNames,
): EventAnswer {
  const typeName = names.take(`${names.pascal(name)}Event`);
  const type = new GraphQLObjectType({
    name: typeName,
    fields: Object.fromEntries(
      values.map(({ key, value }) => [
        key,
        {
          type: typeOf(value),
          description: describedWith(null, value.rule),
          extensions: ruleExtensions(value.rule),
        },
      ]),
    ),
  });
  const fields = values.flatMap(({ key, value }): [string, FieldShape][] => {
    const last = value.steps.at(-1);
    if (last === undefined) return [];
    const source = { from: 'child', name: { uri: '', local: value.path }, default: null } as const;
    const shape = { ...SINGLE, source, list: value.list, value: last.value };
    return [[key, value.rule === null ? shape : { ...shape, rule: value.rule }]];
  });
  const { element } = target.bound.reply;
  const reply = {
    element,
    root: { kind: 'whole', shape: plainShape(typeName, new Map(fields)) },
    nonNull: false,
  } as const;
  const bound = { ...boundAs(name, target.bound), reply, headersArgument: null };
  const rule = ruleOf(target.config);
  const extensions = ruleExtensions(rule);
  return { type, args: {}, description: describedWith(null, rule), extensions, bound, feeds: [] };
}

const typeOf = ({ type, list }: EventValue): GraphQLOutputType =>
  list ? new GraphQLList(type) : type;

/**
 * The field is nullable, so that an event without an answer is an error and does not end the
 * subscription.
 */
export const boundAs = (name: string, bound: BoundField): BoundField => ({
  ...bound,
  parent: 'Subscription',
  name,
  reply: { ...bound.reply, nonNull: false },
});
