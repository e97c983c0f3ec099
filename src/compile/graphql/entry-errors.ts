import { type Finding, finding } from '../../config/keys/finding.js';
import { listNames } from '../../config/keys/key-text.js';
import { spelling } from '../../core/index.js';
import type { graphqlSchema } from '../../graphql/index.js';

/** Errors in entries of a section as findings, with the nearest name that exists. */
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
      [...SECTIONS[key].path, ...path.map((step, at) => (at === 1 ? indexIn(step) : step))],
      `${SECTIONS[key].title}${path[0] === undefined ? '' : ` \`${path[0]}\``}: ${what}`,
      guess ?? known ?? remedy,
      part,
    );
  });

/** A step as the index of a list, where it is digits: no key of an entry is. */
const indexIn = (step: string): string | number => (/^[0-9]+$/.test(step) ? Number(step) : step);

const FEDERATION = ['graphql', 'federation'];

const SECTIONS = {
  links: { title: 'Link', path: ['links'] },
  subscriptions: { title: 'Subscription', path: ['subscriptions'] },
  keys: { title: 'Key of type', path: [...FEDERATION, 'keys'] },
  types: { title: 'Federation of type', path: [...FEDERATION, 'types'] },
} as const;
