import { getNullableType, isListType } from 'graphql';
import { type Finding, finding } from '../../config/keys/finding.js';
import type { Config } from '../../config/schema.js';
import type { graphqlSchema, schemaMapping } from '../../graphql/index.js';
import { costOfLink } from '../soap/costs.js';

/** The links of a configuration. */
export function linksOf(config: Pick<Config, 'links'>): readonly schemaMapping.LinkMapping[] {
  return Object.entries(config.links).map(([name, link]): schemaMapping.LinkMapping => {
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
export const linkSizeFindings = (
  config: Pick<Config, 'links'>,
  links: graphqlSchema.LinkTable,
): readonly Finding[] =>
  Object.entries(config.links).flatMap(([name, { listSize }]): readonly Finding[] => {
    const type = links.get(name)?.definition.type;
    if (listSize === undefined || listSize.sizedFields.length > 0 || type === undefined) return [];
    if (isListType(getNullableType(type))) return [];
    const what = `Link \`${name}\` is no list: its \`listSize\` counts for nothing.`;
    const remedy = 'Name the fields below it that are lists, as `sizedFields`.';
    return [finding(['links', name, 'listSize'], what, remedy, 'key')];
  });
