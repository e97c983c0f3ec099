import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { KIB, MIB } from '../limit.js';

/** Shorter ones are parts of short messages, whose garbage V8 collects in time. */
const LONG_PACKET_BYTES = 16 * KIB;
/** The memory of packets that may be garbage; V8 by itself lets 32 MiB of it come together. */
const GARBAGE_BYTES_MAX = 8 * MIB;

let collect: (() => void) | null = null;
let bytesSince = 0;

/**
 * Makes V8 collect young garbage each 8 MiB of long packets, in about a millisecond, and old
 * garbage only when the heap has grown to two and a half times what was alive. By itself V8 counts
 * packets as old garbage until it has marked the whole heap: that was done for each 30 MB that went
 * through, and took a third of the time of long messages. Must be called before much is allocated.
 */
export function collectPackets(): void {
  setFlagsFromString('--heap-growing-percent=150');
  // Node has the collector for scripts alone: where the flag is set, a new context gets the
  // function. The text is fixed.
  setFlagsFromString('--expose-gc');
  const found: unknown = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  if (typeof found === 'function') {
    collect = () => void Reflect.apply(found, undefined, [{ type: 'minor' }]);
  }
}

/** Reports a packet that was read from a connection. */
export function packetRead(bytes: number): void {
  if (bytes < LONG_PACKET_BYTES || collect === null) return;
  bytesSince += bytes;
  if (bytesSince < GARBAGE_BYTES_MAX) return;
  bytesSince = 0;
  collect();
}
