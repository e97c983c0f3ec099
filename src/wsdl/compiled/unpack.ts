import type { Steps } from '../../core/index.js';
import { builtInNamed } from './built-in-parts.js';
import {
  ARRAY_ROW,
  CONSTANTS,
  FIRST_SHAPE,
  MAP_ROW,
  NUMBER_CELL,
  OBJECT_CELL,
  type Packed,
  STEP_ROWS,
  TAGS,
  TEXT_CELL,
} from './rows.js';

/** The graph that was packed, frozen; null for one that cannot have been packed here. */
export function* unpacking(packed: Packed): Steps<unknown> {
  const constants = [...CONSTANTS, ...packed.builtIns.map(builtInNamed)];
  if (constants.lastIndexOf(null) > 0) return null;
  const rows = yield* emptyRows(packed);
  if (rows === null) return null;
  const reader = new Reader(packed, rows, constants);
  for (let row = 0; row < rows.length; row++) {
    if (!reader.fill(row)) return null;
    if (row % STEP_ROWS === 0) {
      yield;
    }
  }
  return rows[0] ?? null;
}

type Row = unknown[] | Map<unknown, unknown> | Record<string, unknown>;

/**
 * The objects of all rows, which are filled when each can refer to each. Null: the rows are cut.
 */
function* emptyRows({ cells, shapes }: Packed): Steps<Row[] | null> {
  const templates = shapes.map((keys) => Object.fromEntries(keys.map((key) => [key, null])));
  const rows: Row[] = [];
  let at = 0;
  while (at < cells.length) {
    const kind = cells[at] ?? 0;
    const size = cells[at + 1] ?? 0;
    if (kind === ARRAY_ROW) {
      rows.push([]);
      at += 2 + size;
    } else if (kind === MAP_ROW) {
      rows.push(new Map());
      at += 2 + 2 * size;
    } else {
      const template = templates[kind - FIRST_SHAPE];
      if (template === undefined) return null;
      // A copy has all keys at once, and is smaller than an object that grows.
      rows.push({ ...template });
      at += 1 + (shapes[kind - FIRST_SHAPE]?.length ?? 0);
    }
    if (rows.length % STEP_ROWS === 0) {
      yield;
    }
  }
  return at === cells.length ? rows : null;
}

/** What a cell holds that refers to nothing. */
const NOTHING = Symbol('nothing');

class Reader {
  readonly #packed: Packed;
  readonly #rows: readonly Row[];
  readonly #constants: readonly unknown[];
  #at = 0;
  #isBroken = false;

  constructor(packed: Packed, rows: readonly Row[], constants: readonly unknown[]) {
    this.#packed = packed;
    this.#rows = rows;
    this.#constants = constants;
  }

  /** Fills the next row. False where it refers to nothing. */
  fill(row: number): boolean {
    const { cells, shapes } = this.#packed;
    const target = this.#rows[row];
    const kind = cells[this.#at++] ?? 0;
    if (Array.isArray(target)) {
      for (let left = cells[this.#at++] ?? 0; left > 0; left--) {
        target.push(this.#next());
      }
      Object.freeze(target);
    } else if (target instanceof Map) {
      for (let left = cells[this.#at++] ?? 0; left > 0; left--) {
        target.set(this.#next(), this.#next());
      }
    } else if (target !== undefined) {
      for (const key of shapes[kind - FIRST_SHAPE] ?? []) {
        target[key] = this.#next();
      }
      Object.freeze(target);
    }
    return !this.#isBroken;
  }

  #next(): unknown {
    const value = this.#valueOf(this.#packed.cells[this.#at++] ?? -1);
    if (value === NOTHING) {
      this.#isBroken = true;
    }
    return value;
  }

  #valueOf(cell: number): unknown {
    const tag = cell % TAGS;
    const index = (cell - tag) / TAGS;
    if (tag === NUMBER_CELL) return index;
    const table =
      tag === OBJECT_CELL ? this.#rows : tag === TEXT_CELL ? this.#packed.texts : this.#constants;
    return index >= 0 && index < table.length ? table[index] : NOTHING;
  }
}
