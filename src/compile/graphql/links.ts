import { getNullableType, isListType } from 'graphql';
import type { Diagnostic } from '../../base/diagnostic.js';
import { diagnosticAt } from '../../config/diagnostic-at.js';
import type { LoadedConfig } from '../../config/load.js';
import type { LinkMapping, LinkTable } from '../../graphql/links/link.js';
import { costOfLink } from '../soap/costs.js';

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

/** Reports list sizes of links that are no lists: they would be ignored in silence. */
export const linkSizeDiagnostics = (loaded: LoadedConfig, links: LinkTable): readonly Diagnostic[] =>
  Object.entries(loaded.config.links).flatMap(([name, { listSize }]): readonly Diagnostic[] => {
    const type = links.get(name)?.definition.type;
    if (listSize === undefined || listSize.sizedFields.length > 0 || type === undefined) return [];
    if (isListType(getNullableType(type))) return [];
    const what = `Link \`${name}\` is no list: its \`listSize\` counts for nothing.`;
    const remedy = 'Name the fields below it that are lists, as `sizedFields`.';
    return [diagnosticAt(loaded, ['links', name, 'listSize'], what, remedy, 'key')];
  });
