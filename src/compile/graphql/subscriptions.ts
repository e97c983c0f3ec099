import type { Config } from '../../config/schema.js';
import type { schemaMapping } from '../../graphql/index.js';

/** The subscriptions of a configuration, whose rules have seen to it that each has one source. */
export function subscriptionsOf(
  config: Pick<Config, 'subscriptions'>,
): readonly schemaMapping.SubscriptionMapping[] {
  return Object.entries(config.subscriptions).flatMap(
    ([name, subscription]): schemaMapping.SubscriptionMapping[] => {
      const { poll, on, callback, description = null, deprecated = null } = subscription;
      if (poll !== undefined) {
        const { operation, everyMillis, changed = null } = poll;
        return [
          {
            name,
            source: { kind: 'poll', operation, everyMillis, changed },
            description,
            deprecated,
          },
        ];
      }
      const source = on === undefined ? eventMapping('callback', callback) : eventMapping('on', on);
      return source === null ? [] : [{ name, source, description, deprecated }];
    },
  );
}

type EventConfig = Config['subscriptions'][string]['on'];

const eventMapping = (
  kind: schemaMapping.EventMapping['kind'],
  event: EventConfig,
): schemaMapping.EventMapping | null =>
  event === undefined
    ? null
    : {
        kind,
        operation: event.operation,
        where: event.where,
        filter: event.filter,
        answer: event.answer ?? null,
        arguments: event.arguments,
        fields: event.fields,
      };
