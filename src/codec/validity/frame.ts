import type { BytesTest } from '../../xml/events.js';
import type { Position } from './automaton.js';
import type { ElementRules, TypeRules } from './rules.js';
import { ModelWalk } from './walk.js';

/** An open element while it is validated. Frames are used again and again. */
export class Frame {
  element: ElementRules;
  type: TypeRules;
  readonly walk = new ModelWalk<ElementRules>();
  /** The text so far, where it is wanted. */
  text = '';
  isNil = false;
  /** Binary content stands in a part of its own (XOP). */
  isElsewhere = false;
  /** Its text is validated as it flows. */
  isFlowing = false;
  /** What its text may be told valid by without being kept; null where it is needed. */
  quick: BytesTest | null = null;
  /** Its text is known to be valid, and was not kept. */
  isTaken = false;
  /** An identity constraint wants its text. */
  isField = false;
  /** Children so far. */
  children = 0;
  /** Its place among its siblings of the same name, or among all of them where its name is not declared. */
  place = 1;
  /** Whether that is worth telling. */
  repeats = false;
  /** The child begun last, and how many of its name came in a row. */
  #last: Position<ElementRules> | null = null;
  #run = 0;
  /** How many children came, by name: only where those of one name may come with others between. */
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
    this.isNil = false;
    this.isElsewhere = false;
    this.isFlowing = false;
    this.quick = null;
    this.isTaken = false;
    this.isField = false;
    this.children = 0;
    const { automaton } = type;
    if (automaton === null) return;
    this.walk.begin(automaton);
    this.#last = null;
    this.#run = 0;
    this.#tallied = automaton.isInterleaved ? automaton.names : 0;
    if (this.#tallied === 0) return;
    if (this.#tally === null || this.#tally.length < this.#tallied) this.#tally = new Int32Array(this.#tallied);
    else this.#tally.fill(0, 0, this.#tallied);
  }

  /** Counts a child, which this particle took; tells its place among its siblings of the same name. */
  placeOf(position: Position<ElementRules>): number {
    const { nameIndex } = position;
    if (nameIndex < 0) return this.children;
    if (this.#tallied > 0 && this.#tally !== null) {
      const place = (this.#tally[nameIndex] ?? 0) + 1;
      this.#tally[nameIndex] = place;
      return place;
    }
    this.#run = position === this.#last ? this.#run + 1 : 1;
    this.#last = position;
    return this.#run;
  }

  /** Its step in the path of a violation. */
  get step(): string {
    const { local } = this.element;
    return this.repeats ? `/${local}[${this.place}]` : `/${local}`;
  }
}
