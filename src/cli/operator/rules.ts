import { printAmount } from '../../config/keys/units.js';
import { limitsOfRefusal } from '../../config/refusal-limits.js';
import { REFUSAL_CODES } from '../../config/refusal-tables.js';
import { refusals, spelling, tolerated } from '../../core/index.js';
import type { ExitCode, Terminal } from '../../process/terminal.js';
import { table } from '../table.js';

/**
 * Prints what a refusal means, why requests are refused with it, and the remedy; without a code,
 * all codes.
 */
export function rules(code: string | null, terminal: Terminal): ExitCode {
  if (code === null) {
    terminal.out(table(REFUSAL_CODES.map((each) => [each, refusals.kindOf(each).text])));
    return 0;
  }
  const typed = wordsOf(code.slice(0, CODE_CHARACTERS));
  const found = REFUSAL_CODES.find((each) => wordsOf(each) === typed);
  if (found === undefined) {
    const near = nearCodes(typed);
    const hint = near.length === 0 ? '' : ` Did you mean ${EITHER.format(near)}?`;
    terminal.error(`There is no such code.${hint} \`soapstone rules\` lists all.`);
    return 2;
  }
  const { why, change } = refusals.refusalGuides()[found];
  const limits = limitsOfRefusal(found).map(({ key, row: { default: value, max, unit, text } }) => [
    `  ${key}`,
    `${printAmount(value, unit)}, at most ${printAmount(max, unit)}`,
    text.replaceAll('`', ''),
  ]);
  const deviations = tolerated.DEVIATION_NAMES.filter(
    (name) => tolerated.DEVIATION_CODES[name] === found,
  );
  const tolerable = table(deviations.map((name) => [`  ${name}`, tolerated.DEVIATIONS[name]]));
  const lines = [
    found,
    '',
    refusals.kindOf(found).text,
    '',
    `Why: ${plain(why)}`,
    '',
    `Remedy: ${plain(change)}`,
  ];
  terminal.out(
    [
      ...lines,
      ...(deviations.length === 0 ? [] : ['', 'Passes by a name in `tolerate`:', tolerable]),
      ...(limits.length === 0 ? [] : ['', 'Limits:', table(limits)]),
    ].join('\n'),
  );
  return 0;
}

/** Longer than any code. */
const CODE_CHARACTERS = 64;
const SUGGESTIONS = 5;
const EITHER = new Intl.ListFormat('en', { type: 'disjunction' });

/** A code as it is compared: `wsse:MessageExpired` may be typed in any case. */
const wordsOf = (code: string): string => code.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_');

/**
 * The codes that have all words of the typed one; else the nearest one, or those that begin with
 * what is nearest.
 */
function nearCodes(typed: string): readonly string[] {
  const words = typed.split('_').filter((word) => word !== '');
  if (words.length === 0) return [];
  const begin = (code: string): string => wordsOf(code).split('_').slice(0, words.length).join('_');
  const having = REFUSAL_CODES.filter((code) =>
    words.every((word) => wordsOf(code).split('_').includes(word)),
  );
  const near =
    spelling.nearest(typed, REFUSAL_CODES) ?? spelling.nearest(typed, REFUSAL_CODES.map(begin));
  const like = REFUSAL_CODES.filter((code) => code === near || begin(code) === near);
  return (having.length > 0 ? having : like).slice(0, SUGGESTIONS);
}

/** Without the marks of Markdown. */
const plain = (text: string): string => text.replaceAll('`', '');
