import { setFlagsFromString } from 'node:v8';

/**
 * Makes V8 mark the old generation on the thread of the event loop, in steps of a millisecond,
 * instead of on up to four others. Where processors are few, those take the loop's own for 20 to 50
 * ms in each collection of old garbage, and a gateway runs a process for each processor, or in a
 * container with one. Must be called before much is allocated.
 *
 * V8 13 (Node 24) is left alone, whose steps come too late: while a long message streams, memory
 * would grow twice as much.
 */
export function disableConcurrentMarking(): void {
  if (Number.parseInt(process.versions.v8, 10) < 13) {
    setFlagsFromString('--no-concurrent-marking');
  }
}

/**
 * Makes V8 allocate all objects in the young generation. By what survives the first collections,
 * those of start-up, it would allocate objects of requests in the old one from then on. There they
 * outlive their request until the next collection of old garbage, with all that they refer to: half
 * of what requests allocate was copied twice for nothing. Must be called before much is allocated.
 */
export function disablePretenuring(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}

/**
 * Keeps V8 from enlarging the young generation, until `enlargeYoungGeneration`. Nearly all that a
 * start allocates survives, for which V8 would enlarge it to 16 or 32 MiB. It never returns these
 * to the system, and an idle gateway needs a sixteenth.
 */
export function holdYoungGeneration(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}

/** Has V8 enlarge the young generation by need again: requests are cheaper with a large one. */
export function enlargeYoungGeneration(): void {
  setFlagsFromString('--semi-space-growth-factor=2');
}
