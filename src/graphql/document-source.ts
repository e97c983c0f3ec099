import { type ASTNode, Source, type SourceLocation } from 'graphql';

/**
 * The text of one document, with fast look-up of locations. graphql-js walks the whole text for the
 * location of each error, also of discarded ones: after parsing it gets an empty text, and
 * locations are looked up here.
 */
export class OperationSource extends Source {
  readonly #text: string;
  /** The starts of lines; made for the first location. */
  #lines: readonly number[] | null = null;

  constructor(text: string) {
    super(text);
    this.#text = text;
  }

  /** The length of the text, parsed or not, in UTF-16 units. */
  get length(): number {
    return this.#text.length;
  }

  /** Call it when the text is parsed. */
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
      if ((this.#lines[middle] ?? 0) <= index) {
        first = middle;
      } else {
        end = middle;
      }
    }
    return { line: first + 1, column: index - (this.#lines[first] ?? 0) + 1 };
  }
}

/** The locations of nodes; undefined without any. */
export function placesOf(nodes: readonly ASTNode[]): readonly SourceLocation[] | undefined {
  const places = nodes.flatMap(({ loc }) =>
    loc?.source instanceof OperationSource ? [loc.source.place(loc.start)] : [],
  );
  return places.length === 0 ? undefined : places;
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

function linesOf(text: string): readonly number[] {
  const lines = [0];
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === LINE_FEED || (unit === CARRIAGE_RETURN && text.charCodeAt(at + 1) !== LINE_FEED)) {
      lines.push(at + 1);
    }
  }
  return lines;
}
