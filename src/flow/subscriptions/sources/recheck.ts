/**
 * A share of the interval by which questions are spread: subscriptions that began together are not
 * asked about together.
 */
const SPREAD = 0.25;

/**
 * Asks about a subscription again and again while it goes on, `everyMillis` apart at most. `ask`
 * rejects where it may not go on: then `denied` is called, once. Returns what stops it.
 */
export function recheck(
  everyMillis: number,
  ask: () => Promise<void>,
  denied: () => void,
): () => void {
  let timer: NodeJS.Timeout | null = null;
  let isOver = false;
  const askLater = (): void => {
    timer = setTimeout(
      () => {
        ask().then(
          () => isOver || askLater(),
          () => isOver || denied(),
        );
      },
      everyMillis * (1 - SPREAD * Math.random()),
    );
    timer.unref();
  };
  askLater();
  return () => {
    isOver = true;
    if (timer !== null) {
      clearTimeout(timer);
    }
  };
}
