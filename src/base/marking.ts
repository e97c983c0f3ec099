import { setFlagsFromString } from 'node:v8';

/**
 * Has V8 mark what lives on the thread of the event loop, in steps of a millisecond, instead of on up to four threads
 * beside it. Where processors are few those take the loop's own away for 20 to 50 ms in each collection of old garbage,
 * and a gateway runs a process for each processor, or in a container that has one. To be called before much is made.
 */
export function markInSteps(): void {
  setFlagsFromString('--no-concurrent-marking');
}
