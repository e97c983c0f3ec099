import type { SeenName } from './facts.js';
import type { Refusal } from './refusal.js';
import type { ShownFact } from './refusal-kind.js';
import { kindOf, type RefusalCode } from './refusals.js';

/** Whether a caller sees where in its message it was found. */
export const showsPlace = (code: RefusalCode): boolean =>
  kindOf(code).shows?.includes('place') === true;

/** One fact by name, as text for machines. */
export type ExplainedField = readonly [name: string, value: string];

/** A refusal as its caller sees it. */
export interface Explanation {
  /** Names and values that the caller's program can read. */
  readonly fields: readonly ExplainedField[];
  /** The public text of the refusal with the facts, and the remedy. */
  readonly text: string;
}

/**
 * Explains a refusal to its caller, as far as the row of its code allows; null for a row without
 * facts that are shown.
 */
export function explain(refusal: Refusal): Explanation | null {
  const { shows, remedy } = kindOf(refusal.code);
  if (shows === undefined) return null;
  const fields: ExplainedField[] = [];
  const phrases: string[] = [];
  for (const fact of ORDER) {
    if (!shows.includes(fact)) continue;
    const shown = TEXTS[fact](refusal);
    if (shown === null) continue;
    fields.push(...shown.fields);
    phrases.push(shown.phrase);
  }
  return { fields, text: sentence(refusal.message, phrases, remedy) };
}

/** Joins a public text, the facts and the remedy. */
function sentence(text: string, phrases: readonly string[], remedy: string | undefined): string {
  const shown = phrases.length === 0 ? text : `${text.replace(/\.$/, '')}: ${phrases.join(', ')}.`;
  return remedy === undefined ? shown : `${shown} ${remedy}`;
}

interface ShownText {
  readonly fields: readonly ExplainedField[];
  readonly phrase: string;
}

const ORDER: readonly ShownFact[] = [
  'rule',
  'elements',
  'action',
  'expected',
  'limit',
  'place',
  'retryAfter',
];

const TEXTS: Readonly<Record<ShownFact, (refusal: Refusal) => ShownText | null>> = {
  rule: ({ rule, facts: { path } }) => {
    if (rule === null) return null;
    if (path === undefined) return { fields: [['rule', rule]], phrase: rule };
    const fields: ExplainedField[] = [
      ['rule', rule],
      ['path', path],
    ];
    return { fields, phrase: `${path} ${rule}` };
  },
  elements: ({ facts: { elements = [] } }) => {
    if (elements.length === 0) return null;
    const names = elements.map(
      ({ uri, local }): SeenName => ({ uri: shorten(uri), local: shorten(local) }),
    );
    const shown = names.map(({ uri, local }) =>
      uri === '' ? `${local} in no namespace` : `{${uri}}${local}`,
    );
    return {
      fields: names.map(({ uri, local }) => ['element', `{${uri}}${local}`]),
      phrase: shown.join(' and '),
    };
  },
  action: ({ facts: { action } }) => {
    if (action === undefined) return null;
    const shown = shorten(action);
    return { fields: [['action', shown]], phrase: `the message has the action "${shown}"` };
  },
  expected: ({ facts: { expected = [] } }) => {
    if (expected.length === 0) return null;
    const names = expected.slice(0, EXPECTED_MAX).map(shorten);
    return {
      fields: names.map((name) => ['expected', name]),
      phrase: `expected is ${EITHER.format(names)}`,
    };
  },
  limit: ({ limit, found }) => {
    if (limit === null) return null;
    const count = typeof found === 'number' ? ` and the message has ${found}` : '';
    const fields: ExplainedField[] = [
      ['limit', limit.key],
      ['max', String(limit.value)],
    ];
    return { fields, phrase: `${limit.key} is ${limit.value}${count}` };
  },
  place: ({ place }) => {
    if (place === null) return null;
    const byte: ExplainedField = ['byte', String(place.byte)];
    if (place.line === null) return { fields: [byte], phrase: `at byte ${place.byte}` };
    return {
      fields: [['line', String(place.line)], byte],
      phrase: `at line ${place.line}, byte ${place.byte}`,
    };
  },
  retryAfter: ({ retryAfter }) => {
    if (retryAfter === null || !/^[0-9]+$/.test(retryAfter)) return null;
    return { fields: [['retryAfter', retryAfter]], phrase: `it is worth a try in ${retryAfter} s` };
  },
};

const EITHER = new Intl.ListFormat('en', { type: 'disjunction' });

/** Expected names that one text lists. */
const EXPECTED_MAX = 4;

/** Characters of one name that are shown. */
const NAME_CHARS_MAX = 128;

/**
 * Cuts a name of the message to 128 characters, and replaces control and formatting characters,
 * which could hide others.
 */
function shorten(name: string): string {
  // No more than 128 characters have more code units; the rest is not looked at.
  const characters = [...name.slice(0, 2 * NAME_CHARS_MAX + 2)].map((each) =>
    /[\p{C}\p{Zl}\p{Zp}]/u.test(each) ? '?' : each,
  );
  if (characters.length <= NAME_CHARS_MAX) return characters.join('');
  return `${characters.slice(0, NAME_CHARS_MAX - 3).join('')}...`;
}
