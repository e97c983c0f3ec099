/** The longest time a timer can wait, in milliseconds. */
export const TIMER_MAX = 2 ** 31 - 1;

/**
 * Calls `then` when the time has come, in milliseconds of the epoch; null: never. The answer stops
 * it.
 */
export function expiry(atMillis: number | null, then: () => void): () => void {
  if (atMillis === null) return () => {};
  let timer: NodeJS.Timeout;
  const wait = (): void => {
    const millis = atMillis - Date.now();
    timer = setTimeout(millis > TIMER_MAX ? wait : then, Math.max(0, Math.min(millis, TIMER_MAX)));
    timer.unref();
  };
  wait();
  return () => clearTimeout(timer);
}
