import type { Position } from './automaton.js';
import type { TextTest } from './fast-path.js';
import type { ElementRules, TypeRules } from './rules.js';
import { ModelWalk } from './walk.js';

/**
 * What happens with the text of an element: it is kept until the end, or validated as it streams;
 * there must be none, because the element is nil; or it is known to be valid and was not kept: the
 * bytes have passed a test, or it is an attachment (XOP).
 */
type TextState = 'kept' | 'streamed' | 'nil' | 'known';

/** An open element while it is validated. Frames are reused. */
export class Frame {
  element: ElementRules;
  type: TypeRules;
  readonly walk = new ModelWalk<ElementRules>();
  /** The text so far, where it is needed. */
  text = '';
  #textState: TextState = 'kept';
  /** The test by which its text may be valid without being kept; null where the text is needed. */
  fastTest: TextTest | null = null;
  /** An identity constraint wants its text. */
  isField = false;
  /** Children so far. */
  children = 0;
  /**
   * The number that it has among siblings of its name, or among all where the name is undeclared.
   */
  ordinal = 1;
  /** Whether the path shows that number. */
  mayRepeat = false;
  /** The child begun last, and how many of its name came in a row. */
  #last: Position<ElementRules> | null = null;
  #run = 0;
  /** The number of children by name, only where others may come between those of one name. */
  #tally: Int32Array | null = null;
  #tallied = 0;

  constructor(element: ElementRules, type: TypeRules) {
    this.element = element;
    this.type = type;
  }

  begin(element: ElementRules, type: TypeRules): void {
    this.element = element;
    this.type = type;
    this.text = '';
    this.#textState = 'kept';
    this.fastTest = null;
    this.isField = false;
    this.children = 0;
    const { automaton } = type;
    if (automaton === null) return;
    this.walk.begin(automaton);
    this.#last = null;
    this.#run = 0;
    this.#tallied = automaton.isInterleaved ? automaton.names : 0;
    if (this.#tallied === 0) return;
    if (this.#tally === null || this.#tally.length < this.#tallied) {
      this.#tally = new Int32Array(this.#tallied);
    } else {
      this.#tally.fill(0, 0, this.#tallied);
    }
  }

  get textState(): TextState {
    return this.#textState;
  }

  /** Begins another way with the text; an element that is nil stays so. */
  treatText(as: Exclude<TextState, 'kept'>): void {
    if (this.#textState !== 'nil') {
      this.#textState = as;
    }
  }

  /** Shows the children begun of each name; where those of one name come in a row, of the last. */
  showCounts(show: (name: number, count: number) => void): void {
    if (this.#tallied === 0 && this.#last !== null) {
      show(this.#last.nameIndex, this.#run);
    }
    for (let name = 0; name < this.#tallied; name++) {
      show(name, this.#tally?.[name] ?? 0);
    }
  }

  /** Goes on from another position, with the children that `countOf` a name has. */
  moveTo(
    position: Position<ElementRules>,
    children: number,
    countOf: (name: number) => number,
  ): void {
    this.walk.moveTo(position);
    this.children = children;
    if (position.nameIndex < 0) return;
    this.#last = position;
    this.#run = countOf(position.nameIndex);
    for (let name = 0; name < this.#tallied && this.#tally !== null; name++) {
      this.#tally[name] = countOf(name);
    }
  }

  /** The number that the child at the current position has among its siblings of the same name. */
  get lastOrdinal(): number {
    const name = this.#last?.nameIndex ?? -1;
    return this.#tallied > 0 ? (this.#tally?.[name] ?? this.#run) : this.#run;
  }

  /** Counts a child at this position; returns its number among its siblings of the same name. */
  countChild(position: Position<ElementRules>): number {
    const { nameIndex } = position;
    if (nameIndex < 0) return this.children;
    if (this.#tallied > 0 && this.#tally !== null) {
      const ordinal = (this.#tally[nameIndex] ?? 0) + 1;
      this.#tally[nameIndex] = ordinal;
      return ordinal;
    }
    this.#run = position === this.#last ? this.#run + 1 : 1;
    this.#last = position;
    return this.#run;
  }

  /** The step that the path of a violation has for the element. */
  get step(): string {
    const { local } = this.element;
    return this.mayRepeat ? `/${local}[${this.ordinal}]` : `/${local}`;
  }
}
