import { type ASTNode, Source, type SourceLocation } from 'graphql';

/**
 * The text of one document. graphql-js walks the whole text for the place of each error that it makes, also of those
 * that nobody is told: once it has parsed a document it gets none, and places are looked up here.
 */
export class DocumentSource extends Source {
  readonly #text: string;
  /** Where lines begin; made for the first place that somebody asks for. */
  #lines: readonly number[] | null = null;

  constructor(text: string) {
    super(text);
    this.#text = text;
  }

  /** Of the text, parsed or not, in UTF-16 units. */
  get length(): number {
    return this.#text.length;
  }

  /** To be called when the text is parsed. */
  close(): void {
    this.body = '';
  }

  /** The line and column, from 1, of an index in the text. */
  place(index: number): SourceLocation {
    this.#lines ??= linesOf(this.#text);
    let first = 0;
    let end = this.#lines.length;
    while (end - first > 1) {
      const middle = (first + end) >> 1;
      if ((this.#lines[middle] ?? 0) <= index) first = middle;
      else end = middle;
    }
    return { line: first + 1, column: index - (this.#lines[first] ?? 0) + 1 };
  }
}

/** Where nodes of documents stand; undefined where none of them has a place. */
export function placesOf(nodes: readonly ASTNode[]): readonly SourceLocation[] | undefined {
  const places = nodes.flatMap(({ loc }) =>
    loc?.source instanceof DocumentSource ? [loc.source.place(loc.start)] : [],
  );
  return places.length === 0 ? undefined : places;
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

function linesOf(text: string): readonly number[] {
  const lines = [0];
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === LINE_FEED || (unit === CARRIAGE_RETURN && text.charCodeAt(at + 1) !== LINE_FEED)) lines.push(at + 1);
  }
  return lines;
}
