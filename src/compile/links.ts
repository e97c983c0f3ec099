import type { LoadedConfig } from '../config/load.js';
import type { LinkMapping } from '../graphql/graph/link.js';
import { costOfLink } from './costs.js';

/** The links of a configuration. */
export function linksOf({ config }: LoadedConfig): readonly LinkMapping[] {
  return Object.entries(config.links).map(([name, link]): LinkMapping => {
    const { batch } = link;
    return {
      name,
      operation: link.operation,
      arguments: link.arguments,
      batch: batch === undefined ? null : { ...batch, items: batch.items ?? null },
      description: link.description ?? null,
      deprecated: link.deprecated ?? null,
      cost: costOfLink(link.listSize, ['links', name]),
    };
  });
}
