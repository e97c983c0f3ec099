/**
 * The form of packed data: each object is a row of numbers, so that a graph with cycles is one
 * list. A row begins with its kind. That of an array or a map has its size behind it.
 */

/** Kinds of rows. Higher ones are objects, by their shape. */
export const ARRAY_ROW = 0;
export const MAP_ROW = 1;
export const FIRST_SHAPE = 2;

/** A number holds its tag in the last two bits: an object, a text, a number, or a constant. */
export const TAGS = 4;
export const OBJECT_CELL = 0;
export const TEXT_CELL = 1;
export const NUMBER_CELL = 2;
export const CONSTANT_CELL = 3;

/** Constants; behind them come the built-in components that a graph refers to. */
export const CONSTANTS: readonly unknown[] = [
  null,
  true,
  false,
  undefined,
  Number.POSITIVE_INFINITY,
];

/** A larger number would not be exact with its tag. */
export const NUMBER_MAX = 2 ** 50;

/** Rows in one step: a millisecond. */
export const STEP_ROWS = 4096;

/** A graph of plain data. */
export interface Packed {
  /** The keys of each kind of object, in order. */
  readonly shapes: readonly (readonly string[])[];
  readonly texts: readonly string[];
  /** The names of the built-in components. */
  readonly builtIns: readonly string[];
  /** The rows, that of the root first. */
  readonly cells: readonly number[];
}
