import type { Steps } from '../../core/index.js';
import { builtInName } from './built-in-parts.js';
import {
  ARRAY_ROW,
  CONSTANT_CELL,
  CONSTANTS,
  FIRST_SHAPE,
  MAP_ROW,
  NUMBER_CELL,
  NUMBER_MAX,
  OBJECT_CELL,
  type Packed,
  STEP_ROWS,
  TAGS,
  TEXT_CELL,
} from './rows.js';

/**
 * Packs everything that is reachable from `root`. Null for a graph that holds something else than
 * plain data.
 */
export function* packing(root: object): Steps<Packed | null> {
  const packer = new Packer(root);
  let rows = 0;
  for (const value of packer.rows) {
    if (!packer.addRow(value)) return null;
    if (++rows % STEP_ROWS === 0) {
      yield;
    }
  }
  return packer.packed();
}

class Packer {
  /** The objects, in the order of their rows: it grows while rows are added. */
  readonly rows: object[];
  readonly #rowOf: Map<object, number>;
  readonly #texts = new Map<string, number>();
  readonly #builtIns = new Map<string, number>();
  readonly #shapes = new Map<string, number>();
  readonly #cells: number[] = [];

  constructor(root: object) {
    this.rows = [root];
    this.#rowOf = new Map([[root, 0]]);
  }

  /** False where the object is no plain data. */
  addRow(value: object): boolean {
    if (Array.isArray(value)) {
      this.#cells.push(ARRAY_ROW, value.length);
      return value.every((item) => this.#add(item));
    }
    if (value instanceof Map) {
      this.#cells.push(MAP_ROW, value.size);
      return [...value].every(([key, item]) => this.#add(key) && this.#add(item));
    }
    if (Object.getPrototypeOf(value) !== Object.prototype) return false;
    const keys = Object.keys(value);
    if (keys.includes('__proto__')) return false;
    this.#cells.push(FIRST_SHAPE + numberOf(this.#shapes, JSON.stringify(keys)));
    return Object.values(value).every((item) => this.#add(item));
  }

  packed(): Packed {
    return {
      shapes: [...this.#shapes.keys()].map((keys): string[] => JSON.parse(keys)),
      texts: [...this.#texts.keys()],
      builtIns: [...this.#builtIns.keys()],
      cells: this.#cells,
    };
  }

  #add(value: unknown): boolean {
    const cell = this.#cellOf(value);
    if (cell === null) return false;
    this.#cells.push(cell);
    return true;
  }

  #cellOf(value: unknown): number | null {
    if (typeof value === 'string') return numberOf(this.#texts, value) * TAGS + TEXT_CELL;
    if (typeof value === 'object' && value !== null) return this.#objectCell(value);
    const constant = CONSTANTS.indexOf(value);
    if (constant !== -1) return constant * TAGS + CONSTANT_CELL;
    const isExact = Number.isInteger(value) && Number(value) >= 0 && Number(value) < NUMBER_MAX;
    return isExact ? Number(value) * TAGS + NUMBER_CELL : null;
  }

  #objectCell(value: object): number {
    const known = this.#rowOf.get(value);
    if (known !== undefined) return known * TAGS + OBJECT_CELL;
    const builtIn = builtInName(value);
    if (builtIn !== null) {
      return (CONSTANTS.length + numberOf(this.#builtIns, builtIn)) * TAGS + CONSTANT_CELL;
    }
    const row = this.rows.push(value) - 1;
    this.#rowOf.set(value, row);
    return row * TAGS + OBJECT_CELL;
  }
}

/** The number of a key: the next one where it is new. */
function numberOf(numbers: Map<string, number>, key: string): number {
  const known = numbers.get(key);
  if (known !== undefined) return known;
  numbers.set(key, numbers.size);
  return numbers.size - 1;
}
