import { charsetCost, has } from './charset.js';
import { NEVER, type Nfa } from './nfa.js';

/**
 * A deterministic automaton that is built as far as texts need it, within bounds (the lazy subset
 * construction). A text for which too much would have to be built does not match: only patterns of
 * thousands of states can come to that.
 */
export class Automaton {
  readonly #nfa: Nfa;
  readonly #states = new Map<string, DfaState>();
  #nfaStatesKept = 0;
  #start: DfaState;
  readonly #ascii = new Int16Array(128).fill(-1);
  readonly #codes = new Map<number, number>();
  /** Characters that are in the same sets of the program are one class. */
  readonly #classes = new Map<string, number>();
  readonly #members: boolean[][] = [];
  /** Cost of looking a character up in all sets. */
  readonly #lookupCost: number;
  readonly #visited: Uint32Array;
  #visit = 0;
  #steps = 0;

  constructor(nfa: Nfa) {
    this.#nfa = nfa;
    this.#lookupCost = nfa.charSets.reduce((sum, set) => sum + charsetCost(set), 0);
    this.#visited = new Uint32Array(nfa.sets.length);
    this.#start = this.#state([nfa.start]);
  }

  /** Whether all of `text` leads from the start to the end. */
  matches(text: string): boolean {
    this.#steps = STEPS + STEPS_PER_CHARACTER * text.length;
    let state = this.#start;
    for (let at = 0; at < text.length; at += 1) {
      let code = text.charCodeAt(at);
      if (code >= 0xd800 && code <= 0xdbff) {
        code = text.codePointAt(at) ?? code;
        if (code > 0xffff) {
          at += 1;
        }
      }
      const kind = this.#classOf(code);
      state = state.next[kind] ?? this.#step(state, kind);
      if ((state.nfaStates.length === 0 && !state.accepts) || this.#steps < 0) return false;
    }
    return state.accepts;
  }

  #classOf(code: number): number {
    const known = code < 128 ? (this.#ascii[code] ?? -1) : (this.#codes.get(code) ?? -1);
    if (known !== -1) return known;
    const members = this.#nfa.charSets.map((set) => has(set, code));
    this.#steps -= this.#lookupCost;
    const signature = members.map((member) => (member ? 1 : 0)).join('');
    const kind = this.#classes.get(signature) ?? this.#classes.size;
    if (kind === this.#classes.size) {
      this.#classes.set(signature, kind);
      this.#members[kind] = members;
    }
    if (code < 128) {
      this.#ascii[code] = kind;
    } else {
      if (this.#codes.size >= MAX_CODES) {
        this.#codes.clear();
      }
      this.#codes.set(code, kind);
    }
    return kind;
  }

  #step(state: DfaState, kind: number): DfaState {
    const { sets, after } = this.#nfa;
    const members = this.#members[kind] ?? [];
    const reached: number[] = [];
    for (const nfaState of state.nfaStates) {
      const set = sets[nfaState] ?? NEVER;
      if (set !== NEVER && members[set] === true) {
        reached.push(after[nfaState] ?? 0);
      }
    }
    this.#steps -= state.nfaStates.length;
    const next = this.#state(reached);
    state.next[kind] = next;
    return next;
  }

  /** The state of these NFA states and all that are reached from them without a character. */
  #state(from: readonly number[]): DfaState {
    const { sets, empties, end } = this.#nfa;
    if (this.#visit === MAX_VISIT) {
      this.#visited.fill(0);
    }
    this.#visit = (this.#visit % MAX_VISIT) + 1;
    const visit = this.#visit;
    const states: number[] = [];
    const stack = [...from];
    let accepts = false;
    for (let nfaState = stack.pop(); nfaState !== undefined; nfaState = stack.pop()) {
      if (this.#visited[nfaState] === visit) continue;
      this.#visited[nfaState] = visit;
      this.#steps -= 1;
      if (nfaState === end) {
        accepts = true;
      } else if (sets[nfaState] !== NEVER) {
        states.push(nfaState);
      }
      for (const next of empties[nfaState] ?? []) {
        stack.push(next);
      }
    }
    states.sort((a, b) => a - b);
    const key = `${states.join()}${accepts ? '!' : ''}`;
    const known = this.#states.get(key);
    if (known !== undefined) return known;
    const made: DfaState = { nfaStates: states, accepts, next: [] };
    this.#keep(key, made);
    return made;
  }

  #keep(key: string, state: DfaState): void {
    if (
      this.#states.size >= MAX_STATES ||
      this.#nfaStatesKept > MAX_NFA_STATES ||
      this.#classes.size > MAX_CLASSES
    ) {
      this.#reset();
    }
    this.#states.set(key, state);
    this.#nfaStatesKept += state.nfaStates.length;
  }

  /** States refer to each other: the first one is made anew, so that no old one can be reached. */
  #reset(): void {
    this.#states.clear();
    this.#nfaStatesKept = 0;
    this.#start = { nfaStates: this.#start.nfaStates, accepts: this.#start.accepts, next: [] };
    this.#classes.clear();
    this.#members.length = 0;
    this.#codes.clear();
    this.#ascii.fill(-1);
  }
}

/**
 * Steps of construction that one match may take beyond its length. Some 20 ms; only hostile texts
 * come near.
 */
const STEPS = 250_000;
const STEPS_PER_CHARACTER = 8;

/** Bounds of the states kept from one match to the next; beyond them all are dropped. */
const MAX_STATES = 1000;
const MAX_NFA_STATES = 100_000;
const MAX_CLASSES = 256;
const MAX_CODES = 4096;

/** The largest number of a visit. */
const MAX_VISIT = 0xffff_ffff;

/** The set of NFA states that the text so far leads to. */
interface DfaState {
  readonly nfaStates: readonly number[];
  readonly accepts: boolean;
  /** The next state for each class of the next character; filled when first needed. */
  readonly next: (DfaState | undefined)[];
}
