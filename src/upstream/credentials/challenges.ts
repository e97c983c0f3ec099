/** One challenge of `WWW-Authenticate` (RFC 9110 section 11.6.1). */
export interface Challenge {
  /** In lower case. */
  readonly scheme: string;
  /** The token68 after the scheme, in place of parameters; '' for none. */
  readonly token: string;
  readonly parameters: ReadonlyMap<string, string>;
}

/** Characters of one field that are read, and challenges that are taken from it. */
const FIELD_CHARS_MAX = 16_384;
const CHALLENGES_MAX = 16;

/**
 * Reads the challenges of the values of `WWW-Authenticate`. A value that is not valid ends where it
 * is not.
 */
export function readChallenges(values: readonly string[]): readonly Challenge[] {
  const challenges: { scheme: string; token: string; parameters: Map<string, string> }[] = [];
  for (const value of values) {
    const text = value.slice(0, FIELD_CHARS_MAX);
    // A comma parts parameters as well as challenges: a name that no equals sign follows is a
    // scheme.
    PIECE.lastIndex = 0;
    for (let match = PIECE.exec(text); match !== null; match = PIECE.exec(text)) {
      const [whole, name = '', quoted, plain, token] = match;
      if (whole === '') break;
      const last = challenges.at(-1);
      if (quoted !== undefined) {
        last?.parameters.set(name.toLowerCase(), quoted.replaceAll(/\\(.)/g, '$1'));
      } else if (plain !== undefined) {
        last?.parameters.set(name.toLowerCase(), plain);
      } else if (challenges.length < CHALLENGES_MAX) {
        challenges.push({ scheme: name.toLowerCase(), token: token ?? '', parameters: new Map() });
      }
    }
  }
  return challenges;
}

/** A parameter, or a scheme with or without a token68 of its own. */
const PIECE =
  /[\s,]*([!#$%&'*+.^_`|~0-9A-Za-z-]+)(?:[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([!#$%&'*+.^_`|~0-9A-Za-z-]+))|(?![!#$%&'*+.^_`|~0-9A-Za-z-]|[ \t]*=)(?:[ \t]+([A-Za-z0-9._~+/-]+=*)(?=[ \t]*(?:,|$)))?)/y;
