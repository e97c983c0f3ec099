import type { Problem } from '../base/problem.js';
import type { LoadedConfig } from '../config/load.js';
import { didYouMean } from '../config/nearest.js';
import type { EntryError } from '../graphql/links/entry-error.js';
import { problemAt } from './problem-at.js';

/** Mistakes in links or subscriptions as problems at their places in the file, with the nearest name that exists. */
export const mistakeProblems = (
  loaded: LoadedConfig,
  section: keyof typeof SECTIONS,
  mistakes: readonly EntryError[],
): readonly Problem[] =>
  mistakes.map(({ path, part, what, remedy, unknown }) => {
    const meant = unknown === null ? null : didYouMean(unknown.name, unknown.known);
    const known = unknown === null || unknown.known.length === 0 ? null : `Known here: ${some(unknown.known)}.`;
    return problemAt(
      loaded,
      [section, ...path],
      `${SECTIONS[section]} \`${path[0]}\`: ${what}`,
      meant ?? known ?? remedy,
      part,
    );
  });

const SECTIONS = { links: 'Link', subscriptions: 'Subscription' } as const;

function some(names: readonly string[]): string {
  const shown = names.slice(0, 10).map((name) => `\`${name}\``);
  return names.length > shown.length ? `${shown.join(', ')} and ${names.length - shown.length} more` : shown.join(', ');
}
