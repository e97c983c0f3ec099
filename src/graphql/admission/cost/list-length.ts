import type { FieldPrice } from './cost-table.js';

/** How many items a list is taken to have. */
export interface ListLength {
  readonly items: number;
  /**
   * Names the source of the length: slicing arguments, `listSize`, or `assumedListSize`. A single
   * object is known.
   */
  readonly from: 'arguments' | 'listSize' | 'default';
}

/** A list further below whose length a field above determines. */
export interface Sized {
  readonly path: readonly string[];
  readonly size: ListLength;
}

/** The lists at a field and below it that are determined above. */
export function sizedBelow(sized: readonly Sized[], name: string): readonly Sized[] {
  if (sized.length === 0) return sized;
  return sized.flatMap(({ path, size }) =>
    path[0] === name ? [{ path: path.slice(1), size }] : [],
  );
}

/**
 * The length by `listSize` of a field, for itself or its `sizedFields`. `slice` is that of its
 * arguments.
 */
export function ownLength(
  { listSize }: Pick<FieldPrice, 'listSize'>,
  slice: number | null,
  assumedListSize: number,
): ListLength {
  if (slice !== null) return { items: slice, from: 'arguments' };
  const items = listSize?.assumedSize ?? null;
  return items === null ? assumed(assumedListSize) : { items, from: 'listSize' };
}

/**
 * Objects for each time a field is answered: the largest length set by a field above, or its own.
 */
export function lengthOf(
  price: Pick<FieldPrice, 'listDepth' | 'listSize'>,
  below: readonly Sized[],
  slice: number | null,
  assumedListSize: number,
): ListLength {
  const { listDepth, listSize } = price;
  if (listDepth === 0) return ONE;
  let set: ListLength | null = null;
  for (const { path, size } of below) {
    if (path.length === 0 && size.items > (set?.items ?? -1)) {
      set = size;
    }
  }
  const isItself = listSize !== null && listSize.sizedFields.length === 0;
  const length =
    set ?? (isItself ? ownLength(price, slice, assumedListSize) : assumed(assumedListSize));
  if (listDepth === 1) return length;
  // Lists within it have no size of their own.
  return assumed(length.items * assumedListSize ** (listDepth - 1));
}

const assumed = (items: number): ListLength => ({ items, from: 'default' });
const ONE: ListLength = { items: 1, from: 'arguments' };
