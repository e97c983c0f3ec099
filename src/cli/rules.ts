import { REFUSAL_GUIDES } from '../base/guide/refusal-guides.js';
import { nearest } from '../base/nearest.js';
import { kindOf, REFUSAL_CODES } from '../base/refusals.js';
import { limitsOfRefusal } from '../config/refusal-limits.js';
import { printAmount } from '../config/units.js';
import { table } from './table.js';
import type { ExitCode, Terminal } from './terminal.js';

/** Prints what a refusal means, why requests are refused with it, and the remedy; without a code, all codes. */
export function rules(code: string | null, terminal: Terminal): ExitCode {
  if (code === null) {
    terminal.out(table(REFUSAL_CODES.map((each) => [each, kindOf(each).text])));
    return 0;
  }
  const found = REFUSAL_CODES.find((each) => each.toLowerCase() === code.toLowerCase());
  if (found === undefined) {
    const known = nearest(code.toUpperCase(), REFUSAL_CODES);
    terminal.error(
      `There is no such code.${known === null ? '' : ` Did you mean ${known}?`} \`soapstone rules\` lists all.`,
    );
    return 2;
  }
  const { why, change } = REFUSAL_GUIDES[found];
  const limits = limitsOfRefusal(found).map(({ key, row: { default: value, max, unit, text } }) => [
    `  ${key}`,
    `${printAmount(value, unit)}, at most ${printAmount(max, unit)}`,
    text.replaceAll('`', ''),
  ]);
  const lines = [found, '', kindOf(found).text, '', `Why: ${plain(why)}`, '', `Remedy: ${plain(change)}`];
  terminal.out([...lines, ...(limits.length === 0 ? [] : ['', 'Limits:', table(limits)])].join('\n'));
  return 0;
}

/** Without the marks of Markdown. */
const plain = (text: string): string => text.replaceAll('`', '');
