/** What a slip of the pen is, where it is, and what to do. */
interface FoundSlip {
  readonly what: string;
  readonly offset: number;
  readonly remedy: string;
}

/** The slip behind a complaint of the parser at this offset; null for one that is not known. */
export function slipOf(complaint: string, text: string, noticed: number): FoundSlip | null {
  const slip = SLIPS.find(({ message }) => message.test(complaint));
  if (slip === undefined) return null;
  const { what, remedy } = slip;
  return { what, remedy, offset: slip.begin?.(text, noticed) ?? noticed };
}

/** A slip of the pen that the parser reports in its own words, or where it notices it. */
interface Slip {
  readonly message: RegExp;
  readonly what: string;
  readonly remedy: string;
  /** Finds the offset where it begins; absent: the one where it is noticed. */
  readonly begin?: (text: string, noticed: number) => number | null;
}

const SLIPS: readonly Slip[] = [
  {
    message: /^Tabs are not allowed/,
    what: 'A tab stands where blanks indent a line.',
    remedy: 'Indent with blanks.',
  },
  {
    message: /^Missing closing ["']quote/,
    what: 'A quote that opens here is not closed.',
    remedy: 'Close it at the end of the value.',
    begin: unclosedQuote,
  },
  {
    message: /^All mapping items must start at the same column/,
    what: 'The key begins at another column than the keys beside it.',
    remedy: 'Indent all keys of one map alike.',
  },
  {
    message: /^Nested mappings are not allowed/,
    what: 'The value has a colon and a blank, as a key has.',
    remedy: 'Put the value in quotes, or the key on a line of its own.',
  },
  {
    message: /^Implicit keys need to be on a single line/,
    what: 'A key is expected here, and has no colon.',
    remedy: 'Put a colon behind it.',
  },
  {
    message: /^Unexpected scalar at node end/,
    what: 'A text stands behind the end of the value.',
    remedy: 'Put both in quotes, or ` #` before a comment.',
  },
  {
    message: /^Flow (?:map|sequence) in block collection/,
    what: 'A brace or bracket that opens here is not closed.',
    remedy: 'Close it with `}` or `]`.',
    begin: unclosedBracket,
  },
];

/** The quote that is open at the end of a text; null where it is not found. */
function unclosedQuote(text: string, noticed: number): number | null {
  const before = text.slice(0, noticed);
  const opening = [...before.matchAll(/(?:^|[\s:,[{-])(["'])/gm)].filter(
    ({ 1: quote = '', index }) => {
      const rest = before.slice(index + 2);
      return !rest.includes(quote);
    },
  );
  const [first] = opening;
  return first === undefined ? null : first.index + first[0].length - 1;
}

/** The last bracket before an offset that nothing closes; null where it is not found. */
function unclosedBracket(text: string, noticed: number): number | null {
  const open: number[] = [];
  for (let at = 0; at < noticed; at++) {
    const sign = text[at] ?? '';
    if ('{['.includes(sign)) {
      open.push(at);
    } else if ('}]'.includes(sign)) {
      open.pop();
    }
  }
  return open[0] ?? null;
}
