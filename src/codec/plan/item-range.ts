/** The items of a list that one of several particles takes: those from one bound to the next. */
export interface ItemRange {
  readonly from: RangeBound;
  readonly to: RangeBound;
}

/** As many items as may (`most`) come before it, except those that must come after it (`rest`). */
interface RangeBound {
  readonly most: number;
  readonly rest: number;
}

/** The index of the first of its items, and that behind the last, in a list of so many. */
export const resolveRange = ({ from, to }: ItemRange, count: number): readonly [number, number] => [
  resolveBound(from, count),
  resolveBound(to, count),
];

const resolveBound = ({ most, rest }: RangeBound, count: number): number =>
  Math.max(0, Math.min(most, count - rest));
