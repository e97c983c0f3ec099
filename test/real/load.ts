/** Calls while something changes behind the gateway. */

const LANES = 4;

export interface Load {
  readonly calls: number;
  /** Answers of calls that failed. */
  readonly failed: readonly string[];
}

/**
 * Calls without a pause, four at a time, until `isOver`. A call has failed where its answer does
 * not have the text.
 */
export async function callUntil(
  isOver: () => boolean,
  call: () => Promise<string>,
  expected: string,
): Promise<Load> {
  const failed: string[] = [];
  let calls = 0;
  const lane = async (): Promise<void> => {
    while (!isOver()) {
      const answer = await call();
      calls++;
      if (!answer.includes(expected)) failed.push(answer);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return { calls, failed };
}

/** Becomes true after so many milliseconds. */
export function after(millis: number): () => boolean {
  const end = performance.now() + millis;
  return () => performance.now() > end;
}
