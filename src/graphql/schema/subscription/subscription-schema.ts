import { type GraphQLFieldConfigArgumentMap, getNullableType, isEnumType } from 'graphql';
import { getOrMake } from '../../../core/index.js';
import { type EntryError, type Report, reportInto } from '../feeds/entry-error.js';
import type { CallTarget } from '../feeds/feed.js';
import { linkTargetOf, type Targets, type TargetUse } from '../feeds/targets.js';
import type { TypeNames } from '../types/type-names.js';
import {
  type EventValue,
  eventSlot,
  eventValueOf,
  isLostPath,
  planOf,
  readingOf,
} from './event-values.js';
import {
  type EventMapping,
  type EventTopic,
  type PollMapping,
  type Subscription,
  type SubscriptionMapping,
  type SubscriptionTable,
  topicOf,
} from './subscription.js';
import {
  boundAs,
  calledAnswer,
  type FieldConfig,
  type Keyed,
  ownAnswer,
} from './subscription-answer.js';

interface ResolvedSubscriptions {
  readonly fields: ReadonlyMap<string, FieldConfig>;
  readonly table: SubscriptionTable;
  readonly errors: readonly EntryError[];
}

/** The operations and names that subscriptions are resolved against. */
interface Offered extends Targets<CallTarget> {
  readonly names: TypeNames;
}

const READS: TargetUse = { verb: 'used', reader: 'a subscription' };
/** The use of an operation whose messages are observed, also those of a mutation. */
const OBSERVED: TargetUse = { verb: 'used', reader: null };

/**
 * The operations that subscriptions need: those whose answer is that of a field, and those that are
 * only observed.
 */
export function operationsFor(mappings: readonly SubscriptionMapping[]): {
  readonly answering: readonly string[];
  readonly observed: readonly string[];
} {
  const sources = mappings.map(({ source }) => source);
  return {
    answering: sources.flatMap((source) =>
      source.kind === 'poll' ? source.operation : (source.answer ?? []),
    ),
    observed: sources.flatMap((source) => (source.kind === 'poll' ? [] : source.operation)),
  };
}

/** Makes the fields of Subscription. */
export function resolveSubscriptions(
  mappings: readonly SubscriptionMapping[],
  offered: Offered,
): ResolvedSubscriptions {
  const errors: EntryError[] = [];
  const fields = new Map<string, FieldConfig>();
  const subscriptions = new Map<string, Subscription>();
  const topics = new Map<string, TopicDraft>();
  for (const mapping of mappings) {
    const report = reportInto(errors, mapping.name);
    const { source } = mapping;
    const made =
      source.kind === 'poll'
        ? pollField(mapping, source, offered, report)
        : eventField(mapping, source, offered, topics, report);
    if (made === null) continue;
    fields.set(mapping.name, made.config);
    subscriptions.set(mapping.name, made.subscription);
  }
  return { fields, errors, table: { subscriptions, topics: [...topics.values()].map(topicFrom) } };
}

interface Made {
  readonly config: FieldConfig;
  readonly subscription: Subscription;
}

function pollField(
  { name, description, deprecated }: SubscriptionMapping,
  { operation, everyMillis, changed }: PollMapping,
  offered: Offered,
  report: Report,
): Made | null {
  const target = linkTargetOf(operation, ['poll', 'operation'], READS, offered, report);
  if (target === null || isPaged(target, ['poll', 'operation'], report)) return null;
  const value = changed === null ? null : eventValueOf(`reply.${changed}`, target);
  if (value !== null && isLostPath(value)) {
    return report(
      ['poll', 'changed'],
      value.what.replaceAll('`reply.', '`'),
      'Name a path to a simple value of the answer.',
      value.unknown,
    );
  }
  if (changed !== null && target.bound.reply.faults?.as === 'data') {
    const what = `Faults of \`${operation}\` are answers: no value is in all of them.`;
    return report(['poll', 'changed'], what, 'Remove it.');
  }
  const { config, bound } = target;
  const plan = value === null ? null : planOf(bound.reply.element, [eventSlot('=', value.steps)]);
  return {
    config: {
      ...config,
      type: getNullableType(config.type),
      description: description ?? config.description,
      deprecationReason: deprecated,
    },
    subscription: {
      name,
      bound: boundAs(name, bound),
      called: bound,
      source: { kind: 'poll', everyMillis, changed: plan },
    },
  };
}

/** Whether an operation hands out pages, which no subscription reads; an error, too. */
function isPaged({ bound }: CallTarget, path: readonly string[], report: Report): boolean {
  if (bound.paging == null) return false;
  const what =
    `\`${bound.service}.${bound.operation.name}\` hands out pages: ` +
    'a subscription reads one reply.';
  report(path, what, 'Name an operation without `pages`.');
  return true;
}

interface TopicDraft {
  readonly via: 'on' | 'callback';
  readonly target: CallTarget;
  readonly values: Map<string, EventValue>;
}

function topicFrom({ via, target, values }: TopicDraft): EventTopic {
  const { service, operation, requestPlan, reply } = target.bound;
  const of = (side: string): readonly EventValue[] =>
    [...values.values()].filter(({ path }) => path === side || path.startsWith(`${side}.`));
  const { body } = requestPlan;
  return {
    name: topicOf(via, `${service}.${operation.name}`),
    via,
    service,
    operation: operation.name,
    request: body === null ? null : readingOf(body.name ?? BODY, of('request')),
    reply: readingOf(reply.element, of('reply')),
  };
}

/** The element that is read where several are read at once. */
const BODY = { uri: null, local: 'Body' } as const;

function eventField(
  mapping: SubscriptionMapping,
  source: EventMapping,
  offered: Offered,
  topics: Map<string, TopicDraft>,
  report: Report,
): Made | null {
  let isSound = true;
  const seen: Report = (...fault) => {
    isSound = false;
    return report(...fault);
  };
  const { kind } = source;
  const target = linkTargetOf(source.operation, [kind, 'operation'], OBSERVED, offered, seen);
  const called =
    source.answer === null
      ? null
      : linkTargetOf(source.answer, [kind, 'answer'], READS, offered, seen);
  if (target === null || (called === null && source.answer !== null)) return null;
  if (
    isPaged(target, [kind, 'operation'], seen) ||
    (called !== null && isPaged(called, [kind, 'answer'], seen))
  ) {
    return null;
  }
  if (target.bound.operation.use === 'encoded') {
    return seen(
      [kind, 'operation'],
      `The messages of \`${source.operation}\` are encoded: no values are read from them.`,
    );
  }
  const name = topicOf(kind, source.operation);
  const draft = getOrMake(topics, name, () => ({ via: kind, target, values: new Map() }));
  const find = (
    path: string,
    at: readonly string[],
    part: 'key' | 'value' = 'value',
  ): EventValue | null => {
    const value = draft.values.get(path) ?? eventValueOf(path, target);
    if (isLostPath(value)) {
      return seen(
        [kind, ...at],
        value.what,
        'Name a simple value of the message by its GraphQL names.',
        value.unknown,
        part,
      );
    }
    draft.values.set(path, value);
    return value;
  };
  for (const [path, wanted] of Object.entries(source.where)) {
    const value = find(path, ['where', path], 'key');
    const fitting = value === null ? null : neverEqual(value, wanted);
    if (fitting !== null) {
      seen([kind, 'where', path], `\`${path}\` is never equal to this.`, `Write ${fitting}.`);
    }
  }
  const answer =
    called === null
      ? ownAnswer(
          mapping.name,
          valuesOf(source.fields, 'fields', find),
          target,
          offered.names.of(target.bound.service),
        )
      : calledAnswer(
          mapping.name,
          source,
          called,
          valuesOf(source.arguments, 'arguments', find),
          seen,
        );
  const args = {
    ...answer.args,
    ...filterArguments(valuesOf(source.filter, 'filter', find), source, answer.args ?? {}, seen),
  };
  if (!isSound) return null;
  return {
    config: {
      type: answer.type,
      args,
      description: mapping.description ?? answer.description,
      deprecationReason: mapping.deprecated,
      extensions: answer.extensions,
    },
    subscription: {
      name: mapping.name,
      bound: answer.bound,
      called: called?.bound ?? null,
      source: {
        kind: 'event',
        topic: name,
        where: new Map(Object.entries(source.where)),
        filter: new Map(Object.entries(source.filter)),
        feeds: answer.feeds,
      },
    },
  };
}

/** The arguments that filter events, beside those that the answer has. */
function filterArguments(
  filters: readonly Keyed[],
  { kind }: EventMapping,
  taken: GraphQLFieldConfigArgumentMap,
  report: Report,
): GraphQLFieldConfigArgumentMap {
  const args: GraphQLFieldConfigArgumentMap = {};
  for (const { key, value } of filters) {
    if (Object.hasOwn(taken, key)) {
      const what = `The subscription has an argument \`${key}\` already.`;
      report([kind, 'filter', key], what, 'Give it another name.', null, 'key');
    }
    args[key] = { type: value.type, description: 'Only events with this value.' };
  }
  return args;
}

type FindValue = (path: string, at: readonly string[]) => EventValue | null;

const valuesOf = (
  paths: Readonly<Record<string, string>>,
  group: string,
  find: FindValue,
): readonly Keyed[] =>
  Object.entries(paths).flatMap(([key, path]): Keyed[] => {
    const value = find(path, [group, key]);
    return value === null ? [] : [{ key, value }];
  });

/** The form of values of this type, if `wanted` can never be equal to one; null: it may be. */
function neverEqual({ type }: EventValue, wanted: string): string | null {
  if (type.name === 'Boolean') {
    return wanted === 'true' || wanted === 'false' ? null : 'true or false';
  }
  if (type.name === 'Int') {
    return /^(?:0|-?[1-9]\d{0,9})$/.test(wanted) ? null : 'a whole number, as 7';
  }
  if (!isEnumType(type)) return null;
  const values = type.getValues();
  if (values.some(({ name, value }) => name === wanted || String(value) === wanted)) return null;
  return `one of ${values
    .slice(0, VALUES_SHOWN)
    .map(({ name }) => name)
    .join(', ')}`;
}

const VALUES_SHOWN = 10;
