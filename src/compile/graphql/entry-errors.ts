import { type Finding, finding } from '../../config/keys/finding.js';
import { listNames } from '../../config/keys/key-text.js';
import { spelling } from '../../core/index.js';
import type { graphqlSchema } from '../../graphql/index.js';

/**
 * Errors in links or subscriptions as findings, with the nearest
 * name that exists.
 */
export const entryFindings = (
  key: keyof typeof SECTIONS,
  errors: readonly graphqlSchema.EntryError[],
): readonly Finding[] =>
  errors.map(({ path, part, what, remedy, unknown }) => {
    const guess = unknown === null ? null : spelling.didYouMean(unknown.name, unknown.known);
    const known =
      unknown === null || unknown.known.length === 0
        ? null
        : `Known here: ${listNames(unknown.known, 10)}.`;
    return finding(
      [key, ...path],
      `${SECTIONS[key]} \`${path[0]}\`: ${what}`,
      guess ?? known ?? remedy,
      part,
    );
  });

const SECTIONS = { links: 'Link', subscriptions: 'Subscription' } as const;
