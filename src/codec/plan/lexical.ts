import { collapseSpaces, Rewriting, rewriteText } from '../../xml/index.js';
import { LexicalError, type Scalar } from './scalar.js';

/**
 * The three treatments of white space (XSD 1.0 part 2, section 4.3.6). White space is the four
 * characters of XML.
 */
export type WhiteSpace = 'preserve' | 'replace' | 'collapse';

/** `text` with its white space treated. Linear. */
export function treatWhiteSpace(text: string, rule: WhiteSpace): string {
  if (rule === 'preserve') return text;
  if (rule === 'replace') return REPLACED.test(text) ? rewriteText(text, AS_SPACES) : text;
  const trimmed = trimXml(text);
  return TREATED.test(trimmed) ? collapseSpaces(trimmed) : trimmed;
}

const REPLACED = /[\t\n\r]/;
const AS_SPACES = new Rewriting([
  ['\t', ' '],
  ['\n', ' '],
  ['\r', ' '],
]);

/** White space that collapsing would change. */
const TREATED = /[\t\n\r]| {2}/;

/**
 * `text` without XML white space at both ends. `String.trim` would take characters that are content
 * in XML.
 */
export function trimXml(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isXmlSpace(text.charCodeAt(start))) {
    start += 1;
  }
  while (end > start && isXmlSpace(text.charCodeAt(end - 1))) {
    end -= 1;
  }
  return start === 0 && end === text.length ? text : text.slice(start, end);
}

const isXmlSpace = (unit: number): boolean =>
  unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09;

/** Length of one number or date as written. DataPower allows 128. */
const NUMBER_CHARS = 128;

/**
 * Whether a trimmed text is short enough for a number or a date, so that a pattern may match it.
 */
export const isShort = (trimmed: string): boolean => trimmed.length <= NUMBER_CHARS;

/** The rule that a number or date breaks if it is not short. */
export const TOO_LONG = 'longer than a value of this type may be';

/** `text` trimmed, if it is short. Throws `LexicalError`. */
export function shortLexical(text: string): string {
  const trimmed = trimXml(text);
  if (!isShort(trimmed)) throw new LexicalError(TOO_LONG);
  return trimmed;
}

/** Throws `LexicalError` for a broken rule; null is none. */
export function hold(rule: string | null): void {
  if (rule !== null) throw new LexicalError(rule);
}

/** Anything but a character of XML 1.0 (section 2.2); lone surrogates match as well. */
const NOT_XML = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u;

/** The client's value, if it is a string that XML can hold. Throws `LexicalError`. */
export function textOf(value: unknown): string {
  if (typeof value !== 'string') throw new LexicalError('must be a string');
  if (NOT_XML.test(value)) throw new LexicalError('holds a character that XML does not allow');
  return value;
}

/** Any text that XML can carry. */
export const TEXT: Scalar = { name: 'String', decode: (lexical) => lexical, encode: textOf };
