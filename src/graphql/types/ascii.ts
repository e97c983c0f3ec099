/**
 * The text in letters of ASCII: `Größe` is `Grosse`, `Заказ` is `Zakaz`. Marks are dropped. Letters of scripts that no
 * table here has are `u` and their number, so that no two names become one.
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

const pairs = (text: string): readonly (readonly [string, string])[] =>
  text.split(' ').map((pair) => [pair.charAt(0), pair.slice(1)] as const);

/** Small letters that are more than a letter of ASCII with marks, as passports write them. */
const LETTERS: ReadonlyMap<string, string> = new Map([
  ...pairs('ßss æae œoe øo đd ðd þth łl ħh ıi ŋng ŧt ƒf'),
  ...pairs(
    'аa бb вv гg дd еe ёe жzh зz иi йy кk лl мm нn оo пp рr сs тt уu фf хkh цts чch шsh щshch ъ ыy ь эe юyu яya',
  ),
  ...pairs('іi їyi єye ґg ўu ђdj јj љlj њnj ћc џdz ѓgj ќkj ѕdz әa ғg қq ңn өo ұu үu һh'),
  ...pairs('αa βv γg δd εe ζz ηi θth ιi κk λl μm νn ξx οo πp ρr σs ςs τt υy φf χch ψps ωo'),
]);
