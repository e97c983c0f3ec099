/**
 * How the names of header fields are written on HTTP/1.1: `usual` as in `Content-Type`, or in
 * `lower` case.
 */
export type FieldCase = (typeof FIELD_CASES)[number];

export const FIELD_CASES = ['usual', 'lower'] as const;

/** Names that are not spelled by the rule: a capital letter at the start of each word. */
const IRREGULAR = [
  'Content-ID',
  'Content-MD5',
  'DNT',
  'DPoP',
  'ETag',
  'HTTP2-Settings',
  'MIME-Version',
  'SOAPAction',
  'Sec-WebSocket-Accept',
  'Sec-WebSocket-Extensions',
  'Sec-WebSocket-Key',
  'Sec-WebSocket-Protocol',
  'Sec-WebSocket-Version',
  'TE',
  'WWW-Authenticate',
  'X-UA-Compatible',
  'X-XSS-Protection',
];

/** The usual spelling by the name in lower case; it grows by the names that are written. */
const USUAL = new Map(IRREGULAR.map((name) => [name.toLowerCase(), name]));
/**
 * Names come from the program and the configuration; more than this is a mistake, and is spelled
 * each time.
 */
const USUAL_MAX = 2_000;

/**
 * The usual spelling of a header field that the gateway writes: `content-type` is `Content-Type`. A
 * name with a capital letter in it is spelled already.
 */
export function usualName(name: string): string {
  const known = USUAL.get(name);
  if (known !== undefined) return known;
  const usual = CAPITAL.test(name)
    ? name
    : name.replace(FIRST_OF_WORD, (first) => first.toUpperCase());
  if (USUAL.size < USUAL_MAX) {
    USUAL.set(name, usual);
  }
  return usual;
}

const CAPITAL = /[A-Z]/;
const FIRST_OF_WORD = /(?<![^-])[a-z]/g;

/**
 * Spellings of fields by their names in lower case, where these are not the usual ones: of fields
 * that are passed on, and of fields that the configuration names.
 */
export type FieldSpellings = ReadonlyMap<string, string>;

/**
 * Names and values in turn with the names spelled: as one of the spellings says, the first that
 * does, else as usual.
 */
export function spellNames(
  fields: readonly string[],
  passed: FieldSpellings | null = null,
  configured: FieldSpellings | null = null,
): string[] {
  const spelled = [...fields];
  for (let at = 0; at < spelled.length; at += 2) {
    const name = spelled[at] ?? '';
    spelled[at] = passed?.get(name) ?? configured?.get(name) ?? usualName(name);
  }
  return spelled;
}

/**
 * The spelling of a name among the raw fields of a request; undefined where it has no such field.
 */
export function spellingIn(rawFields: readonly string[], name: string): string | undefined {
  for (let at = 0; at < rawFields.length; at += 2) {
    const raw = rawFields[at];
    if (raw?.length === name.length && raw.toLowerCase() === name) return raw;
  }
  return undefined;
}
