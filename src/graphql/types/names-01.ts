/** The naming rules of version 0.1 that differed; `names: "0.1"` keeps them. */

const VERBS: ReadonlySet<string> = new Set([
  ...[
    'get',
    'find',
    'list',
    'search',
    'count',
    'exists',
    'fetch',
    'load',
    'query',
    'select',
    'read',
    'lookup',
  ],
  ...[
    'describe',
    'check',
    'is',
    'has',
    'echo',
    'who',
    'retrieve',
    'view',
    'show',
    'browse',
    'inquire',
    'inquiry',
  ],
  ...['enquire', 'enquiry'],
]);

/** True if an operation's name begins with a verb that reads. */
export function isReading01(operationName: string): boolean {
  const first = /^[^A-Za-z]*([A-Z]+(?![a-z])|[A-Z]?[a-z]+)/.exec(operationName.slice(0, 256))?.[1];
  return first !== undefined && VERBS.has(first.toLowerCase());
}

/** A capital, or a run of capitals up to the one that begins the next word, becomes small. */
export function lowerFirst01(word: string): string {
  const run = /^[A-Z]+/.exec(word)?.[0].length ?? 0;
  const followed = run < word.length && /[a-z]/.test(word.charAt(run));
  const count = run > 1 && followed ? run - 1 : run;
  return word.slice(0, count).toLowerCase() + word.slice(count);
}

/** Letters without their marks; other letters outside ASCII as `u` and their number. */
export function asciiName01(name: string): string {
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
