/** Adds to the bytes that a document cache entry holds; also later, when the entry grows. */
export type CountBytes = (bytes: number) => void;

/** For plans that are not cached. */
export const UNCOUNTED: CountBytes = () => {};
