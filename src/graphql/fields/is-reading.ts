import {
  CONJUNCTIONS,
  NEUTRAL_FIRST,
  NEUTRAL_LAST,
  PREPOSITIONS,
  READING,
  READING_FIRST,
  READING_LAST,
  READING_ONLY_FIRST,
  READING_OPEN,
  TAKEN_IN_TURN,
  WRITING,
  WRITING_BEHIND,
  WRITING_FIRST,
  WRITING_PAIRS,
} from './operation-verbs.js';

interface Word {
  readonly text: string;
  /** It begins the name, or a part of it behind a separator: `PNR_Retrieve`, `Order.Get`. */
  readonly begins: boolean;
}

/**
 * True if an operation reads, by the words of its name: then it is a query, else a mutation. The first verb from
 * the left decides; the tables of `operation-verbs.ts` list where a word is one. More than 256 characters are not read.
 */
export function isReading(operationName: string): boolean {
  const words = withoutAffixes(wordsOf(operationName.slice(0, NAME_CHARS)));
  const isPair = ({ text }: Word, at: number): boolean => WRITING_PAIRS.has(`${text} ${words[at + 1]?.text ?? ''}`);
  if (words.some(isPair) || takesInTurn(words)) return false;
  for (const [at, { text, begins }] of words.entries()) {
    if (writes(text) || (at === 0 && WRITING_FIRST.has(text) && !isEntity(words))) return false;
    if (READING.has(text) || (at === 0 && READING_FIRST.has(text))) return !goesOnWriting(words, at);
    const isVerb = begins && READING_OPEN.has(text) && (at === 0 || !READING_ONLY_FIRST.has(text));
    if (!isVerb && !(READING_LAST.has(text) && isLast(words, at))) continue;
    return !words.some((word) => writes(word.text)) && !goesOnWriting(words, at);
  }
  return false;
}

const NAME_CHARS = 256;

/** `ize` and `ify` make verbs: a name may have one that no table knows. */
const writes = (text: string): boolean => WRITING.has(text) || /.{4}ize$|.{2}ify$/.test(text);

const takesInTurn = (words: readonly Word[]): boolean =>
  TAKEN_IN_TURN.has(words.at(-1)?.text ?? '') && words.some(({ text }) => text === 'next');

/** Whether only the end of the name, or a preposition, stands behind a word. */
function isLast(words: readonly Word[], at: number): boolean {
  const behind = words[at + 1]?.text;
  return behind === undefined || PREPOSITIONS.has(behind);
}

/** Whether the first word is the thing that the rest of the name is about: `Process_GetList`. */
const isEntity = ([, verb, object]: readonly Word[]): boolean =>
  verb?.begins === true && READING.has(verb.text) && object?.begins === false;

/** Whether a verb that may write stands behind the reading one at `from`. */
const goesOnWriting = (words: readonly Word[], from: number): boolean =>
  words.some(({ text, begins }, at) => {
    if (at <= from) return false;
    if (CONJUNCTIONS.has(words[at - 1]?.text ?? '')) {
      // Directly behind a verb a conjunction joins verbs (`GetAndLock`), later maybe nouns (`GetTermsAndConditions`).
      return at === from + 2
        ? !isReadingVerb(text)
        : writes(text) || WRITING_FIRST.has(text) || WRITING_BEHIND.has(text);
    }
    // The first word may be an abbreviation: `IS_UpdateOrder`, but `is_open`.
    return begins && from === 0 && READING_FIRST.has(words[0]?.text ?? '') && at < words.length - 1 && writes(text);
  });

const isReadingVerb = (text: string): boolean =>
  [READING, READING_FIRST, READING_OPEN, READING_LAST].some((verbs) => verbs.has(text));

/** The words of a name in lower case: a capital, a digit or a separator begins another. */
const wordsOf = (name: string): readonly Word[] =>
  name.split(/[^A-Za-z0-9]+/).flatMap((part) =>
    [...part.matchAll(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+/g)].map(([text], at) => ({
      text: text.toLowerCase(),
      begins: at === 0,
    })),
  );

/** Leaves one word at least. */
function withoutAffixes(words: readonly Word[]): readonly Word[] {
  let start = 0;
  let end = words.length;
  const isNeutral = (at: number, neutral: ReadonlySet<string>): boolean => {
    const text = words[at]?.text ?? '';
    return neutral.has(text) || /^(?:[a-z]|[0-9]+)$/.test(text);
  };
  while (start < end - 1 && isNeutral(start, NEUTRAL_FIRST)) start += 1;
  while (start < end - 1 && isNeutral(end - 1, NEUTRAL_LAST)) end -= 1;
  return words.slice(start, end).map((word, at) => (at === 0 ? { ...word, begins: true } : word));
}
