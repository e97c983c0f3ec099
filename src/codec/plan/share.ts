/** The items of a list that stand in one of several places: those from one border to the next. */
export interface Share {
  readonly from: Border;
  readonly to: Border;
}

/** Before it stand as many items as may (`most`), but for those that must stand behind it (`rest`). */
interface Border {
  readonly most: number;
  readonly rest: number;
}

/** The index of the first of its items, and that behind the last, in a list of so many. */
export const bordersOf = ({ from, to }: Share, count: number): readonly [number, number] => [
  placeOf(from, count),
  placeOf(to, count),
];

const placeOf = ({ most, rest }: Border, count: number): number => Math.max(0, Math.min(most, count - rest));
