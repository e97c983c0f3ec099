import t from 'tap';
import { Cancellation, type CancelSignal } from '../../src/core/cancellation.js';

/** What a signal tells those who listen, and when. */
function record(signal: CancelSignal, abort: () => void): readonly string[] {
  const calls: string[] = [];
  const removed = (): void => void calls.push('removed');
  signal.addEventListener('abort', () => void calls.push('first'), { once: true });
  signal.addEventListener('abort', removed, { once: true });
  signal.addEventListener('abort', () => void calls.push('second'), { once: true });
  signal.removeEventListener('abort', removed);
  calls.push(String(signal.aborted));
  abort();
  abort();
  signal.addEventListener('abort', () => void calls.push('late'), { once: true });
  calls.push(String(signal.aborted));
  return calls;
}

t.test('a cancellation signals the same as an AbortSignal, once and in order', async (t) => {
  const controller = new AbortController();
  const cancellation = new Cancellation();
  const expected = record(controller.signal, () => controller.abort());
  t.same(expected, ['false', 'first', 'second', 'true']);
  t.same(
    record(cancellation, () => cancellation.abort()),
    expected,
  );
});
