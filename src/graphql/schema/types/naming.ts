/**
 * How operations, fields and arguments are named: in lowerCamelCase, or as in the XML where that is
 * legal.
 */
export type Naming = 'camel' | 'exact';

/**
 * The GraphQL name of a field or argument for an XML name. `OrderID` becomes `orderID`, `ISBNCode`
 * `isbnCode`, `order-id` and `ORDER_ID` `orderId`. The result is always a legal name that does not
 * begin with two underscores.
 */
export function fieldName(xmlName: string, naming: Naming): string {
  if (naming === 'exact') return legal(toAscii(xmlName).replace(/[^A-Za-z0-9_]/g, '_'));
  const known = CAMEL_NAMES.get(xmlName);
  if (known !== undefined) return known;
  const name = camelName(xmlName);
  if (CAMEL_NAMES.size >= CAMEL_NAMES_MAX) {
    CAMEL_NAMES.clear();
  }
  CAMEL_NAMES.set(xmlName, name);
  return name;
}

/** Names that were made before: a schema names most of its elements many times. */
const CAMEL_NAMES = new Map<string, string>();
const CAMEL_NAMES_MAX = 4096;

function camelName(xmlName: string): string {
  const plain = toAscii(decoded(xmlName));
  const words = plain.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
  // In a name without lower case only separators begin words.
  const isLoud = words.length > 1 && !/[a-z]/.test(plain);
  const [first, ...rest] = isLoud ? words.map((word) => word.toLowerCase()) : words;
  if (first === undefined) return '_';
  const underscore = plain.startsWith('_') ? '_' : '';
  return legal(underscore + lowerFirst(first) + rest.map(upperFirst).join(''));
}

/** The GraphQL name of a type: the XML name wherever that is legal. */
export const typeName = (xmlName: string): string =>
  legal(toAscii(decoded(xmlName)).replace(/[^A-Za-z0-9_]/g, '_'));

/**
 * The GraphQL name of an enumeration value: the value itself wherever that is legal. Signs are
 * words where they are the value, stand before a number, or are a plus or minus before a letter or
 * at the end: `>=` becomes `GREATER_EQUAL`, `-1` `MINUS_1`, `+L1` `PLUS_L1`, `A+` `A_PLUS`.
 */
export function enumValueName(value: string): string {
  const plain = toAscii(value.slice(0, VALUE_CHARS));
  const name = legal(/[A-Za-z0-9]/.test(plain) ? wordsOf(plain) : signWords(plain));
  return name === 'true' || name === 'false' || name === 'null' ? `_${name}` : name;
}

/** Signs before a number, and one before a letter. */
const BEFORE = /^[-+<>=!~]{1,4}(?=[ .]?[0-9]|INF$)|^[-+](?=[A-Za-z])(?!.*[-+]$)/;

function wordsOf(value: string): string {
  const before = BEFORE.exec(value)?.[0] ?? '';
  const after = before === '' && /^[-+]/.test(value) ? '' : (/[-+]{1,4}$/.exec(value)?.[0] ?? '');
  const middle = value
    .slice(before.length, value.length - after.length)
    .replace(/[^A-Za-z0-9_]/g, '_');
  const between = /^_/.test(middle) ? '' : '_';
  return (
    (before === '' ? '' : `${signWords(before)}${between}`) +
    middle +
    (after === '' ? '' : `_${signWords(after)}`)
  );
}

/**
 * The beginning of a type's name that is made from an element's name: `order-line` becomes
 * `OrderLine`.
 */
export const pascalName = (xmlName: string): string =>
  upperFirst(fieldName(xmlName, 'camel').replace(/^_+/, '') || '_');

/**
 * The name of a type without one, inside `owner`: `GetOrder` and `line` give `GetOrderLine`;
 * `GetOrderResult` stays.
 */
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
    for (const name of reserved) {
      this.#taken.add(name);
    }
  }

  has(name: string): boolean {
    return this.#taken.has(name);
  }

  /**
   * The first of `candidates` that is free, else the last one with the first free number from 2:
   * `a2`, `a1_2`.
   */
  take(...candidates: readonly [string, ...string[]]): string {
    const free =
      candidates.find((name) => !this.#taken.has(name)) ?? this.#numbered(candidates.at(-1) ?? '_');
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

const pairs = (text: string): readonly (readonly [string, string])[] =>
  text.split(' ').map((pair) => [pair.charAt(0), pair.slice(1)] as const);

const SIGNS: ReadonlyMap<string, string> = new Map([
  [' ', 'SPACE'],
  ...pairs('<LESS >GREATER =EQUAL !NOT +PLUS -MINUS *STAR /SLASH %PERCENT &AND |OR ~TILDE'),
  ...pairs('.DOT ,COMMA :COLON ;SEMICOLON ?QUESTION #HASH $DOLLAR @AT _UNDERSCORE ^CARET'),
]);

const signWords = (value: string): string =>
  value === '' ? 'EMPTY' : [...value].map((sign) => SIGNS.get(sign) ?? 'OTHER').join('_');

/**
 * Makes the first word of a name small: a capital, or a run of capitals up to the one that begins
 * the next word (`XMLHttp` is `xmlHttp`). The whole run is the word before `s` (`URLs` is `urls`),
 * before a version (`IPv4Address` is `ipv4Address`), and before a common noun, which is the next
 * word (`DNSname` is `dnsName`).
 */
function lowerFirst(word: string): string {
  const [, run = '', small = '', next = ''] = /^([A-Z]+)([a-z]*)(.?)/.exec(word) ?? [];
  if (run.length < 2 || small === '') return run.toLowerCase() + word.slice(run.length);
  const isPlural = small === 's';
  const isVersion = small === 'v' && /[0-9]/.test(next);
  const isNoun = NOUNS.has(small);
  if (!isPlural && !isVersion && !isNoun) {
    return run.slice(0, -1).toLowerCase() + word.slice(run.length - 1);
  }
  const rest = word.slice(run.length);
  return run.toLowerCase() + (isNoun ? upperFirst(rest) : rest);
}

/** They follow an abbreviation without a capital. */
const NOUNS: ReadonlySet<string> = new Set(
  (
    'address amount code count data date file format header id index info key list ' +
    'message mode name number path server size state status string text time type ' +
    'url user value version'
  ).split(' '),
);

const upperFirst = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** A name as it was before .NET wrote signs that XML names cannot have as `_x0020_`. */
const decoded = (xmlName: string): string =>
  xmlName.replace(/_x([0-9A-Fa-f]{4}|[0-9A-Fa-f]{8})_/g, (written, digits: string) => {
    const codePoint = Number.parseInt(digits, 16);
    return codePoint > LAST_CODE_POINT ? written : String.fromCodePoint(codePoint);
  });

const LAST_CODE_POINT = 0x10ffff;

/** Names begin with a letter or one underscore: two are reserved by GraphQL. */
function legal(name: string): string {
  const single = name.replace(/^_{2,}/, '_');
  if (single === '') return '_';
  return /^[0-9]/.test(single) ? `_${single}` : single;
}

/**
 * The text in letters of ASCII: `Größe` is `Grosse`, `Заказ` is `Zakaz`. Marks are dropped. Letters
 * of scripts that no table here has are `u` and their number, so that no two names become one.
 */
export function toAscii(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text;
  const ascii = [...text.normalize('NFC')].map(letterOf).join('');
  // `ЗАЯВКА` is `ZAYAVKA`, not `ZAYaVKA`.
  const isLoud = text === text.toUpperCase() && text !== text.toLowerCase();
  return isLoud ? ascii.toUpperCase() : ascii;
}

function letterOf(letter: string): string {
  if (/[\x20-\x7e]/.test(letter)) return letter;
  return inTable(letter) ?? [...letter.normalize('NFKD')].map(baseOf).join('');
}

/** A letter without its marks. */
function baseOf(base: string): string {
  if (/\p{Mark}/u.test(base)) return '';
  if (/[\x20-\x7e]/.test(base)) return base;
  return inTable(base) ?? `u${base.codePointAt(0)?.toString(16).toUpperCase()}`;
}

function inTable(letter: string): string | null {
  const small = letter.toLowerCase();
  const ascii = LETTERS.get(small);
  if (ascii === undefined) return null;
  return small === letter ? ascii : `${ascii.charAt(0).toUpperCase()}${ascii.slice(1)}`;
}

/** Small letters that are more than a letter of ASCII with marks, as passports write them. */
const LETTERS: ReadonlyMap<string, string> = new Map([
  ...pairs('ßss æae œoe øo đd ðd þth łl ħh ıi ŋng ŧt ƒf'),
  ...pairs(
    'аa бb вv гg дd еe ёe жzh зz иi йy кk лl мm нn оo пp рr сs тt уu фf хkh цts чch шsh ' +
      'щshch ъ ыy ь эe юyu яya',
  ),
  ...pairs('іi їyi єye ґg ўu ђdj јj љlj њnj ћc џdz ѓgj ќkj ѕdz әa ғg қq ңn өo ұu үu һh'),
  ...pairs('αa βv γg δd εe ζz ηi θth ιi κk λl μm νn ξx οo πp ρr σs ςs τt υy φf χch ψps ωo'),
]);
