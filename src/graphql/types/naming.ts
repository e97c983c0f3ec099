/** How names of operations, fields and arguments are made: lowerCamelCase, or as in the XML where that is legal. */
export type Naming = 'camel' | 'exact';

/**
 * The GraphQL name of a field or argument for an XML name. `OrderID` becomes `orderID`, `ISBNCode` `isbnCode`,
 * `order-id` and `ORDER_ID` `orderId`. The result is always a legal name that does not begin with two underscores.
 */
export function fieldName(xmlName: string, naming: Naming): string {
  const plain = toAscii(xmlName);
  if (naming === 'exact') return legal(plain.replace(/[^A-Za-z0-9_]/g, '_'));
  const words = plain.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
  // In a name without lower case only separators begin words.
  const isLoud = words.length > 1 && !/[a-z]/.test(plain);
  const [first, ...rest] = isLoud ? words.map((word) => word.toLowerCase()) : words;
  if (first === undefined) return '_';
  const underscore = plain.startsWith('_') ? '_' : '';
  return legal(underscore + lowerFirst(first) + rest.map(upperFirst).join(''));
}

/** The GraphQL name of a type: the XML name wherever that is legal. */
export const typeName = (xmlName: string): string => legal(toAscii(xmlName).replace(/[^A-Za-z0-9_]/g, '_'));

/**
 * The GraphQL name of an enumeration value: the value itself wherever that is legal. Signs are words where they are the
 * value, stand before a number, or are a plus or minus at the end: `>=` becomes `GREATER_EQUAL`, `-1` `MINUS_1`, `A+`
 * `A_PLUS`.
 */
export function enumValueName(value: string): string {
  const plain = toAscii(value.slice(0, VALUE_CHARS));
  const name = legal(/[A-Za-z0-9]/.test(plain) ? wordsOf(plain) : signWords(plain));
  return name === 'true' || name === 'false' || name === 'null' ? `_${name}` : name;
}

function wordsOf(value: string): string {
  const before = /^[-+<>=!~]{1,4}(?=[ .]?[0-9]|INF$)/.exec(value)?.[0] ?? '';
  const after = before === '' && /^[-+]/.test(value) ? '' : (/[-+]{1,4}$/.exec(value)?.[0] ?? '');
  const middle = value.slice(before.length, value.length - after.length).replace(/[^A-Za-z0-9_]/g, '_');
  const between = /^_/.test(middle) ? '' : '_';
  return (
    (before === '' ? '' : `${signWords(before)}${between}`) + middle + (after === '' ? '' : `_${signWords(after)}`)
  );
}

/** The beginning of a type's name that is made from an element's name: `order-line` becomes `OrderLine`. */
export const pascalName = (xmlName: string): string =>
  upperFirst(fieldName(xmlName, 'camel').replace(/^_+/, '') || '_');

/** The name of a type without one, inside `owner`: `GetOrder` and `line` give `GetOrderLine`; `GetOrderResult` stays. */
export function innerName(owner: string, xmlName: string): string {
  const name = pascalName(xmlName);
  return name.length > owner.length && name.startsWith(owner) ? name : `${owner}${name}`;
}

/** Names taken so far in one scope; the second taker of a name gets another one. */
export class NameScope {
  readonly #taken = new Set<string>();
  /** The next number to try, by name: thousands may want the same one. */
  readonly #numbers = new Map<string, number>();

  constructor(reserved: Iterable<string> = []) {
    for (const name of reserved) this.#taken.add(name);
  }

  has(name: string): boolean {
    return this.#taken.has(name);
  }

  /** The first of `candidates` that is free, else the last one with the first free number from 2: `a2`, `a1_2`. */
  take(...candidates: readonly [string, ...string[]]): string {
    const free = candidates.find((name) => !this.#taken.has(name)) ?? this.#numbered(candidates.at(-1) ?? '_');
    this.#taken.add(free);
    return free;
  }

  #numbered(name: string): string {
    const stem = /[0-9]$/.test(name) ? `${name}_` : name;
    for (let number = this.#numbers.get(name) ?? 2; ; number++) {
      const candidate = `${stem}${number}`;
      if (this.#taken.has(candidate)) continue;
      this.#numbers.set(name, number + 1);
      return candidate;
    }
  }
}

const VALUE_CHARS = 128;

const SIGNS: ReadonlyMap<string, string> = new Map([
  ...([
    ['<', 'LESS'],
    ['>', 'GREATER'],
    ['=', 'EQUAL'],
    ['!', 'NOT'],
    ['+', 'PLUS'],
    ['-', 'MINUS'],
  ] as const),
  ...([
    ['*', 'STAR'],
    ['/', 'SLASH'],
    ['%', 'PERCENT'],
    ['&', 'AND'],
    ['|', 'OR'],
    ['~', 'TILDE'],
  ] as const),
  ...([
    ['.', 'DOT'],
    [',', 'COMMA'],
    [':', 'COLON'],
    [';', 'SEMICOLON'],
    ['?', 'QUESTION'],
    ['#', 'HASH'],
  ] as const),
  ...([
    ['$', 'DOLLAR'],
    ['@', 'AT'],
    [' ', 'SPACE'],
    ['_', 'UNDERSCORE'],
    ['^', 'CARET'],
  ] as const),
]);

const signWords = (value: string): string =>
  value === '' ? 'EMPTY' : [...value].map((sign) => SIGNS.get(sign) ?? 'OTHER').join('_');

/** A capital, or a run of capitals up to the one that begins the next word, becomes small. */
function lowerFirst(word: string): string {
  const run = /^[A-Z]+/.exec(word)?.[0].length ?? 0;
  const followed = run < word.length && /[a-z]/.test(word.charAt(run));
  const count = run > 1 && followed ? run - 1 : run;
  return word.slice(0, count).toLowerCase() + word.slice(count);
}

const upperFirst = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** Letters without their marks; other letters outside ASCII as `u` and their number, so that no two names meet. */
function toAscii(name: string): string {
  if (/^[\x20-\x7e]*$/.test(name)) return name;
  return name
    .replace(/ß/g, 'ss')
    .replace(/æ/g, 'ae')
    .replace(/Æ/g, 'Ae')
    .replace(/ø/g, 'o')
    .replace(/Ø/g, 'O')
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .replace(/[^\x20-\x7e]/gu, (letter) => `u${letter.codePointAt(0)?.toString(16).toUpperCase()}`);
}

/** Names begin with a letter or one underscore: two are reserved by GraphQL. */
function legal(name: string): string {
  const single = name.replace(/^_{2,}/, '_');
  if (single === '') return '_';
  return /^[0-9]/.test(single) ? `_${single}` : single;
}
