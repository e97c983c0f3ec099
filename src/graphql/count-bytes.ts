/** Told how many bytes of memory have come to what is remembered; also later on, when it grows. */
export type Weigh = (bytes: number) => void;

/** For what is remembered nowhere. */
export const UNWEIGHED: Weigh = () => {};
