import { has, weightOf } from './charset.js';
import { NEVER, type Program } from './program.js';

/**
 * A deterministic automaton that is built as far as texts need it, within bounds (the lazy subset construction). A text
 * for which too much would have to be built does not match: only patterns of thousands of places can come to that.
 */
export class Automaton {
  readonly #program: Program;
  readonly #states = new Map<string, State>();
  #placesKept = 0;
  #start: State;
  readonly #ascii = new Int16Array(128).fill(-1);
  readonly #codes = new Map<number, number>();
  /** Characters that are in the same sets of the program are one class. */
  readonly #classes = new Map<string, number>();
  readonly #members: boolean[][] = [];
  /** Of all sets. */
  readonly #weight: number;
  readonly #marks: Uint32Array;
  #mark = 0;
  #steps = 0;

  constructor(program: Program) {
    this.#program = program;
    this.#weight = program.charSets.reduce((sum, set) => sum + weightOf(set), 0);
    this.#marks = new Uint32Array(program.sets.length);
    this.#start = this.#state([program.start]);
  }

  /** Whether all of `text` leads from the start to the end. */
  matches(text: string): boolean {
    this.#steps = STEPS + STEPS_PER_CHARACTER * text.length;
    let state = this.#start;
    for (let at = 0; at < text.length; at += 1) {
      let code = text.charCodeAt(at);
      if (code >= 0xd800 && code <= 0xdbff) {
        code = text.codePointAt(at) ?? code;
        if (code > 0xffff) at += 1;
      }
      const kind = this.#classOf(code);
      state = state.next[kind] ?? this.#step(state, kind);
      if ((state.places.length === 0 && !state.accepts) || this.#steps < 0) return false;
    }
    return state.accepts;
  }

  #classOf(code: number): number {
    const known = code < 128 ? (this.#ascii[code] ?? -1) : (this.#codes.get(code) ?? -1);
    if (known !== -1) return known;
    const members = this.#program.charSets.map((set) => has(set, code));
    this.#steps -= this.#weight;
    const signature = members.map((member) => (member ? 1 : 0)).join('');
    const kind = this.#classes.get(signature) ?? this.#classes.size;
    if (kind === this.#classes.size) {
      this.#classes.set(signature, kind);
      this.#members[kind] = members;
    }
    if (code < 128) this.#ascii[code] = kind;
    else {
      if (this.#codes.size >= MAX_CODES) this.#codes.clear();
      this.#codes.set(code, kind);
    }
    return kind;
  }

  #step(state: State, kind: number): State {
    const { sets, after } = this.#program;
    const members = this.#members[kind] ?? [];
    const reached: number[] = [];
    for (const place of state.places) {
      const set = sets[place] ?? NEVER;
      if (set !== NEVER && members[set] === true) reached.push(after[place] ?? 0);
    }
    this.#steps -= state.places.length;
    const next = this.#state(reached);
    state.next[kind] = next;
    return next;
  }

  /** The state of these places and all that are reached from them without a character. */
  #state(from: readonly number[]): State {
    const { sets, empties, end } = this.#program;
    if (this.#mark === MAX_MARK) this.#marks.fill(0);
    this.#mark = (this.#mark % MAX_MARK) + 1;
    const mark = this.#mark;
    const places: number[] = [];
    const stack = [...from];
    let accepts = false;
    for (let place = stack.pop(); place !== undefined; place = stack.pop()) {
      if (this.#marks[place] === mark) continue;
      this.#marks[place] = mark;
      this.#steps -= 1;
      if (place === end) accepts = true;
      else if (sets[place] !== NEVER) places.push(place);
      for (const next of empties[place] ?? []) stack.push(next);
    }
    places.sort((a, b) => a - b);
    const key = `${places.join()}${accepts ? '!' : ''}`;
    const known = this.#states.get(key);
    if (known !== undefined) return known;
    const made: State = { places, accepts, next: [] };
    this.#keep(key, made);
    return made;
  }

  #keep(key: string, state: State): void {
    if (this.#states.size >= MAX_STATES || this.#placesKept > MAX_PLACES || this.#classes.size > MAX_CLASSES) {
      this.#forget();
    }
    this.#states.set(key, state);
    this.#placesKept += state.places.length;
  }

  /** States refer to each other: the first one is made anew, so that no old one can be reached. */
  #forget(): void {
    this.#states.clear();
    this.#placesKept = 0;
    this.#start = { places: this.#start.places, accepts: this.#start.accepts, next: [] };
    this.#classes.clear();
    this.#members.length = 0;
    this.#codes.clear();
    this.#ascii.fill(-1);
  }
}

/** What one match may cost beyond its length, in steps of the slow way. Some 20 ms; only hostile texts come near. */
const STEPS = 250_000;
const STEPS_PER_CHARACTER = 8;

/** Bounds of what is remembered from one match to the next; beyond them all is forgotten. */
const MAX_STATES = 1000;
const MAX_PLACES = 100_000;
const MAX_CLASSES = 256;
const MAX_CODES = 4096;

/** The largest number that marks hold. */
const MAX_MARK = 0xffff_ffff;

/** A set of places of the program, all of which the text so far leads to. */
interface State {
  readonly places: readonly number[];
  readonly accepts: boolean;
  /** By class of the next character; filled when first needed. */
  readonly next: (State | undefined)[];
}
