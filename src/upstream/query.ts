/**
 * The query of a configured address, and what callers may add to it. A parameter that the address
 * has is the operator's: servers that get it twice take the first or the last one, so a caller's
 * does not go on.
 */
export class FixedQuery {
  /** '' or a query with its question mark. */
  readonly #search: string;
  readonly #names: ReadonlySet<string>;

  /** Takes the query as `URL.search` has it. */
  constructor(search: string) {
    this.#search = search;
    this.#names = new Set(search.slice(1).split(SEPARATORS).map(nameOf));
  }

  /**
   * One query of both. `query` is '' or begins with its question mark, and so does what is
   * answered.
   */
  with(query: string): string {
    return this.#search === '' ? query : this.#search + this.others(query).replace('?', '&');
  }

  /** The part of the caller's query that is forwarded. */
  others(query: string): string {
    if (this.#search === '' || query === '') return query;
    // Some servers part parameters by `;` as well, and to the others what stands behind one belongs
    // to the one before.
    const kept = query
      .slice(1)
      .split('&')
      .map((part) => part.split(';').filter((piece) => !this.#names.has(nameOf(piece))))
      .filter((pieces) => pieces.length > 0);
    return kept.length === 0 ? '' : `?${kept.map((pieces) => pieces.join(';')).join('&')}`;
  }
}

const SEPARATORS = /[&;]/;

/**
 * The name of a parameter as servers may read it: without its encoding (and the part behind a NUL),
 * in either case of letters, and as PHP has it, which leaves out blanks before it and the index
 * behind it, and has no dots and blanks.
 */
function nameOf(parameter: string): string {
  const equals = parameter.indexOf('=');
  const written = equals < 0 ? parameter : parameter.slice(0, equals);
  const decoded = written
    .replaceAll('+', ' ')
    .replaceAll(/%([0-9a-f]{2})/gi, (_all, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
  const [name = ''] = decoded.trimStart().split(INDEX_OR_END, 1);
  return name.replaceAll(/[. ]/g, '_').toLowerCase();
}

/** PHP keeps a name that begins with its index. */
const INDEX_OR_END = /(?<=.)\[|\0/s;
