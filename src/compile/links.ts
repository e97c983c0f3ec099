import type { Problem } from '../base/problem.js';
import type { LoadedConfig } from '../config/load.js';
import { nearest } from '../config/nearest.js';
import type { LinkFault, LinkMapping } from '../graphql/graph/link.js';
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

/** Mistakes in links as problems at their places in the file, with the nearest name that exists. */
export const linkProblems = (loaded: LoadedConfig, faults: readonly LinkFault[]): readonly Problem[] =>
  faults.map(({ path, part, what, remedy, unknown }) => {
    const place = loaded.positionOf(['links', ...path], part);
    const near = unknown === null ? null : nearest(unknown.name, unknown.known);
    const known = unknown === null || unknown.known.length === 0 ? null : `Known here: ${some(unknown.known)}.`;
    return {
      file: loaded.file,
      line: place?.line ?? null,
      column: place?.column ?? null,
      what: `Link \`${path[0]}\`: ${what}`,
      remedy: near === null ? (known ?? remedy) : `Did you mean \`${near}\`?`,
    };
  });

function some(names: readonly string[]): string {
  const shown = names.slice(0, 10).map((name) => `\`${name}\``);
  return names.length > shown.length ? `${shown.join(', ')} and ${names.length - shown.length} more` : shown.join(', ');
}
