/** How long the lists of one name were. */
export interface ListLengths {
  /** Lists. */
  readonly count: number;
  /** Items of all of them. */
  readonly items: number;
  /** Items of the longest. */
  readonly longest: number;
}
