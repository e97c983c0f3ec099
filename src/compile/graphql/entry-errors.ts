import { listNames } from '../../config/keys/key-text.js';
import type { ConfigSection } from '../../config/section.js';
import { type Diagnostic, didYouMean } from '../../core/index.js';
import type { EntryError } from '../../graphql/index.js';

/**
 * Errors in links or subscriptions as diagnostics at their places in the file, with the nearest
 * name that exists.
 */
export const entryDiagnostics = (
  root: ConfigSection<unknown>,
  key: keyof typeof SECTIONS,
  errors: readonly EntryError[],
): readonly Diagnostic[] =>
  errors.map(({ path, part, what, remedy, unknown }) => {
    const guess = unknown === null ? null : didYouMean(unknown.name, unknown.known);
    const known =
      unknown === null || unknown.known.length === 0
        ? null
        : `Known here: ${listNames(unknown.known, 10)}.`;
    return root.diagnostic(
      [key, ...path],
      `${SECTIONS[key]} \`${path[0]}\`: ${what}`,
      guess ?? known ?? remedy,
      part,
    );
  });

const SECTIONS = { links: 'Link', subscriptions: 'Subscription' } as const;
