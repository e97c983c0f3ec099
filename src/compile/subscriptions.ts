import type { Problem } from '../base/problem.js';
import type { LoadedConfig } from '../config/load.js';
import { nearest } from '../config/nearest.js';
import type { EventMapping, SubscriptionFault, SubscriptionMapping } from '../graphql/subscription/subscription.js';

/** The subscriptions of a configuration, whose rules have seen to it that each has one source. */
export function subscriptionsOf({ config }: LoadedConfig): readonly SubscriptionMapping[] {
  return Object.entries(config.subscriptions).flatMap(([name, subscription]): SubscriptionMapping[] => {
    const { poll, on, callback, description = null, deprecated = null } = subscription;
    if (poll !== undefined) {
      const { operation, everyMillis, changed = null } = poll;
      return [{ name, source: { kind: 'poll', operation, everyMillis, changed }, description, deprecated }];
    }
    const source = on === undefined ? eventMapping('callback', callback) : eventMapping('on', on);
    return source === null ? [] : [{ name, source, description, deprecated }];
  });
}

type EventConfig = LoadedConfig['config']['subscriptions'][string]['on'];

const eventMapping = (kind: EventMapping['kind'], event: EventConfig): EventMapping | null =>
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

/** Mistakes in subscriptions as problems at their places in the file, with the nearest name that exists. */
export const subscriptionProblems = (loaded: LoadedConfig, faults: readonly SubscriptionFault[]): readonly Problem[] =>
  faults.map(({ path, part, what, remedy, unknown }) => {
    const place = loaded.positionOf(['subscriptions', ...path], part);
    const near = unknown === null ? null : nearest(unknown.name, unknown.known);
    const known = unknown === null || unknown.known.length === 0 ? null : `Known here: ${some(unknown.known)}.`;
    return {
      file: loaded.file,
      line: place?.line ?? null,
      column: place?.column ?? null,
      what: `Subscription \`${path[0]}\`: ${what}`,
      remedy: near === null ? (known ?? remedy) : `Did you mean \`${near}\`?`,
    };
  });

function some(names: readonly string[]): string {
  const shown = names.slice(0, 10).map((name) => `\`${name}\``);
  return names.length > shown.length ? `${shown.join(', ')} and ${names.length - shown.length} more` : shown.join(', ');
}
