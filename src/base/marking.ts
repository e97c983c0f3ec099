import { setFlagsFromString } from 'node:v8';

/**
 * Has V8 mark what lives on the thread of the event loop, in steps of a millisecond, instead of on up to four threads
 * beside it. Where processors are few those take the loop's own away for 20 to 50 ms in each collection of old garbage,
 * and a gateway runs a process for each processor, or in a container that has one. To be called before much is made.
 *
 * Not so V8 13 (Node 24), whose steps come too late: while a long message streams through, memory would grow twice as much.
 */
export function markInSteps(): void {
  if (Number.parseInt(process.versions.v8, 10) < 13) setFlagsFromString('--no-concurrent-marking');
}
