export type DatePatternKind = 'date' | 'time' | 'dateTime';

type FieldLetter = 'y' | 'M' | 'd' | 'D' | 'H' | 'm' | 's' | 'S' | 'X' | 'x';

/** A field of a date: its letter, so many times. */
export interface FieldToken {
  readonly letter: FieldLetter;
  readonly width: number;
}

export type Token = FieldToken | { readonly letter: null; readonly text: string };

/** Letters by the widths that they may have. */
const WIDTHS: Readonly<Record<FieldLetter, readonly [number, number]>> = {
  y: [2, 4],
  M: [1, 2],
  d: [1, 2],
  D: [3, 3],
  H: [1, 2],
  m: [2, 2],
  s: [2, 2],
  S: [1, 9],
  X: [1, 3],
  x: [1, 3],
};

/** For errors: all that a pattern may have. */
export const SUPPORTED_LETTERS =
  'yyyy, yy, MM, M, dd, d, DDD, HH, H, mm, ss, S to SSSSSSSSS, X, XX, XXX, x, xx, xxx; ' +
  'other letters in quotes';

/** The tokens of a pattern, or the sentence of an error in it. */
export function readTokens(text: string, kind: DatePatternKind): readonly Token[] | string {
  if (text.trim() !== text || text === '') return 'The pattern begins or ends with white space.';
  const tokens = tokensOf(text);
  return typeof tokens === 'string'
    ? tokens
    : (widthError(tokens) ?? fieldError(tokens, kind) ?? tokens);
}

function tokensOf(text: string): readonly Token[] | string {
  const tokens: Token[] = [];
  let literal = '';
  const endLiteral = (): void => {
    if (literal !== '') {
      tokens.push({ letter: null, text: literal });
    }
    literal = '';
  };
  for (let at = 0; at < text.length; ) {
    const char = text.charAt(at);
    if (char === "'") {
      const quoted = quotedAt(text, at);
      if (quoted === null) return 'A quote of the pattern has no end.';
      literal += quoted.text;
      at = quoted.end;
      continue;
    }
    if (!/[A-Za-z]/.test(char)) {
      literal += char;
      at += 1;
      continue;
    }
    endLiteral();
    let end = at;
    while (text.charAt(end) === char) {
      end += 1;
    }
    const letters = text.slice(at, end);
    if (!isField(char)) return `The pattern has \`${letters}\`.`;
    tokens.push({ letter: char, width: letters.length });
    at = end;
  }
  endLiteral();
  return tokens;
}

/** The text of a quote that begins there, in which two are one; null without an end. */
function quotedAt(
  text: string,
  start: number,
): { readonly text: string; readonly end: number } | null {
  if (text.charAt(start + 1) === "'") return { text: "'", end: start + 2 };
  let quoted = '';
  for (let at = start + 1; at < text.length; at++) {
    if (text.charAt(at) !== "'") {
      quoted += text.charAt(at);
    } else if (text.charAt(at + 1) === "'") {
      quoted += "'";
      at += 1;
    } else {
      return { text: quoted, end: at + 1 };
    }
  }
  return null;
}

const isField = (letter: string): letter is FieldLetter => Object.hasOwn(WIDTHS, letter);

function widthError(tokens: readonly Token[]): string | null {
  for (const [at, token] of tokens.entries()) {
    if (token.letter === null) continue;
    const written = token.letter.repeat(token.width);
    const [least, most] = WIDTHS[token.letter];
    const isOdd = token.letter === 'y' && token.width === 3;
    if (token.width < least || token.width > most || isOdd) {
      return `The pattern has \`${written}\`.`;
    }
    const next = tokens[at + 1];
    const isFollowed =
      next !== undefined && (next.letter === null ? /^[0-9]/.test(next.text) : !isSigned(next));
    if (isVariable(token) && isFollowed) {
      return (
        `\`${written}\` has no fixed width, and digits follow it: ` +
        `write \`${written}${written}\`.`
      );
    }
  }
  return null;
}

/** Whether the width of a field depends on its value. */
export const isVariable = ({ letter, width }: FieldToken): boolean =>
  width === 1 && letter !== 'S' && letter !== 'X' && letter !== 'x';

/** Whether a field is an offset. */
export const isSigned = ({ letter }: FieldToken): boolean => letter === 'X' || letter === 'x';

function fieldError(tokens: readonly Token[], kind: DatePatternKind): string | null {
  const letters = tokens.flatMap(({ letter }) => (letter === null ? [] : [letter]));
  const twice = letters.find((letter, at) => letters.indexOf(letter) !== at);
  if (twice !== undefined) return `The pattern has \`${twice}\` twice.`;
  const has = (letter: FieldLetter): boolean => letters.includes(letter);
  if (has('X') && has('x')) return 'The pattern has two offsets.';
  const ofDate = kind === 'time' ? null : dateError(has);
  if (ofDate !== null) return ofDate;
  const wrong = letters.find((letter) => !FIELDS[kind].includes(letter));
  if (wrong !== undefined) return `The pattern of a ${kind} has \`${wrong}\`.`;
  if (kind === 'date') return null;
  if (!has('H')) return 'The pattern has no hour (`HH`).';
  if (has('s') && !has('m')) return 'The pattern has seconds and no minutes (`mm`).';
  return has('S') && !has('s') ? 'The pattern has a fraction and no seconds (`ss`).' : null;
}

function dateError(has: (letter: FieldLetter) => boolean): string | null {
  if (!has('y')) return 'The pattern has no year (`yyyy`).';
  if (has('D')) {
    return has('M') || has('d') ? 'The pattern has the day of the year beside another day.' : null;
  }
  if (!has('M')) return 'The pattern has no month (`MM`).';
  return has('d') ? null : 'The pattern has no day (`dd`).';
}

const FIELDS: Readonly<Record<DatePatternKind, string>> = {
  date: 'yMdD',
  time: 'HmsS',
  dateTime: 'yMdDHmsSXx',
};
